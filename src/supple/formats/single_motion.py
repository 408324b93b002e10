"""Motions for formats that hold one of them, and frames a second in place of times."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from supple.character import Character, Note
from supple.errors import SuppleError
from supple.motion.motion import Motion
from supple.motion.sampling import WHOLE
from supple.pose import Pose


def asked_motion(character: Character, motion: str | Motion | None) -> Motion | None:
    """The motion that is asked for: a name, or a motion of the same skeleton; None for none."""
    if isinstance(motion, Motion):
        if motion.skeleton != character.skeleton:
            raise SuppleError(f"motion {motion.name!r}: expected one of the character's skeleton")
        return motion
    return None if motion is None else character.motion(motion)


def default_motion(character: Character, *, meshes: bool = False) -> Motion | None:
    """The motion that is written if none is asked for: the first, or None for the character's pose.

    A character that was posed is written as it stands. Scales do not count: glTF files have them in
    the pose where they differ along the axes of a node, and formats of one motion cannot hold them.

    Args:
        character: What is to be written.
        meshes: Whether the format has meshes, which stand in the pose, in place of a motion.
    """
    pose, skeleton = character.pose, character.skeleton
    if not character.motions or (meshes and character.meshes):
        return None
    unscaled = Pose(skeleton, pose.coordinates, pose.translations)
    return next(iter(character.motions.values())) if unscaled == skeleton.rest else None


def even_frames(motion: Motion, path: Path, *, any_fps: bool = True) -> tuple[Motion, list[Note]]:
    """A motion with frames as far from each other, and what to say of it.

    Args:
        motion: What may have times of its own.
        path: The file, for the note.
        any_fps: Whether frames a second may change a little, so that the last frame is where the
            motion ends; if not, the last shows the end up to a frame late.
    """
    if motion.even:
        return motion, []
    fps = motion.fps
    steps = math.ceil(motion.duration * fps - WHOLE)
    whole = abs(steps - motion.duration * fps) <= WHOLE
    if motion.loop or whole or (any_fps and motion.duration > 0):
        fps = fps if motion.loop or whole else steps / motion.duration
        made = motion.resampled(fps)
    else:
        when = motion.times[0] + np.arange(steps + 1, dtype=np.float64) / fps
        made = motion.with_(poses=motion.at(when), times=None, tracks={})
    return made, [Note(f"uneven frames: written at {fps:g} a second", None, str(path))]
