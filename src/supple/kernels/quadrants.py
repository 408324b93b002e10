"""A swing limited by four half-angles: in each quadrant of its plane the boundary is an ellipse.

A swing tilts a joint's axis. Its rotation vector is perpendicular to the axis, so it has two components: the tilt
`a` towards up and the tilt `b` towards right [rad], the vector being a * right - b * up. Each sign of a and of b has
its own half-angle. `level` is 1 on the boundary, less inside, and grows in proportion to the tilt. The
four ellipses meet with the same tangent, so the region is convex and its nearest point to a tilt is unique. All
half-angles are above 0.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, kernel

NEWTON_STEPS = 40  # of `nearest`, at most; not tuned


class Quadrants(NamedTuple):
    """The limits of a swing by quadrants, and of the twist after which it comes [rad]."""

    axis: Any  # xyz, a unit vector in the joint's rest frame, like the next two
    upward: Any  # xyz, perpendicular to the axis
    rightward: Any  # xyz, the axis x upward
    down: float
    up: float
    left: float
    right: float
    low: float  # the twist, at least
    high: float  # the twist, at most


@kernel
def quadrants_of(floats, i):
    """The limits in a joint's float row i."""
    axis = quat.load3(floats, i, layout.AXIS)
    upward = quat.load3(floats, i, layout.AXIS + 3)
    return Quadrants(
        axis,
        upward,
        quat.cross(axis, upward),
        floats[i, layout.TILTS],
        floats[i, layout.TILTS + 1],
        floats[i, layout.TILTS + 2],
        floats[i, layout.TILTS + 3],
        floats[i, layout.LIMITS + 2],
        floats[i, layout.LIMITS + 3],
    )


@kernel
def half_angles(quadrants, a, b):
    """The half-angles of the quadrant of a tilt: towards up or down, and right or left."""
    return (
        quadrants.up if a >= 0.0 else quadrants.down,
        quadrants.right if b >= 0.0 else quadrants.left,
    )


@kernel
def level(quadrants, a, b):
    """A tilt as a part of the limit in its direction: 1 on the boundary."""
    first, second = half_angles(quadrants, a, b)
    return math.hypot(a / first, b / second)


@kernel
def outward(quadrants, a, b):
    """Half the gradient of the squared level at a tilt: normal to the ellipse through it."""
    first, second = half_angles(quadrants, a, b)
    return a / (first * first), b / (second * second)


@kernel
def inside(quadrants, a, b, slack):
    """True if a tilt is inside, or outside by no more than the slack [rad], which is small."""
    here = level(quadrants, a, b)
    if here <= 1.0:
        return True
    x, y = outward(quadrants, a, b)
    return (here - 1.0) * here <= slack * math.hypot(x, y)


@cold
def nearest(quadrants, a, b):
    """The tilt inside that is nearest to a tilt, by the distance of their rotation vectors.

    Outside it is (a / (1 + t / first^2), b / (1 + t / second^2)) for the t > 0 that has the level 1;
    the level's square falls with t and is convex, so Newton's method from the left finds it.
    """
    if level(quadrants, a, b) <= 1.0:
        return a, b
    first, second = half_angles(quadrants, a, b)
    x, y = abs(a), abs(b)
    # At this t the greater of the two terms is 1, so the squared level is at least 1.
    t = max(0.0, first * (x - first), second * (y - second))
    for _ in range(NEWTON_STEPS):
        p, q = t + first * first, t + second * second
        u, v = first * x / p, second * y / q
        over = u * u + v * v - 1.0
        new = t + 0.5 * over / (u * u / p + v * v / q)
        if not new > t:
            break
        t = new
    a /= 1.0 + t / (first * first)
    b /= 1.0 + t / (second * second)
    here = level(quadrants, a, b)
    return a / here, b / here


@kernel
def outside(quadrants, a, b):
    """By how much a tilt is outside [rad]; 0 inside."""
    x, y = nearest(quadrants, a, b)
    return math.hypot(a - x, b - y)


@kernel
def rim(quadrants, x):
    """The tilt on the boundary at the angle x of its ellipse: 0 is up, a quarter turn right."""
    a, b = math.cos(x), math.sin(x)
    first, second = half_angles(quadrants, a, b)
    return first * a, second * b


@kernel
def tilt_of(quadrants, vector):
    """The tilt of a swing's rotation vector."""
    return quat.dot(vector, quadrants.rightward), -quat.dot(vector, quadrants.upward)


@kernel
def swing_of(quadrants, a, b):
    """The rotation vector of a tilt."""
    return quat.axpy(quat.scale(quadrants.rightward, a), -b, quadrants.upward)
