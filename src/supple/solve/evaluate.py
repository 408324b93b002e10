"""Reports on given poses: how far they are from the goals of a problem, without solving.

The same kernels that end a solve write the report, so it equals the report of a solve that ended in the pose: the
error of every block, loops, collisions, balance, and why goals are missed.
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
            batch: The problem, with one row. Joints that it does not move keep the coordinates of the start.
            found: A row of output: its coordinates, stop code and counts of iterations and restarts are used.
            blame: True to find out if Avoid or Balance is in the way, which takes longer.
        """
        work = np.zeros(self._work)
        out = self._written(work, batch, found[None])
        if blame:  # uses the workspace as the report has left it
            q = out[0, : self._problem.coordinates].copy()
            self._own.write_what_blocks(self._ints, self._floats, work, self._poses, 0, q, out)
        return out[0]

    def of_poses(self, batch: Batch, coordinates: np.ndarray) -> np.ndarray:
        """The reports on poses, shape (B, width).

        Args:
            batch: The problems, with a row for each pose or one for all; as for a call.
            coordinates: Of the poses, shape (B, Q).

        Raises:
            SuppleError: A custom goal raises, or returns NaN or infinity.
        """
        found = np.zeros((len(coordinates), self._problem.report_width))
        found[:, : self._problem.coordinates] = coordinates
        found[:, self._problem.coordinates + at.O_STOP] = at.STOP_STALLED
        return self._written(np.zeros(self._work), batch, found)

    def _written(self, work: np.ndarray, batch: Batch, found: np.ndarray) -> np.ndarray:
        """Reports on the poses of rows of output, shape (B, width)."""
        out = np.empty((len(found), self._problem.report_width))
        if len(found):
            self._goals.before(batch[1], batch[2], 0)
            arrays = (self._ints, self._floats, work, self._poses)
            self._own.report_poses(*arrays, *batch, found, out)
            self._goals.after(batch[2], out, 0, len(out))
        return out
