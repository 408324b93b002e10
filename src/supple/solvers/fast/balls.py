"""Fast path of LM: a chain of unlimited ball joints with one position.

It takes the steps of `lm`, but the normal matrix of the three rows is a closed-form sum over the
joints, J J^T = sum of w (|a|^2 I - a a^T) with a the arm from joint to tip, which follows from the
moments of the joints' positions: an iteration goes along the chain once and stores no Jacobian. It
works with the links in the world and one rotation per link; the coordinates are computed at the end.
Because the tip moves round the first joint, steps aim round it too, which saves two iterations of
five; where that does not help they aim straight at the target.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.levenberg import DESCENT_RULES, eased
from supple.kernels.linear_algebra import solve_spd3
from supple.kernels.problem import has_secondary
from supple.kernels.report import Ended, record
from supple.kernels.workspace import copy, matrix, vector

LINK, WORLD = 0, 3  # columns of a state of a link: its vector, its joint's world rotation
STATE_COLUMNS = 7
STATE_COUNT = 3  # the start, and two that alternate: the current one and a trial
BEGIN_FLOATS = 13  # the tip's position at the start, and the moments there
NO_MOMENTS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Tuning(NamedTuple):
    """The tuned numbers of this fast path. Where no source is given, none is recorded.

    Attributes:
        round_damping: Damping of steps that aim round the first joint, which the model predicts better [of
            `regularization`].
        failed_iterations: After this many iterations without success in a row the fast path gives up.
        slow_round: An iteration that aims round and lowers the cost by less than this is slow [of the cost].
        slow_straight: The same for one that aims straight.
    """

    round_damping: float = 0.1
    failed_iterations: int = 6
    slow_round: float = 0.05
    slow_straight: float = 1e-3


TUNING = Tuning()


class Links(NamedTuple):
    """The links in the world, and the world rotations of their joints."""

    states: Any  # (M, STATE_COUNT * STATE_COLUMNS)
    moments: Any  # (BEGIN_FLOATS,) at the start: the tip's position, then the moments of the joints' positions
    begin: Any  # (Q,) the pose to go back to


@leaf
def take_links(problem, work, used):
    """Take the workspace of this fast path; none if it is not used."""
    return Links(
        matrix(work, problem.moving.shape[0] if used else 0, STATE_COUNT * STATE_COLUMNS),
        vector(work, BEGIN_FLOATS if used else 0),
        vector(work, problem.coordinates if used else 0),
    )


@leaf
def fits(problem):
    """True if the problem is a chain of unlimited balls with one position to reach, and nothing else."""
    moving, blocks = problem.moving, problem.blocks
    count = moving.shape[0]
    if (
        blocks.shape[0] != 1
        or blocks[0, layout.B_KIND] != layout.POSITION
        or has_secondary(problem)
    ):
        return False
    if count == 0 or blocks[0, layout.B_MOVE] != count - 1:
        return False
    for k in range(count):
        row = moving[k]
        if row[layout.M_KIND] != layout.BALL or row[layout.M_PARENT] != k - 1:
            return False
        if (
            row[layout.M_MIMIC] >= 0
            or row[layout.M_STRETCH_Q] >= 0
            or problem.moving_f[k, layout.DAMPING] < math.inf
        ):
            return False
    return True


@kernel
def normal3(moments, arm):
    """The six elements of J J^T = sum of w (|a|^2 I - a a^T), with a the vector from a joint to the tip.

    The moments are those of the joints' positions about the first joint; `arm` is its vector to the tip.
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
    """The moments with one more joint added: weight, weight times position, weight times its products."""
    x, y, z = place
    wx, wy, wz = w * x, w * y, w * z
    return (
        moments[0] + w,
        moments[1] + wx,
        moments[2] + wy,
        moments[3] + wz,
        moments[4] + wx * x,
        moments[5] + wy * y,
        moments[6] + wz * z,
        moments[7] + wx * y,
        moments[8] + wx * z,
        moments[9] + wy * z,
    )


@leaf
def set_start(problem, frames, q, links):
    """Fill the first state of every link from the pose q, and its moments.

    Positions are relative to the first joint. Frames are folded, not placed.
    """
    moving, states = problem.moving, links.states
    joints = frames.joints
    count = moving.shape[0]
    world = quat.load4(joints, 0, layout.S_PRE)
    place = (0.0, 0.0, 0.0)
    moments = NO_MOMENTS
    for k in range(count):
        world = quat.mul(world, quat.take4(q, moving[k, layout.M_Q]))
        moments = counted(moments, problem.weight[3 * k], place)
        last = k + 1 == count
        link = quat.rotate(
            world,
            quat.load3(frames.effectors, 0, layout.E_P0)
            if last
            else quat.load3(joints, k + 1, layout.S_P0),
        )
        quat.store3(states, k, LINK, link)
        quat.store4(states, k, WORLD, world)
        place = quat.add(place, link)
        if not last:
            pre = quat.load4(joints, k + 1, layout.S_PRE)
            if not pre[1] == pre[2] == pre[3] == 0.0:
                world = quat.mul(world, pre)
    quat.put3(links.moments, 0, place)
    for i in range(10):
        links.moments[3 + i] = moments[i]
    copy(q, links.begin)


@leaf
def start_of(links):
    """The tip's position and the moments at the start."""
    m = links.moments
    return quat.take3(m, 0), (m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12])


@kernel
def turn_links(weight, links, now, then, arm, push):
    """Rotate every joint by arm x push, all at once, from one state of the links into another.

    Returns the tip's new position and the new moments.
    """
    turn = (1.0, 0.0, 0.0, 0.0)
    place = (0.0, 0.0, 0.0)
    moments = NO_MOMENTS
    for k in range(links.shape[0]):
        link = quat.load3(links, k, now + LINK)
        w = weight[3 * k]
        half = quat.scale(quat.cross(arm, push), 0.5 * w)
        # (1, half) scaled to length one rotates by 2 atan |half|: like exp for small steps, and never by
        # more than half a turn.
        turn = quat.mul(turn, quat.normalized((1.0, half[0], half[1], half[2])))
        quat.store4(links, k, then + WORLD, quat.mul(turn, quat.load4(links, k, now + WORLD)))
        moments = counted(moments, w, place)
        arm = quat.sub(arm, link)
        link = quat.rotate(turn, link)
        quat.store3(links, k, then + LINK, link)
        place = quat.add(place, link)
    return place, moments


@kernel
def write(problem, frames, links, now, q):
    """Compute the coordinates of every joint from the links' rotations."""
    before = quat.IDENTITY
    for k in range(links.shape[0]):
        own = quat.load4(links, k, now + WORLD)
        pre = quat.load4(frames.joints, k, layout.S_PRE)
        before = before if pre[1] == pre[2] == pre[3] == 0.0 else quat.mul(before, pre)
        quat.put4(
            q, problem.moving[k, layout.M_Q], quat.normalized(quat.mul(quat.conj(before), own))
        )
        before = own


@kernel
def step_round(arm, target, miss):
    """The step of the tip to a target round the first joint: a radial part, and a tangential part.

    A straight step to a far target takes the tip off its circle. `turn_links` rotates by twice the
    arctangent of half the step, so the tangential part is twice the tangent of half the angle, for at most
    a third of a turn. The radial part is at most half the tip's distance: more would put kinks into a coil.
    """
    here, there = quat.norm(arm), quat.norm(target)
    size = here * there
    if not size > 0.0:
        return miss
    side = quat.cross(quat.cross(arm, target), arm)
    farther = min(there / here - 1.0, 0.5)
    return quat.axpy(
        quat.scale(arm, farther), 2.0 / (size + max(quat.dot(arm, target), -0.5 * size)), side
    )


@leaf
def solve(problem, options, frames, links, trace, q):
    """Iterate from q, after `set_start`, until the tip is at its target; returns how it ended, and the cost.

    Q then holds the answer; if the target is not reached, q is unchanged.
    """
    blocks_f = problem.blocks_f
    states, regularization = links.states, options.regularization
    # Relative to the first joint: the target, and the tip, `arm`.
    target = quat.sub(
        quat.load3(frames.effectors, 0, layout.E_TARGET), quat.load3(frames.joints, 0, layout.S_P0)
    )
    arm, moments = start_of(links)
    now, then = 0, STATE_COLUMNS
    factor = blocks_f[0, layout.B_WEIGHT] / problem.length
    tolerance = 0.999999 * blocks_f[0, layout.B_TOLERANCE]  # a margin for later rounding
    miss = quat.sub(target, arm)
    error = quat.norm(miss)
    damping, growth = TUNING.round_damping * regularization, 2.0
    used, failed, slow = 0, 0, 0
    aims_round = True  # aim round the first joint
    while not error <= tolerance:
        if slow >= DESCENT_RULES.slow_iterations and aims_round:
            aims_round, slow, damping = False, 0, regularization
        if (
            used >= options.max_iterations
            or failed >= TUNING.failed_iterations
            or slow >= DESCENT_RULES.slow_iterations
        ):
            copy(links.begin, q)
            return Ended(layout.STOP_STALLED, used, 0), 0.0
        used += 1
        cost = 0.5 * (factor * error) ** 2
        xx, xy, xz, yy, yz, zz = normal3(moments, arm)
        mean = (xx + yy + zz) / 3.0
        amount = (damping * min(cost, 1.0) + DESCENT_RULES.least_damping) * mean + 1e-300
        system = (xx + amount, xy, xz, yy + amount, yz, zz + amount)
        prediction = 0.0
        push = miss
        if aims_round and failed == 0:
            push = solve_spd3(system, step_round(arm, target, miss))
            left = amount * quat.norm(push)
            prediction = 0.5 * factor * factor * (error - left) * (error + left)
        if not prediction > DESCENT_RULES.least_gain * cost:
            push = solve_spd3(system, miss)
            left = amount * quat.norm(push)
            prediction = 0.5 * factor * factor * (error - left) * (error + left)
        if not prediction > DESCENT_RULES.least_gain * cost:
            copy(links.begin, q)
            return Ended(layout.STOP_STALLED, used, 0), 0.0
        end, turned = turn_links(problem.weight, states, now, then, arm, push)
        ahead = quat.sub(target, end)
        new = quat.norm(ahead)
        if new < error:
            fall = cost - 0.5 * (factor * new) ** 2
            slow = (
                slow + 1
                if fall < (TUNING.slow_round if aims_round else TUNING.slow_straight) * cost
                else 0
            )
            damping = eased(damping, fall, prediction)
            growth, failed = 2.0, 0
            arm, moments, miss, error = end, turned, ahead, new
            now, then = then, 2 * STATE_COLUMNS if then == STATE_COLUMNS else STATE_COLUMNS
        else:
            damping *= growth
            growth *= 2.0
            failed += 1
        if trace.poses.shape[0] > 0:
            write(problem, frames, states, now, q)
            frames.errors[0] = error
            record(trace, problem, q, frames.errors)
    if used > 0:  # a start that reaches the target keeps its bits
        write(problem, frames, states, now, q)
    frames.errors[0] = error
    return Ended(layout.STOP_REACHED, used, 0), 0.5 * (factor * error) ** 2
