"""How fast a frame moves with each freedom of its skeleton: the geometric Jacobian."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.model.packing import Packed
from supple.rotations import from_axis_angle, multiply, rotate

Floats = NDArray[np.float64]


class Placed(NamedTuple):
    """A pose and where it puts everything.

    Attributes:
        coordinates: Shape (..., Q).
        positions: World positions of joints and tips, shape (..., N + T, 3).
        rotations: World rotations, wxyz, shape (..., N + T, 4).
        offsets: Of the joints in their parents' frames, shape (..., N, 3).
    """

    coordinates: Floats
    positions: Floats
    rotations: Floats
    offsets: Floats


def jacobian(
    packed: Packed, place: int, joint: int, below: Floats | None, placed: Placed
) -> Floats:
    """How fast a frame moves with each freedom, shape (..., 6, D); see `Pose.jacobian`.

    Args:
        packed: The skeleton's arrays.
        place: The frame's index among joints and tips.
        joint: The joint it belongs to.
        below: Its place in that joint's frame, shape (3,), if it is a tip.
        placed: The pose.
    """
    ints, floats = packed.ints, packed.floats
    q, positions, rotations, offsets = placed
    out = np.zeros((*q.shape[:-1], 6, packed.freedom_count))
    end, j = positions[..., place, :], joint
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
