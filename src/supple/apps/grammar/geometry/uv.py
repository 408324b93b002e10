"""Texture coordinates: projections, their extent over a surface, and cuts along them.

u points right and v up, as in rules. A face's coordinates come from a projection, else from the
geometry itself, else from the whole image spread once over the scope. In files and in
`Geometry.texcoords`, v points down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry.frames import Rotation, Scope, Vector
from supple.apps.grammar.geometry.mesh import Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon, area, newell, unit_texcoords
from supple.errors import SuppleError

SPACES = ("uvSpace", "unitSpace")


class Projection(NamedTuple):
    """A planar projection of texture coordinates.

    Attributes:
        origin, rotation: The scope that it was set up in, in world before IK; the world frame for
            a projection along world axes.
        axes: Indices of its axes that u and v run along.
        size: Length of one image along them, in the shape's unit.
        offset: Added to u and v.
        scale: Factors of u and v.
        turn: Rotation of u and v, degrees.
        boxed: True to project each face along the axis that its normal is closest to, for solids.
    """

    origin: Vector
    rotation: Rotation
    axes: tuple[int, int]
    size: tuple[float, float]
    offset: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    turn: float = 0.0
    boxed: bool = False


def projected(world: Floats, projection: Projection, normals: Floats | None = None) -> Floats:
    """Texture coordinates of points in world before IK, v down.

    Args:
        world: The points, shape (..., 3).
        projection: The projection.
        normals: Normals of the points' faces in world, shape (..., 3), for a boxed projection.

    Returns:
        Shape (..., 2).
    """
    u, v = projection.axes
    turn = np.reshape(projection.rotation, (3, 3))
    local = (world - projection.origin) @ turn
    right, up = local[..., u], local[..., v]
    if projection.boxed and normals is not None:
        facing = np.abs(normals @ turn)
        most = np.argmax(facing[..., [3 - u - v, u, v]], axis=-1)  # equal: as without a box
        right = np.where(most == 1, local[..., 3 - u - v], right)
        up = np.where(most == 2, local[..., 3 - u - v], up)
    uv = np.stack([right / projection.size[0], up / projection.size[1]], axis=-1)
    uv = uv * projection.scale
    if projection.turn:
        c, s = math.cos(math.radians(projection.turn)), math.sin(math.radians(projection.turn))
        uv = np.stack([c * uv[..., 0] - s * uv[..., 1], s * uv[..., 0] + c * uv[..., 1]], axis=-1)
    uv = uv + projection.offset
    return np.stack([uv[..., 0], 1.0 - uv[..., 1]], axis=-1)


def whole_image(geometry: Geometry, scope: Scope) -> Projection:
    """The projection of one image over a scope: over the face of a flat geometry, else the front."""
    u, v = {0: (2, 1), 1: (0, 2)}.get(geometry.flat, (0, 1))  # type: ignore[arg-type]
    size = (scope.s[u] or 1.0, scope.s[v] or 1.0)
    return Projection(scope.p, scope.R, (u, v), size)


class Unwrapped(NamedTuple):
    """The faces of a geometry with their texture coordinates.

    Attributes:
        faces: Corners of each face, shape (N, 5): x, y, z in the scope's axes and length units,
            then u and v.
        own: True if the coordinates belong to the geometry, so that its parts must keep them.
    """

    faces: list[Floats]
    own: bool

    def reach(self, which: int) -> tuple[float, float]:
        """The lowest and highest u (which = 0) or v (which = 1)."""
        values = np.concatenate([face[:, 3 + which] for face in self.faces])
        return float(values.min()), float(values.max())

    def unit(self, which: int) -> float:
        """Length over the surface per unit of u (which = 0) or v (which = 1), area-weighted mean."""
        lengths, areas = [], []
        for face in self.faces:
            known = np.column_stack([np.ones(len(face)), face[:, 3:]])
            if np.linalg.matrix_rank(known, tol=1e-9 * float(np.abs(known).max())) < 3:
                continue
            along = np.linalg.lstsq(known, face[:, :3], rcond=None)[0][1 + which]
            lengths.append(float(np.linalg.norm(along)))
            areas.append(area(face[:, :3]))
        if not sum(areas):
            raise SuppleError("expected texture coordinates that cover the surface, got a line")
        return float(np.average(lengths, weights=areas))


def unwrapped(geometry: Geometry, scope: Scope, projection: Projection | None) -> Unwrapped:
    """The texture coordinates of a geometry in a scope.

    Args:
        geometry: The geometry.
        scope: Its scope.
        projection: How the image is projected; None for the geometry's own coordinates.

    Raises:
        SuppleError: The geometry has no faces.
    """
    local = geometry.points * scope.s
    turn = np.reshape(scope.R, (3, 3))
    world = local @ turn.T + scope.p
    uv = geometry.texcoords if projection is None else projected(world, projection)
    faces = []
    for face in geometry.faces:
        corners = local[list(face)]
        if not np.any(newell(corners)):
            continue
        if projection is not None and projection.boxed:
            normal = turn @ newell(corners)
            down = projected(world[list(face)], projection, np.tile(normal, (len(face), 1)))
        else:
            down = unit_texcoords(geometry.points[list(face)]) if uv is None else uv[list(face)]
        faces.append(np.column_stack([corners, down[:, 0], 1.0 - down[:, 1]]))
    if not faces:
        raise SuppleError("expected a shape with faces")
    flat = geometry.flat is not None and geometry.texcoords is None
    return Unwrapped(faces, projection is None and not flat)


def extent(found: Unwrapped, what: str, space: str = "uvSpace") -> float:
    """The extent of texture coordinates.

    Args:
        found: The faces with their texture coordinates.
        what: "uMin", "uMax", "vMin", "vMax", "du" or "dv".
        space: Of du and dv: "uvSpace", or "unitSpace" for the length over the surface, in the
            shape's unit.
    """
    which = "uv".index(what[1] if what[0] == "d" else what[0])
    least, greatest = found.reach(which)
    if what[0] == "d":
        return (greatest - least) * (found.unit(which) if space == "unitSpace" else 1.0)
    return least if what.endswith("Min") else greatest


def between(
    found: Unwrapped, which: int, ends: tuple[float, float], name: str
) -> tuple[Geometry, Floats, Floats] | None:
    """The part of a surface between two texture coordinates.

    Args:
        found: The faces with their texture coordinates.
        which: 0 for u, 1 for v.
        ends: The lower and the upper coordinate.
        name: The name of the new geometry.

    Returns:
        As `fitted`: the geometry, the lowest corner of its bounding box in the scope's axes, and
        the box's size; None if nothing lies between.
    """
    rows: list[Floats] = []
    for face in found.faces:
        kept = _clipped(face, 3 + which, 1.0, ends[0])
        kept = _clipped(kept, 3 + which, -1.0, -ends[1]) if len(kept) else kept
        if area(kept[:, :3]) > 0.0:
            rows.append(kept)
    if not rows:
        return None
    corners, faces = _shared(rows)
    down = np.column_stack([corners[:, 3], 1.0 - corners[:, 4]]) if found.own else None
    return fitted(name, corners[:, :3], faces, texcoords=down)


def _clipped(rows: Floats, column: int, sign: float, level: float) -> Floats:
    """The part of a polygon where sign * rows[:, column] >= level (Sutherland & Hodgman)."""
    value = sign * rows[:, column] - level
    near = 1e-12 * (1.0 + abs(level))
    out = []
    for k in range(len(rows)):
        n = (k + 1) % len(rows)
        if value[k] >= -near:
            out.append(rows[k])
        if (value[k] > near and value[n] < -near) or (value[k] < -near and value[n] > near):
            t = value[k] / (value[k] - value[n])
            out.append(rows[k] + t * (rows[n] - rows[k]))
    return np.array(out).reshape(-1, rows.shape[1])


def _shared(rows: list[Floats]) -> tuple[Floats, list[Polygon]]:
    """Polygons with corners merged that coincide in space and in the image."""
    every = np.concatenate(rows)
    scale = np.maximum(np.abs(every).max(axis=0), 1e-300)
    keys = np.round(every / (1e-9 * scale)).astype(np.int64)
    index: dict[tuple[int, ...], int] = {}
    merged = [index.setdefault(tuple(key), len(index)) for key in keys.tolist()]
    corners = np.zeros((len(index), every.shape[1]))
    corners[merged] = every
    faces, first = [], 0
    for polygon in rows:
        loop = merged[first : first + len(polygon)]
        first += len(polygon)
        faces.append(tuple(k for i, k in enumerate(loop) if k != loop[i - 1]))
    return corners, [face for face in faces if len(face) >= 3]
