"""Leaving poses from which no small turn helps: everything in one line with the targets.

There the pull of every effector on every joint vanishes and a solver that follows it would stay for
ever. A small bend of every joint, always the same, leaves such a pose.
"""

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    AXES,
    B_KIND,
    B_MOVE,
    B_WEIGHT,
    BALL,
    CONE,
    E_P0,
    E_POS,
    E_TARGET,
    HINGE,
    M_FROZEN,
    M_KIND,
    M_MIMIC,
    M_NQ,
    M_ORDER,
    M_PARENT,
    M_Q,
    POSITION,
    S_P0,
    S_POS,
)
from supple.kernels.limits import project_joint
from supple.kernels.quaternion import (
    add,
    cross,
    exp,
    load3,
    mul,
    norm,
    normalized,
    perpendicular,
    put4,
    scale,
    store3,
    sub,
    take4,
    unit,
)
from supple.kernels.seeds import fraction
from supple.kernels.tangent import follow

BEND = 0.1  # about how far a joint is bent [rad]
LINE = 1e-9  # a pull below this part of what it could be is none


@kernel
def in_line(moving, blocks, blocks_f, states, effectors, length, scratch):
    """Whether no small turn of any joint moves an effector towards its target position.

    The states and effectors belong to the pose; scratch has shape (moving joints, 6).
    """
    scratch[:] = 0.0
    size = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        if k >= 0 and blocks[g, B_KIND] == POSITION:
            weight = blocks_f[g, B_WEIGHT] * blocks_f[g, B_WEIGHT]
            miss = scale(sub(load3(effectors, g, E_TARGET), load3(effectors, g, E_POS)), weight)
            # Moments count from each joint's own origin: nothing is lost far from the world's.
            arm = sub(load3(effectors, g, E_POS), load3(states, k, S_POS))
            store3(scratch, k, 0, add(load3(scratch, k, 0), cross(arm, miss)))
            store3(scratch, k, 3, add(load3(scratch, k, 3), miss))
            size += norm(miss)
    for k in range(moving.shape[0] - 1, -1, -1):
        pull, miss = load3(scratch, k, 0), load3(scratch, k, 3)
        if norm(pull) > LINE * size * length:
            return False
        parent = moving[k, M_PARENT]
        if parent >= 0:
            arm = sub(load3(states, k, S_POS), load3(states, parent, S_POS))
            pull = add(pull, cross(arm, miss))
            store3(scratch, parent, 0, add(load3(scratch, parent, 0), pull))
            store3(scratch, parent, 3, add(load3(scratch, parent, 3), miss))
    return True


@kernel
def bend(moving, moving_f, blocks, states, effectors, q, scratch):
    """Turn every joint of q (hinge, axes, ball, cone) a little, in its limits, always the same way.

    Balls and cones turn square to their bones; mimic joints follow the joints they copy. Scratch has
    at least three columns a moving joint.
    """
    for k in range(moving.shape[0]):
        store3(scratch, k, 0, (0.0, 0.0, 0.0))
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        if k >= 0:
            store3(scratch, k, 0, add(load3(scratch, k, 0), load3(effectors, g, E_P0)))
    for k in range(moving.shape[0]):
        parent = moving[k, M_PARENT]
        if parent >= 0:
            store3(scratch, parent, 0, add(load3(scratch, parent, 0), load3(states, k, S_P0)))
    for k in range(moving.shape[0]):
        kind, at = moving[k, M_KIND], moving[k, M_Q]
        angle = BEND * (0.5 + fraction(1, k, moving.shape[0]))
        if kind == BALL or kind == CONE:
            bone = unit(load3(scratch, k, 0))
            side = perpendicular(bone) if norm(bone) > 0.0 else (0.0, 0.0, 1.0)
            put4(q, at, normalized(mul(take4(q, at), exp(scale(side, angle)))))
            project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
            continue
        if (kind != HINGE and kind != AXES) or moving[k, M_MIMIC] >= 0:
            continue
        for i in range(moving[k, M_NQ]):
            if kind == AXES and (moving[k, M_FROZEN] >> i) & 1 == 1:
                continue
            here = q[at + i]
            q[at + i] = here + angle
            project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
            if q[at + i] - here < 0.5 * angle:
                q[at + i] = here - angle
                project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
    follow(moving, moving_f, q)
