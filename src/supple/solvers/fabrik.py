"""FABRIK: forward and backward reaching, inside the joints' limits.

The idea (Aristidou & Lasenby 2011, "FABRIK: a fast, iterative solver for the inverse kinematics
problem", Graphical Models 73(5), algorithm 1): put the tip on the target and pull the chain after
it, joint by joint, to the root; put the root back and pull the chain after it to the tip; repeat. A
free chain that does not reach (their test, algorithm 1 line 3) is laid straight towards its target
in one iteration. Several effectors on a tree meet in sub-bases (their section 4.4).

What is ours: both passes carry frames instead of points, so that every joint's coordinates are
chosen inside its limits on the way and every iteration ends in a valid pose, and where joints are
limited every joint looks to the far end of its chain as well as to the next joint; `fabrik_passes`
says how. The published way of applying limits (their section 4.3: move the point into the cone or
the plane, forget the frame) is known to leave a mean error of 22% of the chain's length with hinges
and 5% with cones after 50 iterations; this one leaves 0.02% and 0.0001%.

The right choice for free chains: about two iterations, each linear in the joints, and natural
poses. It is slower where the chain must be almost straight: at 99% of its reach a free chain of ten
takes 15 iterations, at 99.9% 40 (as published 130 and 1,100). Several goals on a tree of narrow
joints come near fast and then crawl; LM does not.

Decisions:
- A chain of balls only uses the next joint alone, which is the paper's method: with nothing to be
  lost by a wrong twist, the far end would only cost iterations (3.0 instead of 2.4).
- Where iterations are slow, they all go the same way. So an iteration that leaves more than half
  of the cost is followed by a longer step: on by as much again as it went, twice that the next
  time, as long as it pays. The textbook's points are in the trace, the pose is that after the step.
- A solve has *stalled* when five iterations did not lower the distance by a tenth. Then other
  beginnings are tried (`restarts`), from low-discrepancy seeds, all inside `max_iterations`; an
  unreached pose is replaced only by a clearly better one.
- FABRIK's fixed point is not the nearest pose when the target is out of reach under limits. So at
  the end the best pose *settles*: forward passes that look to the far end alone, each of which
  lowers the distance. A target that is surely out of reach of a limited chain is only settled, from
  the start: that keeps the answer calm while such a target moves, twists included.
- A pose in which everything stands in one line with the target gives no way to bend: every joint is
  then first turned a little, always the same way.
- Damping and stiffness hold the forward pass only: the backward pass is a question, not an answer.
"""

from dataclasses import dataclass
from typing import ClassVar

from supple.kernels.bend import bend, in_line
from supple.kernels.cache import kernel
from supple.kernels.fitting import untempered
from supple.kernels.layout import (
    B_MOVE,
    B_TOLERANCE,
    BALL,
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_MOVING,
    H_ROWS,
    M_KIND,
    M_PARENT,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.record import record
from supple.kernels.report import (
    begin,
    evaluate,
    finish,
    finish_space,
    gap,
    out_of_reach,
    span,
)
from supple.kernels.residual import within
from supple.kernels.seeds import seed
from supple.kernels.tangent import project
from supple.kernels.tree import carve, tree_space, unpack
from supple.kernels.turns import record_turns
from supple.kernels.views import grid, part, row_at
from supple.problem import Problem
from supple.solvers.base import Solver, Takes
from supple.solvers.fabrik_passes import (
    ROW,
    aim_straight,
    backward,
    forward_pass,
    gather,
    look_ahead,
    stride,
)

MAX_ITERATIONS, RESTARTS, CAP = range(3)
PATIENCE = 5  # a solve that in so many iterations
PROGRESS = 0.81  # does not get its cost below this part of what it was has stalled
SETTLED = 0.9998  # the same while settling
SLOWLY = 0.5  # an iteration that leaves more of the cost is followed by a longer step
CANDIDATES = 8  # seeds looked at for each restart; the one nearest to the goals is used
CLEARLY = 0.81  # a restart's pose replaces an unreached one only below this fraction of its cost
HUGE = 1e300
REACHING, STRAIGHT, SETTLING = range(3)


def space(ints):
    """Floats of workspace for one solve."""
    local = 6 * ints[H_COORDS] + ints[H_ROWS] + ints[H_BLOCKS] + ints[H_MOVING] * ROW
    return tree_space(ints) + local + max(finish_space(ints), ints[H_MOVING] * 6)


@kernel
def free_chain(moving, blocks):
    """Whether all joints are balls, and whether they also form one chain to one goal."""
    balls, serial = True, blocks.shape[0] == 1 and blocks[0, B_MOVE] == moving.shape[0] - 1
    for k in range(moving.shape[0]):
        balls = balls and moving[k, M_KIND] == BALL
        serial = serial and moving[k, M_PARENT] == k - 1
    return balls, balls and serial


@kernel
def descend(
    floats, moving, moving_f, blocks, blocks_f, options, q, best, before, trial, shown,
    states, effectors, table, rows, errors, way, free, progress, used, trace, traced, events, n,
):  # fmt: skip
    """Iterate from q until reached, stalled or out of budget; `best` gets the best pose seen.

    Returns why it stopped, the best cost, the iterations used, the trace rows and events so far.
    """
    length, turn = floats[F_LENGTH], floats[F_TURN]
    hasty = way != STRAIGHT and untempered(moving_f, options[CAP])
    low, mark, waited = HUGE, HUGE, -1
    last, gain = HUGE, 1.0
    while True:
        cost = evaluate(
            moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
        )
        if hasty and SLOWLY * last < cost < last:
            # As slow as ever, and always the same way: try a longer step, twice as long each time.
            trial[:] = q
            stride(moving, moving_f, before, gain, q)
            new = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
            if new < cost:
                gain *= 2.0
                cost = new
            else:
                gain = max(0.25 * gain, 0.5)
                q[:] = trial
                evaluate(
                    moving, moving_f, blocks, blocks_f, q,
                    states, effectors, length, turn, rows, errors,
                )  # fmt: skip
        last = cost
        if waited >= 0:
            traced = record(trace, traced, q, blocks, errors)
            n = record_turns(events, n, used, moving, shown, q)
        reached = within(blocks, blocks_f, errors)
        if cost < low or reached:
            low = cost
            best[:] = q
        if reached:
            return STOP_REACHED, low, used, traced, n
        waited += 1
        if waited == 0 or cost < progress * mark:
            mark, waited = cost, 0
        if waited >= PATIENCE or (way == STRAIGHT and used > 0):
            return STOP_STALLED, low, used, traced, n
        if used >= options[MAX_ITERATIONS]:
            return STOP_BUDGET, low, used, traced, n
        used += 1
        before[:] = q
        if way == STRAIGHT:
            aim_straight(table)
        elif way == REACHING:
            n = backward(
                moving, moving_f, blocks, blocks_f, states, effectors, table, not free, q,
                events, n, used,
            )  # fmt: skip
        far = way == SETTLING or not free
        if far:
            look_ahead(
                moving, moving_f, blocks, blocks_f, states, effectors, table, q, way == REACHING
            )
        n = forward_pass(
            moving, moving_f, blocks, states, effectors, table, way != SETTLING, far,
            options[CAP], before, q, events, n, used,
        )  # fmt: skip


@kernel
def begin_again(
    ints, floats, moving, moving_f, blocks, blocks_f, restart, start, trial, q,
    states, effectors, rows, errors,
):  # fmt: skip
    """Put the best of a few seeds into q."""
    length, turn = floats[F_LENGTH], floats[F_TURN]
    spread = min(1.0, 0.25 * restart)
    low = HUGE
    trial[:] = q
    for c in range(CANDIDATES):
        number = 1 + CANDIDATES * (restart - 1) + c
        seed(moving, moving_f, number, spread, length, ints[H_DOFS], start, start, trial)
        project(moving, moving_f, trial)
        cost = evaluate(
            moving, moving_f, blocks, blocks_f, trial, states, effectors, length, turn, rows, errors
        )
        if cost < low:
            low = cost
            q[:] = trial


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, options, _, _ = unpack(ints, floats)
    states, effectors, folded, i = carve(ints, work)
    nq, nr, nm = ints[H_COORDS], ints[H_ROWS], ints[H_MOVING]
    q, i = part(work, i, nq), i + nq
    found, i = part(work, i, nq), i + nq
    best, i = part(work, i, nq), i + nq
    before, i = part(work, i, nq), i + nq
    trial, i = part(work, i, nq), i + nq
    shown, i = part(work, i, nq), i + nq
    rows, i = part(work, i, nr), i + nr
    errors, i = part(work, i, blocks.shape[0]), i + blocks.shape[0]
    table, i = grid(work, i, nm, ROW), i + nm * ROW
    scratch = grid(work, i, nm, 6)  # before `finish` needs the place
    tail = part(work, i, work.shape[0] - i)
    length = floats[F_LENGTH]
    free, chain = free_chain(moving, blocks)
    for b in range(first, last):
        start = row_at(starts, b)
        low = begin(
            floats, active, active_f, moving, moving_f, blocks, blocks_f,
            row_at(offsets, b), start,
            row_at(targets, b),
            q, states, effectors, folded, rows, errors,
        )  # fmt: skip
        traced = record(trace, 0, q, blocks, errors)
        best[:] = q
        shown[:] = q
        gather(moving, blocks, blocks_f, states, effectors, table)
        # From the start.
        way, progress, restarts, allowed = REACHING, PROGRESS, 0, options[RESTARTS]
        if out_of_reach(moving, moving_f, blocks, blocks_f, states, effectors):
            way, progress, allowed = SETTLING, SETTLED, 0.0
        if chain and untempered(moving_f, options[CAP]):
            _, longest = span(moving, moving_f, blocks, states, effectors, 0)
            if (
                gap(moving, moving_f, blocks, states, effectors, 0)
                > longest - blocks_f[0, B_TOLERANCE]
            ):
                way = STRAIGHT
        stuck = way != STRAIGHT and not within(blocks, blocks_f, errors)
        if stuck and in_line(moving, blocks, blocks_f, states, effectors, length, scratch):
            bend(moving, moving_f, blocks, states, effectors, q, scratch)
        stop, cost, used, traced, n = descend(
            floats, moving, moving_f, blocks, blocks_f, options, q, found, before, trial, shown,
            states, effectors, table, rows, errors, way, free, progress,
            0, trace, traced, events, 0,
        )  # fmt: skip
        if cost < low or stop == STOP_REACHED:
            low = cost
            best[:] = found
        # After a stall, from elsewhere.
        ended = stop
        while ended == STOP_STALLED and restarts < allowed and used < options[MAX_ITERATIONS]:
            restarts += 1
            begin_again(
                ints, floats, moving, moving_f, blocks, blocks_f, restarts, start, before, q,
                states, effectors, rows, errors,
            )  # fmt: skip
            ended, cost, used, traced, n = descend(
                floats, moving, moving_f, blocks, blocks_f, options, q, found, before, trial, shown,
                states, effectors, table, rows, errors, way, free, PROGRESS,
                used, trace, traced, events, n,
            )  # fmt: skip
            if cost < CLEARLY * low or ended == STOP_REACHED:
                low = cost
                best[:] = found
        # Nothing reaches: bring the best pose to where it does not get better.
        if ended == STOP_STALLED and way == REACHING:
            q[:] = best
            ended, cost, used, traced, n = descend(
                floats, moving, moving_f, blocks, blocks_f, options, q, best, before, trial, shown,
                states, effectors, table, rows, errors, SETTLING, free, SETTLED,
                used, trace, traced, events, n,
            )  # fmt: skip
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f,
            start, best, states, effectors, rows, errors, tail, row_at(out, b),
            stop, used, restarts, traced, n,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FABRIK(Solver):
    """Forward and backward reaching; see the module's text.

    Args:
        max_iterations: Iterations in all, restarts included; one is a backward and a forward pass.
        restarts: How many other beginnings are tried after the solve has stalled.
        damping: The greatest change of any joint in one iteration [rad]; None for no cap.
    """

    name: ClassVar[str] = "FABRIK"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset(("Hinge", "Ball", "Cone", "Axes")),
        goals=frozenset(("position",)),
        several=True,
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 100
    restarts: int = 8
    damping: float | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self._whole("restarts")
        if self.damping is not None:
            self._positive("damping")

    def events_per_iteration(self, problem: Problem) -> int:
        """Every joint placed twice and turned once, every effector placed twice."""
        return 3 * len(problem.moving) + 2 * len(problem.blocks)
