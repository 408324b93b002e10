"""Levenberg-Marquardt over several goals on a tree with mixed joints.

The idea: linearise all goals at once, take the damped least-squares step in the tangent space of
the pose, keep it if the cost falls, else damp more. The damping is proportional to the squared error
(Sugihara 2011, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method",
eq. 20): steps are short while the target is far or out of reach, and become Gauss-Newton steps, which
converge quadratically, as it is met. Limits are an active set inside the step: a freedom that would
leave its range is locked at its limit, its effect is subtracted from the residual, and the others are
solved for again.

The right choice for almost every problem: any joints, any goals, a few microseconds an iteration. A
local solve fails in a pose where limits or geometry block every small improvement. Restarts from
low-discrepancy seeds then look elsewhere, and only a clearly better answer replaces the one found.
A target that is surely out of reach is approached from the start, and restarts follow only if the
start was far from any answer: so a pose that starts at the last answer follows such a target without
jumps. With the option `closed_form`, which "auto" sets, an arm of six hinges that has a closed form
(`fast.six_hinges`) begins at the answer nearest to the start.

Common problems have fast paths. A chain of free balls with one position (`fast.balls`) leads its tip
round the root instead of straight at the target, which saves two iterations of five and turns the
joints less. A chain of hinges with one effector (`fast.hinges`) takes the same steps with less work.
`LookAt` goals that one joint each can serve have closed forms (`fast.looks`), at limits too. With many
goals the step is found on the tree (`supple.kernels.tree_factor`), and an iteration is linear in goals
and joints.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from supple.kernels import layout
from supple.kernels.bend import bend
from supple.kernels.blocked import Seen, write_blocked
from supple.kernels.constraints import (
    DEPTH,
    TOPPLE,
    fault_of,
    fold_points,
    linearize_constraints,
    take_bodies,
    unbroken,
    unpack_constraints,
    weigh,
    widest_open,
    write_faults,
)
from supple.kernels.curvature import curvature
from supple.kernels.decorators import SOLVE, entry, kernel, leaf
from supple.kernels.jacobian import linearize, step_along
from supple.kernels.levenberg import (
    DESCENT_RULES,
    attainable,
    before_settling,
    bounded_step,
    constrained_matrix,
    constrained_step,
    eased,
    hold_at_bounds,
    normal_matrix,
    slowed,
    subtract_change,
    take_step,
)
from supple.kernels.linear_algebra import factor
from supple.kernels.mending import hard_cost, restore
from supple.kernels.posture import posture
from supple.kernels.problem import (
    evaluate,
    fold,
    folds_once,
    forward,
    has_secondary,
    nearer,
    place_effectors,
    prepare_start,
    take_frames,
    take_linear,
    tolerances,
    unpack,
)
from supple.kernels.reach import farthest, least_cost, out_of_reach, proven_out
from supple.kernels.report import (
    Ended,
    clear_trace,
    finish,
    finish_judged,
    finish_reached,
    record,
    trace_into,
)
from supple.kernels.restart import (
    Seeds,
    Window,
    began_cold,
    best_seed,
    clearly_better,
    clearly_nearer,
)
from supple.kernels.workspace import clear, copy, matrix, part, row_at, vector
from supple.solvers.base import EVERYTHING, Solver, Takes
from supple.solvers.fast import serial


class Tuning(NamedTuple):
    """The tuned numbers of LM. Where no source is given, none is recorded.

    Attributes:
        seed_candidates: Seeds evaluated for a restart, at most; the one nearest to the goals is used.
        descent_iterations: Iterations of one descent, at most, so that a slow one leaves some to the restarts.
        secondary_iterations: Iterations that secondary goals may use when the goals took the whole budget.
        newton_freedoms: Up to this many freedoms, targets out of reach are approached with second derivatives.
        secondary_damping: Damping while following secondary goals [of the mean diagonal].
        secondary_slack: How much worse a met goal may get for secondary goals [of its tolerance].
        flat_curvature: A curvature counts as negative only below minus this [of the mean diagonal].
        closing_seeds: Seeds from which open loops are closed before the goals are approached.
    """

    seed_candidates: int = 32
    descent_iterations: int = 100
    secondary_iterations: int = 20
    newton_freedoms: int = 96
    secondary_damping: float = 1e-6
    secondary_slack: float = 1e-6
    flat_curvature: float = 1e-6
    closing_seeds: int = 6


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `LM`, in their order."""

    max_iterations: float
    regularization: float
    restarts: float
    stall: float
    closed_form: float


class Buffers(NamedTuple):
    """The workspace of one solve."""

    q: Any  # (Q,) the pose
    trial: Any  # (Q,)
    best: Any  # (Q,) the best pose so far
    frames: Any
    linear: Any
    step: Any
    secondary: Any  # (D,) the step that secondary goals ask for
    swing: Any  # (D,)
    bones: Any  # (M, 3) used by `bend`
    ranges: Any  # (M, 2) used to prove targets out of reach
    near: Any  # (G,) the error up to which each goal counts as met
    constraints: Any
    bodies: Any
    first: Any  # (Q,) the start, clamped to its limits


class Rules(NamedTuple):
    """When a descent ends, and how it steps."""

    budget: float  # the iteration to stop at
    damping: float  # at the start
    stall: float  # an iteration that lowers the cost by less than this fraction is slow
    newton: bool  # whether to use second derivatives


class Descent(NamedTuple):
    """How a descent ended."""

    stop: int
    cost: float
    used: int  # iterations so far


@leaf
def read_options(problem):
    """The options in a packed problem."""
    o = problem.options
    return Options(o[0], o[1], o[2], o[3], o[4])


@leaf
def take_buffers(problem, constraints, work):
    """Take the workspace of one solve."""
    moving = problem.moving
    nq, nd = problem.coordinates, problem.freedoms
    hard = constraints.some or problem.has_moving_targets
    return Buffers(
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        take_frames(problem, work),
        take_linear(problem, work),
        take_step(problem, work, _side(problem, hard)),
        vector(work, nd),
        vector(work, nd),
        matrix(work, moving.shape[0], 3),
        matrix(work, moving.shape[0], 2),
        vector(work, problem.blocks.shape[0]),
        constraints,
        take_bodies(problem, constraints, work),
        vector(work, nq if hard else 0),
    )


@leaf
def _side(problem, hard):
    """The number of unknowns of the largest dense system of a solve; 0 on a tree."""
    nd, nr = problem.freedoms, problem.rows
    if problem.is_tree:
        return 0
    return nd if hard or nd <= TUNING.newton_freedoms else min(nd, nr)


@leaf
def is_hard(problem, lm):
    """True if there are loops or constraints."""
    return lm.constraints.some or problem.has_moving_targets


@kernel
def is_met(problem, lm):
    """True if the pose weighed last meets every goal and violates no constraint."""
    return nearer(problem, lm.frames, lm.near) and (not lm.constraints.some or unbroken(lm.bodies))


@kernel
def descend(problem, lm, trace, cost, used, rules):
    """Iterate from q, evaluated, until reached, stalled or out of budget.

    Q ends as the best pose seen, evaluated.
    """
    frames, linear, step, q = lm.frames, lm.linear, lm.step, lm.q
    hard = is_hard(problem, lm)
    by_rows = problem.rows <= problem.freedoms and not rules.newton
    damping, growth = rules.damping, 2.0
    slow = 0
    fresh = True
    while True:
        if is_met(problem, lm):
            return Descent(layout.STOP_REACHED, cost, used)
        if used >= rules.budget:
            return Descent(layout.STOP_BUDGET, cost, used)
        used += 1
        if fresh:
            linearize(problem, frames, linear, q)
        if hard:
            if fresh and lm.constraints.some:
                linearize_constraints(problem, lm.constraints, lm.bodies, frames, linear)
            mean = constrained_matrix(problem, frames, linear, lm.bodies, step, True)
            amount = (damping * min(cost, 1.0) + DESCENT_RULES.least_damping) * mean + 1e-300
            prediction = constrained_step(problem, frames, linear, lm.bodies, step, amount, True)
            alignment = prediction / (cost + 1e-300)
        else:
            hold_at_bounds(problem, frames, linear, step)
            mean = normal_matrix(problem, linear, step, by_rows)
            if rules.newton:
                curvature(problem, frames, linear, step.matrix)
            alignment = attainable(problem, frames, linear, step) / (mean * cost + 1e-300)
            amount = (damping * min(cost, 1.0) + DESCENT_RULES.least_damping) * mean + 1e-300
            prediction = bounded_step(problem, frames, linear, step, amount, by_rows)
        new = math.inf
        if prediction >= 0.0:
            copy(q, lm.trial)
            step_along(problem, frames, linear, q, step.delta, lm.trial)
            new = weigh(problem, lm, lm.trial)
        if new < cost:
            damping = eased(damping, cost - new, prediction)
            slow = slowed(slow, cost - new, cost, alignment, rules.stall)
            cost = new
            copy(lm.trial, q)
            growth = 2.0
            fresh = True
        else:
            # The trial is worse, or the system not solvable: go back to q, with more damping.
            weigh(problem, lm, q)
            damping *= growth
            growth *= 2.0
            fresh = False
            if alignment < DESCENT_RULES.blocked and 0.0 <= prediction < rules.stall * cost:
                slow += 1
        record(trace, problem, q, frames.errors)
        if (
            slow >= DESCENT_RULES.slow_iterations
            or damping > DESCENT_RULES.most_damping
            or 0.0 <= prediction < DESCENT_RULES.least_gain * cost
        ):
            return Descent(layout.STOP_STALLED, cost, used)


@kernel
def descend_once(problem, options, lm, trace):
    """Descend from q until reached or stalled, q ends there; returns the iterations used."""
    tolerances(problem, lm.near)
    most = min(before_settling(options.max_iterations), TUNING.descent_iterations)
    rules = Rules(most, options.regularization, options.stall, False)
    cost = evaluate(problem, lm.frames, lm.q)
    return descend(problem, lm, trace, cost, 0, rules).used


@kernel
def relax(problem, lm, trace, used, budget):
    """Follow the secondary goals while the goals, met by q, stay met; q ends there.

    Each step follows the secondary goals, with its linear effect on the goals taken back, and then
    corrects the goals. It is kept if the goals are met again and the secondary goals are nearer. Returns
    the iterations used so far.
    """
    frames, linear, step, q, kept = lm.frames, lm.linear, lm.step, lm.q, lm.best
    by_rows = problem.rows <= problem.freedoms
    for g in range(lm.near.shape[0]):
        # Goals stay as near as they are, not just within their tolerance: a start that meets them does not
        # get worse, and solving again and again does not drift.
        lm.near[g] = min(lm.near[g], max(frames.errors[g], TUNING.secondary_slack * lm.near[g]))
    gain = 1.0
    while used < budget:
        linearize(problem, frames, linear, q)
        before = posture(problem, frames, linear, q, lm.secondary, lm.swing)
        for d in range(problem.freedoms):
            change = min(max(gain * lm.secondary[d], linear.bounds[d, 0]), linear.bounds[d, 1])
            lm.secondary[d] = change
            linear.bounds[d, 0] -= change
            linear.bounds[d, 1] -= change
        subtract_change(problem, frames, linear, lm.secondary)
        hold_at_bounds(problem, frames, linear, step)
        amount = TUNING.secondary_damping * normal_matrix(problem, linear, step, by_rows) + 1e-300
        if bounded_step(problem, frames, linear, step, amount, by_rows) < 0.0:
            break
        for d in range(problem.freedoms):
            step.delta[d] += lm.secondary[d]
        copy(q, kept)
        step_along(problem, frames, linear, kept, step.delta, q)
        cost = weigh(problem, lm, q)
        used += 1
        record(trace, problem, q, frames.errors)
        corrected = descend(
            problem,
            lm,
            trace,
            cost,
            used,
            Rules(min(used + 4, budget), 1.0, DESCENT_RULES.least_fall, False),
        )
        used = corrected.used
        linearize(problem, frames, linear, q)
        after = posture(problem, frames, linear, q, lm.secondary, lm.swing)
        if corrected.stop == layout.STOP_REACHED and after < before:
            gain = min(1.0, 2.0 * gain)
            if before - after < 1e-4 * before or after < 1e-12:
                break
        else:
            copy(kept, q)
            weigh(problem, lm, q)
            gain *= 0.25
            if gain < 0.01:
                break
    return used


@kernel
def on_saddle(problem, lm):
    """True if the cost has negative curvature at q, evaluated, in some direction of the free freedoms.

    For at most `newton_freedoms` freedoms. Freedoms that are pulled into their limits count as locked.
    """
    a, free = lm.step.matrix, lm.step.free
    linearize(problem, lm.frames, lm.linear, lm.q)
    hold_at_bounds(problem, lm.frames, lm.linear, lm.step)
    mean = normal_matrix(problem, lm.linear, lm.step, False)
    curvature(problem, lm.frames, lm.linear, a)
    n = problem.freedoms
    for i in range(n):
        for j in range(i):
            a[i, j] = 0.0 if free[i] == 0.0 or free[j] == 0.0 else a[i, j]
        a[i, i] = 1.0 if free[i] == 0.0 else a[i, i] + TUNING.flat_curvature * mean + 1e-300
    return not factor(a, n, a)


@kernel
def begin_elsewhere(problem, lm, start, restart, number):
    """Put the start of the next descent into q; returns how many seeds were evaluated.

    Restarts alternate between seeds around the best pose and seeds within the targets' reach. They take the best
    of 32 seeds, then of 16, down to a single one, and begin again: the best of many seeds is nearly at the goals, a
    single one ends in another valley.
    """
    count = TUNING.seed_candidates >> ((restart - 1) % 6)
    wide = farthest(problem, lm.frames) + problem.length if restart % 2 == 0 else 0.0
    seeds = Seeds(number, count, min(1.0, 0.5 * restart))
    best_seed(problem, lm.frames, seeds, start, Window(lm.best, wide), lm.trial, lm.q)
    return count


class Rank(NamedTuple):
    """How far a pose is from valid and from its goals; poses compare by these fields in this order."""

    opening: float  # of the widest loop, in tolerances; 0 if all are closed
    depth: float  # of the deepest pair
    topple: float  # how far off balance
    cost: float  # of the goals


@kernel
def rank_of(problem, lm, q):
    """The rank of the pose q, which ends weighed."""
    cost = weigh(problem, lm, q)
    g = widest_open(problem, lm.frames)
    opening = lm.frames.errors[g] / problem.blocks_f[g, layout.B_TOLERANCE] if g >= 0 else 0.0
    found = lm.bodies.found
    return Rank(opening, found[DEPTH], found[TOPPLE], cost - hard_cost(problem, lm))


@leaf
def ranks_before(one, other):
    """True if the rank `one` is better than `other`."""
    if one.opening != other.opening:
        return one.opening < other.opening
    if one.depth != other.depth:
        return one.depth < other.depth
    if one.topple != other.topple:
        return one.topple < other.topple
    return one.cost < other.cost


@kernel
def close_loops_first(problem, options, lm, trace, ended):
    """Close the loops without regard to the goals, then approach the goals; `best` takes a better pose.

    Begins at the start, then at seeds if the loops do not close from there. A goal far away can keep a search where
    the loops do not close. Returns how the solver ended, with the iterations and restarts used here added.
    """
    used, restarts, number = ended.iterations, ended.restarts, 1
    copy(lm.first, lm.q)
    restore(problem, lm, lm.q, True)
    for n in range(TUNING.closing_seeds):
        if widest_open(problem, lm.frames) < 0 or restarts >= options.restarts:
            break
        restarts += 1
        number += begin_elsewhere(problem, lm, lm.first, n + 1, number)
        restore(problem, lm, lm.q, True)
    closed = widest_open(problem, lm.frames) < 0
    keep_better(problem, lm)
    if closed:
        cost = weigh(problem, lm, lm.q)
        budget = max(options.max_iterations, used + TUNING.secondary_iterations)
        rules = Rules(
            min(budget, used + TUNING.descent_iterations),
            options.regularization,
            DESCENT_RULES.least_fall,
            False,
        )
        used = descend(problem, lm, trace, cost, used, rules).used
        restore(problem, lm, lm.q, False)
        if lm.constraints.some and widest_open(problem, lm.frames) >= 0:
            restore(problem, lm, lm.q, True)
        keep_better(problem, lm)
    return Ended(ended.stop, used, restarts)


@kernel
def keep_better(problem, lm):
    """Copy q to `best` if it is better."""
    if ranks_before(rank_of(problem, lm, lm.q), rank_of(problem, lm, lm.best)):
        copy(lm.q, lm.best)


@kernel
def repair_best(problem, options, lm, trace, ended):
    """After a search with loops or constraints: repair violations in `best`, and judge it.

    Returns the status of what is still violated, REACHED if nothing is, and how the solver ended.
    """
    if ended.stop != layout.STOP_REACHED:
        restore(problem, lm, lm.best, False)
        if lm.constraints.some and widest_open(problem, lm.frames) >= 0:
            restore(problem, lm, lm.best, True)  # where both cannot hold, loops come first
        if ranks_before(rank_of(problem, lm, lm.first), rank_of(problem, lm, lm.best)):
            copy(lm.first, lm.best)
        weigh(problem, lm, lm.best)
        if widest_open(problem, lm.frames) >= 0:
            ended = close_loops_first(problem, options, lm, trace, ended)
    weigh(problem, lm, lm.best)
    return fault_of(problem, lm.frames, lm.bodies), ended


@kernel
def search(problem, options, lm, trace, start, far, ended, searched):
    """Descend from q, inside its limits; after a stall bend, then restart, then settle.

    Args:
        problem: The problem.
        options: The options.
        lm: The workspace.
        trace: Where iterations are recorded.
        start: The start, shape (Q,).
        far: True if a target is surely out of reach. Then the start is settled first, and restarts follow only if
            that has brought it much nearer (`began_cold`) and left its cost clearly above the least that the lengths
            of the bones allow.
        ended: How a fast path ended, with its iterations and restarts.
        searched: True if that fast path has done its restarts.

    Returns:
        How the search ended. The best pose found ends in `best`.
    """
    frames, q, budget = lm.frames, lm.q, options.max_iterations
    most = before_settling(budget)
    used, restarts, number = ended.iterations, ended.restarts, 1
    hard = is_hard(problem, lm)
    allowed = float(restarts) if searched else options.restarts
    least = 0.0
    if far:
        allowed = 0.0 if searched or hard else min(allowed, float(DESCENT_RULES.proven_restarts))
        least = least_cost(problem, frames)
    newton = problem.freedoms <= TUNING.newton_freedoms and not hard and not problem.is_tree
    copy(q, lm.best)
    best_cost = first_cost = cost = weigh(problem, lm, q)
    settling = far  # true in the last descent; for targets out of reach in the first one too
    around = far and allowed > 0.0  # restarts may follow settling
    bent = elsewhere = False
    stop = layout.STOP_STALLED
    tolerances(problem, lm.near)
    while True:
        rules = Rules(
            budget if settling else min(most, used + TUNING.descent_iterations),
            options.regularization,
            DESCENT_RULES.least_fall if settling else options.stall,
            settling and newton,
        )
        descent = descend(problem, lm, trace, cost, used, rules)
        stop, cost, used = descent.stop, descent.cost, descent.used
        if stop == layout.STOP_BUDGET and used < most:
            stop = layout.STOP_STALLED  # too slow: leave the rest to restarts
        if stop == layout.STOP_REACHED or (
            clearly_nearer(cost, best_cost)
            if elsewhere and far
            else clearly_better(cost, best_cost, elsewhere)
        ):
            copy(q, lm.best)
            best_cost = cost
        # A limb in one line with its target may be at a saddle: a small bend, always the same, leaves it. For
        # a target out of reach the pose bends only at a saddle, or it would not stay where it has settled.
        to_bend = stop == layout.STOP_STALLED and not bent and (settling or not far)
        if to_bend and far:
            to_bend = (
                on_saddle(problem, lm)
                if newton
                else cost >= first_cost * (1.0 - DESCENT_RULES.least_gain)
            )
        if stop == layout.STOP_REACHED:
            break
        if settling and not to_bend:
            # When the start is the last answer and the target moves little, settling lowers the cost by little:
            # the pose stays in its valley and does not jump. A cold start has no valley to stay in.
            if not (
                around
                and stop == layout.STOP_STALLED
                and began_cold(first_cost, best_cost)
                and clearly_nearer(least, best_cost)
            ):
                break
            around = settling = False
        elsewhere = True
        if to_bend:
            bent = True
            bend(problem, frames, q, lm.bones)
        elif (
            stop == layout.STOP_STALLED
            and restarts < allowed
            and (not far or clearly_nearer(least, best_cost))
        ):
            if (
                restarts == 0
                and allowed > DESCENT_RULES.proven_restarts
                and proven_out(problem, frames, lm.ranges)
            ):
                allowed = DESCENT_RULES.proven_restarts
            restarts += 1
            number += begin_elsewhere(problem, lm, start, restarts, number)
        else:
            # Nothing was reached: settle the best pose, so that a small move of the target gives a small
            # move of the pose.
            settling = True
            elsewhere = False
            copy(lm.best, q)
        cost = weigh(problem, lm, q)
    if stop == layout.STOP_REACHED and has_secondary(problem):
        used = relax(problem, lm, trace, used, max(budget, used + TUNING.secondary_iterations))
        copy(q, lm.best)
    return Ended(stop, used, restarts)


@entry(SOLVE)
def solve_range(
    ints, floats, offsets, starts, targets, out, work, trace_poses, trace_events, first, last
):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    clear(work)
    problem = unpack(ints, floats)
    options = read_options(problem)
    lm = take_buffers(problem, unpack_constraints(problem, ints, floats), work)
    hard = is_hard(problem, lm)
    chain = serial.take_chain(problem, hard, work)
    trace = trace_into(trace_poses, trace_events, work)
    traced = trace_poses.shape[0] > 0
    once, folded = folds_once(problem, starts, offsets), False
    alike, same = once and starts.shape[0] == 1, False  # `alike`: all begin in the same pose
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        clear_trace(trace)
        copy(start, lm.q)
        if not folded:
            fold(problem, lm.frames, row_at(offsets, b), lm.q)
            fold_points(problem, lm.constraints, lm.bodies, lm.frames, row_at(offsets, b))
            serial.set_up(problem, lm.frames, chain)
            folded = once
        prepare_start(problem, lm.frames, row_at(targets, b), lm.q)
        if chain.kind == serial.GENERAL or traced:
            forward(problem, lm.frames, lm.q)
            place_effectors(problem, lm.frames, lm.q)
        if traced:
            evaluate(problem, lm.frames, lm.q)
            record(trace, problem, lm.q, lm.frames.errors)
        ended = Ended(layout.STOP_STALLED, 0, 0)
        if chain.kind == serial.GENERAL:
            far = out_of_reach(problem, lm.frames)
        else:
            far = serial.beyond(problem, lm.frames, chain)
            if not far:
                used = descend_once(problem, options, lm, trace) if chain.steps else 0
                begun = serial.Begun(same, used)
                ended, cost = serial.solve(
                    problem, options, lm.frames, chain, trace, start, lm.q, begun
                )
                same = alike
                if ended.stop == layout.STOP_REACHED:
                    finish_reached(problem, lm.frames, trace, lm.q, ended, cost, row_at(out, b))
                    continue
                if chain.kind == serial.LOOKS and ended.stop == layout.STOP_STALLED:
                    finish(problem, lm.frames, lm.linear, trace, start, lm.q, ended, row_at(out, b))
                    continue
        looks = chain.kind == serial.LOOKS
        searched = looks or (chain.kind == serial.HINGES and not far)
        far = far or looks  # closed-form looks are only settled
        fault = layout.REACHED
        if hard:
            copy(lm.q, lm.first)
        ended = search(problem, options, lm, trace, start, far, ended, searched)
        if hard:
            fault, ended = repair_best(problem, options, lm, trace, ended)
        finish_judged(
            problem, lm.frames, lm.linear, trace, start, lm.best, ended, row_at(out, b), fault
        )
        if hard:
            write_faults(problem, lm.frames, lm.bodies, row_at(out, b))
            seen = Seen(lm.frames, lm.linear, lm.step, lm.bodies)
            write_blocked(problem, lm.constraints, seen, lm.best, row_at(out, b))


@dataclass(frozen=True, kw_only=True)
class LM(Solver):
    """Levenberg-Marquardt; see the module's text.

    Args:
        max_iterations: Newton steps in all, restarts included.
        regularization: The damping at the start, in units of the cost (half the squared error, in squared chain
            lengths, at most 1) times the mean diagonal of the normal matrix.
        restarts: How many restarts follow once the local solve has stalled.
        stall: An iteration that lowers the cost by less than this fraction is slow; three in a row
            are a stall.
        closed_form: Whether an arm of six hinges that has a closed form (a wrist whose axes meet, or
            three parallel axes) begins at its answer nearest to the start.
    """

    name: ClassVar[str] = "LM"
    takes: ClassVar[Takes] = EVERYTHING
    kernel = staticmethod(solve_range)

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
        """At most how many iterations a solve reports: secondary goals may use a few more."""
        return self.max_iterations + TUNING.secondary_iterations
