"""Feet: which joints they are, and when they stand on the ground."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, one_of
from supple.model.motion import Motion
from supple.model.skeleton import Skeleton

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

UPS = ("x", "y", "z", "-x", "-y", "-z")
SPEED = 0.4  # below which a point may stand [lengths of the leg a second]
HEIGHT = 0.06  # above its lowest place up to which it may stand [lengths of the leg]
MORE = 1.5  # both count so much more for a point that stands already
SHORTEST = 0.07  # a stance of less is none [s]
GAP = 0.06  # and what parts two stances for less does not [s],
JUMP = 3.0  # unless the foot jumps: so many times faster than it may stand
SMOOTH = 0.05  # over which speeds are measured [s]
LOWEST = 10.0  # the percentile of the heights a point is slow at that is its lowest place

_ANKLE = re.compile(r"ankle|foot|(?<![a-z])pes(?![a-z])", re.IGNORECASE)
_TOE = re.compile(r"toe|ball", re.IGNORECASE)
_THIGH = re.compile(r"thigh|femur|up(per)?[ _.]?leg", re.IGNORECASE)
LISTED = 24  # joints in a message, at most
SHORT = 0.35  # of the longest bone of a leg: a shorter one at its top is the hip's, not the leg's


@dataclass(frozen=True)
class Foot:
    """A foot and its leg.

    Attributes:
        ankle: The joint that the foot turns about; its heel.
        toe: A joint or tip further on, or None if there is nothing below the ankle.
        leg: The topmost joint of the leg.
        length: Of the leg at rest, from its topmost joint to the ankle.
    """

    ankle: str
    toe: str | None
    leg: str
    length: float


def find_feet(
    skeleton: Skeleton, names: Sequence[str] | None = None, *, legs: Mapping[str, str] | None = None
) -> tuple[Foot, ...]:
    """The feet of a skeleton: the topmost joints called ankle or foot, or those that are named.

    Args:
        skeleton: Whose.
        names: The ankles; found by name if not given.
        legs: The topmost joint of the leg of each ankle, where it is not to be found: {ankle: joint}.

    Raises:
        SuppleError: There are none, or one has no leg.
    """
    joints = skeleton.joint_names
    if names is None:
        alike = {name for name in joints if _ANKLE.search(name)}
        names = [name for name in joints if name in alike and not _above(skeleton, name) & alike]
        names = [name for name in names if len(skeleton.path(None, name)) >= 3]
        if not names:
            raise SuppleError(_no_feet(joints, alike))
    for name in legs or {}:
        one_of("foot of legs", name, names)
    paths = [skeleton.path(None, one_of("foot", name, joints)) for name in names]
    return tuple(_foot(skeleton, path, paths, legs or {}) for path in paths)


def _no_feet(joints: Sequence[str], alike: set[str]) -> str:
    """What to say where no joint is found to be an ankle."""
    if alike:
        called = ", ".join(repr(name) for name in joints if name in alike)
        got = f"{called} without a leg above"
    else:
        got = "none"
    listed = ", ".join(map(repr, joints[:LISTED]))
    more = f", ... ({len(joints)} in all)" if len(joints) > LISTED else ""
    return (
        f"feet: expected joints called ankle or foot, below a leg, got {got}; "
        f"say which they are, of the joints {listed}{more}"
    )


def _above(skeleton: Skeleton, name: str) -> set[str]:
    return set(skeleton.path(None, name)[:-1])


def _foot(
    skeleton: Skeleton,
    path: tuple[str, ...],
    paths: Sequence[tuple[str, ...]],
    legs: Mapping[str, str],
) -> Foot:
    """The foot at the end of a path from a root, one of several such paths."""
    ankle = path[-1]
    if ankle in legs:
        top = one_of(f"leg of {ankle!r}", legs[ankle], path[:-1])
        leg = path[path.index(top) :]
    else:
        # Up to where another leg parts from it; a lone leg, up to where anything does.
        shared = [sum(a == b for a, b in zip(path, other, strict=False))
                  for other in paths if other is not path]  # fmt: skip
        alone = [k + 1 for k, name in enumerate(path[:-1]) if len(skeleton.children(name)) > 1]
        leg = path[max(shared or alone, default=0) :]
        bones = _bones(skeleton, leg)
        named = next((k for k, name in enumerate(leg[:-1]) if _THIGH.search(name)), 0)
        leg, bones = leg[named:], bones[named:]
        while len(leg) > 3 and bones[0] < SHORT * max(bones):
            leg, bones = leg[1:], bones[1:]
    if len(leg) < 2:
        raise SuppleError(f"foot {ankle!r}: expected a leg above it, got none; give legs=")
    length = sum(_bones(skeleton, leg))
    if not length > 0:
        raise SuppleError(f"foot {ankle!r}: expected a leg of some length, got none")
    return Foot(ankle, _toe(skeleton, ankle), leg[0], length)


def _bones(skeleton: Skeleton, path: Sequence[str]) -> list[float]:
    offsets = skeleton.offsets
    return [float(np.linalg.norm(offsets[skeleton.index(name)])) for name in path[1:]]


def _toe(skeleton: Skeleton, ankle: str) -> str | None:
    """What of the foot is furthest on along its toes; the ball of the foot, where there is one."""
    below = [*skeleton.children(ankle), *(tip.name for tip in skeleton.tips if tip.joint == ankle)]
    below = [name for name in below if _apart(skeleton, ankle, name)]
    called = [name for name in below if _TOE.search(name)]
    return next(iter(called or below), None)


def _apart(skeleton: Skeleton, a: str, b: str) -> bool:
    rest = skeleton.rest
    return float(np.linalg.norm(rest.position(a) - rest.position(b))) > 0


def up_vector(up: str) -> Floats:
    """The unit vector (3,) of an up axis such as "y" or "-z"."""
    one_of("up axis", up, UPS)
    return np.eye(3)["xyz".index(up[-1])] * (-1.0 if up[0] == "-" else 1.0)


def standing(
    points: Floats, motion: Motion, length: float, *, up: Floats, speed: float, height: float
) -> Flags:
    """Whether a point stands on the ground: it is slow, and about as low as it is when slow.

    Args:
        points: Where it is in each frame, world, shape (F, 3).
        motion: Whose frames.
        length: Of the leg.
        up: Unit vector.
        speed: Below which it may stand [lengths a second].
        height: Above its lowest place up to which it may stand [lengths].

    Returns:
        For each frame, shape (F,).
    """
    if len(points) < 2:
        return np.zeros(len(points), dtype=bool)
    times = motion.times
    velocity = np.gradient(points, times, axis=0)
    fast = _mean(np.linalg.norm(velocity, axis=1), round(SMOOTH * motion.fps)) / length
    level = points @ up
    slow = fast < speed
    if not slow.any():
        return slow
    high = (level - np.percentile(level[slow], LOWEST)) / length
    sure = slow & (high < height)
    maybe = (fast < MORE * speed) & (high < MORE * height)
    found = np.zeros(len(points), dtype=bool)
    for run in true_runs(maybe):
        if sure[run].any():
            inner = np.flatnonzero(sure[run]) + run.start
            found[inner[0] : inner[-1] + 1] = True
    for run in true_runs(~found):
        inside = run.start > 0 and run.stop < len(found)
        if inside and _seconds(run, motion) < GAP and fast[run].max() < JUMP * speed:
            found[run] = True
    for run in true_runs(found):
        if _seconds(run, motion) < SHORTEST:
            found[run] = False
    return found


def true_runs(flags: Flags) -> list[slice]:
    """Where flags are set one after the other."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _seconds(run: slice, motion: Motion) -> float:
    return (run.stop - run.start) / motion.fps


def _mean(values: Floats, width: int) -> Floats:
    """The mean over an odd number of values around each, about so many."""
    half = width // 2
    if half < 1:
        return values
    padded = np.pad(values, half, mode="edge")
    return np.convolve(padded, np.full(2 * half + 1, 1.0 / (2 * half + 1)), mode="valid")
