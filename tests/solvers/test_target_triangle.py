"""Target Triangle: one pass from base to tip, with limits planned ahead."""

import numpy as np
import pytest

import supple
from supple import SuppleError
from supple.solvers.target_triangle import TargetTriangle

LENGTHS = (9, 9, 9, 9, 4)
FREE = supple.chain(LENGTHS)
LIMITED = supple.chain(
    LENGTHS,
    joint=[
        supple.Ball(),
        supple.Cone(np.radians(120)),
        supple.Cone(np.radians(90)),
        supple.Ball(),
        supple.Ball(),
    ],
)


def planar(*limits):
    """The chain with hinges about z; limits in degrees to both sides, None for none."""
    pairs = [None if x is None else (-np.radians(x), np.radians(x)) for x in limits]
    return supple.chain(LENGTHS, joint=[supple.Hinge("z", limits=p) for p in pairs])


def in_ball(count, rng, radius=1.0):
    """Points spread evenly over a ball."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points * radius * rng.random((count, 1)) ** (1 / 3)


def bent(skeleton, count, rng):
    """Random poses of a chain of balls and cones, inside their limits."""
    q = rng.normal(size=(count, len(skeleton.joints), 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return supple.Pose(skeleton, q.reshape(count, -1)).clamped()


def solve(skeleton, target, **more):
    return supple.solve(skeleton, {"tip": target}, solver=TargetTriangle(), **more)


@pytest.mark.parametrize("start", ["straight", "bent"])
def test_a_free_chain_reaches_everything_in_one_pass(start):
    rng = np.random.default_rng(1)
    targets = in_ball(4000, rng, 40.0)
    pose = bent(FREE, 4000, rng) if start == "bent" else None
    s = solve(FREE, targets, start=pose)
    assert s.reached.all()
    assert s.error.max() < 1e-11
    assert s.iterations.max() == 1


def test_any_lengths_reach_all_that_is_in_reach():
    rng = np.random.default_rng(2)
    for _ in range(40):
        lengths = rng.random(rng.integers(1, 10)) ** rng.integers(1, 6)
        lengths[rng.random(len(lengths)) < 0.2] = 0.0
        lengths[-1] += 0.1
        far = lengths.sum()
        near = max(0.0, 2.0 * lengths.max() - far)
        targets = in_ball(100, rng)
        targets *= rng.uniform(near, far, (100, 1)) / np.linalg.norm(targets, axis=1, keepdims=True)
        skeleton = supple.chain(lengths)
        s = solve(skeleton, targets, start=bent(skeleton, 100, rng))
        assert s.reached.all(), lengths


def test_links_behind_the_second_stay_straight():
    s = solve(FREE, (15.0, 20.0, 5.0))
    turns = s.pose.turns(FREE.rest)
    assert s.reached
    assert (turns[:2] > 0.1).all()
    assert turns[2:] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("start", ["straight", "bent"])
def test_limits_of_120_and_90_degrees_miss_nothing(start):
    rng = np.random.default_rng(3)
    targets = in_ball(3000, rng, 40.0)
    pose = bent(LIMITED, 3000, rng) if start == "bent" else None
    s = solve(LIMITED, targets, start=pose)
    assert s.reached.mean() >= 0.999
    assert s.pose.violations().max() <= 1e-9
    assert 1.0 < s.iterations.mean() < 8.0


def test_planar_hinges_with_the_same_limits():
    rng = np.random.default_rng(4)
    skeleton = planar(None, 120, 90, None, None)
    targets = in_ball(1000, rng, 40.0) * (1.0, 1.0, 0.0)
    s = solve(skeleton, targets)
    assert s.reached.mean() >= 0.999
    assert s.pose.violations().max() <= 1e-9
    plain = solve(planar(None, None, None, None, None), targets)
    assert plain.reached.all()
    assert plain.iterations.max() == 1


def test_a_target_off_the_plane_is_approached():
    s = solve(planar(None, None, None, None, None), (10.0, 12.0, 5.0))
    assert not s.reached
    assert s.error == pytest.approx(5.0)
    assert np.allclose(s.position("tip"), (10.0, 12.0, 0.0))


def test_hinges_know_their_turns():
    """A hinge with limits beyond half a turn goes on from where it is."""
    skeleton = supple.chain([1, 1], joint=supple.Hinge("z", limits=(0, 4 * np.pi)))
    start = supple.Pose(skeleton, (2 * np.pi, 2 * np.pi))
    s = solve(skeleton, (1.2, 0.8, 0.0), start=start)
    assert s.reached
    assert (np.abs(s.pose.coordinates - 2 * np.pi) < np.pi).all()


def test_every_joint_turns_at_most_once():
    s = solve(FREE, (10.0, -12.0, 8.0), trace=True)
    joints = [step.joint for step in s.trace.steps]
    assert len(joints) == len(set(joints)) <= 5
    assert len(s.trace) == 2
    *_, (_, last) = s.trace.walk()
    assert np.allclose(last.positions, s.positions)


def test_planning_passes_are_iterations():
    s = solve(LIMITED, (3.0, 2.0, 0.0), trace=True)
    assert s.reached
    assert s.iterations > 1
    assert len(s.trace) == s.iterations + 1
    assert np.allclose(s.trace.coordinates[-1], s.pose.coordinates)
    for number in range(1, s.iterations + 1):
        joints = [step.joint for step in s.trace.steps if step.iteration == number]
        assert len(joints) == len(set(joints))
    assert (s.trace.poses.violations() <= 1e-9).all()


def test_the_budget_counts_planning_passes():
    target = (3.0, 2.0, 0.0)
    s = supple.solve(LIMITED, {"tip": target}, solver=TargetTriangle(max_iterations=2))
    assert s.iterations == 2
    assert s.status == supple.Status.BUDGET


def test_the_twist_of_a_cone_is_left_alone():
    twist = 0.7
    skeleton = supple.chain([1, 1, 1], joint=supple.Cone(1.5, twist=(-1, 1)))
    turn = supple.rotations.from_axis_angle("x", twist)
    start = supple.Pose(skeleton, np.tile(turn, 3))
    s = solve(skeleton, (1.8, 0.9, 0.6), start=start)
    assert s.reached
    for q in s.pose.coordinates.reshape(3, 4):
        _, about = supple.rotations.swing_twist(q, "x")
        assert 2 * np.arctan2(about[1], about[0]) == pytest.approx(twist)


def test_a_held_link_leans_on_its_rim():
    """The first link should point away from a target so near; the rest makes up for it."""
    joints = [supple.Cone(0.5), *[supple.Ball()] * 3]
    skeleton = supple.chain([1, 1, 1, 1], joint=joints)
    s = solve(skeleton, (0.8, 0.3, 0.0))
    assert s.reached
    assert s.iterations == 1
    link = s.position("j1") - s.position("j0")
    assert link == pytest.approx((np.cos(0.5), -np.sin(0.5), 0.0))


@pytest.mark.parametrize(
    ("lengths", "target", "error"),
    [
        ([1, 1, 1], (1.5, 0, 0), 0.0),  # on the chain's own line
        ([1, 1, 1], (-1.5, 0, 0), 0.0),
        ([1, 1, 1], (-3, 0, 0), 0.0),  # straight back, as far as it goes
        ([1, 1, 1], (1, 0, 0), 0.0),  # on a joint
        ([1, 1, 1], (0, 0, 0), 0.0),  # at the root
        ([2, 1], (0, 0, 0), 1.0),
        ([1], (-1, 0, 0), 0.0),
        ([1, 0, 1, 0], (0.5, 0.5, 0), 0.0),
        ([0, 0], (3, 4, 0), 5.0),
        ([1, 2, 3], (0, 0, 10), 4.0),  # too far
        ([5, 1, 1], (0, 1, 0), 2.0),  # too near, the long link first,
        ([1, 5, 1], (0, 1, 0), 2.0),  # in the middle
        ([1, 1, 5], (0, 1, 0), 2.0),  # and last
    ],
)
def test_what_is_in_line_or_out_of_reach(lengths, target, error):
    for size in (1e-6, 1.0, 1e6):
        skeleton = supple.chain(np.multiply(lengths, size))
        s = solve(skeleton, np.multiply(target, size))
        assert np.isfinite(s.pose.coordinates).all()
        assert s.error == pytest.approx(error * size, abs=1e-9 * size)
        assert s.iterations <= 1


def test_what_limits_put_out_of_reach_comes_near():
    skeleton = supple.chain([1, 1, 1], joint=supple.Cone(0.5))
    s = solve(skeleton, (-1.0, 1.0, 0.0))
    assert s.status == supple.Status.LIMITED
    assert s.pose.violations().max() <= 1e-9
    assert s.error == pytest.approx(supple.solve(skeleton, {"tip": (-1, 1, 0)}).error, rel=0.02)


def test_never_worse_than_the_start():
    rng = np.random.default_rng(5)
    skeleton = supple.chain([1] * 6, joint=supple.Cone(0.6, twist=(-0.5, 0.5)))
    start = bent(skeleton, 300, rng)
    targets = in_ball(300, rng, 8.0)
    before = np.linalg.norm(start.position("tip") - targets, axis=-1)
    s = solve(skeleton, targets, start=start)
    assert (s.error <= before + 1e-12).all()
    assert s.pose.violations().max() <= 1e-9


def test_damped_links_are_on_their_way():
    skeleton = supple.chain([1, 1], joint=supple.Ball(damping=0.1))
    s = solve(skeleton, (0.0, 1.5, 0.0))
    assert s.status == supple.Status.BUDGET
    assert s.pose.turns(skeleton.rest).max() <= 0.1 + 1e-12


def test_locked_joints_stay():
    s = solve(FREE, (10.0, 10.0, 10.0), lock=["j1", "j3"])
    assert s.reached
    assert s.pose.turns(FREE.rest)[[1, 3]] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("skeleton", "what"),
    [
        (supple.chain([1, 1], joint=[supple.Ball(), supple.Hinge("z")]), "together with other"),
        (supple.chain([1, 1], joint=[supple.Hinge("z"), supple.Hinge("y")]), "one plane"),
        (supple.chain([1, 1], joint=supple.Hinge("x")), "one plane"),
        (supple.chain([1, 1], joint=supple.Cone(1.0, axis="y")), "along its link"),
        (supple.chain([1, 1], joint=supple.Axes("xyz")), "Axes"),
    ],
)
def test_chains_it_cannot_take_are_refused(skeleton, what):
    with pytest.raises(SuppleError, match=what):
        solve(skeleton, (1.0, 0.5, 0.0))


def test_opposite_hinges_are_parallel_too():
    skeleton = supple.chain([1, 1, 1], joint=[supple.Hinge(a) for a in ("z", "-z", "z")])
    s = solve(skeleton, (0.5, -1.2, 0.0))
    assert s.reached
    assert s.iterations == 1


def test_a_flat_chain_stays_flat():
    """Also where a link comes to lie in one line with its target on the way."""
    s = solve(supple.chain([9, 9, 9, 9, 4]), (-5.0, 14.0, 0.0))
    assert s.reached
    assert np.abs(s.positions[:, 2]).max() < 1e-9
