"""The Jacobian of the residual rows: one row of `columns` a freedom, three numbers a block.

`columns[d, r]` is how fast residual row r *shrinks* as freedom d grows, so that columns^T delta =
rows is the linear problem to solve. Entries where a freedom cannot move a block stay zero.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_MOVE,
    B_ROW,
    B_WEIGHT,
    E_P1,
    E_POS,
    FREE,
    LOOKAT,
    M_DOF,
    M_KIND,
    M_MIMIC,
    M_NDOF,
    M_PARENT,
    M_STRETCH_DOF,
    MIMIC_MUL,
    ORIENTATION,
    PLANAR,
    POLE,
    POSITION,
    S_P1,
    S_POS,
    S_W,
    SLIDER,
)
from supple.kernels.quaternion import axpy, cross, dot, load3, load4, norm, rotate, scale, sub
from supple.kernels.residual import look

NONE = (0.0, 0.0, 0.0)


@kernel
def slides(kind, i):
    """Whether freedom i of a joint of this kind is a slide (else a turn)."""
    return kind == SLIDER or (kind == FREE and i < 3) or (kind == PLANAR and i < 2)


@kernel
def _log_factor(a):
    """The factor of [r]^2 in the inverse right Jacobian of SO(3), a = |r|.

    1/a^2 - cot(a/2)/(2a).
    """
    if a < 1e-3:
        return 1.0 / 12.0
    return 1.0 / (a * a) - 1.0 / (2.0 * a * math.tan(0.5 * a))


@kernel
def _add(columns, d, row, change, factor):
    columns[d, row] += factor * change[0]
    columns[d, row + 1] += factor * change[1]
    columns[d, row + 2] += factor * change[2]


@kernel
def jacobian(
    moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
):
    """Fill `columns`, shape (D, R), from the world axes of `tangent` and the rows of `residuals`.

    Walks from each effector up its own path, so the cost is that of the entries that are not zero.
    """
    freedoms = columns.shape[0]
    columns[:] = 0.0
    for g in range(blocks.shape[0]):
        goal = blocks[g, B_KIND]
        if goal == POLE:
            continue
        row = blocks[g, B_ROW]
        weight = blocks_f[g, B_WEIGHT] * (1.0 / length if goal == POSITION else turn)
        miss = (rows[row] / weight, rows[row + 1] / weight, rows[row + 2] / weight)
        factor = _log_factor(norm(miss)) if goal == ORIENTATION else 0.0
        seen, wanted, distance = NONE, NONE, 0.0
        if goal == LOOKAT:
            seen, wanted, distance = look(blocks_f, effectors, g)
        point = load3(effectors, g, E_POS)
        below = load3(
            effectors, g, E_P1
        )  # what the stretch of the joint above moves, in that joint's frame
        k = blocks[g, B_MOVE]
        while k >= 0:
            kind = moving[k, M_KIND]
            source = moving[k, M_MIMIC]
            arm = sub(point, load3(states, k, S_POS))
            first = moving[k, M_DOF] if source < 0 else freedoms + k
            count = moving[k, M_NDOF]
            if moving[k, M_STRETCH_DOF] >= 0:
                count += 1
            for i in range(count):
                d = first + i
                gain = 1.0
                slide, spin = NONE, NONE
                if i == moving[k, M_NDOF]:
                    d = moving[k, M_STRETCH_DOF]
                    slide = rotate(load4(states, k, S_W), below)
                else:
                    axis = load3(axes, d, 0)
                    if slides(kind, i):
                        slide = scale(axis, length)
                    else:
                        slide = cross(axis, arm)
                        spin = axis
                    if source >= 0:
                        # A mimic joint moves with the freedom it copies, which may be of the other unit.
                        d = moving[source, M_DOF]
                        gain = moving_f[k, MIMIC_MUL]
                        if slides(kind, i) and not slides(moving[source, M_KIND], 0):
                            gain /= length
                        elif slides(moving[source, M_KIND], 0) and not slides(kind, i):
                            gain *= length
                if goal == POSITION:
                    change = slide
                elif goal == ORIENTATION:
                    turned = cross(miss, spin)
                    change = axpy(axpy(spin, 0.5, turned), factor, cross(miss, turned))
                else:
                    change = cross(spin, seen)
                    if distance > 0.0:
                        across = axpy(slide, -dot(slide, wanted), wanted)
                        change = axpy(change, 1.0 / distance, across)
                _add(columns, d, row, change, weight * gain)
            below = load3(states, k, S_P1)
            k = moving[k, M_PARENT]
