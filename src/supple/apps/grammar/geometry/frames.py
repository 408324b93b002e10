"""Vectors and rotations as plain tuples.

A rotation matrix is nine numbers, row by row; its columns are the axes. The derivation handles one
or two frames per shape: for so few numbers tuples are faster than arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

Vector = tuple[float, float, float]
Rotation = tuple[float, float, float, float, float, float, float, float, float]


class Scope(NamedTuple):
    """The oriented bounding box of a shape.

    Attributes:
        p: Its origin in world.
        R: Its axes in world.
        s: Its size along its axes, in the model's unit.
    """

    p: Vector
    R: Rotation
    s: Vector


ORIGIN: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Rotation = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def vector(values: Iterable[float]) -> Vector:
    """Three numbers, such as an array of shape (3,), as a tuple of floats."""
    x, y, z = (float(value) for value in values)
    return x, y, z


def rotated(R: Rotation, v: Vector) -> Vector:
    """R v."""
    x, y, z = v
    return (
        R[0] * x + R[1] * y + R[2] * z,
        R[3] * x + R[4] * y + R[5] * z,
        R[6] * x + R[7] * y + R[8] * z,
    )


def rotated_back(R: Rotation, v: Vector) -> Vector:
    """R^T v."""
    x, y, z = v
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


def placed(p: Vector, R: Rotation, v: Vector) -> Vector:
    """A point v of the frame (p, R) in world coordinates: p + R v."""
    x, y, z = v
    return (
        p[0] + R[0] * x + R[1] * y + R[2] * z,
        p[1] + R[3] * x + R[4] * y + R[5] * z,
        p[2] + R[6] * x + R[7] * y + R[8] * z,
    )


def transposed(R: Rotation) -> Rotation:
    """R^T, the inverse rotation."""
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])


def minus(a: Vector, b: Vector) -> Vector:
    """The difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(a: Vector, b: Vector) -> Vector:
    """The elementwise product."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def product(A: Rotation, B: Rotation) -> Rotation:
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


def from_axes(x: Vector, y: Vector, z: Vector) -> Rotation:
    """The rotation with three orthonormal axes as columns."""
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def from_degrees(x: float, y: float, z: float) -> Rotation:
    """Intrinsic rotation by degrees about x, then y, then z: X(x) Y(y) Z(z).

    Multiples of 90 degrees are exact.
    """
    a, b = _cos_sin(x)
    c, d = _cos_sin(y)
    e, f = _cos_sin(z)
    return (
        c * e, -c * f, d,
        a * f + b * d * e, a * e - b * d * f, -b * c,
        b * f - a * d * e, b * e + a * d * f, a * c,
    )  # fmt: skip


_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Cosine and sine of an angle in degrees."""
    exact = _QUARTERS.get(degrees % 360.0)
    if exact is not None:
        return exact
    angle = math.radians(degrees)
    return math.cos(angle), math.sin(angle)


def to_degrees(R: Rotation) -> Vector:
    """The inverse of `from_degrees`, with y in [-90, 90]."""
    y = math.atan2(R[2], math.hypot(R[0], R[1]))
    if abs(R[2]) < 1.0 - 1e-12:
        x, z = math.atan2(-R[5], R[8]), math.atan2(-R[1], R[0])
    else:  # gimbal lock: x and z rotate about one line, and x takes the whole angle
        x, z = math.atan2(R[7], R[4]), 0.0
    return math.degrees(x), math.degrees(y), math.degrees(z)


def quaternion(R: Rotation) -> tuple[float, float, float, float]:
    """The rotation as a quaternion wxyz with w >= 0."""
    trace = R[0] + R[4] + R[8]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0) * 2.0
        q = (0.25 * s, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s)
    elif R[0] >= R[4] and R[0] >= R[8]:
        s = math.sqrt(max(1.0 + R[0] - R[4] - R[8], 0.0)) * 2.0
        q = ((R[7] - R[5]) / s, 0.25 * s, (R[1] + R[3]) / s, (R[2] + R[6]) / s)
    elif R[4] >= R[8]:
        s = math.sqrt(max(1.0 + R[4] - R[0] - R[8], 0.0)) * 2.0
        q = ((R[2] - R[6]) / s, (R[1] + R[3]) / s, 0.25 * s, (R[5] + R[7]) / s)
    else:
        s = math.sqrt(max(1.0 + R[8] - R[0] - R[4], 0.0)) * 2.0
        q = ((R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, 0.25 * s)
    size = math.sqrt(sum(c * c for c in q))
    w, x, y, z = (c / size for c in q)
    return (w, x, y, z) if w >= 0.0 else (-w, -x, -y, -z)
