"""Where what is on the stage is, and how much of the world is to be seen with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.motion import Motion
from supple.skinning import skin
from supple.viewer.messages import Vector
from supple.viewer.subject import Subject

JOINT = 0.02  # radius of a joint as it is drawn, in sizes: bare ones lie on the ground, not in it
MOST_FRAMES = 100  # of a motion, that are looked at for the room it needs
ASIDE, ABOVE = 0.6, 0.75  # how far a chain is seen to swing, of its length


class Bounds(NamedTuple):
    """Where something is, in its start pose.

    Attributes:
        center: Its middle, which is looked at.
        size: Its radius.
        ground: Height of the ground.
        low: The least coordinates of what is to be seen.
        high: The greatest.
    """

    center: Vector
    size: float
    ground: float
    low: Vector
    high: Vector


def bounds(subject: Subject, motion: Motion | None = None) -> Bounds:
    """Where what is on the stage is; of a chain on a pillar, where it can swing.

    Args:
        subject: What is on the stage.
        motion: What plays: it is looked at as it stands in its first frame, with room for how it
            moves on the spot. None for the pose that the subject starts in.
    """
    first = None if motion is None else motion.at(0.0)
    # What rules grow is measured at rest, so that dragging a target does not move the camera.
    start = subject.start if subject.grown is None else subject.skeleton.rest
    pose = start if first is None else first
    points = [pose.positions]
    for mesh in subject.meshes:
        if mesh.skin is not None:
            points.append(mesh.positions if first is None else skin(mesh, pose))
        elif mesh.joint is None:
            points.append(mesh.positions)
        else:
            T = pose.frames[pose.skeleton.index(mesh.joint)]
            points.append(mesh.positions @ T[:3, :3].T + T[:3, 3])
    everything = np.concatenate(points)
    low, high = everything.min(axis=0), everything.max(axis=0)
    up = "xyz".index(subject.up)
    if subject.pedestal is not None:
        names = subject.skeleton.names
        reach = subject.skeleton.length(names[-1], root=names[0]) or 1.0
        root = subject.start.positions[0]
        center = root + 0.3 * (high + low - 2 * root)
        ground = float(root[up]) - subject.pedestal * reach
        low, high = center - ASIDE * reach, center + ASIDE * reach
        depth = 3 - up
        low[depth] = high[depth] = center[depth]  # seen from the front, this needs no room
        low[up], high[up] = ground, root[up] + ABOVE * reach
        return Bounds(_vector(center), reach, ground, _vector(low), _vector(high))
    center, size = (low + high) / 2, float(np.linalg.norm(high - low)) / 2 or 1.0
    below = 0.0 if subject.meshes else JOINT * size
    ground = float(low[up]) - below
    if motion is not None:
        around = _on_the_spot(motion)
        low, high = np.minimum(low, around.min(axis=0)), np.maximum(high, around.max(axis=0))
    return Bounds(_vector(center), size, ground, _vector(low), _vector(high))


def _on_the_spot(motion: Motion) -> np.ndarray:
    """Where joints come to in a motion whose root stays where it begins, shape (points, 3)."""
    every = max(1, len(motion) // MOST_FRAMES)
    positions = motion.poses[::every].positions
    return (positions - positions[:, :1] + positions[:1, :1]).reshape(-1, 3)


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
