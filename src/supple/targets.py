"""The targets of a problem: the fixed ones, and where those go that are given call by call."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.goals import OPEN, read_target, split_pose
from supple.kernels import layout as at
from supple.kernels.frames import read_frame
from supple.problem import Problem

_NUMBERS = frozenset((float, int, np.float64))
_FLOAT64 = np.dtype(np.float64)


def _is_unit(turn: np.ndarray) -> bool:
    """Whether a quaternion is unit to the last digits, so that nobody would change it."""
    w, x, y, z = turn.tolist()
    return abs(w * w + x * x + y * y + z * z - 1.0) < 1e-15


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

    def put(self, targets: tuple[Any, ...], row: np.ndarray) -> bool:
        """Put the arguments of a single call into a row, shape (T,), without general checks.

        Returns:
            Whether that was possible. If not, `filled` is to be asked, which says what is wrong or
            takes what is merely unusual. That the numbers are finite is not looked at.
        """
        places = self.places
        if len(targets) != len(places) or self.fixed.ndim != 1:
            return False
        for (size, first, turn), target in zip(places, targets):  # noqa: B905 (as many; quick)
            kind = type(target)
            if kind is np.ndarray:
                if target.dtype is not _FLOAT64:
                    return False
                if size == 16:
                    flags = target.flags
                    if target.shape != (4, 4):
                        return False
                    if not (flags.c_contiguous and flags.writeable):
                        target = np.array(target, order="C")  # what the kernel was compiled for
                    if not read_frame(target, row, first, turn):
                        return False
                    continue
                if target.shape != (size,) or (size == 4 and not _is_unit(target)):
                    return False
                row[first : first + size] = target
            elif size == 3 and (kind is tuple or kind is list) and len(target) == 3:
                x, y, z = target
                if not (type(x) in _NUMBERS and type(y) in _NUMBERS and type(z) in _NUMBERS):
                    return False
                row[first] = x
                row[first + 1] = y
                row[first + 2] = z
            else:
                return False
        return True

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
            given.append((i, slot, read_target(slot, name, value)))
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
        rows = np.array(np.broadcast_to(rows, (*shape, rows.shape[-1])), order="C")
        for place, value in parts:
            rows[..., place : place + value.shape[-1]] = value
        return rows
