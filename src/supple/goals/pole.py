"""`Pole`: bend a limb towards a point."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from supple.errors import one_of
from supple.goals.goal import OPEN, Block, Goal, read_target
from supple.goals.loops import On
from supple.kernels import layout
from supple.model.skeleton import Skeleton


@dataclass(frozen=True, eq=False, repr=False)
class Pole(Goal):
    """Bend towards a point.

    The middle joint of a limb lies on the pole's side of the line from its root to its tip.

    Args:
        joint: The middle joint, such as the elbow.
        target: World position of the pole, shape (..., 3), or OPEN; or a point `On` another bone, which may
            move.
        weight: How much the goal counts against other secondary goals.
    """

    counts: ClassVar[bool] = False

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
