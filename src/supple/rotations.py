"""Rotations as unit quaternions.

Quaternions are arrays of shape (..., 4) in the order w, x, y, z; vectors are (..., 3); angles are
radians. Every function broadcasts over leading axes. `multiply(a, b)` rotates by b first and then by
a, so local rotations multiply from left to right along the path from the root to the tip. A quaternion
and its negative are the same rotation.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SuppleError, brief, unmasked

FloatArray = NDArray[np.float64]

IDENTITY_WXYZ = (1.0, 0.0, 0.0, 0.0)
_LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _numbers(what: str, value: ArrayLike, expected: str = "numbers") -> FloatArray:
    """A float64 array."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    unmasked(what, value)
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind in "cmM":
            raise TypeError
        with np.errstate(over="ignore"):  # what is too large for float64 becomes infinite
            return np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise SuppleError(f"{what}: expected {expected}, got {brief(value)}") from None


def _bounded(what: str, value: ArrayLike) -> FloatArray:
    """A float64 array without infinities; NaN is allowed."""
    numbers = _numbers(what, value)
    if np.isinf(numbers).any():
        raise SuppleError(f"{what}: expected finite numbers, got {brief(value)}")
    return numbers


def _last(what: str, value: ArrayLike, size: int) -> FloatArray:
    """A float64 array whose last axis has the given size."""
    result = _numbers(what, value, f"{size} numbers")
    if result.ndim == 0 or result.shape[-1] != size:
        raise SuppleError(f"{what}: expected shape (..., {size}), got {result.shape}")
    return result


def _length(v: FloatArray) -> FloatArray:
    """Length of the last axis, kept as an axis of one; neither overflows nor underflows."""
    largest = np.max(np.abs(v), axis=-1, keepdims=True)
    safe = np.where(largest > 0, largest, 1.0)
    return safe * np.sqrt(np.sum((v / safe) ** 2, axis=-1, keepdims=True))


def _unit(what: str, v: FloatArray) -> FloatArray:
    """Vectors normalized along the last axis; unit vectors keep their bits."""
    largest = np.max(np.abs(v), axis=-1, keepdims=True)
    if not np.all(largest > 0) or not np.all(np.isfinite(largest)):
        raise SuppleError(f"{what}: expected a finite direction that is not zero, got {v}")
    near = v / largest  # so that tiny and huge vectors have a direction too
    size = np.sqrt(np.sum(near * near, axis=-1, keepdims=True))
    return np.where(np.abs(size * largest - 1.0) <= 1.5e-15, v, near / size)


def axis_vector(axis: str | ArrayLike, *, what: str = "axis") -> FloatArray:
    """Unit vectors (..., 3) from vectors of any length, or from a letter such as "x" or "-y"."""
    if isinstance(axis, str):
        letter = axis.strip().lower().lstrip("+-")
        if letter not in _LETTERS:
            raise SuppleError(
                f'{what}: expected "x", "y", "z", "-x", "-y", "-z" or three numbers, got {brief(axis)}'
            )
        sign = -1.0 if axis.strip().startswith("-") else 1.0
        return np.array([sign * c if c else 0.0 for c in _LETTERS[letter]])
    return _unit(what, _last(what, axis, 3))


def multiply(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The product a b, shape (..., 4): the rotation by b, then by a."""
    a, b = _last("quaternion", a, 4), _last("quaternion", b, 4)
    aw, ax, ay, az = (a[..., k] for k in range(4))
    bw, bx, by, bz = (b[..., k] for k in range(4))
    product = np.empty((*np.broadcast_shapes(aw.shape, bw.shape), 4))
    product[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def conjugate(q: ArrayLike) -> FloatArray:
    """The inverse of unit quaternions, shape (..., 4)."""
    return _last("quaternion", q, 4) * (1.0, -1.0, -1.0, -1.0)


def normalize(q: ArrayLike) -> FloatArray:
    """Quaternions scaled to length one, shape (..., 4). A zero quaternion is an error."""
    return _unit("quaternion", _last("quaternion", q, 4))


def rotate(q: ArrayLike, v: ArrayLike) -> FloatArray:
    """Vectors v, shape (..., 3), rotated by unit quaternions q, shape (..., 4)."""
    q, v = _last("quaternion", q, 4), _last("vector", v, 3)
    w, x, y, z = (q[..., k] for k in range(4))
    a, b, c = (v[..., k] for k in range(3))
    # v + w t + u x t with t = 2 u x v, by components: np.cross takes several times as long.
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    turned = np.empty((*np.broadcast_shapes(w.shape, a.shape), 3))
    turned[..., 0] = a + w * d + (y * f - z * e)
    turned[..., 1] = b + w * e + (z * d - x * f)
    turned[..., 2] = c + w * f + (x * e - y * d)
    return turned


def from_axis_angle(axis: str | ArrayLike, angle: ArrayLike) -> FloatArray:
    """Rotations by angles (...) about axes (..., 3) of any length, or about a letter such as "x"."""
    axis = axis_vector(axis)
    half = 0.5 * _bounded("angle", angle)[..., None]
    vector = axis * np.sin(half)
    return np.concatenate([np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1)), vector], axis=-1)


def from_rotation_vector(vector: ArrayLike) -> FloatArray:
    """Rotations about the direction of each vector (..., 3) by its length in radians."""
    vector = _last("rotation vector", vector, 3)
    angle = _length(vector)
    factor = np.where(angle > 0, np.sin(0.5 * angle) / np.where(angle > 0, angle, 1.0), 0.5)
    return np.concatenate([np.cos(0.5 * angle), factor * vector], axis=-1)


def to_rotation_vector(q: ArrayLike) -> FloatArray:
    """The shortest rotation vectors (..., 3) of quaternions: no longer than pi."""
    q = _last("quaternion", q, 4)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = _length(q[..., 1:])
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)


def to_matrix(q: ArrayLike) -> FloatArray:
    """Rotation matrices (..., 3, 3) of unit quaternions; column k is the rotated axis k."""
    w, x, y, z = np.moveaxis(_last("quaternion", q, 4), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> FloatArray:
    """Quaternions (..., 4) of rotation matrices (..., 3, 3), w >= 0.

    Matrices within 1e-4 of a rotation are accepted; a mirror, a scale or a shear is an error.
    """
    unmasked("rotation matrix", matrix)
    m = _numbers("matrix", matrix)
    if m.shape[-2:] != (3, 3):
        raise SuppleError(f"rotation matrix: expected shape (..., 3, 3), got {m.shape}")
    off = np.max(np.abs(m @ np.swapaxes(m, -1, -2) - np.eye(3)), initial=0.0)
    if not off < 1e-4:
        raise SuppleError(
            f"rotation matrix: expected orthonormal columns, got a matrix off by {off:.3g}"
        )
    if np.any(np.linalg.det(m) < 0):
        raise SuppleError("rotation matrix: expected determinant 1, got a mirror (determinant -1)")
    # Shepperd 1978: of the four formulas, the one for the largest component loses no digits.
    d = np.moveaxis(np.diagonal(m, axis1=-2, axis2=-1), -1, 0)
    xx, yy, zz = d
    yz, zx, xy = (
        m[..., 2, 1] + m[..., 1, 2],
        m[..., 0, 2] + m[..., 2, 0],
        m[..., 1, 0] + m[..., 0, 1],
    )
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2],
        m[..., 0, 2] - m[..., 2, 0],
        m[..., 1, 0] - m[..., 0, 1],
    )
    starts = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, zx], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, zx, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(starts, axis1=-2, axis2=-1), axis=-1)[..., None, None]
    q = normalize(np.take_along_axis(starts, best, axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def euler_order(order: str, *, what: str = "order") -> tuple[int, ...]:
    """The axes of an order such as "xyz" or "zx": one to three, no two neighbours alike."""
    letters = order.lower() if isinstance(order, str) else ""
    good = 1 <= len(letters) <= 3 and set(letters) <= set("xyz")
    if not good or any(a == b for a, b in zip(letters, letters[1:], strict=False)):
        raise SuppleError(
            f"{what}: expected one to three of the letters x, y, z with no two neighbours alike, "
            f'such as "xyz" or "zxz", got {brief(order)}'
        )
    return tuple("xyz".index(letter) for letter in letters)


def from_euler(order: str, angles: ArrayLike) -> FloatArray:
    """Products of rotations about the joint's own axes, left to right: "xyz" is X(a0) Y(a1) Z(a2).

    Args:
        order: One to three letters.
        angles: Radians, shape (..., len(order)); or a single number for a single letter.
    """
    axes = euler_order(order)
    unmasked(f"angles of order {order!r}", angles)
    values = _numbers("angles", angles)
    if len(axes) == 1 and values.ndim == 0:
        values = values[None]
    values = _last(f"angles of order {order!r}", values, len(axes))
    q = from_axis_angle("xyz"[axes[0]], values[..., 0])
    for k, axis in enumerate(axes[1:], start=1):
        q = multiply(q, from_axis_angle("xyz"[axis], values[..., k]))
    return q


def to_euler(order: str, q: ArrayLike) -> FloatArray:
    """The angles (..., 3) for which `from_euler(order, angles)` is q, for any three-letter order.

    The middle angle is in [-pi/2, pi/2], or in [0, pi] where the first and last letter are the
    same; the others are in (-pi, pi]. Where the first and last axis coincide, the last angle is 0.
    """
    axes = euler_order(order)
    if len(axes) != 3:
        raise SuppleError(
            f"order: expected three letters to read angles off a rotation, got {brief(order)}"
        )
    q = _last("quaternion", q, 4)
    # Bernardes and Viollet 2022, "Quaternion to Euler angles conversion", algorithm 1. It is for
    # products from right to left; reading the order backwards gives ours.
    k, j, i = axes
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) / 2
    w, u = q[..., 0], q[..., 1:]
    if proper:
        a, b, c, d = w, u[..., i], u[..., j], u[..., k] * sign
    else:
        a, b = w - u[..., j], u[..., i] + u[..., k] * sign
        c, d = u[..., j] + w, u[..., k] * sign - u[..., i]
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    plus, minus = np.arctan2(b, a), np.arctan2(d, c)
    low, high = middle < 1e-12, middle > math.pi - 1e-12
    first = np.where(low | high, 0.0, plus - minus)
    last = np.where(low, 2.0 * plus, np.where(high, 2.0 * minus, plus + minus))
    if not proper:
        last = sign * last
        middle = middle - 0.5 * math.pi
    return np.stack([_wrap(last), middle, _wrap(first)], axis=-1)


def _wrap(angle: FloatArray) -> FloatArray:
    """Angles wrapped to (-pi, pi]; those inside keep their bits."""
    turns = np.ceil((angle - math.pi) / (2.0 * math.pi))
    return np.where(
        np.abs(angle) <= math.pi,
        np.where(angle == -math.pi, math.pi, angle),
        angle - turns * 2 * math.pi,
    )


def between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The shortest rotations from the directions a (..., 3) to the directions b (..., 3).

    Opposite directions rotate by pi about an axis that depends on a alone. Lengths do not matter, but
    zero is an error.
    """
    a, b = np.broadcast_arrays(_unit("a", _last("a", a, 3)), _unit("b", _last("b", b, 3)))
    cross = np.cross(a, b)
    size = _length(cross)
    opposed = np.sum(a * b, axis=-1, keepdims=True) < 0
    # Beyond a right angle, first rotate by pi to -a about an axis perpendicular to a, then by the small
    # angle from -a to b: this avoids dividing by a difference of nearly equal numbers.
    axis = np.where(size > 1e-12, cross / np.where(size > 1e-12, size, 1.0), _perpendicular(a))
    axis = _unit("axis", axis - np.sum(axis * a, axis=-1, keepdims=True) * a)
    start = np.where(opposed, -a, a)
    near = _length(start + b)
    rest = np.concatenate([0.5 * near, np.cross(start, b) / near], axis=-1)
    half_turn = np.concatenate([np.zeros_like(near), axis], axis=-1)
    return normalize(np.where(opposed, multiply(rest, half_turn), rest))


def _perpendicular(a: FloatArray) -> FloatArray:
    """A unit vector perpendicular to each unit vector, deterministic."""
    other = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    return _unit("direction", np.cross(a, other))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> FloatArray:
    """Rotations interpolated by t (...) along the shortest arc from a to b, at constant speed.

    t = 0 gives a and t = 1 gives b to the last bit; if b is a or -a, any other t gives a.
    t outside [0, 1] extrapolates along the same arc.
    """
    a, b = np.broadcast_arrays(_last("quaternion", a, 4), _last("quaternion", b, 4))
    t = _bounded("t", t)[..., None]
    near = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    arc = 2.0 * np.arctan2(
        _length(near - a), _length(near + a)
    )  # of the quaternions: half the angle of rotation
    flat = arc < 1e-9  # there the sines are their arguments
    sine = np.where(flat, 1.0, np.sin(arc))
    from_a = np.where(flat, 1.0 - t, np.sin((1.0 - t) * arc) / sine)
    from_b = np.where(flat, t, np.sin(t * arc) / sine)
    middle = from_a * a + from_b * near
    stays = (t == 0.0) | (arc == 0.0)
    return np.where(t == 1.0, b, np.where(stays, a, middle / _length(middle)))


def swing_twist(q: ArrayLike, axis: str | ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Split q into (swing, twist), q = swing * twist: about an axis perpendicular to `axis`, and about it.

    The twist has w >= 0. At a swing of exactly pi the twist is undefined, and the identity is returned.
    """
    q = _last("quaternion", q, 4)
    axis = axis_vector(axis)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    vector = along * axis
    twist = np.concatenate([np.broadcast_to(q[..., :1], (*vector.shape[:-1], 1)), vector], axis=-1)
    size = _length(twist)
    lost = size == 0
    twist = np.where(lost, (1.0, 0.0, 0.0, 0.0), twist / np.where(lost, 1.0, size))
    swing = multiply(q, conjugate(twist))
    flip = twist[..., :1] < 0
    return np.where(flip, -swing, swing), np.where(flip, -twist, twist)


def angle_between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The angles (...) in [0, pi] of the rotations from a to b, accurate near 0 and near pi, too."""
    turn = multiply(conjugate(a), b)
    return 2.0 * np.arctan2(_length(turn[..., 1:])[..., 0], np.abs(turn[..., 0]))


def unit_quaternions(what: str, value: ArrayLike, names: Sequence[str] | None = None) -> FloatArray:
    """Quaternions (..., 4) checked to be unit within 1e-6, and normalized; exact ones keep their bits.

    Args:
        what: Their name for errors.
        value: Quaternions wxyz, shape (..., 4).
        names: A name for each along the last leading axis, for errors.
    """
    q = _last(what, value, 4)
    with np.errstate(over="ignore"):  # infinite lengths are refused below
        square = np.sum(q * q, axis=-1, keepdims=True)
    bad = ~(np.abs(square - 1.0) <= 2e-6)
    if np.any(bad):
        where = tuple(np.argwhere(bad[..., 0])[0])
        who = f" of {names[where[-1]]!r}" if names else ""
        size = math.sqrt(square[(*where, 0)]) if square[(*where, 0)] >= 0 else math.nan
        raise SuppleError(
            f"{what}{who}: expected a unit quaternion (w, x, y, z), "
            f"got {q[where].tolist()} of length {size:.6g}"
        )
    # A quaternion normalised in floating point is within 2e-15 of length one: it is left as it is.
    return np.where(np.abs(square - 1.0) <= 2e-15, q, q / np.sqrt(square)) + 0.0
