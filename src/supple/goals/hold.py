"""`Hold`: keep an effector where the start has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from supple.errors import SuppleError, brief
from supple.goals.goal import Block, Floats, Goal
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.model.skeleton import Pose, Skeleton

if TYPE_CHECKING:
    from supple.goals.mark import Mark


@dataclass(frozen=True, eq=False, repr=False)
class Hold(Goal):
    """Keep an effector where it is in this call's start pose.

    Alone it frees no joint. Where another goal frees a joint above the effector, the joints from there
    down to the effector are freed too: a standing leg bends when the pelvis moves.

    Args:
        effector: Name of a joint or tip.
        position: Whether its position is held.
        orientation: Whether its orientation is held.
        weight: Weight of the goal.
    """

    holds_start: ClassVar[bool] = True

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
                    f"where the start has it, got {brief(value)}"
                )
        if not (self.position or self.orientation):
            raise SuppleError(f"Hold {self.effector!r}: position and orientation are both off")

    @property
    def kinds(self) -> tuple[str, ...]:
        """A hold."""
        return ("hold",)

    @property
    def places(self) -> tuple[str, ...]:
        """The effector, if its position is held."""
        return (self.effector,) if self.position else ()

    @property
    def point_alone(self) -> Floats | None:
        """The effector's origin, if its orientation is not held."""
        return None if self.orientation else np.zeros(3)

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The position of the effector in the start."""
        from supple.goals.mark import PlaceMark  # not needed to solve

        del pose
        return [PlaceMark("square", self.effector, start.position(self.effector))]

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block for the position and one for the orientation, if held; the start gives their targets."""
        frame = find_effector(skeleton, self.effector)
        held = ((layout.POSITION, self.position), (layout.ORIENTATION, self.orientation))
        return [
            Block(
                kind,
                number,
                frame.joint,
                float(np.sqrt(self.weight)),
                stretching=frame.offset,
                rotation=frame.rotation,
            )
            for kind, on in held
            if on
        ]
