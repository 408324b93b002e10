"""`Avoid`: bones that may not pass through each other or through obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from supple.bodies.obstacles import Box, Plane
from supple.errors import SuppleError, brief, listed, number
from supple.goals.goal import Goal

if TYPE_CHECKING:
    from supple.bodies.constraints import Bodies
    from supple.goals.mark import Mark
    from supple.model.capsules import Capsule
    from supple.model.skeleton import Pose, Skeleton


@dataclass(frozen=True, eq=False, repr=False)
class Avoid(Goal):
    """Keep bones apart from each other and from obstacles, before all goals but loops. Frees nothing.

    Distances are those of the convex shapes of the bones' geoms; without geoms those of their capsules
    (`skeleton.capsules`). Given capsules replace both.

    Args:
        margin: The least distance that is kept, in model units.
        pairs: Pairs of joints whose capsules are kept apart; by default all but neighbours, pairs that
            the model excludes and pairs that touch in all poses.
        obstacles: Obstacles in the world: `Plane`, `Box`, or a `Capsule` in world coordinates.
        capsules: By joint, a Capsule or several in its frame, instead of the model's.
    """

    constrains: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("margin",)

    margin: float = 0.0
    _: KW_ONLY
    pairs: Any = None
    obstacles: Any = ()
    capsules: Any = None

    def __post_init__(self) -> None:
        margin = number(
            "margin of Avoid", self.margin, "a number from 0", lambda x: 0 <= x < np.inf
        )
        self._set("margin", margin)
        if self.pairs is not None:
            self._set(
                "pairs",
                tuple(
                    _pair(one) for one in listed("pairs of Avoid", self.pairs, "a list of pairs")
                ),
            )
        solid = (Plane, Box, _capsule())
        given = self.obstacles
        found = (
            (given,)
            if isinstance(given, solid)
            else tuple(listed("obstacles of Avoid", given, "a list"))
        )
        for one in found:
            if not isinstance(one, solid):
                raise SuppleError(
                    f"obstacles of Avoid: expected Plane, Box or Capsule, got {brief(one)}"
                )
        self._set("obstacles", found)
        if self.capsules is not None:
            self._set("capsules", _by_joint(self.capsules))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Avoidance."""
        return ("avoid",)

    def constrain(self, bodies: Bodies, skeleton: Skeleton, moving: np.ndarray) -> None:
        """Add the pairs that are kept apart."""
        from supple.bodies.constraints import keep_apart  # not needed to solve without it

        keep_apart(
            bodies,
            skeleton,
            moving,
            margin=self.margin,
            pairs=self.pairs,
            obstacles=self.obstacles,
            capsules=None if self.capsules is None else dict(self.capsules),
        )

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The capsules that are kept apart, and the obstacles, named as in `Solution.collision`."""
        from supple.goals.mark import SolidMark  # not needed to solve

        del start
        capsules = pose.skeleton.capsules if self.capsules is None else dict(self.capsules)
        named = {
            f"obstacle {n} ({type(one).__name__})": one for n, one in enumerate(self.obstacles)
        }
        return [SolidMark(capsules, named)]

    def data(self) -> dict[str, Any]:
        """Its margin and its obstacles."""
        return {**super().data(), "obstacles": [repr(one) for one in self.obstacles]}


def _capsule() -> type[Capsule]:
    from supple.model.capsules import Capsule  # not needed to solve without obstacles

    return Capsule


def _pair(given: Any) -> tuple[str, str]:
    pair = tuple(listed("pairs of Avoid", given, "pairs of joint names"))
    if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
        raise SuppleError(f"pairs of Avoid: expected pairs of joint names, got {brief(given)}")
    return pair


def _by_joint(given: Any) -> tuple[tuple[str, tuple[Capsule, ...]], ...]:
    """Capsules by joint as a tuple, which can be hashed."""
    from supple.model.capsules import by_joint  # not needed to solve without obstacles

    if isinstance(given, tuple) and all(isinstance(one, tuple) and len(one) == 2 for one in given):
        given = dict(given)
    return tuple(by_joint("capsules of Avoid", given).items())
