"""Limits: clamped exactly, measured independently, and nothing inside them touched."""

import math

import numpy as np
import pytest

from supple import rotations as rot
from supple.kernels.joint import clamp_angle, swing_twist_angles, unwrapped
from supple.model.joints import Axes, Ball, Cone, Free, Hinge, Planar, Slider
from supple.model.skeleton import Node, Pose, Skeleton, Tip, chain

RNG = np.random.default_rng(23)
TURN = 2 * math.pi


def single(joint):
    return Skeleton([Node("j", None, (0, 0, 0), joint)], [Tip("t", "j", (1, 0, 0))])


def swing_and_twist(q, axis):
    """Measured by vectors alone: how far the axis tilts, and the turn left without the tilt."""
    axis = rot.axis_vector(axis)
    pointing = rot.rotate(q, axis)
    swing = np.arctan2(
        np.linalg.norm(np.cross(axis, pointing), axis=-1), np.sum(axis * pointing, axis=-1)
    )
    back = rot.multiply(rot.between(pointing, np.broadcast_to(axis, pointing.shape)), q)
    side = rot.axis_vector(np.cross(axis, (0.3, -0.5, 0.8)))
    moved = rot.rotate(back, side)
    twist = np.arctan2(np.sum(np.cross(axis, side) * moved, axis=-1), np.sum(side * moved, axis=-1))
    return swing, twist


def outside(angle, low, high):
    """How far an angle is from an interval, around the circle."""
    if high - low >= TURN:
        return np.zeros_like(angle)
    inside = (angle - low) % TURN <= high - low
    to_low = np.abs((angle - low + math.pi) % TURN - math.pi)
    to_high = np.abs((angle - high + math.pi) % TURN - math.pi)
    return np.where(inside, 0.0, np.minimum(to_low, to_high))


CONES = [
    Cone(0.7, axis="x"),
    Cone(0.0, (-0.5, 0.5), axis="y"),
    Cone(1.2, (0, 0), axis=(1, 2, 3)),
    Cone(0.4, (0.2, 1.0), axis="-z"),
    Cone(2.9, (-3.0, -1.0), axis=(1, -1, 0)),
    Cone(math.pi, axis="x"),
    Cone(math.pi, (-1, 1), axis="x"),
    Cone(1.0, (2.0, 4.5), axis="z"),
    Cone(1.0, (9.0, 10.0), axis="z"),
    Cone(1.0, (-14.0, -12.0), axis=(1, 1, 1)),
]


def cone_samples(axis):
    """Random turns, and turns near rest, straight back, half twisted, and of either sign."""
    axis = rot.axis_vector(axis)
    side = rot.axis_vector(np.cross(axis, (0.1, 0.7, -0.2)))
    tiny = RNG.normal(size=(200, 3)) * 10.0 ** RNG.uniform(-17, 0, size=(200, 1))
    near = rot.from_rotation_vector(tiny)
    half_swing = rot.from_axis_angle(side, math.pi)
    half_twist = rot.from_axis_angle(axis, math.pi)
    q = np.concatenate(
        [
            rot.normalize(RNG.normal(size=(2000, 4))),
            near,
            rot.multiply(near, half_swing),
            rot.multiply(near, half_twist),
            [half_swing, half_twist, rot.multiply(half_swing, half_twist), (1, 0, 0, 0)],
        ]
    )
    return np.concatenate([q, -q])


@pytest.mark.parametrize("cone", CONES, ids=repr)
def test_cones_clamp_exactly_and_measure_what_vectors_measure(cone):
    skeleton = single(cone)
    poses = Pose(skeleton, cone_samples(cone.axis))
    (_, most), (low, high) = cone.limit_rows
    swing, twist = swing_and_twist(poses.coordinates, cone.axis)
    clear = swing < math.pi - 1e-3  # straight back, a twist cannot be told
    expected = np.maximum(np.maximum(swing - most, 0), outside(twist, low, high))
    np.testing.assert_allclose(poses.violations()[clear, 0], expected[clear], atol=1e-11)

    clamped = poses.clamped()
    assert clamped.violations().max() < 1e-12
    np.testing.assert_allclose(np.linalg.norm(clamped.coordinates, axis=-1), 1, atol=1e-15)
    swing_after, twist_after = swing_and_twist(clamped.coordinates, cone.axis)
    assert np.max(swing_after - most) < 1e-12
    if swing_after.max() < math.pi - 1e-3:
        assert np.max(outside(twist_after, low, high)) < 1e-11


@pytest.mark.parametrize("cone", CONES, ids=repr)
def test_cones_leave_alone_what_is_inside(cone):
    poses = Pose(single(cone), cone_samples(cone.axis)).clamped()
    again = poses.clamped()
    moved = rot.angle_between(poses.coordinates, again.coordinates)
    assert moved.max() < 1e-12
    safe = Cone(math.pi, axis=cone.axis)
    free = Pose(single(safe), cone_samples(cone.axis))
    assert np.array_equal(free.clamped().coordinates, free.coordinates)


def test_cone_clamps_swing_and_twist_each_on_its_own():
    axis = rot.axis_vector((1, 2, 3))
    side = rot.axis_vector(np.cross(axis, (0, 0, 1)))
    skeleton = single(Cone(0.5, (-0.2, 0.3), axis=axis))

    def turn(swing, twist):
        return rot.multiply(rot.from_axis_angle(side, swing), rot.from_axis_angle(axis, twist))

    for swing, twist, held_swing, held_twist in (
        (0.9, 0.1, 0.5, 0.1),
        (0.3, 2.0, 0.3, 0.3),
        (0.3, -2.0, 0.3, -0.2),
        (-2.0, 1.0, -0.5, 0.3),
        (0.0, 3.0, 0.0, 0.3),
        (0.0, -3.0, 0.0, -0.2),
    ):
        held = Pose(skeleton, turn(swing, twist)).clamped().coordinates
        assert rot.angle_between(held, turn(held_swing, held_twist)) < 1e-14
        other = Pose(skeleton, -turn(swing, twist)).clamped().coordinates
        assert rot.angle_between(held, other) < 1e-14


def test_twist_limits_go_round_the_circle():
    assert clamp_angle(-3.0, 2.0, 4.0) == pytest.approx(TURN - 3.0)
    assert clamp_angle(0.5, 2.0, 4.0) == 2.0
    assert clamp_angle(-1.0, 2.0, 4.0) == 4.0
    assert clamp_angle(-3.0, 9.0, 10.0) == pytest.approx(2 * TURN - 3.0)
    assert clamp_angle(-2.5, 9.0, 10.0) == 10.0  # 10.07 after two turns
    assert clamp_angle(3.0, -9.0, 9.0) == 3.0
    assert unwrapped(-3.0, 2.0, 4.0) == pytest.approx(TURN - 3.0)
    assert unwrapped(0.3, 0.0, 1.0) == 0.3


def test_swing_twist_angles_at_the_ends():
    assert swing_twist_angles((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0)) == (0.0, 0.0)
    assert swing_twist_angles((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0)) == (math.pi, 0.0)
    assert swing_twist_angles((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0)) == (0.0, math.pi)
    assert swing_twist_angles((0.0, 0.0, 0.0, -1.0), (0.0, 0.0, 1.0)) == (0.0, math.pi)
    swing, twist = swing_twist_angles((1.0, 1e-12, 0.0, 1e-13), (0.0, 0.0, 1.0))
    assert swing == pytest.approx(2e-12, rel=1e-12)
    assert twist == pytest.approx(2e-13, rel=1e-12)


@pytest.mark.parametrize(
    ("joint", "given", "held", "excess"),
    [
        (Hinge(limits=(-1, 2)), [-1.5], [-1], 0.5),
        (Hinge(limits=(-1, 2)), [7], [2], 5),
        (Hinge(limits=(7, 9)), [1], [7], 6),  # beyond half a turn, 1 and 1 + 2 pi differ
        (Hinge(limits=(None, 2)), [-100], [-100], 0),
        (Hinge(), [50], [50], 0),
        (Slider(limits=(0, 1)), [-3], [0], 3),
        (Axes("xyz", {"x": (-1, 1), "z": (0, 2)}), [2, 9, -0.5], [1, 9, 0], 1),
        (Axes("yx", [(-1, 1), (5, 6)]), [0.5, 0], [0.5, 5], 5),
        (Axes("xy", [(-1, 1), (-1, 1)], frozen="y"), [3, 4], [1, 4], 2),
        (Planar("z", [(0, 1), (0, 1), (-0.1, 0.1)]), [2, -3, 0.05], [1, 0, 0.05], 3),
        (Hinge(limits=(0, 1), stretch=(0.5, 2)), [0.5, 5], [0.5, 2], 3),
        (Ball(stretch=(0.5, 2)), [1, 0, 0, 0, 0.1], [1, 0, 0, 0, 0.5], 0.4),
        (Free(), [9, 9, 9, 0, 1, 0, 0], [9, 9, 9, 0, 1, 0, 0], 0),
    ],
)
def test_numbers_are_clamped_as_numbers(joint, given, held, excess):
    pose = Pose(single(joint), given)
    assert pose.violations()[0] == pytest.approx(excess, abs=1e-15)
    assert pose.clamped().coordinates.tolist() == held
    assert pose.clamped().violations()[0] == 0


def test_mimics_stay_within_their_own_limits():
    arm = Skeleton(
        [
            Node("a", None, (0, 0, 0), Hinge(limits=(-1, 2))),
            Node("b", "a", (1, 0, 0), Hinge(limits=(-0.5, 0.9), mimic=("a", -0.7, 0.1))),
        ]
    )
    for angle in np.linspace(-3, 3, 50):
        held = arm.pose({"a": angle}).clamped()
        assert held.violations().max() < 1e-15
        assert held.coordinates[1] == pytest.approx(-0.7 * held.coordinates[0] + 0.1, abs=1e-15)
    assert arm.pose({"a": -2.0}).violations()[1] == pytest.approx(1.5 - 0.9)


def test_a_mimic_joint_that_does_not_follow_is_a_violation():
    arm = chain([1, 1, 1], joint=[Hinge(), Hinge(mimic=("j0", 0.5, 0.1)), Hinge()])
    broken = Pose._wrap(arm, np.array([[0.4, 0.3, 1.0], [0.4, 0.37, 1.0]]))
    np.testing.assert_allclose(broken.violations(), [[0, 0, 0], [0, 0.07, 0]], atol=1e-15)
    assert broken.clamped().violations().max() == 0


def test_clamping_does_not_touch_the_original_or_the_rest():
    arm = chain([1, 1], joint=Hinge(limits=(-1, 1)))
    pose = arm.pose({"j0": 3.0, "j1": 0.25})
    held = pose.clamped()
    assert pose.coordinates.tolist() == [3.0, 0.25]
    assert held.coordinates.tolist() == [1.0, 0.25]
