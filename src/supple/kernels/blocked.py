"""Decide whether `Avoid` or `Balance` keeps a pose from coming closer to its goals.

Two damped steps of the linear model are compared, both inside the limits and with the loops closed: one may break
constraints, the other may not. If the first brings the goals closer and the second hardly does, the constraints are
in the way; the one with the largest multiplier is reported.

The second step is a quadratic program with a row for each constraint that is near. Hildreth's method solves
it: it meets one row after the other by adjusting its multiplier, which never becomes negative, until no multiplier
changes (Hildreth 1957, "A quadratic programming procedure").
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels.constraints import ROWS, broken, linearize_constraints
from supple.kernels.decorators import kernel
from supple.kernels.jacobian import linearize
from supple.kernels.levenberg import constrained_matrix
from supple.kernels.linear_algebra import factor, solve_factored
from supple.kernels.problem import evaluate
from supple.kernels.report import LIMIT_RULES
from supple.kernels.workspace import row_at


class BlockedRules(NamedTuple):
    """When constraints count as in the way, and how the two steps are found. Not tuned.

    Attributes:
        loop_stiffness: Factor of the rows of loops, so that they give way to no goal.
        damping: Damping of the steps, as a part of the mean diagonal: keeps them small where little is gained.
        left_over: Constraints are in the way if they leave no more than this part of what the goals would gain
            without them. A solve ends as near as that: there a constraint gives way to a goal by 1 / HARD^2 of
            the miss.
        sweeps: Sweeps over all rows, at most.
        settled: The last sweep changes the step by no more than this [rad, characteristic lengths]; rounding.
    """

    loop_stiffness: float = 1e3
    damping: float = 0.03
    left_over: float = 0.02
    sweeps: int = 300
    settled: float = 1e-9


RULES = BlockedRules()


class Seen(NamedTuple):
    """Buffers for a pose and its steps."""

    frames: Any
    linear: Any
    step: Any
    bodies: Any


@kernel
def write_blocked(problem, constraints, seen, q, out):
    """Write into a row of output that constraints keep its pose q from its goals, if they do.

    If limits, reach or a broken constraint explain the miss already, the row stays as it is.
    """
    nq, bodies = problem.coordinates, seen.bodies
    status = out[nq + layout.O_STATUS]
    if not constraints.some or (status != layout.STALLED and status != layout.BUDGET):
        return
    cost = evaluate(problem, seen.frames, q)
    broken(problem, constraints, bodies, seen.frames, q)
    linearize(problem, seen.frames, seen.linear, q)
    linearize_constraints(problem, constraints, bodies, seen.frames, seen.linear)
    rows = int(bodies.found[ROWS])
    for k in range(rows):
        bodies.excess[k] = min(bodies.excess[k], 0.0)  # what is broken now need not be mended
    _stiffen_loops(problem, seen)
    if not _invert(problem, seen):
        return
    _descend(problem, seen, 0)
    free = _fall(problem, seen)
    if free < LIMIT_RULES.helpful * cost:
        return
    _descend(problem, seen, rows)
    if _fall(problem, seen) > RULES.left_over * free:
        return
    held, most = -1, 0.0
    for k in range(rows):
        if bodies.taken[k] > most:
            held, most = k, bodies.taken[k]
    if held >= 0:
        out[nq + layout.O_STATUS] = layout.STALLED
        out[nq + layout.O_STOP] = layout.STOP_HELD
        out[nq + layout.O_PAIR] = bodies.number[held]
        for i in range(nq + layout.REPORT + problem.reported, out.shape[0]):
            out[i] = 0.0


@kernel
def _stiffen_loops(problem, seen):
    """Multiply the rows of loops by `RULES.loop_stiffness`."""
    blocks, columns = problem.blocks, seen.linear.columns
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if row < 0 or blocks[g, layout.B_HARD] == 0:
            continue
        for r in range(row, row + 3):
            seen.frames.residual[r] *= RULES.loop_stiffness
            for d in range(problem.freedoms):
                columns[d, r] *= RULES.loop_stiffness


@kernel
def _invert(problem, seen):
    """Write the inverse of the damped matrix of goals and loops into `matrix`; False if there is none."""
    frames, linear, step, bodies = seen
    mean = constrained_matrix(problem, frames, linear, bodies, step, True)
    n, a, b, y = problem.freedoms, step.matrix, step.factored, step.y
    for i in range(n):
        stiff = problem.weight[i] == 0.0
        for j in range(i):
            b[i, j] = 0.0 if stiff or problem.weight[j] == 0.0 else a[i, j]
        b[i, i] = 1.0 if stiff else a[i, i] + RULES.damping * mean / problem.weight[i] + 1e-300
        step.left[i] = 0.0 if stiff else step.left[i]
    if not factor(b, n, b):
        return False
    for i in range(n):
        for j in range(n):
            y[j] = 1.0 if i == j and problem.weight[i] > 0.0 else 0.0
        solve_factored(b, n, y, y)
        for j in range(n):
            a[i, j] = y[j]
    return True


@kernel
def _descend(problem, seen, rows):
    """Fill `delta` with the step inside the bounds and the first `rows` constraints, and `taken` with multipliers."""
    frames, linear, step, bodies = seen
    n, inverse, bounds, delta = problem.freedoms, step.matrix, linear.bounds, step.delta
    pushed, y = step.free, step.y
    for i in range(n):
        pushed[i], delta[i] = 0.0, 0.0
        for j in range(n):
            delta[i] += inverse[i, j] * step.left[j]
    for k in range(rows):
        bodies.taken[k] = 0.0
    for _ in range(RULES.sweeps):
        most = 0.0
        for k in range(rows):
            column, missing = row_at(bodies.columns, k), bodies.excess[k]
            for d in range(n):
                missing -= column[d] * delta[d]
            if missing <= 0.0 and bodies.taken[k] == 0.0:
                continue
            width = 0.0
            for i in range(n):
                y[i] = 0.0
                for j in range(n):
                    y[i] += inverse[i, j] * column[j]
                width += column[i] * y[i]
            if width <= 0.0:
                continue  # no freedom moves it
            push = max(0.0, bodies.taken[k] + missing / width)
            for i in range(n):
                change = (push - bodies.taken[k]) * y[i]
                delta[i] += change
                most = max(most, abs(change))
            bodies.taken[k] = push
        for d in range(n):
            width = inverse[d, d]
            if width <= 0.0:
                continue
            without = delta[d] - pushed[d] * width
            push = (min(max(without, bounds[d, 0]), bounds[d, 1]) - without) / width
            for i in range(n):
                change = (push - pushed[d]) * inverse[i, d]
                delta[i] += change
                most = max(most, abs(change))
            pushed[d] = push
        if most <= RULES.settled:
            break


@kernel
def _fall(problem, seen):
    """By how much the linear model expects the cost of the goals to fall with `delta`."""
    blocks, residual, fall = problem.blocks, seen.frames.residual, 0.0
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if row < 0 or blocks[g, layout.B_HARD] == 1:
            continue
        for r in range(row, row + 3):
            before = after = residual[r]
            for d in range(problem.freedoms):
                after -= seen.linear.columns[d, r] * seen.step.delta[d]
            fall += 0.5 * (before * before - after * after)
    return fall
