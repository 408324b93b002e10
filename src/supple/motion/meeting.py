"""How far poses are from goals, measured on the poses themselves.

What a solver reports is true of the pose it gave. A motion takes part of a pose, keeps another, or spreads
a jump; so the report on a motion is measured on its frames as they are in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.goals import Connect, Goal, Hold, LookAt, On, Reach, Weld, split_pose
from supple.kernels import layout
from supple.model.forward import some_world_frames
from supple.model.skeleton import Pose
from supple.rotations import angle_between, multiply, rotate
from supple.solve.prepare import Prepared

Floats = NDArray[np.float64]

SLACK = 1e-9  # of the tolerance, and of the largest coordinate times 1e-3: what rounding adds


class Met(NamedTuple):
    """Whether poses meet their goals (F,), and their largest distance from a position (F,)."""

    reached: NDArray[np.bool_]
    error: Floats


class Effectors:
    """World frames of the effectors of goals in poses (F,), and of no other joint."""

    def __init__(self, goals: Sequence[Goal], poses: Pose) -> None:
        skeleton = poses.skeleton
        names = dict.fromkeys(name for goal in goals for name in _bones(goal))
        self._at = {name: k for k, name in enumerate(names)}
        self._positions, self._rotations, self._linear = some_world_frames(
            skeleton,
            [skeleton.index(name) for name in names],
            poses.packed_coordinates,
            poses._translations,
            poses._scales,
        )

    def position(self, name: str) -> Floats:
        """World position of an effector, shape (F, 3)."""
        return self._positions[:, self._at[name]]

    def rotation(self, name: str) -> Floats:
        """World rotation of an effector, wxyz, shape (F, 4)."""
        return self._rotations[:, self._at[name]]

    def touching(self, goal: Goal) -> Floats:
        """Where the point is that a goal moves, world, shape (F, 3)."""
        point = goal.point if isinstance(goal, Reach) else None
        return self.point(goal.effector_name, point)

    def point(self, name: str, point: Any) -> Floats:
        """Where a point in an effector's frame is, None for its origin, world, shape (F, 3)."""
        place = self.position(name)
        if point is None:
            return place
        if self._linear is None:
            return place + rotate(self.rotation(name), point)
        return place + self._linear[:, self._at[name]] @ np.asarray(point)


def _bones(goal: Goal) -> tuple[str, ...]:
    """The joints and tips that a goal is about."""
    if isinstance(goal, Connect):
        return goal.ends
    carrier = goal.target if isinstance(goal, Reach) else None
    names = (goal.effector_name, carrier.effector if isinstance(carrier, On) else "")
    return tuple(name for name in names if name)


def measured(problem: Prepared, targets: Sequence[Any], poses: Pose, starts: Pose) -> Met:
    """Measure poses against the goals of a problem.

    Args:
        problem: Prepared, with all targets open.
        targets: Its arguments, each with an axis of frames in front or one for all.
        poses: What is measured, a batch (F,).
        starts: The animated poses (F,), where what is held is.
    """
    goals = problem.problem.goals
    asked = dict(zip(problem.arguments, targets, strict=True))
    tolerances = {(b.goal, b.kind): b.tolerance for b in problem.problem.blocks}
    ends = Effectors(goals, poses)
    held = Effectors([goal for goal in goals if isinstance(goal, Hold)], starts)
    reached = np.ones(len(poses), dtype=bool)
    error = np.zeros(len(poses))
    for number, goal in enumerate(goals):
        slots = {slot: value for (k, slot), value in asked.items() if k == number}
        for kind, miss in _misses(goal, slots, ends, held):
            allowed = tolerances[number, kind] * (1.0 + SLACK)
            if kind in (layout.POSITION, layout.MEET):
                error = np.maximum(error, miss)
                far = np.abs(ends.position(_bones(goal)[0])).max(initial=0.0)
                allowed += 1e-3 * SLACK * float(far)
            reached &= miss <= allowed
    return Met(reached, error)


def _misses(
    goal: Goal, slots: dict[str, Any], ends: Effectors, held: Effectors
) -> list[tuple[int, Floats]]:
    """The kind of each block of a goal that counts, and how far poses are from it (F,)."""
    name = goal.effector_name
    if isinstance(goal, Connect):
        return _openings(goal, ends)
    moving = isinstance(goal, Reach) and isinstance(goal.target, On)
    if isinstance(goal, Reach):
        place, turn = slots.get("target"), slots.get("orientation")
        if isinstance(goal.target, On):
            place = ends.point(goal.target.effector, goal.target.point)
        if "pose" in slots:
            place, turn = split_pose(slots["pose"])
    elif isinstance(goal, Hold):
        place = held.position(name) if goal.position else None
        turn = held.rotation(name) if goal.orientation else None
    elif isinstance(goal, LookAt):
        way = slots["target"] - ends.position(name)
        return [(layout.LOOKAT, _angle(rotate(ends.rotation(name), goal.axis), way))]
    else:
        return []  # a Pole or Rest is secondary; Avoid and Balance have no effector
    found = []
    if place is not None:
        kind = layout.MEET if moving else layout.POSITION
        found.append((kind, np.linalg.norm(place - ends.touching(goal), axis=-1)))
    if turn is not None:
        found.append((layout.ORIENTATION, angle_between(ends.rotation(name), turn)))
    return found


def _openings(goal: Connect, ends: Effectors) -> list[tuple[int, Floats]]:
    """How far a loop is open: a distance, of a weld an angle too."""
    gap = ends.point(goal.a, goal.point_a) - ends.point(goal.b, goal.point_b)
    found = [(layout.MEET, np.linalg.norm(gap, axis=-1))]
    if isinstance(goal, Weld):
        turned = multiply(ends.rotation(goal.a), np.asarray(goal.rotation))
        found.append((layout.ALIGN, angle_between(ends.rotation(goal.b), turned)))
    return found


def _angle(a: Floats, b: Floats) -> Floats:
    """The angles [rad] between vectors (F, 3), exact near 0; 0 where one has no length."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.arctan2(across, np.einsum("fi,fi->f", a, b))
