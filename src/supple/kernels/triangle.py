"""The triangle of a link, the rest of its chain and the way to the target."""

import math

from supple.kernels.cache import kernel
from supple.kernels.quaternion import axpy, cross, dot, norm, perpendicular, scale, unit

STRAIGHT = 1e-12  # a sine below this is rounding: two directions are in one line


@kernel
def target_angle(a, b, c):
    """The angle at the joint between its link and its target, in the triangle of a, b and c.

    Where there is no such triangle, the angle with which the next distance is nearest to b.
    """
    opening = math.sqrt(max(0.0, (b - (a - c)) * (b + (a - c))))
    closing = math.sqrt(max(0.0, (a + c - b) * (a + c + b)))
    return 2.0 * math.atan2(opening, closing)


@kernel
def on_rim(u, limit, v, phi, wanted):
    """The direction on the rim of the cone (u, limit) whose angle to v is nearest to phi.

    Of the two that mirror each other, the one on the side of `wanted`.
    """
    normal = cross(u, v)
    sine = norm(normal)
    if sine < STRAIGHT:
        side = axpy(wanted, -dot(u, wanted), u)
        if norm(side) < STRAIGHT:
            side = perpendicular(u)
        return axpy(scale(u, math.cos(limit)), math.sin(limit), unit(side))
    normal = scale(normal, 1.0 / sine)
    ahead = cross(normal, u)
    along = (math.cos(phi) - dot(u, v) * math.cos(limit)) / (sine * math.sin(limit) + 1e-300)
    along = min(max(along, -1.0), 1.0)
    across = math.sqrt(1.0 - along * along)
    if dot(normal, wanted) < 0.0:
        across = -across
    side = axpy(scale(ahead, along), across, normal)
    return axpy(scale(u, math.cos(limit)), math.sin(limit), side)
