"""Levenberg-Marquardt: one damped least-squares step inside bounds, and how the damping follows the steps.

The step minimises |columns^T delta - rows|^2 + damping * sum(delta^2 / weight) with every delta inside
its bounds. Freedoms that would leave their bounds are locked there, their effect is subtracted from the
rows, and the rest is solved again (an active set). The equations are solved on the smaller side: one
unknown per row, or one per freedom. Problems with many goals and freedoms are solved on the tree
(`tree_factor`), and no matrix is built.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels.constraints import ROWS
from supple.kernels.decorators import cold, kernel, leaf
from supple.kernels.linear_algebra import factor, solve_factored
from supple.kernels.tree_factor import (
    CHANGE,
    RESIDUAL,
    ROW,
    ROWS_BEFORE,
    changed_rows,
    column_squares,
    factor_tree,
    fill_border,
    pulled,
    solve_tree,
    tree_of,
    uses_tree,
)
from supple.kernels.workspace import matrix, part, row_at, vector

# Damping after a step, and when a descent has stalled ---------------------------------------------


class DescentRules(NamedTuple):
    """When a descent has stalled, and how many follow. Not tuned.

    Attributes:
        least_damping: The least damping, as a fraction of the mean diagonal.
        most_damping: Above this damping there is nothing left to try.
        least_gain: A step that is predicted to lower the cost by less than this fraction does nothing.
        proven_restarts: Restarts for a target that is proven to be out of reach: enough for a near answer.
        settling: Iterations kept to settle when nothing was reached; no more than a tenth of the budget.
        slow_iterations: Slow iterations in a row that make a stall.
        least_fall: An iteration that lowers the cost by less than this fraction is slow in any case.
        blocked: Where less than this part of the residual is in reach of the free joints, an iteration that lowers
            the cost by less than the solver's own stall fraction is slow, too.
    """

    least_damping: float = 1e-12
    most_damping: float = 1e12
    least_gain: float = 1e-9
    proven_restarts: int = 10
    settling: float = 50.0
    slow_iterations: int = 3
    least_fall: float = 1e-6
    blocked: float = 0.3


DESCENT_RULES = DescentRules()


@kernel
def eased(damping, fall, prediction):
    """The damping after a step that lowered the cost, from the actual and the predicted fall.

    Nielsen's rule: the better the prediction, the less damping.
    """
    gain = fall / max(prediction, 1e-300)
    return max(damping * max(0.2, 1.0 - (2.0 * gain - 1.0) ** 3), 1e-6)


@kernel
def slowed(slow, fall, cost, alignment, stall):
    """How many iterations in a row have been slow, after one that lowered the cost."""
    hopeless = alignment < DESCENT_RULES.blocked and fall < stall * cost
    return slow + 1 if hopeless or fall < DESCENT_RULES.least_fall * cost else 0


@kernel
def before_settling(budget):
    """The iterations for reaching; the others, a tenth up to `settling`, settle the nearest pose."""
    return budget - min(DESCENT_RULES.settling, budget // 10)


# One damped step inside bounds: lock, subtract, solve again ---------------------------------------

MAX_PASSES = 12  # how often the system is solved to find the freedoms at their bounds; not tuned
AT_BOUND = 1e-12  # a freedom with no more room than this stands at its bound [rad, characteristic lengths]; rounding
COST_ROUNDING = 1e-12  # a rise by less than this part of the cost is rounding


class Step(NamedTuple):
    """A damped step and the buffers to find it."""

    delta: Any  # (D,) the step
    free: Any  # (D,) the weight of each freedom, 0 for one held at a bound
    matrix: Any  # (S, S) the normal matrix, lower triangle, by rows or by freedoms
    factored: Any  # (S, S)
    y: Any  # (max(D, R),) solution
    left: Any  # (max(D, R),) right-hand side


@leaf
def take_step(problem, work, side):
    """Buffers for a step; `side` is the number of unknowns of the larger system to be solved."""
    longer = max(problem.freedoms, problem.rows)
    return Step(
        vector(work, problem.freedoms),
        vector(work, problem.freedoms),
        matrix(work, side, side),
        matrix(work, side, side),
        vector(work, longer),
        vector(work, longer),
    )


@kernel
def row_matrix(problem, linear, step):
    """The lower triangle of columns^T diag(free) columns, block by block of three rows."""
    columns, touch, weight, a = linear.columns, problem.touch, step.free, step.matrix
    count = columns.shape[0]
    for g in range(columns.shape[1] // 3):
        r = 3 * g
        for h in range(g + 1):
            c = 3 * h
            s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
            for d in range(count):
                if touch[d, g] == 0 or touch[d, h] == 0:
                    continue
                w = weight[d]
                x, y, z = w * columns[d, r], w * columns[d, r + 1], w * columns[d, r + 2]
                u, v, t = columns[d, c], columns[d, c + 1], columns[d, c + 2]
                s00 += x * u
                s01 += x * v
                s02 += x * t
                s10 += y * u
                s11 += y * v
                s12 += y * t
                s20 += z * u
                s21 += z * v
                s22 += z * t
            a[r, c], a[r, c + 1], a[r, c + 2] = s00, s01, s02
            a[r + 1, c], a[r + 1, c + 1], a[r + 1, c + 2] = s10, s11, s12
            a[r + 2, c], a[r + 2, c + 1], a[r + 2, c + 2] = s20, s21, s22


@kernel
def freedom_matrix(linear, step):
    """The lower triangle of columns columns^T."""
    columns, a = linear.columns, step.matrix
    for i in range(columns.shape[0]):
        for j in range(i + 1):
            s = 0.0
            for r in range(columns.shape[1]):
                s += columns[i, r] * columns[j, r]
            a[i, j] = s


@leaf
def pull_of(problem, linear, d, y):
    """columns[d] . y over the blocks that freedom d touches."""
    columns = linear.columns
    s = 0.0
    for g in range(columns.shape[1] // 3):
        r = 3 * g
        if problem.touch[d, g] != 0:
            s += columns[d, r] * y[r] + columns[d, r + 1] * y[r + 1] + columns[d, r + 2] * y[r + 2]
    return s


@kernel
def hold_at_bounds(problem, frames, linear, step):
    """Fill `free`: 0 for a freedom that stands at a bound and is pulled outward, else its weight."""
    bounds, on_tree = linear.bounds, uses_tree(linear)
    if on_tree:
        _pull_on_tree(problem, frames.residual, linear, step)
    for d in range(problem.freedoms):
        step.free[d] = problem.weight[d]
        if bounds[d, 1] <= AT_BOUND or bounds[d, 0] >= -AT_BOUND:
            pull = step.left[d] if on_tree else pull_of(problem, linear, d, frames.residual)
            if (pull > 0.0 and bounds[d, 1] <= AT_BOUND) or (
                pull < 0.0 and bounds[d, 0] >= -AT_BOUND
            ):
                step.free[d] = 0.0


@kernel
def normal_matrix(problem, linear, step, by_rows):
    """Build the undamped matrix by rows or by freedoms; returns its mean diagonal.

    On a tree there is no matrix to build.
    """
    if uses_tree(linear):
        return _mean_on_tree(problem, linear, step, by_rows)
    count, size = linear.columns.shape
    trace = 0.0
    if by_rows:
        row_matrix(problem, linear, step)
        for i in range(size):
            trace += step.matrix[i, i]
        return trace / size
    freedom_matrix(linear, step)
    for d in range(count):
        if step.free[d] > 0.0:
            trace += step.matrix[d, d]
    return trace / count


@kernel
def attainable(problem, frames, linear, step):
    """Half the weighted squared gradient by the free freedoms: 0 where no small change helps.

    `hold_at_bounds` has been called at the same residual.
    """
    total, on_tree = 0.0, uses_tree(linear)
    for d in range(problem.freedoms):
        if step.free[d] > 0.0:
            pull = step.left[d] if on_tree else pull_of(problem, linear, d, frames.residual)
            total += 0.5 * step.free[d] * pull * pull
    return total


@kernel
def subtract_change(problem, frames, linear, delta):
    """Subtract from the residual the change that the linear model predicts for a step, shape (D,)."""
    rows = frames.residual
    if uses_tree(linear):
        _subtract_on_tree(problem, linear, rows, delta, rows)
        return
    for d in range(problem.freedoms):
        for r in range(problem.rows):
            rows[r] -= linear.columns[d, r] * delta[d]


@kernel
def bounded_step(problem, frames, linear, step, damping, by_rows):
    """Fill `delta` from the matrix of `normal_matrix`, which changes where freedoms get locked.

    `hold_at_bounds` has been called at the same residual.

    Returns by how much the linear model expects the cost to fall, or -1 if the matrix could not be
    factored or the step, held by its bounds, would raise the cost: more damping helps in both cases.
    """
    if uses_tree(linear):
        return _bounded_step_on_tree(problem, frames.residual, linear, step, damping)
    bounds = linear.bounds
    count, size = linear.columns.shape
    n = size if by_rows else count
    a, b, y, left, free = step.matrix, step.factored, step.y, step.left, step.free
    for i in range(n):
        left[i] = frames.residual[i] if by_rows else pull_of(problem, linear, i, frames.residual)
    for d in range(count):
        step.delta[d] = 0.0
    for _ in range(MAX_PASSES):
        for i in range(n):
            if by_rows:
                for j in range(i):
                    b[i, j] = a[i, j]
                b[i, i] = a[i, i] + damping
                y[i] = left[i]
            else:
                held = free[i] == 0.0
                for j in range(i):
                    b[i, j] = 0.0 if held or free[j] == 0.0 else a[i, j]
                b[i, i] = 1.0 if held else a[i, i] + damping / free[i]
                y[i] = 0.0 if held else left[i]
        if not factor(b, n, b):
            return -1.0
        solve_factored(b, n, y, y)
        locked = False
        for d in range(count):
            w = free[d]
            if w == 0.0:
                continue
            value = w * pull_of(problem, linear, d, y) if by_rows else y[d]
            low, high = bounds[d, 0], bounds[d, 1]
            if value < low or value > high:
                value = low if value < low else high
                locked = True
                _lock(linear, step, d, value, by_rows)
                free[d] = 0.0
            step.delta[d] = value
        if not locked:
            break
    return _prediction(problem, frames, linear, step, damping, by_rows)


@leaf
def _lock(linear, step, d, value, by_rows):
    """Lock freedom d at a value.

    Its effect is subtracted from the right-hand side and, by rows, its column from the matrix.
    """
    columns = linear.columns
    a, left = step.matrix, step.left
    if not by_rows:
        for i in range(columns.shape[0]):
            left[i] -= (a[i, d] if i >= d else a[d, i]) * value
        return
    for i in range(columns.shape[1]):
        left[i] -= columns[d, i] * value
        x = step.free[d] * columns[d, i]
        for j in range(i + 1):
            a[i, j] -= x * columns[d, j]


@kernel
def _prediction(problem, frames, linear, step, damping, by_rows):
    """By how much the quadratic model expects the cost to fall, -1 if it expects it to rise."""
    count, size = linear.columns.shape
    rows, a, delta = frames.residual, step.matrix, step.delta
    fall = 0.0
    if by_rows:
        # What is left of the rows after the step is damping * y.
        for r in range(size):
            fall += 0.5 * (rows[r] * rows[r] - (damping * step.y[r]) ** 2)
        return max(fall, 0.0)
    for d in range(count):
        half = 0.0
        for j in range(count):
            half += (a[d, j] if d >= j else a[j, d]) * delta[j]
        fall += delta[d] * (pull_of(problem, linear, d, rows) - 0.5 * half)
    cost = 0.0
    for r in range(size):
        cost += 0.5 * rows[r] * rows[r]
    return -1.0 if fall < -COST_ROUNDING * cost else max(fall, 0.0)


# On a tree ----------------------------------------------------------------------------------------


@cold
def _pull_on_tree(problem, rows, linear, step):
    """Fill `left` with the pull of the rows, shape (R,), on each freedom."""
    pulled(tree_of(problem, linear), rows, part(step.left, 0, problem.freedoms))


@cold
def _subtract_on_tree(problem, linear, rows, delta, out):
    """Fill out, shape (R,), with the rows minus their predicted change by a step; both may be the same array."""
    tree = tree_of(problem, linear)
    change = row_at(tree.by_row, CHANGE)
    changed_rows(tree, delta, change)
    for r in range(rows.shape[0]):
        out[r] = rows[r] - change[r]


@cold
def _mean_on_tree(problem, linear, step, by_rows):
    """The mean diagonal of the matrix that `normal_matrix` would build."""
    squares, trace = step.y, 0.0
    column_squares(tree_of(problem, linear), part(squares, 0, problem.freedoms))
    for d in range(problem.freedoms):
        if step.free[d] > 0.0:
            trace += step.free[d] * squares[d] if by_rows else squares[d]
    return trace / (problem.rows if by_rows else problem.freedoms)


@cold
def _hard_mean_on_tree(problem, frames, linear, step, soft):
    """`constrained_matrix` on a tree with loops: the rows that count, their pull in `left`, and the mean diagonal.

    Rows of loops have two ends, so only freedoms of the border move them.
    """
    tree, blocks, every, loops = tree_of(problem, linear), problem.blocks, 0.0, 0.0
    residual, squares = row_at(tree.by_row, RESIDUAL), part(step.y, 0, problem.freedoms)
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        left_out = not soft and blocks[g, layout.B_HARD] == 0
        for r in range(row, row + 3 if row >= 0 else row):
            residual[r] = 0.0 if left_out else frames.residual[r]
            for i in range(ROW if left_out else 0):
                tree.rows[r, i] = 0.0
                tree.rows[problem.rows + r, i] = 0.0
    if not soft:
        fill_border(tree)
    pulled(tree, residual, part(step.left, 0, problem.freedoms))
    column_squares(tree, squares)
    for d in range(problem.freedoms):
        every += squares[d]
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if row >= 0 and blocks[g, layout.B_HARD] == 1:
            for n in range(problem.border.shape[0]):
                for r in range(row, row + 3):
                    loops += tree.by_row[ROWS_BEFORE + n, r] ** 2
    return (every - loops if soft else every) / problem.freedoms


@cold
def _bounded_step_on_tree(problem, rows, linear, step, damping):
    """`bounded_step` on a tree, for the residual rows, shape (R,), whose pull is in `left`."""
    bounds, count, free, delta = linear.bounds, problem.freedoms, step.free, step.delta
    tree, y, left = tree_of(problem, linear), part(step.y, 0, count), part(step.left, 0, count)
    change = row_at(tree.by_row, CHANGE)
    for d in range(count):
        delta[d] = 0.0
    for _ in range(MAX_PASSES):
        if not factor_tree(tree, free, damping):
            return -1.0
        solve_tree(tree, free, left, y)
        locked = False
        for d in range(count):
            if free[d] == 0.0:
                continue
            delta[d] = min(max(y[d], bounds[d, 0]), bounds[d, 1])
            if delta[d] != y[d]:
                locked = True
                free[d] = 0.0
        if not locked:
            break
        # The effect of locked freedoms is subtracted from the rows.
        for d in range(count):
            y[d] = delta[d] if free[d] == 0.0 else 0.0
        _subtract_on_tree(problem, linear, rows, y, change)
        pulled(tree, change, left)
    changed_rows(tree, delta, change)
    cost = fall = 0.0
    for r in range(problem.rows):
        cost += 0.5 * rows[r] * rows[r]
        fall += change[r] * (rows[r] - 0.5 * change[r])
    return -1.0 if fall < -COST_ROUNDING * cost else max(fall, 0.0)


@cold
def _hard_step_on_tree(problem, linear, step, damping):
    """`constrained_step` on a tree with loops."""
    residual = row_at(tree_of(problem, linear).by_row, RESIDUAL)
    return _bounded_step_on_tree(problem, residual, linear, step, damping)


# With constraints ---------------------------------------------------------------------------------
#
# The same step by freedoms, with the rows of `supple.kernels.constraints` beside those of the goals. A broken
# constraint is a row like any other. One that holds is left out until the step would break it, and then becomes
# active, so that the step ends at the constraint.


@leaf
def _add_row(step, column):
    """Add a row to the normal matrix."""
    a = step.matrix
    for i in range(column.shape[0]):
        x = column[i]
        if x != 0.0:
            for j in range(i + 1):
                a[i, j] += x * column[j]


@leaf
def _row_times(column, delta):
    s = 0.0
    for d in range(column.shape[0]):
        s += column[d] * delta[d]
    return s


@kernel
def constrained_matrix(problem, frames, linear, bodies, step, soft):
    """Build the undamped matrix and right side by freedoms, with loops and constraints.

    Without `soft`, of loops and constraints alone. Returns the mean diagonal of the goals' part, or of
    what there is without them.
    """
    if uses_tree(linear):
        return _hard_mean_on_tree(problem, frames, linear, step, soft)
    columns, a, blocks = linear.columns, step.matrix, problem.blocks
    count = problem.freedoms
    for i in range(count):
        step.left[i] = 0.0
        for j in range(i + 1):
            a[i, j] = 0.0
    mean = 0.0
    for pass_ in range(2):
        if pass_ == 1:
            for d in range(count):
                mean += a[d, d]
        for g in range(blocks.shape[0]):
            row = blocks[g, layout.B_ROW]
            hard = blocks[g, layout.B_HARD] == 1
            if row < 0 or hard != (pass_ == 1) or not (hard or soft):
                continue
            for i in range(count):
                if problem.touch[i, g] == 0:
                    continue
                x, y, z = columns[i, row], columns[i, row + 1], columns[i, row + 2]
                rows = frames.residual
                step.left[i] += x * rows[row] + y * rows[row + 1] + z * rows[row + 2]
                for j in range(i + 1):
                    a[i, j] += (
                        x * columns[j, row] + y * columns[j, row + 1] + z * columns[j, row + 2]
                    )
    for k in range(int(bodies.found[ROWS])):
        bodies.taken[k] = 0.0
        if bodies.excess[k] > 0.0:
            column = row_at(bodies.columns, k)
            bodies.taken[k] = 1.0
            _add_row(step, column)
            for d in range(count):
                step.left[d] += column[d] * bodies.excess[k]
    if mean == 0.0:
        for d in range(count):
            mean += a[d, d]
    return mean / count


@kernel
def constrained_step(problem, frames, linear, bodies, step, damping, soft):
    """Fill `delta` from what `constrained_matrix` has built; returns as `bounded_step` does."""
    bounds, count = linear.bounds, problem.freedoms
    a, b, y, left, free = step.matrix, step.factored, step.y, step.left, step.free
    for d in range(count):
        step.delta[d] = 0.0
        free[d] = problem.weight[d]
        if (left[d] > 0.0 and bounds[d, 1] <= AT_BOUND) or (
            left[d] < 0.0 and bounds[d, 0] >= -AT_BOUND
        ):
            free[d] = 0.0
    if uses_tree(linear):
        return _hard_step_on_tree(problem, linear, step, damping)
    for _ in range(2 * MAX_PASSES):
        for i in range(count):
            held = free[i] == 0.0
            for j in range(i):
                b[i, j] = 0.0 if held or free[j] == 0.0 else a[i, j]
            b[i, i] = 1.0 if held else a[i, i] + damping / free[i]
            y[i] = 0.0 if held else left[i]
        if not factor(b, count, b):
            return -1.0
        solve_factored(b, count, y, y)
        changed = False
        for d in range(count):
            if free[d] == 0.0:
                continue
            value, low, high = y[d], bounds[d, 0], bounds[d, 1]
            if value < low or value > high:
                value = low if value < low else high
                changed = True
                _lock(linear, step, d, value, False)
                free[d] = 0.0
            step.delta[d] = value
        if changed:
            continue
        for k in range(int(bodies.found[ROWS])):
            column = row_at(bodies.columns, k)
            if bodies.taken[k] == 0.0 and bodies.excess[k] > _row_times(column, step.delta):
                bodies.taken[k] = 1.0
                changed = True
                rest = bodies.excess[k]
                for d in range(count):
                    if free[d] == 0.0:
                        rest -= column[d] * step.delta[d]
                _add_row(step, column)
                for d in range(count):
                    left[d] += column[d] * rest
        if not changed:
            break
    return _constrained_prediction(problem, frames, linear, bodies, step, soft)


@kernel
def _constrained_prediction(problem, frames, linear, bodies, step, soft):
    """By how much the linear model expects the cost to fall, -1 if it expects it to rise."""
    blocks, rows, columns, delta = problem.blocks, frames.residual, linear.columns, step.delta
    cost = fall = 0.0
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if row < 0 or not (soft or blocks[g, layout.B_HARD] == 1):
            continue
        for r in range(row, row + 3):
            s = rows[r]
            cost += 0.5 * s * s
            fall += 0.5 * s * s
            for d in range(problem.freedoms):
                s -= columns[d, r] * delta[d]
            fall -= 0.5 * s * s
    for k in range(int(bodies.found[ROWS])):
        before = max(bodies.excess[k], 0.0)
        after = max(bodies.excess[k] - _row_times(row_at(bodies.columns, k), delta), 0.0)
        cost += 0.5 * before * before
        fall += 0.5 * (before * before - after * after)
    return -1.0 if fall < -COST_ROUNDING * cost else max(fall, 0.0)
