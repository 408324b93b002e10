"""Rotations inside kernels: vectors and quaternions, Euler angles, 4x4 frames.

Small tuples and scalar arithmetic, without allocation. A vector is (x, y, z), a quaternion is
(w, x, y, z). `load3`, `store3` and the like move them between tuples and rows of an array.
"""

import math

from supple.kernels.decorators import entry, kernel

# Sine and cosine ----------------------------------------------------------------------------------
#
# Computed together, several times faster than two calls of the C library.

# A quarter turn as a sum of three, the first two of 33 bits: their products with small integers are exact.
QUARTER_1 = 1.570796326734125614
QUARTER_2 = 6.077100506303966e-11
QUARTER_3 = 2.0222662487959506e-21
QUARTERS_PER_RADIAN = 2.0 / math.pi
LARGEST_EXACT_ANGLE = 1e5  # beyond this the products are no longer exact [rad]; rounding


@kernel
def sine_cosine(x):
    """The sine and the cosine of an angle [rad], each within 1e-15."""
    if not abs(x) < LARGEST_EXACT_ANGLE:
        return math.sin(x), math.cos(x)
    turns = math.floor(x * QUARTERS_PER_RADIAN + 0.5)
    r = ((x - turns * QUARTER_1) - turns * QUARTER_2) - turns * QUARTER_3
    # Taylor series: within an eighth of a turn to both sides the remainder is below 1e-16.
    z = r * r
    s = 1.0 / 6227020800.0 - z / 1307674368000.0
    s = -1.0 / 39916800.0 + z * s
    s = 1.0 / 362880.0 + z * s
    s = -1.0 / 5040.0 + z * s
    s = 1.0 / 120.0 + z * s
    s = -1.0 / 6.0 + z * s
    s = r + r * z * s
    c = -1.0 / 87178291200.0 + z / 20922789888000.0
    c = 1.0 / 479001600.0 + z * c
    c = -1.0 / 3628800.0 + z * c
    c = 1.0 / 40320.0 + z * c
    c = -1.0 / 720.0 + z * c
    c = 1.0 / 24.0 + z * c
    c = 1.0 - 0.5 * z + z * z * c
    quarter = int(turns) & 3
    if quarter & 1:
        s, c = c, -s
    if quarter & 2:
        s, c = -s, -c
    return s, c


# Vectors and quaternions --------------------------------------------------------------------------

IDENTITY = (1.0, 0.0, 0.0, 0.0)
FULL_TURN = 2.0 * math.pi  # [rad]


@kernel
def load3(rows, i, c):
    """The vector in row i, from column c on."""
    return (rows[i, c], rows[i, c + 1], rows[i, c + 2])


@kernel
def load4(rows, i, c):
    """The quaternion in row i, from column c on."""
    return (rows[i, c], rows[i, c + 1], rows[i, c + 2], rows[i, c + 3])


@kernel
def store3(rows, i, c, v):
    """Write a vector into row i, from column c on."""
    rows[i, c] = v[0]
    rows[i, c + 1] = v[1]
    rows[i, c + 2] = v[2]


@kernel
def store4(rows, i, c, q):
    """Write a quaternion into row i, from column c on."""
    rows[i, c] = q[0]
    rows[i, c + 1] = q[1]
    rows[i, c + 2] = q[2]
    rows[i, c + 3] = q[3]


@kernel
def take3(flat, i):
    """The vector in a flat array from i on."""
    return (flat[i], flat[i + 1], flat[i + 2])


@kernel
def put3(flat, i, v):
    """Write a vector into a flat array from i on."""
    flat[i], flat[i + 1], flat[i + 2] = v


@kernel
def take4(flat, i):
    """The quaternion in a flat array from i on."""
    return (flat[i], flat[i + 1], flat[i + 2], flat[i + 3])


@kernel
def put4(flat, i, q):
    """Write a quaternion into a flat array from i on."""
    flat[i] = q[0]
    flat[i + 1] = q[1]
    flat[i + 2] = q[2]
    flat[i + 3] = q[3]


@kernel
def add(a, b):
    """The sum a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """The difference a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, s):
    """The vector a times s."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def axpy(a, s, b):
    """The sum a + s * b."""
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
    """The vector v rotated by the unit quaternion q."""
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
    """The vector v rotated by the inverse of the unit quaternion q."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@kernel
def about(axis, angle):
    """The rotation by an angle about a unit axis."""
    s, c = sine_cosine(0.5 * angle)
    return (c, axis[0] * s, axis[1] * s, axis[2] * s)


@kernel
def exp(v):
    """The rotation of a rotation vector."""
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
    """The shortest rotation vector of a rotation."""
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
    """The smallest rotation that takes the direction of a to that of b.

    A half turn about `perpendicular(a)` if they are opposite. Either vector may have any length; if one has length
    zero the result is the identity.
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
    """The rotation by an angle about the axis of a letter, as in `letter_axis`."""
    s, c = sine_cosine(0.5 * angle)
    if code == 0:
        return (c, s, 0.0, 0.0)
    if code == 1:
        return (c, 0.0, s, 0.0)
    return (c, 0.0, 0.0, s)


# Euler angles -------------------------------------------------------------------------------------
#
# A rotation as three angles about coordinate axes, R = R_i(a) R_j(b) R_k(c): of all solutions the one nearest to
# the present angles. Entries of R give a, up to half a turn; R_i(-a) R gives b and c in their full range. At gimbal
# lock only a + c or a - c is determined, and a stays.

GIMBAL_LOCK = 1e-9  # at gimbal lock the sine or cosine of b is no larger than this; not tuned


@kernel
def _near(angle, here):
    """The angle plus whole turns that is nearest to `here`."""
    return angle + FULL_TURN * math.floor((here - angle) / FULL_TURN + 0.5)


@kernel
def put_axes(order, turn, q, at):
    """Set the angles of an Axes joint about three letters to a rotation: the solution nearest to the present ones.

    The rotation is a unit quaternion; the angles are in q from `at` on.
    """
    i, j, k = order & 3, (order >> 2) & 3, (order >> 4) & 3
    third = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if i == k:
        column = rotate(turn, letter_axis(i))
        y, x = column[j], -sign * column[third]
    else:
        column = rotate(turn, letter_axis(k))
        y, x = -sign * column[j], column[k]
    first = math.atan2(y, x) if math.hypot(x, y) > GIMBAL_LOCK else q[at]
    least = math.inf
    a0, b0, c0 = q[at], q[at + 1], q[at + 2]
    for flip in range(2):
        a = _near(first + math.pi * flip, a0)
        rest = mul(turn_about_letter(i, -a), turn)
        row = rotate(conj(rest), letter_axis(j))
        if i == k:
            column = rotate(rest, letter_axis(i))
            b = math.atan2(-sign * column[third], column[i])
            c = math.atan2(-sign * row[third], row[j])
        else:
            column = rotate(rest, letter_axis(k))
            b = math.atan2(sign * column[i], column[k])
            c = math.atan2(sign * row[i], row[j])
        b, c = _near(b, b0), _near(c, c0)
        change = abs(a - a0) + abs(b - b0) + abs(c - c0)
        if change < least:
            least = change
            q[at], q[at + 1], q[at + 2] = a, b, c


# Frames -------------------------------------------------------------------------------------------
#
# World transforms, 4x4, as positions and quaternions.

# How far the products of a frame's rows may be from those of a rotation; not tuned.
ROTATION_TOLERANCE = 1e-4
LAST_ROW_TOLERANCE = 1e-9  # how far its last row may be from (0, 0, 0, 1); rounding


@kernel
def turn_of(m):
    """The quaternion, w >= 0, of the rotation in the upper left of a frame.

    Shepperd 1978: of the four formulas, the one with the largest component loses no digits.
    """
    xx, yy, zz = m[0, 0], m[1, 1], m[2, 2]
    yz, zx, xy = m[2, 1] + m[1, 2], m[0, 2] + m[2, 0], m[1, 0] + m[0, 1]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    w, x, y, z = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    if w >= x and w >= y and w >= z:
        q = normalized((w, wx, wy, wz))
    elif x >= y and x >= z:
        q = normalized((wx, x, xy, zx))
    elif y >= z:
        q = normalized((wy, xy, y, yz))
    else:
        q = normalized((wz, zx, yz, z))
    if q[0] < 0.0:
        return (-q[0], -q[1], -q[2], -q[3])
    return q


@entry("f3 f2")
def split_frames(frames, out):
    """Convert frames, shape (B, 4, 4), into rows of position and quaternion, shape (B, 7)."""
    for b in range(frames.shape[0]):
        turn = turn_of(frames[b])
        for i in range(3):
            out[b, i] = frames[b, i, 3]
        for i in range(4):
            out[b, 3 + i] = turn[i]


@entry("f2 f2 i i -> b")
def read_frame(frame, rows, at, turn_at):
    """Write a frame's position and quaternion into the first row of targets; False if it is not rigid."""
    for i in range(3):
        if not math.isfinite(frame[i, 3]) or not abs(frame[3, i]) <= LAST_ROW_TOLERANCE:
            return False
        for j in range(i + 1):
            product = -1.0 if i == j else 0.0
            for k in range(3):
                product += frame[i, k] * frame[j, k]
            if not abs(product) < ROTATION_TOLERANCE:
                return False
    size = (
        frame[0, 0] * (frame[1, 1] * frame[2, 2] - frame[1, 2] * frame[2, 1])
        - frame[0, 1] * (frame[1, 0] * frame[2, 2] - frame[1, 2] * frame[2, 0])
        + frame[0, 2] * (frame[1, 0] * frame[2, 1] - frame[1, 1] * frame[2, 0])
    )
    if not size > 0.0 or not abs(frame[3, 3] - 1.0) <= LAST_ROW_TOLERANCE:
        return False
    turn = turn_of(frame)
    for i in range(3):
        rows[0, at + i] = frame[i, 3]
    for i in range(4):
        rows[0, turn_at + i] = turn[i]
    return True
