"""Prepared problems: everything that depends on the skeleton and the goals' shape, done once.

A call then has three steps: check the targets and write them into a row, run the solvers on it, and wrap the
report.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from supple.errors import (
    SuppleError,
    flag,
    function,
    instance,
    listed,
    one_of,
    positive,
    unmasked,
    whole,
)
from supple.errors import array as checked_array
from supple.goals import OPEN, Goal, as_goals, split_pose
from supple.kernels import layout as at
from supple.kernels.quaternion import read_frame
from supple.model.mismatch import another
from supple.model.skeleton import Pose, Skeleton
from supple.problem.lowering import Problem
from supple.solve.evaluate import Evaluator
from supple.solve.execute import Batch, Executor
from supple.solve.lowered import OpenTargets, write_problem
from supple.solve.outcome import BlockInfo, CarriedRoot, ProblemInfo
from supple.solve.servo import Servo, greatest
from supple.solve.solution import Extras, Solution
from supple.solve.tracked import Track
from supple.solvers import Solver, choose
from supple.threads import run_threaded

POLICIES = ("approach", "keep")
_empty = np.empty
FRAMES_PER_REPORT = 64  # frames of a track between two reports of progress
_NUMBERS = frozenset((float, int, np.float64))
_SCALARS = frozenset((*_NUMBERS, np.float32, np.float16, np.int64, np.int32, np.int16, np.uint8))
_LISTS = frozenset((list, tuple))
_FLOAT64 = np.dtype(np.float64)
_INT64_END = 2.0**63  # integers from here on do not fit into 64 bits

Rate = float | Mapping[str, Any] | None
"""A limit of speed or acceleration: for all joints, or by name."""


class Prepared:
    """A skeleton, goals and a solver, ready to solve for one target after another.

    Immutable, picklable, and safe to call from several threads at once.

    Attributes:
        problem: The lowered problem.
        solvers: The solvers tried in turn; usually one.
        executor: Runs the solvers.
    """

    __slots__ = (
        "_asked",
        "_asked_of",
        "_evaluator",
        "executor",
        "_offsets",
        "_rest",
        "_rest_row",
        "_servo",
        "_settings",
        "_skeleton",
        "_targets",
        "problem",
        "solvers",
    )

    def __init__(
        self,
        skeleton: Skeleton,
        goals: Mapping[str, Any] | Sequence[Goal] | Goal,
        *,
        solver: Solver | str = "auto",
        tolerance: float | None = None,
        orientation_tolerance: float = 1e-4,
        lock: Iterable[str] = (),
        free_root: bool = False,
        unreachable: str = "approach",
        restarts: bool = True,
        max_speed: Rate = None,
        max_acceleration: Rate = None,
    ) -> None:
        """See `prepare`."""
        instance("skeleton", skeleton, Skeleton)
        restarts = flag("restarts", restarts)
        free_root = flag("free_root", free_root)
        one_of("unreachable policy", unreachable, POLICIES)
        asked = as_goals(goals)
        lock = tuple(listed("lock", lock, "a list of joint names"))
        options: dict[str, Any] = {
            "tolerance": tolerance,
            "orientation_tolerance": orientation_tolerance,
        }
        options |= {"lock": lock, "free_root": free_root}
        self.problem = Problem(skeleton, asked, keep=unreachable == "keep", **options)
        options |= {"solver": solver, "unreachable": unreachable}
        options["restarts"] = restarts
        options |= {"max_speed": max_speed, "max_acceleration": max_acceleration}
        self._settings = (skeleton, asked, options)
        self._skeleton = skeleton
        self.solvers = choose(solver, self.problem, restarts=restarts)
        self.executor = Executor(self.problem, self.solvers)
        self._rest = skeleton.rest
        self._rest_row = self._rest._coordinates[None]
        self._offsets = self.problem.offsets(self._rest)[None]
        self._targets = Targets(self.problem)
        names = [one.name for one in self.solvers]
        self._asked = self._problem_info(" then ".join(names), unreachable == "keep")
        self._asked_of = tuple(replace(self._asked, solver=name) for name in names)
        self._evaluator: Evaluator | None = None
        self._servo: Servo | None = None
        if max_speed is not None or max_acceleration is not None:
            self._servo = self._new_servo()  # it checks the limits

    @property
    def arguments(self) -> tuple[tuple[int, str], ...]:
        """The open targets, which a call takes in this order: (goal's number, slot), such as (0, "target")."""
        return self._targets.arguments

    @property
    def asked(self) -> ProblemInfo:
        """What solutions report about the problem."""
        return self._asked

    def _problem_info(self, solver: str, kept: bool) -> ProblemInfo:
        """What solutions report about the problem, with blocks in the order of goals and kinds."""
        numbered = sorted(
            enumerate(self.problem.blocks), key=lambda one: (one[1].goal, one[1].kind)
        )
        demands = tuple(
            BlockInfo(
                block.goal,
                block.word,
                self.problem.goals[block.goal].effector_name,
                block.tolerance,
                place,
                self.problem.goals[block.goal].reason,
            )
            for place, block in numbered
            if block.kind != at.CARRIER
        )
        names = self._skeleton.joint_names
        moving = tuple(names[j] for j in self.problem.moving)
        bodies = self.problem.bodies
        still, carried = self.problem.roots
        return ProblemInfo(
            demands,
            moving,
            solver,
            kept,
            tuple(bodies.names) if bodies else (),
            tuple(names[root.joints[0]] for root in still),
            tuple(CarriedRoot(names[root.joints[0]], root.slides) for root in carried),
        )

    def _new_servo(self) -> Servo:
        """A servo, which solves ticks."""
        options = self._settings[2]
        limits = [
            greatest(self._skeleton, w, options[w]) for w in ("max_speed", "max_acceleration")
        ]
        return Servo(self.problem, options["solver"], options["restarts"], *limits)

    @property
    def _has_rates(self) -> bool:
        """True if speed or acceleration is limited, so that every call needs a dt."""
        options = self._settings[2]
        return options["max_speed"] is not None or options["max_acceleration"] is not None

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

    def __call__(
        self,
        *targets: Any,
        start: Pose | None = None,
        velocity: Any = None,
        dt: float | None = None,
        before: Any = None,
    ) -> Solution:
        """Solve for the open targets, in the order of the goals, from `start` (default: rest).

        With `dt` the call is one tick of a control loop: the answer is the pose after dt seconds, inside
        the limits of speed and acceleration that `prepare` was given, and `Solution.velocity` is the
        `velocity` argument of the next tick. If these limits keep the goals from being met, the joints move
        towards them as fast as they can while still being able to stop there, and brake in time before
        joint limits.

        Args:
            targets: One argument for each open target: a position (3,), an orientation wxyz (4,), a
                transform (4, 4).
            start: The pose to start from.
            velocity: The velocity of every freedom at the start, in `skeleton.freedoms` order, shape (D,)
                [rad/s, model units/s]: `velocity` of the tick before; at rest by default. Values of joints
                that the goals do not free are ignored.
            dt: Duration of the tick [s].
            before: The target of the tick before, or a list with one for each open target. A late tick
                computes the targets' velocity from it. By default the targets are assumed to be at rest, so
                that late joints trail by their braking distance.

        Raises:
            SuppleError: The input is invalid; or there are limits of speed or acceleration and no dt.
        """
        if dt is not None or self._servo is not None or velocity is not None or before is not None:
            return self._tick(targets, start, velocity, dt, before)
        # Fast path for a plain start and plain targets. The general path takes all others, and raises errors.
        if start is None:
            plain_start, starts = self._rest, self._rest_row
        elif (
            type(start) is Pose
            and start._skeleton is self._skeleton
            and start._translations is None
            and start._scales is None
            and start._coordinates.ndim == 1
        ):
            plain_start, starts = start, start._coordinates[None]
        else:
            return self._solve_general(targets, start)
        rows = self._targets.plain_rows(targets)
        if rows is None:
            return self._solve_general(targets, start)
        out = _empty((1, self.executor.width))
        found = self.executor.run((self._offsets, starts, rows.array), out, 0, 1)
        self._targets.give_back(rows)
        return Solution(self._asked_of[found], out[0], plain_start)

    def _tick(
        self, targets: tuple[Any, ...], start: Pose | None, velocity: Any, dt: Any, before: Any
    ) -> Solution:
        """See `__call__`."""
        dt, v = self._seconds(dt), self._velocity(velocity)
        last = None
        if before is not None:
            given = [before]
            if len(self.arguments) != 1:
                given = listed("before", before, "a list with the target before of every open goal")
            rows = self._targets.filled(tuple(given))
            if rows.ndim != 1:
                raise SuppleError(
                    f"before: expected single targets, got a batch of {rows.shape[:-1]}"
                )
            last = rows[None]
        self._servo = servo = self._servo or self._new_servo()
        start = self._checked_start(start)
        plain = start._translations is None and start._scales is None and not start.batch_shape
        rows = self._targets.plain_rows(targets) if plain else None
        if rows is not None:
            problems = (self._offsets, start._coordinates[None], rows.array)
            row, v = servo.tick(problems, v, dt, last)
            self._targets.give_back(rows)
        else:
            problems, shape, start = self.batch(targets, start)
            if shape:
                raise SuppleError(f"dt: a tick is a single solve; got a batch of shape {shape}")
            row, v = servo.tick(problems, v, dt, last)
        return Solution(self._asked, row, start, Extras(velocity=v))

    def _seconds(self, dt: Any) -> float:
        if dt is None:
            raise SuppleError(
                "dt: expected the seconds that a tick takes, since there are limits of speed or "
                "acceleration, a velocity or targets before; got none"
            )
        return positive("dt", dt)

    def _velocity(self, velocity: Any) -> np.ndarray:
        count = len(self._skeleton.freedoms)
        return (
            np.zeros(count) if velocity is None else checked_array("velocity", velocity, (count,))
        )

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
            threads: Maximum number of threads for a batch; all cores by default. The answer does not
                depend on it.
            progress: Called with (done, total) as a batch goes on, from the calling thread.
            trace: Whether to record a trace; single solves only.
        """
        if threads is not None:
            threads = whole("threads", threads, least=1)
        _check_progress(progress)
        trace = flag("trace", trace)
        if threads is None and progress is None and not trace:
            return self(*targets, start=start)
        return self._solve_general(targets, start, threads, progress, trace)

    def _solve_general(
        self,
        targets: tuple[Any, ...],
        start: Pose | None,
        threads: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        trace: bool = False,
    ) -> Solution:
        """See `solve`."""
        if self._has_rates:
            raise SuppleError(
                "solve: this problem has limits of speed or acceleration, which hold for calls with dt= and "
                "for track; prepare it without them to solve batches or traces"
            )
        problems, shape, start = self.batch(targets, start)
        if trace:
            if shape:
                raise SuppleError(
                    "trace: a batch has no trace; solve the problem of interest alone"
                )
            report, found, what = self.executor.run_traced(problems, start)
            return Solution(self._asked_of[found], report, start, Extras(trace=what))
        out = np.empty((math.prod(shape), self.executor.width))
        if not shape:
            found = self.executor.run(problems, out, 0, 1)
            return Solution(self._asked_of[found], out[0], start)

        def part(first: int, last: int) -> None:
            self.executor.run(problems, out, first, last)

        run_threaded(part, len(out), threads=threads, progress=progress)
        return Solution(self._asked, out.reshape(*shape, out.shape[1]), _spread(start, shape))

    def evaluate(self, pose: Pose, /, *targets: Any, start: Pose | None = None) -> Solution:
        """How near a pose is to the goals: the report of a solve that ends there. Nothing is solved.

        Args:
            pose: The pose, or a batch of poses.
            targets: As in `solve`: one argument for each open target, with any leading batch axes.
            start: The pose from which `Hold` takes its targets. Joints that may not move must have the coordinates
                of `pose`. By default the pose itself.

        Raises:
            SuppleError: The input is invalid.
        """
        if pose is None:
            raise SuppleError("pose: expected a supple.Pose, got None")
        (offsets, found, rows), shape, pose = self.batch(targets, pose)
        starts, begin = found, pose
        if start is not None:
            begin = self._checked_start(start)
            starts = self._same_elsewhere(pose, begin, shape)
        self._evaluator = evaluator = self._evaluator or Evaluator(self.problem)
        found = np.broadcast_to(found, (math.prod(shape), found.shape[1]))
        out = evaluator.of_poses((offsets, starts, rows), found)
        asked = replace(self._asked, solver="none", kept=False)
        return Solution(asked, out.reshape(*shape, out.shape[1]), _spread(begin, shape))

    def _same_elsewhere(self, pose: Pose, start: Pose, shape: tuple[int, ...]) -> np.ndarray:
        """The coordinates of a start as kernels take them.

        Raises:
            SuppleError: Its batch axes do not broadcast with the pose's, or a joint that may not move differs.
        """
        q = start._coordinates
        try:
            np.broadcast_to(q, (*shape, q.shape[-1]))
        except ValueError:
            raise SuppleError(
                f"start: expected batch axes that go with those of pose and targets, {shape}, "
                f"got {start.batch_shape}"
            ) from None
        table = self._skeleton.freedom_table
        still = np.ones(self.problem.coordinates, bool)
        for joint in self.problem.moving.tolist():
            still[table.coordinates_of(joint)] = False
        if np.any(pose._coordinates[..., still] != q[..., still]):
            raise SuppleError(
                "start: expected the coordinates of the pose in all joints that may not move"
            )
        return _flat(q, shape)

    def batch(
        self, targets: Sequence[Any], start: Pose | None
    ) -> tuple[Batch, tuple[int, ...], Pose]:
        """Targets and start as kernels take them, the shape of the batch, and the checked start."""
        start = self._checked_start(start)
        rows = self._targets.filled(tuple(targets))
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
        return (offsets, starts, _flat(rows, shape)), shape, start

    def track(
        self,
        *targets: Any,
        start: Pose | None = None,
        restarts: bool | None = None,
        velocity: Any = None,
        dt: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Track:
        """Follow a path: every frame is solved from the answer of the frame before.

        With `dt` every frame is a tick, as in a call, the first one too; each tick knows the targets of the
        tick before.

        Args:
            targets: As in a call, with a leading axis of F frames; those without one are constant.
            start: The single pose before the first frame; the skeleton's rest by default.
            restarts: Whether a frame that cannot be met from the last answer may be solved from other
                starts. Without `dt` that makes the pose jump, so that by default only the first frame may;
                with `dt` the joints move there within their limits, and by default every frame may.
            velocity: The velocity at the start, as in a call.
            dt: Time from frame to frame [s].
            progress: Called with (done, total) as the solve goes on.
        """
        _check_progress(progress)
        if restarts is not None:
            restarts = flag("restarts", restarts)
        frames, start = self._path(targets, start)
        offsets, rows, _ = frames
        if dt is not None or velocity is not None or self._servo is not None:
            options = self._settings[2]
            if restarts is not None and restarts != options["restarts"]:
                other = self.with_solver(options["solver"], restarts=restarts)
                return other.track(
                    *targets, start=start, velocity=velocity, dt=dt, progress=progress
                )
            return self._ticks(offsets, rows, start, velocity, dt, progress)
        steady = self if restarts else self.with_solver(self._settings[2]["solver"], restarts=False)
        out = np.empty((len(rows) + 1, self.executor.width))
        out[0, : self.problem.coordinates] = start._coordinates
        for first in range(0, len(rows), FRAMES_PER_REPORT):
            last = min(first + FRAMES_PER_REPORT, len(rows))
            if first == 0:
                self.executor.run_path(frames, out, 0, 1)
            steady.executor.run_path(frames, out, max(first, 1), last)
            if progress is not None:
                progress(last, len(rows))
        return Track(Solution(self._asked, out[1:], start))

    def _ticks(
        self,
        offsets: np.ndarray,
        rows: np.ndarray,
        start: Pose,
        velocity: Any,
        dt: Any,
        progress: Callable[[int, int], None] | None,
    ) -> Track:
        """See `track`."""
        dt, first = self._seconds(dt), self._velocity(velocity)
        self._servo = servo = self._servo or self._new_servo()
        count = self.problem.coordinates
        out = np.empty((len(rows), self.executor.width))
        velocities = np.empty((len(rows) + 1, len(first)))
        velocities[0] = first
        q = start._coordinates[None]
        for k in range(len(rows)):
            before = rows[k - 1 : k] if k else None
            batch = (offsets, q, rows[k : k + 1])
            out[k], velocities[k + 1] = servo.tick(batch, velocities[k], dt, before)
            q = out[k : k + 1, :count].copy()
            if progress is not None and ((k + 1) % FRAMES_PER_REPORT == 0 or k + 1 == len(rows)):
                progress(k + 1, len(rows))
        extras = Extras(velocity=velocities[1:])
        return Track(Solution(self._asked, out, start, extras), dt=dt, velocity=first)

    def clip(self, *targets: Any, start: Pose | None = None, **options: Any) -> Track:
        """Solve all frames of a clip at once, with joints that move smoothly; see `supple.solve.clips.ClipOptions`.

        Least squares over all frames: every frame's goals as in a solve, and differences of the joints from frame
        to frame (`Smooth`). Limits hold exactly; loops are closed, and `Avoid` and `Balance` kept, in every frame.
        Without `Smooth`, each frame is solved by itself.

        Args:
            targets: As in a call, with a leading axis of F frames; those without one are constant. A target that
                contains NaN is left out of that frame.
            start: Poses (F,) to start each frame from; or a single pose, from which each frame is first solved by
                itself. The skeleton's rest by default. `Hold` keeps its effector where this pose has it.
            options: Fields of `ClipOptions`: `smooth`, `fps`, `weights` and others.

        Raises:
            SuppleError: The input is invalid.
        """
        from supple.solve.clips import ClipOptions, ClipProblem, solve_clip  # seldom needed

        problem = ClipProblem(
            self.problem,
            len(self._settings[1]),
            self.arguments,
            self._targets.filled,
            self._asked,
        )
        return solve_clip(problem, targets, start, ClipOptions(**options))

    def track_branches(
        self,
        *targets: Any,
        start: Pose | None = None,
        jump: float = 0.5,
        progress: Callable[[int, int], None] | None = None,
    ) -> Track:
        """Follow a path on the branches that need the fewest reconfigurations; see `supple.track`.

        Args:
            targets: As for `track`.
            start: The single pose before the first frame; the skeleton's rest by default.
            jump: A reconfiguration is a step in which a joint moves farther than this [rad].
            progress: Called with (done, total) as the solve goes on.
        """
        from supple.solve.branches import Branches  # seldom needed

        jump = positive("jump", jump)
        _check_progress(progress)
        if self._has_rates:
            raise SuppleError(
                "branches: a path of ticks cannot jump; leave out branches, or the limits"
            )
        frames, start = self._path(targets, start)
        followed = Branches(self.problem).follow(frames, start._coordinates, jump, progress)
        return Track(Solution(self._asked, followed.rows, start), jumps=followed.jumps)

    def _path(self, targets: tuple[Any, ...], start: Pose | None) -> tuple[Batch, Pose]:
        """Frames as kernels take them, and the checked start."""
        start = self._checked_start(start)
        rows = self._targets.filled(targets)
        if rows.ndim != 2 or start.batch_shape:
            raise SuppleError(
                "track: expected targets with one axis of frames and a single start, "
                f"got axes {rows.shape[:-1]} and {start.batch_shape}"
            )
        offsets = self._offsets
        if start._translations is not None or start._scales is not None:
            offsets = self.problem.offsets(start)[None]
        return (offsets, rows, rows), start

    def to_bytes(self, *, start: Pose | None = None) -> bytes:
        """The lowered problem as data, for programs that run the compiled kernels without Python.

        The format is versioned, and described on the page "Lowered problems" of the documentation.

        Args:
            start: The single pose that a solve starts from if no other is given; the skeleton's rest
                by default. Its translations and scales are kept.

        Raises:
            SuppleError: A solver runs in Python (Optimize, or one of your own), or there is a batch
                of targets.
        """
        if self._has_rates:
            raise SuppleError("to_bytes: limits of speed and acceleration cannot be written")
        start = self._checked_start(start)
        targets, packed = self._targets, self.executor.packed_each
        opened = OpenTargets(targets.fixed, targets.arguments, targets.indices)
        return write_problem(self.problem, self.solvers, packed, opened, self._asked, start)

    def seeds(self, start: Pose, count: int) -> Pose:
        """Poses to start from, spread over the ranges of the joints that may move.

        Low-discrepancy and deterministic.
        """
        from supple.kernels.restart import spread_seeds  # seldom needed, and slow to import

        q = np.array(start.coordinates)
        rows = np.array(np.broadcast_to(q, (count, self.problem.coordinates)), order="C")
        spread_seeds(*self.executor.packed, q, rows)
        return Pose._wrap(self._skeleton, rows, start._translations, start._scales)

    def _checked_start(self, start: Pose | None) -> Pose:
        if start is None:
            return self._rest
        if instance("start", start, Pose).skeleton != self._skeleton:
            raise another("start", self._skeleton, start.skeleton)
        return start


def _check_progress(progress: Any) -> None:
    if progress is not None:
        function("progress", progress, "done", "total")


def _rebuild(skeleton: Skeleton, goals: tuple[Goal, ...], options: dict[str, Any]) -> Prepared:
    return Prepared(skeleton, goals, **options)


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


# Rows of targets ---------------------------------------------------------------------------------


def _small_array(slot: str, value: Any) -> np.ndarray:
    """A sequence as an array, if it is small and nothing in it is masked."""
    if len(value) > 4:
        raise ValueError
    if slot == "pose" and _LISTS.issuperset(map(type, value)):
        a, b, c, d = value
        numbers = [*a, *b, *c, *d]
        if len(a) == len(b) == len(c) == len(d) == 4 and _NUMBERS.issuperset(map(type, numbers)):
            return np.array(numbers).reshape(4, 4)  # faster than from nested lists, and unmasked
    unmasked(slot, value)
    return np.asarray(value)


class PlainRow:
    """A row of targets that is filled float by float, which is faster than filling an array.

    Attributes:
        floats: The targets.
        array: The same memory as kernels take it, shape (1, T).
    """

    __slots__ = ("array", "floats")

    def __init__(self, fixed: np.ndarray) -> None:
        """Make a row that holds the fixed targets."""
        self.floats = array("d", fixed.tobytes())
        self.array = np.frombuffer(self.floats, np.float64)[None]


class Targets:
    """Rows of targets as kernels take them, shape (..., T).

    Attributes:
        arguments: The open targets, in order: (goal's number, slot), such as (0, "target").
        fixed: The targets of the goals that are not open, shape (..., T); NaN where open.
        indices: For each argument its slot, its first index in a row, and for a transform the first index of its
            orientation (for other slots the number of floats).
        give_back: Takes a row of `plain_rows` back for the next call to use.
    """

    __slots__ = (
        "_at",
        "_free",
        "_goals",
        "_is_single",
        "arguments",
        "fixed",
        "give_back",
        "indices",
    )

    def __init__(self, problem: Problem) -> None:
        self._goals = problem.goals
        filled = [
            (block.goal, block.slot, block) for block in problem.blocks if block.target_floats
        ]
        self._at = {(i, slot): block.offset for i, slot, block in filled}
        sizes = {(i, slot): block.target_floats for i, slot, block in filled}
        slots = [
            (i, slot, getattr(goal, slot))
            for i, goal in enumerate(problem.goals)
            for slot in goal.slots
        ]
        self.arguments = tuple((i, slot) for i, slot, value in slots if value is OPEN)
        given = [one for one in slots if one[2] is not OPEN]
        self.fixed = self._placed(given, problem.default_targets)
        self._is_single = self.fixed.ndim == 1
        self.indices = tuple(
            (
                slot,
                self._at[i, "target" if slot == "pose" else slot],
                self._at[i, "orientation"] if slot == "pose" else sizes[i, slot],
            )
            for i, slot in self.arguments
        )
        self._free: list[PlainRow] = []
        self.give_back = self._free.append

    def plain_rows(self, targets: tuple[Any, ...]) -> PlainRow | None:
        """A row filled with the arguments of a call, if they are single and plain; else None.

        Plain are finite floats and 64-bit integers, of the right length, and rigid transforms. `filled` takes other
        valid arguments. The caller returns the row with `give_back`.
        """
        if not self._is_single or len(targets) != len(self.indices):
            return None
        try:
            rows = self._free.pop()
        except IndexError:
            rows = PlainRow(self.fixed)
        try:
            if self._put(rows, targets):
                return rows
        except (TypeError, ValueError, RuntimeError, OverflowError):
            pass  # no array, masked, or of another length: `filled` raises the error
        self._free.append(rows)
        return None

    def _put(self, rows: PlainRow, targets: tuple[Any, ...]) -> bool:
        """Write plain targets into a row; False if one is not plain."""
        row = rows.floats
        number = 0
        for slot, index, orientation_index in self.indices:
            value = targets[number]
            number += 1
            kind = type(value)
            if kind in _LISTS and slot != "pose" and _NUMBERS.issuperset(map(type, value)):
                pass  # most calls
            elif kind in _LISTS and slot != "pose" and _SCALARS.issuperset(map(type, value)):
                value = [float(x) for x in value]
            else:
                if kind is not np.ndarray:
                    value = _small_array(slot, value)
                dtype = value.dtype
                if dtype.kind not in "fiu" or dtype.itemsize > 8:
                    return False
                if slot == "pose":
                    if value.shape != (4, 4):
                        return False
                    if dtype is not _FLOAT64 or not value.flags.carray:
                        value = np.array(value, np.float64, order="C")  # kernels take no others
                    if not read_frame(value, rows.array, index, orientation_index):
                        return False
                    continue
                if value.ndim != 1:
                    return False
                value = value.tolist()
            if slot == "target":
                x, y, z = value
                if not (
                    -_INT64_END < x < _INT64_END
                    and -_INT64_END < y < _INT64_END
                    and -_INT64_END < z < _INT64_END
                ):
                    return False
                row[index], row[index + 1], row[index + 2] = x, y, z
            elif slot == "orientation":
                w, x, y, z = value
                size = sqrt(w * w + x * x + y * y + z * z)
                if not abs(size - 1.0) <= 1e-3:
                    return False
                if abs(size - 1.0) > 2e-15:
                    w, x, y, z = w / size, x / size, y / size, z / size
                row[index], row[index + 1], row[index + 2], row[index + 3] = w, x, y, z
            else:
                if len(value) != orientation_index or not all(
                    -_INT64_END < x < _INT64_END for x in value
                ):
                    return False
                for x in value:
                    row[index] = x
                    index += 1
        return True

    def filled(self, targets: tuple[Any, ...]) -> np.ndarray:
        """Rows filled with the arguments of a call, shape (..., T).

        Raises:
            SuppleError: There are too many or too few arguments, or a goal does not accept its own.
        """
        if len(targets) != len(self.arguments):
            wanted = ", ".join(
                f"{slot} of {self._goals[i].effector_name!r}" for i, slot in self.arguments
            )
            raise SuppleError(
                f"targets: expected {len(self.arguments)} ({wanted or 'none is open'}), "
                f"got {len(targets)}"
            )
        given = []
        for (i, slot), value in zip(self.arguments, targets, strict=True):
            name = self._goals[i].effector_name
            if value is OPEN:
                raise SuppleError(f"{slot} of {name!r}: expected numbers, got OPEN")
            given.append((i, slot, self._goals[i].check_slot(slot, value)))
        return self._placed(given, self.fixed)

    def _placed(self, given: list[tuple[int, str, np.ndarray]], rows: np.ndarray) -> np.ndarray:
        parts: list[tuple[int, np.ndarray]] = []
        for i, slot, value in given:
            if slot == "pose":
                position, orientation = split_pose(value)
                parts.append((self._at[i, "target"], position))
                parts.append((self._at[i, "orientation"], orientation))
            else:
                parts.append((self._at[i, slot], value))
        shapes = [rows.shape[:-1], *(value.shape[:-1] for _, value in parts)]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            shown = " and ".join(str(one) for one in shapes if one)
            raise SuppleError(
                f"targets: expected batch axes that go together, got {shown}"
            ) from None
        placed = np.empty((*shape, rows.shape[-1]))
        if sum(value.shape[-1] for _, value in parts) < rows.shape[-1]:
            placed[...] = rows
        for column, value in parts:
            placed[..., column : column + value.shape[-1]] = value
        return placed


def prepare(
    skeleton: Skeleton,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    free_root: bool = False,
    unreachable: str = "approach",
    restarts: bool = True,
    max_speed: Rate = None,
    max_acceleration: Rate = None,
) -> Prepared:
    """Prepare a problem that will be solved many times.

    Args:
        skeleton: The skeleton.
        goals: The goals; targets that are not given, or OPEN, are arguments of each call, in the
            goals' order.
        solver: A solver, its name, or "auto".
        tolerance: Distance that counts as reached [model units]; 1e-4 of each goal's chain length by
            default.
        orientation_tolerance: Angle that counts as reached [rad].
        lock: Names of joints that keep their start coordinates.
        free_root: Whether the free root of the model, the joint that places it in the world, may move like
            other joints. By default it stays unless a goal names it, or a limb of it is held.
        unreachable: "approach" (come as near as possible) or "keep" (return the start).
        restarts: Whether the solver may restart from other poses after a stall. If not, every answer
            is in the basin of its start.
        max_speed: The speed limit of each joint [rad/s, slides: model units/s], for calls with `dt`: a number for
            all, or {joint: number} with no limit for joints that are not named. A joint that slides and turns takes
            a number or a pair of them. For a ball it limits the length of its angular velocity, for `Axes` each
            angle. The limit of a joint that copies another limits that one.
        max_acceleration: The acceleration limit of each joint, in the same form [rad/s^2, model units/s^2].
    """
    return Prepared(
        skeleton,
        goals,
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        free_root=free_root,
        unreachable=unreachable,
        restarts=restarts,
        max_speed=max_speed,
        max_acceleration=max_acceleration,
    )
