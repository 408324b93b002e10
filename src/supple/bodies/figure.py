"""Capsules of a skeleton without shapes: its trunk is as thick as its hips are wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from supple.model.capsules import Capsule
from supple.model.skeleton import Skeleton


def with_trunk(skeleton: Skeleton, hips: Sequence[str]) -> Mapping[str, tuple[Capsule, ...]]:
    """The capsules of a skeleton; without geoms or given capsules, the trunk's are as thick as the hips are wide.

    Args:
        skeleton: The skeleton.
        hips: The topmost joints of two legs; with fewer, the capsules are unchanged.
    """
    own = skeleton.capsules
    physics = skeleton.physics
    if (physics is not None and physics.capsules is not None) or skeleton.geoms or len(hips) < 2:
        return own
    rest = skeleton.rest
    wide = 0.5 * float(np.linalg.norm(rest.position(hips[0]) - rest.position(hips[1])))
    middle = _trunk(skeleton)
    if not wide > 0:
        return own
    return {
        name: tuple(Capsule(one.a, one.b, max(one.radius, wide) if name in middle
                            else min(one.radius, wide)) for one in some)
        for name, some in own.items()
    }  # fmt: skip


def _trunk(skeleton: Skeleton) -> set[str]:
    """Joints above two or more limbs that end apart: pelvis, spine, chest."""
    below = {name: 0 for name in skeleton.joint_names}
    leaves = [name for name in skeleton.joint_names
              if not any(child in below for child in skeleton.children(name))]  # fmt: skip
    for leaf in leaves:
        path = skeleton.path(None, leaf)
        if skeleton.length(leaf, root=path[0]) > 0:
            for name in path:
                below[name] += 1
    # Hands branch too: a joint of the trunk has two long limbs at or below it.
    tops = [name for name in skeleton.joint_names if skeleton.parent(name) is None]
    trunk: set[str] = set(tops)
    for name in skeleton.joint_names:
        parent = skeleton.parent(name)
        if parent in trunk and below[name] > 1 and _splits(skeleton, name, below):
            trunk.add(name)
    return trunk


def _splits(skeleton: Skeleton, name: str, below: Mapping[str, int]) -> bool:
    """True if two long limbs branch at a joint or below it."""
    stack = [name]
    while stack:
        joint = stack.pop()
        children = [child for child in skeleton.children(joint) if child in below]
        long = [child for child in children if _reach(skeleton, child) >= 3]
        if len(long) > 1:
            return True
        stack += children
    return False


def _reach(skeleton: Skeleton, name: str) -> int:
    """The number of joints in a row from a joint down to one with several children or none."""
    count = 1
    while len(below := [child for child in skeleton.children(name)
                        if child in skeleton.joint_names]) == 1:  # fmt: skip
        name = below[0]
        count += 1
    return count
