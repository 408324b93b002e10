"""Where feet stand in a motion: low and slow, told from the motion alone."""

from __future__ import annotations

import re

import numpy as np

from supple.motion import Motion

FEET = re.compile(r"foot|toe|ankle|heel|hoof|paw", re.IGNORECASE)
LOW = 0.03  # of the height: nearer to its lowest place counts as on the ground
SLOW = 0.5  # heights a second


def contacts(motion: Motion, *, up: int) -> tuple[list[int], np.ndarray]:
    """The feet among the joints and tips, by name, and when each of them stands.

    Args:
        motion: The motion.
        up: The axis that points up: 0, 1 or 2.

    Returns:
        Places in `skeleton.names`, and whether each stands in each frame, shape (F, feet).
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
