"""The free set: which joints a solve may move.

It is the union of what the goals free. A goal with `root` frees the joints from the effector up to
that one; a goal with `depth` frees the nearest joints that can move its effector, 0 for all of
them. A loop frees both its branches up to where they meet. A `Hold` frees nothing by itself; below a
joint that the others free it frees the way down to what it holds, which would be carried along
otherwise. `Pole`, `Rest`, `Avoid` and `Balance` free nothing. Locked joints stay, and joints that copy
one another are locked and freed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from supple.errors import SuppleError, listed, one_of
from supple.goals import Goal, Hold, Reach
from supple.goals.loops import Connect, branches
from supple.kernels import layout as at
from supple.model.effector import Effector, find_effector
from supple.model.skeleton import Skeleton
from supple.rotations import rotate


def way_up(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and its ancestors, upwards."""
    parents = skeleton.packed_ints[:, at.PARENT]
    way = []
    while joint >= 0:
        way.append(joint)
        joint = int(parents[joint])
    return way


def locked_joints(skeleton: Skeleton, lock: Iterable[str]) -> np.ndarray:
    """Which joints keep their start coordinates, shape (N,) of truth values."""
    locked = np.zeros(len(skeleton.joints), bool)
    for name in listed("lock", lock, "a list of joint names"):
        locked[skeleton.index(one_of("joint to lock", name, skeleton.joint_names))] = True
    return _with_copies(skeleton, locked)


def _with_copies(skeleton: Skeleton, chosen: np.ndarray) -> np.ndarray:
    """A choice of joints, shape (N,), changed in place so that joints that copy one another are chosen together."""
    mimic = skeleton.packed_ints[:, at.MIMIC]
    copies = np.flatnonzero(mimic >= 0)
    np.logical_or.at(chosen, mimic[copies], chosen[copies])
    chosen[copies] = chosen[mimic[copies]]
    return chosen


def free_set(skeleton: Skeleton, goals: Sequence[Goal], locked: np.ndarray) -> np.ndarray:
    """Indices of the joints that the goals free, in topological order.

    Args:
        skeleton: The skeleton.
        goals: The goals.
        locked: Which joints may not move, shape (N,).

    Raises:
        SuppleError: A name is unknown, a root is not above its effector, or nothing is free.
    """
    free = np.zeros(len(skeleton.joints), bool)
    for goal in goals:
        if isinstance(goal, Connect):
            able = [j for j in branches(skeleton, goal) if not locked[j]]
            free[[j for j in able if skeleton.packed_ints[j, at.NDOF] > 0]] = True
    # The others, with effectors, root and depth.
    freeing: list[Any] = [g for g in goals if g.frees and not isinstance(g, Connect)]
    for goal in freeing:
        for name in goal.effectors:
            free[_freed_by(skeleton, goal, name, locked)] = True
    if not free.any():
        # Bones of no length: what can turn does so on the spot, and the answer says how far off it is.
        for goal in freeing:
            for name in set(goal.effectors) & set(skeleton.tip_names):
                free[_freed_by(skeleton, goal, name, locked, idle=True)] = True
    _with_copies(skeleton, free)
    for goal in goals:
        if isinstance(goal, Hold):
            free[_freed_by_hold(skeleton, goal, free, locked)] = True
    _with_copies(skeleton, free)
    if not free.any():
        names = ", ".join(repr(goal.effector_name) for goal in goals if goal.frees)
        raise SuppleError(
            f"nothing can move {names}: every joint that the goals free is fixed or locked, "
            "or turns about it on the spot"
        )
    return np.flatnonzero(free)


def _freed_by(
    skeleton: Skeleton, goal: Any, name: str, locked: np.ndarray, *, idle: bool = False
) -> list[int]:
    """The joints a goal frees for one effector, upwards; with `idle` also those that cannot move it."""
    effector = find_effector(skeleton, name)
    way = way_up(skeleton, effector.joint)
    if goal.root is not None:
        names = skeleton.joint_names
        top = skeleton.index(one_of("root joint", goal.root, names))
        if top not in way:
            raise SuppleError(
                f"root {goal.root!r} is not above {name!r}; "
                f"above it are {', '.join(repr(names[j]) for j in way)}"
            )
        way = way[: way.index(top) + 1]
    movers = _movers(skeleton, goal, effector, way)
    if idle:
        movers = (j for j in way if skeleton.packed_ints[j, at.NDOF] > 0)
    able = [j for j in movers if not locked[j]]
    return able[: goal.depth] if goal.depth else able


def _freed_by_hold(
    skeleton: Skeleton, goal: Hold, free: np.ndarray, locked: np.ndarray
) -> list[int]:
    """The joints from what is held up to the topmost of those above it that are free; none if none is."""
    effector = find_effector(skeleton, goal.effector)
    way = way_up(skeleton, effector.joint)
    carriers = [n for n, joint in enumerate(way) if free[joint]]
    if not carriers:
        return []
    between = way[: carriers[-1]]
    return [j for j in _movers(skeleton, goal, effector, between) if not locked[j]]


def _movers(skeleton: Skeleton, goal: Any, effector: Effector, way: list[int]) -> Iterator[int]:
    """The joints on the way up that can move the effector.

    For a position alone, a joint cannot if the effector always stays at its origin or on its axis.
    """
    ints, floats = skeleton.packed_ints, skeleton.packed_floats
    arm: np.ndarray | None = None  # from the joint to the effector, where this never changes
    if isinstance(goal, Reach) and goal.orientation_target is None:
        point = np.zeros(3) if goal.point is None else goal.point
        arm = effector.offset + rotate(effector.rotation, point)
    elif isinstance(goal, Hold) and not goal.orientation:
        arm = effector.offset
    for joint in way:
        row = ints[joint]
        moves = row[at.NDOF] > 0 or row[at.MIMIC] >= 0
        if moves and (arm is None or _moves_end(row, floats[joint], arm)):
            yield joint
        arm = _arm_above(row, floats[joint], arm)


def _moves_end(row: np.ndarray, numbers: np.ndarray, arm: np.ndarray) -> bool:
    """True if a joint can move the far end of a rigid arm, shape (3,), that it carries."""
    if row[at.KIND] & at.SLIDES:
        return True
    if row[at.KIND] == at.HINGE and row[at.STRETCH_Q] < 0:
        across = np.cross(numbers[at.AXIS : at.AXIS + 3], arm)
        return bool(np.linalg.norm(across) > 1e-9 * np.linalg.norm(arm))
    return bool(np.any(arm))


def _arm_above(row: np.ndarray, numbers: np.ndarray, arm: np.ndarray | None) -> Any:
    """The arm as the joint's parent sees it; None where it changes with the pose."""
    if arm is None or row[at.KIND] & at.SLIDES:
        return None
    offset = numbers[at.OFFSET : at.OFFSET + 3]
    if not np.any(arm):
        return offset
    if row[at.KIND] != at.FIXED or row[at.STRETCH_Q] >= 0:
        return None
    arm = rotate(numbers[at.REST : at.REST + 4], arm)
    return offset + arm
