"""`retarget`: transfer a motion to another body, a character's or a robot's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character, Note
from supple.apps.character.motion import Motion, concatenated
from supple.apps.motion.contacts import Contacts
from supple.apps.motion.feet import UPS
from supple.apps.motion.planting import plant_feet
from supple.apps.motion.retargeting.balance import Balanced
from supple.apps.motion.retargeting.body import Body, mid
from supple.apps.motion.retargeting.body_map import SIDES, BodyMap
from supple.apps.motion.retargeting.onto_character import fits, limited, turn_clip
from supple.apps.motion.retargeting.onto_robot import Weights, free_root, remarks, solve_clip
from supple.apps.motion.retargeting.performance import (
    Performance,
    filtered,
    find_source_contacts,
    foot_names,
    sampled,
)
from supple.apps.motion.retargeting.t_pose import leading_frames_of, said_of_leading_frame
from supple.errors import SuppleError, flag, instance, number, one_of, positive
from supple.model.skeleton import Pose, Skeleton

# Standard deviation in time of the filter for source motions [s]; not tuned.
SMOOTHING_TIME = 0.008
SOURCE = "source_frame"  # the track of a retargeted motion with the source frame of each frame


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The result of `retarget`.

    Attributes:
        motion: The motion of the target. Of a robot, its track "source_frame" has `source_frames`.
        source_frames: The frame of the source that each frame was made from, counted from 0, (F,); all -1 if the
            source was resampled.
        contacts: When the source's ankles and toes, and knees, hands, elbows and hips, touch the ground, in frames of
            the source after a T-pose.
        source_map: The parts of the source's body.
        target_map: The parts of the target's body.
        scale: The target's leg length over the source's [target's unit over source's].
        balance: How well a robot keeps its balance in the frames in which balance is asked for; None if there are none.
        notes: Guesses and omissions; for a robot, joints that turn by more than 1 rad in one frame, and solid shapes
            that overlap, each with its frames.
    """

    motion: Motion
    source_frames: NDArray[np.int64]
    contacts: Contacts
    source_map: BodyMap
    target_map: BodyMap
    scale: float
    balance: Balanced | None
    notes: tuple[Note, ...]


def retarget(
    motion: Motion | Character,
    onto: Character | Skeleton,
    *,
    fps: float | None = None,
    source_map: BodyMap | None = None,
    target_map: BodyMap | None = None,
    up: str | None = None,
    onto_up: str | None = None,
    contacts: Contacts | None = None,
    smooth: float = SMOOTHING_TIME,
    balance: bool = True,
) -> Retargeted:
    """Transfer a motion to another body: human to human, or human to robot.

    The parts of both bodies are recognized by the names of their joints, or by position where names do not tell.
    Limbs take the directions of the source's limbs in world, whatever the rest poses are; the path of the
    hips is scaled to the legs; feet in contact stay fixed on the ground, which is level at height 0, and so do
    knees, hands and the seat of a robot; wrists that are close keep their distance, in arm lengths.
    The whole clip is solved at once, not frame by frame.

    A character is posed in closed form, two bones at a time; hinges and joints with limits come as near as they
    can, and its feet are planted again within limits. A robot, whose joints are groups of hinges, is solved
    by least squares over all frames (`Prepared.clip`): smooth, within its limits, without overlaps of its solid
    shapes with each other or the ground. Its root must move freely, and its feet must have solid shapes. Legs or
    arms alone need a map; arms on a fixed root follow the source's arms relative to its trunk.

    Args:
        motion: The source, with two arms and two legs, or fewer with a map; or a character with one motion.
        onto: The character or robot.
        fps: Frames a second of the result; by default those of the motion. Frames are not interpolated if the rate
            divides the motion's.
        source_map: The parts of the source's body; recognized by default.
        target_map: The parts of the target's body; recognized by default.
        up: The axis that points up in the motion, such as "y"; by default the character's, or from feet to shoulders.
        onto_up: The same of the target.
        contacts: The contacts of the source's ankles and toes, in its own frames; found by default.
        smooth: Standard deviation in time of the filter applied to the motion first [s]; 0 for none.
        balance: True to keep the centre of mass of a robot with known masses over the feet in contact, where the
            source is slow and in balance itself.

    Returns:
        The motion of the target, and a report.

    Raises:
        SuppleError: Parts of a body are not found, or the target's root or feet are not as they must be.
    """
    motion, source_bones, up, notes = _source(motion, up)
    skeleton = onto.skeleton if isinstance(onto, Character) else onto
    if not isinstance(skeleton, Skeleton):
        raise SuppleError(
            f"retarget: expected a Character or Skeleton to retarget onto, got a {type(onto).__name__}"
        )
    fps = None if fps is None else positive("fps", fps)
    smooth = number("smooth", smooth, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    balance = flag("balance", balance)
    for what, given in (("source_map", source_map), ("target_map", target_map)):
        if given is not None:
            instance(what, given, BodyMap)
    if contacts is not None:
        instance("contacts", contacts, Contacts)
    for what, axis in (("up axis", up), ("up axis of the target", onto_up)):
        if axis is not None:
            one_of(what, axis, UPS)
    body = _body(motion.skeleton, source_map, up, motion.poses, source_bones)
    onto_up = onto_up or getattr(onto, "up", None)
    target = _target(skeleton, target_map, onto_up, tuple(_bones(onto).items()))
    closed = fits(target) and body.map.whole
    if not closed and target.map.legs:
        free_root(target)
    first = leading_frames_of(motion, body)
    if contacts is not None and contacts.frames not in (len(motion), len(motion) - first):
        raise SuppleError(
            f"contacts: expected those of {len(motion)} frames, got {contacts.frames}"
        )
    taken, rows, rate = sampled(motion[first:] if first else motion, fps, 0)
    if contacts is None:
        contacts = find_source_contacts(taken, body, body.up)
    elif contacts.frames != len(taken):
        flags = {
            name: contacts.flags(name)[contacts.frames - len(motion) + first :][: len(taken)]
            for name in contacts.joints
        }
        contacts = Contacts.from_flags(flags)
    source = replace(Performance.of(filtered(taken, smooth), body, contacts, rows), fps=rate)
    balanced = None
    if closed:
        poses = turn_clip(source, target)
    else:
        poses, balanced = solve_clip(source, target, Weights(), balance=balance)
        notes += remarks(poses)
    if closed and (stiff := limited(target)):
        poses = _planted(poses.clamped(), source, target, rate).clamped()
        few = ", ".join(map(repr, stiff[:4])) + (", ..." if len(stiff) > 4 else "")
        notes.append(
            Note(
                f"{len(stiff)} joints are hinges or have limits ({few}): "
                "they turn as near as they can",
                level="guess",
            )
        )
    frames = rows + first if len(taken) == len(motion) - first else np.full(len(rows), -1)
    if first:
        kept = closed and fps is None
        what = "kept as it is" if kept else "left out"
        notes.append(Note(said_of_leading_frame(motion, what), level="guess"))
        if kept:
            lead = Performance.of(motion[:1], body, Contacts(1, {}), np.arange(1))
            lead = replace(lead, level=source.level, flat=source.flat)
            poses = concatenated([turn_clip(lead, target).clamped(), poses])
            frames = np.concatenate([[0], frames])
    tracks = {} if closed else {SOURCE: frames.astype(np.float64)}
    made = Motion(motion.name, poses, fps=rate, loop=motion.loop and not first, tracks=tracks)
    scale = target.sizes["leg"] / body.sizes["leg"]
    return Retargeted(made, frames, contacts, body.map, target.map, scale, balanced, tuple(notes))


def _source(
    motion: Motion | Character, up: str | None
) -> tuple[Motion, dict[str, str], str | None, list[Note]]:
    """The motion, the VRM bones of its character, its up axis if it is known, and an empty list of notes."""
    if isinstance(motion, Character):
        if len(motion.motions) != 1:
            names = ", ".join(map(repr, motion.motions)) or "none"
            raise SuppleError(
                f"retarget: expected a character with one motion, got {names}; give the motion"
            )
        return next(iter(motion.motions.values())), _bones(motion), up or motion.up, []
    if not isinstance(motion, Motion):
        raise SuppleError(f"retarget: expected a Motion, got a {type(motion).__name__}")
    return motion, {}, up, []


def _bones(thing: Any) -> dict[str, str]:
    extras = thing.extras.get("gltf", {}) if isinstance(thing, Character) else {}
    return dict(extras.get("humanoid", {}))


def _body(
    skeleton: Skeleton,
    body_map: BodyMap | None,
    up: str | None,
    poses: Pose | None,
    bones: dict[str, str],
) -> Body:
    """The body of a skeleton; an unknown up axis is that from feet to shoulders."""
    if up is not None:
        one_of("up axis", up, UPS)
    found = body_map or BodyMap.recognize(skeleton, up=up or "y", poses=poses, bones=bones)
    found.checked(skeleton)
    if up is None:
        body = Body(skeleton, found, "z")
        at = body.places((skeleton.rest.positions, skeleton.rest.rotations))
        if poses is not None:
            at = {
                name: np.median(place, axis=0)
                for name, place in body.places((poses.positions, poses.rotations)).items()
            }
        if len(found.legs) < 2 or not found.arms:
            return Body(skeleton, found, "z", poses)
        way = mid(at, "shoulder") - mid(at, "ankle")
        k = int(np.argmax(np.abs(way)))
        up = ("-" if way[k] < 0 else "") + "xyz"[k]
    return Body(skeleton, found, up, poses)


@lru_cache(maxsize=8)
def _target(
    skeleton: Skeleton, body_map: BodyMap | None, up: str | None, bones: tuple[tuple[str, str], ...]
) -> Body:
    """The body of a target, measured once for all clips."""
    return _body(skeleton, body_map, up, None, dict(bones))


def _planted(poses: Pose, source: Performance, target: Body, fps: float) -> Pose:
    """Plant the feet again, after hinges and limits could not follow all rotations."""
    flags, ankles = {}, []
    for side in SIDES:
        ankle, toe = foot_names(target, side)
        ankles.append(ankle)
        flags[ankle] = source.touches[f"{side}_heel"]
        if toe is not None:
            flags[toe] = source.touches[f"{side}_ball"]
    motion = Motion("planted", poses, fps=fps)
    return plant_feet(
        motion, feet=ankles, up=target.up, contacts=Contacts.from_flags(flags)
    ).motion.poses
