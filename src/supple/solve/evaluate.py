"""How far given poses are from the goals of a problem: the report of a solve, on poses that no solver has made.

It is the one place that answers this. The kernels that end a solve write it, so it says of a pose what a solve that
ended there would say: the error of every demand, loops, collisions, balance, and why goals are missed.
"""

from __future__ import annotations

import numpy as np

from supple.kernels import layout as at
from supple.problem.lowering import Problem
from supple.solve.execute import Batch
from supple.solve.own_goals import OwnGoals


class Evaluator:
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
            batch: The problem, with one row. Joints that it does not move are where the start has them, whatever
                the pose says.
            found: A row of output: its coordinates, how the solver stopped and what it has used are taken.
            blame: Whether to find out if Avoid or Balance is in the way, which takes longer.
        """
        return self.reports(batch, found[None], blame=blame)[0]

    def reports(self, batch: Batch, found: np.ndarray, *, blame: bool = False) -> np.ndarray:
        """The reports on the poses of rows of output, shape (B, width); arguments as for a call, with B rows each.

        Raises:
            SuppleError: A goal of one's own raises, or gives what is no number.
        """
        own, count = self._own, self._problem.coordinates
        arrays = (self._ints, self._floats, np.zeros(self._work), self._poses)
        offsets, starts, targets = batch
        q, out = np.empty(count), np.empty((len(found), self._problem.report_width))
        if len(found):
            self._goals.before(starts, targets, 0)
        ends = found[:, [count + at.O_STOP, count + at.O_ITERATIONS]].astype(np.int64).tolist()
        for b, (stop, used) in enumerate(ends):
            own.open_problem(*arrays, offsets, starts, targets, b, q)
            stop = stop if stop <= at.STOP_BUDGET else at.STOP_STALLED
            q[:] = found[b, :count]
            own.close_problem(*arrays, starts, b, q, stop, used, out)
            if blame:
                own.say_what_blocks(*arrays, b, q, out)
        self._goals.after(targets, out, 0, len(out))
        out[:, count + at.O_RESTARTS] = found[:, count + at.O_RESTARTS]
        return out

    def of_poses(self, batch: Batch, coordinates: np.ndarray) -> np.ndarray:
        """The reports on poses that were not solved for, of coordinates (B, Q), shape (B, width)."""
        found = np.zeros((len(coordinates), self._problem.report_width))
        found[:, : self._problem.coordinates] = coordinates
        found[:, self._problem.coordinates + at.O_STOP] = at.STOP_STALLED
        return self.reports(batch, found)
