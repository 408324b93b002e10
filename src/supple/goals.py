"""Goals: what a solve is asked for.

A goal is a small frozen description. `Reach`, `LookAt` and `Hold` count towards `Solution.reached`;
`Pole` and `Rest` are secondary: they choose among the poses that satisfy the others. Positions and
directions are in world coordinates, in the model's own unit; orientations are unit quaternions
wxyz. A target may have leading batch axes. A target that is `OPEN` is given later, call by call, to
a prepared problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from supple import rotations
from supple.errors import SuppleError, array

if TYPE_CHECKING:
    from supple.pose import Pose


class _Open(Enum):
    OPEN = "OPEN"

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open.OPEN
"""Marks a target that is given later, to a prepared problem."""


def _weight(what: str, value: float) -> None:
    if not (isinstance(value, (int, float)) and np.isfinite(value) and value > 0):
        raise SuppleError(f"weight of {what}: expected a positive number, got {value!r}")


def _depth(what: str, depth: int, root: str | None) -> None:
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
        raise SuppleError(
            f"depth of {what}: expected a whole number, 0 for all the way to the root, got {depth!r}"
        )
    if depth and root is not None:
        raise SuppleError(f"{what}: give root or depth, not both (root={root!r}, depth={depth})")


def _quaternion(what: str, value: Any) -> np.ndarray:
    q = array(f"orientation of {what} (wxyz)", value, (..., 4))
    norms = np.linalg.norm(q, axis=-1, keepdims=True)
    if np.any(np.abs(norms - 1.0) > 1e-3):
        raise SuppleError(
            f"orientation of {what}: expected a unit quaternion wxyz, got one of length {norms.flat[0]:.6g}"
        )
    return q / norms


@dataclass(frozen=True, eq=False)
class Reach:
    """Put an effector somewhere, turn it somehow, or both.

    Args:
        effector: Name of a joint or tip.
        target: World position, shape (..., 3). Without a target and without orientation or pose the
            position is open.
        orientation: World orientation wxyz, shape (..., 4), or OPEN. Alone it asks for the
            orientation only.
        pose: Both at once as a world transform, shape (..., 4, 4), or OPEN.
        point: The point on the effector that must touch the target, in the effector's frame, shape
            (3,).
        root: The topmost joint that may move. Without root and depth, all joints up to the
            skeleton's root may.
        depth: How many joints that can move the effector may, counted from the effector; 0 = to the
            skeleton's root.
        weight: How much the goal counts against others that cannot all be met.
    """

    effector: str
    target: Any = None
    orientation: Any = None
    pose: Any = None
    point: Any = None
    root: str | None = None
    depth: int = 0
    weight: float = 1.0

    def __post_init__(self) -> None:
        what = repr(self.effector)
        _depth(what, self.depth, self.root)
        _weight(what, self.weight)
        if self.pose is not None and (self.target is not None or self.orientation is not None):
            raise SuppleError(f"Reach {what}: give pose, or target and orientation, not both")
        if self.pose is not None and self.pose is not OPEN:
            frame = array(f"pose of {what}", self.pose, (..., 4, 4))
            turn = frame[..., :3, :3]
            if not np.allclose(turn @ np.swapaxes(turn, -1, -2), np.eye(3), atol=1e-4) or np.any(
                np.linalg.det(turn) < 0
            ):
                raise SuppleError(
                    f"pose of {what}: expected a 4x4 rigid transform; its upper left 3x3 is no rotation"
                )
            object.__setattr__(self, "pose", frame)
        if self.target is not None and self.target is not OPEN:
            object.__setattr__(self, "target", array(f"target of {what}", self.target, (..., 3)))
        if self.orientation is not None and self.orientation is not OPEN:
            object.__setattr__(self, "orientation", _quaternion(what, self.orientation))
        if self.target is None and self.orientation is None and self.pose is None:
            object.__setattr__(self, "target", OPEN)
        if self.point is not None:
            object.__setattr__(self, "point", array(f"point of {what}", self.point, (3,)))

    @property
    def position_target(self) -> Any:
        """The position asked for: an array (..., 3), OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.target
        return self.pose[..., :3, 3]

    @property
    def orientation_target(self) -> Any:
        """The orientation asked for: an array (..., 4) wxyz, OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.orientation
        return rotations.from_matrix(self.pose[..., :3, :3])


@dataclass(frozen=True, eq=False)
class LookAt:
    """Turn an effector so that one of its axes points at a target.

    Args:
        effector: Name of a joint or tip.
        target: World position to look at, shape (..., 3), or OPEN.
        axis: The looking direction in the effector's frame: "x", "-z", ... or a vector.
        root: The topmost joint that may move.
        depth: How many joints may move, counted from the effector; 0 = to the skeleton's root.
        weight: How much the goal counts.
    """

    effector: str
    target: Any = OPEN
    axis: Any = "x"
    root: str | None = None
    depth: int | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        what = repr(self.effector)
        depth = self.depth
        if depth is None:
            depth = 0 if self.root is not None else 1
            object.__setattr__(self, "depth", depth)
        _depth(what, depth, self.root)
        _weight(what, self.weight)
        if self.target is not OPEN:
            object.__setattr__(self, "target", array(f"target of {what}", self.target, (..., 3)))
        object.__setattr__(self, "axis", rotations.axis_vector(self.axis, what=f"axis of {what}"))


@dataclass(frozen=True, eq=False)
class Pole:
    """Bend towards a point.

    The middle joint of a limb lies on the pole's side of the line from its root to its tip.

    Args:
        joint: The middle joint, such as the elbow.
        target: World position of the pole, shape (..., 3), or OPEN.
        weight: How much the goal counts against other secondary goals.
    """

    joint: str
    target: Any = OPEN
    weight: float = 1.0

    def __post_init__(self) -> None:
        _weight(repr(self.joint), self.weight)
        if self.target is not OPEN:
            object.__setattr__(
                self, "target", array(f"pole of {self.joint!r}", self.target, (..., 3))
            )


@dataclass(frozen=True, eq=False)
class Hold:
    """Keep an effector where it is in this call's start pose. Frees no joint by itself.

    Args:
        effector: Name of a joint or tip.
        position: Whether its position is held.
        orientation: Whether its orientation is held.
        weight: How much the goal counts.
    """

    effector: str
    position: bool = True
    orientation: bool = True
    weight: float = 1.0

    def __post_init__(self) -> None:
        _weight(repr(self.effector), self.weight)
        if not (self.position or self.orientation):
            raise SuppleError(f"Hold {self.effector!r}: position and orientation are both off")


@dataclass(frozen=True, eq=False)
class Rest:
    """Stay as near as possible to a posture while the other goals are met.

    Args:
        pose: The posture; the skeleton's rest if not given.
        weight: How much the goal counts against other secondary goals.
    """

    pose: Pose | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        _weight("Rest", self.weight)


Goal = Reach | LookAt | Pole | Hold | Rest


def as_goals(goals: Mapping[str, Any] | Sequence[Goal] | Goal) -> tuple[Goal, ...]:
    """A list of goals from a list, a single goal, or {effector: position}."""
    if isinstance(goals, Goal):
        return (goals,)
    if isinstance(goals, Mapping):
        return tuple(Reach(name, target) for name, target in goals.items())
    listed = tuple(goals) if isinstance(goals, Iterable) else (goals,)
    for goal in listed:
        if not isinstance(goal, Goal):
            raise SuppleError(
                "goals: expected Reach, LookAt, Pole, Hold or Rest, or {effector: position}, "
                f"got {goal!r}"
            )
    return listed
