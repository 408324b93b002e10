"""Checks around a solve with custom goals: test the goals before it, and report their errors after it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.kernels import layout
from supple.model.skeleton import Pose
from supple.problem.lowering import Problem


class _OwnBlock(NamedTuple):
    """A custom goal in a problem."""

    goal: Any  # an OwnGoal
    block: int  # index of its error
    values: slice  # its values in a row of targets
    frames: list[int]  # indices of its joints and tips


class OwnGoals:
    """The custom goals of a problem; without any, all methods do nothing."""

    __slots__ = ("_blocks", "_errors", "_problem")

    def __init__(self, problem: Problem) -> None:
        """Find the custom goals."""
        self._problem = problem
        self._errors = problem.coordinates + layout.REPORT
        self._blocks: list[_OwnBlock] = []
        for g, block in enumerate(problem.blocks):
            if block.kind >= layout.OWN and block.part == 0:
                goal: Any = problem.goals[block.goal]
                values = slice(block.offset, block.offset + block.size)
                frames = [problem.skeleton.index(name) for name in goal.frames]
                self._blocks.append(_OwnBlock(goal, g, values, frames))

    def before(self, starts: np.ndarray, targets: np.ndarray, b: int) -> None:
        """Test each goal once in its life, on problem b of a batch.

        Raises:
            SuppleError: A goal cannot be used, or its Jacobian is wrong.
        """
        for one in self._blocks:
            one.goal.function.function.begin()
            if not one.goal.function.is_checked(len(one.frames)):
                frames, values = self._given(one, _row(starts, b), _row(targets, b))
                one.goal.function.check(one.goal.frames, frames, values)

    def after(self, targets: np.ndarray, out: np.ndarray, first: int, last: int) -> None:
        """Check rows first..last-1 of output for errors of the goals.

        Raises:
            SuppleError: A goal raised, or returned NaN or infinity.
        """
        for one in self._blocks:
            name = one.goal.function.name
            raised = one.goal.function.function.raised
            if raised is not None:
                if not isinstance(raised, Exception):
                    raise raised
                raise SuppleError(
                    f"goal {name!r}: it raised {type(raised).__name__}: {raised}"
                ) from raised
            good = np.isfinite(out[first:last, self._errors + one.block])
            if not good.all():
                b = first + int(np.argmin(good))
                where = f" in row {b} of the batch" if len(out) > 1 else ""
                frames, values = self._given(one, out[b], _row(targets, b))
                got = one.goal.function.evaluate(frames, values)  # raises if the goal does
                raise SuppleError(
                    f"goal {name!r} of {one.goal.effector_name}: expected finite numbers, got {got} or such "
                    f"derivatives{where}, with values {values}"
                )

    def _given(
        self, one: _OwnBlock, row: np.ndarray, targets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The arguments of a goal in the pose at the front of a row: frames (N, 4, 4) and values."""
        q = np.array(row[: self._problem.coordinates])
        return Pose._wrap(self._problem.skeleton, q).frames[one.frames], targets[one.values]


def _row(rows: np.ndarray, b: int) -> np.ndarray:
    return rows[b if len(rows) > 1 else 0]
