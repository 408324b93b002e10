"""What files do not say, guessed from the shape of what they hold: the unit and the up axis."""

from __future__ import annotations

import re

import numpy as np

from supple.formats.source import Source
from supple.pose import Pose

_HIGH = re.compile(r"head|neck|skull", re.IGNORECASE)
_LOW = re.compile(r"foot|toe|ankle|heel", re.IGNORECASE)
MANY = 15  # joints that most things without a head do not have
_UNITS = (  # a person's height in each, from and up to
    ("m", 0.9, 3.0),
    ("inch", 35.0, 90.0),
    ("cm", 90.0, 300.0),
    ("mm", 900.0, 3000.0),
)


def up_axis(pose: Pose, usual: str | None = None) -> tuple[str | None, str]:
    """The axis that probably points up, and why; None if nothing tells.

    By names, it goes from the feet to the head; else it is the one that is usual for the format;
    else the longer of y and z.
    """
    names = pose.skeleton.names
    high = [k for k, name in enumerate(names) if _HIGH.search(name)]
    low = [k for k, name in enumerate(names) if _LOW.search(name)]
    points = pose.positions
    if high and low:
        way = points[high].mean(axis=0) - points[low].mean(axis=0)
        k = int(np.argmax(np.abs(way)))
        if abs(way[k]) > 0:
            return ("-" if way[k] < 0 else "") + "xyz"[k], "from the feet to the head"
    if usual is not None:
        return usual, "as is usual"
    spread = np.ptp(points, axis=0)
    if max(spread[1], spread[2]) <= 0:
        return None, ""
    return ("y" if spread[1] >= spread[2] else "z"), "the longer of y and z"


def unit(pose: Pose, up: str | None) -> tuple[str | None, str]:
    """The unit that makes the figure as tall as a person, and why; None if none does.

    What has neither head and feet nor many joints may be of any size.
    """
    names = pose.skeleton.names
    person = any(map(_HIGH.search, names)) and any(map(_LOW.search, names))
    if not person and len(pose.skeleton) < MANY:
        return None, "nothing tells that it is a person"
    points = pose.positions
    axis = "xyz".index(up[-1]) if up else int(np.argmax(np.ptp(points, axis=0)))
    height = float(np.ptp(points[:, axis]))
    for name, least, most in _UNITS:
        if least <= height < most:
            return name, f"it is {height:.3g} tall"
    return None, f"it is {height:.3g} tall"


def settle(
    source: Source,
    pose: Pose,
    unit_given: str | None,
    up_given: str | None,
    *,
    usual_up: str | None = None,
) -> tuple[str | None, str | None]:
    """Unit and up axis as the user says, or as guessed, with notes of the guesses."""
    up = up_given
    if up is None:
        up, why = up_axis(pose, usual_up)
        if up is not None:
            source.guess(f"up axis: {up} ({why}); give up= if it is another")
    size = unit_given
    if size is None:
        size, why = unit(pose, up)
        if size is not None:
            source.guess(f"unit: {size} ({why}); give unit= if it is another")
        else:
            source.guess(f"unit: not known ({why}); give unit=")
    return size, up
