"""Contacts: when feet, hands or any joints rest on the ground, from their heights and speeds.

A contact lasts from the first to the last frame in which a point is slow, and near the lowest height it has while
slow. In between it may be somewhat faster or higher, so that noise does not break the contact. A foot whose shin lies
down, as in kneeling and crawling, is not in contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.feet import Foot, find_feet, up_vector
from supple.apps.motion.ground import Ground
from supple.errors import SuppleError, as_float, brief, listed, mapping, one_of, positive, text
from supple.model.skeleton import Skeleton, check_format
from supple.runs import true_runs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Interval = tuple[int, int]

FORMAT = "supple-contacts"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class ContactRules:
    """When a point is in contact with the ground. Values without a source are not tuned.

    Attributes:
        speed: Below this a point is slow [leg lengths a second].
        height: Up to this above its lowest height a point is low [leg lengths].
        slack: Within a contact, `speed` and `height` are this many times as large.
        shortest: Shorter contacts are left out [s].
        gap: Shorter gaps between two contacts are closed [s], unless the point jumps in them.
        jump: A point that is this many times as fast as `speed` jumps.
        window: Speeds are central differences over this time [s].
        lowest_percentile: The lowest height of a point is this percentile of its heights while it is slow.
        reach: A joint whose lowest height is farther above the ground never touches it [leg lengths].
        knee_height: A foot whose knee is less above the ankle does not stand [shin lengths]. In 31 captured clips of
            walks, runs, jumps and dances, feet that stand have 0.5 or more; in crawling it is below 0.1.
        shortest_shin: Joints nearer to the ankle do not show the direction of the shin [leg lengths].
    """

    speed: float = 0.24
    height: float = 0.04
    slack: float = 1.5
    shortest: float = 0.1
    gap: float = 0.06
    jump: float = 3.0
    window: float = 1.0 / 30.0
    lowest_percentile: float = 5.0
    reach: float = 0.25
    knee_height: float = 0.3
    shortest_shin: float = 0.1


CONTACT_RULES = ContactRules()


@dataclass(frozen=True)
class Contacts:
    """When joints of a motion are in contact with the ground; what `contacts` finds.

    Immutable: `add`, `remove` and `shift` give edited ones. `plant_feet(contacts=...)` takes them.

    Args:
        frames: How many frames the motion has.
        intervals: For each joint or tip, its contacts as pairs of frames [start, stop): the first in
            contact and the first after it. Sorted; those that overlap or touch become one.

    Raises:
        SuppleError: An interval is empty or not within the frames.
    """

    frames: int
    intervals: Mapping[str, Sequence[Interval]]

    def __post_init__(self) -> None:
        frames = _whole("frames of contacts", self.frames)
        if frames < 1:
            raise SuppleError(f"frames of contacts: expected 1 or more, got {frames}")
        if not isinstance(self.intervals, Mapping):
            raise SuppleError(
                "contacts: expected intervals by joint, {name: [(start, stop), ...]}, "
                f"got {brief(self.intervals)}"
            )
        given = {str(name): _merged(name, runs, frames) for name, runs in self.intervals.items()}
        object.__setattr__(self, "frames", frames)
        object.__setattr__(self, "intervals", MappingProxyType(given))

    @classmethod
    def from_flags(cls, flags: Mapping[str, ArrayLike]) -> Contacts:
        """Contacts from booleans: for each joint whether it is in contact, each of shape (F,)."""
        given = mapping("contacts", flags, "{joint: flags}")
        arrays = {name: np.asarray(one, dtype=bool) for name, one in given.items()}
        shapes = {one.shape for one in arrays.values()}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            got = ", ".join(map(str, sorted(shapes))) or "none"
            raise SuppleError(f"contacts: expected flags of one shape (F,), got {got}")
        runs = {name: [(r.start, r.stop) for r in true_runs(one)] for name, one in arrays.items()}
        return cls(next(iter(shapes))[0], runs)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints and tips it covers, including those that are never in contact."""
        return tuple(self.intervals)

    def __getitem__(self, joint: str) -> tuple[Interval, ...]:
        """The contacts of a joint: pairs of frames [start, stop)."""
        return tuple(self.intervals[one_of("joint of contacts", joint, self.joints)])

    def flags(self, joint: str) -> Flags:
        """Whether a joint is in contact in each frame, shape (F,)."""
        found = np.zeros(self.frames, dtype=bool)
        for start, stop in self[joint]:
            found[start:stop] = True
        return found

    def add(self, joint: str, start: int, stop: int) -> Contacts:
        """A copy with another contact of a joint, from frame `start` to the frame before `stop`."""
        runs = self.intervals.get(text("joint", joint), ())
        return replace(self, intervals={**self.intervals, joint: [*runs, (start, stop)]})

    def remove(self, joint: str, start: int = 0, stop: int | None = None) -> Contacts:
        """A copy in which a joint has no contact from frame `start` to the frame before `stop`, or to the end."""
        start, stop = _interval(joint, (start, self.frames if stop is None else stop), self.frames)
        runs = [piece for a, b in self[joint]
                for piece in ((a, min(b, start)), (max(a, stop), b))
                if piece[0] < piece[1]]  # fmt: skip
        return replace(self, intervals={**self.intervals, joint: runs})

    def shift(self, joint: str, frame: int, by: int) -> Contacts:
        """A copy in which the contact of a joint around a frame is moved by some frames, later if `by` is positive.

        It is cut off at the first and last frame.

        Raises:
            SuppleError: The joint is not in contact in that frame.
        """
        frame, by = _whole("frame", frame), _whole("shift", by)
        here = [run for run in self[joint] if run[0] <= frame < run[1]]
        if not here:
            has = ", ".join(f"[{a}, {b})" for a, b in self[joint]) or "none"
            raise SuppleError(
                f"contact of {joint!r}: expected a frame in one of its contacts, {has}, got {frame}"
            )
        start, stop = max(here[0][0] + by, 0), min(here[0][1] + by, self.frames)
        runs = [run for run in self[joint] if run not in here]
        runs += [(start, stop)] if start < stop else []
        return replace(self, intervals={**self.intervals, joint: runs})

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists; `from_json` reads them back."""
        joints = {name: [list(run) for run in runs] for name, runs in self.intervals.items()}
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "frames": self.frames,
            "joints": joints,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contacts:
        """The contacts that `to_json` described."""
        check_format(data, FORMAT, FORMAT_VERSION)
        for key in ("frames", "joints"):
            if key not in data:
                raise SuppleError(f"contacts from JSON: expected {key!r}, got none")
        return cls(data["frames"], data["joints"])

    def __hash__(self) -> int:
        return hash((self.frames, frozenset(self.intervals.items())))

    def __reduce__(self) -> Any:
        return Contacts, (self.frames, dict(self.intervals))

    def __repr__(self) -> str:
        runs = {name: list(one) for name, one in self.intervals.items()}
        return f"Contacts({self.frames}, {runs})"


def _whole(what: str, value: Any) -> int:
    try:
        if isinstance(value, (str, bool)):
            raise TypeError
        found = as_float(value)
        if found.is_integer():
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise SuppleError(f"{what}: expected a whole number, got {brief(value)}")


def _interval(joint: Any, given: Any, frames: int) -> Interval:
    what = f"contact of {joint!r}"
    expected = f"frames (start, stop) with 0 <= start < stop <= {frames}"
    run = [_whole(what, one) for one in listed(what, given, expected)]
    if len(run) != 2 or not 0 <= run[0] < run[1] <= frames:
        raise SuppleError(f"{what}: expected {expected}, got ({', '.join(map(str, run))})")
    return run[0], run[1]


def _merged(joint: Any, given: Any, frames: int) -> tuple[Interval, ...]:
    """Intervals in order, those that overlap or touch as one."""
    runs = listed(f"contacts of {joint!r}", given, "(start, stop) pairs")
    merged: list[Interval] = []
    for start, stop in sorted(_interval(joint, run, frames) for run in runs):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)


# Finding them -------------------------------------------------------------------------------------


def contacts(
    motion: Motion,
    joints: Sequence[str] | None = None,
    *,
    up: str = "y",
    speed: float = CONTACT_RULES.speed,
    height: float = CONTACT_RULES.height,
) -> Contacts:
    """Find when feet, hands or any joints are in contact with level ground.

    A contact begins and ends with a frame in which the point is slower than `speed` and less than
    `height` above its lowest height; in between, both bounds are 1.5 times as large. The lowest
    height is the 5th percentile of its heights while it is slow. A joint whose lowest height is more
    than a quarter of a leg above the ground, such as a hanging hand, has no contacts; the ground is at
    the lowest height of the feet. Ankles and toes are in contact only while the knee is above the ankle
    by 0.3 of the shin's length, so that the feet of a figure that kneels, crawls or lies are not.
    Contacts of less than 0.1 s are left out. In a loop, the first frame follows the last.

    Args:
        motion: The motion; heights and speeds are those of its own frames, in world.
        joints: Joints or tips, such as ["LeftHand"]. By default ankles and toes: the topmost joints
            called ankle or foot, or else the ends of the two lowest limbs, and the joints or tips below them.
        up: The axis that points up: "y", "z", "-x", ...
        speed: Below which a point is slow [leg lengths a second], above 0.
        height: Above its lowest height up to which it is low [leg lengths], above 0. Without legs, the
            leg length is half the greatest extent of the skeleton at rest.

    Returns:
        The intervals of frames in which each joint is in contact.

    Raises:
        SuppleError: No joints are given and there are no feet, or there is no joint of a name; the
            message lists the joints there are.
    """
    if not isinstance(motion, Motion):
        raise SuppleError(f"contacts: expected a supple.Motion, got a {type(motion).__name__}")
    if joints is not None:
        joints = listed("joints", joints, "a list of names")
    axis = up_vector(up)
    skeleton = motion.skeleton
    try:
        feet = find_feet(skeleton, poses=motion.poses, up=axis)
    except SuppleError:
        if joints is None:
            raise
        feet = ()
    names = foot_points(feet) if joints is None else joints
    for name in names:
        one_of("joint", name, skeleton.names)
    return find_contacts(motion, feet, names, up=axis, speed=speed, height=height)


def foot_points(feet: Sequence[Foot]) -> list[str]:
    """The ankles and toes of feet."""
    return [name for foot in feet for name in (foot.ankle, foot.toe) if name is not None]


def find_contacts(
    motion: Motion,
    feet: Sequence[Foot],
    names: Sequence[str],
    *,
    up: Floats,
    speed: float,
    height: float,
    ground: Ground | None = None,
    highest: Mapping[str, float] | None = None,
) -> Contacts:
    """The contacts of joints or tips of a motion whose feet are known; see `contacts`.

    Heights are measured from `ground`, if it is given. `highest` has, for some joints, the greatest lowest height above
    the ground at which they can touch it [leg lengths], instead of a quarter of a leg.
    """
    speed, height = positive("speed", speed), positive("height", height)
    ankles = {foot.ankle: foot.length for foot in feet}
    toes = {foot.toe: foot.length for foot in feet if foot.toe is not None}
    own = {**toes, **ankles}
    upright = {name: flags for foot in feet for flags in [upright_leg(motion, foot, up)]
               for name in foot_points([foot])}  # fmt: skip
    always = np.ones(len(motion), dtype=bool)
    length = float(np.mean(list(ankles.values()))) if feet else _half_extent(motion.skeleton)
    # The feet give the height of the ground; without feet, the lowest joints or tips.
    known = own or dict.fromkeys(motion.skeleton.names, length)
    tracks = {
        name: _Track.of(motion, name, own.get(name, length), up, speed, ground,
                        upright.get(name, always))
        for name in dict.fromkeys([*known, *names])
    }  # fmt: skip
    flags = {}
    for name in names:
        # Ankles are compared with ankles, since they are all about as high above their soles.
        like = next((kind for kind in (ankles, toes) if name in kind), known)
        lowest = min(tracks[one].lowest for one in like)
        track = tracks[name]
        if track.lowest - lowest > (highest or {}).get(name, CONTACT_RULES.reach) * length:
            flags[name] = np.zeros(len(motion), dtype=bool)
        else:
            flags[name] = track.contact(motion, speed, height)
    return Contacts.from_flags(flags) if flags else Contacts(len(motion), {})


def upright_leg(motion: Motion, foot: Foot, up: Floats) -> Flags:
    """Whether the shin of a leg points up from its ankle in each frame, as in a leg that stands, shape (F,)."""
    rest, ankle = motion.skeleton.rest, foot.ankle
    above = motion.skeleton.path(foot.leg, ankle)[:-1]
    lengths = {name: float(np.linalg.norm(rest.position(name) - rest.position(ankle)))
               for name in above}  # fmt: skip
    far = (
        name
        for name in reversed(above)
        if lengths[name] > CONTACT_RULES.shortest_shin * foot.length
    )
    knee = next(far, above[0])
    height = (motion.poses.position(knee) - motion.poses.position(ankle)) @ up
    return np.asarray(height > CONTACT_RULES.knee_height * lengths[knee])


def _half_extent(skeleton: Skeleton) -> float:
    return 0.5 * float(np.ptp(skeleton.rest.positions, axis=0).max()) or 1.0


@dataclass(frozen=True)
class _Track:
    """The speed and height of a point in each frame.

    A loop is repeated three times, so that a contact continues from its end to its beginning.
    """

    fast: Floats  # (F,) or (3 F,) [leg lengths a second]
    level: Floats  # as many [model units]
    lowest: float  # height while slow, or at all [model units]
    length: float  # of the leg [model units]
    upright: Flags  # as many; whether the leg of a foot is above it

    @classmethod
    def of(
        cls, motion: Motion, name: str, length: float, up: Floats, speed: float,
        ground: Ground | None, upright: Flags,
    ) -> _Track:  # fmt: skip
        points, times = motion.poses.position(name), motion.times
        if motion.loop and len(motion) > 1:
            period = motion.duration + 1.0 / motion.fps
            points, upright = np.concatenate([points] * 3), np.tile(upright, 3)
            times = np.concatenate([times + k * period for k in range(3)])
        fast = point_speeds(points, times, motion.fps) / length
        level = points @ up
        if ground is not None:
            level = level - ground.heights(points)
        slow = fast < speed
        known = next((rows for rows in (slow & upright, slow) if rows.any()), slice(None))
        lowest = float(np.percentile(level[known], CONTACT_RULES.lowest_percentile))
        return cls(fast, level, lowest, length, upright)

    def contact(self, motion: Motion, speed: float, height: float) -> Flags:
        """Whether the point is in contact in each frame of the motion, shape (F,)."""
        count = len(motion)
        if count < 2:
            return np.zeros(count, dtype=bool)
        high = (self.level - self.lowest) / self.length
        rests = self.upright & (self.fast < speed) & (high < height)
        holds = (
            self.upright
            & (self.fast < CONTACT_RULES.slack * speed)
            & (high < CONTACT_RULES.slack * height)
        )
        found = np.zeros(len(high), dtype=bool)
        for run in true_runs(holds):
            inner = np.flatnonzero(rests[run]) + run.start
            if len(inner):
                found[inner[0] : inner[-1] + 1] = True
        for run in true_runs(~found):
            inside = run.start > 0 and run.stop < len(found)
            brief = run.stop - run.start < CONTACT_RULES.gap * motion.fps
            if inside and brief and self.fast[run].max() < CONTACT_RULES.jump * speed:
                found[run] = True
        for run in true_runs(found):
            if run.stop - run.start < CONTACT_RULES.shortest * motion.fps:
                found[run] = False
        return found if len(found) == count else found[count : 2 * count]


def point_speeds(points: Floats, times: Floats, fps: float) -> Floats:
    """The speed of a point (F, 3) in each frame (F,), by the central difference over a window."""
    half = max(1, round(0.5 * CONTACT_RULES.window * fps))
    frames = np.arange(len(points))
    before, after = np.maximum(frames - half, 0), np.minimum(frames + half, len(points) - 1)
    gaps = times[after] - times[before]
    ways = np.linalg.norm(points[after] - points[before], axis=1)
    return ways / np.where(gaps > 0, gaps, 1.0)
