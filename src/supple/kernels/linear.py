"""Small dense linear algebra for kernels: no BLAS, no allocation."""

import math

from supple.kernels.cache import kernel


@kernel
def cholesky(a, n):
    """Factor the leading n x n of a symmetric matrix in place into its lower triangle; False if not positive definite."""
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= a[j, k] * a[j, k]
        if not s > 0.0:
            return False
        d = math.sqrt(s)
        a[j, j] = d
        inverse = 1.0 / d
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s * inverse
    return True


@kernel
def cholesky_solve(a, n, b, x):
    """Solve with the factor of `cholesky`; b and x may be the same array."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= a[i, k] * x[k]
        x[i] = s / a[i, i]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= a[k, i] * x[k]
        x[i] = s / a[i, i]
