"""Leave singular poses, in which the chain is in line with its targets.

There the gradient vanishes for every joint, and a solver that follows it would never move. A small, fixed bend of
every joint leaves such a pose.
"""

from typing import NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel
from supple.kernels.jacobian import step_along, tangent
from supple.kernels.joint import (
    follow,
    has_quaternion,
    number_count,
    project_joint,
    slide_count,
)
from supple.kernels.restart import fraction
from supple.kernels.workspace import copy, zero_rows


class BendRules(NamedTuple):
    """When a pose counts as in line, and how far it is bent then. Not tuned.

    Attributes:
        joint: About how far `bend` bends a joint [rad].
        freedom: How far `bend_freedoms` changes a freedom, at most [rad, characteristic lengths].
        least_pull: A pull below this part of what it could be is rounding.
    """

    joint: float = 0.1
    freedom: float = 0.03
    least_pull: float = 1e-9


RULES = BendRules()


@kernel
def in_line(problem, frames, scratch):
    """True if no small rotation of any joint moves an effector towards its target position.

    The states and effectors belong to the pose; scratch has shape (moving joints, 6).
    """
    moving, blocks, blocks_f = problem.moving, problem.blocks, problem.blocks_f
    joints, effectors = frames.joints, frames.effectors
    zero_rows(scratch)
    size = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if k >= 0 and blocks[g, layout.B_KIND] == layout.POSITION:
            weight = blocks_f[g, layout.B_WEIGHT] * blocks_f[g, layout.B_WEIGHT]
            miss = quat.scale(
                quat.sub(
                    quat.load3(effectors, g, layout.E_TARGET),
                    quat.load3(effectors, g, layout.E_POS),
                ),
                weight,
            )
            # Moments are about each joint's own origin, so that no digits are lost far from the world's.
            arm = quat.sub(
                quat.load3(effectors, g, layout.E_POS),
                quat.load3(joints, k, layout.S_POS),
            )
            quat.store3(scratch, k, 0, quat.add(quat.load3(scratch, k, 0), quat.cross(arm, miss)))
            quat.store3(scratch, k, 3, quat.add(quat.load3(scratch, k, 3), miss))
            size += quat.norm(miss)
    for k in range(moving.shape[0] - 1, -1, -1):
        pull, miss = quat.load3(scratch, k, 0), quat.load3(scratch, k, 3)
        if quat.norm(pull) > RULES.least_pull * size * problem.length:
            return False
        parent = moving[k, layout.M_PARENT]
        if parent >= 0:
            arm = quat.sub(
                quat.load3(joints, k, layout.S_POS),
                quat.load3(joints, parent, layout.S_POS),
            )
            pull = quat.add(pull, quat.cross(arm, miss))
            quat.store3(scratch, parent, 0, quat.add(quat.load3(scratch, parent, 0), pull))
            quat.store3(scratch, parent, 3, quat.add(quat.load3(scratch, parent, 3), miss))
    return True


@kernel
def bend(problem, frames, q, scratch):
    """Bend every joint of q that does not slide by a small fixed angle, inside its limits.

    Quaternions turn about an axis perpendicular to their bones; mimic joints follow the joints they copy. Scratch has
    at least three columns a moving joint.
    """
    moving, moving_f, blocks = problem.moving, problem.moving_f, problem.blocks
    for k in range(moving.shape[0]):
        quat.store3(scratch, k, 0, (0.0, 0.0, 0.0))
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if k >= 0:
            quat.store3(
                scratch,
                k,
                0,
                quat.add(quat.load3(scratch, k, 0), quat.load3(frames.effectors, g, layout.E_P0)),
            )
    for k in range(moving.shape[0]):
        parent = moving[k, layout.M_PARENT]
        if parent >= 0:
            quat.store3(
                scratch,
                parent,
                0,
                quat.add(quat.load3(scratch, parent, 0), quat.load3(frames.joints, k, layout.S_P0)),
            )
    for k in range(moving.shape[0]):
        kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
        angle = RULES.joint * (0.5 + fraction(1, k, moving.shape[0]))
        if slide_count(kind) > 0:
            continue  # a slide is never singular in line
        if has_quaternion(kind):
            bone = quat.unit(quat.load3(scratch, k, 0))
            side = quat.perpendicular(bone) if quat.norm(bone) > 0.0 else (0.0, 0.0, 1.0)
            quat.put4(
                q,
                at,
                quat.normalized(quat.mul(quat.take4(q, at), quat.exp(quat.scale(side, angle)))),
            )
            project_joint(kind, moving_f, k, q, at)
            continue
        if moving[k, layout.M_MIMIC] >= 0:
            continue
        for i in range(number_count(kind)):
            if (moving[k, layout.M_FROZEN] >> i) & 1 == 1:
                continue
            here = q[at + i]
            q[at + i] = here + angle
            project_joint(kind, moving_f, k, q, at)
            if q[at + i] - here < 0.5 * angle:
                q[at + i] = here - angle
                project_joint(kind, moving_f, k, q, at)
    follow(problem, q)


@kernel
def bend_freedoms(problem, frames, linear, q, change, out):
    """Write into out the pose q, evaluated, with every freedom changed by a small fixed amount, inside its limits."""
    bounds = linear.bounds
    tangent(problem, frames, linear, q)
    for d in range(problem.freedoms):
        small = RULES.freedom * (2.0 * fraction(1, d, problem.freedoms) - 1.0)
        change[d] = min(max(small, bounds[d, 0]), bounds[d, 1])
    copy(q, out)
    step_along(problem, frames, linear, q, change, out)
