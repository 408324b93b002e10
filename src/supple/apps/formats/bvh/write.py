"""Write BVH: a skeleton and one motion, with the channel orders of the file it came from.

BVH has no rest rotations: at rest, all joint frames have the axes of the world. A skeleton with rest
rotations is written with joint frames turned to those axes; positions are the same in every frame.

A joint that in a frame is as it was read from a BVH file is written with the file's numbers, every other
with angles continuous with those of the frame before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character, Note
from supple.apps.character.motion import Motion
from supple.apps.formats.bvh.channels import BvhChannels
from supple.apps.formats.bvh.frame_time import frame_time, rate_of
from supple.apps.formats.bvh.hierarchy import CHANNELS
from supple.apps.formats.single_motion import asked_motion, default_motion, even_frames
from supple.apps.formats.text_numbers import MOST_DIGITS, as_written, digits_for, written
from supple.errors import SuppleError, brief, listed
from supple.files import write as write_file
from supple.model.joints import Axes
from supple.model.matching import euler_along
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import conjugate, multiply, rotate

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
CHANGE_TOLERANCE = 1e-9  # rounding: of a quaternion, or of an offset relative to the largest
ANGLE_DIGITS = 6  # after the point, of angles in degrees
# Levels of indentation: with one for each joint, the file of a long chain would be mostly tabs.
DEEPEST_INDENT = 100

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class _Local(NamedTuple):
    """Local transforms of joints whose frames at rest have the axes of the world."""

    offsets: Floats  # (N, 3) at rest
    tip_offsets: Floats  # (T, 3)
    places: Floats  # (F, N, 3)
    turns: Floats  # (F, N, 4)
    turned: bool  # True if joint frames differ from the skeleton's


def write(
    character: Character,
    path: Path,
    *,
    motion: str | Motion | None = None,
    orders: dict[str, Any] | None = None,
) -> list[Note]:
    """Write a character's skeleton and one of its motions as BVH.

    Args:
        character: The character. If it is posed or has no motion, its pose is written as the only
            frame, unless a motion is given.
        path: The file.
        motion: The motion: a name, or a motion of the same skeleton; the first by default.
        orders: Channel names by joint, such as {"hip": ("Zrotation", "Xrotation", "Yrotation")};
            by default those of the BVH file that the character, or else the motion, was read from.

    Returns:
        Notes on what was changed.
    """
    chosen, lost = asked_motion(character, motion) or default_motion(character), ()
    if chosen is None:
        chosen, lost = Motion("pose", [character.pose], fps=30.0), tuple(character.motions)
    chosen, notes = even_frames(chosen, path)
    if lost:
        names = ", ".join(map(repr, lost))
        text = f"the character is posed, and its pose is the only frame; left out: {names}; give motion="
        notes.append(Note(text, None, str(path)))
    scaled = chosen.poses.scales is not None
    if scaled:
        unscaled = Pose(chosen.skeleton, chosen.poses.coordinates, chosen.poses.translations)
        chosen = chosen.with_(poses=unscaled)
    skeleton = character.skeleton
    given = orders if orders is not None else character.extras.get("bvh", {}).get("channels")
    if given is None:
        read_from = chosen._channels
        given = read_from.names() if isinstance(read_from, BvhChannels) else {}
    local = _local(chosen.poses)
    if local.turned:
        same = "the same but for scales" if scaled else "the same"
        text = f"rest rotations became the world's: positions are {same}, joint frames are not"
        notes.append(Note(text, None, str(path)))
    extent = float(np.abs(local.places).max(initial=0.0))
    moves = np.any(np.abs(local.places - local.offsets) > CHANGE_TOLERANCE * extent, axis=(0, 2))
    turns = np.any(np.abs(local.turns[..., 1:]) > CHANGE_TOLERANCE, axis=(0, 2))
    read = _AsRead(chosen, local)
    channels = [
        _channels(skeleton, j, given.get(name), local.turned, bool(moves[j]), bool(turns[j]), read)
        for j, name in enumerate(skeleton.joint_names)
    ]
    sequence = _depth_first(skeleton)
    head = _hierarchy(skeleton, local, channels, sequence, notes, str(path))
    rows, digits = _rows(chosen.poses, local, channels, sequence, read, digits_for(extent))
    head += ["MOTION", f"Frames: {len(chosen)}", f"Frame Time: {_frame_time(chosen)}", ""]
    body = written(rows, digits, exact=read.exact) if rows.shape[1] else b"\n" * len(rows)
    write_file(path, "\n".join(head).encode() + body, "BVH file")
    return notes


def _frame_time(motion: Motion) -> str:
    """The seconds of a frame: as in the file that the motion was read from, if its rate is the same."""
    read = motion._channels
    if isinstance(read, BvhChannels) and read.frame_time and rate_of(read.frame_time) == motion.fps:
        return read.frame_time
    return frame_time(motion.fps)


def _local(poses: Pose) -> _Local:
    skeleton = poses.skeleton
    count = len(skeleton)
    at_rest = skeleton.rest.rotations[:count]
    places, turns = poses.local_translations, poses.local_rotations
    tip_joint, tip_offset, _ = skeleton.packed_tips
    if not np.any(np.abs(skeleton.rotations[:, 1:]) > 1e-12):
        return _Local(skeleton.offsets, tip_offset, places, turns, False)
    above = np.where(skeleton.parents[:, None] < 0, (1.0, 0.0, 0.0, 0.0),
                     at_rest[np.maximum(skeleton.parents, 0)])  # fmt: skip
    return _Local(
        rotate(above, skeleton.offsets),
        rotate(at_rest[tip_joint], tip_offset),
        rotate(above, places),
        multiply(multiply(above, turns), conjugate(at_rest)),
        True,
    )


def _channels(
    skeleton: Skeleton,
    j: int,
    given: tuple[str, ...] | None,
    turned: bool,
    moves: bool,
    turns: bool,
    read: _AsRead,
) -> tuple[str, ...]:
    """The channels of a joint: those given if they can express its motion, else more."""
    if given is not None:
        given = tuple(listed(f"channels of {skeleton.names[j]!r}", given, "a list of channels"))
    if given is not None and not all(str(name).lower() in CHANNELS for name in given):
        bad = next(name for name in given if str(name).lower() not in CHANNELS)
        raise SuppleError(
            f"channels of {skeleton.names[j]!r}: expected Xrotation, ..., got {brief(bad)}"
        )
    if given is None:
        root = skeleton.parents[j] < 0
        return (POSITIONS if root or moves else ()) + ROTATIONS
    names = tuple(name[:1].upper() + name[1:].lower() for name in given)
    kept = [name for name in names if name in POSITIONS]
    if moves and len(kept) < 3:
        names = (*POSITIONS, *(name for name in names if name not in POSITIONS))
    letters = _letters(names)
    joint = skeleton.joints[j]
    able = _any_turn(letters) or (isinstance(joint, Axes) and joint.order == letters and not turned)
    able = able or bool(read.turns(j, letters).all())
    if turns and not able:
        names = (*(name for name in names if name in POSITIONS), *ROTATIONS)
    return names


def _letters(channels: tuple[str, ...]) -> str:
    return "".join(name[0].lower() for name in channels if name.endswith("rotation"))


def _depth_first(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Every joint and its depth, parents before children, both in the order of the file."""
    below: dict[int, list[int]] = {}
    for j in skeleton.file_order.tolist():
        below.setdefault(int(skeleton.parents[j]), []).append(j)
    stack = [(j, 0) for j in reversed(below.get(-1, []))]
    found = []
    while stack:
        j, depth = stack.pop()
        found.append((j, depth))
        stack += [(child, depth + 1) for child in reversed(below.get(j, []))]
    return found


def _hierarchy(
    skeleton: Skeleton,
    local: _Local,
    channels: list[tuple[str, ...]],
    sequence: list[tuple[int, int]],
    notes: list[Note],
    path: str,
) -> list[str]:
    lines = ["HIERARCHY"]
    ends: dict[int, list[int]] = {}
    for t, joint in enumerate(skeleton.packed_tips[0].tolist()):
        ends.setdefault(joint, []).append(t)
    open_: list[int] = []  # joints whose brace is to be closed

    def close(depth: int) -> None:
        while len(open_) > depth:
            tabs = _tabs(len(open_) - 1)
            for t in ends.get(open_.pop(), []):
                x, y, z = local.tip_offsets[t].tolist()
                lines.extend(
                    [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\tOFFSET {x!r} {y!r} {z!r}",
                     f"{tabs}\t}}"]
                )  # fmt: skip
            lines.append(f"{tabs}}}")

    for j, depth in sequence:
        close(depth)
        tabs = _tabs(depth)
        x, y, z = local.offsets[j].tolist()
        lines += [
            f"{tabs}{'JOINT' if depth else 'ROOT'} {_name(skeleton.names[j], notes, path)}",
            f"{tabs}{{",
            f"{tabs}\tOFFSET {x!r} {y!r} {z!r}",
            " ".join([f"{tabs}\tCHANNELS {len(channels[j])}", *channels[j]]),
        ]
        open_.append(j)
    close(0)
    return lines


def _tabs(depth: int) -> str:
    """The indentation of a line."""
    return "\t" * min(depth, DEEPEST_INDENT)


def _name(name: str, notes: list[Note], path: str) -> str:
    """A name without braces and line ends, which would end it."""
    safe = " ".join(name.replace("{", "(").replace("}", ")").split())
    if safe != name:
        notes.append(
            Note(f"joint {name!r} is called {safe!r}: BVH names end at a brace", None, path)
        )
    return safe


class _AsRead:
    """Tells which channels of a motion are as they were read, if it is from a BVH file."""

    def __init__(self, motion: Motion, local: _Local) -> None:
        channels = motion._channels
        self._channels = channels if isinstance(channels, BvhChannels) else None
        self._names = motion.skeleton.joint_names
        self._none = np.zeros(len(motion), dtype=bool)
        self._turned: Flags | None = None
        if self._channels is not None:
            self._turned = self._channels.turned(motion.skeleton, local.turns)
        self.exact = np.zeros(len(motion), dtype=bool)  # frames that fixed digits cannot write

    def turns(self, j: int, letters: str) -> Flags:
        """True in frames where a joint's rotation channels in an order are as read, shape (F,)."""
        if self._channels is None or self._turned is None:
            return self._none
        if self._channels.letters(self._names[j]) != letters:
            return self._none
        return self._turned[:, j]

    def angles(self, j: int) -> Floats:
        """A joint's rotation channels as read [deg], shape (F, K)."""
        assert self._channels is not None
        return self._channels.values[:, [c for _, c in self._channels.turning[self._names[j]]]]

    def places(self, j: int, axis: int, places: Floats) -> Flags:
        """True in frames where positions along an axis are a joint's channel as read, shape (F,)."""
        moving = (
            {} if self._channels is None else dict(self._channels.moving.get(self._names[j], ()))
        )
        if axis not in moving or self._channels is None:
            return self._none
        return self._channels.values[:, moving[axis]] == places

    def digits(self, values: Floats, kept: Flags, least: int) -> int:
        """Digits after the point for a column (F,), so that the values kept are read back exactly."""
        if not kept.any():
            return least
        chosen = values[kept]
        for digits in range(least, MOST_DIGITS + 1):
            if as_written(chosen, digits).all():
                return digits
        self.exact[kept] |= ~as_written(chosen, least)
        return least


def _rows(
    poses: Pose,
    local: _Local,
    channels: list[tuple[str, ...]],
    sequence: list[tuple[int, int]],
    read: _AsRead,
    place_digits: int,
) -> tuple[Floats, NDArray[np.int64]]:
    """The channels of every frame [model units, deg], shape (F, C), and the digits of each column (C,)."""
    width = sum(map(len, channels))
    rows = np.empty((len(poses), width))
    digits = np.empty(width, dtype=np.int64)
    column = 0
    for j, _ in sequence:
        letters = _letters(channels[j])
        turned = read.turns(j, letters)
        angles = _angles(poses, local, j, letters, turned, read)
        turn = 0
        for name in channels[j]:
            values, kept, least = rows[:, column], turned, ANGLE_DIGITS
            if name.endswith("position"):
                axis = "XYZ".index(name[0])
                values[:] = local.places[:, j, axis]
                kept, least = read.places(j, axis, values), place_digits
            else:
                values[:] = angles[:, turn]
                turn += 1
            digits[column] = read.digits(values, kept, least)
            column += 1
    return rows, digits


def _angles(poses: Pose, local: _Local, j: int, letters: str, kept: Flags, read: _AsRead) -> Floats:
    """The rotation channels of a joint [deg], shape (F, letters); as read where they are kept."""
    skeleton = poses.skeleton
    joint = skeleton.joints[j]
    if kept.all() and letters:
        return read.angles(j)
    if isinstance(joint, Axes) and joint.order == letters and not local.turned:
        own = skeleton.freedom_table.coordinates_of(j, stretch=False)
        angles = np.degrees(poses.coordinates[:, own])
    elif _any_turn(letters):
        angles = np.degrees(euler_along(letters, local.turns[:, j]))
        if kept.any():
            angles = _continuous(angles, letters, kept, read.angles(j))
    else:
        angles = np.zeros((len(poses), len(letters)))
    if kept.any():
        angles[kept] = read.angles(j)[kept]
    return angles


def _continuous(angles: Floats, letters: str, kept: Flags, read: Floats) -> Floats:
    """Angles (F, 3) [deg] of the same rotations, continuous with those kept as read.

    Each run of frames that are not kept continues the frame before it; one at the start leads into the
    frame after it.

    Args:
        angles: Angles of all frames [deg], shape (F, 3).
        letters: Their axes.
        kept: True in frames that keep their angles as read, shape (F,).
        read: Angles as read [deg], shape (F, 3).
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[True], kept, [True]]).astype(np.int8)))
    starts, stops = edges[::2], edges[1::2]
    begun = starts > 0
    ends = np.where(begun, starts, stops - 1)
    towards = read[np.where(begun, starts - 1, np.minimum(stops, len(kept) - 1))]
    # (a, b, c) is the same rotation as (a + 180, 180 - b, c + 180), or as (a + 180, -b, c + 180) if the
    # first axis is also the last.
    sign, shift = (1.0, -1.0, 1.0), (180.0, 0.0 if letters[0] == letters[2] else 180.0, 180.0)
    other = angles * sign + shift
    moved = [np.rint((towards - each[ends]) / 360.0) * 360.0 for each in (angles, other)]
    far = [np.abs(each[ends] + by - towards).sum(axis=1)
           for each, by in zip((angles, other), moved, strict=True)]  # fmt: skip
    flipped = far[1] < far[0]
    by = np.where(flipped[:, None], moved[1], moved[0])
    run = np.searchsorted(starts, np.arange(len(kept)), side="right") - 1
    return np.where(flipped[run][:, None], other, angles) + by[run]


def _any_turn(letters: str) -> bool:
    """True if angles about these axes can give every rotation."""
    return len(letters) == 3 and letters[0] != letters[1] != letters[2]
