"""Extrude surfaces of several faces to solids: each face by itself, or all together as a shell."""

from __future__ import annotations

import numpy as np

from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.mesh import Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon, newell
from supple.errors import SuppleError

MOST_POINTS = 200_000  # not tuned


def along_faces(geometry: Geometry, size: Vector, height: float) -> tuple[Geometry, Floats, Floats]:
    """Extrude each face along its own normal; as `fitted` returns it.

    Args:
        geometry: The geometry.
        size: The scope's size.
        height: The extrusion; negative ones go inwards.
    """
    points = geometry.points * size
    apart = [points[list(face)] for face in geometry.faces]
    apart = [corners for corners in apart if np.any(newell(corners))]
    faces, at = [], 0
    for corners in apart:
        faces.append(tuple(range(at, at + len(corners))))
        at += len(corners)
    moves = [np.tile(newell(corners) * height, (len(corners), 1)) for corners in apart]
    return _shell(geometry.name, _joined(apart), faces, _joined(moves), height)


def along_vertices(
    geometry: Geometry, size: Vector, height: float
) -> tuple[Geometry, Floats, Floats]:
    """Extrude a surface as a shell of even thickness: faces that share a point stay joined.

    Args:
        geometry: The geometry.
        size: The scope's size.
        height: The thickness; negative ones go inwards.
    """
    points, faces = _welded(geometry, size)
    normals: list[list[Floats]] = [[] for _ in points]
    for face in faces:
        normal = newell(points[list(face)])
        for k in face:
            if np.any(normal) and not any(float(one @ normal) > 1.0 - 1e-9 for one in normals[k]):
                normals[k].append(normal)
    moves = np.zeros_like(points)
    for k, several in enumerate(normals):
        if several:
            # The least move by which every plane at the point is shifted by 1.
            planes = np.array(several)
            move = np.linalg.lstsq(planes, np.ones(len(planes)), rcond=1e-6)[0]
            length = float(np.linalg.norm(move))
            moves[k] = move * (min(length, 3.0) / length) if length > 0 else planes.mean(axis=0)
    return _shell(geometry.name, points, faces, moves * height, height)


def along(geometry: Geometry, size: Vector, move: Vector) -> tuple[Geometry, Floats, Floats]:
    """Extrude a surface along one direction.

    Args:
        geometry: The geometry.
        size: The scope's size.
        move: The extrusion in the scope's axes and length units.
    """
    points, faces = _welded(geometry, size)
    facing = sum(float(newell(points[list(face)]) @ np.array(move)) for face in faces)
    return _shell(geometry.name, points, faces, np.tile(move, (len(points), 1)), facing)


def _welded(geometry: Geometry, size: Vector) -> tuple[Floats, list[Polygon]]:
    """Points and faces with coinciding points as one, so that faces share them."""
    points = geometry.points * size
    step = 1e-7 * (float(np.abs(points).max(initial=0.0)) or 1.0)
    _, first, index = np.unique(
        np.round(points / step), axis=0, return_index=True, return_inverse=True
    )
    index = index.reshape(-1)
    faces = []
    for face in geometry.faces:
        corners = [int(index[k]) for k in face]
        loop = tuple(k for i, k in enumerate(corners) if k != corners[i - 1])
        if len(loop) >= 3:
            faces.append(loop)
    return points[first], faces


def _joined(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros((0, 3))


def _shell(
    name: str, points: Floats, faces: list[Polygon], moves: Floats, outwards: float
) -> tuple[Geometry, Floats, Floats]:
    """A surface, its moved copy, and walls along the edges that border one face only."""
    if not faces or outwards == 0.0:
        raise SuppleError("extrude: expected a shape with faces, and a height other than 0")
    count = len(points)
    if count > MOST_POINTS:
        raise SuppleError(f"extrude: expected at most {MOST_POINTS:,} points, got {count:,}")
    runs = {(a, b) for face in faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
    made: list[Polygon] = []
    for face in faces:
        moved = tuple(k + count for k in face)
        made += [face[::-1], moved] if outwards > 0 else [face, moved[::-1]]
    for a, b in sorted(runs):
        if (b, a) not in runs:
            wall = (a, b, b + count, a + count)
            made.append(wall if outwards > 0 else wall[::-1])
    return fitted(f"extruded {name}", np.concatenate([points, points + moves]), made)
