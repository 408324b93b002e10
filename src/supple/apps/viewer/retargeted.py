"""Retargeting in the playground: the motion of one scene on the body of another, and its source beside it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from supple.apps.motion import BodyMap, Motion, Retargeted, retarget
from supple.apps.motion.feet import up_vector
from supple.apps.motion.retargeting.body_map import NEEDED, ROLES
from supple.apps.viewer.messages import RetargetInfo, Retargeting, RoleInfo
from supple.apps.viewer.motion_edits import EditedMotions
from supple.apps.viewer.source import Source
from supple.apps.viewer.subject import Subject, character_subject
from supple.errors import SuppleError, one_of
from supple.rotations import between, rotate

MOST_SAMPLES = 1200  # poses of the source that are sent
SOURCE_DISTANCE = 0.55  # between source and target [heights of the target]


def retargeted_subject(target: Subject, source: Subject, asked: Retargeting) -> Subject:
    """Retarget a motion of the source onto the target, which then has it as its first motion.

    Raises:
        SuppleError: There is no such motion, or a body is not recognized; the message says what is missing.
    """
    if not source.motions:
        raise SuppleError(f"retarget: expected a source with a motion, {source.title} has none")
    name = asked.motion or next(iter(source.motions))
    motion = source.motions[one_of("motion", name, list(source.motions))]
    edited = EditedMotions().of(source, motion, asked.edits)
    began = time.perf_counter()
    made = retarget(
        edited.motion,
        onto=target.skeleton if target.character is None else target.character,
        source_map=_map(source, edited.motion, asked.source_map, "source"),
        target_map=_map(target, None, asked.target_map, "target"),
        up=source.up,
        onto_up=target.up,
        contacts=edited.contacts if edited.edited else None,
    )
    seconds = time.perf_counter() - began
    called = f"{name} (retargeted)" if name in target.motions else name
    result = made.motion.with_(name=called)
    info = RetargetInfo(
        motion=called,
        source=source.title,
        roles=_roles(made),
        source_joints=list(source.skeleton.joint_names),
        scale=made.scale,
        seconds=seconds,
        frames=len(result),
        notes=[note.text for note in made.notes],
    )
    skeleton = source.skeleton
    beside = Source(
        info,
        [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()],
        _beside(edited.motion, made, source.up, target.up),
        result.duration,
    )
    motions = {called: result, **target.motions}
    character = target.character
    if character is not None:
        character = character.with_(motions=motions)
        if target.grown is not None:  # its rules' targets do not move it any more
            target = character_subject(character, key=target.key, title=target.title)
    return replace(target, motions=motions, character=character, source=beside)


def _map(
    subject: Subject, motion: Motion | None, changes: Mapping[str, Sequence[str]], which: str
) -> BodyMap | None:
    """The body map with the changes of a user; None if there are none, to leave it to `retarget`."""
    if not changes:
        return None
    for role in changes:
        one_of(f"role of the {which}'s body map", role, ROLES)
    poses = None if motion is None else motion.poses
    try:
        extras = {} if subject.character is None else subject.character.extras.get("gltf", {})
        bones = dict(extras.get("humanoid", {}))
        known = BodyMap.recognize(subject.skeleton, up=subject.up, poses=poses, bones=bones).joints
    except SuppleError:  # the changes may complete it
        known = {}
    joined = {**known, **{role: tuple(names) for role, names in changes.items()}}
    given = BodyMap({role: names for role, names in joined.items() if names})
    taken: dict[str, str] = {}
    for role, names in given.joints.items():
        for name in names:
            if name in taken:
                raise SuppleError(
                    f"{which}'s body map: expected each joint in one role, got {name!r} in {taken[name]} and {role}"
                )
            taken[name] = role
    return given.checked(subject.skeleton)


def _roles(made: Retargeted) -> list[RoleInfo]:
    maps = made.source_map.joints, made.target_map.joints
    return [
        RoleInfo(
            role=role,
            needed=role in NEEDED,
            source=list(maps[0].get(role, ())),
            target=list(maps[1].get(role, ())),
        )
        for role in ROLES
    ]


# The source beside the target ---------------------------------------------------------------------


def _beside(motion: Motion, made: Retargeted, up: str, onto_up: str) -> np.ndarray:
    """Positions of the source at the times of the result, at the target's size, to one side of it."""
    every = max(1, -(-len(made.motion) // MOST_SAMPLES))
    frames = made.source_frames[::every]
    if (frames < 0).any():  # sampled anew
        times = np.linspace(0.0, motion.duration, len(frames))
        points = motion.at(times).positions
    else:
        points = motion.poses[frames].positions
    points = made.scale * points
    if up != onto_up:
        points = rotate(between(up_vector(up), up_vector(onto_up)), points)
    axis = "xyz".index(onto_up)
    target = made.motion.poses[::every].positions
    # Roots start side by side, and both stand on the same ground.
    shift = target[0, 0] - points[0, 0]
    shift[axis] = target[..., axis].min() - points[..., axis].min()
    return points + shift + _aside(target, axis)


def _aside(target: np.ndarray, axis: int) -> np.ndarray:
    """A horizontal offset, square to the direction in which the target travels."""
    height = float(np.ptp(target[0, :, axis])) or 1.0
    travel = np.ptp(target[:, 0], axis=0)
    travel[axis] = np.inf
    across = int(np.argmin(travel)) if travel[0] != travel[2 if axis == 1 else 1] else 0
    wide = float(np.ptp(target[:, :, across] - target[:, :1, across]))
    out = np.zeros(3)
    out[across] = -(SOURCE_DISTANCE * height + 0.5 * wide)
    return out
