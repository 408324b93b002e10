"""Flat shapes seen from where they face: polygons in a plane, and solids and polygons upon it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.frames import from_axes, placed, product
from supple.grammar.geometry.mesh import POINT, Floats, Polygon, fitted, newell
from supple.grammar.geometry.wavefront import Point

Faces = tuple[list[tuple[float, float, float]], list[Polygon]]
"""Points (across, above, -up of the plane), and polygons of them."""


class Footprint(NamedTuple):
    """A flat shape's polygons in its own plane.

    Attributes:
        polygons: Each counterclockwise as seen from where the shape faces.
        axes: Columns: x, the scope's own as far as it can be; y, where the shape faces; z.
        level: Where along y it lies.
    """

    polygons: list[list[Point]]
    axes: Floats
    level: float


def footprint(shape: Shape, what: str) -> Footprint:
    """The polygons of a flat shape, for an operation.

    Raises:
        SuppleError: It is none.
    """
    geometry = shape.geometry
    points = geometry.points * shape.s
    normal = np.zeros(3)
    for face in geometry.faces:
        normal = newell(points[list(face)])
        if np.any(normal):
            break
    extent = float(np.abs(points).max(initial=0.0))
    heights = points @ normal
    if not np.any(normal) or float(np.ptp(heights)) > 1e-6 * extent:
        raise SuppleError(f"{what}: expected a flat shape, such as a lot or a face")
    x: Floats = np.array((1.0, 0.0, 0.0)) - normal[0] * normal
    if np.linalg.norm(x) < 1e-6:
        x = np.array((0.0, 0.0, -1.0)) + normal[2] * normal
    x /= np.linalg.norm(x)
    axes: Floats = np.column_stack([x, normal, np.cross(x, normal)])
    flat = points @ axes
    polygons = []
    for face in geometry.faces:
        found = [(float(flat[k, 0]), -float(flat[k, 2])) for k in face]
        polygons.append(_apart(found, 1e-9 * extent))
    return Footprint(polygons, axes, float(heights[0]) if len(heights) else 0.0)


def _apart(corners: list[Point], near: float) -> list[Point]:
    """A polygon without corners that lie on the one before."""
    return [
        (x, y)
        for k, (x, y) in enumerate(corners)
        if abs(x - corners[k - 1][0]) + abs(y - corners[k - 1][1]) > near
    ]


def build(
    shape: Shape, plan: Footprint, parts: list[Faces], name: str, *, upright: bool = False
) -> None:
    """Give a shape polygons that stand on its plane.

    Args:
        shape: The shape.
        plan: Its plane.
        parts: Points across, above and towards (x, y, z of the plan's axes), with polygons.
        name: What the geometry is called.
        upright: Whether the scope's y axis is then the one that the plane faces along; else the
            scope is turned as it was.
    """
    points, faces = _together(parts)
    if not faces:
        shape.s, shape.geometry, shape.made = (0.0, 0.0, 0.0), POINT, True
        return
    placed_points = np.array(points)
    placed_points[:, 1] += plan.level
    if upright:
        x, y, z = (tuple(plan.axes[:, k].tolist()) for k in range(3))
        shape.R = product(shape.R, from_axes(x, y, z))
    else:
        placed_points = placed_points @ plan.axes.T
    geometry, low, size = fitted(name, placed_points, faces)
    shape.p = placed(shape.p, shape.R, tuple(low.tolist()))
    shape.s, shape.geometry, shape.made = tuple(size.tolist()), geometry, True


def _together(parts: list[Faces]) -> Faces:
    """All polygons, with the points that lie on each other once, so that edges are shared."""
    every = [point for points, _ in parts for point in points]
    scale = max((abs(value) for point in every for value in point), default=1.0) or 1.0
    index: dict[tuple[int, int, int], int] = {}
    out: list[tuple[float, float, float]] = []
    faces: list[Polygon] = []

    def place(point: tuple[float, float, float]) -> int:
        x, y, z = (round(value / (1e-8 * scale)) for value in point)
        known = index.setdefault((x, y, z), len(out))
        if known == len(out):
            out.append(point)
        return known

    for points, polygons in parts:
        for polygon in polygons:
            corners = [place(points[k]) for k in polygon]
            loop = [k for i, k in enumerate(corners) if k != corners[i - 1]]
            if len(loop) >= 3:
                faces.append(tuple(loop))
    return out, faces


def prism(shape: Shape, height: float) -> None:
    """Pull a shape that lies in any plane along where it faces, which is then the scope's y axis.

    Raises:
        SuppleError: It is not flat.
    """
    plan = footprint(shape, "extrude")
    points: list[tuple[float, float, float]] = []
    faces: list[Polygon] = []
    sides: dict[tuple[Point, Point], Polygon] = {}
    for polygon in plan.polygons:
        first, count = len(points), len(polygon)
        points += [(x, h, -y) for h in (0.0, height) for x, y in polygon]
        low = tuple(range(first, first + count))
        high = tuple(range(first + count, first + 2 * count))
        faces += [low[::-1], high] if height > 0 else [low, high[::-1]]
        for k in range(count):
            n = (k + 1) % count
            side = (low[k], low[n], high[n], high[k])
            sides[polygon[k], polygon[n]] = side if height > 0 else side[::-1]
    faces += [side for (a, b), side in sides.items() if (b, a) not in sides]
    build(shape, plan, [(points, faces)], f"extruded {shape.geometry.name}", upright=True)
