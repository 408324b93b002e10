"""Levenberg-Marquardt on the chain that everybody has: free balls in a row and one position.

The same steps as `lm` takes, with what is special about this chain used. The normal matrix of the
three rows is a sum over the joints in closed form, J J^T = sum of w (|a|^2 I - a a^T) with a the arm
from joint to tip, and follows from the moments of the joints' places: an iteration is one walk along
the chain, with no Jacobian in memory. It works on the links in the world and on one rotation a link;
the coordinates are read off at the end. And because the tip goes round the first joint, steps are led
round it too, which saves two iterations of five; where that does not help they go straight.
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
    E_P0,
    H_MOVING,
    M_KIND,
    M_MIMIC,
    M_PARENT,
    M_Q,
    M_STRETCH_Q,
    POSITION,
    S_P0,
    S_PRE,
)
from supple.kernels.posture import wishes
from supple.kernels.quaternion import (
    IDENTITY,
    add,
    axpy,
    conj,
    cross,
    dot,
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
    take4,
)
from supple.kernels.record import record
from supple.solvers.lm_rules import FLOOR, NOTHING, SLOW, eased

LINK, WORLD = 0, 3  # of one state of a link: its vector, and the frame of the joint before it
STATE = 7
STATES = 3  # the start, and two that take turns: the present one and a trial
NO_MOMENTS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
EASE = 0.1  # of the damping is enough where the way round foretells so well
PATIENCE = 6  # iterations without success in a row
DULL = 0.05  # an iteration that is led round and lets the cost fall by less than this is a slow one
CRAWLING = 1e-3  # the same for one that goes straight


@register_jitable  # called from Python and from kernels
def space(ints):
    """Floats of workspace for one solve."""
    return STATES * STATE * ints[H_MOVING]


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
def solve3(system, v):
    """The solution of a symmetric positive definite system of three."""
    xx, xy, xz, yy, yz, zz = system
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    scale_ = 1.0 / (xx * a + xy * b + xz * c)
    return (
        scale_ * (a * v[0] + b * v[1] + c * v[2]),
        scale_ * (b * v[0] + d * v[1] + e * v[2]),
        scale_ * (c * v[0] + e * v[1] + f * v[2]),
    )


@kernel
def normal3(moments, arm):
    """The six numbers of J J^T = sum of w (|a|^2 I - a a^T), with a the way from a joint to the tip.

    From the moments of the joints' places about the first one, from where `arm` leads to the tip.
    """
    w, sx, sy, sz, xx, yy, zz, xy, xz, yz = moments
    x, y, z = arm
    xx += x * (w * x - 2.0 * sx)
    yy += y * (w * y - 2.0 * sy)
    zz += z * (w * z - 2.0 * sz)
    xy += w * x * y - x * sy - y * sx
    xz += w * x * z - x * sz - z * sx
    yz += w * y * z - y * sz - z * sy
    return yy + zz, -xy, -xz, xx + zz, -yz, xx + yy


@kernel
def counted(moments, w, place):
    """The moments with those of one more joint: weight, weight times place, and times its products."""
    x, y, z = place
    wx, wy, wz = w * x, w * y, w * z
    return (
        moments[0] + w,
        moments[1] + wx, moments[2] + wy, moments[3] + wz,
        moments[4] + wx * x, moments[5] + wy * y, moments[6] + wz * z,
        moments[7] + wx * y, moments[8] + wx * z, moments[9] + wy * z,
    )  # fmt: skip


@kernel
def stand(moving, states, effectors, weight, q, links):
    """Fill the first state of every link from the pose q; returns the tip's place and the moments.

    Places are seen from the first joint. `states` are folded, not placed.
    """
    count = moving.shape[0]
    world = load4(states, 0, S_PRE)
    place = (0.0, 0.0, 0.0)
    moments = NO_MOMENTS
    for k in range(count):
        world = mul(world, take4(q, moving[k, M_Q]))
        moments = counted(moments, weight[3 * k], place)
        last = k + 1 == count
        link = rotate(world, load3(effectors, 0, E_P0) if last else load3(states, k + 1, S_P0))
        store3(links, k, LINK, link)
        store4(links, k, WORLD, world)
        place = add(place, link)
        if not last:
            pre = load4(states, k + 1, S_PRE)
            if not pre[1] == pre[2] == pre[3] == 0.0:
                world = mul(world, pre)
    return place, moments


@kernel
def turn_links(links, now, then, weight, arm, push):
    """Turn every joint by arm x push, all at once, from one state of the links into another.

    Returns the tip's new place and the new moments.
    """
    turn = (1.0, 0.0, 0.0, 0.0)
    place = (0.0, 0.0, 0.0)
    moments = NO_MOMENTS
    for k in range(links.shape[0]):
        link = load3(links, k, now + LINK)
        w = weight[3 * k]
        half = scale(cross(arm, push), 0.5 * w)
        # (1, half) scaled to length one turns by 2 atan |half|: as exp for small steps, and never
        # more than half way round.
        turn = mul(turn, normalized((1.0, half[0], half[1], half[2])))
        store4(links, k, then + WORLD, mul(turn, load4(links, k, now + WORLD)))
        moments = counted(moments, w, place)
        arm = sub(arm, link)
        link = rotate(turn, link)
        store3(links, k, then + LINK, link)
        place = add(place, link)
    return place, moments


@kernel
def write(moving, states, links, now, q):
    """Read the coordinates of every joint off the links' frames."""
    before = IDENTITY
    for k in range(links.shape[0]):
        own = load4(links, k, now + WORLD)
        pre = load4(states, k, S_PRE)
        before = before if pre[1] == pre[2] == pre[3] == 0.0 else mul(before, pre)
        put4(q, moving[k, M_Q], normalized(mul(conj(before), own)))
        before = own


@kernel
def around(arm, target, miss):
    """The way from the tip to a target round the first joint: so much farther out, and so far round.

    Straight ahead a far target is a poor guide: the tip leaves its circle. Joints that turn by twice
    the arctangent of what they are told are to be told twice the tangent of half the angle, but no
    more than for a third of a turn; and a tip goes out by no more than half its distance at once,
    which would put kinks into a coil.
    """
    here, there = norm(arm), norm(target)
    size = here * there
    if not size > 0.0:
        return miss
    side = cross(cross(arm, target), arm)
    farther = min(there / here - 1.0, 0.5)
    return axpy(scale(arm, farther), 2.0 / (size + max(dot(arm, target), -0.5 * size)), side)


@kernel
def descend(
    moving, blocks, blocks_f, weight, length, regularization, states, target, arm, moments,
    q, errors, links, budget, trace, traced,
):  # fmt: skip
    """Iterate from q, on which the links stand, until its tip is at a target.

    The target and the tip, `arm`, are seen from the first joint.

    Returns whether it is there, the iterations used, the cost and the trace rows written; q then
    holds the answer, and is as it was if the tip did not come there.
    """
    now, then = 0, STATE
    factor = blocks_f[0, B_WEIGHT] / length
    tolerance = 0.999999 * blocks_f[0, B_TOLERANCE]  # what rounding does later must not undo it
    miss = sub(target, arm)
    error = norm(miss)
    damping, growth = EASE * regularization, 2.0
    used, failed, slow = 0, 0, 0
    led = True  # round the first joint
    while not error <= tolerance:
        if slow >= SLOW and led:
            led, slow, damping = False, 0, regularization
        if used >= budget or failed >= PATIENCE or slow >= SLOW:
            return False, used, 0.0, traced
        used += 1
        cost = 0.5 * (factor * error) ** 2
        xx, xy, xz, yy, yz, zz = normal3(moments, arm)
        mean = (xx + yy + zz) / 3.0
        amount = (damping * min(cost, 1.0) + FLOOR) * mean + 1e-300
        system = (xx + amount, xy, xz, yy + amount, yz, zz + amount)
        promise = 0.0
        push = miss
        if led and failed == 0:
            push = solve3(system, around(arm, target, miss))
            left = amount * norm(push)
            promise = 0.5 * factor * factor * (error - left) * (error + left)
        if not promise > NOTHING * cost:
            push = solve3(system, miss)
            left = amount * norm(push)
            promise = 0.5 * factor * factor * (error - left) * (error + left)
        if not promise > NOTHING * cost:
            return False, used, 0.0, traced
        end, turned = turn_links(links, now, then, weight, arm, push)
        ahead = sub(target, end)
        new = norm(ahead)
        if new < error:
            fall = cost - 0.5 * (factor * new) ** 2
            slow = slow + 1 if fall < (DULL if led else CRAWLING) * cost else 0
            damping = eased(damping, fall, promise)
            growth, failed = 2.0, 0
            arm, moments, miss, error = end, turned, ahead, new
            now, then = then, 2 * STATE if then == STATE else STATE
        else:
            damping *= growth
            growth *= 2.0
            failed += 1
        if trace.shape[0] > 0:
            write(moving, states, links, now, q)
            errors[0] = error
            traced = record(trace, traced, q, blocks, errors)
    if used > 0:  # a start that is there already keeps its bits
        write(moving, states, links, now, q)
    errors[0] = error
    return True, used, 0.5 * (factor * error) ** 2, traced
