"""`Rest`: stay near a posture."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from supple.errors import SuppleError
from supple.goals.goal import Goal, Posture
from supple.model.mismatch import another
from supple.model.skeleton import Pose, Skeleton


@dataclass(frozen=True, eq=False, repr=False)
class Rest(Goal):
    """Stay as near as possible to a posture while the other goals are met.

    Args:
        pose: The posture; the skeleton's rest if not given.
        weight: Weight against other secondary goals.
    """

    counts: ClassVar[bool] = False

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

    @property
    def kinds(self) -> tuple[str, ...]:
        """A rest posture."""
        return ("rest",)

    def posture(self, skeleton: Skeleton) -> Posture:
        """Its pose, or the skeleton's rest."""
        if self.pose is None:
            return Posture(skeleton.rest.coordinates, self.weight)
        if self.pose.skeleton != skeleton:
            raise another("Rest", skeleton, self.pose.skeleton)
        return Posture(self.pose.coordinates, self.weight)
