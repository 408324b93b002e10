"""The moving tree: what a solve may move, with everything rigid in between folded away.

A solve looks only at the *active* joints (those on the way to an effector) and moves only the
*moving* ones. Locked, fixed and unfree joints never change during a solve, so `fold` merges them
once into the rigid step from each moving joint to the next; after that `forward` is linear in the
moving joints alone.
"""

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    A_KIND,
    A_MOVE,
    A_ORDER,
    A_PARENT,
    A_Q,
    A_STRETCH_Q,
    ACTIVE_INTS,
    AXES,
    AXIS,
    AXIS_U,
    B_HELD,
    B_JOINT,
    B_KIND,
    B_MOVE,
    B_ROTATION,
    B_TARGET,
    BALL,
    BLOCK_FLOATS,
    BLOCK_INTS,
    CONE,
    E_P0,
    E_P1,
    E_POS,
    E_ROT,
    E_TARGET,
    E_WROT,
    EFFECTOR,
    FIXED,
    FREE,
    H_ACTIVE,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_MOVING,
    H_OPTIONS,
    HEADER_FLOATS,
    HEADER_INTS,
    HINGE,
    JOINT_FLOATS,
    M_KIND,
    M_ORDER,
    M_PARENT,
    M_Q,
    M_STRETCH_Q,
    MOVING_INTS,
    ORIENTATION,
    PLANAR,
    REST,
    S_P0,
    S_P1,
    S_POS,
    S_PRE,
    S_W,
    S_WPRE,
    SLIDER,
    STATE,
)
from supple.kernels.quaternion import (
    about,
    add,
    axpy,
    load3,
    load4,
    mul,
    rotate,
    scale,
    store3,
    store4,
    take4,
    turn_about_letter,
)
from supple.kernels.views import grid, part

FOLD = (
    10  # an active joint's row while folding: rotation, P0, P1 relative to the nearest moving joint
)
MARK = 0  # in a workspace: not zero if a solver may go on with what it has folded there before


@kernel
def unpack(ints, floats):
    """The tables inside a packed problem.

    Active, moving, blocks, touch, then active, moving, blocks of floats,
    the solver's options, the rest posture and a weight a freedom.
    """
    na, nm, ng = ints[H_ACTIVE], ints[H_MOVING], ints[H_BLOCKS]
    i = HEADER_INTS
    active = grid(ints, i, na, ACTIVE_INTS)
    i += na * ACTIVE_INTS
    moving = grid(ints, i, nm, MOVING_INTS)
    i += nm * MOVING_INTS
    blocks = grid(ints, i, ng, BLOCK_INTS)
    i += ng * BLOCK_INTS
    touch = grid(ints, i, ints[H_DOFS], ng)
    f = HEADER_FLOATS
    active_f = grid(floats, f, na, JOINT_FLOATS)
    f += na * JOINT_FLOATS
    moving_f = grid(floats, f, nm, JOINT_FLOATS)
    f += nm * JOINT_FLOATS
    blocks_f = grid(floats, f, ng, BLOCK_FLOATS)
    f += ng * BLOCK_FLOATS
    options = part(floats, f, ints[H_OPTIONS])
    f += ints[H_OPTIONS]
    rest = part(floats, f, ints[H_COORDS])
    f += ints[H_COORDS]
    weight = part(floats, f, ints[H_DOFS])
    return active, moving, blocks, touch, active_f, moving_f, blocks_f, options, rest, weight


def tree_space(ints):
    """Floats of workspace that `carve` needs."""
    return 1 + ints[H_MOVING] * STATE + ints[H_BLOCKS] * EFFECTOR + ints[H_ACTIVE] * FOLD


@kernel
def carve(ints, work):
    """Split the front of a workspace into states, effectors and fold rows, after its MARK.

    Returns them and the first free place.
    """
    na, nm, ng = ints[H_ACTIVE], ints[H_MOVING], ints[H_BLOCKS]
    i = MARK + 1
    states = grid(work, i, nm, STATE)
    i += nm * STATE
    effectors = grid(work, i, ng, EFFECTOR)
    i += ng * EFFECTOR
    folded = grid(work, i, na, FOLD)
    return states, effectors, folded, i + na * FOLD


@kernel
def joint_turn(kind, order, floats, i, q, at):
    """The rotation r(q) of one joint, wxyz, in its rest frame; `at` is its first coordinate."""
    if kind == BALL or kind == CONE:
        return take4(q, at)
    if kind == HINGE:
        return about(load3(floats, i, AXIS), q[at])
    if kind == AXES:
        turn = turn_about_letter(order & 3, q[at])
        if (order >> 2) & 3 != 3:
            turn = mul(turn, turn_about_letter((order >> 2) & 3, q[at + 1]))
        if (order >> 4) & 3 != 3:
            turn = mul(turn, turn_about_letter((order >> 4) & 3, q[at + 2]))
        return turn
    if kind == FREE:
        return take4(q, at + 3)
    if kind == PLANAR:
        return about(load3(floats, i, AXIS), q[at + 2])
    return (1.0, 0.0, 0.0, 0.0)


@kernel
def joint_shift(kind, floats, i, q, at):
    """The translation d(q) of one joint in its rest frame."""
    if kind == SLIDER:
        return scale(load3(floats, i, AXIS), q[at])
    if kind == FREE:
        return (q[at], q[at + 1], q[at + 2])
    if kind == PLANAR:
        u = load3(floats, i, AXIS_U)
        n = load3(floats, i, AXIS)
        v = (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])
        return axpy(scale(u, q[at]), q[at + 1], v)
    return (0.0, 0.0, 0.0)


@kernel
def shifts(kind):
    """Whether a joint of this kind can translate."""
    return kind == SLIDER or kind == FREE or kind == PLANAR


@kernel
def fold(active, active_f, blocks, blocks_f, offsets, q, states, effectors, folded):
    """Merge everything that this solve cannot move into rigid steps between moving joints.

    Read off the pose q. `offsets`, shape (A + 2 G, 3), holds the origins of the active joints, then
    for every block the effector's place in its joint: the part that keeps its length, and the part
    that the joint's stretch multiplies.

    Writes S_PRE, S_P0, S_P1 of every moving joint and E_P0, E_P1, E_ROT of every effector.
    """
    for a in range(active.shape[0]):
        parent = active[a, A_PARENT]
        offset = load3(offsets, a, 0)
        turn = (1.0, 0.0, 0.0, 0.0)
        p0 = offset
        p1 = (0.0, 0.0, 0.0)
        if parent >= 0:
            stretch_q = active[parent, A_STRETCH_Q]
            if active[parent, A_MOVE] >= 0:
                if stretch_q >= 0:
                    p0, p1 = p1, p0
            else:
                turn = load4(folded, parent, 0)
                if stretch_q >= 0:
                    offset = scale(offset, q[stretch_q])
                p0 = add(load3(folded, parent, 4), rotate(turn, offset))
                p1 = load3(folded, parent, 7)
        turn = mul(turn, load4(active_f, a, REST))
        move = active[a, A_MOVE]
        if move >= 0:
            store4(states, move, S_PRE, turn)
            store3(states, move, S_P0, p0)
            store3(states, move, S_P1, p1)
        else:
            kind = active[a, A_KIND]
            at = active[a, A_Q]
            if shifts(kind):
                p0 = add(p0, rotate(turn, joint_shift(kind, active_f, a, q, at)))
            turn = mul(turn, joint_turn(kind, active[a, A_ORDER], active_f, a, q, at))
            store4(folded, a, 0, turn)
            store3(folded, a, 4, p0)
            store3(folded, a, 7, p1)
    for g in range(blocks.shape[0]):
        a = blocks[g, B_JOINT]
        rotation = load4(blocks_f, g, B_ROTATION)
        p0 = load3(offsets, active.shape[0] + 2 * g, 0)
        p1 = load3(offsets, active.shape[0] + 2 * g + 1, 0)
        stretch_q = active[a, A_STRETCH_Q]
        if active[a, A_MOVE] >= 0:
            turn = rotation
            if stretch_q < 0:
                p0, p1 = add(p0, p1), (0.0, 0.0, 0.0)
        else:
            point = axpy(p0, q[stretch_q] if stretch_q >= 0 else 1.0, p1)
            turn = load4(folded, a, 0)
            p0 = add(load3(folded, a, 4), rotate(turn, point))
            p1 = load3(folded, a, 7)
            turn = mul(turn, rotation)
        store3(effectors, g, E_P0, p0)
        store3(effectors, g, E_P1, p1)
        store4(effectors, g, E_ROT, turn)


@kernel
def rigid(active):
    """Whether what a solve cannot move is the same in every pose."""
    for a in range(active.shape[0]):
        if active[a, A_MOVE] < 0:
            if active[a, A_KIND] != FIXED or active[a, A_STRETCH_Q] >= 0:
                return False
    return True


@kernel
def folds_once(active, starts, offsets):
    """Whether what stands still in a batch stands still alike in all its problems."""
    return offsets.shape[0] == 1 and (starts.shape[0] == 1 or rigid(active))


@kernel
def place(moving, moving_f, q, states, k):
    """The world frame of moving joint k from that of its moving parent."""
    parent = moving[k, M_PARENT]
    pre = load4(states, k, S_PRE)
    step = load3(states, k, S_P0)
    if parent >= 0:
        stretch_q = moving[parent, M_STRETCH_Q]
        if stretch_q >= 0:
            step = axpy(step, q[stretch_q], load3(states, k, S_P1))
        world = load4(states, parent, S_W)
        step = add(load3(states, parent, S_POS), rotate(world, step))
        pre = world if pre[1] == pre[2] == pre[3] == 0.0 else mul(world, pre)
    kind = moving[k, M_KIND]
    at = moving[k, M_Q]
    if shifts(kind):
        step = add(step, rotate(pre, joint_shift(kind, moving_f, k, q, at)))
    store4(states, k, S_WPRE, pre)
    store4(states, k, S_W, mul(pre, joint_turn(kind, moving[k, M_ORDER], moving_f, k, q, at)))
    store3(states, k, S_POS, step)


@kernel
def forward(moving, moving_f, q, states):
    """World frames of all moving joints: S_WPRE, S_W, S_POS."""
    for k in range(moving.shape[0]):
        place(moving, moving_f, q, states, k)


@kernel
def place_effectors(moving, blocks, q, states, effectors):
    """World point and rotation of every effector: E_POS, E_WROT."""
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        point = load3(effectors, g, E_P0)
        rotation = load4(effectors, g, E_ROT)
        if k >= 0:
            stretch_q = moving[k, M_STRETCH_Q]
            if stretch_q >= 0:
                point = axpy(point, q[stretch_q], load3(effectors, g, E_P1))
            world = load4(states, k, S_W)
            point = add(load3(states, k, S_POS), rotate(world, point))
            rotation = mul(world, rotation)
        store3(effectors, g, E_POS, point)
        store4(effectors, g, E_WROT, rotation)


@kernel
def aim(blocks, effectors, targets):
    """Give every effector its target; a held one keeps the place it has now."""
    for g in range(blocks.shape[0]):
        kind = blocks[g, B_KIND]
        if blocks[g, B_HELD] == 1:
            if kind == ORIENTATION:
                store4(effectors, g, E_TARGET, load4(effectors, g, E_WROT))
            else:
                store3(effectors, g, E_TARGET, load3(effectors, g, E_POS))
            continue
        t = blocks[g, B_TARGET]
        for i in range(4 if kind == ORIENTATION else 3):
            effectors[g, E_TARGET + i] = targets[t + i]
