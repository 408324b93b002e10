"""Where restarts begin: low-discrepancy poses around the start, the same on every machine.

Seed number n puts freedom j at the fraction (n * 2^((j+1)/(D+1))) mod 1 of its range: a Kronecker
sequence with Niederreiter's generators. Joints without limits range over a whole turn, or over as
many as it takes until their mimic joints have made one; open slides over twice the chain's length to
both sides of where a descent has led them.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.jacobian import slides
from supple.kernels.layout import (
    AXES,
    AXIS,
    BALL,
    CONE,
    F_LENGTH,
    FIXED,
    FREE,
    HINGE,
    LIMITS,
    M_DOF,
    M_FROZEN,
    M_KIND,
    M_MIMIC,
    M_NQ,
    M_Q,
    M_STRETCH_DOF,
    M_STRETCH_Q,
    MIMIC_MUL,
    STRETCH_HI,
    STRETCH_LO,
)
from supple.kernels.quaternion import (
    about,
    axpy,
    cross,
    exp,
    load3,
    mul,
    normalized,
    perpendicular,
    put4,
    scale,
    take4,
)
from supple.kernels.tangent import follow
from supple.kernels.tree import unpack

SLOWEST = 0.1  # a copy that turns by less than this part of what it copies need not make a turn


@kernel
def fraction(n, j, freedoms):
    """Coordinate j of the n-th point of the sequence, in [0, 1)."""
    x = n * math.pow(2.0, (j + 1.0) / (freedoms + 1.0))
    return x - math.floor(x)


@kernel
def at_fraction(low, high, u, here, slack):
    """The fraction u of a range; an open range is a window of half-width `slack` around here."""
    if not math.isfinite(low):
        low = here - slack if not math.isfinite(high) else high - 2.0 * slack
    if not math.isfinite(high):
        high = low + 2.0 * slack
    return low + u * (high - low)


@kernel
def seed(moving, moving_f, n, spread, length, freedoms, start, here, out):
    """Seed number n.

    Every moving joint `spread` (0..1) of the way from the start to a point of the sequence; what
    slides without limits, from `here`, the best pose so far.
    """
    for k in range(moving.shape[0]):
        # A copy follows what it copies; only its stretch is its own.
        kind = FIXED if moving[k, M_MIMIC] >= 0 else moving[k, M_KIND]
        at = moving[k, M_Q]
        d = moving[k, M_DOF]
        u = fraction(n, d, freedoms)
        if kind == BALL or kind == CONE or kind == FREE:
            if kind == FREE:
                at += 3
                d += 3
                u = fraction(n, d, freedoms)
            v = fraction(n, d + 1, freedoms)
            w = fraction(n, d + 2, freedoms)
            if kind == CONE:
                axis = load3(moving_f, k, AXIS)
                side = perpendicular(axis)
                around = 2.0 * math.pi * v
                side = axpy(scale(side, math.cos(around)), math.sin(around), cross(axis, side))
                swing = math.sqrt(u) * spread * moving_f[k, LIMITS + 1]
                twist = at_fraction(
                    moving_f[k, LIMITS + 2], moving_f[k, LIMITS + 3], w, 0.0, math.pi
                )
                middle = 0.5 * (moving_f[k, LIMITS + 2] + moving_f[k, LIMITS + 3])
                twist = middle + spread * (twist - middle)
                put4(out, at, normalized(mul(about(side, swing), about(axis, twist))))
            else:
                # A turn of up to spread * pi about an even direction.
                z = 2.0 * u - 1.0
                ring = math.sqrt(max(0.0, 1.0 - z * z))
                size = spread * math.pi * math.pow(w, 1.0 / 3.0)
                around = 2.0 * math.pi * v
                turn = (ring * math.cos(around), ring * math.sin(around), z)
                put4(out, at, normalized(mul(exp(scale(turn, size)), take4(start, at))))
        elif kind != FIXED:
            for i in range(moving[k, M_NQ]):
                if kind == AXES and (moving[k, M_FROZEN] >> i) & 1 == 1:
                    continue
                low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
                slack, origin = math.pi, start[at + i]
                if slides(kind, i):
                    slack = 2.0 * length
                    if not math.isfinite(high - low):
                        origin = here[at + i]
                goal = at_fraction(low, high, fraction(n, d, freedoms), origin, slack)
                out[at + i] = origin + spread * (goal - origin)
                d += 1
        if moving[k, M_STRETCH_DOF] >= 0:
            at = moving[k, M_STRETCH_Q]
            low, high = moving_f[k, STRETCH_LO], moving_f[k, STRETCH_HI]
            goal = at_fraction(low, high, fraction(n, moving[k, M_STRETCH_DOF], freedoms), 1.0, 0.5)
            out[at] = start[at] + spread * (goal - start[at])
    _widen(moving, moving_f, n, spread, freedoms, start, out)
    follow(moving, moving_f, out)


@kernel
def _widen(moving, moving_f, n, spread, freedoms, start, out):
    """Let open hinges of a seed range until the hinges that copy them more slowly have made a turn."""
    for k in range(moving.shape[0]):
        source = moving[k, M_MIMIC]
        if source < 0 or moving[k, M_KIND] != HINGE or moving[source, M_KIND] != HINGE:
            continue
        low, high = moving_f[source, LIMITS], moving_f[source, LIMITS + 1]
        slower = abs(moving_f[k, MIMIC_MUL])
        if math.isfinite(high - low) or slower >= 1.0 or slower < SLOWEST:
            continue
        at = moving[source, M_Q]
        u = fraction(n, moving[source, M_DOF], freedoms)
        goal = at_fraction(low, high, u, start[at], math.pi / slower)
        value = start[at] + spread * (goal - start[at])
        if abs(value - start[at]) > abs(out[at] - start[at]):
            out[at] = value


@kernel
def spread_seeds(ints, floats, poses):
    """Replace the rows of poses, shape (B, Q), all alike, by seeds over the whole ranges."""
    _, moving, _, _, _, moving_f, _, _, _, weight = unpack(ints, floats)
    start = poses[0].copy()
    for b in range(poses.shape[0]):
        seed(
            moving, moving_f, b + 1, 1.0, floats[F_LENGTH], weight.shape[0], start, start, poses[b]
        )
