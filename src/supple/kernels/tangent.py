"""The tangent space of a pose: a world axis, bounds and a step for every freedom.

A *freedom* turns about or slides along one axis, or stretches a joint. Balls turn about the world
axes. A cone turns outward, along its rim and about itself, so that its limits are bounds on single
freedoms and it can slide along the rim when pressed against it. Lengths count in characteristic
lengths, so a slide of one moves as far as a radian at the tip.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import (
    axis_of,
    follow,
    has_quaternion,
    number_count,
    project_joint,
    slides,
    swing_twist_angles,
    unwrapped,
)

BIG = 1e300


@leaf
def _bound(linear, d, low, high, cap):
    bounds = linear.bounds
    bounds[d, 0] = max(low, -cap)
    bounds[d, 1] = min(high, cap)


@kernel
def tangent(problem, frames, linear, q):
    """World axis of every freedom and how far it may change from here, bounds of shape (D, 2).

    Axes have shape (D + M, 3): a mimic joint k has no freedom, its axis stands in row D + k. The
    axis of a stretch is left alone: what a stretch moves depends on the branch.
    """
    moving, moving_f = problem.moving, problem.moving_f
    axes = linear.axes
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        pre = quat.load4(frames.joints, k, layout.S_WPRE)
        if moving[k, layout.M_MIMIC] >= 0:
            quat.store3(
                axes,
                linear.bounds.shape[0] + k,
                0,
                quat.rotate(pre, quat.load3(moving_f, k, layout.AXIS)),
            )
            kind = layout.FIXED  # it has no freedom of its own but its stretch
        d = moving[k, layout.M_DOF]
        at = moving[k, layout.M_Q]
        cap = moving_f[k, layout.DAMPING]
        turn = pre
        for i in range(number_count(kind)):
            axis = axis_of(moving_f, k, i)
            low = moving_f[k, layout.LIMITS + 2 * i] - q[at + i]
            high = moving_f[k, layout.LIMITS + 2 * i + 1] - q[at + i]
            if slides(kind, i):
                quat.store3(axes, d, 0, quat.rotate(pre, axis))
                unit = problem.length
                _bound(linear, d, low / unit, high / unit, cap / unit)
                d += 1
                continue
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                quat.store3(axes, d, 0, quat.rotate(turn, axis))
                _bound(linear, d, low, high, cap)
                d += 1
            if i + 1 < number_count(kind):
                turn = quat.mul(turn, quat.about(axis, q[at + i]))
        if kind & layout.SWING_TWIST != 0:
            _swing_twist_axes(problem, linear, q, k, at + number_count(kind), pre, d)
        elif has_quaternion(kind):
            _world_axes(linear, d)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            factor = q[moving[k, layout.M_STRETCH_Q]]
            _bound(
                linear,
                stretch,
                moving_f[k, layout.STRETCH_LO] - factor,
                moving_f[k, layout.STRETCH_HI] - factor,
                cap,
            )


@leaf
def _world_axes(linear, d):
    bounds = linear.bounds
    for i in range(3):
        quat.store3(linear.axes, d + i, 0, quat.letter_axis(i))
        bounds[d + i, 0] = -BIG
        bounds[d + i, 1] = BIG


@leaf
def _swing_twist_axes(problem, linear, q, k, at, pre, d):
    """Outward, along the rim, about itself.

    Plain world axes while the cone's axis is (almost) at rest.
    """
    moving_f = problem.moving_f
    axes, bounds = linear.axes, linear.bounds
    axis = quat.load3(moving_f, k, layout.AXIS)
    turn = quat.take4(q, at)
    pointing = quat.rotate(turn, axis)
    outward = quat.cross(axis, pointing)
    sine = quat.norm(outward)
    swing, twist = swing_twist_angles(turn, axis)
    if sine < 1e-6:
        outward = quat.perpendicular(axis)
    else:
        outward = quat.scale(outward, 1.0 / sine)
    twist = unwrapped(twist, moving_f[k, layout.LIMITS + 2], moving_f[k, layout.LIMITS + 3])
    low, high = (
        moving_f[k, layout.LIMITS + 2] - twist,
        moving_f[k, layout.LIMITS + 3] - twist,
    )
    if moving_f[k, layout.LIMITS + 3] - moving_f[k, layout.LIMITS + 2] >= 2.0 * math.pi:
        low, high = -BIG, BIG
    along = quat.cross(pointing, outward)
    if low > -1e-9 or high < 1e-9:
        # Pressed against a twist limit: slide along the rim without twisting.
        skew = quat.axpy(axis, -1.0, pointing)
        if quat.norm(skew) > 1e-6:
            along = quat.unit(skew)
    quat.store3(axes, d, 0, quat.rotate(pre, outward))
    quat.store3(axes, d + 1, 0, quat.rotate(pre, along))
    quat.store3(axes, d + 2, 0, quat.rotate(pre, pointing))
    # No step crosses more of the cone than there is: the rim of a narrow one bends away at once.
    limit = moving_f[k, layout.LIMITS + 1]
    bounds[d, 0] = -limit - swing
    bounds[d, 1] = limit - swing
    bounds[d + 1, 0] = -limit
    bounds[d + 1, 1] = limit
    if sine < 1e-6 and swing < 1.0:
        # At rest every direction is outward.
        for i in range(2):
            bounds[d + i, 0] = -moving_f[k, layout.LIMITS + 1]
            bounds[d + i, 1] = moving_f[k, layout.LIMITS + 1]
    bounds[d + 2, 0] = low
    bounds[d + 2, 1] = high


@leaf
def _clamped(value, low, high):
    return min(max(value, low), high)


@leaf
def _capped_turn(linear, delta, d, cap):
    """The world rotation vector of three freedoms, no longer than the cap."""
    axes = linear.axes
    turn = quat.scale(quat.load3(axes, d, 0), delta[d])
    turn = quat.axpy(turn, delta[d + 1], quat.load3(axes, d + 1, 0))
    turn = quat.axpy(turn, delta[d + 2], quat.load3(axes, d + 2, 0))
    size = quat.norm(turn)
    if size > cap:
        turn = quat.scale(turn, cap / size)
    return turn


@kernel
def step_along(problem, frames, linear, q, delta, out):
    """The pose q moved along the tangent step delta, shape (D,), put into the limits exactly.

    Joints' coordinates go to out.

    `states` and `axes` belong to q. Other coordinates of out are left alone.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if moving[k, layout.M_MIMIC] >= 0:
            kind = layout.FIXED
        d = moving[k, layout.M_DOF]
        at = moving[k, layout.M_Q]
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                out[at + i] = q[at + i]
                continue
            low = moving_f[k, layout.LIMITS + 2 * i]
            high = moving_f[k, layout.LIMITS + 2 * i + 1]
            change = delta[d] * problem.length if slides(kind, i) else delta[d]
            out[at + i] = _clamped(q[at + i] + change, low, high)
            d += 1
        if has_quaternion(kind):
            i = at + number_count(kind)
            turn = _capped_turn(linear, delta, d, moving_f[k, layout.DAMPING])
            turn = quat.unrotate(quat.load4(joints, k, layout.S_WPRE), turn)
            quat.put4(out, i, quat.tidied(quat.mul(quat.exp(turn), quat.take4(q, i))))
            if kind & layout.SWING_TWIST != 0:
                project_joint(kind, moving_f, k, out, at)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            factor = q[at] + delta[stretch]
            out[at] = _clamped(
                factor,
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
    follow(problem, out)
