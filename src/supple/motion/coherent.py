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
from supple.motion.seams import Columns
from supple.pose import Pose
from supple.prepare import Prepared
from supple.rotations import conjugate, multiply
from supple.solution import Solution

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
    rows = problem._targets.filled(tuple(targets))
    rows = np.array(np.broadcast_to(rows, (count, rows.shape[-1])), order="C")
    offsets = _offsets(problem, starts)
    animated = np.array(starts.packed_coordinates)
    onward = _Onward(animated, columns)
    status = problem.problem.coordinates + at.O_STATUS
    error = problem.problem.coordinates + at.O_ERROR
    out = np.empty((count, problem.problem.report_width))
    begin = animated[0]
    for f in range(count):
        here = offsets if len(offsets) == 1 else offsets[f : f + 1]
        report, _ = problem._one(here, begin, rows[f])
        if f > 0 and report[status] != at.REACHED:
            other, _ = problem._one(here, animated[f], rows[f])
            if other[status] == at.REACHED or other[error] < BETTER * report[error]:
                report = other
        out[f] = report
        if f + 1 < count:
            begin = onward.begin(f, report)
        if progress is not None:
            progress(f + 1, count)
    return Solution(problem._asked, out, starts)


def _offsets(problem: Prepared, starts: Pose) -> Floats:
    """What is rigid in each frame as kernels take it, a row for each or one for all."""
    if starts._translations is None and starts._scales is None:
        return problem._offsets
    offsets = problem.problem.offsets(starts)
    return np.ascontiguousarray(offsets[None] if offsets.ndim == 2 else offsets)


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
