"""Signed gaps between convex shapes, of many placements at once.

A shape is the convex hull of points, thickened by a radius. The gap of two shapes is that of their points
less both radii. Apart, it is the distance of the origin from the Minkowski difference of the points, which
the algorithm of Gilbert, Johnson and Keerthi (1988) finds: it walks from one simplex of that difference to
a nearer one. Overlapping, it is minus the least shift that parts them. That is searched for by shifts:
shapes that are shifted apart along a direction have a nearest direction, along which less shift is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from supple.model.capsules import directions
from supple.model.geoms import Geom

Floats = NDArray[np.float64]

SPREAD = 1024  # directions in which the outermost points of a mesh are kept
FEW = 400  # points of a mesh that are all kept
SIDES = 32  # of the prism around a cylinder
FACETS = 256  # points of the polyhedron around an ellipsoid
STEPS = 40  # of the walk between simplices, at most
NEAR = 1e-4  # the walk ends where the distance is known up to this part of it
TOUCHING = 1e-9  # in sizes of the shapes: points nearer than this overlap
TRIED = 32  # directions in which an overlap is measured first
SHIFTS = 3  # that improve the best of them
APART = 0.02  # how far shapes are shifted beyond touching, in sizes of the shapes


@dataclass(frozen=True, eq=False)
class Convex:
    """The convex hull of points, thickened.

    Attributes:
        points: Shape (V, 3).
        radius: All points within this distance of the hull belong to the shape.
    """

    points: Floats
    radius: float = 0.0

    @property
    def middle(self) -> Floats:
        """The middle of the box around the points, shape (3,)."""
        return (self.points.min(0) + self.points.max(0)) / 2

    @property
    def extent(self) -> float:
        """How far the points are from the middle, at most."""
        return float(np.linalg.norm(self.points - self.middle, axis=1).max())


def convex(geom: Geom) -> Convex | None:
    """The shape of a geom in its joint's frame, None for a plane.

    Polyhedra stand for cylinders and ellipsoids, and the outermost points of a mesh for all; the shape is
    no smaller than the geom, up to what cannot be seen between two of SPREAD directions.
    """
    size = geom.size
    if geom.kind == "plane":
        return None
    if geom.kind == "mesh":
        points, radius = _outermost(np.asarray(geom.vertices, float))
        return Convex(geom.to_joint(points), radius)
    if geom.kind == "box":
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return Convex(geom.to_joint(corners * size))
    if geom.kind == "ellipsoid":
        ball = directions(FACETS)
        seen = (directions(SPREAD) @ ball.T).max(axis=1).min()
        return Convex(geom.to_joint(ball * size / seen))
    if geom.kind == "cylinder":
        turn = 2 * np.pi * np.arange(SIDES) / SIDES
        rim = size[0] / np.cos(np.pi / SIDES) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        ends = [np.column_stack([rim, np.full(SIDES, z)]) for z in (-size[1], size[1])]
        return Convex(geom.to_joint(np.concatenate(ends)))
    half = size[1] if geom.kind == "capsule" else 0.0
    ends = sorted({-half, half})
    return Convex(geom.to_joint([(0.0, 0.0, z) for z in ends]), size[0])


def _outermost(points: Floats) -> tuple[Floats, float]:
    """The points that are farthest out in some direction, and by how much the others stand out."""
    if len(points) > FEW:
        ways = directions(SPREAD)
        kept = np.unique(points[np.argmax(ways @ points.T, axis=1)], axis=0)
        between = ways[:, (1, 2, 0)]
        short = (between @ points.T).max(axis=1) - (between @ kept.T).max(axis=1)
        return kept, float(max(short.max(), 0.0))
    return np.unique(points, axis=0), 0.0


# Gaps ---------------------------------------------------------------------------------------------


def gaps(a: Convex, b: Convex, turns: Floats, places: Floats) -> Floats:
    """How far apart the surfaces of two shapes are, negative where they overlap.

    Args:
        a: A shape, in its own frame.
        b: Another.
        turns: Rotation matrices of b's frame in that of a, shape (N, 3, 3).
        places: Its origins, shape (N, 3).

    Returns:
        Shape (N,). Where they overlap, minus the length of a shift that parts them, which is the least
        as far as a local search from TRIED directions finds it.
    """
    size = a.extent + b.extent
    pair = _Pair(a.points, b.points, turns, places, size)
    toward = places + turns @ b.middle - a.middle
    normals, distances = pair.separate(np.arange(len(turns)), np.zeros_like(places), -toward)
    overlap = np.flatnonzero(distances <= TOUCHING * size)
    if len(overlap):
        normals[overlap] = pair.best(overlap, directions(TRIED))
        distances[overlap] = pair.along(overlap, normals[overlap])
    for _ in range(SHIFTS):
        if not len(overlap):
            break
        before = distances[overlap]
        shifts = np.maximum(APART * size - before, 0.0)[:, None] * normals[overlap]
        ways, _ = pair.separate(overlap, shifts, -shifts)
        found = pair.along(overlap, ways)
        better = found > before
        normals[overlap[better]] = ways[better]
        distances[overlap[better]] = found[better]
        overlap = overlap[found > before + NEAR * size]
    return distances - a.radius - b.radius


# The simplices of a tetrahedron that may hold its point nearest to the origin.
EDGES = np.array(list(combinations(range(4), 2)))
FACES = np.array(list(combinations(range(4), 3)))


@dataclass(frozen=True, eq=False)
class _Pair:
    """The points of two shapes, of which the second is placed relative to the first in N ways."""

    a: Floats
    b: Floats
    turns: Floats
    places: Floats
    size: float

    def support(self, which: NDArray[np.int64], ways: Floats) -> Floats:
        """The points of a - b that are farthest along directions, both of shape (n, 3)."""
        turns = self.turns[which]
        turned = np.matmul(ways[:, None], turns)[:, 0]
        ends = self.b[np.argmin(turned @ self.b.T, axis=1)]
        ends = np.matmul(turns, ends[..., None])[..., 0] + self.places[which]
        return self.a[np.argmax(ways @ self.a.T, axis=1)] - ends

    def along(self, which: NDArray[np.int64], ways: Floats) -> Floats:
        """How far apart they are seen along unit directions (n, 3) from a to b, shape (n,)."""
        return -(self.support(which, ways) * ways).sum(-1)

    def best(self, which: NDArray[np.int64], ways: Floats) -> Floats:
        """Of directions (K, 3) the ones along which they are farthest apart, shape (n, 3)."""
        turned = ways @ self.turns[which]
        near = (turned.reshape(-1, 3) @ self.b.T).min(axis=1).reshape(len(which), len(ways))
        apart = near + self.places[which] @ ways.T - (ways @ self.a.T).max(axis=1)
        return ways[np.argmax(apart, axis=1)]

    def separate(
        self, which: NDArray[np.int64], shifts: Floats, start: Floats
    ) -> tuple[Floats, Floats]:
        """Unit directions from a to b, shifted by (n, 3), and how far apart they are; 0 if they overlap.

        `start` is a guess at the nearest points of a - b.
        """
        nearest = start.copy()
        nearest[np.linalg.norm(start, axis=1) == 0.0] = (1.0, 0.0, 0.0)
        distance = np.zeros(len(which))
        left = np.arange(len(which))
        simplex = np.repeat((self.support(which, -nearest) - shifts)[:, None], 4, axis=1)
        nearest = simplex[:, 0].copy()
        for _ in range(STEPS):
            v = nearest[left]
            square = (v * v).sum(-1)
            w = self.support(which[left], -v) - shifts[left]
            distance[left] = np.sqrt(square)
            go_on = ((v * (v - w)).sum(-1) > NEAR * square) & (
                distance[left] > TOUCHING * self.size
            )
            left, w = left[go_on], w[go_on]
            if not len(left):
                break
            tetrahedra = simplex[left]
            tetrahedra[:, 3] = w
            simplex[left], nearest[left] = _nearest(tetrahedra)
        distance[distance <= TOUCHING * self.size] = 0.0
        return -nearest / np.maximum(distance, 1e-300)[:, None], distance


def _nearest(tetrahedra: Floats) -> tuple[Floats, Floats]:
    """The simplices of tetrahedra (n, 4, 3) that are nearest to the origin, and their points there.

    Simplices have shape (n, 4, 3), with the fourth corner to be replaced; inside, the point is zero.
    """
    rows = np.arange(len(tetrahedra))
    p, q = tetrahedra[:, EDGES[:, 0]], tetrahedra[:, EDGES[:, 1]]
    way = q - p
    t = -(p * way).sum(-1) / np.maximum((way * way).sum(-1), 1e-300)
    on_edges = p + np.clip(t, 0.0, 1.0)[..., None] * way
    a, b, c = (tetrahedra[:, FACES[:, k]] for k in range(3))
    normal = _cross(b - a, c - a)
    square = (normal * normal).sum(-1)
    height = (normal * a).sum(-1)
    flat = square <= 1e-300
    on_faces = (height / np.where(flat, 1.0, square))[..., None] * normal
    off = flat
    for one, other in ((a, b), (b, c), (c, a)):
        off = off | ((_cross(other - one, on_faces - one) * normal).sum(-1) < 0.0)
    points = np.concatenate([on_edges, on_faces], axis=1)
    far = (points * points).sum(-1)
    far[:, len(EDGES) :][off] = np.inf
    chosen = np.argmin(far, axis=1)
    corners = np.concatenate([EDGES[:, (0, 1, 1, 1)], FACES[:, (0, 1, 2, 2)]])[chosen]
    # The origin is inside if it is on the same side of every face as the corner across from it.
    across = tetrahedra[:, ::-1]
    depth = (normal * (across - a)).sum(-1)
    far_out = (tetrahedra * tetrahedra).sum(-1).max(axis=1, keepdims=True)
    solid = depth**2 > TOUCHING**2 * square * far_out
    inside = np.all((depth * -height > 0.0) & solid, axis=1)
    nearest = points[rows, chosen]
    nearest[inside] = 0.0
    return tetrahedra[rows[:, None], corners], nearest


def _cross(u: Floats, v: Floats) -> Floats:
    """Cross products of vectors (..., 3), several times faster than by np.cross."""
    out = np.empty(np.broadcast_shapes(u.shape, v.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i] = u[..., j] * v[..., k] - u[..., k] * v[..., j]
    return out
