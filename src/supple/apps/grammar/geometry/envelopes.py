"""Envelopes: the solid above a footprint, cut by sloped planes through its edges."""

from __future__ import annotations

import math

import numpy as np

from supple.apps.grammar.geometry.clipping import below
from supple.apps.grammar.geometry.footprints import Faces
from supple.apps.grammar.geometry.polygons import Floats, Polygon
from supple.apps.grammar.geometry.wavefront import Point, sweep
from supple.errors import SuppleError


def envelope(polygon: list[Point], height: float, sides: list[tuple[float, float]]) -> Faces:
    """The solid above a polygon, in the footprint's axes.

    Args:
        polygon: Counterclockwise.
        height: Its height.
        sides: For each edge the height at which its plane begins, and the plane's slope in degrees; the
            wall below is upright.

    Raises:
        SuppleError: The polygon is concave and its planes begin at different heights.
    """
    if not _convex(polygon):
        begins = {begin for begin, _ in sides}
        if len(begins) > 1:
            raise SuppleError("envelope: planes of a concave shape must begin at the same height")
        return _even(polygon, height, begins.pop(), [slope for _, slope in sides])
    count = len(polygon)
    points: Floats = np.array([(x, h, -y) for h in (0.0, height) for x, y in polygon])
    faces: list[Polygon] = [tuple(reversed(range(count))), tuple(range(count, 2 * count))]
    faces += [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    for k, (begin, slope) in enumerate(sides):
        if slope == 90.0:
            continue
        (x, y), (u, v) = polygon[k], polygon[(k + 1) % count]
        length = math.hypot(u - x, v - y)
        inwards = np.array((-(v - y) / length, 0.0, -(u - x) / length))
        normal = np.array((0.0, math.cos(math.radians(slope)), 0.0))
        normal -= math.sin(math.radians(slope)) * inwards
        value = (points - (x, begin, -y)) @ normal
        points, faces = below(points, faces, value, near=1e-9 * (1.0 + height), closed=True)
    return [(x, y, z) for x, y, z in points.tolist()], faces


def _even(polygon: list[Point], height: float, begin: float, slopes: list[float]) -> Faces:
    """An envelope whose planes begin at one height."""
    count = len(polygon)
    low = min(begin, height)
    points = [(x, h, -y) for h in (0.0, low) for x, y in polygon]
    faces: list[Polygon] = [tuple(reversed(range(count)))]
    if low > 0.0:
        faces += [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    if height <= begin:
        return points, [*faces, tuple(range(count, 2 * count))]
    speeds = [1.0 / math.tan(math.radians(slope)) if slope != 90.0 else 0.0 for slope in slopes]
    if not any(speeds):
        return _even(polygon, height, height, slopes)
    swept = sweep(polygon, speeds, until=height - begin)
    first = len(points)
    points += [(x, begin + time, -y) for x, y, time in swept.nodes]
    faces += [tuple(first + k for k in one) for one in (*swept.faces, *swept.rest) if one]
    return points, faces


def _convex(polygon: list[Point]) -> bool:
    """True if no corner is reflex."""
    for k in range(len(polygon)):
        (x, y), (u, v), (p, q) = polygon[k - 1], polygon[k], polygon[(k + 1) % len(polygon)]
        if (u - x) * (q - v) - (v - y) * (p - u) < -1e-9 * math.hypot(u - x, v - y) * math.hypot(
            p - u, q - v
        ):
            return False
    return True
