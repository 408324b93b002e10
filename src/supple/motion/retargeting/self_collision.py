"""Limbs that stay out of each other and out of the trunk: capsules about a body's solid shapes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supple.model.capsules import Capsule
from supple.model.geoms import Geom
from supple.motion.retargeting.body import Body, geom_points
from supple.rotations import rotate

Floats = NDArray[np.float64]

NEAR = 2  # joints so few apart in the tree may touch
OUTER = 92.0  # percentile of the points of a shape that lie within its capsule's radius
BLUNT = 0.3  # of its radius: how far before the end of a cylinder its capsule's axis ends
EDGE = 0.4  # of half its thickness: radius of the capsules along the edges of a box
FINE = 0.01  # of the leg: corners of a box that stick out by more have capsules of their own
SLAB = 1.3  # a shape so much wider than it is thick has two capsules side by side


@lru_cache(maxsize=16)
def capsules_of(body: Body) -> tuple[dict[str, list[Capsule]], list[tuple[str, str]]]:
    """The capsules of a body by joint, and the pairs of joints that must not meet.

    Pairs are of arms with everything else, and of one leg with the other; those that are near in the tree, and those
    that overlap in the reference, do not count.
    """
    skeleton = body.skeleton
    fine = FINE * body.sizes["leg"]
    found: dict[str, list[Capsule]] = {}
    for geom in skeleton.geoms:
        if geom.kind != "plane" and (geom.contype or geom.conaffinity):
            found.setdefault(geom.joint, []).extend(
                Capsule(a, b, r) for a, b, r in _geom_capsules(geom, fine)
            )
    limb: dict[str, str] = {}
    for part, sides in (("upper_arm", body.map.arms), ("thigh", body.map.legs)):
        for side in sides:
            top = body.map[f"{side}_{part}"][0]
            limb |= {name: f"{side} {part}" for name in found if top in skeleton.path(None, name)}
    pairs, names = [], list(found)
    for m, one in enumerate(names):
        for two in names[m + 1 :]:
            mine, other = limb.get(one, ""), limb.get(two, "")
            if mine == other or not ("arm" in mine + other or (mine and other)):
                continue
            paths = [skeleton.path(None, name) for name in (one, two)]
            common = sum(a == b for a, b in zip(*paths, strict=False))
            if len(paths[0]) + len(paths[1]) - 2 * common <= NEAR:
                continue
            if not _overlap(body, (one, found[one]), (two, found[two])):
                pairs.append((one, two))
    return found, pairs


def _overlap(body: Body, *some: tuple[str, list[Capsule]]) -> bool:
    """True if capsules of two joints overlap in the reference."""
    ends, radii = [], []
    for name, capsules in some:
        j = body.skeleton.index(name)
        local = np.array([(one.a, one.b) for one in capsules])
        ends.append(body.reference[0][j] + rotate(body.reference[1][j], local))
        radii.append(np.array([one.radius for one in capsules]))
    m, n = (a.ravel() for a in np.indices((len(ends[0]), len(ends[1]))))
    p, q = _nearest(ends[0][m, 0], ends[0][m, 1], ends[1][n, 0], ends[1][n, 1])
    return bool(np.any(np.linalg.norm(p - q, axis=1) < radii[0][m] + radii[1][n]))


def _geom_capsules(geom: Geom, fine: float) -> list[tuple[Floats, Floats, float]]:
    """Capsules, ends and radius each, about a geom.

    Edges of cylinders and boxes stick out a little; the long edges of boxes that would stick out by more than
    `fine` have capsules of their own.
    """
    turn, place = np.asarray(geom.rotation), np.asarray(geom.position)
    size = geom.size
    if geom.kind in ("sphere", "capsule", "cylinder"):
        half = (
            0.0
            if geom.kind == "sphere"
            else size[1] - (BLUNT * size[0] if geom.kind == "cylinder" else 0.0)
        )
        end = rotate(turn, np.array((0.0, 0.0, max(half, 0.0))))
        return [(place - end, place + end, float(size[0]))]
    if geom.kind == "box":
        order = np.argsort(-np.asarray(size))
        (u, v, w), (x, y, z) = rotate(turn, np.eye(3)[order]), np.asarray(size)[order]
        r = 1.1 * z
        reach, shift = max(x - BLUNT * r, 0.0) * u, max(y - 0.8 * r, 0.0) * v
        count = 1 if y <= z * 1.05 else 2 if y < 2.5 * z else 3
        sides = np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
        made = [(place + s * shift - reach, place + s * shift + reach, float(r)) for s in sides]
        if np.hypot(y - np.linalg.norm(shift), z) - r > fine:
            thin = EDGE * z
            along, inner = max(x - thin, 0.0) * u, 1.0 - 0.8 * EDGE
            edges = [
                place + a * (y - 0.8 * thin) * v + b * inner * z * w
                for a in (-1.0, 1.0)
                for b in (-1.0, 1.0)
            ]
            made += [(edge - along, edge + along, float(thin)) for edge in edges]
        return made
    return _capsules(geom_points(geom))


def _capsules(points: Floats) -> list[tuple[Floats, Floats, float]]:
    """One capsule along a shape, or two side by side for one that is wider than thick: ends and radius each."""
    center = points.mean(0)
    axes = np.linalg.eigh((points - center).T @ (points - center))[1].T[::-1]
    along = (points - center) @ axes.T
    low, high = along.min(0), along.max(0)
    center = center + ((low + high) / 2) @ axes
    half = (high - low) / 2
    order = np.argsort(-half)
    (u, v, w), (x, y, z) = axes[order], half[order]
    if y > SLAB * z:
        r, shift = z, y - z
        reach = max(x - r, 0.0)
        return [
            (center + s * shift * v - reach * u, center + s * shift * v + reach * u, float(r))
            for s in (-1.0, 1.0)
        ]
    local = points - center
    r = float(np.percentile(np.hypot(local @ v, local @ w), OUTER))
    reach = max(x - r, 0.0)
    return [(center - reach * u, center + reach * u, max(r, 1e-9))]


def _nearest(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats]:
    """The nearest points of segments ab and cd (..., 3). After Ericson 2005, *Real-Time Collision Detection*, 5.1.9."""
    u, v, w = b - a, d - c, a - c
    uu, vv = (u * u).sum(-1) + 1e-18, (v * v).sum(-1) + 1e-18
    uv, uw, vw = (u * v).sum(-1), (u * w).sum(-1), (v * w).sum(-1)
    det = uu * vv - uv * uv
    s = np.where(
        det > 1e-12 * uu * vv, np.clip((uv * vw - uw * vv) / np.maximum(det, 1e-30), 0.0, 1.0), 0.0
    )
    t = (uv * s + vw) / vv
    s = np.where((t < 0) | (t > 1), np.clip((np.clip(t, 0.0, 1.0) * uv - uw) / uu, 0.0, 1.0), s)
    t = np.clip(t, 0.0, 1.0)
    return a + s[..., None] * u, c + t[..., None] * v
