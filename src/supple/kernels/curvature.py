"""Second derivatives of the position and look goals: what the Gauss-Newton matrix leaves out.

Where a target cannot be met the residual does not vanish, and the curvature of the effector's path
counts: a link whose target is ten lengths away turns ten times too far without it. For freedoms i
above j in the chain to an effector at arm r from j, the second derivative of its position is
axis_i x (axis_j x r).
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import slides
from supple.kernels.problem import look


class View(NamedTuple):
    """An eye and what it looks at."""

    point: Any  # xyz, the eye
    wanted: Any  # xyz, the unit direction to the target
    across: Any  # xyz, the miss perpendicular to that direction, divided by the distance
    along: float  # the miss along that direction
    distance: float  # of the target


@leaf
def _add(a, i, j, value):
    if i >= j:
        a[i, j] += value
    else:
        a[j, i] += value


@kernel
def curvature(problem, frames, linear, a):
    """Add the curvature of every position and look block to the lower triangle of a, shape (D, D).

    Rotations and slides only.
    """
    blocks, blocks_f = problem.blocks, problem.blocks_f
    effectors = frames.effectors
    for g in range(blocks.shape[0]):
        point = quat.load3(effectors, g, layout.E_POS)
        if blocks[g, layout.B_KIND] == layout.POSITION:
            factor = (blocks_f[g, layout.B_WEIGHT] / problem.length) ** 2
            miss = quat.scale(quat.sub(quat.load3(effectors, g, layout.E_TARGET), point), factor)
            _path(problem, frames, linear, blocks[g, layout.B_MOVE], point, False, miss, a)
        elif blocks[g, layout.B_KIND] == layout.LOOKAT:
            # The residual is wanted - seen. The direction seen turns like an arm, and the direction wanted changes
            # as the eye moves.
            seen, wanted, distance = look(problem, frames, g)
            factor = (blocks_f[g, layout.B_WEIGHT] * problem.radian) ** 2
            miss = quat.scale(quat.sub(wanted, seen), factor)
            _path(problem, frames, linear, blocks[g, layout.B_MOVE], seen, True, miss, a)
            if distance > 0.0:
                across = quat.scale(
                    quat.axpy(miss, -quat.dot(miss, wanted), wanted), 1.0 / distance
                )
                _path(
                    problem,
                    frames,
                    linear,
                    blocks[g, layout.B_MOVE],
                    point,
                    False,
                    across,
                    a,
                )
                view = View(point, wanted, across, quat.dot(miss, wanted), distance)
                _parallax(problem, frames, linear, blocks[g, layout.B_MOVE], view, a)


@kernel
def _path(problem, frames, linear, k, point, turning, miss, a):
    """Add the curvature of the path of a point, or with `turning` of a direction, that joint k carries."""
    moving = problem.moving
    while k >= 0:
        if moving[k, layout.M_MIMIC] < 0:
            arm = point if turning else quat.sub(point, quat.load3(frames.joints, k, layout.S_POS))
            for n in range(moving[k, layout.M_NDOF]):
                d = moving[k, layout.M_DOF] + n
                axis = quat.load3(linear.axes, d, 0)
                slid = slides(moving[k, layout.M_KIND], n)
                if slid and turning:
                    continue
                move = quat.scale(axis, problem.length) if slid else quat.cross(axis, arm)
                _within(problem, linear, k, n, arm, move, miss, a)
                _above(problem, linear, k, d, move, miss, a)
        k = moving[k, layout.M_PARENT]


@leaf
def _move(problem, frames, linear, k, n, point):
    """How freedom n of joint k moves a point."""
    moving = problem.moving
    axis = quat.load3(linear.axes, moving[k, layout.M_DOF] + n, 0)
    if slides(moving[k, layout.M_KIND], n):
        return quat.scale(axis, problem.length)
    return quat.cross(axis, quat.sub(point, quat.load3(frames.joints, k, layout.S_POS)))


@kernel
def _parallax(problem, frames, linear, k, view, a):
    """Add the products of first derivatives in the second derivative of the direction wanted.

    With w = v / |v| and v = target - point, whose derivatives are -x_i, for a miss m:
    m . w_ij = -across . x_ij - ((across . x_j)(w . x_i) + (across . x_i)(w . x_j)) / |v|
               - along (x_i . x_j - (w . x_i)(w . x_j)) / |v|^2.
    """
    moving = problem.moving
    while k >= 0:
        for n in range(moving[k, layout.M_NDOF] if moving[k, layout.M_MIMIC] < 0 else 0):
            x = _move(problem, frames, linear, k, n, view.point)
            e = k
            while e >= 0:
                last = (
                    n + 1
                    if e == k
                    else (moving[e, layout.M_NDOF] if moving[e, layout.M_MIMIC] < 0 else 0)
                )
                for m in range(last):
                    y = _move(problem, frames, linear, e, m, view.point)
                    wx, wy = quat.dot(view.wanted, x), quat.dot(view.wanted, y)
                    value = (
                        quat.dot(view.across, y) * wx + quat.dot(view.across, x) * wy
                    ) / view.distance
                    value += (
                        view.along * (quat.dot(x, y) - wx * wy) / (view.distance * view.distance)
                    )
                    _add(
                        a,
                        moving[k, layout.M_DOF] + n,
                        moving[e, layout.M_DOF] + m,
                        -value,
                    )
                e = moving[e, layout.M_PARENT]
        k = moving[k, layout.M_PARENT]


@leaf
def _within(problem, linear, k, n, arm, move, miss, a):
    """Pairs of freedom n with itself and with those before it in the same joint."""
    moving = problem.moving
    axes = linear.axes
    kind = moving[k, layout.M_KIND]
    d = moving[k, layout.M_DOF] + n
    if slides(kind, n):
        return
    axis = quat.load3(axes, d, 0)
    _add(a, d, d, -quat.dot(miss, quat.cross(axis, move)))
    for m in range(n):
        if slides(kind, m):
            continue
        other = quat.load3(axes, moving[k, layout.M_DOF] + m, 0)
        bend = quat.dot(miss, quat.cross(other, move))
        if kind & layout.QUATERNION != 0:
            # The components of a rotation vector commute to second order: the mean of both orders.
            bend = 0.5 * (bend + quat.dot(miss, quat.cross(axis, quat.cross(other, arm))))
        _add(a, d, moving[k, layout.M_DOF] + m, -bend)


@leaf
def _above(problem, linear, k, d, move, miss, a):
    """Pairs of freedom d of joint k with every rotation above it."""
    moving = problem.moving
    up = moving[k, layout.M_PARENT]
    turned = quat.cross(move, miss)
    while up >= 0:
        if moving[up, layout.M_MIMIC] < 0:
            for m in range(moving[up, layout.M_NDOF]):
                if not slides(moving[up, layout.M_KIND], m):
                    e = moving[up, layout.M_DOF] + m
                    # miss . (axis x move) = axis . (move x miss)
                    _add(a, d, e, -quat.dot(quat.load3(linear.axes, e, 0), turned))
        up = moving[up, layout.M_PARENT]
