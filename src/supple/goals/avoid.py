"""`Avoid`: bones that may not pass through each other or through obstacles."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from supple.errors import SuppleError, array, brief, listed, number
from supple.goals.goal import Goal
from supple.rotations import axis_vector, unit_quaternions

if TYPE_CHECKING:
    from supple.goals.mark import Mark
    from supple.model.capsules import Capsule
    from supple.model.skeleton import Pose


@dataclass(frozen=True)
class Plane:
    """Ground, or a wall: all below it is solid.

    Attributes:
        point: A point on it, world xyz.
        normal: Away from what is solid, world xyz; made a unit vector.
    """

    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        point = array("point of a Plane", self.point, (3,)) + 0.0
        normal = array("normal of a Plane", self.normal, (3,)) + 0.0
        if not normal.any():
            raise SuppleError("normal of a Plane: expected a direction, got zeros")
        normal = axis_vector(normal, what="normal of a Plane")
        object.__setattr__(self, "point", tuple(point.tolist()))
        object.__setattr__(self, "normal", tuple(normal.tolist()))


@dataclass(frozen=True)
class Box:
    """A solid box in the world.

    Attributes:
        center: World xyz.
        size: From side to side along its own axes, xyz, each above 0.
        rotation: Of its axes in the world, wxyz.
    """

    center: Any
    size: Any
    rotation: Any = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        center = array("center of a Box", self.center, (3,)) + 0.0
        size = array("size of a Box", self.size, (3,)) + 0.0
        if not np.all(size > 0.0):
            raise SuppleError(f"size of a Box: expected numbers above 0, got {size.tolist()}")
        turn = array("rotation of a Box (wxyz)", self.rotation, (4,))
        turn = unit_quaternions("rotation of a Box", turn)
        for name, value in (("center", center), ("size", size), ("rotation", turn)):
            object.__setattr__(self, name, tuple(value.tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class Avoid(Goal):
    """Keep bones apart from each other and from obstacles, before all goals but loops. Frees nothing.

    Every bone is as thick as its capsules: those of the model (`skeleton.capsules`), or those given.

    Args:
        margin: The least distance kept, in model units.
        pairs: Pairs of joints whose capsules are kept apart; by default all but neighbours, pairs that
            the model excludes and pairs that touch in all poses.
        obstacles: What stands in the world: `Plane`, `Box`, or a `Capsule` in world coordinates.
        capsules: By joint, a Capsule or several in its frame, instead of the model's.
    """

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
        """What is avoided."""
        return ("avoid",)

    def mark(self, start: Pose, pose: Pose) -> list[Mark]:
        """The capsules that are kept apart, and the obstacles, called as in `Solution.collision`."""
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
