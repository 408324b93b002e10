"""Feet that stand stay where they stand; nothing else moves, and nothing pops."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Motion, Node, Pose, Skeleton, SuppleError, Tip, plant_feet
from supple.apps.motion.feet import find_feet
from supple.apps.motion.jumps import Jump
from supple.rotations import conjugate, from_axis_angle, multiply

FPS = 60.0
LEG = 0.9


def walker():
    """Hips with two legs of a thigh, a shin and a foot with toes; and a head."""
    nodes = [Node("Hips", None, (0, 0.88, 0)), Node("Head", "Hips", (0, 0.6, 0))]
    tips = []
    for side, sign in (("Left", 1), ("Right", -1)):
        nodes += [
            Node(f"{side}HipJoint", "Hips", (0, 0, 0)),
            Node(f"{side}UpLeg", f"{side}HipJoint", (0.1 * sign, 0, 0)),
            Node(f"{side}Leg", f"{side}UpLeg", (0, -0.45, 0.02)),
            Node(f"{side}Foot", f"{side}Leg", (0, -0.43, -0.02)),
            Node(f"{side}Toe", f"{side}Foot", (0, -0.06, 0.13)),
        ]
        tips.append(Tip(f"{side}Toe end", f"{side}Toe", (0, 0, 0.05)))
    return Skeleton(nodes, tips)


def clip(seconds=4.0, drift=0.15, lift=True):
    """It drifts along while it stands, its feet along with it and turning a little; and lifts one
    foot for a second in the middle."""
    skeleton = walker()
    t = np.arange(int(seconds * FPS)) / FPS
    middle = np.clip(1 - np.abs(t - 2.0) / 0.8, 0, 1) * lift
    bend = 0.3 + 0.9 * middle
    values = {"Hips": from_axis_angle("y", 0.1 * np.sin(1.5 * t))}
    for side, knee in (("Left", bend), ("Right", 0.3 + 0 * t)):
        values[f"{side}UpLeg"] = from_axis_angle("x", -knee / 2)
        values[f"{side}Leg"] = from_axis_angle("x", knee)
        values[f"{side}Foot"] = from_axis_angle("x", -knee / 2)
    poses = skeleton.rest.with_(values)
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 1] = 0.88
    places[:, 0, 2] = drift * t
    return Motion("drift", Pose(skeleton, poses.coordinates, places), fps=FPS)


def fastest(motion):
    return float((motion.poses[:-1].turns(motion.poses[1:]) * motion.fps).max())


def test_feet_are_found_by_name_with_toes_and_legs():
    feet = find_feet(walker())
    assert [foot.ankle for foot in feet] == ["LeftFoot", "RightFoot"]
    assert [foot.toe for foot in feet] == ["LeftToe", "RightToe"]
    assert [foot.leg for foot in feet] == ["LeftUpLeg", "RightUpLeg"]
    assert feet[0].length == pytest.approx(0.881, abs=1e-3)


def test_joints_that_twist_along_a_leg_do_not_end_it():
    nodes = []
    for node in walker().nodes:
        nodes.append(node)
        if node.name.endswith(("UpLeg", "Leg")):
            nodes.append(Node(f"{node.name} twist", node.name, (0, -0.2, 0)))
    feet = find_feet(Skeleton(nodes))
    assert [foot.leg for foot in feet] == ["LeftUpLeg", "RightUpLeg"]
    names = {node.name: node.name.replace("UpLeg", "Hip") for node in nodes}
    plain = supple.Character(Skeleton(nodes)).renamed(names).skeleton
    assert [foot.leg for foot in find_feet(plain)] == ["LeftHip", "RightHip"]


def test_feet_and_legs_can_be_named_otherwise():
    plain = supple.Character(walker()).renamed(
        {"LeftFoot": "a", "LeftUpLeg": "b", "RightFoot": "c"}
    )
    with pytest.raises(SuppleError, match="ankle or foot"):
        find_feet(plain.skeleton)
    (foot,) = find_feet(plain.skeleton, ["a"], legs={"a": "b"})
    assert (foot.ankle, foot.leg) == ("a", "b")
    with pytest.raises(SuppleError, match="foot"):
        find_feet(plain.skeleton, ["aa"])
    with pytest.raises(SuppleError, match="leg"):
        find_feet(plain.skeleton, ["a"], legs={"a": "Head"})
    with pytest.raises(SuppleError, match="Motion"):
        plant_feet(walker())


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b", "c"], "got none; say which they are, of the joints 'a', 'b', 'c'$"),
        ([f"j{k}" for k in range(40)], r"'j0', 'j1', .*, \.\.\. \(40 in all\)$"),
        (["hip", "foot"], "got 'foot' without a leg above; .* of the joints 'hip', 'foot'$"),
    ],
)
def test_where_no_joint_looks_like_a_foot_the_joints_are_listed(names, said):
    nodes = [Node(name, names[k - 1] if k else None, (0, -1, 0)) for k, name in enumerate(names)]
    for tips in ([], [Tip("end", names[-1], (0, -1, 0))]):
        skeleton = Skeleton(nodes, tips)
        with pytest.raises(SuppleError, match=said):
            plant_feet(Motion("still", [skeleton.rest] * 2, fps=30.0))


def test_standing_feet_no_longer_slide():
    motion = clip()
    found = plant_feet(motion)
    for slide in found.slides:
        assert slide.heel.any()
        assert slide.before > 0.1
        assert slide.after < 1e-5 * LEG
    left, right = found.slides
    assert right.heel.mean() > 0.9
    assert not left.heel[118:122].any()  # in the air
    # Heel and toe both stay, though the foot turned.
    for name, flags in (("RightFoot", right.heel), ("RightToe", right.toe)):
        places = found.motion.poses.position(name)[flags]
        assert np.ptp(places, axis=0).max() < 1e-5


def test_frames_of_which_nothing_is_asked_are_untouched_and_said_to_be():
    motion = clip()  # lifts the left foot
    found = plant_feet(motion, feet=["LeftFoot"], blend=0.1)
    outside = found.weight == 0
    assert outside.any() and not outside.all()
    assert np.array_equal(
        found.motion.poses.coordinates[outside], motion.poses.coordinates[outside]
    )
    assert np.all(found.status[outside] == -1)
    assert np.all(np.isnan(found.error[outside]))
    inside = ~outside
    off = [
        np.linalg.norm(found.motion.poses.position(foot.ankle) - places, axis=1)
        for foot, places in zip(found.feet, found.places, strict=True)
    ]
    assert found.error[inside] == pytest.approx(np.max(off, axis=0)[inside], abs=1e-12)
    assert "untouched" in found.reason


def test_the_report_is_measured_again_on_a_motion_made_from_the_result():
    planted = plant_feet(clip())
    assert np.all(planted.reached)
    same = planted.after(planted.motion)
    assert np.array_equal(same.status, planted.status)
    assert [one.after for one in same.slides] == [one.after for one in planted.slides]
    # The hips turn so that a hand may reach, and take the feet along.
    turned = np.array(planted.motion.poses.coordinates)
    turned[:, :4] = supple.rotations.multiply(
        turned[:, :4], from_axis_angle("y", 0.3 * np.sin(5 * planted.motion.times))
    )
    places = planted.motion.poses.translations
    moved = planted.motion.with_(poses=Pose(planted.motion.skeleton, turned, places))
    found = planted.after(moved)
    assert not np.all(found.reached)
    off = [
        np.linalg.norm(moved.poses.position(foot.ankle) - places, axis=1)
        for foot, places in zip(planted.feet, planted.places, strict=True)
    ]
    missed = ~found.reached
    assert found.error[missed] == pytest.approx(np.max(off, axis=0)[missed], abs=1e-12)
    assert min(slide.after for slide in found.slides) > 0.01
    assert found.motion is moved


def test_only_legs_move_and_the_hips_go_down_where_a_leg_is_too_short():
    motion = clip(drift=0.3)
    found = plant_feet(motion, speed=0.6)
    assert np.all(found.reached)
    old, new = motion.poses, found.motion.poses
    for name in ("Hips", "Head", "LeftHipJoint", "RightToe"):
        j = motion.skeleton.index(name)
        assert np.allclose(old.local_rotations[:, j], new.local_rotations[:, j], atol=1e-12)
    moved = new.position("Hips") - old.position("Hips")
    assert found.lowered > 0
    assert np.abs(moved[:, [0, 2]]).max() == 0
    assert moved[:, 1].min() == pytest.approx(-found.lowered)
    assert np.abs(np.diff(moved[:, 1], n=2)).max() * FPS**2 < 20.0
    kept = plant_feet(motion, speed=0.6, lower=False)
    assert kept.lowered == 0
    assert np.allclose(kept.motion.poses.position("Hips"), old.position("Hips"))


def test_what_is_far_from_a_standing_foot_stays_as_it_is():
    motion = clip()
    found = plant_feet(motion, feet=["LeftFoot"], blend=0.1, lower=False)
    (left,) = found.slides
    free = np.ones(len(motion), bool)
    for f in np.flatnonzero(left.heel | left.toe):
        free[max(0, f - 7) : f + 8] = False
    assert free.sum() > 10
    same = found.motion.poses.coordinates[free] == motion.poses.coordinates[free]
    assert same.all()


def test_nothing_pops():
    motion = clip()
    found = plant_feet(motion)
    assert fastest(found.motion) < 2.0 * fastest(motion)
    ankle = found.motion.poses.position("LeftFoot")
    was = motion.poses.position("LeftFoot")
    jerk = np.abs(np.diff(ankle, n=2, axis=0)).max()
    assert jerk < 2.0 * np.abs(np.diff(was, n=2, axis=0)).max()


def test_a_loop_stays_one():
    motion = clip()
    places = np.array(motion.poses.translations)
    places[:, 0, 2] = 0.04 * np.sin(2 * np.pi * (np.arange(len(motion)) + 20) / len(motion))
    poses = motion.skeleton.rest.with_(
        {
            name: motion.poses.local_rotations[:, motion.skeleton.index(name)]
            for name in ("LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
        }
    )
    closed = motion.with_(poses=Pose(motion.skeleton, poses.coordinates, places))
    found = plant_feet(closed.with_(loop=True))
    left = found.slides[0]
    assert found.motion.loop
    assert len(found.motion) == len(left.heel) == len(found.status) == len(motion)
    assert all(len(places) == len(motion) for places in found.places)
    assert all(seam.time == pytest.approx(seam.frame / FPS) for seam in found.seams)
    down = closed.poses.position("Hips")[:, 1] - found.motion.poses.position("Hips")[:, 1]
    assert found.lowered == pytest.approx(down.max())
    assert left.heel[0] and left.heel[-1] and not left.heel.all()
    assert left.after < 1e-5
    ends = found.motion.poses.position("LeftFoot")[[0, -1]]
    assert np.abs(ends[1] - ends[0]).max() < 1e-5
    ends = plant_feet(closed).motion.poses.position("LeftFoot")[[0, -1]]
    assert np.abs(ends[1] - ends[0]).max() > 1e-3  # what the loop would show as a jump


def test_another_up_axis():
    turn = from_axis_angle("x", np.pi / 2)  # y up becomes z up
    motion = clip()
    skeleton = motion.skeleton
    nodes = [
        node._replace(offset=supple.rotations.rotate(turn, node.offset), rotation=turn)
        if node.parent is None
        else node
        for node in skeleton.nodes
    ]
    turned = Skeleton(nodes, skeleton.tips)
    places = np.array(motion.poses.translations)
    places[:, 0] = supple.rotations.rotate(turn, places[:, 0])
    q = np.array(motion.poses.coordinates)
    at = turned.packed.quaternion_at[0]
    q[:, at] = supple.rotations.multiply(
        supple.rotations.conjugate(turn), supple.rotations.multiply(turn, q[:, at])
    )
    found = plant_feet(Motion("z", Pose(turned, q, places), fps=FPS), up="z")
    plain = plant_feet(motion)
    for one, other in zip(found.slides, plain.slides, strict=True):
        assert np.array_equal(one.heel, other.heel)
        assert one.after < 1e-5
    with pytest.raises(SuppleError, match="up axis"):
        plant_feet(motion, up="w")


def test_a_motion_without_a_stance_is_unchanged():
    motion = clip(drift=3.0, lift=False)
    found = plant_feet(motion)
    assert found.motion.poses == motion.poses
    assert all(slide.before == slide.after == 0 for slide in found.slides)
    one = plant_feet(motion[:1])
    assert len(one.motion) == 1


CLIP = Path(__file__).parents[4] / "shared/data/bvh/cmu-mocap/data/141/141_12.bvh"


@pytest.mark.skipif(not CLIP.exists(), reason="the clip is not here")
def test_a_knee_does_not_jump_where_a_correction_ends():
    hero = supple.load(CLIP)
    (motion,) = hero.motions.values()
    made = plant_feet(motion, up=hero.up)
    legs = [motion.skeleton.index(name) for foot in made.feet
            for name in motion.skeleton.path(foot.leg, foot.ankle)]  # fmt: skip

    def jerked(one):
        return np.linalg.norm(np.diff(one.poses.positions[1:, legs], n=2, axis=0), axis=-1).max()

    assert jerked(made.motion) < 1.5 * jerked(motion)


def test_frames_before_the_motion_stay_and_no_foot_stands_there():
    motion = clip()
    late = motion.with_(poses=Pose.stack([motion.skeleton.rest, *motion.poses]), tracks={})
    found, alone = plant_feet(late, first=1), plant_feet(motion)
    assert np.array_equal(found.motion.poses[0].positions, late.poses[0].positions)
    assert np.abs(found.motion.poses[1:].positions - alone.motion.poses.positions).max() < 1e-9
    assert found.status[0] == -1 and found.weight[0] == 0.0 and np.isnan(found.error[0])
    assert not any(one.heel[0] or one.toe[0] for one in found.slides)
    assert found.slides[0].after == pytest.approx(alone.slides[0].after)
    again = found.after(found.motion)
    assert np.array_equal(again.status, found.status)
    contacts = supple.contacts(late)
    given = plant_feet(late, first=1, contacts=contacts)
    assert np.array_equal(given.slides[0].heel[1:], contacts.flags("LeftFoot")[1:])
    with pytest.raises(SuppleError, match="first: expected one of the"):
        plant_feet(motion, first=len(motion))


# Jumps --------------------------------------------------------------------------------------------


def kneeling(seconds=2.0):
    """It walks on its knees: shins lie on the ground, feet are low, and slow most of the time."""
    skeleton = walker()
    t = np.arange(int(seconds * FPS)) / FPS
    still = from_axis_angle("x", np.full(len(t), np.pi / 2))
    values = {f"{side}Leg": still for side in ("Left", "Right")}
    values |= {
        f"{side}Foot": from_axis_angle("x", np.full(len(t), 0.3)) for side in ("Left", "Right")
    }
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 1] = 0.5
    places[:, 0, 2] = 0.05 * t
    poses = skeleton.rest.with_(values)
    return Motion("kneeling", Pose(skeleton, poses.coordinates, places), fps=FPS)


def test_feet_of_a_figure_that_kneels_do_not_stand():
    motion = kneeling()
    found = supple.contacts(motion)
    assert all(found[name] == () for name in found.joints)
    planted = plant_feet(motion)
    assert np.array_equal(planted.motion.poses.coordinates, motion.poses.coordinates)


def flipped(motion, frame, side="Left"):
    """The same motion in the world, but from a frame on a thigh turned by 180 degrees about its bone and back by the
    knee, as solvers of marker data flip a leg."""
    poses, names = motion.poses, [f"{side}UpLeg", f"{side}Leg"]
    bone = motion.skeleton.offsets[motion.skeleton.index(names[1])]
    half = from_axis_angle(bone / np.linalg.norm(bone), np.pi)
    thigh, knee = (poses.local_rotations[:, motion.skeleton.index(name)].copy() for name in names)
    thigh[frame:] = multiply(thigh[frame:], half)
    knee[frame:] = multiply(conjugate(half), knee[frame:])
    return motion.with_(poses=poses.with_(dict(zip(names, (thigh, knee), strict=True))))


def steps_of(motion, name):
    return np.linalg.norm(np.diff(motion.poses.position(name), axis=0), axis=1)


def crouching(drift=0.2, bend=2.0):
    """Deep in its knees, feet apart, it drifts along and aside, and lifts the left foot in the middle."""
    skeleton = walker()
    t = np.arange(int(4 * FPS)) / FPS
    lifted = np.clip(1 - np.abs(t - 2.0) / 0.8, 0, 1)
    values = {"Hips": from_axis_angle("y", 0.1 * np.sin(1.5 * t))}
    for side, sign in (("Left", 1), ("Right", -1)):
        knee = bend + 0.5 * lifted * (side == "Left")
        apart = from_axis_angle("z", np.full(len(t), 0.3 * sign))
        values[f"{side}UpLeg"] = multiply(apart, from_axis_angle("x", -knee / 2))
        values[f"{side}Leg"] = from_axis_angle("x", knee)
        values[f"{side}Foot"] = from_axis_angle("x", -knee / 2)
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 1] = 0.88 * np.cos(bend / 2)
    places[:, 0, [0, 2]] = drift * np.outer(t, (0.5, 1.0))
    poses = skeleton.rest.with_(values)
    return Motion("crouching", Pose(skeleton, poses.coordinates, places), fps=FPS)


def test_a_leg_whose_coordinates_flip_does_not_jump():
    smooth, frame = crouching(), 105  # as the left foot comes up
    motion = flipped(smooth, frame)
    assert np.allclose(motion.poses.positions, smooth.poses.positions, atol=1e-9)
    usual, found = plant_feet(smooth), plant_feet(motion)
    assert found.unplanted == () and found.jumps == ()
    assert found.slides[0].after < 1e-5 * LEG
    steps = [steps_of(one.motion, "LeftLeg")[frame - 1] for one in (usual, found)]
    assert steps[1] < 1.1 * steps[0]


def test_a_stance_that_would_make_a_leg_jump_is_left_alone_and_said():
    motion = clip(drift=0.3)
    assert plant_feet(motion).unplanted == ()
    found = plant_feet(motion, blend=0.01)  # the foot would go back to its path in one frame
    assert found.unplanted and found.jumps == ()
    left = found.unplanted[0]
    assert left.foot == "LeftFoot" and left.start == 0
    assert left.jump.step > left.jump.before + 0.05
    said = f"LeftFoot is not planted in frames 0 to {left.stop - 1}: "
    assert said in found.reason and found.notes[0].startswith(said)
    late = motion.with_(poses=Pose.stack([motion.skeleton.rest, *motion.poses]), tracks={})
    shifted = plant_feet(late, blend=0.01, first=1).unplanted[0]
    assert (shifted.start, shifted.stop) == (1, left.stop + 1)
    assert shifted.jump.frame == left.jump.frame + 1
    # What is left alone slides as it did, and the report says so.
    rows = slice(left.start, left.stop)
    before, after = (one.poses.position("LeftFoot")[rows] for one in (motion, found.motion))
    assert np.allclose(before, after, atol=1e-6)
    assert found.slides[0].after > 0.01
    for name in ("LeftLeg", "LeftFoot", "RightLeg", "RightFoot"):
        assert steps_of(found.motion, name).max() < 1.25 * steps_of(motion, name).max() + 0.07 * LEG


def test_frames_with_a_jump_are_not_reached():
    planted = plant_feet(clip())
    jump = Jump("LeftLeg", 5, 0.4, 0.01, "leg")
    bad = dataclasses.replace(planted, jumps=(jump,))
    assert np.flatnonzero(~bad.reached).tolist() == [5, 6]
    assert "LeftLeg jumps by 0.4 leg after frame 5" in bad.reason
