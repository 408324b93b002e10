"""Prepared problems: everything that depends on the skeleton and the goals' shape, done once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from supple import batch
from supple.errors import SuppleError, array, one_of
from supple.goals import OPEN, Goal, as_goals
from supple.kernels import layout as at
from supple.kernels.cache import announce
from supple.kernels.seeds import spread_seeds
from supple.pose import Pose
from supple.problem import Block, Problem
from supple.rotations import from_matrix
from supple.skeleton import Skeleton
from supple.solution import Asked, Demand, Solution
from supple.solvers import Solver, choose
from supple.trace import Trace

KINDS = ("position", "orientation", "direction", "pole")
POLICIES = ("approach", "keep")


class Prepared:
    """A skeleton, goals and a solver, ready to be solved for one target after another.

    Immutable, picklable, and safe to call from several threads at once.

    Attributes:
        problem: The lowered problem.
        solvers: The solvers tried in turn; usually one.
    """

    __slots__ = (
        "_asked", "_no_events", "_no_trace", "_offsets", "_open", "_packed", "_plain", "_pool", "_rest",
        "_settings", "_targets", "problem", "solvers",
    )  # fmt: skip

    def __init__(
        self,
        skeleton: Skeleton,
        goals: Mapping[str, Any] | Sequence[Goal] | Goal,
        *,
        solver: Solver | str = "auto",
        tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        lock: Iterable[str] = (),
        unreachable: str = "approach",
    ) -> None:
        """See `prepare`."""
        if not isinstance(skeleton, Skeleton):
            raise SuppleError(
                f"skeleton: expected a supple.Skeleton, got {type(skeleton).__name__}"
            )
        one_of("unreachable policy", unreachable, POLICIES)
        lock = tuple(lock) if not isinstance(lock, str) else lock
        self._settings = (
            skeleton, as_goals(goals), solver, tolerance, orientation_tolerance, lock, unreachable
        )  # fmt: skip
        self.problem = Problem(
            skeleton,
            self._settings[1],
            lock=lock,
            tolerance=tolerance,
            orientation_tolerance=orientation_tolerance,
            keep=unreachable == "keep",
        )
        self.solvers = choose(solver, self.problem)
        self._packed = [self.problem.pack(s.options()) for s in self.solvers]
        self._pool: list[list[np.ndarray]] = [[] for _ in self.solvers]
        self._rest = skeleton.rest
        self._offsets = self.problem.offsets(self._rest)[None]
        self._no_trace = np.zeros((0, self.problem.coordinates + 2))
        self._no_events = np.zeros((0, at.EVENT))
        self._open = self.problem.open_blocks()
        self._targets = self._fixed_targets()
        single = self._targets.ndim == 1 and all(b.kind != at.ORIENTATION for b in self._open)
        self._plain = len(self._open) if single else -1
        names = skeleton.joint_names
        self._asked = Asked(
            tuple(
                Demand(b.goal, KINDS[b.kind], self._effector(b), b.tolerance)
                for b in self.problem.blocks
            ),
            tuple(names[j] for j in self.problem.moving),
            self.solvers[-1].name,
            unreachable == "keep",
        )

    def __reduce__(self) -> Any:
        skeleton, goals, solver, tolerance, turn, lock, unreachable = self._settings
        return _rebuild, (skeleton, goals, solver, tolerance, turn, lock, unreachable)

    def __repr__(self) -> str:
        names = " then ".join(s.name for s in self.solvers)
        asked = ", ".join(f"{d.kind} of {d.effector}" for d in self._asked.demands)
        return f"Prepared({names}: {asked}; {self.problem.freedoms} freedoms)"

    def _effector(self, block: Block) -> str:
        goal = self.problem.goals[block.goal]
        return getattr(goal, "effector", None) or getattr(goal, "joint", "")

    def _fixed_targets(self) -> np.ndarray:
        """Targets of the goals that are not open, shape (1, T) or (..., T); NaN where open."""
        shape: tuple[int, ...] = ()
        given = [b for b in self.problem.blocks if b.target is not None and b.target is not OPEN]
        try:
            for block in given:
                shape = np.broadcast_shapes(shape, block.target.shape[:-1])
        except ValueError as error:
            raise SuppleError(f"targets: their batch axes do not fit together ({error})") from error
        row = np.broadcast_to(
            self.problem.default_targets, (*shape, len(self.problem.default_targets))
        )
        row = np.array(row)
        for block in given:
            size = block.target.shape[-1]
            row[..., block.offset : block.offset + size] = block.target
        return row

    # Calls --------------------------------------------------------------------------------------

    def __call__(self, *targets: Any, start: Pose | None = None) -> Solution:
        """Solve for the open targets, in the order of the goals, from `start` (default: rest).

        Args:
            targets: One argument an open target: a position (3,), an orientation wxyz (4,), a
                transform (4, 4).
            start: The pose to start from.
        """
        if len(targets) == self._plain:
            # The commonest calls, single positions from a single pose, without the general checks.
            if start is None:
                start = self._rest
                coordinates = start.packed_coordinates
            elif (
                type(start) is Pose
                and start.skeleton is self.problem.skeleton
                and start.translations is None
                and start.scales is None
            ):
                coordinates = start.packed_coordinates
            else:
                return self.solve(*targets, start=start)
            row = self._targets.copy()
            try:
                for block, target in zip(self._open, targets, strict=True):
                    x, y, z = target
                    if not math.isfinite(x + y + z):
                        break
                    first = block.offset
                    row[first] = x
                    row[first + 1] = y
                    row[first + 2] = z
                else:
                    if coordinates.ndim == 1:
                        coordinates = coordinates.reshape(1, -1)
                        return self._single(row.reshape(1, -1), coordinates, self._offsets, start)
            except (TypeError, ValueError):
                pass  # not three numbers each: the general way says what is wrong, or takes a batch
        return self.solve(*targets, start=start)

    def solve(
        self,
        *targets: Any,
        start: Pose | None = None,
        threads: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        trace: bool = False,
    ) -> Solution:
        """Solve one problem or a batch: leading axes of targets and start are broadcast.

        Args:
            targets: As in a call, each with any leading batch axes.
            start: The pose, or batch of poses, to start from.
            threads: At most how many threads a batch uses; all cores by default. The answer does
                not depend on it.
            progress: Called with (done, total) as a batch goes on, from the calling thread.
            trace: Whether to record what the solver does; single solves only.
        """
        start = self._checked_start(start)
        rows = self._filled(targets)
        try:
            shape = np.broadcast_shapes(rows.shape[:-1], start.batch_shape)
        except ValueError as error:
            raise SuppleError(
                f"targets and start: their batch axes do not fit together ({error})"
            ) from error
        starts, offsets = self._lowered_start(start, shape)
        if not shape:
            return self._single(rows.reshape(1, -1), starts, offsets, start, trace=trace)
        if trace:
            raise SuppleError("trace: a batch has no trace; solve the problem of interest alone")
        rows = _flat(rows, shape)
        count = int(np.prod(shape))
        out = np.empty((count, self.problem.report_width))
        todo: np.ndarray | None = None
        for i, solver in enumerate(self.solvers):
            announce(f"{solver.name} solver", solver.kernel)
            if todo is None:
                self._run(i, (offsets, starts, rows), out, threads, progress)
            else:
                part = np.empty((len(todo), out.shape[1]))
                self._run(
                    i,
                    tuple(_rows(x, todo) for x in (offsets, starts, rows)),
                    part,
                    threads,
                    progress,
                )
                out[todo] = part
            status = out[:, self.problem.coordinates + at.O_STATUS]
            todo = np.flatnonzero(status != at.REACHED)
            if not len(todo):
                break
        return Solution(self.problem.skeleton, self._asked, out.reshape(*shape, -1), start)

    def _run(
        self,
        i: int,
        arrays: tuple[np.ndarray, ...],
        out: np.ndarray,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        ints, floats = self._packed[i]
        kernel = self.solvers[i].kernel

        def part(first: int, last: int) -> None:
            work = self._workspace(i)
            kernel(ints, floats, *arrays, out, work, self._no_trace, self._no_events, first, last)
            self._pool[i].append(work)

        batch.run(part, len(out), threads=threads, progress=progress)

    def _single(
        self,
        rows: np.ndarray,
        starts: np.ndarray,
        offsets: np.ndarray,
        start: Pose,
        *,
        trace: bool = False,
    ) -> Solution:
        out = np.empty((1, self.problem.report_width))
        recorded, events = self._no_trace, self._no_events
        solver = self.solvers[0]
        for i, solver in enumerate(self.solvers):
            announce(f"{solver.name} solver", solver.kernel)
            if trace:
                recorded, events = self._trace_arrays(solver)
            ints, floats = self._packed[i]
            work = self._workspace(i)
            solver.kernel(ints, floats, offsets, starts, rows, out, work, recorded, events, 0, 1)
            self._pool[i].append(work)
            if out[0, self.problem.coordinates + at.O_STATUS] == at.REACHED:
                break
        what = self._trace(solver, rows[0], out[0], recorded, events) if trace else None
        return Solution(self.problem.skeleton, self._asked, out[0], start, trace=what)

    def _workspace(self, i: int) -> np.ndarray:
        """Scratch memory, kept between calls; popping from a list is safe between threads."""
        try:
            return self._pool[i].pop()
        except IndexError:
            return np.empty(self.solvers[i].space(self._packed[i][0]))

    def seeds(self, start: Pose, count: int) -> Pose:
        """Poses to begin from, spread over the ranges of the joints that may move.

        Low-discrepancy, always the same.
        """
        ints, floats = self._packed[-1]
        rows = np.array(np.broadcast_to(start.coordinates, (count, self.problem.coordinates)))
        spread_seeds(ints, floats, rows)
        return Pose._wrap(self.problem.skeleton, rows, start.translations, start.scales)

    # Targets and starts -------------------------------------------------------------------------

    def _filled(self, targets: tuple[Any, ...]) -> np.ndarray:
        """All targets, shape (..., T): the fixed ones and the open ones given now."""
        values: list[tuple[Block, np.ndarray]] = []
        given = list(targets)
        blocks = list(self._open)
        expected = len(
            {
                (b.goal, getattr(self.problem.goals[b.goal], "pose", None) is OPEN or b.kind)
                for b in blocks
            }
        )
        if len(given) != expected:
            raise SuppleError(
                f"targets: {expected} open, in the order of the goals, but {len(given)} given"
            )
        while blocks:
            block = blocks.pop(0)
            value = given.pop(0)
            name = self._effector(block)
            if getattr(self.problem.goals[block.goal], "pose", None) is OPEN:
                frame = array(f"pose of {name!r}", value, (..., 4, 4))
                values.append((block, frame[..., :3, 3]))
                values.append((blocks.pop(0), from_matrix(frame[..., :3, :3])))
            elif block.kind == at.ORIENTATION:
                q = array(f"orientation of {name!r} (wxyz)", value, (..., 4))
                values.append((block, q / np.linalg.norm(q, axis=-1, keepdims=True)))
            else:
                values.append((block, array(f"target of {name!r}", value, (..., 3))))
        try:
            shape = np.broadcast_shapes(
                self._targets.shape[:-1], *(v.shape[:-1] for _, v in values)
            )
        except ValueError as error:
            raise SuppleError(f"targets: their batch axes do not fit together ({error})") from error
        rows = np.array(np.broadcast_to(self._targets, (*shape, self._targets.shape[-1])))
        for block, value in values:
            rows[..., block.offset : block.offset + value.shape[-1]] = value
        return rows

    def _checked_start(self, start: Pose | None) -> Pose:
        if start is None:
            return self._rest
        if not isinstance(start, Pose):
            raise SuppleError(f"start: expected a supple.Pose, got {type(start).__name__}")
        if start.skeleton is not self.problem.skeleton and start.skeleton != self.problem.skeleton:
            raise SuppleError("start: expected a pose of the same skeleton")
        return start

    def _lowered_start(self, start: Pose, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Start coordinates and joint offsets as kernels take them: one row, or one a problem."""
        starts = (
            start.packed_coordinates.reshape(1, -1)
            if not shape
            else _flat(start.coordinates, shape)
        )
        if start.translations is None and start.scales is None:
            return starts, self._offsets
        return starts, _flat(self.problem.offsets(start), shape, trailing=2)

    # Traces -------------------------------------------------------------------------------------

    def _trace_arrays(self, solver: Solver) -> tuple[np.ndarray, np.ndarray]:
        rows = solver.max_iterations + 1
        steps = min(rows * solver.events_per_iteration(self.problem), 2_000_000)
        return np.zeros((rows, self.problem.coordinates + 2)), np.zeros((steps, at.EVENT))

    def _trace(
        self,
        solver: Solver,
        targets: np.ndarray,
        out: np.ndarray,
        recorded: np.ndarray,
        events: np.ndarray,
    ) -> Trace:
        nq = self.problem.coordinates
        recorded = recorded[: int(out[nq + at.O_TRACE])]
        goals = {
            self._effector(b): targets[b.offset : b.offset + 3]
            for b in self.problem.blocks
            if b.kind in (at.POSITION, at.LOOKAT) and not b.held
        }
        return Trace(
            self.problem.skeleton,
            recorded[:, :nq].copy(),
            recorded[:, nq].copy(),
            recorded[:, nq + 1].copy(),
            events[: int(out[nq + at.O_EVENTS])].copy(),
            solver.name,
            goals,
        )


def _rebuild(skeleton, goals, solver, tolerance, turn, lock, unreachable):  # noqa: ANN001, ANN202
    return Prepared(
        skeleton,
        goals,
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=turn,
        lock=lock,
        unreachable=unreachable,
    )


def _flat(value: np.ndarray, shape: tuple[int, ...], *, trailing: int = 1) -> np.ndarray:
    """An array with its batch axes flattened to one.

    Of length one if it has none, else the whole batch. Always a copy.
    """
    tail = value.shape[value.ndim - trailing :]
    if value.ndim == trailing or value.shape[: value.ndim - trailing] == (1,) * (
        value.ndim - trailing
    ):
        return np.array(value, np.float64).reshape(1, *tail)
    return np.array(np.broadcast_to(value, (*shape, *tail)), np.float64, order="C").reshape(
        -1, *tail
    )


def _rows(value: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return value if len(value) == 1 else np.ascontiguousarray(value[chosen])


def prepare(
    skeleton: Skeleton,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    unreachable: str = "approach",
) -> Prepared:
    """Prepare a problem that will be solved many times.

    Args:
        skeleton: The skeleton.
        goals: The goals; targets that are not given, or OPEN, are arguments of each call, in the
            goals' order.
        solver: A solver, its name, or "auto".
        tolerance: How near counts as reached, model units; 1e-4 of each goal's chain length by
            default.
        orientation_tolerance: How near in orientation counts as reached [rad].
        lock: Names of joints that keep their start coordinates.
        unreachable: "approach" (come as near as possible) or "keep" (give the start back).
    """
    return Prepared(
        skeleton,
        goals,
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        unreachable=unreachable,
    )
