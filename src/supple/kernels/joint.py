"""One joint: its local transform and its limits, read from its packed row.

No kernel asks for the class of a joint. Its kind counts its parts (`layout`): slides along axes, then rotations
about axes one after the other, then a quaternion. The coordinates of slides and angles are clamped to their limits,
so limits beyond half a turn work. Limits of swing and twist split a quaternion into swing * twist, the
twist about the joint's own axis, and clamp both angles; a swing with four half-angles is moved
to the nearest swing inside (`quadrants`). The packed rows have no limits for a frozen axis. The limits of a mimic
joint are also applied to the joint it copies, so that following never leaves them.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, entry, kernel, leaf
from supple.kernels.quadrants import inside, nearest, outside, quadrants_of, swing_of, tilt_of
from supple.kernels.quaternion import FULL_TURN, axpy, cross, dot, load4, norm, scale

# An angle outside its limit by no more than this is left where it is, so that clamping twice changes nothing [rad].
LIMIT_SLACK = 1e-14
# An angle outside its limits by no more than this is put on the limit [rad]; rounding.
LIMIT_ROUNDING = 1e-9


# The parts of a kind ------------------------------------------------------------------------------


@kernel
def slide_count(kind):
    """How many of a joint's scalar coordinates slide; they come first."""
    return kind & layout.SLIDES


@kernel
def angle_count(kind):
    """How many of a joint's scalar coordinates are angles."""
    return (kind >> 2) & 3


@kernel
def number_count(kind):
    """How many scalar coordinates a joint has, before its quaternion."""
    return (kind & 3) + ((kind >> 2) & 3)


@kernel
def has_quaternion(kind):
    """True if a joint has a quaternion, after its scalar coordinates."""
    return kind & layout.QUATERNION != 0


@kernel
def slides(kind, i):
    """True if coordinate or freedom i of a joint slides; else it turns."""
    return i < kind & layout.SLIDES


@kernel
def axis_of(floats, k, i):
    """The unit axis of coordinate i of the joint in row k, in its rest frame."""
    return quat.load3(floats, k, layout.AXIS + 3 * i)


# The local transform ------------------------------------------------------------------------------


@kernel
def joint_turn(kind, floats, k, q, at):
    """The rotation r(q) of the joint in float row k, wxyz, in its rest frame; its coordinates begin at `at`."""
    if kind & layout.QUATERNION != 0:
        return quat.take4(q, at + number_count(kind))
    count = number_count(kind)
    i = kind & layout.SLIDES
    if i == count:
        return (1.0, 0.0, 0.0, 0.0)
    turn = quat.about(axis_of(floats, k, i), q[at + i])
    for j in range(i + 1, count):
        turn = quat.mul(turn, quat.about(axis_of(floats, k, j), q[at + j]))
    return turn


@kernel
def joint_shift(kind, floats, k, q, at):
    """The translation d(q) of the joint in float row k, in its rest frame; it has at least one slide."""
    shift = quat.scale(axis_of(floats, k, 0), q[at])
    for i in range(1, kind & layout.SLIDES):
        shift = quat.axpy(shift, q[at + i], axis_of(floats, k, i))
    return shift


@leaf
def own_turn(problem, q, k):
    """The rotation of moving joint k in its rest frame, wxyz."""
    moving = problem.moving
    return joint_turn(moving[k, layout.M_KIND], problem.moving_f, k, q, moving[k, layout.M_Q])


@kernel
def frame_of_angle(kind, floats, k, i, q, at, pre):
    """The rotation `pre` before a joint, turned by its angles before coordinate i."""
    for j in range(kind & layout.SLIDES, i):
        pre = quat.mul(pre, quat.about(axis_of(floats, k, j), q[at + j]))
    return pre


# Limits -------------------------------------------------------------------------------------------


@kernel
def unit_turn(q):
    """The quaternion at length one, unchanged to the bit if it has that; zero becomes the identity."""
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

    After a swing by pi the twist is undefined; 0 is returned.
    """
    vector = (turn[1], turn[2], turn[3])
    along = dot(vector, axis)
    across = axpy(vector, -along, axis)
    swing = 2.0 * math.atan2(norm(across), math.hypot(turn[0], along))
    if along == 0.0 and turn[0] == 0.0:
        return swing, 0.0
    twist = 2.0 * math.atan2(along, turn[0])
    if twist > math.pi:
        twist -= FULL_TURN
    elif twist <= -math.pi:
        twist += FULL_TURN
    return swing, twist


@kernel
def unwrapped(angle, low, high):
    """The angle plus whole turns, inside [low, high] or else nearest to it."""
    if high - low >= FULL_TURN or low <= angle <= high:
        return angle
    return angle + FULL_TURN * math.floor((0.5 * low + 0.5 * high - angle) / FULL_TURN + 0.5)


@kernel
def inside_turns(x, low, high, here):
    """The angle x plus whole turns, inside [low, high] and nearest to `here`; infinity if none is inside."""
    near = x + FULL_TURN * math.floor((here - x) / FULL_TURN + 0.5)
    if near > high:
        near = min(near, x + FULL_TURN * math.floor((high + LIMIT_ROUNDING - x) / FULL_TURN))
    elif near < low:
        near = max(near, x + FULL_TURN * math.ceil((low - LIMIT_ROUNDING - x) / FULL_TURN))
    if near < low - LIMIT_ROUNDING or near > high + LIMIT_ROUNDING:
        return math.inf
    return min(max(near, low), high)


@kernel
def clamp_angle(angle, low, high):
    """The angle in [low, high] nearest to a wrapped angle, on the circle."""
    if high - low >= FULL_TURN:
        return angle
    near = unwrapped(angle, low, high)
    if near < low - LIMIT_SLACK:
        return low
    if near > high + LIMIT_SLACK:
        return high
    return near


@kernel
def clamped_cone(turn, axis, swing_limit, low, high):
    """The rotation with its swing and twist clamped to the limits; unchanged if it is inside."""
    swing, twist = swing_twist_angles(turn, axis)
    near = twist if high - low >= FULL_TURN else unwrapped(twist, low, high)
    held = clamp_angle(twist, low, high)
    if swing <= swing_limit + LIMIT_SLACK and held == near:
        return turn
    return swung(swing_axis(turn, axis, twist), min(swing, swing_limit), held, axis)


@kernel
def swing_axis(turn, axis, twist):
    """The unit axis of the swing of a rotation with that twist, perpendicular to `axis`; zero if it has no swing."""
    # The component of the rotation perpendicular to the axis, turned back by half the twist.
    vector = (turn[1], turn[2], turn[3])
    across = axpy(vector, -dot(vector, axis), axis)
    size = norm(across)
    c, s = math.cos(0.5 * twist), math.sin(0.5 * twist)
    if turn[0] * c + dot(vector, axis) * s < 0.0:
        size = -size  # q and -q are one rotation; the twist was read from the other
    out = (0.0, 0.0, 0.0)
    if size != 0.0:
        across = scale(across, 1.0 / size)
        out = axpy(scale(across, c), -s, cross(across, axis))
    return out


@kernel
def swung(out, swing, twist, axis):
    """A twist about an axis, then a swing about `out`, a unit vector perpendicular to it."""
    w, v = math.cos(0.5 * swing), scale(out, math.sin(0.5 * swing))
    c, s = math.cos(0.5 * twist), math.sin(0.5 * twist)
    # (w, v) * (c, s axis), in which v is perpendicular to the axis.
    v = axpy(axpy(scale(v, c), w * s, axis), s, cross(v, axis))
    return unit_turn((w * c, v[0], v[1], v[2]))


@cold
def tilt_and_twist(turn, quadrants):
    """The tilts of a rotation's swing towards up and right, and its twist in (-pi, pi]."""
    swing, twist = swing_twist_angles(turn, quadrants.axis)
    a, b = tilt_of(quadrants, swing_axis(turn, quadrants.axis, twist))
    return swing * a, swing * b, twist


@kernel
def tilted(quadrants, a, b, twist):
    """The rotation with these tilts and this twist."""
    swing = math.hypot(a, b)
    out = scale(swing_of(quadrants, a, b), 1.0 / swing if swing > 0.0 else 0.0)
    return swung(out, swing, twist, quadrants.axis)


@cold
def clamped_quadrants(turn, quadrants):
    """The rotation with its swing and twist moved to the nearest inside the limits; unchanged if it is inside."""
    a, b, twist = tilt_and_twist(turn, quadrants)
    low, high = quadrants.low, quadrants.high
    near = twist if high - low >= FULL_TURN else unwrapped(twist, low, high)
    held = clamp_angle(twist, low, high)
    if inside(quadrants, a, b, LIMIT_SLACK):
        if held == near:
            return turn
    else:
        a, b = nearest(quadrants, a, b)
    return tilted(quadrants, a, b, held)


@kernel
def project_joint(kind, floats, i, q, at):
    """Clamp one joint's coordinates, from `at` on, to the limits of its float row i.

    Quaternions become unit. Coordinates inside the limits stay the same to the bit.
    """
    count = number_count(kind)
    for n in range(count):
        low, high = floats[i, layout.LIMITS + 2 * n], floats[i, layout.LIMITS + 2 * n + 1]
        q[at + n] = min(max(q[at + n], low), high)
    if kind & layout.QUATERNION != 0:
        turn = unit_turn(quat.take4(q, at + count))
        if kind & layout.QUADRANTS != 0:
            turn = clamped_quadrants(turn, quadrants_of(floats, i))
        elif kind & layout.SWING_TWIST != 0:
            axis = quat.load3(floats, i, layout.AXIS)
            low, high = floats[i, layout.LIMITS + 2], floats[i, layout.LIMITS + 3]
            turn = clamped_cone(turn, axis, floats[i, layout.LIMITS + 1], low, high)
        quat.put4(q, at + count, turn)


@kernel
def excess_joint(kind, floats, i, q, at):
    """By how much one joint's coordinates are outside their limits: radians or length, 0 inside."""
    worst = 0.0
    for n in range(number_count(kind)):
        low, high = floats[i, layout.LIMITS + 2 * n], floats[i, layout.LIMITS + 2 * n + 1]
        worst = max(worst, low - q[at + n], q[at + n] - high)
    if kind & layout.SWING_TWIST != 0:
        turn = unit_turn(quat.take4(q, at + number_count(kind)))
        swing, twist = swing_twist_angles(turn, quat.load3(floats, i, layout.AXIS))
        if kind & layout.QUADRANTS != 0:
            worst = _excess_swing(turn, quadrants_of(floats, i))
        else:
            worst = max(swing - floats[i, layout.LIMITS + 1], 0.0)
        low, high = floats[i, layout.LIMITS + 2], floats[i, layout.LIMITS + 3]
        if high - low < FULL_TURN:
            near = unwrapped(twist, low, high)
            worst = max(worst, low - near, near - high)
    return worst


@cold
def _excess_swing(turn, quadrants):
    """By how much the swing of a rotation is outside its four half-angles [rad]; 0 inside."""
    a, b, _ = tilt_and_twist(turn, quadrants)
    return outside(quadrants, a, b)


@kernel
def follow(problem, q):
    """Set every mimic joint's coordinate from the joint it copies."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        source = moving[k, layout.M_MIMIC]
        if source >= 0:
            value = (
                moving_f[k, layout.MIMIC_MUL] * q[moving[source, layout.M_Q]]
                + moving_f[k, layout.MIMIC_ADD]
            )
            q[moving[k, layout.M_Q]] = value


@kernel
def project(problem, q):
    """Clamp every moving joint of a pose to its limits, in place."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if kind != layout.FIXED and moving[k, layout.M_MIMIC] < 0:
            project_joint(kind, moving_f, k, q, moving[k, layout.M_Q])
        if moving[k, layout.M_STRETCH_Q] >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            low, high = moving_f[k, layout.STRETCH_LO], moving_f[k, layout.STRETCH_HI]
            q[at] = min(max(q[at], low), high)
    follow(problem, q)


@entry("i2 f2 f2")
def project_batch(ints, floats, coordinates):
    """Clamp every joint of every pose to its limits, in place; coordinates have shape (B, Q)."""
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        for j in range(ints.shape[0]):
            if ints[j, layout.MIMIC] < 0:
                project_joint(ints[j, layout.KIND], floats, j, q, ints[j, layout.Q])
            at = ints[j, layout.STRETCH_Q]
            if at >= 0:
                q[at] = min(max(q[at], floats[j, layout.STRETCH_LO]), floats[j, layout.STRETCH_HI])
        follow_row(ints, floats, q)


@kernel
def follow_row(ints, floats, q):
    """Set every mimic joint's coordinate of one pose from the joint it copies."""
    for j in range(ints.shape[0]):
        source = ints[j, layout.MIMIC]
        if source >= 0:
            q[ints[j, layout.Q]] = (
                floats[j, layout.MIMIC_MUL] * q[ints[source, layout.Q]]
                + floats[j, layout.MIMIC_ADD]
            )


@entry("i2 f2 f2 f2")
def excess_batch(ints, floats, coordinates, out):
    """By how much every joint of every pose is outside its limits; out has shape (B, N).

    A mimic joint that does not follow the joint it copies counts as outside by the difference.
    """
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        for j in range(ints.shape[0]):
            worst = excess_joint(ints[j, layout.KIND], floats, j, q, ints[j, layout.Q])
            source = ints[j, layout.MIMIC]
            if source >= 0:
                there = (
                    floats[j, layout.MIMIC_MUL] * q[ints[source, layout.Q]]
                    + floats[j, layout.MIMIC_ADD]
                )
                worst = max(worst, abs(q[ints[j, layout.Q]] - there))
            at = ints[j, layout.STRETCH_Q]
            if at >= 0:
                worst = max(
                    worst,
                    floats[j, layout.STRETCH_LO] - q[at],
                    q[at] - floats[j, layout.STRETCH_HI],
                )
            out[b, j] = worst


# Stiffness and damping ----------------------------------------------------------------------------
#
# How much of a joint's change one iteration keeps.


@kernel
def undamped(problem, cap):
    """True if no joint is stiff or damped and there is no cap: `damp` then changes nothing."""
    moving_f = problem.moving_f
    for k in range(moving_f.shape[0]):
        if moving_f[k, layout.WEIGHT] != 1.0 or min(cap, moving_f[k, layout.DAMPING]) < math.inf:
            return False
    return True


@leaf
def damp(problem, k, before, cap, q):
    """Shorten the change of moving joint k from `before` to q according to its stiffness and damping.

    `cap` is the greatest change that the solver allows any joint [rad], infinity for any.
    """
    moving, moving_f = problem.moving, problem.moving_f
    weight = moving_f[k, layout.WEIGHT]
    cap = min(cap, moving_f[k, layout.DAMPING])
    if weight == 1.0 and cap == math.inf:
        return
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    count = number_count(kind)
    for i in range(at, at + count):
        change = weight * (q[i] - before[i])
        q[i] = before[i] + min(max(change, -cap), cap)
    if has_quaternion(kind):
        old = quat.take4(before, at + count)
        turn = quat.log(quat.mul(quat.take4(q, at + count), quat.conj(old)))
        size = quat.norm(turn)
        if size > 0.0:
            turn = quat.scale(turn, min(weight, cap / size))
            quat.put4(q, at + count, quat.normalized(quat.mul(quat.exp(turn), old)))
    project_joint(kind, moving_f, k, q, at)


# Freedoms of poses --------------------------------------------------------------------------------
#
# Scalar coordinates unchanged, quaternions as rotation vectors.


@kernel
def rotation_vector(q):
    """The shortest rotation vector of a quaternion: no longer than pi."""
    w, x, y, z = q
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    largest = max(abs(x), abs(y), abs(z))
    if not largest > 0.0:
        return (2.0 * x, 2.0 * y, 2.0 * z)
    # Scaled, so that squares neither overflow nor underflow.
    a, b, c = x / largest, y / largest, z / largest
    sine = largest * math.sqrt(a * a + b * b + c * c)
    factor = 2.0 * math.atan2(sine, w) / sine
    return (x * factor, y * factor, z * factor)


@entry("i1 i1 i2 i2 f2 f2")
def angles_batch(number_at, number_freedom, turn_at, turn_freedom, coordinates, out):
    """The freedoms of every pose.

    Args:
        number_at: Indices of the scalar coordinates, shape (K,).
        number_freedom: The freedoms they are, shape (K,).
        turn_at: Coordinates of each quaternion, shape (L, 4).
        turn_freedom: The freedoms of its rotation vector, shape (L, 3).
        coordinates: Shape (B, Q).
        out: Out: shape (B, D).
    """
    for b in range(coordinates.shape[0]):
        for k in range(number_at.shape[0]):
            out[b, number_freedom[k]] = coordinates[b, number_at[k]]
        for k in range(turn_at.shape[0]):
            vector = rotation_vector(load4(coordinates, b, turn_at[k, 0]))
            for i in range(3):
                out[b, turn_freedom[k, i]] = vector[i]
