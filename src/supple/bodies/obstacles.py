"""Obstacles: planes and boxes in the world, from which bones keep away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.errors import SuppleError, array
from supple.rotations import axis_vector, unit_quaternions


@dataclass(frozen=True)
class Plane:
    """Ground or a wall: the half space behind the plane is solid.

    Attributes:
        point: A point on it, world xyz.
        normal: Away from the solid side, world xyz; normalized.
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
        size: Edge lengths along its own axes, xyz, each above 0.
        rotation: Rotation of its axes in the world, wxyz.
    """

    center: Any
    size: Any
    rotation: Any = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        center = array("center of a Box", self.center, (3,)) + 0.0
        size = array("size of a Box", self.size, (3,)) + 0.0
        if not np.all(size > 0.0):
            raise SuppleError(f"size of a Box: expected numbers above 0, got {size.tolist()}")
        rotation = array("rotation of a Box (wxyz)", self.rotation, (4,))
        rotation = unit_quaternions("rotation of a Box", rotation)
        for name, value in (("center", center), ("size", size), ("rotation", rotation)):
            object.__setattr__(self, name, tuple(value.tolist()))
