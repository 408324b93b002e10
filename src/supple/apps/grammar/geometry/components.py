"""Faces, edges and vertices of a geometry as parts with scopes, and the selectors that pick them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry import topology
from supple.apps.grammar.geometry.frames import Rotation, Vector, from_axes, vector
from supple.apps.grammar.geometry.mesh import BOX, FACE, LINE, POINT, Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon, newell


class Part(NamedTuple):
    """A component of a geometry, in the scope that it is a part of.

    Attributes:
        geometry: The part's geometry.
        offset: Origin of the part's scope, in length units.
        rotation: Rotation of the part's scope; None for none.
        size: Size of the part's scope, in length units.
        normal: Outward normal; zero for a vertex.
        kinds: Those of `ADJACENCY` that hold for the part.
        face: Index of a face in the geometry; -1 for an edge or a vertex.
    """

    geometry: Geometry
    offset: Vector
    rotation: Rotation | None
    size: Vector
    normal: Vector
    kinds: frozenset[str] = frozenset()
    face: int = -1


def facing(normal: Vector) -> Part:
    """A part with only a normal, to test selectors on."""
    return Part(POINT, (0.0, 0.0, 0.0), None, (0.0, 0.0, 0.0), normal)


# Components ---------------------------------------------------------------------------------------


def faces(geometry: Geometry, size: Vector) -> list[Part]:
    """The faces of a geometry in a scope of that size, each with its own scope.

    A face's scope has z along the normal and x level, so that y points up a wall; on a level face x is
    along the first edge.
    """
    if geometry is BOX and all(length > 0 for length in size):
        return _box_faces(size)
    found = []
    kinds = topology.face_kinds(geometry)
    for k, face in enumerate(geometry.faces):
        part = face_part(geometry.points[list(face)] * size)
        if part is not None:
            found.append(part._replace(kinds=kinds[k], face=k))
    return found


def _box_faces(size: Vector) -> list[Part]:
    sx, sy, sz = size
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    minus_x, minus_y, minus_z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
    inside = topology.INSIDE
    return [
        Part(FACE, (0.0, 0.0, sz), from_axes(x, y, z), (sx, sy, 0.0), z, inside, 0),
        Part(FACE, (sx, 0.0, sz), from_axes(minus_z, y, x), (sz, sy, 0.0), x, inside, 1),
        Part(
            FACE, (sx, 0.0, 0.0), from_axes(minus_x, y, minus_z), (sx, sy, 0.0), minus_z, inside, 2
        ),
        Part(FACE, (0.0, 0.0, 0.0), from_axes(z, y, minus_x), (sz, sy, 0.0), minus_x, inside, 3),
        Part(FACE, (0.0, sy, sz), from_axes(x, minus_z, y), (sx, sz, 0.0), y, inside, 4),
        Part(FACE, (0.0, 0.0, 0.0), from_axes(x, z, minus_y), (sx, sz, 0.0), minus_y, inside, 5),
    ]


def face_axes(corners: Floats) -> Floats:
    """The axes of a polygon's scope as columns, shape (3, 3); zero if it has no area.

    z is the normal. x is level, so that y points up a wall; on a level face it is the first edge.

    Args:
        corners: Shape (N, 3).
    """
    normal = newell(corners)
    if not np.any(normal):
        return np.zeros((3, 3))
    level = np.cross((0.0, 1.0, 0.0), normal)
    if np.linalg.norm(level) < 0.2:  # nearly level: x is the first edge, projected
        sides = np.roll(corners, -1, axis=0) - corners
        level = sides[int(np.argmax(np.any(sides != 0.0, axis=1)))]
        level = level - (level @ normal) * normal
    across = level / np.linalg.norm(level)
    return np.stack([across, np.cross(normal, across), normal], axis=1)


def face_part(corners: Floats) -> Part | None:
    """A polygon with its own scope; None if it has no area.

    Args:
        corners: Shape (N, 3).
    """
    axes = face_axes(corners)
    across, up, normal = axes.T
    if not np.any(normal):
        return None
    own = corners @ axes
    geometry, low, size = fitted("face", own, [tuple(range(len(own)))])
    return Part(
        geometry,
        vector(axes @ low),
        from_axes(vector(across), vector(up), vector(normal)),
        (float(size[0]), float(size[1]), 0.0),
        vector(normal),
    )


def edges(geometry: Geometry, size: Vector) -> list[Part]:
    """The edges of a geometry, each with x along it and z along the mean normal of its faces.

    x runs against the direction of the edge in its first face; the first faces of a box are its bottom
    and top.
    """
    found = []
    points = geometry.points * size
    normals = [newell(points[list(face)]) for face in geometry.faces]
    beside = topology.faces_at_edges(geometry)
    kinds = topology.edge_kinds(geometry, size)
    for (a, b), kind in zip(geometry.edges, kinds, strict=True):
        along = points[a] - points[b]
        length = float(np.linalg.norm(along))
        if length == 0.0:
            continue
        first = b
        if geometry is BOX and abs(along[1]) < length:
            first, along = a, -along
        x = along / length
        up = np.array((0.0, 1.0, 0.0)) - x[1] * x
        if np.linalg.norm(up) < 1e-6:
            up = np.array((0.0, 0.0, 1.0))
        up /= np.linalg.norm(up)
        faces = beside.get((min(a, b), max(a, b)), [])
        if "eave" in kind:  # the underside of a roof does not count
            faces = [k for k in faces if topology.slopes(normals[k])]
        z: Floats = sum((normals[k] for k in faces), np.zeros(3))
        z = z - (z @ x) * x
        z = z / np.linalg.norm(z) if np.linalg.norm(z) > 1e-6 else np.cross(x, up)
        axes = from_axes(vector(x), vector(np.cross(z, x)), vector(z))
        position = vector(points[first])
        found.append(Part(LINE, position, axes, (length, 0.0, 0.0), vector(up), kind))
    return found


def face_edges(geometry: Geometry, size: Vector) -> list[Part]:
    """The edges of each face, in the order of the faces: an edge of two faces comes twice.

    x is along the edge in the direction of its face, y is the face's normal, and z points out of the
    face; selectors go by z.
    """
    found = []
    points = geometry.points * size
    beside = topology.faces_at_edges(geometry)
    for face in geometry.faces:
        normal = newell(points[list(face)])
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            along = points[b] - points[a]
            length = float(np.linalg.norm(along))
            if length == 0.0 or not np.any(normal):
                continue
            x = along / length
            out = vector(np.cross(x, normal))
            axes = from_axes(vector(x), vector(normal), out)
            alone = len(beside[min(a, b), max(a, b)]) == 1
            kinds = topology.BORDER if alone else topology.INSIDE
            found.append(Part(LINE, vector(points[a]), axes, (length, 0.0, 0.0), out, kinds))
    return found


def corners(geometry: Geometry, size: Vector) -> list[Part]:
    """The vertices of a geometry as points, each with z along the mean normal of its faces."""
    points = geometry.points * size
    normals = np.zeros_like(points)
    for face in geometry.faces:
        normals[list(face)] += newell(points[list(face)])
    found = []
    for point, normal in zip(points, normals, strict=True):
        length = float(np.linalg.norm(normal))
        axes = None
        if length > 1e-6:
            z = normal / length
            x = np.cross(z, (1.0, 0.0, 0.0))
            if np.linalg.norm(x) < 1e-6:
                x = np.cross(z, (0.0, 1.0, 0.0))
            x /= np.linalg.norm(x)
            axes = from_axes(vector(x), vector(np.cross(z, x)), vector(z))
        found.append(Part(POINT, vector(point), axes, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    return found


def merged(
    parts: list[tuple[Floats, list[Polygon]]], name: str = "merged faces"
) -> tuple[Geometry, Floats, Floats]:
    """Several meshes (points (V, 3), faces) in one frame as one geometry; returns as `fitted`."""
    points: list[Floats] = []
    polygons: list[Polygon] = []
    count = 0
    for own, of in parts:
        points.append(own)
        polygons += [tuple(k + count for k in face) for face in of]
        count += len(own)
    return fitted(name, np.concatenate(points), polygons)


# Selectors ----------------------------------------------------------------------------------------

SIDES = {
    "front": (2, 1.0), "back": (2, -1.0), "right": (0, 1.0), "left": (0, -1.0),
    "top": (1, 1.0), "bottom": (1, -1.0),
}  # fmt: skip
SELECTORS = (*SIDES, "side", "vertical", "horizontal", "aslant", "nutant", "all")
ADJACENCY = ("border", "inside", "eave", "hip", "valley", "ridge")
"""Selectors that depend on the adjacent faces; see `topology`."""
WORLD = {
    "south": "front", "north": "back", "east": "right", "west": "left",
    "up": "top", "down": "bottom", "side": "side",
}  # fmt: skip


def selector(name: str) -> tuple[str, bool] | None:
    """Look up a selector: (selector, True if in world axes); None if the name is no selector.

    The initial shape has the world's axes, so object.front is world.south. There are no streets:
    street.front is object.front.
    """
    if name in SELECTORS or name in ADJACENCY:
        return name, False
    family, dot, own = name.partition(".")
    if name.startswith("street") and not dot:  # streetSide is street.side
        family, dot, own = "street", ".", name[6:].lower()
    if dot and family == "world" and own in WORLD:
        return WORLD[own], True
    if dot and family in ("object", "street") and own in (*SIDES, "side"):
        return own, True
    return None


def selects(selector: str, normal: Vector) -> bool:
    """True if a selector takes a component with that normal, in the shape's own axes.

    "horizontal" faces are within 11.25 degrees of level, "vertical" ones within 11.25 degrees of
    vertical; "aslant" and "nutant" are in between, facing up and down; "side" is everything but
    horizontal.
    """
    if selector == "all":
        return True
    if normal == (0.0, 0.0, 0.0):
        return False
    if selector in SIDES:
        axis, sign = SIDES[selector]
        most = max(range(3), key=lambda k: (abs(normal[k]) > 1e-12, abs(normal[k]), k == 1))
        return most == axis and normal[axis] * sign > 0
    tilt = math.degrees(math.asin(max(-1.0, min(1.0, normal[1]))))
    if selector == "horizontal":
        return abs(tilt) > 78.75
    if selector == "side":
        return abs(tilt) <= 78.75
    if selector == "vertical":
        return -11.25 < tilt <= 11.25
    if selector == "aslant":
        return 11.25 < tilt <= 78.75
    return -78.75 <= tilt <= -11.25
