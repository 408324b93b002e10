"""`Reach`: bring an effector to a position, an orientation, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from supple.errors import SuppleError, array
from supple.goals.goal import (
    OPEN,
    Block,
    Floats,
    Goal,
    check_depth,
    kept,
    read_target,
    split_pose,
    towards,
)
from supple.goals.loops import On
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.model.parts import ORIGIN
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import rotate, slerp, to_matrix

if TYPE_CHECKING:
    from supple.goals.mark import Mark
    from supple.model.effector import EffectorFrames


@dataclass(frozen=True, eq=False, repr=False)
class Reach(Goal):
    """Bring an effector to a position, an orientation, or both.

    Args:
        effector: Name of a joint or tip.
        target: World position, shape (..., 3), or a point `On` another bone, which may move. Without a
            target and without orientation or pose the position is open.
        orientation: World orientation wxyz, shape (..., 4), or OPEN. Without target, the position is
            free.
        pose: Both as a world transform, shape (..., 4, 4), or OPEN.
        point: The point on the effector that must be at the target, in the effector's frame, shape
            (3,).
        root: The topmost joint that may move. Without root and depth, all joints up to the
            skeleton's root may.
        depth: Number of joints that may move, of those that can move the effector, counted from the
            effector; 0 = to the skeleton's root.
        weight: Weight against other goals if not all can be met.
    """

    frees: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("effector", "target", "orientation")

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
        self._set("depth", check_depth(self.effector, self.depth, self.root))
        self._check_weight()
        if self.pose is not None and (self.target is not None or self.orientation is not None):
            raise SuppleError(
                f"Reach {self.effector!r}: give pose, or target and orientation, not both"
            )
        if self.target is None and self.orientation is None and self.pose is None:
            self._set("target", OPEN)
        for slot in self.slots:
            self._set(slot, read_target(slot, self.effector, getattr(self, slot)))
        if self.point is not None:
            what = f"point of {self.effector!r}"
            self._set("point", kept(array(what, self.point, (3,))))

    @property
    def slots(self) -> tuple[str, ...]:
        """The fields that hold a target: pose, or target and orientation as far as they are given."""
        if self.pose is not None:
            return ("pose",)
        placed = self.target is not None and not isinstance(self.target, On)
        return ("target",) * placed + ("orientation",) * (self.orientation is not None)

    @property
    def position_target(self) -> Any:
        """The target position: an array (..., 3), a point `On` another bone, OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.target
        return split_pose(self.pose)[0]

    @property
    def orientation_target(self) -> Any:
        """The target orientation: an array (..., 4) wxyz, OPEN, or None."""
        if self.pose is None or self.pose is OPEN:
            return OPEN if self.pose is OPEN else self.orientation
        return split_pose(self.pose)[1]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Position, orientation, or both."""
        position = "moving target" if isinstance(self.target, On) else "position"
        asked = ((position, self.position_target), ("orientation", self.orientation_target))
        return tuple(kind for kind, target in asked if target is not None)

    @property
    def places(self) -> tuple[str, ...]:
        """The effector, if there is a target position."""
        return () if self.position_target is None else (self.effector,)

    @property
    def point_alone(self) -> Floats | None:
        """The point on the effector, if there is no target orientation."""
        if self.orientation_target is not None:
            return None
        return np.zeros(3) if self.point is None else self.point

    def faded(self, slot: str, value: Floats, share: Floats, animated: EffectorFrames) -> Floats:
        """The target interpolated from the animation: a position along a line, an orientation by slerp."""
        if slot == "orientation":
            return slerp(animated.rotation(self.effector), value, share)
        here = animated.point(self.effector, ORIGIN if self.point is None else self.point)
        if slot == "target":
            return towards(here, value, share)
        position, rotation = split_pose(value)
        frame = np.zeros((len(share), 4, 4))
        frame[:, :3, :3] = to_matrix(slerp(animated.rotation(self.effector), rotation, share))
        frame[:, :3, 3] = towards(here, position, share)
        frame[:, 3, 3] = 1.0
        return frame

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The target position and orientation."""
        from supple.goals.mark import PlaceMark  # not needed to solve

        del start
        position, rotation = self.position_target, self.orientation_target
        if isinstance(position, On):
            position = position.position(pose)
        if position is None or position is OPEN:
            return []
        return [PlaceMark("disc", self.effector, position, None if rotation is OPEN else rotation)]

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block for the position and one for the orientation, as far as they have targets."""
        frame = find_effector(skeleton, self.effector)
        point = (0.0,) * 3 if self.point is None else rotate(frame.rotation, self.point)
        on = self.target if isinstance(self.target, On) else None
        carrier = None if on is None else on.carrier(skeleton, number)
        asked = (
            (layout.POSITION if on is None else layout.MEET, self.position_target),
            (layout.ORIENTATION, self.orientation_target),
        )
        blocks = [
            Block(
                kind,
                number,
                frame.joint,
                float(np.sqrt(self.weight)),
                fixed=point,
                stretching=frame.offset,
                rotation=frame.rotation,
                target=target,
                carrier=carrier if kind == layout.MEET else None,
            )
            for kind, target in asked
            if target is not None
        ]
        return blocks if carrier is None else [*blocks, carrier]
