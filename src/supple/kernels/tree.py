"""The moving tree: what a solve may move, with everything rigid in between folded away.

A solve looks only at the *active* joints (those on the way to an effector) and moves only the
*moving* ones. Locked, fixed and unfree joints never change during a solve, so `fold` merges them
once into the rigid step from each moving joint to the next; after that `forward` is linear in the
moving joints alone.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import joint_shift, joint_turn
from supple.kernels.workspace import matrix, vector

FOLD = (
    10  # an active joint's row while folding: rotation, P0, P1 relative to the nearest moving joint
)


class Frames(NamedTuple):
    """Where a pose puts everything, and how far its effectors are from their targets.

    `fold` fills what is rigid, `forward` and `place_effectors` the world frames, `residuals` the rest.
    """

    joints: Any  # (M, STATE) of the moving joints
    effectors: Any  # (G, EFFECTOR) of the residual blocks
    folded: Any  # (A, FOLD) used by `fold` alone
    residual: Any  # (R,) weighted, in characteristic lengths
    errors: Any  # (G,) in plain units: lengths or radians


@leaf
def take_frames(problem, work):
    """Frames for one pose at a time."""
    blocks = problem.blocks
    return Frames(
        matrix(work, problem.moving.shape[0], layout.STATE),
        matrix(work, blocks.shape[0], layout.EFFECTOR),
        matrix(work, problem.active.shape[0], FOLD),
        vector(work, problem.rows),
        vector(work, blocks.shape[0]),
    )


@leaf
def fold(problem, frames, offsets, q):
    """Merge everything that this solve cannot move into rigid steps between moving joints.

    Read off the pose q. `offsets`, shape (A + 2 G, 3), holds the origins of the active joints, then
    for every block the effector's place in its joint: the part that keeps its length, and the part
    that the joint's stretch multiplies.

    Writes S_PRE, S_P0, S_P1 of every moving joint and E_P0, E_P1, E_ROT of every effector.
    """
    active, active_f, blocks = problem.active, problem.active_f, problem.blocks
    joints, effectors = frames.joints, frames.effectors
    for a in range(active.shape[0]):
        parent = active[a, layout.A_PARENT]
        offset = quat.load3(offsets, a, 0)
        turn = (1.0, 0.0, 0.0, 0.0)
        p0 = offset
        p1 = (0.0, 0.0, 0.0)
        if parent >= 0:
            stretch_q = active[parent, layout.A_STRETCH_Q]
            if active[parent, layout.A_MOVE] >= 0:
                if stretch_q >= 0:
                    p0, p1 = p1, p0
            else:
                turn = quat.load4(frames.folded, parent, 0)
                if stretch_q >= 0:
                    offset = quat.scale(offset, q[stretch_q])
                p0 = quat.add(quat.load3(frames.folded, parent, 4), quat.rotate(turn, offset))
                p1 = quat.load3(frames.folded, parent, 7)
        turn = quat.mul(turn, quat.load4(active_f, a, layout.REST))
        move = active[a, layout.A_MOVE]
        if move >= 0:
            quat.store4(joints, move, layout.S_PRE, turn)
            quat.store3(joints, move, layout.S_P0, p0)
            quat.store3(joints, move, layout.S_P1, p1)
        else:
            kind = active[a, layout.A_KIND]
            at = active[a, layout.A_Q]
            if kind & layout.SLIDES:
                p0 = quat.add(p0, quat.rotate(turn, joint_shift(kind, active_f, a, q, at)))
            turn = quat.mul(turn, joint_turn(kind, active_f, a, q, at))
            quat.store4(frames.folded, a, 0, turn)
            quat.store3(frames.folded, a, 4, p0)
            quat.store3(frames.folded, a, 7, p1)
    for g in range(blocks.shape[0]):
        a = blocks[g, layout.B_JOINT]
        rotation = quat.load4(problem.blocks_f, g, layout.B_ROTATION)
        p0 = quat.load3(offsets, active.shape[0] + 2 * g, 0)
        p1 = quat.load3(offsets, active.shape[0] + 2 * g + 1, 0)
        stretch_q = active[a, layout.A_STRETCH_Q]
        if active[a, layout.A_MOVE] >= 0:
            turn = rotation
            if stretch_q < 0:
                p0, p1 = quat.add(p0, p1), (0.0, 0.0, 0.0)
        else:
            point = quat.axpy(p0, q[stretch_q] if stretch_q >= 0 else 1.0, p1)
            turn = quat.load4(frames.folded, a, 0)
            p0 = quat.add(quat.load3(frames.folded, a, 4), quat.rotate(turn, point))
            p1 = quat.load3(frames.folded, a, 7)
            turn = quat.mul(turn, rotation)
        quat.store3(effectors, g, layout.E_P0, p0)
        quat.store3(effectors, g, layout.E_P1, p1)
        quat.store4(effectors, g, layout.E_ROT, turn)


@leaf
def rigid(problem):
    """Whether what a solve cannot move is the same in every pose."""
    active = problem.active
    for a in range(active.shape[0]):
        if active[a, layout.A_MOVE] < 0:
            if active[a, layout.A_KIND] != layout.FIXED or active[a, layout.A_STRETCH_Q] >= 0:
                return False
    return True


@leaf
def folds_once(problem, starts, offsets):
    """Whether what stands still in a batch stands still alike in all its problems."""
    return offsets.shape[0] == 1 and (starts.shape[0] == 1 or rigid(problem))


@leaf
def place(problem, frames, q, k):
    """The world frame of moving joint k from that of its moving parent."""
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    parent = moving[k, layout.M_PARENT]
    pre = quat.load4(joints, k, layout.S_PRE)
    step = quat.load3(joints, k, layout.S_P0)
    if parent >= 0:
        stretch_q = moving[parent, layout.M_STRETCH_Q]
        if stretch_q >= 0:
            step = quat.axpy(step, q[stretch_q], quat.load3(joints, k, layout.S_P1))
        world = quat.load4(joints, parent, layout.S_W)
        step = quat.add(quat.load3(joints, parent, layout.S_POS), quat.rotate(world, step))
        pre = world if pre[1] == pre[2] == pre[3] == 0.0 else quat.mul(world, pre)
    kind = moving[k, layout.M_KIND]
    at = moving[k, layout.M_Q]
    if kind & layout.SLIDES:
        step = quat.add(step, quat.rotate(pre, joint_shift(kind, moving_f, k, q, at)))
    quat.store4(joints, k, layout.S_WPRE, pre)
    quat.store4(joints, k, layout.S_W, quat.mul(pre, joint_turn(kind, moving_f, k, q, at)))
    quat.store3(joints, k, layout.S_POS, step)


@kernel
def forward(problem, frames, q):
    """World frames of all moving joints: S_WPRE, S_W, S_POS."""
    for k in range(problem.moving.shape[0]):
        place(problem, frames, q, k)


@kernel
def place_effectors(problem, frames, q):
    """World point and rotation of every effector: E_POS, E_WROT."""
    blocks = problem.blocks
    joints, effectors = frames.joints, frames.effectors
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        point = quat.load3(effectors, g, layout.E_P0)
        rotation = quat.load4(effectors, g, layout.E_ROT)
        if k >= 0:
            stretch_q = problem.moving[k, layout.M_STRETCH_Q]
            if stretch_q >= 0:
                point = quat.axpy(point, q[stretch_q], quat.load3(effectors, g, layout.E_P1))
            world = quat.load4(joints, k, layout.S_W)
            point = quat.add(quat.load3(joints, k, layout.S_POS), quat.rotate(world, point))
            rotation = quat.mul(world, rotation)
        quat.store3(effectors, g, layout.E_POS, point)
        quat.store4(effectors, g, layout.E_WROT, rotation)


@leaf
def aim(problem, frames, targets):
    """Give every effector its target; a held one keeps the place it has now."""
    blocks = problem.blocks
    effectors = frames.effectors
    for g in range(blocks.shape[0]):
        kind = blocks[g, layout.B_KIND]
        if blocks[g, layout.B_HELD] == 1:
            if kind == layout.ORIENTATION:
                quat.store4(
                    effectors,
                    g,
                    layout.E_TARGET,
                    quat.load4(effectors, g, layout.E_WROT),
                )
            else:
                quat.store3(
                    effectors,
                    g,
                    layout.E_TARGET,
                    quat.load3(effectors, g, layout.E_POS),
                )
            continue
        t = blocks[g, layout.B_TARGET]
        for i in range(4 if kind == layout.ORIENTATION else 3):
            effectors[g, layout.E_TARGET + i] = targets[t + i]
