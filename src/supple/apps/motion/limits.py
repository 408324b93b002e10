"""Learn joint limits from motions: how far balls swing and twist, or rotate about their axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.errors import SuppleError, brief, instance, listed, number, one_of
from supple.model.joint import Joint
from supple.model.joints import Axes, Cone, Hinge
from supple.model.matching import euler_along, twists
from supple.model.packing import up_of
from supple.model.skeleton import Skeleton
from supple.rotations import conjugate, euler_order, multiply, rotate, to_rotation_vector

Floats = NDArray[np.float64]

KINDS = ("cone", "quadrants", "axes")
FITTING_ITERATIONS = 300  # of four half-angles; not tuned
LIMIT_SLACK = 1e-9  # added to every limit, so that rounding puts no frame outside [rad]
ANGLE_TO_PI = 0.002  # a swing nearer to pi leaves the twist undetermined [rad]; not tuned


@overload
def learn_limits(
    subject: Skeleton,
    motions: Motion | Iterable[Motion] | None = None,
    *,
    joints: Sequence[str] | None = None,
    kind: str = "cone",
    order: str = "xyz",
    quantile: float = 1.0,
    margin: float = 0.0,
    hinges: float | None = None,
) -> Skeleton: ...
@overload
def learn_limits(
    subject: Character,
    motions: Motion | Iterable[Motion] | None = None,
    *,
    joints: Sequence[str] | None = None,
    kind: str = "cone",
    order: str = "xyz",
    quantile: float = 1.0,
    margin: float = 0.0,
    hinges: float | None = None,
) -> Character: ...
def learn_limits(
    subject: Skeleton | Character,
    motions: Motion | Iterable[Motion] | None = None,
    *,
    joints: Sequence[str] | None = None,
    kind: str = "cone",
    order: str = "xyz",
    quantile: float = 1.0,
    margin: float = 0.0,
    hinges: float | None = None,
) -> Skeleton | Character:
    """Give the balls of a skeleton limits that enclose the rotations in motions.

    Limits are relative to the rest of the skeleton: a cone is symmetric about the bone at rest, while
    quadrants and ranges of axes may lie to one side of it. A joint that stays at rest in all motions gets limits of
    `margin`. Frames of all motions have the same weight.

    Args:
        subject: A skeleton, or a character, whose skeleton is limited.
        motions: The motions to learn from, of this skeleton or of one with joints of the same names, matched
            as by `Motion.on`. None for the motions of the character.
        joints: Balls or cones that get limits. By default every ball below the root that some
            motion has; other joints stay as they are.
        kind: "cone" for a greatest swing of the bone and limits of its twist (`Cone`), "quadrants" for
            the same with four half-angles of swing, down, up, left and right, that enclose the swings
            with the least area, "axes" for limits of the angle about each axis (`Axes`), which need not
            be symmetric about the rest.
        order: Of the axes, three letters; "xyz" is the order that a `.character` file stores.
        quantile: The share of frames, in (0, 1], that each limit encloses: the smallest swings, and the
            middle twists and angles.
        margin: Added to the swing and at both ends of a range [rad], 0 or more.
        hinges: A ball that never turns farther than this away from a single axis [rad] becomes a
            `Hinge` about it, with limits; such as 0.05 for knees and elbows. None: they stay balls
            with limits.

    Returns:
        A skeleton, or a character with the new skeleton. Its motions and poses are unchanged:
        frames outside the limits stay outside (`Pose.clamped` puts them inside).

    Raises:
        SuppleError: There are no motions, or none has a joint that is named.
    """
    skeleton = subject.skeleton if isinstance(subject, Character) else subject
    if not isinstance(skeleton, Skeleton):
        raise SuppleError(
            "learn_limits: expected a supple.Skeleton or a supple.Character, "
            f"got a {type(subject).__name__}"
        )
    one_of("kind of limits", kind, KINDS)
    if len(euler_order(order, what="order of limits")) != 3:
        raise SuppleError(f"order of limits: expected three letters, got {brief(order)}")
    quantile = number("quantile", quantile, "a share in (0, 1]", lambda x: 0.0 < x <= 1.0)
    margin = number("margin", margin, "0 or more radians", lambda x: 0.0 <= x < math.inf)
    if hinges is not None:
        hinges = number("hinges", hinges, "0 or more radians", lambda x: 0.0 <= x < math.inf)
    clips = _clips(subject, motions)
    learnt: dict[str, Joint] = {}
    for name in _chosen(skeleton, clips, joints):
        turns = _turns(skeleton, name, clips)
        learnt[name] = _limited(
            skeleton, name, turns, kind, order.lower(), quantile, margin, hinges
        )
    limited = skeleton.with_joints(learnt)
    if not isinstance(subject, Character):
        return limited
    return subject.with_(
        skeleton=limited,
        motions={name: motion.on(limited) for name, motion in subject.motions.items()},
        pose=subject.pose.on(limited),
        poses={name: pose.on(limited) for name, pose in subject.poses.items()},
    )


def _clips(subject: Skeleton | Character, motions: Any) -> list[Motion]:
    if motions is None and isinstance(subject, Character):
        motions = subject.motions
    if isinstance(motions, Mapping):
        motions = motions.values()
    clips: list[Any] = [motions] if isinstance(motions, Motion) else []
    if motions is not None and not clips:
        clips = listed("motions", motions, "a Motion, or a list of them")
    for clip in clips:
        instance("motions", clip, Motion)
    if not clips:
        raise SuppleError("learn_limits: expected a motion or more to learn from, got none")
    return clips


def _chosen(skeleton: Skeleton, clips: Sequence[Motion], joints: Sequence[str] | None) -> list[str]:
    """The joints that get limits."""
    moved = {name for clip in clips for name in clip.skeleton.joint_names}
    turns = {
        name: joint
        for name, joint in zip(skeleton.joint_names, skeleton.joints, strict=True)
        if joint.has_quaternion and not joint.scalars
    }
    if joints is None:
        found = [name for name, joint in turns.items()
                 if name in moved and not joint.has_swing_limits
                 and skeleton.parent(name) is not None]  # fmt: skip
        if not found:
            raise SuppleError(
                "learn_limits: expected balls below the root that a motion has too, got none"
            )
        return found
    joints = listed("joints", joints, "a list of names")
    for name in joints:
        one_of("joint", name, skeleton.joint_names)
        if name not in turns:
            kind = type(skeleton.joints[skeleton.index(name)]).__name__
            raise SuppleError(f"joint {name!r}: expected a ball or a cone, got a {kind}")
        if name not in moved:
            raise SuppleError(f"joint {name!r}: expected a motion that has it, got none")
    return list(joints)


def _turns(skeleton: Skeleton, name: str, clips: Sequence[Motion]) -> list[Floats]:
    """Rotations of a joint from its rest in each motion that has it: unit quaternions (F, 4)."""
    back = conjugate(skeleton.rotations[skeleton.index(name)])
    return [
        multiply(back, clip.poses.local_rotations[:, clip.skeleton.index(name)])
        for clip in clips
        if name in clip.skeleton.joint_names
    ]


def _limited(
    skeleton: Skeleton,
    name: str,
    turns: Sequence[Floats],
    kind: str,
    order: str,
    quantile: float,
    margin: float,
    hinges: float | None,
) -> Joint:
    """The joint with limits that enclose its rotations."""
    old = skeleton.joints[skeleton.index(name)]
    common: dict[str, Any] = {
        "damping": old.damping,
        "stiffness": old.stiffness,
        "stretch": old.stretch,
    }
    slack = margin + LIMIT_SLACK
    if hinges is not None and (axis := _hinge_axis(turns, hinges)) is not None:
        low, high = _middle(np.concatenate([twists(one, axis) for one in turns]), quantile)
        return Hinge(tuple(axis), (low - slack, high + slack), **common)
    if kind == "axes":
        angles = np.concatenate([euler_along(order, one) for one in turns])
        ranges = (_middle(column, quantile) for column in angles.T)
        return Axes(order, [(low - slack, high + slack) for low, high in ranges], **common)
    axis = _bone(skeleton, name)
    swings, twist = _swings_and_twists(np.concatenate(turns), axis)
    low, high = _arc(twist, quantile)
    if kind == "quadrants":
        tilts = _tilts(np.concatenate(turns), swings, axis, up_of(name, None, axis))
        four = [min(x + slack, math.pi) for x in _enclosing(tilts, quantile)]
        return Cone(four, (low - slack, high + slack), tuple(axis), **common)
    swing = min(float(np.quantile(swings, quantile)) + slack, math.pi)
    if swing >= math.pi - ANGLE_TO_PI or high - low + 2 * slack >= 2 * math.pi:
        return Cone(swing, axis=tuple(axis), **common)
    return Cone(swing, (low - slack, high + slack), tuple(axis), **common)


def _middle(values: Floats, quantile: float) -> tuple[float, float]:
    """The range of the middle share of values, with as many left out below as above."""
    low, high = np.quantile(values, [0.5 - 0.5 * quantile, 0.5 + 0.5 * quantile])
    return float(low), float(high)


def _arc(angles: Floats, quantile: float) -> tuple[float, float]:
    """The same for angles modulo a full turn: within the shortest arc that encloses them."""
    rising = np.sort(angles)
    gaps = np.diff(rising, append=rising[0] + 2 * math.pi)
    start = rising[(int(np.argmax(gaps)) + 1) % len(rising)]
    low, high = _middle(np.mod(angles - start, 2 * math.pi), quantile)
    # Shift by full turns so that the middle is nearest to 0.
    whole = 2 * math.pi * round((start + 0.5 * (low + high)) / (2 * math.pi))
    return start + low - whole, start + high - whole


def _swings_and_twists(turns: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Swing in [0, pi] and twist in (-pi, pi] of turns (F, 4) about a unit axis [rad], each (F,)."""
    along = turns[:, 1:] @ axis
    across = np.linalg.norm(turns[:, 1:] - along[:, None] * axis, axis=1)
    swings = 2 * np.arctan2(across, np.hypot(turns[:, 0], along))
    twist = 2 * np.arctan2(along, turns[:, 0])
    return swings, math.pi - np.mod(math.pi - twist, 2 * math.pi)


def _tilts(turns: Floats, swings: Floats, axis: Floats, up: Floats) -> Floats:
    """How far rotations (F, 4) tilt an axis up and to the right [rad], shape (F, 2)."""
    tilted = rotate(turns, axis)
    way = np.stack([tilted @ up, tilted @ np.cross(axis, up)], axis=1)
    size = np.linalg.norm(way, axis=1, keepdims=True)
    return swings[:, None] * np.divide(way, size, out=np.zeros_like(way), where=size > 0)


def _enclosing(tilts: Floats, quantile: float) -> list[float]:
    """Half-angles down, up, left, right [rad] of least area that enclose a share of the tilts (F, 2).

    With w, one over the squares of the half-angles, and c, the squares of a tilt, this maximizes the product of w with
    c.w <= 1 for every tilt, by multiplicative updates as for optimal designs (Titterington 1978).
    """
    squares = np.zeros((len(tilts), 4))
    rows = np.arange(len(tilts))
    squares[rows, (tilts[:, 0] >= 0).astype(int)] = tilts[:, 0] ** 2
    squares[rows, 2 + (tilts[:, 1] >= 0)] = tilts[:, 1] ** 2
    squares = squares[squares.any(axis=1)]
    if not len(squares):
        return [0.0] * 4
    weight = np.full(len(squares), 1.0 / len(squares))
    mean = squares.mean(axis=0)
    for _ in range(FITTING_ITERATIONS):
        mean = np.maximum(weight @ squares, 1e-30)
        weight *= squares @ (0.25 / mean)
    levels = np.zeros(len(tilts))  # zero tilts are inside
    levels[: len(squares)] = np.sqrt(squares @ (0.25 / mean))
    half = 2.0 * np.sqrt(np.where(mean > 1e-30, mean, 0.0)) * np.quantile(levels, quantile)
    return half.tolist()


def _bone(skeleton: Skeleton, name: str) -> Floats:
    """The unit direction of a joint's bone in its frame (3,).

    It points to the farthest child or tip; without any, away from the parent.
    """
    ends = [np.asarray(node.offset, dtype=np.float64) for node in skeleton.nodes
            if node.parent == name]  # fmt: skip
    ends += [np.asarray(tip.offset, dtype=np.float64) for tip in skeleton.tips if tip.joint == name]
    j = skeleton.index(name)
    longest = max(ends, key=np.linalg.norm, default=np.zeros(3))
    if not np.any(longest):
        longest = rotate(conjugate(skeleton.rotations[j]), skeleton.offsets[j])
    size = np.linalg.norm(longest)
    return longest / size if size > 0 else np.array([0.0, 1.0, 0.0])


def _hinge_axis(turns: Sequence[Floats], most: float) -> Floats | None:
    """The axis (3,) of all rotations, up to a deviation of `most` [rad]; None if there is none.

    Its sign makes the sum of the angles positive.
    """
    vectors = to_rotation_vector(np.concatenate(turns))
    if np.linalg.norm(vectors, axis=1).max() <= most:
        return None  # it hardly turns and has no axis
    axis = np.linalg.svd(vectors, full_matrices=False)[2][0]
    swings, _ = _swings_and_twists(np.concatenate(turns), axis)
    if swings.max() > most + LIMIT_SLACK:
        return None
    return axis if float((vectors @ axis).sum()) >= 0 else -axis
