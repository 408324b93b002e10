"""Reports on poses that no solver has made."""

from __future__ import annotations

import numpy as np

from supple.kernels import layout as at
from supple.problem.lowering import Problem
from supple.solve.execute import Batch
from supple.solve.own_goals import OwnGoals


class Judge:
    """Reports on poses without solving: how near they come, and what is in the way.

    Safe to use from several threads at once.
    """

    def __init__(self, problem: Problem) -> None:
        """Prepare reports on poses of a problem."""
        from supple.solvers import own  # its kernels: not before they are needed

        self._own = own
        self._problem = problem
        self._goals = OwnGoals(problem)
        self._ints, self._floats = problem.pack(())
        self._ints[at.H_KEEP] = 0
        self._poses = np.zeros((0, problem.coordinates + 2))
        work = np.zeros(1)
        own.measure(self._ints, self._floats, work, self._poses)
        self._work = max(int(work[0]), 1)

    def __call__(self, batch: Batch, found: np.ndarray, *, blame: bool = False) -> np.ndarray:
        """The report on the pose of a row of output, as kernels write it, shape (width,).

        Args:
            batch: The problem, with one row.
            found: A row of output: its coordinates, how the solver stopped and what it has used are taken.
            blame: Whether to find out if Avoid or Balance is in the way, which takes longer.
        """
        count = self._problem.coordinates
        arrays = (self._ints, self._floats, np.zeros(self._work), self._poses)
        offsets, starts, targets = batch
        q, out = np.empty(count), np.empty((1, self._problem.report_width))
        self._goals.before(starts, targets, 0)
        self._own.open_problem(*arrays, offsets, starts, targets, 0, q)
        stop, used = int(found[count + at.O_STOP]), int(found[count + at.O_ITERATIONS])
        stop = stop if stop <= at.STOP_BUDGET else at.STOP_STALLED
        q = found[:count].copy()
        self._own.close_problem(*arrays, starts, 0, q, stop, used, out)
        if blame:
            self._own.say_what_blocks(*arrays, 0, q, out)
        self._goals.after(targets, out, 0, 1)
        out[0, count + at.O_RESTARTS] = found[count + at.O_RESTARTS]
        return out[0]
