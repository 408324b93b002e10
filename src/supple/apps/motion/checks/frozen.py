"""Motion that freezes: a moving figure that stops within one frame, followed by identical frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.checks.clip import TOO_FEW_FRAMES, Clip
from supple.apps.motion.checks.measure import Measure, nothing
from supple.runs import true_runs

Floats = NDArray[np.float64]

# A joint that moves less in a frame is still: capture noise is more [leg lengths].
STILL_STEP = 1e-5
# A shorter stop is a repeated frame, as in animation on threes [s].
STILL_TIME = 0.15
SPEED_TIME = 0.05  # over which the speed before a stop is measured [s]; not tuned


def frozen(clip: Clip, budget: float) -> Measure:
    """The speed that a figure had before it stopped within one frame, while it stays still [leg lengths a second].

    The fastest joint counts. A joint that slows down until it stops, as in an animated hold, has no speed left.
    """
    if len(clip.motion) <= TOO_FEW_FRAMES:
        return nothing("frozen", "there are fewer than 5 frames")
    points = clip.positions / clip.leg
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    values = np.zeros(points.shape[:2])
    width = clip.frames(SPEED_TIME, 2)
    least = clip.frames(STILL_TIME, 3)
    for run in true_runs(np.asarray(steps.max(axis=1) < STILL_STEP)):
        first = run.start  # the last frame that is not a repetition
        if run.stop - run.start >= least and first >= 2 * width:
            values[first + 1 : run.stop + 1] = _left(points, clip.motion.times, first, width)
    names = clip.motion.skeleton.names
    return Measure("frozen", "leg/s", names, values, np.full(len(names), budget))


def _left(points: Floats, times: Floats, frame: int, width: int) -> Floats:
    """Extrapolated speeds (K,) of points (F, K, 3) after a frame.

    The speed over the last frames, extrapolated from the frames before, between 0 and that speed.
    """
    last, before = (
        (points[b] - points[b - width]) / (times[b] - times[b - width])
        for b in (frame, frame - width)
    )
    speed = np.linalg.norm(last, axis=-1)
    along = np.einsum("ki,ki->k", 2.0 * last - before, last)
    return np.clip(along / np.where(speed > 0, speed, 1.0), 0.0, speed)
