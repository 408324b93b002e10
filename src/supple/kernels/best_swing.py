"""The best rotation inside a swing limit with four half-angles, for a quadratic form of the quaternion.

Up to a constant, what one joint gains for its goals is u.K.u of its unit quaternion u, in `best_turn` as in
Wahba's problem. A rotation here is a twist and then a swing, with independent limits. Given the other, the best of
each has a closed form, except on the boundary of the swing:

* A twist by another 2x gives cos x u + sin x u*axis, so the form is one wave of the twist.
* The swing is m = (cos B, sin B n) with n perpendicular to the axis, so the form is m.M.m with a 3x3 matrix M,
  whose first eigenvector is best. If that is outside, the best is on the boundary, because a form on the
  sphere has no other peaks. The boundary is sampled, and the best sample refined.

Alternating between them cannot get stuck at a limit: the form is smooth, and the limits of one do not depend on
the other. A rotation that only points leaves the spin about the arm free: `nearest_spin` finds the least spin that
is inside.
"""

import math
from typing import NamedTuple

from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, kernel
from supple.kernels.joint import (
    FULL_TURN,
    clamped_quadrants,
    tilt_and_twist,
    tilted,
    unwrapped,
)
from supple.kernels.quadrants import inside, outside, rim

INVERSE_GOLDEN_RATIO = 0.6180339887498949


class SwingRules(NamedTuple):
    """How long the best swing and the least spin are searched for. Not tuned.

    Attributes:
        slack: A rotation outside the limits by no more than this counts as inside [rad]; rounding.
        rounds: Rounds of twist and swing, at most.
        rim_samples: Samples of the boundary of the swing, before the golden section.
        spin_samples: Samples of a quarter turn of spin, to either side.
        golden_steps: Steps of golden section: to the square root of rounding, where a peak is flat.
        bisections: Steps that find where the inside begins; rounding.
        squarings: How often M is squared: M^128 for 7.
    """

    slack: float = 1e-10
    rounds: int = 3
    rim_samples: int = 16
    spin_samples: int = 12
    golden_steps: int = 34
    bisections: int = 45
    squarings: int = 7


RULES = SwingRules()


@kernel
def form_of(v, weight):
    """The form weight (u.v)^2 as ten numbers, row after row of the upper triangle of K."""
    return (
        weight * v[0] * v[0], weight * v[0] * v[1], weight * v[0] * v[2], weight * v[0] * v[3],
        weight * v[1] * v[1], weight * v[1] * v[2], weight * v[1] * v[3],
        weight * v[2] * v[2], weight * v[2] * v[3],
        weight * v[3] * v[3],
    )  # fmt: skip


@kernel
def add_forms(a, b):
    """The sum of two forms."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
        a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8], a[9] + b[9],
    )  # fmt: skip


@kernel
def times(form, u):
    """The quaternion K u."""
    return (
        form[0] * u[0] + form[1] * u[1] + form[2] * u[2] + form[3] * u[3],
        form[1] * u[0] + form[4] * u[1] + form[5] * u[2] + form[6] * u[3],
        form[2] * u[0] + form[5] * u[1] + form[7] * u[2] + form[8] * u[3],
        form[3] * u[0] + form[6] * u[1] + form[8] * u[2] + form[9] * u[3],
    )


@kernel
def dot4(a, b):
    """The inner product of two quaternions."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@kernel
def worth(form, u):
    """The value u.K.u."""
    return dot4(u, times(form, u))


# Twist and swing, alternating ---------------------------------------------------------------------


@cold
def climb(form, u, quadrants):
    """The best rotation that alternating twists and swings lead to from u, which is inside the limits."""
    top = worth(form, u)
    for _ in range(RULES.rounds):
        new = best_swing(form, best_twist(form, u, quadrants), quadrants)
        value = worth(form, new)
        if not value > top:
            break
        u, top = new, value
    return u


@cold
def best_twist(form, u, quadrants):
    """The rotation u with the best twist inside the limits."""
    axis = quadrants.axis
    spun = quat.mul(u, (0.0, axis[0], axis[1], axis[2]))
    other = times(form, spun)
    c = 0.5 * (worth(form, u) - dot4(spun, other))
    s = dot4(u, other)
    if c == 0.0 and s == 0.0:
        return u
    more = math.atan2(s, c)
    a, b, twist = tilt_and_twist(u, quadrants)
    low, high = quadrants.low, quadrants.high
    if high - low < FULL_TURN:
        twist = unwrapped(twist, low, high)
        more = unwrapped(twist + more, low, high) - twist
        if twist + more < low or twist + more > high:
            at_low = c * math.cos(low - twist) + s * math.sin(low - twist)
            at_high = c * math.cos(high - twist) + s * math.sin(high - twist)
            more = (low if at_low > at_high else high) - twist
    return clamped_quadrants(tilted(quadrants, a, b, twist + more), quadrants)


@cold
def best_swing(form, u, quadrants):
    """The rotation u with the best swing inside the limits; u itself where none is better."""
    a, b, twist = tilt_and_twist(u, quadrants)
    right, up = quadrants.rightward, quadrants.upward
    still = tilted(quadrants, 0.0, 0.0, twist)
    first = quat.mul((0.0, right[0], right[1], right[2]), still)
    second = quat.mul((0.0, -up[0], -up[1], -up[2]), still)
    k0, k1, k2 = times(form, still), times(form, first), times(form, second)
    m = (
        dot4(still, k0), dot4(still, k1), dot4(still, k2),
        dot4(first, k1), dot4(first, k2), dot4(second, k2),
    )  # fmt: skip
    x, y = _first_vector(m, a, b)
    if not inside(quadrants, x, y, 0.0):
        x, y = _best_on_rim(m, quadrants)
    if not _value(m, x, y) > _value(m, a, b):
        return u
    return clamped_quadrants(tilted(quadrants, x, y, twist), quadrants)


@kernel
def _value(m, a, b):
    """The form of the swing with the tilts a and b, (cos B, sin B n)."""
    swing = math.hypot(a, b)
    c = math.cos(0.5 * swing)
    s = math.sin(0.5 * swing) / swing if swing > 0.0 else 0.5
    x, y = s * a, s * b
    return (
        m[0] * c * c
        + m[3] * x * x
        + m[5] * y * y
        + 2.0 * (m[1] * c * x + m[2] * c * y + m[4] * x * y)
    )


@kernel
def _first_vector(m, a, b):
    """The tilts of the eigenvector of the greatest eigenvalue of M, by power iteration from the tilts a and b."""
    swing = math.hypot(a, b)
    z = math.cos(0.5 * swing)
    s = math.sin(0.5 * swing) / swing if swing > 0.0 else 0.5
    x, y = s * a, s * b
    # With the shift no eigenvalue is negative.
    shift = abs(m[0]) + abs(m[3]) + abs(m[5]) + 2.0 * (abs(m[1]) + abs(m[2]) + abs(m[4]))
    if not shift > 0.0:
        return a, b
    p = (m[0] + shift, m[1], m[2], m[3] + shift, m[4], m[5] + shift)
    for _ in range(RULES.squarings):
        f = 1.0 / (p[0] + p[3] + p[5])
        p = (f * p[0], f * p[1], f * p[2], f * p[3], f * p[4], f * p[5])
        p = (
            p[0] * p[0] + p[1] * p[1] + p[2] * p[2],
            p[0] * p[1] + p[1] * p[3] + p[2] * p[4],
            p[0] * p[2] + p[1] * p[4] + p[2] * p[5],
            p[1] * p[1] + p[3] * p[3] + p[4] * p[4],
            p[1] * p[2] + p[3] * p[4] + p[4] * p[5],
            p[2] * p[2] + p[4] * p[4] + p[5] * p[5],
        )
    z, x, y = (
        p[0] * z + p[1] * x + p[2] * y,
        p[1] * z + p[3] * x + p[4] * y,
        p[2] * z + p[4] * x + p[5] * y,
    )
    if z < 0.0:
        z, x, y = -z, -x, -y
    size = math.hypot(x, y)
    if not size > 0.0:
        return 0.0, 0.0
    angle = 2.0 * math.atan2(size, z) / size
    return angle * x, angle * y


@kernel
def _best_on_rim(m, quadrants):
    """The tilts on the boundary where the form is greatest."""
    best, top = 0.0, -math.inf
    step = FULL_TURN / RULES.rim_samples
    for i in range(RULES.rim_samples):
        a, b = rim(quadrants, i * step)
        value = _value(m, a, b)
        if value > top:
            best, top = i * step, value
    low, high = best - step, best + step
    x, y = high - INVERSE_GOLDEN_RATIO * (high - low), low + INVERSE_GOLDEN_RATIO * (high - low)
    a, b = rim(quadrants, x)
    at_x = _value(m, a, b)
    a, b = rim(quadrants, y)
    at_y = _value(m, a, b)
    for _ in range(RULES.golden_steps):
        if at_x >= at_y:
            high, y, at_y = y, x, at_x
            x = high - INVERSE_GOLDEN_RATIO * (high - low)
            a, b = rim(quadrants, x)
            at_x = _value(m, a, b)
        else:
            low, x, at_x = x, y, at_y
            y = low + INVERSE_GOLDEN_RATIO * (high - low)
            a, b = rim(quadrants, y)
            at_y = _value(m, a, b)
    return rim(quadrants, 0.5 * (low + high))


# Rotations that point -----------------------------------------------------------------------------


@kernel
def _spun(first, second, x):
    """The rotation cos x first + sin x second."""
    c, s = math.cos(x), math.sin(x)
    return quat.normalized(
        (
            c * first[0] + s * second[0],
            c * first[1] + s * second[1],
            c * first[2] + s * second[2],
            c * first[3] + s * second[3],
        )
    )


@cold
def beyond(turn, quadrants, twisting):
    """By how much a rotation is outside the limits of its swing and, if `twisting`, its twist [rad]; 0 inside."""
    a, b, twist = tilt_and_twist(turn, quadrants)
    away = outside(quadrants, a, b)
    if twisting and quadrants.high - quadrants.low < FULL_TURN:
        near = unwrapped(twist, quadrants.low, quadrants.high)
        away = max(away, quadrants.low - near, near - quadrants.high)
    return away


@cold
def nearest_spin(first, second, quadrants, twisting):
    """The rotation cos x first + sin x second inside the limits with the least x, and True if there is one.

    It is the least x that sampling finds, to rounding. If none is inside, the rotation that is outside the least.
    Limits of the twist count if `twisting`.
    """
    step = 0.5 * math.pi / RULES.spin_samples
    best, least = 0.0, beyond(first, quadrants, twisting)
    if least <= RULES.slack:
        return first, True
    for i in range(2 * RULES.spin_samples):
        x = step * (i // 2 + 1)
        x = x if i % 2 == 0 else -x
        away = beyond(_spun(first, second, x), quadrants, twisting)
        if away == 0.0:
            # The limit lies between this sample and the one before.
            out, inner = x - step if x > 0.0 else x + step, x
            for _ in range(RULES.bisections):
                middle = 0.5 * (out + inner)
                if beyond(_spun(first, second, middle), quadrants, twisting) > 0.0:
                    out = middle
                else:
                    inner = middle
            return _spun(first, second, inner), True
        if away < least:
            best, least = x, away
    low, high = best - step, best + step
    for _ in range(RULES.golden_steps):
        x, y = high - INVERSE_GOLDEN_RATIO * (high - low), low + INVERSE_GOLDEN_RATIO * (high - low)
        at_x = beyond(_spun(first, second, x), quadrants, twisting)
        at_y = beyond(_spun(first, second, y), quadrants, twisting)
        if at_x <= at_y:
            high = y
            best, least = x, at_x
        else:
            low = x
            best, least = y, at_y
        if least == 0.0:
            break
    return _spun(first, second, best), least <= RULES.slack
