"""The one-shot `solve` on top of prepared problems, and several answers to one problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from supple import costs
from supple.errors import SuppleError, array, flag, function, listed, number, one_of, whole
from supple.goals import OPEN, Goal, as_goals, from_key
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import Prepared
from supple.solve.solution import Solution
from supple.solvers import Solver

PREFERENCES = ("nearest", "turns", "path")
CACHED_PROBLEMS = 64  # prepared problems kept for the next calls of `solve`
MOST_SOLUTIONS = 4096  # that one call looks for: memory and time grow with it
SEEDS_PER_SOLUTION = 32  # other starts tried for each answer asked for
# Answers compared at a time, for each that is asked for: the cheapest are most often enough.
COMPARED_PER_SOLUTION = 4
SAME_ANSWER_ANGLE = 0.05  # two answers are the same if no joint differs by more than this [rad]

Cost = Callable[[Pose, Pose], np.ndarray]


def solve(
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
    blend: float = 1.0,
    trace: bool = False,
    solutions: int = 1,
    prefer: str | Cost | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Find a pose that meets the goals, or say why there is none.

    Args:
        skeleton: The skeleton.
        goals: {effector: world position}, or a list of Reach, LookAt, Pole, Hold, Rest, Connect, Weld,
            Avoid, Balance, `supple.goals.Span` and goals of your own (`supple.goal`); Smooth is for whole
            clips (`track`). Targets may have leading batch axes, broadcast with those of `start`: a batch is
            solved over all cores.
        start: The pose to start from; the skeleton's rest by default. Joints that the goals do not
            free keep it.
        solver: "auto", a solver's name or a solver with options, such as LM(max_iterations=50).
        tolerance: Distance that counts as reached [model units]; 1e-4 of each goal's chain length by
            default.
        orientation_tolerance: Angle that counts as reached [rad].
        lock: Names of joints that keep their start coordinates.
        free_root: Whether the free root of the model, the joint that places it in the world, may move like
            other joints. By default it stays unless a goal names it, or a limb of it is held.
        unreachable: What to do when the goals cannot be met: "approach" or "keep" the start.
        blend: Fraction of the answer to take, 0 (the start) to 1; the report is that of the whole
            answer.
        trace: Whether to record a trace; not for batches.
        solutions: Number of different answers to look for, at most 4,096; `Solution.alternatives` holds the
            others, fewer if fewer were found. Two answers differ if some joint differs by over 0.05 rad. Answers
            that differ only by whole turns of hinges are taken only if there are too few others.
        prefer: Which of several answers is best: "nearest" to the start, least sum of "turns",
            least "path" of the tip, or a cost, a function of (start, answers) that gives a number
            for each.
        threads: Maximum number of threads for a batch.
        progress: Called with (done, total) as a batch goes on.

    Raises:
        SuppleError: The input is invalid; the message says what was expected.
    """
    blend = number("blend", blend, "a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
    solutions = whole("solutions", solutions, least=1)
    if solutions > MOST_SOLUTIONS:
        raise SuppleError(f"solutions: expected at most {MOST_SOLUTIONS}, got {solutions}")
    trace = flag("trace", trace)
    free_root = flag("free_root", free_root)
    if callable(prefer):
        function("prefer", prefer, "start", "answers")
    elif prefer is not None:
        one_of("preference", prefer, PREFERENCES)
    asked = as_goals(goals)
    targets: list[Any] = []
    for goal in asked:
        for slot, target in zip(goal.slots, goal.targets, strict=True):
            if target is OPEN:
                missing = "values: give them" if slot == "values" else "target: give one"
                raise SuppleError(
                    f"{goal.called} {goal.effector_name!r} has no {missing}, or use supple.prepare"
                )
            targets.append(target)
    lock = tuple(listed("lock", lock, "a list of joint names"))
    keys = tuple([goal.key for goal in asked])
    problem = (keys, solver, tolerance, orientation_tolerance, lock, free_root, unreachable)
    kept = getattr(skeleton, "_problems", None) or _problems_of(skeleton)
    try:
        prepared = kept(*problem)
    except TypeError:  # an argument is not hashable, and so most likely wrong
        prepared = _prepared(skeleton, *problem)
    if threads is None and progress is None and not trace:
        answer = prepared(*targets, start=start)
    else:
        options = {"threads": threads, "progress": progress, "trace": trace}
        answer = prepared.solve(*targets, start=start, **options)
    if solutions > 1 or prefer is not None:
        if answer.batch_shape:
            raise SuppleError("solutions, prefer: for single solves only; loop over the batch")
        answer = _best_of(prepared, targets, answer, solutions, prefer or "nearest", threads)
    return answer.blended(blend) if blend < 1.0 else answer


def _prepared(
    skeleton: Skeleton,
    keys: tuple[tuple[Any, ...], ...],
    solver: Solver | str,
    tolerance: float | None,
    orientation_tolerance: float,
    lock: Iterable[str],
    free_root: bool,
    unreachable: str,
) -> Prepared:
    return Prepared(
        skeleton,
        tuple(map(from_key, keys)),
        solver=solver,
        tolerance=tolerance,
        orientation_tolerance=orientation_tolerance,
        lock=lock,
        free_root=free_root,
        unreachable=unreachable,
    )


_shared = lru_cache(maxsize=CACHED_PROBLEMS, typed=True)(_prepared)
"""The prepared problems of recent calls; skeletons that are equal share them."""


def _problems_of(skeleton: Skeleton) -> Callable[..., Prepared]:
    """A function that prepares problems of a skeleton and caches the last ones; the skeleton stores it."""
    if not isinstance(skeleton, Skeleton):
        return partial(_prepared, skeleton)  # raises the error
    skeleton._problems = lru_cache(maxsize=CACHED_PROBLEMS, typed=True)(partial(_shared, skeleton))
    return skeleton._problems


def _best_of(
    prepared: Prepared,
    targets: list[Any],
    first: Solution,
    count: int,
    prefer: str | Cost,
    threads: int | None,
) -> Solution:
    """The cheapest of the answers found from low-discrepancy starts, with the others as alternatives."""
    if not first.reached:
        return first
    start = first.start
    seeds = prepared.seeds(start, SEEDS_PER_SOLUTION * count)
    found = prepared.solve(*targets, start=seeds, threads=threads)
    found = found[found.reached]
    seeds = found.start
    answers = [first, *found]
    poses = Pose.stack([answer.pose for answer in answers])
    goals = [goal for goal in prepared.problem.goals if goal.counts]
    names = sorted({name for goal in goals for name in goal.effectors})
    cost = _costs(start, poses, prefer, names)
    order = np.argsort(cost, kind="stable")
    # Different configurations first, then those that are whole turns away from them.
    kept = _different(poses, order, [], count, turned=False)
    kept = _different(poses, order, kept, count, turned=True)
    best, *others = sorted(kept, key=order.tolist().index)
    trace = first.trace
    if trace is not None and best > 0:
        trace = prepared.solve(*targets, start=seeds[best - 1], trace=True).trace
    alternatives = tuple(answers[i].seen_from(start) for i in others)
    return answers[best].seen_from(start, trace=trace, alternatives=alternatives)


def _different(
    poses: Pose, order: np.ndarray, kept: list[int], count: int, *, turned: bool
) -> list[int]:
    """Poses that differ from each other, some already kept and then the first in an order, at most `count`.

    Without `turned`, hinges that are whole turns apart do not differ.
    """
    hinges = poses.skeleton.freedom_table.joints.is_hinge
    kept = kept.copy()

    def unlike(one: int, others: np.ndarray) -> np.ndarray:
        moves = costs.moves(poses[one], poses[others])
        if not turned:
            moves[:, hinges] = np.abs(np.remainder(moves[:, hinges] + np.pi, 2.0 * np.pi) - np.pi)
        return others[moves.max(axis=-1) > SAME_ANSWER_ANGLE]

    size = COMPARED_PER_SOLUTION * count
    for first in range(0, len(order), size):
        left = order[first : first + size]
        for one in kept:
            left = unlike(one, left)
        while len(left) and len(kept) < count:
            kept.append(int(left[0]))
            left = unlike(kept[-1], left)
        if len(kept) == count:
            break
    return kept


def _costs(start: Pose, poses: Pose, prefer: str | Cost, effectors: list[str]) -> np.ndarray:
    """The costs of answers to one problem, shape (B,); `effectors` are those of its goals."""
    if prefer == "nearest":
        return costs.distance(start, poses)
    if prefer == "turns":
        return costs.sum_of_turns(start, poses)
    if prefer == "path":
        return np.sum([costs.tip_path(start, poses, name) for name in effectors], axis=0)
    assert callable(prefer)
    what = "prefer: what it gives for (start, answers)"
    return array(what, prefer(start, poses), (len(poses),), finite=False)
