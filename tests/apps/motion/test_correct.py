"""IK on top of a motion: what it reaches, what it leaves alone, and that nothing pops."""

import numpy as np
import pytest

import supple
from supple import (
    Cone,
    Hinge,
    Hold,
    LookAt,
    Motion,
    Node,
    Pose,
    Reach,
    Skeleton,
    Status,
    SuppleError,
    Tip,
    Window,
    correct,
)
from supple.rotations import from_axis_angle, multiply
from supple.solve.following import follow

FPS = 60.0


def body(limits=True):
    """A trunk with two arms of three joints."""
    elbow = Hinge("z", limits=(0, 2.5)) if limits else Hinge("z")
    shoulder = Cone(2.0) if limits else supple.Ball()
    nodes = [Node("hips", None, (0, 1, 0)), Node("chest", "hips", (0, 0.5, 0))]
    tips = []
    for side, sign in (("L", 1), ("R", -1)):
        nodes += [
            Node(f"{side} arm", "chest", (0.2 * sign, 0, 0), shoulder),
            Node(f"{side} elbow", f"{side} arm", (0.3 * sign, 0, 0), elbow),
            Node(f"{side} wrist", f"{side} elbow", (0.3 * sign, 0, 0), supple.Ball()),
        ]
        tips.append(Tip(f"{side} hand", f"{side} wrist", (0.1 * sign, 0, 0)))
    return Skeleton(nodes, tips)


def clip(skeleton, seconds=3.0):
    """It sways, walks along and swings its arms, elbows a little bent."""
    t = np.arange(int(seconds * FPS)) / FPS
    values = {
        "hips": from_axis_angle("y", 0.3 * np.sin(t)),
        "chest": from_axis_angle("z", 0.2 * np.sin(2 * t)),
    }
    for side, sign in (("L", 1), ("R", -1)):
        values[f"{side} arm"] = from_axis_angle("y", -0.6 * sign + 0.3 * np.sin(2 * t))
        values[f"{side} elbow"] = 0.6 + 0.3 * np.sin(t)
    poses = skeleton.rest.with_(values)
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 2] = 0.4 * t
    return Motion("sway", Pose(skeleton, poses.coordinates, places), fps=FPS)


def added(motion, corrected):
    """How fast the correction turns each joint against the animation, rad/s, (F - 1, N)."""
    a = supple.rotations.multiply(
        supple.rotations.conjugate(motion.poses.local_rotations[:-1]),
        motion.poses.local_rotations[1:],
    )
    b = supple.rotations.multiply(
        supple.rotations.conjugate(corrected.poses.local_rotations[:-1]),
        corrected.poses.local_rotations[1:],
    )
    return supple.rotations.angle_between(a, b) * motion.fps


@pytest.fixture(scope="module")
def sway():
    return clip(body())


def target_near(motion, radius=0.08):
    """A point that circles in front of the left shoulder."""
    t = motion.times
    circle = np.stack([np.sin(3 * t), np.cos(3 * t), 0.5 * np.sin(2 * t)], axis=1)
    return motion.poses.position("L arm") + (0.3, 0.12, 0.2) + radius * circle


def test_every_frame_reaches_a_moving_target_and_the_rest_is_untouched(sway):
    target = target_near(sway)
    found = correct(sway, [Reach("L hand", target, root="L arm")])
    assert np.all(found.reached)
    assert found.error.max() < 1e-3
    gap = found.motion.poses.position("L hand") - target
    assert np.linalg.norm(gap, axis=1).max() < 1e-3
    for name in ("hips", "chest", "R arm", "R elbow", "R wrist"):
        j = sway.skeleton.index(name)
        same = found.motion.poses.local_rotations[:, j] == sway.poses.local_rotations[:, j]
        assert np.all(same)
    assert np.array_equal(found.motion.poses.translations, sway.poses.translations)
    assert found.motion.poses.violations()[:, 2:5].max() < 1e-9
    assert found.motion.fps == sway.fps


def test_neighbouring_frames_stay_neighbours(sway):
    found = correct(sway, [Reach("L hand", target_near(sway), root="L arm")], speed=None)
    assert added(sway, found.motion).max() < 12
    assert found.seams == ()


def test_goals_fade_in_before_and_out_after_their_window(sway):
    target = target_near(sway)
    goal = [Reach("L hand", target, root="L arm")]
    found = correct(sway, goal, window=(1.0, 2.0), blend=0.25)
    t = sway.times
    inside = (t >= 1.0) & (t <= 2.0)
    outside = (t <= 0.75) | (t >= 2.25)
    assert np.all(found.weight[inside] == 1)
    assert np.all(found.weight[outside] == 0)
    assert np.all((found.weight[~inside & ~outside] > 0) & (found.weight[~inside & ~outside] < 1))
    assert np.array_equal(found.motion.poses.coordinates[outside], sway.poses.coordinates[outside])
    gap = np.linalg.norm(found.motion.poses.position("L hand") - target, axis=1)
    assert gap[inside].max() < 1e-3
    assert np.all(found.status[outside] == -1)
    assert np.all(np.isnan(found.error[outside]))
    assert "untouched" in found.reason


def test_there_are_no_pops_and_seams_are_reported(sway):
    far = target_near(sway) + (0.0, 0.1, 0.0)
    goal = [Reach("L hand", far, root="L arm")]
    found = correct(sway, goal, window=(1.0, 2.0), blend=0.25)
    assert added(sway, found.motion).max() < 12
    assert len(found.seams) == 2
    assert {seam.joint for seam in found.seams} <= {"L arm", "L elbow", "L wrist"}
    assert 0 < found.speed < 12
    first = found.seams[0]
    assert first.time == pytest.approx(first.frame / FPS)
    assert found.weight[first.frame] == 0
    assert found.weight[first.frame + 1] > 0


def test_a_hard_cut_stays_one_and_is_said(sway):
    """Without a fade there is no frame to spread it over: goals come first, other frames stay."""
    goal = [Reach("L hand", target_near(sway) + (0, 0.1, 0), root="L arm")]
    found = correct(sway, goal, window=(1.0, 2.0), blend=0.0, speed=6.0)
    on = (sway.times >= 1.0) & (sway.times <= 2.0)
    gap = np.linalg.norm(found.motion.poses.position("L hand") - goal[0].target, axis=1)
    assert gap[on].max() < 1e-3
    assert np.array_equal(found.motion.poses.coordinates[~on], sway.poses.coordinates[~on])
    assert [seam.too_fast for seam in found.seams] == [True, True]
    assert "2 jumps faster" in found.reason
    unbound = correct(sway, goal, window=(1.0, 2.0), blend=0.0, speed=None)
    assert unbound.motion == found.motion
    assert not any(seam.too_fast for seam in unbound.seams)


def test_a_jump_is_spread_over_the_frames_that_fade(sway):
    goal = [Reach("L hand", target_near(sway) + (0, 0.1, 0), root="L arm")]
    jump = correct(sway, goal, window=(1.0, 2.0), blend=0.25, speed=None)
    assert added(sway, jump.motion).max() > 5
    found = correct(sway, goal, window=(1.0, 2.0), blend=0.25, speed=5.0)
    assert added(sway, found.motion).max() <= 5.0
    assert any(seam.spread for seam in found.seams)
    assert not any(seam.too_fast for seam in found.seams)
    assert found.motion.poses.violations()[:, 2:5].max() < 1e-9
    whole, outside = found.weight == 1, found.weight == 0
    for frames in (whole, outside):
        same = found.motion.poses.coordinates[frames] == jump.motion.poses.coordinates[frames]
        assert np.all(same)
    assert np.array_equal(found.motion.poses.coordinates[outside], sway.poses.coordinates[outside])
    assert set(found.status[~whole & ~outside]) == {-2}
    assert np.all(np.isnan(found.error[~whole & ~outside]))
    assert f"{np.count_nonzero(whole)} of {np.count_nonzero(whole)} reached" in found.reason
    assert "fading" in found.reason


def misses(found, effector, target):
    """How far the frames of a corrected motion are from a target."""
    return np.linalg.norm(found.motion.poses.position(effector) - target, axis=1)


def running(seconds=2.0, fps=30.0):
    """Arms that pump and hands that pass the shoulder: what a hand is asked to do may be fast."""
    skeleton = body(limits=False)
    t = np.arange(int(seconds * fps)) / fps
    values = {"hips": from_axis_angle("y", 0.2 * np.sin(18 * t))}
    for side, sign in (("L", 1), ("R", -1)):
        swing = from_axis_angle("x", 1.2 * np.sin(18 * t))
        values[f"{side} arm"] = multiply(swing, from_axis_angle("z", -1.2 * sign + 0.0 * t))
        values[f"{side} elbow"] = sign * (1.9 + 0.5 * np.sin(18 * t))
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 2] = 3.0 * t
    places[:, 0, 1] += 0.06 * np.abs(np.sin(18 * t))
    poses = skeleton.rest.with_(values)
    return Motion("run", Pose(skeleton, poses.coordinates, places), fps=fps)


@pytest.mark.parametrize("coherent", [False, True])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("way", [(0, 1, 0.5), (-1, 0, 0), (0.3, 0.5, -1), (0, -1, 0.2)])
def test_what_is_reported_is_true_of_the_result(coherent, share, way):
    motion = running()
    by = share * 0.7 * np.array(way) / np.linalg.norm(way)
    target = motion.poses.position("L hand") + by
    goal = Reach("L hand", target, root="L arm")
    found = correct(motion, goal, window=(0.6, 1.4), coherent=coherent)
    whole, outside = found.weight == 1, found.weight == 0
    off = misses(found, "L hand", target)
    assert off[whole] == pytest.approx(found.error[whole], abs=1e-12)
    assert np.array_equal(found.reached[whole], off[whole] <= 0.7e-4)
    assert np.all(found.status[outside] == -1)
    assert np.array_equal(
        found.motion.poses.coordinates[outside], motion.poses.coordinates[outside]
    )
    # What the solver alone reaches is reached, whatever the speed.
    alone = correct(motion, goal, window=(0.6, 1.4), coherent=coherent, speed=None)
    assert np.array_equal(found.status, alone.status)
    fast = np.flatnonzero(added(motion, found.motion).max(axis=1) > 12.0)
    assert [seam.frame for seam in found.seams if seam.too_fast] == fast.tolist()


def test_a_fast_correction_reaches_and_says_that_it_is_fast():
    motion = running()
    hand, shoulder = motion.poses.position("L hand"), motion.poses.position("L arm")
    by = (shoulder - hand).mean(axis=0) + (0.0, 0.0, 0.1)
    target = hand + by  # past the shoulder, close by
    found = correct(motion, Reach("L hand", target, root="L arm"), window=(0.6, 1.4))
    assert np.all(found.reached)
    assert misses(found, "L hand", target)[found.weight == 1].max() <= 0.7e-4
    assert any(seam.too_fast for seam in found.seams)
    assert found.speed > 12
    assert "faster than asked for" in found.reason


def test_each_goal_may_have_its_window(sway):
    left = target_near(sway)
    right = sway.poses.position("R arm") + (-0.3, -0.12, 0.2)
    goals = [Reach("L hand", left, root="L arm"), Reach("R hand", right, root="R arm")]
    when = [Window(0.5, 1.2), Window(1.0, 2.0, fade=0.1)]
    found = correct(sway, goals, window=when, blend=0.2, speed=None)
    t = sway.times
    off_left = np.linalg.norm(found.motion.poses.position("L hand") - left, axis=1)
    off_right = np.linalg.norm(found.motion.poses.position("R hand") - right, axis=1)
    assert off_left[(t >= 0.5) & (t <= 1.2)].max() < 1e-3
    assert off_right[(t >= 1.0) & (t <= 2.0)].max() < 1e-3
    # While the right one still counts, the left one goes back to where the animation has it.
    home = found.motion.poses.position("L hand") - sway.poses.position("L hand")
    assert np.linalg.norm(home, axis=1)[(t > 1.45) & (t < 2.0)].max() < 1e-3
    with pytest.raises(SuppleError, match="one for each goal"):
        correct(sway, goals, window=[Window()])


def reach_out(motion):
    """Within reach, then far away, then within reach again."""
    target = target_near(motion, 0.02)
    t = motion.times
    away = np.clip(np.minimum(t - 1.0, 2.0 - t) * 5, 0, 1)
    return target + away[:, None] * np.array([0.0, 0.0, 3.0])


def test_unreachable_frames_approach(sway):
    found = correct(sway, [Reach("L hand", reach_out(sway), root="L arm")])
    t = sway.times
    assert not np.any(found.reached[(t > 1.3) & (t < 1.7)])
    assert np.all(found.reached[(t < 0.9) | (t > 2.1)])
    straight = np.linalg.norm(
        found.motion.poses.position("L hand") - found.motion.poses.position("L arm"), axis=1
    )
    assert straight[(t > 1.4) & (t < 1.6)].min() > 0.69  # of 0.7: the arm is stretched out
    off = misses(found, "L hand", reach_out(sway))
    assert found.error == pytest.approx(off, abs=1e-12)
    assert np.array_equal(found.reached, off <= 0.7e-4)
    # The target leaves at 15 m/s: the goal comes first, and the report says how fast that is.
    fast = np.flatnonzero(added(sway, found.motion).max(axis=1) > 12.0)
    assert [seam.frame for seam in found.seams] == fast.tolist()
    assert all(seam.too_fast for seam in found.seams)
    assert set(np.unique(found.status)) <= {Status.REACHED, Status.TOO_FAR, Status.LIMITED}


def test_unreachable_frames_keep_the_animation(sway):
    found = correct(sway, [Reach("L hand", reach_out(sway), root="L arm")], unreachable="keep")
    missed = ~found.reached
    assert missed.any()
    assert np.array_equal(found.motion.poses.coordinates[missed], sway.poses.coordinates[missed])
    assert np.all(found.weight[missed] == 0)
    off = misses(found, "L hand", reach_out(sway))
    assert found.error[missed] == pytest.approx(off[missed], abs=1e-12)
    assert added(sway, found.motion).max() < 12.001


def test_coherent_or_not_the_answers_are_the_same(sway):
    path = sway.poses.position("L hand") + np.linspace((-0.2, 0.1, 0), (0.3, 0.5, 0.4), len(sway))
    goal = [Reach("L hand", path, root="L arm")]
    assert correct(sway, goal, coherent=True).motion == correct(sway, goal).motion


def test_a_correction_is_smoother_than_frames_that_are_solved_one_after_the_other(sway):
    target = target_near(sway) + np.array([0.05, 0.0, 0.0]) * np.sin(3 * sway.times)[:, None]
    goal = [Reach("L hand", target, root="L arm")]
    found = correct(sway, goal, tolerance=1e-2)
    problem = supple.prepare(sway.skeleton, [Reach("L hand", root="L arm")], tolerance=1e-2)
    followed = sway.with_(poses=follow(problem, [target], sway.poses).pose)
    assert np.all(found.reached)

    def uneven(motion):
        return np.abs(np.diff(added(sway, motion), axis=0)).max()

    assert uneven(found.motion) < 0.9 * uneven(followed)


def test_coherent_frames_follow_each_other(sway):
    target = target_near(sway)
    calls = []
    found = correct(
        sway,
        [Reach("L hand", target, root="L arm")],
        coherent=True,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert np.all(found.reached)
    assert calls[-1] == (len(sway), len(sway))
    assert added(sway, found.motion).max() < 12


def test_other_goals(sway):
    look = correct(sway, [LookAt("chest", (0, 1, 5), axis="z")])
    assert np.all(look.reached)
    eye = look.motion.poses.position("chest")
    forward = supple.rotations.rotate(look.motion.poses.rotation("chest"), (0, 0, 1))
    to = np.array((0, 1, 5)) - eye
    to /= np.linalg.norm(to, axis=1, keepdims=True)
    assert np.allclose(forward, to, atol=1e-3)
    grip = from_axis_angle("x", 0.5)
    turned = correct(sway, [Reach("L hand", target_near(sway), orientation=grip, root="L arm")],
                     window=(1, 2))  # fmt: skip
    inside = turned.weight == 1
    assert np.all(turned.reached[inside])
    off = supple.rotations.angle_between(turned.motion.poses.rotation("L hand"), grip)
    assert off[inside].max() < 1e-3
    held = correct(sway, [Reach("R hand", sway.poses.position("R arm") + (-0.35, -0.1, 0.2)),
                          Hold("L hand", orientation=False)])  # fmt: skip
    gap = held.motion.poses.position("L hand") - sway.poses.position("L hand")
    assert np.linalg.norm(gap, axis=1).max() < 1e-3


def test_it_is_the_same_twice_and_with_any_number_of_threads(sway):
    goal = [Reach("L hand", target_near(sway), root="L arm")]
    one = correct(sway, goal, threads=1)
    two = correct(sway, goal, threads=2)
    assert one.motion == two.motion


def test_nothing_of_one_call_is_left_for_the_next(sway):
    before = correct(sway, {"L hand": target_near(sway)})
    correct(sway, {"L hand": target_near(sway) + (0, 1, 0)}, coherent=True)
    assert correct(sway, {"L hand": target_near(sway)}).motion == before.motion


def test_a_window_without_frames_changes_nothing(sway):
    found = correct(sway, {"L hand": (0, 0, 0)}, window=(100, 200))
    assert np.array_equal(found.motion.poses.coordinates, sway.poses.coordinates)
    assert found.seams == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goals": [Reach("L hand")]}, "no target"),
        ({"goals": []}, "at least one goal"),
        ({"goals": {"L hnad": (0, 0, 0)}}, "'L hand'"),
        ({"goals": {"L hand": np.zeros((7, 3))}}, "each of the motion's 180 frames"),
        ({"window": (2, 1)}, "after its start"),
        ({"window": "all"}, "window"),
        ({"blend": -1}, "blend"),
        ({"speed": 0}, "speed"),
        ({"unreachable": "aproach"}, "approach"),
    ],
)
def test_bad_input_is_refused(sway, change, message):
    goals = change.pop("goals", {"L hand": (0, 0, 0)})
    with pytest.raises(SuppleError, match=message):
        correct(sway, goals, **change)
    with pytest.raises(SuppleError, match="Motion"):
        correct(sway.poses, goals)


@pytest.mark.parametrize("start", [None, 0.1])
def test_frames_before_the_motion_stay_and_there_is_no_seam_to_them(sway, start):
    apart = from_axis_angle("x", 1.0)
    lead = sway.poses[:1].with_({"L arm": apart[None], "L elbow": np.full(1, 2.4)})
    motion = sway.with_(poses=Pose.stack([lead[0], *sway.poses]), tracks={})
    target = np.concatenate([[(9.0, 9.0, 9.0)], target_near(sway)])
    found = correct(motion, Reach("L hand", target, root="L arm"), window=(start, None), first=1)
    assert np.array_equal(found.motion.poses[0].coordinates, motion.poses[0].coordinates)
    assert found.status[0] == -1 and found.weight[0] == 0.0
    assert all(found.reached) and not found.seams
    alone = correct(
        sway, Reach("L hand", target[1:], root="L arm"),
        window=(None if start is None else start - 1.0 / FPS, None),
    )  # fmt: skip
    assert np.abs(found.motion.poses[1:].positions - alone.motion.poses.positions).max() < 1e-9


def test_an_arm_that_turns_by_half_a_turn_to_what_is_out_of_reach_does_not_roll():
    """It hangs and sways through the point from which up is as near one way round as the other."""
    skeleton = body(limits=False)
    t = np.arange(int(2 * FPS)) / FPS
    down = from_axis_angle("z", -0.5 * np.pi + 0.4 * (t - 1))
    poses = skeleton.rest.with_({"L arm": multiply(from_axis_angle("x", 0.02 + 0.0 * t), down)})
    motion = Motion("hang", poses, fps=FPS)
    asked = Reach("L hand", (0.2, 40.0, 0.0), root="L arm")
    found = correct(motion, asked, window=(0.5, 1.5), blend=0.4)
    assert found.status[60] == Status.TOO_FAR
    inside = slice(30, 90)
    assert added(motion, found.motion)[inside].max() < 5.0
    assert not any(seam.too_fast for seam in found.seams)
