"""Second derivatives of the position goals: what the Gauss-Newton matrix leaves out.

Where a target cannot be met the residual does not vanish, and the curvature of the effector's path
counts: a link whose target is ten lengths away turns ten times too far without it. For freedoms i
above j on the way to an effector at arm r from j, the path curves by axis_i x (axis_j x r).
"""

from supple.kernels.cache import kernel
from supple.kernels.jacobian import slides
from supple.kernels.layout import (
    AXES,
    B_KIND,
    B_MOVE,
    B_WEIGHT,
    E_POS,
    E_TARGET,
    M_DOF,
    M_KIND,
    M_MIMIC,
    M_NDOF,
    M_PARENT,
    POSITION,
    S_POS,
)
from supple.kernels.quaternion import cross, dot, load3, scale, sub


@kernel
def _add(a, i, j, value):
    if i >= j:
        a[i, j] += value
    else:
        a[j, i] += value


@kernel
def curvature(moving, blocks, blocks_f, states, effectors, length, axes, a):
    """Add the curvature of every position block to the lower triangle of a, shape (D, D).

    Turns and slides only.
    """
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] != POSITION:
            continue
        point = load3(effectors, g, E_POS)
        factor = (blocks_f[g, B_WEIGHT] / length) ** 2
        miss = scale(sub(load3(effectors, g, E_TARGET), point), factor)
        k = blocks[g, B_MOVE]
        while k >= 0:
            if moving[k, M_MIMIC] < 0:
                arm = sub(point, load3(states, k, S_POS))
                for n in range(moving[k, M_NDOF]):
                    d = moving[k, M_DOF] + n
                    axis = load3(axes, d, 0)
                    slid = slides(moving[k, M_KIND], n)
                    move = scale(axis, length) if slid else cross(axis, arm)
                    _within(moving, k, n, slid, axis, arm, move, miss, axes, a)
                    _above(moving, k, d, move, miss, axes, a)
            k = moving[k, M_PARENT]


@kernel
def _within(moving, k, n, slid, axis, arm, move, miss, axes, a):
    """Pairs of freedom n with itself and with those before it in the same joint."""
    kind = moving[k, M_KIND]
    d = moving[k, M_DOF] + n
    if slid:
        return
    _add(a, d, d, -dot(miss, cross(axis, move)))
    for m in range(n):
        if slides(kind, m):
            continue
        other = load3(axes, moving[k, M_DOF] + m, 0)
        bend = dot(miss, cross(other, move))
        if kind != AXES:
            # Turns about fixed axes commute to second order: the mean of both orders.
            bend = 0.5 * (bend + dot(miss, cross(axis, cross(other, arm))))
        _add(a, d, moving[k, M_DOF] + m, -bend)


@kernel
def _above(moving, k, d, move, miss, axes, a):
    """Pairs of freedom d of joint k with every turn above it."""
    up = moving[k, M_PARENT]
    turned = cross(move, miss)
    while up >= 0:
        if moving[up, M_MIMIC] < 0:
            for m in range(moving[up, M_NDOF]):
                if not slides(moving[up, M_KIND], m):
                    e = moving[up, M_DOF] + m
                    # miss . (axis x move) = axis . (move x miss)
                    _add(a, d, e, -dot(load3(axes, e, 0), turned))
        up = moving[up, M_PARENT]
