"""One damped least-squares step inside bounds: lock, subtract, re-solve.

Minimises |columns^T delta - rows|^2 + damping * sum(delta^2 / weight) with every delta inside its bounds. Freedoms that
would leave their bounds are locked there, what they do is subtracted from the rows, and the rest is solved again (an
active set). The equations are solved on the smaller side: one unknown a row, or one a freedom.
"""

from supple.kernels.cache import kernel
from supple.kernels.linear import cholesky, cholesky_solve

MAX_PASSES = 12


@kernel
def row_matrix(columns, touch, weight, free, damping, a):
    """a = columns^T diag(weight) columns + damping, over the free freedoms, lower triangle; blocks of three rows."""
    rows = columns.shape[1]
    blocks = rows // 3
    for i in range(rows):
        for j in range(i):
            a[i, j] = 0.0
        a[i, i] = damping
    for d in range(columns.shape[0]):
        if free[d] == 0.0:
            continue
        w = weight[d]
        for g in range(blocks):
            if touch[d, g] == 0:
                continue
            r = 3 * g
            x, y, z = w * columns[d, r], w * columns[d, r + 1], w * columns[d, r + 2]
            for h in range(g + 1):
                if touch[d, h] == 0:
                    continue
                c = 3 * h
                u, v, s = columns[d, c], columns[d, c + 1], columns[d, c + 2]
                a[r, c] += x * u
                a[r + 1, c] += y * u
                a[r + 1, c + 1] += y * v
                a[r + 2, c] += z * u
                a[r + 2, c + 1] += z * v
                a[r + 2, c + 2] += z * s
                if h < g:
                    a[r, c + 1] += x * v
                    a[r, c + 2] += x * s
                    a[r + 1, c + 2] += y * s


@kernel
def freedom_matrix(columns, weight, free, damping, a):
    """a = columns columns^T + damping / weight over the free freedoms, lower triangle; locked ones are the identity."""
    count = columns.shape[0]
    for i in range(count):
        for j in range(i + 1):
            s = 0.0
            if free[i] != 0.0 and free[j] != 0.0:
                for r in range(columns.shape[1]):
                    s += columns[i, r] * columns[j, r]
            a[i, j] = s
        a[i, i] += damping / weight[i] if free[i] != 0.0 else 1.0


@kernel
def _dot_row(columns, touch, d, y):
    """columns[d] . y over the blocks that freedom d touches."""
    s = 0.0
    for g in range(columns.shape[1] // 3):
        if touch[d, g] != 0:
            r = 3 * g
            s += columns[d, r] * y[r] + columns[d, r + 1] * y[r + 1] + columns[d, r + 2] * y[r + 2]
    return s


@kernel
def bounded_step(columns, touch, weight, rows, bounds, damping, a, y, left, free, delta):
    """Fill delta, shape (D,); a is square workspace of the smaller side, y and left of R (y of max(R, D)) numbers.

    Returns False if the matrix could not be factored (then delta is not to be used).
    """
    count, size = columns.shape
    for r in range(size):
        left[r] = rows[r]
    for d in range(count):
        free[d] = 1.0
        delta[d] = 0.0
        # Already at a bound and pulled outward: locked from the start.
        if bounds[d, 1] <= 1e-12 or bounds[d, 0] >= -1e-12:
            pull = _dot_row(columns, touch, d, rows)
            if (pull > 0.0 and bounds[d, 1] <= 1e-12) or (pull < 0.0 and bounds[d, 0] >= -1e-12):
                free[d] = 0.0
        if weight[d] <= 0.0:
            free[d] = 0.0
    for _ in range(MAX_PASSES):
        if size <= count:
            row_matrix(columns, touch, weight, free, damping, a)
            if not cholesky(a, size):
                return False
            cholesky_solve(a, size, left, y)
        else:
            freedom_matrix(columns, weight, free, damping, a)
            if not cholesky(a, count):
                return False
            for d in range(count):
                y[d] = _dot_row(columns, touch, d, left) if free[d] != 0.0 else 0.0
            cholesky_solve(a, count, y, y)
        locked = False
        for d in range(count):
            if free[d] == 0.0:
                continue
            value = weight[d] * _dot_row(columns, touch, d, y) if size <= count else y[d]
            low, high = bounds[d, 0], bounds[d, 1]
            if value < low or value > high:
                value = low if value < low else high
                free[d] = 0.0
                locked = True
                for r in range(size):
                    left[r] -= columns[d, r] * value
            delta[d] = value
        if not locked:
            return True
    return True
