"""The Jacobian of a frame, against differences and against MuJoCo."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Cone, Free, Hinge, Mimic, Node, Planar, Pose, Skeleton, Slider, Tip
from supple.rotations import from_rotation_vector, multiply, to_rotation_vector

STEP = 1e-6


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


def moved(pose, d, by):
    """The pose with one freedom moved: a number added to, a ball turned in its rest frame."""
    packed = pose.skeleton.packed
    q = np.array(pose.coordinates)
    if d in packed.number_freedom:
        q[packed.number_at[list(packed.number_freedom).index(d)]] += by
    else:
        k, axis = np.argwhere(packed.turn_freedom == d)[0]
        q[packed.turn_at[k]] = multiply(
            from_rotation_vector(by * np.eye(3)[axis]), q[packed.turn_at[k]]
        )
    return Pose(pose.skeleton, q)


@pytest.mark.parametrize("name", ["tip", "elbow", "cone", "planar", "hinge", "aside"])
def test_it_is_what_differences_say(name):
    skeleton = mixed()
    generator = np.random.default_rng(4)
    pose = Pose.from_angles(skeleton, 0.4 + 0.3 * generator.normal(size=len(skeleton.freedoms)))
    found = pose.jacobian(name)
    assert found.shape == (6, len(skeleton.freedoms))
    for d in range(len(skeleton.freedoms)):
        back, on = moved(pose, d, -STEP), moved(pose, d, STEP)
        slope = (on.position(name) - back.position(name)) / (2 * STEP)
        turn = multiply(on.rotation(name), supple.rotations.conjugate(back.rotation(name)))
        assert np.allclose(found[:3, d], slope, atol=1e-8)
        assert np.allclose(found[3:, d], to_rotation_vector(turn) / (2 * STEP), atol=1e-8)


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
