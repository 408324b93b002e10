"""Goals: what a solve is asked for.

A goal is a small frozen description. `Reach`, `LookAt` and `Hold` count towards `Solution.reached`;
`Pole` and `Rest` are secondary: they choose among the poses that satisfy the others. Positions and
directions are in world coordinates, in the model's own unit; orientations are unit quaternions
wxyz. A target may have leading batch axes. A target that is `OPEN` is given later, call by call, to
a prepared problem. Goals compare and hash by content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from enum import Enum
from typing import Any, Final, Self

import numpy as np

from supple import rotations
from supple.errors import SuppleError, array, positive, whole
from supple.kernels.frames import split_frames
from supple.pose import Pose


class _Open(Enum):
    OPEN = "OPEN"

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open.OPEN
"""Marks a target that is given later, to a prepared problem."""


class _Described:
    """What all goals share: comparing by content, and the targets that change from call to call."""

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
        return tuple(getattr(self, slot) for slot in self.slots)

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
        what = f"{type(self).__name__} {self.effector_name!r}".removesuffix(" ''")
        self._set("weight", positive(f"weight of {what}", getattr(self, "weight", None)))


@dataclass(frozen=True, eq=False, repr=False)
class Reach(_Described):
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
    _: KW_ONLY
    orientation: Any = None
    pose: Any = None
    point: Any = None
    root: str | None = None
    depth: int = 0
    weight: float = 1.0

    def __post_init__(self) -> None:
        what = repr(self.effector)
        self._set("depth", _depth(what, self.depth, self.root))
        self._check_weight()
        if self.pose is not None and (self.target is not None or self.orientation is not None):
            raise SuppleError(f"Reach {what}: give pose, or target and orientation, not both")
        if self.target is None and self.orientation is None and self.pose is None:
            self._set("target", OPEN)
        for slot in self.slots:
            self._set(slot, read_target(slot, self.effector, getattr(self, slot)))
        if self.point is not None:
            self._set("point", _kept(array(f"point of {what}", self.point, (3,))))

    @property
    def slots(self) -> tuple[str, ...]:
        """The fields that hold a target: pose, or target and orientation as far as asked for."""
        given = ("pose", "target", "orientation")
        return tuple(slot for slot in given if getattr(self, slot) is not None)

    @property
    def position_target(self) -> Any:
        """The position asked for: an array (..., 3), OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.target
        return split_pose(self.pose)[0]

    @property
    def orientation_target(self) -> Any:
        """The orientation asked for: an array (..., 4) wxyz, OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.orientation
        return split_pose(self.pose)[1]


@dataclass(frozen=True, eq=False, repr=False)
class LookAt(_Described):
    """Turn an effector so that one of its axes points at a target.

    Args:
        effector: Name of a joint or tip.
        target: World position to look at, shape (..., 3), or OPEN.
        axis: The looking direction in the effector's frame: "x", "-z", ... or a vector.
        root: The topmost joint that may move.
        depth: How many joints may move, counted from the effector; 0 = to the skeleton's root. By
            default 1, or up to the root if that is given.
        weight: How much the goal counts.
    """

    effector: str
    target: Any = OPEN
    _: KW_ONLY
    axis: Any = "x"
    root: str | None = None
    depth: int | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        what = repr(self.effector)
        depth = self.depth
        if depth is None:
            depth = 0 if self.root is not None else 1
        self._set("depth", _depth(what, depth, self.root))
        self._check_weight()
        self._set("target", read_target("target", self.effector, self.target))
        axis = rotations.axis_vector(self.axis, what=f"axis of {what}")
        self._set("axis", _kept(array(f"axis of {what}", axis, (3,))))

    @property
    def slots(self) -> tuple[str, ...]:
        """The field that holds a target."""
        return ("target",)


@dataclass(frozen=True, eq=False, repr=False)
class Pole(_Described):
    """Bend towards a point.

    The middle joint of a limb lies on the pole's side of the line from its root to its tip.

    Args:
        joint: The middle joint, such as the elbow.
        target: World position of the pole, shape (..., 3), or OPEN.
        weight: How much the goal counts against other secondary goals.
    """

    joint: str
    target: Any = OPEN
    _: KW_ONLY
    weight: float = 1.0

    def __post_init__(self) -> None:
        self._check_weight()
        self._set("target", read_target("target", self.joint, self.target))

    @property
    def slots(self) -> tuple[str, ...]:
        """The field that holds a target."""
        return ("target",)


@dataclass(frozen=True, eq=False, repr=False)
class Hold(_Described):
    """Keep an effector where it is in this call's start pose. Frees no joint by itself.

    Args:
        effector: Name of a joint or tip.
        position: Whether its position is held.
        orientation: Whether its orientation is held.
        weight: How much the goal counts.
    """

    effector: str
    position: bool = True
    _: KW_ONLY
    orientation: bool = True
    weight: float = 1.0

    def __post_init__(self) -> None:
        self._check_weight()
        for name in ("position", "orientation"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)):
                raise SuppleError(
                    f"Hold {self.effector!r}: {name}: expected True or False, whether it is held "
                    f"where the start has it, got {value!r}"
                )
        if not (self.position or self.orientation):
            raise SuppleError(f"Hold {self.effector!r}: position and orientation are both off")


@dataclass(frozen=True, eq=False, repr=False)
class Rest(_Described):
    """Stay as near as possible to a posture while the other goals are met.

    Args:
        pose: The posture; the skeleton's rest if not given.
        weight: How much the goal counts against other secondary goals.
    """

    pose: Pose | None = None
    _: KW_ONLY
    weight: float = 1.0

    def __post_init__(self) -> None:
        self._check_weight()
        if self.pose is not None and not isinstance(self.pose, Pose):
            raise SuppleError(f"Rest: expected a supple.Pose, got {type(self.pose).__name__}")
        if self.pose is not None and self.pose.batch_shape:
            raise SuppleError(
                f"Rest: expected a single pose, got a batch of shape {self.pose.batch_shape}"
            )


Goal = Reach | LookAt | Pole | Hold | Rest


def as_goals(goals: Mapping[str, Any] | Sequence[Goal] | Goal) -> tuple[Goal, ...]:
    """A list of goals from a list, a single goal, or {effector: position}."""
    if isinstance(goals, Goal):
        return (goals,)
    if isinstance(goals, Mapping):
        return tuple(Reach(name, target) for name, target in goals.items())
    listed: tuple[Any, ...] = (goals,)
    if isinstance(goals, Iterable) and not isinstance(goals, (str, bytes)):
        listed = tuple(goals)
    for goal in listed:
        if not isinstance(goal, Goal):
            raise SuppleError(
                "goals: expected Reach, LookAt, Pole, Hold or Rest, or {effector: position}, "
                f"got {goal!r}"
            )
    return listed


# Reading targets --------------------------------------------------------------------------------


def read_target(slot: str, effector: str, value: Any) -> Any:
    """A target as a read-only array of its own, checked; OPEN stays OPEN.

    Args:
        slot: "target" for a world position (..., 3), "orientation" for wxyz (..., 4), "pose" for a
            world transform (..., 4, 4).
        effector: Whose target it is.
        value: What was given.
    """
    return OPEN if value is OPEN else _kept(check_target(slot, effector, value))


def check_target(slot: str, effector: str, value: Any) -> np.ndarray:
    """A target as an array, checked, which may share memory with the value; as in `read_target`."""
    what = f"{slot} of {effector!r}"
    if slot == "pose":
        return _rigid(what, array(what, value, (..., 4, 4)))
    if slot == "orientation":
        return _unit(what, array(f"{what} (wxyz)", value, (..., 4)))
    return array(what, value, (..., 3))


def split_pose(frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position (..., 3) and orientation wxyz (..., 4) of a world transform (..., 4, 4)."""
    rows = np.empty((*frame.shape[:-2], 7))
    split_frames(np.array(frame, order="C").reshape(-1, 4, 4), rows.reshape(-1, 7))
    return rows[..., :3], rows[..., 3:]


def _unit(what: str, q: np.ndarray) -> np.ndarray:
    """Quaternions scaled to length one, if they nearly are; exact ones keep their bits."""
    sizes = np.linalg.norm(q, axis=-1, keepdims=True)
    bad = np.abs(sizes - 1.0) > 1e-3
    if np.any(bad):
        raise SuppleError(
            f"{what}: expected a unit quaternion wxyz, got one of length {sizes[bad][0]:.6g}"
        )
    return np.where(np.abs(sizes - 1.0) <= 2e-15, q, q / sizes)


def _rigid(what: str, frame: np.ndarray) -> np.ndarray:
    turn = frame[..., :3, :3]
    square = turn @ np.swapaxes(turn, -1, -2)
    if not np.allclose(square, np.eye(3), rtol=0.0, atol=1e-4) or np.any(np.linalg.det(turn) < 0):
        raise SuppleError(
            f"{what}: expected a 4x4 rigid transform; its upper left 3x3 is no rotation"
        )
    if not np.allclose(frame[..., 3, :], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=1e-9):
        raise SuppleError(f"{what}: expected a 4x4 rigid transform with the last row 0, 0, 0, 1")
    return frame


def _kept(value: np.ndarray) -> np.ndarray:
    """A copy that nobody can write to."""
    value = np.array(value)
    value.flags.writeable = False
    return value


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, (value + 0.0).tobytes()  # -0.0 equals 0.0
    return value


def _depth(what: str, depth: int, root: str | None) -> int:
    depth = whole(f"depth of {what}", depth, remark="(0: all the way to the root)")
    if depth and root is not None:
        raise SuppleError(f"{what}: give root or depth, not both (root={root!r}, depth={depth})")
    return depth
