"""The one-shot `solve` on top of prepared problems, and several answers to one problem."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from supple import costs
from supple.errors import SuppleError, one_of
from supple.goals import OPEN, Goal, Hold, LookAt, Pole, Reach, as_goals
from supple.pose import Pose
from supple.prepare import Prepared
from supple.skeleton import Skeleton
from supple.solution import Solution
from supple.solvers import Solver

PREFERENCES = ("nearest", "turns", "path")
SEEDS = 32  # other beginnings looked at for each answer asked for
DIFFERENT = 1e-2  # two answers are the same if no joint differs by more than this [rad]

_recent: OrderedDict[Any, Prepared] = OrderedDict()
_recent_lock = Lock()
_RECENT = 64


def solve(
    skeleton: Skeleton,
    goals: Mapping[str, Any] | Sequence[Goal] | Goal,
    *,
    start: Pose | None = None,
    solver: Solver | str = "auto",
    tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    lock: Iterable[str] = (),
    unreachable: str = "approach",
    blend: float = 1.0,
    trace: bool = False,
    solutions: int = 1,
    prefer: str | Callable[[Pose, Pose], np.ndarray] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Find a pose that meets the goals, or say why there is none.

    Args:
        skeleton: The skeleton.
        goals: {effector: world position}, or a list of Reach, LookAt, Pole, Hold and Rest. Targets
            may have leading batch axes, broadcast with those of `start`: a batch is solved over all
            cores.
        start: The pose to start from; the skeleton's rest by default. Joints that the goals do not
            free keep it.
        solver: "auto", a solver's name or a solver with options, such as CCD(damping=0.2).
        tolerance: How near counts as reached, model units; 1e-4 of each goal's chain length by
            default.
        orientation_tolerance: How near in orientation counts as reached [rad].
        lock: Names of joints that keep their start coordinates.
        unreachable: What to do when the goals cannot be met: "approach" or "keep" the start.
        blend: How much of the answer to take, 0 (the start) to 1; the report is that of the whole
            answer.
        trace: Whether to record what the solver does; not for batches.
        solutions: How many different answers to look for; `Solution.alternatives` holds the others.
        prefer: Which of several answers is best: "nearest" to the start, least sum of "turns",
            least "path" of the tip, or a cost, a function of (start, answers) that gives a number
            for each.
        threads: At most how many threads a batch uses.
        progress: Called with (done, total) as a batch goes on.

    Raises:
        SuppleError: The input makes no sense; the message says what, and what would.
    """
    if not (isinstance(blend, (int, float)) and 0.0 <= blend <= 1.0):
        raise SuppleError(f"blend: expected a number from 0 to 1, got {blend!r}")
    if not isinstance(solutions, int) or isinstance(solutions, bool) or solutions < 1:
        raise SuppleError(f"solutions: expected a whole number from 1, got {solutions!r}")
    if isinstance(prefer, str):
        one_of("preference", prefer, PREFERENCES)
    listed = as_goals(goals)
    for goal in listed:
        if any(target is OPEN for target in _targets(goal)):
            raise SuppleError(
                f"{type(goal).__name__} {_effector(goal)!r} has no target: give one, or use supple.prepare"
            )
    if not isinstance(lock, str):
        lock = tuple(lock)
    prepared = _prepared(
        skeleton, listed, solver, tolerance, orientation_tolerance, lock, unreachable
    )
    targets = [target for goal in listed for target in _targets(goal)]
    answer = prepared.solve(*targets, start=start, threads=threads, progress=progress, trace=trace)
    if solutions > 1 or prefer is not None:
        answer = _best_of(prepared, targets, answer, solutions, prefer or "nearest", threads)
    if blend < 1.0:
        answer = answer.blended(blend)
    return answer


def _effector(goal: Goal) -> str:
    return getattr(goal, "effector", None) or getattr(goal, "joint", "Rest")


def _targets(goal: Goal) -> list[Any]:
    """What a goal asks for that changes from call to call."""
    if isinstance(goal, Reach):
        both = (goal.pose,) if goal.pose is not None else (goal.target, goal.orientation)
        return [target for target in both if target is not None]
    return [goal.target] if isinstance(goal, (LookAt, Pole)) else []


def _opened(goal: Goal) -> Goal:
    """The goal with its targets left open."""
    if isinstance(goal, Reach):
        given = ("pose", "target", "orientation")
        return replace(goal, **{n: OPEN for n in given if getattr(goal, n) is not None})
    return replace(goal, target=OPEN) if isinstance(goal, (LookAt, Pole)) else goal


def _shape_of(goal: Goal) -> tuple[Any, ...]:
    """What a prepared problem depends on in a goal, hashable."""
    if isinstance(goal, Reach):
        kinds = (goal.pose is None, goal.target is None, goal.orientation is None)
        point = None if goal.point is None else tuple(goal.point)
        return ("reach", goal.effector, kinds, point, goal.root, goal.depth, goal.weight)
    if isinstance(goal, LookAt):
        return ("look", goal.effector, tuple(goal.axis), goal.root, goal.depth, goal.weight)
    if isinstance(goal, Pole):
        return ("pole", goal.joint, goal.weight)
    if isinstance(goal, Hold):
        return ("hold", goal.effector, goal.position, goal.orientation, goal.weight)
    return ("rest", goal.pose, goal.weight)


def _prepared(
    skeleton: Skeleton,
    goals: tuple[Goal, ...],
    solver: Solver | str,
    tolerance: float | None,
    orientation_tolerance: float,
    lock: Any,
    unreachable: str,
) -> Prepared:
    """The prepared problem of this shape, kept from call to call."""
    key: Any = None
    try:
        shapes = tuple(map(_shape_of, goals))
        key = (skeleton, shapes, solver, tolerance, orientation_tolerance, lock, unreachable)
        with _recent_lock:
            if key in _recent:
                _recent.move_to_end(key)
                return _recent[key]
    except TypeError:
        key = None  # something unhashable: the checks below will say what is wrong with it, or it is not kept
    prepared = Prepared(
        skeleton,
        tuple(map(_opened, goals)),
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        unreachable=unreachable,
    )
    if key is not None:
        with _recent_lock:
            _recent[key] = prepared
            while len(_recent) > _RECENT:
                _recent.popitem(last=False)
    return prepared


def _best_of(
    prepared: Prepared,
    targets: list[Any],
    first: Solution,
    count: int,
    prefer: str | Callable[[Pose, Pose], np.ndarray],
    threads: int | None,
) -> Solution:
    """The answers found from low-discrepancy beginnings, the cheapest first.

    The others as its alternatives.
    """
    if first.batch_shape:
        raise SuppleError("solutions, prefer: for single solves only; loop over the batch")
    if not first.reached:
        return first
    found = prepared.solve(
        *targets, start=prepared.seeds(first.start, SEEDS * count), threads=threads
    )
    good = np.flatnonzero(found.reached)
    rows = np.concatenate([first.pose.coordinates[None], found.pose.coordinates[good]])
    answers = [first, *(found[int(i)] for i in good)]
    poses = Pose(first.skeleton, rows, first.start.translations, first.start.scales)
    if callable(prefer):
        cost = np.asarray(prefer(first.start, poses), float)
    elif prefer == "path":
        cost = costs.tip_path(first.start, poses, first.asked.demands[0].effector)
    else:
        cost = (costs.sum_of_turns if prefer == "turns" else costs.distance)(first.start, poses)
    if cost.shape != (len(answers),):
        raise SuppleError(
            f"prefer: expected a cost for each answer, shape ({len(answers)},), got {cost.shape}"
        )
    kept: list[int] = []
    for i in np.argsort(cost, kind="stable"):
        if all(poses[int(i)].turns(poses[j]).max() > DIFFERENT for j in kept):
            kept.append(int(i))
        if len(kept) == count:
            break
    chosen = [
        Solution(
            first.skeleton,
            first.asked,
            answers[i]._rows,
            first.start,
            trace=first.trace if i == 0 else None,
        )
        for i in kept
    ]
    best = chosen[0]
    best.alternatives = tuple(chosen[1:])
    return best
