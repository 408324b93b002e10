"""Find the joints of a pose that are at a limit; vectorized, since it runs for every frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple import rotations
from supple.model.freedoms import Cones, Rows
from supple.model.skeleton import Pose, Skeleton

AT_LIMIT = 2e-3  # greatest distance to a limit that counts as being at it [rad, or model units]


@dataclass(frozen=True)
class Limited:
    """The limits of a skeleton as arrays: bounded coordinates, and cones.

    Attributes:
        numbers: The slides and angles that have limits.
        cones: The limits of swing and twist.
    """

    numbers: Rows
    cones: Cones

    @classmethod
    def of(cls, skeleton: Skeleton) -> Limited:
        """The limits of a skeleton."""
        table = skeleton.freedom_table
        return cls(table.rows.take(table.rows.is_scalar & table.rows.is_limited), table.cones)

    def active(self, pose: Pose) -> list[int]:
        """The indices of the joints of a single pose that are at a limit, sorted."""
        q = pose.coordinates
        found: set[int] = set()
        numbers = self.numbers
        if len(numbers):
            value = q[numbers.coordinate]
            near = (value <= numbers.low + AT_LIMIT) | (value >= numbers.high - AT_LIMIT)
            found.update(numbers.joint[near].tolist())
        if len(self.cones):
            found.update(self.cones.joint[self._at_rim(q)].tolist())
        return sorted(found)

    def _at_rim(self, q: np.ndarray) -> np.ndarray:
        cones = self.cones
        turn = q[cones.coordinate[:, None] + np.arange(4)]
        tilted = rotations.rotate(turn, cones.axis)
        cosine = np.clip((tilted * cones.axis).sum(axis=1), -1.0, 1.0)
        along = (turn[:, 1:] * cones.axis).sum(axis=1)
        low, high = cones.twist_low, cones.twist_high
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
        cones = self.cones
        four = np.any(cones.half_angles, axis=1)
        if not four.any():
            return cones.swing
        a = (tilted * cones.up).sum(axis=1)
        b = (tilted * np.cross(cones.axis, cones.up)).sum(axis=1)
        down, up, left, right = np.where(four[:, None], cones.half_angles, 1.0).T
        size = np.hypot(a, b)
        level = np.hypot(a / np.where(a >= 0, up, down), b / np.where(b >= 0, right, left))
        along = np.divide(size, level, out=cones.swing.copy(), where=level > 0)
        return np.where(four, along, cones.swing)
