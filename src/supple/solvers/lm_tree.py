"""The descents of Levenberg-Marquardt on any tree: to the goals, on with secondary aims, elsewhere.

The idea is in `lm`, which decides which descent comes when.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.curvature import curvature
from supple.kernels.jacobian import jacobian
from supple.kernels.layout import (
    F_LENGTH,
    F_TURN,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.linear import factor
from supple.kernels.normal import attainable, bounded_step, hold_at_bounds, normal_matrix
from supple.kernels.posture import posture
from supple.kernels.record import record
from supple.kernels.report import (
    evaluate,
)
from supple.kernels.residual import within
from supple.kernels.seeds import seed
from supple.kernels.tangent import project, step, tangent
from supple.solvers.lm_rules import (
    BLOCKED,
    FLOOR,
    HUGE,
    NOTHING,
    SLOW,
    TIGHT,
    eased,
    slowed,
)

SETTLING = 1e-6  # damping while following secondary aims, as a fraction of the mean diagonal
FLAT = 1e-6  # a curvature above minus this fraction of the mean diagonal is none


@kernel
def descend(
    floats, moving, moving_f, blocks, blocks_f, touch, weight,
    q, trial, states, effectors, rows, errors, axes, bounds, columns, a, c, y, left, free, delta,
    cost, used, budget, damping, stall, newton, trace, traced,
):  # fmt: skip
    """Iterate from q, evaluated, until reached, stalled or out of budget.

    Q ends as the best pose seen, evaluated.

    Returns why it stopped, the cost, the iterations used so far and the trace rows written.
    """
    length, turn = floats[F_LENGTH], floats[F_TURN]
    by_rows = columns.shape[1] <= columns.shape[0] and not newton
    growth = 2.0
    slow = 0
    fresh = True
    while True:
        if within(blocks, blocks_f, errors):
            return STOP_REACHED, cost, used, traced
        if used >= budget:
            return STOP_BUDGET, cost, used, traced
        used += 1
        if fresh:
            tangent(moving, moving_f, q, states, length, axes, bounds)
            jacobian(
                moving,
                moving_f,
                blocks,
                blocks_f,
                states,
                effectors,
                rows,
                length,
                turn,
                axes,
                columns,
            )
        hold_at_bounds(columns, touch, weight, rows, bounds, free)
        mean = normal_matrix(columns, touch, free, by_rows, a)
        if newton:
            curvature(moving, blocks, blocks_f, states, effectors, length, axes, a)
        alignment = attainable(columns, touch, rows, free) / (mean * cost + 1e-300)
        amount = (damping * min(cost, 1.0) + FLOOR) * mean + 1e-300
        promise = bounded_step(
            columns, touch, rows, bounds, amount, by_rows, a, c, y, left, free, delta
        )
        new = math.inf
        if promise >= 0.0:
            trial[:] = q
            step(moving, moving_f, q, states, length, axes, delta, trial)
            new = evaluate(
                moving,
                moving_f,
                blocks,
                blocks_f,
                trial,
                states,
                effectors,
                length,
                turn,
                rows,
                errors,
            )
        if new < cost:
            damping = eased(damping, cost - new, promise)
            slow = slowed(slow, cost - new, cost, alignment, stall)
            cost = new
            q[:] = trial
            growth = 2.0
            fresh = True
        else:
            # Worse, or not solvable: back to q, with more damping.
            evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
            damping *= growth
            growth *= 2.0
            fresh = False
            if alignment < BLOCKED and 0.0 <= promise < stall * cost:
                slow += 1
        traced = record(trace, traced, q, blocks, errors)
        if slow >= SLOW or damping > HUGE or 0.0 <= promise < NOTHING * cost:
            return STOP_STALLED, cost, used, traced


@kernel
def relax(
    ints, floats, moving, moving_f, blocks, blocks_f, touch, weight, rest, wish, swing,
    q, trial, kept, states, effectors, rows, errors, axes, bounds, columns, a, c, y, left, free, delta,
    used, budget, trace, traced,
):  # fmt: skip
    """Go where the secondary aims wish while the goals, met by q, stay met; q ends there.

    Each step follows the wish with what it would do to the goals taken back, then corrects; it is
    kept if the goals are met again and the aims are nearer. Returns the iterations used so far and
    the trace rows written.
    """
    length, turn = floats[F_LENGTH], floats[F_TURN]
    gain = 1.0
    while used < budget:
        tangent(moving, moving_f, q, states, length, axes, bounds)
        jacobian(
            moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
        )
        aims = posture(
            ints, floats, moving, blocks, blocks_f, rest, q, states, effectors, axes, wish, swing
        )
        for d in range(wish.shape[0]):
            wish[d] = min(max(gain * wish[d], bounds[d, 0]), bounds[d, 1])
            bounds[d, 0] -= wish[d]
            bounds[d, 1] -= wish[d]
            for r in range(rows.shape[0]):
                rows[r] -= columns[d, r] * wish[d]
        by_rows = columns.shape[1] <= columns.shape[0]
        hold_at_bounds(columns, touch, weight, rows, bounds, free)
        amount = SETTLING * normal_matrix(columns, touch, free, by_rows, a) + 1e-300
        if (
            bounded_step(columns, touch, rows, bounds, amount, by_rows, a, c, y, left, free, delta)
            < 0.0
        ):
            break
        for d in range(wish.shape[0]):
            delta[d] += wish[d]
        kept[:] = q
        step(moving, moving_f, kept, states, length, axes, delta, q)
        cost = evaluate(
            moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
        )
        used += 1
        traced = record(trace, traced, q, blocks, errors)
        stop, cost, used, traced = descend(
            floats, moving, moving_f, blocks, blocks_f, touch, weight,
            q, trial, states, effectors, rows, errors,
            axes, bounds, columns, a, c, y, left, free, delta,
            cost, used, min(used + 4, budget), 1.0, TIGHT, False, trace, traced,
        )  # fmt: skip
        tangent(moving, moving_f, q, states, length, axes, bounds)
        nearer = posture(
            ints, floats, moving, blocks, blocks_f, rest, q, states, effectors, axes, wish, swing
        )
        if stop == STOP_REACHED and nearer < aims:
            gain = min(1.0, 2.0 * gain)
            if aims - nearer < 1e-4 * aims or nearer < 1e-12:
                break
        else:
            q[:] = kept
            evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
            gain *= 0.25
            if gain < 0.01:
                break
    return used, traced


@kernel
def begin_elsewhere(
    moving, moving_f, blocks, blocks_f, number, spread, candidates,
    floats, freedoms, start, here, trial, q, states, effectors, rows, errors,
):  # fmt: skip
    """Put the seed nearest to the goals, of a few from `number` on, into q; returns the next number."""
    low = math.inf
    trial[:] = start
    for _ in range(candidates):
        seed(moving, moving_f, number, spread, floats[F_LENGTH], freedoms, start, here, trial)
        number += 1
        cost = evaluate(
            moving, moving_f, blocks, blocks_f, trial, states, effectors,
            floats[F_LENGTH], floats[F_TURN], rows, errors,
        )  # fmt: skip
        if cost < low:
            low = cost
            q[:] = trial
    project(moving, moving_f, q)
    return number


@kernel
def on_saddle(
    floats, moving, moving_f, blocks, blocks_f, touch, weight,
    q, states, effectors, rows, axes, bounds, columns, a, free,
):  # fmt: skip
    """Whether the cost curves down from q, evaluated, in some direction of the free freedoms.

    With at most NEWTON freedoms. Freedoms that are pulled into their limits count as locked.
    """
    tangent(moving, moving_f, q, states, floats[F_LENGTH], axes, bounds)
    jacobian(
        moving, moving_f, blocks, blocks_f, states, effectors, rows,
        floats[F_LENGTH], floats[F_TURN], axes, columns,
    )  # fmt: skip
    hold_at_bounds(columns, touch, weight, rows, bounds, free)
    mean = normal_matrix(columns, touch, free, False, a)
    curvature(moving, blocks, blocks_f, states, effectors, floats[F_LENGTH], axes, a)
    n = columns.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = 0.0 if free[i] == 0.0 or free[j] == 0.0 else a[i, j]
        a[i, i] = 1.0 if free[i] == 0.0 else a[i, i] + FLAT * mean + 1e-300
    return not factor(a, n, a)
