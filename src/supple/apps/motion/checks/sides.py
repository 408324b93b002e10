"""Left and right that are swapped, as by wrong labels of markers or of a pose estimator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.checks.clip import TOO_FEW_FRAMES, Clip
from supple.apps.motion.checks.measure import Measure, nothing

Floats = NDArray[np.float64]

# Left and right that are nearer to each other are not judged [leg lengths]; not tuned.
LEAST_DISTANCE = 0.15
LEAST_JUMP = 0.15  # nor those that move less in a frame [leg lengths]; not tuned


def swap(clip: Clip, budget: float) -> Measure:
    """How much nearer left and right are to each other's last position than to their own, a ratio.

    Two cases are measured: the joints swap positions in world, or, seen from the root, each is at the mirror image of
    the other.
    """
    if not clip.twins:
        return nothing("swap", "no joints are called left and right")
    if len(clip.motion) <= TOO_FEW_FRAMES:
        return nothing("swap", "there are fewer than 5 frames")
    skeleton = clip.motion.skeleton
    left = np.array([skeleton.index(a) for a, _ in clip.twins])
    right = np.array([skeleton.index(b) for _, b in clip.twins])
    ratios = _ratios(clip, clip.positions / clip.leg, left, right, mirror=False)
    own = _in_body(clip, left, right)
    if own is not None:
        ratios = np.maximum(ratios, _ratios(clip, own / clip.leg, left, right, mirror=True))
    values = np.concatenate([np.zeros((1, len(left))), ratios])
    names = tuple(f"{a} and {b}" for a, b in clip.twins)
    return Measure("swap", "times", names, values, np.full(len(names), budget))


def _ratios(clip: Clip, at: Floats, left: NDArray[np.int64], right: NDArray[np.int64],
            *, mirror: bool) -> Floats:  # fmt: skip
    """How much farther joints move than they would with left and right exchanged, shape (F - 1, K)."""
    a, b = at[:, left], at[:, right]
    flip = np.array([-1.0, 1.0, 1.0]) if mirror else np.ones(3)
    # Extrapolated positions.
    next_a = np.concatenate([a[:1], 2 * a[1:-1] - a[:-2]])
    next_b = np.concatenate([b[:1], 2 * b[1:-1] - b[:-2]])
    stay = _apart(a[1:], next_a) + _apart(b[1:], next_b)
    change = _apart(a[1:], flip * next_b) + _apart(b[1:], flip * next_a)
    step = _apart(a[1:], a[:-1]) + _apart(b[1:], b[:-1])
    tells = (_apart(a[:-1], flip * b[:-1]) > LEAST_DISTANCE) & (np.minimum(stay, step) > LEAST_JUMP)
    return np.where(tells, stay / np.maximum(change, 0.25 * LEAST_JUMP), 0.0)


def _apart(a: Floats, b: Floats) -> Floats:
    return np.linalg.norm(a - b, axis=-1)


def _in_body(clip: Clip, left: NDArray[np.int64], right: NDArray[np.int64]) -> Floats | None:
    """Positions in a frame of the body, x from left to right, shape (F, N + T, 3); None without hips.

    The frame is that of the topmost pair: hips or shoulders, which rotations of limbs do not move.
    """
    skeleton = clip.motion.skeleton
    at = clip.positions
    rest = skeleton.rest.positions
    depth = np.array([len(skeleton.path(None, skeleton.joint_names[k])) for k in left])
    apart = np.linalg.norm(rest[left] - rest[right], axis=1) > 1e-3 * clip.leg
    if not apart.any():
        return None
    k = int(np.flatnonzero(apart)[np.argmin(depth[apart])])
    parent = skeleton.parents[left[k]]
    if parent < 0:
        return None
    across = rest[right[k]] - rest[left[k]]
    turn = clip.motion.poses.frames[:, parent, :3, :3] @ skeleton.rest.frames[parent, :3, :3].T
    x = across / np.linalg.norm(across)
    y = clip.up - (clip.up @ x) * x
    if not np.linalg.norm(y) > 0.1:
        return None
    y /= np.linalg.norm(y)
    axes = np.stack([x, y, np.cross(x, y)])
    middle = 0.5 * (at[:, left[k]] + at[:, right[k]])
    return np.einsum("fji,fnj->fni", turn, at - middle[:, None]) @ axes.T
