"""Occlusion of shapes: inside, overlap and touch tests against solids, and distances of scopes.

Each face is cut along the planes of the solid's faces near it. Every piece then lies inside, on or
outside the solid as a whole, decided at its centroid by the solid's winding number (Jacobson, Kavan &
Sorkine-Hornung 2013, "Robust inside-outside segmentation"): the sum of the solid angles of its
triangles (Van Oosterom & Strackee 1983).
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry.frames import Rotation, Vector
from supple.apps.grammar.geometry.mesh import BOX, Geometry
from supple.apps.grammar.geometry.polygons import Floats, area, newell, triangulated
from supple.errors import SuppleError

ON_SURFACE_DISTANCE = 1e-6  # of the larger extent: points closer to a surface lie on it; not tuned
MOST_PIECES = 20_000  # of one face; not tuned


class Body:
    """A geometry placed in the world.

    Args:
        geometry: The geometry.
        p, R, s: The scope: origin and rotation in world, and size.
    """

    __slots__ = ("R", "__dict__", "geometry", "p", "s")

    def __init__(self, geometry: Geometry, p: Vector, R: Rotation, s: Vector) -> None:
        self.geometry = geometry
        self.p, self.R, self.s = p, R, s

    @cached_property
    def points(self) -> Floats:
        """Vertices in world, shape (V, 3)."""
        return (self.geometry.points * self.s) @ np.reshape(self.R, (3, 3)).T + self.p

    @cached_property
    def bounds(self) -> Floats:
        """Lowest and highest coordinates in world, shape (2, 3)."""
        return np.stack([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def scope_bounds(self) -> Floats:
        """Lowest and highest coordinates of the scope, which may be larger, shape (2, 3)."""
        corners = (BOX.points * self.s) @ np.reshape(self.R, (3, 3)).T + self.p
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    @cached_property
    def faces(self) -> list[Floats]:
        """Corners of each face with an area, in world, shape (N, 3) each."""
        every = [self.points[list(face)] for face in self.geometry.faces]
        return [corners for corners in every if np.any(newell(corners))]

    @cached_property
    def triangles(self) -> Floats:
        """The faces as triangles in world, shape (F, 3, 3)."""
        found = [face[list(three)] for face in self.faces for three in triangulated(face)]
        return np.array(found).reshape(-1, 3, 3)

    @cached_property
    def planes(self) -> tuple[Floats, Floats, Floats]:
        """Normals (F, 3) and offsets (F,) of the faces' planes, and bounds of the faces (F, 2, 3)."""
        normals = np.array([newell(face) for face in self.faces])
        levels = np.array(
            [float(n @ f.mean(axis=0)) for n, f in zip(normals, self.faces, strict=True)]
        )
        bounds = np.array([[face.min(axis=0), face.max(axis=0)] for face in self.faces])
        return normals, levels, bounds

    @cached_property
    def extent(self) -> float:
        """Longest side of the bounding box in world axes."""
        return float(np.ptp(self.bounds, axis=0).max())

    @cached_property
    def convex(self) -> bool:
        """True if all vertices lie below the planes of all faces."""
        normals, levels, _ = self.planes
        return bool(np.all(self.points @ normals.T - levels <= ON_SURFACE_DISTANCE * self.extent))

    @property
    def closed(self) -> bool:
        """True for a solid: every edge borders two faces, and the size is positive along all axes."""
        return self.geometry.closed and min(self.s) > 0.0

    def surface_area(self) -> float:
        """Total area of the faces."""
        return self.geometry.area(self.s)


class Classification(NamedTuple):
    """Which of these hold for some part of a surface: inside a solid, on its surface, outside."""

    inside: bool
    on: bool
    outside: bool


def tolerance(a: Body, b: Body) -> float:
    """The distance within which points of two bodies count as touching."""
    return ON_SURFACE_DISTANCE * max(a.extent, b.extent)


def classify(surface: Body, solid: Body) -> Classification:
    """Classify the faces of a body against a solid."""
    near = tolerance(surface, solid)
    found = {"inside": False, "on": False, "outside": False}
    normals, levels, _ = solid.planes
    for face in surface.faces:
        if solid.convex:
            heights = face @ normals.T - levels
            if np.any((heights.min(axis=0) > -near) & (heights.max(axis=0) > near)):
                found["outside"] = True  # beyond a plane, except perhaps for an edge
                continue
        for three in triangulated(face):
            for piece in _pieces(face[list(three)], solid, near):
                found[_where(piece, solid, near)] = True
    return Classification(**found)


def _pieces(triangle: Floats, solid: Body, near: float) -> list[Floats]:
    """A triangle cut along the planes of the solid's faces near it."""
    normals, levels, bounds = solid.planes
    low, high = triangle.min(axis=0) - near, triangle.max(axis=0) + near
    close = np.all((bounds[:, 0] <= high) & (bounds[:, 1] >= low), axis=1)
    pieces = [triangle]
    for k in np.flatnonzero(close):
        cut: list[Floats] = []
        for piece in pieces:
            height = piece @ normals[k] - levels[k]
            if height.max() <= near or height.min() >= -near:
                cut.append(piece)
            else:
                cut += [_above(piece, height), _above(piece, -height)]
        pieces = cut
        if len(pieces) > MOST_PIECES:
            raise SuppleError(f"a face is cut by a solid into more than {MOST_PIECES:,} pieces")
    least = near * near
    return [piece for piece in pieces if area(piece) > least]


def _above(piece: Floats, height: Floats) -> Floats:
    """The part of a convex polygon with heights >= 0; heights are given for its corners."""
    out = []
    for k in range(len(piece)):
        n = (k + 1) % len(piece)
        if height[k] >= 0:
            out.append(piece[k])
        if (height[k] > 0 > height[n]) or (height[k] < 0 < height[n]):
            t = height[k] / (height[k] - height[n])
            out.append(piece[k] + t * (piece[n] - piece[k]))
    return np.array(out).reshape(-1, 3)


def _where(piece: Floats, solid: Body, near: float) -> str:
    normals, levels, _ = solid.planes
    middle = piece.mean(axis=0)
    flat = np.all(np.abs(piece @ normals.T - levels) <= 2 * near, axis=0)
    for k in np.flatnonzero(flat):
        if _within(middle, solid.faces[k], normals[k]):
            return "on"
    if solid.convex:
        return "inside" if np.all(middle @ normals.T <= levels) else "outside"
    return "inside" if winding(middle, solid) > 0.5 else "outside"


def _within(point: Floats, corners: Floats, normal: Floats) -> bool:
    """True if a point in a polygon's plane lies inside the polygon (crossing number)."""
    u, v = (k for k in range(3) if k != int(np.argmax(np.abs(normal))))
    a, b = corners[:, [u, v]], np.roll(corners, -1, axis=0)[:, [u, v]]
    x, y = point[u], point[v]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    rise = np.where(spans, b[:, 1] - a[:, 1], 1.0)
    crossing = a[:, 0] + (y - a[:, 1]) / rise * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(spans & (x < crossing)) % 2)


def winding(point: Floats, solid: Body) -> float:
    """Winding number of a solid's surface around a point: 1 inside, 0 outside."""
    a, b, c = np.moveaxis(solid.triangles - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a))]
    under = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    return float(np.arctan2(volume, under).sum() / (2 * np.pi))


def is_inside(body: Body, solid: Body) -> bool:
    """True if all of a body lies inside a solid or on its surface."""
    found = classify(body, solid)
    return not found.outside and (found.inside or found.on)


def overlaps(body: Body, solid: Body) -> bool:
    """True if a part of a body lies inside a solid, or a part of the solid inside the body."""
    found = classify(body, solid)
    if found.inside or not body.closed:
        return found.inside
    back = classify(solid, body)
    if back.inside or not (found.on and not found.outside):
        return back.inside
    # All surfaces coincide: test a point just below one of them.
    face = max(body.faces, key=area)
    below = face[list(triangulated(face)[0])].mean(axis=0) - 10 * tolerance(body, solid) * newell(
        face
    )
    return winding(below, solid) > 0.5


def touches(body: Body, solid: Body) -> bool:
    """True if a body overlaps a solid, or a part of a face lies on the solid's surface."""
    found = classify(body, solid)
    return found.inside or found.on or (body.closed and overlaps(body, solid))


def distance(a: Body, b: Body) -> float:
    """The distance between the scopes of two bodies; 0 if they overlap."""
    columns = []
    for body, sign in ((a, 1.0), (b, -1.0)):
        axes = np.reshape(body.R, (3, 3)) * body.s
        columns += [sign * axes[:, k] for k in range(3) if body.s[k] > 0]
    apart = np.subtract(b.p, a.p)
    return _least(np.array(columns).reshape(-1, 3), apart)


def _least(axes: Floats, wanted: Floats) -> float:
    """The least distance of `wanted` from a sum of axes, shape (K, 3), with coefficients from 0 to 1.

    Some minimum has at most three independent axes with a coefficient between 0 and 1; each other one is 0
    or 1. That makes 656 cases for six axes. Cases with the same axes in between are solved together.
    """
    count, best = len(axes), np.inf
    for some in range(min(count, 3) + 1):
        for part in combinations(range(count), some):
            rest = [k for k in range(count) if k not in part]
            whole = np.array(list(product((0.0, 1.0), repeat=len(rest)))).reshape(
                2 ** len(rest), len(rest)
            )
            left = wanted - whole @ axes[rest]
            shares = left @ np.linalg.pinv(axes[list(part)])
            inside = np.all((shares >= -1e-12) & (shares <= 1.0 + 1e-12), axis=1)
            if np.any(inside):
                missing = left[inside] - shares[inside] @ axes[list(part)]
                best = min(best, float(np.linalg.norm(missing, axis=1).min()))
    return best
