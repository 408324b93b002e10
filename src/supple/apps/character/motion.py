"""A motion: the poses of one skeleton over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import (
    SuppleError,
    array,
    flag,
    instance,
    listed,
    mapping,
    number,
    positive,
    text,
)
from supple.model.matching import matched
from supple.model.mesh import kept, same
from supple.model.mirror import mirrored_poses
from supple.model.skeleton import Pose, Skeleton, check_format

FORMAT = "supple-motion"
FORMAT_VERSION = 1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SAME_POSE_TOLERANCE = 1e-6  # poses that differ by no more look the same [rad, parts of the offsets]
MOST_RESAMPLED_FRAMES = 10_000_000
FRAME_ROUNDING = 1e-3  # how far before a frame a motion may end and still have it [frames]


class Channels(Protocol):
    """The channels of each frame as read from a file, in the form of its format."""

    def __len__(self) -> int:
        """The number of frames."""
        ...

    def __getitem__(self, frames: slice) -> Channels:
        """The channels of some frames."""
        ...


class Motion:
    """Poses of one skeleton, frame after frame; between frames, quaternions go by slerp.

    `motion[12]` is a pose, `motion[10:20]` a motion, `len(motion)` the number of frames. Immutable;
    motions compare by content, copy, pickle and go to and from JSON.

    Args:
        name: Its name.
        poses: A batch of poses, shape (F,), or a sequence of single ones; at least one.
        fps: Frames a second; with `times`, the rate at which the motion is written.
        loop: Whether the first frame follows the last.
        times: The time of each frame [s], increasing, shape (F,); None for every 1 / fps from 0.
        tracks: Values for each frame, such as morph weights or foot contacts: by name, each of
            shape (F,) or (F, K). They are sliced and interpolated as the poses are.
    """

    __slots__ = ("_channels", "_fps", "_loop", "_name", "_poses", "_times", "_tracks")

    _channels: Channels | None

    def __init__(
        self,
        name: str,
        poses: Pose | Sequence[Pose],
        *,
        fps: float,
        loop: bool = False,
        times: ArrayLike | None = None,
        tracks: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        what = f"motion {name!r}"
        if not isinstance(poses, Pose):
            poses = Pose.stack(listed(f"poses of {what}", poses, "a Pose, or a list of them"))
        if len(poses.batch_shape) != 1 or not len(poses):
            raise SuppleError(
                f"{what}: expected a batch of at least one pose, got {poses.batch_shape}"
            )
        self._name = str(name)
        self._channels = None
        self._poses = poses
        self._fps = positive(f"fps of {what}", fps)
        self._loop = flag(f"loop of {what}", loop)
        self._times: Floats | None = None
        if times is not None:
            given = array(f"times of {what}", times, (len(poses),))
            if np.any(np.diff(given) <= 0):
                k = int(np.argmax(np.diff(given) <= 0))
                raise SuppleError(
                    f"times of {what}: expected them to rise, got {given[k]:g} "
                    f"and then {given[k + 1]:g} at frame {k + 1}"
                )
            self._times = kept(given)
        tracks = {} if tracks is None else mapping(f"tracks of {what}", tracks, "{name: numbers}")
        self._tracks = MappingProxyType(
            {key: _track(what, key, value, len(poses)) for key, value in tracks.items()}
        )

    # What it holds --------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def poses(self) -> Pose:
        """All frames, a batch of shape (F,)."""
        return self._poses

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton."""
        return self._poses.skeleton

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self._fps

    @property
    def loop(self) -> bool:
        """True if the first frame comes again after the last."""
        return self._loop

    @property
    def even(self) -> bool:
        """True if frames are 1 / fps apart, from 0 on."""
        return self._times is None

    @property
    def times(self) -> Floats:
        """The time of each frame [s], shape (F,)."""
        return np.arange(len(self)) / self._fps if self._times is None else self._times

    @property
    def tracks(self) -> Mapping[str, Floats]:
        """Values for each frame, each of shape (F,) or (F, K)."""
        return self._tracks

    @property
    def duration(self) -> float:
        """The time from the first frame to the last [s]."""
        times = self.times
        return float(times[-1] - times[0])

    @property
    def period(self) -> float:
        """The time after which a loop repeats [s].

        It repeats one frame after the last; or at the last frame, if that shows the first pose again.
        """
        if len(self) > 1 and alike(self._poses[0], self._poses[-1]):
            return self.duration
        return self.duration + 1.0 / self._fps

    # Poses at times -------------------------------------------------------------------------------

    def at(self, seconds: ArrayLike) -> Pose:
        """The pose at a time, or a batch of poses at times of any shape [s].

        Before the first and after the last frame the pose is constant; a loop repeats.
        """
        when = array("seconds", seconds, (...,))
        before, after, share = between(self, when.reshape(-1))
        poses = self._poses[before].interpolate(self._poses[after], share)
        return poses if when.ndim == 1 else shaped(poses, when.shape)

    # Other motions from this one ------------------------------------------------------------------

    def with_(self, **changes: Any) -> Motion:
        """The same motion with another name=, poses=, fps=, loop=, times= or tracks=."""
        old = {
            "name": self._name,
            "poses": self._poses,
            "fps": self._fps,
            "loop": self._loop,
            "times": self._times,
            "tracks": self._tracks,
        }
        return Motion(**{**old, **changes})._read_from(self._channels)

    def _read_from(self, channels: Channels | None) -> Motion:
        """This motion, with the channels of the file from which its frames were read.

        They are kept as long as frames correspond one to one. Poses may change: code that writes the channels
        has to check which of them still match the poses.
        """
        if channels is not None and len(channels) == len(self):
            self._channels = channels
        return self

    def resampled(self, fps: float) -> Motion:
        """The same motion with evenly spaced frames, from its first frame up to its last.

        The last new frame is at or before the end of the motion. A loop keeps its period, at the nearest
        frame rate with a whole number of frames.
        """
        when, fps = even_times(self, positive("fps", fps))
        before, after, share = between(self, when)
        tracks = {
            key: mixed(values[before], values[after], share) for key, values in self._tracks.items()
        }
        return Motion(self._name, self.at(when), fps=fps, loop=self._loop, tracks=tracks)

    def trimmed(self, start: float | None = None, stop: float | None = None) -> Motion:
        """The frames between two times [s], which count from its first frame.

        Args:
            start: The first time, included; None for the beginning.
            stop: The last time, included; None for the end.
        """
        times = self.times - self.times[0]
        slack = 1e-6 / self._fps
        low, high = (
            limit if given is None else number(what, given, "seconds", lambda x: not math.isnan(x))
            for what, given, limit in (("start", start, -math.inf), ("stop", stop, math.inf))
        )
        inside = np.flatnonzero((times >= low - slack) & (times <= high + slack))
        if not len(inside):
            raise SuppleError(
                f"motion {self._name!r}: expected a frame between {start} and {stop} s, "
                f"got none; it lasts {self.duration:g} s"
            )
        return self[int(inside[0]) : int(inside[-1]) + 1]

    def joined(self, other: Motion, *, blend: float = 0.0, name: str | None = None) -> Motion:
        """This motion and then another, at this one's fps.

        Args:
            other: The motion that follows, of the same skeleton.
            blend: Duration of the cross-fade from the end of this into the beginning of the other [s];
                with 0 the other begins one frame after the end of this.
            name: The name of the new motion.
        """
        return joined(self, other, blend=blend, name=name)

    def mirrored(
        self, *, axis: str = "x", pairs: Mapping[str, str] | None = None, name: str | None = None
    ) -> Motion:
        """The mirrored motion: left and right are swapped.

        Args:
            axis: The world axis along which left and right differ: "x", "y" or "z".
            pairs: Joints that are swapped, {left: right}; others are not. By default found by name:
                Left and Right, L and R, in any of the usual spellings.
            name: The name of the new motion.
        """
        poses = mirrored_poses(self._poses, axis=axis, pairs=pairs)
        if name is not None:
            text("name", name)
        return self.with_(name=name or f"{self._name} mirrored", poses=poses)

    def on(self, skeleton: Skeleton, *, offsets: str = "animated") -> Motion:
        """The same motion of another skeleton, joints matched by name.

        Joints take the local rotations in their parents' frames; joints that the motion does not have
        stay at rest. Rotation that a joint cannot make (a hinge, about another axis) is dropped.

        Args:
            skeleton: The other skeleton.
            offsets: Which joints keep their offsets from the motion: those that the motion moves
                ("animated"), or "all". The others have those of `skeleton`.

        Raises:
            SuppleError: No joint has a name in common.
        """
        if instance("skeleton", skeleton, Skeleton) == self.skeleton:
            return self.with_(poses=Pose._wrap(skeleton, *arrays(self._poses)))
        return self.with_(poses=Pose(skeleton, *matched(self._poses, skeleton, offsets=offsets)))

    # A sequence of poses --------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._poses)

    def __getitem__(self, key: Any) -> Any:
        """A pose at a frame, or the motion of a slice of frames, which begins at time 0.

        A step other than 1 keeps fps, so the motion becomes faster.
        """
        if not isinstance(key, slice):
            return self._poses[key]
        chosen = range(len(self))[key]
        if not len(chosen):
            raise SuppleError(f"motion {self._name!r}: expected some frames, got none of {key}")
        times = None
        if self._times is not None and chosen.step > 0:
            times = self._times[key] - self._times[chosen[0]]
        return Motion(
            self._name,
            self._poses[key],
            fps=self._fps,
            loop=self._loop and len(chosen) == len(self),
            times=times,
            tracks={name: values[key] for name, values in self._tracks.items()},
        )._read_from(None if self._channels is None else self._channels[key])

    def __iter__(self) -> Iterator[Pose]:
        return iter(self._poses)

    # Comparing, storing and showing ---------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Motion):
            return NotImplemented
        return (
            (self._name, self._fps, self._loop) == (other._name, other._fps, other._loop)
            and same(self._times, other._times)
            and same(self._tracks, other._tracks)
            and self._poses == other._poses
        )

    def __reduce__(self) -> Any:
        return _rebuild, (
            self._name,
            self._poses,
            self._fps,
            self._loop,
            self._times,
            dict(self._tracks),
            self._channels,
        )

    def to_json(self, *, skeleton: bool = True) -> dict[str, Any]:
        """Plain dictionaries and lists; `from_json` reads them back to the last bit.

        Args:
            skeleton: Whether to include the skeleton; if not, its fingerprint is included.
        """
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "name": self._name,
            "fps": self._fps,
            "loop": self._loop,
            "times": None if self._times is None else self._times.tolist(),
            "tracks": {key: values.tolist() for key, values in self._tracks.items()},
            "poses": self._poses.to_json(skeleton=skeleton),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], skeleton: Skeleton | None = None) -> Motion:
        """The motion that `to_json` described; `skeleton` if the data does not hold it."""
        check_format(data, FORMAT, FORMAT_VERSION)
        for key in ("name", "fps", "loop", "poses"):
            if key not in data:
                raise SuppleError(f"motion from JSON: expected {key!r}, got none")
        return cls(
            data["name"],
            Pose.from_json(data["poses"], skeleton),
            fps=data["fps"],
            loop=data["loop"],
            times=data.get("times"),
            tracks=data.get("tracks"),
        )

    def __repr__(self) -> str:
        frames = f"{len(self)} frame{'s' * (len(self) != 1)}"
        loop = ", loop" if self._loop else ""
        return (
            f"Motion({self._name!r}: {frames} at {self._fps:.6g} fps, {self.duration:.4g} s{loop}; "
            f"{len(self.skeleton)} joints)"
        )


def _track(what: str, key: str, value: ArrayLike, count: int) -> Floats:
    values = array(f"track {key!r} of {what}", value, (...,))
    if values.ndim not in (1, 2) or len(values) != count:
        raise SuppleError(
            f"track {key!r} of {what}: expected shape ({count},) or ({count}, K), "
            f"got {values.shape}"
        )
    return kept(values)


def _rebuild(
    name: str,
    poses: Pose,
    fps: float,
    loop: bool,
    times: Any,
    tracks: dict[str, Any],
    channels: Channels | None = None,
) -> Motion:
    motion = Motion(name, poses, fps=fps, loop=loop, times=times, tracks=tracks)
    return motion._read_from(channels)


# Between frames -----------------------------------------------------------------------------------


def between(motion: Motion, when: Floats) -> tuple[Ints, Ints, Floats]:
    """The frames before and after some times (T,) [s], and the fractions between them.

    Before the first and after the last frame the motion is constant; a loop repeats.
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
    """The times of new frames at a rate, from the first frame on [s], and the actual rate.

    A loop keeps its period; the rate is changed if a whole number of frames does not fit.
    """
    start = float(motion.times[0])
    wanted = (motion.period if motion.loop else motion.duration) * fps
    if not wanted < MOST_RESAMPLED_FRAMES:
        raise SuppleError(f"motion {motion.name!r}: expected at most {MOST_RESAMPLED_FRAMES:,} frames, got "
                          f"{wanted:.3g} of {motion.duration:.3g} s at {fps:g} a second")  # fmt: skip
    if motion.loop:
        period = motion.period
        count = max(1, round(period * fps))
        when = start + np.arange(count, dtype=np.float64) * (period / count)
        return when, count / period if period > 0 else fps
    count = math.floor(motion.duration * fps + FRAME_ROUNDING) + 1
    return start + np.arange(count, dtype=np.float64) / fps, fps


def mixed(a: Floats, b: Floats, share: Floats) -> Floats:
    """Rows (F, ...) interpolated linearly from a to b by fractions (F,)."""
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
    """True if two poses look the same, up to rounding."""
    if np.max(a.turns(b), initial=0.0) > SAME_POSE_TOLERANCE:
        return False
    one, two = a.local_translations, b.local_translations
    return bool(
        np.abs(one - two).max(initial=0.0)
        <= SAME_POSE_TOLERANCE * (1.0 + np.abs(one).max(initial=0.0))
    )


# One after the other -----------------------------------------------------------------------------


def joined(first: Motion, second: Motion, *, blend: float, name: str | None) -> Motion:
    """One motion and then another, at the first one's fps; see `Motion.joined`."""
    if instance("joined", second, Motion).skeleton != first.skeleton:
        raise SuppleError("joined: expected motions of one skeleton; motion.on() matches them")
    blend = number("blend", blend, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    fps = first.fps
    if name is not None:
        text("name", name)
    called = name or f"{first.name} {second.name}"
    first = first if first.even else first.resampled(fps)
    second = second if second.even and second.fps == fps else second.resampled(fps)
    overlap = round(blend * fps) + 1 if blend > 0 else 0
    if overlap > min(len(first), len(second)):
        shortest = min(first.duration, second.duration)
        raise SuppleError(f"blend: expected at most {shortest:g} s, got {blend:g}")
    head, tail = len(first) - overlap, len(second) - overlap
    t = np.linspace(0.0, 1.0, overlap + 2)[1:-1]
    ramp = t * t * (3.0 - 2.0 * t)  # zero slope at the ends
    parts = [first.poses[:head]] if head else []
    if overlap:
        parts.append(first.poses[head:].interpolate(second.poses[:overlap], ramp))
    if tail:
        parts.append(second.poses[overlap:])
    tracks = {
        key: np.concatenate(
            [
                values[:head],
                mixed(values[head:], second.tracks[key][:overlap], ramp),
                second.tracks[key][overlap:],
            ]
        )
        for key, values in first.tracks.items()
        if key in second.tracks
    }
    return Motion(called, concatenated(parts), fps=fps, tracks=tracks)


def concatenated(parts: Sequence[Pose]) -> Pose:
    """Batches of poses of one skeleton, one after the other."""
    translations = scales = None
    if any(part.translations is not None for part in parts):
        translations = np.concatenate([part._full_translations() for part in parts])
    if any(part.scales is not None for part in parts):
        scales = np.concatenate([part._full_scales() for part in parts])
    q = np.concatenate([part.packed_coordinates for part in parts])
    return Pose._wrap(parts[0].skeleton, q, translations, scales)
