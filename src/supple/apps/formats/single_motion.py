"""For formats that store one motion at a constant frame rate: which motion, and resampling it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from supple.apps.character.character import Character, Note
from supple.apps.character.motion import FRAME_ROUNDING, Motion
from supple.errors import SuppleError


def asked_motion(character: Character, motion: str | Motion | None) -> Motion | None:
    """The motion that `motion=` asks for, by name or as a motion of the same skeleton; None for None."""
    if isinstance(motion, Motion):
        if motion.skeleton != character.skeleton:
            raise SuppleError(f"motion {motion.name!r}: expected one of the character's skeleton")
        return motion
    return None if motion is None else character.motion(motion)


def default_motion(character: Character, *, meshes: bool = False) -> Motion | None:
    """The motion to write if none is asked for: the first, or None to write the character's pose.

    None if the character is posed (`Character.is_posed`).

    Args:
        character: The character to write.
        meshes: True if the format stores meshes; a character with meshes is then written in its pose.
    """
    if not character.motions or (meshes and character.meshes) or character.is_posed:
        return None
    return next(iter(character.motions.values()))


def even_frames(motion: Motion, path: Path, *, any_fps: bool = True) -> tuple[Motion, list[Note]]:
    """Resample a motion to evenly spaced frames, with a note; an even one is returned as is.

    Args:
        motion: The motion.
        path: The file, for the note.
        any_fps: True if the frame rate may change a little, so that the last frame is exactly at the
            end of the motion; otherwise the end is shown up to one frame late.
    """
    if motion.even:
        return motion, []
    fps = motion.fps
    steps = math.ceil(motion.duration * fps - FRAME_ROUNDING)
    whole = abs(steps - motion.duration * fps) <= FRAME_ROUNDING
    if motion.loop or whole or (any_fps and motion.duration > 0):
        fps = fps if motion.loop or whole else steps / motion.duration
        made = motion.resampled(fps)
    else:
        when = motion.times[0] + np.arange(steps + 1, dtype=np.float64) / fps
        made = motion.with_(poses=motion.at(when), times=None, tracks={})
    return made, [Note(f"uneven frames: written at {fps:g} a second", None, str(path))]
