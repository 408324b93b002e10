"""The targets of a problem: the fixed ones, and where those go that are given call by call."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.goals import OPEN, check_target, split_pose
from supple.kernels import layout as at
from supple.problem import Problem


class Targets:
    """Rows of targets as kernels take them, shape (..., T).

    Attributes:
        arguments: What a call gives, in order: (goal's number, slot), such as (0, "target").
        fixed: The targets of the goals that are not open, shape (..., T); NaN where open.
        places: For each argument how many numbers it has (16 for a 4x4), where in a row they go, and
            where the orientation of a 4x4 goes.
    """

    __slots__ = ("_at", "_goals", "arguments", "fixed", "places")

    def __init__(self, problem: Problem) -> None:
        self._goals = problem.goals
        self._at = {
            (block.goal, "orientation" if block.kind == at.ORIENTATION else "target"): block.offset
            for block in problem.blocks
            if not block.held
        }
        slots = [
            (i, slot, getattr(goal, slot))
            for i, goal in enumerate(problem.goals)
            for slot in goal.slots
        ]
        self.arguments = tuple((i, slot) for i, slot, value in slots if value is OPEN)
        given = [one for one in slots if one[2] is not OPEN]
        self.fixed = self._placed(given, problem.default_targets)
        sizes = {"target": 3, "orientation": 4, "pose": 16}
        self.places = tuple(
            (
                sizes[slot],
                self._at[i, "target" if slot == "pose" else slot],
                self._at[i, "orientation"] if slot == "pose" else 0,
            )
            for i, slot in self.arguments
        )

    def filled(self, targets: tuple[Any, ...]) -> np.ndarray:
        """Rows with the arguments of a call put in, shape (..., T).

        Raises:
            SuppleError: There are too many or too few, or one is not what its goal takes.
        """
        if len(targets) != len(self.arguments):
            wanted = ", ".join(
                f"{slot} of {self._goals[i].effector_name!r}" for i, slot in self.arguments
            )
            raise SuppleError(
                f"targets: expected {len(self.arguments)} ({wanted or 'none is open'}), "
                f"got {len(targets)}"
            )
        given = []
        for (i, slot), value in zip(self.arguments, targets, strict=True):
            name = self._goals[i].effector_name
            if value is OPEN:
                raise SuppleError(f"{slot} of {name!r}: expected numbers, got OPEN")
            given.append((i, slot, check_target(slot, name, value)))
        return self._placed(given, self.fixed)

    def _placed(self, given: list[tuple[int, str, np.ndarray]], rows: np.ndarray) -> np.ndarray:
        parts: list[tuple[int, np.ndarray]] = []
        for i, slot, value in given:
            if slot == "pose":
                position, orientation = split_pose(value)
                parts.append((self._at[i, "target"], position))
                parts.append((self._at[i, "orientation"], orientation))
            else:
                parts.append((self._at[i, slot], value))
        shapes = [rows.shape[:-1], *(value.shape[:-1] for _, value in parts)]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            shown = " and ".join(str(one) for one in shapes if one)
            raise SuppleError(
                f"targets: expected batch axes that go together, got {shown}"
            ) from None
        placed = np.empty((*shape, rows.shape[-1]))
        if sum(value.shape[-1] for _, value in parts) < rows.shape[-1]:
            placed[...] = rows
        for place, value in parts:
            placed[..., place : place + value.shape[-1]] = value
        return placed
