"""Joint limits, tested and enforced on coordinates.

Hinges, sliders, axes and planar joints clamp numbers, so limits beyond half a turn mean what they
say. A cone splits its turn into swing * twist, twist about its own axis, and clamps both angles.
The packed rows leave a frozen axis open, and hold the limits of a mimic joint in the row of the
joint it copies too, so that following never leaves them.
"""

import math

from supple.kernels.cache import entry, kernel
from supple.kernels.layout import (
    AXES,
    AXIS,
    BALL,
    CONE,
    FREE,
    HINGE,
    KIND,
    LIMITS,
    MIMIC,
    MIMIC_ADD,
    MIMIC_MUL,
    ORDER,
    PLANAR,
    SLIDER,
    STRETCH_HI,
    STRETCH_LO,
    STRETCH_Q,
    Q,
)
from supple.kernels.quaternion import (
    axpy,
    cross,
    dot,
    load3,
    norm,
    put4,
    scale,
    take4,
)

# An angle this far outside counts as on the limit, so that clamping twice changes nothing.
SLACK = 1e-14
TURN = 2.0 * math.pi
NEAR = 1e-9  # an angle this little outside its limits is rounding, and is put on the limit [rad]


@kernel
def unit_turn(q):
    """The quaternion at length one, with its bits kept if it is there; zero becomes no turn."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if abs(square - 1.0) <= 2e-15:
        return q
    size = math.sqrt(square)
    if size == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


@kernel
def swing_twist_angles(turn, axis):
    """Swing angle in [0, pi] and twist angle in (-pi, pi] of a unit quaternion about a unit axis.

    After a swing by pi the twist cannot be told and is 0.
    """
    vector = (turn[1], turn[2], turn[3])
    along = dot(vector, axis)
    across = axpy(vector, -along, axis)
    swing = 2.0 * math.atan2(norm(across), math.hypot(turn[0], along))
    if along == 0.0 and turn[0] == 0.0:
        return swing, 0.0
    twist = 2.0 * math.atan2(along, turn[0])
    if twist > math.pi:
        twist -= TURN
    elif twist <= -math.pi:
        twist += TURN
    return swing, twist


@kernel
def unwrapped(angle, low, high):
    """The angle, whole turns added, that lies inside [low, high] or else nearest to it."""
    if high - low >= TURN or low <= angle <= high:
        return angle
    return angle + TURN * math.floor((0.5 * low + 0.5 * high - angle) / TURN + 0.5)


@kernel
def inside_turns(x, low, high, here):
    """The angle x, whole turns added, inside [low, high] and nearest to here; infinity if none is."""
    near = x + TURN * math.floor((here - x) / TURN + 0.5)
    if near > high:
        near = min(near, x + TURN * math.floor((high + NEAR - x) / TURN))
    elif near < low:
        near = max(near, x + TURN * math.ceil((low - NEAR - x) / TURN))
    if near < low - NEAR or near > high + NEAR:
        return math.inf
    return min(max(near, low), high)


@kernel
def clamp_angle(angle, low, high):
    """The angle in [low, high] nearest to a wrapped angle, the way round included."""
    if high - low >= TURN:
        return angle
    near = unwrapped(angle, low, high)
    if near < low - SLACK:
        return low
    if near > high + SLACK:
        return high
    return near


@kernel
def clamped_cone(turn, axis, swing_limit, low, high):
    """The turn with its swing and twist put into the limits; the same turn if it is inside."""
    swing, twist = swing_twist_angles(turn, axis)
    near = twist if high - low >= TURN else unwrapped(twist, low, high)
    held = clamp_angle(twist, low, high)
    if swing <= swing_limit + SLACK and held == near:
        return turn
    # The swing's own axis: the part of the turn square to the axis, taken back by half the twist.
    vector = (turn[1], turn[2], turn[3])
    across = axpy(vector, -dot(vector, axis), axis)
    size = norm(across)
    c, s = math.cos(0.5 * twist), math.sin(0.5 * twist)
    if turn[0] * c + dot(vector, axis) * s < 0.0:
        size = -size  # q and -q are one turn; the twist was read off the other
    out = (0.0, 0.0, 0.0)
    if size != 0.0:
        across = scale(across, 1.0 / size)
        out = axpy(scale(across, c), -s, cross(across, axis))
    swing = min(swing, swing_limit)
    w, v = math.cos(0.5 * swing), scale(out, math.sin(0.5 * swing))
    c, s = math.cos(0.5 * held), math.sin(0.5 * held)
    # (w, v) * (c, s axis), in which v is square to the axis.
    v = axpy(axpy(scale(v, c), w * s, axis), s, cross(v, axis))
    return unit_turn((w * c, v[0], v[1], v[2]))


@kernel
def project_joint(kind, order, floats, i, q, at):
    """Put one joint's coordinates, from `at` on, into the limits of its float row i.

    Quaternions come out unit. What is inside already keeps its bits.
    """
    if kind == HINGE or kind == SLIDER:
        q[at] = min(max(q[at], floats[i, LIMITS]), floats[i, LIMITS + 1])
    elif kind == CONE:
        axis = load3(floats, i, AXIS)
        low, high = floats[i, LIMITS + 2], floats[i, LIMITS + 3]
        put4(q, at, clamped_cone(unit_turn(take4(q, at)), axis, floats[i, LIMITS + 1], low, high))
    elif kind == AXES or kind == PLANAR:
        for n in range(3):
            if kind == AXES and (order >> (2 * n)) & 3 == 3:
                break
            low, high = floats[i, LIMITS + 2 * n], floats[i, LIMITS + 2 * n + 1]
            q[at + n] = min(max(q[at + n], low), high)
    elif kind == BALL:
        put4(q, at, unit_turn(take4(q, at)))
    elif kind == FREE:
        put4(q, at + 3, unit_turn(take4(q, at + 3)))


@kernel
def excess_joint(kind, order, floats, i, q, at):
    """By how much one joint's coordinates are outside their limits: radians or length, 0 inside."""
    worst = 0.0
    if kind == HINGE or kind == SLIDER:
        worst = max(floats[i, LIMITS] - q[at], q[at] - floats[i, LIMITS + 1], 0.0)
    elif kind == CONE:
        swing, twist = swing_twist_angles(unit_turn(take4(q, at)), load3(floats, i, AXIS))
        worst = max(swing - floats[i, LIMITS + 1], 0.0)
        low, high = floats[i, LIMITS + 2], floats[i, LIMITS + 3]
        if high - low < TURN:
            near = unwrapped(twist, low, high)
            worst = max(worst, low - near, near - high)
    elif kind == AXES or kind == PLANAR:
        for n in range(3):
            if kind == AXES and (order >> (2 * n)) & 3 == 3:
                break
            low, high = floats[i, LIMITS + 2 * n], floats[i, LIMITS + 2 * n + 1]
            worst = max(worst, low - q[at + n], q[at + n] - high)
    return worst


@entry("i2 f2 f2")
def project_batch(ints, floats, coordinates):
    """Put every joint of every pose into its limits, in place; coordinates have shape (B, Q)."""
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        for j in range(ints.shape[0]):
            if ints[j, MIMIC] < 0:
                project_joint(ints[j, KIND], ints[j, ORDER], floats, j, q, ints[j, Q])
            at = ints[j, STRETCH_Q]
            if at >= 0:
                q[at] = min(max(q[at], floats[j, STRETCH_LO]), floats[j, STRETCH_HI])
        follow_row(ints, floats, q)


@kernel
def follow_row(ints, floats, q):
    """Set every mimic joint's coordinate of one pose from the joint it copies."""
    for j in range(ints.shape[0]):
        source = ints[j, MIMIC]
        if source >= 0:
            q[ints[j, Q]] = floats[j, MIMIC_MUL] * q[ints[source, Q]] + floats[j, MIMIC_ADD]


@entry("i2 f2 f2 f2")
def excess_batch(ints, floats, coordinates, out):
    """By how much every joint of every pose is outside its limits; out has shape (B, N).

    A mimic joint that is not where the joint it copies puts it counts as outside by the difference.
    """
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        for j in range(ints.shape[0]):
            worst = excess_joint(ints[j, KIND], ints[j, ORDER], floats, j, q, ints[j, Q])
            source = ints[j, MIMIC]
            if source >= 0:
                there = floats[j, MIMIC_MUL] * q[ints[source, Q]] + floats[j, MIMIC_ADD]
                worst = max(worst, abs(q[ints[j, Q]] - there))
            at = ints[j, STRETCH_Q]
            if at >= 0:
                worst = max(worst, floats[j, STRETCH_LO] - q[at], q[at] - floats[j, STRETCH_HI])
            out[b, j] = worst
