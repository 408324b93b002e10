"""Clip geometries by planes."""

from __future__ import annotations

import numpy as np

from supple.apps.grammar.geometry.mesh import COINCIDENT_DISTANCE, Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon


def slab(geometry: Geometry, axis: int, low: float, high: float) -> tuple[Geometry, Floats, Floats]:
    """The part of a geometry between two planes of the unit cube; cuts of a closed one are capped.

    Args:
        geometry: The geometry to cut.
        axis: The axis that the planes are normal to.
        low: Coordinate of the lower plane, in the unit cube.
        high: Coordinate of the upper plane.

    Returns:
        The geometry, the lowest corner of its bounding box in the unit cube, and the box's size. If
        nothing is left the geometry has no faces.
    """
    points, faces = geometry.points, geometry.faces
    if geometry.texcoords is not None:  # clipped together with the points
        points = np.hstack([points, geometry.texcoords])
    closed = geometry.closed
    for sign, level in ((-1.0, low), (1.0, -high)):
        value = sign * points[:, axis] + level
        points, faces = below(points, faces, value, near=COINCIDENT_DISTANCE, closed=closed)
    if not faces:
        return Geometry("nothing", np.zeros((0, 3)), []), np.zeros(3), np.zeros(3)
    used = sorted({k for face in faces for k in face})
    new_index = {k: n for n, k in enumerate(used)}
    kept = [tuple(new_index[k] for k in face) for face in faces]
    uv = None if geometry.texcoords is None else points[used, 3:]
    name, smooth = f"part of {geometry.name}", geometry.smooth
    return fitted(name, points[used, :3], kept, smooth=smooth, texcoords=uv)


def below(
    points: Floats, faces: list[Polygon], value: Floats, *, near: float, closed: bool
) -> tuple[Floats, list[Polygon]]:
    """The part of polygons where a linear function is at most 0 (Sutherland & Hodgman).

    Args:
        points: Shape (V, 3 or more); columns beyond the coordinates are interpolated with the points.
        faces: The polygons.
        value: The function at each point, shape (V,).
        near: Values up to this count as 0.
        closed: True to cap the cut of a closed surface.
    """
    beyond, on_plane = (value > near).tolist(), (np.abs(value) <= 2 * near).tolist()
    inside = (value < -near).tolist()
    if not any(beyond):
        return points, faces
    grown = points.tolist()
    made: dict[tuple[int, int], int] = {}
    kept: list[Polygon] = []
    for face in faces:
        out: list[int] = []
        for a, b in zip((face[-1], *face[:-1]), face, strict=True):
            if (beyond[a] and inside[b]) or (inside[a] and beyond[b]):
                key = (min(a, b), max(a, b))
                if key not in made:
                    t = float(value[a] / (value[a] - value[b]))
                    made[key] = len(grown)
                    grown.append((points[a] + t * (points[b] - points[a])).tolist())
                    on_plane.append(True)
                out.append(made[key])
            if not beyond[b]:
                out.append(b)
        if len(out) >= 3:
            kept.append(tuple(out))
    if not closed:
        cut = [face for face in kept if not all(on_plane[k] for k in face)]
        return np.array(grown), cut
    follows: dict[int, int] = {}
    for face in kept:
        if all(on_plane[k] for k in face):
            continue
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            if on_plane[a] and on_plane[b]:
                follows[b] = a  # the cap runs in the opposite direction
    return np.array(grown), kept + _loops(follows)


def _loops(follows: dict[int, int]) -> list[Polygon]:
    """Closed polygons of edges, given as the successor of each vertex."""
    found: list[Polygon] = []
    while follows:
        first = next(iter(follows))
        loop, k = [], first
        while k in follows:
            loop.append(k)
            k = follows.pop(k)
        if k == first and len(loop) >= 3:
            found.append(tuple(loop))
    return found
