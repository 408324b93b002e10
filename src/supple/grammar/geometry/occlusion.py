"""How two shapes meet: what of one's surface lies in the other, on it or outside, and how far apart.

A face is cut along the planes of the solid's faces that it comes near to. What is then left in one
piece is in, on or outside as a whole, which its middle tells: by the solid's winding number there
(Jacobson, Kavan & Sorkine-Hornung 2013, "Robust inside-outside segmentation"), the sum of the solid
angles of its triangles (Van Oosterom & Strackee 1983).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.grammar.geometry.frames import Rotation, Vector
from supple.grammar.geometry.mesh import BOX, Floats, Geometry, newell, triangulated

NEAR = 1e-6  # of the size of both: what is nearer lies on a surface
MOST_PIECES = 20_000


class Body:
    """A shape in the world, as rules ask about its neighbours.

    Args:
        geometry: What fills it.
        p, R, s: Its scope: origin and rotation in world, and size.
    """

    __slots__ = ("R", "__dict__", "geometry", "p", "s")

    def __init__(self, geometry: Geometry, p: Vector, R: Rotation, s: Vector) -> None:
        self.geometry = geometry
        self.p, self.R, self.s = p, R, s

    @cached_property
    def points(self) -> Floats:
        """Its corners in world, shape (V, 3)."""
        return (self.geometry.points * self.s) @ np.reshape(self.R, (3, 3)).T + self.p

    @cached_property
    def bounds(self) -> Floats:
        """The least and the greatest of its coordinates in world, shape (2, 3)."""
        return np.stack([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def scope_bounds(self) -> Floats:
        """The same of its scope, which may be larger."""
        corners = (BOX.points * self.s) @ np.reshape(self.R, (3, 3)).T + self.p
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    @cached_property
    def faces(self) -> list[Floats]:
        """The corners of each face that has an area, in world."""
        every = [self.points[list(face)] for face in self.geometry.faces]
        return [corners for corners in every if np.any(newell(corners))]

    @cached_property
    def triangles(self) -> Floats:
        """Its faces as triangles, shape (F, 3, 3)."""
        found = [face[list(three)] for face in self.faces for three in triangulated(face)]
        return np.array(found).reshape(-1, 3, 3)

    @cached_property
    def planes(self) -> tuple[Floats, Floats, Floats]:
        """Normals (F, 3) and distances (F,) of the planes of its faces, and their bounds (F, 2, 3)."""
        normals = np.array([newell(face) for face in self.faces])
        levels = np.array(
            [float(n @ f.mean(axis=0)) for n, f in zip(normals, self.faces, strict=True)]
        )
        bounds = np.array([[face.min(axis=0), face.max(axis=0)] for face in self.faces])
        return normals, levels, bounds

    @cached_property
    def extent(self) -> float:
        """Its longest side in the world's axes."""
        return float(np.ptp(self.bounds, axis=0).max())

    @cached_property
    def convex(self) -> bool:
        """Whether it lies below the planes of all its faces."""
        normals, levels, _ = self.planes
        return bool(np.all(self.points @ normals.T - levels <= NEAR * self.extent))

    @property
    def closed(self) -> bool:
        """Whether it is a solid: every edge parts two faces, and it has a volume."""
        return self.geometry.closed and min(self.s) > 0.0

    def area(self) -> float:
        """The area of its faces."""
        return self.geometry.area(self.s)


class Meeting(NamedTuple):
    """What of a surface lies in a solid, on its surface and outside: whether there is any."""

    inside: bool
    on: bool
    outside: bool


def nearness(a: Body, b: Body) -> float:
    """What counts as touching between two bodies, in their unit."""
    return NEAR * max(a.extent, b.extent)


def met(surface: Body, solid: Body) -> Meeting:
    """Where the faces of a body lie in regard to a solid."""
    near = nearness(surface, solid)
    found = {"inside": False, "on": False, "outside": False}
    normals, levels, _ = solid.planes
    for face in surface.faces:
        if solid.convex:
            heights = face @ normals.T - levels
            if np.any((heights.min(axis=0) > -near) & (heights.max(axis=0) > near)):
                found["outside"] = True  # beyond a plane, but for an edge
                continue
        for three in triangulated(face):
            for piece in _pieces(face[list(three)], solid, near):
                found[_where(piece, solid, near)] = True
    return Meeting(**found)


def _pieces(triangle: Floats, solid: Body, near: float) -> list[Floats]:
    """A triangle cut along the planes of a solid's faces that it comes near to."""
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
            raise SuppleError(f"a face meets a solid in more than {MOST_PIECES:,} pieces")
    least = near * near
    return [piece for piece in pieces if _area(piece) > least]


def _above(piece: Floats, height: Floats) -> Floats:
    """The part of a convex polygon where its corners' heights are not below 0."""
    out = []
    for k in range(len(piece)):
        n = (k + 1) % len(piece)
        if height[k] >= 0:
            out.append(piece[k])
        if (height[k] > 0 > height[n]) or (height[k] < 0 < height[n]):
            t = height[k] / (height[k] - height[n])
            out.append(piece[k] + t * (piece[n] - piece[k]))
    return np.array(out).reshape(-1, 3)


def _area(corners: Floats) -> float:
    if len(corners) < 3:
        return 0.0
    return float(np.linalg.norm(np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0))) / 2


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
    """Whether a point of a polygon's plane lies in it: how often a ray crosses its edges."""
    u, v = (k for k in range(3) if k != int(np.argmax(np.abs(normal))))
    a, b = corners[:, [u, v]], np.roll(corners, -1, axis=0)[:, [u, v]]
    x, y = point[u], point[v]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    rise = np.where(spans, b[:, 1] - a[:, 1], 1.0)
    crossing = a[:, 0] + (y - a[:, 1]) / rise * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(spans & (x < crossing)) % 2)


def winding(point: Floats, solid: Body) -> float:
    """How often a solid's surface goes round a point: 1 inside, 0 outside."""
    a, b, c = np.moveaxis(solid.triangles - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a))]
    under = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    return float(np.arctan2(volume, under).sum() / (2 * np.pi))


def is_inside(body: Body, solid: Body) -> bool:
    """Whether all of a body lies in a solid or on its surface."""
    found = met(body, solid)
    return not found.outside and (found.inside or found.on)


def overlaps(body: Body, solid: Body) -> bool:
    """Whether a part of a body lies in a solid, or a part of the solid in the body."""
    found = met(body, solid)
    if found.inside or not body.closed:
        return found.inside
    back = met(solid, body)
    if back.inside or not (found.on and not found.outside):
        return back.inside
    # All surfaces coincide: a point just below one tells.
    face = max(body.faces, key=_area)
    below = face[list(triangulated(face)[0])].mean(axis=0) - 10 * nearness(body, solid) * newell(
        face
    )
    return winding(below, solid) > 0.5


def touches(body: Body, solid: Body) -> bool:
    """Whether a body overlaps a solid or a part of a face lies on its surface."""
    found = met(body, solid)
    return found.inside or found.on or (body.closed and overlaps(body, solid))


def distance(a: Body, b: Body) -> float:
    """The least distance between the scopes of two bodies: 0 where they meet."""
    from scipy.optimize import lsq_linear

    columns, most = [], []
    for body, sign in ((a, 1.0), (b, -1.0)):
        axes = np.reshape(body.R, (3, 3)) * body.s
        for k in range(3):
            if body.s[k] > 0:
                columns.append(sign * axes[:, k])
                most.append(1.0)
    apart = np.subtract(b.p, a.p)
    if not columns:
        return float(np.linalg.norm(apart))
    shares = np.column_stack(columns)  # how far along each axis the two nearest points lie
    found = lsq_linear(shares, apart, bounds=(0.0, 1.0), method="bvls")
    return float(np.linalg.norm(shares @ found.x - apart))
