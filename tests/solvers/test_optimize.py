"""General optimisers: the gradient, limits as part of the map, agreement with LM."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import supple
from supple.apps.cli.commands.compare_measure import able
from supple.problem.lowering import Problem
from supple.solvers import optimize, own
from supple.solvers.optimize import METHODS, Optimize

RNG = np.random.default_rng(11)


def tree(joint):
    """A ball, the joint, another ball and a tip on each, turned at rest so that nothing is zero."""
    turns = supple.rotations.normalize(RNG.normal(size=(3, 4)))
    return supple.Skeleton(
        [
            supple.Node("base", None, (0.1, 0.2, -0.3), supple.Ball(), turns[0]),
            supple.Node("middle", "base", (0.4, 0.1, 0.3), joint, turns[1]),
            supple.Node("end", "middle", (0.7, 0.1, 0.2), supple.Hinge((1, 1, 0)), turns[2]),
        ],
        [supple.Tip("tip", "end", (0.6, 0.2, 0.1)), supple.Tip("side", "middle", (0.2, 0.5, 0.1))],
    )


JOINTS = {
    "hinge": supple.Hinge("x"),
    "limited hinge": supple.Hinge("y", limits=(-0.3, 2.0)),
    "locked hinge": supple.Hinge("y", limits=(0.3, 0.3)),
    "hinge with a lower limit": supple.Hinge("y", limits=(-0.3, None)),
    "hinge with an upper limit": supple.Hinge("y", limits=(None, 0.4)),
    "slider": supple.Slider((0.3, 1, 0.2), limits=(-0.1, 0.4)),
    "open slider": supple.Slider("z", limits=(0, None)),
    "ball": supple.Ball(),
    "stiff ball": supple.Ball(stiffness=0.7),
    "cone": supple.Cone(1.2, twist=(-0.5, 1.0), axis=(1, 0.2, 0)),
    "cone that twists freely": supple.Cone(0.4, axis="y"),
    "cone beyond pi": supple.Cone(2.0, twist=(2.5, 4.5), axis="y"),
    "cone without swing": supple.Cone(0.0, twist=(-1, 1), axis="z"),
    "axes": supple.Axes("zxy", limits={"x": (-1, 1), "y": (0, None)}, frozen="z"),
    "free": supple.Free(),
    "planar": supple.Planar((0.2, 0.1, 1.0), limits={"u": (-0.2, 0.3), "angle": (-1, 2)}),
    "stretch": supple.Hinge("z", stretch=(0.5, 2.0)),
    "open stretch": supple.Ball(stretch=(0.5, None)),
}
GOALS = [
    supple.Reach("tip", (0.7, -0.4, 0.9), orientation=(0.5, -0.5, 0.5, 0.5), weight=0.5),
    supple.Reach("side", (0.2, 0.8, 0.1)),
]


class Landscape:
    """The cost over the charts of one problem, from a start."""

    def __init__(self, skeleton, goals, start):
        self.problem = problem = Problem(skeleton, goals)
        self.skeleton = skeleton
        packed, no_trace = problem.pack(Optimize().options()), np.zeros((0, 1))
        size = np.zeros(1)
        optimize.measure(*packed, size, no_trace)
        self.arrays = (*packed, np.zeros(int(size[0])), no_trace)
        targets = np.zeros(len(problem.default_targets))
        for block in problem.blocks:
            targets[block.offset : block.offset + len(block.target)] = block.target
        offsets, starts = problem.offsets(start)[None], start.coordinates[None].copy()
        self.start = np.zeros(problem.coordinates)
        own.open_problem(*self.arrays, offsets, starts, targets[None], 0, self.start)
        self.x = np.zeros(problem.freedoms)
        optimize.centre_on(*self.arrays, self.start, False, self.x)

    def __call__(self, x):
        gradient, pose = np.zeros(len(x)), np.zeros(self.problem.coordinates)
        cost, _ = optimize.value_and_slope(*self.arrays, x, gradient, pose)
        return cost, gradient, supple.Pose(self.skeleton, pose)


def random_pose(skeleton):
    angles = skeleton.rest.angles + RNG.normal(0, 0.7, len(skeleton.freedoms))
    return supple.Pose.from_angles(skeleton, angles).clamped()


@pytest.mark.parametrize("joint", JOINTS)
def test_gradient_is_the_slope_of_the_cost(joint):
    skeleton = tree(JOINTS[joint])
    for far in (0.0, 0.3, 3.0):
        cost = Landscape(skeleton, GOALS, random_pose(skeleton))
        x = cost.x + far * RNG.normal(size=len(cost.x))
        gradient = cost(x)[1]
        for d, step in enumerate(1e-5 * np.eye(len(x))):
            slope = (cost(x + step)[0] - cost(x - step)[0]) / 2e-5
            assert slope == pytest.approx(gradient[d], abs=1e-8, rel=1e-6), d


@pytest.mark.parametrize("joint", JOINTS)
def test_every_number_is_a_pose_inside_the_limits(joint):
    skeleton = tree(JOINTS[joint])
    cost = Landscape(skeleton, GOALS, random_pose(skeleton))
    for size in (0.1, 1.0, 10.0, 1e4):
        pose = cost(cost.x + size * RNG.normal(size=len(cost.x)))[2]
        assert pose.violations().max() <= 1e-12


@pytest.mark.parametrize("joint", JOINTS)
def test_pose_is_read_off_where_it_is_put(joint):
    skeleton = tree(JOINTS[joint])
    for _ in range(10):
        start = random_pose(skeleton)
        cost = Landscape(skeleton, GOALS, start)
        # A pose at a limit is read off a little inside.
        assert np.abs(cost(cost.x)[2].positions - start.positions).max() < 0.01


@pytest.mark.parametrize("method", METHODS)
def test_reaches_what_can_be_reached_within_limits(method):
    joints = [
        supple.Cone(1.0, twist=(-0.4, 0.5)),
        supple.Hinge("y", limits=(-1, 1.5)),
        supple.Ball(),
        supple.Axes("yz", limits={"y": (-1, 1)}),
        supple.Cone(0.8),
    ]
    skeleton = supple.chain([1] * 5, joint=joints)
    angles = RNG.normal(0, 0.6, (40, len(skeleton.freedoms)))
    points = supple.Pose.from_angles(skeleton, angles).clamped().position("tip")
    s = supple.solve(skeleton, {"tip": points}, solver=Optimize(method=method))
    assert s.reached.mean() >= 0.95
    assert s.pose.violations().max() <= 1e-12
    within = np.linalg.norm(s.position("tip") - points, axis=-1) <= 5e-4
    assert np.array_equal(within, s.reached)


@pytest.mark.parametrize("method", METHODS)
def test_joint_at_its_limit_can_leave_it(method):
    joints = [supple.Hinge("z"), supple.Hinge("z", limits=(0.0, 2.5))]
    skeleton = supple.chain([1, 1], joint=joints)
    target = skeleton.pose({"j0": 0.9, "j1": 1.4}).position("tip")
    s = supple.solve(skeleton, {"tip": target}, solver=Optimize(method=method), trace=True)
    assert s.reached
    assert s.trace.coordinates[1, 1] > 0.0  # at once, not when all other joints are stuck


@pytest.mark.parametrize("method", METHODS)
def test_straight_chain_is_bent_towards_a_target_on_its_axis_always_alike(method):
    skeleton = supple.chain([1] * 5)
    for x in (3.0, 0.0, -4.0):
        first, again = (
            supple.solve(skeleton, {"tip": (x, 0, 0)}, solver=Optimize(method=method))
            for _ in range(2)
        )
        assert first.reached
        assert first.pose == again.pose


@pytest.mark.parametrize("method", METHODS)
def test_least_error_out_of_reach(method):
    skeleton = supple.chain([1] * 5)
    points = RNG.normal(size=(10, 3))
    points *= RNG.uniform(5.1, 20, (10, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    s = supple.solve(skeleton, {"tip": points}, solver=Optimize(method=method))
    assert (s.status == supple.Status.TOO_FAR).all()
    assert (s.error - (np.linalg.norm(points, axis=1) - 5)).max() < 1e-9


def test_agrees_with_lm_where_both_find_the_same_valley():
    above = []
    for joint in JOINTS.values():
        skeleton = tree(joint)
        for size in (3.0, 1.0):
            start = random_pose(skeleton)
            goals = {"tip": size * RNG.normal(size=3)}
            mine = supple.solve(skeleton, goals, start=start, solver=Optimize())
            its = supple.solve(skeleton, goals, start=start, solver=supple.LM(restarts=0))
            apart = np.linalg.norm(mine.position("tip") - its.position("tip"))
            if not its.reached and apart < 0.05:
                above.append(mine.error - its.error)
    assert len(above) >= 10
    assert max(above) < 1e-6
    assert np.median(np.abs(above)) < 1e-6


def test_no_other_solver_ends_lower_in_its_valley():
    for joint in JOINTS.values():
        skeleton = tree(joint)
        first = supple.solve(skeleton, GOALS, start=random_pose(skeleton), solver=Optimize())
        if first.reached:
            continue
        onward = supple.solve(skeleton, GOALS, start=first.pose, solver=supple.LM(restarts=0))
        assert first.errors == pytest.approx(onward.errors, abs=1e-5)


def test_mimic_and_stretch():
    joints = [
        supple.Hinge("z"),
        supple.Hinge("z", mimic=("j0", -0.5, 0.2)),
        supple.Slider("x", limits=(0, 1), mimic=("j0", 0.3, 0.1)),
        supple.Hinge("z", stretch=(0.5, 2)),
    ]
    skeleton = supple.chain([1] * 4, joint=joints)
    target = skeleton.pose({"j0": 0.8, "j3": 0.4}).with_({"j3.stretch": 1.7}).position("tip")
    s = supple.solve(skeleton, {"tip": target}, solver=Optimize())
    assert s.reached
    q = s.pose.coordinates
    assert q[1] == pytest.approx(-0.5 * q[0] + 0.2) and q[2] == pytest.approx(0.3 * q[0] + 0.1)


def test_charts_are_centred_anew_when_a_ball_has_turned_far(monkeypatch):
    monkeypatch.setattr(optimize, "TUNING", optimize.TUNING._replace(recentre_angle=0.2))
    skeleton = supple.chain([1] * 4)
    cost = Landscape(skeleton, [supple.Reach("tip", (-2, 1, 1))], skeleton.rest)
    run = optimize._Run(cost.arrays, 0.0)
    run.go(cost.start, "BFGS", 200, bent=False)
    assert run.reached
    assert supple.Pose(skeleton, run.best).turns(skeleton.rest).max() > 0.4


@pytest.mark.parametrize("method", METHODS)
def test_trace_holds_the_pose_after_every_iteration(method):
    skeleton = supple.chain([1] * 4)
    s = supple.solve(skeleton, {"tip": (1, 2, 1)}, solver=Optimize(method=method), trace=True)
    assert len(s.trace) == s.iterations + 1
    assert s.trace.poses[0] == skeleton.rest
    assert s.trace.poses[-1] == s.pose
    assert s.trace.errors[-1] == s.error
    assert (np.diff(s.trace.errors) < 0).all()


def test_budget_and_never_worse_than_the_start():
    skeleton = supple.chain([1] * 4)
    start = skeleton.pose({"j1": (0.8, 0.6, 0, 0)})
    for budget in (0, 1, 2):
        solver = Optimize(max_iterations=budget)
        s = supple.solve(skeleton, {"tip": (1, 2, 1)}, start=start, solver=solver)
        assert s.status is supple.Status.BUDGET
        assert s.iterations == budget
        assert s.error <= np.linalg.norm(start.position("tip") - (1, 2, 1))


def test_a_dense_matrix_of_too_many_freedoms_is_refused():
    skeleton = supple.chain([1] * 1001)
    with pytest.raises(supple.SuppleError, match='3,003 freedoms with method="bfgs"'):
        supple.solve(skeleton, {"tip": (300, 400, 0)}, solver=Optimize())
    s = supple.solve(skeleton, {"tip": (300, 400, 0)}, solver=Optimize(method="cg"))
    assert s.reached


def test_bad_options_say_what_is_wrong():
    with pytest.raises(supple.SuppleError, match="did you mean 'bfgs'"):
        Optimize(method="bfg")
    with pytest.raises(supple.SuppleError, match="stall: expected a number between 0 and 1"):
        Optimize(stall=-1)


def test_scipy_is_loaded_only_when_it_runs():
    code = "import sys, supple.solvers.optimize; assert 'scipy.optimize' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_scipy_it_is_refused_and_a_comparison_goes_on(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", {"scipy": None}.__getitem__)
    skeleton = supple.chain([1, 1, 1])
    with pytest.raises(
        supple.SuppleError, match=r"without SciPy \(pip install 'supple\[optimize\]'\)"
    ):
        supple.solve(skeleton, {"tip": (1, 1, 0.5)}, solver="Optimize")
    ready, refused = able(skeleton, "tip", [])
    assert "LM" in ready and "SciPy" in refused["Optimize"]


@pytest.mark.parametrize("half", [(0.4, 1.5, 0.3, 1.0), (0.0, 1.5, 0.0, 1.0)])
def test_cones_by_quadrants_have_charts(half):
    skeleton = tree(supple.Cone(half, twist=(-0.5, 1.0), axis=(1, 0.2, 0)))
    rng = np.random.default_rng(8)
    for far in (0.0, 0.3, 3.0):
        angles = skeleton.rest.angles + rng.normal(0, 0.7, len(skeleton.freedoms))
        start = supple.Pose.from_angles(skeleton, angles).clamped()
        cost = Landscape(skeleton, GOALS, start)
        assert np.abs(cost(cost.x)[2].positions - start.positions).max() < 0.01
        x = cost.x + far * rng.normal(size=len(cost.x))
        gradient = cost(x)[1]
        for d, step in enumerate(1e-5 * np.eye(len(x))):
            slope = (cost(x + step)[0] - cost(x - step)[0]) / 2e-5
            assert slope == pytest.approx(gradient[d], abs=1e-8, rel=1e-6), d
        assert cost(100.0 * x)[2].violations().max() <= 1e-12
