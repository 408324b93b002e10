"""Singular values and vectors of a Jacobian, from the eigenvectors of its smaller side.

The Jacobian is given as `columns`, shape (D, R), a row for each freedom, multiplied by its `gain`
(0 for a freedom that may not move). Its left vectors u live among the R rows, its right vectors v
among the D freedoms, and J is the sum of sigma_i u_i v_i^T. The smaller of J J^T and J^T J is
diagonalised by Jacobi's rotations, which are exact to rounding and need no care for repeated or
zero values; the vectors of the other side follow from it. Values below 1e-8 of the largest are
noise, because that matrix holds squares.
"""

import math

from supple.kernels.cache import kernel

SWEEPS = 40
TINY = 1e-16


@kernel
def diagonalise(a, basis, n):
    """Make the leading n x n of a symmetric matrix diagonal, in place.

    basis[i] is the unit vector of the value a[i, i].
    """
    for i in range(n):
        for j in range(n):
            basis[i, j] = 0.0
        basis[i, i] = 1.0
    for _ in range(SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                apq = a[p, q]
                # Against the geometric mean, so that small values are found to their own precision.
                if apq * apq <= TINY * TINY * abs(a[p, p] * a[q, q]) or apq == 0.0:
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
