"""Frames solved one after the other, each from its own pose with the change of the frame before.

This keeps a clip on one branch of answers: least squares over all frames (`supple.solve.clips`) finds the
smoothest answers near their starts, but frames that start far from their targets may end on different branches.

Everything that does not depend on the answers is computed for all frames at once: rows of targets, offsets, and the
transforms from the answer of a frame to the start of the next. So a frame costs little more than its solve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.kernels import layout as at
from supple.model.skeleton import Pose
from supple.rotations import conjugate, multiply
from supple.solve.prepare import Prepared
from supple.solve.solution import Solution

CLEARLY_NEARER = 0.99  # another answer is taken if its error is below this factor times the error


def follow(
    problem: Prepared,
    targets: Sequence[Any],
    starts: Pose,
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Solve frame after frame, each from its own pose with the change of the frame before.

    A frame that is not reached from there is solved from its own pose alone, and the better answer is taken.

    Args:
        problem: The prepared problem.
        targets: Targets of all frames, or one for all, in the problem's order.
        starts: The poses to change, a batch (F,).
        progress: Called with (done, total) frames.

    Returns:
        The answers of all frames, a batch (F,).
    """
    count = len(starts)
    (offsets, _, rows), _, _ = problem.batch(targets, starts)
    own = np.array(starts.packed_coordinates)
    onward = _Onward(own, starts, problem.problem.moving)
    begins = own.copy()
    carried, afresh = (offsets, begins, rows), (offsets, own, rows)
    status = problem.problem.coordinates + at.O_STATUS
    out = np.empty((count, problem.executor.width))
    other = np.empty_like(out)
    for f in range(count):
        problem.executor.run(carried, out, f, f + 1)
        if f > 0 and out[f, status] != at.REACHED:
            problem.executor.run(afresh, other, f, f + 1)
            out[f] = better_rows(problem, out[f : f + 1], other[f : f + 1])[0]
        if f + 1 < count:
            begins[f + 1] = onward.begin(f, out[f])
        if progress is not None:
            progress(f + 1, count)
    return Solution(problem.asked, out, starts)


def better_rows(problem: Prepared, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The better of two reports on each frame, shape (F, width).

    The others are taken where they are reached, or clearly better: loops count first, then collisions,
    balance, and the distance from the goals.
    """
    status = problem.problem.coordinates + at.O_STATUS
    met = rows[:, status] == at.REACHED
    take = ~met & (others[:, status] == at.REACHED)
    level = ~met & ~take  # equally good in the measures compared so far
    for mine, theirs in zip(_standing(problem, rows), _standing(problem, others), strict=True):
        take |= level & (theirs < CLEARLY_NEARER * mine)
        level &= (theirs >= CLEARLY_NEARER * mine) & (CLEARLY_NEARER * theirs <= mine)
    return np.where(take[:, None], others, rows)


def _standing(problem: Prepared, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """The faults of poses by their reports: open loops, depth, imbalance, distance, shape (F,) each."""
    report = rows[:, problem.problem.coordinates :]
    open_ = report[:, at.O_OPEN].astype(int)
    gaps = report[np.arange(len(report)), at.REPORT + np.maximum(open_, 0)]
    return (
        np.where(open_ >= 0, gaps, 0.0),
        report[:, at.O_DEPTH],
        report[:, at.O_TOPPLE],
        report[:, at.O_ERROR],
    )


class _Onward:
    """Takes the answer of a frame to the start of the next.

    That is the next frame's own pose with the same change: of a quaternion next * conj(now) * answer, of other
    coordinates next - now + answer.
    """

    def __init__(self, own: np.ndarray, starts: Pose, moving: np.ndarray) -> None:
        table = starts.skeleton.freedom_table
        turning = np.isin(table.quaternions.joint, moving)
        scalar = table.rows.is_additive & np.isin(table.rows.joint, moving)
        self._own = own
        self._quaternions = table.quaternions.take(turning).coordinate
        self._additive = table.rows.take(scalar).coordinate
        q = own[:, self._quaternions]
        across = multiply(q[1:], conjugate(q[:-1]))
        # As matrices: one product with the answer a frame.
        self._across = multiply(across[..., None, :], np.eye(4))
        self._steps = np.diff(own[:, self._additive], axis=0)

    def begin(self, f: int, answer: np.ndarray) -> np.ndarray:
        """The coordinates from which the frame after f starts, shape (Q,)."""
        q = self._own[f + 1].copy()
        if len(self._additive):
            q[self._additive] = self._steps[f] + answer[self._additive]
        if len(self._quaternions):
            quaternions = (answer[self._quaternions][:, None, :] @ self._across[f])[:, 0]
            q[self._quaternions] = (
                quaternions / np.sqrt(np.einsum("ki,ki->k", quaternions, quaternions))[:, None]
            )
        return q
