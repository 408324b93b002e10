"""What rules can ask of a shape: its scope, place, material and geometry."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.geometry.frames import to_degrees
from supple.grammar.geometry.mesh import Floats, is_convex, newell
from supple.grammar.geometry.topology import neighbours


def _corners(shape: Any) -> list[Floats]:
    """The corners of each face, in the scope's unit."""
    points = shape.geometry.points * shape.s
    return [points[list(face)] for face in shape.geometry.faces]


def _is_concave(shape: Any) -> bool:
    return any(not is_convex(corners, newell(corners)) for corners in _corners(shape))


def _is_planar(shape: Any) -> bool:
    for corners in _corners(shape):
        heights = corners @ newell(corners)
        if np.ptp(heights) > 1e-6 * float(np.abs(corners).max(initial=1.0)):
            return False
    return True


def is_rectangular(shape: Any, off: float = 1e-4) -> bool:
    """Whether all faces have four corners, each within `off` degrees of a right angle."""
    for corners in _corners(shape):
        sides = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(sides, axis=1)
        if len(corners) != 4 or lengths.min() <= 0.0:
            return False
        sides = sides / lengths[:, None]
        cosines = np.einsum("ij,ij->i", sides, np.roll(sides, -1, axis=0))
        if np.abs(cosines).max() > math.sin(math.radians(min(max(off, 0.0), 90.0))):
            return False
    return bool(shape.geometry.faces)


def _boundary(shape: Any) -> float:
    points = shape.geometry.points * shape.s
    return sum(
        float(np.linalg.norm(points[b] - points[a]))
        for (a, b), faces in neighbours(shape.geometry).items()
        if len(faces) == 1
    )


PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "scope.sx": lambda shape: shape.s[0],
    "scope.sy": lambda shape: shape.s[1],
    "scope.sz": lambda shape: shape.s[2],
    "scope.tx": lambda shape: shape.p[0],
    "scope.ty": lambda shape: shape.p[1],
    "scope.tz": lambda shape: shape.p[2],
    "scope.rx": lambda shape: to_degrees(shape.R)[0],
    "scope.ry": lambda shape: to_degrees(shape.R)[1],
    "scope.rz": lambda shape: to_degrees(shape.R)[2],
    "scope.elevation": lambda shape: shape.p[1],
    "split.index": lambda shape: float(shape.split[0]),
    "split.total": lambda shape: float(shape.split[1]),
    "comp.index": lambda shape: float(shape.comp[0]),
    "comp.total": lambda shape: float(shape.comp[1]),
    "comp.sel": lambda shape: shape.comp[2] if len(shape.comp) > 2 else "",
    "geometry.nFaces": lambda shape: float(len(shape.geometry.faces)),
    "geometry.nEdges": lambda shape: float(len(shape.geometry.edges)),
    "geometry.nVertices": lambda shape: float(len(shape.geometry.points)),
    "geometry.area": lambda shape: shape.geometry.area(shape.s),
    "geometry.volume": lambda shape: shape.geometry.volume(shape.s),
    "geometry.height": lambda shape: shape.s[1],
    "initialShape.name": lambda shape: "",
    "material.color.r": lambda shape: shape.look.color[0],
    "material.color.g": lambda shape: shape.look.color[1],
    "material.color.b": lambda shape: shape.look.color[2],
    "material.color.a": lambda shape: shape.look.opacity,
    "material.opacity": lambda shape: shape.look.opacity,
    "material.roughness": lambda shape: shape.look.roughness,
    "material.metallic": lambda shape: shape.look.metallic,
    "material.name": lambda shape: shape.look.name,
    "material.colormap": lambda shape: shape.look.texture,
    "seedian": lambda shape: float(shape.seed >> 40),
    "shape.depth": lambda shape: float(shape.depth),
    "pi": lambda shape: math.pi,
    "geometry.isConcave": _is_concave,
    "geometry.isPlanar": _is_planar,
    "geometry.isRectangular": is_rectangular,
    "geometry.isClosedSurface": lambda shape: shape.geometry.closed,
    "geometry.nHoles": lambda shape: 0.0,
    "geometry.boundaryLength": _boundary,
    "initialShape.origin.px": lambda shape: 0.0,
    "initialShape.origin.py": lambda shape: 0.0,
    "initialShape.origin.pz": lambda shape: 0.0,
    "initialShape.origin.ox": lambda shape: 0.0,
    "initialShape.origin.oy": lambda shape: 0.0,
    "initialShape.origin.oz": lambda shape: 0.0,
}
"""Without arguments; those of the geometry with or without parentheses. The first shape stands where
the world begins."""

ANGLES = ("maxSlope", "minSlope", "zenith", "azimuth")


def angle(shape: Any, which: str) -> float:
    """An angle of the faces, degrees.

    Args:
        shape: The shape.
        which: "maxSlope", "minSlope": how far the steepest and the flattest face are from level;
            "zenith": between where the first face faces and up; "azimuth": from north (-z), where
            it faces, to the west, from -180 to 180.
    """
    R = np.array(shape.R).reshape(3, 3)
    normals = [R @ newell(corners) for corners in _corners(shape)]
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
