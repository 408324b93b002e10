"""Distances of segments and of capsules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.model.capsules import Capsule
from supple.model.skeleton import Pose
from supple.rotations import rotate

Floats = NDArray[np.float64]


def capsule_gaps(
    poses: Pose, solid: Sequence[tuple[int, Capsule]], pairs: Sequence[tuple[int, int]]
) -> Floats:
    """How far apart the surfaces of pairs of capsules are in poses (F,), shape (F, N)."""
    joints = [joint for joint, _ in solid]
    origins, turns = poses.positions[:, joints], poses.rotations[:, joints]
    a, b = (
        origins + rotate(turns, np.array([getattr(one, end) for _, one in solid])) for end in "ab"
    )
    radius = np.array([one.radius for _, one in solid])
    i, j = np.array(pairs).T
    return segment_distances(a[:, i], b[:, i], a[:, j], b[:, j]) - radius[i] - radius[j]


def segment_distances(a1: Floats, b1: Floats, a2: Floats, b2: Floats) -> Floats:
    """The least distances of segments a1 b1 and a2 b2, each of shape (..., 3)."""
    d1, d2, r = b1 - a1, b2 - a2, a1 - a2
    a, e, b = (d1 * d1).sum(-1), (d2 * d2).sum(-1), (d1 * d2).sum(-1)
    c, f = (d1 * r).sum(-1), (d2 * r).sum(-1)
    tiny = 1e-24
    across = a * e - b * b
    s = np.where(across > 1e-12 * a * e, (b * f - c * e) / np.maximum(across, tiny), 0.5)
    s = np.clip(s, 0.0, 1.0)
    t = np.clip((b * s + f) / np.maximum(e, tiny), 0.0, 1.0)
    s = np.clip((b * t - c) / np.maximum(a, tiny), 0.0, 1.0)
    return np.linalg.norm(a1 + s[..., None] * d1 - a2 - t[..., None] * d2, axis=-1)
