"""Poses of one skeleton on another: joints matched by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, nearest, one_of
from supple.kernels import layout
from supple.kernels.channels import angle_along, angles_along
from supple.model.joints import Joint
from supple.model.structure import Posed, Structure
from supple.rotations import conjugate, multiply

Floats = NDArray[np.float64]

OFFSETS = ("animated", "all")


def matched(
    poses: Posed, skeleton: Structure, *, offsets: str = "animated", along: bool = True
) -> tuple[Floats, Floats | None, Floats | None]:
    """A batch of poses (F,) on another skeleton, joints matched by name.

    Returns coordinates, translations and scales.

    Args:
        poses: The poses to transfer.
        skeleton: The other skeleton.
        offsets: Which joints keep their offsets from `poses`: those that the poses move ("animated"), or
            "all". The others have the offsets of `skeleton`.
        along: True if the poses are frames of a motion: angles then continue from frame to frame
            without jumps. If not, each pose has the angles nearest to zero.
    """
    one_of("offsets", offsets, OFFSETS)
    source = poses.skeleton
    index = {name: i for i, name in enumerate(source.joint_names)}
    pairs = [(j, index[name]) for j, name in enumerate(skeleton.joint_names) if name in index]
    if not pairs:
        name = source.joint_names[0]
        raise SuppleError(
            f"on: expected joints that {skeleton} has too, got {name!r} and others"
            f"{nearest(name, skeleton.joint_names)}"
        )
    count = len(poses)
    rotations, places = poses.local_rotations, poses.local_translations
    q = np.tile(skeleton.rest.coordinates, (count, 1))
    moved = np.tile(skeleton.offsets, (count, 1, 1))
    takes = np.zeros(len(skeleton), bool)
    for j, i in pairs:
        joint, first = skeleton.joints[j], int(skeleton.packed_ints[j, layout.Q])
        twin = joint == source.joints[i] and np.array_equal(
            skeleton.rotations[j], source.rotations[i]
        )
        if twin:
            width = joint.coordinate_count
            start = int(source.packed_ints[i, layout.Q])
            q[:, first : first + width] = poses.coordinates[:, start : start + width]
            own = poses._full_translations()[:, i]
        else:
            turn = multiply(conjugate(skeleton.rotations[j]), rotations[:, i])
            for part in (slice(None),) if along else map(_row, range(count)):
                put_rotations(joint, turn[part], q[part], first)
            own = places[:, i]
        if offsets == "all" or np.any(own != source.offsets[i]):
            moved[:, j] = own
            takes[j] = True
    scales = None
    if poses.scales is not None:
        scales = np.ones((count, len(skeleton), 3))
        full = poses._full_scales()
        for j, i in pairs:
            scales[:, j] = full[:, i]
    return q, moved if takes.any() else None, scales


def _row(f: int) -> slice:
    return slice(f, f + 1)


def put_rotations(joint: Joint, rotations: Floats, q: Floats, first: int) -> None:
    """Set a joint to rotations (F, 4) relative to its rest, as far as it can make them.

    Args:
        joint: The joint.
        rotations: Unit quaternions wxyz, frame after frame; angles follow them without jumps.
        q: Coordinates (F, Q), written in place.
        first: The joint's first coordinate.
    """
    rotations = np.ascontiguousarray(rotations)
    if joint.has_quaternion:
        at = first + len(joint.scalars)
        q[:, at : at + 4] = rotations
        return
    at = first + joint.slide_count
    axes = np.array([one.axis for one in joint.scalars if not one.slides])
    if len(axes) == 1:
        q[:, at] = twists(rotations, axes[0])
    elif len(axes):
        # For two letters, the angles that leave the smallest rotation about the axis that is missing.
        letters = "".join("xyz"[k] for k in axes.argmax(axis=1))
        third = letters if len(letters) == 3 else letters + (set("xyz") - set(letters)).pop()
        q[:, at : at + len(axes)] = euler_along(third, rotations)[:, : len(axes)]


def euler_along(order: str, rotations: Floats) -> Floats:
    """The angles (F, 3) of rotations (F, 4) in an order of three letters, without jumps in between."""
    i, j, k = ("xyz".index(letter) for letter in order)
    out = np.empty((len(rotations), 3))
    angles_along(np.ascontiguousarray(rotations), i | j << 2 | k << 4, out)
    return out


def twists(rotations: Floats, axis: Floats) -> Floats:
    """The angles (F,) by which rotations (F, 4) twist about a unit axis (3,), without jumps."""
    out = np.empty(len(rotations))
    angle_along(np.ascontiguousarray(rotations), np.ascontiguousarray(axis), out)
    return out
