"""From Python to a kernel: the one route for single calls, batches, paths and traces.

Every solver has one kernel, `solve_range`, that solves rows first..last-1 of a batch. A single call is
a batch of one; a path is a batch in which every row starts from the answer of the row before; a trace is the
same call with trace buffers.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.kernels import layout
from supple.kernels.decorators import announce
from supple.model.skeleton import Pose
from supple.problem.lowering import Problem
from supple.solve.trace import Trace
from supple.solvers import Solver, is_own

# A later solver's answer that misses the goals replaces an earlier one if it costs less than this fraction of it.
BETTER_COST_RATIO = 1.0 - 1e-6
MOST_STEPS = 2_000_000  # a trace holds no more steps than this


Batch = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Problems as kernels take them, each array with one row for all problems or a row for each: offsets
(B, A + 2 G, 3), starts (B, Q or more) with the coordinates first, targets (B, T)."""


class TraceBuffers(NamedTuple):
    """Trace buffers; with no rows nothing is recorded."""

    poses: np.ndarray  # (P, Q + 2)
    events: np.ndarray  # (E, EVENT)


class _Run:
    """A solver's kernel with its packed problem and its workspaces."""

    __slots__ = ("_free", "_is_own", "floats", "ints", "kernel", "solver")

    def __init__(self, solver: Solver, problem: Problem) -> None:
        self.solver = solver
        self.kernel = solver.kernel
        if solver.is_python:
            self.kernel = partial(solver.kernel, problem=problem)
        self.ints, self.floats = problem.pack(solver.options())
        self._free: list[np.ndarray] = []  # workspaces that no thread is using
        self._is_own = is_own(solver)

    def __call__(
        self, batch: Batch, out: np.ndarray, first: int, last: int, trace: TraceBuffers
    ) -> None:
        """Solve problems first..last-1 into these rows of out."""
        free = self._free
        try:
            work = free.pop()
        except IndexError:
            work = None
        if work is None:
            work = self._new_workspace(batch, out, trace)
        if self._is_own:
            self.kernel(self.ints, self.floats, *batch, out, work, *trace, first, last)
        else:
            self._call_foreign(batch, out, work, trace, first, last)
        free.append(work)

    def _call_foreign(
        self,
        batch: Batch,
        out: np.ndarray,
        work: np.ndarray,
        trace: TraceBuffers,
        first: int,
        last: int,
    ) -> None:
        """Call a custom solver's kernel, and check that it fills its rows.

        Raises:
            SuppleError: A row has no status, or NaN among its coordinates.
        """
        rows = out[first:last]
        rows[:] = np.nan
        self.kernel(self.ints, self.floats, *batch, out, work, *trace, first, last)
        count = int(self.ints[layout.H_COORDS])
        status = rows[:, count + layout.O_STATUS]
        good = np.isin(status, range(layout.REACHED, layout.UNBALANCED + 1))
        good &= ~np.isnan(rows[:, :count]).any(axis=1)
        if not good.all():
            k = int(np.argmin(good))
            raise SuppleError(
                f"solver {self.solver.name}: expected its kernel to fill every row of its output "
                f"(see supple.kernels.layout), got problem {first + k} with status {status[k]:g} "
                f"and coordinates {rows[k, :count]}"
            )

    def _new_workspace(self, batch: Batch, out: np.ndarray, trace: TraceBuffers) -> np.ndarray:
        """A workspace: a call with no problems writes the number of floats it needs into work[0]."""
        announce(f"{self.solver.name} solver", self.kernel)
        work = np.zeros(1)
        self.kernel(self.ints, self.floats, *batch, out, work, *trace, 0, 0)
        return np.zeros(max(int(work[0]), 1))


class _RunOfOwnGoals(_Run):
    """A run of a problem with custom goals, which are tested before it and checked for errors after it."""

    __slots__ = ("_goals",)

    def __init__(self, solver: Solver, problem: Problem) -> None:
        from supple.solve.own_goals import OwnGoals  # not needed to solve without them

        super().__init__(solver, problem)
        self._goals = OwnGoals(problem)

    def __call__(
        self, batch: Batch, out: np.ndarray, first: int, last: int, trace: TraceBuffers
    ) -> None:
        """Solve problems first..last-1 into these rows of out.

        Raises:
            SuppleError: A goal raises, or returns NaN or infinity.
        """
        if first < last:
            self._goals.before(batch[1], batch[2], first)
        super().__call__(batch, out, first, last, trace)
        self._goals.after(batch[2], out, first, last)


class _RefusingRun(_Run):
    """Refuses to run a problem that only makes sense over the frames of a clip."""

    __slots__ = ()

    def __call__(
        self, batch: Batch, out: np.ndarray, first: int, last: int, trace: TraceBuffers
    ) -> None:
        """Raise an error.

        Raises:
            SuppleError: Always.
        """
        raise SuppleError(
            "Smooth ties the frames of a clip, and a single solve has none: expected a call of "
            "Prepared.clip, or of supple.track with smooth="
        )


class Executor:
    """The solvers of a problem, tried in turn until one reaches the goals; the nearest answer wins.

    Safe to use from several threads at once.

    Attributes:
        problem: The lowered problem.
        width: Number of floats in a row of output.
    """

    __slots__ = ("_cost", "_runs", "_status", "_untraced", "problem", "width")

    def __init__(self, problem: Problem, solvers: tuple[Solver, ...]) -> None:
        self.problem = problem
        self.width = problem.report_width
        has_own = any(block.kind >= layout.OWN for block in problem.blocks)
        run = _RunOfOwnGoals if has_own else _Run
        if any(goal.needs_clip for goal in problem.goals):
            run = _RefusingRun
        self._runs = tuple(run(solver, problem) for solver in solvers)
        self._status = problem.coordinates + layout.O_STATUS
        self._cost = problem.coordinates + layout.O_COST
        self._untraced = TraceBuffers(
            np.zeros((0, problem.coordinates + 2)), np.zeros((0, layout.EVENT))
        )

    @property
    def packed(self) -> tuple[np.ndarray, np.ndarray]:
        """The problem's integers and floats, packed for the last solver."""
        return self.packed_each[-1]

    @property
    def packed_each(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """The problem's integers and floats, packed for each solver."""
        return tuple((run.ints, run.floats) for run in self._runs)

    def tighten(self, tolerance: float) -> None:
        """Lower the tolerances to this [characteristic lengths, rad], so that the solvers iterate further.

        It changes the packed problems, so it must not be called while they run.
        """
        first, blocks = self.problem.block_floats, self.problem.blocks
        for _, floats in self.packed_each:
            rows = floats[first : first + len(blocks) * layout.BLOCK_FLOATS]
            for row, block in zip(rows.reshape(len(blocks), -1), blocks, strict=True):
                size = self.problem.length if block.is_length else 1.0
                row[layout.B_TOLERANCE] = min(tolerance * size, block.tolerance)

    def run(self, batch: Batch, out: np.ndarray, first: int, last: int) -> int:
        """Solve problems first..last-1 of a batch into these rows of out, shape (B, width).

        Returns:
            The number of the last solver that gave an answer.
        """
        self._runs[0](batch, out, first, last, self._untraced)
        found = 0
        if len(self._runs) == 1 or (
            last - first == 1 and out[first, self._status] == layout.REACHED
        ):
            return found  # skips the arrays below, which take longer than a small solve
        for number in range(1, len(self._runs)):
            missed = first + np.flatnonzero(out[first:last, self._status] != layout.REACHED)
            if not len(missed):
                break
            some = np.empty((len(missed), self.width))
            self._runs[number](_picked(batch, missed), some, 0, len(missed), self._untraced)
            better = self._better(some, out[missed])
            out[missed[better]] = some[better]
            found = number if better.any() else found
        return found

    def run_path(self, batch: Batch, out: np.ndarray, first: int, last: int) -> None:
        """Solve frames first..last-1 of a path, each from the answer before it.

        Args:
            batch: The problems; their starts are ignored.
            out: Shape (F + 1, width): the start before the first frame, then the answers.
            first: The first frame.
            last: The last frame, plus one.
        """
        batch = (batch[0], out[:-1], batch[2])
        if len(self._runs) == 1:
            self._runs[0](batch, out[1:], first, last, self._untraced)
        else:
            for frame in range(first, last):
                self.run(batch, out[1:], frame, frame + 1)

    def run_traced(self, batch: Batch, start: Pose) -> tuple[np.ndarray, int, Trace]:
        """Solve one problem, and record its trace.

        Returns:
            Its report, shape (width,), the number of the solver that gave it, and the trace.
        """
        best, found, kept = np.zeros((0, self.width)), 0, self._untraced
        for number, run in enumerate(self._runs):
            out, trace = np.empty((1, self.width)), self._buffers(run.solver)
            run(batch, out, 0, 1, trace)
            if not len(best) or self._better(out, best)[0]:
                best, found, kept = out, number, trace
            if best[0, self._status] == layout.REACHED:
                break
        solver = self._runs[found].solver
        return best[0], found, self._trace(solver, batch[2][0], best[0], kept, start)

    def _better(self, new: np.ndarray, old: np.ndarray) -> np.ndarray:
        """True where reports of a later solver, shape (B, width), are better than the old ones, shape (B,)."""
        reached = new[:, self._status] == layout.REACHED
        return reached | (new[:, self._cost] < BETTER_COST_RATIO * old[:, self._cost])

    def _buffers(self, solver: Solver) -> TraceBuffers:
        """Trace buffers large enough for a solver."""
        poses = np.zeros((solver.most_iterations + 1, self.problem.coordinates + 2))
        steps = len(poses) * solver.events_per_iteration(self.problem)
        return TraceBuffers(poses, np.zeros((min(steps, MOST_STEPS), layout.EVENT)))

    def _trace(
        self, solver: Solver, targets: np.ndarray, out: np.ndarray, kept: TraceBuffers, start: Pose
    ) -> Trace:
        problem, nq = self.problem, self.problem.coordinates
        poses = kept.poses[: int(out[nq + layout.O_TRACE])]
        events = kept.events[: int(out[nq + layout.O_EVENTS])]
        out[nq + layout.O_TRACE] = out[nq + layout.O_EVENTS] = 0.0  # as without a trace
        if out[self._status] == layout.REACHED or not problem.keep:
            # After its last iteration a solver returns to the best pose it has seen.
            poses[-1] = (*out[:nq], out[nq + layout.O_ERROR], out[nq + layout.O_TURN_ERROR])
        goals = {
            problem.goals[b.goal].effector_name: targets[b.offset : b.offset + 3].copy()
            for b in problem.blocks
            if b.kind in (layout.POSITION, layout.LOOKAT) and not b.held
        }
        return Trace(
            problem.skeleton,
            poses[:, :nq].copy(),
            poses[:, nq].copy(),
            poses[:, nq + 1].copy(),
            events.copy(),
            solver.name,
            goals,
            start._translations,
            start._scales,
        )


def _picked(batch: Batch, rows: np.ndarray) -> Batch:
    """The problems of some rows."""
    offsets, starts, targets = (x if len(x) == 1 else x[rows] for x in batch)
    return offsets, starts, targets
