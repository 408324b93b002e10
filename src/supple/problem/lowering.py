"""A problem: a skeleton and goals lowered to the flat arrays that kernels work on.

Lowering decides once what a solve may move (the free set), which joints matter (the active ones),
what the rows of the residual are and how long the chains are. Everything that changes from call to
call, the start pose and the targets, stays outside: a problem is immutable and can be shared
between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from supple.errors import SuppleError, positive
from supple.goals import Block, Goal, Rest
from supple.kernels import layout as at
from supple.kernels.forward import scale_offsets
from supple.model.mismatch import another
from supple.model.skeleton import Pose, Skeleton
from supple.problem.free_set import free_set, locked_joints, way_up

RADIAN = 0.4  # one radian of orientation error counts as this many chain lengths


class Problem:
    """A skeleton and goals, lowered.

    Attributes:
        skeleton: The skeleton.
        goals: The goals, in the order given.
        blocks: The residual blocks the goals were lowered to, primary ones first, in an order that does not
            depend on that of the goals.
        moving: Skeleton indices of the joints this problem may move, in topological order.
        active: Skeleton indices of the joints that matter.
        freedoms: How many freedoms it has.
        rows: How many residual rows.
        coordinates: How many coordinates a whole pose has.
        report_width: How many numbers a kernel writes for one solve.
        length: Characteristic length, in model units: the longest chain.
        default_targets: A row of targets, shape (T,), all NaN.
        keep: Whether the start is given back where the goals are not reached.
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
        if tolerance is not None:
            tolerance = positive("tolerance", tolerance)
        orientation_tolerance = positive("orientation_tolerance", orientation_tolerance)
        self.skeleton = skeleton
        self.goals: tuple[Goal, ...] = tuple(goals)
        self._ints = skeleton.packed_ints
        self._floats = skeleton.packed_floats
        self._parents = self._ints[:, at.PARENT]
        self._check_goals()
        self.blocks: list[Block] = sorted(
            (block for i, goal in enumerate(self.goals) for block in goal.lower(skeleton, i)),
            key=Block.place,
        )
        self.coordinates: int = int(self._ints[:, at.NQ].sum())
        self.moving: np.ndarray = free_set(skeleton, self.goals, locked_joints(skeleton, lock))
        self.report_width: int = self.coordinates + at.REPORT + len(self.blocks) + len(self.moving)
        self.active: np.ndarray = self._active_set()
        self._measure(tolerance, orientation_tolerance)
        self._serve_poles()
        self.keep = keep
        self._pack()

    # What is asked for --------------------------------------------------------------------------

    def _check_goals(self) -> None:
        if not any(goal.frees for goal in self.goals):
            given = ", ".join(type(goal).__name__ for goal in self.goals)
            raise SuppleError(
                "goals: expected at least one Reach or LookAt, since the others free no joint, "
                f"got {given or 'none'}"
            )
        postures = [goal for goal in self.goals if isinstance(goal, Rest)]
        if len(postures) > 1:
            raise SuppleError(f"goals: expected at most one Rest, got {len(postures)}")
        if postures and postures[0].pose is not None and postures[0].pose.skeleton != self.skeleton:
            raise another("Rest", self.skeleton, postures[0].pose.skeleton)

    def _active_set(self) -> np.ndarray:
        active = np.zeros(len(self._parents), bool)
        for joint in [block.joint for block in self.blocks] + self.moving.tolist():
            while joint >= 0 and not active[joint]:
                active[joint] = True
                joint = int(self._parents[joint])
        return np.flatnonzero(active)

    # How long, how near ------------------------------------------------------------------------

    def _measure(self, tolerance: float | None, orientation_tolerance: float) -> None:
        """Chain lengths, tolerances and the characteristic length, all in model units."""
        moving = set(self.moving.tolist())
        bones = np.linalg.norm(self.skeleton.offsets, axis=1)
        for block in self.blocks:
            way = way_up(self.skeleton, block.joint)
            tops = [n for n, j in enumerate(way) if j in moving]
            end = float(np.linalg.norm(block.point))
            block.length = end + float(bones[way[: tops[-1]]].sum()) if tops else 0.0
        longest = max(block.length for block in self.blocks)
        self.length: float = longest or float(bones.sum()) or 1.0
        for block in self.blocks:
            if block.kind == at.POSITION:
                block.tolerance = tolerance or 1e-4 * (block.length or self.length)
            else:
                block.tolerance = orientation_tolerance

    def _serve_poles(self) -> None:
        """Tie every pole to the nearest reach whose chain bends at it, and to its bone's root."""
        moving = {int(j): m for m, j in enumerate(self.moving)}
        ways = [way_up(self.skeleton, block.joint) for block in self.blocks]
        for block in self.blocks:
            if block.kind != at.POLE:
                continue
            served = [
                (ways[g].index(block.joint), g)
                for g, other in enumerate(self.blocks)
                if other.kind == at.POSITION
                and block.joint in ways[g]
                and (other.joint != block.joint or np.any(other.point))
            ]
            roots = [j for j in way_up(self.skeleton, block.joint)[1:] if j in moving]
            if not served or not roots:
                raise SuppleError(
                    f"pole {self.skeleton.joint_names[block.joint]!r}: it needs a joint above it "
                    "that may move and a Reach with a position below it"
                )
            block.extra = (moving[roots[0]], min(served)[1])

    def _nearest_moving(self, move: dict[int, int]) -> np.ndarray:
        """For every active joint of the skeleton, the moving joint at or above it, or -1."""
        nearest = np.full(len(self._parents), -1, np.int64)
        for joint in self.active.tolist():
            parent = self._parents[joint]
            nearest[joint] = move.get(joint, nearest[parent] if parent >= 0 else -1)
        return nearest

    # Packing ------------------------------------------------------------------------------------

    def _pack(self) -> None:
        index = {int(j): n for n, j in enumerate(self.active)}
        move = {int(j): m for m, j in enumerate(self.moving)}
        nearest = self._nearest_moving(move)
        active = self._active_rows(index, move)
        moving, weights = self._moving_rows(index, move, nearest)
        blocks, blocks_f, touch = self._block_rows(index, move, nearest, moving)
        posture = next((g for g in self.goals if isinstance(g, Rest)), None)
        poles = sum(block.kind == at.POLE for block in self.blocks)
        self.freedoms: int = len(weights)
        self.rows: int = 3 * (len(self.blocks) - poles)
        head = np.zeros(at.HEADER_INTS, np.int64)
        head[at.H_ACTIVE] = len(active)
        head[at.H_MOVING] = len(moving)
        head[at.H_DOFS] = self.freedoms
        head[at.H_BLOCKS] = len(blocks)
        head[at.H_ROWS] = self.rows
        head[at.H_COORDS] = self.coordinates
        head[at.H_TARGETS] = len(self.default_targets)
        head[at.H_REST] = int(posture is not None)
        head[at.H_POLES] = poles
        head[at.H_KEEP] = int(self.keep)
        self._head = head
        self._tables = (active, moving, blocks, touch)
        head_f = np.zeros(at.HEADER_FLOATS)
        head_f[at.F_LENGTH] = self.length
        head_f[at.F_RADIAN] = RADIAN
        rest = self.skeleton.rest.coordinates
        if posture is not None:
            head_f[at.F_REST] = posture.weight
            if posture.pose is not None:
                rest = posture.pose.coordinates
        self._front_f = (head_f, self._floats[self.active], self._floats[self.moving], blocks_f)
        self._rest_f = (rest, weights)

    def _active_rows(self, index: dict[int, int], move: dict[int, int]) -> np.ndarray:
        active = np.zeros((len(index), at.ACTIVE_INTS), np.int64)
        for joint, n in index.items():
            row = self._ints[joint]
            parent = int(self._parents[joint])
            active[n] = (
                index[parent] if parent >= 0 else -1,
                move.get(joint, -1),
                row[at.KIND],
                row[at.Q],
                row[at.STRETCH_Q],
            )
        return active

    def _moving_rows(
        self, index: dict[int, int], move: dict[int, int], nearest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the moving joints, and a weight for each of their freedoms."""
        moving = np.zeros((len(move), at.MOVING_INTS), np.int64)
        weights: list[float] = []
        for joint, m in move.items():
            row = self._ints[joint]
            parent = int(self._parents[joint])
            copies = int(row[at.MIMIC])
            stretches = int(row[at.STRETCH_Q] >= 0)
            turns = int(row[at.NDOF]) - stretches
            first = len(weights)
            weights += [float(self._floats[joint, at.WEIGHT])] * int(row[at.NDOF])
            moving[m] = (
                index[joint],
                nearest[parent] if parent >= 0 else -1,
                row[at.KIND],
                row[at.Q],
                row[at.NQ] - stretches,
                row[at.ORDER],
                row[at.FROZEN],
                row[at.STRETCH_Q],
                first,
                1 if copies >= 0 else turns,
                first + turns if stretches else -1,
                move[copies] if copies >= 0 else -1,
                joint,
            )
        return moving, np.array(weights)

    def _block_rows(
        self,
        index: dict[int, int],
        move: dict[int, int],
        nearest: np.ndarray,
        moving: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows of the blocks, and which freedoms touch which of them, shape (D, G)."""
        blocks = np.zeros((len(self.blocks), at.BLOCK_INTS), np.int64)
        blocks_f = np.zeros((len(self.blocks), at.BLOCK_FLOATS))
        touch = np.zeros((int(self._ints[self.moving, at.NDOF].sum()), len(blocks)), np.int64)
        size = 0
        for g, block in enumerate(self.blocks):
            block.offset = size
            size += 0 if block.held else 4 if block.kind == at.ORIENTATION else 3
            blocks[g] = (
                block.kind,
                index[block.joint],
                nearest[block.joint],
                3 * g if block.kind != at.POLE else -1,
                block.offset,
                block.goal,
                int(block.held),
                *block.extra,
            )
            blocks_f[g] = (*block.rotation, *block.axis, block.weight, block.tolerance)
            for m in (move[j] for j in way_up(self.skeleton, block.joint) if j in move):
                first = moving[m, at.M_DOF]
                touch[first : first + self._ints[self.moving[m], at.NDOF], g] = 1
                if moving[m, at.M_MIMIC] >= 0:
                    touch[moving[moving[m, at.M_MIMIC], at.M_DOF], g] = 1
        self.default_targets: np.ndarray = np.full(size, np.nan)
        return blocks, blocks_f, touch

    @property
    def moving_floats(self) -> int:
        """Where in the packed floats the rows of the moving joints begin."""
        return at.HEADER_FLOATS + len(self.active) * at.JOINT_FLOATS

    @property
    def block_floats(self) -> int:
        """Where in the packed floats the rows of the blocks begin."""
        return self.moving_floats + len(self.moving) * at.JOINT_FLOATS

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
        """Everything rigid in a pose, as kernels take it, shape (..., A + 2 G, 3).

        The offsets of the active joints; then for every block the two parts of its effector's place
        in its joint's frame, the one that keeps its length and the one that stretches. Scales of
        the pose are multiplied in.

        Raises:
            SuppleError: There are scales that solving cannot take.
        """
        bones, scales = scaled_bones(pose)
        ends = np.array([part for block in self.blocks for part in (block.fixed, block.stretching)])
        if scales is not None:
            self._check_slides(scales)
            ends = ends * scales[..., np.repeat([block.joint for block in self.blocks], 2), :]
        ends = np.broadcast_to(ends, (*bones.shape[:-2], *ends.shape[-2:]))
        return np.concatenate([bones[..., self.active, :], ends], axis=-2)

    def _check_slides(self, scales: np.ndarray) -> None:
        """A slide counts in its parent's scale, but kernels count in that of the world."""
        for joint in self.active.tolist():
            parent = self._parents[joint]
            if parent >= 0 and self._ints[joint, at.KIND] & at.SLIDES:
                factors = scales[..., parent, 0]
                if np.any(np.abs(factors - 1.0) > 1e-9):
                    raise SuppleError(
                        f"start: joint {self.skeleton.joint_names[joint]!r} shifts below a scale; "
                        "solving takes scales above joints that only turn"
                    )


def scaled_bones(pose: Pose) -> tuple[np.ndarray, np.ndarray | None]:
    """Offsets and scales of all joints in a world where nothing is scaled.

    Args:
        pose: A pose or a batch of them.

    Returns:
        The joints' offsets, shape (..., N, 3): the pose's translations times the scales of all
        joints above; and the factors along each joint's axes for what it carries, shape (..., N,
        3), None if the pose has no scales.

    Raises:
        SuppleError: A joint that has others below it is scaled differently along its axes, so that
            there are no rigid bones to turn; or one that slides has scaled joints above it.
    """
    skeleton = pose.skeleton
    shape = (*pose.batch_shape, len(skeleton.joints), 3)
    own = skeleton.offsets if pose.translations is None else pose.translations
    offsets = np.array(np.broadcast_to(own, shape))
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
    return offsets, scales
