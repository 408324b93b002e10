"""Levenberg-Marquardt on a robot arm: hinges in a row, one effector's position, orientation or both.

The same steps and restarts as `lm` takes, with what is special about an arm used. Every joint's
frame is turned once so that its axis is z: a joint is then a constant matrix and a turn about z, the
world axis is a column of the frame, and the whole Jacobian is a cross product a joint. Limits are
the same active set: lock, subtract, re-solve.
"""

import math

from numba.extending import register_jitable

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXIS,
    B_KIND,
    B_MOVE,
    B_TOLERANCE,
    B_WEIGHT,
    DAMPING,
    E_P0,
    E_ROT,
    E_TARGET,
    H_MOVING,
    HINGE,
    LIMITS,
    M_KIND,
    M_MIMIC,
    M_PARENT,
    M_Q,
    M_STRETCH_Q,
    ORIENTATION,
    POSITION,
    S_P0,
    S_PRE,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.posture import wishes
from supple.kernels.quaternion import cross, load3, load4, perpendicular, unrotate
from supple.kernels.record import record
from supple.kernels.seeds import at_fraction, fraction
from supple.kernels.trigonometry import sine_cosine
from supple.kernels.views import grid, part
from supple.kernels.written_out import (
    outer_sum_of_six,
    outer_sum_of_three,
    solve_six,
    solve_three,
)
from supple.solvers import arm_forms
from supple.solvers.lm_rules import BLOCKED, CLEARLY, FLOOR, HUGE, NOTHING, SLOW, eased, slowed

RIGID, SHIFT, WORLD_AXIS, ORIGIN, COLUMN = 0, 9, 12, 15, 18  # columns of a joint's row of numbers
FREE, CHANGE, HERE, BEST, GENERATOR = 24, 25, 26, 27, 28
COLUMNS = 29
ROWS = 6
CANDIDATES = 8  # seeds looked at for each of the first restarts, to use the one with the least cost
LOOSE = 64  # the same for a position alone, to which there are many ways: a near seed is most of the way
FIRST = 30  # restarts; after these, seeds are taken as they come, to end up elsewhere
AT_BOUND = 1e-12


@register_jitable  # called from Python and from kernels
def space(ints):
    """Floats of workspace for one solve."""
    return COLUMNS * (ints[H_MOVING] + 2) + 4 * ROWS + 2


@kernel
def fits(ints, moving, moving_f, blocks):
    """Whether the problem is a row of hinges with one effector, and at least as many as rows."""
    count = moving.shape[0]
    if blocks.shape[0] > 2 or 3 * blocks.shape[0] > count or wishes(ints):
        return False
    for g in range(blocks.shape[0]):
        kind = blocks[g, B_KIND]
        if (kind != POSITION and kind != ORIENTATION) or blocks[g, B_MOVE] != count - 1:
            return False
        if g == 1 and kind == blocks[0, B_KIND]:
            return False
    for k in range(count):
        if moving[k, M_KIND] != HINGE or moving[k, M_PARENT] != k - 1:
            return False
        if moving[k, M_MIMIC] >= 0 or moving[k, M_STRETCH_Q] >= 0:
            return False
        if moving_f[k, DAMPING] < math.inf:
            return False
    return True


@kernel
def matrix_of(q):
    """The nine numbers of a unit quaternion's matrix, row by row."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def into(x, y, z, v):
    """The coordinates of v along three axes."""
    return (
        x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
        y[0] * v[0] + y[1] * v[1] + y[2] * v[2],
        z[0] * v[0] + z[1] * v[1] + z[2] * v[2],
    )


@kernel
def set_up(moving, moving_f, blocks, states, effectors, work):
    """Fill RIGID and SHIFT of every joint, and of the two rows after them for the effectors.

    After joint k its frame is F_k = F_(k-1) RIGID_k Rz(angle): the joint's own, with the axis as z.
    """
    count = moving.shape[0]
    arm = grid(work, 0, count + 2, COLUMNS)
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for k in range(count):
        shift = into(x, y, z, load3(states, k, S_P0))
        for i in range(3):
            arm[k, SHIFT + i] = shift[i]
        pre = load4(states, k, S_PRE)
        x, y, z = unrotate(pre, x), unrotate(pre, y), unrotate(pre, z)
        axis = load3(moving_f, k, AXIS)
        side = perpendicular(axis)
        across = cross(axis, side)
        turned = (into(x, y, z, side), into(x, y, z, across), into(x, y, z, axis))
        for i in range(3):
            for j in range(3):
                arm[k, RIGID + 3 * i + j] = turned[j][i]
        x, y, z = side, across, axis
    for g in range(blocks.shape[0]):
        shift = into(x, y, z, load3(effectors, g, E_P0))
        own = matrix_of(load4(effectors, g, E_ROT))
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
        # Half way round: the axis is in the symmetric part, and either of its ends will do.
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
def evaluate(moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors):
    """Frames, residual rows and errors of the angles HERE; returns the cost.

    `goal` is the wanted orientation's matrix.
    """
    count = moving.shape[0]
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
        if blocks[n, B_KIND] == POSITION:
            arm[tip, ORIGIN] = x + a * s0 + b * s1 + c * s2
            arm[tip, ORIGIN + 1] = y + d * s0 + e * s1 + f * s2
            arm[tip, ORIGIN + 2] = z + g * s0 + h * s1 + i * s2
            miss = (
                effectors[n, E_TARGET] - arm[tip, ORIGIN],
                effectors[n, E_TARGET + 1] - arm[tip, ORIGIN + 1],
                effectors[n, E_TARGET + 2] - arm[tip, ORIGIN + 2],
            )
            scale = blocks_f[n, B_WEIGHT] / length
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
            scale = blocks_f[n, B_WEIGHT] * turn
        size = miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]
        errors[n] = math.sqrt(size)
        cost += 0.5 * scale * scale * size
        rows[3 * n], rows[3 * n + 1], rows[3 * n + 2] = (
            scale * miss[0],
            scale * miss[1],
            scale * miss[2],
        )
    return cost


@kernel
def linearize(blocks, blocks_f, length, turn, arm, count):
    """Fill COLUMN of every joint: how fast each residual row shrinks as its angle grows."""
    for n in range(blocks.shape[0]):
        tip = count + n
        if blocks[n, B_KIND] == POSITION:
            scale = blocks_f[n, B_WEIGHT] / length
            x, y, z = arm[tip, ORIGIN], arm[tip, ORIGIN + 1], arm[tip, ORIGIN + 2]
            for k in range(count):
                u, v, w = arm[k, WORLD_AXIS], arm[k, WORLD_AXIS + 1], arm[k, WORLD_AXIS + 2]
                i, j, h = x - arm[k, ORIGIN], y - arm[k, ORIGIN + 1], z - arm[k, ORIGIN + 2]
                arm[k, COLUMN + 3 * n] = scale * (v * h - w * j)
                arm[k, COLUMN + 3 * n + 1] = scale * (w * i - u * h)
                arm[k, COLUMN + 3 * n + 2] = scale * (u * j - v * i)
        else:
            scale = blocks_f[n, B_WEIGHT] * turn
            for k in range(count):
                for i in range(3):
                    arm[k, COLUMN + 3 * n + i] = scale * arm[k, WORLD_AXIS + i]


@kernel
def pull_on(arm, k, size, rows):
    """How strongly the residual rows pull at a joint."""
    s = arm[k, COLUMN] * rows[0] + arm[k, COLUMN + 1] * rows[1] + arm[k, COLUMN + 2] * rows[2]
    if size == 6:
        s += arm[k, COLUMN + 3] * rows[3] + arm[k, COLUMN + 4] * rows[4]
        s += arm[k, COLUMN + 5] * rows[5]
    return s


@kernel
def hold_at_limits(moving_f, weight, arm, rows, size):
    """Fill FREE: zero for a joint that is pulled into a limit it stands at, else its weight.

    Returns half the squared length of the pull on what is free.
    """
    attainable = 0.0
    for k in range(weight.shape[0]):
        w = weight[k]
        pull = pull_on(arm, k, size, rows)
        if pull > 0.0 and moving_f[k, LIMITS + 1] - arm[k, HERE] <= AT_BOUND:
            w = 0.0
        elif pull < 0.0 and moving_f[k, LIMITS] - arm[k, HERE] >= -AT_BOUND:
            w = 0.0
        arm[k, FREE] = w
        attainable += 0.5 * w * pull * pull
    return attainable


@kernel
def push(arm, size, damping, count, left, y):
    """Solve the damped normal equations of the free joints for y.

    `damping` counts in mean diagonals; returns it in full, or -1 if the matrix is not positive.
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
def bounded_step(moving_f, arm, rows, size, damping, count, y, left):
    """Fill CHANGE of every joint, inside its limits.

    Returns by how much the linear model expects the cost to fall, -1 if the matrix could not be
    factored, and the matrix's mean diagonal.
    """
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
            low, high = moving_f[k, LIMITS] - arm[k, HERE], moving_f[k, LIMITS + 1] - arm[k, HERE]
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
def within(blocks_f, errors):
    """Whether every block is within its tolerance, with a hair to spare for rounding."""
    for n in range(errors.shape[0]):
        if not errors[n] <= 0.999999 * blocks_f[n, B_TOLERANCE]:
            return False
    return True


@kernel
def put(moving, arm, place, q):
    """Write the angles of a column into a pose."""
    for k in range(moving.shape[0]):
        q[moving[k, M_Q]] = arm[k, place]


@kernel
def take(moving, q, arm):
    """Read the angles of a pose."""
    for k in range(moving.shape[0]):
        arm[k, HERE] = q[moving[k, M_Q]]


@kernel
def clamp(moving_f, arm, count):
    """Put the angles HERE into their limits."""
    for k in range(count):
        arm[k, HERE] = min(max(arm[k, HERE], moving_f[k, LIMITS]), moving_f[k, LIMITS + 1])


@kernel
def sow(moving, moving_f, arm, start, number, spread):
    """Put seed `number` of `kernels.seeds` into HERE: `spread` of the way there from the start."""
    count = moving.shape[0]
    for k in range(count):
        if number == 1:
            arm[k, GENERATOR] = fraction(1.0, k, count)
        u = number * arm[k, GENERATOR]
        here = start[moving[k, M_Q]]
        low, high = moving_f[k, LIMITS], moving_f[k, LIMITS + 1]
        there = at_fraction(low, high, u - math.floor(u), here, math.pi)
        arm[k, HERE] = here + spread * (there - here)
    clamp(moving_f, arm, count)


@kernel
def descend(
    moving, moving_f, blocks, blocks_f, effectors, goal, length, turn, weight,
    q, arm, rows, errors, y, left, kept, cost, used, budget, damping, stall, trace, traced,
):  # fmt: skip
    """Iterate from the angles HERE, evaluated, until reached, stalled or out of budget.

    Returns why it stopped, the cost, the iterations used so far and the trace rows written.
    """
    count, size = moving.shape[0], 3 * blocks.shape[0]
    growth, slow, fresh = 2.0, 0, True
    while True:
        if within(blocks_f, errors):
            return STOP_REACHED, cost, used, traced
        if used >= budget:
            return STOP_BUDGET, cost, used, traced
        used += 1
        if fresh:
            linearize(blocks, blocks_f, length, turn, arm, count)
        attainable = hold_at_limits(moving_f, weight, arm, rows, size)
        for i in range(size):
            kept[i] = rows[i]
        for n in range(errors.shape[0]):
            kept[6 + n] = errors[n]
        amount = damping * min(cost, 1.0) + FLOOR
        promise, mean = bounded_step(moving_f, arm, rows, size, amount, count, y, left)
        alignment = attainable / (mean * cost + 1e-300)
        new = math.inf
        if promise >= 0.0:
            for k in range(count):
                arm[k, CHANGE], arm[k, HERE] = arm[k, HERE], arm[k, HERE] + arm[k, CHANGE]
            clamp(moving_f, arm, count)
            new = evaluate(
                moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors
            )
        if new < cost:
            damping = eased(damping, cost - new, promise)
            slow = slowed(slow, cost - new, cost, alignment, stall)
            cost = new
            growth = 2.0
            fresh = True
        else:
            if promise >= 0.0:
                for k in range(count):
                    arm[k, HERE] = arm[k, CHANGE]
                for i in range(size):
                    rows[i] = kept[i]
                for n in range(errors.shape[0]):
                    errors[n] = kept[6 + n]
            damping *= growth
            growth *= 2.0
            fresh = False
            if alignment < BLOCKED and 0.0 <= promise < stall * cost:
                slow += 1
        if trace.shape[0] > 0:
            put(moving, arm, HERE, q)
            traced = record(trace, traced, q, blocks, errors)
        if slow >= SLOW or damping > HUGE or 0.0 <= promise < NOTHING * cost:
            return STOP_STALLED, cost, used, traced


@kernel
def search(
    moving, moving_f, blocks, blocks_f, states, effectors, length, turn, weight,
    start, q, errors, work, exact, closed, budget, damping, restarts, stall, trace, traced,
):  # fmt: skip
    """Solve from q, inside its limits, after `set_up`; after each stall begin again elsewhere.

    With `closed`, begin at the answer of a closed form if there is one; `exact` is workspace for it.
    Returns whether the goals are met, the iterations and restarts used, the cost and the trace rows;
    q ends as the answer, or as the best pose seen.
    """
    count = moving.shape[0]
    arm = grid(work, 0, count + 2, COLUMNS)
    i = COLUMNS * (count + 2)
    rows, y, left = part(work, i, 6), part(work, i + 6, 6), part(work, i + 12, 6)
    kept = part(work, i + 18, 8)
    goal = matrix_of((1.0, 0.0, 0.0, 0.0))
    for n in range(blocks.shape[0]):
        if blocks[n, B_KIND] == ORIENTATION:
            goal = matrix_of(load4(effectors, n, E_TARGET))
    take(moving, q, arm)
    cost = evaluate(moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors)
    low = math.inf
    used, tried, number = 0, 0, 1
    if (
        closed
        and budget >= 1.0
        and not within(blocks_f, errors)
        and arm_forms.solve_exactly(moving, moving_f, blocks, states, effectors, start, exact, q)
    ):
        used = 1
        for k in range(count):
            arm[k, BEST] = arm[k, HERE]
        take(moving, q, arm)
        before = cost
        cost = evaluate(moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors)
        if not cost < before:
            for k in range(count):
                arm[k, HERE] = arm[k, BEST]
            cost = evaluate(
                moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors
            )
        put(moving, arm, HERE, q)
        traced = record(trace, traced, q, blocks, errors)
    while True:
        stop, cost, used, traced = descend(
            moving, moving_f, blocks, blocks_f, effectors, goal, length, turn, weight,
            q, arm, rows, errors, y, left, kept, cost, used, budget, damping, stall, trace, traced,
        )  # fmt: skip
        if stop == STOP_REACHED:
            put(moving, arm, HERE, q)
            return True, used, tried, cost, traced
        if cost < CLEARLY * low:
            low = cost
            for k in range(count):
                arm[k, BEST] = arm[k, HERE]
        if stop == STOP_BUDGET or tried >= restarts:
            put(moving, arm, BEST, q)
            return False, used, tried, low, traced
        tried += 1
        nearest = math.inf
        candidates = LOOSE if blocks.shape[0] == 1 else CANDIDATES
        for _ in range(candidates if tried <= FIRST else 1):
            sow(moving, moving_f, arm, start, number, min(1.0, 0.5 * tried))
            number += 1
            cost = evaluate(
                moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors
            )
            if cost < nearest:
                nearest = cost
                for k in range(count):
                    arm[k, FREE] = arm[k, HERE]
        for k in range(count):
            arm[k, HERE] = arm[k, FREE]
        cost = evaluate(moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors)
