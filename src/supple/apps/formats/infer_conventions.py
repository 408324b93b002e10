"""Guess the unit and the up axis of a file that does not state them, from its skeleton."""

from __future__ import annotations

import re

import numpy as np

from supple.apps.formats.source import Source
from supple.model.skeleton import Pose

_HIGH = re.compile(r"head|neck|skull", re.IGNORECASE)
_LOW = re.compile(r"foot|toe|ankle|heel", re.IGNORECASE)
PERSON_JOINTS = 15  # a skeleton with at least as many is taken for a person; not tuned
_UNITS = (  # unit, and the range of a person's height in it
    ("m", 0.9, 3.0),
    ("inch", 35.0, 90.0),
    ("cm", 90.0, 300.0),
    ("mm", 900.0, 3000.0),
)


def up_axis(pose: Pose, usual: str | None = None) -> tuple[str | None, str]:
    """The axis that probably points up, and why; None if unknown.

    From the feet to the head if joint names tell them; else the usual axis of the format; else the
    longer of y and z.
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
    """The unit in which the figure is as tall as a person, and why; None if there is none.

    A skeleton with neither head and feet nor many joints may be of any size: None.
    """
    names = pose.skeleton.names
    person = any(map(_HIGH.search, names)) and any(map(_LOW.search, names))
    if not person and len(pose.skeleton) < PERSON_JOINTS:
        return None, "nothing tells that it is a person"
    points = pose.positions
    axis = "xyz".index(up[-1]) if up else int(np.argmax(np.ptp(points, axis=0)))
    height = float(np.ptp(points[:, axis]))
    for name, least, most in _UNITS:
        if least <= height < most:
            return name, f"it is {height:.3g} tall"
    return None, f"it is {height:.3g} tall"


def given_or_inferred(
    source: Source,
    pose: Pose,
    unit_given: str | None,
    up_given: str | None,
    *,
    usual_up: str | None = None,
) -> tuple[str | None, str | None]:
    """The unit and the up axis: as given, or inferred with a note.

    Args:
        source: The file, for notes.
        pose: The pose to measure.
        unit_given: The unit; None to infer it.
        up_given: The up axis; None to infer it.
        usual_up: The up axis that is usual for the format, if there is one.

    Returns:
        The unit and the up axis; None for what is unknown.
    """
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
