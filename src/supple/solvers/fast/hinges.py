"""Fast path of LM: a chain of hinges, a robot arm, with one effector's position, orientation or both.

It takes the steps and restarts of `lm` on a table with a row for each joint and for each effector block.
Every joint's frame is rotated once so that its axis is z: a joint is then a constant matrix and a
rotation about z, its world axis is a column of its frame, and the Jacobian takes one cross product per
joint. Limits are the same active set: lock, subtract, solve again.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.levenberg import (
    DESCENT_RULES,
    before_settling,
    eased,
    slowed,
)
from supple.kernels.linear_algebra import (
    outer_sum_of_six,
    outer_sum_of_three,
    solve_six,
    solve_three,
)
from supple.kernels.problem import has_secondary
from supple.kernels.quaternion import sine_cosine
from supple.kernels.reach import proven_out
from supple.kernels.report import Ended, record
from supple.kernels.restart import CLEAR_COST_RATIO, at_fraction, fraction
from supple.kernels.workspace import matrix, vector
from supple.solvers.fast import six_hinges

RIGID, SHIFT, WORLD_AXIS, ORIGIN, COLUMN = 0, 9, 12, 15, 18  # columns of a joint's row
FREE, CHANGE, HERE, BEST, GENERATOR = 24, 25, 26, 27, 28
TABLE_COLUMNS = 29
MOST_ROWS = 6  # residual rows of a position and an orientation


class Tuning(NamedTuple):
    """The tuned numbers of this fast path. Where no source is given, none is recorded.

    Attributes:
        pose_candidates: Seeds evaluated for each of the first restarts, of which the one with the least cost is used.
        single_candidates: The same for a position or an orientation alone, which many poses meet, so that the best of
            many seeds is nearly there.
        choosing_restarts: Restarts that choose among seeds. Later ones take a single seed, to end in another valley.
        at_bound: An angle this near to its limit is at it [rad].
    """

    pose_candidates: int = 8
    single_candidates: int = 64
    choosing_restarts: int = 30
    at_bound: float = 1e-12


TUNING = Tuning()


class Arm(NamedTuple):
    """The workspace of this fast path."""

    table: Any  # (M + 2, TABLE_COLUMNS) a row for each joint, then one for each effector block
    rows: Any  # (6,) residual rows
    y: Any  # (6,)
    left: Any  # (6,) right-hand side
    kept: Any  # (8,) rows and errors to go back to
    exact: Any  # workspace of the closed form
    ranges: Any  # (M, 2) used to prove targets out of reach


@leaf
def take_arm(problem, work, used):
    """Take the workspace of this fast path; none if it is not used."""
    moving = problem.moving
    return Arm(
        matrix(work, moving.shape[0] + 2 if used else 0, TABLE_COLUMNS),
        vector(work, MOST_ROWS),
        vector(work, MOST_ROWS),
        vector(work, MOST_ROWS),
        vector(work, MOST_ROWS + 2),
        matrix(work, six_hinges.HINGE_COUNT, six_hinges.ROW_FLOATS),
        matrix(work, moving.shape[0], 2),
    )


@leaf
def fits(problem):
    """True if the problem is a chain of hinges, at least as many as residual rows, with one effector."""
    moving, blocks = problem.moving, problem.blocks
    count = moving.shape[0]
    if blocks.shape[0] > 2 or 3 * blocks.shape[0] > count or has_secondary(problem):
        return False
    for g in range(blocks.shape[0]):
        kind = blocks[g, layout.B_KIND]
        if (kind != layout.POSITION and kind != layout.ORIENTATION) or blocks[
            g, layout.B_MOVE
        ] != count - 1:
            return False
        if g == 1 and kind == blocks[0, layout.B_KIND]:
            return False
    for k in range(count):
        if moving[k, layout.M_KIND] != layout.HINGE or moving[k, layout.M_PARENT] != k - 1:
            return False
        if moving[k, layout.M_MIMIC] >= 0 or moving[k, layout.M_STRETCH_Q] >= 0:
            return False
        if problem.moving_f[k, layout.DAMPING] < math.inf:
            return False
    return True


@kernel
def matrix_of(q):
    """The nine elements of a unit quaternion's matrix, row by row."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def into(x, y, z, v):
    """The components of v along three axes."""
    return (
        x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
        y[0] * v[0] + y[1] * v[1] + y[2] * v[2],
        z[0] * v[0] + z[1] * v[1] + z[2] * v[2],
    )


@kernel
def set_up(problem, frames, state):
    """Fill RIGID and SHIFT of every joint, and of the two rows after them for the effectors.

    The frame of joint k is F_k = F_(k-1) RIGID_k Rz(angle): its own frame, rotated so that its axis is z.
    """
    joints, effectors = frames.joints, frames.effectors
    count, arm = problem.moving.shape[0], state.table
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for k in range(count):
        shift = into(x, y, z, quat.load3(joints, k, layout.S_P0))
        for i in range(3):
            arm[k, SHIFT + i] = shift[i]
        pre = quat.load4(joints, k, layout.S_PRE)
        x, y, z = quat.unrotate(pre, x), quat.unrotate(pre, y), quat.unrotate(pre, z)
        axis = quat.load3(problem.moving_f, k, layout.AXIS)
        side = quat.perpendicular(axis)
        across = quat.cross(axis, side)
        turned = (into(x, y, z, side), into(x, y, z, across), into(x, y, z, axis))
        for i in range(3):
            for j in range(3):
                arm[k, RIGID + 3 * i + j] = turned[j][i]
        x, y, z = side, across, axis
    for g in range(problem.blocks.shape[0]):
        shift = into(x, y, z, quat.load3(effectors, g, layout.E_P0))
        own = matrix_of(quat.load4(effectors, g, layout.E_ROT))
        for i in range(3):
            arm[count + g, SHIFT + i] = shift[i]
        for j in range(3):
            turned_ = into(x, y, z, (own[j], own[3 + j], own[6 + j]))
            for i in range(3):
                arm[count + g, RIGID + 3 * i + j] = turned_[i]


@kernel
def turn_between(m, n):
    """The rotation vector from the matrix m to the matrix n (n m^T), both row by row."""
    r00 = n[0] * m[0] + n[1] * m[1] + n[2] * m[2]
    r01 = n[0] * m[3] + n[1] * m[4] + n[2] * m[5]
    r02 = n[0] * m[6] + n[1] * m[7] + n[2] * m[8]
    r10 = n[3] * m[0] + n[4] * m[1] + n[5] * m[2]
    r11 = n[3] * m[3] + n[4] * m[4] + n[5] * m[5]
    r12 = n[3] * m[6] + n[4] * m[7] + n[5] * m[8]
    r20 = n[6] * m[0] + n[7] * m[1] + n[8] * m[2]
    r21 = n[6] * m[3] + n[7] * m[4] + n[8] * m[5]
    r22 = n[6] * m[6] + n[7] * m[7] + n[8] * m[8]
    x, y, z = 0.5 * (r21 - r12), 0.5 * (r02 - r20), 0.5 * (r10 - r01)
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (r00 + r11 + r22 - 1.0)
    if sine < 1e-7 and cosine < 0.0:
        # Half a turn: the axis is in the symmetric part, and either sign is right.
        x = math.sqrt(max(0.0, 0.5 * (r00 + 1.0)))
        y = math.sqrt(max(0.0, 0.5 * (r11 + 1.0)))
        z = math.sqrt(max(0.0, 0.5 * (r22 + 1.0)))
        if r01 + r10 < 0.0:
            y = -y
        if r02 + r20 < 0.0:
            z = -z
        return (math.pi * x, math.pi * y, math.pi * z)
    factor_ = math.atan2(sine, cosine) / sine if sine > 1e-12 else 1.0
    return (factor_ * x, factor_ * y, factor_ * z)


@kernel
def evaluate(problem, frames, goal, arm, rows):
    """Fill frames, residual rows and errors of the angles HERE; returns the cost.

    `goal` is the matrix of the target orientation.
    """
    blocks, blocks_f = problem.blocks, problem.blocks_f
    effectors = frames.effectors
    count = problem.moving.shape[0]
    a, b, c = 1.0, 0.0, 0.0
    d, e, f = 0.0, 1.0, 0.0
    g, h, i = 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        s0, s1, s2 = arm[k, SHIFT], arm[k, SHIFT + 1], arm[k, SHIFT + 2]
        x += a * s0 + b * s1 + c * s2
        y += d * s0 + e * s1 + f * s2
        z += g * s0 + h * s1 + i * s2
        m0, m1, m2 = arm[k, RIGID], arm[k, RIGID + 1], arm[k, RIGID + 2]
        m3, m4, m5 = arm[k, RIGID + 3], arm[k, RIGID + 4], arm[k, RIGID + 5]
        m6, m7, m8 = arm[k, RIGID + 6], arm[k, RIGID + 7], arm[k, RIGID + 8]
        u0, v0 = a * m0 + b * m3 + c * m6, a * m1 + b * m4 + c * m7
        u1, v1 = d * m0 + e * m3 + f * m6, d * m1 + e * m4 + f * m7
        u2, v2 = g * m0 + h * m3 + i * m6, g * m1 + h * m4 + i * m7
        c, f, i = (
            a * m2 + b * m5 + c * m8,
            d * m2 + e * m5 + f * m8,
            g * m2 + h * m5 + i * m8,
        )
        sine, cosine = sine_cosine(arm[k, HERE])
        a, b = cosine * u0 + sine * v0, cosine * v0 - sine * u0
        d, e = cosine * u1 + sine * v1, cosine * v1 - sine * u1
        g, h = cosine * u2 + sine * v2, cosine * v2 - sine * u2
        arm[k, WORLD_AXIS], arm[k, WORLD_AXIS + 1], arm[k, WORLD_AXIS + 2] = c, f, i
        arm[k, ORIGIN], arm[k, ORIGIN + 1], arm[k, ORIGIN + 2] = x, y, z
    cost = 0.0
    for n in range(blocks.shape[0]):
        tip = count + n
        s0, s1, s2 = arm[tip, SHIFT], arm[tip, SHIFT + 1], arm[tip, SHIFT + 2]
        if blocks[n, layout.B_KIND] == layout.POSITION:
            arm[tip, ORIGIN] = x + a * s0 + b * s1 + c * s2
            arm[tip, ORIGIN + 1] = y + d * s0 + e * s1 + f * s2
            arm[tip, ORIGIN + 2] = z + g * s0 + h * s1 + i * s2
            miss = (
                effectors[n, layout.E_TARGET] - arm[tip, ORIGIN],
                effectors[n, layout.E_TARGET + 1] - arm[tip, ORIGIN + 1],
                effectors[n, layout.E_TARGET + 2] - arm[tip, ORIGIN + 2],
            )
            scale = blocks_f[n, layout.B_WEIGHT] / problem.length
        else:
            m0, m1, m2 = arm[tip, RIGID], arm[tip, RIGID + 1], arm[tip, RIGID + 2]
            m3, m4, m5 = arm[tip, RIGID + 3], arm[tip, RIGID + 4], arm[tip, RIGID + 5]
            m6, m7, m8 = arm[tip, RIGID + 6], arm[tip, RIGID + 7], arm[tip, RIGID + 8]
            own = (
                a * m0 + b * m3 + c * m6, a * m1 + b * m4 + c * m7, a * m2 + b * m5 + c * m8,
                d * m0 + e * m3 + f * m6, d * m1 + e * m4 + f * m7, d * m2 + e * m5 + f * m8,
                g * m0 + h * m3 + i * m6, g * m1 + h * m4 + i * m7, g * m2 + h * m5 + i * m8,
            )  # fmt: skip
            miss = turn_between(own, goal)
            scale = blocks_f[n, layout.B_WEIGHT] * problem.radian
        size = miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]
        frames.errors[n] = math.sqrt(size)
        cost += 0.5 * scale * scale * size
        rows[3 * n], rows[3 * n + 1], rows[3 * n + 2] = (
            scale * miss[0],
            scale * miss[1],
            scale * miss[2],
        )
    return cost


@kernel
def linearize(problem, arm, count):
    """Fill COLUMN of every joint: how fast each residual row shrinks as its angle grows."""
    blocks, blocks_f = problem.blocks, problem.blocks_f
    for n in range(blocks.shape[0]):
        tip = count + n
        if blocks[n, layout.B_KIND] == layout.POSITION:
            scale = blocks_f[n, layout.B_WEIGHT] / problem.length
            x, y, z = arm[tip, ORIGIN], arm[tip, ORIGIN + 1], arm[tip, ORIGIN + 2]
            for k in range(count):
                u, v, w = arm[k, WORLD_AXIS], arm[k, WORLD_AXIS + 1], arm[k, WORLD_AXIS + 2]
                i, j, h = x - arm[k, ORIGIN], y - arm[k, ORIGIN + 1], z - arm[k, ORIGIN + 2]
                arm[k, COLUMN + 3 * n] = scale * (v * h - w * j)
                arm[k, COLUMN + 3 * n + 1] = scale * (w * i - u * h)
                arm[k, COLUMN + 3 * n + 2] = scale * (u * j - v * i)
        else:
            scale = blocks_f[n, layout.B_WEIGHT] * problem.radian
            for k in range(count):
                for i in range(3):
                    arm[k, COLUMN + 3 * n + i] = scale * arm[k, WORLD_AXIS + i]


@kernel
def pull_on(arm, k, size, rows):
    """The product of a joint's Jacobian column and residual rows."""
    s = arm[k, COLUMN] * rows[0] + arm[k, COLUMN + 1] * rows[1] + arm[k, COLUMN + 2] * rows[2]
    if size == 6:
        s += arm[k, COLUMN + 3] * rows[3] + arm[k, COLUMN + 4] * rows[4]
        s += arm[k, COLUMN + 5] * rows[5]
    return s


@kernel
def hold_at_limits(problem, arm, rows, size):
    """Fill FREE: zero for a joint that is at a limit and pulled into it, else its weight.

    Returns half the squared length of the pull on the free joints.
    """
    moving_f = problem.moving_f
    attainable = 0.0
    for k in range(problem.weight.shape[0]):
        w = problem.weight[k]
        pull = pull_on(arm, k, size, rows)
        if pull > 0.0 and moving_f[k, layout.LIMITS + 1] - arm[k, HERE] <= TUNING.at_bound:
            w = 0.0
        elif pull < 0.0 and moving_f[k, layout.LIMITS] - arm[k, HERE] >= -TUNING.at_bound:
            w = 0.0
        arm[k, FREE] = w
        attainable += 0.5 * w * pull * pull
    return attainable


@kernel
def push(arm, size, damping, count, left, y):
    """Solve the damped normal equations of the free joints for y.

    `damping` is in units of the mean diagonal. Returns it times that, or -1 if the matrix is not positive definite.
    """
    if size == 3:
        three, trace = outer_sum_of_three(arm, COLUMN, FREE, count)
        amount = damping * trace / 3.0 + 1e-300
        y[0:3], fine = solve_three(three, amount, (left[0], left[1], left[2]))
    else:
        six, trace = outer_sum_of_six(arm, COLUMN, FREE, count)
        amount = damping * trace / 6.0 + 1e-300
        b = (left[0], left[1], left[2], left[3], left[4], left[5])
        y[0:6], fine = solve_six(six, amount, b)
    return amount if fine else -1.0


@kernel
def bounded_step(problem, arm, rows, size, damping, count, y, left):
    """Fill CHANGE of every joint, inside its limits.

    Returns by how much the linear model expects the cost to fall, -1 if the matrix could not be
    factored, and the matrix's mean diagonal.
    """
    moving_f = problem.moving_f
    for i in range(size):
        left[i] = rows[i]
    for k in range(count):
        arm[k, CHANGE] = 0.0
    amount, mean = 0.0, 0.0
    for attempt in range(count + 1):
        amount = push(arm, size, damping, count, left, y)
        if amount < 0.0:
            return -1.0, mean
        if attempt == 0:
            mean = amount / damping
        locked = False
        for k in range(count):
            w = arm[k, FREE]
            if w == 0.0:
                continue
            value = w * pull_on(arm, k, size, y)
            low, high = (
                moving_f[k, layout.LIMITS] - arm[k, HERE],
                moving_f[k, layout.LIMITS + 1] - arm[k, HERE],
            )
            if value < low or value > high:
                value = low if value < low else high
                locked = True
                arm[k, FREE] = 0.0
                for i in range(size):
                    left[i] -= arm[k, COLUMN + i] * value
            arm[k, CHANGE] = value
        if not locked:
            break
    fall = 0.0
    for i in range(size):
        fall += 0.5 * (rows[i] * rows[i] - (amount * y[i]) ** 2)
    return max(fall, 0.0), mean


@kernel
def within(problem, frames):
    """True if every block is within its tolerance, with a margin for rounding."""
    for n in range(frames.errors.shape[0]):
        if not frames.errors[n] <= 0.999999 * problem.blocks_f[n, layout.B_TOLERANCE]:
            return False
    return True


@kernel
def put(problem, arm, place, q):
    """Write the angles in column `place` into a pose."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        q[moving[k, layout.M_Q]] = arm[k, place]


@kernel
def take(problem, q, arm):
    """Read the angles of a pose into HERE."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        arm[k, HERE] = q[moving[k, layout.M_Q]]


@kernel
def clamp(problem, arm, count):
    """Clamp the angles HERE to their limits."""
    moving_f = problem.moving_f
    for k in range(count):
        arm[k, HERE] = min(
            max(arm[k, HERE], moving_f[k, layout.LIMITS]),
            moving_f[k, layout.LIMITS + 1],
        )


@kernel
def set_seed(problem, arm, start, number, spread):
    """Put seed `number` of `kernels.restart` into HERE, moved from the start by the fraction `spread`."""
    moving, moving_f = problem.moving, problem.moving_f
    count = moving.shape[0]
    for k in range(count):
        if number == 1:
            arm[k, GENERATOR] = fraction(1.0, k, count)
        u = number * arm[k, GENERATOR]
        here = start[moving[k, layout.M_Q]]
        low, high = moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]
        there = at_fraction(low, high, u - math.floor(u), here, math.pi)
        arm[k, HERE] = here + spread * (there - here)
    clamp(problem, arm, count)


@kernel
def descend(problem, frames, goal, state, trace, q, cost, used, options):
    """Iterate from the angles HERE, evaluated, until reached, stalled or out of budget.

    Returns why it stopped, the cost and the iterations used so far.
    """
    arm, rows, y, left, kept = state.table, state.rows, state.y, state.left, state.kept
    budget, damping = before_settling(options.max_iterations), options.regularization
    count, size = problem.moving.shape[0], 3 * problem.blocks.shape[0]
    growth, slow, fresh = 2.0, 0, True
    while True:
        if within(problem, frames):
            return layout.STOP_REACHED, cost, used
        if used >= budget:
            return layout.STOP_BUDGET, cost, used
        used += 1
        if fresh:
            linearize(problem, arm, count)
        attainable = hold_at_limits(problem, arm, rows, size)
        for i in range(size):
            kept[i] = rows[i]
        for n in range(frames.errors.shape[0]):
            kept[6 + n] = frames.errors[n]
        amount = damping * min(cost, 1.0) + DESCENT_RULES.least_damping
        prediction, mean = bounded_step(problem, arm, rows, size, amount, count, y, left)
        alignment = attainable / (mean * cost + 1e-300)
        new = math.inf
        if prediction >= 0.0:
            for k in range(count):
                arm[k, CHANGE], arm[k, HERE] = arm[k, HERE], arm[k, HERE] + arm[k, CHANGE]
            clamp(problem, arm, count)
            new = evaluate(problem, frames, goal, arm, rows)
        if new < cost:
            damping = eased(damping, cost - new, prediction)
            slow = slowed(slow, cost - new, cost, alignment, options.stall)
            cost = new
            growth = 2.0
            fresh = True
        else:
            if prediction >= 0.0:
                for k in range(count):
                    arm[k, HERE] = arm[k, CHANGE]
                for i in range(size):
                    rows[i] = kept[i]
                for n in range(frames.errors.shape[0]):
                    frames.errors[n] = kept[6 + n]
            damping *= growth
            growth *= 2.0
            fresh = False
            if alignment < DESCENT_RULES.blocked and 0.0 <= prediction < options.stall * cost:
                slow += 1
        if trace.poses.shape[0] > 0:
            put(problem, arm, HERE, q)
            record(trace, problem, q, frames.errors)
        if (
            slow >= DESCENT_RULES.slow_iterations
            or damping > DESCENT_RULES.most_damping
            or 0.0 <= prediction < DESCENT_RULES.least_gain * cost
        ):
            return layout.STOP_STALLED, cost, used


@leaf
def solve(problem, options, frames, state, trace, start, q):
    """Solve from q, inside its limits, after `set_up`; restart after each stall.

    With the option `closed_form`, begin at the answer of a closed form if there is one. Returns how it
    ended, and the cost; q ends as the answer, or as the best pose seen.
    """
    blocks = problem.blocks
    count, arm, rows = problem.moving.shape[0], state.table, state.rows
    goal = matrix_of((1.0, 0.0, 0.0, 0.0))
    for n in range(blocks.shape[0]):
        if blocks[n, layout.B_KIND] == layout.ORIENTATION:
            goal = matrix_of(quat.load4(frames.effectors, n, layout.E_TARGET))
    take(problem, q, arm)
    cost = evaluate(problem, frames, goal, arm, rows)
    low = math.inf
    used, tried, number, allowed = 0, 0, 1, options.restarts
    if (
        options.closed_form > 0.0
        and count == six_hinges.HINGE_COUNT
        and problem.rows == count
        and before_settling(options.max_iterations) >= 1.0
        and not within(problem, frames)
        and six_hinges.solve_exactly(problem, frames, start, state.exact, q)
    ):
        used = 1
        for k in range(count):
            arm[k, BEST] = arm[k, HERE]
        take(problem, q, arm)
        before = cost
        cost = evaluate(problem, frames, goal, arm, rows)
        if not cost < before:
            for k in range(count):
                arm[k, HERE] = arm[k, BEST]
            cost = evaluate(problem, frames, goal, arm, rows)
        put(problem, arm, HERE, q)
        record(trace, problem, q, frames.errors)
    while True:
        stop, cost, used = descend(problem, frames, goal, state, trace, q, cost, used, options)
        if stop == layout.STOP_REACHED:
            put(problem, arm, HERE, q)
            return Ended(layout.STOP_REACHED, used, tried), cost
        if cost < CLEAR_COST_RATIO * low:
            low = cost
            for k in range(count):
                arm[k, BEST] = arm[k, HERE]
        if (
            tried == 0
            and allowed > DESCENT_RULES.proven_restarts
            and proven_out(problem, frames, state.ranges)
        ):
            allowed = DESCENT_RULES.proven_restarts
        if stop == layout.STOP_BUDGET or tried >= allowed:
            put(problem, arm, BEST, q)
            return Ended(stop, used, tried), low
        tried += 1
        nearest = math.inf
        candidates = TUNING.single_candidates if blocks.shape[0] == 1 else TUNING.pose_candidates
        for _ in range(candidates if tried <= TUNING.choosing_restarts else 1):
            set_seed(problem, arm, start, number, min(1.0, 0.5 * tried))
            number += 1
            cost = evaluate(problem, frames, goal, arm, rows)
            if cost < nearest:
                nearest = cost
                for k in range(count):
                    arm[k, FREE] = arm[k, HERE]
        for k in range(count):
            arm[k, HERE] = arm[k, FREE]
        cost = evaluate(problem, frames, goal, arm, rows)
