"""Wahba's problem: the rotation of one joint, inside its limits, that brings points of its body to targets.

Let `b` be a point of the body in the joint's frame, and `d` its target in the frame before the joint
turns. The squared distance is least where d . R b is greatest. For many points with weights that
is the greatest tr(R^T F) with the *correlation* F = sum of w d b^T, a 3x3 matrix kept as nine
floats, row after row (Wahba's problem). About one axis there is a closed form: c cos a + s sin a is
greatest at atan2(s, c), and inside limits at that angle or at the better limit. Balls and cones make
one such rotation, about the axis that helps most: it is the exact answer for a single point (on a cone: along
its axis) and for a whole frame. Axes joints make one about each axis. A swing with four half-angles
alternates between its best twist and its best swing: tr(R^T F) is a quadratic form of the quaternion (Davenport).
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.best_swing import climb
from supple.kernels.decorators import cold, kernel, leaf
from supple.kernels.joint import (
    FULL_TURN,
    axis_of,
    clamped_cone,
    clamped_quadrants,
    number_count,
    slide_count,
    swing_twist_angles,
)
from supple.kernels.quadrants import quadrants_of

CORRELATION_ROUNDING = 1e-13  # anything below this part of the correlation is rounding


@kernel
def outer(d, b):
    """The correlation d b^T of one point b of the body, which should be at d."""
    return (
        d[0] * b[0], d[0] * b[1], d[0] * b[2],
        d[1] * b[0], d[1] * b[1], d[1] * b[2],
        d[2] * b[0], d[2] * b[1], d[2] * b[2],
    )  # fmt: skip


@kernel
def axpy9(f, s, g):
    """F + s * g for two correlations."""
    return (
        f[0] + s * g[0], f[1] + s * g[1], f[2] + s * g[2],
        f[3] + s * g[3], f[4] + s * g[4], f[5] + s * g[5],
        f[6] + s * g[6], f[7] + s * g[7], f[8] + s * g[8],
    )  # fmt: skip


@kernel
def load9(rows, i, c):
    """The correlation in row i, from column c on."""
    return (
        rows[i, c], rows[i, c + 1], rows[i, c + 2],
        rows[i, c + 3], rows[i, c + 4], rows[i, c + 5],
        rows[i, c + 6], rows[i, c + 7], rows[i, c + 8],
    )  # fmt: skip


@kernel
def add9(rows, i, c, s, f):
    """Add s * f to the correlation in row i, from column c on."""
    for n in range(9):
        rows[i, c + n] += s * f[n]


@kernel
def body_turned(f, q):
    """F R^T: the correlation with every body point b rotated by q."""
    a = quat.rotate(q, (f[0], f[1], f[2]))
    b = quat.rotate(q, (f[3], f[4], f[5]))
    c = quat.rotate(q, (f[6], f[7], f[8]))
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@kernel
def targets_unturned(f, q):
    """R^T F: the correlation with every target d rotated by the inverse of q."""
    a = quat.unrotate(q, (f[0], f[3], f[6]))
    b = quat.unrotate(q, (f[1], f[4], f[7]))
    c = quat.unrotate(q, (f[2], f[5], f[8]))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@kernel
def rotation_matrix(q):
    """The rotation matrix of q: the correlation whose best rotation is q."""
    a = quat.rotate(q, (1.0, 0.0, 0.0))
    b = quat.rotate(q, (0.0, 1.0, 0.0))
    c = quat.rotate(q, (0.0, 0.0, 1.0))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@kernel
def trace9(f):
    """The trace of F: its value for the identity."""
    return f[0] + f[4] + f[8]


@kernel
def size9(f):
    """The size of a correlation: the sum of its absolute entries."""
    size = 0.0
    for n in range(9):
        size += abs(f[n])
    return size


@kernel
def moment(f):
    """The sum of w b x d: the axis about which a small rotation helps most."""
    return (f[7] - f[5], f[2] - f[6], f[3] - f[1])


@kernel
def about_axis(f, axis):
    """The c and s of c cos a + s sin a, the value of a rotation by a about the unit axis, up to a constant."""
    x, y, z = axis
    along = (
        x * (f[0] * x + f[1] * y + f[2] * z)
        + y * (f[3] * x + f[4] * y + f[5] * z)
        + z * (f[6] * x + f[7] * y + f[8] * z)
    )
    return trace9(f) - along, quat.dot(axis, moment(f))


@kernel
def best_angle(c, s, low, high, here, size):
    """The angle in [low, high] where c cos a + s sin a is greatest; of equal ones the nearest to `here`.

    `size` is that of the correlation: where c and s are rounding, every angle is equal.
    """
    if not math.hypot(c, s) > CORRELATION_ROUNDING * size:
        return min(max(here, low), high)
    best = math.atan2(s, c)
    near = best + FULL_TURN * math.floor((here - best) / FULL_TURN + 0.5)
    if near > high:
        near -= FULL_TURN * math.ceil((near - high) / FULL_TURN)
    elif near < low:
        near += FULL_TURN * math.ceil((low - near) / FULL_TURN)
    if low <= near <= high:
        return near
    at_low = math.cos(low - best)
    at_high = math.cos(high - best)
    if abs(at_low - at_high) < 1e-9:
        return low if abs(here - low) <= abs(high - here) else high
    return low if at_low > at_high else high


@kernel
def fitted_turn(f, q):
    """The rotation q followed by the best one about the axis that helps most; q itself if nothing helps."""
    m = body_turned(f, q)
    size = size9(m)
    z = moment(m)
    n = quat.norm(z)
    if n > CORRELATION_ROUNDING * size:
        axis = quat.scale(z, 1.0 / n)
        c, s = about_axis(m, axis)
        return quat.normalized(quat.mul(quat.about(axis, math.atan2(s, c)), q))
    if trace9(m) < -CORRELATION_ROUNDING * size:
        # The worst rotation, with no better axis than another: half a turn about a fixed one.
        column = (m[0], m[3], m[6])
        if abs(m[4]) > abs(m[0]) and abs(m[4]) >= abs(m[8]):
            column = (m[1], m[4], m[7])
        elif abs(m[8]) > abs(m[0]):
            column = (m[2], m[5], m[8])
        return quat.normalized(
            quat.mul(quat.about(quat.perpendicular(quat.unit(column)), math.pi), q)
        )
    return q


@kernel
def fitted_cone(f, q, axis, swing, low, high):
    """A rotation inside a cone's limits that fits better than q, which is inside; q if none is found."""
    best = q
    met = trace9(body_turned(f, q))
    new = clamped_cone(fitted_turn(f, q), axis, swing, low, high)
    value = trace9(body_turned(f, new))
    if value > met:
        best, met = new, value
    # A twist does not move the axis: take the best one inside the limits.
    _, twist = swing_twist_angles(new, axis)
    c, s = about_axis(targets_unturned(f, new), axis)
    extra = best_angle(c, s, low - twist, high - twist, 0.0, size9(f))
    if extra != 0.0:
        new = clamped_cone(
            quat.normalized(quat.mul(new, quat.about(axis, extra))), axis, swing, low, high
        )
        if trace9(body_turned(f, new)) > met:
            best = new
    return best


@cold
def fitted_quadrants(f, q, quadrants):
    """A rotation inside limits with four half-angles that fits better than q, which is inside; q if none is found."""
    z, trace = moment(f), trace9(f)
    form = (
        trace, z[0], z[1], z[2],
        2.0 * f[0] - trace, f[1] + f[3], f[2] + f[6],
        2.0 * f[4] - trace, f[5] + f[7],
        2.0 * f[8] - trace,
    )  # fmt: skip
    best = q
    met = trace9(body_turned(f, q))
    new = clamped_quadrants(fitted_turn(f, q), quadrants)
    if trace9(body_turned(f, new)) > met:
        best, met = new, trace9(body_turned(f, new))
    new = climb(form, best, quadrants)
    return new if trace9(body_turned(f, new)) > met else best


@leaf
def fit_axes(problem, f, k, q):
    """Set each angle of a joint with several axes to its best, given the others."""
    moving, moving_f = problem.moving, problem.moving_f
    at, count = moving[k, layout.M_Q], number_count(moving[k, layout.M_KIND])
    size = size9(f)
    ahead = (1.0, 0.0, 0.0, 0.0)
    for i in range(count):
        axis = axis_of(moving_f, k, i)
        if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
            behind = (1.0, 0.0, 0.0, 0.0)
            for j in range(i + 1, count):
                behind = quat.mul(behind, quat.about(axis_of(moving_f, k, j), q[at + j]))
            c, s = about_axis(targets_unturned(body_turned(f, behind), ahead), axis)
            low, high = (
                moving_f[k, layout.LIMITS + 2 * i],
                moving_f[k, layout.LIMITS + 2 * i + 1],
            )
            q[at + i] = best_angle(c, s, low, high, q[at + i], size)
        ahead = quat.mul(ahead, quat.about(axis, q[at + i]))


@leaf
def fit_joint(problem, f, k, q):
    """Set the coordinates of moving joint k, inside its limits, to fit the correlation f.

    Its targets d are in the frame just before the joint, its points b in the joint's frame. A joint that
    slides is left unchanged.
    """
    moving, moving_f = problem.moving, problem.moving_f
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    if kind == layout.BALL:
        quat.put4(q, at, fitted_turn(f, quat.take4(q, at)))
    elif kind == layout.HINGE:
        c, s = about_axis(f, quat.load3(moving_f, k, layout.AXIS))
        low, high = moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]
        q[at] = best_angle(c, s, low, high, q[at], size9(f))
    elif kind == layout.CONE:
        axis = quat.load3(moving_f, k, layout.AXIS)
        low, high = moving_f[k, layout.LIMITS + 2], moving_f[k, layout.LIMITS + 3]
        quat.put4(
            q,
            at,
            fitted_cone(f, quat.take4(q, at), axis, moving_f[k, layout.LIMITS + 1], low, high),
        )
    elif kind == layout.CONE_BY_QUADRANTS:
        new = fitted_quadrants(f, quat.take4(q, at), quadrants_of(moving_f, k))
        quat.put4(q, at, new)
    elif slide_count(kind) == 0:
        fit_axes(problem, f, k, q)
