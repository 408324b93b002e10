"""Small dense linear algebra for kernels: no BLAS, no allocation.

L D L^T factors of a symmetric matrix; systems of three and six unknowns without loops, for the normal
equations of a position and of a pose; and the singular value decomposition of a Jacobian.
"""

import math

from supple.kernels.decorators import kernel

# Factors ------------------------------------------------------------------------------------------


@kernel
def factor(a, n, out):
    """L D L^T of the leading n x n of a symmetric matrix, read from its lower triangle.

    False if not positive definite.

    `out` gets L below its diagonal and 1/D on it. `a` and `out` may be the same array.
    """
    for j in range(n):
        d = a[j, j]
        for k in range(j):
            # out[k, k] is 1/D, and L^2 D needs D: until then the product L D is kept above the diagonal.
            d -= out[j, k] * out[k, j]
        if not d > 0.0:
            return False
        inverse = 1.0 / d
        out[j, j] = inverse
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= out[i, k] * out[k, j]
            out[j, i] = s
            out[i, j] = s * inverse
    return True


@kernel
def solve_factored(a, n, b, x):
    """Solve with the factors of `factor`; b and x may be the same array."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= a[i, k] * x[k]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i] * a[i, i]
        for k in range(i + 1, n):
            s -= a[k, i] * x[k]
        x[i] = s


# Systems of three and of six ----------------------------------------------------------------------
#
# No loops, no arrays. A matrix is the tuple of its lower triangle, row by row: 6 floats, or 21.


@kernel
def outer_sum_of_three(rows, first, weight_column, count):
    """The sum over `count` rows of weight * v v^T, v the three floats from column `first` on, and its trace."""
    a00 = a10 = a11 = a20 = a21 = a22 = 0.0
    for k in range(count):
        w = rows[k, weight_column]
        v0 = rows[k, first]
        v1 = rows[k, first + 1]
        v2 = rows[k, first + 2]
        x = w * v0
        a00 += x * v0
        x = w * v1
        a10 += x * v0
        a11 += x * v1
        x = w * v2
        a20 += x * v0
        a21 += x * v1
        a22 += x * v2
    a = (
        a00, a10, a11, a20, a21, a22,
    )  # fmt: skip
    return a, a00 + a11 + a22


@kernel
def solve_three(a, damping, b):
    """The solution x of (a + damping I) x = b for positive definite a: L D L^T, written out.

    Returns x, and whether the matrix was positive definite.
    """
    (
        a00, a10, a11, a20, a21, a22,
    ) = a  # fmt: skip
    d0 = a00 + damping
    r0 = 1.0 / d0
    u10 = a10
    l10 = u10 * r0
    u20 = a20
    l20 = u20 * r0
    d1 = a11 + damping - l10 * u10
    r1 = 1.0 / d1
    u21 = a21 - l20 * u10
    l21 = u21 * r1
    d2 = a22 + damping - l20 * u20 - l21 * u21
    r2 = 1.0 / d2
    y0 = b[0]
    y1 = b[1] - l10 * y0
    y2 = b[2] - l20 * y0 - l21 * y1
    x2 = y2 * r2
    x1 = y1 * r1 - l21 * x2
    x0 = y0 * r0 - l10 * x1 - l20 * x2
    fine = d0 > 0.0 and d1 > 0.0 and d2 > 0.0
    return (x0, x1, x2), fine


@kernel
def outer_sum_of_six(rows, first, weight_column, count):
    """The sum over `count` rows of weight * v v^T, v the six floats from column `first` on, and its trace."""
    a00 = a10 = a11 = a20 = a21 = a22 = a30 = a31 = a32 = 0.0
    a33 = a40 = a41 = a42 = a43 = a44 = a50 = a51 = a52 = 0.0
    a53 = a54 = a55 = 0.0
    for k in range(count):
        w = rows[k, weight_column]
        v0 = rows[k, first]
        v1 = rows[k, first + 1]
        v2 = rows[k, first + 2]
        v3 = rows[k, first + 3]
        v4 = rows[k, first + 4]
        v5 = rows[k, first + 5]
        x = w * v0
        a00 += x * v0
        x = w * v1
        a10 += x * v0
        a11 += x * v1
        x = w * v2
        a20 += x * v0
        a21 += x * v1
        a22 += x * v2
        x = w * v3
        a30 += x * v0
        a31 += x * v1
        a32 += x * v2
        a33 += x * v3
        x = w * v4
        a40 += x * v0
        a41 += x * v1
        a42 += x * v2
        a43 += x * v3
        a44 += x * v4
        x = w * v5
        a50 += x * v0
        a51 += x * v1
        a52 += x * v2
        a53 += x * v3
        a54 += x * v4
        a55 += x * v5
    a = (
        a00, a10, a11, a20, a21, a22, a30,
        a31, a32, a33, a40, a41, a42, a43,
        a44, a50, a51, a52, a53, a54, a55,
    )  # fmt: skip
    return a, a00 + a11 + a22 + a33 + a44 + a55


@kernel
def solve_six(a, damping, b):
    """The solution x of (a + damping I) x = b for positive definite a: L D L^T, written out.

    Returns x, and whether the matrix was positive definite.
    """
    (
        a00, a10, a11, a20, a21, a22, a30,
        a31, a32, a33, a40, a41, a42, a43,
        a44, a50, a51, a52, a53, a54, a55,
    ) = a  # fmt: skip
    d0 = a00 + damping
    r0 = 1.0 / d0
    u10 = a10
    l10 = u10 * r0
    u20 = a20
    l20 = u20 * r0
    u30 = a30
    l30 = u30 * r0
    u40 = a40
    l40 = u40 * r0
    u50 = a50
    l50 = u50 * r0
    d1 = a11 + damping - l10 * u10
    r1 = 1.0 / d1
    u21 = a21 - l20 * u10
    l21 = u21 * r1
    u31 = a31 - l30 * u10
    l31 = u31 * r1
    u41 = a41 - l40 * u10
    l41 = u41 * r1
    u51 = a51 - l50 * u10
    l51 = u51 * r1
    d2 = a22 + damping - l20 * u20 - l21 * u21
    r2 = 1.0 / d2
    u32 = a32 - l30 * u20 - l31 * u21
    l32 = u32 * r2
    u42 = a42 - l40 * u20 - l41 * u21
    l42 = u42 * r2
    u52 = a52 - l50 * u20 - l51 * u21
    l52 = u52 * r2
    d3 = a33 + damping - l30 * u30 - l31 * u31 - l32 * u32
    r3 = 1.0 / d3
    u43 = a43 - l40 * u30 - l41 * u31 - l42 * u32
    l43 = u43 * r3
    u53 = a53 - l50 * u30 - l51 * u31 - l52 * u32
    l53 = u53 * r3
    d4 = a44 + damping - l40 * u40 - l41 * u41 - l42 * u42 - l43 * u43
    r4 = 1.0 / d4
    u54 = a54 - l50 * u40 - l51 * u41 - l52 * u42 - l53 * u43
    l54 = u54 * r4
    d5 = a55 + damping - l50 * u50 - l51 * u51 - l52 * u52 - l53 * u53 - l54 * u54
    r5 = 1.0 / d5
    y0 = b[0]
    y1 = b[1] - l10 * y0
    y2 = b[2] - l20 * y0 - l21 * y1
    y3 = b[3] - l30 * y0 - l31 * y1 - l32 * y2
    y4 = b[4] - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3
    y5 = b[5] - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4
    x5 = y5 * r5
    x4 = y4 * r4 - l54 * x5
    x3 = y3 * r3 - l43 * x4 - l53 * x5
    x2 = y2 * r2 - l32 * x3 - l42 * x4 - l52 * x5
    x1 = y1 * r1 - l21 * x2 - l31 * x3 - l41 * x4 - l51 * x5
    x0 = y0 * r0 - l10 * x1 - l20 * x2 - l30 * x3 - l40 * x4 - l50 * x5
    fine = d0 > 0.0 and d1 > 0.0 and d2 > 0.0 and d3 > 0.0 and d4 > 0.0 and d5 > 0.0
    return (x0, x1, x2, x3, x4, x5), fine


@kernel
def solve_spd3(system, v):
    """The solution of a symmetric positive definite system of three."""
    xx, xy, xz, yy, yz, zz = system
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    scale_ = 1.0 / (xx * a + xy * b + xz * c)
    return (
        scale_ * (a * v[0] + b * v[1] + c * v[2]),
        scale_ * (b * v[0] + d * v[1] + e * v[2]),
        scale_ * (c * v[0] + e * v[1] + f * v[2]),
    )


# Singular values ----------------------------------------------------------------------------------
#
# The Jacobian is given as `columns`, shape (D, R), with a row for each freedom, multiplied by its `gain` (0 for a
# freedom that may not move). Its left vectors u have shape (R,), its right vectors v shape (D,), and J is the sum of
# sigma_i u_i v_i^T. The smaller of J J^T and J^T J is diagonalised by Jacobi rotations, which are exact to rounding
# and handle repeated and zero values; the vectors of the other side follow. Values below 1e-8 of the largest are
# noise, because that matrix holds squares.

JACOBI_SWEEPS = 40  # over all pairs, at most; not tuned
# An entry below this part of its diagonal entries' geometric mean is rounding.
JACOBI_ROUNDING = 1e-16


@kernel
def diagonalise(a, basis, n):
    """Make the leading n x n of a symmetric matrix diagonal, in place.

    basis[i] is the unit vector of the value a[i, i].
    """
    for i in range(n):
        for j in range(n):
            basis[i, j] = 0.0
        basis[i, i] = 1.0
    for _ in range(JACOBI_SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                apq = a[p, q]
                # Against the geometric mean, so that small values are found to their own precision.
                if (
                    apq * apq <= JACOBI_ROUNDING * JACOBI_ROUNDING * abs(a[p, p] * a[q, q])
                    or apq == 0.0
                ):
                    continue
                turned = True
                theta = (a[q, q] - a[p, p]) / (2.0 * apq)
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                a[p, p] -= t * apq
                a[q, q] += t * apq
                a[p, q] = 0.0
                a[q, p] = 0.0
                for k in range(n):
                    if k != p and k != q:
                        x, y = a[k, p], a[k, q]
                        a[k, p] = c * x - s * y
                        a[k, q] = s * x + c * y
                        a[p, k] = a[k, p]
                        a[q, k] = a[k, q]
                    x, y = basis[p, k], basis[q, k]
                    basis[p, k] = c * x - s * y
                    basis[q, k] = s * x + c * y
        if not turned:
            return


@kernel
def decompose(columns, gain, a, basis):
    """Diagonalise the smaller side into a and basis, both square, of that side.

    Returns the largest singular value.
    """
    count, size = columns.shape
    n = min(count, size)
    if size <= count:
        for i in range(n):
            for j in range(n):
                a[i, j] = 0.0
        for d in range(count):
            square = gain[d] * gain[d]
            if square == 0.0:
                continue
            for i in range(size):
                x = square * columns[d, i]
                if x != 0.0:
                    for j in range(i + 1):
                        a[i, j] += x * columns[d, j]
    else:
        for i in range(n):
            for j in range(i + 1):
                s = 0.0
                for r in range(size):
                    s += columns[i, r] * columns[j, r]
                a[i, j] = gain[i] * gain[j] * s
    for i in range(n):
        for j in range(i):
            a[j, i] = a[i, j]
    diagonalise(a, basis, n)
    largest = 0.0
    for i in range(n):
        largest = max(largest, a[i, i])
    return math.sqrt(largest)


@kernel
def singular(columns, gain, basis, i, u, v):
    """Fill the unit vectors u, shape (R,), and v, shape (D,), of singular value i; returns it.

    Where it is 0 the vector of the larger side is 0, too.
    """
    count, size = columns.shape
    square = 0.0
    if size <= count:
        for r in range(size):
            u[r] = basis[i, r]
        for d in range(count):
            s = 0.0
            for r in range(size):
                s += columns[d, r] * u[r]
            v[d] = gain[d] * s
            square += v[d] * v[d]
    else:
        for r in range(size):
            u[r] = 0.0
        for d in range(count):
            v[d] = basis[i, d]
            for r in range(size):
                u[r] += gain[d] * v[d] * columns[d, r]
        for r in range(size):
            square += u[r] * u[r]
    sigma = math.sqrt(square)
    if sigma == 0.0:
        return 0.0
    derived = v if size <= count else u
    for d in range(derived.shape[0]):
        derived[d] /= sigma
    return sigma
