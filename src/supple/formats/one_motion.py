"""Motions for formats that hold one of them, and frames a second in place of times."""

from __future__ import annotations

import math
from pathlib import Path

from supple.character import Character, Note
from supple.errors import SuppleError
from supple.motion.motion import Motion
from supple.motion.sampling import WHOLE


def asked_motion(character: Character, motion: str | Motion | None) -> Motion | None:
    """The motion that is asked for: a name, or a motion of the same skeleton; None for none."""
    if isinstance(motion, Motion):
        if motion.skeleton != character.skeleton:
            raise SuppleError(f"motion {motion.name!r}: expected one of the character's skeleton")
        return motion
    return None if motion is None else character.motion(motion)


def even_frames(motion: Motion, path: Path) -> tuple[Motion, list[Note]]:
    """A motion with frames as far from each other, and what to say of it.

    It has about as many frames a second as before, and so many that the last is where it ends.
    """
    if motion.even:
        return motion, []
    fps = motion.fps
    if motion.duration > 0 and not motion.loop:
        steps = max(1, math.ceil(motion.duration * fps - WHOLE))
        if abs(steps - motion.duration * fps) > WHOLE:
            fps = steps / motion.duration
    text = f"uneven frames: written at {fps:g} a second"
    return motion.resampled(fps), [Note(text, None, str(path))]
