"""Random points in a scope and on a surface."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.geometry.polygons import triangulated
from supple.errors import SuppleError

Draw = Callable[[], float]
"""Gives the next random number in [0, 1)."""


def in_scope(size: Vector, count: int, draw: Draw) -> list[Vector]:
    """Points uniformly distributed in a scope of that size."""
    a, b, c = size
    return [(a * draw(), b * draw(), c * draw()) for _ in range(count)]


def on_surface(geometry: Geometry, size: Vector, count: int, draw: Draw) -> list[Vector]:
    """Points uniformly distributed over the faces of a geometry in a scope of that size.

    Raises:
        SuppleError: The geometry has no faces.
    """
    corners = geometry.points * size
    triangles = np.array(
        [
            corners[[face[k] for k in triangle]]
            for face in geometry.faces
            for triangle in triangulated(corners[list(face)])
        ]
    )
    if not len(triangles):
        raise SuppleError("scatter: expected a shape with faces")
    first, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2]
    v = v - first
    until = np.cumsum(np.linalg.norm(np.cross(u, v), axis=1))
    found: list[Vector] = []
    for _ in range(count):
        k = min(int(np.searchsorted(until, draw() * until[-1], side="right")), len(until) - 1)
        root, along = math.sqrt(draw()), draw()  # uniform over a triangle
        x, y, z = (first[k] + root * (1 - along) * u[k] + root * along * v[k]).tolist()
        found.append((x, y, z))
    return found
