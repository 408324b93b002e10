"""Motions for formats that know frames a second, and no times."""

from __future__ import annotations

import math
from pathlib import Path

from supple.character import Note
from supple.motion.motion import Motion
from supple.motion.sampling import WHOLE


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
