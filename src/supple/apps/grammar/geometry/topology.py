"""How faces and edges adjoin: border and inside, and eave, ridge, hip and valley of a roof."""

from __future__ import annotations

import math

import numpy as np

from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.geometry.polygons import Floats, newell

BORDER, INSIDE = frozenset(("border",)), frozenset(("inside",))
LEVEL = math.sin(math.radians(11.25))


def faces_at_edges(geometry: Geometry) -> dict[tuple[int, int], list[int]]:
    """The faces at each edge; an edge is a pair of vertex indices, the smaller first."""
    found: dict[tuple[int, int], list[int]] = {}
    for which, face in enumerate(geometry.faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            found.setdefault((min(a, b), max(a, b)), []).append(which)
    return found


def face_kinds(geometry: Geometry) -> list[frozenset[str]]:
    """For each face {"border"} if it has an edge that no other face shares, else {"inside"}."""
    border = {which[0] for which in faces_at_edges(geometry).values() if len(which) == 1}
    return [BORDER if k in border else INSIDE for k in range(len(geometry.faces))]


def edge_kinds(geometry: Geometry, size: Vector) -> list[frozenset[str]]:
    """For each edge "border" or "inside", and its place on a roof if it has one.

    An eave is a level edge of one roof plane. Where two roof planes meet, the edge is a ridge if it
    is level, a hip if it is sloped and a valley if the planes face each other.
    """
    points = geometry.points * np.array(size)
    faces = faces_at_edges(geometry)
    normals = [newell(points[list(face)]) for face in geometry.faces]
    found = []
    for a, b in geometry.edges:
        which = faces.get((min(a, b), max(a, b)), [])
        kind = BORDER if len(which) == 1 else INSIDE
        on_roof = _roof_edge(geometry, points, normals, which, a, b) if which else ""
        found.append(kind | {on_roof} if on_roof else kind)
    return found


def slopes(normal: Floats) -> bool:
    """True if a face is a roof plane: facing up, neither level nor vertical."""
    return LEVEL < normal[1] <= math.cos(math.radians(11.25))


def _roof_edge(
    geometry: Geometry, points: Floats, normals: list[Floats], which: list[int], a: int, b: int
) -> str:
    planes = [k for k in which if slopes(normals[k])]
    along = points[b] - points[a]
    level = abs(along[1]) <= LEVEL * float(np.linalg.norm(along))
    if len(planes) == 2:
        first, second = planes
        face = geometry.faces[first]
        inner = points[list(face)].mean(axis=0) - points[a]  # from the edge into the first plane
        if float(inner @ normals[second]) > 0:
            return "valley"
        return "ridge" if level else "hip"
    if len(planes) == 1 and level:
        corners = points[list(geometry.faces[planes[0]])]
        return "eave" if points[a][1] <= corners[:, 1].mean() else ""
    return ""
