"""How far a chain reaches: where it begins, which bones count, and no proof that is false."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Fixed, Hinge, Node, Skeleton, Slider, Status, Tip
from supple import rotations as rot
from supple.kernels import layout

SOLVERS = ("auto", "LM", "CCD", "FABRIK", "Jacobian")
AXES = np.eye(3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_chain_begins_after_all_hinges_that_leave_it_in_place(solver):
    """Two hinges with bones along the same axis: c stands at (1.2, 0, 0) in every pose."""
    arm = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge("x")),
            Node("b", "a", (0.7, 0, 0), Hinge("x")),
            Node("c", "b", (0.5, 0, 0), Hinge("z")),
            Node("d", "c", (1, 0, 0), Hinge("z")),
        ],
        [Tip("tip", "d", (1, 0, 0))],
    )
    for target, distance in (((1.2, 2.3, 0), 2.3), ((1.2, 0, 2.5), 2.5), ((3.7, 0, 0), 2.5)):
        s = supple.solve(arm, {"tip": target}, solver=solver)
        assert s.status is Status.TOO_FAR
        assert s.out_of_reach == ("tip", pytest.approx(distance), pytest.approx(2))


@pytest.mark.parametrize("solver", SOLVERS)
def test_joints_in_one_place_are_no_obstacle(solver):
    """Hinges in one place, the second of them along the bone that follows, then two bones of 1."""
    arm = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge("x")),
            Node("b", "a", (0.5, 0, 0), Hinge("x")),
            Node("c", "b", (0, 0, 0), Fixed()),
            Node("d", "c", (0.5, 0, 0), Hinge("x")),
            Node("e", "d", (0, 0, 0), Ball()),
            Node("f", "e", (1, 0, 0), Ball()),
        ],
        [Tip("tip", "f", (1, 0, 0))],
    )
    s = supple.solve(arm, {"tip": (1, 0, 2.1)}, solver=solver)
    assert s.out_of_reach == ("tip", pytest.approx(2.1), pytest.approx(2))


@pytest.mark.parametrize("solver", SOLVERS)
def test_bones_that_a_hinge_cannot_bend_are_one(solver):
    """The forearm's hinge turns about the bone that follows, 4 long, square on the one before it, 3 long."""
    arm = Skeleton(
        [
            Node("shoulder", None, (0, 0, 0), Ball()),
            Node("forearm", "shoulder", (3, 0, 0), Hinge("y")),
            Node("hand", "forearm", (0, 4, 0), Ball()),
        ],
        [Tip("tip", "hand", (1, 0, 0))],
    )
    s = supple.solve(arm, {"tip": (0, 0, 7)}, solver=solver)
    assert s.status is Status.TOO_FAR
    assert s.out_of_reach == ("tip", pytest.approx(7), pytest.approx(6))
    assert s.error == pytest.approx(1, abs=1e-3)
    s = supple.solve(arm, {"tip": (0, 0, 2)}, solver=solver)
    assert s.status is Status.TOO_NEAR
    assert s.out_of_reach == ("tip", pytest.approx(2), pytest.approx(4))


@pytest.mark.parametrize("solver", ["auto", "LM", "FABRIK", "Jacobian"])
def test_a_tip_that_its_hinges_leave_in_place_reaches_nothing_else(solver):
    """They are free for the other tip; the target is as far from the hinges as the tip."""
    top = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge("z")),
            Node("b", "a", (0, 0, 0.5), Hinge("z")),
        ],
        [Tip("axle", "b", (0, 0, 0.5)), Tip("rim", "b", (1, 0, 0))],
    )
    targets = {"axle": (0.6, 0, 0.8), "rim": (0, 1, 0.5)}
    s = supple.solve(top, targets, solver=solver)
    assert s.status is Status.TOO_FAR
    assert s.out_of_reach == ("axle", pytest.approx(np.hypot(0.6, 0.2)), 0)
    assert s.errors[1] < 1e-3


def _with_bones_along_axes(rng):
    """A chain of all kinds of joints, bones along their axes or of no length."""

    def offset():
        return tuple(AXES[rng.integers(3)] * rng.choice([0.0, 1.0, 1.0, -0.5]))

    nodes = []
    for i in range(int(rng.integers(1, 7))):
        axis = tuple(AXES[rng.integers(3)])
        joint = rng.choice(
            [
                Hinge(axis),
                Hinge(axis),
                Hinge(axis, stretch=(0.5, 2.0)),
                Ball(),
                Fixed(),
                Axes("xy"),
                Slider(axis, limits=(-0.4, 0.6)),
            ]
        )
        turn = rot.from_axis_angle(AXES[rng.integers(3)], 0.5 * np.pi * rng.integers(4))
        nodes.append(Node(f"j{i}", f"j{i - 1}" if i else None, offset(), joint, tuple(turn)))
    return Skeleton(nodes, [Tip("tip", nodes[-1].name, offset())])


@pytest.mark.parametrize("solver", ["auto", "CCD", "Jacobian"])
def test_what_a_pose_reaches_is_never_said_to_be_out_of_reach(solver):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        skeleton = _with_bones_along_axes(rng)
        try:
            ik = supple.prepare(skeleton, [supple.Reach("tip")], solver=solver)
        except supple.SuppleError:
            continue  # nothing can move the tip
        q = rng.uniform(-3.0, 3.0, (20, len(skeleton.rest.coordinates)))
        for joint, row in zip(skeleton.joints, skeleton.packed_ints, strict=True):
            if isinstance(joint, Ball):
                turn = q[:, row[layout.Q] : row[layout.Q] + 4]
                turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        targets = supple.Pose(skeleton, q).clamped().position("tip")
        status = ik(targets).status
        assert not np.isin(status, [Status.TOO_FAR, Status.TOO_NEAR]).any(), seed
