"""The Jacobian methods: pseudo-inverse, transpose, damped and selectively damped least squares.

The idea: near a pose the effectors move by J delta for a small change delta of the freedoms. So
compute a change from the error e, take it, and repeat (Park 2004, eq. 4 and 5). The methods differ in
how they compute delta from e:

- "pinv": delta = J+ e, the shortest change that solves the linear problem, from the singular values
  of J; those below 1e-6 of the largest count as zero, so that a straight chain does no harm. Park's
  eq. 7 is the wrong way round: J J+ = I at full row rank, while J+ J is a projector; so his test
  ||(I - J J+) dx|| > bound is never true there. What he means to bound is the tracking error
  ||f(theta + delta) - f(theta) - J delta||: by how much the effectors deviate from the straight line
  that the linear problem predicts. The step is halved while that exceeds `tracking` times
  ||J delta||. (At full rank J delta is his dx; where rank is lost, no subdivision would restore the
  lost part of dx. The bound is relative, so that it means the same at all scales, and below 1 it
  makes every step an improvement.)
- "transpose": delta = alpha J^T e with the best step for the linear problem,
  alpha = <e, J J^T e> / |J J^T e|^2 (Buss 2004, "Introduction to inverse kinematics", section 5).
  No inverse, no singularities; many iterations.
- "dls": delta = J^T (J J^T + lambda^2 I)^-1 e with a constant lambda (Wampler 1986; Nakamura and
  Hanafusa 1986). Calm near singularities, slower away from them.
- "sdls": every singular direction is damped separately, by how far its rotations would move the
  effectors compared with how far they should go (Buss and Kim 2005, "Selectively damped least squares
  for inverse kinematics").

Limits: a freedom that is at its limit and that the step would push outward is removed and the step
solved for again without it; all others are clamped. A step is halved until it brings the goals closer.
If no step of the method does, the transpose's, which is downhill by construction, is tried. If that
fails too the pose is singular or a local minimum. A straight chain whose target lies on its axis is
singular, so a stuck pose is bent by a small fixed amount, and the pose found from there counts only if
it comes closer.

The right choice to study the methods, and to follow a target in small steps. It is a local solve: it
fails in a pose where limits block every small improvement, and restarts elsewhere only if asked to
(`restarts`). "pinv" converges slowly where goals contradict each other or are out of reach, because the
least step there is a singular one; "dls" does not.

An iteration with many goals is linear in goals and joints, except for "sdls", which needs all singular vectors of J.
"""

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

from supple.errors import one_of
from supple.kernels import layout
from supple.kernels.bend import bend_freedoms
from supple.kernels.decorators import SOLVE, entry, kernel
from supple.kernels.direction import (
    PINV,
    SDLS,
    TRANSPOSE,
    bounded_direction,
    mark_turns,
    shorten,
    strays,
    take_direction,
)
from supple.kernels.jacobian import linearize, step_along
from supple.kernels.problem import (
    Frames,
    begin,
    evaluate,
    take_dense_linear,
    take_frames,
    take_linear,
    unpack,
    within,
)
from supple.kernels.report import Ended, clear_trace, finish, record, trace_into
from supple.kernels.restart import CLEAR_COST_RATIO, Seeds, Window, best_seed
from supple.kernels.workspace import clear, copy, copy_rows, matrix, part, row_at, vector
from supple.solvers.base import EVERYTHING, Solver, Takes

METHODS = ("pinv", "transpose", "dls", "sdls")  # in the order of supple.kernels.direction


class Tuning(NamedTuple):
    """The tuned numbers of the Jacobian methods. Where no source is given, none is recorded.

    Attributes:
        step_halvings: How often a step is tried and halved, at most.
        stall_iterations: Iterations over which progress is judged.
        better_cost: A pose found after a bend counts only if its cost is below this [of the cost before].
    """

    step_halvings: int = 30
    stall_iterations: int = 10
    better_cost: float = 0.999


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `Jacobian`, in their order."""

    max_iterations: float
    method: int
    regularization: float
    tracking: float
    damping: float
    stride: float
    restarts: float
    stall: float


class Buffers(NamedTuple):
    """The workspace of one solve."""

    q: Any  # (Q,) the pose
    trial: Any  # (Q,)
    best: Any  # (Q,) the best pose so far
    frames: Any  # of q
    trial_frames: Any  # of the trial; errors and effectors are shared
    linear: Any
    step: Any
    change: Any  # (D,) the step that is tried, inside the bounds


class Descent(NamedTuple):
    """How a descent ended."""

    stop: int
    cost: float
    used: int  # iterations so far


@kernel
def read_options(problem):
    """The options in a packed problem."""
    o = problem.options
    return Options(o[0], int(o[1]), o[2], o[3], o[4], o[5], o[6], o[7])


@kernel
def take_buffers(problem, options, work):
    """Take the workspace of one solve."""
    nq, dense = problem.coordinates, options.method == SDLS
    frames = take_frames(problem, work)
    joints = matrix(work, problem.moving.shape[0], layout.STATE)
    residual = vector(work, problem.rows)
    trial_frames = Frames(joints, frames.effectors, frames.folded, residual, frames.errors)
    return Buffers(
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        frames,
        trial_frames,
        take_dense_linear(problem, work) if dense else take_linear(problem, work),
        take_direction(problem, work, dense),
        vector(work, problem.freedoms),
    )


@kernel
def within_stride(rows, stride, error):
    """Fill the error that one iteration solves for: that of each block, no longer than the stride."""
    for r in range(0, rows.shape[0], 3):
        size = math.sqrt(rows[r] * rows[r] + rows[r + 1] * rows[r + 1] + rows[r + 2] * rows[r + 2])
        share = stride / size if size > stride else 1.0
        for i in range(3):
            error[r + i] = share * rows[r + i]


@kernel
def advance(problem, options, state, method, cost):
    """Take a step of a method from q to `trial`, halved until accepted; returns its cost, or `cost` if none is."""
    linear, delta, change = state.linear, state.step.delta, state.change
    bounded_direction(problem, linear, state.step, method, options.regularization)
    shorten(delta, state.step.turns, options.damping)
    share = 1.0
    for _ in range(TUNING.step_halvings):
        for d in range(delta.shape[0]):
            change[d] = min(max(share * delta[d], linear.bounds[d, 0]), linear.bounds[d, 1])
        share *= 0.5
        copy(state.q, state.trial)
        step_along(problem, state.frames, linear, state.q, change, state.trial)
        new = evaluate(problem, state.trial_frames, state.trial)
        if new < cost:
            rows, new_rows = state.frames.residual, state.trial_frames.residual
            if method != PINV or not strays(
                problem, linear, change, rows, new_rows, options.tracking, state.step.u
            ):
                return new
    return cost


@kernel
def descend(problem, options, state, trace, cost, used):
    """Iterate from q, evaluated, until reached, stalled or out of budget; the cost only falls."""
    frames = state.frames
    first, mark, count = cost, cost, 0
    while True:
        if within(problem, frames):
            return Descent(layout.STOP_REACHED, cost, used)
        if used >= options.max_iterations:
            return Descent(layout.STOP_BUDGET, cost, used)
        used += 1
        linearize(problem, frames, state.linear, state.q)
        within_stride(frames.residual, options.stride, state.step.error)
        new = advance(problem, options, state, options.method, cost)
        if not new < cost and options.method != TRANSPOSE:
            new = advance(problem, options, state, TRANSPOSE, cost)
        stuck = not new < cost
        if stuck:
            evaluate(problem, frames, state.q)
        else:
            cost = new
            copy(state.trial, state.q)
            copy(state.trial_frames.residual, frames.residual)
            copy_rows(state.trial_frames.joints, frames.joints)
        record(trace, problem, state.q, frames.errors)
        count += 1
        if count == TUNING.stall_iterations and not stuck and not within(problem, frames):
            # Out of reach most of the cost remains: compare with what was gained so far, too.
            stuck = mark - cost <= options.stall * min(cost, first - cost)
            mark, count = cost, 0
        if stuck:
            return Descent(layout.STOP_STALLED, cost, used)


@kernel
def search(problem, options, state, trace, start, cost):
    """Descend from q; after a stall bend, then restart. The best pose ends in `best`."""
    used, restarts = 0, 0
    bent = False
    copy(state.q, state.best)
    best_cost = math.inf
    verdict = layout.STOP_STALLED
    while True:
        descent = descend(problem, options, state, trace, cost, used)
        cost, used = descent.cost, descent.used
        better = descent.stop == layout.STOP_REACHED or (
            cost < (TUNING.better_cost if restarts == 0 else CLEAR_COST_RATIO) * best_cost
        )
        if better:
            copy(state.q, state.best)
            best_cost = cost
            verdict = descent.stop
        if descent.stop != layout.STOP_STALLED or used >= options.max_iterations:
            break
        if better or not bent:
            # Singular or a local minimum: bend the pose to find out.
            bent = True
            bend_freedoms(problem, state.frames, state.linear, state.q, state.change, state.trial)
            copy(state.trial, state.q)
        elif restarts < options.restarts:
            restarts += 1
            spread = min(1.0, 0.25 * restarts)
            best_seed(
                problem,
                state.frames,
                Seeds(restarts, 1, spread),
                start,
                Window(state.best, 0.0),
                state.trial,
                state.q,
            )
        else:
            break
        cost = evaluate(problem, state.frames, state.q)
    return Ended(verdict, used, restarts)


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
    state = take_buffers(problem, options, work)
    trace = trace_into(trace_poses, trace_events, work)
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        clear_trace(trace)
        mark_turns(problem, state.step.turns)
        cost = begin(problem, state.frames, row_at(offsets, b), start, row_at(targets, b), state.q)
        copy_rows(state.frames.joints, state.trial_frames.joints)
        record(trace, problem, state.q, state.frames.errors)
        ended = search(problem, options, state, trace, start, cost)
        finish(problem, state.frames, state.linear, trace, start, state.best, ended, row_at(out, b))


@dataclass(frozen=True, kw_only=True)
class Jacobian(Solver):
    """The Jacobian methods; see the module's text.

    Args:
        max_iterations: Steps in all, restarts included.
        method: "pinv", "transpose", "dls" or "sdls".
        regularization: The lambda of "dls" [characteristic lengths (that of the longest chain) per radian]:
            1.1 / length is what others call a lambda of 1.1.
        tracking: "pinv" halves its step while the effectors deviate by more than this fraction of it.
        damping: Greatest rotation of any freedom in an iteration [rad]; a longer step is shortened as a
            whole. None for no cap.
        stride: Greatest error of each goal that one iteration solves for [characteristic lengths];
            None for all of it.
        restarts: How many restarts follow once the local solve has stalled.
        stall: Ten iterations that together lower the cost by less than this fraction are a stall.
    """

    name: ClassVar[str] = "Jacobian"
    takes: ClassVar[Takes] = Takes(
        joints=EVERYTHING.joints,
        goals=frozenset({"position", "orientation", "direction", "hold", "own"}),
        several=True,
        stretch=True,
        mimic=True,
    )
    kernel = staticmethod(solve_range)

    max_iterations: int = 200
    method: str = "pinv"
    regularization: float = 0.1
    tracking: float = 0.5
    damping: float | None = None
    stride: float | None = None
    restarts: int = 0
    stall: float = 1e-4

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        one_of("Jacobian method", self.method, METHODS)
        self._positive("regularization")
        self._positive("tracking")
        for cap in ("damping", "stride"):
            if getattr(self, cap) is not None:
                self._positive(cap)
        self._whole("restarts")
        self._fraction("stall")

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them; the method is its index in METHODS."""
        values = (getattr(self, field.name) for field in fields(self))
        codes = (METHODS.index(value) if isinstance(value, str) else value for value in values)
        return tuple(math.inf if value is None else float(value) for value in codes)
