"""Following a path: every target is solved from the answer before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from supple.errors import SuppleError, one_of
from supple.goals import OPEN, Goal, Smooth, as_goals
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import Prepared, Rate
from supple.solve.tracked import Track
from supple.solvers import Solver

BRANCHES = ("nearest", "all")


def track(
    skeleton: Skeleton,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    start: Pose | None = None,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    free_root: bool = False,
    unreachable: str = "approach",
    restarts: bool | None = None,
    velocity: Any = None,
    dt: float | None = None,
    max_speed: Rate = None,
    max_acceleration: Rate = None,
    branches: str = "nearest",
    jump: float = 0.5,
    smooth: Smooth | float | None = None,
    fps: float = 30.0,
    weights: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> Track:
    """Follow a path of targets: every frame is solved from the answer of the frame before; or all at once, smoothly.

    Each answer starts from the last, so that the pose does not jump as long as the path does not. A frame
    that cannot be met from there is approached, and the track reports it. Targets have one leading axis of
    F frames; a target without one is constant.

    Args:
        skeleton: The skeleton.
        goals: As for `solve`.
        start: The pose before the first frame; the skeleton's rest by default.
        solver: As for `solve`.
        tolerance: As for `solve`.
        orientation_tolerance: As for `solve` [rad].
        lock: Names of joints that keep their start coordinates.
        free_root: As for `solve`.
        unreachable: As for `solve`; "keep" returns the answer of the frame before.
        restarts: Whether a frame that cannot be met from the last answer may be solved from other
            starts. Without `dt` that makes the pose jump, so that by default only the first frame may;
            with `dt` the joints move there within their limits, and by default every frame may.
        velocity: The velocity at the start, as in a call of `Prepared`; at rest by default.
        dt: Time from frame to frame [s]. Every frame, the first one too, is then a tick inside the limits of
            speed and acceleration; see `Prepared.__call__`.
        max_speed: As for `prepare` [rad/s, model units/s].
        max_acceleration: As for `prepare` [rad/s^2, model units/s^2].
        branches: "nearest" follows the answer nearest to the last. "all" finds all answers of every frame and
            takes the path with the fewest reconfigurations, and of these the one on which the joints move least;
            `Track.reconfigurations` lists them. For arms of six hinges with a closed form all answers are found, so
            that no path has fewer; for others answers are sampled. The first frame may be on any branch. Frames out
            of reach are approached. Not with `dt`.
        jump: With `branches="all"`, a reconfiguration is a step from one frame to the next in which a joint moves
            farther than this [rad, slides: lengths of the longest chain]. It must lie between the steps along a
            branch and the distances between branches: paths with few frames need a larger one.
        smooth: Solve all frames at once, with joints that move smoothly: a `supple.goals.Smooth`, or its weight of
            acceleration, such as 0.3; see `Prepared.clip`. Then `start` may have a pose for every frame.
        fps: With `smooth`, frames a second.
        weights: With `smooth`, factors of the goals' weights, shape (F, goals); 0 leaves a goal out of a frame.
        progress: Called with (done, total) as the solve goes on.

    Raises:
        SuppleError: The input is invalid, or no target has an axis of frames.
    """
    listed = as_goals(goals)
    targets = [target for goal in listed for target in goal.targets]
    if any(target is OPEN for target in targets):
        raise SuppleError("track: expected a target for every goal, got OPEN")
    prepared = Prepared(
        skeleton,
        [goal.opened() for goal in listed],
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        free_root=free_root,
        unreachable=unreachable,
        max_speed=max_speed,
        max_acceleration=max_acceleration,
    )
    if smooth is not None or any(goal.needs_clip for goal in listed):
        given = {
            "solver": (solver, "auto"),
            "branches": (branches, "nearest"),
            "restarts": (restarts, None),
        }
        given |= {"dt": (dt, None), "velocity": (velocity, None)}
        for name, (value, usual) in given.items():
            if value != usual:
                raise SuppleError(
                    f"{name}: a smooth clip is solved all at once; leave out {name} or smooth"
                )
        return prepared.clip(
            *targets, start=start, smooth=smooth, fps=fps, weights=weights, progress=progress
        )
    if weights is not None:
        raise SuppleError("weights: expected smooth= with them; a path is solved frame by frame")
    if one_of("branches", branches, BRANCHES) == "all":
        if dt is not None or velocity is not None:
            raise SuppleError("branches: a path of ticks cannot jump; leave out branches or dt")
        return prepared.track_branches(*targets, start=start, jump=jump, progress=progress)
    options = {"restarts": restarts, "velocity": velocity, "dt": dt, "progress": progress}
    return prepared.track(*targets, start=start, **options)
