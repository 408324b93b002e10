"""FABRIK: free chains as published, limits that work, trees with sub-bases."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Cone, Hinge, Node, Reach, Skeleton, SuppleError, Tip
from supple.solvers.fabrik import FABRIK

TEN = supple.chain([1.0] * 10)


def solve(skeleton, goals, *, start=None, trace=False, lock=(), **options):
    goals = goals if isinstance(goals, (dict, list)) else {"tip": goals}
    return supple.solve(
        skeleton, goals, start=start, trace=trace, lock=lock, solver=FABRIK(**options)
    )


def random_joint(kind, rng):
    if kind == "hinge":
        low, high = np.radians(rng.uniform(30, 150, 2))
        return Hinge(tuple(rng.normal(size=3)), limits=(-low, high))
    if kind == "cone":
        low, high = np.radians(rng.uniform(10, 90, 2))
        return Cone(np.radians(rng.uniform(20, 90)), twist=(-low, high))
    if kind == "axes":
        return Axes("zyx", limits=[(-1, 1)] * 3)
    return Ball()


def random_pose(skeleton, count, rng):
    """Poses over the joints' whole ranges, inside their limits."""
    columns = []
    for joint in skeleton.joints:
        if isinstance(joint, Ball | Cone):
            q = rng.normal(size=(count, 4))
            columns.append(q / np.linalg.norm(q, axis=1, keepdims=True))
        else:
            pairs = joint.limit_rows
            columns += [rng.uniform(low, high, (count, 1)) for low, high in pairs]
    return supple.Pose(skeleton, np.concatenate(columns, axis=1)).clamped()


def body(joint):
    """A trunk of three joints that carries two arms and a head; `joint(n)` gives the n-th joint."""
    nodes = [
        Node("hip", None, (0, 0, 0), joint(0)),
        Node("spine", "hip", (0, 1, 0), joint(1)),
        Node("chest", "spine", (0, 1, 0), joint(2)),
        Node("neck", "chest", (0, 0.7, 0), joint(3)),
    ]
    tips = [Tip("head", "neck", (0, 0.5, 0))]
    for side, x in (("L", -1), ("R", 1)):
        nodes += [
            Node(f"{side} shoulder", "chest", (0.5 * x, 0.5, 0), joint(4)),
            Node(f"{side} elbow", f"{side} shoulder", (x, 0, 0), joint(5)),
        ]
        tips.append(Tip(f"{side} hand", f"{side} elbow", (x, 0, 0)))
    return Skeleton(nodes, tips)


# Free chains ----------------------------------------------------------------------------------


def test_free_chains_reach_in_few_iterations():
    """Table 1 of the paper: 15.5 iterations on average, 10 joints, targets in reach."""
    rng = np.random.default_rng(1)
    start = random_pose(TEN, 400, rng)
    targets = random_pose(TEN, 400, rng).position("tip")
    s = solve(TEN, targets, start=start)
    assert s.reached.all()
    assert s.iterations.mean() < 5.0


def test_a_target_out_of_reach_takes_one_iteration():
    rng = np.random.default_rng(2)
    target = np.array((3.0, -9.0, 11.0))
    s = solve(TEN, target, start=random_pose(TEN, 1, rng)[0])
    assert s.status == supple.Status.TOO_FAR
    assert s.iterations == 1
    size = np.linalg.norm(target)
    assert s.error == pytest.approx(size - 10.0)
    assert s.positions == pytest.approx(np.outer(np.arange(11), target / size), abs=1e-9)


def test_a_target_at_full_stretch_is_reached():
    s = solve(TEN, (-10.0, 0.0, 0.0))
    assert s.reached


def test_too_near_comes_as_near_as_it_can():
    s = solve(supple.chain([5, 1, 1]), (0.0, 1.0, 0.5))
    assert s.status == supple.Status.TOO_NEAR
    assert s.error == pytest.approx(3.0 - np.hypot(1.0, 0.5), abs=1e-3)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("joint", [Ball(), Hinge("z", limits=(-2.8, 2.8)), Cone(2.8)])
@pytest.mark.parametrize("target", [(1.5, 0, 0), (-1.2, 0, 0), (1, 0, 0), (0, 0, 0)])
def test_singular_starts_are_left(target, joint, size):
    """A straight chain with its target on its own line, on a joint, at the root."""
    skeleton = supple.chain(np.multiply([1.0, 1.0, 1.0], size), joint=joint)
    assert solve(skeleton, np.multiply(target, size)).reached


def test_bones_of_no_length():
    assert solve(supple.chain([1, 0, 1, 0, 0, 1, 0]), (1.0, 0.5, 1.0)).reached
    joints = [Cone(1.0), Hinge("y"), Cone(1.5), Hinge("z", limits=(-2, 2))]
    s = solve(supple.chain([1, 0, 1, 1], joint=joints), (1.5, 1.0, 0.3))
    assert s.reached
    s = solve(supple.chain([0, 0, 0]), (1.0, 2.0, 2.0))
    assert (s.status, s.error) == (supple.Status.TOO_FAR, 3.0)


def test_a_single_bone_turns_half_way_round():
    assert solve(supple.chain([1]), (-1.0, 0.0, 0.0)).reached


# Limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "percent"), [("free", 0.001), ("hinge", 1.0), ("cone", 1.0), ("axes", 1.0)]
)
def test_random_constrained_chains(kind, percent):
    """Mean error in % of chain length, each solve from the last answer, 50 iterations at most.

    As published, FABRIK leaves 0.001 with free joints, 22 with hinges and 5.3 with cones.
    """
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(10):
        lengths = rng.uniform(0.5, 1.5, rng.integers(4, 21))
        skeleton = supple.chain(lengths, joint=[random_joint(kind, rng) for _ in lengths])
        ik = supple.prepare(
            skeleton,
            [Reach("tip")],
            solver=FABRIK(max_iterations=50),
            tolerance=1e-6 * lengths.sum(),
        )
        pose = skeleton.rest
        for target in random_pose(skeleton, 15, rng).position("tip"):
            s = ik(target, start=pose)
            pose = s.pose
            assert s.iterations <= 50
            assert pose.violations().max() <= 1e-9
            errors.append(100.0 * s.error / lengths.sum())
    assert np.mean(errors) < percent
    assert np.median(errors) < 0.001


def test_a_ball_turns_its_elbow_into_the_plane():
    """Points alone do not see that the hinge needs a twist of the shoulder."""
    arm = supple.chain([1, 1], joint=[Ball(), Hinge("z", limits=(0.0, 2.8))])
    rng = np.random.default_rng(4)
    targets = random_pose(arm, 300, rng).position("tip")
    targets = targets[np.linalg.norm(targets, axis=1) < 1.98]
    assert solve(arm, targets).reached.mean() > 0.98


def test_hinges_beyond_half_a_turn():
    skeleton = supple.chain([1, 1], joint=Hinge("z", limits=(0, 4 * np.pi)))
    start = supple.Pose(skeleton, (2 * np.pi, 2 * np.pi))
    s = solve(skeleton, (1.2, 0.8, 0.0), start=start)
    assert s.reached
    assert (np.abs(s.pose.coordinates - 2 * np.pi) < np.pi).all()


def test_every_iteration_ends_inside_the_limits():
    rng = np.random.default_rng(5)
    joints = [random_joint(kind, rng) for kind in ("cone", "hinge", "axes", "cone", "hinge")]
    skeleton = supple.chain([1.0] * 5, joint=joints)
    s = solve(skeleton, (-3.0, 1.0, 2.0), trace=True)
    assert len(s.trace) > 3
    assert s.trace.poses.violations().max() <= 1e-9


def test_frozen_axes_keep_their_values():
    skeleton = supple.chain([1.0] * 4, joint=Axes("xyz", frozen="y"))
    start = supple.Pose(skeleton, np.tile((0.0, 0.3, 0.0), 4))
    s = solve(skeleton, (1.0, 1.0, 1.5), start=start)
    assert s.reached
    assert (s.pose.coordinates.reshape(4, 3)[:, 1] == 0.3).all()


def test_out_of_reach_under_limits_comes_as_near_as_possible():
    """FABRIK's own fixed point is not the nearest pose; the answer is."""
    flat = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-2.5, 2.5)))
    s = solve(flat, (1.0, 1.2, 0.5))
    assert s.error == pytest.approx(0.5, abs=1e-3)
    back = solve(flat, (-3.0, 0.0, 0.0))
    assert back.status == supple.Status.LIMITED
    tip = np.array((np.cos(2.5), np.sin(2.5), 0.0))
    assert back.error == pytest.approx(np.linalg.norm(tip + (3, 0, 0)) - 2.0, abs=1e-3)


def test_never_worse_than_the_start():
    rng = np.random.default_rng(6)
    skeleton = supple.chain([1.0] * 6, joint=[random_joint("hinge", rng) for _ in range(6)])
    start = random_pose(skeleton, 200, rng)
    targets = rng.normal(size=(200, 3)) * 4.0
    before = np.linalg.norm(start.position("tip") - targets, axis=-1)
    s = solve(skeleton, targets, start=start, max_iterations=3, restarts=0)
    assert (s.error <= before + 1e-12).all()
    assert (s.iterations <= 3).all()


# Trees ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("goals", [("L hand",), ("L hand", "R hand"), ("L hand", "R elbow")])
def test_sub_bases_serve_all_branches(goals):
    rng = np.random.default_rng(7)
    skeleton = body(lambda _: Ball())
    pose = random_pose(skeleton, 100, rng)
    s = solve(skeleton, {name: pose.position(name) for name in goals})
    assert s.reached.mean() > 0.98


def test_sub_bases_with_limits():
    rng = np.random.default_rng(8)
    axes = ("y", "y", "y", "y", "x", "x")
    skeleton = body(lambda n: Cone(1.0, twist=(-1, 1), axis=axes[n]))
    pose = random_pose(skeleton, 100, rng)
    s = solve(skeleton, {name: pose.position(name) for name in ("L hand", "R hand")})
    assert s.reached.mean() > 0.8
    assert s.pose.violations().max() <= 1e-9
    assert s.error.mean() < 0.01


def test_weights_divide_what_cannot_be_had():
    """Two tips on one joint that want to be three times as far apart as they are."""
    skeleton = Skeleton(
        [Node("a", None, (0, 0, 0), Ball()), Node("b", "a", (5, 0, 0), Ball())],
        [Tip("up", "b", (1, 1, 0)), Tip("down", "b", (1, -1, 0))],
    )
    wanted = {"up": (5, 3, 0), "down": (5, -3, 0)}
    even = solve(skeleton, [Reach(n, p) for n, p in wanted.items()])
    assert even.errors[0] == pytest.approx(even.errors[1], rel=0.05)
    heavy = [Reach("up", wanted["up"], weight=100), Reach("down", wanted["down"])]
    s = solve(skeleton, heavy)
    assert s.errors[0] < 0.1 * s.errors[1]


def test_the_order_of_goals_does_not_matter():
    skeleton = body(lambda _: Ball())
    a, b = Reach("L hand", (-1.0, 2.0, 1.0)), Reach("R hand", (1.5, 2.0, 0.5))
    one, other = solve(skeleton, [a, b]), solve(skeleton, [b, a])
    assert one.reached
    assert np.allclose(one.positions, other.positions, atol=1e-6)


# Damping, stiffness, locks --------------------------------------------------------------------


@pytest.mark.parametrize("joint", [Ball(), Hinge("z"), Cone(1.0), Axes("zy")])
def test_damping_caps_every_iteration(joint):
    skeleton = supple.chain([1.0] * 5, joint=joint)
    s = solve(skeleton, (1.0, 3.0, 0.0), damping=0.1, restarts=0, trace=True)
    poses = s.trace.poses
    steps = np.array([poses[i + 1].turns(poses[i]).max() for i in range(len(poses) - 1)])
    bound = 0.1 * (np.sqrt(2.0) if isinstance(joint, Axes) else 1.0)
    assert len(steps) > 5
    assert steps.max() <= bound + 1e-9
    assert s.error < 1.0


def test_a_damped_chain_lies_down_towards_what_is_too_far():
    s = solve(TEN, (0.0, 15.0, 0.0), damping=0.2)
    assert s.iterations > 5
    assert s.error == pytest.approx(5.0, abs=1e-2)


def test_stiff_joints_turn_less():
    soft = solve(TEN, (3.0, 6.0, 0.0))
    stiff = supple.chain([1.0] * 10, joint=[Ball(stiffness=0.9), *[Ball()] * 9])
    s = solve(stiff, (3.0, 6.0, 0.0))
    assert s.reached
    assert s.pose.turns(stiff.rest)[0] < 0.7 * soft.pose.turns(TEN.rest)[0]


def test_locked_joints_stay():
    s = solve(TEN, (4.0, 4.0, 2.0), lock=["j2", "j7"])
    assert s.reached
    assert s.pose.turns(TEN.rest)[[2, 7]] == pytest.approx(0.0)


# What it shows --------------------------------------------------------------------------------


def test_the_trace_is_the_textbook_construction():
    """Backward from the target, then forward from the root, every bone at its length."""
    skeleton = supple.chain([1.0, 2.0, 1.5])
    target = (1.0, 2.5, 0.5)
    s = solve(skeleton, target, trace=True)
    assert len(s.trace) == s.iterations + 1
    first = [step for step in s.trace.steps if step.iteration == 1 and step.placed]
    assert [step.joint for step in first] == ["", "j2", "j1", "j0", "j0", "j1", "j2", ""]
    points = np.array([step.change for step in first])
    assert points[0] == pytest.approx(target)
    assert np.linalg.norm(np.diff(points[:4], axis=0), axis=1) == pytest.approx([1.5, 2.0, 1.0])
    assert points[4] == pytest.approx((0.0, 0.0, 0.0))
    assert np.linalg.norm(np.diff(points[4:], axis=0), axis=1) == pytest.approx([1.0, 2.0, 1.5])
    assert points[4:] == pytest.approx(s.trace.poses[1].positions)


def test_each_point_is_on_the_line_from_its_neighbour_to_its_old_place():
    """Eqs. of algorithm 1: p_i = (1 - r) p_(i+1) + r p_i."""
    skeleton = supple.chain([1.0, 2.0, 1.5])
    rng = np.random.default_rng(9)
    start = random_pose(skeleton, 1, rng)[0]
    s = solve(skeleton, (1.0, 2.5, 0.5), start=start, trace=True)
    points = [step.change for step in s.trace.steps if step.placed][:4][::-1]
    old = start.positions
    for i in (2, 1, 0):
        there, way = points[i + 1], old[i] - points[i + 1]
        length = np.linalg.norm(old[i + 1] - old[i])
        assert points[i] == pytest.approx(there + length * way / np.linalg.norm(way))


def test_walking_the_trace_ends_at_every_pose():
    rng = np.random.default_rng(10)
    skeleton = supple.chain([1.0] * 5, joint=[random_joint("hinge", rng) for _ in range(5)])
    target = random_pose(skeleton, 1, rng).position("tip")[0]
    s = solve(skeleton, target, trace=True)
    last = {}
    for step, pose in s.trace.walk():
        last[step.iteration] = pose
    for iteration, pose in last.items():
        assert np.allclose(pose.positions, s.trace.poses[iteration].positions)


def test_what_it_cannot_take_is_refused():
    with pytest.raises(SuppleError, match="Slider"):
        solve(supple.chain([1, 1], joint=supple.Slider("x")), (1.0, 0.0, 0.0))
    with pytest.raises(SuppleError, match="orientation"):
        solve(TEN, [Reach("tip", (1, 1, 1), orientation=(1, 0, 0, 0))])
    for options in ({"damping": 0.0}, {"damping": "a"}, {"restarts": -1}, {"restarts": 1.5}):
        with pytest.raises(SuppleError, match=next(iter(options))):
            FABRIK(**options)
