"""An arm of hinges as a table: a row of numbers for each joint, and one for each effector block.

Every joint's frame is turned once so that its axis is z: a joint is then a constant matrix and a
turn about z, the world axis is a column of the frame, and the whole Jacobian is a cross product a
joint.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXIS,
    B_KIND,
    B_WEIGHT,
    E_P0,
    E_ROT,
    E_TARGET,
    POSITION,
    S_P0,
    S_PRE,
)
from supple.kernels.quaternion import cross, load3, load4, perpendicular, unrotate
from supple.kernels.trigonometry import sine_cosine
from supple.kernels.views import grid

RIGID, SHIFT, WORLD_AXIS, ORIGIN, COLUMN = 0, 9, 12, 15, 18  # columns of a joint's row of numbers
FREE, CHANGE, HERE, BEST, GENERATOR = 24, 25, 26, 27, 28
COLUMNS = 29


@kernel
def matrix_of(q):
    """The nine numbers of a unit quaternion's matrix, row by row."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def into(x, y, z, v):
    """The coordinates of v along three axes."""
    return (
        x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
        y[0] * v[0] + y[1] * v[1] + y[2] * v[2],
        z[0] * v[0] + z[1] * v[1] + z[2] * v[2],
    )


@kernel
def set_up(moving, moving_f, blocks, states, effectors, work):
    """Fill RIGID and SHIFT of every joint, and of the two rows after them for the effectors.

    After joint k its frame is F_k = F_(k-1) RIGID_k Rz(angle): the joint's own, with the axis as z.
    """
    count = moving.shape[0]
    arm = grid(work, 0, count + 2, COLUMNS)
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for k in range(count):
        shift = into(x, y, z, load3(states, k, S_P0))
        for i in range(3):
            arm[k, SHIFT + i] = shift[i]
        pre = load4(states, k, S_PRE)
        x, y, z = unrotate(pre, x), unrotate(pre, y), unrotate(pre, z)
        axis = load3(moving_f, k, AXIS)
        side = perpendicular(axis)
        across = cross(axis, side)
        turned = (into(x, y, z, side), into(x, y, z, across), into(x, y, z, axis))
        for i in range(3):
            for j in range(3):
                arm[k, RIGID + 3 * i + j] = turned[j][i]
        x, y, z = side, across, axis
    for g in range(blocks.shape[0]):
        shift = into(x, y, z, load3(effectors, g, E_P0))
        own = matrix_of(load4(effectors, g, E_ROT))
        for i in range(3):
            arm[count + g, SHIFT + i] = shift[i]
        for j in range(3):
            turned_ = into(x, y, z, (own[j], own[3 + j], own[6 + j]))
            for i in range(3):
                arm[count + g, RIGID + 3 * i + j] = turned_[i]


@kernel
def turn_between(m, n):
    """The rotation vector from the matrix m to the matrix n (n m^T), both row by row."""
    r00 = n[0] * m[0] + n[1] * m[1] + n[2] * m[2]
    r01 = n[0] * m[3] + n[1] * m[4] + n[2] * m[5]
    r02 = n[0] * m[6] + n[1] * m[7] + n[2] * m[8]
    r10 = n[3] * m[0] + n[4] * m[1] + n[5] * m[2]
    r11 = n[3] * m[3] + n[4] * m[4] + n[5] * m[5]
    r12 = n[3] * m[6] + n[4] * m[7] + n[5] * m[8]
    r20 = n[6] * m[0] + n[7] * m[1] + n[8] * m[2]
    r21 = n[6] * m[3] + n[7] * m[4] + n[8] * m[5]
    r22 = n[6] * m[6] + n[7] * m[7] + n[8] * m[8]
    x, y, z = 0.5 * (r21 - r12), 0.5 * (r02 - r20), 0.5 * (r10 - r01)
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (r00 + r11 + r22 - 1.0)
    if sine < 1e-7 and cosine < 0.0:
        # Half way round: the axis is in the symmetric part, and either of its ends will do.
        x = math.sqrt(max(0.0, 0.5 * (r00 + 1.0)))
        y = math.sqrt(max(0.0, 0.5 * (r11 + 1.0)))
        z = math.sqrt(max(0.0, 0.5 * (r22 + 1.0)))
        if r01 + r10 < 0.0:
            y = -y
        if r02 + r20 < 0.0:
            z = -z
        return (math.pi * x, math.pi * y, math.pi * z)
    factor_ = math.atan2(sine, cosine) / sine if sine > 1e-12 else 1.0
    return (factor_ * x, factor_ * y, factor_ * z)


@kernel
def evaluate(moving, blocks, blocks_f, effectors, goal, length, turn, arm, rows, errors):
    """Frames, residual rows and errors of the angles HERE; returns the cost.

    `goal` is the wanted orientation's matrix.
    """
    count = moving.shape[0]
    a, b, c = 1.0, 0.0, 0.0
    d, e, f = 0.0, 1.0, 0.0
    g, h, i = 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        s0, s1, s2 = arm[k, SHIFT], arm[k, SHIFT + 1], arm[k, SHIFT + 2]
        x += a * s0 + b * s1 + c * s2
        y += d * s0 + e * s1 + f * s2
        z += g * s0 + h * s1 + i * s2
        m0, m1, m2 = arm[k, RIGID], arm[k, RIGID + 1], arm[k, RIGID + 2]
        m3, m4, m5 = arm[k, RIGID + 3], arm[k, RIGID + 4], arm[k, RIGID + 5]
        m6, m7, m8 = arm[k, RIGID + 6], arm[k, RIGID + 7], arm[k, RIGID + 8]
        u0, v0 = a * m0 + b * m3 + c * m6, a * m1 + b * m4 + c * m7
        u1, v1 = d * m0 + e * m3 + f * m6, d * m1 + e * m4 + f * m7
        u2, v2 = g * m0 + h * m3 + i * m6, g * m1 + h * m4 + i * m7
        c, f, i = (
            a * m2 + b * m5 + c * m8,
            d * m2 + e * m5 + f * m8,
            g * m2 + h * m5 + i * m8,
        )
        sine, cosine = sine_cosine(arm[k, HERE])
        a, b = cosine * u0 + sine * v0, cosine * v0 - sine * u0
        d, e = cosine * u1 + sine * v1, cosine * v1 - sine * u1
        g, h = cosine * u2 + sine * v2, cosine * v2 - sine * u2
        arm[k, WORLD_AXIS], arm[k, WORLD_AXIS + 1], arm[k, WORLD_AXIS + 2] = c, f, i
        arm[k, ORIGIN], arm[k, ORIGIN + 1], arm[k, ORIGIN + 2] = x, y, z
    cost = 0.0
    for n in range(blocks.shape[0]):
        tip = count + n
        s0, s1, s2 = arm[tip, SHIFT], arm[tip, SHIFT + 1], arm[tip, SHIFT + 2]
        if blocks[n, B_KIND] == POSITION:
            arm[tip, ORIGIN] = x + a * s0 + b * s1 + c * s2
            arm[tip, ORIGIN + 1] = y + d * s0 + e * s1 + f * s2
            arm[tip, ORIGIN + 2] = z + g * s0 + h * s1 + i * s2
            miss = (
                effectors[n, E_TARGET] - arm[tip, ORIGIN],
                effectors[n, E_TARGET + 1] - arm[tip, ORIGIN + 1],
                effectors[n, E_TARGET + 2] - arm[tip, ORIGIN + 2],
            )
            scale = blocks_f[n, B_WEIGHT] / length
        else:
            m0, m1, m2 = arm[tip, RIGID], arm[tip, RIGID + 1], arm[tip, RIGID + 2]
            m3, m4, m5 = arm[tip, RIGID + 3], arm[tip, RIGID + 4], arm[tip, RIGID + 5]
            m6, m7, m8 = arm[tip, RIGID + 6], arm[tip, RIGID + 7], arm[tip, RIGID + 8]
            own = (
                a * m0 + b * m3 + c * m6, a * m1 + b * m4 + c * m7, a * m2 + b * m5 + c * m8,
                d * m0 + e * m3 + f * m6, d * m1 + e * m4 + f * m7, d * m2 + e * m5 + f * m8,
                g * m0 + h * m3 + i * m6, g * m1 + h * m4 + i * m7, g * m2 + h * m5 + i * m8,
            )  # fmt: skip
            miss = turn_between(own, goal)
            scale = blocks_f[n, B_WEIGHT] * turn
        size = miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]
        errors[n] = math.sqrt(size)
        cost += 0.5 * scale * scale * size
        rows[3 * n], rows[3 * n + 1], rows[3 * n + 2] = (
            scale * miss[0],
            scale * miss[1],
            scale * miss[2],
        )
    return cost


@kernel
def linearize(blocks, blocks_f, length, turn, arm, count):
    """Fill COLUMN of every joint: how fast each residual row shrinks as its angle grows."""
    for n in range(blocks.shape[0]):
        tip = count + n
        if blocks[n, B_KIND] == POSITION:
            scale = blocks_f[n, B_WEIGHT] / length
            x, y, z = arm[tip, ORIGIN], arm[tip, ORIGIN + 1], arm[tip, ORIGIN + 2]
            for k in range(count):
                u, v, w = arm[k, WORLD_AXIS], arm[k, WORLD_AXIS + 1], arm[k, WORLD_AXIS + 2]
                i, j, h = x - arm[k, ORIGIN], y - arm[k, ORIGIN + 1], z - arm[k, ORIGIN + 2]
                arm[k, COLUMN + 3 * n] = scale * (v * h - w * j)
                arm[k, COLUMN + 3 * n + 1] = scale * (w * i - u * h)
                arm[k, COLUMN + 3 * n + 2] = scale * (u * j - v * i)
        else:
            scale = blocks_f[n, B_WEIGHT] * turn
            for k in range(count):
                for i in range(3):
                    arm[k, COLUMN + 3 * n + i] = scale * arm[k, WORLD_AXIS + i]
