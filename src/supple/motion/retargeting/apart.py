"""Limbs that stay out of each other and out of the trunk: capsules about a body's solid shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.model.geoms import Geom
from supple.motion.retargeting.body import Body, geom_points
from supple.motion.retargeting.body_map import SIDES
from supple.rotations import rotate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 2  # joints so few apart in the tree may touch
OUTER = 92.0  # percentile of the points of a shape that lie within its capsule's radius
BLUNT = 0.3  # of its radius: how far before the end of a cylinder its capsule's axis ends
SLAB = 1.3  # a shape so much wider than it is thick has two capsules side by side


@dataclass(frozen=True)
class Overlaps:
    """Pairs of capsules that are too near to each other.

    Attributes:
        frame: (A,).
        joints: The joints of the two capsules, (A, 2).
        points: The nearest points of their axes, world, (A, 2, 3).
        normal: From the second to the first, (A, 3).
        depth: By how much they are too near, above 0, (A,).
    """

    frame: Ints
    joints: Ints
    points: Floats
    normal: Floats
    depth: Floats


class Solids:
    """The capsules of a body, and the pairs of them that must not meet.

    Pairs are of arms with everything else, and of one leg with the other; those that are near in the tree do not
    count. What overlaps in the reference may do so as much.

    Args:
        body: With geoms that touch something; without any there are no pairs.
        margin: How far capsules are to stay apart [model units].
    """

    def __init__(self, body: Body, margin: float) -> None:
        skeleton = body.skeleton
        joints, ends, radii = [], [], []
        for geom in skeleton.geoms:
            if geom.kind == "plane" or not (geom.contype or geom.conaffinity):
                continue
            for a, b, r in _geom_capsules(geom):
                joints.append(skeleton.index(geom.joint))
                ends.append((a, b))
                radii.append(r)
        self.joints = np.array(joints, dtype=np.int64)
        self.ends = np.array(ends, dtype=np.float64).reshape(-1, 2, 3)
        self.radii = np.array(radii)
        self.pairs = self._pairs(body)
        self.need = np.zeros(0)
        if len(self.pairs):
            positions, rotations = (part[None] for part in body.reference)
            distance = self._distances(positions, rotations)[0][0]
            self.need = np.minimum(self.radii[self.pairs].sum(1) + margin, distance)

    def _pairs(self, body: Body) -> Ints:
        """The pairs of capsules that count, (K, 2)."""
        skeleton = body.skeleton
        parents = skeleton.parents.tolist()

        def above(j: int) -> list[int]:
            out = [j]
            while parents[j] >= 0:
                j = parents[j]
                out.append(j)
            return out

        paths = {int(j): above(int(j)) for j in set(self.joints.tolist())}
        limb: dict[int, str] = {}
        for side in SIDES:
            for part in ("upper_arm", "thigh"):
                top = skeleton.index(body.map[f"{side}_{part}"][0])
                limb |= {j: f"{side} {part}" for j, path in paths.items() if top in path}
        pairs = []
        for m in range(len(self.joints)):
            for n in range(m + 1, len(self.joints)):
                a, b = int(self.joints[m]), int(self.joints[n])
                mine, other = limb.get(a, ""), limb.get(b, "")
                if mine == other or not ("arm" in mine + other or (mine and other)):
                    continue
                common = next((j for j in paths[a] if j in paths[b]), None)
                if common is not None and paths[a].index(common) + paths[b].index(common) <= NEAR:
                    continue
                pairs.append((m, n))
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def _distances(self, positions: Floats, rotations: Floats) -> tuple[Floats, Floats]:
        """Distances (F, K) of the axes of pairs, and their nearest points (F, K, 2, 3)."""
        world = positions[:, self.joints, None] + rotate(rotations[:, self.joints, None], self.ends)
        first, second = world[:, self.pairs[:, 0]], world[:, self.pairs[:, 1]]
        p, q = _nearest(first[..., 0, :], first[..., 1, :], second[..., 0, :], second[..., 1, :])
        gap = p - q
        return np.sqrt((gap * gap).sum(-1)), np.stack([p, q], axis=-2)

    def overlaps(self, positions: Floats, rotations: Floats) -> Overlaps | None:
        """The pairs that are too near in frames (F, N, 3), (F, N, 4); None if there are none."""
        if not len(self.pairs):
            return None
        middle = self.ends.mean(1)
        centers = positions[:, self.joints] + rotate(rotations[:, self.joints], middle)
        half = 0.5 * np.linalg.norm(self.ends[:, 1] - self.ends[:, 0], axis=1)
        gap = centers[:, self.pairs[:, 0]] - centers[:, self.pairs[:, 1]]
        reach = self.need + half[self.pairs].sum(1)
        frame, pair = np.nonzero((gap * gap).sum(-1) < reach * reach)
        if not len(frame):
            return None
        joints = self.joints[self.pairs[pair]]
        world = positions[frame[:, None], joints][:, :, None] + rotate(
            rotations[frame[:, None], joints][:, :, None], self.ends[self.pairs[pair]]
        )
        p, q = _nearest(world[:, 0, 0], world[:, 0, 1], world[:, 1, 0], world[:, 1, 1])
        gap = p - q
        far = np.sqrt((gap * gap).sum(-1))
        depth = self.need[pair] - far
        keep = (depth > 0) & (far > 1e-9)
        if not keep.any():
            return None
        normal = gap[keep] / far[keep, None]
        return Overlaps(
            frame[keep], joints[keep], np.stack([p[keep], q[keep]], axis=1), normal, depth[keep]
        )


def _geom_capsules(geom: Geom) -> list[tuple[Floats, Floats, float]]:
    """Capsules, ends and radius each, about a geom; the edges of cylinders and boxes stick out a little."""
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
        (u, v, _), (x, y, z) = rotate(turn, np.eye(3)[order]), np.asarray(size)[order]
        r = 1.1 * z
        reach, shift = max(x - BLUNT * r, 0.0) * u, max(y - 0.8 * r, 0.0) * v
        count = 1 if y <= z * 1.05 else 2 if y < 2.5 * z else 3
        sides = np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
        return [(place + s * shift - reach, place + s * shift + reach, float(r)) for s in sides]
    return _capsules(geom_points(geom))


def _capsules(points: Floats) -> list[tuple[Floats, Floats, float]]:
    """One capsule along a shape, or two side by side for one that is wider than thick: ends and radius each."""
    center = points.mean(0)
    axes = np.linalg.svd(points - center, full_matrices=False)[2]
    if len(axes) < 3:
        return [
            (
                center,
                center,
                float(np.linalg.norm(points - center, axis=1).max(initial=1e-9)) or 1e-9,
            )
        ]
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
