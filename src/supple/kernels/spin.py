"""Rotations from cosines and sines, without angles: quaternions of any length.

A quaternion need not have length one until it is stored. Without normalization, the rotation between two
directions or about a line takes no arctangent, and often no square root.
"""

import math

from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel

NEGLIGIBLE_LENGTH = 1e-12  # a vector below this part of those compared has no direction; rounding


@kernel
def half_turn(axis, size, c, s):
    """A quaternion that turns about a unit axis by the angle atan2(s, c).

    `size` is the length of (c, s).
    """
    # Of two equal forms the one without cancellation near half a turn.
    ahead = c >= 0.0
    w = size + c if ahead else abs(s)
    f = size - c if s >= 0.0 else c - size
    v = s if ahead else f
    return (w, axis[0] * v, axis[1] * v, axis[2] * v)


@kernel
def pointing(arm, target, sizes):
    """A quaternion for the smallest rotation that points an arm at a target; `sizes` is |arm| |target|."""
    inner = quat.dot(arm, target)
    if inner < -0.99 * sizes or sizes == 0.0:
        return quat.between(arm, target)
    c = quat.cross(arm, target)
    return (sizes + inner, c[0], c[1], c[2])


@kernel
def rotate_any(q, v):
    """The vector v rotated by a quaternion of any length, times the square of that length."""
    u = (q[1], q[2], q[3])
    out = quat.axpy(quat.scale(v, q[0] * q[0] - quat.dot(u, u)), 2.0 * quat.dot(u, v), u)
    return quat.axpy(out, 2.0 * q[0], quat.cross(u, v))


@kernel
def off_line(line, point):
    """The vector to a point from the nearest point of a unit line through the origin."""
    return quat.axpy(point, -quat.dot(point, line), line)


@kernel
def spin_to(line, point, wanted):
    """A quaternion that turns a point about a unit line into the half plane of a wanted point.

    The identity if either is on the line.
    """
    arm, aside = off_line(line, point), off_line(line, wanted)
    c, s = quat.dot(arm, aside), quat.dot(line, quat.cross(arm, aside))
    turn = half_turn(line, math.sqrt(c * c + s * s), c, s)
    least = NEGLIGIBLE_LENGTH * NEGLIGIBLE_LENGTH
    over = quat.dot(arm, arm) - least * quat.dot(point, point)
    off = min(over, quat.dot(aside, aside) - least * quat.dot(wanted, wanted)) > 0.0
    # Two choices and products, instead of a choice for each component: loops around this have no branches.
    w = turn[0] if off else 1.0
    v = 1.0 if off else 0.0
    return (w, v * turn[1], v * turn[2], v * turn[3])


@kernel
def opening(line, point, wanted):
    """The absolute sine and the cosine of the angle between two half planes, both times the same factor.

    A line through the origin bounds both; each contains a point.
    """
    square = quat.dot(line, line)
    s = abs(math.sqrt(square) * quat.dot(line, quat.cross(point, wanted)))
    return s, square * quat.dot(point, wanted) - quat.dot(point, line) * quat.dot(wanted, line)


@kernel
def angle_of(s, c):
    """The angle atan2(s, c) with s >= 0, without the call where it is tiny."""
    return s / c if s < 1e-6 * c else math.atan2(s, c)
