"""The tangent space of a pose: a world axis, bounds and a step for every freedom.

A *freedom* turns about or slides along one axis, or stretches a joint. Balls turn about the world
axes. A cone turns outward, along its rim and about itself, so that its limits are bounds on single
freedoms and it can slide along the rim when pressed against it. Lengths count in characteristic
lengths, so a slide of one moves as far as a radian at the tip.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXES,
    AXIS,
    AXIS_U,
    BALL,
    CONE,
    DAMPING,
    FIXED,
    FREE,
    HINGE,
    LIMITS,
    M_DOF,
    M_FROZEN,
    M_KIND,
    M_MIMIC,
    M_ORDER,
    M_Q,
    M_STRETCH_DOF,
    M_STRETCH_Q,
    MIMIC_ADD,
    MIMIC_MUL,
    PLANAR,
    S_WPRE,
    SLIDER,
    STRETCH_HI,
    STRETCH_LO,
)
from supple.kernels.limits import project_joint, swing_twist_angles, unwrapped
from supple.kernels.quaternion import (
    axpy,
    cross,
    exp,
    letter_axis,
    load3,
    load4,
    mul,
    norm,
    perpendicular,
    put4,
    rotate,
    scale,
    store3,
    take4,
    tidied,
    turn_about_letter,
    unit,
    unrotate,
)

BIG = 1e300


@kernel
def _bound(bounds, d, low, high, cap):
    bounds[d, 0] = max(low, -cap)
    bounds[d, 1] = min(high, cap)


@kernel
def tangent(moving, moving_f, q, states, length, axes, bounds):
    """World axis of every freedom and how far it may change from here, bounds of shape (D, 2).

    Axes have shape (D + M, 3): a mimic joint k has no freedom, its axis stands in row D + k. The
    axis of a stretch is left
    alone: what a stretch moves depends on the branch.
    """
    for k in range(moving.shape[0]):
        kind = moving[k, M_KIND]
        pre = load4(states, k, S_WPRE)
        if moving[k, M_MIMIC] >= 0:
            store3(axes, bounds.shape[0] + k, 0, rotate(pre, load3(moving_f, k, AXIS)))
            kind = FIXED  # it has no freedom of its own but its stretch
        d = moving[k, M_DOF]
        at = moving[k, M_Q]
        cap = moving_f[k, DAMPING]
        if kind == BALL:
            _world_axes(axes, bounds, d)
        elif kind == HINGE:
            store3(axes, d, 0, rotate(pre, load3(moving_f, k, AXIS)))
            _bound(bounds, d, moving_f[k, LIMITS] - q[at], moving_f[k, LIMITS + 1] - q[at], cap)
        elif kind == CONE:
            _cone_axes(moving_f, q, k, at, pre, axes, bounds, d)
        elif kind == AXES:
            order = moving[k, M_ORDER]
            turn = pre
            for i in range(3):
                code = (order >> (2 * i)) & 3
                if code == 3:
                    break
                if (moving[k, M_FROZEN] >> i) & 1 == 0:
                    store3(axes, d, 0, rotate(turn, letter_axis(code)))
                    low = moving_f[k, LIMITS + 2 * i] - q[at + i]
                    _bound(bounds, d, low, moving_f[k, LIMITS + 2 * i + 1] - q[at + i], cap)
                    d += 1
                turn = mul(turn, turn_about_letter(code, q[at + i]))
        elif kind == SLIDER:
            store3(axes, d, 0, rotate(pre, load3(moving_f, k, AXIS)))
            low = (moving_f[k, LIMITS] - q[at]) / length
            _bound(bounds, d, low, (moving_f[k, LIMITS + 1] - q[at]) / length, cap / length)
        elif kind == PLANAR:
            u = load3(moving_f, k, AXIS_U)
            normal = load3(moving_f, k, AXIS)
            store3(axes, d, 0, rotate(pre, u))
            store3(axes, d + 1, 0, rotate(pre, cross(normal, u)))
            store3(axes, d + 2, 0, rotate(pre, normal))
            for i in range(3):
                unit_of = length if i < 2 else 1.0
                low = (moving_f[k, LIMITS + 2 * i] - q[at + i]) / unit_of
                high = (moving_f[k, LIMITS + 2 * i + 1] - q[at + i]) / unit_of
                _bound(bounds, d + i, low, high, cap / unit_of)
        elif kind == FREE:
            for i in range(3):
                store3(axes, d + i, 0, rotate(pre, letter_axis(i)))
                _bound(bounds, d + i, -BIG, BIG, cap / length)
            _world_axes(axes, bounds, d + 3)
        stretch = moving[k, M_STRETCH_DOF]
        if stretch >= 0:
            factor = q[moving[k, M_STRETCH_Q]]
            _bound(
                bounds,
                stretch,
                moving_f[k, STRETCH_LO] - factor,
                moving_f[k, STRETCH_HI] - factor,
                cap,
            )


@kernel
def _world_axes(axes, bounds, d):
    for i in range(3):
        store3(axes, d + i, 0, letter_axis(i))
        bounds[d + i, 0] = -BIG
        bounds[d + i, 1] = BIG


@kernel
def _cone_axes(moving_f, q, k, at, pre, axes, bounds, d):
    """Outward, along the rim, about itself.

    Plain world axes while the cone's axis is (almost) at rest.
    """
    axis = load3(moving_f, k, AXIS)
    turn = take4(q, at)
    pointing = rotate(turn, axis)
    outward = cross(axis, pointing)
    sine = norm(outward)
    swing, twist = swing_twist_angles(turn, axis)
    if sine < 1e-6:
        outward = perpendicular(axis)
    else:
        outward = scale(outward, 1.0 / sine)
    twist = unwrapped(twist, moving_f[k, LIMITS + 2], moving_f[k, LIMITS + 3])
    low, high = moving_f[k, LIMITS + 2] - twist, moving_f[k, LIMITS + 3] - twist
    if moving_f[k, LIMITS + 3] - moving_f[k, LIMITS + 2] >= 2.0 * math.pi:
        low, high = -BIG, BIG
    along = cross(pointing, outward)
    if low > -1e-9 or high < 1e-9:
        # Pressed against a twist limit: slide along the rim without twisting.
        skew = axpy(axis, -1.0, pointing)
        if norm(skew) > 1e-6:
            along = unit(skew)
    store3(axes, d, 0, rotate(pre, outward))
    store3(axes, d + 1, 0, rotate(pre, along))
    store3(axes, d + 2, 0, rotate(pre, pointing))
    bounds[d, 0] = -BIG
    bounds[d, 1] = moving_f[k, LIMITS + 1] - swing
    bounds[d + 1, 0] = -BIG
    bounds[d + 1, 1] = BIG
    if sine < 1e-6 and swing < 1.0:
        # At rest every direction is outward.
        for i in range(2):
            bounds[d + i, 0] = -moving_f[k, LIMITS + 1]
            bounds[d + i, 1] = moving_f[k, LIMITS + 1]
    bounds[d + 2, 0] = low
    bounds[d + 2, 1] = high


@kernel
def _clamped(value, low, high):
    return min(max(value, low), high)


@kernel
def _capped_turn(axes, delta, d, cap):
    """The world rotation vector of three freedoms, no longer than the cap."""
    turn = scale(load3(axes, d, 0), delta[d])
    turn = axpy(turn, delta[d + 1], load3(axes, d + 1, 0))
    turn = axpy(turn, delta[d + 2], load3(axes, d + 2, 0))
    size = norm(turn)
    if size > cap:
        turn = scale(turn, cap / size)
    return turn


@kernel
def step(moving, moving_f, q, states, length, axes, delta, out):
    """The pose q moved along the tangent step delta, shape (D,), put into the limits exactly.

    Joints' coordinates go to out.

    `states` and `axes` belong to q. Other coordinates of out are left alone.
    """
    for k in range(moving.shape[0]):
        kind = moving[k, M_KIND]
        if moving[k, M_MIMIC] >= 0:
            kind = FIXED
        d = moving[k, M_DOF]
        at = moving[k, M_Q]
        if kind == BALL or kind == CONE:
            turn = _capped_turn(axes, delta, d, moving_f[k, DAMPING])
            turn = unrotate(load4(states, k, S_WPRE), turn)
            put4(out, at, tidied(mul(exp(turn), take4(q, at))))
            if kind == CONE:
                project_joint(kind, moving[k, M_ORDER], moving_f, k, out, at)
        elif kind == HINGE:
            out[at] = _clamped(q[at] + delta[d], moving_f[k, LIMITS], moving_f[k, LIMITS + 1])
        elif kind == AXES:
            for i in range(3):
                if (moving[k, M_ORDER] >> (2 * i)) & 3 == 3:
                    break
                if (moving[k, M_FROZEN] >> i) & 1 == 0:
                    low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
                    out[at + i] = _clamped(q[at + i] + delta[d], low, high)
                    d += 1
                else:
                    out[at + i] = q[at + i]
        elif kind == SLIDER:
            change = delta[d] * length
            out[at] = _clamped(q[at] + change, moving_f[k, LIMITS], moving_f[k, LIMITS + 1])
        elif kind == PLANAR:
            for i in range(3):
                change = delta[d + i] * (length if i < 2 else 1.0)
                low, high = moving_f[k, LIMITS + 2 * i], moving_f[k, LIMITS + 2 * i + 1]
                out[at + i] = _clamped(q[at + i] + change, low, high)
        elif kind == FREE:
            for i in range(3):
                out[at + i] = q[at + i] + delta[d + i] * length
            turn = _capped_turn(axes, delta, d + 3, moving_f[k, DAMPING])
            turn = unrotate(load4(states, k, S_WPRE), turn)
            put4(out, at + 3, tidied(mul(exp(turn), take4(q, at + 3))))
        stretch = moving[k, M_STRETCH_DOF]
        if stretch >= 0:
            at = moving[k, M_STRETCH_Q]
            factor = q[at] + delta[stretch]
            out[at] = _clamped(factor, moving_f[k, STRETCH_LO], moving_f[k, STRETCH_HI])
    follow(moving, moving_f, out)


@kernel
def follow(moving, moving_f, q):
    """Set every mimic joint's coordinate from the joint it copies."""
    for k in range(moving.shape[0]):
        source = moving[k, M_MIMIC]
        if source >= 0:
            value = moving_f[k, MIMIC_MUL] * q[moving[source, M_Q]] + moving_f[k, MIMIC_ADD]
            q[moving[k, M_Q]] = value


@kernel
def project(moving, moving_f, q):
    """Put every moving joint of a pose into its limits, in place."""
    for k in range(moving.shape[0]):
        kind = moving[k, M_KIND]
        if kind != FIXED and moving[k, M_MIMIC] < 0:
            project_joint(kind, moving[k, M_ORDER], moving_f, k, q, moving[k, M_Q])
        if moving[k, M_STRETCH_Q] >= 0:
            at = moving[k, M_STRETCH_Q]
            q[at] = _clamped(q[at], moving_f[k, STRETCH_LO], moving_f[k, STRETCH_HI])
    follow(moving, moving_f, q)
