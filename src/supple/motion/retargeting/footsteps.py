"""Where feet go: still while they stand, as the source's in between.

A foot is its ankle's place, the heading and the pitch of its sole. While the ball touches, the front edge of the sole stays
at one place; while the heel touches, the heading stays and the rear edge is on the ground. What that changes fades over
the steps in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.motion.contacts import true_runs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Shape:
    """What of a foot touches the ground, seen from its ankle, and how high that is when it does [model units].

    Attributes:
        back: How far behind the ankle the rear point is, along the foot.
        front: How far ahead the front point is.
        rear_below: How far below the ankle the rear point is when the foot is flat.
        front_below: How far below the front point is.
        rear_level: Height of the rear point when it stands.
        front_level: Height of the front point when it stands.
    """

    back: float
    front: float
    rear_below: float
    front_below: float
    rear_level: float = 0.0
    front_level: float = 0.0


@dataclass(frozen=True)
class Steps:
    """The path of a foot.

    Attributes:
        ankle: World places (F, 3), z up.
        heading: About the vertical, from x [rad], (F,).
        pitch: Of the toes, down [rad], (F,).
        stands: Whether the foot is on the ground, (F,).
    """

    ankle: Floats
    heading: Floats
    pitch: Floats
    stands: Flags

    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors (F, 3) forward, left and up of the sole."""
        level = np.stack([np.cos(self.heading), np.sin(self.heading), np.zeros(len(self.heading))], axis=1)
        z = np.array((0.0, 0.0, 1.0))
        c, s = np.cos(self.pitch)[:, None], np.sin(self.pitch)[:, None]
        forward, up = c * level - s * z, s * level + c * z
        return forward, np.cross(up, forward), up


def plan_steps(free: Steps, heel: Flags, ball: Flags, shape: Shape, *, fps: float) -> Steps:
    """A foot's path with its contacts held.

    Args:
        free: Where the foot would go.
        heel: Whether its heel touches the ground, (F,).
        ball: Whether its ball does, (F,).
        shape: Of its sole.
        fps: Frames a second.
    """
    stands = heel | ball
    pitch = free.pitch.copy()
    pitch[heel & ball] = 0.0
    pitch[heel & ~ball] = np.minimum(pitch[heel & ~ball], 0.0)
    pitch[ball & ~heel] = np.maximum(pitch[ball & ~heel], 0.0)
    pitch = _smooth(pitch, fps)
    turn, known = np.zeros(len(pitch)), np.zeros(len(pitch), dtype=bool)
    for run in true_runs(heel):
        turn[run] = np.mean(free.heading[run]) - free.heading[run]
        known[run] = True
    heading = free.heading + fade(turn[:, None], known)[:, 0]
    moved = Steps(free.ankle, heading, pitch, stands)
    shift, known = np.zeros_like(free.ankle), stands
    for run in true_runs(stands):
        pivot = pivots(moved, shape, run, front=ball[run])
        held = np.where(ball[run], shape.front_level, shape.rear_level)[:, None] * np.array((0.0, 0.0, 1.0))
        held[:, :2] = _places(pivot[:, :2], moved, shape, run, ball[run])
        shift[run] = held - pivot
    ankle = free.ankle + fade(shift, known)
    rear, front = (end[:, 2] for end in edges(Steps(ankle, heading, pitch, stands), shape))
    low = np.minimum(rear - shape.rear_level, front - shape.front_level)
    ankle[:, 2] += np.where(stands, -low, np.maximum(-low, 0.0))
    return Steps(ankle, heading, pitch, stands)


def edges(steps: Steps, shape: Shape) -> tuple[Floats, Floats]:
    """Places (F, 3) of the middles of the rear and the front edge of the sole."""
    forward, _, up = steps.axes()
    rear = steps.ankle - shape.rear_below * up - shape.back * forward
    return rear, steps.ankle - shape.front_below * up + shape.front * forward


def pivots(steps: Steps, shape: Shape, run: slice, *, front: Flags) -> Floats:
    """Where the edge that the foot stands on is in each frame of a run, (R, 3)."""
    rear, ahead = edges(steps, shape)
    return np.where(front[:, None], ahead[run], rear[run])


def _places(pivot: Floats, steps: Steps, shape: Shape, run: slice, front: Flags) -> Floats:
    """Where the edges are to be in each frame of a stance, (R, 2): the front edge at one place."""
    level = np.stack([np.cos(steps.heading[run]), np.sin(steps.heading[run])], axis=1)
    length = shape.back + shape.front
    ahead = np.where(front[:, None], pivot, pivot + length * level)  # the front edge of a foot that is flat
    weight = np.where(front, 1.0, 0.2)
    place = (weight[:, None] * ahead).sum(0) / weight.sum()
    return np.where(front[:, None], place, place - length * level)


def fade(values: Floats, known: Flags) -> Floats:
    """Values (F, K) with smooth passages where they are not known; before the first and after the last, the same."""
    out = values.copy()
    if not known.any():
        out[:] = 0.0
        return out
    for run in true_runs(~known):
        before = out[run.start - 1] if run.start > 0 else None
        after = values[run.stop] if run.stop < len(known) else None
        if before is None or after is None:
            out[run] = after if before is None else before
            continue
        u = (np.arange(run.start, run.stop) - run.start + 1.0) / (run.stop - run.start + 1.0)
        share = (u**3 * (10.0 - 15.0 * u + 6.0 * u**2))[:, None]
        out[run] = before + share * (after - before)
    return out


def _smooth(values: Floats, fps: float) -> Floats:
    """Values (F,) through a binomial filter about 1/30 s wide on each side."""
    out = values
    for _ in range(max(1, round(fps / 60.0))):
        padded = np.concatenate([out[:1], out, out[-1:]])
        out = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return out
