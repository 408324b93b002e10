"""A motion between its frames: which frames a time is between, and times for new frames."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.pose import Pose

if TYPE_CHECKING:
    from supple.motion.motion import Motion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CLOSED = 1e-6  # poses that differ by no more than this [rad, or of the offsets] look the same
MOST = 10_000_000  # frames of a motion that is sampled anew
WHOLE = 1e-3  # of a frame: how far before a new frame a motion may end and still have it


def between(motion: Motion, when: Floats) -> tuple[Ints, Ints, Floats]:
    """The frames before and after some times (T,) [s], and how far between them the times are.

    Before the first and after the last frame the motion stands still; a loop goes on.
    """
    times = motion.times
    last = len(times) - 1
    if motion.loop:
        when = times[0] + np.mod(when - times[0], motion.period or 1.0)
    before = np.clip(np.searchsorted(times, when, side="right") - 1, 0, last)
    after = np.minimum(before + 1, last)
    gap = times[after] - times[before]
    if motion.loop:
        wraps = before == last
        after = np.where(wraps, 0, after)
        gap = np.where(wraps, 1.0 / motion.fps, gap)
    share = (when - times[before]) / np.where(gap > 0, gap, 1.0)
    return before, after, np.clip(share, 0.0, 1.0)


def even_times(motion: Motion, fps: float) -> tuple[Floats, float]:
    """When new frames are, so many a second from the first one on [s], and how many a second.

    A loop keeps its period, by another number of frames a second where whole frames do not fit.
    """
    start = float(motion.times[0])
    wanted = (motion.period if motion.loop else motion.duration) * fps
    if not wanted < MOST:
        raise SuppleError(f"motion {motion.name!r}: expected at most {MOST:,} frames, got "
                          f"{wanted:.3g} of {motion.duration:.3g} s at {fps:g} a second")  # fmt: skip
    if motion.loop:
        period = motion.period
        count = max(1, round(period * fps))
        when = start + np.arange(count, dtype=np.float64) * (period / count)
        return when, count / period if period > 0 else fps
    count = math.floor(motion.duration * fps + WHOLE) + 1
    return start + np.arange(count, dtype=np.float64) / fps, fps


def mixed(a: Floats, b: Floats, share: Floats) -> Floats:
    """Rows of numbers (F, ...) so much of the way (F,) from a to b."""
    share = share.reshape(-1, *[1] * (a.ndim - 1))
    return a + share * (b - a)


def arrays(poses: Pose) -> tuple[Floats, Floats | None, Floats | None]:
    """Coordinates, translations and scales of a batch."""
    return poses._coordinates, poses._translations, poses._scales


def shaped(poses: Pose, shape: tuple[int, ...]) -> Pose:
    """A flat batch with other batch axes."""
    q, *extras = arrays(poses)
    count = len(poses.skeleton.joints)
    extras = [x if x is None or x.ndim == 2 else x.reshape(*shape, count, 3) for x in extras]
    return Pose._wrap(poses.skeleton, q.reshape(*shape, q.shape[-1]), *extras)


def alike(a: Pose, b: Pose) -> bool:
    """Whether two poses look the same, but for rounding."""
    if np.max(a.turns(b), initial=0.0) > CLOSED:
        return False
    one, two = a.local_translations, b.local_translations
    return bool(np.abs(one - two).max(initial=0.0) <= CLOSED * (1.0 + np.abs(one).max(initial=0.0)))
