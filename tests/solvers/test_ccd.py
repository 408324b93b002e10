import numpy as np
import pytest
from tests.support import random_chains

import supple
from supple import (
    Axes,
    Ball,
    Cone,
    Free,
    Hinge,
    Mimic,
    Node,
    Planar,
    Pose,
    Reach,
    Skeleton,
    Slider,
    Status,
    SuppleError,
    Tip,
    rotations,
)
from supple.solvers.ccd import CCD

PLAIN = CCD(accelerate=False, restarts=0)
SNAKE = supple.chain([9, 9, 9, 9, 4])


def in_ball(count, radius, seed=0):
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * radius * rng.random((count, 1)) ** (1 / 3)


def unit_quaternions(count, seed):
    q = np.random.default_rng(seed).normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def poses(skeleton, count, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    angles = rng.normal(size=(count, len(skeleton.freedoms))) * size
    return Pose.from_angles(skeleton, angles).clamped()


def test_plain_sweeps_reach_what_plain_ccd_reaches():
    s = supple.solve(SNAKE, {"tip": in_ball(1000, 40)}, solver=PLAIN)
    assert 0.78 < s.reached.mean() < 0.88
    assert np.all(s.restarts == 0)


def test_accelerated_sweeps_reach_the_whole_ball():
    targets = in_ball(1000, 40)
    s = supple.solve(SNAKE, {"tip": targets}, solver=CCD())
    assert s.reached.mean() > 0.995
    assert np.linalg.norm(s.pose.position("tip") - targets, axis=1).max() < 0.1
    assert s.iterations.mean() < 15


@pytest.mark.parametrize("order", ["tip-to-root", "root-to-tip"])
@pytest.mark.parametrize(
    "joint",
    [
        Ball(),
        Hinge("z", limits=(-2, 2)),
        Cone(1.2, twist=(-0.5, 0.5)),
        Axes("zyx", limits=[(-2, 2), (-1, 1), None]),
    ],
    ids=lambda j: type(j).__name__,
)
def test_reaches_with_every_turning_joint_in_both_orders(joint, order):
    skeleton = supple.chain([1, 0.8, 0.7, 0.5, 0.3], joint=joint)
    targets = poses(skeleton, 60, seed=1).position("tip")
    s = supple.solve(skeleton, {"tip": targets}, solver=CCD(order=order))
    assert s.reached.mean() > 0.97
    assert np.allclose(s.pose.position("tip")[s.reached], targets[s.reached], atol=4e-4)
    assert s.pose.violations().max() <= 1e-9


@pytest.mark.parametrize(
    "joint",
    [Slider("x", limits=(-0.5, 0.5)), Planar("z"), Free(), Ball(stretch=(0.5, 1.5))],
    ids=lambda j: type(j).__name__ + ("-stretch" if j.stretch else ""),
)
def test_slides_and_stretches(joint):
    # The target is out of reach of the balls alone.
    skeleton = supple.chain([1, 1, 1], joint=[Ball(), joint, Ball()])
    s = supple.solve(skeleton, {"tip": (0.5, 3.05, 0)}, solver=CCD())
    assert s.reached
    assert np.allclose(s.position("tip"), (0.5, 3.05, 0), atol=3e-4)
    assert s.pose.violations().max() <= 1e-9


@pytest.mark.parametrize(
    "joint, least",
    [
        (Ball(), 0.98),
        (Cone(1.2, twist=(-0.5, 0.5)), 0.9),
        (Axes("zyx", limits=[(-2, 2), (-1, 1), (-2, 2)]), 0.85),
    ],
    ids=["Ball", "Cone", "Axes"],
)
def test_meets_position_and_orientation(joint, least):
    skeleton = supple.chain([1, 1, 1, 1, 0.5], joint=joint)
    wanted = poses(skeleton, 60, seed=2)
    goal = Reach("tip", wanted.position("tip"), orientation=wanted.rotation("tip"))
    s = supple.solve(skeleton, [goal], solver=CCD())
    assert s.reached.mean() > least
    near = rotations.angle_between(s.pose.rotation("tip"), wanted.rotation("tip"))
    assert near[s.reached].max() <= 1.001e-4
    assert s.pose.violations().max() <= 1e-9


def test_turns_to_an_orientation_in_one_sweep():
    turns = unit_quaternions(40, 3)
    s = supple.solve(SNAKE, [Reach("tip", orientation=turns)], solver=PLAIN)
    assert np.all(s.reached) and np.all(s.iterations == 1)


@pytest.mark.parametrize("limits", [(-0.5, 0.7), (5.5, 9.0), (-13.0, -6.6), (2.0, 11.0), None])
def test_a_hinge_takes_its_best_place_inside_limits_at_any_turn(limits):
    skeleton = supple.chain([1], joint=Hinge("z", limits=limits))
    low, high = limits or (-12.0, 12.0)
    rng = np.random.default_rng(4)
    starts, ways = rng.uniform(low, high, 40), rng.uniform(-np.pi, np.pi, 40)
    targets = np.stack([2 * np.cos(ways), 2 * np.sin(ways), 0 * ways], axis=1)
    s = supple.solve(
        skeleton, {"tip": targets}, start=Pose(skeleton, starts[:, None]), solver=PLAIN
    )
    found = s.pose.coordinates[:, 0]
    if limits:
        assert np.all((found >= low) & (found <= high))
    else:
        low, high = low - np.pi, high + np.pi
    grid = np.linspace(low, high, 20001)
    best = np.cos(grid[None] - ways[:, None]).max(axis=1)
    assert np.all(np.cos(found - ways) >= best - 1e-9)
    # Of the places that are as good, the nearest to the start.
    places = np.where(np.cos(grid[None] - ways[:, None]) > best[:, None] - 1e-6, grid, np.inf)
    assert np.all(np.abs(found - starts) <= np.abs(places - starts[:, None]).min(axis=1) + 2e-3)


@pytest.mark.parametrize("facing", [False, True], ids=["position", "pose"])
def test_a_cone_takes_its_best_place_inside_limits(facing):
    """A position: the best of all places. With an orientation it creeps along the rim to its best
    place, and may stop within half a percent of it."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        low, high = np.sort(rng.uniform(-3, 3, 2))
        cone = Cone(rng.uniform(0.1, 2.5), twist=(low, high), axis=tuple(rng.normal(size=3)))
        tip = rng.normal(size=3)
        skeleton = Skeleton([Node("a", None, (0, 0, 0), cone)], [Tip("tip", "a", tuple(tip))])
        target, turn = rng.normal(size=3), unit_quaternions(1, 6)[0]
        goal = Reach("tip", target, orientation=turn if facing else None)
        s = supple.solve(skeleton, [goal], solver=PLAIN)

        size = np.linalg.norm(tip)

        def cost(pose, target=target, turn=turn, size=size):
            far = np.linalg.norm(pose.position("tip") - target, axis=-1) / size
            off = rotations.angle_between(pose.rotation("tip"), turn) if facing else 0.0
            return far**2 + (0.4 * off) ** 2

        q = rng.normal(size=(5000, 4))
        if facing:
            q = s.pose.coordinates + 0.02 * q
        others = Pose(skeleton, q / np.linalg.norm(q, axis=1, keepdims=True)).clamped()
        assert cost(s.pose) <= (1.005 if facing else 1.0) * cost(others).min() + 1e-4
        assert s.pose.violations().max() <= 1e-9


def test_no_sweep_moves_away_and_limits_hold_all_the_way():
    joints = [Ball(), Cone(0.7, twist=(-0.3, 0.3)), Hinge("y", limits=(-1, 1)), Axes("zx"), Ball()]
    skeleton = supple.chain([1, 1, 1, 1, 1], joint=joints)
    for target in in_ball(10, 5.5, seed=7):
        trace = supple.solve(skeleton, {"tip": target}, solver=PLAIN, trace=True).trace
        assert np.all(np.diff(trace.errors) <= 1e-12)
        assert trace.poses.violations().max() <= 1e-9


def test_the_steps_of_a_trace_lead_from_pose_to_pose():
    skeleton = supple.chain([9, 9, 9, 9, 4], joint=Hinge("z", limits=(-0.7, 0.7)))
    s = supple.solve(skeleton, {"tip": (5, 3, 0)}, solver=CCD(max_iterations=60), trace=True)
    assert s.restarts > 0  # its jumps are steps too
    last = {}
    for step, pose in s.trace.walk():
        last[step.iteration] = pose.coordinates
    assert len(last) >= s.iterations
    for iteration in range(1, s.iterations + 1):
        assert np.allclose(last[iteration], s.trace.coordinates[iteration], atol=1e-9)


@pytest.mark.parametrize("accelerate", [True, False])
def test_damping_caps_every_joint_in_every_sweep(accelerate):
    solver = CCD(damping=0.1, accelerate=accelerate, restarts=0)
    s = supple.solve(SNAKE, {"tip": (3, 20, 5)}, solver=solver, trace=True)
    trace = s.trace
    for before, after in zip(trace.poses[:-1], trace.poses[1:], strict=True):
        assert after.turns(before).max() <= 0.1 + 1e-9
    free = supple.solve(SNAKE, {"tip": (3, 20, 5)}, solver=PLAIN, trace=True)
    assert free.trace.poses[1].turns(free.trace.poses[0]).max() > 0.1


def test_a_joints_own_damping_and_stiffness_slow_it_alone():
    joints = [Ball(), Ball(damping=0.05), Ball(stiffness=0.9), Ball()]
    skeleton = supple.chain([1, 1, 1, 1], joint=joints)
    trace = supple.solve(skeleton, {"tip": (0.5, 2, 1)}, solver=PLAIN, trace=True).trace
    first = trace.poses[1].turns(trace.poses[0])
    assert first[1] <= 0.05 + 1e-9
    assert first[2] < 0.3 < first[3]


@pytest.mark.parametrize("part", [-1.0, -0.5, 0.0, 0.3, 0.95, 0.99])
@pytest.mark.parametrize("joint", [Ball(), Hinge("z"), Cone(2.5)], ids=lambda j: type(j).__name__)
def test_a_straight_chain_leaves_its_line(joint, part):
    if isinstance(joint, Cone) and part == -1.0:
        part = -0.7  # farther back it cannot reach
    skeleton = supple.chain([9, 9, 9, 9, 4], joint=joint)
    s = supple.solve(skeleton, {"tip": (39.6 * part, 0, 0)}, solver=CCD())
    assert s.reached
    again = supple.solve(skeleton, {"tip": (39.6 * part, 0, 0)}, solver=CCD())
    assert np.array_equal(s.pose.coordinates, again.pose.coordinates)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_the_unit_of_length_does_not_matter(size):
    skeleton = supple.chain([9 * size, 9 * size, 9 * size, 9 * size, 4 * size])
    targets = in_ball(50, 38)
    plain = supple.solve(SNAKE, {"tip": targets}, solver=CCD(max_iterations=20))
    scaled = supple.solve(skeleton, {"tip": targets * size}, solver=CCD(max_iterations=20))
    assert np.array_equal(plain.reached, scaled.reached)
    assert np.allclose(scaled.pose.position("tip") / size, plain.pose.position("tip"), atol=1e-2)


def test_bones_without_length_and_targets_on_joints_are_harmless():
    skeleton = supple.chain([0, 1, 0, 1, 0], joint=[Ball(), Hinge("z"), Cone(1), Ball(), Ball()])
    for target in [(0, 0, 0), (1, 0, 0), (2, 0, 0), (1e-300, 0, 0), (1, 1, 0)]:
        s = supple.solve(skeleton, {"tip": target}, solver=CCD())
        assert s.reached
        assert np.all(np.isfinite(s.pose.coordinates))


def test_out_of_reach_it_stretches_towards_the_target_and_stays_calm():
    skeleton = supple.chain([1] * 10)
    ik = supple.prepare(skeleton, [Reach("tip")], solver=CCD())
    pose = None
    for i in range(40):
        angle = 0.01 * i
        s = ik((11 * np.cos(angle), 11 * np.sin(angle), 0), start=pose)
        assert s.status is Status.TOO_FAR and s.error < 1.0 + 1e-4
        if i > 0:
            assert s.pose.turns(pose).max() <= 0.1
        pose = s.pose


def test_limits_in_the_way_are_named_and_the_answer_is_no_worse_than_the_start():
    skeleton = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-0.2, 0.2)))
    s = supple.solve(skeleton, {"tip": (-2, 0, 0)}, solver=CCD())
    assert s.status is Status.LIMITED and s.limited
    assert s.error <= 5.0


def test_random_constrained_chains_are_met_as_well_as_published():
    """A small form of `benchmarks/chains.py constrained`: mean error in % of length, 50 sweeps a target."""
    published = {"free": 0.004, "hinge": 0.240, "cone": 0.305, "mixed": 0.353}
    for group, bar in published.items():
        errors = random_chains.run(group, CCD(max_iterations=50), chains=15, targets=15)
        assert errors.mean() <= bar


def test_what_it_cannot_take_is_said():
    with pytest.raises(SuppleError, match="several goals"):
        supple.solve(SNAKE, {"tip": (1, 2, 3), "j3": (1, 2, 0)}, solver=CCD())
    copy = Hinge("z", mimic=Mimic("j0"))
    skeleton = supple.chain([1, 1], joint=[Hinge("z"), copy])
    with pytest.raises(SuppleError, match="mimic"):
        supple.solve(skeleton, {"tip": (1, 1, 0)}, solver=CCD())


@pytest.mark.parametrize(
    "options, words",
    [
        ({"damping": 0.0}, "damping"),
        ({"damping": -1.0}, "damping"),
        ({"order": "tip to root"}, "tip-to-root"),
        ({"restarts": -1}, "restarts"),
        ({"restarts": 1.5}, "restarts"),
        ({"max_iterations": -1}, "max_iterations"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(SuppleError, match=words):
        CCD(**options)
