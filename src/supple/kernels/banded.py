"""Symmetric positive definite systems of blocks in a band: the normal equations of a clip.

One block a frame, of D freedoms, stands on the diagonal. What ties a frame to the one before it, and to the one
before that, is diagonal: `first` and `second`, shape (F, D), whose row f couples frame f with f - 1 and f - 2. The
factors are those of Cholesky, block by block (Golub and Van Loan 2013, "Matrix Computations", section 4.5):

    U_f^T U_f = A_f - P_f^T P_f - Q_f^T Q_f
    Q_f = U_(f-2)^-T diag(second_f)
    P_f = U_(f-1)^-T (diag(first_f) - P_(f-1)^T Q_f)

U is upper and Q lower triangular. A frame costs 2 D^3 multiplications with both bands, D^3 / 6 with none. Every
inner loop adds a multiple of a row to another, four of them at a time, which the compiler turns into vector
instructions without being allowed to reorder sums.

Matrices of all frames stand below each other, shape (F D, D).
"""

import math
from typing import Any, NamedTuple

from supple.kernels.decorators import kernel, leaf
from supple.kernels.workspace import matrix

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


@leaf
def _subtract(target, at, low, high, rows, row, factors, factor, column, count):
    """Subtract from row `at` of the target, columns low..high-1, `count` rows from `row` on.

    Each is multiplied by its number in a column of `factors`, from row `factor` on.
    """
    k = 0
    while k + 4 <= count:
        r, c = row + k, factor + k
        x, y = factors[c, column], factors[c + 1, column]
        z, w = factors[c + 2, column], factors[c + 3, column]
        for j in range(low, high):
            target[at, j] -= (x * rows[r, j] + y * rows[r + 1, j]) + (
                z * rows[r + 2, j] + w * rows[r + 3, j]
            )
        k += 4
    while k < count:
        x = factors[factor + k, column]
        for j in range(low, high):
            target[at, j] -= x * rows[row + k, j]
        k += 1


@kernel
def _factor_far(bands, f, size):
    """Q of frame f."""
    upper, far = bands.upper, bands.far
    here, there = f * size, (f - 2) * size
    for k in range(size):
        for j in range(size):
            far[here + k, j] = 0.0
        far[here + k, k] = bands.second[f, k]
        _subtract(far, here + k, 0, k, far, here, upper, there, k, k)
        inverse = upper[there + k, k]
        for j in range(k + 1):
            far[here + k, j] *= inverse


@kernel
def _factor_near(bands, f, size, with_far):
    """P of frame f."""
    upper, near, far = bands.upper, bands.near, bands.far
    here, there = f * size, (f - 1) * size
    for k in range(size):
        for j in range(size):
            near[here + k, j] = 0.0
        near[here + k, k] = bands.first[f, k]
        if with_far:
            # Row m of Q ends at its diagonal: four rows at a time, as far as they go.
            for m in range(0, size, 4):
                few = min(4, size - m)
                _subtract(near, here + k, 0, m + few, far, here + m, near, there + m, k, few)
        _subtract(near, here + k, 0, size, near, here, upper, there, k, k)
        inverse = upper[there + k, k]
        for j in range(size):
            near[here + k, j] *= inverse


@kernel
def factor_bands(bands, frames, size, count):
    """Factor a system of that many frames, in place.

    Args:
        bands: With A in `upper`, and the couplings.
        frames: How many.
        size: Freedoms of a frame.
        count: How many bands: NO_BAND, ONE_BAND or TWO_BANDS. Those left out are not looked at.

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
        for i in range(size):
            row = here + i
            if with_near:
                _subtract(upper, row, i, size, near, here, near, here, i, size)
            if with_far:
                _subtract(upper, row, i, size, far, row, far, row, i, size - i)
            _subtract(upper, row, i, size, upper, here, upper, here, i, i)
            square = upper[row, i]
            if not square > 0.0:
                return False
            inverse = 1.0 / math.sqrt(square)
            upper[row, i] = inverse
            for j in range(i + 1, size):
                upper[row, j] *= inverse
    return True


@leaf
def _row_product(rows, row, low, high, x, at):
    """The product of a row of a matrix, columns low..high-1, with row `at` of x."""
    a = b = c = d = 0.0
    j = low
    while j + 4 <= high:
        a += rows[row, j] * x[at, j]
        b += rows[row, j + 1] * x[at, j + 1]
        c += rows[row, j + 2] * x[at, j + 2]
        d += rows[row, j + 3] * x[at, j + 3]
        j += 4
    while j < high:
        a += rows[row, j] * x[at, j]
        j += 1
    return (a + b) + (c + d)


@kernel
def solve_bands(bands, frames, size, count, x):
    """Solve with the factors of `factor_bands`; x, shape (F, D), holds the right side and becomes the solution."""
    upper, near, far = bands.upper, bands.near, bands.far
    for f in range(frames):
        here = f * size
        for k in range(size):
            if count >= ONE_BAND and f >= 1:
                y = x[f - 1, k]
                for j in range(size):
                    x[f, j] -= y * near[here + k, j]
            if count >= TWO_BANDS and f >= 2:
                y = x[f - 2, k]
                for j in range(k + 1):
                    x[f, j] -= y * far[here + k, j]
        for k in range(size):
            y = x[f, k] * upper[here + k, k]
            x[f, k] = y
            for j in range(k + 1, size):
                x[f, j] -= y * upper[here + k, j]
    for f in range(frames - 1, -1, -1):
        here, after, next_after = f * size, (f + 1) * size, (f + 2) * size
        for n in range(size):
            k = size - 1 - n
            s = x[f, k]
            if count >= ONE_BAND and f + 1 < frames:
                s -= _row_product(near, after + k, 0, size, x, f + 1)
            if count >= TWO_BANDS and f + 2 < frames:
                s -= _row_product(far, next_after + k, 0, k + 1, x, f + 2)
            s -= _row_product(upper, here + k, k + 1, size, x, f)
            x[f, k] = s * upper[here + k, k]
