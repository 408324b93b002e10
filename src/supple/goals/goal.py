"""What all goals share."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from supple.errors import SuppleError, positive, whole
from supple.goals.block import Block
from supple.goals.target import OPEN
from supple.model.skeleton import Skeleton

VECTORS = ("point", "axis")  # fields that hold an array and no target


class Goal:
    """What all goals share: comparing by content, and the targets that change from call to call.

    Attributes:
        counts: True if the goal counts towards `Solution.reached`; a secondary goal only chooses among
            the poses that meet the others.
        frees: True if the joints up to its `root` or `depth` may move for it.
    """

    counts: ClassVar[bool] = True
    frees: ClassVar[bool] = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """What a solver must be able to serve, of `supple.solvers.GOAL_KINDS`."""
        return ()

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """The residual blocks of the goal, which is that number in the list of goals."""
        del skeleton, number
        return []

    @property
    def effector_name(self) -> str:
        """The joint or tip that the goal is about; "" if it is about the whole pose."""
        return getattr(self, "effector", "") or getattr(self, "joint", "")

    @property
    def slots(self) -> tuple[str, ...]:
        """The fields that hold a target, in the order of a prepared problem's arguments."""
        return ()

    @property
    def targets(self) -> tuple[Any, ...]:
        """What the slots hold: arrays, or OPEN."""
        return tuple([getattr(self, slot) for slot in self.slots])

    @property
    def key(self) -> tuple[Any, ...]:
        """The goal without its targets as plain values, equal for goals that one problem serves.

        Its type and its fields, with OPEN for every target; `from_key` reads it.
        """
        values = self.__dict__.copy()
        for slot in self.slots:
            values[slot] = OPEN
        for name in VECTORS:
            if values.get(name) is not None:
                values[name] = tuple(values[name].tolist())
        return (type(self), *values.values())

    def opened(self) -> Self:
        """The same goal with every target left open."""
        if not self.slots:
            return self
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, **dict.fromkeys(self.slots, OPEN))
        return twin

    def _content(self) -> tuple[Any, ...]:
        return tuple(map(_hashable, self.__dict__.values()))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._content() == other._content()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self._content()))

    def __repr__(self) -> str:
        """As it would be written, without what is left at its default."""
        shown = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name in ("effector", "joint"):
                shown.append(repr(value))
            elif isinstance(value, np.ndarray):
                numbers = value.tolist() if value.size <= 16 else f"<shape {value.shape}>"
                shown.append(f"{field.name}={numbers}")
            elif value != field.default and value is not None:
                shown.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_weight(self) -> None:
        weight = getattr(self, "weight", None)
        if type(weight) is float and 0.0 < weight < float("inf"):
            return
        what = f"{type(self).__name__} {self.effector_name!r}".removesuffix(" ''")
        self._set("weight", positive(f"weight of {what}", weight))


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, (value + 0.0).tobytes()  # -0.0 equals 0.0
    return value


def check_depth(effector: str, depth: int, root: str | None) -> int:
    """The depth of a goal, checked: a whole number, and not together with a root."""
    if type(depth) is int and depth == 0:
        return depth
    what = repr(effector)
    depth = whole(f"depth of {what}", depth, remark="(0: all the way to the root)")
    if depth and root is not None:
        raise SuppleError(f"{what}: give root or depth, not both (root={root!r}, depth={depth})")
    return depth
