"""Charts: every freedom as a variable without limits, so that any optimiser can be used.

Each freedom has one variable x. A coordinate between two limits is middle + half sin(x / half); with
one limit it is low - 1 + sqrt(1 + x^2), as in CERN's MINUIT; without limits it is x itself. Slides
count in characteristic lengths. A ball is exp(x) q0, x a rotation vector from its centre q0. A cone
is exp(v) twist: the swing v = limit sin(r / limit) s / r has the direction of its two variables s,
r = |s|, and the twist is a coordinate between limits. With four half-angles each of the two components of v is
scaled by its half-angle over the greatest; this has a kink where the half-angle changes, at rest.

All other maps are smooth. They have slope one in the middle of their range and slope zero at the limits. A joint
at a limit could never leave it, so a pose is read off a little inside (LIMIT_INSET).
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel
from supple.kernels.joint import (
    follow,
    has_quaternion,
    number_count,
    slides,
    swing_twist_angles,
    unwrapped,
)
from supple.kernels.quadrants import half_angles, quadrants_of

# How far inside its limits a pose is read off, as a fraction of their half width; not tuned.
LIMIT_INSET = 1e-3


@kernel
def number(x, low, high):
    """The coordinate in [low, high] at x of its chart."""
    if math.isfinite(low) and math.isfinite(high):
        half = 0.5 * (high - low)
        return low + half + (half * math.sin(x / half) if half > 0.0 else 0.0)
    if math.isfinite(low):
        return low - 1.0 + math.sqrt(1.0 + x * x)
    if math.isfinite(high):
        return high + 1.0 - math.sqrt(1.0 + x * x)
    return x


@kernel
def slope(x, low, high):
    """The derivative of `number`."""
    if math.isfinite(low) and math.isfinite(high):
        half = 0.5 * (high - low)
        return math.cos(x / half) if half > 0.0 else 0.0
    if math.isfinite(low):
        return x / math.sqrt(1.0 + x * x)
    if math.isfinite(high):
        return -x / math.sqrt(1.0 + x * x)
    return 1.0


@kernel
def place_of(value, low, high):
    """The x of a coordinate in its chart, kept LIMIT_INSET away from the limits."""
    if math.isfinite(low) and math.isfinite(high):
        half = 0.5 * (high - low)
        if half <= 0.0:
            return 0.0
        part = (value - low - half) / half
        return half * math.asin(min(max(part, LIMIT_INSET - 1.0), 1.0 - LIMIT_INSET))
    if math.isfinite(low) or math.isfinite(high):
        away = value - low if math.isfinite(low) else high - value
        away = 1.0 + max(away, LIMIT_INSET)
        return math.sqrt(away * away - 1.0)
    return value


@kernel
def _range(problem, k, kind, i):
    """Unit of coordinate i of a joint, and its limits in that unit."""
    moving_f = problem.moving_f
    unit = problem.length if slides(kind, i) else 1.0
    return (
        unit,
        moving_f[k, layout.LIMITS + 2 * i] / unit,
        moving_f[k, layout.LIMITS + 2 * i + 1] / unit,
    )


@kernel
def _twist_range(problem, k):
    """Limits of a cone's twist; infinite if they span a full turn."""
    moving_f = problem.moving_f
    low, high = moving_f[k, layout.LIMITS + 2], moving_f[k, layout.LIMITS + 3]
    if high - low >= 2.0 * math.pi:
        return -math.inf, math.inf
    return low, high


@kernel
def _sides(problem, k):
    """The two unit rotation vectors, perpendicular to a cone's axis, that its swing variables count along."""
    axis = quat.load3(problem.moving_f, k, layout.AXIS)
    if problem.moving[k, layout.M_KIND] & layout.QUADRANTS != 0:
        quadrants = quadrants_of(problem.moving_f, k)
        return quadrants.rightward, quat.scale(quadrants.upward, -1.0)
    side = quat.perpendicular(axis)
    return side, quat.cross(axis, side)


@kernel
def _narrowed(problem, k, x, y):
    """The factors by which the components of a swing towards (x, y) are smaller than in a round cone."""
    if problem.moving[k, layout.M_KIND] & layout.QUADRANTS == 0:
        return 1.0, 1.0
    limit = problem.moving_f[k, layout.LIMITS + 1]
    first, second = half_angles(quadrants_of(problem.moving_f, k), x, y)
    return first / limit, second / limit


@kernel
def _swing(problem, k, x, y):
    """A cone's swing v, a rotation vector perpendicular to its axis, from its two variables.

    Also returns these as a vector s, and the factors of dv = even ds + bend s (s . ds), the derivative before
    `_narrowed` scales its components.
    """
    moving_f = problem.moving_f
    side, other = _sides(problem, k)
    flat = quat.axpy(quat.scale(side, x), y, other)
    limit = moving_f[k, layout.LIMITS + 1]
    if limit <= 0.0:
        return (0.0, 0.0, 0.0), flat, 0.0, 0.0
    r = math.hypot(x, y)
    part = r / limit
    if part < 1e-3:
        # Taylor of sin(p)/p and of (cos(p) - sin(p)/p) / p^2.
        even, bend = 1.0 - part * part / 6.0, (-1.0 / 3.0 + part * part / 30.0) / (limit * limit)
    else:
        even = math.sin(part) / part
        bend = (math.cos(part) - even) / (r * r)
    first, second = _narrowed(problem, k, x, y)
    v = quat.axpy(quat.scale(side, first * x), second * y, other)
    return quat.scale(v, even), flat, even, bend


@kernel
def to_chart(problem, q, gain, x):
    """Fill x, shape (D,), with the pose q in the charts centred on it, in units of the gains."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND] if moving[k, layout.M_MIMIC] < 0 else layout.FIXED
        at, d = moving[k, layout.M_Q], moving[k, layout.M_DOF]
        centred = has_quaternion(kind)
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            unit, low, high = _range(problem, k, kind, i)
            x[d] = 0.0 if centred else place_of(q[at + i] / unit, low, high)
            d += 1
        if kind & layout.SWING_TWIST != 0:
            axis = quat.load3(moving_f, k, layout.AXIS)
            turn = quat.take4(q, at + number_count(kind))
            low, high = _twist_range(problem, k)
            _, twist = swing_twist_angles(turn, axis)
            swing = quat.log(quat.mul(turn, quat.conj(quat.about(axis, twist))))
            side, other = _sides(problem, k)
            first, second = _narrowed(problem, k, quat.dot(swing, side), quat.dot(swing, other))
            limit, r = moving_f[k, layout.LIMITS + 1], quat.norm(swing)
            if kind & layout.QUADRANTS != 0:
                r = math.hypot(quat.dot(swing, side) / first, quat.dot(swing, other) / second)
            stretch = 1.0
            if r > 0.0 and limit > 0.0:
                stretch = limit * math.asin(min(r / limit, 1.0 - LIMIT_INSET)) / r
            x[d] = stretch * quat.dot(swing, side) / first
            x[d + 1] = stretch * quat.dot(swing, other) / second
            x[d + 2] = place_of(unwrapped(twist, low, high), low, high)
        elif centred:
            for i in range(3):
                x[d + i] = 0.0
        d = moving[k, layout.M_STRETCH_DOF]
        if d >= 0:
            x[d] = place_of(
                q[moving[k, layout.M_STRETCH_Q]],
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
    for d in range(x.shape[0]):
        x[d] /= gain[d]


@kernel
def from_chart(problem, centre, gain, x, q):
    """Write into q the pose at x of the charts centred on `centre`; its other coordinates stay as they are."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND] if moving[k, layout.M_MIMIC] < 0 else layout.FIXED
        at, d = moving[k, layout.M_Q], moving[k, layout.M_DOF]
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            unit, low, high = _range(problem, k, kind, i)
            if has_quaternion(kind):
                value = centre[at + i] + unit * gain[d] * x[d]
            else:
                value = unit * number(gain[d] * x[d], low, high)
            # Multiplying by the unit may round past the limit.
            low_q, high_q = (
                moving_f[k, layout.LIMITS + 2 * i],
                moving_f[k, layout.LIMITS + 2 * i + 1],
            )
            q[at + i] = min(max(value, low_q), high_q)
            d += 1
        at += number_count(kind)
        if kind & layout.SWING_TWIST != 0:
            swing, _, _, _ = _swing(problem, k, gain[d] * x[d], gain[d + 1] * x[d + 1])
            low, high = _twist_range(problem, k)
            twist = quat.about(
                quat.load3(moving_f, k, layout.AXIS), number(gain[d + 2] * x[d + 2], low, high)
            )
            quat.put4(q, at, quat.normalized(quat.mul(quat.exp(swing), twist)))
        elif has_quaternion(kind):
            turn = (gain[d] * x[d], gain[d + 1] * x[d + 1], gain[d + 2] * x[d + 2])
            quat.put4(q, at, quat.normalized(quat.mul(quat.exp(turn), quat.take4(centre, at))))
        d = moving[k, layout.M_STRETCH_DOF]
        if d >= 0:
            low, high = (
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
            q[moving[k, layout.M_STRETCH_Q]] = min(
                max(number(gain[d] * x[d], low, high), low), high
            )
    follow(problem, q)


@kernel
def joint_axes(problem, frames, linear):
    """Overwrite the world axes of every rotation vector with the axes just before its joint."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if has_quaternion(kind):
            d = moving[k, layout.M_DOF] + number_count(kind)
            pre = quat.load4(frames.joints, k, layout.S_WPRE)
            for i in range(3):
                quat.store3(linear.axes, d + i, 0, quat.rotate(pre, quat.letter_axis(i)))


@kernel
def _turn_slope(v, g):
    """J^T g, where J is the left Jacobian of SO(3) at the rotation vector v."""
    a2 = quat.dot(v, v)
    if a2 < 1e-6:
        first, second = 0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0
    else:
        a = math.sqrt(a2)
        first = (1.0 - math.cos(a)) / a2
        second = (a - math.sin(a)) / (a2 * a)
    turned = quat.cross(v, g)
    return quat.axpy(quat.axpy(g, -first, turned), second, quat.cross(v, turned))


@kernel
def pull_back(problem, gain, x, slopes):
    """Convert slopes along the freedoms, with the axes of `joint_axes`, into slopes along x.

    In place, shape (D,).
    """
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND] if moving[k, layout.M_MIMIC] < 0 else layout.FIXED
        d = moving[k, layout.M_DOF]
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            if not has_quaternion(kind):
                _, low, high = _range(problem, k, kind, i)
                slopes[d] *= slope(gain[d] * x[d], low, high)
            d += 1
        if kind & layout.SWING_TWIST != 0:
            g = (slopes[d], slopes[d + 1], slopes[d + 2])
            axis = quat.load3(moving_f, k, layout.AXIS)
            swing, flat, even, bend = _swing(problem, k, gain[d] * x[d], gain[d + 1] * x[d + 1])
            low, high = _twist_range(problem, k)
            slopes[d + 2] = quat.dot(g, quat.rotate(quat.exp(swing), axis)) * slope(
                gain[d + 2] * x[d + 2], low, high
            )
            g = _turn_slope(swing, g)
            side, other = _sides(problem, k)
            if kind & layout.QUADRANTS != 0:
                first, second = _narrowed(problem, k, x[d], x[d + 1])
                first, second = first * quat.dot(g, side), second * quat.dot(g, other)
                g = quat.axpy(quat.scale(side, first), second, other)
            g = quat.axpy(quat.scale(g, even), bend * quat.dot(flat, g), flat)
            slopes[d] = quat.dot(g, side)
            slopes[d + 1] = quat.dot(g, other)
        elif has_quaternion(kind):
            turn = (gain[d] * x[d], gain[d + 1] * x[d + 1], gain[d + 2] * x[d + 2])
            g = _turn_slope(turn, (slopes[d], slopes[d + 1], slopes[d + 2]))
            for i in range(3):
                slopes[d + i] = g[i]
        d = moving[k, layout.M_STRETCH_DOF]
        if d >= 0:
            slopes[d] *= slope(
                gain[d] * x[d],
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
    for d in range(slopes.shape[0]):
        slopes[d] *= gain[d]


@kernel
def farthest_turn(problem, gain, x):
    """The length of the longest rotation vector of a quaternion without limits [rad]; charts are singular at 2 pi."""
    moving = problem.moving
    most = 0.0
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if has_quaternion(kind) and kind & layout.SWING_TWIST == 0:
            d = moving[k, layout.M_DOF] + number_count(kind)
            most = max(
                most, quat.norm((gain[d] * x[d], gain[d + 1] * x[d + 1], gain[d + 2] * x[d + 2]))
            )
    return most
