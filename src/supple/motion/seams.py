"""Where a corrected motion meets what it was made from: joint speeds, and jumps spread out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.kernels import layout
from supple.motion.motion import Motion
from supple.pose import Pose
from supple.rotations import angle_between, conjugate, multiply, normalize, slerp

Floats = NDArray[np.float64]

PASSES = 4  # a jump that is spread out may add to another


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
    """

    frame: int
    time: float
    joint: str
    added: float
    speed: float
    spread: bool = False


class Columns(NamedTuple):
    """The coordinates of some joints: quaternions (K, 4), numbers (M,), and whose they are."""

    turns: NDArray[np.int64]
    turn_joint: NDArray[np.int64]
    numbers: NDArray[np.int64]
    number_joint: NDArray[np.int64]
    turning: NDArray[np.bool_]  # which numbers are angles


def columns_of(pose: Pose, moving: Sequence[int]) -> Columns:
    """The coordinates of the joints that a correction moves, given by their indices."""
    skeleton = pose.skeleton
    packed, ints = skeleton.packed, skeleton.packed_ints
    mine = np.isin(packed.turn_joint, moving)
    taken = set(packed.turn_at[mine].ravel().tolist())
    numbers: list[tuple[int, int, bool]] = []
    for j in moving:
        first, width = int(ints[j, layout.Q]), skeleton.joints[j].coordinate_count
        kind = int(ints[j, layout.KIND])
        for k in range(width):
            if first + k not in taken:
                angle = kind in (layout.HINGE, layout.AXES) or (kind == layout.PLANAR and k == 2)
                angle = angle and first + k != ints[j, layout.STRETCH_Q]
                numbers.append((first + k, j, angle))
    at, whose, turning = zip(*numbers, strict=True) if numbers else ((), (), ())
    return Columns(
        packed.turn_at[mine],
        packed.turn_joint[mine],
        np.array(at, dtype=np.int64),
        np.array(whose, dtype=np.int64),
        np.array(turning, dtype=bool),
    )


def _changes(q: Floats, columns: Columns) -> tuple[Floats, Floats]:
    """What each coordinate does from frame to frame: turns (F - 1, K, 4), numbers (F - 1, M)."""
    turns = q[:, columns.turns]
    steps = multiply(conjugate(turns[:-1]), turns[1:])
    return steps, np.diff(q[:, columns.numbers], axis=0)


def _speeds(motion: Motion, poses: Pose, columns: Columns) -> tuple[Floats, NDArray[np.int64]]:
    """How fast the correction turns each joint between frames (F - 1, K + angles), and whose."""
    gaps = np.diff(motion.times)[:, None]
    old, old_numbers = _changes(motion.poses.packed_coordinates, columns)
    new, new_numbers = _changes(poses.packed_coordinates, columns)
    angles = angle_between(old, new)
    numbers = np.abs(new_numbers - old_numbers)[:, columns.turning]
    whose = np.concatenate([columns.turn_joint, columns.number_joint[columns.turning]])
    return np.concatenate([angles, numbers], axis=1) / gaps, whose


def settled(
    motion: Motion, poses: Pose, moving: Sequence[int], *, speed: float, blend: float
) -> tuple[Pose, tuple[int, ...]]:
    """Poses without jumps: each is spread over the frames after it, and fades there.

    Args:
        motion: What the poses were made from.
        poses: The corrected poses, a batch (F,).
        moving: Indices of the joints that the correction moves.
        speed: The correction may turn a joint no faster [rad/s].
        blend: Over how long a jump is spread at least [s].

    Returns:
        The poses, and the frames after which a jump was spread out.
    """
    if len(motion) < 2:
        return poses, ()
    columns = columns_of(poses, moving)
    spread: set[int] = set()
    for attempt in range(PASSES):
        added, _ = _speeds(motion, poses, columns)
        jumps = np.flatnonzero(added.max(axis=1, initial=0.0) > speed * (1.0 + 1e-9))
        if not len(jumps):
            break
        poses = _spread_out(motion, poses, columns, jumps, added, speed, blend * 2**attempt)
        spread |= set(jumps.tolist())
    return poses, tuple(sorted(spread))


def _spread_out(
    motion: Motion,
    poses: Pose,
    columns: Columns,
    jumps: NDArray[np.int64],
    added: Floats,
    speed: float,
    blend: float,
) -> Pose:
    """Each joint that jumps goes on as its animation does, and fades into its correction."""
    q = np.array(poses.packed_coordinates)
    old, old_numbers = _changes(motion.poses.packed_coordinates, columns)
    gap = 1.0 / motion.fps
    angles = np.flatnonzero(columns.turning)
    for f in jumps.tolist():
        fast = added[f] > speed
        # The fade below is at its fastest 1.5 times its mean speed.
        jump = float(added[f].max()) * gap
        over = max(3, round(blend / gap), math.ceil(1.5 * jump / (0.5 * speed * gap)))
        last = min(len(q), f + 1 + over)
        t = np.arange(last - f - 1) / over
        left = 1.0 - t * t * (3.0 - 2.0 * t)
        turning = np.flatnonzero(fast[: len(columns.turns)])
        if len(turning):
            at = columns.turns[turning]
            turns = multiply(conjugate(q[f + 1, at]), multiply(q[f, at], old[f, turning]))
            none = np.zeros_like(turns)
            none[..., 0] = 1.0
            part = slerp(none[None], turns[None], left[:, None])
            q[f + 1 : last, at] = normalize(multiply(q[f + 1 : last, at], part))
        sliding = angles[fast[len(columns.turns) :]]
        if len(sliding):
            at = columns.numbers[sliding]
            step = q[f, at] + old_numbers[f, sliding] - q[f + 1, at]
            q[f + 1 : last, at] += left[:, None] * step
    return Pose._wrap(poses.skeleton, q, poses._translations, poses._scales)


def seams_at(
    motion: Motion, poses: Pose, moving: Sequence[int], edges: Iterable[int], spread: Iterable[int]
) -> tuple[Seam, ...]:
    """The joint speeds at some frames.

    Args:
        motion: What the poses were made from.
        poses: The corrected poses, a batch (F,).
        moving: Indices of the joints that the correction moves.
        edges: Frames after which the correction begins or ends.
        spread: Frames after which a jump was spread out.
    """
    jumped = set(spread)
    frames = sorted(jumped | set(edges))
    columns = columns_of(poses, moving)
    if not frames or not (len(columns.turns) or columns.turning.any()):
        return ()
    added, whose = _speeds(motion, poses, columns)
    times = motion.times
    at = np.array(frames)
    fastest = np.argmax(added[at], axis=1)
    joints = whose[fastest]
    gaps = times[at + 1] - times[at]
    turned = poses[at].turns(poses[at + 1])[np.arange(len(at)), joints] / gaps
    names = motion.skeleton.joint_names
    return tuple(
        Seam(f, float(times[f] - times[0]), names[j], float(added[f, k]), float(speed), f in jumped)
        for f, j, k, speed in zip(frames, joints, fastest, turned, strict=True)
    )
