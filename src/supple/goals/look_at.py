"""`LookAt`: point an axis of an effector at a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from supple import rotations
from supple.errors import array
from supple.goals.goal import OPEN, Block, Floats, Goal, check_depth, kept, read_target, towards
from supple.goals.loops import On
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.model.skeleton import Pose, Skeleton

if TYPE_CHECKING:
    from supple.goals.mark import Mark
    from supple.model.effector import EffectorFrames


@dataclass(frozen=True, eq=False, repr=False)
class LookAt(Goal):
    """Turn an effector so that one of its axes points at a target.

    Args:
        effector: Name of a joint or tip.
        target: World position to look at, shape (..., 3), or OPEN; or a point `On` another bone, which may
            move.
        axis: The looking direction in the effector's frame: "x", "-z", ... or a vector.
        root: The topmost joint that may move.
        depth: Number of joints that may move, counted from the effector; 0 = to the skeleton's root. By
            default 1, or up to the root if that is given.
        weight: Weight of the goal.
    """

    frees: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("effector", "target")

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
        self._set("depth", check_depth(self.effector, depth, self.root))
        self._check_weight()
        if not isinstance(self.target, On):
            self._set("target", read_target("target", self.effector, self.target))
        axis = rotations.axis_vector(self.axis, what=f"axis of {what}")
        self._set("axis", kept(array(f"axis of {what}", axis, (3,))))

    @property
    def slots(self) -> tuple[str, ...]:
        """The field that holds a target, unless that is on another bone."""
        return () if isinstance(self.target, On) else ("target",)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A direction, or one that moves."""
        return ("direction", "moving target") if isinstance(self.target, On) else ("direction",)

    def faded(self, slot: str, value: Floats, share: Floats, animated: EffectorFrames) -> Floats:
        """A point between the target and the point at the same distance that the animation looks at."""
        del slot
        eye = animated.position(self.effector)
        far = np.linalg.norm(value - eye, axis=-1, keepdims=True)
        seen = eye + far * rotations.rotate(animated.rotation(self.effector), self.axis)
        return towards(seen, value, share)

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The target, and the line of sight."""
        from supple.goals.mark import PlaceMark  # not needed to solve

        del start
        target = self.target.position(pose) if isinstance(self.target, On) else self.target
        return [] if target is OPEN else [PlaceMark("ring", self.effector, target, sight=True)]

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """One block, and the carrier of a target on another bone."""
        frame = find_effector(skeleton, self.effector)
        on = self.target if isinstance(self.target, On) else None
        carrier = None if on is None else on.carrier(skeleton, number)
        block = Block(
            layout.LOOKAT if on is None else layout.WATCH,
            number,
            frame.joint,
            float(np.sqrt(self.weight)),
            stretching=frame.offset,
            rotation=frame.rotation,
            axis=self.axis,
            target=self.target,
            carrier=carrier,
        )
        return [block] if carrier is None else [block, carrier]
