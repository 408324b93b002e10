"""The two passes of FABRIK over a tree of joints with frames, limits and sub-bases.

Points alone forget what limits are made of, so both passes carry the whole frame of every body. The
*backward* pass goes from the effectors, put on their targets, to the roots: joint after joint takes
the coordinates, inside its limits, with which its parent comes nearest to its old place. The
*forward* pass goes from the roots, put back, to the effectors: joint after joint takes the
coordinates, inside its limits, with which its body comes nearest to where the backward pass put it.

Where joints are limited, aiming at the next joint alone goes wrong: a hinge cannot get there, and
what it does about the twist of all that follows is nobody's business. So each joint also looks to
the far end: in the forward pass to the targets with all that hangs on it, bent as the backward pass
left it; in the backward pass to the root with all that it hangs on. Both demands count the same, as
squared distances (measured over random chains: any weights from 0.3 to 10 do as well, without the
far end hinged chains miss by 100 times as much).

A body on which several branches pull (a sub-base) goes to the weighted centroid of what they ask
and turns to meet their points best. All sums over branches are kept in one row a joint, so both
passes are linear in the joints however many goals there are.
"""

from supple.kernels.cache import kernel
from supple.kernels.fitting import (
    add9,
    axpy9,
    body_turned,
    fit_joint,
    fitted_turn,
    load9,
    outer,
    temper,
    wish_of_turn,
    wish_unturned,
)
from supple.kernels.layout import (
    B_MOVE,
    B_WEIGHT,
    BALL,
    CONE,
    E_P0,
    E_POS,
    E_TARGET,
    M_KIND,
    M_NQ,
    M_ORDER,
    M_PARENT,
    M_Q,
    S_P0,
    S_POS,
    S_PRE,
    S_W,
    S_WPRE,
)
from supple.kernels.limits import project_joint
from supple.kernels.quaternion import (
    add,
    conj,
    exp,
    load3,
    load4,
    log,
    mul,
    normalized,
    put4,
    rotate,
    scale,
    store4,
    sub,
    take4,
    unrotate,
)
from supple.kernels.record import record_place
from supple.kernels.tree import joint_turn, place, place_effectors

# A moving joint's row. World points are seen from the root of its tree.
MASS = 0  # sum of the weights of the goals below
TARGETS = 1  # xyz, their weighted sum of targets
BASE = 4  # xyz, the root's place in the world
ARM = 7  # xyz, weighted sum, in its frame, of the points of its body: next joints and effectors
ASKS = 10  # how many of them there are
W = 11  # wxyz, world rotation in the backward pass
SUM = 15  # xyz, weighted sum of the origins asked for
NEAR = 18  # the wish of the points of its body
FAR = 27  # the wish of all effectors below
REACH = 36  # xyz, weighted sum of their points in its frame
ROW = 39


@kernel
def add3(rows, i, c, s, v):
    """Add s * v to columns c.. of row i."""
    for n in range(3):
        rows[i, c + n] += s * v[n]


@kernel
def gather(moving, blocks, blocks_f, states, effectors, table):
    """Fill what stays the same throughout a solve: from MASS to ASKS."""
    for k in range(moving.shape[0]):
        parent = moving[k, M_PARENT]
        for c in range(W):
            table[k, c] = 0.0
        for c in range(3):
            table[k, BASE + c] = states[k, S_POS + c] if parent < 0 else table[parent, BASE + c]
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        if k >= 0:
            weight = blocks_f[g, B_WEIGHT] * blocks_f[g, B_WEIGHT]
            table[k, MASS] += weight
            table[k, ASKS] += 1.0
            seen = sub(load3(effectors, g, E_TARGET), load3(table, k, BASE))
            add3(table, k, TARGETS, weight, seen)
            add3(table, k, ARM, weight, load3(effectors, g, E_P0))
    for k in range(moving.shape[0] - 1, -1, -1):
        parent = moving[k, M_PARENT]
        if parent >= 0:
            table[parent, MASS] += table[k, MASS]
            table[parent, ASKS] += 1.0
            add3(table, parent, TARGETS, 1.0, load3(table, k, TARGETS))
            add3(table, parent, ARM, table[k, MASS], load3(states, k, S_P0))


@kernel
def ask(table, k, mass, turn, origin, point, b):
    """Pull on body k: it should be at the origin with that turn, its point b at the world point."""
    base = load3(table, k, BASE)
    seen = sub(point, base)
    add3(table, k, SUM, mass, sub(origin, base))
    add9(table, k, NEAR, mass, outer(seen, b))
    if table[k, ASKS] == 1.0:
        store4(table, k, W, turn)


@kernel
def backward(
    moving, moving_f, blocks, blocks_f, states, effectors, table, far, q, events, n, iteration
):
    """From the targets to the roots: fills W and NEAR, and leaves in q what the joints took.

    `states` and `effectors` are those of the pose before. Returns the next event.
    """
    for k in range(moving.shape[0]):
        for c in range(SUM, FAR):
            table[k, c] = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        if k < 0:
            continue
        target, b = load3(effectors, g, E_TARGET), load3(effectors, g, E_P0)
        base, turn = load3(table, k, BASE), load4(states, k, S_W)
        wish = outer(sub(target, load3(states, k, S_POS)), b)
        if far:
            whole = unrotate(turn, sub(load3(effectors, g, E_POS), base))
            wish = axpy9(wish, 1.0, outer(sub(target, base), whole))
        turn = fitted_turn(wish, turn)
        weight = blocks_f[g, B_WEIGHT] * blocks_f[g, B_WEIGHT]
        ask(table, k, weight, turn, sub(target, rotate(turn, b)), target, b)
        n = record_place(events, n, iteration, moving, -1, target)
    for k in range(moving.shape[0] - 1, -1, -1):
        base, old = load3(table, k, BASE), load3(states, k, S_POS)
        seen = scale(load3(table, k, SUM), 1.0 / table[k, MASS])
        origin = add(base, seen)
        if table[k, ASKS] > 1.0:
            # A sub-base: at the centroid, turned to meet all points asked for.
            turn = load4(states, k, S_W)
            wish = axpy9(load9(table, k, NEAR), -1.0, outer(seen, load3(table, k, ARM)))
            if far:
                whole = unrotate(turn, sub(base, old))
                wish = axpy9(wish, -table[k, MASS], outer(seen, whole))
            store4(table, k, W, fitted_turn(wish, turn))
        turn = load4(table, k, W)
        n = record_place(events, n, iteration, moving, k, origin)
        parent = moving[k, M_PARENT]
        if parent < 0:
            continue
        # The inverse joint: what its parent is asked, seen from this body.
        pre, b = load4(states, k, S_PRE), load3(states, k, S_P0)
        body = unrotate(turn, sub(origin, load3(states, parent, S_POS)))
        wish = outer(unrotate(pre, b), body)
        if far:
            whole = unrotate(pre, unrotate(load4(states, parent, S_W), sub(old, base)))
            wish = axpy9(wish, 1.0, outer(whole, unrotate(turn, seen)))
        fit_joint(wish, moving, moving_f, k, q)
        own = joint_turn(moving[k, M_KIND], moving[k, M_ORDER], moving_f, k, q, moving[k, M_Q])
        above = normalized(mul(turn, conj(mul(pre, own))))
        ask(table, parent, table[k, MASS], above, sub(origin, rotate(above, b)), origin, b)
    return n


@kernel
def look_ahead(moving, moving_f, blocks, blocks_f, states, effectors, table, q, refit):
    """Fill FAR and REACH: all effectors below each joint, bent as in q.

    After a backward pass, `refit` bends the branches of a sub-base to where it went.
    """
    for k in range(moving.shape[0]):
        for c in range(FAR, ROW):
            table[k, c] = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, B_MOVE]
        if k >= 0:
            weight = blocks_f[g, B_WEIGHT] * blocks_f[g, B_WEIGHT]
            b = load3(effectors, g, E_P0)
            seen = sub(load3(effectors, g, E_TARGET), load3(table, k, BASE))
            add9(table, k, FAR, weight, outer(seen, b))
            add3(table, k, REACH, weight, b)
    for k in range(moving.shape[0] - 1, -1, -1):
        parent = moving[k, M_PARENT]
        if parent < 0:
            continue
        pre, b = load4(states, k, S_PRE), load3(states, k, S_P0)
        if refit and table[parent, ASKS] > 1.0:
            before = mul(load4(table, parent, W), pre)
            wish = wish_of_turn(mul(conj(before), load4(table, k, W)))
            fit_joint(wish, moving, moving_f, k, q)
        own = joint_turn(moving[k, M_KIND], moving[k, M_ORDER], moving_f, k, q, moving[k, M_Q])
        turn = mul(pre, own)
        add9(table, parent, FAR, 1.0, body_turned(load9(table, k, FAR), turn))
        add9(table, parent, FAR, 1.0, outer(load3(table, k, TARGETS), b))
        add3(table, parent, REACH, 1.0, rotate(turn, load3(table, k, REACH)))
        add3(table, parent, REACH, table[k, MASS], b)


@kernel
def forward_pass(
    moving, moving_f, blocks, states, effectors, table, near, far, cap, before, q,
    events, n, iteration,
):  # fmt: skip
    """From the roots to the effectors: sets q, inside its limits, and the frames that belong to it.

    `near` and `far` say which of the two demands count; `before` is the pose that stiffness and
    damping count from. Returns the next event.
    """
    for k in range(moving.shape[0]):
        place(moving, moving_f, q, states, k)
        seen = sub(load3(states, k, S_POS), load3(table, k, BASE))
        wish = outer((0.0, 0.0, 0.0), seen)
        if near:
            wish = axpy9(load9(table, k, NEAR), -1.0, outer(seen, load3(table, k, ARM)))
        if far:
            wish = axpy9(wish, 1.0, load9(table, k, FAR))
            wish = axpy9(wish, -1.0, outer(seen, load3(table, k, REACH)))
        pre = load4(states, k, S_WPRE)
        fit_joint(wish_unturned(pre, wish), moving, moving_f, k, q)
        temper(moving, moving_f, k, before, cap, q)
        own = joint_turn(moving[k, M_KIND], moving[k, M_ORDER], moving_f, k, q, moving[k, M_Q])
        store4(states, k, S_W, mul(pre, own))
        n = record_place(events, n, iteration, moving, k, load3(states, k, S_POS))
    place_effectors(moving, blocks, q, states, effectors)
    for g in range(blocks.shape[0]):
        if blocks[g, B_MOVE] >= 0:
            n = record_place(events, n, iteration, moving, -1, load3(effectors, g, E_POS))
    return n


@kernel
def aim_straight(table):
    """In place of a backward pass: every joint of a chain is to point at its target."""
    for k in range(table.shape[0]):
        wish = outer(load3(table, k, TARGETS), load3(table, k, ARM))
        for c in range(9):
            table[k, NEAR + c] = wish[c] / table[k, MASS]


@kernel
def stride(moving, moving_f, before, gain, q):
    """Go on from q by `gain` times the way from `before` to it, inside the limits."""
    for k in range(moving.shape[0]):
        kind, at = moving[k, M_KIND], moving[k, M_Q]
        if kind in (BALL, CONE):
            here = take4(q, at)
            way = log(mul(here, conj(take4(before, at))))
            put4(q, at, normalized(mul(exp(scale(way, gain)), here)))
        else:
            for i in range(moving[k, M_NQ]):
                q[at + i] += gain * (q[at + i] - before[at + i])
        project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
