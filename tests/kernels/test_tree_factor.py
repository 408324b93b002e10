"""Steps on the tree against NumPy's dense solves, and against the dense path, on random trees."""

import numpy as np
import pytest

import supple
from supple import (
    LM,
    Ball,
    Cone,
    Connect,
    Free,
    Hinge,
    Hold,
    Jacobian,
    LookAt,
    Pose,
    Reach,
    Rest,
    Skeleton,
    Slider,
    rotations,
)
from supple.goals.span import Span
from supple.kernels import layout as at
from supple.problem import lowering, tree
from supple.problem.lowering import Problem
from supple.solvers import own

SAME = 1e-9  # how far steps of the two ways may differ, at the damping that solves use


@pytest.fixture
def either(monkeypatch):
    """A function that solves densely and on the tree and gives both answers."""

    def solve_both(skeleton, goals, solver, **given):
        answers = []
        for use in (False, True):
            monkeypatch.setattr(lowering, "DENSE_ROWS", 0)
            monkeypatch.setattr(lowering, "is_worth_a_tree", lambda *_, use=use: use)
            prepared = supple.prepare(skeleton, goals, solver=solver, free_root=True)
            assert prepared.executor.packed[0][at.H_TREE] == int(use)
            answers.append(prepared(**given))
        return answers

    return solve_both


def joints(rng, *, stretch=True):
    """A joint of some kind, some with limits, stiffness or a stretch."""
    stretched = {"stretch": (0.5, 2.0)} if stretch and rng.random() < 0.4 else {}
    return [
        lambda: Hinge(tuple(rng.normal(size=3)), limits=(-0.3, 0.3), **stretched),
        lambda: Ball(stiffness=0.5, **stretched),
        lambda: Ball(**stretched),
        lambda: Cone(0.4, axis="x"),
        lambda: Slider(tuple(rng.normal(size=3)), limits=(-0.2, 0.2)),
    ][rng.integers(5)]()


def random_tree(rng, branches=4, depth=3):
    """A free root with branches of random joints, the last of which branches again."""
    nodes, tips = [("root", None, tuple(rng.normal(size=3)), Free())], []
    for b in range(branches):
        above = "root" if b < branches - 1 else f"j{b - 1}_1"
        for k in range(depth):
            nodes.append((f"j{b}_{k}", above, tuple(rng.normal(size=3)), joints(rng)))
            above = f"j{b}_{k}"
        tips.append((f"tip{b}", above, tuple(rng.normal(size=3))))
    return Skeleton(nodes, tips)


def bent(skeleton, rng, size=0.2):
    """A pose near rest."""
    return Pose.from_angles(skeleton, size * rng.normal(size=len(skeleton.freedoms)))


def mixed_goals(skeleton, rng, *, far=0.1):
    """Goals of all kinds with one end, about so far from what a pose inside the limits does."""
    there = bent(skeleton, rng).clamped()
    goals = [Hold("j0_0")]
    for n, tip in enumerate(skeleton.tip_names):
        place = there.position(tip) + far * rng.normal(size=3)
        if n % 3 == 0:
            goals.append(Reach(tip, place))
        elif n % 3 == 1:
            goals.append(Reach(tip, place, orientation=there.rotation(tip), weight=0.7))
        else:
            ahead = rotations.rotate(there.rotation(tip), (2.0, 0.0, 0.0))
            goals.append(LookAt(tip, place + ahead))
    return goals


def linearized(skeleton, goals, start):
    """The Jacobian (R, D), bounds (D, 2), residual (R,), weights (D,) at a start, and the step function."""
    problem = Problem(skeleton, goals, free_root=True)
    targets = problem.default_targets.copy()
    for block in problem.blocks:
        if block.target_floats:
            targets[block.offset : block.offset + len(block.target)] = block.target
    packed, none, size = problem.pack(()), np.zeros((0, 1)), np.zeros(1)
    own.measure(*packed, size, none)
    arrays = (*packed, np.zeros(int(size[0])), none)
    q, rows = np.zeros(problem.coordinates), np.zeros(problem.rows)
    offsets, starts = problem.offsets(start)[None], start.coordinates[None].copy()
    own.open_problem(*arrays, offsets, starts, targets[None], 0, q)
    own.evaluate_pose(*arrays, q, rows)
    columns, bounds = np.zeros((problem.freedoms, problem.rows)), np.zeros((problem.freedoms, 2))
    own.linearize_pose(*arrays, columns, bounds)

    def moved(delta):
        after = np.zeros_like(q)
        own.step_pose(*arrays, np.clip(delta, bounds[:, 0], bounds[:, 1]), after)
        return after

    return columns.T, bounds, rows, packed[1][-problem.freedoms :], moved


def damped(jacobian, rows, weights, damping):
    """The step that minimises |J delta - rows|^2 + damping * sum(delta^2 / weights)."""
    root = np.sqrt(weights)
    j = jacobian * root
    return root * np.linalg.solve(j.T @ j + damping * np.eye(len(root)), j.T @ rows)


def without_pushed(step, bounds, weights):
    """A step found again without the freedoms that it pushes out of bounds they stand at."""
    weights = weights.copy()
    for _ in range(8):
        delta = step(weights)
        pushed = ((delta > 0) & (bounds[:, 1] <= 1e-12)) | ((delta < 0) & (bounds[:, 0] >= -1e-12))
        if not pushed.any():
            break
        weights[pushed] = 0.0
        delta[pushed] = 0.0
    return delta


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["dls", "transpose", "pinv"])
def test_a_step_is_that_of_numpy(seed, method, monkeypatch):
    monkeypatch.setattr(lowering, "DENSE_ROWS", 0)
    monkeypatch.setattr(lowering, "is_worth_a_tree", lambda *_: True)
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng)
    start, goals = bent(skeleton, rng, 0.05), mixed_goals(skeleton, rng, far=0.01)
    jacobian, bounds, rows, weights, moved = linearized(skeleton, goals, start)

    def step(weights):
        if method == "dls":
            return damped(jacobian, rows, weights, 0.1**2)
        if method == "transpose":
            pull = weights * (jacobian.T @ rows)
            change = jacobian @ pull
            return pull * (rows @ change) / (change @ change)
        root = np.sqrt(weights)
        return root * (np.linalg.pinv(jacobian * root, rcond=1e-6) @ rows)

    wanted = without_pushed(step, bounds, weights)
    solver = Jacobian(method=method, max_iterations=1, tracking=1e9)
    answer = supple.prepare(skeleton, goals, solver=solver, free_root=True)(start=start)
    # Damped steps that add up to the pseudo-inverse leave noise of 1e-16 / FADE where J is singular.
    near = 1e-6 if method == "pinv" else SAME
    # The solver halves a step until it is good.
    halved = (moved(0.5**n * wanted) for n in range(6))
    assert min(np.abs(answer.pose.coordinates - q).max() for q in halved) < near


@pytest.mark.parametrize("seed", range(8))
def test_an_iteration_is_that_of_the_dense_path(seed, either):
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng)
    goals = mixed_goals(skeleton, rng, far=0.5)
    start = bent(skeleton, rng, 0.5)  # many freedoms stand at their limits
    for solver in (
        LM(max_iterations=1, restarts=0),
        Jacobian(method="dls", max_iterations=1),
        Jacobian(method="transpose", max_iterations=1),
    ):
        dense, tree_ = either(skeleton, goals, solver, start=start)
        assert np.abs(dense.pose.coordinates - tree_.pose.coordinates).max() < SAME


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("far", [0.05, 5.0], ids=["within reach", "out of reach"])
def test_answers_and_reports_are_those_of_the_dense_path(seed, far, either):
    rng = np.random.default_rng(100 + seed)
    skeleton = random_tree(
        rng, branches=16
    )  # so many freedoms that neither uses second derivatives
    goals = mixed_goals(skeleton, rng, far=far)
    solver = LM(max_iterations=30 if far < 1.0 else 6, restarts=0)
    dense, tree_ = either(skeleton, goals, solver, start=bent(skeleton, rng))
    assert len(skeleton.freedoms) > 96
    assert tree_.status == dense.status
    assert tree_.limited == dense.limited
    # Where limits would have the cost rise, a dense step by rows ends the descent and one on the tree damps more.
    assert tree_.iterations >= dense.iterations
    if tree_.iterations == dense.iterations:
        assert np.abs(dense.pose.coordinates - tree_.pose.coordinates).max() < 1e-5
    else:
        assert np.sum(tree_.errors**2) <= np.sum(dense.errors**2)


def test_secondary_goals_are_followed(either):
    rng = np.random.default_rng(7)
    skeleton = random_tree(rng, branches=16)
    there = bent(skeleton, rng, 0.1).clamped()
    goals = [Reach(tip, there.position(tip)) for tip in skeleton.tip_names]
    dense, tree_ = either(skeleton, [*goals, Rest()], LM(restarts=0))
    plain = either(skeleton, goals, LM(restarts=0))[1]
    assert dense.reached and tree_.reached and plain.reached
    rest = skeleton.rest.coordinates
    away = [np.linalg.norm(one.pose.coordinates - rest) for one in (dense, tree_, plain)]
    assert away[1] == pytest.approx(away[0], rel=0.01)
    assert away[1] < away[2]


def copies(rng):
    """Branches whose third joints copy the first of another branch."""
    nodes, tips = [("root", None, (0, 0, 0), Free())], []
    for b in range(4):
        above = "root"
        for k in range(3):
            joint = Hinge(tuple(rng.normal(size=3)), limits=(-1, 1)) if k == 0 else Ball()
            if b > 0 and k == 2:
                joint = Hinge(tuple(rng.normal(size=3)), mimic=("j0_0", 0.7, 0.1))
            nodes.append((f"j{b}_{k}", above, tuple(rng.normal(size=3)), joint))
            above = f"j{b}_{k}"
        tips.append((f"tip{b}", above, tuple(rng.normal(size=3))))
    return Skeleton(nodes, tips)


@pytest.mark.parametrize("seed", range(4))
def test_joints_that_others_copy_are_in_the_border(seed, either):
    rng = np.random.default_rng(seed)
    skeleton = copies(rng)
    goals = [goal for goal in mixed_goals(skeleton, rng, far=0.3) if not isinstance(goal, Hold)]
    paths_of = Problem(skeleton, goals, free_root=True)
    source = paths_of.moving.tolist().index(skeleton.index("j0_0"))
    moving = paths_of._tables[1]
    border = lowering.Paths(skeleton, moving).border(paths_of.blocks)
    assert border.tolist() == [moving[source, at.M_DOF]]
    start = bent(skeleton, rng)
    for solver in (LM(max_iterations=1, restarts=0), Jacobian(method="dls", max_iterations=1)):
        dense, tree_ = either(skeleton, goals, solver, start=start)
        assert np.abs(dense.pose.coordinates - tree_.pose.coordinates).max() < SAME


@pytest.mark.parametrize("seed", range(4))
def test_loops_close_as_on_the_dense_path(seed, either):
    rng = np.random.default_rng(seed)
    skeleton = copies(rng)
    there = bent(skeleton, rng)
    goals = [
        Reach("tip0", there.position("tip0")),
        Reach("tip1", there.position("tip1")),
        Connect("tip2", "tip3"),
    ]
    dense, tree_ = either(skeleton, goals, LM(max_iterations=60, restarts=0))
    assert tree_.status == dense.status
    assert np.abs(dense.pose.coordinates - tree_.pose.coordinates).max() < 1e-5
    gap = tree_.pose.position("tip2") - tree_.pose.position("tip3")
    assert np.linalg.norm(gap) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_spans_have_two_ends_on_the_tree_too(seed, either):
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng)
    there, start = bent(skeleton, rng).clamped(), bent(skeleton, rng)
    between = there.position("tip1") - there.position("tip0")
    goals = [Reach("tip2", there.position("tip2")), Span("tip0", "tip1", tuple(between))]
    for solver in (LM(max_iterations=1, restarts=0), LM(restarts=0)):
        dense, tree_ = either(skeleton, goals, solver, start=start)
        assert tree_.status == dense.status
        assert np.abs(dense.pose.coordinates - tree_.pose.coordinates).max() < 1e-6


def test_few_rows_or_freedoms_stay_dense():
    assert not tree.is_worth_a_tree(10_000, 6, 0)
    assert not tree.is_worth_a_tree(60, 3000, 0)
    assert not tree.is_worth_a_tree(300, 120, 0)  # a humanoid with 20 goals
    assert tree.is_worth_a_tree(500, 192, 0)
    assert not tree.is_worth_a_tree(500, 192, 200)


def comb(count):
    """A free root with short branches, and a goal for each."""
    rng = np.random.default_rng(count)
    nodes, tips = [("root", None, (0, 0, 0), Free())], []
    for b in range(count):
        nodes.append((f"a{b}", "root", tuple(rng.normal(size=3)), Ball()))
        nodes.append((f"b{b}", f"a{b}", (1, 0, 0), Hinge("z", limits=(-2, 2))))
        tips.append((f"t{b}", f"b{b}", (1, 0, 0)))
    skeleton = Skeleton(nodes, tips)
    there = bent(skeleton, rng)
    return skeleton, [Reach(tip, there.position(tip)) for tip in skeleton.tip_names]


@pytest.mark.parametrize("solver", [LM(), Jacobian(method="dls")], ids=lambda s: s.name)
def test_memory_grows_with_the_goals_and_not_with_their_square(solver):
    packed, work = [], []
    for count in (100, 200):
        prepared = supple.prepare(*comb(count), solver=solver)
        executor = prepared.executor
        packed.append(sum(part.size for part in executor.packed))
        size, out = np.zeros(1), np.zeros((1, executor.width))
        none = np.zeros((0, executor.problem.coordinates + 2)), np.zeros((0, at.EVENT))
        start = executor.problem.skeleton.rest
        offsets = executor.problem.offsets(start)[None]
        targets = executor.problem.default_targets[None]
        starts = start.coordinates[None]
        solver.kernel(*executor.packed, offsets, starts, targets, out, size, *none, 0, 0)
        work.append(size[0])
    for small, large in (packed, work):
        assert large < 2.1 * small


def test_many_goals_are_reached():
    skeleton, goals = comb(150)
    answer = supple.solve(skeleton, goals)
    assert answer.reached
    assert answer.iterations < 20
