"""What faces and edges are among their neighbours: at the border or inside, eaves, hips and ridges."""

from __future__ import annotations

import math

import numpy as np

from supple.grammar.geometry.frames import Vector
from supple.grammar.geometry.mesh import Floats, Geometry, newell

BORDER, INSIDE = frozenset(("border",)), frozenset(("inside",))
LEVEL = math.sin(math.radians(11.25))


def neighbours(geometry: Geometry) -> dict[tuple[int, int], list[int]]:
    """The faces at each edge, which is named by its corners, the smaller first."""
    found: dict[tuple[int, int], list[int]] = {}
    for which, face in enumerate(geometry.faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            found.setdefault((min(a, b), max(a, b)), []).append(which)
    return found


def of_faces(geometry: Geometry) -> list[frozenset[str]]:
    """For each face whether it has an edge to itself."""
    border = {which[0] for which in neighbours(geometry).values() if len(which) == 1}
    return [BORDER if k in border else INSIDE for k in range(len(geometry.faces))]


def of_edges(geometry: Geometry, size: Vector) -> list[frozenset[str]]:
    """For each edge whether one face alone has it, and what it is on a roof.

    An eave is a level edge of one plane of a roof; where two planes meet it is a ridge if it is
    level, a hip if it is not, and a valley where they face each other.
    """
    points = geometry.points * np.array(size)
    faces = neighbours(geometry)
    normals = [newell(points[list(face)]) for face in geometry.faces]
    found = []
    for a, b in geometry.edges:
        which = faces.get((min(a, b), max(a, b)), [])
        kind = BORDER if len(which) == 1 else INSIDE
        trait = _on_a_roof(geometry, points, normals, which, a, b) if which else ""
        found.append(kind | {trait} if trait else kind)
    return found


def _slopes(normal: Floats) -> bool:
    """Whether a face is a plane of a roof: facing up, neither level nor upright."""
    return LEVEL < normal[1] <= math.cos(math.radians(11.25))


def _on_a_roof(
    geometry: Geometry, points: Floats, normals: list[Floats], which: list[int], a: int, b: int
) -> str:
    planes = [k for k in which if _slopes(normals[k])]
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
