"""The laws of rotations, everywhere and above all near the identity and near half a turn."""

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from supple import rotations as rot

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
numbers = st.floats(-1, 1, allow_subnormal=False)
directions = (
    st.tuples(numbers, numbers, numbers)
    .filter(lambda v: max(map(abs, v)) > 1e-3)
    .map(rot.axis_vector)
)
angles = st.one_of(
    st.floats(-math.pi, math.pi),
    st.sampled_from([0.0, 1e-300, 1e-16, 1e-9, 1e-5, math.pi - 1e-9, math.pi, -math.pi]),
)
turns = st.builds(rot.from_axis_angle, directions, angles)
vectors = st.tuples(*[st.floats(-1e3, 1e3)] * 3).map(np.array)


def apart(a, b):
    return float(rot.angle_between(a, b))


@given(turns, turns, turns)
def test_product_is_associative_with_identity_and_inverse(a, b, c):
    assert apart(rot.multiply(rot.multiply(a, b), c), rot.multiply(a, rot.multiply(b, c))) < 1e-14
    assert np.array_equal(rot.multiply(a, IDENTITY), a)
    assert apart(rot.multiply(a, rot.conjugate(a)), IDENTITY) < 1e-14


@given(turns, turns, vectors)
def test_rotating_twice_is_rotating_by_the_product(a, b, v):
    size = 1 + np.abs(v).max()
    once, twice = rot.rotate(rot.multiply(a, b), v), rot.rotate(a, rot.rotate(b, v))
    assert np.abs(once - twice).max() < 1e-14 * size
    assert abs(np.linalg.norm(once) - np.linalg.norm(v)) < 1e-14 * size
    assert np.abs(rot.to_matrix(a) @ v - rot.rotate(a, v)).max() < 1e-14 * size


@given(turns)
def test_other_forms_come_back(q):
    assert apart(rot.from_rotation_vector(rot.to_rotation_vector(q)), q) < 1e-14
    assert apart(rot.from_matrix(rot.to_matrix(q)), q) < 1e-14
    assert np.linalg.norm(rot.to_rotation_vector(q)) <= math.pi + 1e-14


@given(turns, st.sampled_from(["xyz", "zyx", "yxz", "zxz", "xyx", "yzy"]))
def test_euler_angles_come_back(q, order):
    read = rot.to_euler(order, q)
    assert np.all(np.isfinite(read))
    assert apart(rot.from_euler(order, read), q) < 1e-11


@given(directions, directions)
def test_between_is_the_least_turn(a, b):
    q = rot.between(a, b)
    assert np.abs(rot.rotate(q, a) - b).max() < 1e-14
    assert abs(q[1:] @ a) < 1e-14  # no twist: nothing shorter does it
    assert apart(rot.between(b, a), rot.conjugate(q)) < 1e-14 or a @ b < -1 + 1e-12


@given(turns, turns, st.floats(0, 1))
def test_slerp_stays_on_the_short_arc(a, b, t):
    whole = apart(a, b)
    assume(whole < math.pi - 1e-9)  # beyond, both ways are short
    middle = rot.slerp(a, b, t)
    assert abs(np.linalg.norm(middle) - 1) < 1e-14
    assert abs(apart(a, middle) - t * whole) < 1e-14
    assert apart(rot.slerp(b, a, 1 - t), middle) < 1e-13


@given(turns, directions)
def test_swing_twist_composes_and_swings_as_far_as_the_axis_moves(q, axis):
    swing, twist = rot.swing_twist(q, axis)
    assert apart(rot.multiply(swing, twist), q) < 1e-14
    assert np.abs(rot.rotate(twist, axis) - axis).max() < 1e-14
    moved = rot.rotate(q, axis)
    tilt = math.atan2(np.linalg.norm(np.cross(axis, moved)), axis @ moved)
    assert abs(apart(swing, IDENTITY) - tilt) < 1e-14
