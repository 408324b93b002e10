"""Polygon meshes in the unit cube, shared between shapes.

A geometry is immutable: moving, scaling or rotating a shape changes only its scope. A hundred
thousand boxes share one box geometry, and splitting a box gives boxes again.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.polygons import (
    Floats,
    Ints,
    Polygon,
    newell,
    triangulated,
    twice_area,
    unit_texcoords,
)
from supple.errors import SuppleError

COINCIDENT_DISTANCE = 1e-9  # points of the unit cube closer than this coincide; rounding
ROUND_SIDES = 16  # sides of a cylinder, a cone or a sphere
SPHERE_RINGS = 16  # of a sphere


class Geometry:
    """A polygon mesh in the unit cube.

    Args:
        name: A name for messages and results.
        points: Vertices, shape (V, 3), in [0, 1] along axes in which the scope has a size.
        faces: Vertex indices of each polygon, counterclockwise seen from outside.
        size: Size of the bounding box before it was scaled to the unit cube.
        origin: Lowest corner of that bounding box.
        smooth: True if adjacent faces share normals.
        texcoords: Per vertex, u to the right and v down, shape (V, 2), or None.
    """

    __slots__ = ("__dict__", "faces", "name", "origin", "points", "size", "smooth", "texcoords")

    def __init__(
        self,
        name: str,
        points: Any,
        faces: list[Polygon],
        *,
        size: Vector = (1.0, 1.0, 1.0),
        origin: Vector = (0.0, 0.0, 0.0),
        smooth: bool = False,
        texcoords: Any = None,
    ) -> None:
        self.name = name
        self.points: Floats = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        self.faces = faces
        self.size = size
        self.origin = origin
        self.smooth = smooth
        self.texcoords = texcoords

    def __repr__(self) -> str:
        return f"Geometry({self.name!r}: {len(self.points)} points, {len(self.faces)} faces)"

    @cached_property
    def flat(self) -> int | None:
        """The one axis along which the geometry has no thickness; None for none or several."""
        if not self.faces:
            return None
        thin = np.ptp(self.points, axis=0) <= COINCIDENT_DISTANCE
        return int(np.argmax(thin)) if thin.sum() == 1 else None

    @cached_property
    def fills(self) -> bool:
        """True if cutting along an axis gives the same geometry again, as for a box."""
        return self in (BOX, GROUND, FACE, LINE, POINT, NOTHING)

    @cached_property
    def closed(self) -> bool:
        """True if every edge borders two faces, so that a cut through it needs a cap."""
        runs = [
            (a, b) for face in self.faces for a, b in zip(face, (*face[1:], face[0]), strict=True)
        ]
        once = set(runs)
        return bool(runs) and len(once) == len(runs) and all((b, a) in once for a, b in runs)

    @cached_property
    def triangle_count(self) -> int:
        """Number of triangles that the faces are cut into; the triangles themselves are not made."""
        return sum(len(face) - 2 for face in self.faces)

    @cached_property
    def corner_count(self) -> int:
        """Number of vertices that `triangles` has: each face has its own."""
        return sum(len(face) for face in self.faces)

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Vertex pairs, each edge once, in the order of the faces."""
        if self is LINE:
            return [(0, 1)]
        seen: dict[tuple[int, int], tuple[int, int]] = {}
        for face in self.faces:
            for a, b in zip(face, (*face[1:], face[0]), strict=True):
                seen.setdefault((min(a, b), max(a, b)), (a, b))
        return list(seen.values())

    @cached_property
    def triangles(self) -> tuple[Floats, Floats, Ints, Floats]:
        """Vertices (V, 3), unit-cube normals (V, 3), triangles (F, 3) and texcoords (V, 2)."""
        points, normals, triangles, texcoords = [], [], [], []
        count = 0
        for face in self.faces:
            corners = self.points[list(face)]
            for a, b, c in triangulated(corners):
                triangles.append((count + a, count + b, count + c))
            points.append(corners)
            normals.append(np.broadcast_to(newell(corners), corners.shape))
            if self.texcoords is not None:
                texcoords.append(self.texcoords[list(face)])
            else:
                texcoords.append(unit_texcoords(corners))
            count += len(face)
        if not points:
            nothing = np.zeros((0, 3))
            return nothing, nothing, np.zeros((0, 3), np.int64), np.zeros((0, 2))
        vertices, shading = np.concatenate(points), np.concatenate(normals)
        if self.smooth:
            shading = _smoothed(vertices, shading)
        found = np.array(triangles, dtype=np.int64).reshape(-1, 3)
        return vertices, shading, found, np.concatenate(texcoords)

    def area(self, size: Vector) -> float:
        """Total area of the faces in a scope of that size."""
        total = 0.0
        for face in self.faces:
            total += float(np.linalg.norm(twice_area(self.points[list(face)] * size))) / 2
        return total

    def volume(self, size: Vector) -> float:
        """Volume enclosed by the faces of a closed geometry in a scope of that size."""
        total = 0.0
        for face in self.faces:
            corners = self.points[list(face)] * size
            total += float(corners[0] @ twice_area(corners)) / 6
        return total


def _smoothed(vertices: Floats, normals: Floats) -> Floats:
    keys = np.round(vertices / 1e-6).astype(np.int64)
    _, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.reshape(-1)
    sums = np.zeros((which.max() + 1, 3))
    np.add.at(sums, which, normals)
    # The rim of a cylinder belongs to its side and its cap: share only normals that nearly agree.
    mean = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    found = mean[which]
    sharp = np.einsum("ij,ij->i", found, normals) < 0.85
    found[sharp] = normals[sharp]
    return found


# Primitives ---------------------------------------------------------------------------------------


def _box() -> Geometry:
    points = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    index = {point: k for k, point in enumerate(points)}
    faces = [
        [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],  # front, +z
        [(1, 0, 1), (1, 0, 0), (1, 1, 0), (1, 1, 1)],  # right, +x
        [(1, 0, 0), (0, 0, 0), (0, 1, 0), (1, 1, 0)],  # back, -z
        [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)],  # left, -x
        [(0, 1, 1), (1, 1, 1), (1, 1, 0), (0, 1, 0)],  # top, +y
        [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)],  # bottom, -y
    ]
    return Geometry("box", points, [tuple(index[corner] for corner in face) for face in faces])


class Outline(NamedTuple):
    """A regular polygon that fills the unit square; pairs are (x, z).

    It begins with the edge at the front, which is parallel to x, as CityEngine's engine has it.

    Attributes:
        corners: Its corners.
        middle: The middle of its circle.
        size: Its size before it was scaled, for a circle of radius 1.
    """

    corners: list[tuple[float, float]]
    middle: tuple[float, float]
    size: tuple[float, float]


def outline(sides: int) -> Outline:
    """The regular polygon with so many sides."""
    angles = [math.pi * (2 * k - 1) / sides for k in range(sides)]
    xs, zs = [math.sin(a) for a in angles], [math.cos(a) for a in angles]
    wide, deep = max(xs) - min(xs), max(zs) - min(zs)
    corners = [((x - min(xs)) / wide, (z - min(zs)) / deep) for x, z in zip(xs, zs, strict=True)]
    return Outline(corners, (-min(xs) / wide, -min(zs) / deep), (wide, deep))


def _around(low: int, high: int, sides: int) -> list[Polygon]:
    """Quads between two rings of points."""
    after = [(k + 1) % sides for k in range(sides)]
    return [(low + k, low + n, high + n, high + k) for k, n in enumerate(after)]


def round_solid(kind: str, sides: int, rings: int = SPHERE_RINGS) -> Geometry:
    """A "disk", "cylinder", "cone" or "sphere" with so many sides, that fills the unit cube.

    Args:
        kind: The solid.
        sides: The number of sides.
        rings: The number of rings of faces of a sphere.
    """
    corners, (x, z), _ = outline(sides)
    low = [(u, 0.0, w) for u, w in corners]
    top: Polygon = tuple(range(sides, 2 * sides))
    bottom: Polygon = tuple(reversed(range(sides)))
    name = kind if sides == ROUND_SIDES and rings == SPHERE_RINGS else f"{kind} of {sides}"
    if kind == "disk":
        return Geometry(name, low, [tuple(range(sides))])
    smooth = sides > 8
    if kind == "cone":
        slopes: list[Polygon] = [(k, (k + 1) % sides, sides) for k in range(sides)]
        return Geometry(name, [*low, (x, 1.0, z)], [*slopes, bottom], smooth=smooth)
    if kind == "cylinder":
        points = [*low, *((u, 1.0, w) for u, w in corners)]
        return Geometry(name, points, [*_around(0, sides, sides), top, bottom], smooth=smooth)
    levels = [math.pi * k / rings for k in range(1, rings)]
    widest = max(math.sin(level) for level in levels)
    points = [(x, 0.0, z)]
    for level in levels:
        far = math.sin(level) / widest
        height = 0.5 - 0.5 * math.cos(level)
        points += [(x + far * (u - x), height, z + far * (w - z)) for u, w in corners]
    points.append((x, 1.0, z))
    last = len(points) - 1 - sides
    faces: list[Polygon] = [(0, 1 + (k + 1) % sides, 1 + k) for k in range(sides)]
    for k in range(rings - 2):
        faces += _around(1 + k * sides, 1 + (k + 1) * sides, sides)
    faces += [(last + k, last + (k + 1) % sides, len(points) - 1) for k in range(sides)]
    return Geometry(name, points, faces, smooth=smooth)


BOX = _box()
GROUND = Geometry("ground", [(0, 0, 1), (1, 0, 1), (1, 0, 0), (0, 0, 0)], [(0, 1, 2, 3)])
FACE = Geometry("face", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
LINE = Geometry("line", [(0, 0, 0), (1, 0, 0)], [])
POINT = Geometry("point", [(0, 0, 0)], [])
NOTHING = Geometry("nothing", [(0, 0, 0)], [])
"""A shape that was offset or trimmed to nothing; operations do not change it."""
CYLINDER, CONE, SPHERE, DISK = (
    round_solid(kind, ROUND_SIDES) for kind in ("cylinder", "cone", "sphere", "disk")
)

BUILT_IN = {
    "box": BOX,
    "cube": BOX,
    "cylinder": CYLINDER,
    "sphere": SPHERE,
    "cone": CONE,
    "quad": GROUND,
    "disk": DISK,
}


def fitted(
    name: str, points: Floats, faces: list[Polygon], **more: Any
) -> tuple[Geometry, Floats, Floats]:
    """Scale points to the unit cube.

    A rectangle without its own texture coordinates becomes the shared `FACE` or `GROUND`.

    Args:
        name: The geometry's name.
        points: Vertices, shape (V, 3).
        faces: Vertex indices of each polygon.
        more: `smooth` and `texcoords` of `Geometry`.

    Returns:
        The geometry, the lowest corner of the points' bounding box (3,) and the box's size (3,).
    """
    if not len(points):
        raise SuppleError(f"{name}: expected points, got none")
    low = points.min(axis=0)
    size = points.max(axis=0) - low
    scale = float(np.abs(points).max(initial=1.0)) or 1.0
    size[size <= COINCIDENT_DISTANCE * scale] = 0.0
    unit = (points - low) / np.where(size > 0, size, 1.0)
    unit[:, size == 0] = 0.0
    known = _known(unit, faces) if more.get("texcoords") is None else None
    natural = {"size": tuple(size.tolist()), "origin": tuple(low.tolist())}
    found = known if known is not None else Geometry(name, unit, faces, **natural, **more)
    return found, low, size


_RECTANGLES = (FACE, GROUND)
_ROLLED = np.stack([np.roll(known.points, -k, axis=0) for known in _RECTANGLES for k in range(4)])


def _known(unit: Floats, faces: list[Polygon]) -> Geometry | None:
    """The shared rectangle that the points form; None if they form another polygon."""
    if len(faces) != 1 or len(faces[0]) != 4:
        return None
    off = np.abs(unit[list(faces[0])] - _ROLLED).max(axis=(1, 2))
    k = int(np.argmin(off))
    return _RECTANGLES[k // 4] if off[k] <= COINCIDENT_DISTANCE else None
