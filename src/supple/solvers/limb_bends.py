"""The bends of a limb: closed forms for the triangle of two bones and a distance.

A hinge, whose axis may stand in any position, gives d^2 = a + 2 (k2 cos x + k3 sin x); a ball or
cone gives the law of cosines in the plane it bends in. See `two_bone` for where they come from.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.limits import TURN, clamped_cone
from supple.kernels.quaternion import (
    about,
    axpy,
    between,
    cross,
    dot,
    mul,
    norm,
    normalized,
    perpendicular,
    rotate,
    scale,
    unit,
)

SLACK = 1e-9  # an angle this little outside its limits is rounding, and is put on the limit [rad]
FAINT = 1e-12  # relative: what is this small has no direction
STRAIGHT = 4e-15  # relative: squares of distances this near to each other are equal


@kernel
def softened(distance, reach, soften):
    """The distance to go for: as asked up to soften * reach, then ever slower towards the reach."""
    easy = soften * reach
    if soften >= 1.0 or distance <= easy or reach <= 0.0:
        return distance
    rest = reach - easy
    return reach - rest * math.exp((easy - distance) / rest)


@kernel
def inside_turns(x, low, high, here):
    """The angle x, whole turns added, inside [low, high] and nearest to here; infinity if none is."""
    near = x + TURN * math.floor((here - x) / TURN + 0.5)
    if near > high:
        near = min(near, x + TURN * math.floor((high + SLACK - x) / TURN))
    elif near < low:
        near = max(near, x + TURN * math.ceil((low - SLACK - x) / TURN))
    if near < low - SLACK or near > high + SLACK:
        return math.inf
    return min(max(near, low), high)


@kernel
def hinge_angles(a, k2, k3, d):
    """The two solutions of d^2 = a + 2 (k2 cos x + k3 sin x), or the nearest place, twice."""
    size = 2.0 * math.hypot(k2, k3)
    middle = math.atan2(k3, k2)
    over, under = a + size - d * d, d * d - (a - size)
    # Half of the digits are lost when straight or folded: no bend is made out of the last of them.
    least = STRAIGHT * (a + size)
    over, under = over if over > least else 0.0, under if under > least else 0.0
    u = 2.0 * math.atan2(math.sqrt(over), math.sqrt(under))
    return middle + u, middle - u


@kernel
def hinge_bend(a, k2, k3, d, low, high, here, elbow):
    """The best such angle inside limits: the wanted elbow (+1, -1; 0: either), nearest to here.

    If neither is inside, the limit whose distance is nearest.
    """
    if k2 == 0.0 and k3 == 0.0:
        return here
    plus, minus = hinge_angles(a, k2, k3, d)
    plus = inside_turns(plus, low, high, here)
    minus = inside_turns(minus, low, high, here)
    if plus < math.inf or minus < math.inf:
        if elbow > 0.0 and plus < math.inf:
            return plus
        if elbow < 0.0 and minus < math.inf:
            return minus
        return plus if abs(plus - here) <= abs(minus - here) else minus
    at_low = a + 2.0 * (k2 * math.cos(low) + k3 * math.sin(low))
    at_high = a + 2.0 * (k2 * math.cos(high) + k3 * math.sin(high))
    miss_low = abs(math.sqrt(max(0.0, at_low)) - d)
    miss_high = abs(math.sqrt(max(0.0, at_high)) - d)
    if miss_low == miss_high:
        return low if abs(low - here) <= abs(high - here) else high
    return low if miss_low < miss_high else high


@kernel
def hinge_waves(upper, lower, axis):
    """The a, k2, k3 of |upper + R(x) lower|^2 = a + 2 (k2 cos x + k3 sin x), R about a unit axis."""
    along = dot(upper, axis) * dot(lower, axis)
    a = dot(upper, upper) + dot(lower, lower) + 2.0 * along
    return a, dot(upper, lower) - along, dot(upper, cross(axis, lower))


@kernel
def hinge_reach(a, k2, k3, low, high):
    """The greatest distance inside limits."""
    peak = inside_turns(math.atan2(k3, k2), low, high, 0.0)
    if peak < math.inf:
        return math.sqrt(a + 2.0 * math.hypot(k2, k3))
    at_low = a + 2.0 * (k2 * math.cos(low) + k3 * math.sin(low))
    at_high = a + 2.0 * (k2 * math.cos(high) + k3 * math.sin(high))
    return math.sqrt(max(0.0, at_low, at_high))


@kernel
def size_of(a):
    """The length of a vector, the quick way: for lengths whose squares neither vanish nor overflow."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def ball_bend(upper, lower, turn, d):
    """The turn nearest to `turn`, in its own bend plane, with |upper + turn lower| = d if it can be.

    Returns the turn, the lower bone turned by it, and the distance.
    """
    a, b = size_of(upper), size_of(lower)
    if a == 0.0 or b == 0.0:
        return turn, rotate(turn, lower), a + b
    d = min(max(d, abs(a - b)), a + b)
    share = 0.5 / (a * b)
    c = ((d - a) * (d + a) - b * b) * share
    s = math.sqrt(max(0.0, (a + b - d) * (a + b + d) * (d - a + b) * (d + a - b))) * share
    ahead = scale(upper, 1.0 / a)
    bone = scale(rotate(turn, lower), 1.0 / b)
    c_now = dot(bone, ahead)
    side = axpy(bone, -c_now, ahead)
    s_now = size_of(side)
    side = scale(side, 1.0 / s_now) if s_now > FAINT else perpendicular(ahead)
    # Turn by the difference of the two angles in the plane: its half from its cosine and sine.
    way = half_turn(cross(ahead, side), 1.0, c * c_now + s * s_now, s * c_now - c * s_now)
    return normalized(mul(way, turn)), axpy(scale(ahead, b * c), b * s, side), d


@kernel
def half_turn(axis, size, c, s):
    """A quaternion, not of length one, that turns about a unit axis by the angle atan2(s, c).

    `size` is the length of (c, s).
    """
    # Two equal forms, the one or the other, so that nothing cancels near half a turn.
    ahead = c >= 0.0
    w = size + c if ahead else abs(s)
    f = size - c if s >= 0.0 else c - size
    v = s if ahead else f
    return (w, axis[0] * v, axis[1] * v, axis[2] * v)


@kernel
def pointing(arm, wish, sizes):
    """A quaternion, not of length one, for the least turn that points an arm along a wish.

    `sizes` is |arm| |wish|.
    """
    inner = dot(arm, wish)
    if inner < -0.99 * sizes or sizes == 0.0:
        return between(arm, wish)
    c = cross(arm, wish)
    return (sizes + inner, c[0], c[1], c[2])


@kernel
def rotate_any(q, v):
    """The vector v turned by a quaternion of any length, times the square of that length."""
    u = (q[1], q[2], q[3])
    out = axpy(scale(v, q[0] * q[0] - dot(u, u)), 2.0 * dot(u, v), u)
    return axpy(out, 2.0 * q[0], cross(u, v))


@kernel
def spun_into_cone(line, turn, axis, swing, low, high):
    """A turn put into a cone: spun about a line, as little as brings its axis inside, then clamped."""
    if norm(line) == 0.0:
        return clamped_cone(turn, axis, swing, low, high)
    ahead = unit(line)
    pointing = rotate(turn, axis)
    # axis . spin(x) pointing = still + c cos x + s sin x, and it must be at least cos(swing).
    still = dot(axis, ahead) * dot(pointing, ahead)
    c = dot(axis, pointing) - still
    s = dot(axis, cross(ahead, pointing))
    edge = math.cos(swing) - still
    if c < edge:
        peak = math.atan2(s, c)
        size = math.hypot(s, c)
        x = peak
        if size > edge:
            spread = math.acos(edge / size)
            x = peak - spread if peak > 0.0 else peak + spread
        turn = normalized(mul(about(ahead, x), turn))
    return clamped_cone(turn, axis, swing, low, high)


@kernel
def off_line(line, point):
    """The way to a point from the nearest point of a unit line through the origin."""
    return axpy(point, -dot(point, line), line)


@kernel
def spin_to(line, middle, wanted):
    """A quaternion, not of length one, that turns a middle into the half plane of a wanted point.

    The half plane is bounded by a unit line; no turn if either is on the line.
    """
    arm, wish = off_line(line, middle), off_line(line, wanted)
    c, s = dot(arm, wish), dot(line, cross(arm, wish))
    turn = half_turn(line, math.sqrt(c * c + s * s), c, s)
    least = FAINT * FAINT
    over = dot(arm, arm) - least * dot(middle, middle)
    off = min(over, dot(wish, wish) - least * dot(wanted, wanted)) > 0.0
    return (
        turn[0] if off else 1.0,
        turn[1] if off else 0.0,
        turn[2] if off else 0.0,
        turn[3] if off else 0.0,
    )


@kernel
def angle_about(line, middle, wanted):
    """The angle between two half planes that a line bounds, each through a point."""
    square = dot(line, line)
    s = abs(math.sqrt(square) * dot(line, cross(middle, wanted)))
    c = square * dot(middle, wanted) - dot(middle, line) * dot(wanted, line)
    # The arctangent of next to nothing, without the call.
    return s / c if s < 1e-6 * c else math.atan2(s, c)
