"""Texture coordinates as numbers: how far they reach over a shape, and what lies between two of them.

u runs to the right and v up, as rules see them. A face's coordinates are those of a projection, else
the geometry's own, else the whole image once over the scope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.shape import Projection, Shape
from supple.grammar.evaluate.values import number, written
from supple.grammar.geometry.frames import placed
from supple.grammar.geometry.mesh import Floats, Polygon, fitted, newell, unit_texcoords
from supple.grammar.output.meshes import projected

LAYERS = 10
SPACES = ("uvSpace", "unitSpace")


def layer_number(value: object) -> int:
    """A value as the number of a texture layer."""
    found = number(value)
    if found not in range(LAYERS):
        raise SuppleError(f"expected a texture layer from 0 to {LAYERS - 1}, got {written(found)}")
    return int(found)


def over(shape: Shape) -> Projection:
    """The image once over a shape: over its face, if it is flat, else over its front."""
    u, v = {0: (2, 1), 1: (0, 2)}.get(shape.geometry.flat, (0, 1))  # type: ignore[arg-type]
    size = (shape.s[u] or 1.0, shape.s[v] or 1.0)
    return Projection(shape.p, shape.R, (u, v), size)


class Unwrapped(NamedTuple):
    """The faces of a shape with their texture coordinates.

    Attributes:
        faces: For each face its corners, shape (N, 5): x, y, z in the shape's scope and in its
            unit, then u and v.
        own: Whether the coordinates are the geometry's own, which its parts must carry on.
    """

    faces: list[Floats]
    own: bool

    def reach(self, which: int) -> tuple[float, float]:
        """The least and the greatest u (0) or v (1)."""
        values = np.concatenate([face[:, 3 + which] for face in self.faces])
        return float(values.min()), float(values.max())

    def unit(self, which: int) -> float:
        """How far over the surface u (0) or v (1) runs while it grows by 1, the other kept."""
        lengths, areas = [], []
        for face in self.faces:
            known = np.column_stack([np.ones(len(face)), face[:, 3:]])
            if np.linalg.matrix_rank(known, tol=1e-9 * float(np.abs(known).max())) < 3:
                continue
            along = np.linalg.lstsq(known, face[:, :3], rcond=None)[0][1 + which]
            lengths.append(float(np.linalg.norm(along)))
            areas.append(_area(face[:, :3]))
        if not sum(areas):
            raise SuppleError("expected texture coordinates that cover the surface, got a line")
        return float(np.average(lengths, weights=areas))


def _area(corners: Floats) -> float:
    return float(np.linalg.norm(np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)) / 2)


def unwrapped(shape: Shape, layer: int) -> Unwrapped:
    """The texture coordinates of a shape on a layer.

    Raises:
        SuppleError: There are none.
    """
    geometry = shape.geometry
    projection = shape.look.layer(layer).projection
    if projection is None and layer:
        raise SuppleError(
            f"there are no texture coordinates on layer {layer}: "
            f"expected setupProjection({layer}, ...) and projectUV({layer}) before"
        )
    local = geometry.points * shape.s
    if projection is not None:
        world = local @ np.reshape(shape.R, (3, 3)).T + shape.p
        uv = projected(world, projection)
    else:
        uv = geometry.texcoords
    faces = []
    for face in geometry.faces:
        corners = local[list(face)]
        if not np.any(newell(corners)):
            continue
        down = unit_texcoords(geometry.points[list(face)]) if uv is None else uv[list(face)]
        faces.append(np.column_stack([corners, down[:, 0], 1.0 - down[:, 1]]))
    if not faces:
        raise SuppleError("expected a shape with faces, which have texture coordinates")
    flat = geometry.flat is not None and geometry.texcoords is None
    return Unwrapped(faces, projection is None and not flat)


def measured(shape: Shape, layer: int, what: str, space: str = "uvSpace") -> float:
    """A number about a shape's texture coordinates.

    Args:
        shape: The shape.
        layer: The texture layer.
        what: "uMin", "uMax", "vMin", "vMax", "du" or "dv".
        space: Of du and dv: "uvSpace", or "unitSpace" for the length over the surface, in the
            shape's unit.
    """
    found = unwrapped(shape, layer)
    which = "uv".index(what[1] if what[0] == "d" else what[0])
    least, greatest = found.reach(which)
    if what[0] == "d":
        return (greatest - least) * (found.unit(which) if space == "unitSpace" else 1.0)
    return least if what.endswith("Min") else greatest


def between(
    shape: Shape, part: Shape, found: Unwrapped, which: int, ends: tuple[float, float]
) -> bool:
    """Give a part what lies between two texture coordinates; False if that is nothing.

    The part's scope stands as the shape's, and is the box of what it holds.
    """
    rows: list[Floats] = []
    for face in found.faces:
        kept = _clipped(face, 3 + which, 1.0, ends[0])
        kept = _clipped(kept, 3 + which, -1.0, -ends[1]) if len(kept) else kept
        if len(kept) >= 3 and _area(kept[:, :3]) > 0.0:
            rows.append(kept)
    if not rows:
        return False
    corners, faces = _shared(rows)
    down = np.column_stack([corners[:, 3], 1.0 - corners[:, 4]]) if found.own else None
    name = f"part of {shape.geometry.name}"
    geometry, low, size = fitted(name, corners[:, :3], faces, texcoords=down)
    part.p = placed(shape.p, shape.R, tuple(low.tolist()))
    part.s, part.geometry = tuple(size.tolist()), geometry
    return True


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
    """Polygons with the corners that lie on each other, in space and on the image, once."""
    every = np.concatenate(rows)
    scale = np.maximum(np.abs(every).max(axis=0), 1e-300)
    keys = np.round(every / (1e-9 * scale)).astype(np.int64)
    index: dict[tuple[int, ...], int] = {}
    places = [index.setdefault(tuple(key), len(index)) for key in keys.tolist()]
    corners = np.zeros((len(index), every.shape[1]))
    corners[places] = every
    faces, first = [], 0
    for polygon in rows:
        loop = places[first : first + len(polygon)]
        first += len(polygon)
        faces.append(tuple(k for i, k in enumerate(loop) if k != loop[i - 1]))
    return corners, [face for face in faces if len(face) >= 3]
