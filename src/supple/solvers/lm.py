"""Levenberg-Marquardt over several goals on a tree with mixed joints.

The idea: linearise all goals at once, take the damped least-squares step in the tangent space of
the pose, keep it if it brings the goals closer, else damp more. The damping is proportional to the
squared error (Sugihara 2011, "Solvability- unconcerned inverse kinematics by the
Levenberg-Marquardt method", eq. 20), so that steps are calm while the target is far or out of reach
and become Newton's, converging quadratically, as it is met. Limits are an active set inside the
step: a freedom that would leave its range is locked at the end of it, what it does is subtracted,
and the rest is solved again.

The right choice almost always: any joints, any goals, a few microseconds an iteration. A local
solve can end in a pose where limits or geometry block every small improvement; restarts from
low-discrepancy seeds then look elsewhere, and an answer is only ever replaced by a clearly better
one. An arm of six hinges that has a closed form (`arm_forms`) can begin at its answer nearest to the
start, and is done: `closed_form`, which "auto" asks for.

Chains that everybody has take the same steps with less work: free balls in a row with one position
(`lm_balls`), whose tip is led round the root and not straight at its target, which saves two
iterations of five and turns the joints less; and hinges in a row with one effector (`lm_hinges`).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from supple.kernels.bend import bend
from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_TOLERANCE,
    E_TARGET,
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_MOVING,
    H_ROWS,
    POSITION,
    S_P0,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.posture import wishes
from supple.kernels.quaternion import load3, norm, sub
from supple.kernels.record import record
from supple.kernels.report import (
    base_point,
    evaluate,
    finish,
    finish_reached,
    finish_space,
    out_of_reach,
    span,
    take_aim,
)
from supple.kernels.residual import residuals
from supple.kernels.tree import (
    MARK,
    aim,
    carve,
    fold,
    folds_once,
    forward,
    place_effectors,
    rigid,
    tree_space,
    unpack,
)
from supple.kernels.views import grid, part, row_at
from supple.solvers import arm_forms, hinge_arm, lm_balls, lm_hinges
from supple.solvers.base import EVERYTHING, Solver, Takes
from supple.solvers.lm_rules import (
    CLEARLY,
    NOTHING,
    TIGHT,
)
from supple.solvers.lm_tree import begin_elsewhere, descend, on_saddle, relax

MAX_ITERATIONS, REGULARIZATION, RESTARTS, STALL, CLOSED_FORM = range(5)
NEW, GENERAL, BALLS, HINGES = range(4)  # kinds of problems, as the MARK of a workspace has them
CANDIDATES = 32  # seeds looked at for each restart; the one nearest to the goals is used
RELAXING = 20  # iterations that secondary aims may use when the goals took the whole budget
SPANS = 5  # nearest, longest and base of a chain
NEWTON = 96  # up to this many freedoms, targets out of reach are approached with second derivatives


def space(ints):
    """Floats of workspace for one solve."""
    nd, nr = ints[H_DOFS], ints[H_ROWS]
    side = nd if nd <= NEWTON else min(nd, nr)
    local = 3 * ints[H_COORDS] + nr + ints[H_BLOCKS] + 4 * nd + 2 * side * side + 2 * max(nd, nr)
    tangents = nd * (5 + nr) + 3 * ints[H_MOVING]
    special = max(lm_balls.space(ints), lm_hinges.space(ints)) + arm_forms.SPACE + SPANS
    return tree_space(ints) + local + tangents + special + finish_space(ints)


@kernel
def put_row(numbers, into):
    """Copy a row of numbers."""
    for i in range(numbers.shape[0]):
        into[i] = numbers[i]


@kernel
def kind_of(ints, moving, moving_f, blocks):
    """Whether the problem is of a kind that has ways of its own."""
    if lm_balls.fits(ints, moving, moving_f, blocks):
        return BALLS
    return HINGES if lm_hinges.fits(ints, moving, moving_f, blocks) else GENERAL


@kernel
def measure_chain(moving, moving_f, blocks, states, effectors, spans):
    """Fill spans, shape (SPANS,): how near and far a chain's position can ever be from its base.

    Then the base in world. No bounds if no position is asked for.
    """
    spans[0], spans[1] = 0.0, math.inf
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] == POSITION:
            spans[0], spans[1] = span(moving, moving_f, blocks, states, effectors, g)
            spans[2], spans[3], spans[4] = base_point(moving, moving_f, blocks, states, g)


@kernel
def beyond(blocks, blocks_f, effectors, spans):
    """Whether a chain's position is surely out of its span."""
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] == POSITION:
            away = norm(sub(load3(effectors, g, E_TARGET), (spans[2], spans[3], spans[4])))
            return max(away - spans[1], spans[0] - away) > blocks_f[g, B_TOLERANCE]
    return False


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    active, moving, blocks, touch, active_f, moving_f, blocks_f, options, rest, weight = unpack(
        ints, floats
    )
    states, effectors, folded, i = carve(ints, work)
    nq, nd, nr, nm = ints[H_COORDS], ints[H_DOFS], ints[H_ROWS], ints[H_MOVING]
    side = nd if nd <= NEWTON else min(nd, nr)
    q, i = part(work, i, nq), i + nq
    trial, i = part(work, i, nq), i + nq
    best, i = part(work, i, nq), i + nq
    rows, i = part(work, i, nr), i + nr
    left, i = part(work, i, max(nd, nr)), i + max(nd, nr)
    errors, i = part(work, i, blocks.shape[0]), i + blocks.shape[0]
    free, i = part(work, i, nd), i + nd
    delta, i = part(work, i, nd), i + nd
    y, i = part(work, i, max(nd, nr)), i + max(nd, nr)
    a, i = grid(work, i, side, side), i + side * side
    wish, i = part(work, i, nd), i + nd
    swing, i = part(work, i, nd), i + nd
    c, i = grid(work, i, side, side), i + side * side
    bounds, i = grid(work, i, nd, 2), i + 2 * nd
    axes, i = grid(work, i, nd + nm, 3), i + 3 * (nd + nm)
    columns, i = grid(work, i, nd, nr), i + nd * nr
    exact, i = part(work, i, arm_forms.SPACE), i + arm_forms.SPACE
    special = max(lm_balls.space(ints), lm_hinges.space(ints))
    links, i = part(work, i, special), i + special
    spans, i = part(work, i, SPANS), i + SPANS
    tail = part(work, i, work.shape[0] - i)
    length, turn = floats[F_LENGTH], floats[F_TURN]
    budget = options[MAX_ITERATIONS]
    kind = int(work[MARK])
    folded_before = kind != NEW
    if not folded_before:
        kind = kind_of(ints, moving, moving_f, blocks)
    closed = kind == HINGES and options[CLOSED_FORM] > 0.0 and nm == arm_forms.COUNT and nr == nm
    once = folds_once(active, starts, offsets)
    alike = starts.shape[0] == 1 and offsets.shape[0] == 1
    standing = False  # whether `best`, and what is made of it, is the start of the problem to come
    placed = grid(links, 0, nm, lm_balls.STATES * lm_balls.STATE)
    tip, moments = (0.0, 0.0, 0.0), lm_balls.NO_MOMENTS
    for b in range(first, last):
        start = row_at(starts, b)
        if standing:
            put_row(best, q)
            aim(blocks, effectors, row_at(targets, b))
        else:
            put_row(start, q)
            if not folded_before:
                fold(
                    active, active_f, blocks, blocks_f, row_at(offsets, b), q, states, effectors,
                    folded,
                )  # fmt: skip
                if kind != GENERAL:
                    measure_chain(moving, moving_f, blocks, states, effectors, spans)
                if kind == HINGES:
                    hinge_arm.set_up(moving, moving_f, blocks, states, effectors, links)
                work[MARK] = kind if rigid(active) else NEW
                folded_before = once
            take_aim(moving, moving_f, blocks, row_at(targets, b), q, states, effectors)
            put_row(q, best)
            if kind == BALLS:
                tip, moments = lm_balls.stand(moving, states, effectors, weight, q, placed)
        traced = 0
        used, restarts, number = 0, 0, 1
        if kind == GENERAL or trace.shape[0] > 0:
            forward(moving, moving_f, q, states)
            place_effectors(moving, blocks, q, states, effectors)
        if kind == GENERAL:
            far = out_of_reach(moving, moving_f, blocks, blocks_f, states, effectors)
        else:
            far = beyond(blocks, blocks_f, effectors, spans)
        if trace.shape[0] > 0:
            residuals(blocks, blocks_f, states, effectors, length, turn, rows, errors)
            traced = record(trace, 0, q, blocks, errors)
        standing = False
        if kind != GENERAL and not far:
            if kind == BALLS:
                target = sub(load3(effectors, 0, E_TARGET), load3(states, 0, S_P0))
                done, used, cost, traced = lm_balls.descend(
                    moving, blocks, blocks_f, weight, length, options[REGULARIZATION],
                    states, target, tip, moments, q, errors, placed, budget, trace, traced,
                )  # fmt: skip
            else:
                done, used, restarts, cost, traced = lm_hinges.search(
                    moving, moving_f, blocks, blocks_f, states, effectors, length, turn, weight,
                    start, q, errors, links, exact, closed, budget - min(10.0, budget // 10),
                    options[REGULARIZATION], options[RESTARTS], options[STALL], trace, traced,
                )  # fmt: skip
            if done:
                finish_reached(
                    ints, blocks, q, errors, row_at(out, b), used, restarts, traced, cost
                )
                standing = alike
                continue
            if kind == BALLS:
                q[:] = best
        best[:] = q
        best_cost = first_cost = cost = evaluate(
            moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
        )
        settling = far  # the last descent: what is surely out of reach is only settled
        stop = STOP_STALLED
        bent = elsewhere = False
        while True:
            stop, cost, used, traced = descend(
                floats, moving, moving_f, blocks, blocks_f, touch, weight,
                q, trial, states, effectors, rows, errors,
                axes, bounds, columns, a, c, y, left, free, delta,
                cost, used, budget if settling else budget - min(10.0, budget // 10),
                options[REGULARIZATION], TIGHT if settling else options[STALL],
                settling and nd <= NEWTON, trace, traced,
            )  # fmt: skip
            if stop == STOP_REACHED or cost < best_cost * (CLEARLY if elsewhere else 1.0):
                best[:] = q
                best_cost = cost
            # Limbs in one line with their targets: a small bend, always the same, leaves that. What
            # is surely out of reach may not leave a valley, or it would not stay where it has settled.
            to_bend = stop == STOP_STALLED and not bent
            if to_bend and far:
                if nd <= NEWTON:
                    to_bend = on_saddle(
                        floats, moving, moving_f, blocks, blocks_f, touch, weight,
                        q, states, effectors, rows, axes, bounds, columns, a, free,
                    )  # fmt: skip
                else:
                    to_bend = cost >= first_cost * (1.0 - NOTHING)
            if stop == STOP_REACHED or (settling and not to_bend):
                break
            elsewhere = True
            if to_bend:
                bent = True
                bend(moving, moving_f, blocks, states, effectors, q, grid(tail, 0, nm, 3))
            elif stop == STOP_STALLED and not far and restarts < options[RESTARTS]:
                restarts += 1
                number = begin_elsewhere(
                    moving, moving_f, blocks, blocks_f, number,
                    min(1.0, 0.5 * restarts), CANDIDATES,
                    floats, nd, start, best, trial, q, states, effectors, rows, errors,
                )  # fmt: skip
            else:
                # Nothing was reached: settle the best pose, so that a small move of the target is
                # a small move of the pose.
                settling = True
                elsewhere = False
                q[:] = best
            cost = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
        if stop == STOP_REACHED and wishes(ints):
            used, traced = relax(
                ints, floats, moving, moving_f, blocks, blocks_f, touch, weight, rest, wish, swing,
                q, trial, best, states, effectors, rows, errors,
                axes, bounds, columns, a, c, y, left, free, delta,
                used, max(budget, used + RELAXING), trace, traced,
            )  # fmt: skip
            best[:] = q
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f,
            start, best, states, effectors, rows, errors, tail, row_at(out, b),
            stop, used, restarts, traced, 0,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LM(Solver):
    """Levenberg-Marquardt; see the module's text.

    Args:
        max_iterations: Newton steps in all, restarts included.
        regularization: The damping at the start: in units of the squared error, in chain lengths,
            times the mean diagonal.
        restarts: How many other beginnings are tried after the local solve has stalled.
        stall: An iteration that lowers the cost by less than this fraction is slow; three in a row
            are a stall.
        closed_form: Whether an arm of six hinges that has a closed form (a wrist whose axes meet, or
            three parallel axes) begins at its answer nearest to the start.
    """

    name: ClassVar[str] = "LM"
    takes: ClassVar[Takes] = EVERYTHING
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 100
    regularization: float = 1.0
    restarts: int = 20
    stall: float = 0.2
    closed_form: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self._positive("regularization")
        self._whole("restarts")
        self._fraction("stall")
        self._flag("closed_form")

    @property
    def most_iterations(self) -> int:
        """At most how many iterations a solve reports: secondary aims may use a few more."""
        return self.max_iterations + RELAXING
