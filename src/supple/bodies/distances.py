"""Distances of segments, and gaps of the solids of a skeleton, as the solvers measure them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.bodies.solids import Solid
from supple.kernels.constraints import segments_nearest, solid_gaps
from supple.kernels.convex import SIMPLEX
from supple.model.skeleton import Pose

Floats = NDArray[np.float64]


def nearest_points(a1: Floats, b1: Floats, a2: Floats, b2: Floats) -> tuple[Floats, Floats]:
    """The nearest points of segments a1 b1 and a2 b2, each of shape (..., 3).

    Where parallel segments are equally near over a range, it is the middle of the first segment, or the point of the
    range nearest to it.
    """
    shape = np.broadcast_shapes(a1.shape, b1.shape, a2.shape, b2.shape)
    ends = [
        np.ascontiguousarray(np.broadcast_to(end, shape), np.float64).reshape(-1, 3)
        for end in (a1, b1, a2, b2)
    ]
    fractions = np.empty((len(ends[0]), 2))
    segments_nearest(ends[0], ends[1], ends[2], ends[3], fractions)
    s, t = np.moveaxis(fractions.reshape(*shape[:-1], 2, 1), -2, 0)
    return a1 + s * (b1 - a1), a2 + t * (b2 - a2)


def segment_distances(a1: Floats, b1: Floats, a2: Floats, b2: Floats) -> Floats:
    """The least distances of segments a1 b1 and a2 b2, each of shape (..., 3)."""
    first, second = nearest_points(a1, b1, a2, b2)
    return np.linalg.norm(first - second, axis=-1)


class Packed(NamedTuple):
    """Solids as kernels take them, see `supple.kernels.constraints.solid_gaps`."""

    ints: NDArray[np.int64]  # (C, 3)
    floats: Floats  # (C, 9)
    hulls: Floats  # (V, 3)


def packed(solids: Sequence[Solid]) -> Packed:
    """Solids as kernels take them."""
    ints, floats, hulls, count = [], [], [np.zeros((0, 3))], 0
    for solid in solids:
        one, hull = solid.capsule, solid.hull
        points = np.zeros((0, 3)) if hull is None else hull.points - np.array(one.a)
        ints.append((solid.joint, count, len(points)))
        floats.append((*one.a, *one.b, one.radius, one.length / 2, solid.shape.radius))
        hulls.append(points)
        count += len(points)
    return Packed(
        np.array(ints, np.int64).reshape(-1, 3),
        np.array(floats, np.float64).reshape(-1, 9),
        np.concatenate(hulls),
    )


def gaps_of(poses: Pose, solids: Packed, pairs: ArrayLike, *, reach: float = np.inf) -> Floats:
    """The gaps of pairs of solids in poses (...), negative where they overlap, shape (..., N).

    Args:
        poses: Poses.
        solids: The result of `packed`.
        pairs: Two solids each, shape (N, 2).
        reach: Gaps above this may be reported smaller, but never below it. A smaller value is faster.
    """
    shape, names = poses.batch_shape, len(poses.skeleton.names)
    positions = np.ascontiguousarray(poses.positions).reshape(-1, names, 3)
    rotations = np.ascontiguousarray(poses.rotations).reshape(-1, names, 4)
    pairs = np.ascontiguousarray(pairs, np.int64).reshape(-1, 2)
    out = np.empty((len(positions), len(pairs)))
    ends, simplex = np.empty((2 * len(solids.ints), 3)), np.empty((4, SIMPLEX))
    solid_gaps(positions, rotations, *solids, pairs, float(reach), ends, simplex, out)
    return out.reshape(*shape, len(pairs))
