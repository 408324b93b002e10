"""The Jacobian methods: pseudo-inverse, transpose, damped and selectively damped least squares.

The idea: near a pose the effectors move by J delta for a small change delta of the freedoms, so
turn the error e into a change, take it, and look again (Park 2004, eq. 4 and 5). The methods differ
in how they turn e into delta:

- "pinv": delta = J+ e, the shortest change that meets the linear problem, from the singular values
  of J; those below 1e-6 of the largest count as zero, so that a straight chain is no harm. Park's
  eq. 7 is the wrong way round: J J+ = I at full row rank, while J+ J is a projector; so his test
  ||(I - J J+) dx|| > bound is never true there. What he means to bound is the tracking error
  ||f(theta + delta) - f(theta) - J delta||: by how much the effectors stray from the straight line
  that the linear problem promises. The step is halved while that exceeds `tracking` times
  ||J delta||. (At full rank J delta is his dx; where rank is lost no subdivision would ever give
  back the part of dx that is. The bound is relative, so that it means the same at all scales, and
  below 1 it makes every step an improvement.)
- "transpose": delta = alpha J^T e with the best step for the linear problem,
  alpha = <e, J J^T e> / |J J^T e|^2 (Buss 2004, "Introduction to inverse kinematics", section 5).
  No inverse, no singularities; many iterations.
- "dls": delta = J^T (J J^T + lambda^2 I)^-1 e with a constant lambda (Wampler 1986; Nakamura and
  Hanafusa 1986). Calm near singularities, slower away from them.
- "sdls": every singular direction is damped by itself, by how far its turns would move the
  effectors against how far they should go (Buss and Kim 2005, "Selectively damped least squares
  for inverse kinematics").

Limits: a freedom that stands at its limit and that the step would push outward is taken out and the
step found again, so that the others do its work; all others are clamped. A step is halved until it
brings the goals closer, and if none of the method's does, the transpose's, which is downhill by
construction, is tried. If that fails too the pose is singular or a local minimum. A straight chain
whose target lies on its axis is the former, so a stuck pose is bent by a small fixed amount, and
what follows counts only if it comes closer.

The right choice to study the methods, and to follow a target in small steps. It is a local solve:
it can end in a pose where limits block every small improvement, and looks elsewhere only if asked
to (`restarts`). "pinv" creeps where goals contradict each other or are out of reach, because the
least step there is a singular one; "dls" does not.
"""

import math
from dataclasses import dataclass, fields
from typing import ClassVar

from supple.errors import one_of
from supple.kernels.cache import kernel
from supple.kernels.direction import PINV, TRANSPOSE, inside, mark_turns, shorten, strays
from supple.kernels.jacobian import jacobian
from supple.kernels.layout import (
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_MOVING,
    H_ROWS,
    STATE,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.record import record
from supple.kernels.report import begin, evaluate, finish, finish_space
from supple.kernels.residual import within
from supple.kernels.seeds import fraction, seed
from supple.kernels.tangent import project, step, tangent
from supple.kernels.tree import carve, tree_space, unpack
from supple.kernels.views import grid, part, row_at
from supple.solvers.base import EVERYTHING, Solver, Takes

METHODS = ("pinv", "transpose", "dls", "sdls")  # in the order of supple.kernels.direction
MAX_ITERATIONS, METHOD, REGULARIZATION, TRACKING, DAMPING, STRIDE, RESTARTS, STALL = range(8)
HALVINGS = 30
WINDOW = 10  # iterations over which progress is judged
BEND = 0.03  # how far a stuck pose is bent [rad, characteristic lengths]
BETTER = 0.999  # what follows a bend counts only below this fraction of the cost ...
CLEARLY = 0.81  # ... and what follows a restart only below this one


def space(ints):
    """Floats of workspace for one solve."""
    nd, nr, nm = ints[H_DOFS], ints[H_ROWS], ints[H_MOVING]
    side = min(nd, nr)
    local = 3 * ints[H_COORDS] + ints[H_BLOCKS] + 4 * nr + 5 * nd + 2 * side * side
    tangents = nd * (5 + nr) + 3 * nm
    return tree_space(ints) + nm * STATE + local + tangents + finish_space(ints)


@kernel
def asked(rows, stride, error):
    """The error that one iteration goes for: every block's, no longer than the stride."""
    for r in range(0, rows.shape[0], 3):
        size = math.sqrt(rows[r] * rows[r] + rows[r + 1] * rows[r + 1] + rows[r + 2] * rows[r + 2])
        share = stride / size if size > stride else 1.0
        for i in range(3):
            error[r + i] = share * rows[r + i]


@kernel
def advance(
    method, options, moving, moving_f, blocks, blocks_f, weight, turns, length, turn, cost,
    q, trial, states, trial_states, effectors, rows, new_rows, error, errors,
    axes, bounds, columns, gain, a, basis, u, v, delta, change,
):  # fmt: skip
    """One step of a method from q into trial, halved until it is good; its cost, or `cost` if none.

    The frames, rows and errors of the trial are in trial_states, new_rows and errors.
    """
    inside(
        method, columns, weight, turns, error, bounds, options[REGULARIZATION],
        gain, a, basis, u, v, delta,
    )  # fmt: skip
    shorten(delta, turns, options[DAMPING])
    share = 1.0
    for _ in range(HALVINGS):
        for d in range(delta.shape[0]):
            change[d] = min(max(share * delta[d], bounds[d, 0]), bounds[d, 1])
        share *= 0.5
        trial[:] = q
        step(moving, moving_f, q, states, length, axes, change, trial)
        new = evaluate(
            moving, moving_f, blocks, blocks_f, trial, trial_states, effectors,
            length, turn, new_rows, errors,
        )  # fmt: skip
        if new < cost and not (
            method == PINV and strays(columns, change, rows, new_rows, options[TRACKING], u)
        ):
            return new
    return cost


@kernel
def descend(
    floats, moving, moving_f, blocks, blocks_f, weight, turns, options,
    q, trial, states, trial_states, effectors, rows, new_rows, error, errors,
    axes, bounds, columns, gain, a, basis, u, v, delta, change,
    cost, used, trace, traced,
):  # fmt: skip
    """Iterate from q, evaluated, until reached, stalled or out of budget; the cost only falls.

    Returns why it stopped, the cost, the iterations used so far and the trace rows written.
    """
    length, turn = floats[F_LENGTH], floats[F_TURN]
    first, mark, count = cost, cost, 0
    while True:
        if within(blocks, blocks_f, errors):
            return STOP_REACHED, cost, used, traced
        if used >= options[MAX_ITERATIONS]:
            return STOP_BUDGET, cost, used, traced
        used += 1
        tangent(moving, moving_f, q, states, length, axes, bounds)
        jacobian(
            moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
        )
        asked(rows, options[STRIDE], error)
        method = int(options[METHOD])
        while True:
            new = advance(
                method, options, moving, moving_f, blocks, blocks_f, weight, turns, length, turn,
                cost, q, trial, states, trial_states, effectors, rows, new_rows, error, errors,
                axes, bounds, columns, gain, a, basis, u, v, delta, change,
            )  # fmt: skip
            if new < cost or method == TRANSPOSE:
                break
            method = TRANSPOSE
        stuck = not new < cost
        if stuck:
            evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
        else:
            cost = new
            q[:] = trial
            rows[:] = new_rows
            states[:] = trial_states
        traced = record(trace, traced, q, blocks, errors)
        count += 1
        if count == WINDOW and not stuck and not within(blocks, blocks_f, errors):
            # Out of reach most of the cost is there to stay: what was gained so far counts, too.
            stuck = mark - cost <= options[STALL] * min(cost, first - cost)
            mark, count = cost, 0
        if stuck:
            return STOP_STALLED, cost, used, traced


@kernel
def bend(moving, moving_f, q, states, length, axes, bounds, change, out):
    """The pose q with every freedom changed a little, always alike: out of a singular pose."""
    tangent(moving, moving_f, q, states, length, axes, bounds)
    count = change.shape[0]
    for d in range(count):
        small = BEND * (2.0 * fraction(1, d, count) - 1.0)
        change[d] = min(max(small, bounds[d, 0]), bounds[d, 1])
    out[:] = q
    step(moving, moving_f, q, states, length, axes, change, out)


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, options, _, weight = unpack(
        ints, floats
    )
    states, effectors, folded, i = carve(ints, work)
    nq, nd, nr, nm = ints[H_COORDS], ints[H_DOFS], ints[H_ROWS], ints[H_MOVING]
    side = min(nd, nr)
    trial_states, i = grid(work, i, nm, STATE), i + nm * STATE
    q, i = part(work, i, nq), i + nq
    trial, i = part(work, i, nq), i + nq
    best, i = part(work, i, nq), i + nq
    errors, i = part(work, i, blocks.shape[0]), i + blocks.shape[0]
    rows, i = part(work, i, nr), i + nr
    new_rows, i = part(work, i, nr), i + nr
    error, i = part(work, i, nr), i + nr
    u, i = part(work, i, nr), i + nr
    v, i = part(work, i, nd), i + nd
    gain, i = part(work, i, nd), i + nd
    turns, i = part(work, i, nd), i + nd
    delta, i = part(work, i, nd), i + nd
    change, i = part(work, i, nd), i + nd
    a, i = grid(work, i, side, side), i + side * side
    basis, i = grid(work, i, side, side), i + side * side
    bounds, i = grid(work, i, nd, 2), i + 2 * nd
    axes, i = grid(work, i, nd + nm, 3), i + 3 * (nd + nm)
    columns, i = grid(work, i, nd, nr), i + nd * nr
    tail = part(work, i, work.shape[0] - i)
    length, turn = floats[F_LENGTH], floats[F_TURN]
    mark_turns(moving, turns)
    for b in range(first, last):
        start = row_at(starts, b)
        cost = begin(
            floats, active, active_f, moving, moving_f, blocks, blocks_f,
            row_at(offsets, b), start,
            row_at(targets, b),
            q, states, effectors, folded, rows, errors,
        )  # fmt: skip
        trial_states[:] = states
        traced = record(trace, 0, q, blocks, errors)
        used, restarts = 0, 0
        bent = False
        best[:] = q
        best_cost = math.inf
        verdict = STOP_STALLED
        while True:
            stop, cost, used, traced = descend(
                floats, moving, moving_f, blocks, blocks_f, weight, turns, options,
                q, trial, states, trial_states, effectors, rows, new_rows, error, errors,
                axes, bounds, columns, gain, a, basis, u, v, delta, change,
                cost, used, trace, traced,
            )  # fmt: skip
            better = stop == STOP_REACHED or (
                cost < (BETTER if restarts == 0 else CLEARLY) * best_cost
            )
            if better:
                best[:] = q
                best_cost = cost
                verdict = stop
            if stop != STOP_STALLED or used >= options[MAX_ITERATIONS]:
                break
            if better or not bent:
                # Singular or a local minimum: only what follows a bend can tell.
                bent = True
                bend(moving, moving_f, q, states, length, axes, bounds, change, trial)
            elif restarts < options[RESTARTS]:
                restarts += 1
                trial[:] = start
                spread = min(1.0, 0.25 * restarts)
                seed(moving, moving_f, restarts, spread, length, nd, start, best, trial)
                project(moving, moving_f, trial)
            else:
                break
            q[:] = trial
            cost = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f,
            start, best, states, effectors, rows, errors, tail, row_at(out, b),
            verdict, used, restarts, traced, 0,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Jacobian(Solver):
    """The Jacobian methods; see the module's text.

    Args:
        max_iterations: Steps in all, restarts included.
        method: "pinv", "transpose", "dls" or "sdls".
        regularization: The lambda of "dls", in characteristic lengths (that of the longest chain)
            a radian: 1.1 / length is what others call a lambda of 1.1.
        tracking: "pinv" halves its step while the effectors stray by more than this fraction of it.
        damping: Greatest turn of any freedom in an iteration [rad]; a longer step is shortened as a
            whole. None for no cap.
        stride: Greatest error of each goal that one iteration goes for, in characteristic lengths;
            None for all of it.
        restarts: How many other beginnings are tried after the local solve has stalled.
        stall: Ten iterations that together lower the cost by less than this fraction are a stall.
    """

    name: ClassVar[str] = "Jacobian"
    takes: ClassVar[Takes] = Takes(
        joints=EVERYTHING.joints,
        goals=frozenset({"position", "orientation", "direction", "hold"}),
        several=True,
        stretch=True,
        mimic=True,
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

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
        """The options as the kernel reads them; the method is its place in METHODS."""
        values = (getattr(self, field.name) for field in fields(self))
        codes = (METHODS.index(value) if isinstance(value, str) else value for value in values)
        return tuple(math.inf if value is None else float(value) for value in codes)
