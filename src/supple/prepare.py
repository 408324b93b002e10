"""Prepared problems: everything that depends on the skeleton and the goals' shape, done once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import batch
from supple.errors import SuppleError, one_of, whole
from supple.goals import Goal, as_goals
from supple.kernels.outcomes import MET, MISSED, NOT_TAKEN
from supple.kernels.seeds import spread_seeds
from supple.mismatch import another
from supple.outcome import Asked, Demand
from supple.pose import Pose
from supple.problem import Problem
from supple.runner import Runner
from supple.skeleton import Skeleton
from supple.solution import Aside, Solution
from supple.solvers import Solver, choose
from supple.targets import Targets
from supple.tracked import Track

if TYPE_CHECKING:
    from supple.desk import Desks

KINDS = ("position", "orientation", "direction", "pole")
POLICIES = ("approach", "keep")
_empty = np.empty
_NUMBERS = frozenset((float, int, np.float64))
PROGRESS = 64  # frames of a track from one report of progress to the next


class Prepared:
    """A skeleton, goals and a solver, ready to be solved for one target after another.

    Immutable, picklable, and safe to call from several threads at once.

    Attributes:
        problem: The lowered problem.
        solvers: The solvers tried in turn; usually one.
    """

    __slots__ = (
        "_alone", "_asked", "_asked_of", "_desks", "_offsets", "_rest", "_runner", "_settings", "_skeleton", "_targets",
        "_width", "problem", "solvers",
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
        restarts: bool = True,
    ) -> None:
        """See `prepare`."""
        if not isinstance(skeleton, Skeleton):
            inside = isinstance(getattr(skeleton, "skeleton", None), Skeleton)
            hint = "; give its .skeleton" if inside else ""
            raise SuppleError(
                f"skeleton: expected a supple.Skeleton, got a {type(skeleton).__name__}{hint}"
            )
        one_of("unreachable policy", unreachable, POLICIES)
        listed = as_goals(goals)
        if isinstance(lock, Iterable) and not isinstance(lock, (str, bytes)):
            lock = tuple(lock)
        options = {"tolerance": tolerance, "orientation_tolerance": orientation_tolerance}
        self.problem = Problem(skeleton, listed, lock=lock, keep=unreachable == "keep", **options)
        options |= {"solver": solver, "lock": lock, "unreachable": unreachable}
        options["restarts"] = bool(restarts)
        self._settings = (skeleton, listed, options)
        self._skeleton = skeleton
        self.solvers = choose(solver, self.problem, restarts=restarts)
        self._runner = Runner(self.problem, self.solvers)
        self._rest = skeleton.rest
        self._width = self.problem.report_width
        self._offsets = self.problem.offsets(self._rest)[None]
        self._targets = Targets(self.problem)
        names = [one.name for one in self.solvers]
        self._asked = self._demands(" then ".join(names), unreachable == "keep")
        self._asked_of = tuple(replace(self._asked, solver=name) for name in names)
        self._alone = len(self.solvers) == 1
        self._desks: Desks | None = None  # until the first single solve

    @property
    def arguments(self) -> tuple[tuple[int, str], ...]:
        """What a call takes, in order: (goal's number, slot), such as (0, "target")."""
        return self._targets.arguments

    def _demands(self, solver: str, kept: bool) -> Asked:
        numbered = sorted(
            enumerate(self.problem.blocks), key=lambda one: (one[1].goal, one[1].kind)
        )
        demands = tuple(
            Demand(
                block.goal,
                KINDS[block.kind],
                self.problem.goals[block.goal].effector_name,
                block.tolerance,
                place,
            )
            for place, block in numbered
        )
        names = self._skeleton.joint_names
        moving = tuple(names[j] for j in self.problem.moving)
        return Asked(demands, moving, solver, kept)

    def with_solver(self, solver: Solver | str, *, restarts: bool | None = None) -> Prepared:
        """The same problem with another solver; with other `restarts`, if they are given."""
        skeleton, goals, options = self._settings
        changed = (
            {"solver": solver} if restarts is None else {"solver": solver, "restarts": restarts}
        )
        return Prepared(skeleton, goals, **{**options, **changed})

    def __reduce__(self) -> Any:
        return _rebuild, self._settings

    def __repr__(self) -> str:
        names = " then ".join(s.name for s in self.solvers)
        asked = ", ".join(f"{d.kind} of {d.effector}" for d in self._asked.demands)
        return f"Prepared({names}: {asked}; {self.problem.freedoms} freedoms)"

    # Calls --------------------------------------------------------------------------------------

    def __call__(self, *targets: Any, start: Pose | None = None) -> Solution:
        """Solve for the open targets, in the order of the goals, from `start` (default: rest).

        Args:
            targets: One argument an open target: a position (3,), an orientation wxyz (4,), a
                transform (4, 4).
            start: The pose to start from.
        """
        # The commonest calls, single targets from a single pose, without the general checks.
        if start is None:
            start = self._rest
        elif (
            type(start) is not Pose
            or start._skeleton is not self._skeleton
            or start._translations is not None
            or start._scales is not None
        ):
            return self.solve(*targets, start=start)
        desks = self._desks
        if desks is None:
            desks = self._lay_desks()
        try:
            desk = desks.free.pop()
        except IndexError:
            desk = desks.new()
        report = _empty(self._width)
        outcome = desks.solve_call(desk, start._coordinates, targets, report)
        desks.free.append(desk)
        if outcome == MET or (outcome == MISSED and self._alone):
            return Solution(self._asked_of[0], report, start)
        if outcome == NOT_TAKEN:
            plain = _as_floats(targets)
            if plain is not targets:
                outcome = desks.at_any(desks.solve_call, start._coordinates, plain, report)
                if outcome == MET or (outcome == MISSED and self._alone):
                    return Solution(self._asked_of[0], report, start)
        return self.solve(*targets, start=start)  # which also says what is wrong

    def _one(self, offsets: np.ndarray, q: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, int]:
        """The report of a single problem, shape (width,), and the number of the solver it is from.

        With a start (Q,) and a row of targets (T,).
        """
        if offsets is self._offsets:
            desks = self._desks or self._lay_desks()
            report = np.empty(self._width)
            outcome = desks.at_any(desks.solve_row, q, row, report)
            if outcome == MET or (outcome == MISSED and self._alone):
                return report, 0
        return self._runner.one(offsets, q, row)

    def _lay_desks(self) -> Desks:
        from supple.desk import lay_desks  # some kernels, which a first import need not wait for

        self._desks = lay_desks(
            self.solvers[0],
            self._runner.first,
            self._offsets,
            self._targets,
            self.problem.coordinates,
            self._width,
        )
        return self._desks

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
        if threads is not None:
            threads = whole("threads", threads, least=1)
        if progress is not None and not callable(progress):
            raise SuppleError(
                f"progress: expected a function of (done, total), got {type(progress).__name__}"
            )
        start = self._checked_start(start)
        rows = self._targets.filled(targets)
        try:
            shape = np.broadcast_shapes(rows.shape[:-1], start.batch_shape)
        except ValueError:
            raise SuppleError(
                "targets and start: expected batch axes that go together, "
                f"got {rows.shape[:-1]} and {start.batch_shape}"
            ) from None
        starts = _flat(start._coordinates, shape)
        offsets = self._offsets
        if start._translations is not None or start._scales is not None:
            offsets = _flat(self.problem.offsets(start), shape, trailing=2)
        arrays = (offsets, starts, _flat(rows, shape))
        if not shape:
            what = None
            if trace:
                report, found, what = self._runner.traced(arrays, start)
            else:
                report, found = self._one(offsets, starts[0], arrays[2][0])
            return Solution(self._asked_of[found], report, start, Aside(trace=what))
        if trace:
            raise SuppleError("trace: a batch has no trace; solve the problem of interest alone")
        out = np.full((math.prod(shape), self._width), np.nan)

        def part(first: int, last: int) -> None:
            self._runner.range(arrays, out, first, last)

        batch.run(part, len(out), threads=threads, progress=progress)
        rows = out.reshape(*shape, out.shape[1])
        return Solution(self._asked, rows, _spread(start, shape))

    def track(
        self,
        *targets: Any,
        start: Pose | None = None,
        restarts: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Track:
        """Follow a path: every frame is solved from the answer of the frame before.

        Args:
            targets: As in a call, with a leading axis of F frames; those without one stand still.
            start: The single pose before the first frame; the skeleton's rest by default.
            restarts: Whether a frame that cannot be met from the last answer may be looked for
                elsewhere, at the price of a jump. The first frame always may.
            progress: Called with (done, total) now and then.
        """
        start = self._checked_start(start)
        rows = self._targets.filled(targets)
        if rows.ndim != 2 or start.batch_shape:
            raise SuppleError(
                "track: expected targets with one axis of frames and a single start, "
                f"got axes {rows.shape[:-1]} and {start.batch_shape}"
            )
        own = None
        if start._translations is not None or start._scales is not None:
            own = self.problem.offsets(start)[None]
        steady = self if restarts else self.with_solver(self._settings[2]["solver"], restarts=False)
        out = np.empty((len(rows), self._width))
        done, q = 0, start._coordinates
        while done < len(rows):
            last = min(done + PROGRESS - done % PROGRESS, len(rows))
            if done > 0 and own is None:
                desks = steady._desks or steady._lay_desks()
                done = desks.at_any(desks.solve_path, rows, out, done, last, not steady._alone)
            if done < last:
                one = steady if done > 0 else self
                q = out[done - 1, : self.problem.coordinates] if done > 0 else q
                out[done], _ = one._one(one._offsets if own is None else own, q, rows[done])
                done += 1
            if progress is not None and (done % PROGRESS == 0 or done == len(rows)):
                progress(done, len(rows))
        return Track(Solution(self._asked, out, start))

    def seeds(self, start: Pose, count: int) -> Pose:
        """Poses to begin from, spread over the ranges of the joints that may move.

        Low-discrepancy, always the same.
        """
        rows = np.array(np.broadcast_to(start.coordinates, (count, self.problem.coordinates)))
        spread_seeds(*self._runner.packed, rows)
        return Pose._wrap(self._skeleton, rows, start._translations, start._scales)

    def _checked_start(self, start: Pose | None) -> Pose:
        if start is None:
            return self._rest
        if not isinstance(start, Pose):
            hint = "; give its .pose" if isinstance(start, Solution) else ""
            raise SuppleError(f"start: expected a supple.Pose, got a {type(start).__name__}{hint}")
        if start.skeleton != self._skeleton:
            raise another("start", self._skeleton, start.skeleton)
        return start


def _rebuild(skeleton: Skeleton, goals: tuple[Goal, ...], options: dict[str, Any]) -> Prepared:
    return Prepared(skeleton, goals, **options)


def _as_floats(targets: tuple[Any, ...]) -> tuple[Any, ...]:
    """Targets with lists, and tuples with whole numbers, as tuples of floats; the same without any."""
    found, changed = [], False
    for target in targets:
        if type(target) is list or type(target) is tuple:
            kinds = set(map(type, target))
            if kinds <= _NUMBERS and (type(target) is list or int in kinds):
                try:
                    target = tuple(map(float, target))
                except OverflowError:
                    return targets
                changed = True
        found.append(target)
    return tuple(found) if changed else targets


def _flat(value: np.ndarray, shape: tuple[int, ...], *, trailing: int = 1) -> np.ndarray:
    """A writable array with its batch axes flattened to one, as kernels take it.

    One row for all if it has no batch axes or only those of length one, else a row for each.
    """
    tail = value.shape[value.ndim - trailing :]
    if math.prod(value.shape[: value.ndim - trailing]) == 1:
        return value.reshape(1, *tail)
    rows = np.array(np.broadcast_to(value, (*shape, *tail)), order="C")
    return rows.reshape(math.prod(shape), *tail)


def _spread(start: Pose, shape: tuple[int, ...]) -> Pose:
    """A pose with all axes of a batch, or with none where it has none."""
    if start.batch_shape in ((), shape):
        return start
    parts = [
        x if x is None or x.ndim == 2 else np.array(np.broadcast_to(x, (*shape, *x.shape[-2:])))
        for x in (start._translations, start._scales)
    ]
    rows = np.array(np.broadcast_to(start._coordinates, (*shape, start._coordinates.shape[-1])))
    return Pose._wrap(start.skeleton, rows, *parts)


def prepare(
    skeleton: Skeleton,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    unreachable: str = "approach",
    restarts: bool = True,
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
        restarts: Whether the solver may begin again elsewhere after a stall. If not, every answer
            grows out of its start.
    """
    return Prepared(
        skeleton,
        goals,
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        unreachable=unreachable,
        restarts=restarts,
    )
