"""Secondary aims: a rest posture and poles, as a wish in the tangent space.

The wish is the step that would bring every joint back to the rest posture, plus the step that would
swing every bent limb to its pole. Solvers follow it only as far as the primary goals stay met.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.jacobian import slides
from supple.kernels.layout import (
    AXES,
    B_KIND,
    B_MOVE,
    B_REACH,
    B_ROOT,
    B_WEIGHT,
    BALL,
    CONE,
    E_POS,
    F_LENGTH,
    F_REST,
    FREE,
    H_POLES,
    H_REST,
    M_DOF,
    M_FROZEN,
    M_KIND,
    M_MIMIC,
    M_NDOF,
    M_NQ,
    M_PARENT,
    M_Q,
    M_STRETCH_DOF,
    M_STRETCH_Q,
    POLE,
    S_POS,
    S_WPRE,
)
from supple.kernels.quaternion import (
    axpy,
    conj,
    cross,
    dot,
    load3,
    load4,
    log,
    mul,
    rotate,
    sub,
    take4,
    unit,
)
from supple.kernels.residual import pole_angle

LONGEST = 0.5  # the most that a wish asks of one freedom, or one ball, at a time [rad]


@kernel
def wishes(ints):
    """Whether a problem has secondary aims."""
    return ints[H_REST] == 1 or ints[H_POLES] > 0


@kernel
def _towards_rest(moving, rest, weight, q, states, length, axes, wish):
    """Add the way back to the rest posture to the wish; returns its half squared length."""
    cost = 0.0
    for k in range(moving.shape[0]):
        if moving[k, M_MIMIC] >= 0:
            continue
        kind = moving[k, M_KIND]
        at = moving[k, M_Q]
        d = moving[k, M_DOF]
        stretch = moving[k, M_STRETCH_DOF]
        if stretch >= 0:
            way = rest[moving[k, M_STRETCH_Q]] - q[moving[k, M_STRETCH_Q]]
            wish[stretch] += weight * way
            cost += 0.5 * way * way
        shift = 3 if kind == FREE else 0
        if kind == BALL or kind == CONE or kind == FREE:
            turn = log(mul(take4(rest, at + shift), conj(take4(q, at + shift))))
            turn = rotate(load4(states, k, S_WPRE), turn)
            for i in range(3):
                way = dot(turn, load3(axes, d + shift + i, 0))
                wish[d + shift + i] += weight * way
                cost += 0.5 * way * way
        if kind == BALL or kind == CONE:
            continue
        for i in range(3 if kind == FREE else moving[k, M_NQ]):
            if kind == AXES and (moving[k, M_FROZEN] >> i) & 1 == 1:
                continue
            way = rest[at + i] - q[at + i]
            if slides(kind, i):
                way /= length
            wish[d] += weight * way
            cost += 0.5 * way * way
            d += 1
    return weight * cost


@kernel
def _towards_pole(moving, blocks, blocks_f, states, effectors, g, axes, wish, swing):
    """Add the swing of a bent limb about its root-to-tip line to the wish.

    Returns its half squared angle.
    """
    angle = pole_angle(blocks, states, effectors, g)
    weight = blocks_f[g, B_WEIGHT]
    root = load3(states, blocks[g, B_ROOT], S_POS)
    line = unit(sub(load3(effectors, blocks[g, B_REACH], E_POS), root))
    middle = load3(effectors, g, E_POS)
    out = sub(middle, root)
    out = axpy(out, -dot(out, line), line)
    square = dot(out, out)
    if square == 0.0:
        return 0.0
    total = 0.0
    k = blocks[g, B_MOVE]
    while k >= 0:
        kind = moving[k, M_KIND]
        if moving[k, M_MIMIC] < 0:
            arm = sub(middle, load3(states, k, S_POS))
            for i in range(moving[k, M_NDOF]):
                d = moving[k, M_DOF] + i
                swing[d] = 0.0
                if not slides(kind, i):
                    swing[d] = dot(cross(line, out), cross(load3(axes, d, 0), arm)) / square
                total += swing[d] * swing[d]
        k = moving[k, M_PARENT]
    k = blocks[g, B_MOVE]
    while k >= 0 and total > 0.0:
        if moving[k, M_MIMIC] < 0:
            for i in range(moving[k, M_NDOF]):
                d = moving[k, M_DOF] + i
                wish[d] += weight * angle * swing[d] / total
        k = moving[k, M_PARENT]
    return 0.5 * weight * angle * angle


@kernel
def posture(ints, floats, moving, blocks, blocks_f, rest, q, states, effectors, axes, wish, swing):
    """Fill the wish, shape (D,), for the pose q with its frames and axes.

    Returns the secondary cost.
    """
    for d in range(wish.shape[0]):
        wish[d] = 0.0
    cost = 0.0
    if ints[H_REST] == 1:
        cost += _towards_rest(moving, rest, floats[F_REST], q, states, floats[F_LENGTH], axes, wish)
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] == POLE:
            cost += _towards_pole(moving, blocks, blocks_f, states, effectors, g, axes, wish, swing)
    for k in range(moving.shape[0]):
        if moving[k, M_MIMIC] < 0:
            _shorten(moving, k, wish)
    return cost


@kernel
def _shorten(moving, k, wish):
    """Hold the wish of a joint's freedoms to LONGEST, turns of a ball together: its axes are the world's."""
    kind, d = moving[k, M_KIND], moving[k, M_DOF]
    together = kind == BALL or kind == CONE or kind == FREE
    for n in range(moving[k, M_NDOF]):
        if not together or slides(kind, n):
            wish[d + n] = math.copysign(min(abs(wish[d + n]), LONGEST), wish[d + n])
    if moving[k, M_STRETCH_DOF] >= 0:
        e = moving[k, M_STRETCH_DOF]
        wish[e] = math.copysign(min(abs(wish[e]), LONGEST), wish[e])
    if together:
        d += 3 if kind == FREE else 0
        size = math.sqrt(wish[d] ** 2 + wish[d + 1] ** 2 + wish[d + 2] ** 2)
        if size > LONGEST:
            for n in range(3):
                wish[d + n] *= LONGEST / size
