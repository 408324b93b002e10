"""Find the joints of a pose that are at a limit; vectorized, since it runs for every frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple import rotations
from supple.kernels import layout
from supple.model.skeleton import Pose, Skeleton

AT_LIMIT = 2e-3  # distance to a limit that counts as at it [rad, or model units]


@dataclass(frozen=True)
class Limited:
    """The limits of a skeleton as arrays: bounded coordinates, and cones.

    Attributes:
        joint: The joint of each bounded coordinate.
        at: The index of that coordinate.
        low: Its lower bound, -inf if open.
        high: Its upper bound, inf if open.
        cone: The joints that are cones.
        cone_at: The index of the first coordinate of their quaternions.
        cone_axis: Their axes, shape (cones, 3).
        swing: Their greatest swing angles [rad].
        tilts: Half-angles down, up, left, right [rad], shape (cones, 4); of a round cone 0.
        up: The direction of up of those that have them, shape (cones, 3).
        twist: The bounds of their twist angles [rad], shape (cones, 2).
    """

    joint: np.ndarray
    at: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cone: np.ndarray
    cone_at: np.ndarray
    cone_axis: np.ndarray
    swing: np.ndarray
    tilts: np.ndarray
    up: np.ndarray
    twist: np.ndarray

    @classmethod
    def of(cls, skeleton: Skeleton) -> Limited:
        """The limits of a skeleton."""
        numbers: list[tuple[int, int, float, float]] = []
        cones: list[tuple[int, int, float, tuple[float, float]]] = []
        at = 0
        for j, joint in enumerate(skeleton.joints):
            rows = joint.limit_rows
            if joint.has_swing_limits:
                cones.append((j, at, rows[0][1], rows[1]))
            else:
                numbers += [
                    (j, at + k, lo, hi)
                    for k, (lo, hi) in enumerate(rows)
                    if math.isfinite(lo) or math.isfinite(hi)
                ]
            at += joint.coordinate_count
        table = np.array(numbers, dtype=np.float64).reshape(len(numbers), 4)
        cone = np.array([row[0] for row in cones], dtype=np.int64)
        return cls(
            joint=table[:, 0].astype(np.int64),
            at=table[:, 1].astype(np.int64),
            low=table[:, 2],
            high=table[:, 3],
            cone=cone,
            cone_at=np.array([row[1] for row in cones], dtype=np.int64),
            cone_axis=skeleton.packed_floats[cone, layout.AXIS : layout.AXIS + 3],
            swing=np.array([row[2] for row in cones], dtype=np.float64),
            tilts=skeleton.packed_floats[cone, layout.TILTS : layout.TILTS + 4],
            up=skeleton.packed_floats[cone, layout.AXIS + 3 : layout.AXIS + 6],
            twist=np.array([row[3] for row in cones], dtype=np.float64).reshape(len(cones), 2),
        )

    def active(self, pose: Pose) -> list[int]:
        """The indices of the joints of a single pose that are at a limit, sorted."""
        q = pose.coordinates
        found: set[int] = set()
        if len(self.joint):
            value = q[self.at]
            near = (value <= self.low + AT_LIMIT) | (value >= self.high - AT_LIMIT)
            found.update(self.joint[near].tolist())
        if len(self.cone):
            found.update(self.cone[self._at_rim(q)].tolist())
        return sorted(found)

    def _at_rim(self, q: np.ndarray) -> np.ndarray:
        turn = q[self.cone_at[:, None] + np.arange(4)]
        tilted = rotations.rotate(turn, self.cone_axis)
        cosine = np.clip((tilted * self.cone_axis).sum(axis=1), -1.0, 1.0)
        along = (turn[:, 1:] * self.cone_axis).sum(axis=1)
        low, high = self.twist[:, 0], self.twist[:, 1]
        # Twist is periodic: measure it from the middle of its range.
        middle = (low + high) / 2
        twist = 2.0 * np.arctan2(along, turn[:, 0]) - middle
        twist = (twist + math.pi) % (2 * math.pi) - math.pi
        narrow = high - low < 2 * math.pi - 1e-6
        twisted = narrow & (np.abs(twist) >= (high - low) / 2 - AT_LIMIT)
        swing = np.arccos(cosine)
        return (swing >= self._greatest(tilted) - AT_LIMIT) | twisted

    def _greatest(self, tilted: np.ndarray) -> np.ndarray:
        """The greatest swing [rad] in the direction in which each axis is tilted, shape (cones,)."""
        four = np.any(self.tilts, axis=1)
        if not four.any():
            return self.swing
        a = (tilted * self.up).sum(axis=1)
        b = (tilted * np.cross(self.cone_axis, self.up)).sum(axis=1)
        down, up, left, right = np.where(four[:, None], self.tilts, 1.0).T
        size = np.hypot(a, b)
        level = np.hypot(a / np.where(a >= 0, up, down), b / np.where(b >= 0, right, left))
        along = np.divide(size, level, out=self.swing.copy(), where=level > 0)
        return np.where(four, along, self.swing)
