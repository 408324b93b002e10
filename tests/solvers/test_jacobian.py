"""The Jacobian methods: what each step is, limits, caps, singular starts, all joints and goals."""

import math

import numpy as np
import pytest

import supple
from supple.solvers.jacobian import METHODS, Jacobian

HINGES = supple.chain([1, 1], joint=supple.Hinge("z"))
BENT = HINGES.pose({"j0": 0.3, "j1": 0.8})


def reachable(skeleton, count, seed=0):
    """Positions of the tip in random poses inside the limits, shape (count, 3)."""
    rng = np.random.default_rng(seed)
    angles = rng.normal(size=(count, len(skeleton.freedoms)))
    return supple.Pose.from_angles(skeleton, angles).clamped().position("tip")


def first_change(method, target, **options):
    """How the two hinges change in the first iteration from BENT."""
    solver = Jacobian(method=method, max_iterations=1, **options)
    s = supple.solve(HINGES, {"tip": (*target, 0)}, start=BENT, solver=solver, trace=True)
    return s.trace.coordinates[1] - BENT.coordinates


def linear_problem(target):
    """Jacobian (2, 2) and error (2,) of the two hinges at BENT, by hand."""
    a, b = 0.3, 1.1
    tip = np.array([math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])
    second = np.array([-math.sin(b), math.cos(b)])
    first = np.array([-tip[1], tip[0]])
    return np.stack([first, second], axis=1), np.asarray(target) - tip


NEAR = (1.45, 1.15)


def test_pinv_takes_the_newton_step():
    matrix, error = linear_problem(NEAR)
    change = first_change("pinv", NEAR)
    assert np.allclose(change, np.linalg.solve(matrix, error), atol=1e-12)


def test_transpose_takes_the_best_step_along_the_gradient():
    matrix, error = linear_problem(NEAR)
    moved = matrix @ matrix.T @ error
    alpha = (error @ moved) / (moved @ moved)
    assert np.allclose(first_change("transpose", NEAR), alpha * matrix.T @ error, atol=1e-12)


def test_dls_is_damped_by_lambda_over_the_length():
    matrix, error = linear_problem(NEAR)
    damped = matrix.T @ np.linalg.solve(matrix @ matrix.T + 1.1**2 * np.eye(2), error)
    change = first_change("dls", NEAR, regularization=1.1 / 2)  # the chain is 2 long
    assert np.allclose(change, damped, atol=1e-12)


def test_sdls_is_the_newton_step_while_small_and_damps_each_direction_when_not():
    matrix, error = linear_problem(NEAR)
    assert np.allclose(first_change("sdls", NEAR), np.linalg.solve(matrix, error), atol=1e-12)
    matrix, error = linear_problem((-0.5, 0.4))
    u, sigma, vt = np.linalg.svd(matrix)
    limit = math.pi / 4
    expected = np.zeros(2)
    for i in range(2):
        # One effector: N = |u_i| = 1.
        moved = (np.abs(vt[i]) * np.linalg.norm(matrix, axis=0)).sum() / sigma[i]
        step = (u[:, i] @ error) / sigma[i] * vt[i]
        allowed = limit * min(1.0, 1.0 / moved)
        expected += step * min(1.0, allowed / np.abs(step).max())
    expected *= min(1.0, limit / np.abs(expected).max())
    assert np.abs(np.linalg.solve(matrix, error)).max() > 2 * np.abs(expected).max()
    assert np.allclose(first_change("sdls", (-0.5, 0.4)), expected, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_reaches_what_can_be_reached(method):
    skeleton = supple.chain([1] * 5)
    points = reachable(skeleton, 200)
    s = supple.solve(skeleton, {"tip": points}, solver=Jacobian(method=method))
    assert s.reached.all()
    assert np.linalg.norm(s.position("tip") - points, axis=-1).max() <= 5e-4
    assert s.iterations.mean() < (40 if method == "transpose" else 15)


@pytest.mark.parametrize("tracking, stray", [(0.02, 0.02), (0.1, 0.08)])
def test_pinv_subdivides_until_the_tip_keeps_to_the_straight_line(tracking, stray):
    skeleton = supple.chain([1] * 4, joint=supple.Hinge("z"))
    start = skeleton.pose({f"j{i}": 0.4 for i in range(4)})
    begin, end = start.position("tip"), np.array([-1.5, 1.0, 0.0])
    solver = Jacobian(tracking=tracking)
    s = supple.solve(skeleton, {"tip": end}, start=start, solver=solver, trace=True)
    assert s.reached
    line = (end - begin) / np.linalg.norm(end - begin)
    way = s.trace.poses.position("tip") - begin
    off = np.linalg.norm(way - np.outer(way @ line, line), axis=1)
    assert off.max() < stray * np.linalg.norm(end - begin)
    loose = supple.solve(skeleton, {"tip": end}, start=start, solver=Jacobian(tracking=0.9))
    assert loose.iterations < s.iterations


@pytest.mark.parametrize("method", METHODS)
def test_others_do_the_work_of_a_joint_at_its_limit(method):
    joints = [supple.Hinge("z"), supple.Hinge("z", limits=(0.0, 0.5)), supple.Hinge("z")]
    skeleton = supple.chain([1, 1, 1], joint=joints)
    start = skeleton.pose({"j0": 0.2, "j1": 0.5, "j2": 0.3})
    target = skeleton.pose({"j0": -0.7, "j1": 0.5, "j2": 2.0}).position("tip")
    s = supple.solve(skeleton, {"tip": target}, start=start, solver=Jacobian(method=method))
    assert s.reached
    assert not s.pose.violations().any()


@pytest.mark.parametrize("method", METHODS)
def test_limits_hold_exactly_at_every_iteration(method):
    joints = [supple.Cone(0.6, twist=(-0.2, 0.4)), supple.Hinge("z", limits=(0.1, 1.0))] * 3
    skeleton = supple.chain([1] * 6, joint=joints)
    for target in ((-4, 1, 2), (1, 2, -1), (9, 0, 0)):
        s = supple.solve(skeleton, {"tip": target}, solver=Jacobian(method=method), trace=True)
        assert s.trace.poses.violations().max() <= 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_every_iteration_comes_closer(method):
    skeleton = supple.chain([1] * 5, joint=supple.Axes("xyz", limits={"y": (-1, 1)}))
    for target in ((2, 2, 1), (-3, 0.5, 0.1), (7, 3, 0)):
        start = skeleton.pose({f"j{i}": (0.1, 0.2, 0.3) for i in range(5)})
        solver = Jacobian(method=method, max_iterations=30)
        s = supple.solve(skeleton, {"tip": target}, start=start, solver=solver, trace=True)
        assert len(s.trace) == s.iterations + 1
        kept = s.trace.errors[: s.trace.errors.argmin() + 1]
        assert (np.diff(kept) <= 0).all()
        assert s.error == s.trace.errors.min()


@pytest.mark.parametrize("method", METHODS)
def test_straight_chain_is_bent_towards_a_target_on_its_axis_always_alike(method):
    skeleton = supple.chain([1] * 5)
    for x in (3.0, 0.0, -4.0):
        first, again = (
            supple.solve(skeleton, {"tip": (x, 0, 0)}, solver=Jacobian(method=method))
            for _ in range(2)
        )
        assert first.reached
        assert first.pose == again.pose


@pytest.mark.parametrize("method", METHODS)
def test_best_pose_out_of_reach_is_kept(method):
    skeleton = supple.chain([1] * 5)
    s = supple.solve(skeleton, {"tip": (9, 0, 0)}, solver=Jacobian(method=method))
    assert s.status is supple.Status.TOO_FAR
    assert s.pose == skeleton.rest


@pytest.mark.parametrize("method, excess", [("pinv", 0.01), ("dls", 0.01), ("sdls", 1e-3)])
def test_points_at_a_target_out_of_reach(method, excess):
    skeleton = supple.chain([1] * 5)
    points = reachable(skeleton, 50)
    far = np.random.default_rng(1).uniform(5.2, 9, (50, 1))
    points = far * points / np.linalg.norm(points, axis=1, keepdims=True)
    s = supple.solve(skeleton, {"tip": points}, solver=Jacobian(method=method))
    assert (s.status == supple.Status.TOO_FAR).all()
    assert (s.error - (np.linalg.norm(points, axis=1) - 5)).max() < excess


def test_caps_on_turns_and_on_the_error_asked_for():
    skeleton = supple.chain([1] * 4, joint=supple.Hinge("z"))
    goals, start = {"tip": (-1, 2, 0)}, skeleton.pose({"j1": 0.5, "j2": 0.5})
    for solver in (Jacobian(damping=0.05), Jacobian(method="sdls", damping=0.05)):
        s = supple.solve(skeleton, goals, start=start, solver=solver, trace=True)
        assert s.reached
        assert np.abs(np.diff(s.trace.coordinates, axis=0)).max() <= 0.05 + 1e-12
    s = supple.solve(skeleton, goals, start=start, solver=Jacobian(stride=0.02), trace=True)
    assert s.reached
    steps = np.linalg.norm(np.diff(s.trace.poses.position("tip"), axis=0), axis=1)
    assert steps.max() <= 1.5 * 0.02 * 4
    joints = {"j1": supple.Hinge("z", damping=0.01)}
    s = supple.solve(skeleton.with_joints(joints), goals, solver=Jacobian(), trace=True)
    assert np.abs(np.diff(s.trace.coordinates[:, 1])).max() <= 0.01 + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_stiff_joint_turns_less(method):
    loose = supple.chain([1, 1, 1], joint=supple.Hinge("z"))
    stiff = loose.with_joints({"j1": supple.Hinge("z", stiffness=0.9)})
    turned = [
        abs(supple.solve(x, {"tip": (2, 1.5, 0)}, solver=Jacobian(method=method)).angles[1])
        for x in (loose, stiff)
    ]
    assert turned[1] < 0.5 * turned[0]


def figure():
    """A branching figure with every kind of joint, a stretch and a mimic."""
    return supple.Skeleton(
        [
            supple.Node("hips", None, (0, 0, 1), supple.Planar("z")),
            supple.Node("spine", "hips", (0, 0, 0.3), supple.Axes("zxy", frozen="z")),
            supple.Node("chest", "spine", (0, 0, 0.3), supple.Ball(stretch=(0.8, 1.3))),
            supple.Node("arm", "chest", (0.2, 0, 0.2), supple.Cone(1.5, (-1, 1), (1, 0, 0))),
            supple.Node("elbow", "arm", (0.4, 0, 0), supple.Hinge("z", limits=(0, 2.5))),
            supple.Node("wrist", "elbow", (0.4, 0, 0), supple.Hinge("y", mimic=("elbow", 0.5, 0))),
            supple.Node("head", "chest", (0, 0, 0.3), supple.Ball()),
            supple.Node("rod", "head", (0, 0, 0.1), supple.Slider("z", limits=(0, 0.5))),
        ],
        [supple.Tip("hand", "wrist", (0.1, 0, 0)), supple.Tip("top", "rod", (0, 0, 0.1))],
    )


@pytest.mark.parametrize("method", METHODS)
def test_several_goals_on_a_tree_with_every_joint(method):
    skeleton = figure()
    angles = np.random.default_rng(4).normal(0, 0.4, len(skeleton.freedoms))
    pose = supple.Pose.from_angles(skeleton, skeleton.rest.angles + angles).clamped()
    goals = [
        supple.Reach("hand", pose.position("hand"), orientation=pose.rotation("hand")),
        supple.Reach("top", pose.position("top")),
        supple.LookAt(
            "head", pose.position("head") + pose.frames[..., 6, :3, 0], axis="x", depth=0
        ),
    ]
    solver = Jacobian(method=method, max_iterations=300)
    for listed in (goals, goals[::-1]):
        s = supple.solve(skeleton, listed, solver=solver, free_root=True)
        # The transpose creeps where goals pull against each other.
        assert s.error < 0.05 if method == "transpose" else s.reached, s.reason
        assert s.pose.violations().max() <= 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_any_scale_and_awkward_chains(method, size):
    solver = Jacobian(method=method)
    for lengths, target in (
        ([1, 0, 0, 1], (0.5, 1.0, 0.3)),
        ([1], (0, 1, 0)),
        ([1], (-1, 0, 0)),
        ([2, 1, 1], (1, 0, 0)),
        ([1] * 300, (30, 40, 5)),
    ):
        skeleton = supple.chain([size * x for x in lengths])
        s = supple.solve(skeleton, {"tip": size * np.array(target)}, solver=solver)
        assert s.reached, (lengths, s.reason)
    s = supple.solve(supple.chain([size]), {"tip": (0, 0, 0)}, solver=solver)
    assert s.status is supple.Status.TOO_NEAR
    assert np.isfinite(s.pose.coordinates).all()


def test_restarts_look_elsewhere_only_when_asked():
    skeleton = supple.chain([1] * 4, joint=supple.Hinge("z", limits=(-1.0, 1.6)))
    start = skeleton.pose({f"j{i}": -1.0 for i in range(4)})
    target = skeleton.pose({f"j{i}": 1.5 for i in range(4)}).position("tip")
    local = supple.solve(skeleton, {"tip": target}, start=start, solver=Jacobian())
    wide = supple.solve(
        skeleton, {"tip": target}, start=start, solver=Jacobian(restarts=20, max_iterations=2000)
    )
    assert local.status is supple.Status.LIMITED and not local.reached
    assert wide.reached


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "pin"}, "did you mean 'pinv'"),
        ({"regularization": -1}, "regularization: expected a positive number, got -1"),
        ({"tracking": 0.0}, "tracking: expected a positive number"),
        ({"tracking": None}, "tracking: expected a positive number"),
        ({"damping": math.nan}, "damping: expected a positive number"),
        ({"stride": "far"}, "stride: expected a positive number"),
        ({"stall": 1}, "stall: expected a number between 0 and 1"),
        ({"restarts": 1.5}, "restarts: expected a whole number"),
        ({"max_iterations": -1}, "max_iterations"),
    ],
)
def test_bad_options_say_what_is_wrong(options, message):
    with pytest.raises(supple.SuppleError, match=message):
        Jacobian(**options)


def test_secondary_goals_are_left_to_others():
    goals = [supple.Reach("tip", (1, 1, 0)), supple.Rest()]
    with pytest.raises(supple.SuppleError, match="Jacobian cannot take rest goals; LM"):
        supple.solve(HINGES, goals, solver=Jacobian())
