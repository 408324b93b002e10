"""Levenberg-Marquardt on a robot arm: hinges in a row, one effector's position, orientation or both.

The same steps and restarts as `lm` takes, on the table of numbers that `hinge_arm` makes of an arm.
Limits are the same active set: lock, subtract, re-solve.
"""

import math

from numba.extending import register_jitable

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_MOVE,
    B_TOLERANCE,
    DAMPING,
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
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.posture import wishes
from supple.kernels.quaternion import load4
from supple.kernels.record import record
from supple.kernels.seeds import at_fraction, fraction
from supple.kernels.views import grid, part
from supple.kernels.written_out import (
    outer_sum_of_six,
    outer_sum_of_three,
    solve_six,
    solve_three,
)
from supple.solvers import arm_forms
from supple.solvers.hinge_arm import (
    BEST,
    CHANGE,
    COLUMN,
    COLUMNS,
    FREE,
    GENERATOR,
    HERE,
    evaluate,
    linearize,
    matrix_of,
)
from supple.solvers.lm_rules import BLOCKED, CLEARLY, FLOOR, HUGE, NOTHING, SLOW, eased, slowed

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
