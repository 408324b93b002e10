"""`Balance`: the centre of mass stays over the feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from supple.errors import SuppleError, array, brief, listed, number
from supple.goals.goal import Goal

if TYPE_CHECKING:
    from supple.bodies.constraints import Bodies
    from supple.goals.mark import Mark
    from supple.model.skeleton import Pose, Skeleton


@dataclass(frozen=True, eq=False, repr=False)
class Balance(Goal):
    """Keep the centre of mass over the support, before all goals but loops and `Avoid`. Frees nothing.

    The support is the convex outline, seen from above, of the soles of the feet, wherever the pose puts
    them; or of given points.

    Args:
        feet: Names of the joints, or tips, that stand on the ground. Their soles are the undersides of
            their geoms; without geoms, those of capsules given to the model; without these, their joints
            and tips.
        margin: The least distance of the centre of mass from the edge of the support, in model units.
        support: World points that support instead of feet, shape (S, 3), at least three.
        up: Direction away from the ground: "x", "y", "z" or a vector. By default the axis nearest to the
            direction from the feet to the centre of mass at rest, or to the normal of three or more support points.
    """

    constrains: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("margin", "feet")

    feet: Any = ()
    _: KW_ONLY
    margin: float = 0.0
    support: Any = None
    up: Any = None

    def __post_init__(self) -> None:
        from supple.rotations import axis_vector

        one, expected = isinstance(self.feet, str), "names of joints"
        feet = [self.feet] if one else listed("feet of Balance", self.feet, expected)
        if not all(isinstance(one, str) for one in feet):
            raise SuppleError(f"feet of Balance: expected names of joints, got {brief(self.feet)}")
        self._set("feet", tuple(feet))
        if (not self.feet) == (self.support is None):
            raise SuppleError("Balance: expected feet, or support, got " + self._given())
        expected = "a number from 0"
        margin = number("margin of Balance", self.margin, expected, lambda x: 0 <= x < np.inf)
        self._set("margin", margin)
        if self.support is not None:
            points = array("support of Balance", self.support, (None, 3)) + 0.0
            self._set("support", tuple(map(tuple, points.tolist())))
        if self.up is not None:
            up = np.asarray(axis_vector(self.up, what="up of Balance"), float)
            self._set("up", tuple((up / np.linalg.norm(up)).tolist()))

    def _given(self) -> str:
        return "both" if self.feet else "neither"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Balance."""
        return ("balance",)

    def constrain(self, bodies: Bodies, skeleton: Skeleton, moving: np.ndarray) -> None:
        """Add masses and soles."""
        from supple.bodies.support import keep_balance  # not needed to solve without it

        del moving
        keep_balance(bodies, skeleton, margin=self.margin, **self._stance)

    def support_in(self, pose: Pose) -> np.ndarray:
        """The corners of the support of a pose, in order around it, world, shape (K, 3)."""
        from supple.bodies.support import support_of

        return support_of(pose, **self._stance)

    @property
    def _stance(self) -> dict[str, Any]:
        return {"feet": self.feet, "support": self.support, "up": self.up}

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The centre of mass and the support."""
        from supple.goals.mark import SupportMark  # not needed to solve

        del start, pose
        return [SupportMark(self.support_in)]
