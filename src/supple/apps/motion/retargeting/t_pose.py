"""Recognize a T-pose in the first frame, before the motion, as in the clips of CMU.

Checks, corrections and retargeting all use this module, so that they agree on which frames are the motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.apps.character.motion import Motion
from supple.apps.motion.retargeting.body import Body, unit
from supple.apps.motion.retargeting.body_map import BodyMap
from supple.errors import SuppleError
from supple.rotations import angle_between


@dataclass(frozen=True)
class _TPoseRules:
    """How a T-pose in the first frame is recognized.

    With these values, the T-pose of each of 16 clips of CMU is found, and none in the same clips without it.

    Attributes:
        least_frames: Shorter clips are not judged: three steps tell what is usual.
        least_jump: How far the joint that turns most turns at least from a T-pose to the motion [rad].
        jump_per_step: How many times the median step of the motion that jump is at least.
        largest_arm_slope: Largest vertical part of the directions of upper arms and forearms in a T-pose.
        least_leg_slope: Least downward part of the directions of thighs and shins in it.
        same_as_rest: A pose with no joint turned farther from rest is the rest pose [rad].
        compared_frames: From the beginning, whose steps are compared.
    """

    least_frames: int = 5
    least_jump: float = 0.15
    jump_per_step: float = 4.0
    largest_arm_slope: float = 0.35
    least_leg_slope: float = 0.9
    same_as_rest: float = 1e-3
    compared_frames: int = 32


T_POSE = _TPoseRules()


def leading_frames(motion: Motion, up: str | None) -> int:
    """The number of frames before a motion: 1 if it begins with a jump from a T-pose or rest pose, else 0.

    Args:
        motion: Of any skeleton; a skeleton without arms and legs has no T-pose.
        up: The axis that points up; None if it is not known: then no T-pose is recognized.
    """
    if up is None or len(motion) < T_POSE.least_frames:
        return 0
    skeleton, poses = motion.skeleton, motion.poses
    try:
        body_map = BodyMap.recognize(skeleton, up=up, poses=poses)
        body_map.checked(skeleton)
    except SuppleError:  # no body with arms and legs
        return 0
    return leading_frames_of(motion, Body(skeleton, body_map, up, poses))


def leading_frames_of(motion: Motion, body: Body) -> int:
    """The same as `leading_frames`, for a known body."""
    if len(motion) < T_POSE.least_frames:
        return 0
    count = len(motion.skeleton.joint_names)
    turns = motion.poses[: T_POSE.compared_frames].local_rotations[:, :count]
    steps = angle_between(turns[:-1], turns[1:]).max(axis=1)
    if steps[0] < max(T_POSE.least_jump, T_POSE.jump_per_step * float(np.median(steps[1:]))):
        return 0
    at = body.places(body.frames(motion.poses[:1]))
    arms = [
        unit(at[f"{s}_{b}"] - at[f"{s}_{a}"])[0, 2]
        for s in body.map.arms
        for a, b in (("shoulder", "elbow"), ("elbow", "wrist"))
    ]
    legs = [
        unit(at[f"{s}_{a}"] - at[f"{s}_{b}"])[0, 2]
        for s in body.map.legs
        for a, b in (("hip", "knee"), ("knee", "ankle"))
    ]
    rest = np.broadcast_to(motion.skeleton.rest.local_rotations[:count], turns[0].shape)
    resting = float(angle_between(turns[0], rest)[1:].max()) < T_POSE.same_as_rest
    stretched = max(map(abs, arms), default=0.0) < T_POSE.largest_arm_slope
    stretched = stretched and min(legs, default=1.0) > T_POSE.least_leg_slope
    return int(resting or stretched)


def said_of_leading_frame(motion: Motion, what: str) -> str:
    """The note on the frame before a motion.

    Args:
        motion: A motion whose first frame is a T-pose.
        what: What was done with that frame, such as "left out".
    """
    return f"frame 0 of {motion.name!r} is a T-pose before the motion: {what}"
