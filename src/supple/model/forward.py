"""Forward kinematics of coordinates: the kernels, called with any leading axes."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.kernels.forward import forward_batch, local_batch
from supple.model.structure import Structure

Floats = NDArray[np.float64]


def flat(q: Floats) -> Floats:
    """Coordinates (..., Q) as the same memory of shape (B, Q)."""
    return q.reshape(math.prod(q.shape[:-1]), q.shape[-1])


@cache
def _none(count: int) -> Floats:
    """An empty array, for no translations or scales of `count` joints."""
    return np.empty((0, count, 3))


_NO_LINEAR = np.empty((0, 0, 3, 3))


def _rows(values: Floats | None, skeleton: Structure) -> Floats:
    """Translations or scales for kernels: (B, N, 3), (1, N, 3) for all, (0, N, 3) for none."""
    count = len(skeleton.joints)
    if values is None:
        return _none(count)
    return values.reshape(math.prod(values.shape[:-2]), count, 3)


def world_frames(
    skeleton: Structure, q: Floats, translations: Floats | None, scales: Floats | None
) -> tuple[Floats, Floats, Floats | None]:
    """World positions (..., N + T, 3), rotations (..., N + T, 4) and, with scales, linear parts.

    Args:
        skeleton: The skeleton.
        q: Coordinates, shape (..., Q).
        translations: Offsets in place of the skeleton's, shape (N, 3) or (..., N, 3).
        scales: Shape (N, 3) or (..., N, 3).
    """
    packed, tips = skeleton.packed, skeleton.packed_tips
    joints, batch = len(packed.ints), q.shape[:-1]
    count = joints + len(tips[0])
    if not batch and translations is None and scales is None:  # fast path of the common case
        positions, rotations = np.empty((1, count, 3)), np.empty((1, count, 4))
        none = _none(joints)
        forward_batch(
            packed.ints, packed.floats, *tips,
            q[None], none, none, positions, rotations, _NO_LINEAR,
        )  # fmt: skip
        return positions[0], rotations[0], None
    rows = flat(q)
    size = len(rows)
    positions = np.empty((size, count, 3))
    rotations = np.empty((size, count, 4))
    linear = np.empty((0 if scales is None else size, count, 3, 3))
    forward_batch(
        packed.ints, packed.floats, *tips,
        rows, _rows(translations, skeleton), _rows(scales, skeleton), positions, rotations, linear,
    )  # fmt: skip
    return (
        positions.reshape(*batch, count, 3),
        rotations.reshape(*batch, count, 4),
        None if scales is None else linear.reshape(*batch, count, 3, 3),
    )


def some_world_frames(
    skeleton: Structure,
    which: Sequence[int],
    q: Floats,
    translations: Floats | None,
    scales: Floats | None,
) -> tuple[Floats, Floats, Floats | None]:
    """The result of `world_frames`, to the last bit, for some joints and tips only.

    Args:
        skeleton: The skeleton.
        which: Indices of K joints and tips.
        q: Coordinates, shape (..., Q).
        translations: Offsets in place of the skeleton's, shape (N, 3) or (..., N, 3).
        scales: Shape (N, 3) or (..., N, 3).

    Returns:
        World positions (..., K, 3), rotations (..., K, 4) and, with scales, linear parts.
    """
    count, parents = len(skeleton.joints), skeleton.parents
    carriers, offsets, turns = skeleton.packed_tips
    tips = sorted({k - count for k in which if k >= count})
    needed: set[int] = set()
    for k in which:
        j = int(k if k < count else carriers[k - count])
        while j >= 0 and j not in needed:
            needed.add(j)
            j = int(parents[j])
    joints = sorted(needed)  # parents come before children
    row = {j: m for m, j in enumerate(joints)}
    ints = skeleton.packed_ints[joints]
    ints[:, layout.PARENT] = [row.get(int(parents[j]), -1) for j in joints]
    rows = flat(q)
    size, total, batch = len(rows), len(joints) + len(tips), q.shape[:-1]
    positions = np.empty((size, total, 3))
    rotations = np.empty((size, total, 4))
    linear = np.empty((0 if scales is None else size, total, 3, 3))
    moved, sized = (
        np.ascontiguousarray(_rows(x, skeleton)[:, joints]) for x in (translations, scales)
    )
    carrying = np.array([row[int(carriers[t])] for t in tips], dtype=np.int64)
    forward_batch(
        ints, skeleton.packed_floats[joints], carrying, offsets[tips], turns[tips],
        rows, moved, sized, positions, rotations, linear,
    )  # fmt: skip
    at = [row[k] if k < count else len(joints) + tips.index(k - count) for k in which]
    return (
        positions[:, at].reshape(*batch, len(at), 3),
        rotations[:, at].reshape(*batch, len(at), 4),
        None if scales is None else linear[:, at].reshape(*batch, len(at), 3, 3),
    )


def local_frames(
    skeleton: Structure, q: Floats, translations: Floats | None
) -> tuple[Floats, Floats]:
    """Origins (..., N, 3) and rotations wxyz (..., N, 4) of the joints in their parents' frames."""
    rows = flat(q)
    count, batch = len(skeleton.joints), q.shape[:-1]
    positions, rotations = np.empty((len(rows), count, 3)), np.empty((len(rows), count, 4))
    local_batch(
        skeleton.packed_ints, skeleton.packed_floats, rows, _rows(translations, skeleton),
        positions, rotations,
    )  # fmt: skip
    return positions.reshape(*batch, count, 3), rotations.reshape(*batch, count, 4)


def frame(positions: Floats, linear: Floats) -> Floats:
    """4x4 matrices of origins (..., 3) and linear parts (..., 3, 3)."""
    frames = np.zeros((*positions.shape[:-1], 4, 4))
    frames[..., :3, :3] = linear
    frames[..., :3, 3] = positions
    frames[..., 3, 3] = 1.0
    return frames
