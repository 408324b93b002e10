"""Levenberg-Marquardt on the chain that everybody has: free balls in a row and one position.

The same steps as `lm` takes, with what is special about this chain used. The normal matrix of the
three rows is a sum over the joints in closed form, J J^T = sum of w (|a|^2 I - a a^T) with a the arm
from joint to tip, so that an iteration is two walks along the chain with no Jacobian in memory. It
works on the links in the world and on one rotation a link; the coordinates are read off at the end.
"""

import math

from numba.extending import register_jitable

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_MOVE,
    B_TOLERANCE,
    B_WEIGHT,
    BALL,
    DAMPING,
    E_POS,
    E_TARGET,
    H_MOVING,
    M_KIND,
    M_MIMIC,
    M_PARENT,
    M_Q,
    M_STRETCH_Q,
    POSITION,
    S_POS,
    S_PRE,
    S_W,
)
from supple.kernels.posture import wishes
from supple.kernels.quaternion import (
    add,
    conj,
    cross,
    load3,
    load4,
    mul,
    norm,
    normalized,
    put4,
    rotate,
    scale,
    store3,
    store4,
    sub,
)
from supple.kernels.record import record
from supple.solvers.lm_rules import FLOOR, NOTHING, eased

LINK, TRIAL, TURN, WORLD = 0, 3, 6, 10  # columns of a link: vector, next, the step's turn, frame

COLUMNS = 14
PATIENCE = 6  # iterations without success in a row


@register_jitable  # called from Python and from kernels
def space(ints):
    """Floats of workspace for one solve."""
    return COLUMNS * ints[H_MOVING]


@kernel
def fits(ints, moving, moving_f, blocks):
    """Whether the problem is free balls in a row with one position to reach, and nothing else."""
    count = moving.shape[0]
    if blocks.shape[0] != 1 or blocks[0, B_KIND] != POSITION or wishes(ints):
        return False
    if count == 0 or blocks[0, B_MOVE] != count - 1:
        return False
    for k in range(count):
        row = moving[k]
        if row[M_KIND] != BALL or row[M_PARENT] != k - 1:
            return False
        if row[M_MIMIC] >= 0 or row[M_STRETCH_Q] >= 0 or moving_f[k, DAMPING] < math.inf:
            return False
    return True


@kernel
def solve3(xx, xy, xz, yy, yz, zz, v):
    """The solution of a symmetric positive definite system of three."""
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    scale_ = 1.0 / (xx * a + xy * b + xz * c)
    return (
        scale_ * (a * v[0] + b * v[1] + c * v[2]),
        scale_ * (b * v[0] + d * v[1] + e * v[2]),
        scale_ * (c * v[0] + e * v[1] + f * v[2]),
    )


@kernel
def normal3(links, weight, arm):
    """The six numbers of J J^T; `arm` leads from the first joint to the tip."""
    xx = xy = xz = yy = yz = zz = 0.0
    for k in range(links.shape[0]):
        w = weight[3 * k]
        x, y, z = arm
        xx += w * (y * y + z * z)
        yy += w * (x * x + z * z)
        zz += w * (x * x + y * y)
        xy -= w * x * y
        xz -= w * x * z
        yz -= w * y * z
        arm = sub(arm, load3(links, k, LINK))
    return xx, xy, xz, yy, yz, zz


@kernel
def turn_links(links, weight, arm, push):
    """Turn every joint by arm x push, all at once, into the trial links; returns the new arm."""
    turn = (1.0, 0.0, 0.0, 0.0)
    reached = (0.0, 0.0, 0.0)
    for k in range(links.shape[0]):
        link = load3(links, k, LINK)
        half = scale(cross(arm, push), 0.5 * weight[3 * k])
        # (1, half) scaled to length one turns by 2 atan |half|: as exp for small steps, and never
        # more than half way round.
        turn = mul(turn, normalized((1.0, half[0], half[1], half[2])))
        store4(links, k, TURN, turn)
        arm = sub(arm, link)
        link = rotate(turn, link)
        store3(links, k, TRIAL, link)
        reached = add(reached, link)
    return reached


@kernel
def write(moving, states, links, q):
    """Read the coordinates of every joint off the links' frames."""
    for k in range(links.shape[0]):
        own = load4(links, k, WORLD)
        pre = load4(states, k, S_PRE)
        if k > 0:
            pre = mul(load4(links, k - 1, WORLD), pre)
        put4(q, moving[k, M_Q], normalized(mul(conj(pre), own)))


@kernel
def descend(
    moving, blocks, blocks_f, weight, length, regularization, states, effectors, q, errors,
    links, budget, trace, traced,
):  # fmt: skip
    """Iterate from q, evaluated, until its tip is there.

    Returns whether it is, the iterations used, the cost and the trace rows written; q then holds the answer,
    and is as it was if the tip did not come there.
    """
    count = links.shape[0]
    end = load3(effectors, 0, E_POS)
    for k in range(count):
        here = load3(states, k, S_POS)
        after = load3(states, k + 1, S_POS) if k + 1 < count else end
        store3(links, k, LINK, sub(after, here))
        store4(links, k, WORLD, load4(states, k, S_W))
    target = sub(load3(effectors, 0, E_TARGET), load3(states, 0, S_POS))
    arm = sub(end, load3(states, 0, S_POS))
    factor = blocks_f[0, B_WEIGHT] / length
    tolerance = 0.999999 * blocks_f[0, B_TOLERANCE]  # what rounding does later must not undo it
    miss = sub(target, arm)
    error = norm(miss)
    damping, growth = regularization, 2.0
    used, failed = 0, 0
    while not error <= tolerance:
        if used >= budget or failed >= PATIENCE:
            return False, used, 0.0, traced
        used += 1
        cost = 0.5 * (factor * error) ** 2
        xx, xy, xz, yy, yz, zz = normal3(links, weight, arm)
        mean = (xx + yy + zz) / 3.0
        amount = (damping * min(cost, 1.0) + FLOOR) * mean + 1e-300
        push = solve3(xx + amount, xy, xz, yy + amount, yz, zz + amount, miss)
        left = amount * norm(push)
        promise = 0.5 * factor * factor * (error * error - left * left)
        if not promise > NOTHING * cost:
            return False, used, 0.0, traced
        end = turn_links(links, weight, arm, push)
        ahead = sub(target, end)
        new = norm(ahead)
        if new < error:
            damping = eased(damping, cost - 0.5 * (factor * new) ** 2, promise)
            growth, failed = 2.0, 0
            arm, miss, error = end, ahead, new
            for k in range(count):
                store3(links, k, LINK, load3(links, k, TRIAL))
                turned = mul(load4(links, k, TURN), load4(links, k, WORLD))
                store4(links, k, WORLD, turned)
        else:
            damping *= growth
            growth *= 2.0
            failed += 1
        if trace.shape[0] > 0:
            write(moving, states, links, q)
            errors[0] = error
            traced = record(trace, traced, q, blocks, errors)
    if used > 0:  # a start that is there already keeps its bits
        write(moving, states, links, q)
    errors[0] = error
    return True, used, 0.5 * (factor * error) ** 2, traced
