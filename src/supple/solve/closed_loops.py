"""Closed loops of a problem: their openings in a pose, and steps along the poses that close them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.kernels import layout as at
from supple.model.freedoms import Kind
from supple.problem.lowering import LENGTHS_PER_RADIAN, Problem
from supple.solve.execute import Batch

# Singular values below this part of the largest belong to redundant rows.
RANK_RELATIVE_TOLERANCE = 1e-9


class MovingFreedoms(NamedTuple):
    """The freedoms of a lowered problem, shape (F,) each, in the order of its Jacobian.

    Attributes:
        skeleton: Index among `skeleton.freedoms`; -1 for stretches, which ticks do not move.
        unit: The size of a unit of the freedom [rad, model units].
    """

    skeleton: np.ndarray
    unit: np.ndarray


def moving_freedoms(problem: Problem) -> MovingFreedoms:
    """The freedoms of a problem, as freedoms of its skeleton."""
    rows = problem.skeleton.freedom_table.free.on(problem.moving)
    return MovingFreedoms(
        np.where(rows.kind == Kind.STRETCH, -1, rows.freedom),
        np.where(rows.is_slide, problem.length, 1.0),
    )


class ClosedLoops:
    """The loops of a problem, for any pose.

    Openings are measured in tolerances: a loop whose opening is at most 1 is closed. Safe to use from several
    threads at once.

    Attributes:
        freedoms: The freedoms of the Jacobian.
    """

    def __init__(self, problem: Problem) -> None:
        """Find the loops of a problem that has some."""
        from supple.solvers import own  # its kernels: not before they are needed

        self._own = own
        self._problem = problem
        self.freedoms = moving_freedoms(problem)
        hard = [(n, block) for n, block in enumerate(problem.blocks) if block.hard]
        self._rows = np.array([3 * n + i for n, _ in hard for i in range(3)], np.int64)
        scales = [
            block.weight * (1.0 / problem.length if block.kind == at.MEET else LENGTHS_PER_RADIAN)
            for _, block in hard
        ]
        tolerances = [block.tolerance for _, block in hard]
        self._scale = np.repeat(1.0 / (np.array(scales) * np.array(tolerances)), 3)
        self._ints, self._floats = problem.pack(())
        self._poses = np.zeros((0, problem.coordinates + 2))
        work = np.zeros(1)
        own.measure(self._ints, self._floats, work, self._poses)
        self._work = max(int(work[0]), 1)

    def at(self, batch: Batch, limits: tuple[np.ndarray, np.ndarray, np.ndarray]) -> LoopsAt:
        """The loops of one problem.

        Args:
            batch: The problem, with one row.
            limits: Indices of lower limits of joints in the packed floats, and the lower and upper limits to
                use there, shape (K,) each.
        """
        index, low, high = limits
        floats = self._floats.copy()
        floats[index], floats[index + 1] = low, high
        arrays = (self._ints, floats, np.zeros(self._work), self._poses)
        self._own.open_problem(*arrays, *batch, 0, np.empty(self._problem.coordinates))
        return LoopsAt(self._own, arrays, self._rows, self._scale, self._problem)


class LoopsAt:
    """The loops of one problem, evaluated at one pose after another."""

    def __init__(
        self,
        own: object,
        arrays: tuple[np.ndarray, ...],
        rows: np.ndarray,
        scale: np.ndarray,
        problem: Problem,
    ) -> None:
        """See `ClosedLoops.at`."""
        self._own, self._arrays = own, arrays
        self._rows, self._scale = rows, scale
        self._residual = np.empty(problem.rows)
        self._columns = np.empty((problem.freedoms, problem.rows))
        self._bounds = np.empty((problem.freedoms, 2))

    def openings(self, q: np.ndarray) -> np.ndarray:
        """The openings of the loops in the pose q, (Q,), shape (L, 3) [tolerances]."""
        self._own.evaluate_pose(*self._arrays, q.copy(), self._residual)  # type: ignore[attr-defined]
        return (self._residual[self._rows] * self._scale).reshape(-1, 3)

    def jacobian(self) -> np.ndarray:
        """The negative derivative of the openings by the freedoms, in the pose evaluated last, shape (3 L, F)."""
        self._own.linearize_pose(*self._arrays, self._columns, self._bounds)  # type: ignore[attr-defined]
        return self._columns[:, self._rows].T * self._scale[:, None]

    def stepped(self, q: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The pose evaluated and linearized last, q, moved by delta, shape (F,), as a new (Q,)."""
        out = q.copy()
        self._own.step_pose(*self._arrays, delta, out)  # type: ignore[attr-defined]
        return out


def widest(openings: np.ndarray) -> float:
    """The opening of the widest loop [tolerances]."""
    return float(np.sqrt((openings * openings).sum(axis=1)).max(initial=0.0))


def least_effort(jacobian: np.ndarray, effort: np.ndarray, openings: np.ndarray) -> np.ndarray:
    """The change of the freedoms that closes openings, (3 L,), by the linear model, shape (F,).

    Of all such changes it has the least sum of squares of change / effort; freedoms with zero effort do not move.
    """
    parts, *_ = np.linalg.lstsq(jacobian * effort, openings, rcond=RANK_RELATIVE_TOLERANCE)
    return effort * parts
