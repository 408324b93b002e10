"""Flat geometries as 2D polygons, and geometries built on their plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry.frames import Rotation, Vector, from_axes, vector
from supple.apps.grammar.geometry.mesh import Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon, newell
from supple.apps.grammar.geometry.wavefront import Point
from supple.errors import SuppleError

Faces = tuple[list[tuple[float, float, float]], list[Polygon]]
"""Points in a footprint's axes, (x, height above the plane, z = -y of the polygon), and polygons."""


class Footprint(NamedTuple):
    """The polygons of a flat geometry in its plane.

    Attributes:
        polygons: Each counterclockwise seen against the normal.
        axes: Columns x, y, z in the scope's axes, shape (3, 3): y is the normal, x is as close to
            the scope's x as possible.
        level: Coordinate of the plane along y.
    """

    polygons: list[list[Point]]
    axes: Floats
    level: float

    @property
    def rotation(self) -> Rotation:
        """The axes as a rotation."""
        x, y, z = (vector(self.axes[:, k]) for k in range(3))
        return from_axes(x, y, z)


def footprint(geometry: Geometry, size: Vector, operation: str) -> Footprint:
    """The polygons of a flat geometry in a scope of that size; none if its faces have no area.

    Args:
        geometry: The geometry.
        size: The scope's size.
        operation: The operation that needs it, for messages.

    Raises:
        SuppleError: The geometry is not flat.
    """
    points = geometry.points * size
    normal = np.zeros(3)
    for face in geometry.faces:
        normal = newell(points[list(face)])
        if np.any(normal):
            break
    if geometry.faces and not np.any(normal):
        return Footprint([], np.eye(3), 0.0)
    extent = float(np.abs(points).max(initial=0.0))
    heights = points @ normal
    if not geometry.faces or float(np.ptp(heights)) > 1e-6 * extent:
        raise SuppleError(f"{operation}: expected a flat shape, such as a lot or a face")
    x: Floats = np.array((1.0, 0.0, 0.0)) - normal[0] * normal
    if np.linalg.norm(x) < 1e-6:
        x = np.array((0.0, 0.0, -1.0)) + normal[2] * normal
    x /= np.linalg.norm(x)
    axes: Floats = np.column_stack([x, normal, np.cross(x, normal)])
    flat = points @ axes
    polygons = []
    for face in geometry.faces:
        found = [(float(flat[k, 0]), -float(flat[k, 2])) for k in face]
        polygons.append(_distinct(found, 1e-9 * extent))
    return Footprint(polygons, axes, float(heights[0]) if len(heights) else 0.0)


def face_footprints(geometry: Geometry, size: Vector, operation: str) -> list[Footprint]:
    """The footprint of a flat geometry, or one for each face of a solid.

    Args:
        geometry: The geometry.
        size: The scope's size.
        operation: The operation that needs them, for messages.

    Raises:
        SuppleError: A face is not flat.
    """
    points = geometry.points * size
    normals = [newell(points[list(face)]) for face in geometry.faces]
    facing = next((normal for normal in normals if np.any(normal)), np.zeros(3))
    extent = float(np.abs(points).max(initial=0.0))
    if float(np.ptp(points @ facing)) <= 1e-6 * extent:
        return [footprint(geometry, size, operation)]
    found = []
    for face, normal in zip(geometry.faces, normals, strict=True):
        if np.any(normal):
            one = Geometry(geometry.name, geometry.points[list(face)], [tuple(range(len(face)))])
            found.append(footprint(one, size, operation))
    return found


def in_scope(plan: Footprint, parts: list[Faces]) -> list[tuple[Floats, list[Polygon]]]:
    """Polygons on a footprint's plane in the axes of the scope: points (V, 3) and faces of each part."""
    found = []
    for points, faces in parts:
        if faces:
            located: Floats = np.array(points)
            located[:, 1] += plan.level
            found.append((located @ plan.axes.T, faces))
    return found


def flat_polygon(corners: list[Point]) -> Faces:
    """A polygon in the plane of a footprint."""
    return [(x, 0.0, -y) for x, y in corners], [tuple(range(len(corners)))]


def _distinct(corners: list[Point], near: float) -> list[Point]:
    """A polygon without corners that coincide with the one before."""
    return [
        (x, y)
        for k, (x, y) in enumerate(corners)
        if abs(x - corners[k - 1][0]) + abs(y - corners[k - 1][1]) > near
    ]


def assembled(
    plan: Footprint, parts: list[Faces], name: str, *, upright: bool = False
) -> tuple[Geometry, Floats, Floats] | None:
    """One geometry of polygons on or above a footprint's plane.

    Args:
        plan: The footprint.
        parts: Points in the plan's axes, with polygons.
        name: The geometry's name.
        upright: True for a result in the plan's axes, False for the axes of the scope.

    Returns:
        As `fitted`: the geometry, the lowest corner of its bounding box, and the box's size; None
        if there are no faces.
    """
    points, faces = _merged(parts)
    if not faces:
        return None
    located = np.array(points)
    located[:, 1] += plan.level
    return fitted(name, located if upright else located @ plan.axes.T, faces)


def _merged(parts: list[Faces]) -> Faces:
    """All polygons, with coinciding points merged so that edges are shared."""
    every = [point for points, _ in parts for point in points]
    scale = max((abs(value) for point in every for value in point), default=1.0) or 1.0
    index: dict[tuple[int, int, int], int] = {}
    out: list[tuple[float, float, float]] = []
    faces: list[Polygon] = []

    def index_of(point: tuple[float, float, float]) -> int:
        x, y, z = (round(value / (1e-8 * scale)) for value in point)
        known = index.setdefault((x, y, z), len(out))
        if known == len(out):
            out.append(point)
        return known

    for points, polygons in parts:
        for polygon in polygons:
            corners = [index_of(points[k]) for k in polygon]
            loop = [k for i, k in enumerate(corners) if k != corners[i - 1]]
            if len(loop) >= 3:
                faces.append(tuple(loop))
    return out, faces
