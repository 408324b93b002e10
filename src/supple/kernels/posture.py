"""Secondary goals: a rest posture and poles, as a step in the tangent space.

The step is the sum of two: one brings every joint back to the rest posture, the other swings every bent limb to
its pole. Solvers follow it only as far as the primary goals stay met.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import has_quaternion, number_count, slides
from supple.kernels.problem import pole_angle

LONGEST_STEP = 0.5  # the most that a step changes one freedom, or turns one ball [rad]; not tuned


@kernel
def _towards_rest(problem, frames, linear, weight, q, step):
    """Add the weighted step to the rest posture; returns half its weighted squared length."""
    moving = problem.moving
    cost = 0.0
    for k in range(moving.shape[0]):
        if moving[k, layout.M_MIMIC] >= 0:
            continue
        kind = moving[k, layout.M_KIND]
        at = moving[k, layout.M_Q]
        d = moving[k, layout.M_DOF]
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            way = problem.rest[moving[k, layout.M_STRETCH_Q]] - q[moving[k, layout.M_STRETCH_Q]]
            step[stretch] += weight * way
            cost += 0.5 * way * way
        if has_quaternion(kind):
            shift = number_count(kind)
            turn = quat.log(
                quat.mul(quat.take4(problem.rest, at + shift), quat.conj(quat.take4(q, at + shift)))
            )
            turn = quat.rotate(quat.load4(frames.joints, k, layout.S_WPRE), turn)
            for i in range(3):
                way = quat.dot(turn, quat.load3(linear.axes, d + shift + i, 0))
                step[d + shift + i] += weight * way
                cost += 0.5 * way * way
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            way = problem.rest[at + i] - q[at + i]
            if slides(kind, i):
                way /= problem.length
            step[d] += weight * way
            cost += 0.5 * way * way
            d += 1
    return weight * cost


@kernel
def _towards_pole(problem, frames, linear, g, step, swing):
    """Add the swing of a bent limb about its root-to-tip line to the step.

    Returns half its weighted squared angle.
    """
    moving, blocks = problem.moving, problem.blocks
    joints, effectors = frames.joints, frames.effectors
    angle = pole_angle(problem, frames, g)
    weight = problem.blocks_f[g, layout.B_WEIGHT]
    root = quat.load3(joints, blocks[g, layout.B_ROOT], layout.S_POS)
    line = quat.unit(quat.sub(quat.load3(effectors, blocks[g, layout.B_REACH], layout.E_POS), root))
    middle = quat.load3(effectors, g, layout.E_POS)
    out = quat.sub(middle, root)
    out = quat.axpy(out, -quat.dot(out, line), line)
    square = quat.dot(out, out)
    if square == 0.0:
        return 0.0
    total = 0.0
    k = blocks[g, layout.B_MOVE]
    while k >= 0:
        kind = moving[k, layout.M_KIND]
        if moving[k, layout.M_MIMIC] < 0:
            arm = quat.sub(middle, quat.load3(joints, k, layout.S_POS))
            for i in range(moving[k, layout.M_NDOF]):
                d = moving[k, layout.M_DOF] + i
                swing[d] = 0.0
                if not slides(kind, i):
                    swing[d] = (
                        quat.dot(
                            quat.cross(line, out), quat.cross(quat.load3(linear.axes, d, 0), arm)
                        )
                        / square
                    )
                total += swing[d] * swing[d]
        k = moving[k, layout.M_PARENT]
    k = blocks[g, layout.B_MOVE]
    while k >= 0 and total > 0.0:
        if moving[k, layout.M_MIMIC] < 0:
            for i in range(moving[k, layout.M_NDOF]):
                d = moving[k, layout.M_DOF] + i
                step[d] += weight * angle * swing[d] / total
        k = moving[k, layout.M_PARENT]
    return 0.5 * weight * angle * angle


@kernel
def posture(problem, frames, linear, q, step, swing):
    """Fill the step, shape (D,), for the pose q with its frames and axes.

    Returns the secondary cost.
    """
    moving, blocks = problem.moving, problem.blocks
    for d in range(step.shape[0]):
        step[d] = 0.0
    cost = 0.0
    if problem.has_rest:
        cost += _towards_rest(problem, frames, linear, problem.rest_weight, q, step)
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POLE:
            cost += _towards_pole(problem, frames, linear, g, step, swing)
    for k in range(moving.shape[0]):
        if moving[k, layout.M_MIMIC] < 0:
            _shorten(problem, k, step)
    return cost


@leaf
def _shorten(problem, k, step):
    """Limit the step of a joint's freedoms to LONGEST_STEP; of a quaternion, the length of its rotation vector."""
    moving = problem.moving
    kind, d = moving[k, layout.M_KIND], moving[k, layout.M_DOF]
    together = has_quaternion(kind)
    for n in range(moving[k, layout.M_NDOF]):
        if not together or n < number_count(kind):
            step[d + n] = math.copysign(min(abs(step[d + n]), LONGEST_STEP), step[d + n])
    if moving[k, layout.M_STRETCH_DOF] >= 0:
        e = moving[k, layout.M_STRETCH_DOF]
        step[e] = math.copysign(min(abs(step[e]), LONGEST_STEP), step[e])
    if together:
        d += number_count(kind)
        size = math.sqrt(step[d] ** 2 + step[d + 1] ** 2 + step[d + 2] ** 2)
        if size > LONGEST_STEP:
            for n in range(3):
                step[d + n] *= LONGEST_STEP / size
