"""Running the solvers of a problem: kernels, their scratch memory, and what a later solver betters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.errors import SuppleError
from supple.kernels import layout as at
from supple.kernels.cache import announce
from supple.kernels.tree import MARK
from supple.pose import Pose
from supple.problem import Problem
from supple.solvers import Solver
from supple.trace import Trace

BETTER = 1.0 - 1e-6  # a later solver's answer that is not reached must cost less than this fraction
MOST_STEPS = 2_000_000  # a trace holds no more steps than this

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Offsets, starts and targets as kernels take them: one row for all problems, or a row for each."""


class _Run:
    """A solver with its packed problem and the scratch memory of its calls."""

    __slots__ = ("floats", "ints", "kernel", "pool", "solver")

    def __init__(self, solver: Solver, problem: Problem) -> None:
        self.solver = solver
        self.kernel = solver.kernel
        self.ints, self.floats = problem.pack(solver.options())
        self.pool: list[np.ndarray] = []

    def workspace(self) -> np.ndarray:
        """Scratch memory; who is done with it appends it to the pool, which threads may share."""
        try:
            work = self.pool.pop()
        except IndexError:
            announce(f"{self.solver.name} solver", self.kernel)
            work = np.empty(max(self.solver.space(self.ints), MARK + 1))
        work[MARK] = 0.0  # offsets may be others than before
        return work


class Runner:
    """The solvers of a problem, tried in turn until one reaches the goals; the nearest answer wins.

    Safe to use from several threads at once.

    Attributes:
        problem: The lowered problem.
        solvers: The solvers.
    """

    __slots__ = (
        "_cost",
        "_no_events",
        "_no_trace",
        "_runs",
        "_status",
        "_width",
        "problem",
        "solvers",
    )

    def __init__(self, problem: Problem, solvers: tuple[Solver, ...]) -> None:
        self.problem = problem
        self.solvers = solvers
        self._runs = tuple(_Run(solver, problem) for solver in solvers)
        self._width = problem.report_width
        self._status = problem.coordinates + at.O_STATUS
        self._cost = problem.coordinates + at.O_COST
        self._no_trace = np.zeros((0, problem.coordinates + 2))
        self._no_events = np.zeros((0, at.EVENT))

    @property
    def first(self) -> tuple[np.ndarray, np.ndarray]:
        """The problem's integers and floats, packed for the first solver."""
        return self._runs[0].ints, self._runs[0].floats

    @property
    def packed(self) -> tuple[np.ndarray, np.ndarray]:
        """The problem's integers and floats, packed for the last solver."""
        return self._runs[-1].ints, self._runs[-1].floats

    def one(
        self, offsets: np.ndarray, start: np.ndarray, targets: np.ndarray
    ) -> tuple[np.ndarray, int]:
        """Solve a problem: offsets with one row, a start (Q,) and targets (T,).

        Returns:
            Its report, shape (width,), and the number of the solver that gave it.
        """
        arrays = (offsets, start[None], targets[None])
        report, found, _ = self._in_turn(arrays, lambda _run: (self._no_trace, self._no_events))
        return report, found

    def _in_turn(
        self, arrays: Arrays, paper: Callable[[_Run], tuple[np.ndarray, np.ndarray]]
    ) -> tuple[np.ndarray, int, tuple[np.ndarray, np.ndarray]]:
        """Let the solvers try a problem, every array with one row, until one reaches the goals.

        Args:
            arrays: The problem.
            paper: Room for a run's trace and events.

        Returns:
            The best report, shape (width,), the number of the solver that gave it, and its paper.
        """
        best, found, kept = np.zeros((0, self._width)), 0, (self._no_trace, self._no_events)
        for number, run in enumerate(self._runs):
            out = np.full((1, self._width), np.nan)
            written = paper(run)
            work = run.workspace()
            run.kernel(run.ints, run.floats, *arrays, out, work, *written, 0, 1)
            run.pool.append(work)
            self._check_filled(run.solver, out)
            if not len(best) or self._better(out, best)[0]:
                best, found, kept = out, number, written
            if best[0, self._status] == at.REACHED:
                break
        return best[0], found, kept

    def range(self, arrays: Arrays, out: np.ndarray, first: int, last: int) -> None:
        """Solve problems first..last-1 of a batch into these rows of out, shape (B, width).

        The rows hold NaN before.
        """
        run = self._runs[0]
        work = run.workspace()
        idle = (self._no_trace, self._no_events)
        run.kernel(run.ints, run.floats, *arrays, out, work, *idle, first, last)
        run.pool.append(work)
        self._check_filled(run.solver, out[first:last], first)
        for run in self._runs[1:]:
            todo = first + np.flatnonzero(out[first:last, self._status] != at.REACHED)
            if not len(todo):
                return
            some = (x if len(x) == 1 else x[todo] for x in arrays)
            part = np.full((len(todo), self._width), np.nan)
            work = run.workspace()
            idle = (self._no_trace, self._no_events)
            run.kernel(run.ints, run.floats, *some, part, work, *idle, 0, len(todo))
            run.pool.append(work)
            self._check_filled(run.solver, part)
            better = self._better(part, out[todo])
            out[todo[better]] = part[better]

    def _check_filled(self, solver: Solver, rows: np.ndarray, first: int = 0) -> None:
        """Check that a kernel has filled its rows, shape (B, width), which held NaN before.

        Args:
            solver: Whose kernel it is.
            rows: What it wrote.
            first: The number of the first of them in the batch.

        Raises:
            SuppleError: A row has no status, or coordinates that are no numbers.
        """
        status = rows[:, self._status]
        good = (status >= at.REACHED) & (status <= at.BUDGET) & (status == np.floor(status))
        good &= ~np.isnan(rows[:, : self.problem.coordinates]).any(axis=1)
        if not good.all():
            k = int(np.argmin(good))
            raise SuppleError(
                f"solver {solver.name}: expected its kernel to fill every row of its output (see "
                f"supple.kernels.layout), got problem {first + k} with status {status[k]:g} "
                f"and coordinates {rows[k, : self.problem.coordinates]}"
            )

    def _better(self, new: np.ndarray, old: np.ndarray) -> np.ndarray:
        """Which reports of a later solver, shape (B, width), are to replace the old ones."""
        reached = new[:, self._status] == at.REACHED
        return reached | (new[:, self._cost] < BETTER * old[:, self._cost])

    def traced(self, arrays: Arrays, start: Pose) -> tuple[np.ndarray, int, Trace]:
        """Solve a problem, every array with one row.

        Returns:
            Its report, shape (width,), the number of the solver that gave it, and what that one did.
        """
        report, found, (recorded, events) = self._in_turn(arrays, self._room)
        solver = self._runs[found].solver
        return report, found, self._trace(solver, arrays[2][0], report, recorded, events, start)

    def _room(self, run: _Run) -> tuple[np.ndarray, np.ndarray]:
        """Room for everything that a solver may record."""
        recorded = np.zeros((run.solver.most_iterations + 1, self.problem.coordinates + 2))
        steps = len(recorded) * run.solver.events_per_iteration(self.problem)
        return recorded, np.zeros((min(steps, MOST_STEPS), at.EVENT))

    def _trace(
        self,
        solver: Solver,
        targets: np.ndarray,
        out: np.ndarray,
        recorded: np.ndarray,
        events: np.ndarray,
        start: Pose,
    ) -> Trace:
        problem, nq = self.problem, self.problem.coordinates
        recorded = recorded[: int(out[nq + at.O_TRACE])]
        events = events[: int(out[nq + at.O_EVENTS])]
        out[nq + at.O_TRACE] = out[nq + at.O_EVENTS] = 0.0  # as without a trace
        if out[self._status] == at.REACHED or not problem.keep:
            # After its last iteration a solver goes back to the best pose it has seen.
            recorded[-1] = (*out[:nq], out[nq + at.O_ERROR], out[nq + at.O_TURN_ERROR])
        goals = {
            problem.goals[b.goal].effector_name: targets[b.offset : b.offset + 3].copy()
            for b in problem.blocks
            if b.kind in (at.POSITION, at.LOOKAT) and not b.held
        }
        return Trace(
            problem.skeleton,
            recorded[:, :nq].copy(),
            recorded[:, nq].copy(),
            recorded[:, nq + 1].copy(),
            events.copy(),
            solver.name,
            goals,
            start._translations,
            start._scales,
        )
