"""Solids: the collision shapes of the bones of a skeleton, the same for all of the package.

A solid is a capsule, alone or around the convex shape of a geom. Gaps of capsules are fast to compute: only when two
of them come near is the gap that of the shapes inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supple.bodies.convex import Convex, convex
from supple.errors import one_of
from supple.model.capsules import Capsule
from supple.model.geoms import Geom
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import rotate

ROUND = ("sphere", "capsule")  # geoms that are capsules themselves


@dataclass(frozen=True, eq=False)
class Solid:
    """The collision shape of a bone, or of a part of it.

    Attributes:
        joint: The joint that carries it.
        capsule: The solid itself, or the capsule around its hull, in the joint's frame.
        geom: The geom that it represents; None for a capsule along a bone, or a given one.
        hull: Its shape in the joint's frame; None if it is the capsule.
    """

    joint: int
    capsule: Capsule
    geom: Geom | None = None
    hull: Convex | None = None

    @property
    def shape(self) -> Convex:
        """Its shape in the joint's frame."""
        if self.hull is not None:
            return self.hull
        return Convex(np.array([self.capsule.a, self.capsule.b]), self.capsule.radius)

    def lowest(self, pose: Pose, up: NDArray[np.float64]) -> float:
        """The height of its lowest point in a pose, along a unit vector up, shape (3,)."""
        points = rotate(pose.rotations[self.joint], self.shape.points)
        return float(((points + pose.positions[self.joint]) @ up).min()) - self.shape.radius


def solids_of(
    skeleton: Skeleton, capsules: Mapping[str, Sequence[Capsule]] | None = None
) -> tuple[Solid, ...]:
    """The solids of a skeleton.

    The given capsules, if any. Else there is one for each geom that may touch something, with its
    shape, and a capsule along each bone of rigid bodies without geoms, see `Skeleton.capsules`.

    Args:
        skeleton: The skeleton.
        capsules: By joint, instead of its own.
    """
    if capsules is None:
        return _own(skeleton)
    for name in capsules:
        one_of("joint of a capsule", name, skeleton.joint_names)
    return tuple(
        Solid(skeleton.index(name), one) for name, some in capsules.items() for one in some
    )


@lru_cache(maxsize=16)
def _own(skeleton: Skeleton) -> tuple[Solid, ...]:
    given = skeleton.physics is not None and skeleton.physics.capsules is not None
    geoms: dict[str, list[Geom]] = {}
    for geom in () if given else skeleton.geoms:
        if geom.collides and geom.kind != "plane":
            geoms.setdefault(geom.joint, []).append(geom)
    found = []
    for name, some in skeleton.capsules.items():
        joint = skeleton.index(name)
        own = geoms.get(name)
        if own is None:
            found += [Solid(joint, one) for one in some]
            continue
        for capsule, geom in zip(some, own, strict=True):
            hull = None if geom.kind in ROUND else convex(geom)
            found.append(Solid(joint, capsule, geom, hull))
    return tuple(found)
