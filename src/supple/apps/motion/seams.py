"""Seams between corrected and uncorrected frames: joint speeds, and jumps that are spread out.

Jumps are spread over fading frames only: frames with full weight keep their goals, and frames outside all windows
their animation. A remaining jump is reported as a seam with `too_fast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.model.coordinates import follow
from supple.model.freedoms import Kind
from supple.model.skeleton import Pose
from supple.rotations import angle_between, conjugate, multiply, normalize, slerp

Floats = NDArray[np.float64]

SPEED_MARGIN = 1e-6  # joints are held below the speed by this share of it; rounding
# An excess of a speed [share of it] or of a limit [rad] that does not count; rounding.
ROUNDING_ERROR = 1e-9


@dataclass(frozen=True)
class Seam:
    """Two frames next to each other, of which the correction changes one more than the other.

    Attributes:
        frame: The first of the two.
        time: When it is, from the first frame of the motion [s].
        joint: The joint that the correction turns fastest.
        added: How fast it turns that joint against the animation [rad/s].
        speed: How fast the joint turns in all [rad/s].
        spread: Whether a jump was spread out here.
        too_fast: Whether `added` is more than the speed that was asked for, because frames that reach
            their goals or lie outside all windows were not to be changed.
    """

    frame: int
    time: float
    joint: str
    added: float
    speed: float
    spread: bool = False
    too_fast: bool = False


class Columns(NamedTuple):
    """The coordinates of some joints: quaternions (K, 4), scalars (M,), and the joints they belong to."""

    turns: NDArray[np.int64]
    turn_joint: NDArray[np.int64]
    numbers: NDArray[np.int64]
    number_joint: NDArray[np.int64]
    turning: NDArray[np.bool_]  # which scalars are angles


def columns_of(pose: Pose, moving: Sequence[int]) -> Columns:
    """The coordinates of the joints that a correction moves, given by their indices."""
    table = pose.skeleton.freedom_table
    turns, rows = table.quaternions.on(moving), table.rows.on(moving)
    rows = rows.take(rows.is_additive)
    return Columns(
        turns.coordinate, turns.joint, rows.coordinate, rows.joint, rows.kind == Kind.ANGLE
    )


def _changes(q: Floats, columns: Columns) -> tuple[Floats, Floats]:
    """The change of each coordinate from frame to frame: rotations (F - 1, K, 4), scalars (F - 1, M)."""
    turns = q[:, columns.turns]
    steps = multiply(conjugate(turns[:-1]), turns[1:])
    return steps, np.diff(q[:, columns.numbers], axis=0)


class Speeds:
    """Speeds at which a correction turns joints against the animation.

    Args:
        motion: The motion before the correction.
        columns: The coordinates of the joints that move.
        first: The frame at which the motion begins; the step to it, and steps before, have no added speed.

    Attributes:
        whose: The joint of each column of speeds, shape (K,): quaternions, then angles.
    """

    def __init__(self, motion: Motion, columns: Columns, first: int = 0) -> None:
        self.columns = columns
        self.first = first
        self.whose = np.concatenate([columns.turn_joint, columns.number_joint[columns.turning]])
        self._gaps = np.diff(motion.times)[:, None]
        self._animated = _changes(motion.poses.packed_coordinates, columns)

    def __bool__(self) -> bool:
        """Whether there are joints that turn, and frames that follow each other."""
        return len(self.whose) > 0 and len(self._gaps) > 0

    def of(self, q: Floats, frames: slice = slice(None)) -> Floats:
        """Speeds [rad/s] between some frames of corrected coordinates (F, Q), shape (F - 1, K)."""
        gaps = slice(frames.start, None if frames.stop is None else frames.stop - 1)
        old, old_numbers = (part[gaps] for part in self._animated)
        new, new_numbers = _changes(q[frames], self.columns)
        numbers = np.abs(new_numbers - old_numbers)[:, self.columns.turning]
        speeds = np.concatenate([angle_between(old, new), numbers], axis=1) / self._gaps[gaps]
        speeds[: max(0, self.first - (frames.start or 0))] = 0.0
        return speeds


def settled(
    motion: Motion,
    poses: Pose,
    moving: Sequence[int],
    fading: NDArray[np.bool_],
    *,
    speeds: Speeds,
    added: Floats,
    speed: float,
) -> tuple[Pose, Floats, tuple[int, ...]]:
    """Limit the speed of a correction, as far as the fading frames allow.

    Only fading frames change: frames with full weight keep their goals, and frames outside all windows
    their animation. Over a run of fading frames, the correction of a joint is clamped to the speed from
    both ends; if the run is too short for that, the joint moves from end to end evenly.

    Args:
        motion: The motion before the correction.
        poses: The corrected poses, a batch (F,).
        moving: Indices of the joints that the correction moves.
        fading: Which frames may change, shape (F,).
        speeds: Of corrections of this motion.
        added: The speeds of the poses' correction [rad/s], from `speeds`.
        speed: The greatest speed at which the correction should turn a joint [rad/s].

    Returns:
        The poses, the speeds of their correction, and the frames after which a joint was slowed down.
    """
    runs = _open_runs(fading, speeds.first)
    fast = added > speed * (1.0 + ROUNDING_ERROR)
    runs = [run for run in runs if fast[run.start : run.stop - 1].any()]
    if not runs:
        return poses, added, ()
    columns = speeds.columns
    steps = speed * (1.0 - SPEED_MARGIN) * np.diff(motion.times)
    q = np.array(poses.packed_coordinates)
    a = motion.poses.packed_coordinates
    angles = columns.numbers[columns.turning]
    changed = np.zeros(len(q), dtype=bool)
    for run in runs:
        inside = slice(run.start, run.stop - 1)  # the gaps between its frames
        for k in np.flatnonzero(fast[inside].any(axis=0)).tolist():
            if k < len(columns.turns):
                at = columns.turns[k]
                # q = change * a: the correction's speed is that of the change, exactly.
                change = multiply(q[run, at], conjugate(a[run, at]))
                held = _held(change, steps[inside], _turned, angle_between)
                q[run.start + 1 : run.stop - 1, at] = normalize(multiply(held, a[run, at])[1:-1])
            else:
                at = angles[k - len(columns.turns)]
                change = q[run, at] - a[run, at]
                held = _held(change, steps[inside], _shifted, _apart)
                q[run.start + 1 : run.stop - 1, at] = (held + a[run, at])[1:-1]
            changed[run.start + 1 : run.stop - 1] = True
    q = _within_limits(motion, poses, q, changed, moving)
    result = Pose._wrap(poses.skeleton, q, poses._translations, poses._scales)
    after = added.copy()
    for run in runs:
        after[run.start : run.stop - 1] = speeds.of(q, run)
    slowed = np.any(fast & (after < added), axis=1)
    return result, after, tuple(np.flatnonzero(slowed).tolist())


def _open_runs(flags: NDArray[np.bool_], first: int) -> list[slice]:
    """Runs of set flags, each with the frame before and the frame after.

    At the ends of the motion, which begins at frame `first`, the first or last frame of the run takes their place.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    runs = [slice(max(first, int(a) - 1), min(len(flags), int(b) + 1))
            for a, b in zip(edges[::2], edges[1::2], strict=True)]  # fmt: skip
    return [run for run in runs if run.stop - run.start > 2]


def _held(
    values: Floats,
    steps: Floats,
    towards: Callable[[Floats, Floats, float], Floats],
    apart: Callable[[Floats, Floats], Floats],
) -> Floats:
    """Clamp the changes of values (n, ...) to steps (n - 1,); the first and the last value stay.

    If that is not possible, the values go from the first to the last evenly.
    """
    held = values.copy()
    for order in (range(1, len(held) - 1), range(len(held) - 2, 0, -1)):
        for f in order:
            last = f - order.step
            far = float(apart(held[last], held[f]))
            most = float(steps[min(f, last)])
            if far > most:
                held[f] = towards(held[last], held[f], most / far)
    over = float((apart(held[:-1], held[1:]) / steps).max())
    if over <= 1.0 + ROUNDING_ERROR:
        return held
    share = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    even = np.array([towards(values[0], values[-1], one) for one in share.tolist()])
    return even if float((apart(even[:-1], even[1:]) / steps).max()) < over else held


def _turned(a: Floats, b: Floats, share: float) -> Floats:
    return slerp(a, b, share)


def _shifted(a: Floats, b: Floats, share: float) -> Floats:
    return a + share * (b - a)


def _apart(a: Floats, b: Floats) -> Floats:
    return np.abs(b - a)


def _within_limits(
    motion: Motion, poses: Pose, q: Floats, changed: NDArray[np.bool_], moving: Sequence[int]
) -> Floats:
    """Clamp changed frames to the limits of the joints that the animation keeps inside their limits."""
    rows = np.flatnonzero(changed)
    if not len(rows):
        return q
    skeleton = poses.skeleton
    follow(skeleton, part := q[rows])
    clamped = Pose._wrap(skeleton, part).clamped().packed_coordinates
    good = motion.poses[rows].violations() <= ROUNDING_ERROR
    for j in moving:
        own = skeleton.freedom_table.coordinates_of(j)
        part[good[:, j], own] = clamped[good[:, j], own]
    q[rows] = part
    return q


def seams_at(
    motion: Motion,
    poses: Pose,
    edges: Iterable[int],
    spread: Iterable[int],
    *,
    speeds: Speeds,
    added: Floats,
    speed: float | None,
) -> tuple[Seam, ...]:
    """The joint speeds at some frames.

    Args:
        motion: The motion before the correction.
        poses: The corrected poses, a batch (F,).
        edges: Frames after which the correction begins or ends.
        spread: Frames after which a jump was spread out.
        speeds: Of corrections of this motion.
        added: The speeds of the poses' correction [rad/s], from `speeds`.
        speed: A step at which the correction turns a joint faster is a seam too [rad/s].
    """
    if not speeds:
        return ()
    fast = np.zeros(len(added), dtype=bool)
    if speed is not None:
        fast = added.max(axis=1) > speed * (1.0 + ROUNDING_ERROR)
    jumped = set(spread)
    frames = sorted(jumped | set(edges) | set(np.flatnonzero(fast).tolist()))
    if not frames:
        return ()
    times = motion.times
    at = np.array(frames)
    fastest = np.argmax(added[at], axis=1)
    joints = speeds.whose[fastest]
    gaps = times[at + 1] - times[at]
    turned = poses[at].turns(poses[at + 1])[np.arange(len(at)), joints] / gaps
    names = motion.skeleton.joint_names
    return tuple(
        Seam(
            f,
            float(times[f] - times[0]),
            names[j],
            float(added[f, k]),
            float(speed),
            f in jumped,
            bool(fast[f]),
        )
        for f, j, k, speed in zip(frames, joints, fastest, turned, strict=True)
    )
