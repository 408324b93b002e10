"""The beginning and the end that all solvers share: set up a problem, judge the answer, say why.

`begin` folds the skeleton, takes the targets, puts the start into the limits. `finish` writes one
row of output: the coordinates, then the report of `layout`, then an error a block, then a flag a
moving joint that presses against a limit.
"""

from supple.kernels.cache import kernel
from supple.kernels.jacobian import jacobian
from supple.kernels.layout import (
    AXIS,
    B_HELD,
    B_KIND,
    B_MOVE,
    B_TOLERANCE,
    BUDGET,
    E_P0,
    E_P1,
    E_POS,
    E_TARGET,
    F_LENGTH,
    F_TURN,
    FIXED,
    FREE,
    H_COORDS,
    H_DOFS,
    H_KEEP,
    H_MOVING,
    H_ROWS,
    HINGE,
    LIMITED,
    LIMITS,
    M_DOF,
    M_KIND,
    M_MIMIC,
    M_NDOF,
    M_PARENT,
    M_Q,
    M_STRETCH_DOF,
    O_BLOCK,
    O_COST,
    O_ERROR,
    O_EVENTS,
    O_GAP,
    O_ITERATIONS,
    O_REACH,
    O_RESTARTS,
    O_STATUS,
    O_STOP,
    O_TRACE,
    O_TURN_ERROR,
    PLANAR,
    POLE,
    POSITION,
    REACHED,
    REPORT,
    S_P0,
    S_P1,
    S_PRE,
    SLIDER,
    STALLED,
    STOP_BUDGET,
    STOP_REACHED,
    STRETCH_HI,
    TOO_FAR,
    TOO_NEAR,
)
from supple.kernels.quaternion import add, cross, load3, load4, norm, rotate, sub
from supple.kernels.residual import residuals, within
from supple.kernels.tangent import project, tangent
from supple.kernels.tree import aim, fold, forward, place_effectors
from supple.kernels.views import grid

FAR = 1e300
SMALL = 0.1  # a small change of a freedom [rad, characteristic lengths]
HELPFUL = 1e-3  # a freedom that gains less than this part of the squared miss cannot help
AT_LIMIT = 1e-9  # a freedom this near to a bound stands at it [rad, characteristic lengths]
ON_AXIS = 1e-9  # an arm that leaves a hinge's axis by less than this part of its length is on it
EFFECTLESS = (
    1e-9  # a freedom that moves the effectors by less than this part of the others moves nothing
)
COPIED = 2.0  # flag of a joint that is held by the limit of a mimic joint


@kernel
def evaluate(moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors):
    """Frames, effectors and residuals of the pose q; returns its cost."""
    forward(moving, moving_f, q, states)
    place_effectors(moving, blocks, q, states, effectors)
    return residuals(blocks, blocks_f, states, effectors, length, turn, rows, errors)


@kernel
def holds(blocks):
    """Whether any block is held where the start has it."""
    for g in range(blocks.shape[0]):
        if blocks[g, B_HELD] == 1:
            return True
    return False


@kernel
def set_up(
    active, active_f, moving, moving_f, blocks, blocks_f,
    offsets, start, targets, q, states, effectors, folded,
):  # fmt: skip
    """Set up one problem: q becomes its start, put into the limits. Nothing is placed yet."""
    q[:] = start
    fold(active, active_f, blocks, blocks_f, offsets, q, states, effectors, folded)
    take_aim(moving, moving_f, blocks, targets, q, states, effectors)


@kernel
def take_aim(moving, moving_f, blocks, targets, q, states, effectors):
    """Give the effectors of a folded problem their targets, and put its start q into the limits."""
    if holds(blocks):
        # What is held stays where the start has it, before the start is put into the limits.
        forward(moving, moving_f, q, states)
        place_effectors(moving, blocks, q, states, effectors)
    aim(blocks, effectors, targets)
    project(moving, moving_f, q)


@kernel
def begin(
    floats, active, active_f, moving, moving_f, blocks, blocks_f,
    offsets, start, targets, q, states, effectors, folded, rows, errors,
):  # fmt: skip
    """Set up one problem and evaluate its start, put into the limits, in q; returns its cost."""
    set_up(
        active, active_f, moving, moving_f, blocks, blocks_f,
        offsets, start, targets, q, states, effectors, folded,
    )  # fmt: skip
    return evaluate(
        moving, moving_f, blocks, blocks_f, q, states, effectors,
        floats[F_LENGTH], floats[F_TURN], rows, errors,
    )  # fmt: skip


@kernel
def _moves(moving, moving_f, k, fixed, slack):
    """Whether moving joint k can move a point that it carries at `fixed` plus stretched `slack`.

    Both are in its frame. A hinge does not move what is on its axis.
    """
    kind = moving[k, M_KIND]
    if kind == SLIDER or kind == FREE or kind == PLANAR:
        return True
    if moving[k, M_STRETCH_DOF] >= 0 and norm(slack) > 0.0:
        return True
    if kind == FIXED:
        return False
    size = norm(fixed)
    across = norm(cross(load3(moving_f, k, AXIS), fixed)) if kind == HINGE else size
    return across > ON_AXIS * size


@kernel
def chain_base(moving, moving_f, blocks, states, g):
    """Moving joint at which the chain of block g begins, and the joint to which its root is an axle.

    The chain begins at its root; but if the root cannot move the next joint's origin (an arm on a
    turntable whose axis passes through the shoulder), there, and the root is an axle: that joint is
    the second number, else -1. Joints at the same place count as one. The first is -1 if nothing
    moves the block.
    """
    k = base = blocks[g, B_MOVE]
    while k >= 0 and moving[k, M_PARENT] >= 0:
        parent = moving[k, M_PARENT]
        kind = moving[k, M_KIND]
        fixed = load3(states, k, S_P0)
        shifts = kind == SLIDER or kind == FREE or kind == PLANAR
        stays = not shifts and not _moves(moving, moving_f, parent, fixed, load3(states, k, S_P1))
        same = stays and norm(fixed) == 0.0
        if stays and not same and moving[parent, M_PARENT] < 0:
            return base, k
        if not same:
            base = parent
        k = parent
    return base, -1


@kernel
def span(moving, moving_f, blocks, states, effectors, g):
    """How near and how far block g can ever be from where its chain begins.

    Limits of turns are not looked at, so that beyond these bounds a target is surely out of reach;
    within them it may be. A block that nothing moves has no span.
    """
    k = blocks[g, B_MOVE]
    base, _ = chain_base(moving, moving_f, blocks, states, g)
    fixed, slack = load3(effectors, g, E_P0), load3(effectors, g, E_P1)
    longest = 0.0
    widest = 0.0
    loose = False
    while k >= 0:
        bone = norm(fixed)
        if moving[k, M_STRETCH_DOF] >= 0:
            bone += norm(slack) * moving_f[k, STRETCH_HI]
            loose = True
        longest += bone
        widest = max(widest, bone)
        kind = moving[k, M_KIND]
        if kind == SLIDER:
            longest += max(abs(moving_f[k, LIMITS]), abs(moving_f[k, LIMITS + 1]))
            loose = True
        elif kind == FREE or kind == PLANAR:
            longest = FAR
        if k == base:
            break
        fixed, slack = load3(states, k, S_P0), load3(states, k, S_P1)
        k = moving[k, M_PARENT]
    nearest = 0.0 if loose else max(0.0, 2.0 * widest - longest)
    return nearest, min(longest, FAR)


@kernel
def base_point(moving, moving_f, blocks, states, g):
    """World position at which the chain of block g, moved by something, begins.

    The same in every pose; a slider's before it slides. The states need not be placed.
    """
    base, carried = chain_base(moving, moving_f, blocks, states, g)
    while moving[base, M_PARENT] >= 0:
        base = moving[base, M_PARENT]
    point = load3(states, base, S_P0)
    if carried >= 0:
        # Along the root's axis: the same before and after its turn.
        point = add(point, rotate(load4(states, base, S_PRE), load3(states, carried, S_P0)))
    return point


@kernel
def gap(moving, moving_f, blocks, states, effectors, g):
    """How far the target of block g is from where its chain begins."""
    base = load3(effectors, g, E_POS)
    if blocks[g, B_MOVE] >= 0:
        base = base_point(moving, moving_f, blocks, states, g)
    return norm(sub(load3(effectors, g, E_TARGET), base))


@kernel
def out_of_reach(moving, moving_f, blocks, blocks_f, states, effectors):
    """Whether some position is surely out of reach."""
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] == POSITION:
            nearest, longest = span(moving, moving_f, blocks, states, effectors, g)
            distance = gap(moving, moving_f, blocks, states, effectors, g)
            if max(distance - longest, nearest - distance) > blocks_f[g, B_TOLERANCE]:
                return True
    return False


@kernel
def gain_of(pull, width, square, most):
    """What part of the squared miss a freedom takes away, by the linear model, at its best.

    Args:
        pull: The product of its column and the residual rows, not negative.
        width: Its column's squared length.
        square: The rows' squared length.
        most: How far it may change.
    """
    x = min(pull / width, most)
    return x * (2.0 * pull - x * width) / square


@kernel
def pressed(moving, moving_f, q, rows, columns, bounds, flags):
    """Flag every moving joint that a limit keeps from bringing the effectors closer.

    A freedom counts that stands at a bound, is pulled outward, and past the bound would gain at
    least HELPFUL with a SMALL change. Where the bound is the limit of a mimic joint, that joint is
    flagged, not the one it copies.

    Returns the greatest gains with a small change (see `gain_of`): of the freedoms that a bound
    holds, if it did not, and of the others, inside their bounds.
    """
    square, widest = 0.0, 0.0
    for r in range(rows.shape[0]):
        square += rows[r] * rows[r]
    for d in range(columns.shape[0]):
        width = 0.0
        for r in range(rows.shape[0]):
            width += columns[d, r] * columns[d, r]
        widest = max(widest, width)
    held = 0.0
    free = 0.0
    for k in range(moving.shape[0]):
        flags[k] = 0.0
        turns = 0 if moving[k, M_MIMIC] >= 0 else moving[k, M_NDOF]  # a copy has none of its own
        stretch = moving[k, M_STRETCH_DOF]
        for i in range(turns + (1 if stretch >= 0 else 0)):
            d = moving[k, M_DOF] + i if i < turns else stretch
            pull = 0.0
            width = 0.0
            for r in range(rows.shape[0]):
                pull += columns[d, r] * rows[r]
                width += columns[d, r] * columns[d, r]
            if width <= EFFECTLESS * EFFECTLESS * widest:
                continue  # what moves nothing has a direction made of rounding
            room = bounds[d, 1] if pull > 0.0 else -bounds[d, 0]
            if room <= AT_LIMIT:
                gain = gain_of(abs(pull), width, square, SMALL)
                held = max(held, gain)
                if gain >= HELPFUL:
                    flags[k] = 1.0
            else:
                free = max(free, gain_of(abs(pull), width, square, min(room, SMALL)))
    for k in range(moving.shape[0]):
        source = moving[k, M_MIMIC]
        if source >= 0 and flags[source] > 0.0:
            value, low, high = q[moving[k, M_Q]], moving_f[k, LIMITS], moving_f[k, LIMITS + 1]
            slack = AT_LIMIT * max(1.0, abs(value))
            if value - low <= slack or high - value <= slack:
                flags[k] = 1.0
                flags[source] = COPIED
    for k in range(moving.shape[0]):
        flags[k] = 1.0 if flags[k] == 1.0 else 0.0
    return held, free


@kernel
def why_missed(stop, held, free):
    """The status of a pose that misses its goals, within the bounds of its chains.

    LIMITED if the pose is a minimum of the cost inside the limits (no freedom that can move gains
    anything) but not without them (a freedom at a limit would); see `supple.Status`.

    Args:
        stop: Why the solver stopped.
        held: The greatest gain of a freedom that a limit holds, from `pressed`.
        free: The same of the other freedoms.
    """
    if free >= HELPFUL:
        return BUDGET if stop == STOP_BUDGET else STALLED
    return LIMITED if held >= HELPFUL else STALLED


def finish_space(ints):
    """Floats of workspace that `finish` needs."""
    return ints[H_DOFS] * (2 + 3 + ints[H_ROWS]) + ints[H_MOVING] * 3


@kernel
def finish(
    ints, floats, moving, moving_f, blocks, blocks_f,
    start, q, states, effectors, rows, errors, work, out,
    stop, iterations, restarts, traced, events,
):  # fmt: skip
    """Judge the pose q and write the row of output."""
    nq, nd, nr, nm = ints[H_COORDS], ints[H_DOFS], ints[H_ROWS], ints[H_MOVING]
    length, turn = floats[F_LENGTH], floats[F_TURN]
    cost = evaluate(
        moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
    )
    out[:nq] = q
    flags = out[nq + REPORT + blocks.shape[0] : nq + REPORT + blocks.shape[0] + nm]
    flags[:] = 0.0
    status = REACHED
    block, bound, distance = -1, 0.0, 0.0
    if not within(blocks, blocks_f, errors):
        bounds = grid(work, 0, nd, 2)
        axes = grid(work, 2 * nd, nd + nm, 3)
        columns = grid(work, 5 * nd + 3 * nm, nd, nr)
        tangent(moving, moving_f, q, states, length, axes, bounds)
        jacobian(
            moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
        )
        held, free = pressed(moving, moving_f, q, rows, columns, bounds, flags)
        status = why_missed(stop, held, free)
        if status == STALLED:
            flags[:] = 0.0  # limits press, but they are not what the solve ended at
        for g in range(blocks.shape[0]):
            if blocks[g, B_KIND] != POSITION:
                continue
            nearest, longest = span(moving, moving_f, blocks, states, effectors, g)
            away = gap(moving, moving_f, blocks, states, effectors, g)
            if away - longest > blocks_f[g, B_TOLERANCE]:
                status, block, bound, distance = TOO_FAR, g, longest, away
                break
            if nearest - away > blocks_f[g, B_TOLERANCE]:
                status, block, bound, distance = TOO_NEAR, g, nearest, away
                break
        if ints[H_KEEP] == 1:
            out[:nq] = start
            cost = evaluate(
                moving,
                moving_f,
                blocks,
                blocks_f,
                start,
                states,
                effectors,
                length,
                turn,
                rows,
                errors,
            )
    write_report(
        out, nq, blocks, errors, status, stop, iterations, restarts, traced, events, cost,
        block, bound, distance,
    )  # fmt: skip


@kernel
def finish_reached(ints, blocks, q, errors, out, iterations, restarts, traced, cost):
    """Write the row of output for a pose q that is known to meet its goals."""
    nq = ints[H_COORDS]
    for i in range(nq):
        out[i] = q[i]
    for i in range(nq + REPORT + blocks.shape[0], out.shape[0]):
        out[i] = 0.0
    write_report(
        out, nq, blocks, errors, REACHED, STOP_REACHED, iterations, restarts, traced, 0, cost,
        -1, 0.0, 0.0,
    )  # fmt: skip


@kernel
def write_report(
    out, nq, blocks, errors, status, stop, iterations, restarts, traced, events, cost,
    block, bound, distance,
):  # fmt: skip
    """Write everything of a row of output but the coordinates and the flags."""
    worst, worst_turn = 0.0, 0.0
    for g in range(blocks.shape[0]):
        out[nq + REPORT + g] = errors[g]
        if blocks[g, B_KIND] == POSITION:
            worst = max(worst, errors[g])
        elif blocks[g, B_KIND] != POLE:
            worst_turn = max(worst_turn, errors[g])
    out[nq + O_STOP] = STOP_REACHED if status == REACHED else stop
    out[nq + O_STATUS] = status
    out[nq + O_ITERATIONS] = iterations
    out[nq + O_ERROR] = worst
    out[nq + O_TURN_ERROR] = worst_turn
    out[nq + O_RESTARTS] = restarts
    out[nq + O_TRACE] = traced
    out[nq + O_EVENTS] = events
    out[nq + O_COST] = cost
    out[nq + O_BLOCK] = block
    out[nq + O_REACH] = bound
    out[nq + O_GAP] = distance
