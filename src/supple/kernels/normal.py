"""One damped least-squares step inside bounds: lock, subtract, re-solve.

Minimises |columns^T delta - rows|^2 + damping * sum(delta^2 / weight) with every delta inside its
bounds. Freedoms that would leave their bounds are locked there, what they do is subtracted from the
rows, and the rest is solved again (an active set). The equations are solved on the smaller side:
one unknown a row, or one a freedom.
"""

from supple.kernels.cache import kernel
from supple.kernels.linear import factor, solve_factored

MAX_PASSES = 12
AT_BOUND = 1e-12
ROUNDING = 1e-12  # a rise by less than this part of the cost is none


@kernel
def row_matrix(columns, touch, weight, a):
    """The lower triangle of columns^T diag(weight) columns, block by block of three rows."""
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
def freedom_matrix(columns, a):
    """The lower triangle of columns columns^T."""
    for i in range(columns.shape[0]):
        for j in range(i + 1):
            s = 0.0
            for r in range(columns.shape[1]):
                s += columns[i, r] * columns[j, r]
            a[i, j] = s


@kernel
def pull_of(columns, touch, d, y):
    """columns[d] . y over the blocks that freedom d touches."""
    s = 0.0
    for g in range(columns.shape[1] // 3):
        if touch[d, g] != 0:
            r = 3 * g
            s += columns[d, r] * y[r] + columns[d, r + 1] * y[r + 1] + columns[d, r + 2] * y[r + 2]
    return s


@kernel
def hold_at_bounds(columns, touch, weight, rows, bounds, free):
    """Fill free, shape (D,).

    0 for a freedom that stands at a bound and is pulled outward, its weight for the others.
    """
    for d in range(columns.shape[0]):
        free[d] = weight[d]
        if bounds[d, 1] <= AT_BOUND or bounds[d, 0] >= -AT_BOUND:
            pull = pull_of(columns, touch, d, rows)
            if (pull > 0.0 and bounds[d, 1] <= AT_BOUND) or (
                pull < 0.0 and bounds[d, 0] >= -AT_BOUND
            ):
                free[d] = 0.0


@kernel
def normal_matrix(columns, touch, free, by_rows, a):
    """Build the undamped matrix of the rows' or of the freedoms' side in a.

    Returns its mean diagonal.
    """
    count, size = columns.shape
    trace = 0.0
    if by_rows:
        row_matrix(columns, touch, free, a)
        for i in range(size):
            trace += a[i, i]
        return trace / size
    freedom_matrix(columns, a)
    for d in range(count):
        if free[d] > 0.0:
            trace += a[d, d]
    return trace / count


@kernel
def attainable(columns, touch, rows, free):
    """Half the squared length of the pull on the free freedoms, weighed.

    None where no small change helps.
    """
    total = 0.0
    for d in range(columns.shape[0]):
        if free[d] > 0.0:
            pull = pull_of(columns, touch, d, rows)
            total += 0.5 * free[d] * pull * pull
    return total


@kernel
def bounded_step(columns, touch, rows, bounds, damping, by_rows, a, b, y, left, free, delta):
    """Fill delta, shape (D,), from the matrix a of `normal_matrix`.

    Which is changed where freedoms get locked.

    b is square workspace like a; y and left have max(R, D) numbers. Returns by how much the linear
    model expects the cost to fall, or -1 if the matrix could not be factored or the step, held by
    its bounds, would have it rise: more damping helps either.
    """
    count, size = columns.shape
    n = size if by_rows else count
    for i in range(n):
        left[i] = rows[i] if by_rows else pull_of(columns, touch, i, rows)
    for d in range(count):
        delta[d] = 0.0
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
            value = w * pull_of(columns, touch, d, y) if by_rows else y[d]
            low, high = bounds[d, 0], bounds[d, 1]
            if value < low or value > high:
                value = low if value < low else high
                locked = True
                _lock(columns, d, value, w, by_rows, a, left)
                free[d] = 0.0
            delta[d] = value
        if not locked:
            break
    return _promise(columns, touch, rows, damping, by_rows, a, y, left, free, delta)


@kernel
def _lock(columns, d, value, w, by_rows, a, left):
    """Take freedom d out at a value.

    Subtract what it does from the right side and, by rows, itself from the matrix.
    """
    if not by_rows:
        for i in range(columns.shape[0]):
            left[i] -= (a[i, d] if i >= d else a[d, i]) * value
        return
    for i in range(columns.shape[1]):
        left[i] -= columns[d, i] * value
        x = w * columns[d, i]
        for j in range(i + 1):
            a[i, j] -= x * columns[d, j]


@kernel
def _promise(columns, touch, rows, damping, by_rows, a, y, left, free, delta):
    """By how much the quadratic model expects the cost to fall, -1 if it expects it to rise."""
    count, size = columns.shape
    fall = 0.0
    if by_rows:
        # What is left of the rows after the step is damping * y.
        for r in range(size):
            fall += 0.5 * (rows[r] * rows[r] - (damping * y[r]) ** 2)
        return max(fall, 0.0)
    for d in range(count):
        half = 0.0
        for j in range(count):
            half += (a[d, j] if d >= j else a[j, d]) * delta[j]
        fall += delta[d] * (pull_of(columns, touch, d, rows) - 0.5 * half)
    cost = 0.0
    for r in range(size):
        cost += 0.5 * rows[r] * rows[r]
    return -1.0 if fall < -ROUNDING * cost else max(fall, 0.0)
