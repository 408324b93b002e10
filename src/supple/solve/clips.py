"""Whole clips: least squares over all frames, from checked input to a `Track`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError, array, flag, function, instance, one_of, positive, whole
from supple.goals import OPEN
from supple.goals.smooth import as_smooth
from supple.kernels import banded, layout
from supple.kernels.decorators import announce
from supple.model.effector import find_effector
from supple.model.mismatch import another
from supple.model.skeleton import Pose
from supple.problem.lowering import Problem
from supple.runs import true_runs, widened
from supple.solve.jumps import find_jumps, without_jumps
from supple.solve.outcome import ProblemInfo
from supple.solve.own_goals import OwnGoals
from supple.solve.solution import Solution
from supple.solve.tracked import Track
from supple.threads import run_threaded

NAME = "clip"


@dataclass(frozen=True)
class ClipRules:
    """The tuned numbers of windows, passes and settling. No measurement is recorded for those without a source.

    Attributes:
        posture_weight: What a radian from the posture of Rest costs, beside a goal that is one characteristic length
            away.
        window_floats: Floats in the matrices of a window, at most: 64 MB.
        longest_window: Frames of a window, at most.
        shortest_window: Frames of a window, at least, unless the clip has fewer.
        overlap: Frames that two windows share: two seconds at 30 frames a second, so that what one window does not
            know of the next fades before their seam. Not tuned.
        passes_alone: Solves of one step, at most, with limits and constraints held that the solve before leaves or
            breaks, where frames are solved by themselves: there a solve costs little.
        passes: The same for all frames together: there another iteration is worth more than a second solve. Measured
            on 300 frames of G1.
        ahead: Constraints nearer than this to being broken count in a step [characteristic lengths]. Steps of a clip
            are small: a fifth of what a single solve looks at is enough for G1 and T1.
        settlings: How often frames that break constraints are solved again, at most. With `stronger`, `around` and
            `margin_used` it leaves no overlap above 1 cm on ten clips on T1, where forearms were up to 3.6 cm in
            the trunk.
        stronger: The factor by which constraints weigh more each time.
        around: Frames on both sides that are solved again with them.
        margin_used: The part of a margin that may be used up before a frame is solved again.
        no_margin: The depth that is left alone where there is no margin [characteristic lengths].
    """

    posture_weight: float = 1e-6
    window_floats: int = 2**23
    longest_window: int = 1024
    shortest_window: int = 192
    overlap: int = 64
    passes_alone: int = 4
    passes: int = 1
    ahead: float = 0.03
    settlings: int = 3
    stronger: float = 4.0
    around: int = 4
    margin_used: float = 0.9
    no_margin: float = 1e-4


RULES = ClipRules()


@dataclass(frozen=True, kw_only=True)
class ClipOptions:
    """How a clip is solved. Values per frame are arrays with a leading axis of F frames, or one value for all.

    Attributes:
        smooth: How smoothly joints move: a `Smooth`, or its weight of acceleration. By default the `Smooth` among the
            goals, if there is one; else frames are independent of each other.
        fps: Frames a second, by which the weights of `Smooth` are scaled.
        weights: Factors of the goals' weights, shape (F, goals), (goals,) or what broadcasts to that, 0 or more; 0
            leaves a goal out of a frame.
        robust: For each goal, or for all, the error beyond which it counts linearly and not by its square (Huber's
            loss), so that a few wrong targets do not spoil a clip [model units, of angles rad]; 0 for none.
        supports: Which feet of `Balance` stand, by name: {foot: booleans (F,)}. All by default.
        balance: Weight of `Balance`, shape (F,) or a number, from 0 to 1.
        avoid: Weight of `Avoid`, shape (F,) or a number, from 0 to 1.
        max_step: The reason names joints that turn farther than this from frame to frame [rad].
        iterations: Maximum number of iterations over all frames.
        alone: Maximum number of iterations in which every frame is first solved by itself. By default 0 if `start`
            has a pose for every frame, else 50.
        settle: True to solve frames again in which goals use up the margins of `Avoid` or `Balance`, together with
            the frames around them and with constraints that weigh more.
        mend: True to repair, frame by frame, violations of `Avoid` and `Balance` that remain after the last
            iteration, at the cost of goals and smoothness. False leaves the least-squares answer as it is.
        damping: Initial damping, as in `LM`.
        stall: Stop at an iteration that is predicted to lower the cost by less than this fraction.
        blame: True to find out, for frames that miss their goals, if `Avoid` or `Balance` is in the way
            (`Solution.blocked_by`), which may take as long as solving them.
        threads: Maximum number of threads for frames that are solved by themselves. The answer does not depend on it.
        progress: Called with (done, total) frames as the solve goes on.
    """

    smooth: Any = None
    fps: float = 30.0
    weights: Any = None
    robust: Any = None
    supports: Any = None
    balance: Any = 1.0
    avoid: Any = 1.0
    max_step: float | None = None
    iterations: int = 50
    alone: int | None = None
    settle: bool = True
    mend: bool = True
    damping: float = 1e-2
    stall: float = 1e-8
    blame: bool = True
    threads: int | None = None
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        given: dict[str, Any] = {
            "fps": positive("fps", self.fps),
            "iterations": whole("iterations", self.iterations),
            "alone": None if self.alone is None else whole("alone", self.alone),
            "damping": positive("damping", self.damping),
            "stall": positive("stall", self.stall),
            "max_step": None if self.max_step is None else positive("max_step", self.max_step),
            "blame": flag("blame", self.blame),
            "threads": None if self.threads is None else whole("threads", self.threads, least=1),
        }
        if self.smooth is not None:
            given["smooth"] = as_smooth(self.smooth)
        if self.progress is not None:
            function("progress", self.progress, "done", "total")
        for name, value in given.items():
            object.__setattr__(self, name, value)


class ClipProblem(NamedTuple):
    """The parts of a prepared problem that the solve of a clip needs.

    Attributes:
        problem: The lowered problem.
        goal_count: Number of goals given, without the loops of the model.
        arguments: The open targets, in order: (goal's number, slot).
        fill_targets: Checks targets and returns rows of floats as kernels take them, shape (..., T).
        asked: What solutions report about the problem.
    """

    problem: Problem
    goal_count: int
    arguments: tuple[tuple[int, str], ...]
    fill_targets: Callable[[tuple[Any, ...]], np.ndarray]
    asked: ProblemInfo


def solve_clip(
    prepared: ClipProblem, targets: tuple[Any, ...], start: Pose | None, options: ClipOptions
) -> Track:
    """See `Prepared.clip`."""
    problem = prepared.problem
    _check(problem)
    start = problem.skeleton.rest if start is None else start
    if instance("start", start, Pose).skeleton != problem.skeleton:
        raise another("start", problem.skeleton, start.skeleton)
    given, missing = _visible(prepared, targets)
    rows = prepared.fill_targets(given)
    frames = _frame_count(rows, start, missing)
    smooth: Any = options.smooth
    if smooth is None:
        smooth = next((goal for goal in problem.goals if goal.needs_clip), None)
    work = _Clip(problem, prepared.goal_count, start, rows, frames)
    work.weigh(options, missing)
    work.set_smooth(smooth, options.fps)
    alone = options.alone
    if alone is None:
        alone = 0 if start.batch_shape else 50
    own = OwnGoals(problem)
    own.before(work.poses, work.rows, 0)
    work.run("begin", 0, frames)
    if alone or work.bands == banded.NO_BAND:
        work.solve_alone(options, alone or options.iterations)
    if work.bands > banded.NO_BAND:
        if smooth.reference is None:
            work.leave_jumps(options, alone)
        work.solve_together(options)
        if options.settle:
            work.settle(options)
    work.judge(options)
    own.after(work.rows, work.out, 0, frames)
    work.blank_unasked()
    asked = replace(prepared.asked, solver=NAME)
    return Track(Solution(asked, work.out, start), max_step=options.max_step)


def _check(problem: Problem) -> None:
    if problem.keep:
        raise SuppleError('clip: expected unreachable="approach", got "keep"')
    for goal in problem.goals:
        if "pole" in goal.kinds:
            raise SuppleError(
                f"clip: a Pole ({goal.effector_name!r}) chooses among poses that meet the goals, and a clip weighs all "
                "at once; ask for the place of the elbow or knee, or for a direction (supple.goals.Span)"
            )


def _visible(
    prepared: ClipProblem, targets: tuple[Any, ...]
) -> tuple[tuple[Any, ...], list[tuple[int, np.ndarray]]]:
    """Targets with NaN replaced by finite values, and for each argument its goal and where it was NaN."""
    given, missing = list(targets), []
    for k, ((goal, slot), value) in enumerate(zip(prepared.arguments, targets, strict=False)):
        if value is OPEN or isinstance(value, str):
            continue
        try:
            numbers = np.array(value)
        except (TypeError, ValueError, OverflowError):
            continue  # `filled` raises the error
        if numbers.dtype not in (np.float64, np.float32):
            continue  # only floats can be NaN
        numbers = numbers.astype(np.float64)
        axes = (-2, -1) if slot == "pose" else (-1,)
        if numbers.ndim < len(axes) or not np.isnan(numbers).any():
            continue
        lost = np.isnan(numbers).any(axis=axes)
        nothing = np.zeros(numbers.shape[numbers.ndim - len(axes) :])
        if slot == "pose" and nothing.shape == (4, 4):
            nothing = np.eye(4)
        elif slot == "orientation" and nothing.shape == (4,):
            nothing[0] = 1.0
        numbers[lost] = nothing
        given[k] = numbers
        missing.append((goal, lost))
    return tuple(given), missing


def _frame_count(rows: np.ndarray, start: Pose, missing: list[tuple[int, np.ndarray]]) -> int:
    shapes = [rows.shape[:-1], start.batch_shape, *(lost.shape for _, lost in missing)]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        shape = ()
    if len(shape) != 1 or shape[0] == 0:
        raise SuppleError(
            "clip: expected targets or a start with one axis of frames, "
            f"got axes {rows.shape[:-1]} and {start.batch_shape}"
        )
    return shape[0]


class _Clip:
    """A clip as its kernels take it.

    Attributes:
        poses: Coordinates, shape (F, Q).
        rows: What is asked in every frame, shape (F, ...); see `supple.solvers.clip.RowColumns`.
        out: Reports, shape (F, width).
        bands: Number of frames before it that a frame's differences reach back to.
    """

    def __init__(
        self, problem: Problem, goals: int, start: Pose, targets: np.ndarray, frames: int
    ) -> None:
        from supple.solvers import clip  # its kernels: not before they are needed

        self._kernels, self._problem, self._goals, self.frames = clip, problem, goals, frames
        self._packed = problem.pack(())
        blocks = len(problem.blocks)
        soles = 0 if problem.bodies is None else len(problem.bodies.soles)
        count = targets.shape[-1]
        self._weights = slice(count, count + blocks)
        self._robust = slice(count + blocks, count + 2 * blocks)
        self._standing = slice(count + 2 * blocks, count + 2 * blocks + soles)
        self._strength = count + 2 * blocks + soles
        held = 4 * blocks if any(block.held for block in problem.blocks) else 0
        self.rows = np.zeros((frames, self._strength + 3 + held))
        self.rows[:, :count] = targets
        self.poses = np.array(
            np.broadcast_to(start._coordinates, (frames, problem.coordinates)), order="C"
        )
        offsets = problem.offsets(start)
        self._offsets = offsets[None] if offsets.ndim == 2 else np.ascontiguousarray(offsets)
        self.out = np.empty((frames, problem.report_width))
        self._ended = np.zeros((frames, clip.ENDED_COLUMNS))
        self._free: list[np.ndarray] = []
        self.bands = banded.NO_BAND
        self._smooth = np.zeros((problem.freedoms, 3))
        self._reference = np.zeros((0, problem.coordinates))

    # What is asked ------------------------------------------------------------------------------

    def weigh(self, options: ClipOptions, missing: list[tuple[int, np.ndarray]]) -> None:
        """Fill the factors of the blocks' weights, and which feet stand."""
        problem, rows = self._problem, self.rows
        goals = [block.goal for block in problem.blocks]
        count = len(problem.goals)
        factors = self._per_goal("weights", options.weights, 1.0)
        for goal, lost in missing:
            factors[:, goal] = np.where(lost, 0.0, factors[:, goal])
        hard = [k for k in range(count) if "loop" in problem.goals[k].kinds]
        if np.any(factors[:, hard] != 1.0):
            raise SuppleError("weights: expected 1 for loops, which hold in every frame")
        rows[:, self._weights] = np.sqrt(factors)[:, goals]
        rows[:, self._robust] = self._per_goal("robust", options.robust, 0.0)[:, goals]
        for k, name in enumerate(("avoid", "balance")):
            rows[:, self._strength + k] = self._per_frame(name, getattr(options, name))
        rows[:, self._strength + 2] = RULES.ahead
        rows[:, self._standing] = 1.0
        if options.supports is not None:
            self._stand(options.supports)

    def _per_goal(self, name: str, given: Any, default: float) -> np.ndarray:
        """Values of 0 or more for each frame and goal; the default for the loops of the model."""
        count = self._goals
        out = np.full((self.frames, len(self._problem.goals)), default)
        if given is None:
            return out
        value = np.asarray(array(name, given, (...,)))
        if np.any(value < 0.0):
            raise SuppleError(f"{name}: expected numbers from 0, got {value.min():g}")
        try:
            out[:, :count] = np.broadcast_to(value, (self.frames, count))
        except ValueError:
            raise SuppleError(
                f"{name}: expected shape ({self.frames}, {count}) of frames and goals, or what broadcasts to that, "
                f"got {value.shape}"
            ) from None
        return out

    def _per_frame(self, name: str, given: Any) -> np.ndarray:
        value = array(name, given, (...,))
        if value.shape not in ((), (1,), (self.frames,)) or np.any((value < 0.0) | (value > 1.0)):
            raise SuppleError(
                f"{name}: expected a number from 0 to 1, or one for each of {self.frames} frames, got {given!r:.80}"
            )
        return value

    def _stand(self, supports: Any) -> None:
        bodies, skeleton = self._problem.bodies, self._problem.skeleton
        if not isinstance(supports, Mapping):
            raise SuppleError(f"supports: expected {{foot: truth values}}, got {supports!r:.80}")
        if bodies is None or not bodies.soles:
            raise SuppleError("supports: expected a Balance with feet among the goals, got none")
        joints = np.array([bodies.points[point][0] for point in bodies.soles])
        for name, stands in supports.items():
            one_of("foot of supports", name, skeleton.names)
            soles = np.flatnonzero(joints == find_effector(skeleton, name).joint)
            if not len(soles):
                raise SuppleError(f"supports: {name!r} has no soles; expected a foot of Balance")
            value = np.asarray(stands)
            if value.shape not in ((), (self.frames,)):
                raise SuppleError(
                    f"supports of {name!r}: expected {self.frames} truth values, got shape {value.shape}"
                )
            columns = self._standing.start + soles
            self.rows[:, columns] = np.broadcast_to(value.astype(bool), self.frames)[:, None]

    def set_smooth(self, smooth: Any, fps: float) -> None:
        """Fill the weights of differences between frames."""
        problem = self._problem
        skeleton = problem.skeleton
        joints = skeleton.freedom_table.free.joint
        joints = joints[np.isin(joints, problem.moving)]
        if smooth is not None:
            self._smooth = np.ascontiguousarray(smooth.difference_weights(skeleton, joints, fps))
            self._refer(smooth.reference)
        self._smooth[:, 0] += RULES.posture_weight * self._packed[1][layout.F_REST]
        if self.frames > 2 and np.any(self._smooth[:, 2]):
            self.bands = banded.TWO_BANDS
        elif self.frames > 1 and np.any(self._smooth[:, 1]):
            self.bands = banded.ONE_BAND

    def _refer(self, reference: Pose | None) -> None:
        if reference is None:
            return
        skeleton = self._problem.skeleton
        if reference.skeleton != skeleton:
            raise another("reference of Smooth", skeleton, reference.skeleton)
        if reference.batch_shape not in ((), (1,), (self.frames,)):
            raise SuppleError(
                f"reference of Smooth: expected {self.frames} poses, or one, got {reference.batch_shape[0]}"
            )
        self._reference = np.array(reference.coordinates, ndmin=2, order="C")

    # Running ------------------------------------------------------------------------------------

    def run(self, entry: str, first: int, last: int, settings: np.ndarray | None = None) -> None:
        """Call an entry of the kernels on some frames."""
        kernel = getattr(self._kernels, entry)
        if settings is None:
            settings = np.zeros(self._kernels.SETTING_COLUMNS)
        arrays = (
            *self._packed,
            self._offsets,
            self.rows,
            self._smooth,
            self._reference,
            self.poses,
        )
        arrays = (*arrays, self._ended, settings, self.out)
        announce("clip solver", kernel)
        try:
            work = self._free.pop()
        except IndexError:
            work = np.zeros(1)
        size = np.zeros(1)
        kernel(*arrays, size, 0, 0)
        if len(work) < size[0]:
            work = np.zeros(int(size[0]))
        kernel(*arrays, work, first, last)
        self._free.append(work)

    def _settings(self, options: ClipOptions, **changes: float) -> np.ndarray:
        kernels, out = self._kernels, np.zeros(self._kernels.SETTING_COLUMNS)
        given = {"iterations": options.iterations, "damping": options.damping}
        given |= {"stall": options.stall, "window": 1, "bands": 0, "passes": RULES.passes_alone}
        given["blame"] = float(options.blame)
        for name, value in (given | changes).items():
            out[getattr(kernels, f"S_{name.upper()}")] = value
        return out

    def solve_alone(self, options: ClipOptions, iterations: int) -> None:
        """Solve every frame by itself."""
        settings = self._settings(options, iterations=iterations)

        def part(first: int, last: int) -> None:
            self.run("relax", first, last, settings)

        run_threaded(part, self.frames, threads=options.threads)

    def leave_jumps(self, options: ClipOptions, iterations: int) -> None:
        """Keep neighbouring frames, solved by themselves, on the same branch if that costs less than a jump."""
        if not find_jumps(self._problem.skeleton, self.poses):
            return
        if not iterations:  # the costs of these poses are not known yet
            self.run("relax", 0, self.frames, self._settings(options, iterations=0))
            iterations = options.iterations
        skeleton, kernels = self._problem.skeleton, self._kernels
        joints = skeleton.freedom_table.joints
        first, count = joints.coordinate.tolist(), joints.coordinates.tolist()
        moving = self._problem.moving.tolist()
        moved = np.array([first[j] + i for j in moving for i in range(count[j])], np.int64)
        settings = self._settings(options, iterations=iterations)

        def solve(frame: int, start: np.ndarray) -> tuple[np.ndarray, float]:
            self.poses[frame] = start
            self.run("relax", frame, frame + 1, settings)
            return self.poses[frame].copy(), float(self._ended[frame, kernels.E_COST])

        own, costs = self.poses.copy(), self._ended[:, kernels.E_COST].copy()
        self.poses[:] = without_jumps(skeleton, moved, own, costs, solve)

    def solve_together(self, options: ClipOptions) -> None:
        """Solve all frames together."""
        self._solve_run(slice(0, self.frames), options)

    def _solve_run(self, run: slice, options: ClipOptions) -> None:
        """Solve a run of frames together, tied to the frames around them, window by window."""
        ahead = self.rows[:, self._strength + 2]
        # With a single solve a step only constraints that are broken count.
        ahead[:] = RULES.ahead if RULES.passes > 1 else 0.0
        size = max(self._problem.freedoms, 1)
        window = RULES.window_floats // (4 * size * size)
        window = min(max(window, RULES.shortest_window), RULES.longest_window, run.stop - run.start)
        first = run.start
        while True:
            last = min(first + window, run.stop)
            settings = self._settings(
                options, window=last - first, bands=self.bands, passes=RULES.passes
            )
            self.run("relax", first, last, settings)
            if options.progress is not None:
                options.progress(last, self.frames)
            if last == run.stop:
                break
            first = last - RULES.overlap
        ahead[:] = RULES.ahead

    def settle(self, options: ClipOptions) -> None:
        """Solve frames that break constraints again, with the frames around them and stronger constraints."""
        margin, columns = self._kept_margin(), slice(self._strength, self._strength + 2)
        given = self.rows[:, columns].copy()
        for _ in range(RULES.settlings):
            near = self._ended[:, self._kernels.E_DEPTH] > margin
            if not near.any():
                break
            near = widened(near, RULES.around)
            self.rows[near, columns] *= RULES.stronger
            for run in true_runs(near):
                self._solve_run(run, replace(options, progress=None))
        self.rows[:, columns] = given

    def _kept_margin(self) -> float:
        """The depth in the margins of constraints at which frames may stay [model units]."""
        bodies = self._problem.bodies
        margins = [] if bodies is None else [m for m in (bodies.margin, bodies.balance) if m > 0.0]
        return max(
            RULES.margin_used * min(margins, default=0.0), RULES.no_margin * self._problem.length
        )

    def judge(self, options: ClipOptions) -> None:
        """Close open loops, repair broken constraints, and write the reports."""
        settings = self._settings(options)
        if not options.mend:
            self.rows[:, self._strength : self._strength + 2] = 0.0

        def part(first: int, last: int) -> None:
            self.run("judge", first, last, settings)

        run_threaded(part, self.frames, threads=options.threads)

    def blank_unasked(self) -> None:
        """Report NaN as the error of goals left out of a frame."""
        problem = self._problem
        first = problem.coordinates + layout.REPORT
        unasked = self.rows[:, self._weights][:, : problem.reported] == 0.0
        errors = self.out[:, first : first + problem.reported]
        errors[unasked] = math.nan
