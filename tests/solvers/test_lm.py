"""Levenberg-Marquardt: options, reach, limits, and what happens out of reach."""

import numpy as np
import pytest

import supple
from supple import LM, Axes, Ball, Cone, Hinge, Pose, Reach, Slider, Status, SuppleError


def solve(skeleton, goals, *, solver="LM", **options):
    return supple.solve(skeleton, goals, solver=solver, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"regularization": 0}, r"LM: regularization: expected a positive number, got 0"),
        ({"regularization": -1.0}, r"LM: regularization: .*-1.0"),
        ({"regularization": np.nan}, r"LM: regularization: .*nan"),
        ({"regularization": np.inf}, r"LM: regularization: .*inf"),
        ({"regularization": None}, r"LM: regularization: .*None"),
        ({"restarts": -1}, r"LM: restarts: expected a whole number from 0, got -1"),
        ({"restarts": 2.5}, r"LM: restarts: .*2.5"),
        ({"stall": 0}, r"LM: stall: expected a number between 0 and 1, neither included, got 0"),
        ({"stall": 1.0}, r"LM: stall: .*1.0"),
        ({"stall": np.nan}, r"LM: stall: .*nan"),
        ({"stall": "0.2"}, r"LM: stall: .*'0.2'"),
        ({"max_iterations": -1}, r"LM: max_iterations: .*-1"),
    ],
)
def test_options_out_of_range_say_so(options, message):
    with pytest.raises(SuppleError, match=message):
        LM(**options)


def test_numbers_of_numpy_are_options():
    solver = LM(max_iterations=np.int64(7), regularization=np.float32(0.5), restarts=np.int32(2))
    assert solver == LM(max_iterations=7, regularization=0.5, restarts=2)
    assert type(solver.max_iterations) is int


def test_options_are_read_by_the_kernel():
    arm = supple.chain([1] * 6, joint=Hinge("z", limits=(-0.8, 0.8)))
    target = Pose.from_angles(arm, [0.7, -0.7, 0.7, 0.7, -0.7, 0.7]).position("tip")
    few = solve(arm, {"tip": target}, solver=LM(max_iterations=3), tolerance=1e-12)
    assert few.iterations <= 3
    flat = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-1, 1)))
    none = solve(flat, {"tip": (0.2, 0.2, 0)}, solver=LM(restarts=0))
    some = solve(flat, {"tip": (0.2, 0.2, 0)}, solver=LM(restarts=5, max_iterations=1000))
    assert none.restarts == 0
    assert 0 < some.restarts <= 5
    assert some.error <= none.error + 1e-9


RIGS = {
    "balls": supple.chain([1, 0.7, 0.9, 0.5]),
    "hinges": supple.chain(
        [1, 0.7, 0.9, 0.5], joint=[Hinge(a, limits=(-1.5, 1.5)) for a in "zyzy"]
    ),
    "cones": supple.chain([1, 0.7, 0.9, 0.5], joint=Cone(0.9, (-0.5, 0.8))),
    "mixed": supple.chain(
        [1, 0.7, 0.9, 0.5],
        joint=[
            Axes("zyx", {"z": (-1, 1), "y": (-1, 1)}, frozen="x"),
            Slider("x", limits=(-0.3, 0.6)),
            Cone(0.7),
            Hinge("z", limits=(0, 2), stiffness=0.3),
        ],
    ),
}


@pytest.mark.parametrize("name", RIGS)
def test_reachable_targets_are_reached_within_the_limits(name):
    rig = RIGS[name]
    angles = np.random.default_rng(3).uniform(-0.6, 0.6, (60, len(rig.freedoms)))
    targets = Pose.from_angles(rig, angles).clamped().position("tip")
    s = solve(rig, {"tip": targets})
    assert s.reached.mean() >= 0.98, s.reason
    assert s.pose.violations().max() <= 1e-9
    assert np.isfinite(s.pose.coordinates).all()


@pytest.mark.parametrize("name", RIGS)
def test_never_worse_than_the_start_wherever_the_target_is(name):
    rig = RIGS[name]
    rng = np.random.default_rng(4)
    starts = Pose.from_angles(rig, rng.uniform(-1, 1, (60, len(rig.freedoms)))).clamped()
    targets = rng.uniform(-5, 5, (60, 3))
    s = solve(rig, {"tip": targets}, start=starts)
    before = np.linalg.norm(starts.position("tip") - targets, axis=-1)
    assert (s.error <= before + 1e-9).all()
    assert s.pose.violations().max() <= 1e-9


def test_stiffness_shifts_the_work_to_other_joints():
    target = (1.6, 0.9, 0)
    even = supple.chain([1, 1, 1], joint=Hinge("z"))
    stiff = supple.chain([1, 1, 1], joint=[Hinge("z", stiffness=0.95), Hinge("z"), Hinge("z")])
    start = {"j1": 0.3, "j2": 0.3}
    a = solve(even, {"tip": target}, start=even.pose(start))
    b = solve(stiff, {"tip": target}, start=stiff.pose(start))
    assert a.reached
    assert b.reached
    assert abs(b.angles[0]) < abs(a.angles[0])


def test_damping_caps_the_change_per_iteration():
    snake = supple.chain([1, 1, 1], joint=Hinge("z", damping=0.05))
    start = snake.pose({"j0": 0.1, "j1": 0.1, "j2": 0.1})
    solver = LM(max_iterations=200, restarts=0)
    s = solve(snake, {"tip": (0, 2, 0)}, start=start, trace=True, solver=solver)
    assert s.trace is not None
    steps = np.abs(np.diff(s.trace.coordinates, axis=0))
    assert steps.max() <= 0.05 + 1e-12
    assert s.reached


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_scale_does_not_matter(size):
    snake = supple.chain(np.array([9, 9, 9, 9, 4]) * size)
    s = solve(snake, {"tip": np.array([12, 18, 6]) * size})
    one = solve(supple.chain([9, 9, 9, 9, 4]), {"tip": (12, 18, 6)})
    assert s.reached
    assert s.error <= 40e-4 * size
    np.testing.assert_allclose(s.pose.coordinates, one.pose.coordinates, atol=1e-6)


@pytest.mark.parametrize("target", [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (-3, 0, 0)])
def test_targets_on_joints_and_at_the_root_give_finite_poses(target):
    for lengths in ([1, 1, 1], [1, 0, 1], [3, 1]):
        rig = supple.chain(lengths)
        s = solve(rig, {"tip": target})
        assert np.isfinite(s.pose.coordinates).all()
        assert s.reached == (s.error <= s.asked.demands[0].tolerance)


def test_a_single_bone_points_at_its_target():
    bone = supple.chain([2])
    s = solve(bone, {"tip": (0, 5, 0)})
    assert s.status is Status.TOO_FAR
    np.testing.assert_allclose(s.position("tip"), (0, 2, 0), atol=1e-3)


def test_many_bones():
    snake = supple.chain([0.01] * 300)
    s = solve(snake, {"tip": (0.5, 1.2, 0.8)})
    assert s.reached, s.reason


@pytest.mark.parametrize(
    ("lengths", "target", "error"),
    [([9, 9, 9, 9, 4], (-50, 0, 0), 10), ([3, 1], (0.5, 0, 0), 1.5), ([3, 1], (0, 0, 0), 2)],
)
@pytest.mark.parametrize("joint", [Ball(), Hinge("z")])
def test_singular_starts_are_left_for_targets_out_of_reach_too(lengths, target, error, joint):
    s = solve(supple.chain(lengths, joint=joint), {"tip": target})
    assert s.error == pytest.approx(error, abs=0.01)


def test_a_straight_chain_at_its_best_stays_there():
    snake = supple.chain([9, 9, 9, 9, 4])
    s = solve(snake, {"tip": (50, 0, 0)})
    assert s.status is Status.TOO_FAR
    assert s.pose == snake.rest


def test_out_of_reach_is_settled_to_the_last_digits():
    snake = supple.chain([9, 9, 9, 9, 4])
    s = solve(snake, Reach("tip", (30, 40, 0)))
    assert s.error == pytest.approx(10, abs=1e-6)
    again = solve(snake, Reach("tip", (30, 40, 0)), start=s.pose)
    assert supple.costs.largest_turn(s.pose, again.pose) < 1e-3


def hinge_chain(rng):
    lengths = rng.uniform(0.5, 1.5, rng.integers(4, 12))
    return supple.chain(lengths, joint=[
        Hinge(tuple(rng.normal(size=3)), limits=(-rng.uniform(0.5, 2.6), rng.uniform(0.5, 2.6)))
        for _ in lengths
    ])  # fmt: skip


def hinges_and_targets(rng, reach):
    """A chain of hinges, its length, 16 starts inside the limits, and targets so many lengths away."""
    arm = hinge_chain(rng)
    length = arm.length("tip", root="j0")
    low, high = np.array([joint.limits for joint in arm.joints]).T
    start = supple.Pose(arm, rng.uniform(low, high, (16, len(low))))
    aim = rng.normal(size=(16, 3))
    targets = reach * length * aim / np.linalg.norm(aim, axis=1, keepdims=True)
    return arm, length, start, targets


def test_out_of_reach_inside_limits_it_stops_in_a_valley_and_not_on_the_way_there():
    """Where limits held Newton's step so that it promised nothing, it took that for the bottom."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        arm, length, start, targets = hinges_and_targets(rng, 2.0)
        s = solve(arm, {"tip": targets}, start=start)
        again = solve(arm, {"tip": targets}, start=s.pose)
        settled = s.status != supple.Status.BUDGET
        assert np.all((s.error - again.error)[settled] < 1e-5 * length)


def test_never_worse_when_the_budget_ends_while_settling():
    """A bend that comes with the last iterations may not replace the best pose."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        arm, length, start, targets = hinges_and_targets(rng, 0.97)
        for budget in (20, 100):
            s = solve(arm, {"tip": targets}, start=start, solver=LM(max_iterations=budget))
            again = solve(arm, {"tip": targets}, start=s.pose, solver=LM(max_iterations=budget))
            assert np.all(again.error <= s.error + 1e-12 * length)


def test_a_rest_asks_the_same_however_the_world_is_turned():
    """Its wish is held to half a radian a ball, about whatever axis."""
    turn = supple.rotations.from_axis_angle((1.0, 2.0, 3.0), 1.1)
    snake = supple.chain([1, 1, 1, 1])
    root = snake.nodes[0]._replace(rotation=turn)
    turned = supple.Skeleton([root, *snake.nodes[1:]], snake.tips)
    bends = supple.rotations.from_axis_angle([(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, -1, 1)], 1.5)
    target = np.array([1.0, 2.0, 1.5])
    targets = (target, supple.rotations.rotate(turn, target))
    goals = [[supple.Reach("tip", t), supple.Rest()] for t in targets]
    a = solve(snake, goals[0], start=supple.Pose(snake, bends.ravel()))
    b = solve(turned, goals[1], start=supple.Pose(turned, bends.ravel()))
    assert a.reached
    assert a.iterations == b.iterations
    np.testing.assert_allclose(a.pose.coordinates, b.pose.coordinates, atol=1e-6)


def limited_arm(limits):
    return supple.chain([1] * len(limits), joint=[Hinge("z", limits=pair) for pair in limits])


@pytest.mark.parametrize("solver", ["LM", "auto"])
def test_just_out_of_reach_the_nearest_pose_is_found(solver):
    """From rest, the first descent ends curled up in a corner of the limits, 3.1 away."""
    arm = limited_arm([(-1.8485, 1.4561), (-2.3808, 2.3602), (-2.2821, -0.0697)])
    s = solve(arm, {"tip": (-1.3309, -3.0197, 0)}, solver=solver)
    assert s.status is Status.TOO_FAR
    assert s.error == pytest.approx(0.3147, abs=1e-3)
    assert s.pose.violations().max() == 0


def out_of_reach_problems(count):
    rng = np.random.default_rng(71)
    for k in range(count):
        if k % 2:
            limits = [(-rng.uniform(0.2, 2.8), rng.uniform(0.2, 2.8)) for _ in range(3)]
            arm = limited_arm(limits)
        else:
            pairs = [(-rng.uniform(0.2, 2), rng.uniform(0.2, 2)) for _ in range(3)]
            arm = supple.chain([1, 1, 1], joint=Axes("xyz", limits=pairs))
        direction = rng.normal(size=3) * (1, 1, k % 2 == 0)
        target = 3 * rng.uniform(1.02, 1.3) * direction / np.linalg.norm(direction)
        yield arm, target


def test_out_of_reach_no_other_solver_comes_clearly_nearer():
    """Planar arms of hinges and chains of three axes in random limits; a hundredth of the reach is clear."""
    farther = 0
    for arm, target in out_of_reach_problems(80):
        errors = [solve(arm, {"tip": target}, solver=s).error for s in ("auto", "CCD", "FABRIK")]
        farther += errors[0] > min(errors) + 0.03
    assert farther <= 1


def test_out_of_reach_it_stays_in_the_valley_of_the_last_answer():
    """Even in one from which, begun anew, a nearer one would be found."""
    arm = limited_arm([(-1.8485, 1.4561), (-2.3808, 2.3602), (-2.2821, -0.0697)])
    target = np.array((-1.3309, -3.0197, 0))
    corner = Pose(arm, [-1.8485, -2.3808, -2.2821])
    pose = solve(arm, {"tip": target}, start=corner).pose
    for turn in np.linspace(0, 0.1, 6):
        moved = target @ [
            [np.cos(turn), np.sin(turn), 0],
            [-np.sin(turn), np.cos(turn), 0],
            [0, 0, 1],
        ]
        s = solve(arm, {"tip": moved}, start=pose)
        assert s.pose.turns(pose).max() <= 10 * 0.02
        assert s.restarts == 0
        pose = s.pose


def test_out_of_reach_a_pose_as_near_as_the_bones_allow_needs_no_other_beginning():
    s = solve(supple.chain([9, 9, 9, 9, 4]), {"tip": (-30, 40, 5)})
    assert s.status is Status.TOO_FAR
    assert s.restarts == 0
