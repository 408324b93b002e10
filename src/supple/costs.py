"""What an answer costs.

How much the joints turn and how far the effector travels, from the start to the answer.

The cost functions by which answers to one problem are compared and chosen. Turns are net: the angle
between the start and the answer, joint by joint; the effector's path is that of all joints moving
evenly from the one to the other.
"""

from __future__ import annotations

import numpy as np

from supple.pose import Pose

SAMPLES = 65


def sum_of_turns(start: Pose, answer: Pose) -> np.ndarray:
    """Sum over the joints of how far each turned [rad], shape (...)."""
    return answer.turns(start).sum(axis=-1)


def largest_turn(start: Pose, answer: Pose) -> np.ndarray:
    """How far the joint turned that turned most [rad], shape (...)."""
    return answer.turns(start).max(axis=-1)


def tip_path(start: Pose, answer: Pose, effector: str) -> np.ndarray:
    """Length of the effector's way while all joints move evenly from start to answer.

    Model units, shape (...).
    """
    t = np.linspace(0.0, 1.0, SAMPLES).reshape(-1, *(1,) * len(answer.batch_shape))
    points = start.interpolate(answer, t).position(effector)
    return np.linalg.norm(np.diff(points, axis=0), axis=-1).sum(axis=0)


def distance(start: Pose, answer: Pose) -> np.ndarray:
    """How far the answer is from the start.

    The root of the sum of squared freedoms' changes, shape (...).
    """
    turns = answer.turns(start)
    return np.sqrt((turns * turns).sum(axis=-1))
