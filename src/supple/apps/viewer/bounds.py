"""The extent of a subject, for the camera and the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.apps.character.motion import Motion
from supple.apps.character.skinning import skin
from supple.apps.viewer.messages import Vector
from supple.apps.viewer.subject import Subject

JOINT_RADIUS = 0.02  # as drawn [sizes of the subject]: joints without mesh rest on the ground
MOST_FRAMES = 100  # frames of a motion sampled for its extent
ROOM_ASIDE, ROOM_ABOVE = (
    0.6,
    0.75,
)  # visible room on each side of a chain and above its root [chain lengths]


class Bounds(NamedTuple):
    """The extent of a subject in its start pose.

    Attributes:
        center: Its center, which the camera looks at.
        size: Its radius.
        ground: Height of the ground.
        low: Least coordinates of the box to be visible.
        high: Greatest coordinates of that box.
    """

    center: Vector
    size: float
    ground: float
    low: Vector
    high: Vector


def bounds(subject: Subject, motion: Motion | None = None) -> Bounds:
    """Measure a subject; for a chain on a pedestal, with the room it can swing in.

    Args:
        subject: The subject.
        motion: The motion that plays: measured in its first frame, with room for its movement
            relative to the root. None to measure the start pose.
    """
    first = None if motion is None else motion.at(0.0)
    # Growths are measured at rest, so that dragging a target does not move the camera.
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
        low, high = center - ROOM_ASIDE * reach, center + ROOM_ASIDE * reach
        depth = 3 - up
        low[depth] = high[depth] = center[depth]  # no room along the view direction
        low[up], high[up] = ground, root[up] + ROOM_ABOVE * reach
        return Bounds(_vector(center), reach, ground, _vector(low), _vector(high))
    center, size = (low + high) / 2, float(np.linalg.norm(high - low)) / 2 or 1.0
    below = 0.0 if subject.meshes else JOINT_RADIUS * size
    ground = float(low[up]) - below
    if motion is not None:
        around = _on_the_spot(motion.poses.positions)
        if subject.source is not None:
            beside = _on_the_spot(subject.source.positions)
            around = np.concatenate([around, beside])
        low, high = np.minimum(low, around.min(axis=0)), np.maximum(high, around.max(axis=0))
    return Bounds(_vector(center), size, ground, _vector(low), _vector(high))


def _on_the_spot(positions: np.ndarray) -> np.ndarray:
    """Joint positions (F, N, 3) with the root kept at its start, shape (points, 3)."""
    positions = positions[:: max(1, len(positions) // MOST_FRAMES)]
    return (positions - positions[:, :1] + positions[:1, :1]).reshape(-1, 3)


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
