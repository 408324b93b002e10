"""Detect when feet are in contact with the ground in a motion: low and slow."""

from __future__ import annotations

import re

import numpy as np

from supple.motion import Motion

FEET = re.compile(r"foot|toe|ankle|heel|hoof|paw", re.IGNORECASE)
LOW = 0.03  # height above its lowest position that counts as contact, per figure height
SLOW = 0.5  # speed below which it counts as contact [figure heights/s]


def contacts(motion: Motion, *, up: int) -> tuple[list[int], np.ndarray]:
    """Find the feet by name, and when each is in contact.

    Args:
        motion: The motion.
        up: The axis that points up: 0, 1 or 2.

    Returns:
        Indices of the feet in `skeleton.names`, and their contacts in each frame, shape (F, feet).
    """
    feet = [k for k, name in enumerate(motion.skeleton.names) if FEET.search(name)]
    positions = motion.poses.positions
    if not feet or len(motion) < 2:
        return [], np.zeros((len(motion), 0), dtype=bool)
    tall = float(np.ptp(positions[0, :, up])) or 1.0
    way = positions[:, feet]
    times = motion.times
    speed = np.linalg.norm(np.gradient(way, times, axis=0), axis=-1)
    height = way[..., up] - way[..., up].min(axis=0)
    return feet, (height < LOW * tall) & (speed < SLOW * tall)
