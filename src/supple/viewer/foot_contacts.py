"""Find when the feet of a motion are in contact with the ground, for the onion skin."""

from __future__ import annotations

import re

import numpy as np

from supple.motion import Motion
from supple.motion import contacts as motion_contacts

FEET = re.compile(r"foot|toe|ankle|heel|hoof|paw", re.IGNORECASE)
# Wider than those of planting: the feet of a walk on the spot slide, and are shown to stand.
SPEED = 1.0  # [leg lengths/s]
HEIGHT = 0.06  # [leg lengths]


def contacts(motion: Motion, *, up: int) -> tuple[list[int], np.ndarray]:
    """Find the feet by name, and when each is in contact.

    Args:
        motion: The motion.
        up: The axis that points up: 0, 1 or 2.

    Returns:
        Indices of the feet in `skeleton.names`, and their contacts in each frame, shape (F, feet).
    """
    feet = [k for k, name in enumerate(motion.skeleton.names) if FEET.search(name)]
    names = [motion.skeleton.names[k] for k in feet]
    found = motion_contacts(motion, names, up="xyz"[up], speed=SPEED, height=HEIGHT)
    return feet, np.array([found.flags(name) for name in found.joints]).reshape(-1, len(motion)).T
