"""A smooth motion through a few poses, as in Lander 1998: solved poses become keyframes.

Scalars follow a cubic Hermite curve, quaternions the Hermite quaternion curve of Kim, Kim and Shin
1995 ("A general construction scheme for unit quaternion curves with simple high order
derivatives", eq. 8): both pass through every key with continuous speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.errors import SuppleError, array, brief, flag, listed, positive
from supple.model.coordinates import follow
from supple.model.skeleton import Pose
from supple.rotations import (
    conjugate,
    from_rotation_vector,
    multiply,
    normalize,
    to_rotation_vector,
)

Floats = NDArray[np.float64]


def keyframes(
    keys: Sequence[tuple[float, Pose]],
    *,
    fps: float = 30.0,
    loop: bool = False,
    name: str = "keyframes",
) -> Motion:
    """A motion that passes through poses at given times, starting and ending at rest.

    If all keys are inside the joint limits, so are the frames between them.

    Args:
        keys: (time [s], pose) in the order of time; at least one, of one skeleton.
        fps: Frames a second.
        loop: Whether it continues from the last key to the first: the last key must repeat the first
            pose, and the speed is then the same at both.
        name: The name of the motion.
    """
    fps = positive("fps", fps)
    keys = listed("keyframes", keys, "a list of pairs (time, pose)")
    loop = flag("loop", loop)
    if not keys:
        raise SuppleError("keyframes: expected at least one (time, pose), got none")
    for key in keys:
        if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], Pose)):
            raise SuppleError(f"keyframes: expected pairs (time, pose), got {brief(key)}")
    times = array("times of keyframes", [time for time, _ in keys], (len(keys),))
    if np.any(np.diff(times) <= 0):
        raise SuppleError(f"keyframes: expected times that rise, got {times.tolist()}")
    poses = Pose.stack([pose for _, pose in keys])
    if poses.batch_shape != (len(keys),):
        raise SuppleError("keyframes: expected single poses, got batches")
    if len(keys) == 1:
        return Motion(name, poses, fps=fps, loop=loop)
    count = math.floor((times[-1] - times[0]) * fps + 1e-6) + 1
    when = times[0] + np.arange(count) / fps
    between = _Spans(times, when, loop)
    return Motion(name, _curve(poses, between), fps=fps, loop=loop)


class _Spans:
    """The two keys around each frame, and the position of the frame between them."""

    def __init__(self, times: Floats, when: Floats, loop: bool) -> None:
        self.loop = loop
        self.steps = np.diff(times)
        self.first = np.clip(np.searchsorted(times, when, side="right") - 1, 0, len(times) - 2)
        self.size = self.steps[self.first]
        self.t = np.clip((when - times[self.first]) / self.size, 0.0, 1.0)

    def speeds(self, rates: Floats) -> Floats:
        """The speed at each key (K, ...) from the rates (K - 1, ...) of the spans around it."""
        speeds = np.zeros((len(rates) + 1, *rates.shape[1:]))
        before, after = (s.reshape(-1, *[1] * (rates.ndim - 1)) for s in
                         (self.steps[:-1], self.steps[1:]))  # fmt: skip
        # Weighted so that a parabola through three keys is met exactly.
        speeds[1:-1] = (rates[:-1] * after + rates[1:] * before) / (before + after)
        if self.loop:
            a, b = self.steps[-1], self.steps[0]
            speeds[0] = speeds[-1] = (rates[-1] * b + rates[0] * a) / (a + b)
        return speeds


def _curve(poses: Pose, spans: _Spans) -> Pose:
    skeleton = poses.skeleton
    turning = skeleton.freedom_table.quaternions.coordinate
    q = _numbers(poses.coordinates, spans)
    if len(turning):
        q[:, turning] = _turns(poses.coordinates[:, turning], spans)
    follow(skeleton, q)
    extras: list[Floats | None] = [None, None]
    if poses.translations is not None:
        extras[0] = _numbers(poses._full_translations(), spans)
    if poses.scales is not None:
        extras[1] = _numbers(poses._full_scales(), spans)
    smooth = Pose(skeleton, q, *extras)
    inside = np.max(poses.violations(), initial=0.0) <= 1e-9
    return smooth.clamped() if inside else smooth


def _numbers(values: Floats, spans: _Spans) -> Floats:
    """A cubic Hermite curve through values (K, ...) at the frames."""
    tail = [1] * (values.ndim - 1)
    t, size = spans.t.reshape(-1, *tail), spans.size.reshape(-1, *tail)
    speeds = spans.speeds(np.diff(values, axis=0) / spans.steps.reshape(-1, *tail))
    a, b = values[spans.first], values[spans.first + 1]
    va, vb = speeds[spans.first] * size, speeds[spans.first + 1] * size
    square, cube = t * t, t * t * t
    return (
        a
        + (va * (t - 2 * square + cube) + vb * (cube - square))
        + (b - a) * (3 * square - 2 * cube)
    )


def _turns(values: Floats, spans: _Spans) -> Floats:
    """A Hermite quaternion curve through rotations (K, J, 4) at the frames."""
    steps = to_rotation_vector(multiply(conjugate(values[:-1]), values[1:]))
    speeds = spans.speeds(steps / spans.steps[:, None, None])  # in the key's own frame [rad/s]
    a, b = values[spans.first], values[spans.first + 1]
    size = spans.size[:, None, None]
    start, end = speeds[spans.first] * size / 3.0, speeds[spans.first + 1] * size / 3.0
    rest = multiply(
        from_rotation_vector(-start),
        multiply(conjugate(a), multiply(b, from_rotation_vector(-end))),
    )
    middle = to_rotation_vector(rest)
    t = spans.t[:, None, None]
    shares = (1.0 - (1.0 - t) ** 3, t * t * (3.0 - 2.0 * t), t**3)
    q = a
    for share, vector in zip(shares, (start, middle, end), strict=True):
        q = multiply(q, from_rotation_vector(share * vector))
    return normalize(q)
