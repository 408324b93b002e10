"""A lowered problem and its value at a pose: frames, effectors, residual and cost.

`supple.problem.lowering.Problem` packs a skeleton, its goals and a solver's options into one array of
integers and one of floats; `unpack` names their parts once, at the top of a kernel. The columns of the
tables are in `layout`.

A solve looks only at the *active* joints (those in the chain of an effector) and moves only the *moving*
joints among them. Locked and fixed joints, and those that no goal frees, never change during a solve. `fold` merges
them once into the rigid transform from each moving joint to the next, so the work of `forward` is linear in the
number of moving joints.

Every primary block has three residual rows, scaled so that all solvers see dimensionless residuals: a position
counts in characteristic lengths, a radian counts `radian` of them. The cost is half the sum of squares,
weights included. `evaluate` does all of it for one pose.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout, own_goals
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import joint_shift, joint_turn, project
from supple.kernels.tree_factor import tree_size
from supple.kernels.workspace import copy, grid, matrix, part, vector

# The packed problem -------------------------------------------------------------------------------


class Problem(NamedTuple):
    """The input of a solve except its targets and its start, read only."""

    active: Any  # (A, ACTIVE_INTS) joints in the chain of an effector
    active_f: Any  # (A, JOINT_FLOATS)
    moving: Any  # (M, MOVING_INTS) of these, the joints this solve may move, parents first
    moving_f: Any  # (M, JOINT_FLOATS)
    blocks: Any  # (G, BLOCK_INTS) residual blocks: a position, an orientation, a look, a pole, rows of a custom goal
    blocks_f: Any  # (G, BLOCK_FLOATS)
    touch: Any  # (D, G) 1 where a freedom moves a block; (0, G) on a tree
    border: Any  # (B,) freedoms in the border of a tree
    options: Any  # the solver's options
    rest: Any  # (Q,) the rest posture
    weight: Any  # (D,) 1 - stiffness of each freedom
    coordinates: int  # Q
    freedoms: int  # D
    rows: int  # R, residual rows of the primary blocks
    length: float  # characteristic length: the longest chain of any goal
    radian: float  # weight of one radian of orientation error, in characteristic lengths
    rest_weight: float
    has_rest: bool  # whether a rest posture is asked for
    has_poles: bool
    has_carriers: bool  # whether some targets depend on effectors that move
    has_moving_targets: bool  # the same, spans not counted
    reported: int  # blocks whose errors are reported: all except the carriers, which come last
    keep: bool  # whether the start is given back where the goals are out of reach
    has_own: bool  # whether there are custom goals
    is_tree: bool  # whether steps are found on the tree (`tree_factor`), without a dense Jacobian


@leaf
def unpack(ints, floats):
    """The problem in a packed pair of arrays."""
    na, nm, ng = ints[layout.H_ACTIVE], ints[layout.H_MOVING], ints[layout.H_BLOCKS]
    nq, nd = ints[layout.H_COORDS], ints[layout.H_DOFS]
    moving = layout.HEADER_INTS + na * layout.ACTIVE_INTS
    blocks = moving + nm * layout.MOVING_INTS
    touch = blocks + ng * layout.BLOCK_INTS
    is_tree = ints[layout.H_TREE] == 1
    touching = 0 if is_tree else nd
    active_f = layout.HEADER_FLOATS
    moving_f = active_f + na * layout.JOINT_FLOATS
    blocks_f = moving_f + nm * layout.JOINT_FLOATS
    options = blocks_f + ng * layout.BLOCK_FLOATS
    rest = options + ints[layout.H_OPTIONS]
    return Problem(
        grid(ints, layout.HEADER_INTS, na, layout.ACTIVE_INTS),
        grid(floats, active_f, na, layout.JOINT_FLOATS),
        grid(ints, moving, nm, layout.MOVING_INTS),
        grid(floats, moving_f, nm, layout.JOINT_FLOATS),
        grid(ints, blocks, ng, layout.BLOCK_INTS),
        grid(floats, blocks_f, ng, layout.BLOCK_FLOATS),
        grid(ints, touch, touching, ng),
        part(ints, touch + touching * ng, ints[layout.H_BORDER]),
        part(floats, options, ints[layout.H_OPTIONS]),
        part(floats, rest, nq),
        part(floats, rest + nq, nd),
        nq,
        nd,
        ints[layout.H_ROWS],
        floats[layout.F_LENGTH],
        floats[layout.F_RADIAN],
        floats[layout.F_REST],
        ints[layout.H_REST] == 1,
        ints[layout.H_POLES] > 0,
        3 * (ng - ints[layout.H_POLES] - ints[layout.H_FRAMES]) > ints[layout.H_ROWS],
        3 * (ng - ints[layout.H_POLES] - ints[layout.H_FRAMES] - ints[layout.H_SPANS])
        > ints[layout.H_ROWS],
        ints[layout.H_ROWS] // 3 + ints[layout.H_POLES],
        ints[layout.H_KEEP] == 1,
        ints[layout.H_FRAMES] > 0,
        is_tree,
    )


@leaf
def with_blocks(problem, blocks_f):
    """The same problem with other floats of its blocks, shape (G, BLOCK_FLOATS)."""
    return Problem(
        problem.active,
        problem.active_f,
        problem.moving,
        problem.moving_f,
        problem.blocks,
        blocks_f,
        problem.touch,
        problem.border,
        problem.options,
        problem.rest,
        problem.weight,
        problem.coordinates,
        problem.freedoms,
        problem.rows,
        problem.length,
        problem.radian,
        problem.rest_weight,
        problem.has_rest,
        problem.has_poles,
        problem.has_carriers,
        problem.has_moving_targets,
        problem.reported,
        problem.keep,
        problem.has_own,
        problem.is_tree,
    )


@leaf
def has_secondary(problem):
    """True if a problem has secondary goals: a rest posture or poles."""
    return problem.has_rest or problem.has_poles


# The moving tree ----------------------------------------------------------------------------------

FOLDED_FLOATS = 10  # of an active joint: rotation, P0 and P1 relative to the nearest moving joint


class Frames(NamedTuple):
    """World frames of a pose, and how far its effectors are from their targets.

    `fold` fills the rigid parts, `forward` and `place_effectors` the world frames, `residuals` the rest.
    """

    joints: Any  # (M, STATE) of the moving joints
    effectors: Any  # (G, EFFECTOR) of the residual blocks
    folded: Any  # (A, FOLDED_FLOATS) used by `fold` alone
    residual: Any  # (R,) weighted, in characteristic lengths
    errors: Any  # (G,) without weights [model units or rad]; then the workspace of `own_goals`


@leaf
def take_frames(problem, work):
    """Frames for one pose at a time."""
    blocks = problem.blocks
    return Frames(
        matrix(work, problem.moving.shape[0], layout.STATE),
        matrix(work, blocks.shape[0], layout.EFFECTOR),
        matrix(work, problem.active.shape[0], FOLDED_FLOATS),
        vector(work, problem.rows),
        vector(work, blocks.shape[0] + (own_goals.room(problem) if problem.has_own else 0)),
    )


class Linear(NamedTuple):
    """The linear problem at a pose: the effect of every freedom, and how far it may change."""

    axes: Any  # (D + M, 3) the world axis of every freedom, then of every mimic joint
    bounds: Any  # (D, 2) how far it may change from here
    columns: Any  # (D, R) the Jacobian; (0, R) where the tree is used
    tree: Any  # the memory of `tree_factor.tree_of`; empty where the Jacobian is used


@leaf
def take_linear(problem, work):
    """The linear problem of one pose at a time: a tree if the problem asks for one, else a dense Jacobian."""
    return _taken(problem, work, problem.is_tree)


@leaf
def take_dense_linear(problem, work):
    """The linear problem of one pose at a time, with a dense Jacobian."""
    return _taken(problem, work, False)


@leaf
def _taken(problem, work, is_tree):
    nd, nm = problem.freedoms, problem.moving.shape[0]
    return Linear(
        matrix(work, nd + nm, 3),
        matrix(work, nd, 2),
        matrix(work, 0 if is_tree else nd, problem.rows),
        vector(work, tree_size(problem) if is_tree else 0),
    )


@leaf
def fold(problem, frames, offsets, q):
    """Merge all joints that this solve cannot move, at the pose q, into rigid transforms between moving joints.

    `offsets`, shape (A + 2 G, 3), holds the origins of the active joints, then
    for every block the effector's position in its joint: the fixed part, and the part
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
    """True if only moving joints depend on the pose."""
    active = problem.active
    for a in range(active.shape[0]):
        if active[a, layout.A_MOVE] < 0:
            if active[a, layout.A_KIND] != layout.FIXED or active[a, layout.A_STRETCH_Q] >= 0:
                return False
    return True


@leaf
def folds_once(problem, starts, offsets):
    """True if one `fold` is enough for all problems of a batch."""
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


@kernel
def follow_carriers(problem, frames):
    """Set the targets that are other effectors to where these are now.

    A span's target is offset by the vector that `set_targets` has left in the carrier's row.
    """
    blocks, effectors = problem.blocks, frames.effectors
    for g in range(blocks.shape[0]):
        carrier = blocks[g, layout.B_CARRIER]
        if carrier < 0:
            continue
        if blocks[g, layout.B_KIND] == layout.ALIGN:
            quat.store4(
                effectors, g, layout.E_TARGET, quat.load4(effectors, carrier, layout.E_WROT)
            )
            continue
        point = quat.load3(effectors, carrier, layout.E_POS)
        if blocks[g, layout.B_KIND] == layout.SPAN:
            point = quat.add(point, quat.load3(effectors, carrier, layout.E_TARGET))
        quat.store3(effectors, g, layout.E_TARGET, point)


@leaf
def set_targets(problem, frames, targets):
    """Set every effector's target; if it is held, its present position or orientation."""
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
        row = blocks[g, layout.B_CARRIER] if kind == layout.SPAN else g
        if row == g and (kind >= layout.MEET or blocks[g, layout.B_CARRIER] >= 0):
            continue  # its target moves, or it has none
        t = blocks[g, layout.B_TARGET]
        for i in range(4 if kind == layout.ORIENTATION else 3):
            effectors[row, layout.E_TARGET + i] = targets[t + i]
    if problem.has_own:
        own_goals.set_values(problem, frames, targets)


# Residuals ----------------------------------------------------------------------------------------
#
# Residual rows for the solvers, errors in model units and radians for reports.


@leaf
def look(problem, frames, g):
    """The unit directions in which the effector looks and should look, and the distance of the target."""
    effectors = frames.effectors
    seen = quat.rotate(
        quat.load4(effectors, g, layout.E_WROT),
        quat.load3(problem.blocks_f, g, layout.B_AXIS),
    )
    way = quat.sub(
        quat.load3(effectors, g, layout.E_TARGET),
        quat.load3(effectors, g, layout.E_POS),
    )
    distance = quat.norm(way)
    if distance == 0.0:
        return seen, seen, 0.0
    return seen, quat.scale(way, 1.0 / distance), distance


@leaf
def pole_angle(problem, frames, g):
    """Signed angle about the root-to-tip line from the middle joint to the pole [rad].

    Zero where it is not defined.
    """
    blocks = problem.blocks
    effectors = frames.effectors
    root = quat.load3(frames.joints, blocks[g, layout.B_ROOT], layout.S_POS)
    line = quat.unit(quat.sub(quat.load3(effectors, blocks[g, layout.B_REACH], layout.E_POS), root))
    middle = quat.sub(quat.load3(effectors, g, layout.E_POS), root)
    wanted = quat.sub(quat.load3(effectors, g, layout.E_TARGET), root)
    return math.atan2(
        quat.dot(line, quat.cross(middle, wanted)),
        quat.dot(middle, wanted) - quat.dot(middle, line) * quat.dot(wanted, line),
    )


@kernel
def residuals(problem, frames):
    """Fill the residual rows and the errors (model units or radians) of every block.

    Returns the cost.
    """
    blocks, blocks_f = problem.blocks, problem.blocks_f
    effectors = frames.effectors
    cost = 0.0
    if problem.has_own:
        cost += own_goals.fill_rows(problem, frames)
    for g in range(blocks.shape[0]):
        kind = blocks[g, layout.B_KIND]
        if kind == layout.POSITION or kind == layout.MEET or kind == layout.SPAN:
            miss = quat.sub(
                quat.load3(effectors, g, layout.E_TARGET),
                quat.load3(effectors, g, layout.E_POS),
            )
            frames.errors[g] = quat.norm(miss)
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] / problem.length)
        elif kind == layout.ORIENTATION or kind == layout.ALIGN:
            miss = quat.log(
                quat.mul(
                    quat.load4(effectors, g, layout.E_TARGET),
                    quat.conj(quat.load4(effectors, g, layout.E_WROT)),
                )
            )
            frames.errors[g] = quat.norm(miss)
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] * problem.radian)
        elif kind == layout.LOOKAT or kind == layout.WATCH:
            seen, wanted, _ = look(problem, frames, g)
            miss = quat.sub(wanted, seen)
            frames.errors[g] = 2.0 * math.atan2(quat.norm(miss), quat.norm(quat.add(wanted, seen)))
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] * problem.radian)
        elif kind == layout.POLE:
            frames.errors[g] = abs(pole_angle(problem, frames, g))
            continue
        elif kind == layout.CARRIER:
            frames.errors[g] = 0.0
            continue
        else:
            continue  # `own_goals` has filled them
        row = blocks[g, layout.B_ROW]
        frames.residual[row] = miss[0]
        frames.residual[row + 1] = miss[1]
        frames.residual[row + 2] = miss[2]
        cost += 0.5 * quat.dot(miss, miss)
    return cost


@kernel
def tolerances(problem, near):
    """Fill near, shape (G,), with the tolerances of the blocks."""
    blocks_f = problem.blocks_f
    for g in range(blocks_f.shape[0]):
        near[g] = blocks_f[g, layout.B_TOLERANCE]


@kernel
def nearer(problem, frames, near):
    """True if the error of every counted block is at most its entry of `near`, shape (G,)."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_ROW] >= 0 and not frames.errors[g] <= near[g]:
            return False
    return True


@kernel
def within(problem, frames):
    """True if every counted block is within its tolerance."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        # Written so that a NaN error is not within.
        if (
            blocks[g, layout.B_ROW] >= 0
            and not frames.errors[g] <= problem.blocks_f[g, layout.B_TOLERANCE]
        ):
            return False
    return True


# Set up a problem, and evaluate a pose ------------------------------------------------------------


@kernel
def evaluate(problem, frames, q):
    """Frames, effectors and residuals of the pose q; returns its cost."""
    forward(problem, frames, q)
    place_effectors(problem, frames, q)
    if problem.has_carriers:
        follow_carriers(problem, frames)
    return residuals(problem, frames)


@leaf
def holds(problem):
    """True if any block holds its effector at its start."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_HELD] == 1:
            return True
    return False


@leaf
def set_up(problem, frames, offsets, start, targets, q):
    """Set up one problem: q becomes its start, clamped to the limits. World frames are not filled yet."""
    copy(start, q)
    fold(problem, frames, offsets, q)
    prepare_start(problem, frames, targets, q)


@leaf
def prepare_start(problem, frames, targets, q):
    """Set the targets of a folded problem, and clamp the start q to its limits."""
    if holds(problem):
        # Targets that are held come from the start before it is clamped.
        forward(problem, frames, q)
        place_effectors(problem, frames, q)
    set_targets(problem, frames, targets)
    project(problem, q)


@leaf
def begin(problem, frames, offsets, start, targets, q):
    """Set up one problem and evaluate its start, clamped to the limits, in q; returns its cost."""
    set_up(problem, frames, offsets, start, targets, q)
    return evaluate(problem, frames, q)
