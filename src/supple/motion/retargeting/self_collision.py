"""Limbs that stay out of each other and out of the trunk: capsules about a body's solid shapes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supple.model.geoms import Geom
from supple.motion.retargeting.body import Body, geom_points
from supple.motion.retargeting.whole_clip import Frame
from supple.rotations import conjugate, rotate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 2  # joints so few apart in the tree may touch
OUTER = 92.0  # percentile of the points of a shape that lie within its capsule's radius
BLUNT = 0.3  # of its radius: how far before the end of a cylinder its capsule's axis ends
EDGE = 0.4  # of half its thickness: radius of the capsules along the edges of a box
SLAB = 1.3  # a shape so much wider than it is thick has two capsules side by side


class Capsules:
    """The capsules of a body, and the pairs of them that must not meet.

    Pairs are of arms with everything else, and of one leg with the other; those that are near in the tree do not
    count. What overlaps in the reference may do so as much.

    Args:
        body: With geoms that touch something; without any there are no pairs.
        margin: How far capsules are to stay apart [leg lengths].
    """

    def __init__(self, body: Body, margin: float) -> None:
        skeleton, margin = body.skeleton, margin * body.sizes["leg"]
        joints, ends, radii = [], [], []
        for geom in skeleton.geoms:
            if geom.kind == "plane" or not (geom.contype or geom.conaffinity):
                continue
            for a, b, r in _geom_capsules(geom, 2.0 * margin):
                joints.append(skeleton.index(geom.joint))
                ends.append((a, b))
                radii.append(r)
        self.joints = np.array(joints, dtype=np.int64)
        self.ends = np.array(ends, dtype=np.float64).reshape(-1, 2, 3)
        self.pairs = self._pairs(body)
        positions, rotations = (part[self.joints, None] for part in body.reference)
        p, q = _nearest_of((positions + rotate(rotations, self.ends))[self.pairs])
        radii = np.array(radii, dtype=np.float64)[self.pairs].sum(1)
        self.need = np.minimum(radii + margin, np.linalg.norm(p - q, axis=1))
        half = 0.5 * np.linalg.norm(self.ends[:, 1] - self.ends[:, 0], axis=1)
        self.reach = self.need + half[self.pairs].sum(1)

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
        for part, sides in (("upper_arm", body.map.arms), ("thigh", body.map.legs)):
            for side in sides:
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

    def world(self, at: Frame) -> Floats:
        """Ends (F, C, 2, 3) of the axes of all capsules."""
        turned = rotate(at.rotations[:, self.joints, None], self.ends)
        return at.positions[:, self.joints, None] + turned


@lru_cache(maxsize=16)
def capsules_of(body: Body, margin: float) -> Capsules:
    """The capsules of a body, found once for all clips that are brought to it."""
    return Capsules(body, margin)


class Solids:
    """Push capsules apart that are too near to each other.

    Args:
        capsules: Whose pairs are watched.
        at: All frames of a clip. Pairs are watched where they come near to touching, and only there.
        wary: How near [model units].
        weight: What a length by which capsules are too near counts.
    """

    def __init__(self, capsules: Capsules, at: Frame, *, wary: float, weight: float) -> None:
        self.capsules, self.weight = capsules, weight
        one, two = capsules.pairs.T
        middles = capsules.world(at).mean(2)
        squares = (middles * middles).sum(-1)
        far = squares[:, one] + squares[:, two]
        far -= 2.0 * (middles @ np.swapaxes(middles, 1, 2))[:, one, two]
        self.frame, self.pair = np.nonzero(far < (capsules.reach + wary) ** 2)

    def __call__(self, at: Frame, first: int) -> tuple[Ints, Floats, Floats] | None:
        """Rows that push watched pairs apart that are too near, see `Push`."""
        own = self.capsules
        part = slice(*np.searchsorted(self.frame, (first, first + len(at.positions))))
        frame, pair = self.frame[part] - first, self.pair[part]
        p, q = _nearest_of(own.world(at)[frame[:, None], own.pairs[pair]])
        gap = p - q
        distance = np.sqrt((gap * gap).sum(-1))
        keep = np.flatnonzero((distance < own.need[pair]) & (distance > 1e-9))
        if not len(keep):
            return None
        frame, pair, distance = frame[keep], pair[keep], distance[keep]
        one, two = own.joints[own.pairs[pair]].T
        normal = gap[keep] / distance[:, None]
        row = at.derivative(frame, two, q[keep], normal) - at.derivative(
            frame, one, p[keep], normal
        )
        return frame, self.weight * row, self.weight * (own.need[pair] - distance)


class Ground:
    """Push solid shapes out of the ground, which is level at height 0.

    Args:
        body: With geoms.
        weight: What a length below the ground counts.
    """

    def __init__(self, body: Body, weight: float) -> None:
        self.weight, self.up = weight, rotate(conjugate(body.turn), np.array((0.0, 0.0, 1.0)))
        self.joints, self.points = body.outer_points

    def __call__(self, at: Frame, first: int) -> tuple[Ints, Floats, Floats] | None:
        """Rows that lift points which are below the ground, see `Push`."""
        links = np.unique(self.joints)
        height = np.empty((len(at.positions), len(links)))
        lowest = np.empty(height.shape, dtype=np.int64)
        for n, j in enumerate(links):
            mine = np.flatnonzero(self.joints == j)
            local = rotate(conjugate(at.rotations[:, j]), self.up)
            above = local @ self.points[mine].T
            lowest[:, n] = mine[above.argmin(axis=1)]
            height[:, n] = above.min(axis=1) + at.positions[:, j] @ self.up
        frame, n = np.nonzero(height < 0.0)
        if not len(frame):
            return None
        k = lowest[frame, n]
        joint = self.joints[k]
        place = at.positions[frame, joint] + rotate(at.rotations[frame, joint], self.points[k])
        row = at.derivative(frame, joint, place, np.broadcast_to(self.up, place.shape))
        return frame, self.weight * row, self.weight * height[frame, n]


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


def _nearest_of(ends: Floats) -> tuple[Floats, Floats]:
    """The nearest points (A, 3) of pairs of segments, whose ends are (A, 2, 2, 3)."""
    return _nearest(ends[:, 0, 0], ends[:, 0, 1], ends[:, 1, 0], ends[:, 1, 1])


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
