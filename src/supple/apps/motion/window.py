"""When goals are active, and their targets while they fade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, brief, number
from supple.goals import Goal
from supple.model.effector import EffectorFrames
from supple.model.skeleton import Pose

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """When a goal is active, in seconds from the first frame.

    Attributes:
        start: When it has full weight [s]; None: from the beginning.
        stop: Until when [s]; None: to the end.
        fade: How long it fades in before `start`, and out after `stop` [s]; None for the `blend` of
            `correct`.
    """

    start: float | None = None
    stop: float | None = None
    fade: float | None = None

    def __post_init__(self) -> None:
        for what in ("start", "stop", "fade"):
            value = getattr(self, what)
            if value is not None:
                least = 0.0 if what == "fade" else -np.inf
                number(
                    f"{what} of window", value, "a number of seconds",
                    lambda x, least=least: least <= x and np.isfinite(x),
                )  # fmt: skip
        if self.start is not None and self.stop is not None and self.stop < self.start:
            raise SuppleError(
                f"window: expected a stop after its start, got {self.start:g} to {self.stop:g} s"
            )

    def weights(self, times: Floats, blend: float) -> Floats:
        """The weight of the goal at some times (F,) [s], 0 to 1, smooth, shape (F,)."""
        fade = blend if self.fade is None else self.fade
        weight = np.ones(len(times))
        for edge, sign in ((self.start, 1.0), (self.stop, -1.0)):
            if edge is None:
                continue
            inside = sign * (times - edge)
            if fade > 0:
                t = np.clip(1.0 + inside / fade, 0.0, 1.0)
                weight *= t * t * (3.0 - 2.0 * t)
            else:
                weight *= inside >= -1e-9
        return weight


def windows(given: Any, count: int) -> list[Window]:
    """A window for each of some goals."""
    if given is None:
        return [Window()] * count
    if isinstance(given, Window):
        return [given] * count
    listed = list(given) if isinstance(given, Sequence) else [given]
    if all(isinstance(one, Window) for one in listed) and listed:
        if len(listed) != count:
            raise SuppleError(f"window: expected one for each goal, {count}, got {len(listed)}")
        return listed
    if len(listed) == 2:
        return [Window(*listed)] * count
    raise SuppleError(
        f"window: expected (start, stop), a Window or one for each goal, got {brief(given)}"
    )


def faded_targets(
    goals: Sequence[Goal], starts: Pose, shares: Floats, frames: NDArray[np.int64], count: int
) -> list[Any]:
    """The targets of some frames, as arguments of a prepared problem whose goals are all open.

    The target of a goal with less weight than the others lies between its position in the animation
    and the given target.

    Args:
        goals: With their targets, constant or for each frame of the motion.
        starts: The animated poses of the frames.
        shares: The weight of each goal relative to the largest, 0 to 1, shape (goals, frames).
        frames: Indices of the frames in the motion.
        count: The number of frames of the motion.
    """
    arguments: list[Any] = []
    fades = [goal for goal, share in zip(goals, shares, strict=True) if np.any(share != 1.0)]
    animated = EffectorFrames(starts, [name for goal in fades for name in goal.effectors])
    for goal, share in zip(goals, shares, strict=True):
        for slot in goal.slots:
            value = _per_frame(goal, slot, getattr(goal, slot), frames, count)
            if np.all(share == 1.0):
                arguments.append(value)
            else:
                arguments.append(goal.faded(slot, value, share, animated))
    return arguments


def _per_frame(goal: Goal, slot: str, value: Any, frames: NDArray[np.int64], count: int) -> Floats:
    """A target for each of the frames, or a constant one."""
    tail = 2 if slot == "pose" else 1
    batch = value.shape[: value.ndim - tail]
    if batch == ():
        return value
    if batch != (count,):
        raise SuppleError(
            f"{slot} of {goal.effector_name!r}: expected one for each of the motion's {count} "
            f"frames, or one for all, got shape {value.shape}"
        )
    return value[frames]
