"""A problem: a skeleton and goals lowered to the flat arrays that kernels work on.

Lowering finds, once, which joints a solve may move (the free set), which joints matter (the active ones),
the rows of the residual and the lengths of the chains. The start pose and the targets, which change from call
to call, are not part of a problem: it is immutable and can be shared between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError, positive
from supple.goals import Block, Goal, Posture
from supple.goals.loops import branches, closing
from supple.kernels import layout as at
from supple.kernels.forward import scale_offsets
from supple.model.skeleton import Pose, Skeleton
from supple.problem.free_set import FreedRoots, free_set, freed_roots, locked_joints, path_to_root
from supple.problem.tree import DENSE_ROWS, is_worth_a_tree

if TYPE_CHECKING:
    from supple.bodies.constraints import Bodies

LENGTHS_PER_RADIAN = 0.4  # one radian of orientation error counts as this many chain lengths
NUMBER_TOLERANCE = 1e-4  # default tolerance of a custom goal with `unit="number"`
# Allowed lengths of the longest bone [model units]. Kernels form fourth powers of lengths and of tolerances 1e-4
# as long, which must neither underflow (1e-308) nor overflow (1e308).
SHORTEST_LENGTH, LONGEST_LENGTH = 1e-60, 1e60
LOOP_TOLERANCE = 1e-7  # how near the ends of a loop must be [characteristic lengths, rad]


class Paths:
    """The freedoms that move each block."""

    def __init__(self, skeleton: Skeleton, moving: np.ndarray) -> None:
        """Take the rows of the moving joints, shape (M, MOVING_INTS)."""
        self._skeleton, self._moving = skeleton, moving
        joints = moving[:, at.M_JOINT]
        self._move = {joint: m for m, joint in enumerate(joints.tolist())}
        own = np.where(moving[:, at.M_MIMIC] >= 0, 0, moving[:, at.M_NDOF])  # copies have none
        self._counts = own + (moving[:, at.M_STRETCH_DOF] >= 0)

    def of(self, ends: Iterable[int]) -> np.ndarray:
        """The freedoms on the paths from some joints to the root, and those that joints there copy, sorted."""
        found: set[int] = set()
        for end in ends:
            for joint in path_to_root(self._skeleton, end):
                m = self._move.get(joint)
                if m is None:
                    continue
                first = int(self._moving[m, at.M_DOF])
                found.update(range(first, first + int(self._counts[m])))
                source = int(self._moving[m, at.M_MIMIC])
                if source >= 0:
                    found.add(int(self._moving[source, at.M_DOF]))
        return np.array(sorted(found), np.int64)

    def touch(self, blocks: Sequence[Block]) -> np.ndarray:
        """A matrix with 1 where a freedom moves a block, else 0, shape (D, G)."""
        touch = np.zeros((int(self._counts.sum()), len(blocks)), np.int64)
        for g, block in enumerate(blocks):
            touch[self.of(block.ends), g] = 1
        return touch

    def border(self, blocks: Sequence[Block]) -> np.ndarray:
        """The freedoms in the border of the tree, sorted, shape (B,)."""
        sources = self._moving[self._moving[:, at.M_MIMIC] >= 0, at.M_MIMIC]
        ends = [end for b in blocks if b.counts and b.carrier is not None for end in b.ends]
        return np.union1d(self._moving[sources, at.M_DOF], self.of(ends))


class Problem:
    """A skeleton and goals, lowered.

    Attributes:
        skeleton: The skeleton.
        goals: The goals, in the order given; then those that keep the model's own loops closed, as
            far as the others touch them.
        blocks: The residual blocks the goals were lowered to, primary ones first, in an order that does not
            depend on that of the goals.
        moving: Skeleton indices of the joints this problem may move, in topological order.
        roots: The free roots that stay, and those that move although no goal names them.
        active: Skeleton indices of the joints that matter: those at or above a block, a moving joint or a body.
        freedoms: Number of freedoms.
        rows: Number of residual rows.
        coordinates: Number of coordinates of a whole pose.
        report_width: Number of floats that a kernel writes for one solve.
        length: Characteristic length [model units]: the longest chain.
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
        free_root: bool = False,
    ) -> None:
        if tolerance is not None:
            tolerance = positive("tolerance", tolerance)
        orientation_tolerance = positive("orientation_tolerance", orientation_tolerance)
        self.skeleton = skeleton
        locked = locked_joints(skeleton, lock)
        self.goals: tuple[Goal, ...] = with_loops(
            skeleton, tuple(goals), locked, free_root=free_root
        )
        self._ints = skeleton.packed_ints
        self._floats = skeleton.packed_floats
        self._parents = self._ints[:, at.PARENT]
        self._check_goals()
        self._posture = self._find_posture()
        self.blocks: list[Block] = sorted(
            (block for i, goal in enumerate(self.goals) for block in goal.lower(skeleton, i)),
            key=Block.sort_key,
        )
        self.coordinates: int = int(self._ints[:, at.NQ].sum())
        self.moving: np.ndarray = free_set(skeleton, self.goals, locked, free_root=free_root)
        self.roots: FreedRoots = freed_roots(skeleton, self.goals, locked, free_root=free_root)
        self.bodies: Bodies | None = self._constrain()
        self.reported: int = sum(block.kind != at.CARRIER for block in self.blocks)
        self.report_width: int = self.coordinates + at.REPORT + self.reported + len(self.moving)
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
                "goals: expected at least one Reach, LookAt, Connect or Weld, or one of your own, since the "
                f"others free no joint, got {given or 'none'}"
            )
        smooth = [goal for goal in self.goals if goal.needs_clip]
        if len(smooth) > 1:
            raise SuppleError(f"goals: expected at most one {smooth[0].called}, got {len(smooth)}")

    def _find_posture(self) -> Posture | None:
        """The posture that the solve stays near, None if no goal asks for one."""
        asked = [(goal, goal.posture(self.skeleton)) for goal in self.goals]
        found = [(goal, posture) for goal, posture in asked if posture is not None]
        if len(found) > 1:
            raise SuppleError(f"goals: expected at most one {found[0][0].called}, got {len(found)}")
        return found[0][1] if found else None

    def _constrain(self) -> Bodies | None:
        """The constraints of the goals on bodies, None if there are none."""
        goals = [goal for goal in self.goals if goal.constrains]
        if not goals:
            return None
        from supple.bodies.constraints import Bodies  # not needed to solve without them

        bodies, seen = Bodies(), set()
        for goal in goals:
            if type(goal) in seen:
                raise SuppleError(f"goals: expected at most one {type(goal).__name__}, got two")
            seen.add(type(goal))
            goal.constrain(bodies, self.skeleton, self.moving)
        return bodies

    @property
    def _points(self) -> list[tuple[int, Any, float]]:
        return [] if self.bodies is None else self.bodies.points

    def _active_set(self) -> np.ndarray:
        active = np.zeros(len(self._parents), bool)
        carriers = [block.joint for block in self.blocks] + self.moving.tolist()
        for joint in carriers + [point[0] for point in self._points]:
            while joint >= 0 and not active[joint]:
                active[joint] = True
                joint = int(self._parents[joint])
        return np.flatnonzero(active)

    # Lengths and tolerances --------------------------------------------------------------------

    def _measure(self, tolerance: float | None, orientation_tolerance: float) -> None:
        """Chain lengths, tolerances and the characteristic length, all in model units."""
        moving = set(self.moving.tolist())
        self._check_unit()
        bones = np.linalg.norm(self.skeleton.offsets, axis=1)
        for block in self.blocks:
            path = path_to_root(self.skeleton, block.joint)
            tops = [n for n, j in enumerate(path) if j in moving]
            end = float(np.linalg.norm(block.point))
            block.length = end + float(bones[path[: tops[-1]]].sum()) if tops else 0.0
        for block in self.blocks:
            block.length = max([block.length, *(frame.length for frame in block.frames)])
        longest = max(block.length for block in self.blocks)
        self.length: float = longest or float(bones.sum()) or 1.0
        for block in self.blocks:
            if block.hard:
                block.tolerance = LOOP_TOLERANCE * (self.length if block.kind == at.MEET else 1.0)
            elif block.tolerance:
                continue  # the goal's own
            elif block.is_length:
                block.tolerance = tolerance or 1e-4 * (block.length or self.length)
            elif block.kind == at.OWN_NUMBER:
                block.tolerance = NUMBER_TOLERANCE
            else:
                block.tolerance = orientation_tolerance

    def _check_unit(self) -> None:
        """Refuse units in which squares of lengths vanish or overflow."""
        ends = [np.abs(block.point).max() for block in self.blocks]
        longest = float(max(np.abs(self.skeleton.offsets).max(initial=0.0), *ends))
        if longest and not SHORTEST_LENGTH <= longest <= LONGEST_LENGTH:
            raise SuppleError(
                f"the longest bone is {longest:.3g} long: expected {SHORTEST_LENGTH:g} to {LONGEST_LENGTH:g}; "
                "give the skeleton and the targets in another unit"
            )

    def _serve_poles(self) -> None:
        """Connect every pole with the nearest Reach whose chain bends at it, and with its bone's root."""
        moving = {int(j): m for m, j in enumerate(self.moving)}
        paths_up = [path_to_root(self.skeleton, block.joint) for block in self.blocks]
        for block in self.blocks:
            if block.kind != at.POLE:
                continue
            served = [
                (paths_up[g].index(block.joint), g)
                for g, other in enumerate(self.blocks)
                if other.kind == at.POSITION
                and block.joint in paths_up[g]
                and (other.joint != block.joint or np.any(other.point))
            ]
            roots = [j for j in path_to_root(self.skeleton, block.joint)[1:] if j in moving]
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
        blocks, blocks_f = self._block_rows(index, nearest)
        self.freedoms: int = len(weights)
        self.rows: int = 3 * sum(block.counts for block in self.blocks)
        paths = Paths(self.skeleton, moving)
        border = self._border(paths)
        none = np.zeros(0, np.int64)
        reach = (paths.touch(self.blocks), none) if border is None else (none, border)
        posture = self._posture
        poles = sum(block.kind == at.POLE for block in self.blocks)
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
        head[at.H_FRAMES] = sum(block.serves is not None for block in self.blocks)
        head[at.H_TREE] = int(border is not None)
        head[at.H_BORDER] = 0 if border is None else len(border)
        head_f = np.zeros(at.HEADER_FLOATS)
        self._last, self._last_f = self._body_rows(index, nearest, moving, head, head_f)
        self._head = head
        self._tables = (active, moving, blocks, *reach)
        head_f[at.F_LENGTH] = self.length
        head_f[at.F_RADIAN] = LENGTHS_PER_RADIAN
        rest = self.skeleton.rest.coordinates
        if posture is not None:
            rest, head_f[at.F_REST] = posture
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
        self, index: dict[int, int], nearest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the blocks, ints and floats."""
        blocks = np.zeros((len(self.blocks), at.BLOCK_INTS), np.int64)
        blocks_f = np.zeros((len(self.blocks), at.BLOCK_FLOATS))
        block_index = {id(block): g for g, block in enumerate(self.blocks)}
        size = 0
        for g, block in enumerate(self.blocks):
            block.offset = size
            size += block.target_floats
            blocks[g] = (
                block.kind,
                index[block.joint],
                nearest[block.joint],
                3 * g if block.counts else -1,
                block.offset,
                block.goal,
                int(block.held),
                *block.extra,
                -1 if block.carrier is None else block_index[id(block.carrier)],
                int(block.hard),
                *self._own_row(block, block_index),
            )
            blocks_f[g] = (*block.rotation, *block.axis, block.weight, block.tolerance)
        self.default_targets: np.ndarray = np.full(size, np.nan)
        return blocks, blocks_f

    def _border(self, paths: Paths) -> np.ndarray | None:
        """The freedoms in the border of the tree; None if steps use the dense Jacobian."""
        if self.rows <= DENSE_ROWS or self.bodies is not None:
            return None
        has_own = any(block.frames for block in self.blocks)
        if has_own or not is_worth_a_tree(self.freedoms, self.rows, 0):
            return None
        border = paths.border(self.blocks)
        return border if is_worth_a_tree(self.freedoms, self.rows, len(border)) else None

    def _own_row(self, block: Block, block_index: dict[int, int]) -> tuple[int, ...]:
        """The last columns of a block's row: the function, in the first block of a custom goal; else zeros."""
        if block.kind < at.OWN or block.part > 0:
            return (0,) * (at.BLOCK_INTS - at.B_FUNCTION)
        made: Any = self.goals[block.goal]
        frames = block_index[id(block.frames[0])], len(block.frames)
        return (made.function.function.address, made.function.rows, *frames, block.size)

    @property
    def moving_floats(self) -> int:
        """Index in the packed floats at which the rows of the moving joints begin."""
        return at.HEADER_FLOATS + len(self.active) * at.JOINT_FLOATS

    def limit_indices(self, joints: np.ndarray, parts: np.ndarray) -> np.ndarray:
        """Indices in the packed floats of lower limits of moving joints, shape (K,); the upper limit follows each.

        Args:
            joints: Skeleton indices of moving joints, shape (K,).
            parts: Which scalar of its joint each is, shape (K,).
        """
        rows = np.searchsorted(self.moving, joints)
        return self.moving_floats + rows * at.JOINT_FLOATS + at.LIMITS + 2 * parts

    @property
    def block_floats(self) -> int:
        """Index in the packed floats at which the rows of the blocks begin."""
        return self.moving_floats + len(self.moving) * at.JOINT_FLOATS

    def _body_rows(
        self,
        index: dict[int, int],
        nearest: np.ndarray,
        moving: np.ndarray,
        head: np.ndarray,
        head_f: np.ndarray,
    ) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        """The tables of the bodies, ints and floats, which come last; fills their part of the headers."""
        bodies = self.bodies
        if bodies is None:
            return (), ()
        counts = (bodies.points, bodies.capsules, bodies.pairs, bodies.obstacles, bodies.soles)
        head[at.H_POINTS : at.H_SOLES + 1] = [len(some) for some in counts]
        head_f[at.F_MARGIN], head_f[at.F_BALANCE] = bodies.margin, bodies.balance
        head_f[at.F_UP : at.F_UP + 3] = bodies.up
        points = [(index.get(j, -1), nearest[j] if j >= 0 else -1) for j, _, _ in bodies.points]
        capsules, sizes, hulls = bodies.packed_capsules()
        masses = [mass for _, _, mass in bodies.points]
        tables, tables_f, gaps = self._table_rows(moving)
        head[at.H_TABLES], head[at.H_GAPS] = len(tables), len(gaps)
        head[at.H_HULLS] = len(hulls)
        ints = (points, capsules, bodies.pairs, bodies.soles, tables)
        floats = (hulls, masses, sizes, bodies.obstacles, tables_f, gaps)
        return (
            tuple(np.array(some, np.int64) for some in ints),
            tuple(np.array(some, np.float64) for some in floats),
        )

    def _table_rows(
        self, moving: np.ndarray
    ) -> tuple[list[list[int]], list[list[float]], list[float]]:
        """The rows of the tables of close pairs, ints and floats, and the gaps of all tables."""
        rows, rows_f, gaps = [], [], []
        first_of = {row[at.M_JOINT]: (row[at.M_DOF], row[at.M_FROZEN]) for row in moving.tolist()}
        for table in self.bodies.tables if self.bodies is not None else ():
            row, row_f = [len(gaps)], []
            for axis in table.axes:
                dof, frozen = first_of.get(axis.joint, (-1, -1))
                if frozen >> axis.number & 1:
                    dof = -1
                else:
                    dof += axis.number - (frozen & ((1 << axis.number) - 1)).bit_count()
                row += [axis.coordinate, dof, axis.steps]
                rate = axis.steps / (axis.high - axis.low) if axis.steps else 0.0
                unit = self.length if axis.slides else 1.0
                row_f += [axis.low, rate, float(axis.turns), unit]
            if len(table.axes) == 1:
                row += [table.axes[0].coordinate, -1, 0]
                row_f += [0.0, 0.0, 0.0, 0.0]
            rows.append(row)
            rows_f.append(row_f)
            gaps += table.gaps.ravel().tolist()
        return rows, rows_f, gaps

    def pack(self, options: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """The arrays a kernel takes, with a solver's options inside.

        Ints and floats, flat and contiguous.
        """
        head = self._head.copy()
        head[at.H_OPTIONS] = len(options)
        ints = np.concatenate([head, *(table.ravel() for table in (*self._tables, *self._last))])
        parts = [part.ravel() for part in self._front_f]
        last = [part.ravel() for part in self._last_f]
        floats = np.concatenate([*parts, np.asarray(options, np.float64), *self._rest_f, *last])
        return ints, floats

    def offsets(self, pose: Pose) -> np.ndarray:
        """All offsets of a pose that a solve does not change, as kernels take them, shape (..., A + 2 G + P, 3).

        The offsets of the active joints; then for every block the two parts of its effector's position
        in its joint's frame, the rigid one and the one that stretches; then the points of bodies.
        Scales of the pose are multiplied in.

        Raises:
            SuppleError: The pose has scales that solving does not support.
        """
        bones, scales = scaled_bones(pose)
        ends = np.array(
            [part for block in self.blocks for part in (block.fixed, block.stretching)]
            + [place for _, place, _ in self._points]
        )
        if scales is not None:
            self._check_slides(scales)
            joints = np.repeat([block.joint for block in self.blocks], 2).tolist()
            joints += [joint for joint, _, _ in self._points]
            ends = ends * np.where(np.array(joints)[:, None] >= 0, scales[..., joints, :], 1.0)
        ends = np.broadcast_to(ends, (*bones.shape[:-2], *ends.shape[-2:]))
        return np.concatenate([bones[..., self.active, :], ends], axis=-2)

    def _check_slides(self, scales: np.ndarray) -> None:
        """Refuse slides below a scale: kernels take the slide in world units, not in those of its scaled parent."""
        for joint in self.active.tolist():
            parent = self._parents[joint]
            if parent >= 0 and self._ints[joint, at.KIND] & at.SLIDES:
                factors = scales[..., parent, 0]
                if np.any(np.abs(factors - 1.0) > 1e-9):
                    raise SuppleError(
                        f"start: joint {self.skeleton.joint_names[joint]!r} shifts below a scale; "
                        "solving takes scales above joints that only turn"
                    )


def with_loops(
    skeleton: Skeleton, goals: tuple[Goal, ...], locked: np.ndarray, *, free_root: bool = False
) -> tuple[Goal, ...]:
    """The goals, followed by goals that close the loops of the model which they touch.

    A loop is touched if a joint of its branches is free; it then frees all joints of its branches, which may touch
    more loops.
    """
    if not skeleton.loops or not any(goal.frees for goal in goals):
        return goals
    left = [goal for goal in map(closing, skeleton.loops) if goal not in goals]
    while True:
        free = set(free_set(skeleton, goals, locked, free_root=free_root).tolist())
        touched = [goal for goal in left if free & branches(skeleton, goal)]
        if not touched:
            return goals
        goals += tuple(touched)
        left = [goal for goal in left if goal not in touched]


def scaled_bones(pose: Pose) -> tuple[np.ndarray, np.ndarray | None]:
    """Offsets of all joints with the scales above them multiplied in, and the scales of all joints.

    Args:
        pose: A pose or a batch of them.

    Returns:
        The joints' offsets, shape (..., N, 3): the pose's translations times the scales of all
        joints above; and the factors along each joint's axes for what it carries, shape (..., N,
        3), None if the pose has no scales.

    Raises:
        SuppleError: A joint that has others below it is scaled differently along its axes, so that
            its bones are not rigid.
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
