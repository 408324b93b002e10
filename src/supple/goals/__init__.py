"""Goals: what a solve is asked for.

A goal is a small frozen description. `Reach`, `LookAt` and `Hold` count towards `Solution.reached`;
`Pole` and `Rest` are secondary: they choose among the poses that satisfy the others. Positions and
directions are in world coordinates, in the model's own unit; orientations are unit quaternions
wxyz. A target may have leading batch axes. A target that is `OPEN` is given later, call by call, to
a prepared problem. Goals compare and hash by content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.goals.block import Block
from supple.goals.goal import VECTORS, Goal
from supple.goals.hold import Hold
from supple.goals.look_at import LookAt
from supple.goals.pole import Pole
from supple.goals.reach import Reach
from supple.goals.rest import Rest
from supple.goals.target import OPEN, check_target, kept, read_target, split_pose

__all__ = [
    "GOALS",
    "OPEN",
    "Block",
    "Goal",
    "Hold",
    "LookAt",
    "Pole",
    "Reach",
    "Rest",
    "as_goals",
    "check_target",
    "from_key",
    "read_target",
    "split_pose",
]

GOALS: tuple[type[Goal], ...] = (Reach, LookAt, Pole, Hold, Rest)
"""Every kind of goal. One of your own is a file beside these and a place in this table."""


def from_key(key: tuple[Any, ...]) -> Goal:
    """The goal, with every target open, that has a key."""
    kind, *values = key
    goal = object.__new__(kind)
    for field, value in zip(fields(kind), values, strict=True):
        known = field.name in VECTORS and value is not None
        goal._set(field.name, kept(np.array(value)) if known else value)
    return goal


def as_goals(goals: Mapping[str, Any] | Sequence[Goal] | Goal) -> tuple[Goal, ...]:
    """A list of goals from a list, a single goal, or {effector: position}."""
    if isinstance(goals, Goal):
        return (goals,)
    if isinstance(goals, (dict, Mapping)):  # a dict is found without asking the abstract class
        return tuple(Reach(name, target) for name, target in goals.items())
    listed: tuple[Any, ...] = (goals,)
    if isinstance(goals, Iterable) and not isinstance(goals, (str, bytes)):
        listed = tuple(goals)
    for goal in listed:
        if not isinstance(goal, Goal):
            raise SuppleError(
                f"goals: expected {_names()}, or {{effector: position}}, got {goal!r}"
            )
    return listed


def _names() -> str:
    *first, last = (kind.__name__ for kind in GOALS)
    return f"{', '.join(first)} or {last}"
