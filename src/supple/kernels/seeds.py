"""Where restarts begin: low-discrepancy poses around the start, the same on every machine.

Seed number n puts freedom j at the fraction (n * 2^((j+1)/(D+1))) mod 1 of its range: a Kronecker
sequence with Niederreiter's generators. Joints without limits range over a whole turn.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXES,
    AXIS,
    BALL,
    CONE,
    F_LENGTH,
    FIXED,
    FREE,
    LIMITS,
    M_DOF,
    M_FROZEN,
    M_KIND,
    M_MIMIC,
    M_NQ,
    M_Q,
    M_STRETCH_DOF,
    M_STRETCH_Q,
    SLIDER,
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
def seed(moving, moving_f, n, spread, length, freedoms, start, out):
    """Seed number n.

    Every moving joint `spread` (0..1) of the way from the start to a point of the sequence.
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
                slack = length if kind == SLIDER else math.pi
                low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
                goal = at_fraction(low, high, fraction(n, d, freedoms), start[at + i], slack)
                out[at + i] = start[at + i] + spread * (goal - start[at + i])
                d += 1
        if moving[k, M_STRETCH_DOF] >= 0:
            at = moving[k, M_STRETCH_Q]
            low, high = moving_f[k, STRETCH_LO], moving_f[k, STRETCH_HI]
            goal = at_fraction(low, high, fraction(n, moving[k, M_STRETCH_DOF], freedoms), 1.0, 0.5)
            out[at] = start[at] + spread * (goal - start[at])
    follow(moving, moving_f, out)


@kernel
def spread_seeds(ints, floats, poses):
    """Replace the rows of poses, shape (B, Q), all alike, by seeds over the whole ranges."""
    _, moving, _, _, _, moving_f, _, _, _, weight = unpack(ints, floats)
    start = poses[0].copy()
    for b in range(poses.shape[0]):
        seed(moving, moving_f, b + 1, 1.0, floats[F_LENGTH], weight.shape[0], start, poses[b])
