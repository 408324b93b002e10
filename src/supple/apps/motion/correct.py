"""IK on top of a motion: goals over time, faded in and out, without pops.

Frames are solved one after the other, each from its animated pose with the correction of the frame before, so that all
stay on one branch of solutions. They are then solved as one clip with a smoothly changing correction (`Prepared.clip`),
and each frame is solved from there to its tolerance; a run of frames takes these solutions if they are smoother.
Where goals fade, the pose is between the animated and the solved one; there, a joint that the correction would turn
faster than `speed` is slowed down. Frames whose goals have full weight keep their solution, and frames outside all
windows their animation. The report is measured on the frames of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.seams import Columns, Seam, Speeds, columns_of, seams_at, settled
from supple.apps.motion.window import Window, faded_targets, windows
from supple.errors import SuppleError, flag, function, number, one_of, whole
from supple.goals import OPEN, Goal, as_goals
from supple.goals.smooth import Smooth
from supple.model.skeleton import Pose
from supple.rotations import conjugate, multiply, to_rotation_vector
from supple.solve.following import better_rows, follow
from supple.solve.outcome import Collision, Status, counted, summary
from supple.solve.prepare import POLICIES, Prepared, prepare
from supple.solve.solution import Solution
from supple.solvers import Solver

Floats = NDArray[np.float64]

UNTOUCHED = -1
"""The status of a frame outside all windows."""

FADING = -2
"""The status of a frame that is between its animation and its goals."""


@dataclass(frozen=True, eq=False)
class Correction:
    """The result of `correct`.

    Attributes:
        motion: The corrected motion: same frames, same times.
        status: How each frame ended: the values of `Status`; -1 outside all windows, -2 where goals
            fade and need not be met, shape (F,).
        error: Distance of each frame of `motion` from its targets, model units; NaN outside all
            windows and where goals fade, shape (F,).
        weight: The share of the solved pose in each frame, 0 to 1, shape (F,).
        seams: Where frames with and without correction meet, where a jump was spread out, and where
            the correction is faster than `speed`: the joint that it turns fastest, and how fast.
        limited: Names of the joints whose limits kept goals of any frame from coming closer.
        reasons: By frame, why its goals are not met, in words.
        collisions: By frame, the two bones, or the bone and the obstacle, that are deepest inside the
            margin of `Avoid`; frames without any are left out.
        off_balance: Distance of the centre of mass of each frame outside the support and margin of
            `Balance`, model units, shape (F,); 0 if it is inside, or without `Balance`.
        root_moves: By name, the greatest distance by which a free root that no goal names was moved from its
            animation, model units.
    """

    motion: Motion
    status: NDArray[np.int64]
    error: Floats
    weight: Floats
    seams: tuple[Seam, ...]
    limited: tuple[str, ...] = ()
    reasons: Mapping[int, str] = field(default_factory=dict)
    collisions: Mapping[int, Collision] = field(default_factory=dict)
    off_balance: Floats = field(default_factory=lambda: np.zeros(0))
    root_moves: Mapping[str, float] = field(default_factory=dict)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether each frame's goals are met; true where no goal has full weight, shape (F,)."""
        return self.status <= Status.REACHED

    @property
    def speed(self) -> float:
        """The greatest joint speed that the correction adds at any seam [rad/s].

        If the motion was corrected with a `speed`, the correction is nowhere faster than the greater of the two.
        """
        return max((seam.added for seam in self.seams), default=0.0)

    @property
    def reason(self) -> str:
        """How the frames ended, in words."""
        solved = self.status[self.status >= Status.REACHED]
        words = [summary(solved) if len(solved) else "no frame is in a window"]
        for status, what in ((FADING, "fading"), (UNTOUCHED, "untouched")):
            count = int(np.count_nonzero(self.status == status))
            words += [f"{count} {what}"] if count else []
        fast = sum(seam.too_fast for seam in self.seams)
        words += [f"{counted(fast, 'jump')} faster than asked for"] if fast else []
        words += [
            f"the root {name} moved by up to {far:.3g}"
            for name, far in self.root_moves.items()
            if far
        ]
        return "; ".join(words)

    def __repr__(self) -> str:
        return f"Correction({self.motion.name!r}: {self.reason})"


def correct(
    motion: Motion,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    window: Window | tuple[float | None, float | None] | Sequence[Window] | None = None,
    blend: float = 0.25,
    unreachable: str = "approach",
    coherent: bool = False,
    speed: float | None = 12.0,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    first: int = 0,
    free_root: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Correction:
    """Change a motion so that it meets goals in each frame; nothing else changes.

    Args:
        motion: The motion to change.
        goals: As for `solve`; targets are constant, or have a leading axis of the motion's frames.
            `Connect`, `Weld`, `Avoid` and `Balance` hold in all frames in which any goal is active.
        window: When the goals are active: (start, stop) in seconds, a Window, or one for each goal;
            None: always.
        blend: How long goals fade in before their window and out after it [s].
        unreachable: Frames whose goals cannot be met "approach" them, or "keep" the animation;
            then the frames around them fade within `blend`.
        coherent: No longer has an effect: the solutions of successive frames always follow each other. With a `Hold`,
            whose targets come from the animation, frames start from the animation alone.
        speed: The greatest speed at which the correction should turn a joint against the animation [rad/s].
            A faster jump is spread over the fading frames next to it. Goals come first, and
            frames outside all windows do not change: a jump that is still faster is a seam with `too_fast`.
            None for no bound.
        solver: As for `solve`.
        tolerance: As for `solve`.
        orientation_tolerance: As for `solve` [rad].
        lock: Names of joints that keep their animation.
        first: The frame at which the motion begins. Frames before it, such as a T-pose before the
            motion, are left as they are, and there is no seam between them and the motion.
        free_root: Whether the free root of the model may leave its animation, as for `solve`.
        threads: The greatest number of threads.
        progress: Called with (done, total) frames.
    """
    if not isinstance(motion, Motion):
        raise SuppleError(f"correct: expected a supple.Motion, got a {type(motion).__name__}")
    one_of("unreachable policy", unreachable, POLICIES)
    flag("coherent", coherent)
    if progress is not None:
        function("progress", progress, "done", "total")
    blend = number("blend", blend, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    if speed is not None:
        speed = number("speed", speed, "a positive number [rad/s]", lambda x: x > 0.0)
    listed = _with_targets(goals)
    times = motion.times - motion.times[0]
    weights = np.stack([one.weights(times, blend) for one in windows(window, len(listed))])
    weights[:, : whole("first", first)] = 0.0
    return corrected(
        motion,
        listed,
        weights,
        blend=blend,
        keep=unreachable == "keep",
        speed=speed,
        first=first,
        threads=threads,
        progress=progress,
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        free_root=free_root,
    )


def corrected(
    motion: Motion,
    goals: Sequence[Goal],
    weights: Floats,
    *,
    blend: float = 0.0,
    keep: bool = False,
    smooth: bool = True,
    speed: float | None = None,
    first: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Correction:
    """Change a motion so that it meets goals with given weights; see `correct`.

    Args:
        motion: The motion to change.
        goals: With their targets.
        weights: The weight of each goal in each frame, 0 to 1, shape (goals, F).
        blend: How long goals fade around frames that are kept [s].
        keep: Whether frames whose goals cannot be met keep their animation.
        smooth: Whether to search for a smoother correction near the first one.
        speed: As in `correct` [rad/s].
        first: As in `correct`; frames before it have no weight.
        threads: The greatest number of threads.
        progress: As in `correct`.
        options: Of `prepare`.
    """
    weight = weights.max(axis=0)
    frames = np.flatnonzero(weight > 0)
    status = np.full(len(motion), UNTOUCHED, dtype=np.int64)
    error = np.full(len(motion), np.nan)
    problem = prepare(motion.skeleton, [goal.opened() for goal in goals], **options)
    if not len(frames):
        return Correction(motion, status, error, weight, (), off_balance=np.zeros(len(motion)))
    starts = motion.poses[_rows(frames)]
    shares = weights[:, frames] / weight[frames]
    targets = faded_targets(goals, starts, shares, frames, len(motion))
    moving = problem.problem.moving.tolist()
    columns = columns_of(starts, moving)
    if any(goal.holds_start for goal in goals):
        found = problem.solve(*targets, start=starts, threads=threads)
    else:
        asked_of = _Frames(problem, targets, starts, motion.fps, threads, progress)
        found = asked_of.solved(frames, columns, smooth)
    if keep:
        times = motion.times - motion.times[0]
        weight *= _away_from(frames[found.status > 0], times, blend)
    poses = _taken(motion.poses, frames, starts, found, weight[frames])
    fading = (weight > 0) & (weight < 1)
    spread: tuple[int, ...] = ()
    speeds = Speeds(motion, columns, first)
    added = speeds.of(poses.packed_coordinates)
    if speed is not None:
        poses, added, spread = settled(
            motion, poses, moving, fading, speeds=speeds, added=added, speed=speed
        )

    # The poses are final: the report is measured on them.
    asked = np.flatnonzero(~fading[frames])
    there = frames[asked]
    met = problem.evaluate(
        poses[_rows(there)], *_picked(problem, targets, asked), start=starts[_rows(asked)]
    )
    status[fading] = FADING
    status[there] = _ended(met, found.status[asked])
    error[there] = met.error
    missed = status[frames] > Status.REACHED
    faults = _faults(found, frames, missed)
    on = weight > 0
    edges = [k for k in np.flatnonzero(on[1:] != on[:-1]).tolist() if k >= first]
    seams = seams_at(motion, poses, edges, spread, speeds=speeds, added=added, speed=speed)
    limited = found[missed].limited if missed.any() else ()
    off_balance = np.zeros(len(motion))
    off_balance[there] = met.off_balance
    return Correction(
        motion.with_(poses=poses), status, error, weight, seams, limited,
        {frame: one.reason for frame, one in faults.items()},
        {frame: one.collision for frame, one in faults.items() if one.collision is not None},
        off_balance,
        {
            root.name: float(root.distance(motion.poses.packed_coordinates, poses.packed_coordinates).max())
            for root in problem.asked.carried_roots
        },
    )  # fmt: skip


def _rows(frames: NDArray[np.int64]) -> Any:
    """Frames in rising order as an index: without gaps a slice, which copies nothing."""
    if len(frames) and frames[-1] - frames[0] + 1 == len(frames):
        return slice(int(frames[0]), int(frames[-1]) + 1)
    return frames


def _ended(met: Solution, solved: NDArray[np.int64]) -> NDArray[np.int64]:
    """How frames ended: `met` measures whether they meet their goals; if not, the solver gives the reason."""
    why = np.where(solved == Status.REACHED, Status.STALLED, solved)
    return np.where(met.reached, Status.REACHED, why)


def _faults(
    found: Solution, frames: NDArray[np.int64], missed: NDArray[np.bool_]
) -> dict[int, Solution]:
    """The solutions of the frames that miss their goals, by frame."""
    return {int(frames[k]): found[int(k)] for k in np.flatnonzero(missed)}


def _with_targets(goals: Any) -> tuple[Goal, ...]:
    listed = as_goals(goals)
    if not listed:
        raise SuppleError("correct: expected at least one goal, got none")
    for goal in listed:
        if any(target is OPEN for target in goal.targets):
            raise SuppleError(
                f"{goal.called} {goal.effector_name!r} has no {goal.slots[0]}: expected one, "
                "or one for each frame"
            )
    return listed


@dataclass(frozen=True)
class _Smoothing:
    """How corrections are made smooth over time.

    Measured on arms of five captured clips at 30 to 120 frames a second, with targets near, far and out of reach.

    Attributes:
        acceleration: Weight of the correction's second differences, as in `Smooth`: small, so that frames come near
            to their targets and the solves of single frames have little left to do.
        departure: Weight of the correction itself, as in `Smooth`: freedom that goals leave returns to the animation.
        iterations: The greatest number of iterations over all frames.
        stall: An iteration that lowers the cost by less than this share is the last.
    """

    acceleration: float = 0.01
    departure: float = 1e-3
    iterations: int = 5
    stall: float = 1e-2


SMOOTHING = _Smoothing()


class _Frames(NamedTuple):
    """The frames of a motion that are corrected, and their problem."""

    problem: Prepared  # all targets open
    targets: list[Any]  # of all frames, or one for all, in the problem's order
    starts: Pose  # the animation, a batch (F,)
    fps: float
    threads: int | None
    progress: Callable[[int, int], None] | None

    def solved(self, frames: NDArray[np.int64], columns: Columns, smooth: bool) -> Solution:
        """Solve all frames, one after the other; after a gap between frames, a new correction begins.

        Args:
            frames: The indices of the frames in the motion.
            columns: The coordinates that the solves may change.
            smooth: Whether to search for a smoother correction, too.
        """
        problem, starts = self.problem, self.starts
        pieces = _pieces(frames)
        out = np.concatenate([self._followed(piece) for piece in pieces])
        if smooth and not any("pole" in goal.kinds for goal in problem.problem.goals):
            count = problem.problem.coordinates
            rows = np.concatenate([self._smooth(piece, out[piece, :count]) for piece in pieces])
            begin = Pose._wrap(starts.skeleton, rows, starts._translations, starts._scales)
            found = problem.solve(*self.targets, start=begin, threads=self.threads)
            others = better_rows(problem, found._rows, out)
            for piece in pieces:
                before = starts[piece].packed_coordinates
                mine = _roughness(before, out[piece, :count], columns)
                theirs = _roughness(before, others[piece, :count], columns)
                if np.all(theirs <= mine):
                    out[piece] = others[piece]
        return Solution(problem.asked, out, starts)

    def _followed(self, piece: slice) -> Floats:
        """Solve frames one after the other; report rows (n, width)."""

        def report_progress(done: int, _: int) -> None:
            if self.progress is not None:
                self.progress(piece.start + done, len(self.starts))

        targets = _picked(self.problem, self.targets, np.arange(piece.start, piece.stop))
        return follow(self.problem, targets, self.starts[piece], report_progress)._rows

    def _smooth(self, piece: slice, rows: Floats) -> Floats:
        """Coordinates (n, Q) solved as one clip, starting from these rows."""
        animated = self.starts[piece]
        begin = Pose._wrap(animated.skeleton, rows, animated._translations, animated._scales)
        targets = _picked(self.problem, self.targets, np.arange(piece.start, piece.stop))
        smooth = Smooth(SMOOTHING.acceleration, departure=SMOOTHING.departure, reference=animated)
        track = self.problem.clip(
            *targets, start=begin, smooth=smooth, fps=self.fps, iterations=SMOOTHING.iterations,
            stall=SMOOTHING.stall, threads=self.threads,
        )  # fmt: skip
        return track.poses.packed_coordinates


def _roughness(before: Floats, after: Floats, columns: Columns) -> Floats:
    """Roughness of a correction (n, Q): largest second difference, and sum of their squares, shape (2,)."""
    made = multiply(conjugate(before[:, columns.turns]), after[:, columns.turns])
    steps = to_rotation_vector(multiply(conjugate(made[:-1]), made[1:]))
    shifts = np.diff(after[:, columns.numbers] - before[:, columns.numbers], axis=0)
    second = np.diff(np.concatenate([steps.reshape(len(steps), -1), shifts], axis=1), axis=0)
    return np.array([np.abs(second).max(initial=0.0), np.sum(second**2)])


def _pieces(frames: NDArray[np.int64]) -> list[slice]:
    """Runs of frames without a gap."""
    cuts = np.flatnonzero(np.diff(frames) > 1) + 1
    edges = [0, *cuts.tolist(), len(frames)]
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]


def _picked(problem: Prepared, targets: list[Any], frames: NDArray[np.int64]) -> list[Any]:
    """The targets of some frames; a constant target stays as it is."""
    sizes = [2 if slot == "pose" else 1 for _, slot in problem.arguments]
    return [
        value if value.ndim == size else value[_rows(frames)]
        for value, size in zip(targets, sizes, strict=True)
    ]


def _away_from(frames: NDArray[np.int64], times: Floats, blend: float) -> Floats:
    """Weights (F,): 0 at some frames, 1 at a time `blend` away from them, smooth in between."""
    if not len(frames):
        return np.ones(len(times))
    if blend <= 0:
        weight = np.ones(len(times))
        weight[frames] = 0.0
        return weight
    after = np.searchsorted(frames, np.arange(len(times)))
    last, first = frames[np.maximum(after - 1, 0)], frames[np.minimum(after, len(frames) - 1)]
    near = np.minimum(np.abs(times - times[last]), np.abs(times[first] - times))
    t = np.clip(near / blend, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _taken(
    poses: Pose, frames: NDArray[np.int64], starts: Pose, found: Solution, weight: Floats
) -> Pose:
    """All poses, those of some frames interpolated to the solved ones by a weight."""
    rows = np.array(poses.packed_coordinates)
    whole = np.flatnonzero(weight == 1.0)
    rows[_rows(frames[whole])] = found._rows[_rows(whole), : rows.shape[1]]
    part = np.flatnonzero((weight > 0.0) & (weight < 1.0))
    if len(part):
        mixed = starts[part].interpolate(found[part].pose, weight[part])
        rows[frames[part]] = mixed.packed_coordinates
    return Pose._wrap(poses.skeleton, rows, poses._translations, poses._scales)
