"""Read BVH: a skeleton and one motion.

A joint's rotation is the product of its rotation channels from left to right. Position channels replace
OFFSET; some programs mean them to be added to it, see `position_mode`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.formats import infer_conventions
from supple.apps.formats.bvh.channels import BvhChannels
from supple.apps.formats.bvh.frame_time import rate_of
from supple.apps.formats.bvh.hierarchy import BvhJoint, Scanner, read_hierarchy
from supple.apps.formats.source import JOINT_BYTES, LARGEST_NUMBER, Source, distinct, shown
from supple.apps.formats.text_numbers import read_lines, split, without_commas
from supple.errors import one_of, positive
from supple.model.joints import Axes, Ball, Fixed, Joint
from supple.model.skeleton import Node, Pose, Skeleton, Tip

MODES = ("replace", "add", "auto")
DEFAULT_FRAME_TIME = 1.0 / 30.0  # if the file states 0 or none [s]
SUSPECT_FRAME_TIME = 5.0  # from here on it is probably a frame rate: a note says so [s]

Floats = NDArray[np.float64]

_FRAMES = re.compile(rb"\s*Frames\s*:?\s*([^\s]*)", re.IGNORECASE)
_TIME = re.compile(rb"\s*Frame\s*Time\s*:?\s*([^\s]*)", re.IGNORECASE)


def read(
    source: Source,
    *,
    position_mode: str = "replace",
    fps: float | None = None,
    unit: str | None = None,
    up: str | None = None,
) -> Character:
    """Read the skeleton and the motion of a BVH file.

    Args:
        source: The file.
        position_mode: What position channels of joints below the root mean: "replace" (in place of
            OFFSET), "add" (to OFFSET), or "auto" (add where they are nearly zero and OFFSET is not).
        fps: Frame rate [1/s], in place of the file's Frame Time.
        unit: The unit of length; inferred if None.
        up: The up axis; inferred if None.
    """
    one_of("position_mode", position_mode, MODES)
    fps = None if fps is None else positive("fps", fps)
    scanner = Scanner(source)
    parts = read_hierarchy(scanner)
    if not parts:
        source.error(None, "expected a ROOT, got none")
    names = distinct([joint.name for joint in parts], source)
    skeleton = _skeleton(source, parts, names)
    raw, seconds = _motion(source, scanner, sum(len(joint.channels) for joint in parts))
    source.release()
    motions = {}
    first = skeleton.rest
    if raw is not None:
        channels = BvhChannels(
            skeleton,
            raw,
            {name: tuple(joint.turning) for name, joint in zip(names, parts, strict=True)},
            {name: tuple(joint.moving) for name, joint in zip(names, parts, strict=True)},
            seconds,
        )
        poses = _poses(source, channels, parts, names, position_mode)
        first = poses[0]
        rate = rate_of(seconds) if seconds else 1.0 / DEFAULT_FRAME_TIME
        motion = Motion(source.name, poses, fps=fps or rate)
        motions[source.name] = motion._read_from(channels)
    unit, up = infer_conventions.given_or_inferred(source, first, unit, up)
    orders = {name: joint.channels for name, joint in zip(names, parts, strict=True)}
    frame_time = float(seconds) if seconds else DEFAULT_FRAME_TIME
    extras = {"bvh": {"channels": orders, "frame_time": 1.0 / fps if fps else frame_time}}
    return Character(
        skeleton, motions=motions, unit=unit, up=up, notes=tuple(source.notes), extras=extras
    )


# The skeleton -------------------------------------------------------------------------------------


def _skeleton(source: Source, parts: list[BvhJoint], names: list[str]) -> Skeleton:
    source.charge(JOINT_BYTES * len(parts), f"{len(parts)} joints")
    nodes = [
        Node(
            name,
            None if joint.parent < 0 else names[joint.parent],
            joint.offset or (0.0, 0.0, 0.0),
            _kind(joint),
        )
        for name, joint in zip(names, parts, strict=True)
    ]
    ends = [(k, offset) for k, joint in enumerate(parts) for offset in joint.ends]
    wanted = [f"{names[k]} end" for k, _ in ends]
    called = distinct([*names, *wanted], source, what="End Site")[len(names) :]
    tips = [Tip(name, names[k], offset) for name, (k, offset) in zip(called, ends, strict=True)]
    return Skeleton(nodes, tips)


def _kind(joint: BvhJoint) -> Joint:
    return _joint("".join("xyz"[axis] for axis, _ in joint.turning))


@lru_cache(maxsize=64)
def _joint(letters: str) -> Joint:
    """The joint for rotation channels about these axes."""
    if not letters:
        return Fixed()
    if len(letters) == 3 or len(set(letters)) < len(letters):
        return Ball()
    return Axes(letters)


# The motion ---------------------------------------------------------------------------------------


def _motion(source: Source, scanner: Scanner, width: int) -> tuple[Floats | None, str]:
    """The channels (frames, width) or None, and Frame Time [s] as written or ""."""
    if not scanner.word():
        source.warn("there is no MOTION: a skeleton without motion")
        return None, ""
    declared, frame_time = _head(source, scanner)
    line = scanner.line
    source.data = without_commas(source.data, scanner.at, lambda text: source.warn(text, line=line))
    data = source.data
    stop = len(data)
    while stop > scanner.at and data[stop - 1] in b" \t\r\n\x00\x1a\x0b\x0c":
        stop -= 1
    began = scanner.at
    guess = min(declared or 1, (stop - began) // (2 * max(1, width)) + 1)
    if width == 0:
        if declared:
            source.warn(f"{declared} frames, but no joint has channels: no motion")
        return None, frame_time
    numbers, ends, missing = read_lines(
        data,
        began,
        stop,
        guess=guess * width,
        line_guess=guess + 1,
        fail=lambda at, message: source.error(source.line(at), message),
    )
    del data

    def line_of(k: int) -> int:
        return _line_with_numbers(source, began, k)

    raw = split(source, numbers, ends, width=width, declared=declared, line_of=line_of)
    if not len(raw):
        if declared:
            source.error(
                line_of(0), f"expected {declared} frames, but the file ends: it is cut off"
            )
        source.warn("there are no frames: a skeleton without motion")
        return None, frame_time
    if declared is not None and len(raw) != declared:
        source.warn(
            f"declares {declared} frames, has {len(raw)}: {len(raw)} taken",
            damage="truncated" if len(raw) < declared else None,
            frames=(len(raw), declared) if len(raw) < declared else None,
        )
    if missing:
        raw = _filled(source, raw, missing)
    return raw, frame_time


def _head(source: Source, scanner: Scanner) -> tuple[int | None, str]:
    """Read Frames, and Frame Time as written ("" if it is missing or 0), in either order."""
    declared: int | None = None
    frame_time: float | None = None
    written = ""
    data = source.data
    while declared is None or frame_time is None:
        # "Frame Time" first: "Frames" begins like it.
        time, frames = _TIME.match(data, scanner.at), _FRAMES.match(data, scanner.at)
        found = time or frames
        if found is None or (time and frame_time is not None) or (frames and declared is not None):
            break
        scanner.began, scanner.at = found.start(1), found.end()
        word = found.group(1)
        try:
            value = float(word.replace(b",", b"."))
        except ValueError:
            value = math.nan
        if time:
            if value != 0 and not 1.0 / LARGEST_NUMBER <= value <= LARGEST_NUMBER:
                scanner.fail(f"Frame Time: expected seconds, got {shown(word)}")
            frame_time = value
            written = word.decode().replace(",", ".") if value else ""
            if value >= SUSPECT_FRAME_TIME:
                source.warn(
                    f"Frame Time is {value:g} seconds: kept; if it is meant as frames a second, "
                    f"give fps={value:g}",
                    line=scanner.line,
                )
        else:
            if not 0 <= value <= 1e12 or value != int(value):
                scanner.fail(f"Frames: expected a count, got {shown(word)}")
            declared = int(value)
    if declared is None and frame_time is None:
        word = scanner.word()
        got = shown(word) if word else "the end of the file: it is cut off"
        scanner.fail(f"expected Frames: and Frame Time: after MOTION, got {got}")
    if declared is None:
        source.warn("there is no Frames: line: the rows are counted")
    if not frame_time:
        what = "is missing" if frame_time is None else "is 0"
        source.warn(f"Frame Time {what}: {DEFAULT_FRAME_TIME:.6g} s taken (30 frames a second)")
    return declared, written


def _line_with_numbers(source: Source, start: int, k: int) -> int:
    """The line number of the k-th line that is not blank after a byte offset; for messages only."""
    line = source.line(start)
    for text in source.data[start:].splitlines():
        if text.strip():
            if k == 0:
                return line
            k -= 1
        line += 1
    return line


def _filled(source: Source, raw: Floats, missing: dict[str, int]) -> Floats:
    """Replace NaN by the value of the frame before, or else by 0."""
    bad = np.flatnonzero(np.isnan(raw).any(axis=1))
    for column in np.flatnonzero(np.isnan(raw).any(axis=0)):
        values = raw[:, column]
        at = np.where(np.isnan(values), -1, np.arange(len(values)))
        at = np.maximum.accumulate(at)
        raw[:, column] = np.where(at < 0, 0.0, values[np.maximum(at, 0)])
    words = ", ".join(word if word == "..." else shown(word) for word in missing)
    source.warn(
        f"{sum(missing.values())} values are no numbers ({words}): those of the frame before taken",
        damage="not_a_number" if len(bad) else None,  # else they are among what was left out
        frames=(int(bad[0]), int(bad[-1]) + 1) if len(bad) else None,
    )
    return raw


def _poses(
    source: Source,
    channels: BvhChannels,
    parts: list[BvhJoint],
    names: list[str],
    position_mode: str,
) -> Pose:
    """The poses of all frames."""
    skeleton, raw = channels.skeleton, channels.values
    moving = any(joint.moving for joint in parts)
    # The channels are kept beside the poses.
    width = raw.shape[1] + skeleton.freedom_table.coordinate_count + 3 * len(skeleton) * moving
    source.charge(8 * len(raw) * width, f"{len(parts)} joints in {len(raw)} frames")
    q = channels.coordinates()
    translations = None
    if moving:
        translations = np.empty((len(raw), len(skeleton), 3))
        translations[...] = skeleton.offsets
        _place(source, skeleton, parts, names, raw, position_mode, translations)
    return Pose._wrap(skeleton, q, translations)


def _place(
    source: Source,
    skeleton: Skeleton,
    parts: list[BvhJoint],
    names: list[str],
    raw: Floats,
    position_mode: str,
    out: Floats,
) -> None:
    """Write the position channels into the offsets (frames, joints, 3)."""
    idle: list[str] = []
    for name, joint in zip(names, parts, strict=True):
        moving = joint.moving
        if not moving:
            continue
        offset = np.array(joint.offset or (0.0, 0.0, 0.0))
        below = joint.parent >= 0
        nothing = False
        if below and np.any(offset):
            # Nearly zero: all values of the channels are below a hundredth of the offset.
            largest = max(float(np.abs(raw[:, column]).max()) for _, column in moving)
            nothing = largest < 0.01 * float(np.linalg.norm(offset))
            if nothing:
                idle.append(name)
        added = below and (position_mode == "add" or (position_mode == "auto" and nothing))
        j = skeleton.index(name)
        for axis, column in moving:
            out[:, j, axis] = raw[:, column] + (offset[axis] if added else 0.0)
    if idle:
        few = ", ".join(map(repr, idle[:3])) + (", ..." if len(idle) > 3 else "")
        taken = "added to" if position_mode != "replace" else "taken in place of"
        source.warn(
            f"{len(idle)} joints below the root have position channels that are nearly zero ({few}): "
            f"{taken} OFFSET; position_mode= changes that"
        )
