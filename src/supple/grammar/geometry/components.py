"""Cutting geometries: clipping between two planes, faces, edges and corners, and extruding."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.grammar.geometry import topology as traits
from supple.grammar.geometry.frames import Rotation, Vector, from_axes
from supple.grammar.geometry.mesh import (
    BOX,
    FACE,
    GROUND,
    LINE,
    NEAR,
    POINT,
    Floats,
    Geometry,
    Polygon,
    fitted,
    newell,
)


class Part(NamedTuple):
    """A part of a shape in the shape's own scope, its size in length units.

    Attributes:
        geometry: What fills the part.
        offset: Where its scope begins.
        rotation: How its scope is turned.
        size: Its scope's size.
        normal: Where it faces; zero if it does not.
        traits: Of `TRAITS`, what it is among its neighbours.
    """

    geometry: Geometry
    offset: Vector
    rotation: Rotation | None
    size: Vector
    normal: Vector
    traits: frozenset[str] = frozenset()


def facing(normal: Vector) -> Part:
    """Nothing but where it faces: for selectors."""
    return Part(POINT, (0.0, 0.0, 0.0), None, (0.0, 0.0, 0.0), normal)


def _vector(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


# Slabs --------------------------------------------------------------------------------------------


def slab(geometry: Geometry, axis: int, low: float, high: float) -> tuple[Geometry, Floats, Floats]:
    """The part of a geometry between two planes of the unit cube, lids included.

    Returns:
        The geometry, where its box begins in the unit cube and the box's size there. Nothing left
        gives a geometry without faces.
    """
    points, faces = geometry.points, geometry.faces
    if geometry.texcoords is not None:  # which are cut as the points are
        points = np.hstack([points, geometry.texcoords])
    closed = geometry.closed
    for sign, level in ((1.0, low), (-1.0, -high)):
        points, faces = _clipped(points, faces, axis, sign, level, closed)
    if not faces:
        return Geometry("nothing", np.zeros((0, 3)), []), np.zeros(3), np.zeros(3)
    used = sorted({k for face in faces for k in face})
    place = {k: n for n, k in enumerate(used)}
    kept = [tuple(place[k] for k in face) for face in faces]
    uv = None if geometry.texcoords is None else points[used, 3:]
    name, smooth = f"part of {geometry.name}", geometry.smooth
    return fitted(name, points[used, :3], kept, smooth=smooth, texcoords=uv)


def _clipped(
    points: Floats, faces: list[Polygon], axis: int, sign: float, level: float, closed: bool
) -> tuple[Floats, list[Polygon]]:
    """The part of polygons where sign * coordinate >= level (Sutherland & Hodgman), with a lid.

    Whatever stands beside the three coordinates of a point is cut with it.
    """
    value = sign * points[:, axis] - level
    if np.all(value >= -NEAR):
        return points, faces
    grown = [tuple(point) for point in points.tolist()]
    made: dict[tuple[int, int], int] = {}
    kept: list[Polygon] = []
    follows: dict[int, int] = {}
    for face in faces:
        out: list[int] = []
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            if value[a] >= -NEAR:
                out.append(a)
            if (value[a] > NEAR and value[b] < -NEAR) or (value[a] < -NEAR and value[b] > NEAR):
                key = (min(a, b), max(a, b))
                if key not in made:
                    t = float(value[a] / (value[a] - value[b]))
                    made[key] = len(grown)
                    grown.append(tuple((points[a] + t * (points[b] - points[a])).tolist()))
                out.append(made[key])
        if len(out) >= 3:
            kept.append(tuple(out))
    flat = np.array(grown)
    if closed:
        on_plane = np.abs(sign * flat[:, axis] - level) <= 2 * NEAR
        for face in kept:
            if all(on_plane[k] for k in face):
                continue
            for a, b in zip(face, (*face[1:], face[0]), strict=True):
                if on_plane[a] and on_plane[b]:
                    follows[b] = a  # the lid runs the other way round
        kept += _loops(follows)
    return flat, kept


def _loops(follows: dict[int, int]) -> list[Polygon]:
    """The closed polygons of edges that are given by what follows each corner."""
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


# Components ---------------------------------------------------------------------------------------


def faces(geometry: Geometry, size: Vector) -> list[Part]:
    """The faces of a geometry in a scope of that size, each with a scope of its own.

    A face's scope has z along the normal and x level (across the shape's y axis): y runs up a wall.
    """
    if geometry is BOX and all(length > 0 for length in size):
        return _box_faces(size)
    found = []
    for face, own in zip(geometry.faces, traits.of_faces(geometry), strict=True):
        part = face_part(geometry.points[list(face)] * size)
        if part is not None:
            found.append(part._replace(traits=own))
    return found


def _box_faces(size: Vector) -> list[Part]:
    sx, sy, sz = size
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    minus_x, minus_y, minus_z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
    inside = traits.INSIDE
    return [
        Part(FACE, (0.0, 0.0, sz), from_axes(x, y, z), (sx, sy, 0.0), z, inside),
        Part(FACE, (sx, 0.0, sz), from_axes(minus_z, y, x), (sz, sy, 0.0), x, inside),
        Part(FACE, (sx, 0.0, 0.0), from_axes(minus_x, y, minus_z), (sx, sy, 0.0), minus_z, inside),
        Part(FACE, (0.0, 0.0, 0.0), from_axes(z, y, minus_x), (sz, sy, 0.0), minus_x, inside),
        Part(FACE, (0.0, sy, sz), from_axes(x, minus_z, y), (sx, sz, 0.0), y, inside),
        Part(FACE, (0.0, 0.0, 0.0), from_axes(x, z, minus_y), (sx, sz, 0.0), minus_y, inside),
    ]


def face_part(corners: Floats) -> Part | None:
    """A polygon with a scope of its own; None if it has no area."""
    normal = newell(corners)
    if not np.any(normal):
        return None
    level = np.cross((0.0, 1.0, 0.0), normal)
    if np.linalg.norm(level) < 0.2:  # it lies: its x is the shape's x, as far as it can be
        level = np.array((1.0, 0.0, 0.0)) - normal[0] * normal
    across = level / np.linalg.norm(level)
    up = np.cross(normal, across)
    axes = np.stack([across, up, normal], axis=1)
    own = corners @ axes
    geometry, low, size = fitted("face", own, [tuple(range(len(own)))])
    return Part(
        geometry,
        _vector(axes @ low),
        from_axes(_vector(across), _vector(up), _vector(normal)),
        (float(size[0]), float(size[1]), 0.0),
        _vector(normal),
    )


def edges(geometry: Geometry, size: Vector) -> list[Part]:
    """The edges of a geometry, each with x along it; y is the shape's y as far as it can be."""
    found = []
    points = geometry.points * size
    for (a, b), own in zip(geometry.edges, traits.of_edges(geometry, size), strict=True):
        along = points[b] - points[a]
        length = float(np.linalg.norm(along))
        if length == 0.0:
            continue
        x = along / length
        y = np.array((0.0, 1.0, 0.0)) - x[1] * x
        if np.linalg.norm(y) < 1e-6:
            y = np.array((0.0, 0.0, 1.0))
        y /= np.linalg.norm(y)
        axes = from_axes(_vector(x), _vector(y), _vector(np.cross(x, y)))
        found.append(Part(LINE, _vector(points[a]), axes, (length, 0.0, 0.0), _vector(y), own))
    return found


def corners(geometry: Geometry, size: Vector) -> list[Part]:
    """The corners of a geometry, as points."""
    points = geometry.points * size
    return [Part(POINT, _vector(p), None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for p in points]


def merged(parts: list[tuple[Floats, list[Polygon]]]) -> tuple[Geometry, Floats, Floats]:
    """Several polygons, their corners in one frame, as one geometry: see `fitted`."""
    points: list[Floats] = []
    polygons: list[Polygon] = []
    count = 0
    for own, of in parts:
        points.append(own)
        polygons += [tuple(k + count for k in face) for face in of]
        count += len(own)
    return fitted("merged faces", np.concatenate(points), polygons)


# Which way a component faces ----------------------------------------------------------------------

SIDES = {
    "front": (2, 1.0), "back": (2, -1.0), "right": (0, 1.0), "left": (0, -1.0),
    "top": (1, 1.0), "bottom": (1, -1.0),
}  # fmt: skip
SELECTORS = (*SIDES, "side", "vertical", "horizontal", "aslant", "nutant", "all")
TRAITS = ("border", "inside", "eave", "hip", "valley", "ridge")
WORLD = {
    "south": "front", "north": "back", "east": "right", "west": "left",
    "up": "top", "down": "bottom", "side": "side",
}  # fmt: skip


def selector(name: str) -> tuple[str, bool] | None:
    """What a selector's name means: (selector, whether in the world's axes); None for none.

    The first shape stands as the world does, so that object.front is world.south; without streets,
    street.front is object.front.
    """
    if name in SELECTORS or name in TRAITS:
        return name, False
    family, dot, own = name.partition(".")
    if dot and family == "world" and own in WORLD:
        return WORLD[own], True
    if dot and family in ("object", "street") and own in (*SIDES, "side"):
        return own, True
    return None


def selects(selector: str, normal: Vector) -> bool:
    """Whether a selector takes a component that faces that way, in the shape's own axes.

    "horizontal" lies within 11.25 degrees of level, "vertical" stands within 11.25 degrees of
    upright, "aslant" and "nutant" are between the two, facing up and down; "side" is all but
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


# Extruding ----------------------------------------------------------------------------------------


def extruded(geometry: Geometry, size: Vector, along: Vector) -> tuple[Geometry, Vector, Vector]:
    """A flat geometry pulled along a vector of its scope: (geometry, offset, size)."""
    axis = geometry.flat
    if axis is None:
        raise SuppleError("extrude: expected a flat shape, such as a lot or a face, got a solid")
    pull = along[axis]
    straight = all(abs(along[k]) <= NEAR * abs(pull) for k in range(3) if k != axis)
    if straight and geometry in (GROUND, FACE):
        new = [*size]
        new[axis] = abs(pull)
        offset = [0.0, 0.0, 0.0]
        offset[axis] = min(pull, 0.0)
        return BOX, _vector(offset), _vector(new)
    base = geometry.points * size
    count = len(base)
    points = np.concatenate([base, base + np.array(along)])
    polygons: list[Polygon] = []
    rims: dict[tuple[int, int], int] = {}
    for face in geometry.faces:
        facing = newell(base[list(face)])[axis] * pull > 0
        ground = face[::-1] if facing else face
        lid = face if facing else face[::-1]
        polygons += [tuple(ground), tuple(k + count for k in lid)]
        for a, b in zip(lid, (*lid[1:], lid[0]), strict=True):
            rims[a, b] = 1
    for a, b in rims:
        if (b, a) not in rims:
            polygons.append((a, b, b + count, a + count))
    solid, low, extent = fitted(f"extruded {geometry.name}", points, polygons)
    return solid, _vector(low), _vector(extent)
