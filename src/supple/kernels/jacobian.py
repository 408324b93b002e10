"""The Jacobian of the residual rows: one row of `columns` a freedom, three numbers a block.

`columns[d, r]` is how fast residual row r *shrinks* as freedom d grows, so that columns^T delta =
rows is the linear problem to solve. Entries where a freedom cannot move a block stay zero.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import slides
from supple.kernels.residual import look
from supple.kernels.tangent import tangent
from supple.kernels.views import zero_rows
from supple.kernels.workspace import matrix

NONE = (0.0, 0.0, 0.0)


class Linear(NamedTuple):
    """The linear problem at a pose: what every freedom does, and how far it may go."""

    axes: Any  # (D + M, 3) the world axis of every freedom, then of every mimic joint
    bounds: Any  # (D, 2) how far it may change from here
    columns: Any  # (D, R) the Jacobian


@leaf
def take_linear(problem, work):
    """The linear problem of one pose at a time."""
    nd, nm = problem.freedoms, problem.moving.shape[0]
    return Linear(matrix(work, nd + nm, 3), matrix(work, nd, 2), matrix(work, nd, problem.rows))


@kernel
def linearize(problem, frames, linear, q):
    """Fill the linear problem at the pose q, evaluated."""
    tangent(problem, frames, linear, q)
    jacobian(problem, frames, linear)


@kernel
def _log_factor(a):
    """The factor of [r]^2 in the inverse right Jacobian of SO(3), a = |r|.

    1/a^2 - cot(a/2)/(2a).
    """
    if a < 1e-3:
        return 1.0 / 12.0
    return 1.0 / (a * a) - 1.0 / (2.0 * a * math.tan(0.5 * a))


@leaf
def _add(linear, d, row, change, factor):
    columns = linear.columns
    columns[d, row] += factor * change[0]
    columns[d, row + 1] += factor * change[1]
    columns[d, row + 2] += factor * change[2]


@kernel
def jacobian(problem, frames, linear):
    """Fill `columns`, shape (D, R), from the world axes of `tangent` and the rows of `residuals`.

    Walks from each effector up its own path, so the cost is that of the entries that are not zero.
    """
    moving, blocks = problem.moving, problem.blocks
    joints, effectors = frames.joints, frames.effectors
    columns = linear.columns
    freedoms = columns.shape[0]
    zero_rows(columns)
    for g in range(blocks.shape[0]):
        goal = blocks[g, layout.B_KIND]
        if goal == layout.POLE:
            continue
        row = blocks[g, layout.B_ROW]
        weight = problem.blocks_f[g, layout.B_WEIGHT] * (
            1.0 / problem.length if goal == layout.POSITION else problem.radian
        )
        miss = (
            frames.residual[row] / weight,
            frames.residual[row + 1] / weight,
            frames.residual[row + 2] / weight,
        )
        factor = _log_factor(quat.norm(miss)) if goal == layout.ORIENTATION else 0.0
        seen, wanted, distance = NONE, NONE, 0.0
        if goal == layout.LOOKAT:
            seen, wanted, distance = look(problem, frames, g)
        point = quat.load3(effectors, g, layout.E_POS)
        below = quat.load3(
            effectors, g, layout.E_P1
        )  # what the stretch of the joint above moves, in that joint's frame
        k = blocks[g, layout.B_MOVE]
        while k >= 0:
            kind = moving[k, layout.M_KIND]
            source = moving[k, layout.M_MIMIC]
            arm = quat.sub(point, quat.load3(joints, k, layout.S_POS))
            first = moving[k, layout.M_DOF] if source < 0 else freedoms + k
            count = moving[k, layout.M_NDOF]
            if moving[k, layout.M_STRETCH_DOF] >= 0:
                count += 1
            for i in range(count):
                d = first + i
                gain = 1.0
                slide, spin = NONE, NONE
                if i == moving[k, layout.M_NDOF]:
                    d = moving[k, layout.M_STRETCH_DOF]
                    slide = quat.rotate(quat.load4(joints, k, layout.S_W), below)
                else:
                    axis = quat.load3(linear.axes, d, 0)
                    if slides(kind, i):
                        slide = quat.scale(axis, problem.length)
                    else:
                        slide = quat.cross(axis, arm)
                        spin = axis
                    if source >= 0:
                        # A mimic joint moves with the freedom it copies, which may be of the other unit.
                        d = moving[source, layout.M_DOF]
                        gain = problem.moving_f[k, layout.MIMIC_MUL]
                        if slides(kind, i) and not slides(moving[source, layout.M_KIND], 0):
                            gain /= problem.length
                        elif slides(moving[source, layout.M_KIND], 0) and not slides(kind, i):
                            gain *= problem.length
                if goal == layout.POSITION:
                    change = slide
                elif goal == layout.ORIENTATION:
                    turned = quat.cross(miss, spin)
                    change = quat.axpy(
                        quat.axpy(spin, 0.5, turned), factor, quat.cross(miss, turned)
                    )
                else:
                    change = quat.cross(spin, seen)
                    if distance > 0.0:
                        across = quat.axpy(slide, -quat.dot(slide, wanted), wanted)
                        change = quat.axpy(change, 1.0 / distance, across)
                _add(linear, d, row, change, weight * gain)
            below = quat.load3(joints, k, layout.S_P1)
            k = moving[k, layout.M_PARENT]
