"""`Pole`: bend a limb towards a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from supple.errors import one_of
from supple.goals.goal import OPEN, Block, Floats, Goal, read_target, towards
from supple.goals.loops import On
from supple.kernels import layout
from supple.model.skeleton import Pose, Skeleton

if TYPE_CHECKING:
    from supple.goals.mark import Mark
    from supple.model.effector import EffectorFrames


@dataclass(frozen=True, eq=False, repr=False)
class Pole(Goal):
    """Bend towards a point.

    The middle joint of a limb lies on the pole's side of the line from its root to its tip.

    Args:
        joint: The middle joint, such as the elbow.
        target: World position of the pole, shape (..., 3), or OPEN; or a point `On` another bone, which may
            move.
        weight: Weight against other secondary goals.
    """

    counts: ClassVar[bool] = False
    told: ClassVar[tuple[str, ...]] = ("joint", "target")

    joint: str
    target: Any = OPEN
    _: KW_ONLY
    weight: float = 1.0

    def __post_init__(self) -> None:
        self._check_weight()
        if not isinstance(self.target, On):
            self._set("target", read_target("target", self.joint, self.target))

    @property
    def slots(self) -> tuple[str, ...]:
        """The field that holds a target, unless that is on another bone."""
        return () if isinstance(self.target, On) else ("target",)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A pole, or one that moves."""
        return ("pole", "moving target") if isinstance(self.target, On) else ("pole",)

    def faded(self, slot: str, value: Floats, share: Floats, animated: EffectorFrames) -> Floats:
        """A point between the joint in the animation, which keeps the bend of the limb, and the target."""
        del slot
        return towards(animated.position(self.joint), value, share)

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The pole."""
        from supple.goals.mark import PlaceMark  # not needed to solve

        del start
        target = self.target.position(pose) if isinstance(self.target, On) else self.target
        return [] if target is OPEN else [PlaceMark("triangle", self.joint, target)]

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """One block without rows, and the carrier of a target on another bone."""
        one_of("joint of a Pole", self.joint, skeleton.joint_names)
        joint, target = skeleton.index(self.joint), self.target
        if not isinstance(target, On):
            return [Block(layout.POLE, number, joint, self.weight, target=target)]
        carrier = target.carrier(skeleton, number)
        return [
            Block(layout.POLE, number, joint, self.weight, target=target, carrier=carrier),
            carrier,
        ]
