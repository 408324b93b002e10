"""Forward kinematics: world frames of a whole skeleton, for many poses, in one pass from the root.

    T_parent_j = Trans(offset * stretch of the parent) Rot(rest) Trans(d(q)) Rot(r(q)) Scale(s)

Children inherit scales unchanged, so below a non-uniform scale the linear part of a frame is a
shear: positions are exact, `linear` holds the 3x3 parts, and `rotations` the rotations alone.
Translations and scales of shape (0, N, 3) mean that the poses have none; of shape (1, N, 3), that all poses share
them.
"""

from supple.kernels.decorators import entry, kernel
from supple.kernels.joint import joint_shift, joint_turn
from supple.kernels.layout import KIND, OFFSET, PARENT, REST, SLIDES, STRETCH_Q, Q
from supple.kernels.quaternion import add, load3, load4, mul, rotate, scale, store3, store4


@kernel
def _tidy(q):
    """One Newton step towards length one, without a square root: keeps long chains from drifting."""
    f = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * f, q[1] * f, q[2] * f, q[3] * f)


@kernel
def _apply(linear, v):
    """A 3x3 matrix times a vector."""
    return (
        linear[0, 0] * v[0] + linear[0, 1] * v[1] + linear[0, 2] * v[2],
        linear[1, 0] * v[0] + linear[1, 1] * v[1] + linear[1, 2] * v[2],
        linear[2, 0] * v[0] + linear[2, 1] * v[1] + linear[2, 2] * v[2],
    )


@kernel
def _compose(linear, turn, size, out):
    """Write linear * Rot(turn) * Scale(size) into out, which may be linear itself."""
    x = scale(rotate(turn, (1.0, 0.0, 0.0)), size[0])
    y = scale(rotate(turn, (0.0, 1.0, 0.0)), size[1])
    z = scale(rotate(turn, (0.0, 0.0, 1.0)), size[2])
    for i in range(3):
        a, b, c = linear[i, 0], linear[i, 1], linear[i, 2]
        out[i, 0] = a * x[0] + b * x[1] + c * x[2]
        out[i, 1] = a * y[0] + b * y[1] + c * y[2]
        out[i, 2] = a * z[0] + b * z[1] + c * z[2]


@kernel
def _offset(ints, floats, translations, b, j, q):
    """The origin of joint j in its parent's frame, before its own motion."""
    if translations.shape[0] > 0:
        offset = load3(translations[b if translations.shape[0] > 1 else 0], j, 0)
    else:
        offset = load3(floats, j, OFFSET)
    parent = ints[j, PARENT]
    if parent >= 0 and ints[parent, STRETCH_Q] >= 0:
        offset = scale(offset, q[ints[parent, STRETCH_Q]])
    return offset


@entry("i2 f2 i1 f2 f2 f2 f3 f3 f3 f3 f4")
def forward_batch(
    ints,
    floats,
    tip_joint,
    tip_offset,
    tip_rotation,
    coordinates,
    translations,
    scales,
    positions,
    rotations,
    linear,
):
    """World frames of every joint and tip of every pose.

    Args:
        ints: The packed skeleton, shape (N, JOINT_INTS).
        floats: The packed skeleton, shape (N, JOINT_FLOATS).
        tip_joint: The joint that carries each tip, shape (T,).
        tip_offset: Position in the joint's frame, shape (T, 3).
        tip_rotation: wxyz in the joint's frame, shape (T, 4).
        coordinates: Shape (B, Q).
        translations: Offsets that replace the skeleton's, shape (B or 1 or 0, N, 3).
        scales: Shape (B or 1 or 0, N, 3).
        positions: Out: shape (B, N + T, 3).
        rotations: Out: wxyz, shape (B, N + T, 4).
        linear: Out: shape (B, N + T, 3, 3); not touched, and may be empty, without scales.
    """
    count = ints.shape[0]
    scaled = scales.shape[0] > 0
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        place = positions[b]
        turns = rotations[b]
        for j in range(count):
            parent = ints[j, PARENT]
            kind = ints[j, KIND]
            at = ints[j, Q]
            step = _offset(ints, floats, translations, b, j, q)
            rest = load4(floats, j, REST)
            if kind & SLIDES:
                step = add(step, rotate(rest, joint_shift(kind, floats, j, q, at)))
            turn = mul(rest, joint_turn(kind, floats, j, q, at))
            if scaled:
                out = linear[b, j]
                above = out
                if parent >= 0:
                    above = linear[b, parent]
                    step = _apply(above, step)
                else:
                    for i in range(9):
                        out[i // 3, i % 3] = 1.0 if i % 4 == 0 else 0.0
                size = load3(scales[b if scales.shape[0] > 1 else 0], j, 0)
                _compose(above, turn, size, out)
            if parent >= 0:
                world = load4(turns, parent, 0)
                if not scaled:
                    step = rotate(world, step)
                step = add(load3(place, parent, 0), step)
                turn = mul(world, turn)
            store3(place, j, 0, step)
            store4(turns, j, 0, _tidy(turn))
        for t in range(tip_joint.shape[0]):
            j = tip_joint[t]
            step = load3(tip_offset, t, 0)
            if ints[j, STRETCH_Q] >= 0:
                step = scale(step, q[ints[j, STRETCH_Q]])
            turn = load4(tip_rotation, t, 0)
            world = load4(turns, j, 0)
            if scaled:
                step = _apply(linear[b, j], step)
                _compose(linear[b, j], turn, (1.0, 1.0, 1.0), linear[b, count + t])
            else:
                step = rotate(world, step)
            store3(place, count + t, 0, add(load3(place, j, 0), step))
            store4(turns, count + t, 0, _tidy(mul(world, turn)))


@entry("i2 f2 f2 f3 f3 f3")
def local_batch(ints, floats, coordinates, translations, positions, rotations):
    """Position and rotation of each joint in its parent's frame, without scales.

    Args:
        ints: The packed skeleton, shape (N, JOINT_INTS).
        floats: The packed skeleton, shape (N, JOINT_FLOATS).
        coordinates: Shape (B, Q).
        translations: Offsets that replace the skeleton's, shape (B or 1 or 0, N, 3).
        positions: Out: shape (B, N, 3).
        rotations: Out: rest * r(q), wxyz, shape (B, N, 4).
    """
    for b in range(coordinates.shape[0]):
        q = coordinates[b]
        for j in range(ints.shape[0]):
            kind = ints[j, KIND]
            step = _offset(ints, floats, translations, b, j, q)
            rest = load4(floats, j, REST)
            if kind & SLIDES:
                step = add(step, rotate(rest, joint_shift(kind, floats, j, q, ints[j, Q])))
            store3(positions[b], j, 0, step)
            turn = joint_turn(kind, floats, j, q, ints[j, Q])
            store4(rotations[b], j, 0, mul(rest, turn))


# Uniform scales folded into offsets, so that solvers see rigid bones ------------------------------

# How far apart the three factors of a uniform scale may be, relatively; not tuned.
UNIFORM_SCALE_TOLERANCE = 1e-6


@entry("i2 f3 f3 -> i")
def scale_offsets(ints, scales, offsets):
    """Multiply every offset, shape (B, N, 3), by the scales of all joints above it, in place.

    `scales` is overwritten with the products along each chain.

    Returns the first joint with children whose scale is not uniform, or -1.
    """
    for b in range(offsets.shape[0]):
        for j in range(offsets.shape[1]):
            parent = ints[j, PARENT]
            if parent < 0:
                continue
            for i in range(3):
                if abs(scales[b, parent, i] - scales[b, parent, 0]) > UNIFORM_SCALE_TOLERANCE * abs(
                    scales[b, parent, 0]
                ):
                    return parent
            above = scales[b, parent, 0]
            for i in range(3):
                offsets[b, j, i] *= above
                scales[b, j, i] *= above
    return -1
