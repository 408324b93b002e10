"""IK on top of a motion: goals over time, faded in and out, without pops.

Every frame starts from its animated pose, with a correction that changes smoothly from frame to
frame; all are solved in one batch. Where goals fade, the pose is between the animated and the
solved one. A joint that the correction alone would turn faster than `speed` has the jump spread
over the frames after it instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, number, one_of
from supple.goals import OPEN, Goal, Hold, as_goals
from supple.motion.carrying import APART, carried, key_frames, runs
from supple.motion.coherent import one_by_one
from supple.motion.motion import Motion
from supple.motion.seams import Seam, columns_of, seams_at, settled
from supple.motion.window import Window, faded_targets, windows
from supple.outcome import Status, summary
from supple.pose import Pose
from supple.prepare import POLICIES, Prepared, prepare
from supple.solution import Solution
from supple.solvers import Solver

Floats = NDArray[np.float64]

UNTOUCHED = -1
"""The status of a frame outside all windows."""


@dataclass(frozen=True, eq=False)
class Correction:
    """What `correct` gives.

    Attributes:
        motion: The corrected motion: same frames, same times.
        status: How each frame's solve ended: the values of `Status`, or -1 outside all windows,
            shape (F,).
        error: How far the solved pose of each frame is from its targets, model units; NaN outside
            all windows, shape (F,).
        weight: How much of the solved pose each frame has, 0 to 1, shape (F,).
        seams: Where frames with and without correction meet, and where a jump was spread out: the
            joint that the correction turns fastest, and how fast.
        limited: Names of the joints whose limits kept goals of any frame from coming closer.
    """

    motion: Motion
    status: NDArray[np.int64]
    error: Floats
    weight: Floats
    seams: tuple[Seam, ...]
    limited: tuple[str, ...] = ()

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether each frame's goals were met (true outside all windows), shape (F,)."""
        return (self.status == Status.REACHED) | (self.status == UNTOUCHED)

    @property
    def speed(self) -> float:
        """The greatest joint speed that the correction adds at any seam [rad/s]."""
        return max((seam.added for seam in self.seams), default=0.0)

    @property
    def reason(self) -> str:
        """How the frames ended, in words."""
        solved = self.status[self.status != UNTOUCHED]
        outside = len(self.status) - len(solved)
        words = summary(solved) if len(solved) else "no frame is in a window"
        return words + (f"; {outside} untouched" if outside else "")

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
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Correction:
    """Have a motion meet goals, frame by frame, and change nothing else.

    Args:
        motion: What plays.
        goals: As for `solve`; targets are constant, or have a leading axis of the motion's frames.
        window: When the goals count: (start, stop) in seconds, a Window, or one for each goal;
            None: always.
        blend: For how long goals fade in before their window and out after it [s].
        unreachable: Frames whose goals cannot be met "approach" them, or "keep" the animation;
            then the frames around them fade within `blend`.
        coherent: Whether frames are solved one after the other, each from the correction of the one
            before. Slower; the answers follow each other wherever a goal has several. With a Hold,
            which holds where the animation has it, frames always start from the animation alone.
        speed: At most how fast the correction may turn a joint against the animation between two
            frames [rad/s]; a greater jump is spread over `blend`, and over three frames at least,
            which may lie after a window. None for no bound.
        solver: As for `solve`.
        tolerance: As for `solve`.
        orientation_tolerance: As for `solve` [rad].
        lock: Names of joints that keep their animation.
        threads: At most how many threads are used.
        progress: Called with (done, total) frames as it goes on, if coherent.
    """
    if not isinstance(motion, Motion):
        raise SuppleError(f"correct: expected a supple.Motion, got a {type(motion).__name__}")
    one_of("unreachable policy", unreachable, POLICIES)
    blend = number("blend", blend, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    if speed is not None:
        speed = number("speed", speed, "a positive number [rad/s]", lambda x: x > 0.0)
    listed = _with_targets(goals)
    times = motion.times - motion.times[0]
    weights = np.stack([one.weights(times, blend) for one in windows(window, len(listed))])
    weight = weights.max(axis=0)
    frames = np.flatnonzero(weight > 0)
    status = np.full(len(motion), UNTOUCHED, dtype=np.int64)
    error = np.full(len(motion), np.nan)

    problem = prepare(
        motion.skeleton,
        [goal.opened() for goal in listed],
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
    )
    if not len(frames):
        return Correction(motion, status, error, weight, ())
    starts = motion.poses[frames]
    shares = weights[:, frames] / weight[frames]
    targets = faded_targets(listed, starts, shares, frames, len(motion))
    if any(isinstance(goal, Hold) for goal in listed):
        found = _solved(problem, targets, starts, threads)
    elif coherent:
        columns = columns_of(starts, problem.problem.moving.tolist())
        found = _taken_from(one_by_one(problem, targets, starts, columns, progress))
    else:
        found = _smoothly(problem, targets, starts, frames, motion.fps, threads)
    status[frames], error[frames] = found.status, found.error

    if unreachable == "keep":
        weight *= _away_from(np.flatnonzero(status > 0), times, blend)
    poses = _taken(motion.poses, frames, starts, found.poses, weight[frames])
    moving = problem.problem.moving.tolist()
    spread: tuple[int, ...] = ()
    if speed is not None:
        poses, spread = settled(motion, poses, moving, speed=speed, blend=blend)
    on = weight > 0
    edges = np.flatnonzero(on[1:] != on[:-1]).tolist()
    seams = seams_at(motion, poses, moving, edges, spread)
    return Correction(motion.with_(poses=poses), status, error, weight, seams, found.limited)


def _with_targets(goals: Any) -> tuple[Goal, ...]:
    listed = as_goals(goals)
    if not listed:
        raise SuppleError("correct: expected at least one goal, got none")
    for goal in listed:
        if any(target is OPEN for target in goal.targets):
            raise SuppleError(
                f"{type(goal).__name__} {goal.effector_name!r} has no target: expected one, "
                "or one for each frame"
            )
    return listed


class _Solved(NamedTuple):
    """The answers of all frames: poses, status (F,), error (F,), and joints at their limits."""

    poses: Pose
    status: NDArray[np.int64]
    error: Floats
    limited: tuple[str, ...]


def _solved(
    problem: Prepared, targets: list[Any], starts: Pose, threads: int | None = None
) -> _Solved:
    return _taken_from(problem.solve(*targets, start=starts, threads=threads))


def _taken_from(answer: Solution) -> _Solved:
    return _Solved(answer.pose, answer.status, answer.error, answer.limited)


def _smoothly(
    problem: Prepared,
    targets: list[Any],
    starts: Pose,
    frames: NDArray[np.int64],
    fps: float,
    threads: int | None,
) -> _Solved:
    """All frames in one batch, each from its animation with a correction that changes smoothly."""
    step = max(1, round(APART * fps))
    pieces = runs(frames)
    keys = key_frames(pieces, step)
    columns = columns_of(starts, problem.problem.moving.tolist())
    first = one_by_one(problem, _picked(problem, targets, keys), starts[keys], columns, None)
    begin = carried(starts, keys, first.pose, columns, pieces, step)
    found = _solved(problem, targets, begin, threads)
    # What a start next to the target does not find, the animation itself may still lead to.
    missed = np.flatnonzero(found.status != Status.REACHED)
    if not len(missed):
        return found
    again = _solved(problem, _picked(problem, targets, missed), starts[missed], threads)
    better = (again.status == Status.REACHED) | (again.error < 0.99 * found.error[missed])
    rows = np.array(found.poses.packed_coordinates)
    rows[missed[better]] = again.poses.packed_coordinates[better]
    status, error = found.status.copy(), found.error.copy()
    status[missed[better]], error[missed[better]] = again.status[better], again.error[better]
    poses = Pose._wrap(starts.skeleton, rows, starts._translations, starts._scales)
    return _Solved(poses, status, error, found.limited)


def _picked(problem: Prepared, targets: list[Any], frames: NDArray[np.int64]) -> list[Any]:
    """The targets of some frames; one for all stays."""
    sizes = [2 if slot == "pose" else 1 for _, slot in problem.arguments]
    return [
        value if value.ndim == size else value[frames]
        for value, size in zip(targets, sizes, strict=True)
    ]


def _away_from(frames: NDArray[np.int64], times: Floats, blend: float) -> Floats:
    """0 at some frames, 1 a blend away from them, smooth in between, shape (F,)."""
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
    poses: Pose, frames: NDArray[np.int64], starts: Pose, solved: Pose, weight: Floats
) -> Pose:
    """All poses, those of some frames part of the way to the solved ones."""
    rows = np.array(poses.packed_coordinates)
    whole = weight == 1.0
    rows[frames[whole]] = solved.packed_coordinates[whole]
    part = np.flatnonzero((weight > 0.0) & ~whole)
    if len(part):
        mixed = starts[part].interpolate(solved[part], weight[part])
        rows[frames[part]] = mixed.packed_coordinates
    return Pose._wrap(poses.skeleton, rows, poses._translations, poses._scales)
