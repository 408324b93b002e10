"""Measures and tests of a geometry's faces."""

from __future__ import annotations

import math

import numpy as np

from supple.apps.grammar.geometry.frames import Rotation, Vector
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.geometry.polygons import Floats, is_convex, newell
from supple.apps.grammar.geometry.topology import faces_at_edges
from supple.errors import SuppleError

ANGLES = ("maxSlope", "minSlope", "zenith", "azimuth")


def _corners(geometry: Geometry, size: Vector) -> list[Floats]:
    """Corners of each face, in length units, shape (N, 3) each."""
    points = geometry.points * size
    return [points[list(face)] for face in geometry.faces]


def is_concave(geometry: Geometry, size: Vector) -> bool:
    """True if a face has a reflex corner."""
    return any(not is_convex(corners, newell(corners)) for corners in _corners(geometry, size))


def is_planar(geometry: Geometry, size: Vector) -> bool:
    """True if every face is planar within 1e-6 of its extent."""
    for corners in _corners(geometry, size):
        heights = corners @ newell(corners)
        if np.ptp(heights) > 1e-6 * float(np.abs(corners).max(initial=1.0)):
            return False
    return True


def is_rectangular(geometry: Geometry, size: Vector, off: float = 1e-4) -> bool:
    """True if all faces have four corners, each within `off` degrees of a right angle."""
    for corners in _corners(geometry, size):
        sides = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(sides, axis=1)
        if len(corners) != 4 or lengths.min() <= 0.0:
            return False
        sides = sides / lengths[:, None]
        cosines = np.einsum("ij,ij->i", sides, np.roll(sides, -1, axis=0))
        if np.abs(cosines).max() > math.sin(math.radians(min(max(off, 0.0), 90.0))):
            return False
    return bool(geometry.faces)


def boundary_length(geometry: Geometry, size: Vector) -> float:
    """Total length of the edges that border one face only."""
    points = geometry.points * size
    return sum(
        float(np.linalg.norm(points[b] - points[a]))
        for (a, b), faces in faces_at_edges(geometry).items()
        if len(faces) == 1
    )


def angle(geometry: Geometry, R: Rotation, size: Vector, which: str) -> float:
    """An angle of the faces, degrees.

    Args:
        geometry: The geometry.
        R: Rotation of its scope in world.
        size: Size of its scope.
        which: "maxSlope", "minSlope": inclination of the steepest and the flattest face; "zenith":
            angle between the first face's normal and up; "azimuth": direction of that normal from
            north (-z) to the west, from -180 to 180.
    """
    axes = np.array(R).reshape(3, 3)
    normals = [axes @ newell(corners) for corners in _corners(geometry, size)]
    normals = [normal for normal in normals if np.any(normal)]
    if not normals:
        raise SuppleError("geometry.angle: expected a shape with faces")
    tilts = [math.degrees(math.acos(max(-1.0, min(1.0, float(n[1]))))) for n in normals]
    if which == "zenith":
        return tilts[0]
    if which == "azimuth":
        return math.degrees(math.atan2(-float(normals[0][0]), -float(normals[0][2])))
    slopes = [min(tilt, 180.0 - tilt) for tilt in tilts]
    return max(slopes) if which == "maxSlope" else min(slopes)
