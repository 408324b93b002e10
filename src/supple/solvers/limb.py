"""A limb: a root joint, a middle joint, an effector, and how they hang together.

Everything is seen from the root joint's place, in the frame just before the root turns: `wish` is
the target there, `upper` the middle joint in the root joint's frame, `lower` the effector in the
middle joint's frame, `between_them` the turn from the root joint's frame to the one just before the
middle joint. A limb's two joints are held in eight numbers, four each: a hinge's angle, or a turn
wxyz. See `two_bone` for the idea.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.euler import put_axes
from supple.kernels.layout import (
    AXES,
    AXIS,
    B_MOVE,
    B_WEIGHT,
    CONE,
    E_P0,
    E_TARGET,
    HINGE,
    LIMITS,
    M_KIND,
    M_ORDER,
    M_Q,
    O_BLOCK,
    O_COST,
    O_ERROR,
    O_ITERATIONS,
    O_STATUS,
    O_STOP,
    REACHED,
    REPORT,
    S_P0,
    S_PRE,
    STOP_REACHED,
)
from supple.kernels.quaternion import (
    IDENTITY,
    about,
    add,
    between,
    load3,
    load4,
    mul,
    norm,
    normalized,
    put4,
    rotate,
    sub,
    take4,
    unrotate,
)
from supple.kernels.tree import joint_turn
from supple.solvers.ccd_cones import cone_turn
from supple.solvers.ccd_turns import axis_turn
from supple.solvers.limb_bends import angle_about, size_of

ROUNDS = 20  # how often root and middle take turns where limits keep them from the target


@kernel
def limb_parts(states, effectors):
    """base, pre, upper, between_them, lower: see the module's text."""
    return (
        load3(states, 0, S_P0),
        load4(states, 0, S_PRE),
        load3(states, 1, S_P0),
        load4(states, 1, S_PRE),
        load3(effectors, 0, E_P0),
    )


@kernel
def after(a, b):
    """The product a b, for which b is often no turn at all."""
    return a if b[1] == b[2] == b[3] == 0.0 else mul(a, b)


@kernel
def load_limb(moving, moving_f, q, limb):
    """Take the limb's two joints out of a pose."""
    for k in range(2):
        kind, at = moving[k, M_KIND], moving[k, M_Q]
        if kind == HINGE:
            limb[4 * k] = q[at]
        elif kind == AXES:
            put4(limb, 4 * k, joint_turn(kind, moving[k, M_ORDER], moving_f, k, q, at))
        else:
            put4(limb, 4 * k, take4(q, at))


@kernel
def store_limb(moving, limb, q):
    """Put the limb's two joints back into a pose."""
    for k in range(2):
        kind, at = moving[k, M_KIND], moving[k, M_Q]
        if kind == HINGE:
            q[at] = limb[4 * k]
        elif kind == AXES:
            put_axes(moving[k, M_ORDER], take4(limb, 4 * k), q, at)
        else:
            put4(q, at, take4(limb, 4 * k))


@kernel
def turn_of(moving, moving_f, limb, k):
    """The turn of joint k of the limb, wxyz."""
    if moving[k, M_KIND] == HINGE:
        return about(load3(moving_f, k, AXIS), limb[4 * k])
    return take4(limb, 4 * k)


@kernel
def pole_point(blocks, states, effectors, g, turn):
    """The point that a pole block moves, in the root joint's frame; `turn` is that of the middle joint."""
    point = load3(effectors, g, E_P0)
    if blocks[g, B_MOVE] == 0:
        return point
    middle = load3(states, 1, S_P0)
    if point[0] == 0.0 and point[1] == 0.0 and point[2] == 0.0:
        return middle
    return add(middle, rotate(mul(load4(states, 1, S_PRE), turn), point))


@kernel
def point_joint(moving, moving_f, k, limb, arm, wish):
    """Turn joint k, not a hinge, so that an arm points along a wish, both in its rest frame."""
    old = turn_of(moving, moving_f, limb, k)
    if moving[k, M_KIND] != CONE:
        new = normalized(mul(between(arm, wish), old))
    else:
        new, _ = cone_turn(
            old, load3(moving_f, k, AXIS),
            moving_f[k, LIMITS + 1], moving_f[k, LIMITS + 2], moving_f[k, LIMITS + 3],
            arm, wish, IDENTITY, 1.0, 0.0, True,
        )  # fmt: skip
    put4(limb, 4 * k, new)


@kernel
def limb_tip(moving, moving_f, states, effectors, limb):
    """World place of the effector, and the middle joint's and the root joint's world turns."""
    base, pre, upper, between_them, lower = limb_parts(states, effectors)
    first = mul(pre, turn_of(moving, moving_f, limb, 0))
    second = mul(after(first, between_them), turn_of(moving, moving_f, limb, 1))
    return add(add(base, rotate(first, upper)), rotate(second, lower)), first, second


@kernel
def settle_limb(moving, moving_f, states, effectors, limb, target):
    """Let middle and root take turns in bringing the effector near to a world point."""
    base, pre, upper, between_them, _ = limb_parts(states, effectors)
    last = math.inf
    for _ in range(ROUNDS):
        for k in (1, 0):
            tip, first, _ = limb_tip(moving, moving_f, states, effectors, limb)
            place = add(base, rotate(first, upper)) if k == 1 else base
            frame = mul(first, between_them) if k == 1 else pre
            arm, wish = unrotate(frame, sub(tip, place)), unrotate(frame, sub(target, place))
            if moving[k, M_KIND] == HINGE:
                here = limb[4 * k]
                low, high = moving_f[k, LIMITS], moving_f[k, LIMITS + 1]
                change = axis_turn(
                    (0.0, 0.0, 0.0), load3(moving_f, k, AXIS), arm, IDENTITY, wish, IDENTITY,
                    1.0, 0.0, low - here, high - here, 1.0,
                )  # fmt: skip
                limb[4 * k] = min(max(here + change, low), high)
            else:
                point_joint(moving, moving_f, k, limb, arm, wish)
        tip, _, _ = limb_tip(moving, moving_f, states, effectors, limb)
        miss = norm(sub(target, tip))
        if not miss < last * (1.0 - 1e-9):
            break
        last = miss


@kernel
def limb_errors(moving, moving_f, blocks, states, effectors, limb, errors):
    """The error of every block, as `residual.residuals` has it: the distance, and the pole's angle."""
    tip, first, _ = limb_tip(moving, moving_f, states, effectors, limb)
    errors[0] = size_of(sub(load3(effectors, 0, E_TARGET), tip))
    for g in range(1, blocks.shape[0]):
        base = load3(states, 0, S_P0)
        line = sub(tip, base)
        bend = turn_of(moving, moving_f, limb, 1) if blocks[g, B_MOVE] == 1 else IDENTITY
        middle = rotate(first, pole_point(blocks, states, effectors, g, bend))
        wanted = sub(load3(effectors, g, E_TARGET), base)
        errors[g] = angle_about(line, middle, wanted)


@kernel
def write_reached(blocks_f, length, errors, q, out, b):
    """Row b of output for a pose that reached its target: what `report.finish` would write."""
    nq = q.shape[0]
    for i in range(nq):
        out[b, i] = q[i]
    for i in range(nq, out.shape[1]):
        out[b, i] = 0.0
    out[b, nq + O_STOP] = STOP_REACHED
    out[b, nq + O_STATUS] = REACHED
    out[b, nq + O_ITERATIONS] = 1.0
    out[b, nq + O_ERROR] = errors[0]
    miss = blocks_f[0, B_WEIGHT] * errors[0] / length
    out[b, nq + O_COST] = 0.5 * miss * miss
    out[b, nq + O_BLOCK] = -1.0
    for g in range(errors.shape[0]):
        out[b, nq + REPORT + g] = errors[g]
