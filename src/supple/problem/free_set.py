"""The free set: which joints a solve may move.

It is the union of the joints that the goals free. A goal with `root` frees the joints from the effector up to
`root`; a goal with `depth` frees the nearest joints that can move its effector, all of them for depth 0. A loop
frees both its branches up to the joint where they meet. A `Hold` alone frees nothing; if other goals free a joint
above its effector, it frees the joints in between, so that the effector is not carried along. `Pole`, `Rest`,
`Avoid` and `Balance` free nothing. Locked joints keep their coordinates, and joints that copy one another are
locked and freed together.

The free root of a model (`supple.model.free_root`) carries the whole model. It stays where it is unless
- the caller frees it, a goal names it as `root`, or nothing else can move the goal's effector;
- a limb of it is held in the world: by a `Hold` of the position of another effector, or by a loop with
  something that no free root carries;
- it has two limbs or more, and goals place all of them (`Reach` or `Hold` with a position), so that
  it carries no limb that no goal places.
`Balance` holds nothing: the root carries its feet along.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError, listed, one_of
from supple.goals import Goal
from supple.goals.loops import branches, closing
from supple.model.effector import Effector, find_effector
from supple.model.free_root import FreeRoot
from supple.model.skeleton import Skeleton
from supple.rotations import rotate


def path_to_root(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and its ancestors, upwards."""
    parents, path = skeleton.parents, []
    while joint >= 0:
        path.append(joint)
        joint = int(parents[joint])
    return path


def locked_joints(skeleton: Skeleton, lock: Iterable[str]) -> np.ndarray:
    """True for joints that keep their start coordinates, shape (N,)."""
    locked = np.zeros(len(skeleton.joints), bool)
    for name in listed("lock", lock, "a list of joint names"):
        locked[skeleton.index(one_of("joint to lock", name, skeleton.joint_names))] = True
    return _with_copies(skeleton, locked)


def _with_copies(skeleton: Skeleton, chosen: np.ndarray) -> np.ndarray:
    """Choose joints that copy one another together, in place; `chosen` has shape (N,)."""
    source = skeleton.freedom_table.joints.source
    copies = np.flatnonzero(source >= 0)
    np.logical_or.at(chosen, source[copies], chosen[copies])
    chosen[copies] = chosen[source[copies]]
    return chosen


class Roots(IntEnum):
    """Which free roots may move, each with those before it."""

    NAMED = 0
    """Those that a goal names, or that alone can move its effector."""
    HELD = 1
    """Those with a limb that is held in the world, or whose limbs are all placed by goals."""
    ALL = 2
    """All that the goals would free if they were joints like others."""


class FreedRoots(NamedTuple):
    """Which free roots of its skeleton a problem moves.

    Attributes:
        still: Free roots that stay, although `free_root=True` would let them move.
        carried: Free roots that may move, although no goal names them.
    """

    still: tuple[FreeRoot, ...]
    carried: tuple[FreeRoot, ...]


def free_set(
    skeleton: Skeleton, goals: Sequence[Goal], locked: np.ndarray, *, free_root: bool = False
) -> np.ndarray:
    """Indices of the joints that the goals free, in topological order.

    Args:
        skeleton: The skeleton.
        goals: The goals.
        locked: Which joints may not move, shape (N,).
        free_root: Whether free roots may move like other joints.

    Raises:
        SuppleError: A name is unknown, a root is not above its effector, or nothing is free.
    """
    free = _freed(skeleton, goals, locked, Roots.ALL if free_root else Roots.HELD)
    if not free.any():
        names = ", ".join(repr(goal.effector_name) for goal in goals if goal.frees)
        raise SuppleError(
            f"nothing can move {names}: every joint that the goals free is fixed or locked, "
            "or turns about it on the spot"
        )
    return np.flatnonzero(free)


def freed_roots(
    skeleton: Skeleton, goals: Sequence[Goal], locked: np.ndarray, *, free_root: bool = False
) -> FreedRoots:
    """Which free roots a problem moves; arguments as for `free_set`."""
    roots = skeleton.free_roots
    if not roots:
        return FreedRoots((), ())
    named, held, every = (_freed(skeleton, goals, locked, which) for which in Roots)
    free = every if free_root else held

    def differing(more: np.ndarray, less: np.ndarray) -> tuple[FreeRoot, ...]:
        joints = set(np.flatnonzero(more & ~less).tolist())
        return tuple(root for root in roots if joints & set(root.joints))

    return FreedRoots(still=differing(every, free), carried=differing(free, named))


def _freed(
    skeleton: Skeleton, goals: Sequence[Goal], locked: np.ndarray, which: Roots
) -> np.ndarray:
    """True for joints that the goals free, shape (N,); all False if nothing can move."""
    free = np.zeros(len(skeleton.joints), bool)
    roots: list[Limbs] = []
    if which is not Roots.ALL:
        roots = [Limbs.of(skeleton, root, goals) for root in skeleton.free_roots]
    for goal in goals:
        if goal.closes_loop and goal.frees:
            still = _still(goal, roots, which)
            parted = branches(skeleton, goal)
            for end in goal.effectors:
                path = path_to_root(skeleton, find_effector(skeleton, end).joint)
                able = [j for j in path if j in parted and not locked[j]]
                able = [j for j in able if skeleton.freedom_table.joints.freedoms[j] > 0]
                free[_without(able, still)] = True
    # The others, with effectors, root and depth.
    freeing = [goal for goal in goals if goal.frees and not goal.closes_loop]
    for goal in freeing:
        still = _still(goal, roots, which)
        for name in goal.effectors:
            free[_freed_by(skeleton, goal, name, locked, still)] = True
    if not free.any():
        # With bones of zero length no joint moves the effector; free those that can rotate, so that the answer
        # reports how far off it is.
        for goal in freeing:
            still = _still(goal, roots, which)
            for name in set(goal.effectors) & set(skeleton.tip_names):
                free[_freed_by(skeleton, goal, name, locked, still, idle=True)] = True
    _with_copies(skeleton, free)
    for goal in goals:
        if goal.holds_start:
            for name in goal.effectors:
                free[_freed_by_hold(skeleton, goal, name, free, locked)] = True
    return _with_copies(skeleton, free)


def _still(goal: Goal, roots: Sequence[Limbs], which: Roots) -> set[int]:
    """The joints of the free roots that stay for a goal, if other joints can move its effectors."""
    still: set[int] = set()
    for limbs in roots:
        names = [limbs.skeleton.joint_names[j] for j in limbs.root.joints]
        follows = which is Roots.HELD and (limbs.all_placed or limbs.one_held(goal))
        if goal.root not in names and not follows:
            still |= set(limbs.root.joints)
    return still


class Limbs(NamedTuple):
    """The limbs of a free root, which can move by themselves, and what goals do to them.

    Attributes:
        skeleton: The skeleton.
        root: The root.
        all_placed: True if there are two limbs or more, and goals place something on each.
        tied: True if a loop ties a limb to something that no free root carries.
        held: The effectors on limbs that goals hold in the world.
    """

    skeleton: Skeleton
    root: FreeRoot
    all_placed: bool
    tied: bool
    held: frozenset[str]

    @classmethod
    def of(cls, skeleton: Skeleton, root: FreeRoot, goals: Sequence[Goal]) -> Limbs:
        """The limbs of a free root."""
        base = root.joints[-1]
        parents = skeleton.parents.tolist()
        freedoms = skeleton.freedom_table.joints.freedoms.tolist()
        top: list[int] = []  # of the limb that each joint is on, -1 for none
        moves: list[bool] = []  # whether it, or a joint above it on the limb, does
        for joint, parent in enumerate(parents):
            begins = parent == base
            top.append(joint if begins else top[parent] if parent >= 0 else -1)
            above = parent >= 0 and not begins and moves[parent]
            moves.append(top[joint] >= 0 and (freedoms[joint] > 0 or above))
        tops = {top[joint] for joint, able in enumerate(moves) if able}

        def under(effector: str) -> int:
            """The joint that begins the limb that carries an effector; -1 if none that moves does."""
            joint = find_effector(skeleton, effector).joint
            return top[joint] if moves[joint] else -1

        placed = {under(effector) for goal in goals for effector in goal.places}
        tied, held = False, set[str]()
        for goal in (*goals, *map(closing, skeleton.loops)):
            if goal.closes_loop:
                for own, far in (goal.effectors, goal.effectors[::-1]):
                    tied = tied or (under(own) >= 0 and not _is_carried(skeleton, far))
            elif goal.holds_start:
                held.update(own for own in goal.places if under(own) >= 0)
        return cls(skeleton, root, len(tops) > 1 and tops <= placed, tied, frozenset(held))

    def one_held(self, goal: Goal) -> bool:
        """True if something on a limb that is not what a goal moves is held in the world."""
        return self.tied or any(own not in goal.effectors for own in self.held)


def _is_carried(skeleton: Skeleton, effector: str) -> bool:
    """True if a free root carries an effector."""
    path = path_to_root(skeleton, find_effector(skeleton, effector).joint)
    return any(root.joints[-1] in path for root in skeleton.free_roots)


def _without(joints: list[int], still: set[int]) -> list[int]:
    """The joints that need not stay; all of them if none is left."""
    return [j for j in joints if j not in still] or joints


def _freed_by(
    skeleton: Skeleton,
    goal: Goal,
    name: str,
    locked: np.ndarray,
    still: set[int],
    *,
    idle: bool = False,
) -> list[int]:
    """The joints a goal frees for one effector, upwards; with `idle` also those that cannot move it."""
    effector = find_effector(skeleton, name)
    path = path_to_root(skeleton, effector.joint)
    if goal.root is not None:
        names = skeleton.joint_names
        top = skeleton.index(one_of("root joint", goal.root, names))
        if top not in path:
            raise SuppleError(
                f"root {goal.root!r} is not above {name!r}; "
                f"above it are {', '.join(repr(names[j]) for j in path)}"
            )
        path = path[: path.index(top) + 1]
    movers = _movers(skeleton, goal, effector, path)
    if idle:
        movers = (j for j in path if skeleton.freedom_table.joints.freedoms[j] > 0)
    able = _without([j for j in movers if not locked[j]], still)
    return able[: goal.depth] if goal.depth else able


def _freed_by_hold(
    skeleton: Skeleton, goal: Goal, name: str, free: np.ndarray, locked: np.ndarray
) -> list[int]:
    """The joints from what is held up to the topmost free joint above it; none if no joint above it is free."""
    effector = find_effector(skeleton, name)
    path = path_to_root(skeleton, effector.joint)
    carriers = [n for n, joint in enumerate(path) if free[joint]]
    if not carriers:
        return []
    between = path[: carriers[-1]]
    return [j for j in _movers(skeleton, goal, effector, between) if not locked[j]]


def _movers(skeleton: Skeleton, goal: Goal, effector: Effector, path: list[int]) -> Iterator[int]:
    """The joints on the path to the root that can move the effector.

    A joint cannot move a position if the effector always stays at the joint's origin or on its axis.
    """
    joints = skeleton.freedom_table.joints
    arm: np.ndarray | None = None  # from the joint to the effector, where this never changes
    point = goal.point_alone
    if point is not None:
        arm = effector.offset
        if point.any():
            arm = arm + rotate(effector.rotation, point)
    for joint in path:
        moves = joints.freedoms[joint] > 0 or joints.source[joint] >= 0
        if moves and (arm is None or _moves_end(skeleton, joint, arm)):
            yield joint
        arm = _arm_above(skeleton, joint, arm)


def _moves_end(skeleton: Skeleton, joint: int, arm: np.ndarray) -> bool:
    """True if a joint can move the far end of a rigid arm, shape (3,), that it carries."""
    table = skeleton.freedom_table
    if table.joints.slides[joint]:
        return True
    if table.joints.is_hinge[joint] and table.joints.stretch[joint] < 0:
        # Plain floats: NumPy takes ten times as long for vectors of three, and this runs for every joint.
        (a, b, c), (x, y, z) = table.first_axis(joint).tolist(), arm.tolist()
        across = math.hypot(b * z - c * y, c * x - a * z, a * y - b * x)
        return across > 1e-9 * math.hypot(x, y, z)
    return bool(arm.any())


def _arm_above(skeleton: Skeleton, joint: int, arm: np.ndarray | None) -> np.ndarray | None:
    """The arm in the frame of the joint's parent; None where it changes with the pose."""
    joints = skeleton.freedom_table.joints
    if arm is None or joints.slides[joint]:
        return None
    offset = skeleton.offsets[joint]
    if not arm.any():
        return offset
    if joints.coordinates[joint]:
        return None
    return offset + rotate(skeleton.rotations[joint], arm)
