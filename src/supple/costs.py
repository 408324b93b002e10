"""Costs of answers: how much the joints turn and how far the effector travels, from the start to the answer.

Answers to one problem are compared and chosen by these functions. Turns are net: the angle between the start and
the answer, joint by joint. The effector's path is the one on which all joints move at constant speed from start to
answer.
"""

from __future__ import annotations

import numpy as np

from supple.errors import instance
from supple.model.coordinates import common_batch
from supple.model.skeleton import Pose

PATH_SAMPLES = 65  # poses along the path of a tip whose length is measured, ends included


def _turns(start: Pose, answer: Pose) -> np.ndarray:
    return instance("answer", answer, Pose).turns(instance("start", start, Pose))


def sum_of_turns(start: Pose, answer: Pose) -> np.ndarray:
    """Sum of the angles by which the joints turned [rad], shape (...)."""
    return _turns(start, answer).sum(axis=-1)


def largest_turn(start: Pose, answer: Pose) -> np.ndarray:
    """The largest angle by which a joint turned [rad], shape (...)."""
    return _turns(start, answer).max(axis=-1)


def tip_path(start: Pose, answer: Pose, effector: str) -> np.ndarray:
    """Length of the effector's path while all joints move at constant speed from start to answer.

    Model units, shape (...).
    """
    poses = instance("start", start, Pose), instance("answer", answer, Pose)
    batch = common_batch(*(pose.batch_shape for pose in poses))
    t = np.linspace(0.0, 1.0, PATH_SAMPLES).reshape(-1, *(1,) * len(batch))
    points = start.interpolate(answer, t).position(effector)
    return np.linalg.norm(np.diff(points, axis=0), axis=-1).sum(axis=0)


def moves(start: Pose, answer: Pose) -> np.ndarray:
    """How far each joint moved, shape (..., N).

    The root of the sum of squares of its angle [rad], of its slide as a fraction of the length of all
    bones, and of the change of its stretch.
    """
    turns = _turns(start, answer)
    skeleton = start.skeleton
    squares = turns * turns
    size = float(np.linalg.norm(skeleton.offsets, axis=-1).sum()) + float(
        np.linalg.norm(skeleton.packed_tips[1], axis=-1).sum()
    )
    change = answer.coordinates - start.coordinates
    joints = skeleton.freedom_table.joints
    for joint in np.flatnonzero((joints.slides > 0) | (joints.stretch >= 0)).tolist():
        first, slides = int(joints.coordinate[joint]), int(joints.slides[joint])
        slide = change[..., first : first + slides] / (size or 1.0)
        squares[..., joint] += (slide * slide).sum(axis=-1)
        if joints.stretch[joint] >= 0:
            squares[..., joint] += change[..., joints.stretch[joint]] ** 2
    return np.sqrt(squares)


def distance(start: Pose, answer: Pose) -> np.ndarray:
    """How far the answer is from the start: the root of the sum of squared moves, shape (...)."""
    return np.sqrt((moves(start, answer) ** 2).sum(axis=-1))
