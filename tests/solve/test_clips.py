"""Whole clips: least squares over all frames."""

import math
from dataclasses import replace

import numpy as np
import pytest

import supple
from supple.goals import Smooth, Span
from supple.solve import clips

optimize = pytest.importorskip("scipy.optimize")


def arm(limits=(0.0, 2.4)):
    """A ball, an elbow with limits and a wrist."""
    nodes = [
        supple.Node("shoulder", None, (0, 0, 0), supple.Ball()),
        supple.Node("elbow", "shoulder", (0, 0, 0.5), supple.Hinge("x", limits)),
        supple.Node("wrist", "elbow", (0, 0, 0.4), supple.Hinge("y")),
    ]
    return supple.Skeleton(nodes, [supple.Tip("hand", "wrist", (0, 0, 0.2))])


def bent(skeleton):
    """The arm with a bent elbow."""
    return supple.Pose(skeleton, [1.0, 0.0, 0.0, 0.0, 1.2, 0.1])


def chain(*joints):
    """Bones of length one along x with given joints, and a tip."""
    nodes = [
        supple.Node(f"j{k}", f"j{k - 1}" if k else None, (1.0 if k else 0.0, 0, 0), joint)
        for k, joint in enumerate(joints)
    ]
    return supple.Skeleton(nodes, [supple.Tip("tip", f"j{len(joints) - 1}", (1, 0, 0))])


def path(frames, *, noise=0.0, seed=3):
    """A loop before the arm, shape (F, 3)."""
    t = np.linspace(0.0, 2.0, frames)
    way = np.stack([0.5 + 0.1 * np.cos(3 * t), 0.3 * np.sin(2 * t), 0.4 + 0.1 * t], axis=-1)
    return way + noise * np.random.default_rng(seed).normal(size=way.shape)


def planar(frames, *, noise=0.0):
    """A path in the plane of a chain of three hinges, shape (F, 3)."""
    t = np.linspace(0.0, 1.5, frames)
    way = np.stack([1.6 + 0.4 * np.cos(2 * t), 1.0 + 0.5 * np.sin(3 * t), 0 * t], axis=-1)
    way[:, :2] += noise * np.random.default_rng(1).normal(size=(frames, 2))
    return way


def hinges(count=3, limits=None):
    return [supple.Hinge("z", limits) for _ in range(count)]


def planar_residuals(angles, targets, *, weight, acceleration=0.0, velocity=0.0, length=3.0):
    """What a clip of a planar chain of bones of length one is to make small, written anew."""
    q = angles.reshape(len(targets), -1)
    turned = np.cumsum(q, axis=1)
    tip = np.stack([np.cos(turned).sum(1), np.sin(turned).sum(1)], axis=-1)
    rows = [np.sqrt(weight)[:, None] * (tip - targets[:, :2]) / length]
    rows += [
        math.sqrt(velocity) * np.diff(q, axis=0),
        math.sqrt(acceleration) * np.diff(q, 2, axis=0),
    ]
    return np.concatenate([row.ravel() for row in rows])


START = np.array([0.4, 0.5, 0.6])


@pytest.mark.parametrize("limits", [None, (-0.2, 0.9)])
@pytest.mark.parametrize(
    "weights", [{"acceleration": 0.3}, {"acceleration": 0.0, "velocity": 0.05}]
)
def test_it_is_the_least_squares_solution(limits, weights):
    skeleton = chain(*hinges(limits=limits))
    frames, targets = 9, planar(9, noise=0.1)
    seen = np.linspace(0.5, 2.0, frames)
    start = supple.Pose(skeleton, START)
    prepared = supple.prepare(skeleton, [supple.Reach("tip"), Smooth(**weights)])
    found = prepared.clip(targets, start=start, weights=seen[:, None], stall=1e-13, iterations=300)
    # There are several valleys: the other solver begins beside ours.
    bounds = (-np.inf, np.inf) if limits is None else limits
    near = found.poses.coordinates + 0.02 * np.random.default_rng(2).normal(size=(frames, 3))
    inside = np.clip(near, bounds[0] + 1e-6, bounds[1] - 1e-6).ravel()
    best = optimize.least_squares(
        planar_residuals, inside, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14,
        args=(targets,), kwargs={"weight": seen, **weights},
    )  # fmt: skip
    ours = planar_residuals(found.poses.coordinates, targets, weight=seen, **weights)
    assert 0.5 * ours @ ours <= best.cost * (1.0 + 1e-6)
    np.testing.assert_allclose(found.poses.coordinates.ravel(), best.x, atol=2e-4)


def test_without_ties_every_frame_is_the_answer_to_itself():
    skeleton, targets = arm(), path(12)
    prepared = supple.prepare(skeleton, {"hand": None})
    whole = prepared.clip(targets, start=bent(skeleton))
    assert whole.reached
    for first, last in ((0, 5), (3, 12), (7, 8)):
        part = prepared.clip(targets[first:last], start=bent(skeleton))
        assert np.array_equal(part.poses.coordinates, whole.poses.coordinates[first:last])


def test_smoothness_lowers_accelerations_and_quaternions_count():
    skeleton, targets = arm(), path(20, noise=0.01)
    prepared = supple.prepare(skeleton, {"hand": None})
    start = bent(skeleton)
    rough = prepared.clip(targets, start=start)
    smooth = prepared.clip(targets, start=start, smooth=0.3)
    assert rough.reached
    bends = [np.abs(np.diff(one.poses.angles, 2, axis=0)).max() for one in (rough, smooth)]
    assert bends[1] < 0.2 * bends[0]
    assert smooth.solution.error.max() < 0.05


def test_turns_are_those_of_the_least_cost():
    # One ball, asked for orientations, and tied: no small turn of any frame costs less.
    skeleton = supple.Skeleton(
        [supple.Node("ball", None, (0, 0, 0), supple.Ball())],
        [supple.Tip("tip", "ball", (1, 0, 0))],
    )
    turns = supple.rotations.from_rotation_vector(
        1.2 * np.random.default_rng(0).normal(size=(6, 3))
    )
    prepared = supple.prepare(skeleton, [supple.Reach("tip", orientation=supple.OPEN)])
    found = prepared.clip(turns, smooth=0.05, stall=1e-15, iterations=200)

    def cost(q):
        mul, log = supple.rotations.multiply, supple.rotations.to_rotation_vector
        inverse = supple.rotations.conjugate
        miss = 0.4 * log(mul(turns, inverse(q)))
        bend = np.diff(log(mul(q[1:], inverse(q[:-1]))), axis=0)
        return 0.5 * (miss**2).sum() + 0.5 * 0.05 * (bend**2).sum()

    q = found.poses.coordinates.reshape(6, 4)
    here, h = cost(q), 1e-4
    for frame in range(6):
        for axis in range(3):
            slopes = []
            for way in (h, -h):
                turn = supple.rotations.from_rotation_vector(way * np.eye(3)[axis])
                moved = q.copy()
                moved[frame] = supple.rotations.multiply(turn, q[frame])
                slopes.append((cost(moved) - here) / way)
            assert abs(0.5 * (slopes[0] + slopes[1])) < 2e-5


def test_limits_hold_exactly():
    skeleton = arm((0.3, 1.1))
    found = supple.prepare(skeleton, {"hand": None}).clip(path(15, noise=0.1), smooth=0.1)
    elbow = found.poses.coordinates[:, 4]
    assert np.all((elbow >= 0.3) & (elbow <= 1.1))
    assert np.any((elbow == 0.3) | (elbow == 1.1))


def test_swings_stay_in_their_cones():
    skeleton = chain(supple.Cone(0.5, (-0.3, 0.3), axis="x"), *hinges(2))
    start = supple.Pose(skeleton, [1, 0, 0, 0, 0.3, 0.3])
    found = supple.prepare(skeleton, {"tip": None}).clip(planar(12), start=start, smooth=0.01)
    again = found.poses.clamped()
    np.testing.assert_allclose(again.coordinates, found.poses.coordinates, atol=1e-12)


def test_what_is_not_seen_is_not_asked_for():
    skeleton, targets = chain(*hinges()), planar(11)
    targets[4:7] = np.nan
    prepared = supple.prepare(skeleton, {"tip": None})
    start = supple.Pose(skeleton, START)
    found = prepared.clip(targets, start=start, smooth=1e-3)
    gap = found.solution.errors[4:7, 0]
    assert np.all(np.isnan(gap))
    assert np.all(np.isfinite(found.solution.errors[[3, 7], 0]))
    # A gap is the same as a weight of 0, whatever the target is.
    other, weights = targets.copy(), np.ones((11, 1))
    other[4:7], weights[4:7] = 9.0, 0.0
    same = prepared.clip(other, start=start, smooth=1e-3, weights=weights)
    np.testing.assert_allclose(same.poses.coordinates, found.poses.coordinates, atol=1e-12)
    # And the joints go on smoothly through it.
    assert np.abs(np.diff(found.poses.coordinates, 2, axis=0)).max() < 0.2


def test_a_robust_goal_forgives_one_wrong_target():
    skeleton, targets = chain(*hinges()), planar(15)
    wrong = targets.copy()
    wrong[7] += (0.0, 1.0, 0.0)
    prepared = supple.prepare(skeleton, {"tip": None})
    start = supple.Pose(skeleton, START)
    plain = prepared.clip(wrong, start=start, smooth=0.01)
    robust = prepared.clip(wrong, start=start, smooth=0.01, robust=0.02)
    tips = [one.poses.position("tip")[7] for one in (plain, robust)]
    misses = [np.linalg.norm(tip - targets[7]) for tip in tips]
    assert misses[1] < 0.3 * misses[0]


def test_joints_that_copy_and_frozen_axes_do_what_they_must():
    nodes = [
        supple.Node("a", None, (0, 0, 0), supple.Hinge("z")),
        supple.Node("b", "a", (1, 0, 0), supple.Hinge("z", mimic=("a", 0.5, 0.1))),
        supple.Node("c", "b", (1, 0, 0), supple.Axes("zyx", frozen="yx")),
    ]
    skeleton = supple.Skeleton(nodes, [supple.Tip("tip", "c", (1, 0, 0))])
    found = supple.prepare(skeleton, {"tip": None}).clip(planar(10), smooth=0.01)
    q = found.poses.coordinates
    np.testing.assert_allclose(q[:, 1], 0.5 * q[:, 0] + 0.1, atol=1e-12)
    assert np.all(q[:, 3:] == 0.0)
    assert found.solution.error.max() < 0.1


def test_loops_are_closed_in_every_frame():
    skeleton = supple.Skeleton(
        [
            supple.Node("a", None, (0, 0, 0), supple.Hinge("z")),
            supple.Node("b", "a", (1, 0, 0), supple.Hinge("z")),
            supple.Node("c", None, (2, 0, 0), supple.Hinge("z")),
        ],
        [supple.Tip("ab", "b", (1.2, 0, 0)), supple.Tip("cd", "c", (0, 1, 0))],
    )
    targets = np.stack([0.8 * np.cos(t := np.linspace(1.2, 1.9, 9)), 0.8 * np.sin(t), 0 * t], -1)
    goals = [supple.Connect("ab", "cd"), supple.Reach("b")]
    start = supple.Pose(skeleton, [1.4, -1.2, 0.0])
    found = supple.prepare(skeleton, goals).clip(targets, start=start, smooth=0.05)
    gap = found.poses.position("ab") - found.poses.position("cd")
    assert np.abs(gap).max() < 1e-6
    assert not np.any(found.solution.status == supple.Status.OPEN_LOOP)


def test_bones_are_kept_apart_in_every_frame():
    skeleton = chain(*hinges())
    ball = supple.Avoid(obstacles=supple.Box((1.7, 1.2, 0.0), (0.4, 0.4, 2.0)), pairs=())
    goals = [
        supple.Reach("tip"),
        supple.Avoid(
            obstacles=ball.obstacles,
            pairs=(),
            capsules={"j2": supple.Capsule((0, 0, 0), (1, 0, 0), 0.05)},
        ),
    ]
    start = supple.Pose(skeleton, START)
    through = np.stack([np.linspace(1.2, 2.2, 12), np.full(12, 1.2), np.zeros(12)], -1)
    found = supple.prepare(skeleton, goals).clip(through, start=start, smooth=0.01)
    assert not np.any(found.solution.status == supple.Status.COLLIDES)
    assert np.any(found.solution.error > 0.05)


def test_settling_takes_bones_out_of_what_goals_push_them_into():
    skeleton = chain(*hinges())
    ceiling = supple.Plane((0.0, 1.2, 0.0), (0.0, -1.0, 0.0))
    body = {"j2": supple.Capsule((0, 0, 0), (1, 0, 0), 0.05)}
    goals = [supple.Reach("tip"), supple.Avoid(0.02, obstacles=ceiling, pairs=(), capsules=body)]
    x = np.linspace(1.2, 2.2, 12)
    above = np.stack([x, 1.1 + 0.3 * np.sin(np.pi * (x - 1.2)), 0 * x], -1)
    ik, start = supple.prepare(skeleton, goals), supple.Pose(skeleton, START)
    deepest, steps = [], []
    for settle in (False, True):  # the goal is a hundred times as strong as by itself
        found = ik.clip(above, start=start, smooth=0.01, weights=100.0, settle=settle, mend=False)
        deepest.append(np.max(ik.evaluate(found.poses, above).collision_depth))
        steps.append(np.abs(np.diff(found.poses.coordinates, axis=0)).max())
    assert deepest[0] > 0.1  # in the ceiling
    assert deepest[1] < 0.9 * 0.02 + 1e-6
    assert steps[1] < 1.2 * steps[0]


def test_a_correction_is_smooth_beside_its_reference():
    skeleton = chain(*hinges())
    rough = START + 0.2 * np.random.default_rng(5).normal(size=(14, 3))
    animation = supple.Pose(skeleton, rough)
    shift = np.array([0.0, 0.1, 0.0])
    targets = animation.position("tip") + shift
    smooth = Smooth(1.0, departure=1e-4, reference=animation)
    found = supple.prepare(skeleton, [supple.Reach("tip"), smooth]).clip(targets, start=animation)
    change = found.poses.coordinates - rough
    assert np.abs(np.diff(change, 2, axis=0)).max() < 0.1 * np.abs(np.diff(rough, 2, axis=0)).max()


def test_spans_weigh_like_places():
    skeleton = arm()
    way = path(10)
    found = supple.prepare(skeleton, [Span("shoulder", "hand")]).clip(way, smooth=1e-4)
    assert found.solution.error.max() < 0.02


def test_what_is_held_stays_where_every_frame_has_it():
    skeleton = arm()
    drawn = supple.prepare(skeleton, {"hand": None}).clip(path(8)).poses
    goals = [supple.Hold("hand", orientation=False), supple.Reach("elbow")]
    elbows = drawn.position("elbow") + (0.0, 0.02, 0.0)
    elbows *= 0.5 / np.linalg.norm(elbows, axis=1, keepdims=True)
    found = supple.prepare(skeleton, goals).clip(elbows, start=drawn, smooth=1e-5)
    np.testing.assert_allclose(found.poses.position("hand"), drawn.position("hand"), atol=1e-2)


def test_same_bits_twice_and_with_any_number_of_threads():
    skeleton, targets = arm(), path(150, noise=0.01)
    prepared = supple.prepare(skeleton, {"hand": None})
    one = prepared.clip(targets, smooth=0.3, threads=1).poses.coordinates
    assert np.array_equal(one, prepared.clip(targets, smooth=0.3, threads=3).poses.coordinates)


def test_a_single_solve_refuses_smooth():
    prepared = supple.prepare(arm(), [supple.Reach("hand"), Smooth(0.3)])
    with pytest.raises(supple.SuppleError, match="Smooth ties the frames of a clip"):
        prepared((0.1, 0.2, 0.3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smooth": -1.0}, "smooth: expected a Smooth"),
        ({"fps": 0.0}, "fps"),
        ({"weights": np.ones((3, 2))}, "weights: expected shape"),
        ({"weights": -1.0}, "weights: expected numbers from 0"),
        ({"avoid": 2.0}, "avoid: expected a number from 0 to 1"),
        ({"supports": {"hand": True}}, "supports: expected a Balance"),
        ({"smooth": Smooth(1.0, velocity={"knee": 1.0})}, "knee"),
    ],
)
def test_bad_input_says_what_is_wrong(options, message):
    with pytest.raises(supple.SuppleError, match=message):
        supple.prepare(arm(), {"hand": None}).clip(path(4), **options)


def test_a_clip_has_frames():
    with pytest.raises(supple.SuppleError, match="one axis of frames"):
        supple.prepare(arm(), {"hand": None}).clip((0.1, 0.2, 0.3))


# One shot


def test_track_smooths_all_at_once():
    skeleton, targets = arm(), path(20, noise=0.01)
    start = bent(skeleton)
    found = supple.track(skeleton, {"hand": targets}, start=start, smooth=0.3, fps=30)
    same = supple.prepare(skeleton, {"hand": None}).clip(targets, start=start, smooth=0.3)
    assert np.array_equal(found.poses.coordinates, same.poses.coordinates)
    among = supple.track(skeleton, [supple.Reach("hand", targets), Smooth(0.3)], start=start)
    assert np.array_equal(among.poses.coordinates, same.poses.coordinates)


def test_weights_scale_with_the_frame_rate():
    # The same motion at twice the rate costs the same, frame by frame: differences are a quarter as large.
    smooth, joints = Smooth(0.3, velocity=0.2, departure=0.1), np.array([0, 0, 1])
    one, two = (smooth.difference_weights(arm(), joints, fps) for fps in (30.0, 60.0))
    np.testing.assert_allclose(one, [[0.1, 0.2, 0.3]] * 3)
    np.testing.assert_allclose(two, [[0.1, 0.8, 4.8]] * 3)


def test_weights_by_joint_leave_the_others_alone():
    smooth = Smooth({"elbow": 2.0}, velocity={"wrist": 1.0})
    weights = smooth.difference_weights(arm(), np.array([0, 1, 2]), 30.0)
    np.testing.assert_allclose(weights, [[0, 0, 0], [0, 0, 2], [0, 1, 0]])
    assert smooth == Smooth({"elbow": 2.0}, velocity={"wrist": 1.0})
    assert hash(smooth) == hash(Smooth({"elbow": 2}, velocity={"wrist": 1}))


@pytest.mark.parametrize("option", [{"dt": 0.1}, {"branches": "all"}, {"solver": "LM"}])
def test_track_says_what_does_not_go_with_smooth(option):
    (name,) = option
    with pytest.raises(supple.SuppleError, match=f"{name}: a smooth clip is solved all at once"):
        supple.track(arm(), {"hand": path(4)}, smooth=0.3, **option)


def test_arms_do_not_flip_for_one_frame():
    # Where every frame alone would fold to the other side in the middle, since a target there is nearer so.
    skeleton = chain(*hinges(2))
    t = np.linspace(-0.5, 0.5, 21)
    targets = np.stack([1.4 + 0 * t, t, 0 * t], axis=-1)
    goals = [supple.Reach("tip"), Span("j0", "j1", weight=0.1)]
    elbows = np.stack([np.cos(t + 0.7), np.sin(t + 0.7), 0 * t], axis=-1)
    elbows[10, 1] *= -1.0
    start = supple.Pose(skeleton, [0.0, 0.0])
    prepared = supple.prepare(skeleton, goals)
    alone = prepared.clip(targets, elbows, start=start)
    assert alone.largest_step > 0.8
    found = prepared.clip(targets, elbows, start=start, smooth=1e-3)
    assert found.largest_step < 0.4


def test_steps_that_are_too_long_are_named():
    skeleton, targets = chain(*hinges()), planar(8)
    targets[4:] += (0.0, 0.6, 0.0)
    start = supple.Pose(skeleton, START)
    found = supple.prepare(skeleton, {"tip": None}).clip(
        targets, start=start, smooth=1e-6, max_step=0.05
    )
    named = found.steps_over(0.05)
    assert any(one.frame == 4 for one in named)
    assert all(
        one.turn == pytest.approx(found.steps[one.frame - 1].max(), abs=2.0) for one in named
    )
    assert "farther than 0.05 rad turn" in found.reason


def test_nothing_asked_for_in_a_frame_is_said():
    skeleton, targets = chain(*hinges()), planar(5)
    targets[2] = np.nan
    found = supple.prepare(skeleton, {"tip": None}).clip(
        targets, start=supple.Pose(skeleton, START), smooth=1e-3
    )
    assert found[2].reached
    assert "nothing is asked for" in found[2].reason


def test_windows_give_what_one_piece_gives(monkeypatch):
    skeleton = chain(*hinges())
    prepared, start = supple.prepare(skeleton, {"tip": None}), supple.Pose(skeleton, START)
    options = {
        "start": start,
        "smooth": Smooth(1e-3, departure=1e-2),
        "stall": 1e-13,
        "iterations": 100,
    }
    targets = planar(80, noise=0.02)
    whole = prepared.clip(targets, **options).poses.coordinates
    rules = replace(clips.RULES, longest_window=45, overlap=25)
    monkeypatch.setattr(clips, "RULES", rules)
    parts = prepared.clip(targets, **options).poses.coordinates
    assert not np.array_equal(parts, whole)
    np.testing.assert_allclose(parts, whole, atol=1e-5)


def test_mending_a_frame_does_not_make_it_jump():
    # In the middle the target is inside a wall as wide as the arm is long: to mend that frame it would have to leave.
    skeleton = chain(*hinges())
    wall = supple.Box((1.4, 1.0, 0.0), (1.2, 1.2, 2.0))
    body = {"j2": supple.Capsule((0, 0, 0), (1, 0, 0), 0.05)}
    goals = [supple.Reach("tip"), supple.Avoid(obstacles=wall, pairs=(), capsules=body)]
    start = supple.Pose(skeleton, np.tile(START, (9, 1)))
    held = supple.prepare(skeleton, {"tip": None}).clip(
        planar(9), start=start, smooth=1e-3
    )  # as it goes without the wall
    found = supple.prepare(skeleton, goals).clip(
        planar(9), start=held.poses, smooth=1e-3, iterations=0
    )
    moved = found.poses[:].turns(held.poses)
    broken = found.solution.status == supple.Status.COLLIDES
    assert broken.any()
    assert moved.max() <= 0.1 + 1e-9
