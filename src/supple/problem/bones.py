"""Bones as a solve sees them: what a pose's own translations and scales make of the offsets."""

from __future__ import annotations

import numpy as np

from supple.errors import SuppleError
from supple.kernels.scaling import scale_offsets
from supple.model.skeleton import Pose


def scaled_bones(pose: Pose) -> tuple[np.ndarray, np.ndarray | None]:
    """Offsets and scales of all joints in a world where nothing is scaled.

    Args:
        pose: A pose or a batch of them.

    Returns:
        The joints' offsets, shape (..., N, 3): the pose's translations times the scales of all
        joints above; and the factors along each joint's axes for what it carries, shape (..., N,
        3), None if the pose has no scales.

    Raises:
        SuppleError: A joint that has others below it is scaled differently along its axes, so that
            there are no rigid bones to turn; or one that slides has scaled joints above it.
    """
    skeleton = pose.skeleton
    shape = (*pose.batch_shape, len(skeleton.joints), 3)
    own = skeleton.offsets if pose.translations is None else pose.translations
    offsets = np.array(np.broadcast_to(own, shape))
    if pose.scales is None:
        return offsets, None
    scales = np.array(np.broadcast_to(pose.scales, shape))
    uneven = scale_offsets(
        skeleton.packed_ints, scales.reshape(-1, *shape[-2:]), offsets.reshape(-1, *shape[-2:])
    )
    if uneven >= 0:
        name = skeleton.joint_names[uneven]
        raise SuppleError(
            f"start: joint {name!r} is scaled differently along its axes; "
            "solving takes even scales only"
        )
    return offsets, scales
