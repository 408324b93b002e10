"""The base of all goals: targets, the residual blocks they are lowered to, comparison by content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array, brief, listed, positive, whole
from supple.kernels import layout as at
from supple.kernels.quaternion import read_frame, split_frames
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import IDENTITY_WXYZ

if TYPE_CHECKING:
    from supple.bodies.constraints import Bodies
    from supple.goals.mark import Mark
    from supple.model.effector import EffectorFrames

Floats = NDArray[np.float64]

# Targets ------------------------------------------------------------------------------------------


class _Open(Enum):
    OPEN = "OPEN"

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open.OPEN
"""Marks a target that is given later, to a prepared problem."""


def read_target(slot: str, effector: str, value: Any) -> Any:
    """A target, checked, as a read-only copy; OPEN stays OPEN.

    Args:
        slot: "target" for a world position (..., 3), "orientation" for wxyz (..., 4), "pose" for a
            world transform (..., 4, 4).
        effector: Name of the effector.
        value: The target.
    """
    return OPEN if value is OPEN else kept(check_target(slot, effector, value))


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
    if q.ndim == 1 and abs(math.hypot(*q.tolist()) - 1.0) <= 1e-15:
        return q
    sizes = np.linalg.norm(q, axis=-1, keepdims=True)
    bad = np.abs(sizes - 1.0) > 1e-3
    if np.any(bad):
        raise SuppleError(
            f"{what}: expected a unit quaternion wxyz, got one of length {sizes[bad][0]:.6g}"
        )
    return np.where(np.abs(sizes - 1.0) <= 2e-15, q, q / sizes)


def _rigid(what: str, frame: np.ndarray) -> np.ndarray:
    if frame.ndim == 2 and read_frame(frame, np.empty((1, 7)), 0, 3):
        return frame
    rotation = frame[..., :3, :3]
    square = rotation @ np.swapaxes(rotation, -1, -2)
    if not np.allclose(square, np.eye(3), rtol=0.0, atol=1e-4) or np.any(
        np.linalg.det(rotation) < 0
    ):
        raise SuppleError(
            f"{what}: expected a 4x4 rigid transform; its upper left 3x3 is no rotation"
        )
    if not np.allclose(frame[..., 3, :], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=1e-9):
        raise SuppleError(f"{what}: expected a 4x4 rigid transform with the last row 0, 0, 0, 1")
    return frame


def kept(value: np.ndarray) -> np.ndarray:
    """A read-only copy."""
    value = np.array(value)
    value.setflags(write=False)
    return value


# Residual blocks ----------------------------------------------------------------------------------


Vector = Sequence[float] | np.ndarray
WORDS = {
    at.POSITION: "position",
    at.ORIENTATION: "orientation",
    at.LOOKAT: "direction",
    at.WATCH: "direction",
    at.POLE: "pole",
    at.MEET: "meeting",
    at.ALIGN: "alignment",
    at.SPAN: "span",
}
"""The word for each kind of block."""


@dataclass(slots=True)
class Block:
    """One residual block of three rows on one effector (a pole: no rows, it is secondary).

    Attributes:
        kind: at.POSITION, at.ORIENTATION, at.LOOKAT, at.POLE, at.MEET, at.ALIGN, at.WATCH, at.CARRIER, at.SPAN, or a
            kind from at.OWN on.
        goal: Index of its goal in the list of goals.
        joint: The joint that carries the effector.
        weight: The factor by which kernels multiply the residual.
        fixed: The part of the effector's position in the joint's frame that does not stretch.
        stretching: The part that the joint's stretch multiplies.
        rotation: The effector's frame in the joint's frame, wxyz.
        axis: Look direction in the effector's frame.
        target: An array (..., 3 or 4), OPEN, or None to hold the start; for custom goals the values.
        offset: Index of its first float in a row of targets.
        tolerance: Length or radians.
        length: Length of its chain, from the topmost joint that moves.
        extra: Pole: the moving joint at the chain's root and the position block that it serves.
        carrier: Meet, align, watch, or a pole on another bone: the block whose effector is the target; for a span
            the block where it begins.
        hard: True if it closes a loop, which comes before all goals.
        frames: For a custom goal: the blocks of its frames.
        serves: The first block of the custom goal whose frame it is.
        part: Index among the blocks, or frames, of its goal.
        title: Distinguishes custom goals when blocks are sorted.
        size: Number of values of a custom goal.
        asks: Its word in `BlockInfo.kind`; by default that of its kind, see `word`.
    """

    kind: int
    goal: int
    joint: int
    weight: float
    fixed: Vector = (0.0, 0.0, 0.0)
    stretching: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = IDENTITY_WXYZ
    axis: Vector = (1.0, 0.0, 0.0)
    target: Any = None
    offset: int = 0
    tolerance: float = 0.0
    length: float = 0.0
    extra: tuple[int, int] = (-1, -1)
    carrier: Block | None = None
    hard: bool = False
    frames: tuple[Block, ...] = ()
    serves: Block | None = None
    part: int = 0
    title: tuple[str, ...] = ()
    size: int = 0
    asks: str = ""

    @property
    def word(self) -> str:
        """The word for what it asks for, as in `BlockInfo.kind`."""
        if self.asks or self.kind >= at.OWN:
            return self.asks or "own"
        return "position" if self.kind == at.MEET and not self.hard else WORDS[self.kind]

    @property
    def slot(self) -> str:
        """The slot of its goal from which it takes its target; a pose is split into "target" and "orientation"."""
        if self.kind >= at.OWN:
            return "values"
        return "orientation" if self.kind == at.ORIENTATION else "target"

    @property
    def point(self) -> np.ndarray:
        """The effector's position in the joint's frame, unstretched, shape (3,)."""
        return np.add(self.fixed, self.stretching)

    @property
    def held(self) -> bool:
        """True if the target is taken from the effector in the start."""
        return self.target is None and self.kind < at.MEET

    @property
    def target_floats(self) -> int:
        """Number of floats of its target in a row of targets."""
        if self.kind >= at.OWN:
            return self.size
        if self.kind == at.SPAN:
            return 3
        if self.held or self.carrier is not None or self.kind == at.CARRIER:
            return 0
        return 4 if self.kind == at.ORIENTATION else 3

    @property
    def counts(self) -> bool:
        """True if it has residual rows."""
        return self.kind not in (at.POLE, at.CARRIER)

    @property
    def is_length(self) -> bool:
        """True if its error is a length."""
        return self.kind in (at.POSITION, at.MEET, at.SPAN, at.OWN_LENGTH)

    @property
    def ends(self) -> list[int]:
        """The joints that carry its effector, its target if that moves, and its frames."""
        carriers = self.frames if self.carrier is None else (self.carrier,)
        return [self.joint, *(one.joint for one in carriers)]

    def sort_key(self) -> tuple[Any, ...]:
        """The key by which blocks are sorted, so that the order of the goals does not matter."""
        if self.serves is not None:
            return (3, *self.serves.sort_key(), self.part)  # frames come last, goal by goal
        parts = (self.fixed, self.stretching, self.rotation, self.axis)
        last = (at.POLE, at.CARRIER).index(self.kind) + 1 if not self.counts else 0
        what = (last, self.joint, self.kind, self.held)
        geometry = (tuple(map(float, part)) for part in parts)
        return (*what, *geometry, self.weight, self.title, self.goal, self.part)


# Goals --------------------------------------------------------------------------------------------


VECTORS = ("point", "axis")  # fields that hold an array and no target


class Posture(NamedTuple):
    """A posture that a solve stays near while it meets its goals.

    Attributes:
        coordinates: Shape (Q,).
        weight: Weight against other secondary goals.
    """

    coordinates: Floats
    weight: float


class Goal:
    """The base of all goals, with the methods by which the rest of the package reads a goal.

    Nothing outside `supple.goals` checks the class of a goal: which joints it frees, how its target fades in a window,
    and what pictures and reports show of it are the methods here, with defaults.

    Attributes:
        counts: True if the goal counts towards `Solution.reached`; a secondary goal only chooses among
            the poses that meet the others.
        frees: True if the joints from its effectors up to its `root` or `depth` may move for it.
        closes_loop: True if it holds its two effectors together, before all other goals. If it `frees` joints, these
            are the joints of both branches up to where they meet.
        holds_start: True if its targets are taken from its effector in this call's start. Below a joint that other
            goals free, the joints down to its effector may move for it.
        needs_clip: True if it only applies to the frames of a clip.
        told: The fields that reports on a solve show; see `data`. If empty, its effector and targets.
        root: The topmost joint that it frees, if it frees any; None for all up to the skeleton's root.
        depth: Number of joints that it frees, of those that can move an effector, counted from there; 0 for all.
        constrains: True if it has constraints on bodies, see `constrain`.
    """

    counts: ClassVar[bool] = True
    frees: ClassVar[bool] = False
    constrains: ClassVar[bool] = False
    closes_loop: ClassVar[bool] = False
    holds_start: ClassVar[bool] = False
    needs_clip: ClassVar[bool] = False
    told: ClassVar[tuple[str, ...]] = ()
    root: str | None = None
    depth: Any = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """What a solver must support, of `supple.solvers.GOAL_KINDS`."""
        return ()

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """The residual blocks of the goal; `number` is its index in the list of goals."""
        del skeleton, number
        return []

    def constrain(self, bodies: Bodies, skeleton: Skeleton, moving: np.ndarray) -> None:
        """Add the goal's constraints to `bodies`; `moving` are the joints that may move."""
        del bodies, skeleton, moving

    def posture(self, skeleton: Skeleton) -> Posture | None:
        """The posture that the goal stays near; None if it has none.

        Raises:
            SuppleError: The posture is one of another skeleton.
        """
        del skeleton
        return None

    def difference_weights(self, skeleton: Skeleton, joints: np.ndarray, fps: float) -> Floats:
        """Weights of differences of order 0, 1 and 2 between the frames of a clip: zeros unless it `needs_clip`.

        Args:
            skeleton: The skeleton.
            joints: The joint of every freedom, its index, shape (D,).
            fps: Frames a second.

        Returns:
            Shape (D, 3).
        """
        del skeleton, fps
        return np.zeros((len(joints), 3))

    # For the free set

    @property
    def places(self) -> tuple[str, ...]:
        """The effectors for whose positions the goal has targets."""
        return ()

    @property
    def point_alone(self) -> Floats | None:
        """The point of the effector, in its frame, shape (3,), if the goal is about the position of this point alone.

        A joint is then not freed if the point always stays at its origin or on its axis.
        """
        return None

    # For animation, pictures and reports

    def faded(self, slot: str, value: Floats, share: Floats, animated: EffectorFrames) -> Floats:
        """The target of a slot faded in from an animation, for a goal that counts less than fully.

        By default the target itself.

        Args:
            slot: One of `slots`.
            value: Its target, for each of F frames, or one for all.
            share: From 0 (the effector as the animation has it) to 1 (the target), shape (F,).
            animated: The goal's effectors in the animation, F frames.
        """
        del slot, share, animated
        return value

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The marks that pictures draw of the goal, in world coordinates; none by default.

        Args:
            start: The single pose that the solve started from.
            pose: The single pose that is drawn.
        """
        del start, pose
        return []

    def data(self) -> dict[str, Any]:
        """The goal in a report, as plain data: its kind, and the fields `told` that are given."""
        told = self.told
        if not told:
            named = [name for name in ("effector", "joint") if hasattr(self, name)]
            told = (*named, *self.slots)
        data: dict[str, Any] = {"kind": type(self).__name__}
        for name in told:
            value = getattr(self, name)
            if value is not None:  # a target on another bone has its own `told`
                data[name] = value.told() if hasattr(value, "told") else value
        return data

    @property
    def reason(self) -> str:
        """The words of `Solution.reason` if it is missed, with {error}; "" for the default of its kind of block."""
        return ""

    @property
    def called(self) -> str:
        """Its name in messages."""
        return type(self).__name__

    @property
    def effector_name(self) -> str:
        """The joint or tip that the goal is about; "" if it is about the whole pose."""
        return getattr(self, "effector", "") or getattr(self, "joint", "")

    @property
    def effectors(self) -> tuple[str, ...]:
        """The joints and tips that the goal is about."""
        return (self.effector_name,) if self.effector_name else ()

    @property
    def slots(self) -> tuple[str, ...]:
        """The fields that hold a target, in the order of a prepared problem's arguments."""
        return ()

    @property
    def targets(self) -> tuple[Any, ...]:
        """The values of the slots: arrays, or OPEN."""
        return tuple([getattr(self, slot) for slot in self.slots])

    def check_slot(self, slot: str, value: Any) -> np.ndarray:
        """A target for a slot as an array, checked, which may share memory with the value.

        Raises:
            SuppleError: The slot does not accept it.
        """
        return check_target(slot, self.effector_name, value)

    @property
    def key(self) -> tuple[Any, ...]:
        """The goal without its targets as plain values, equal for goals that share a prepared problem.

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
        """As source code, without fields at their default."""
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
        what = f"{self.called} {self.effector_name!r}".removesuffix(" ''")
        self._set("weight", positive(f"weight of {what}", weight))


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, (value + 0.0).tobytes()  # -0.0 equals 0.0
    return value


def towards(a: Floats, b: Floats, share: Floats) -> Floats:
    """Points interpolated from a to b, shape (F, 3), with shares (F,)."""
    return a + share[:, None] * (b - a)


def check_depth(effector: str, depth: int, root: str | None) -> int:
    """The depth of a goal, checked: a whole number, and not together with a root."""
    if type(depth) is int and depth == 0:
        return depth
    what = repr(effector)
    depth = whole(f"depth of {what}", depth, remark="(0: all the way to the root)")
    if depth and root is not None:
        raise SuppleError(f"{what}: give root or depth, not both (root={root!r}, depth={depth})")
    return depth


def from_key(key: tuple[Any, ...]) -> Goal:
    """The goal of a key, with every target open."""
    kind, *values = key
    goal = object.__new__(kind)
    for field, value in zip(fields(kind), values, strict=True):
        known = field.name in VECTORS and value is not None
        goal._set(field.name, kept(np.array(value)) if known else value)
    return goal


def read_goals(
    kinds: tuple[Any, ...], goals: Mapping[str, Any] | Sequence[Goal] | Goal
) -> tuple[Goal, ...]:
    """A list of goals from a list, a single goal, or {effector: position}, each the first of the kinds."""
    if isinstance(goals, Goal):
        return (goals,)
    # The check for dict first avoids the slower check for the abstract class.
    if isinstance(goals, (dict, Mapping)):
        return tuple(kinds[0](name, target) for name, target in goals.items())
    *first, last = (kind.__name__ for kind in kinds)
    expected = f"{', '.join(first)} or {last}, or {{effector: position}}"
    given = tuple(listed("goals", goals, expected))
    for goal in given:
        if not isinstance(goal, Goal):
            raise SuppleError(f"goals: expected {expected}, got {brief(goal)}")
    return given
