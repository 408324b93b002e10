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
from supple.kernels.limits import project_joint, swing_twist_angles, unwrapped

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
        if kind == layout.BALL:
            _world_axes(linear, d)
        elif kind == layout.HINGE:
            quat.store3(axes, d, 0, quat.rotate(pre, quat.load3(moving_f, k, layout.AXIS)))
            _bound(
                linear,
                d,
                moving_f[k, layout.LIMITS] - q[at],
                moving_f[k, layout.LIMITS + 1] - q[at],
                cap,
            )
        elif kind == layout.CONE:
            _cone_axes(problem, linear, q, k, at, pre, d)
        elif kind == layout.AXES:
            order = moving[k, layout.M_ORDER]
            turn = pre
            for i in range(3):
                code = (order >> (2 * i)) & 3
                if code == 3:
                    break
                if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                    quat.store3(axes, d, 0, quat.rotate(turn, quat.letter_axis(code)))
                    low = moving_f[k, layout.LIMITS + 2 * i] - q[at + i]
                    _bound(
                        linear,
                        d,
                        low,
                        moving_f[k, layout.LIMITS + 2 * i + 1] - q[at + i],
                        cap,
                    )
                    d += 1
                turn = quat.mul(turn, quat.turn_about_letter(code, q[at + i]))
        elif kind == layout.SLIDER:
            quat.store3(axes, d, 0, quat.rotate(pre, quat.load3(moving_f, k, layout.AXIS)))
            low = (moving_f[k, layout.LIMITS] - q[at]) / problem.length
            _bound(
                linear,
                d,
                low,
                (moving_f[k, layout.LIMITS + 1] - q[at]) / problem.length,
                cap / problem.length,
            )
        elif kind == layout.PLANAR:
            u = quat.load3(moving_f, k, layout.AXIS_U)
            normal = quat.load3(moving_f, k, layout.AXIS)
            quat.store3(axes, d, 0, quat.rotate(pre, u))
            quat.store3(axes, d + 1, 0, quat.rotate(pre, quat.cross(normal, u)))
            quat.store3(axes, d + 2, 0, quat.rotate(pre, normal))
            for i in range(3):
                unit_of = problem.length if i < 2 else 1.0
                low = (moving_f[k, layout.LIMITS + 2 * i] - q[at + i]) / unit_of
                high = (moving_f[k, layout.LIMITS + 2 * i + 1] - q[at + i]) / unit_of
                _bound(linear, d + i, low, high, cap / unit_of)
        elif kind == layout.FREE:
            for i in range(3):
                quat.store3(axes, d + i, 0, quat.rotate(pre, quat.letter_axis(i)))
                _bound(linear, d + i, -BIG, BIG, cap / problem.length)
            _world_axes(linear, d + 3)
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
def _cone_axes(problem, linear, q, k, at, pre, d):
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
        if kind == layout.BALL or kind == layout.CONE:
            turn = _capped_turn(linear, delta, d, moving_f[k, layout.DAMPING])
            turn = quat.unrotate(quat.load4(joints, k, layout.S_WPRE), turn)
            quat.put4(out, at, quat.tidied(quat.mul(quat.exp(turn), quat.take4(q, at))))
            if kind == layout.CONE:
                project_joint(kind, moving[k, layout.M_ORDER], moving_f, k, out, at)
        elif kind == layout.HINGE:
            out[at] = _clamped(
                q[at] + delta[d],
                moving_f[k, layout.LIMITS],
                moving_f[k, layout.LIMITS + 1],
            )
        elif kind == layout.AXES:
            for i in range(3):
                if (moving[k, layout.M_ORDER] >> (2 * i)) & 3 == 3:
                    break
                if (moving[k, layout.M_FROZEN] >> i) & 1 == 0:
                    low, high = (
                        moving_f[k, layout.LIMITS + 2 * i],
                        moving_f[k, layout.LIMITS + 2 * i + 1],
                    )
                    out[at + i] = _clamped(q[at + i] + delta[d], low, high)
                    d += 1
                else:
                    out[at + i] = q[at + i]
        elif kind == layout.SLIDER:
            change = delta[d] * problem.length
            out[at] = _clamped(
                q[at] + change,
                moving_f[k, layout.LIMITS],
                moving_f[k, layout.LIMITS + 1],
            )
        elif kind == layout.PLANAR:
            for i in range(3):
                change = delta[d + i] * (problem.length if i < 2 else 1.0)
                low, high = (
                    moving_f[k, layout.LIMITS + 2 * i],
                    moving_f[k, layout.LIMITS + 2 * i + 1],
                )
                out[at + i] = _clamped(q[at + i] + change, low, high)
        elif kind == layout.FREE:
            for i in range(3):
                out[at + i] = q[at + i] + delta[d + i] * problem.length
            turn = _capped_turn(linear, delta, d + 3, moving_f[k, layout.DAMPING])
            turn = quat.unrotate(quat.load4(joints, k, layout.S_WPRE), turn)
            quat.put4(out, at + 3, quat.tidied(quat.mul(quat.exp(turn), quat.take4(q, at + 3))))
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


@kernel
def follow(problem, q):
    """Set every mimic joint's coordinate from the joint it copies."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        source = moving[k, layout.M_MIMIC]
        if source >= 0:
            value = (
                moving_f[k, layout.MIMIC_MUL] * q[moving[source, layout.M_Q]]
                + moving_f[k, layout.MIMIC_ADD]
            )
            q[moving[k, layout.M_Q]] = value


@kernel
def project(problem, q):
    """Put every moving joint of a pose into its limits, in place."""
    moving, moving_f = problem.moving, problem.moving_f
    for k in range(moving.shape[0]):
        kind = moving[k, layout.M_KIND]
        if kind != layout.FIXED and moving[k, layout.M_MIMIC] < 0:
            project_joint(
                kind,
                moving[k, layout.M_ORDER],
                moving_f,
                k,
                q,
                moving[k, layout.M_Q],
            )
        if moving[k, layout.M_STRETCH_Q] >= 0:
            at = moving[k, layout.M_STRETCH_Q]
            q[at] = _clamped(
                q[at],
                moving_f[k, layout.STRETCH_LO],
                moving_f[k, layout.STRETCH_HI],
            )
    follow(problem, q)
