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
from supple.model.forward import frame, some_world_frames
from supple.model.skeleton import Pose
from supple.rotations import angle_between, multiply, rotate, to_matrix
from supple.solve.prepare import Prepared

Floats = NDArray[np.float64]

SLACK = 1e-9  # of the tolerance, and of the largest coordinate times 1e-3: what rounding adds


class Met(NamedTuple):
    """Whether poses meet their goals (F,), and their largest distance from a position (F,).

    Collisions and balance are not measured.
    """

    reached: NDArray[np.bool_]
    error: Floats


class Effectors:
    """World frames of the effectors of goals in poses (F,), and of no other joint."""

    def __init__(self, goals: Sequence[Goal], poses: Pose) -> None:
        skeleton = poses.skeleton
        on = [target for goal in goals if isinstance(target := getattr(goal, "target", None), On)]
        names = dict.fromkeys([name for goal in goals for name in goal.effectors])
        names |= dict.fromkeys([target.effector for target in on])
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
        if not isinstance(goal, Reach) or goal.point is None:
            return self.position(goal.effector_name)
        return self.point(goal.effector_name, goal.point)

    def target(self, on: On) -> Floats:
        """Where a target on another bone is, world, shape (F, 3)."""
        return self.point(on.effector, on.point)

    def point(self, name: str, point: Any) -> Floats:
        """Where a point in an effector's frame is, world, shape (F, 3)."""
        place = self.position(name)
        if self._linear is None:
            return place + rotate(self.rotation(name), point)
        return place + self._linear[:, self._at[name]] @ np.asarray(point)

    def frames(self, names: Sequence[str]) -> Floats:
        """World transforms of some effectors, unscaled, shape (F, len(names), 4, 4)."""
        parts = [frame(self.position(name), to_matrix(self.rotation(name))) for name in names]
        return np.stack(parts, axis=1)


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
            if kind in (layout.POSITION, layout.MEET, layout.OWN_LENGTH):
                error = np.maximum(error, miss)
                far = np.abs(ends.position(goal.effectors[0])).max(initial=0.0)
                allowed += 1e-3 * SLACK * float(far)
            reached &= miss <= allowed
    return Met(reached, error)


def _misses(
    goal: Goal, slots: dict[str, Any], ends: Effectors, held: Effectors
) -> list[tuple[int, Floats]]:
    """The kind of each block of a goal that counts, and how far poses are from it (F,)."""
    name = goal.effector_name
    found: list[tuple[int, Floats]] = []
    if isinstance(goal, Connect):
        return _openings(goal, ends)
    if isinstance(goal, Reach):
        place, turn = slots.get("target"), slots.get("orientation")
        if "pose" in slots:
            place, turn = split_pose(slots["pose"])
        if isinstance(goal.target, On):
            miss = ends.target(goal.target) - ends.touching(goal)
            found.append((layout.MEET, np.linalg.norm(miss, axis=-1)))
    elif isinstance(goal, Hold):
        place = held.position(name) if goal.position else None
        turn = held.rotation(name) if goal.orientation else None
    elif isinstance(goal, LookAt):
        moving = isinstance(goal.target, On)
        way = (ends.target(goal.target) if moving else slots["target"]) - ends.position(name)
        kind = layout.WATCH if moving else layout.LOOKAT
        return [(kind, _angle(rotate(ends.rotation(name), goal.axis), way))]
    elif "own" in goal.kinds:
        return _own_misses(goal, slots, ends)
    else:
        return []  # a Pole or Rest is secondary; Avoid and Balance have no effector
    if place is not None:
        found.append((layout.POSITION, np.linalg.norm(place - ends.touching(goal), axis=-1)))
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


def _own_misses(goal: Any, slots: dict[str, Any], ends: Effectors) -> list[tuple[int, Floats]]:
    """How far poses are from a goal of one's own."""
    frames = ends.frames(goal.frames)
    values = np.broadcast_to(slots.get("values", np.zeros(0)), (len(frames), goal.function.values))
    rows = [goal.function.evaluate(*both) for both in zip(frames, values, strict=True)]
    return [(goal.block_kind, np.linalg.norm(rows, axis=-1))]


def _angle(a: Floats, b: Floats) -> Floats:
    """The angles [rad] between vectors (F, 3), exact near 0; 0 where one has no length."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.arctan2(across, np.einsum("fi,fi->f", a, b))
