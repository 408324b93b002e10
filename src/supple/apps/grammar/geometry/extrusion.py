"""Extrude flat geometries to solids."""

from __future__ import annotations

import numpy as np

from supple.apps.grammar.geometry.footprints import Faces, Footprint
from supple.apps.grammar.geometry.frames import Vector, vector
from supple.apps.grammar.geometry.mesh import (
    BOX,
    COINCIDENT_DISTANCE,
    FACE,
    GROUND,
    Geometry,
    fitted,
)
from supple.apps.grammar.geometry.polygons import Polygon, newell
from supple.apps.grammar.geometry.wavefront import Point
from supple.errors import SuppleError


def extruded(geometry: Geometry, size: Vector, along: Vector) -> tuple[Geometry, Vector, Vector]:
    """Extrude a flat geometry along a vector of its scope.

    Args:
        geometry: Flat along one axis of its scope.
        size: The scope's size.
        along: The extrusion, in the scope's axes and length units.

    Returns:
        The geometry, the offset of the new scope from the old one, and its size.

    Raises:
        SuppleError: The geometry is not flat along an axis.
    """
    axis = geometry.flat
    if axis is None:
        raise SuppleError("extrude: expected a flat shape, such as a lot or a face, got a solid")
    pull = along[axis]
    straight = all(abs(along[k]) <= COINCIDENT_DISTANCE * abs(pull) for k in range(3) if k != axis)
    if straight and geometry in (GROUND, FACE):
        new = [*size]
        new[axis] = abs(pull)
        offset = [0.0, 0.0, 0.0]
        offset[axis] = min(pull, 0.0)
        return BOX, vector(offset), vector(new)
    base = geometry.points * size
    count = len(base)
    points = np.concatenate([base, base + np.array(along)])
    polygons: list[Polygon] = []
    rims: dict[tuple[int, int], int] = {}
    for face in geometry.faces:
        facing = newell(base[list(face)])[axis] * pull > 0
        bottom = face[::-1] if facing else face
        top = face if facing else face[::-1]
        polygons += [tuple(bottom), tuple(k + count for k in top)]
        for a, b in zip(top, (*top[1:], top[0]), strict=True):
            rims[a, b] = 1
    for a, b in rims:
        if (b, a) not in rims:
            polygons.append((a, b, b + count, a + count))
    solid, low, extent = fitted(f"extruded {geometry.name}", points, polygons)
    return solid, vector(low), vector(extent)


def prism(plan: Footprint, height: float) -> Faces:
    """Extrude a footprint along its normal: points and polygons in the plan's axes."""
    points: list[tuple[float, float, float]] = []
    faces: list[Polygon] = []
    sides: dict[tuple[Point, Point], Polygon] = {}
    for polygon in plan.polygons:
        first, count = len(points), len(polygon)
        points += [(x, h, -y) for h in (0.0, height) for x, y in polygon]
        low = tuple(range(first, first + count))
        high = tuple(range(first + count, first + 2 * count))
        faces += [low[::-1], high] if height > 0 else [low, high[::-1]]
        for k in range(count):
            n = (k + 1) % count
            side = (low[k], low[n], high[n], high[k])
            sides[polygon[k], polygon[n]] = side if height > 0 else side[::-1]
    faces += [side for (a, b), side in sides.items() if (b, a) not in sides]
    return points, faces
