"""`retarget`: a motion onto another body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.model.character import Character
from supple.model.motion import Motion
from supple.model.skeleton import Pose, Skeleton
from supple.motion.contacts import Contacts
from supple.motion.retargeting.body import Body
from supple.motion.retargeting.body_map import BodyMap
from supple.motion.retargeting.performance import Performance, filtered, find_source_contacts, leading_t_pose, sampled
from supple.motion.retargeting.solved import Weights, solve_clip
from supple.motion.retargeting.turned import fits, turn_clip


SMOOTH = 0.008


@dataclass(frozen=True, eq=False)
class Retargeted:
    motion: Motion
    source_frames: NDArray[np.int64]
    contacts: Contacts
    source_map: BodyMap
    target_map: BodyMap
    notes: tuple[str, ...]


def retarget(motion, onto, *, source_map=None, target_map=None, up="y", onto_up=None, fps=None, contacts=None, weights=None):
    skeleton = onto.skeleton if isinstance(onto, Character) else onto
    onto_up = onto_up or (onto.up if isinstance(onto, Character) else None) or "y"
    source_map = (source_map or BodyMap.recognize(motion.skeleton, up=up, poses=motion.poses)).checked(motion.skeleton)
    target_map = (target_map or BodyMap.recognize(skeleton, up=onto_up)).checked(skeleton)
    notes = []
    body = Body(motion.skeleton, source_map, up, motion.poses)
    target = Body(skeleton, target_map, onto_up)
    first = 0
    if leading_t_pose(motion, body):
        first = 1
        notes.append("frame 0 is a T-pose")
    moving = motion[first:]
    moving, rows, rate = sampled(moving, fps, 0)
    if contacts is None:
        contacts = find_source_contacts(moving, body, up)
    moving = filtered(moving, SMOOTH)
    source = Performance.of(moving, body, contacts, rows)
    source = Performance(**{**source.__dict__, "fps": rate})
    if fits(target):
        poses = turn_clip(source, target)
        if first and fps is None:
            nothing = Contacts(1, {name: () for name in contacts.joints})
            lead = turn_clip(Performance.of(motion[:1], body, nothing, np.arange(1)), target)
            poses = Pose.stack([lead[0], *poses]); rows = np.concatenate([[-1], rows])
    else:
        poses = solve_clip(source, target, weights or Weights())
    return Retargeted(Motion(motion.name, poses, fps=rate), rows + first, contacts, source_map, target_map, tuple(notes))
