"""The targets of a problem: the fixed ones, and where those go that are given call by call."""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Any

import numpy as np

from supple.errors import SuppleError, unmasked
from supple.goals import OPEN, check_target, split_pose
from supple.kernels import layout as at
from supple.kernels.frames import read_frame
from supple.problem.lowering import Problem

_NUMBERS = frozenset((float, int, np.float64))
_SCALARS = frozenset((*_NUMBERS, np.float32, np.float16, np.int64, np.int32, np.int16, np.uint8))
_LISTS = frozenset((list, tuple))
_FLOAT64 = np.dtype(np.float64)
_LARGE = 2.0**63  # from here on integers are no 64-bit numbers


def _small_array(slot: str, value: Any) -> np.ndarray:
    """Anything but an array as an array, if it is small and nothing in it is masked."""
    if len(value) > 4:
        raise ValueError
    if slot == "pose" and _LISTS.issuperset(map(type, value)):
        a, b, c, d = value
        numbers = [*a, *b, *c, *d]
        if len(a) == len(b) == len(c) == len(d) == 4 and _NUMBERS.issuperset(map(type, numbers)):
            return np.array(numbers).reshape(4, 4)  # quicker than from nested lists, and unmasked
    unmasked(slot, value)
    return np.asarray(value)


class PlainRow:
    """A row of targets that is filled number by number, which is quicker than as an array.

    Attributes:
        numbers: The numbers.
        array: The same memory as kernels take it, shape (1, T).
    """

    __slots__ = ("array", "numbers")

    def __init__(self, fixed: np.ndarray) -> None:
        """Make a row with the fixed targets in it."""
        self.numbers = array("d", fixed.tobytes())
        self.array = np.frombuffer(self.numbers, np.float64)[None]


class Targets:
    """Rows of targets as kernels take them, shape (..., T).

    Attributes:
        arguments: What a call gives, in order: (goal's number, slot), such as (0, "target").
        fixed: The targets of the goals that are not open, shape (..., T); NaN where open.
        give_back: Takes a row of `plain_rows` that is done with, for the next call to use.
    """

    __slots__ = ("_at", "_free", "_goals", "_places", "arguments", "fixed", "give_back")

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
        # For each argument: its slot, where in a row its numbers go, and where those of a
        # transform's orientation go.
        self._places = tuple(
            (
                slot,
                self._at[i, "target" if slot == "pose" else slot],
                self._at[i, "orientation"] if slot == "pose" else 0,
            )
            for i, slot in self.arguments
        )
        self._free: list[PlainRow] = []
        self.give_back = self._free.append

    def plain_rows(self, targets: tuple[Any, ...]) -> PlainRow | None:
        """A row with the arguments of a call put in, if they are single and plain.

        Plain are finite floats and 64-bit integers, of the right length, and rigid transforms. None for
        anything else: `filled` takes what is good of that. Who is done with the row gives it back.
        """
        if self.fixed.ndim != 1 or len(targets) != len(self._places):
            return None
        try:
            rows = self._free.pop()
        except IndexError:
            rows = PlainRow(self.fixed)
        try:
            if self._put(rows, targets):
                return rows
        except (TypeError, ValueError, RuntimeError, OverflowError):
            pass  # no array, masked, or not so many numbers: as `filled` says
        self._free.append(rows)
        return None

    def _put(self, rows: PlainRow, targets: tuple[Any, ...]) -> bool:
        """Put plain targets into a row; False if one is not."""
        row = rows.numbers
        for value, (slot, place, turn_place) in zip(targets, self._places, strict=True):
            kind = type(value)
            if kind in _LISTS and slot != "pose" and _SCALARS.issuperset(map(type, value)):
                if not _NUMBERS.issuperset(map(type, value)):
                    value = [float(x) for x in value]
            else:
                if kind is not np.ndarray:
                    value = _small_array(slot, value)
                dtype = value.dtype
                if dtype.kind not in "fiu" or dtype.itemsize > 8:
                    return False
                if slot == "pose":
                    if value.shape != (4, 4):
                        return False
                    if dtype is not _FLOAT64 or not value.flags.carray:
                        value = np.array(value, np.float64, order="C")  # kernels take no others
                    if not read_frame(value, rows.array, place, turn_place):
                        return False
                    continue
                if value.ndim != 1:
                    return False
                value = value.tolist()
            if slot == "target":
                x, y, z = value
                if not (-_LARGE < x < _LARGE and -_LARGE < y < _LARGE and -_LARGE < z < _LARGE):
                    return False
                row[place], row[place + 1], row[place + 2] = x, y, z
            elif slot == "orientation":
                w, x, y, z = value
                size = sqrt(w * w + x * x + y * y + z * z)
                if not abs(size - 1.0) <= 1e-3:
                    return False
                if abs(size - 1.0) > 2e-15:
                    w, x, y, z = w / size, x / size, y / size, z / size
                row[place], row[place + 1], row[place + 2], row[place + 3] = w, x, y, z
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
