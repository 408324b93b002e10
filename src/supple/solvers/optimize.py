"""General optimisers: BFGS and conjugate gradients, through SciPy, with the analytic gradient.

The idea: treat inverse kinematics as general minimisation. The cost, half the sum of squares of all
goals' errors, is a smooth function of the freedoms; its gradient is -J^T e; SciPy's `minimize` does
the rest (Nocedal and Wright 2006, "Numerical optimization": algorithm 6.1, BFGS, and section 5.2,
Polak-Ribiere conjugate gradients, both with a strong Wolfe line search). Limits are not constraints
but part of the map from variables to poses (`supple.kernels.chart`): every freedom is a variable that
may take any value, and every value is a pose inside the limits. So the limits hold at each step
although the optimiser does not know them.

The right choice as a reference: where another solver stops with a larger error in the same valley,
that solver is at fault. It is a hundred times slower than LM; nearly all of that time is SciPy's
Python. "bfgs" stores a dense matrix of the freedoms and is refused beyond 3,000 of them; "cg" is linear
in them.

It finds the nearest valley only. A joint that is at a limit is first moved a little inside, because
the slope of the map is zero at the limit itself. Where a run ends without an answer it may be at a
saddle (a straight chain with its target on the axis), so the pose is bent by a small fixed amount; the
pose found from there counts only if it comes closer. The joints' `damping` is ignored: the line search
chooses the steps.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import threading
import warnings
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from supple.errors import one_of
from supple.kernels import layout
from supple.kernels.chart import farthest_turn, from_chart, joint_axes, pull_back, to_chart
from supple.kernels.constraints import unpack_constraints
from supple.kernels.decorators import announce, entry, kernel
from supple.kernels.jacobian import jacobian, tangent
from supple.kernels.joint import project
from supple.kernels.problem import evaluate, unpack, within
from supple.kernels.restart import fraction
from supple.kernels.workspace import copy, vector
from supple.problem.lowering import Problem
from supple.solvers import own
from supple.solvers.base import EVERYTHING, Solver, Takes

METHODS = ("bfgs", "cg")


class Tuning(NamedTuple):
    """The tuned numbers of the optimisers. Where no source is given, none is recorded.

    Attributes:
        dense_freedoms: Freedoms for which "bfgs" stores a dense matrix, at most.
        zero_gradient: A gradient this small is zero (`gtol` of SciPy).
        stall_iterations: Iterations over which progress is judged.
        recentre_angle: A ball that has rotated this far from its chart's centre gets a new centre [rad].
        bend: How far a stuck pose is bent, at most [rad, characteristic lengths].
        better_cost: A pose found after a bend counts only if its cost is below this [of the cost before].
    """

    dense_freedoms: int = 3000
    zero_gradient: float = 1e-13
    stall_iterations: int = 10
    recentre_angle: float = 1.5 * math.pi
    bend: float = 0.03
    better_cost: float = 0.999


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `Optimize`, in their order."""

    max_iterations: int
    method: int
    stall: float


class Buffers(NamedTuple):
    """The workspace of one solve: that of every solver in Python, and the charts."""

    search: Any  # as in `own`
    centre: Any  # (Q,) the pose that the charts are centred on
    gain: Any  # (D,) of each freedom: the root of its weight


@kernel
def take_buffers(problem, constraints, work, poses):
    """Take the workspace of one solve, beginning with that of `own`."""
    return Buffers(
        own.take_buffers(problem, constraints, work, poses),
        vector(work, problem.coordinates),
        vector(work, problem.freedoms),
    )


@entry("i1 f1 f1 f2")
def measure(ints, floats, work, poses):
    """Leave in work[0] how many floats of workspace a solve needs."""
    problem = unpack(ints, floats)
    take_buffers(problem, unpack_constraints(problem, ints, floats), work, poses)


@entry("i1 f1 f1 f2 f1 b f1")
def centre_on(ints, floats, work, poses, pose, bent, x):
    """Centre the charts on a pose; its variables, a little bent if asked, go to x, shape (D,)."""
    problem = unpack(ints, floats)
    state = take_buffers(problem, unpack_constraints(problem, ints, floats), work, poses)
    for d in range(problem.freedoms):
        state.gain[d] = math.sqrt(problem.weight[d])
    copy(pose, state.centre)
    to_chart(problem, pose, state.gain, x)
    if bent:
        for d in range(x.shape[0]):
            x[d] += TUNING.bend * (2.0 * fraction(1, d, x.shape[0]) - 1.0)


@entry("i1 f1 f1 f2 f1 f1 f1 -> f b")
def value_and_slope(ints, floats, work, poses, x, gradient, pose):
    """Fill the pose at x, shape (Q,), and the gradient of the cost there, shape (D,).

    Returns the cost and whether the goals are met.
    """
    problem = unpack(ints, floats)
    state = take_buffers(problem, unpack_constraints(problem, ints, floats), work, poses)
    frames, linear, q = state.search.frames, state.search.linear, state.search.q
    copy(state.centre, q)
    from_chart(problem, state.centre, state.gain, x, q)
    project(problem, q)  # rounding may have left the limits
    copy(q, pose)
    cost = evaluate(problem, frames, q)
    tangent(problem, frames, linear, q)
    joint_axes(problem, frames, linear)
    jacobian(problem, frames, linear)
    for d in range(gradient.shape[0]):
        s = 0.0
        for r in range(problem.rows):
            s -= linear.columns[d, r] * frames.residual[r]
        gradient[d] = s
    pull_back(problem, state.gain, x, gradient)
    return cost, within(problem, frames)


@entry("i1 f1 f1 f2 f1 -> f")
def folding(ints, floats, work, poses, x):
    """The greatest rotation of a ball from its chart's centre [rad]."""
    problem = unpack(ints, floats)
    constraints = unpack_constraints(problem, ints, floats)
    return farthest_turn(problem, take_buffers(problem, constraints, work, poses).gain, x)


# Warning filters are one setting for all threads; SciPy holds the interpreter anyway.
_ONE_AT_A_TIME = threading.Lock()


class _Stop(Exception):  # noqa: N818
    """Raised through SciPy to end a run."""


class _Run:
    """The minimisation of one problem: the functions that SciPy calls, and the state between calls.

    Attributes:
        used: Iterations so far.
        cost: The least cost since `go` was called ...
        best: ... and its pose, shape (Q,).
        reached: Whether that pose meets the goals.
    """

    def __init__(self, arrays: own.Arrays, stall: float) -> None:
        self.arrays = arrays  # ints, floats, workspace, trace of poses
        self.stall = stall
        self.used = 0
        self.cost = math.inf
        self.best = np.empty(0)
        self.reached = False
        self._budget = 0
        self._costs: list[float] = []
        self._folded = False

    def _value(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost and its gradient at x, for SciPy."""
        gradient, pose = np.empty(len(x)), np.empty(self.arrays[0][layout.H_COORDS])
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
        own.note_pose(*self.arrays)

    def _after(self, x: np.ndarray) -> None:
        """End the run, if it is over, after each of SciPy's iterations."""
        cost, _ = self._value(x)
        self._count()
        self._costs.append(cost)
        if len(self._costs) > TUNING.stall_iterations:
            # Out of reach most of the cost remains: compare with what was gained so far, too.
            least = self.stall * min(cost, self._costs[0] - cost)
            if self._costs[-1 - TUNING.stall_iterations] - cost <= least:
                raise _Stop
        self._folded = folding(*self.arrays, x) > TUNING.recentre_angle
        if self._folded or self.used >= self._budget:
            raise _Stop

    def go(self, pose: np.ndarray, method: str, budget: int, *, bent: bool) -> None:
        """Minimise from a pose, a little bent if asked, until reached, stalled or out of budget."""
        from scipy.optimize import minimize  # `refusal` has checked that it is installed

        self.cost, self.best, self._budget = math.inf, pose, budget
        x = np.empty(self.arrays[0][layout.H_DOFS])
        again = True
        while again:
            self._costs, self._folded = [], False
            centre_on(*self.arrays, self.best, bent, x)
            bent = False
            options = {"gtol": TUNING.zero_gradient, "maxiter": budget - self.used}
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
    trace_poses: np.ndarray,
    trace_events: np.ndarray,
    first: int,
    last: int,
) -> None:
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    del trace_events
    announce("Optimize solver", value_and_slope, seconds=20)
    measure(ints, floats, work, trace_poses)
    count = ints[layout.H_OPTIONS]
    options = Options(
        *floats[len(floats) - ints[layout.H_COORDS] - ints[layout.H_DOFS] - count :][:count]
    )
    budget, method = int(options.max_iterations), METHODS[int(options.method)].upper()
    arrays = (ints, floats, work, trace_poses)
    for b in range(first, last):
        answer = np.empty(ints[layout.H_COORDS])
        cost, reached = own.open_problem(*arrays, offsets, starts, targets, b, answer)
        run = _Run(arrays, float(options.stall))
        stop = layout.STOP_REACHED if reached else layout.STOP_BUDGET
        bent = False
        while not reached and run.used < budget:
            run.go(answer, method, budget, bent=bent)
            reached = run.reached
            better = reached or run.cost < (TUNING.better_cost * cost if bent else cost)
            if better:
                cost, answer = run.cost, run.best
            elif bent:
                break
            stop = layout.STOP_BUDGET if run.used >= budget else layout.STOP_STALLED
            bent = True
        own.close_problem(*arrays, starts, b, answer, stop, run.used, out)


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
        goals=frozenset({"position", "orientation", "direction", "hold", "own"}),
        several=True,
        stretch=True,
        mimic=True,
        remark="does not look at damping",
    )
    kernel = staticmethod(solve_range)

    max_iterations: int = 500
    method: str = "bfgs"
    stall: float = 1e-10

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        one_of("Optimize method", self.method, METHODS)
        self._fraction("stall")

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them; the method is its index in METHODS."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(float(METHODS.index(v) if isinstance(v, str) else v) for v in values)

    def refusal(self, problem: Problem) -> str | None:
        """Why it cannot take a problem: SciPy is not installed, or its matrix would be too large."""
        if importlib.util.find_spec("scipy") is None:
            return "problems without SciPy (pip install 'supple[optimize]')"
        if self.method == "bfgs" and problem.freedoms > TUNING.dense_freedoms:
            return f'{problem.freedoms:,} freedoms with method="bfgs" ("cg" can; at most {TUNING.dense_freedoms:,})'
        return None
