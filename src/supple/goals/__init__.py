"""Goals: what a solve is to achieve.

A goal is a small frozen description. `Reach`, `LookAt`, `Hold` and custom goals (`own`) count towards
`Solution.reached`; `Pole` and `Rest` are secondary: they choose among the poses that satisfy the others.
Positions and directions are in world coordinates, in the model's own unit; orientations are unit quaternions
wxyz. A target may have leading batch axes. A target that is `OPEN` is given later, call by call, to
a prepared problem. Goals compare and hash by content.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from supple.goals.avoid import Avoid, Box, Plane
from supple.goals.balance import Balance
from supple.goals.goal import (
    OPEN,
    Block,
    Goal,
    Posture,
    check_target,
    from_key,
    read_goals,
    read_target,
    split_pose,
)
from supple.goals.hold import Hold
from supple.goals.look_at import LookAt
from supple.goals.loops import Connect, On, Weld
from supple.goals.pole import Pole
from supple.goals.reach import Reach
from supple.goals.rest import Rest
from supple.goals.smooth import Smooth
from supple.goals.span import Span

__all__ = [
    "GOALS",
    "OPEN",
    "Avoid",
    "Balance",
    "Block",
    "Box",
    "Connect",
    "Goal",
    "Hold",
    "LookAt",
    "On",
    "Plane",
    "Pole",
    "Posture",
    "Reach",
    "Rest",
    "Smooth",
    "Span",
    "Weld",
    "as_goals",
    "check_target",
    "from_key",
    "read_target",
    "split_pose",
]

GOALS: tuple[type[Goal], ...] = (
    Reach, LookAt, Pole, Hold, Rest, Connect, Weld, Avoid, Balance, Span, Smooth,
)  # fmt: skip
"""Every kind of goal. {effector: position} makes goals of the first.

A new kind is a file beside these and an entry in this table; `Goal` lists its methods. Custom goals are functions,
see `own`."""

as_goals = partial(read_goals, GOALS)
"""A list of goals from a list, a single goal, or {effector: position}."""


def __getattr__(name: str) -> Any:
    if name == "own":  # not needed to solve: imported on first access
        return import_module("supple.goals.own")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
