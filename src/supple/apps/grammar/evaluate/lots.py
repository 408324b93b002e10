"""Lots: the initial shapes of a derivation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.apps.grammar.evaluate.values import LARGEST_MAGNITUDE
from supple.apps.grammar.geometry.frames import Rotation, Vector
from supple.apps.grammar.geometry.mesh import BOX, GROUND, Geometry, fitted
from supple.apps.grammar.geometry.polygons import newell
from supple.errors import SuppleError, array, mapping, number, whole

MOST_FOOTPRINT_CORNERS = 1_000  # not tuned


@dataclass(frozen=True)
class Lot:
    """An initial shape.

    Args:
        size: Size x, y, z [m]: with y = 0 a rectangle on the ground, else a box; None for the size that the start
            rule's @Size names, else (1, 0, 1).
        footprint: Corners of a flat polygon in place of a size, shape (N, 3), or (N, 2) for x and z on the ground,
            in the lot's frame [m], clockwise or counterclockwise.
        position: Origin of the lot's frame in world, shape (3,) [m].
        turn: Rotation of the lot's frame about the world's y axis [degrees].
        seed: The seed of its random numbers; None for that of `grow` plus the lot's index.
        attributes: Attribute values of this lot, over those of `grow`.
    """

    size: Any = None
    footprint: Any = None
    position: Any = (0.0, 0.0, 0.0)
    turn: float = 0.0
    seed: int | None = None
    attributes: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            whole("lot: seed", self.seed)
        number("lot: turn", self.turn, "a finite number of degrees", math.isfinite)
        if self.attributes is not None:
            mapping("lot: attributes", self.attributes, "values by name")
        if self.size is not None and self.footprint is not None:
            raise SuppleError("lot: expected a size or a footprint, got both")


def placed_lot(lot: Lot, size: Any) -> tuple[Vector, Rotation, Vector, Geometry]:
    """Position, rotation, size and geometry of a lot's initial shape.

    Args:
        lot: The lot.
        size: The size of a lot that names none.

    Raises:
        SuppleError: A number is missing, not finite or too large, or the footprint is no polygon.
    """
    p = _vector("lot: position", lot.position)
    if lot.turn == 0:
        R: Rotation = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    else:
        c, s = math.cos(math.radians(lot.turn)), math.sin(math.radians(lot.turn))
        R = (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
    if lot.footprint is None:
        extent = _vector("size", size if lot.size is None else lot.size)
        if min(extent) < 0 or max(extent) > LARGEST_MAGNITUDE:
            raise SuppleError(
                f"size: expected three numbers from 0 to {LARGEST_MAGNITUDE:g}, got {list(extent)}"
            )
        return p, R, extent, BOX if extent[1] > 0 else GROUND
    geometry, low, span = _polygon(lot.footprint)
    x, y, z = low
    p = (
        p[0] + R[0] * x + R[2] * z,
        p[1] + y,
        p[2] + R[6] * x + R[8] * z,
    )
    return p, R, span, geometry


def _vector(name: str, value: Any) -> Vector:
    if type(value) is tuple and len(value) == 3 and all(type(one) is float for one in value):
        x, y, z = value
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            return x, y, z
    x, y, z = array(name, value, (3,)).tolist()
    return x, y, z


def _polygon(corners: Any) -> tuple[Geometry, Vector, Vector]:
    points = array("lot: footprint", corners, (None, None))
    if points.ndim == 2 and points.shape[1] == 2:
        points = np.insert(points, 1, 0.0, axis=1)
    if points.ndim != 2 or points.shape[1] != 3 or not 3 <= len(points) <= MOST_FOOTPRINT_CORNERS:
        raise SuppleError(
            f"lot: footprint: expected 3 to {MOST_FOOTPRINT_CORNERS:,} corners, "
            f"shape (N, 2) or (N, 3), got shape {points.shape}"
        )
    if not np.all(np.isfinite(points)) or np.abs(points).max() > LARGEST_MAGNITUDE:
        raise SuppleError("lot: footprint: expected finite numbers")
    normal = newell(points)
    if not np.any(normal):
        raise SuppleError("lot: footprint: expected a polygon with an area")
    if normal[1] < 0:
        points = points[::-1]
    made, low, size = fitted("lot", points, [tuple(range(len(points)))])
    x, y, z = low.tolist()
    a, b, c = size.tolist()
    return made, (x, y, z), (a, b, c)
