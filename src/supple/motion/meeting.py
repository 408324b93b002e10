"""How far poses are from goals, measured on the poses themselves.

What a solver reports is true of the pose it gave. A motion takes part of a pose, keeps another, or spreads
a jump; so the report on a motion is measured on its frames as they are in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.goals import Goal, Hold, LookAt, Reach, split_pose
from supple.kernels import layout
from supple.pose import Pose
from supple.prepare import Prepared
from supple.rotations import angle_between, rotate

Floats = NDArray[np.float64]

SLACK = 1e-9  # of the tolerance, and of the largest coordinate times 1e-3: what rounding adds


class Met(NamedTuple):
    """Whether poses meet their goals (F,), and their largest distance from a position (F,)."""

    reached: NDArray[np.bool_]
    error: Floats


def measured(problem: Prepared, targets: Sequence[Any], poses: Pose, starts: Pose) -> Met:
    """Measure poses against the goals of a problem.

    Args:
        problem: Prepared, with all targets open.
        targets: Its arguments, each with an axis of frames in front or one for all.
        poses: What is measured, a batch (F,).
        starts: The animated poses (F,), where what is held is.
    """
    asked = dict(zip(problem.arguments, targets, strict=True))
    tolerances = {(b.goal, b.kind): b.tolerance for b in problem.problem.blocks}
    reached = np.ones(len(poses), dtype=bool)
    error = np.zeros(len(poses))
    for number, goal in enumerate(problem.problem.goals):
        slots = {slot: value for (k, slot), value in asked.items() if k == number}
        for kind, miss in _misses(goal, slots, poses, starts):
            allowed = tolerances[number, kind] * (1.0 + SLACK)
            if kind == layout.POSITION:
                error = np.maximum(error, miss)
                allowed += 1e-3 * SLACK * float(np.abs(poses.position(goal.effector_name)).max())
            reached &= miss <= allowed
    return Met(reached, error)


def _misses(
    goal: Goal, slots: dict[str, Any], poses: Pose, starts: Pose
) -> list[tuple[int, Floats]]:
    """The kind of each block of a goal that counts, and how far poses are from it (F,)."""
    name = goal.effector_name
    if isinstance(goal, Reach):
        place, turn = slots.get("target"), slots.get("orientation")
        if "pose" in slots:
            place, turn = split_pose(slots["pose"])
    elif isinstance(goal, Hold):
        place = starts.position(name) if goal.position else None
        turn = starts.rotation(name) if goal.orientation else None
    elif isinstance(goal, LookAt):
        way = slots["target"] - poses.position(name)
        return [(layout.LOOKAT, _angle(rotate(poses.rotation(name), goal.axis), way))]
    else:
        return []  # a Pole or Rest is secondary
    found = []
    if place is not None:
        gap = place - touching(goal, poses)
        found.append((layout.POSITION, np.linalg.norm(gap, axis=-1)))
    if turn is not None:
        found.append((layout.ORIENTATION, angle_between(poses.rotation(name), turn)))
    return found


def touching(goal: Goal, poses: Pose) -> Floats:
    """Where poses have the point that a goal moves, world, shape (F, 3)."""
    name = goal.effector_name
    if not isinstance(goal, Reach) or goal.point is None:
        return poses.position(name)
    frames = poses.frames[:, poses.skeleton.index(name)]
    return frames[:, :3, :3] @ goal.point + frames[:, :3, 3]


def _angle(a: Floats, b: Floats) -> Floats:
    """The angles [rad] between vectors (F, 3), exact near 0; 0 where one has no length."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.arctan2(across, np.einsum("fi,fi->f", a, b))
