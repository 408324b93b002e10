"""Effectors: named frames on joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.model.forward import some_world_frames
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import rotate

Floats = NDArray[np.float64]


class Effector(NamedTuple):
    """A named frame and the joint that carries it.

    Attributes:
        joint: Index of the joint.
        offset: Its origin in the joint's frame, shape (3,).
        rotation: Its rotation in the joint's frame, wxyz, shape (4,).
    """

    joint: int
    offset: np.ndarray
    rotation: np.ndarray


def find_effector(skeleton: Skeleton, name: Any) -> Effector:
    """The frame of a joint or tip; the error for an unknown name suggests the nearest."""
    index = skeleton.index(name, what="effector")
    count = len(skeleton.joints)
    if index < count:
        return Effector(index, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    joints, offsets, turns = skeleton.packed_tips
    return Effector(int(joints[index - count]), offsets[index - count], turns[index - count])


class EffectorFrames:
    """World frames of some effectors in a pose or a batch of poses, without those of other joints."""

    def __init__(self, poses: Pose, names: Iterable[str]) -> None:
        """Compute the frames of joints and tips by names, which the skeleton must have."""
        skeleton = poses.skeleton
        self._at = {name: k for k, name in enumerate(dict.fromkeys(names))}
        self._positions, self._rotations, self._linear = some_world_frames(
            skeleton,
            [skeleton.index(name) for name in self._at],
            poses.packed_coordinates,
            poses._translations,
            poses._scales,
        )

    def position(self, name: str) -> Floats:
        """World position of an effector, shape (..., 3)."""
        return self._positions[..., self._at[name], :]

    def rotation(self, name: str) -> Floats:
        """World rotation of an effector, wxyz, shape (..., 4)."""
        return self._rotations[..., self._at[name], :]

    def point(self, name: str, point: Any) -> Floats:
        """World position of a point in an effector's frame, scales included, shape (..., 3)."""
        place = self.position(name)
        if self._linear is None:
            return place + rotate(self.rotation(name), point)
        return place + self._linear[..., self._at[name], :, :] @ np.asarray(point)
