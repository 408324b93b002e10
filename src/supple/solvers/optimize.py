"""General optimisers: BFGS and conjugate gradients, through SciPy, with the analytic gradient.

The idea: forget that this is inverse kinematics. The cost, half the sum of squares of all goals'
errors, is a smooth function of the freedoms; its gradient is -J^T e; SciPy's `minimize` does the
rest (Nocedal and Wright 2006, "Numerical optimization": algorithm 6.1, BFGS, and section 5.2,
Polak-Ribiere conjugate gradients, both with a strong Wolfe line search). Limits are no constraints
but part of the map from numbers to poses (`supple.kernels.chart`): every freedom is a number that
may take any value, and every value is a pose inside the limits. So the limits hold at each step
without the optimiser knowing of them.

The right choice as a reference: nothing here is clever, so where another solver stops with a larger
error in the same valley, the other one is at fault. It is slow, a hundred times slower than LM,
nearly all of it in SciPy's Python. "bfgs" keeps a dense matrix of the freedoms and is refused
beyond 3,000 of them; "cg" is linear in them.

It looks for the nearest valley only. A joint that stands at a limit is first moved a little inside,
because at the limit itself the map's slope is zero. Where it ends without an answer it may stand on
a saddle (a straight chain with its target on the axis), so the pose is bent by a small fixed
amount; what follows counts only if it comes closer. The joints' `damping` is not looked at: the
line search chooses the steps.
"""

from __future__ import annotations

import contextlib
import math
import threading
import warnings
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from supple.errors import one_of
from supple.kernels.cache import announce, kernel
from supple.kernels.chart import farthest_turn, from_chart, joint_axes, pull_back, to_chart
from supple.kernels.jacobian import jacobian
from supple.kernels.layout import (
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_MOVING,
    H_ROWS,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.record import record
from supple.kernels.report import begin, evaluate, finish, finish_space
from supple.kernels.residual import within
from supple.kernels.seeds import fraction
from supple.kernels.tangent import project, tangent
from supple.kernels.tree import carve, tree_space, unpack
from supple.problem import Problem
from supple.solvers.base import EVERYTHING, Solver, Takes

METHODS = ("bfgs", "cg")
MAX_ITERATIONS, METHOD, STALL = range(3)
MOST = 3000  # freedoms for which a dense matrix is kept
GRADIENT = 1e-13  # a gradient this small is zero
WINDOW = 10  # iterations over which progress is judged
FOLD = 1.5 * math.pi  # a ball that has turned this far from its chart's centre gets a new centre
BEND = 0.03  # how far a stuck pose is bent [rad, characteristic lengths]
BETTER = 0.999  # what follows a bend counts only below this fraction of the cost


def space(ints):
    """Floats of workspace for one solve."""
    nd, nr = ints[H_DOFS], ints[H_ROWS]
    local = 2 * ints[H_COORDS] + nr + ints[H_BLOCKS] + nd
    tangents = nd * (5 + nr) + 3 * ints[H_MOVING]
    return tree_space(ints) + local + tangents + finish_space(ints)


@kernel
def parts(ints, work, i):
    """The workspace from i on: q, centre, rows, errors, gain, bounds, axes, columns, the rest."""
    nq, nd, nr, nm = ints[H_COORDS], ints[H_DOFS], ints[H_ROWS], ints[H_MOVING]
    q, i = work[i : i + nq], i + nq
    centre, i = work[i : i + nq], i + nq
    rows, i = work[i : i + nr], i + nr
    errors, i = work[i : i + ints[H_BLOCKS]], i + ints[H_BLOCKS]
    gain, i = work[i : i + nd], i + nd
    bounds, i = work[i : i + 2 * nd].reshape(nd, 2), i + 2 * nd
    axes, i = work[i : i + 3 * (nd + nm)].reshape(nd + nm, 3), i + 3 * (nd + nm)
    columns, i = work[i : i + nd * nr].reshape(nd, nr), i + nd * nr
    return q, centre, rows, errors, gain, bounds, axes, columns, work[i:]


@kernel
def open_problem(ints, floats, offsets, start, targets, work, pose):
    """Set up one problem; its start, put into the limits, goes to `pose`, shape (Q,).

    Returns its cost and whether it meets the goals.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, _, _, weight = unpack(ints, floats)
    states, effectors, folded, i = carve(ints, work)
    q, _, rows, errors, gain, _, _, _, _ = parts(ints, work, i)
    cost = begin(
        floats, active, active_f, moving, moving_f, blocks, blocks_f,
        offsets, start, targets, q, states, effectors, folded, rows, errors,
    )  # fmt: skip
    for d in range(gain.shape[0]):
        gain[d] = math.sqrt(weight[d])
    pose[:] = q
    return cost, within(blocks, blocks_f, errors)


@kernel
def centre_on(ints, floats, pose, bent, work, x):
    """Centre the charts on a pose; its place in them, a little bent if asked, goes to x, (D,)."""
    _, moving, _, _, _, moving_f, _, _, _, _ = unpack(ints, floats)
    _, _, _, i = carve(ints, work)
    _, centre, _, _, gain, _, _, _, _ = parts(ints, work, i)
    centre[:] = pose
    to_chart(moving, moving_f, pose, floats[F_LENGTH], gain, x)
    if bent:
        for d in range(x.shape[0]):
            x[d] += BEND * (2.0 * fraction(1, d, x.shape[0]) - 1.0)


@kernel
def value_and_slope(ints, floats, work, x, gradient, pose):
    """Fill the pose at x, shape (Q,), and the gradient of the cost there, shape (D,).

    Returns the cost and whether the goals are met.
    """
    _, moving, blocks, _, _, moving_f, blocks_f, _, _, _ = unpack(ints, floats)
    states, effectors, _, i = carve(ints, work)
    q, centre, rows, errors, gain, bounds, axes, columns, _ = parts(ints, work, i)
    length, turn = floats[F_LENGTH], floats[F_TURN]
    q[:] = centre
    from_chart(moving, moving_f, centre, length, gain, x, q)
    project(moving, moving_f, q)  # rounding may have left the limits
    pose[:] = q
    cost = evaluate(
        moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
    )
    tangent(moving, moving_f, q, states, length, axes, bounds)
    joint_axes(moving, states, axes)
    jacobian(
        moving, moving_f, blocks, blocks_f, states, effectors, rows, length, turn, axes, columns
    )
    for d in range(gradient.shape[0]):
        s = 0.0
        for r in range(rows.shape[0]):
            s -= columns[d, r] * rows[r]
        gradient[d] = s
    pull_back(moving, moving_f, length, gain, x, gradient)
    return cost, within(blocks, blocks_f, errors)


@kernel
def folding(ints, floats, work, x):
    """How far the ball that has turned the most is from its chart's centre [rad]."""
    _, moving, _, _, _, _, _, _, _, _ = unpack(ints, floats)
    _, _, _, i = carve(ints, work)
    _, _, _, _, gain, _, _, _, _ = parts(ints, work, i)
    return farthest_turn(moving, gain, x)


@kernel
def note(ints, floats, work, trace, traced):
    """Record the pose evaluated last; returns the trace rows written."""
    _, _, blocks, _, _, _, _, _, _, _ = unpack(ints, floats)
    _, _, _, i = carve(ints, work)
    q, _, _, errors, _, _, _, _, _ = parts(ints, work, i)
    return record(trace, traced, q, blocks, errors)


@kernel
def close_problem(ints, floats, start, answer, work, out, stop, used, traced):
    """Judge the answer and write the row of output."""
    _, moving, blocks, _, _, moving_f, blocks_f, _, _, _ = unpack(ints, floats)
    states, effectors, _, i = carve(ints, work)
    _, _, rows, errors, _, _, _, _, tail = parts(ints, work, i)
    finish(
        ints, floats, moving, moving_f, blocks, blocks_f,
        start, answer, states, effectors, rows, errors, tail, out,
        stop, used, 0, traced, 0,
    )  # fmt: skip


# What to do with warnings is one setting for all threads; SciPy holds the interpreter anyway.
_ONE_AT_A_TIME = threading.Lock()


class _Stop(Exception):  # noqa: N818
    """Thrown through SciPy to end a run."""


class _Run:
    """One problem on its way: what SciPy calls, and what is remembered between its calls.

    Attributes:
        used: Iterations so far.
        traced: Trace rows written.
        cost: The least cost since `go` was called ...
        best: ... and its pose, shape (Q,).
        reached: Whether that pose meets the goals.
    """

    def __init__(
        self, arrays: tuple[np.ndarray, np.ndarray, np.ndarray], trace: np.ndarray, stall: float
    ) -> None:
        self.arrays = arrays  # ints, floats, work
        self.trace = trace
        self.stall = stall
        self.used = 0
        self.traced = note(*arrays, trace, 0)
        self.cost = math.inf
        self.best = np.empty(0)
        self.reached = False
        self._budget = 0
        self._costs: list[float] = []
        self._folded = False

    def _value(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost and its gradient at x, for SciPy."""
        gradient, pose = np.empty(len(x)), np.empty(self.arrays[0][H_COORDS])
        cost, self.reached = value_and_slope(*self.arrays, x, gradient, pose)
        if self.reached or cost < self.cost:
            self.cost, self.best = cost, pose
        if self.reached:
            self._count()
            raise _Stop
        return cost, gradient

    def _count(self) -> None:
        """An iteration has ended with the pose evaluated last."""
        self.used += 1
        self.traced = note(*self.arrays, self.trace, self.traced)

    def _after(self, x: np.ndarray) -> None:
        """What happens after each of SciPy's iterations."""
        cost, _ = self._value(x)
        self._count()
        self._costs.append(cost)
        if len(self._costs) > WINDOW:
            # Out of reach most of the cost is there to stay: what was gained so far counts, too.
            least = self.stall * min(cost, self._costs[0] - cost)
            if self._costs[-1 - WINDOW] - cost <= least:
                raise _Stop
        self._folded = folding(*self.arrays, x) > FOLD
        if self._folded or self.used >= self._budget:
            raise _Stop

    def go(self, pose: np.ndarray, method: str, budget: int, *, bent: bool) -> None:
        """Minimise from a pose, a little bent if asked, until reached, stalled or out of budget."""
        from scipy.optimize import minimize

        ints, floats, work = self.arrays
        self.cost, self.best, self._budget = math.inf, pose, budget
        x = np.empty(ints[H_DOFS])
        again = True
        while again:
            self._costs, self._folded = [], False
            centre_on(ints, floats, self.best, bent, work, x)
            bent = False
            options = {"gtol": GRADIENT, "maxiter": budget - self.used}
            with (
                _ONE_AT_A_TIME,
                contextlib.suppress(_Stop),
                np.errstate(all="ignore"),
                warnings.catch_warnings(action="ignore"),  # the status says how it ended
            ):
                minimize(
                    self._value, x, jac=True, method=method, callback=self._after, options=options
                )
            again = self._folded and not self.reached and self.used < budget


def solve_range(
    ints: np.ndarray,
    floats: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
    work: np.ndarray,
    trace: np.ndarray,
    events: np.ndarray,
    first: int,
    last: int,
) -> None:
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    del events
    announce("Optimize solver", value_and_slope, seconds=20)
    options = unpack(ints, floats)[7]
    budget, method = int(options[MAX_ITERATIONS]), METHODS[int(options[METHOD])].upper()
    for b in range(first, last):
        start = starts[b if len(starts) > 1 else 0]
        answer = np.empty(ints[H_COORDS])
        cost, reached = open_problem(
            ints, floats, offsets[b if len(offsets) > 1 else 0], start,
            targets[b if len(targets) > 1 else 0], work, answer,
        )  # fmt: skip
        run = _Run((ints, floats, work), trace, float(options[STALL]))
        stop = STOP_REACHED if reached else STOP_BUDGET
        bent = False
        while not reached and run.used < budget:
            run.go(answer, method, budget, bent=bent)
            reached = run.reached
            better = reached or run.cost < (BETTER * cost if bent else cost)
            if better:
                cost, answer = run.cost, run.best
            elif bent:
                break
            stop = STOP_BUDGET if run.used >= budget else STOP_STALLED
            bent = True
        close_problem(ints, floats, start, answer, work, out[b], stop, run.used, run.traced)


@dataclass(frozen=True, kw_only=True)
class Optimize(Solver):
    """SciPy's optimisers; see the module's text.

    Args:
        max_iterations: The optimiser's iterations in all; each is a line search, with one to three
            evaluations as a rule.
        method: "bfgs" or "cg".
        stall: Ten iterations that together lower the cost by less than this fraction are a stall.
    """

    name: ClassVar[str] = "Optimize"
    takes: ClassVar[Takes] = Takes(
        joints=EVERYTHING.joints,
        goals=frozenset({"position", "orientation", "direction", "hold"}),
        several=True,
        stretch=True,
        mimic=True,
        remark="does not look at damping",
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 500
    method: str = "bfgs"
    stall: float = 1e-10

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        one_of("Optimize method", self.method, METHODS)
        self._fraction("stall")

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them; the method is its place in METHODS."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(float(METHODS.index(v) if isinstance(v, str) else v) for v in values)

    def refusal(self, problem: Problem) -> str | None:
        """Why it cannot take a problem: a dense matrix of very many freedoms."""
        if self.method == "bfgs" and problem.freedoms > MOST:
            return f'{problem.freedoms:,} freedoms with method="bfgs" ("cg" can; at most {MOST:,})'
        return None
