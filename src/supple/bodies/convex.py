"""Convex shapes: hulls of a few points, thickened by a radius; the shapes of geoms, and their signed gaps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.kernels.convex import SIMPLEX, farthest_of, hull_gaps
from supple.model.capsules import directions
from supple.model.geoms import Geom

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ShapeDetail:
    """How finely polyhedra approximate shapes. No measurement is recorded for those without a source.

    Attributes:
        directions: Directions in which the outermost points of a shape are searched.
        hull_points: Points of a mesh that are kept, at most: on the meshes of Unitree's G1 they leave out 0.9 mm or
            less.
        hull_tolerance: Fewer points are kept if they leave out less than this [parts of the extent of the mesh].
        cylinder_sides: Sides of the prism around a cylinder.
        ellipsoid_points: Points of the polyhedron around an ellipsoid.
        overlap_directions: Directions in which overlaps are measured.
    """

    directions: int = 1024
    hull_points: int = 128
    hull_tolerance: float = 1e-3
    cylinder_sides: int = 32
    ellipsoid_points: int = 128
    overlap_directions: int = 64


DETAIL = ShapeDetail()

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
_RING = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(8)], axis=1)
ROUND = np.concatenate([np.roll(_RING, k, axis=1) for k in range(3)])
"""Directions on three circles about the axes, shape (24, 3)."""
_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


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
        """The greatest distance of a point from the middle."""
        return float(np.linalg.norm(self.points - self.middle, axis=1).max())


def convex(geom: Geom) -> Convex | None:
    """The shape of a geom in its joint's frame, None for a plane.

    Cylinders and ellipsoids become polyhedra, and a mesh the hull of some of its outermost points. The shape is
    no smaller than the geom, except for details between two of the `DETAIL.directions`.
    """
    size = geom.size
    if geom.kind == "plane":
        return None
    if geom.kind == "mesh":
        points, radius = _outermost(np.asarray(geom.vertices, float))
        return Convex(geom.to_joint(points), radius)
    if geom.kind == "box":
        return Convex(geom.to_joint(_CORNERS * size))
    if geom.kind == "ellipsoid":
        ball = directions(DETAIL.ellipsoid_points)
        seen = (directions(DETAIL.directions) @ ball.T).max(axis=1).min()
        return Convex(geom.to_joint(ball * size / seen))
    if geom.kind == "cylinder":
        angle = 2 * np.pi * np.arange(DETAIL.cylinder_sides) / DETAIL.cylinder_sides
        rim = (
            size[0]
            / np.cos(np.pi / DETAIL.cylinder_sides)
            * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        )
        ends = [
            np.column_stack([rim, np.full(DETAIL.cylinder_sides, z)]) for z in (-size[1], size[1])
        ]
        return Convex(geom.to_joint(np.concatenate(ends)))
    half = size[1] if geom.kind == "capsule" else 0.0
    ends = sorted({-half, half})
    return Convex(geom.to_joint([(0.0, 0.0, z) for z in ends]), size[0])


def surface_points(geom: Geom) -> Floats:
    """Points (P, 3) on the surface of a geom, in its joint's frame, with the outermost along its own axes.

    A plane has none.
    """
    if geom.kind == "plane":
        return np.zeros((0, 3))
    if geom.kind == "mesh":
        points = np.asarray(geom.vertices, float)
    elif geom.kind in ("box", "ellipsoid"):
        points = geom.size * (_CORNERS if geom.kind == "box" else ROUND)
    else:
        half = geom.size[1] if len(geom.size) > 1 else 0.0
        ends = np.array([(0.0, 0.0, z) for z in sorted({-half, half})])
        rim = _RING if geom.kind == "cylinder" else ROUND
        points = (ends[:, None] + geom.size[0] * rim).reshape(-1, 3)
    return geom.to_joint(points)


def _outermost(points: Floats) -> tuple[Floats, float]:
    """A few points of a cloud, and the distance by which the hull of all points exceeds the hull of these.

    They are chosen one by one: next is the point that stands out farthest in any of the `DETAIL.directions`.
    """
    along, outermost = directions(DETAIL.directions), np.empty(DETAIL.directions, np.int64)
    farthest_of(np.ascontiguousarray(points), along, outermost)
    points = points[np.unique(outermost)]
    far = np.einsum("di,pi->dp", along, points)  # not with threaded BLAS: always the same bits
    reach, farthest = far.max(axis=1), np.argmax(far, axis=1)
    kept, has = [int(farthest[0])], far[:, farthest[0]].copy()
    enough = DETAIL.hull_tolerance * float(np.ptp(points, axis=0).max())
    while len(kept) < DETAIL.hull_points:
        worst = int(np.argmax(reach - has))
        if reach[worst] - has[worst] <= enough:
            break
        kept.append(int(farthest[worst]))
        has = np.maximum(has, far[:, farthest[worst]])
    return points[kept], float((reach - has).max())


def gaps(a: Convex, b: Convex, rotations: ArrayLike, positions: ArrayLike) -> Floats:
    """The gaps between the surfaces of two shapes, negative where they overlap.

    Args:
        a: A shape, in its own frame.
        b: Another.
        rotations: Rotations of b's frame in that of a, wxyz, shape (N, 4).
        positions: Origins of b's frame in that of a, shape (N, 3).

    Returns:
        Shape (N,), see `supple.kernels.convex`.
    """
    rotations, positions = (
        np.ascontiguousarray(some, np.float64) for some in (rotations, positions)
    )
    out = np.empty(len(rotations))
    hull_gaps(
        np.ascontiguousarray(a.points),
        np.ascontiguousarray(b.points),
        a.radius + b.radius,
        a.extent + b.extent,
        rotations,
        positions,
        directions(DETAIL.overlap_directions),
        np.zeros((4, SIMPLEX)),
        out,
    )
    return out
