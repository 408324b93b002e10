"""Jumps that a correction adds: joints that move or turn farther in one frame than in the source motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.rotations import angle_between

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _AddedSteps:
    """What a correction may add to the step of a joint from one frame to the next.

    Planting of 31 captured clips of 24 to 120 frames a second, of which none kneels, adds 0.061 leg or 2.6 leg/s,
    0.22 rad or 9 rad/s.

    Attributes:
        distance: [leg lengths]; or `speed`, whichever is more.
        speed: [leg lengths a second].
        turn: [rad]; or `turn_speed`, whichever is more.
        turn_speed: [rad/s].
        own_times: Factor of the largest step of the joint itself near the frame, which is allowed besides.
        own_frames: How near [frames].
    """

    distance: float = 0.05
    speed: float = 4.0
    turn: float = 0.2
    turn_speed: float = 12.0
    own_times: float = 1.25
    own_frames: int = 2


ADDED_STEPS = _AddedSteps()


@dataclass(frozen=True)
class Jump:
    """A step of a joint from one frame to the next that is larger than in the motion before.

    Attributes:
        joint: The name of the joint.
        frame: The first of the two frames.
        step: How far it moves, or how far it turns.
        before: The same in the motion before.
        unit: "leg" for leg lengths, or "rad".
    """

    joint: str
    frame: int
    step: float
    before: float
    unit: str

    def later(self, frames: int) -> Jump:
        """The same jump in a motion with more frames before it."""
        return replace(self, frame=self.frame + frames)

    def __str__(self) -> str:
        return (
            f"{self.joint} jumps by {self.step:.3g} {self.unit} after frame {self.frame}, "
            f"{self.before:.3g} {self.unit} before"
        )


def added_jumps(before: Motion, after: Motion, names: Sequence[str], length: float) -> list[Jump]:
    """Find jumps of joints or tips in a corrected motion that were not in the motion before.

    A step counts if it is larger than 1.25 times the joint's own steps around that frame plus the added step that a
    correction may make.

    Args:
        before: The motion that was corrected.
        after: The corrected motion, with the same frames and skeleton.
        names: Joints and tips to look at.
        length: Of a leg [model units].

    Returns:
        The jumps, in the order of frames; of each frame that of the worst joint.
    """
    if len(before) < 2:
        return []
    fps, found = before.fps, {}
    turned = [one.poses.local_rotations for one in (before, after)]
    for name in names:
        ways = [_steps(one.poses.position(name)) / length for one in (before, after)]
        most = max(ADDED_STEPS.distance, ADDED_STEPS.speed / fps)
        _collect(found, name, ways, most, "leg")
        if name in before.skeleton.joint_names:
            j = before.skeleton.index(name)
            turns = [angle_between(q[:-1, j], q[1:, j]) for q in turned]
            _collect(found, name, turns, max(ADDED_STEPS.turn, ADDED_STEPS.turn_speed / fps), "rad")
    return [jump for _, (_, jump) in sorted(found.items())]


def _steps(points: Floats) -> Floats:
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def _collect(
    found: dict[int, tuple[float, Jump]], name: str, steps: Sequence[Floats], most: float, unit: str
) -> None:
    """Add steps that are too large to `found`, each with the ratio to its bound."""
    own, new = steps
    wide = np.pad(own, ADDED_STEPS.own_frames, mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(wide, 2 * ADDED_STEPS.own_frames + 1).max(
        axis=1
    )
    share = new / (ADDED_STEPS.own_times * around + most)
    for k in np.flatnonzero(share > 1.0).tolist():
        if k not in found or share[k] > found[k][0]:
            found[k] = float(share[k]), Jump(name, k, float(new[k]), float(own[k]), unit)
