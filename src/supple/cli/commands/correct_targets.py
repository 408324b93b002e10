"""Parse the targets of `supple correct`: points, files of points, and moving joints."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supple.cli.character_files import read_file
from supple.errors import SuppleError, one_of
from supple.formats.registry import readable_extensions
from supple.motion import Motion
from supple.texts import vector

Floats = NDArray[np.float64]


def target(text: str, clip: Motion) -> Floats:
    """Parse a target: a point (3,), or a point for each frame of a clip (F, 3), in world.

    Args:
        text: A point X,Y,Z; a joint of the clip; a file of points; or FILE:NAME, a joint of
            another character, at the clip's times.
        clip: The motion to correct.
    """
    if text in clip.skeleton:
        return clip.poses.position(text)
    if os.path.isfile(text):
        if Path(text).suffix.lower() in readable_extensions():
            raise SuppleError(f"--to {text}: expected the name of a joint in it: --to {text}:NAME")
        return _points(Path(text), len(clip))
    for at in (k for k, letter in enumerate(text) if letter == ":"):
        if os.path.isfile(text[:at]):
            return _followed(Path(text[:at]), text[at + 1 :], clip)
    return np.array(vector("--to", text, "X,Y,Z"))


def _followed(path: Path, name: str, clip: Motion) -> Floats:
    """The positions of a joint of another file at the times of a clip."""
    other = read_file(path)
    one_of(f"joint of {path}", name, other.skeleton.names)
    if not other.motions:
        return other.pose.position(name)
    moving = next(iter(other.motions.values()))
    return moving.at(clip.times - clip.times[0] + moving.times[0]).position(name)


def _points(path: Path, count: int) -> Floats:
    """Read a point for each frame, one per line, numbers separated by commas or blanks."""
    rows = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuppleError(f"{path}: cannot read the points: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            rows.append(vector(f"{path}:{number}", line, "X,Y,Z"))
    if len(rows) != count:
        raise SuppleError(f"{path}: expected a point for each of {count} frames, got {len(rows)}")
    return np.array(rows)
