"""What fills a shape's scope: polygons in the unit cube, shared by all shapes that look alike.

A geometry is made once and never changes: scaling, moving and turning a shape only touch its scope.
So a street with a hundred thousand boxes has one box, and a split of a box is a box again.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.grammar.geometry.frames import Vector

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Polygon = tuple[int, ...]

NEAR = 1e-9  # of the unit cube: points nearer than this are one
ROUND = 16  # sides of a cylinder, a cone or a sphere
RINGS = 8


class Geometry:
    """Polygons in the unit cube.

    Args:
        name: What it is called.
        points: Corners, shape (V, 3), in [0, 1] where the scope has a size.
        faces: Corners of each polygon, counterclockwise seen from outside.
        size: Its natural size, before it was fitted to the unit cube.
        origin: Where its natural box begins.
        smooth: Whether neighbouring faces share normals.
        texcoords: For each corner u right, v down, shape (V, 2), or None.
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
        """The axis that it has no thickness along, if there is just one."""
        if not self.faces:
            return None
        thin = np.ptp(self.points, axis=0) <= NEAR
        return int(np.argmax(thin)) if thin.sum() == 1 else None

    @cached_property
    def fills(self) -> bool:
        """Whether a part that is cut off along an axis is the same geometry again."""
        return self in (BOX, GROUND, FACE, LINE, POINT)

    @cached_property
    def closed(self) -> bool:
        """Whether every edge parts two faces: a cut through it has a lid."""
        runs = [
            (a, b) for face in self.faces for a, b in zip(face, (*face[1:], face[0]), strict=True)
        ]
        once = set(runs)
        return bool(runs) and len(once) == len(runs) and all((b, a) in once for a, b in runs)

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of corners, each once, in the order of the faces."""
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
        """The sum of the faces' areas in a scope of that size."""
        total = 0.0
        for face in self.faces:
            total += float(np.linalg.norm(_twice_area(self.points[list(face)] * size))) / 2
        return total

    def volume(self, size: Vector) -> float:
        """The volume that closed faces enclose in a scope of that size."""
        total = 0.0
        for face in self.faces:
            corners = self.points[list(face)] * size
            total += float(corners[0] @ _twice_area(corners)) / 6
        return total


# Polygons -----------------------------------------------------------------------------------------


def _twice_area(corners: Floats) -> Floats:
    """The normal of a polygon, as long as twice its area (Newell)."""
    return np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)


def newell(corners: Floats) -> Floats:
    """The unit normal of a polygon; zero if it has no area."""
    normal = _twice_area(corners)
    size = float(np.linalg.norm(normal))
    return normal / size if size > 0 else normal


def is_convex(corners: Floats, normal: Floats) -> bool:
    """Whether a polygon never turns inwards, seen against its normal."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    turns = np.cross(corners - before, after - corners) @ normal
    scale = float(np.abs(turns).max(initial=0.0))
    return bool(np.all(turns >= -1e-9 * scale))


def triangulated(corners: Floats) -> list[tuple[int, int, int]]:
    """Triangles of a simple polygon, by cutting off ears; a fan where it is convex."""
    count = len(corners)
    if count < 4:
        return [(0, 1, 2)] if count == 3 else []
    normal = newell(corners)
    keep = [k for k in range(3) if k != int(np.argmax(np.abs(normal)))]
    flat = corners[:, keep]
    if _signed(flat) < 0:
        flat = flat[:, ::-1]
    nxt, prv = np.roll(flat, -1, axis=0), np.roll(flat, 1, axis=0)
    if np.all(_cross2(flat - prv, nxt - flat) >= -1e-15):
        return [(0, k, k + 1) for k in range(1, count - 1)]
    rest, out = list(range(count)), []
    while len(rest) > 3:
        for k in range(len(rest)):
            a, b, c = rest[k - 1], rest[k], rest[(k + 1) % len(rest)]
            if _cross2(flat[b] - flat[a], flat[c] - flat[b]) <= 0:
                continue
            others = [flat[j] for j in rest if j not in (a, b, c)]
            if not any(_within(flat[a], flat[b], flat[c], point) for point in others):
                out.append((a, b, c))
                rest.pop(k)
                break
        else:  # crossing edges: whatever is left is a fan
            break
    out += [(rest[0], rest[k], rest[k + 1]) for k in range(1, len(rest) - 1)]
    return out


def _signed(flat: Floats) -> float:
    return float(_cross2(flat, np.roll(flat, -1, axis=0)).sum())


def _cross2(a: Any, b: Any) -> Any:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _within(a: Floats, b: Floats, c: Floats, point: Floats) -> bool:
    sides = (_cross2(b - a, point - a), _cross2(c - b, point - b), _cross2(a - c, point - c))
    return all(side >= 0 for side in sides)


def unit_texcoords(corners: Floats) -> Floats:
    """The whole image once over the scope, seen along the axis the polygon faces most."""
    axis = int(np.argmax(np.abs(newell(corners))))
    u, v = ((2, 1), (0, 2), (0, 1))[axis]
    return np.stack([corners[:, u], 1.0 - corners[:, v]], axis=1)


def _smoothed(vertices: Floats, normals: Floats) -> Floats:
    keys = np.round(vertices / 1e-6).astype(np.int64)
    _, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.reshape(-1)
    sums = np.zeros((which.max() + 1, 3))
    np.add.at(sums, which, normals)
    # The rim of a cylinder belongs to its side and to its lid: only what points alike is shared.
    mean = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    found = mean[which]
    sharp = np.einsum("ij,ij->i", found, normals) < 0.85
    found[sharp] = normals[sharp]
    return found


# Building blocks ----------------------------------------------------------------------------------


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


def _ring(height: float, radius: float = 0.5) -> list[Vector]:
    angles = 2 * np.pi * np.arange(ROUND) / ROUND
    return [
        (0.5 + radius * float(np.cos(a)), height, 0.5 - radius * float(np.sin(a))) for a in angles
    ]


def _around(low: int, high: int) -> list[Polygon]:
    following = [(k + 1) % ROUND for k in range(ROUND)]
    return [(low + k, low + n, high + n, high + k) for k, n in enumerate(following)]


def _cylinder() -> Geometry:
    faces = _around(0, ROUND)
    faces += [tuple(range(ROUND, 2 * ROUND)), tuple(range(ROUND - 1, -1, -1))]
    return Geometry("cylinder", _ring(0.0) + _ring(1.0), faces, smooth=True)


def _cone() -> Geometry:
    faces: list[Polygon] = [(k, (k + 1) % ROUND, ROUND) for k in range(ROUND)]
    faces.append(tuple(range(ROUND - 1, -1, -1)))
    return Geometry("cone", [*_ring(0.0), (0.5, 1.0, 0.5)], faces, smooth=True)


def _sphere() -> Geometry:
    points: list[Vector] = [(0.5, 0.0, 0.5)]
    for k in range(1, RINGS):
        angle = np.pi * k / RINGS
        points += _ring(0.5 - 0.5 * float(np.cos(angle)), 0.5 * float(np.sin(angle)))
    points.append((0.5, 1.0, 0.5))
    top, last = len(points) - 1, len(points) - 1 - ROUND
    faces: list[Polygon] = [(0, 1 + (k + 1) % ROUND, 1 + k) for k in range(ROUND)]
    for k in range(RINGS - 2):
        faces += _around(1 + k * ROUND, 1 + (k + 1) * ROUND)
    faces += [(last + k, last + (k + 1) % ROUND, top) for k in range(ROUND)]
    return Geometry("sphere", points, faces, smooth=True)


BOX = _box()
GROUND = Geometry("ground", [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0)], [(0, 1, 2, 3)])
FACE = Geometry("face", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
LINE = Geometry("line", [(0, 0, 0), (1, 0, 0)], [])
POINT = Geometry("point", [(0, 0, 0)], [])
CYLINDER = _cylinder()
CONE = _cone()
SPHERE = _sphere()
DISK = Geometry("disk", _ring(0.0), [tuple(range(ROUND))])

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
    """A geometry of points anywhere: the geometry, where its box begins, and the box's size.

    A rectangle is the one that all rectangles share, unless it has texture coordinates of its own.
    """
    if not len(points):
        raise SuppleError(f"{name}: expected points, got none")
    low = points.min(axis=0)
    size = points.max(axis=0) - low
    scale = float(np.abs(points).max(initial=1.0)) or 1.0
    size[size <= NEAR * scale] = 0.0
    unit = (points - low) / np.where(size > 0, size, 1.0)
    unit[:, size == 0] = 0.0
    known = _known(unit, faces) if more.get("texcoords") is None else None
    natural = {"size": tuple(size.tolist()), "origin": tuple(low.tolist())}
    found = known if known is not None else Geometry(name, unit, faces, **natural, **more)
    return found, low, size


_RECTANGLES = (FACE, GROUND)
_ROLLED = np.stack([np.roll(known.points, -k, axis=0) for known in _RECTANGLES for k in range(4)])


def _known(unit: Floats, faces: list[Polygon]) -> Geometry | None:
    """A rectangle is the one that all rectangles share."""
    if len(faces) != 1 or len(faces[0]) != 4:
        return None
    off = np.abs(unit[list(faces[0])] - _ROLLED).max(axis=(1, 2))
    k = int(np.argmin(off))
    return _RECTANGLES[k // 4] if off[k] <= NEAR else None
