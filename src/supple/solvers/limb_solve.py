"""Solving for a limb: what stays is worked out once, the closed form comes first, limits after it.

The idea is in `two_bone`, the closed forms in `limb_close` and, for two balls, in `limb_balls`.
"""

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_TARGET,
    B_TOLERANCE,
    BALL,
    E_TARGET,
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_ROWS,
    M_KIND,
    M_ORDER,
    M_Q,
    STOP_BUDGET,
    STOP_STALLED,
)
from supple.kernels.limits import project_joint, unit_turn
from supple.kernels.quaternion import norm, put4, store4, sub, take4
from supple.kernels.record import record, record_turn
from supple.kernels.report import evaluate, finish, finish_space
from supple.kernels.tree import MARK, carve, fold, folds_once, rigid, tree_space, unpack
from supple.kernels.views import part, row_at
from supple.solvers import limb_balls
from supple.solvers.limb import (
    limb_errors,
    limb_tip,
    load_limb,
    settle_limb,
    store_limb,
    write_reached,
)
from supple.solvers.limb_close import close_limb

MAX_ITERATIONS, SOFTEN, ELBOW = range(3)
# What a workspace holds, as its MARK says: a stance, for its own start; or what is folded for every
# start, with a stance or without.
STANCE, FOLDED_STANCE, FOLDED = 1.0, 2.0, 3.0
CLEARLY = 0.9  # another elbow replaces an unreached pose only below this part of its distance


def space(ints):
    """Floats of workspace for one solve."""
    return (
        tree_space(ints)
        + 3 * ints[H_COORDS]
        + 24
        + limb_balls.STANCE
        + limb_balls.ALL_LANES
        + ints[H_ROWS]
        + ints[H_BLOCKS]
        + finish_space(ints)
    )


@kernel
def miss(moving, moving_f, states, effectors, limb, point):
    """How far the effector is from a world point."""
    tip, _, _ = limb_tip(moving, moving_f, states, effectors, limb)
    return norm(sub(point, tip))


@kernel
def do_what_limits_allow(
    moving, moving_f, blocks, states, effectors, limb, start, other, aimed, near, options
):
    """Where limits have kept the closed form from its target: come as near as can be, either side."""
    if miss(moving, moving_f, states, effectors, limb, aimed) <= near:
        return  # it is only soft
    settle_limb(moving, moving_f, states, effectors, limb, aimed)
    least = miss(moving, moving_f, states, effectors, limb, aimed)
    for elbow in (1.0, -1.0):
        other[:] = start
        close_limb(moving, moving_f, blocks, states, effectors, other, options[SOFTEN], elbow)
        settle_limb(moving, moving_f, states, effectors, other, aimed)
        new = miss(moving, moving_f, states, effectors, other, aimed)
        if new < CLEARLY * least:
            limb[:] = other
            least = new
    if miss(moving, moving_f, states, effectors, start, aimed) < least:
        limb[:] = start


@kernel
def equal(rows, row):
    """Whether the first of some rows is the same as another row."""
    for i in range(row.shape[0]):
        if rows[0, i] != row[i]:
            return False
    return True


@kernel
def carve_limb(ints, work, i):
    """Split a workspace from i on: a pose, the start that the stance is of, stance, lanes, errors.

    Returns them and the first free place.
    """
    nq, ng = ints[H_COORDS], ints[H_BLOCKS]
    q, i = part(work, i, nq), i + nq
    stood, i = part(work, i, nq), i + nq
    stance, i = part(work, i, limb_balls.STANCE), i + limb_balls.STANCE
    lanes, i = part(work, i, limb_balls.ALL_LANES), i + limb_balls.ALL_LANES
    errors, i = part(work, i, ng), i + ng
    return q, stood, stance, lanes, errors, i


@kernel
def go_on(ints, floats, starts, targets, out, work, first, last):
    """Solve problems from the first on with the stance that is there, if their start is its own.

    Returns the first that is not reached so.
    """
    _, moving, blocks, _, _, _, blocks_f, _, _, _ = unpack(ints, floats)
    _, _, _, i = carve(ints, work)
    q, stood, stance, lanes, errors, i = carve_limb(ints, work, i)
    if not equal(starts, stood):
        return first
    near = blocks_f[0, B_TOLERANCE]
    for begin in range(first, last, limb_balls.LANES):
        count = min(limb_balls.LANES, last - begin)
        limb_balls.fill_lanes(stance, blocks, targets, begin, count, lanes)
        limb_balls.close_balls(stance, lanes, count, blocks.shape[0] > 1)
        for i in range(count):
            b = begin + i
            reached, root, bend = limb_balls.read_lane(lanes, i, near, errors)
            if not reached:
                return b
            write_reached(blocks_f, floats[F_LENGTH], errors, q, out, b)
            store4(out, b, moving[0, M_Q], root)
            store4(out, b, moving[1, M_Q], bend)
    return last


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    alike = starts.shape[0] == 1 and offsets.shape[0] == 1 and trace.shape[0] == 0
    while first < last:
        if alike and (work[MARK] == STANCE or work[MARK] == FOLDED_STANCE):
            first = go_on(ints, floats, starts, targets, out, work, first, last)
        if first < last:
            first = solve_anew(
                ints, floats, offsets, starts, targets, out, work, trace, events, first, last
            )


@kernel
def solve_anew(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems from the first on, until there is a stance to go on with.

    Returns the first that was not solved.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, options, _, _ = unpack(ints, floats)
    states, effectors, folded, i = carve(ints, work)
    q, stood, stance, lanes, errors, i = carve_limb(ints, work, i)
    nq, nr, ng = ints[H_COORDS], ints[H_ROWS], blocks.shape[0]
    before, i = part(work, i, nq), i + nq
    limb, i = part(work, i, 8), i + 8
    begun, i = part(work, i, 8), i + 8
    other, i = part(work, i, 8), i + 8
    rows, i = part(work, i, nr), i + nr
    tail = part(work, i, work.shape[0] - i)
    length, radian = floats[F_LENGTH], floats[F_TURN]
    watched = trace.shape[0] > 0
    limited = moving[0, M_KIND] != BALL or moving[1, M_KIND] != BALL
    near = blocks_f[0, B_TOLERANCE]
    folded_before, once = work[MARK] >= FOLDED_STANCE, folds_once(active, starts, offsets)
    balls = work[MARK] == FOLDED_STANCE
    alike = starts.shape[0] == 1 and offsets.shape[0] == 1
    for b in range(first, last):
        # No view of an array is made on the way to a reached target: counting references takes time.
        s = b if starts.shape[0] > 1 else 0
        t = b if targets.shape[0] > 1 else 0
        for i in range(nq):
            q[i] = starts[s, i]
        if not folded_before:
            offset = row_at(offsets, b)
            fold(active, active_f, blocks, blocks_f, offset, q, states, effectors, folded)
            balls = (
                options[SOFTEN] >= 1.0
                and options[MAX_ITERATIONS] >= 1.0
                and limb_balls.fits(moving, blocks, states, effectors)
            )
            work[MARK] = STANCE if balls else 0.0
            if rigid(active):
                work[MARK] = FOLDED_STANCE if balls else FOLDED
            folded_before = once
        for g in range(ng):
            for i in range(3):
                effectors[g, E_TARGET + i] = targets[t, blocks[g, B_TARGET] + i]
        for k in range(2):
            kind, at = moving[k, M_KIND], moving[k, M_Q]
            if kind == BALL:
                put4(q, at, unit_turn(take4(q, at)))
            else:
                project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
        traced, event = 0, 0
        if watched:
            before[:] = q
            evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, radian, rows,
                errors,
            )  # fmt: skip
            traced = record(trace, 0, q, blocks, errors)
        stop, used = STOP_BUDGET, 0
        if options[MAX_ITERATIONS] >= 1.0:
            stop, used = STOP_STALLED, 1
            reached = False
            if balls:
                limb_balls.take_stance(moving, states, effectors, q, stance)
                for i in range(nq):
                    stood[i] = starts[s, i]
                limb_balls.fill_lanes(stance, blocks, targets, t, 1, lanes)
                limb_balls.close_balls(stance, lanes, 1, ng > 1)
                reached, root, bend = limb_balls.read_lane(lanes, 0, near, errors)
                if reached:
                    put4(q, moving[0, M_Q], root)
                    put4(q, moving[1, M_Q], bend)
            if not reached:
                load_limb(moving, moving_f, q, limb)
                for i in range(8):
                    begun[i] = limb[i]
                aimed = close_limb(
                    moving, moving_f, blocks, states, effectors, limb,
                    options[SOFTEN], options[ELBOW],
                )  # fmt: skip
                limb_errors(moving, moving_f, blocks, states, effectors, limb, errors)
                reached = errors[0] <= near
                if not reached and limited:
                    do_what_limits_allow(
                        moving, moving_f, blocks, states, effectors, limb, begun, other, aimed,
                        near, options,
                    )  # fmt: skip
                    limb_errors(moving, moving_f, blocks, states, effectors, limb, errors)
                store_limb(moving, limb, q)
            if reached and not watched:
                write_reached(blocks_f, length, errors, q, out, b)
                if balls and alike:
                    return b + 1
                continue
            if watched:
                traced = record(trace, traced, q, blocks, errors)
                event = record_turn(events, 0, 1, moving, 1, before, q)
                event = record_turn(events, event, 1, moving, 0, before, q)
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f, starts[s], q, states, effectors,
            rows, errors, tail, row_at(out, b), stop, used, 0, traced, event,
        )  # fmt: skip
    return last
