"""Effectors: named frames on joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.errors import one_of
from supple.model.skeleton import Skeleton


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


def find_effector(skeleton: Skeleton, name: object) -> Effector:
    """The frame of a joint or tip; an unknown name is an error with the nearest."""
    index = skeleton.index(one_of("effector", name, skeleton.names))
    count = len(skeleton.joints)
    if index < count:
        return Effector(index, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    joints, offsets, turns = skeleton.packed_tips
    return Effector(int(joints[index - count]), offsets[index - count], turns[index - count])
