"""Quaternion algebra against SciPy and against its own definitions, at the awkward places."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple import rotations as rot
from supple.errors import SuppleError

RNG = np.random.default_rng(7)
THREE_LETTER_ORDERS = [
    "".join(o) for o in itertools.product("xyz", repeat=3) if o[0] != o[1] and o[1] != o[2]
]


def random_quaternions(*shape):
    return rot.normalize(RNG.normal(size=(*shape, 4)))


def scipy_of(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def same_turn(a, b, tolerance=1e-12):
    assert np.max(rot.angle_between(a, b)) < tolerance


def test_multiply_and_rotate_agree_with_scipy():
    a, b = random_quaternions(50), random_quaternions(50)
    v = RNG.normal(size=(50, 3))
    expected = (scipy_of(a) * scipy_of(b)).apply(v)
    np.testing.assert_allclose(rot.rotate(rot.multiply(a, b), v), expected, atol=1e-13)
    np.testing.assert_allclose(rot.rotate(rot.conjugate(a), rot.rotate(a, v)), v, atol=1e-13)


def test_functions_broadcast_over_leading_axes():
    a, b = random_quaternions(4, 1), random_quaternions(3)
    assert rot.multiply(a, b).shape == (4, 3, 4)
    assert rot.rotate(a, np.ones((3, 3))).shape == (4, 3, 3)
    assert rot.from_axis_angle("x", np.zeros((2, 5))).shape == (2, 5, 4)
    assert rot.slerp(a[0, 0], b[0], np.linspace(0, 1, 6)).shape == (6, 4)
    assert rot.between(np.ones((4, 1, 3)), np.ones((2, 3))).shape == (4, 2, 4)
    swing, twist = rot.swing_twist(a, RNG.normal(size=(3, 3)))
    assert swing.shape == twist.shape == (4, 3, 4)


def test_axis_vector_takes_letters_signs_and_any_length():
    np.testing.assert_array_equal(rot.axis_vector("-y"), (0, -1, 0))
    np.testing.assert_array_equal(rot.axis_vector((0, 0, 1e-200)), (0, 0, 1))
    np.testing.assert_array_equal(rot.axis_vector((3e200, 0, 0)), (1, 0, 0))
    for bad in ("w", "", "xy", (0, 0, 0), (1, 2), (1, math.nan, 0)):
        with pytest.raises(SuppleError, match="axis"):
            rot.axis_vector(bad)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-17, 1e-9, 1e-4, 1.0, 3.0])
def test_rotation_vectors_keep_their_digits(angle):
    axis = np.array([0.6, 0.0, 0.8])
    back = rot.to_rotation_vector(rot.from_rotation_vector(angle * axis))
    np.testing.assert_allclose(back, angle * axis, rtol=4e-16, atol=0)


@pytest.mark.parametrize("short", [1e-3, 1e-9, 1e-15])
def test_rotation_vectors_near_half_a_turn(short):
    vector = (math.pi - short) * np.array([0.0, -0.6, 0.8])
    np.testing.assert_allclose(
        rot.to_rotation_vector(rot.from_rotation_vector(vector)), vector, rtol=1e-15
    )


def test_rotation_vector_goes_the_short_way():
    q = rot.from_axis_angle("z", 1.5 * math.pi)
    np.testing.assert_allclose(rot.to_rotation_vector(q), (0, 0, -0.5 * math.pi), atol=1e-15)


def test_matrices_agree_with_scipy_and_come_back():
    turns = np.concatenate(
        [
            random_quaternions(200),
            np.eye(4),
            rot.from_rotation_vector(1e-9 * RNG.normal(size=(9, 3))),
        ]
    )
    matrices = rot.to_matrix(turns)
    np.testing.assert_allclose(matrices, scipy_of(turns).as_matrix(), atol=1e-15)
    same_turn(rot.from_matrix(matrices), turns, 1e-14)
    assert np.all(rot.from_matrix(matrices)[..., 0] >= 0)


def test_from_matrix_refuses_what_is_no_rotation():
    with pytest.raises(SuppleError, match="mirror"):
        rot.from_matrix(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(SuppleError, match="orthonormal"):
        rot.from_matrix(2 * np.eye(3))
    with pytest.raises(SuppleError, match="orthonormal"):
        rot.from_matrix(np.full((3, 3), np.nan))
    with pytest.raises(SuppleError, match="shape"):
        rot.from_matrix(np.eye(4))


@pytest.mark.parametrize("order", THREE_LETTER_ORDERS)
def test_euler_angles_agree_with_scipy(order):
    angles = RNG.uniform(-3, 3, size=(40, 3))
    q = rot.from_euler(order, angles)
    expected = Rotation.from_euler(order.upper(), angles)  # upper case is intrinsic there
    same_turn(q, np.roll(expected.as_quat(), 1, axis=-1))
    read = rot.to_euler(order, q)
    np.testing.assert_allclose(read, expected.as_euler(order.upper()), atol=1e-9)


@pytest.mark.parametrize("order", THREE_LETTER_ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-11, 1e-8, -1e-8])
def test_euler_angles_where_the_axes_fall_together(order, off):
    locked = (0.0, math.pi) if order[0] == order[2] else (math.pi / 2, -math.pi / 2)
    for middle in locked:
        q = rot.from_euler(order, (0.7, middle + off, -0.4))
        read = rot.to_euler(order, q)
        same_turn(rot.from_euler(order, read), q, 1e-11)
        if off == 0.0:
            assert read[2] == 0.0


def test_euler_products_go_from_left_to_right():
    q = rot.from_euler("xz", (math.pi / 2, math.pi / 2))
    np.testing.assert_allclose(rot.rotate(q, (1, 0, 0)), (0, 0, 1), atol=1e-15)
    same_turn(rot.from_euler("y", 0.3), rot.from_axis_angle("y", 0.3))
    for bad in ("xx", "xyzx", "", "abc", "xyy"):
        with pytest.raises(SuppleError, match="order"):
            rot.from_euler(bad, (0, 0, 0))
    with pytest.raises(SuppleError, match="three letters"):
        rot.to_euler("xy", (1, 0, 0, 0))


def test_between_takes_one_direction_to_the_other_the_short_way():
    a, b = RNG.normal(size=(300, 3)), RNG.normal(size=(300, 3))
    q = rot.between(a, b)
    unit_a, unit_b = rot.axis_vector(a), rot.axis_vector(b)
    np.testing.assert_allclose(rot.rotate(q, unit_a), unit_b, atol=3e-15)
    angle = np.arctan2(np.linalg.norm(np.cross(unit_a, unit_b), axis=1), (unit_a * unit_b).sum(1))
    np.testing.assert_allclose(rot.angle_between(q, (1, 0, 0, 0)), angle, atol=1e-14)


@pytest.mark.parametrize("off", [0.0, 1e-300, 1e-16, 1e-13, 1e-10, 1e-7, 1e-3])
def test_between_is_exact_near_parallel_and_near_opposite(off):
    for a in [(1, 0, 0), (0.6, -0.64, 0.48), (1e-150, 1e-150, 0), (1e150, 0, 1e150)]:
        a = rot.axis_vector(a)
        side = rot.axis_vector(np.cross(a, (0.3, 0.5, -0.2)))
        for sign in (1.0, -1.0):
            b = rot.axis_vector(sign * a + off * side)
            q = rot.between(a, b)
            np.testing.assert_allclose(np.linalg.norm(q), 1, atol=1e-15)
            np.testing.assert_allclose(rot.rotate(q, a), b, atol=3e-15)


def test_between_refuses_a_zero_vector():
    with pytest.raises(SuppleError, match="not zero"):
        rot.between((0, 0, 0), (1, 0, 0))


def test_slerp_between_equal_turns_stays_to_the_last_bit():
    a = random_quaternions(200)
    for t in (0.1, 0.3, 0.5, 0.9, 1.0, 2.0):
        assert np.array_equal(rot.slerp(a, a, t), a)
    assert np.array_equal(rot.slerp(a, -a, 0.3), a)


def test_slerp_has_exact_ends_and_constant_speed():
    a, b = random_quaternions(30), random_quaternions(30)
    assert np.array_equal(rot.slerp(a, b, 0.0), a)
    assert np.array_equal(rot.slerp(a, b, 1.0), b)
    whole = rot.angle_between(a, b)
    for t in (0.1, 0.5, 0.9):
        middle = rot.slerp(a, b, t)
        np.testing.assert_allclose(rot.angle_between(a, middle), t * whole, atol=1e-14)
        np.testing.assert_allclose(rot.angle_between(middle, b), (1 - t) * whole, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-9, 1e-8, 1e-5, 1e-2, math.pi])
def test_slerp_between_neighbours_and_across_half_a_turn(angle):
    a = rot.from_euler("xyz", (0.3, 0.2, 0.1))
    b = -rot.multiply(a, rot.from_axis_angle("z", angle))  # the other sign: still the short way
    middle = rot.slerp(a, b, 0.25)
    np.testing.assert_allclose(np.linalg.norm(middle), 1, atol=1e-15)
    np.testing.assert_allclose(rot.angle_between(a, middle), 0.25 * angle, rtol=1e-7, atol=1e-15)


def test_swing_twist_composes_and_separates():
    q, axis = random_quaternions(100), rot.axis_vector(RNG.normal(size=(100, 3)))
    swing, twist = rot.swing_twist(q, axis)
    same_turn(rot.multiply(swing, twist), q, 1e-14)
    np.testing.assert_allclose((swing[:, 1:] * axis).sum(1), 0, atol=1e-14)
    np.testing.assert_allclose(np.cross(twist[:, 1:], axis), 0, atol=1e-15)
    assert np.all(twist[:, 0] >= 0)
    swing, twist = rot.swing_twist((0, 0, 1, 0), "x")  # straight back
    np.testing.assert_array_equal(twist, (1, 0, 0, 0))
    np.testing.assert_array_equal(swing, (0, 0, 1, 0))


def test_angle_between_sees_the_smallest_turns():
    a = random_quaternions(1)[0]
    for angle in (1e-15, 1e-9, 1.0, math.pi - 1e-9):
        b = -rot.multiply(a, rot.from_axis_angle((1, 2, 3), angle))
        assert rot.angle_between(a, b) == pytest.approx(angle, rel=1e-9, abs=3e-16)


def test_unit_quaternions_are_checked_scaled_and_kept():
    exact = random_quaternions(100)
    assert np.array_equal(rot.unit_quaternions("q", exact), exact)
    near = exact * (1 + 9e-7)
    np.testing.assert_allclose(
        np.linalg.norm(rot.unit_quaternions("q", near), axis=1), 1, atol=4e-16
    )
    with pytest.raises(SuppleError, match=r"rotation of 'b'.*length 2"):
        rot.unit_quaternions("rotation", [(1, 0, 0, 0), (2, 0, 0, 0)], ["a", "b"])
    with pytest.raises(SuppleError, match="unit quaternion"):
        rot.unit_quaternions("q", (math.nan, 0, 0, 0))
    with pytest.raises(SuppleError, match="length inf"):
        rot.unit_quaternions("q", (1e308, 0, 0, 0))


def test_normalize_refuses_zero():
    with pytest.raises(SuppleError, match="not zero"):
        rot.normalize((0, 0, 0, 0))
    with pytest.raises(SuppleError, match="shape"):
        rot.normalize((1, 0, 0))
