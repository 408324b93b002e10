"""Frames solved one after the other, each from the correction of the one before.

What does not depend on the answers is made for all frames at once: rows of targets, offsets, and what
takes the answer of a frame to the beginning of the next. So a frame costs little more than its solve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout as at
from supple.model.skeleton import Pose
from supple.motion.seams import Columns
from supple.rotations import conjugate, multiply
from supple.solve.prepare import Prepared
from supple.solve.solution import Solution

Floats = NDArray[np.float64]

BETTER = 0.99  # another answer must be nearer by this factor to be taken


def one_by_one(
    problem: Prepared,
    targets: Sequence[Any],
    starts: Pose,
    columns: Columns,
    progress: Callable[[int, int], None] | None,
) -> Solution:
    """Frame after frame, each from its animation with the correction of the frame before.

    Args:
        problem: Prepared, with all targets open.
        targets: Of all frames, or one for all, in the problem's order.
        starts: The animated poses, a batch (F,).
        columns: The coordinates that the solves may change.
        progress: Called with (done, total) frames.

    Returns:
        The answers of all frames, a batch (F,).
    """
    count = len(starts)
    (offsets, _, rows), _, _ = problem.batch(targets, starts)
    animated = np.array(starts.packed_coordinates)
    onward = _Onward(animated, columns)
    begins = animated.copy()
    coherent, afresh = (offsets, begins, rows), (offsets, animated, rows)
    status = problem.problem.coordinates + at.O_STATUS
    out = np.empty((count, problem.executor.width))
    other = np.empty_like(out)
    for f in range(count):
        problem.executor.run(coherent, out, f, f + 1)
        if f > 0 and out[f, status] != at.REACHED:
            problem.executor.run(afresh, other, f, f + 1)
            out[f] = better_rows(problem, out[f : f + 1], other[f : f + 1])[0]
        if f + 1 < count:
            begins[f + 1] = onward.begin(f, out[f])
        if progress is not None:
            progress(f + 1, count)
    return Solution(problem._asked, out, starts)


def better_rows(problem: Prepared, rows: Floats, others: Floats) -> Floats:
    """Of two reports on each frame the better, shape (F, width).

    The others are taken where they are reached, or clearly better: loops count first, then collisions,
    balance, and the distance from the goals.
    """
    count = problem.problem.coordinates
    take = others[:, count + at.O_STATUS] == at.REACHED
    level = ~take  # as good so far, in what comes first
    for mine, theirs in zip(_standing(problem, rows), _standing(problem, others), strict=True):
        take |= level & (theirs < BETTER * mine)
        level &= (theirs >= BETTER * mine) & (BETTER * theirs <= mine)
    return np.where(take[:, None], others, rows)


def _standing(problem: Prepared, rows: Floats) -> tuple[Floats, ...]:
    """What is wrong with poses, by their reports: open loops, depth, off balance, distance, each (F,)."""
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
    """What takes the answer of a frame to the beginning of the next.

    That is the animation of the next frame with the same change: of a quaternion
    next * conj(now) * answer, of a number next - now + answer.
    """

    def __init__(self, animated: Floats, columns: Columns) -> None:
        self._animated = animated
        self._turns, self._numbers = columns.turns, columns.numbers
        q = animated[:, self._turns]
        across = multiply(q[1:], conjugate(q[:-1]))
        # As matrices, rows of which are multiplied by the answer's parts: one product a frame.
        self._across = multiply(across[..., None, :], np.eye(4))
        self._steps = np.diff(animated[:, self._numbers], axis=0)

    def begin(self, f: int, answer: Floats) -> Floats:
        """Coordinates to begin the frame after f from, shape (Q,)."""
        q = self._animated[f + 1].copy()
        if len(self._numbers):
            q[self._numbers] = self._steps[f] + answer[self._numbers]
        if len(self._turns):
            turns = (answer[self._turns][:, None, :] @ self._across[f])[:, 0]
            q[self._turns] = turns / np.sqrt(np.einsum("ki,ki->k", turns, turns))[:, None]
        return q
