"""The Jacobian of a frame, against differences and against MuJoCo."""

import numpy as np
import pytest
from tests.differences import slope

import supple
from supple import Axes, Ball, Cone, Free, Hinge, Mimic, Node, Planar, Pose, Skeleton, Slider, Tip
from supple.model.jacobian import tangent
from supple.problem.lowering import Problem
from supple.rotations import from_rotation_vector, multiply, to_rotation_vector
from supple.solve.closed_loops import ClosedLoops


def mixed():
    """Every kind of joint in a row, with a copy, stretches and a branch that moves nothing."""
    turn = tuple(from_rotation_vector((0.3, -0.2, 0.5)))
    return Skeleton(
        [
            Node("free", None, (0.1, 0.2, 0.3), Free(), turn),
            Node("hinge", "free", (0.5, 0.1, 0.0), Hinge((1, 2, 3), stretch=(0.5, 2.0)), turn),
            Node("axes", "hinge", (0.4, 0.0, 0.2), Axes("zxy", frozen="x"), turn),
            Node("copy", "axes", (0.3, 0.3, 0.0), Hinge("y", mimic=Mimic("hinge", -2.0, 0.1))),
            Node("ball", "copy", (0.2, 0.0, 0.4), Ball(stretch=(0.5, 2.0)), turn),
            Node("slide", "ball", (0.3, 0.0, 0.0), Slider((1, 1, 0)), turn),
            Node("planar", "slide", (0.0, 0.2, 0.0), Planar("x"), turn),
            Node("cone", "planar", (0.0, 0.0, 0.3), Cone(1.0, axis="x"), turn),
            Node("aside", "free", (1.0, 0.0, 0.0), Hinge("z")),
        ],
        [Tip("tip", "cone", (0.3, 0.1, 0.0)), Tip("elbow", "ball", (0.1, 0.2, 0.3))],
    )


def four_bar():
    """A loop of hinges that a copy drives, on a free root: its ends are "end" and the joint "d"."""
    return Skeleton(
        [
            Node("root", None, (0.1, 0.0, 0.2), Free()),
            Node("a", "root", (0.3, 0.0, 0.0), Hinge("z")),
            Node("b", "a", (0.0, 1.0, 0.1), Hinge((0, 0.1, 1))),
            Node("c", "root", (1.0, 0.0, 0.0), Hinge("z", mimic=Mimic("a", 0.5, 0.2))),
            Node("d", "c", (0.1, 0.9, 0.0), Hinge("x", stretch=(0.5, 2.0))),
        ],
        [Tip("end", "b", (0.8, 0.0, 0.0)), Tip("other", "d", (0.1, 0.2, 0.3))],
    )


SKELETONS = {
    "every kind of joint": mixed,
    "a loop": four_bar,
    "no copies, every row a freedom": lambda: supple.chain([1.0, 0.5, 0.7], joint=Ball()),
}


def random_poses(skeleton, count):
    """Poses that nothing is special in; stretches are near 1."""
    generator = np.random.default_rng(4)
    angles = 0.4 + 0.3 * generator.normal(size=(count, len(skeleton.freedoms)))
    return Pose.from_angles(skeleton, angles)


def slopes(skeleton, q, function):
    """Slopes (D, ...) of a function of coordinates (F, Q) along each freedom, by finite differences."""
    table = skeleton.freedom_table
    units = np.eye(len(table))
    return np.array([slope(lambda h, u=u: function(table.stepped(q, h * u))) for u in units])


@pytest.mark.parametrize("name", SKELETONS)
def test_it_is_what_differences_say(name):
    skeleton = SKELETONS[name]()
    poses = random_poses(skeleton, 2)
    for frame in skeleton.names:
        here = poses.rotation(frame)

        def seen(q, frame=frame, here=here):
            """Where the frame is, and how it is turned against the pose itself."""
            moved = Pose(skeleton, q)
            turn = multiply(moved.rotation(frame), supple.rotations.conjugate(here))
            return np.concatenate([moved.position(frame), to_rotation_vector(turn)], axis=-1)

        found = poses.jacobian(frame)
        assert found.shape == (2, 6, len(skeleton.freedoms))
        wanted = slopes(skeleton, poses.coordinates, seen)
        assert np.allclose(np.moveaxis(found, 2, 0), wanted, atol=1e-7), frame


@pytest.mark.parametrize("name", SKELETONS)
def test_points_of_many_poses_at_once(name):
    skeleton = SKELETONS[name]()
    q = random_poses(skeleton, 3).coordinates
    frames = np.array([*range(len(skeleton.names)), 0, 1])  # some carry two points
    offsets = np.random.default_rng(2).normal(size=(len(frames), 3))

    def places(q):
        return tangent(skeleton, q).points(frames, offsets)

    at = tangent(skeleton, q)
    points = places(q)
    found = at.jacobian(frames, points)
    assert found.shape == (3, 3, len(frames), len(skeleton.freedoms))
    wanted = np.moveaxis(slopes(skeleton, q, places), 0, -1)
    assert np.allclose(found, wanted, atol=1e-7)
    # Single points along directions, each of a pose of its own.
    pose, which = np.array([0, 2, 2, 1]), np.array([3, 0, 1, len(frames) - 1])
    directions = np.random.default_rng(3).normal(size=(4, 3))
    along = at.along(pose, frames[which], points[pose, :, which], directions)
    each = np.einsum("aid,ai->ad", found[pose, :, which], directions)
    assert np.allclose(along, each, atol=1e-12)


def test_what_opens_a_loop_is_what_kernels_say():
    skeleton = four_bar()
    pose = random_poses(skeleton, 1)[0]
    ends, offsets = [skeleton.index("end"), skeleton.index("d")], [(0.0, 0.0, 0.0), (0.1, 0.2, 0.3)]
    at = tangent(skeleton, pose.coordinates[None])
    by_point = at.jacobian(ends, at.points(ends, offsets))[0]
    gap = by_point[:, 1] - by_point[:, 0]  # (3, D)
    problem = Problem(skeleton, [supple.Connect("end", "d", point_b=offsets[1])])
    loops = ClosedLoops(problem)
    nothing = np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    batch = (
        problem.offsets(pose)[None],
        pose.coordinates[None].copy(),
        problem.default_targets[None],
    )
    opened = loops.at(batch, nothing)
    opened.openings(pose.coordinates)
    tolerance = next(block.tolerance for block in problem.blocks if block.hard)
    place = loops.freedoms.skeleton
    hinges = [
        d for d, name in enumerate(skeleton.freedoms) if name in ("a", "b", "d") and d in place
    ]
    assert len(hinges) >= 2
    columns = opened.jacobian()[:, [place.tolist().index(d) for d in hinges]] * tolerance
    assert np.allclose(columns, gap[:, hinges], atol=1e-9)


def test_batches_and_translations():
    arm = supple.chain([1.0, 1.0, 1.0], joint=Hinge("z", stretch=(0.5, 2.0)))
    poses = Pose.from_angles(arm, np.random.default_rng(0).uniform(0.6, 1.4, (2, 5, 6)))
    every = poses.jacobian("tip")
    assert every.shape == (2, 5, 6, 6)
    assert np.allclose(every[1, 3], poses[1, 3].jacobian("tip"), atol=1e-15)
    longer = Pose(arm, poses[0, 0].coordinates, translations=2.0 * arm.offsets)
    slope = longer.jacobian("j2")[:3, 1]  # the stretch of j0
    assert np.linalg.norm(slope) == pytest.approx(2.0)


def test_it_gives_the_velocity_of_a_tick():
    snake = supple.chain([1.0, 1.0, 1.0])
    start = supple.solve(snake, {"tip": (1.5, 1.0, 0.5)}).pose
    ik = supple.prepare(snake, [supple.Reach("tip")])
    s = ik(start.position("tip") + (1e-5, 0.0, 2e-5), start=start, dt=1.0)
    velocity = start.jacobian("tip") @ s.velocity
    assert np.allclose(velocity[:3], s.position("tip") - start.position("tip"), atol=1e-9)


def test_bad_input():
    arm = supple.chain([1.0, 1.0])
    with pytest.raises(supple.SuppleError, match="tipp"):
        arm.rest.jacobian("tipp")
    scaled = Pose(arm, arm.rest.coordinates, scales=np.full((2, 3), 2.0))
    with pytest.raises(supple.SuppleError, match="without scales"):
        scaled.jacobian("tip")


def test_it_is_what_mujoco_says(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = """
<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 0.3">
  <joint name="j0" axis="0 1 1"/><joint name="j1" type="slide" axis="1 0 0"/><geom size="0.1"/>
  <body name="b" pos="0.4 0 0"><joint name="j2" axis="0 1 0" pos="0 0.1 0.02" ref="0.2"/><geom size="0.1"/>
    <site name="hand" pos="0.3 0 0.1"/></body></body></worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text)
    robot = supple.load(tmp_path / "arm.xml")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = (0.4, 0.1, -0.7)
    mujoco.mj_forward(model, data)
    linear, angular = np.zeros((3, 3)), np.zeros((3, 3))
    mujoco.mj_jacSite(model, data, linear, angular, 0)
    found = supple.robot.from_qpos(robot, data.qpos).jacobian("hand")
    assert robot.skeleton.freedoms == ("j0", "j1", "j2")
    assert np.allclose(found, np.concatenate([linear, angular]), atol=1e-12)
