"""Symmetric positive definite systems of blocks in a band: the normal equations of a clip.

The diagonal has one block per frame, of D freedoms. The blocks that couple a frame to the two before it are
diagonal: `first` and `second`, shape (F, D), whose row f couples frame f with f - 1 and f - 2. The
factorization is Cholesky's, block by block (Golub and Van Loan 2013, "Matrix Computations", section 4.5):

    U_f^T U_f = A_f - P_f^T P_f - Q_f^T Q_f
    Q_f = U_(f-2)^-T diag(second_f)
    P_f = U_(f-1)^-T (diag(first_f) - P_(f-1)^T Q_f)

U is upper and Q lower triangular. A frame costs 2 D^3 multiplications with both bands, D^3 / 6 with none. Every
inner loop adds multiples of four rows to another row, which the compiler vectorizes without reordering sums.

The matrices of all frames are stacked, shape (F D, D).
"""

import math
from typing import Any, NamedTuple

from supple.kernels.decorators import kernel, leaf
from supple.kernels.workspace import matrix, part, row_at

NO_BAND, ONE_BAND, TWO_BANDS = range(3)


class Bands(NamedTuple):
    """The factors of a system, and its couplings."""

    upper: (
        Any  # (F D, D) A, upper triangles; `factor_bands` leaves U, with 1 / U_kk on the diagonal
    )
    near: Any  # (F D, D) P
    far: Any  # (F D, D) Q
    first: Any  # (F, D)
    second: Any  # (F, D)


@leaf
def take_bands(frames, size, bands, work):
    """Buffers for systems of up to that many frames with that many bands."""
    near, far = frames if bands >= ONE_BAND else 0, frames if bands >= TWO_BANDS else 0
    return Bands(
        matrix(work, frames * size, size),
        matrix(work, near * size, size),
        matrix(work, far * size, size),
        matrix(work, frames, size),
        matrix(work, frames, size),
    )


# Rows are views that begin where a loop begins, so that the compiler sees indices that are never negative.


@leaf
def _subtract(target, at, low, high, rows, row, factors, factor, column, count):
    """Subtract from row `at` of the target, columns low..high-1, `count` rows from `row` on.

    Each is multiplied by its entry in a column of `factors`, from row `factor` on.
    """
    width, k = high - low, 0
    out = part(row_at(target, at), low, width)
    while k + 4 <= count:
        r, c = row + k, factor + k
        x, y = factors[c, column], factors[c + 1, column]
        z, w = factors[c + 2, column], factors[c + 3, column]
        p, q = part(row_at(rows, r), low, width), part(row_at(rows, r + 1), low, width)
        u, v = part(row_at(rows, r + 2), low, width), part(row_at(rows, r + 3), low, width)
        for j in range(width):
            out[j] -= (x * p[j] + y * q[j]) + (z * u[j] + w * v[j])
        k += 4
    while k < count:
        x = factors[factor + k, column]
        p = part(row_at(rows, row + k), low, width)
        for j in range(width):
            out[j] -= x * p[j]
        k += 1


@leaf
def _subtract_four(target, at, low, high, rows, row, factors, factor, column, count):
    """`_subtract` for four rows of the target from `at` on, with four columns of factors from `column` on.

    Rows are read once for all four.
    """
    width, k = high - low, 0
    p, q = part(row_at(target, at), low, width), part(row_at(target, at + 1), low, width)
    u, v = part(row_at(target, at + 2), low, width), part(row_at(target, at + 3), low, width)
    while k + 2 <= count:
        r, c = row + k, factor + k
        x0, y0 = factors[c, column], factors[c + 1, column]
        x1, y1 = factors[c, column + 1], factors[c + 1, column + 1]
        x2, y2 = factors[c, column + 2], factors[c + 1, column + 2]
        x3, y3 = factors[c, column + 3], factors[c + 1, column + 3]
        one, other = part(row_at(rows, r), low, width), part(row_at(rows, r + 1), low, width)
        for j in range(width):
            a, b = one[j], other[j]
            p[j] -= x0 * a + y0 * b
            q[j] -= x1 * a + y1 * b
            u[j] -= x2 * a + y2 * b
            v[j] -= x3 * a + y3 * b
        k += 2
    if k < count:
        for n in range(4):
            _subtract(target, at + n, low, high, rows, row + k, factors, factor + k, column + n, 1)


@leaf
def _subtract_from(target, at, some, low, high, rows, row, factors, factor, column, count):
    """`_subtract` for up to four rows of the target."""
    if some == 4:
        _subtract_four(target, at, low, high, rows, row, factors, factor, column, count)
    else:
        for n in range(some):
            _subtract(target, at + n, low, high, rows, row, factors, factor, column + n, count)


@leaf
def _substitute(x, here, upper, there, first, some, size):
    """Compute rows first..first+some-1 of U^-T x in place; the rows before are done."""
    _subtract_from(x, here + first, some, 0, size, x, here, upper, there, first, first)
    for k in range(first, first + some):
        _subtract(x, here + k, 0, size, x, here + first, upper, there + first, k, k - first)
        inverse = upper[there + k, k]
        for j in range(size):
            x[here + k, j] *= inverse


@kernel
def _factor_far(bands, f, size):
    """Q of frame f, lower triangular."""
    far, here, there = bands.far, f * size, (f - 2) * size
    for first in range(0, size, 4):
        some = min(4, size - first)
        for k in range(first, first + some):
            for j in range(size):
                far[here + k, j] = 0.0
            far[here + k, k] = bands.second[f, k]
        _substitute_lower(far, here, bands.upper, there, first, some)


@leaf
def _substitute_lower(x, here, upper, there, first, some):
    """`_substitute` for a lower triangular x."""
    _subtract_from(x, here + first, some, 0, first, x, here, upper, there, first, first)
    for k in range(first, first + some):
        _subtract(x, here + k, 0, k, x, here + first, upper, there + first, k, k - first)
        inverse = upper[there + k, k]
        for j in range(k + 1):
            x[here + k, j] *= inverse


@kernel
def _factor_near(bands, f, size, with_far):
    """P of frame f."""
    upper, near, far = bands.upper, bands.near, bands.far
    here, there = f * size, (f - 1) * size
    for first in range(0, size, 4):
        some = min(4, size - first)
        for k in range(first, first + some):
            for j in range(size):
                near[here + k, j] = 0.0
            near[here + k, k] = bands.first[f, k]
        # Row m of Q ends at its diagonal: a few rows at a time, up to the end of the last.
        for m in range(0, size if with_far else 0, 4):
            few = min(4, size - m)
            _subtract_from(
                near, here + first, some, 0, m + few, far, here + m, near, there + m, first, few
            )
        _substitute(near, here, upper, there, first, some, size)


@kernel
def factor_bands(bands, frames, size, count):
    """Factor a system in place.

    Args:
        bands: With A in `upper`, and the couplings.
        frames: How many.
        size: Freedoms of a frame.
        count: How many bands: NO_BAND, ONE_BAND or TWO_BANDS. The others are ignored.

    Returns:
        False if the system is not positive definite.
    """
    upper, near, far = bands.upper, bands.near, bands.far
    for f in range(frames):
        here = f * size
        with_near, with_far = count >= ONE_BAND and f >= 1, count >= TWO_BANDS and f >= 2
        if with_far:
            _factor_far(bands, f, size)
        if with_near:
            _factor_near(bands, f, size, with_far)
        for first in range(0, size, 4):
            # This also changes entries below the diagonal, which are never read.
            some, row = min(4, size - first), here + first
            if with_near:
                _subtract_from(upper, row, some, first, size, near, here, near, here, first, size)
            if with_far:
                left = size - first
                _subtract_from(upper, row, some, first, size, far, row, far, row, first, left)
            _subtract_from(upper, row, some, first, size, upper, here, upper, here, first, first)
            for i in range(first, first + some):
                _subtract(upper, here + i, i, size, upper, row, upper, row, i, i - first)
                square = upper[here + i, i]
                if not square > 0.0:
                    return False
                inverse = 1.0 / math.sqrt(square)
                upper[here + i, i] = inverse
                for j in range(i + 1, size):
                    upper[here + i, j] *= inverse
    return True


@leaf
def _subtract_rows(out, rows, row, y, count):
    """Subtract from out, shape (D,), `count` rows from `row` on, each multiplied by its entry of y."""
    k = 0
    while k + 4 <= count:
        x, z, w, t = y[k], y[k + 1], y[k + 2], y[k + 3]
        p, q = row_at(rows, row + k), row_at(rows, row + k + 1)
        u, v = row_at(rows, row + k + 2), row_at(rows, row + k + 3)
        for j in range(out.shape[0]):
            out[j] -= (x * p[j] + z * q[j]) + (w * u[j] + t * v[j])
        k += 4
    while k < count:
        x, p = y[k], row_at(rows, row + k)
        for j in range(out.shape[0]):
            out[j] -= x * p[j]
        k += 1


@leaf
def row_product(a, b):
    """The dot product of a with the first entries of b, as four independent sums."""
    w = x = y = z = 0.0
    count, j = a.shape[0], 0
    while j + 4 <= count:
        w += a[j] * b[j]
        x += a[j + 1] * b[j + 1]
        y += a[j + 2] * b[j + 2]
        z += a[j + 3] * b[j + 3]
        j += 4
    while j < count:
        w += a[j] * b[j]
        j += 1
    return (w + x) + (y + z)


@kernel
def solve_bands(bands, frames, size, count, x):
    """Solve with the factors of `factor_bands`; x, shape (F, D), holds the right side and becomes the solution."""
    upper, near, far = bands.upper, bands.near, bands.far
    for f in range(frames):
        here, out = f * size, row_at(x, f)
        if count >= ONE_BAND and f >= 1:
            _subtract_rows(out, near, here, row_at(x, f - 1), size)
        if count >= TWO_BANDS and f >= 2:
            _subtract_rows(out, far, here, row_at(x, f - 2), size)
        for k in range(size):
            row, rest = row_at(upper, here + k), size - k - 1
            y = out[k] * row[k]
            out[k] = y
            left, across = part(out, k + 1, rest), part(row, k + 1, rest)
            for j in range(rest):
                left[j] -= y * across[j]
    for f in range(frames - 1, -1, -1):
        here, after, next_after = f * size, (f + 1) * size, (f + 2) * size
        out = row_at(x, f)
        for n in range(size):
            k = size - 1 - n
            row, s = row_at(upper, here + k), out[k]
            if count >= ONE_BAND and f + 1 < frames:
                s -= row_product(row_at(near, after + k), row_at(x, f + 1))
            if count >= TWO_BANDS and f + 2 < frames:
                s -= row_product(part(row_at(far, next_after + k), 0, k + 1), row_at(x, f + 2))
            s -= row_product(part(row, k + 1, n), part(out, k + 1, n))
            out[k] = s * row[k]
