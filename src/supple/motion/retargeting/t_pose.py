"""Recognize a T-pose in the first frame, from which a motion jumps off, as in the clips of CMU.

Checks, corrections and retargeting ask here, so that they agree on which frames are the motion.
"""

from __future__ import annotations

import numpy as np

from supple.errors import SuppleError
from supple.model.motion import Motion
from supple.motion.retargeting.body import Body, unit
from supple.motion.retargeting.body_map import BodyMap
from supple.rotations import angle_between

# With these, the T-pose of each of 16 clips of CMU is found, and none in the same clips without it.
LEAST_FRAMES = 5  # of a clip, so that three steps tell what is usual in it
LEAST_JUMP = 0.15  # from a T-pose to the motion, the joint that turns most [rad],
JUMP_PER_USUAL_STEP = 4.0  # and how many times the median step of the motion it is
MAX_ARM_SLOPE = (
    0.35  # of a T-pose: largest upward part of the direction of an upper arm or forearm,
)
LEAST_LEG_SLOPE = 0.9  # and least downward part of that of a thigh or shin
SAME_AS_REST = 1e-3  # largest turn of a joint from a rest pose [rad]
COMPARED_FRAMES = 32  # from the beginning, whose steps are compared


def leading_frames(motion: Motion, up: str | None) -> int:
    """How many frames come before a motion: 1 if it begins after a T-pose or rest pose with a jump, else 0.

    Args:
        motion: Of any skeleton; one without arms and legs has no T-pose.
        up: The axis that points up; None if it is not known, then nothing is recognized.
    """
    if up is None or len(motion) < LEAST_FRAMES:
        return 0
    skeleton, poses = motion.skeleton, motion.poses
    try:
        body_map = BodyMap.recognize(skeleton, up=up, poses=poses)
        body_map.checked(skeleton)
    except SuppleError:  # no body with arms and legs
        return 0
    return leading_frames_of(motion, Body(skeleton, body_map, up, poses))


def leading_frames_of(motion: Motion, body: Body) -> int:
    """The same as `leading_frames`, of a body that is known."""
    if len(motion) < LEAST_FRAMES:
        return 0
    count = len(motion.skeleton.joint_names)
    turns = motion.poses[:COMPARED_FRAMES].local_rotations[:, :count]
    steps = angle_between(turns[:-1], turns[1:]).max(axis=1)
    if steps[0] < max(LEAST_JUMP, JUMP_PER_USUAL_STEP * float(np.median(steps[1:]))):
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
    resting = float(angle_between(turns[0], rest)[1:].max()) < SAME_AS_REST
    stretched = max(map(abs, arms), default=0.0) < MAX_ARM_SLOPE
    stretched = stretched and min(legs, default=1.0) > LEAST_LEG_SLOPE
    return int(resting or stretched)


def said_of_leading_frame(motion: Motion, what: str) -> str:
    """What reports say about the frame before a motion.

    Args:
        motion: Whose first frame is a T-pose.
        what: What became of that frame, such as "left out".
    """
    return f"frame 0 of {motion.name!r} is a T-pose before the motion: {what}"
