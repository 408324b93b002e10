"""When feet and hands of a motion are in contact with the ground, for the timeline and the onion skin."""

from __future__ import annotations

import re

from supple.apps.motion import BodyMap, Contacts, Motion, contacts
from supple.apps.motion.planting import PLANTING
from supple.errors import SuppleError

FEET = re.compile(r"foot|toe|ankle|heel|hoof|paw", re.IGNORECASE)
# In a walk on the spot the feet slide: below this speed they are shown in contact.
SLIDING_SPEED = 1.0  # [leg lengths/s]


def found_contacts(motion: Motion, *, up: str) -> Contacts | None:
    """Find the contacts of feet and hands, by the thresholds of `plant_feet`.

    If no foot ever stands by these, as in a walk on the spot, a greater speed is used.

    Args:
        motion: The motion.
        up: The axis that points up: "y" or "z".

    Returns:
        Contacts, feet first; None if there are no feet.
    """
    try:
        standing = contacts(motion, up=up, speed=PLANTING.speed, height=PLANTING.height)
    except SuppleError:  # no two legs: by name
        feet = [name for name in motion.skeleton.names if FEET.search(name)]
        if not feet:
            return None
        standing = contacts(motion, feet, up=up, speed=PLANTING.speed, height=PLANTING.height)
    feet = standing.joints
    if not any(standing[name] for name in feet):
        standing = contacts(motion, feet, up=up, speed=SLIDING_SPEED, height=PLANTING.height)
    hands = [name for name in _hands(motion, up) if name not in feet]
    leaning = contacts(motion, hands, up=up, speed=PLANTING.speed, height=PLANTING.height)
    return Contacts(len(motion), {**standing.intervals, **leaning.intervals})


def _hands(motion: Motion, up: str) -> list[str]:
    try:
        parts = BodyMap.recognize(motion.skeleton, up=up, poses=motion.poses[:1]).joints
    except SuppleError:  # not a body with two arms and two legs
        return []
    return [parts[role][-1] for role in ("left_hand", "right_hand") if role in parts]
