"""How fast a frame moves with each freedom of its skeleton: the geometric Jacobian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.kernels import layout
from supple.rotations import from_axis_angle, multiply, rotate

if TYPE_CHECKING:
    from supple.model.skeleton import Pose

Floats = NDArray[np.float64]


def jacobian(pose: Pose, name: str) -> Floats:
    """See `Pose.jacobian`."""
    skeleton = pose.skeleton
    place = skeleton.index(name)
    if pose.scales is not None:
        raise SuppleError("jacobian: expected a pose without scales, in which all parts are rigid")
    ints, floats = skeleton.packed_ints, skeleton.packed_floats
    count = len(skeleton.joint_names)
    tip_joint, tip_offset = skeleton.packed_tips[:2]
    positions, rotations, q = pose.positions, pose.rotations, pose.coordinates
    offsets = skeleton.offsets if pose.translations is None else pose.translations
    out = np.zeros((*pose.batch_shape, 6, len(skeleton.freedoms)))
    end = positions[..., place, :]
    if place < count:
        j, below = place, None
    else:
        j, below = int(tip_joint[place - count]), tip_offset[place - count]
    while j >= 0:
        row, parent = ints[j], int(ints[j, layout.PARENT])
        before = floats[j, layout.REST : layout.REST + 4]  # world rotation just before the joint
        if parent >= 0:
            before = multiply(rotations[..., parent, :], before)
        arm = end - positions[..., j, :]
        source, factor, first = int(row[layout.MIMIC]), 1.0, int(row[layout.DOF])
        if source >= 0:
            factor, first = float(floats[j, layout.MIMIC_MUL]), int(ints[source, layout.DOF])
        kind, at, d = int(row[layout.KIND]), int(row[layout.Q]), first
        slides = kind & layout.SLIDES
        numbers = slides + (kind >> 2 & 3)
        for i in range(numbers):
            axis = floats[j, layout.AXIS + 3 * i : layout.AXIS + 3 * i + 3]
            frozen = bool(row[layout.FROZEN] >> i & 1)
            if not frozen:
                _add(out, d, rotate(before, axis), arm, factor, slides=i < slides)
                d += 1
            if i >= slides:  # the axes after it turn with it
                before = multiply(before, from_axis_angle(axis, q[..., at + i]))
        if kind & layout.QUATERNION:
            for axis in np.eye(3):
                _add(out, d, rotate(before, axis), arm, factor, slides=False)
                d += 1
        if row[layout.STRETCH_DOF] >= 0 and below is not None:
            out[..., :3, int(row[layout.STRETCH_DOF])] += rotate(rotations[..., j, :], below)
        below = offsets[..., j, :]
        j = parent
    return out


def _add(out: Floats, d: int, axis: Floats, arm: Floats, factor: float, *, slides: bool) -> None:
    """Add what a slide along a world axis, or a turn about it, does to freedom d."""
    if slides:
        out[..., :3, d] += factor * axis
    else:
        out[..., :3, d] += factor * np.cross(axis, arm)
        out[..., 3:, d] += factor * axis
