"""Pairs of bones that may touch."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.bodies.distances import capsule_gaps
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose, Skeleton

Floats = NDArray[np.float64]

SAMPLES = 64  # poses in which pairs are looked at
ALWAYS = 0.95  # of these: pairs that touch in as many are left out
CLOSE = 2  # joints between bones that are left out if they touch at rest
WORLD = -1


def carriers(skeleton: Skeleton, moving: Iterable[int]) -> list[int]:
    """For every joint the nearest of some joints at or above it, WORLD if there is none."""
    chosen, found = set(moving), []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found.append(joint if joint in chosen else found[parent] if parent >= 0 else WORLD)
    return found


def self_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[int, int], ...]:
    """The pairs of capsules that can touch but do not always.

    Left out: capsules of one bone or of bones that are joined rigidly, neighbours, pairs that the model
    excludes or whose geoms do not touch each other by its bits; bones with few joints between them that
    touch at rest; and pairs that touch in (almost) all of some poses spread over the limits.
    """
    return _sorted_pairs(skeleton, solid)[0]


def close_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[int, int], ...]:
    """The joints of the pairs that `self_pairs` leaves out because their capsules touch too often."""
    left = _sorted_pairs(skeleton, solid)[1]
    return tuple(dict.fromkeys((solid[i][0], solid[j][0]) for i, j in left))


@lru_cache(maxsize=16)
def _sorted_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The pairs of capsules that are kept apart, and those that touch too often for that."""
    bone = carriers(skeleton, np.flatnonzero(skeleton.freedom_table.joints.moves).tolist())
    above = [
        bone[int(skeleton.parents[b])] if b >= 0 and skeleton.parents[b] >= 0 else WORLD
        for b in bone
    ]
    excluded = {
        frozenset((bone[skeleton.index(a)], bone[skeleton.index(b)]))
        for a, b in (skeleton.physics.excludes if skeleton.physics else ())
    }
    masks = _masks(skeleton, bone)
    pairs = []
    for i, (p, _) in enumerate(solid):
        for j in range(i):
            q = solid[j][0]
            near = bone[p] == bone[q] or above[p] == bone[q] or above[q] == bone[p]
            if (
                not near
                and frozenset((bone[p], bone[q])) not in excluded
                and masks(bone[p], bone[q])
            ):
                pairs.append((j, i))
    if not pairs:
        return (), ()
    poses = Pose.stack([skeleton.rest, *_spread(skeleton)])
    touching = capsule_gaps(poses, solid, pairs) <= 0.0
    often = touching.mean(axis=0) >= ALWAYS
    close = np.array([_apart(above, bone, solid[i][0], solid[j][0]) <= CLOSE for i, j in pairs])
    apart = ~often & ~(touching[0] & close)
    return tuple(
        tuple(pair for pair, on in zip(pairs, some, strict=True) if on) for some in (apart, ~apart)
    )


def _apart(above: list[int], bone: list[int], p: int, q: int) -> int:
    """How many steps up and down lead from one bone to another."""
    ways = []
    for joint in (p, q):
        way, b = [], bone[joint]
        while b != WORLD:
            way.append(b)
            b = above[b]
        ways.append([*way, WORLD])
    common = next(b for b in ways[0] if b in ways[1])
    return ways[0].index(common) + ways[1].index(common)


def _masks(skeleton: Skeleton, bone: list[int]) -> Any:
    """A test whether geoms of two bones may touch by their bits; True where bones have no geoms."""
    bits: dict[int, tuple[int, int]] = {}
    for geom in skeleton.geoms:
        if geom.collides:
            b = bone[skeleton.index(geom.joint)]
            own, other = bits.get(b, (0, 0))
            bits[b] = (own | geom.contype, other | geom.conaffinity)

    def may_touch(a: int, b: int) -> bool:
        if a not in bits or b not in bits:
            return True
        (own_a, other_a), (own_b, other_b) = bits[a], bits[b]
        return bool(own_a & other_b or own_b & other_a)

    return may_touch


def _spread(skeleton: Skeleton) -> Pose:
    """Poses spread over the limits, always the same."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi, np.pi, (SAMPLES, len(skeleton.freedoms)))
    q = np.array(Pose.from_angles(skeleton, angles).clamped().coordinates)
    rows = skeleton.freedom_table.rows
    rows = rows.take(rows.is_number & np.isfinite(rows.low) & np.isfinite(rows.high))
    for coordinate, low, high in zip(rows.coordinate, rows.low, rows.high, strict=True):
        q[:, coordinate] = rng.uniform(low, high, SAMPLES)
    return Pose(skeleton, q)
