"""Planar polygons in space: normals, areas, convexity and triangles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Polygon = tuple[int, ...]
"""Indices of a polygon's corners, counterclockwise seen from outside."""


def twice_area(corners: Floats) -> Floats:
    """The normal of a polygon with twice its area as length (Newell's method), shape (3,)."""
    x = y = z = 0.0
    if len(corners):
        rows = corners.tolist()  # for a few corners plain numbers are faster than arrays
        px, py, pz = rows[0]
        for qx, qy, qz in (*rows[1:], rows[0]):
            x += py * qz - pz * qy
            y += pz * qx - px * qz
            z += px * qy - py * qx
            px, py, pz = qx, qy, qz
    return np.array((x, y, z))


def area(corners: Floats) -> float:
    """Area of a polygon, corners of shape (N, 3); 0 for fewer than three corners."""
    return float(np.linalg.norm(twice_area(corners))) / 2 if len(corners) >= 3 else 0.0


def newell(corners: Floats) -> Floats:
    """The unit normal of a polygon; zero if the polygon has no area."""
    normal = twice_area(corners)
    size = math.sqrt(float(normal @ normal))
    return normal / size if size > 0 else normal


def is_convex(corners: Floats, normal: Floats) -> bool:
    """True if no corner of a polygon is reflex, seen against the normal."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    turns = np.cross(corners - before, after - corners) @ normal
    scale = float(np.abs(turns).max(initial=0.0))
    return bool(np.all(turns >= -1e-9 * scale))


def triangulated(corners: Floats) -> list[tuple[int, int, int]]:
    """Triangulate a simple polygon: a fan if it is convex, otherwise by ear clipping.

    Args:
        corners: Shape (N, 3).

    Returns:
        Corner indices of each triangle.
    """
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
        else:  # edges cross: triangulate the rest as a fan
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
    """Texture coordinates that spread the image once over the unit cube, shape (N, 2), v down.

    The projection is along the axis closest to the polygon's normal.
    """
    axis = int(np.argmax(np.abs(newell(corners))))
    u, v = ((2, 1), (0, 2), (0, 1))[axis]
    return np.stack([corners[:, u], 1.0 - corners[:, v]], axis=1)
