"""A swing with four half-angles: which way is up, the nearest place inside, and what is left alone."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple import rotations as rot
from supple.kernels import layout, quadrants
from supple.kernels.quadrants import Quadrants
from supple.model.joints import Cone
from supple.model.skeleton import Node, Pose, Skeleton, Tip

RNG = np.random.default_rng(5)
CONES = [
    Cone((0.2, 0.9, 0.5, 1.2), axis="x"),
    Cone((0.2, 0.9, 0.5, 1.2), (-0.4, 0.3), axis="x", up="z"),
    Cone((0.0, 0.9, 0.0, 0.3), axis="y"),
    Cone((1e-3, 2.0, 0.5, 0.0), (0.2, 1.0), axis=(1, 2, 3)),
    Cone((math.pi, 1.0, math.pi, 0.1), (2.0, 4.5), axis="-z", up=(1, 1, 1)),
    Cone((math.pi, math.pi, 1.0, math.pi), axis=(0.1, -1, 0.2)),
]
ANGLES = st.floats(1e-3, 3.0)


def single(joint):
    return Skeleton([Node("j", None, (0, 0, 0), joint)], [Tip("t", "j", (1, 0, 0))])


def frame(skeleton):
    """Axis, up and right of a lone cone."""
    row = skeleton.packed_floats[0]
    axis, up = row[layout.AXIS : layout.AXIS + 3], row[layout.AXIS + 3 : layout.AXIS + 6]
    return axis, up, np.cross(axis, up)


def tilts(q, skeleton):
    """The tilts towards up and right of turns (N, 4), by vectors alone; also twists."""
    axis, up, right = frame(skeleton)
    pointing = rot.rotate(q, axis)
    across = pointing - (pointing @ axis)[:, None] * axis
    swing = np.arctan2(np.linalg.norm(across, axis=1), pointing @ axis)
    size = np.linalg.norm(across, axis=1)
    part = np.divide(swing, size, out=np.ones_like(size), where=size > 0)
    back = rot.multiply(rot.between(pointing, np.broadcast_to(axis, pointing.shape)), q)
    moved = rot.rotate(back, up)
    return part * (across @ up), part * (across @ right), np.arctan2(moved @ right, moved @ up)


def turn(skeleton, a, b, twist=0.0):
    axis, up, right = frame(skeleton)
    swing = rot.from_rotation_vector(a * right - b * up)
    return rot.multiply(swing, rot.from_axis_angle(axis, twist))


def record(down, up, left, right):
    return Quadrants((1, 0, 0), (0, 1, 0), (0, 0, 1), down, up, left, right, -math.pi, math.pi)


def boundary(half, count=20001):
    """The boundary, densely sampled, (count, 2)."""
    x = np.linspace(0, 2 * math.pi, count)
    a, b = np.cos(x), np.sin(x)
    down, up, left, right = half
    return np.stack([a * np.where(a >= 0, up, down), b * np.where(b >= 0, right, left)], axis=1)


@settings(deadline=None)
@given(st.tuples(ANGLES, ANGLES, ANGLES, ANGLES), st.floats(-4, 4), st.floats(-4, 4))
def test_the_projection_is_the_nearest_place_inside(half, a, b):
    found = quadrants.nearest(record(*half), a, b)
    if quadrants.level(record(*half), a, b) <= 1.0:
        assert found == (a, b)
        return
    assert quadrants.level(record(*half), *found) == pytest.approx(1.0, abs=1e-14)
    away = math.dist(found, (a, b))
    samples = np.linalg.norm(boundary(half) - (a, b), axis=1)
    assert away <= samples.min() + 1e-12
    assert away >= samples.min() - 1e-3 * max(half)  # the samples are this far apart
    assert quadrants.outside(record(*half), a, b) == pytest.approx(away, rel=1e-15)


@pytest.mark.parametrize(
    "half", [(1e-9, 1.0, 1e-9, 2.0), (1e-9, 1e-9, 3.0, 3.1), (2.0, 1e-4, 1.0, 1e-9)]
)
def test_narrow_quadrants_have_a_nearest_place_too(half):
    for a, b in (*RNG.normal(size=(200, 2)), (0.0, 5.0), (5.0, 0.0), (-1e-9, -4.0), (1e-300, 1.0)):
        found = quadrants.nearest(record(*half), a, b)
        samples = np.linalg.norm(boundary(half) - (a, b), axis=1)
        inside = quadrants.level(record(*half), a, b) <= 1.0
        assert inside or math.dist(found, (a, b)) <= samples.min() + 1e-9
        assert quadrants.level(record(*half), *found) <= 1.0 + 1e-9


def test_which_way_is_down_up_left_and_right():
    skeleton = single(Cone((0.1, 0.2, 0.3, 0.4), axis="-z"))  # looks along -z: up is y, right is x
    for way, half in (((0, -1, 0), 0.1), ((0, 1, 0), 0.2), ((-1, 0, 0), 0.3), ((1, 0, 0), 0.4)):
        far = rot.between((0, 0, -1), np.array(way) + (0, 0, -1e-3))
        pointing = rot.rotate(Pose(skeleton, far).clamped().coordinates, (0, 0, -1))
        assert pointing @ way == pytest.approx(math.sin(half), abs=1e-12)
    for axis, up in (("x", "y"), ("z", "y"), ("y", "z"), ((0.1, 1, 0.1), "z"), ((1, 0.9, 0), "y")):
        given_up = single(Cone((0.1, 0.2, 0.3, 0.4), axis=axis, up=up))
        assert single(Cone((0.1, 0.2, 0.3, 0.4), axis=axis)).packed_floats == pytest.approx(
            given_up.packed_floats
        )


@pytest.mark.parametrize("cone", CONES, ids=repr)
def test_clamping_goes_to_the_nearest_tilt_and_measures_what_vectors_measure(cone):
    skeleton = single(cone)
    half, (low, high) = cone.half_angles, cone.limit_rows[1]
    poses = Pose(skeleton, rot.normalize(RNG.normal(size=(1000, 4))))
    a, b, twist = tilts(poses.coordinates, skeleton)
    nearest = np.array([quadrants.nearest(record(*half), *ab) for ab in zip(a, b, strict=True)])
    apart = np.hypot(a - nearest[:, 0], b - nearest[:, 1])
    middle = 0.5 * (low + high)
    off = np.abs((twist - middle + math.pi) % (2 * math.pi) - math.pi) - 0.5 * (high - low)
    clear = np.hypot(a, b) < math.pi - 1e-3
    expected = np.maximum(apart, np.maximum(off, 0.0))
    np.testing.assert_allclose(poses.violations()[clear, 0], expected[clear], atol=1e-11)

    clamped = poses.clamped()
    assert clamped.violations().max() < 1e-12
    after_a, after_b, _ = tilts(clamped.coordinates, skeleton)
    np.testing.assert_allclose(np.stack([after_a, after_b], 1)[clear], nearest[clear], atol=1e-10)
    assert np.array_equal(clamped.clamped().coordinates, clamped.coordinates)


@pytest.mark.parametrize("cone", CONES, ids=repr)
def test_what_is_inside_keeps_its_bits(cone):
    skeleton = single(cone)
    half, (low, high) = cone.half_angles, cone.limit_rows[1]
    inside = 0.999 * RNG.uniform(size=(200, 1)) * boundary(half, 200)
    turns = [turn(skeleton, a, b, RNG.uniform(low, high)) for a, b in inside]
    poses = Pose(skeleton, np.array(turns))
    assert np.array_equal(poses.clamped().coordinates, poses.coordinates)
    assert poses.violations().max() == 0


def test_half_angles_that_hardly_differ_are_a_round_cone():
    round_one = single(Cone(0.7, (-0.5, 0.4), axis=(1, 2, 3)))
    almost = single(Cone((0.7, 0.7, 0.7 + 1e-13, 0.7), (-0.5, 0.4), axis=(1, 2, 3)))
    q = rot.normalize(RNG.normal(size=(500, 4)))
    one, other = Pose(round_one, q), Pose(almost, q)
    assert rot.angle_between(one.clamped().coordinates, other.clamped().coordinates).max() < 1e-7
    np.testing.assert_allclose(one.violations(), other.violations(), atol=1e-11)
