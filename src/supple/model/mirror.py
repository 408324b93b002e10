"""Mirrored poses: left and right are swapped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from supple.errors import mapping, one_of
from supple.kernels import layout
from supple.model.matching import put_rotations
from supple.model.skeleton import Pose
from supple.rotations import conjugate, multiply, rotate

Floats = NDArray[np.float64]

# Marks of left and right in names, with their counterparts. A single letter counts if it is not part
# of a word: "arm_l", "L Arm", "arm.L", "lShoulder", "LHip".
_SIDES = [
    *((a, b) for a, b in (("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT"))),
    *((b, a) for a, b in (("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT"))),
]
_LETTER = re.compile(r"(?<![A-Za-z])[LRlr](?![a-z])|(?<=[a-z0-9])[LR](?![A-Za-z])")
_OTHER = {"L": "R", "R": "L", "l": "r", "r": "l"}


def partner(name: str, names: Sequence[str]) -> str:
    """The counterpart of a joint on the other side, by name; itself if there is none."""
    known = set(names)
    for mine, other in _SIDES:
        if mine in name and name.replace(mine, other, 1) in known:
            return name.replace(mine, other, 1)
    for found in _LETTER.finditer(name):
        twin = name[: found.start()] + _OTHER[found.group()] + name[found.end() :]
        if twin in known:
            return twin
    return name


def mirrored_poses(poses: Pose, *, axis: str, pairs: Mapping[str, str] | None) -> Pose:
    """A batch of poses (F,) mirrored in the plane through the origin perpendicular to an axis.

    The rotation of a joint from its rest is the mirrored one of its counterpart, so the skeleton need not
    be exactly symmetric.
    """
    skeleton = poses.skeleton
    k = "xyz".index(one_of("axis", axis, "xyz"))
    names = skeleton.joint_names
    if pairs is None:
        twins = {name: partner(name, names) for name in names}
    else:
        twins = {one_of("joint of pairs", a, names): one_of("joint of pairs", b, names)
                 for a, b in mapping("pairs", pairs, "{left: right}").items()}  # fmt: skip
        twins |= {b: a for a, b in twins.items()}
    twin = np.array([skeleton.index(twins.get(name, name)) for name in names])

    count = len(names)
    at_rest = skeleton.rest.rotations[:count]
    turned = multiply(poses.rotations[..., :count, :], conjugate(at_rest))
    world = multiply(_mirrored_rotations(turned[..., twin, :], k), at_rest)
    parents = skeleton.parents
    roots = parents < 0
    above = world[..., np.maximum(parents, 0), :]
    above[..., roots, :] = (1.0, 0.0, 0.0, 0.0)
    local = multiply(conjugate(above), world)
    q = np.array(poses.coordinates)
    for j, joint in enumerate(skeleton.joints):
        first = int(skeleton.packed_ints[j, layout.Q])
        width = joint.coordinate_count
        other = int(skeleton.packed_ints[twin[j], layout.Q])
        if joint.coordinate_count == skeleton.joints[twin[j]].coordinate_count:
            q[:, first : first + width] = poses.coordinates[:, other : other + width]
        put_rotations(joint, multiply(conjugate(skeleton.rotations[j]), local[:, j]), q, first)

    translations = scales = None
    if poses.translations is not None:
        frames = at_rest[np.maximum(parents, 0)]
        frames[roots] = (1.0, 0.0, 0.0, 0.0)
        moved = (poses._full_translations() - skeleton.offsets)[:, twin]
        seen = rotate(frames[twin], moved)
        seen[..., k] *= -1.0
        translations = skeleton.offsets + rotate(conjugate(frames), seen)
    if poses.scales is not None:
        scales = poses._full_scales()[:, twin]
    return Pose(skeleton, q, translations, scales)


def _mirrored_rotations(rotations: Floats, k: int) -> Floats:
    """Rotations (..., 4) mirrored along axis k: the components about the other axes change sign."""
    signs = np.full(4, -1.0)
    signs[[0, k + 1]] = 1.0
    return rotations * signs
