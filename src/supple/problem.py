"""A problem: a skeleton and goals lowered to the flat arrays that kernels work on.

Lowering decides once what a solve may move (the free set), which joints matter (the active ones),
what the rows of the residual are and how long the chains are. Everything that changes from call to
call, the start pose and the targets, stays outside: a problem is immutable and can be shared
between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.errors import SuppleError, one_of
from supple.goals import OPEN, Goal, Hold, LookAt, Pole, Reach, Rest
from supple.kernels import layout as at
from supple.kernels.scaling import scale_offsets
from supple.pose import Pose
from supple.skeleton import Skeleton

TURN = 0.4  # one radian of orientation error counts as this many chain lengths


@dataclass(slots=True)
class Block:
    """One three-row demand on one effector (a pole: no rows, it is secondary).

    `slot` says which of a goal's targets it reads: "position", "orientation" or "direction".
    """

    kind: int
    goal: int
    joint: int
    point: np.ndarray
    rotation: np.ndarray
    weight: float
    tip: bool = False
    held: bool = False
    axis: Sequence[float] = (1.0, 0.0, 0.0)
    target: Any = None
    offset: int = 0
    tolerance: float = 0.0
    length: float = 0.0
    extra: tuple[int, int] = (-1, -1)


class Problem:
    """A skeleton and goals, lowered.

    Attributes:
        skeleton: The skeleton.
        goals: The goals, in the order given.
        blocks: The demands the goals were lowered to, primary ones first.
        moving: Skeleton indices of the joints this problem may move, in topological order.
        active: Skeleton indices of the joints that matter.
        freedoms: How many freedoms it has.
        rows: How many residual rows.
        coordinates: How many coordinates a whole pose has.
        report_width: How many numbers a kernel writes for one solve.
        length: Characteristic length, in model units: the longest chain.
        ints, floats: What kernels take; the solver's options are part of the floats.
        default_targets: Targets of the goals that are not open, shape (T,), NaN where open.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        goals: Sequence[Goal],
        *,
        lock: Iterable[str] = (),
        tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        keep: bool = False,
    ) -> None:
        self.skeleton = skeleton
        self.goals = tuple(goals)
        self._ints = skeleton.packed_ints
        self._floats = skeleton.packed_floats
        self._parents = self._ints[:, at.PARENT]
        for name, value in (
            ("tolerance", tolerance),
            ("orientation_tolerance", orientation_tolerance),
        ):
            if value is not None and not (np.isfinite(value) and value > 0):
                raise SuppleError(f"{name}: expected a positive number, got {value!r}")
        self.locked = self._locked(lock)
        self.blocks = self._blocks()
        if not any(block.kind != at.POLE for block in self.blocks):
            raise SuppleError("goals: nothing to reach; give at least one Reach, LookAt or Hold")
        self.coordinates = int(self._ints[:, at.NQ].sum())
        self.moving = self._free_set()
        self.report_width = self.coordinates + at.REPORT + len(self.blocks) + len(self.moving)
        self.active = self._active_set()
        self._measure(tolerance, orientation_tolerance)
        self._serve_poles()
        self._pack(keep)

    # What may move ------------------------------------------------------------------------------

    def _locked(self, lock: Iterable[str]) -> np.ndarray:
        locked = np.zeros(len(self._parents), bool)
        if isinstance(lock, str):
            raise SuppleError(f"lock: expected a list of joint names, got the single text {lock!r}")
        for name in lock:
            one_of("joint to lock", name, self.skeleton.joint_names)
            locked[self.skeleton.index(name)] = True
        return locked

    def _path(self, joint: int) -> list[int]:
        """The joint and its ancestors, upwards."""
        path = []
        while joint >= 0:
            path.append(joint)
            joint = int(self._parents[joint])
        return path

    def _effector(self, name: object) -> tuple[int, np.ndarray, np.ndarray, bool]:
        """The joint that carries a named frame, the frame in it, and whether it is a tip."""
        one_of("effector", name, self.skeleton.names)
        index = self.skeleton.index(str(name))
        count = len(self._parents)
        if index < count:
            return index, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), False
        joints, offsets, rotations = self.skeleton.packed_tips
        return int(joints[index - count]), offsets[index - count], rotations[index - count], True

    def _blocks(self) -> list[Block]:
        primary: list[Block] = []
        poles: list[Block] = []
        for i, goal in enumerate(self.goals):
            if isinstance(goal, Rest):
                continue
            name = goal.joint if isinstance(goal, Pole) else goal.effector
            joint, offset, rotation, tip = self._effector(name)
            weight = float(np.sqrt(goal.weight))
            if isinstance(goal, Reach):
                point = offset
                stretches = tip
                if goal.point is not None:
                    turned = _rotate(rotation, goal.point)
                    point = offset + turned
                    stretches = tip and not np.any(goal.point)
                if goal.position_target is not None:
                    primary.append(
                        Block(at.POSITION, i, joint, point, rotation, weight, stretches,
                              target=goal.position_target)
                    )  # fmt: skip
                if goal.orientation_target is not None:
                    primary.append(
                        Block(at.ORIENTATION, i, joint, point, rotation, weight, stretches,
                              target=goal.orientation_target)
                    )  # fmt: skip
            elif isinstance(goal, LookAt):
                primary.append(
                    Block(at.LOOKAT, i, joint, offset, rotation, weight, tip,
                          axis=goal.axis, target=goal.target)
                )  # fmt: skip
            elif isinstance(goal, Hold):
                if goal.position:
                    primary.append(
                        Block(at.POSITION, i, joint, offset, rotation, weight, tip, held=True)
                    )
                if goal.orientation:
                    primary.append(
                        Block(at.ORIENTATION, i, joint, offset, rotation, weight, tip, held=True)
                    )
            else:
                poles.append(
                    Block(
                        at.POLE,
                        i,
                        joint,
                        np.zeros(3),
                        rotation,
                        float(goal.weight),
                        target=goal.target,
                    )
                )
        return primary + poles

    def _can_move(self, joint: int) -> bool:
        row = self._ints[joint]
        source = joint
        while self._ints[source, at.MIMIC] >= 0:
            source = int(self._ints[source, at.MIMIC])
        if self.locked[joint] or self.locked[source]:
            return False
        return bool(row[at.NDOF] > 0 or row[at.MIMIC] >= 0)

    def _moves_effector(self, joint: int, goal: Goal) -> bool:
        """Whether turning a joint can do anything for a goal whose effector sits on it."""
        if isinstance(goal, Reach) and goal.orientation_target is None:
            _, offset, _, _ = self._effector(goal.effector)
            shifts = self._ints[joint, at.KIND] in (at.SLIDER, at.FREE, at.PLANAR)
            return bool(np.any(offset) or (goal.point is not None and np.any(goal.point)) or shifts)
        return True

    def _free_set(self) -> np.ndarray:
        free = np.zeros(len(self._parents), bool)
        for goal in self.goals:
            if not isinstance(goal, (Reach, LookAt)):
                continue
            joint, *_ = self._effector(goal.effector)
            path = self._path(joint)
            able = [
                j
                for j in path
                if self._can_move(j) and (j != joint or self._moves_effector(j, goal))
            ]
            if goal.root is not None:
                one_of("root joint", goal.root, self.skeleton.joint_names)
                root = self.skeleton.index(goal.root)
                if root not in path:
                    above = [self.skeleton.joint_names[j] for j in path]
                    raise SuppleError(
                        f"root {goal.root!r} is not above {goal.effector!r}; "
                        f"above it are {', '.join(map(repr, above))}"
                    )
                below = set(path[: path.index(root) + 1])
                able = [j for j in able if j in below]
            elif goal.depth:
                able = able[: goal.depth]
            free[able] = True
        # A joint that copies another moves with it, wherever it stands.
        mimic = self._ints[:, at.MIMIC]
        for joint in np.flatnonzero(mimic >= 0):
            if free[joint]:
                free[mimic[joint]] = True
        for joint in np.flatnonzero(mimic >= 0):
            free[joint] = free[mimic[joint]]
        if not free.any():
            raise SuppleError(
                "nothing can move: every joint that the goals free is fixed or locked"
            )
        return np.flatnonzero(free)

    def _active_set(self) -> np.ndarray:
        active = np.zeros(len(self._parents), bool)
        for joint in [block.joint for block in self.blocks] + [int(j) for j in self.moving]:
            while joint >= 0 and not active[joint]:
                active[joint] = True
                joint = int(self._parents[joint])
        return np.flatnonzero(active)

    # How long, how near ------------------------------------------------------------------------

    def _measure(self, tolerance: float | None, orientation_tolerance: float) -> None:
        """Chain lengths, tolerances and the characteristic length, all in model units."""
        moving = set(self.moving.tolist())
        offsets = self._floats[:, at.OFFSET : at.OFFSET + 3]
        bones = np.linalg.norm(offsets, axis=1)
        for block in self.blocks:
            path = self._path(block.joint)
            tops = [n for n, j in enumerate(path) if j in moving]
            reach = float(np.linalg.norm(block.point))
            block.length = reach + float(bones[path[: tops[-1]]].sum()) if tops else 0.0
        longest = max((b.length for b in self.blocks), default=0.0)
        whole = float(bones.sum())
        self.length = longest or whole or 1.0
        for block in self.blocks:
            if block.kind == at.POSITION:
                block.tolerance = tolerance or 1e-4 * (block.length or self.length)
            else:
                block.tolerance = orientation_tolerance

    def _serve_poles(self) -> None:
        """Tie every pole to the reach whose chain bends at it.

        And to the joint that begins its bone.
        """
        moving = {int(j): m for m, j in enumerate(self.moving)}
        for block in self.blocks:
            if block.kind != at.POLE:
                continue
            name = self.skeleton.joint_names[block.joint]
            served = [
                g
                for g, other in enumerate(self.blocks)
                if other.kind == at.POSITION
                and block.joint in self._path(other.joint)
                and (other.joint != block.joint or np.any(other.point))
            ]
            roots = [j for j in self._path(block.joint)[1:] if j in moving]
            if not served or not roots:
                raise SuppleError(
                    f"pole {name!r}: it needs a joint above it that may move "
                    "and a Reach with a position below it"
                )
            block.extra = (moving[roots[0]], served[0])

    def _nearest_moving(self, move: dict[int, int]) -> np.ndarray:
        """For every active joint of the skeleton, the moving joint at or above it, or -1."""
        nearest = np.full(len(self._parents), -1, np.int64)
        for joint in self.active.tolist():
            parent = self._parents[joint]
            nearest[joint] = move.get(joint, nearest[parent] if parent >= 0 else -1)
        return nearest

    # Packing ------------------------------------------------------------------------------------

    def _pack(self, keep: bool) -> None:
        index = {int(j): n for n, j in enumerate(self.active)}
        move = {int(j): n for n, j in enumerate(self.moving)}
        nearest = self._nearest_moving(move)
        active = np.zeros((len(index), at.ACTIVE_INTS), np.int64)
        for joint, n in index.items():
            row = self._ints[joint]
            parent = int(self._parents[joint])
            active[n] = (
                index[parent] if parent >= 0 else -1,
                move.get(joint, -1),
                row[at.KIND],
                row[at.Q],
                row[at.ORDER],
                row[at.STRETCH_Q],
            )
        moving = np.zeros((len(move), at.MOVING_INTS), np.int64)
        moving_f = self._floats[self.moving].copy()
        weights: list[float] = []
        for joint, m in move.items():
            row = self._ints[joint]
            copies = int(row[at.MIMIC])
            stretch = int(row[at.STRETCH_Q])
            turns = int(row[at.NDOF]) - (1 if stretch >= 0 else 0)
            first = len(weights)
            own = 0 if copies >= 0 else turns + (1 if stretch >= 0 else 0)
            weights += [float(self._floats[joint, at.WEIGHT])] * own
            moving[m] = (
                index[joint],
                nearest[self._parents[joint]] if self._parents[joint] >= 0 else -1,
                row[at.KIND],
                row[at.Q],
                row[at.NQ] - (1 if stretch >= 0 else 0),
                row[at.ORDER],
                row[at.FROZEN],
                stretch,
                first,
                1 if copies >= 0 else turns,
                first + turns if stretch >= 0 else -1,
                move[copies] if copies >= 0 else -1,
                joint,
            )
        _share_limits(moving, moving_f)
        self.freedoms = len(weights)
        primary = [block for block in self.blocks if block.kind != at.POLE]
        self.rows = 3 * len(primary)

        blocks = np.zeros((len(self.blocks), at.BLOCK_INTS), np.int64)
        blocks_f = np.zeros((len(self.blocks), at.BLOCK_FLOATS))
        touch = np.zeros((self.freedoms, len(self.blocks)), np.int64)
        targets: list[float] = []
        for g, block in enumerate(self.blocks):
            block.offset = len(targets)
            size = 0 if block.held else 4 if block.kind == at.ORIENTATION else 3
            targets += [np.nan] * size
            blocks[g] = (
                block.kind,
                index[block.joint],
                nearest[block.joint],
                3 * g if block.kind != at.POLE else -1,
                block.offset,
                block.goal,
                int(block.held),
                int(block.tip),
                *block.extra,
            )
            blocks_f[g] = (
                *block.point, *block.rotation, *block.axis, block.weight, block.tolerance
            )  # fmt: skip
            for joint in self._path(block.joint):
                if joint in move:
                    m = move[joint]
                    source = moving[m, at.M_MIMIC] if moving[m, at.M_MIMIC] >= 0 else m
                    first = moving[source, at.M_DOF]
                    count = moving[source, at.M_NDOF] + (moving[source, at.M_STRETCH_DOF] >= 0)
                    touch[first : first + count, g] = 1
        self.default_targets = np.array(targets)
        posture = next((g for g in self.goals if isinstance(g, Rest)), None)
        head = np.zeros(at.HEADER_INTS, np.int64)
        head[at.H_ACTIVE] = len(active)
        head[at.H_MOVING] = len(moving)
        head[at.H_DOFS] = self.freedoms
        head[at.H_BLOCKS] = len(blocks)
        head[at.H_ROWS] = self.rows
        head[at.H_COORDS] = self.coordinates
        head[at.H_TARGETS] = len(targets)
        head[at.H_REST] = int(posture is not None)
        head[at.H_POLES] = len(self.blocks) - len(primary)
        head[at.H_KEEP] = int(keep)
        self._head = head
        self._tables = (active, moving, blocks, touch)
        head_f = np.zeros(at.HEADER_FLOATS)
        head_f[at.F_LENGTH] = self.length
        head_f[at.F_TURN] = TURN
        rest = self.skeleton.rest.coordinates
        if posture is not None:
            head_f[at.F_REST] = posture.weight
            if posture.pose is not None:
                if posture.pose.skeleton != self.skeleton or posture.pose.coordinates.ndim != 1:
                    raise SuppleError("Rest: expected a single pose of the same skeleton")
                rest = posture.pose.coordinates
        self._front_f = (head_f, self._floats[self.active], moving_f, blocks_f)
        self._rest_f = (rest, np.array(weights))

    def pack(self, options: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """The arrays a kernel takes, with a solver's options inside.

        Ints and floats, flat and contiguous.
        """
        head = self._head.copy()
        head[at.H_OPTIONS] = len(options)
        ints = np.concatenate([head, *(table.ravel() for table in self._tables)])
        parts = [part.ravel() for part in self._front_f]
        floats = np.concatenate([*parts, np.asarray(options, np.float64), *self._rest_f])
        return ints, floats

    def offsets(self, pose: Pose) -> np.ndarray:
        """Where active joints and effectors sit on their joints, shape (..., active + blocks, 3).

        The offsets of the active joints, then the point of each block, as the pose has them: with
        its translations, and times the scales of all joints above.

        Raises:
            SuppleError: The pose has scales that leave no rigid bones to turn.
        """
        offsets, scales = _scaled_offsets(pose)
        points = np.array([block.point for block in self.blocks])
        if scales is not None:
            points = points * scales[..., [block.joint for block in self.blocks], :]
        points = np.broadcast_to(points, (*pose.batch_shape, *points.shape[-2:]))
        return np.concatenate([offsets[..., self.active, :], points], axis=-2)

    def open_blocks(self) -> list[Block]:
        """The blocks whose targets are given call by call."""
        return [block for block in self.blocks if block.target is OPEN]


def _scaled_offsets(pose: Pose) -> tuple[np.ndarray, np.ndarray | None]:
    """Joint offsets times the scales above, and each joint's whole scale, both (..., N, 3)."""
    skeleton = pose.skeleton
    batch = pose.batch_shape
    shape = (*batch, len(skeleton.joint_names), 3)
    own = skeleton.packed_floats[:, at.OFFSET : at.OFFSET + 3]
    offsets = np.array(
        np.broadcast_to(own if pose.translations is None else pose.translations, shape)
    )
    if pose.scales is None:
        return offsets, None
    scales = np.array(np.broadcast_to(pose.scales, shape))
    uneven = scale_offsets(
        skeleton.packed_ints, scales.reshape(-1, *shape[-2:]), offsets.reshape(-1, *shape[-2:])
    )
    if uneven >= 0:
        name = skeleton.joint_names[uneven]
        raise SuppleError(
            f"start: joint {name!r} is scaled differently along its axes; "
            "solving takes even scales only"
        )
    parents, kinds = skeleton.parents, skeleton.packed_ints[:, at.KIND]
    for j in np.flatnonzero(np.isin(kinds, (at.SLIDER, at.FREE, at.PLANAR)) & (parents >= 0)):
        if np.any(scales[..., parents[j], :] != 1.0):
            raise SuppleError(
                f"start: joint {skeleton.joint_names[j]!r} shifts below a scale; "
                "solving takes scales above joints that only turn"
            )
    return offsets, scales


def _rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    t = 2.0 * np.cross(q[1:], v)
    return v + q[0] * t + np.cross(q[1:], t)


def _share_limits(moving: np.ndarray, moving_f: np.ndarray) -> None:
    """Narrow the limits of every copied joint so that its copies stay within theirs."""
    for m in range(len(moving)):
        source = moving[m, at.M_MIMIC]
        if source < 0:
            continue
        gain, add = moving_f[m, at.MIMIC_MUL], moving_f[m, at.MIMIC_ADD]
        if gain == 0.0:
            continue
        ends = sorted((moving_f[m, at.LIMITS + i] - add) / gain for i in range(2))
        low = max(moving_f[source, at.LIMITS], ends[0])
        high = min(moving_f[source, at.LIMITS + 1], ends[1])
        if low <= high:
            moving_f[source, at.LIMITS : at.LIMITS + 2] = low, high
