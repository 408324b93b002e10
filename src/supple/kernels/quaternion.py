"""Vectors and quaternions inside kernels: small tuples, scalar arithmetic, nothing allocated.

A vector is (x, y, z), a quaternion is (w, x, y, z). `load` and `store` move them between tuples and
rows of an array.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.trigonometry import sine_cosine

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@kernel
def load3(rows, i, c):
    """The vector in columns c.. of row i."""
    return (rows[i, c], rows[i, c + 1], rows[i, c + 2])


@kernel
def load4(rows, i, c):
    """The quaternion in columns c.. of row i."""
    return (rows[i, c], rows[i, c + 1], rows[i, c + 2], rows[i, c + 3])


@kernel
def store3(rows, i, c, v):
    """Put a vector into columns c.. of row i."""
    rows[i, c] = v[0]
    rows[i, c + 1] = v[1]
    rows[i, c + 2] = v[2]


@kernel
def store4(rows, i, c, q):
    """Put a quaternion into columns c.. of row i."""
    rows[i, c] = q[0]
    rows[i, c + 1] = q[1]
    rows[i, c + 2] = q[2]
    rows[i, c + 3] = q[3]


@kernel
def take3(flat, i):
    """The vector at i.. of a flat array."""
    return (flat[i], flat[i + 1], flat[i + 2])


@kernel
def put3(flat, i, v):
    """Put a vector at i.. of a flat array."""
    flat[i], flat[i + 1], flat[i + 2] = v


@kernel
def take4(flat, i):
    """The quaternion at i.. of a flat array."""
    return (flat[i], flat[i + 1], flat[i + 2], flat[i + 3])


@kernel
def put4(flat, i, q):
    """Put a quaternion at i.. of a flat array."""
    flat[i] = q[0]
    flat[i + 1] = q[1]
    flat[i + 2] = q[2]
    flat[i + 3] = q[3]


@kernel
def add(a, b):
    """A + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """A - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, s):
    """A * s."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def axpy(a, s, b):
    """A + s * b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def dot(a, b):
    """The inner product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """The cross product of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a):
    """The length of a vector, safe for very large and very small ones."""
    m = max(abs(a[0]), abs(a[1]), abs(a[2]))
    if m == 0.0 or not math.isfinite(m):
        return m
    if 1e-100 < m < 1e100:
        return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    x, y, z = a[0] / m, a[1] / m, a[2] / m
    return m * math.sqrt(x * x + y * y + z * z)


@kernel
def unit(a):
    """The direction of a vector; a zero vector stays zero."""
    n = norm(a)
    if n == 0.0:
        return a
    return (a[0] / n, a[1] / n, a[2] / n)


@kernel
def perpendicular(a):
    """A unit vector at right angles to the unit vector a, always the same one."""
    x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
    if z <= x and z <= y:
        return unit((-a[1], a[0], 0.0))
    if y <= x:
        return unit((a[2], 0.0, -a[0]))
    return unit((0.0, -a[2], a[1]))


@kernel
def conj(q):
    """The inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def mul(a, b):
    """The product a b: first b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def normalized(q):
    """The quaternion scaled to length one."""
    f = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * f, q[1] * f, q[2] * f, q[3] * f)


@kernel
def tidied(q):
    """An almost unit quaternion brought back to length one.

    A Newton step of 1/sqrt, without the root.
    """
    f = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * f, q[1] * f, q[2] * f, q[3] * f)


@kernel
def rotate(q, v):
    """The vector v turned by the unit quaternion q."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@kernel
def unrotate(q, v):
    """The vector v turned back by the unit quaternion q."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@kernel
def about(axis, angle):
    """The turn by an angle about a unit axis."""
    s, c = sine_cosine(0.5 * angle)
    return (c, axis[0] * s, axis[1] * s, axis[2] * s)


@kernel
def exp(v):
    """The turn of a rotation vector."""
    angle2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if angle2 < 1e-8:
        # Taylor of sin(a/2)/a and cos(a/2); the next terms are below 1e-19.
        s = 0.5 - angle2 / 48.0
        return tidied((1.0 - angle2 / 8.0, v[0] * s, v[1] * s, v[2] * s))
    angle = math.sqrt(angle2)
    s, c = sine_cosine(0.5 * angle)
    s /= angle
    return (c, v[0] * s, v[1] * s, v[2] * s)


@kernel
def log(q):
    """The rotation vector of a turn, the short way round."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    if s < 1e-12:
        return (2.0 * x, 2.0 * y, 2.0 * z)
    f = 2.0 * math.atan2(s, w) / s
    return (x * f, y * f, z * f)


@kernel
def between(a, b):
    """The least turn that takes the direction of a to that of b.

    A half turn about `perpendicular(a)` if they oppose.

    Either vector may have any length; if one has none the turn is the identity.
    """
    u = unit(a)
    v = unit(b)
    c = cross(u, v)
    w = 1.0 + dot(u, v)
    s2 = dot(c, c)
    if s2 == 0.0 and (w > 1.0 or dot(u, u) == 0.0 or dot(v, v) == 0.0):
        return (1.0, 0.0, 0.0, 0.0)
    if w < 1e-6:
        # Nearly opposite: 1 + cos is all rounding there, so take the angle from the sine instead.
        s = math.sqrt(s2)
        if s < 1e-14:
            p = perpendicular(u)
            return (0.0, p[0], p[1], p[2])
        half = 0.5 * math.atan2(s, dot(u, v))
        f = math.sin(half) / s
        return (math.cos(half), c[0] * f, c[1] * f, c[2] * f)
    return normalized((w, c[0], c[1], c[2]))


@kernel
def letter_axis(code):
    """The unit vector of an axis letter: x = 0, y = 1, z = 2."""
    if code == 0:
        return (1.0, 0.0, 0.0)
    if code == 1:
        return (0.0, 1.0, 0.0)
    return (0.0, 0.0, 1.0)


@kernel
def turn_about_letter(code, angle):
    """The turn by an angle about the axis letter."""
    s, c = sine_cosine(0.5 * angle)
    if code == 0:
        return (c, s, 0.0, 0.0)
    if code == 1:
        return (c, 0.0, s, 0.0)
    return (c, 0.0, 0.0, s)
