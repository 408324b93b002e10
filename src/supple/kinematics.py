"""Forward kinematics of coordinates: the kernels, called with any leading axes."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.kernels.forward import forward_batch, local_batch

if TYPE_CHECKING:
    from supple.skeleton import Skeleton

Floats = NDArray[np.float64]


def flat(q: Floats) -> Floats:
    """Coordinates (..., Q) as the same memory of shape (B, Q)."""
    return q.reshape(math.prod(q.shape[:-1]), q.shape[-1])


def _rows(values: Floats | None, skeleton: "Skeleton") -> Floats:
    """Translations or scales for kernels: (B, N, 3), (1, N, 3) for all, (0, N, 3) for none."""
    count = len(skeleton.joints)
    if values is None:
        return np.empty((0, count, 3))
    return values.reshape(math.prod(values.shape[:-2]), count, 3)


def world_frames(
    skeleton: "Skeleton", q: Floats, translations: Floats | None, scales: Floats | None
) -> tuple[Floats, Floats, Floats | None]:
    """World positions (..., N + T, 3), rotations (..., N + T, 4) and, with scales, linear parts.

    Args:
        skeleton: What is posed.
        q: Coordinates, shape (..., Q).
        translations: Offsets in place of the skeleton's, shape (N, 3) or (..., N, 3).
        scales: Shape (N, 3) or (..., N, 3).
    """
    rows = flat(q)
    size, count, batch = len(rows), len(skeleton.names), q.shape[:-1]
    positions = np.empty((size, count, 3))
    rotations = np.empty((size, count, 4))
    linear = np.empty((0 if scales is None else size, count, 3, 3))
    forward_batch(
        skeleton.packed_ints, skeleton.packed_floats, *skeleton.packed_tips,
        rows, _rows(translations, skeleton), _rows(scales, skeleton), positions, rotations, linear,
    )  # fmt: skip
    return (
        positions.reshape(*batch, count, 3),
        rotations.reshape(*batch, count, 4),
        None if scales is None else linear.reshape(*batch, count, 3, 3),
    )


def local_frames(
    skeleton: "Skeleton", q: Floats, translations: Floats | None
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
