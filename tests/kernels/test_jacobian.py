"""Every column of the Jacobian against finite differences, through one helper."""

import math

import numpy as np
import pytest

import supple
from supple import rotations
from supple.kernels import layout as at
from supple.kernels.jacobian import jacobian
from supple.kernels.report import begin, evaluate
from supple.kernels.tangent import step, tangent
from supple.kernels.tree import carve, tree_space, unpack
from supple.problem import Problem

H = 1e-4


def check_columns(skeleton, goals, pose):
    """Compare d(rows)/d(delta) = -columns, central where the limits leave room, else one-sided."""
    problem = Problem(skeleton, goals)
    ints, floats = problem.pack((0.0,))
    active, moving, blocks, _, active_f, moving_f, blocks_f, *_ = unpack(ints, floats)
    work = np.zeros(tree_space(ints))  # what is carved out of it does not keep it alive
    states, effectors, folded, _ = carve(ints, work)
    nd, nr, length, turn = problem.freedoms, problem.rows, floats[at.F_LENGTH], floats[at.F_TURN]
    q, rows, errors = np.zeros(problem.coordinates), np.zeros(nr), np.zeros(len(blocks))
    targets = problem.default_targets.copy()
    for block in problem.blocks:
        if block.target is not None:
            targets[block.offset : block.offset + len(block.target)] = block.target
    offsets = problem.offsets(pose)
    begin(
        floats, active, active_f, moving, moving_f, blocks, blocks_f,
        offsets, pose.coordinates.copy(), targets, q, states, effectors, folded, rows, errors,
    )  # fmt: skip
    axes, bounds = np.zeros((nd + len(moving), 3)), np.zeros((nd, 2))
    columns = np.full((nd, nr), np.nan)
    tangent(moving, moving_f, q, states, length, axes, bounds)
    jacobian(
        moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
    )
    here, frames = rows.copy(), states.copy()

    def after(d, change):
        delta, trial = np.zeros(nd), q.copy()
        delta[d] = change
        step(moving, moving_f, q, frames, length, axes, delta, trial)
        evaluate(
            moving, moving_f, blocks, blocks_f, trial, states, effectors, length, turn, rows, errors
        )
        return rows.copy()

    for d in range(nd):
        low, high = bounds[d]
        if high - low <= 0.0:
            continue
        if low < -H and high > H:
            slope = (after(d, H) - after(d, -H)) / (2 * H)
        else:
            h = H if high > 2 * H else -H
            slope = (4 * after(d, h) - after(d, 2 * h) - 3 * here) / (2 * h)
        size = 1.0 + np.abs(columns[d]).max()
        assert np.abs(slope + columns[d]).max() < 1e-6 * size, (d, -slope, columns[d])
    assert nd > 0
    return columns


RNG = np.random.default_rng(5)


def turned(size=None):
    """Random unit quaternions."""
    return rotations.normalize(RNG.normal(size=(4,) if size is None else (size, 4)))


def arm(joint, *, after=None):
    """A branching tree with the joint in the middle: a ball above, balls below, two tips."""
    nodes = [
        supple.Node("base", None, (0.1, 0.2, -0.3), supple.Ball(), turned()),
        supple.Node("middle", "base", (0.4, 0.0, 0.3), joint, turned()),
        supple.Node("left", "middle", (0.7, 0.1, 0.0), after or supple.Ball(), turned()),
        supple.Node("right", "middle", (0.5, -0.4, 0.2), supple.Hinge((1, 2, 3)), turned()),
    ]
    tips = [
        supple.Tip("hand", "left", (0.6, 0.2, 0.1), turned()),
        supple.Tip("eye", "right", (0.3, 0.3, -0.2), turned()),
    ]
    return supple.Skeleton(nodes, tips)


GOALS = {
    "position": [supple.Reach("hand", (1.0, 0.4, -0.7))],
    "orientation": [supple.Reach("hand", orientation=turned())],
    "direction": [supple.LookAt("eye", (2.0, 1.0, 0.5), axis=(1, 1, 0), depth=0)],
    "several": [
        supple.Reach("hand", (1.0, 0.4, -0.7), orientation=turned(), weight=2.0),
        supple.LookAt("eye", (2.0, 1.0, 0.5), axis="z", depth=0, weight=0.3),
        supple.Reach("left", (0.2, 0.9, 0.1), point=(0.1, 0.2, 0.3)),
    ],
}

JOINTS = {
    "hinge": supple.Hinge((1, -1, 0.5)),
    "limited hinge": supple.Hinge("y", limits=(-2, 2)),
    "slider": supple.Slider((0.3, 1, 0.2)),
    "ball": supple.Ball(),
    "cone": supple.Cone(2.0, twist=(-1.5, 2.0), axis=(1, 0.2, 0)),
    "cone beyond pi": supple.Cone(1.0, twist=(2.5, 4.5), axis="y"),
    "axes": supple.Axes("xyz"),
    "axes zxz": supple.Axes("zxz", limits={"x": (-1, 1)}),
    "two axes": supple.Axes("yx"),
    "frozen axes": supple.Axes("zyx", frozen="y"),
    "free": supple.Free(),
    "planar": supple.Planar((0.2, 0.1, 1.0)),
    "stretch": supple.Hinge("z", stretch=(0.5, 2.0)),
    "stretching ball": supple.Ball(stretch=(0.5, 2.0)),
    "fixed stretch": supple.Fixed(stretch=(0.5, 2.0)),
}


def random_pose(skeleton):
    """Random coordinates, put into the limits."""
    q = np.array(skeleton.rest.coordinates)
    q += RNG.uniform(-1, 1, q.shape)
    for row in skeleton.packed_ints:
        if row[at.KIND] in (at.BALL, at.CONE, at.FREE):
            shift = row[at.Q] + (3 if row[at.KIND] == at.FREE else 0)
            q[shift : shift + 4] = turned()
        if row[at.STRETCH_Q] >= 0:
            q[row[at.STRETCH_Q]] = RNG.uniform(0.7, 1.6)
    return supple.Pose(skeleton, q).clamped()


@pytest.mark.parametrize("goals", GOALS)
@pytest.mark.parametrize("joint", JOINTS)
def test_columns_are_the_slopes_of_the_rows(joint, goals):
    skeleton = arm(JOINTS[joint])
    for _ in range(5):
        check_columns(skeleton, GOALS[goals], random_pose(skeleton))


@pytest.mark.parametrize("swing", [0.0, 1e-7, 0.5, 0.9])
@pytest.mark.parametrize("twist", [-0.4, 0.0, 0.7])
def test_columns_of_a_cone_at_rest_on_its_rim_and_at_its_twist_limits(swing, twist):
    skeleton = arm(supple.Cone(0.9, twist=(-0.4, 0.7), axis="x"))
    for around in (0.3, 2.0, 4.4):
        tilt = rotations.from_rotation_vector(
            swing * np.array([0, math.cos(around), math.sin(around)])
        )
        turn = rotations.multiply(tilt, rotations.from_axis_angle("x", twist))
        pose = random_pose(skeleton).with_({"middle": turn})
        check_columns(skeleton, GOALS["several"], pose)


@pytest.mark.parametrize("source", [supple.Hinge("y"), supple.Slider("z")])
@pytest.mark.parametrize("copy", [supple.Hinge, supple.Slider])
@pytest.mark.parametrize("place", ["below", "beside"])
def test_columns_of_a_joint_and_the_joint_that_copies_it(source, copy, place):
    copied = copy((1, 2, -1), mimic=("middle", -1.7, 0.3))
    skeleton = arm(source, after=copied)
    if place == "beside":
        skeleton = skeleton.with_joints({"left": supple.Ball(), "right": copied})
    for goals in GOALS.values():
        check_columns(skeleton, goals, random_pose(skeleton))


def test_columns_of_a_joint_that_copies_and_stretches():
    skeleton = arm(
        supple.Hinge("y", stretch=(0.5, 2)),
        after=supple.Hinge("x", mimic=("middle", 2.0, 0.1), stretch=(0.5, 2)),
    )
    for goals in GOALS.values():
        columns = check_columns(skeleton, goals, random_pose(skeleton))
    assert len(columns) == 3 + 2 + 1 + 1  # a ball, a hinge and two stretches, the other hinge


def test_columns_where_a_joint_with_everything_locked_below_moves_a_rigid_tree():
    skeleton = arm(supple.Ball(stretch=(0.5, 2)), after=supple.Fixed())
    check_columns(skeleton, [supple.Reach("hand", (1, 0, 0), root="middle")], random_pose(skeleton))


def test_columns_of_scaled_and_moved_poses():
    skeleton = arm(supple.Ball(stretch=(0.5, 2)))
    base = random_pose(skeleton)
    moved = np.asarray(base.local_translations) + 0.2
    pose = supple.Pose(skeleton, base.coordinates, moved, np.full((4, 3), 1.5))
    check_columns(skeleton, GOALS["several"], pose)
