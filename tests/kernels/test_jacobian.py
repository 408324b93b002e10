"""Every column of the Jacobian against finite differences, through one helper."""

import math

import numpy as np
import pytest
from tests.differences import slope

import supple
from supple import rotations
from supple.goals import Span
from supple.problem.lowering import Problem
from supple.solvers import own


class Columns:
    """The linear problem of a pose, and its residual after a step, as solvers compute them."""

    def __init__(self, skeleton, goals, pose):
        problem = Problem(skeleton, goals)
        targets = problem.default_targets.copy()
        for block in problem.blocks:
            if block.target_floats:
                targets[block.offset : block.offset + len(block.target)] = block.target
        no_trace = np.zeros((0, 1))
        packed = problem.pack(())
        size = np.zeros(1)
        own.measure(*packed, size, no_trace)
        self.arrays = (*packed, np.zeros(int(size[0])), no_trace)
        self.q, self.rows = np.zeros(problem.coordinates), np.zeros(problem.rows)
        offsets, starts = problem.offsets(pose)[None], pose.coordinates[None].copy()
        own.open_problem(*self.arrays, offsets, starts, targets[None], 0, self.q)
        self.columns = np.full((problem.freedoms, problem.rows), np.nan)
        self.bounds = np.zeros((problem.freedoms, 2))

    def after(self, d, change):
        """The residual after a change of one freedom."""
        q = self.q.copy()
        own.evaluate_pose(*self.arrays, q, self.rows)
        if change != 0.0:
            own.linearize_pose(*self.arrays, self.columns, self.bounds)
            delta = np.zeros(len(self.columns))
            delta[d] = change
            own.step_pose(*self.arrays, delta, q)
            own.evaluate_pose(*self.arrays, q, self.rows)
        return self.rows.copy()


def check_columns(skeleton, goals, pose):
    """Compare d(rows)/d(delta) = -columns, central where the limits leave room, else one-sided."""
    linear = Columns(skeleton, goals, pose)
    own.linearize_pose(*linear.arrays, linear.columns, linear.bounds)
    columns, bounds, after = linear.columns, linear.bounds.copy(), linear.after
    nd = len(columns)
    for d in range(nd):
        low, high = bounds[d]
        if high - low <= 0.0:
            continue
        found = slope(lambda h, d=d: after(d, h), low, high)
        size = 1.0 + np.abs(columns[d]).max()
        assert np.abs(found + columns[d]).max() < 1e-6 * size, (d, -found, columns[d])
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


def spread_slopes(frames, values, out):
    """Derivatives of `spread`, as a user may give them."""
    out[:] = 0.0
    way = frames[0, :3, 3] - frames[1, :3, 3]
    size = np.sqrt(np.sum(way * way))
    for i in range(3):
        out[0, 0, i] = way[i] / size
        out[0, 1, i] = -way[i] / size
    for k in range(3):  # a turn about axis k moves column x of the first frame across it
        i, j = (k + 1) % 3, (k + 2) % 3
        out[1 + i, 0, 3 + k] = -frames[0, j, 0]
        out[1 + j, 0, 3 + k] = frames[0, i, 0]


def spread(frames, values, out):
    """How far two frames are apart, and where the first looks: four rows."""
    way = frames[0, :3, 3] - frames[1, :3, 3]
    out[0] = np.sqrt(np.sum(way * way)) - values[0]
    for i in range(3):
        out[1 + i] = frames[0, i, 0] - values[1 + i]


BY_DIFFERENCES = supple.goal(rows=4, values=4)(spread)
BY_SLOPES = supple.goal(rows=4, values=4, unit="number", jacobian=spread_slopes)(spread)
AS_PYTHON = supple.goal(rows=4, values=4, unit="angle", compiled=False)(spread)

GOALS = {
    "on a moving bone": [
        supple.Reach("hand", supple.On("eye", (0.1, 0.2, 0.3))),
        supple.LookAt("eye", supple.On("left", (0.3, 0.1, 0.2)), axis=(1, 1, 0), depth=0),
        supple.LookAt("hand", supple.On("base"), axis="y", depth=0, weight=0.4),
    ],
    "span": [
        Span(
            "eye", "hand", (0.3, -0.2, 0.5), point_start=(0.1, 0.2, 0.3), point_end=(0.0, 0.1, 0.0)
        ),
        Span("base", "right", (0.1, 0.2, 0.6), weight=0.3),
        supple.Reach("hand", (1.0, 0.4, -0.7)),
    ],
    "loop": [supple.Weld("hand", "eye", point_a=(0.1, 0, 0.2), rotation=turned())],
    "own": [
        BY_DIFFERENCES(["hand", "eye"], (0.3, 0.1, 0.2, 0.3)),
        BY_SLOPES(["eye", "middle"], (0.1, 0.3, 0.2, 0.3), weight=0.3),
        AS_PYTHON(["hand", "right"], (0.2, 0.3, 0.1, 0.3), weight=2.0),
    ],
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
    for quaternion, stretch in zip(
        skeleton.freedom_table.joints.quaternion, skeleton.freedom_table.joints.stretch, strict=True
    ):
        if quaternion >= 0:
            q[quaternion : quaternion + 4] = turned()
        if stretch >= 0:
            q[stretch] = RNG.uniform(0.7, 1.6)
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


@pytest.mark.parametrize("part", [0.0, 1e-7, 0.5, 1.0])
@pytest.mark.parametrize("twist", [-0.4, 0.0, 0.7])
def test_columns_of_a_cone_by_quadrants_at_rest_on_its_rim_and_at_its_twist_limits(part, twist):
    down, up, left, right = 0.4, 1.5, 2.5, 1.0
    skeleton = arm(supple.Cone((down, up, left, right), twist=(-0.4, 0.7), axis="x"))
    for around in (0.3, 2.0, 3.9, 5.5):
        a, b = part * math.cos(around), part * math.sin(around)
        a, b = a * (up if a > 0 else down), b * (right if b > 0 else left)
        tilt = rotations.from_rotation_vector((0, -b, a))  # up is y, right is z
        turn = rotations.multiply(tilt, rotations.from_axis_angle("x", twist))
        pose = random_pose(skeleton).with_({"middle": turn}).clamped()
        assert pose.with_({"middle": turn}).violations().max() <= 1e-14
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
