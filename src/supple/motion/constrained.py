"""Correct a motion with loops, collisions and balance as a command line or a plan asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from supple.goals import Goal
from supple.goals.from_text import Constraints, same_pose
from supple.model.character import Character
from supple.model.motion import Motion
from supple.motion.correct import Correction, correct


def correct_constrained(
    character: Character,
    motion: Motion,
    goals: Sequence[Goal],
    constraints: Constraints,
    **options: Any,
) -> Correction:
    """Correct a motion of a character; what it must be weighed for is taken away again.

    Args:
        character: Whose motion it is: its skin gives the capsules.
        motion: The motion as it is now.
        goals: As for `correct`.
        constraints: What comes before them.
        options: Of `correct`.
    """
    weighed = constraints.weighed(character)
    asked = [*goals, *constraints.goals(weighed)]
    poses = same_pose(motion.poses, weighed.skeleton)
    found = correct(motion.with_(poses=poses), asked, **options)
    back = same_pose(found.motion.poses, motion.skeleton)
    return replace(found, motion=found.motion.with_(poses=back))
