"""Paths of feet: fixed while in contact, like the source's in between.

A foot is given by the position of its ankle and the heading and pitch of its sole. While the ball is in contact, the
front edge of the sole stays fixed; while the heel is in contact, the heading stays and the rear edge is on the ground.
The changes fade over the steps in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.retargeting.body import unit
from supple.runs import true_runs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FLAT_PITCH = 0.06  # below which a foot that stands counts as flat [rad]; not tuned
STEP_EASE = 0.15  # how long a foot takes from standing to where the source has it [s]; not tuned


@dataclass(frozen=True)
class Shape:
    """The points of a foot that touch the ground, relative to its ankle, and their heights in contact [model units].

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
        ankle: World positions (F, 3), z up.
        heading: About the vertical, from x [rad], (F,).
        pitch: Of the toes, down [rad], (F,).
        stands: Whether the foot is on the ground, (F,).
        tumbled: How much of its orientation the foot takes from `axes_tumbled`, from 0 to 1, (F,): heading and pitch
            do not describe a steep sole, as in kneeling or a handstand. None for nowhere.
        axes_tumbled: Unit vectors (F, 3, 3) forward, left and up of the source's sole.
    """

    ankle: Floats
    heading: Floats
    pitch: Floats
    stands: Flags
    tumbled: Floats | None = None
    axes_tumbled: Floats | None = None

    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors (F, 3) forward, left and up of the sole."""
        forward, left, up = self._level_axes()
        if self.tumbled is None or self.axes_tumbled is None or not self.tumbled.any():
            return forward, left, up
        share, own = self.tumbled[:, None], self.axes_tumbled
        forward = unit((1.0 - share) * forward + share * own[:, 0])
        up = (1.0 - share) * up + share * own[:, 2]
        up = unit(up - (up * forward).sum(1, keepdims=True) * forward)
        return forward, np.cross(up, forward), up

    def _level_axes(self) -> tuple[Floats, Floats, Floats]:
        level = np.stack(
            [np.cos(self.heading), np.sin(self.heading), np.zeros(len(self.heading))], axis=1
        )
        z = np.array((0.0, 0.0, 1.0))
        c, s = np.cos(self.pitch)[:, None], np.sin(self.pitch)[:, None]
        forward, up = c * level - s * z, s * level + c * z
        return forward, np.cross(up, forward), up


def plan_steps(free: Steps, heel: Flags, ball: Flags, shape: Shape, *, fps: float) -> Steps:
    """A foot's path with its contacts fixed.

    Args:
        free: The path without contacts.
        heel: Whether its heel touches the ground, (F,).
        ball: Whether its ball does, (F,).
        shape: Of its sole.
        fps: Frames a second.
    """
    stands = heel | ball
    ease = STEP_EASE * fps
    # Small pitches of a standing foot are flattened, large ones are kept.
    flat = free.pitch**3 / (free.pitch**2 + FLAT_PITCH**2)
    pitch = free.pitch + fade((flat - free.pitch)[:, None], stands, ease=ease)[:, 0]
    turn, known = np.zeros(len(pitch)), np.zeros(len(pitch), dtype=bool)
    for run in true_runs(heel):
        turn[run] = np.mean(free.heading[run]) - free.heading[run]
        known[run] = True
    heading = free.heading + fade(turn[:, None], known, ease=ease)[:, 0]
    moved = replace(free, heading=heading, pitch=pitch, stands=stands)
    shift, known = np.zeros_like(free.ankle), stands
    tilted = pitch >= 0.0  # onto the front edge
    rear, front = edges(moved, shape)
    level = np.stack([np.cos(heading), np.sin(heading), np.zeros(len(heading))], axis=1)
    length = shape.back + shape.front
    for run in true_runs(stands):
        ahead = np.where(tilted[run, None], front[run], rear[run] + length * level[run])
        weight = np.where(ball[run], 1.0, 0.2)[:, None]
        place = (weight * ahead).sum(0) / weight.sum()
        held = np.where(tilted[run, None], place, place - length * level[run])
        held[:, 2] = np.where(tilted[run], shape.front_level, shape.rear_level)
        shift[run] = held - np.where(tilted[run, None], front[run], rear[run])
    ankle = free.ankle + fade(shift, known, ease=ease)
    rear, front = (end[:, 2] for end in edges(replace(moved, ankle=ankle), shape))
    low = np.minimum(rear - shape.rear_level, front - shape.front_level)
    ankle[:, 2] += np.where(stands, -low, np.maximum(-low, 0.0))
    return replace(moved, ankle=ankle)


def edges(steps: Steps, shape: Shape) -> tuple[Floats, Floats]:
    """Positions (F, 3) of the middles of the rear and the front edge of the sole."""
    forward, _, up = steps.axes()
    rear = steps.ankle - shape.rear_below * up - shape.back * forward
    return rear, steps.ankle - shape.front_below * up + shape.front * forward


def fade(values: Floats, known: Flags, *, ease: float = 0.0) -> Floats:
    """Values (F, K) with unknown frames filled by smooth transitions; constant before the first and after the last.

    Args:
        values: The values.
        known: Which frames are known, (F,).
        ease: Number of frames over which a transition continues the slope of the known values; 0: it begins and ends
            with zero slope.
    """
    out = values.copy()
    if not known.any():
        out[:] = 0.0
        return out
    for run in true_runs(~known):
        count = run.stop - run.start
        t = np.arange(1.0, count + 1.0)[:, None]
        before = values[run.start - 1] if run.start > 0 else values[run.stop]
        after = values[run.stop] if run.stop < len(known) else before
        u = t / (count + 1.0)
        out[run] = before + u**3 * (10.0 - 15.0 * u + 6.0 * u**2) * (after - before)
        if ease > 0:
            span = min(ease, count + 1.0)
            if run.start > 1 and known[run.start - 2]:
                out[run] += _slope(t, span) * (values[run.start - 1] - values[run.start - 2])
            if run.stop + 1 < len(known) and known[run.stop + 1]:
                out[run] += _slope(count + 1.0 - t, span) * (
                    values[run.stop] - values[run.stop + 1]
                )
    return out


def _slope(t: Floats, span: float) -> Floats:
    """A curve that leaves 0 with slope 1 and is 0 again after a span, smoothly."""
    u = np.clip(t / span, 0.0, 1.0)
    return span * u * (1.0 - u) ** 3


def smoothed(values: Floats, reach: float) -> Floats:
    """Values (F, K) smoothed by a Hann window of half-width `reach` [frames]; the ends are padded with edge values."""
    half = max(1, round(reach))
    kernel = np.hanning(2 * half + 3)[1:-1]
    kernel /= kernel.sum()
    padded = np.pad(values, ((half, half), (0, 0)), mode="edge")
    columns = [np.convolve(padded[:, k], kernel, mode="valid") for k in range(values.shape[1])]
    return np.stack(columns, axis=1).astype(np.float64)
