"""Small dense linear algebra for kernels: no BLAS, no allocation."""

from supple.kernels.cache import kernel


@kernel
def factor(a, n, out):
    """L D L^T of the leading n x n of a symmetric matrix, read from its lower triangle.

    False if not positive definite.

    `out` gets L below its diagonal and 1/D on it. `a` and `out` may be the same array.
    """
    for j in range(n):
        d = a[j, j]
        for k in range(j):
            # out[k, k] is 1/D: L^2 D needs D back, so the product L D stands above the diagonal meanwhile.
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
