"""Measure solvers on the same targets: success rate, error, time and cost.

The costs are those of Song & Hu 2011: sum and maximum of the joints' turns and the length of the tip's
path, from start to solution (`supple.costs`), and the number of operations. They are means over the
common targets: those that were reached by every solver that reached any. Otherwise a solver that
reaches easy targets only would look cheap.

Operations are counted by the joint visits in the trace. A visit rotates or places one joint; a solver
that moves all joints at once, and records no visits, counts one visit per free joint and iteration.
Song & Hu state the cost of a visit for two methods: n + r for CCD and 3n + r for Target Triangle, where
n computes the rotation and r applies it. Here, in multiplications, n = 9 (a dot and a cross product) and
r = 31 (a quaternion product, and a vector rotated by a quaternion). For other methods they state none,
and the number of operations is None.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import costs
from supple.apps.cli.solver_names import read_solver, solver_name
from supple.errors import SuppleError
from supple.goals import Reach
from supple.model.skeleton import Skeleton
from supple.solve.prepare import Prepared, prepare
from supple.solve.solution import Solution
from supple.solvers import ALL

# Costs of a joint visit [multiplications].
COMPUTE_ROTATION = 9  # n
APPLY_ROTATION = 31  # r
VISIT_COST = {
    "CCD": COMPUTE_ROTATION + APPLY_ROTATION,
    "TargetTriangle": 3 * COMPUTE_ROTATION + APPLY_ROTATION,
}
TIMED_RUNS = 3  # of a solve, of which the fastest counts; not tuned
LONGEST_REPEATED_SOLVE = 0.05  # a solve that takes longer is timed once [s]; not tuned


@dataclass(kw_only=True)
class Row:
    """The measurements of one solver.

    Attributes:
        solver: Its name and options.
        reached: Fraction of the targets that it reached.
        error_median, error_max: Distance from the target, over all targets, model units.
        iterations: Mean over all targets.
        seconds: Median time of a prepared, compiled call [s].
        time_ratio: That time relative to the fastest solver.
        turns_sum, turns_max: Mean over the common targets of the sum and largest of turns [rad].
        path: Mean over the common targets of the length of the tip's path, model units.
        visits: Mean over all targets of the joint visits.
        operations: Mean over all targets of the operations; None if the cost of a visit is unknown.
    """

    solver: str
    reached: float
    error_median: float
    error_max: float
    iterations: float
    seconds: float
    time_ratio: float = 1.0
    turns_sum: float | None = None
    turns_max: float | None = None
    path: float | None = None
    visits: float = 0.0
    operations: float | None = None


@dataclass(kw_only=True)
class Comparison:
    """The measurements of all solvers, and the solution of each for one target.

    Attributes:
        effector: The joint or tip to move.
        targets: World, shape (targets, 3).
        base: World position of the first joint that may move, at rest, shape (3,).
        common: Number of targets reached by every solver that reached any.
        rows: One for each solver.
        refused: {solver: why it does not support the model}.
        shown: Index of the target that `answers` belong to.
        answers: {solver: its solution}.
        contradicted: What contradicts a claim of a solver's paper, a sentence each.
    """

    effector: str
    targets: NDArray[np.float64]
    base: NDArray[np.float64]
    common: int = 0
    rows: list[Row] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    shown: int = 0
    answers: dict[str, Solution] = field(default_factory=dict)
    contradicted: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data: radians, seconds, model units."""
        return {
            "effector": self.effector,
            "targets": self.targets,
            "common": self.common,
            "solvers": [asdict(row) for row in self.rows],
            "refused": self.refused,
            "contradicted": self.contradicted,
        }


def able(
    skeleton: Skeleton, effector: str, names: Sequence[str], **options: Any
) -> tuple[dict[str, Prepared], dict[str, str]]:
    """The prepared problem of every solver that supports the model, and why the others do not."""
    goal = [Reach(effector)]
    prepare(skeleton, goal, **options)  # raises errors that are independent of the solver
    ready: dict[str, Prepared] = {}
    refused: dict[str, str] = {}
    for text in names or [solver.name for solver in ALL]:
        solver, name = read_solver(text), solver_name(text)
        try:
            ready[name] = prepare(skeleton, goal, solver=solver, **options)
        except SuppleError as error:
            refused[name] = str(error)
    if not ready:
        raise SuppleError(f"no solver can take the model: {'; '.join(refused.values())}")
    return ready, refused


def measure(
    ready: dict[str, Prepared],
    effector: str,
    targets: NDArray[np.float64],
    *,
    progress: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Solve every target with every solver, from rest.

    Args:
        ready: {solver: prepared problem with one open position}.
        effector: The joint or tip to move.
        targets: World, shape (targets, 3).
        progress: Called with (solver, targets done).
    """
    first = next(iter(ready.values())).problem
    base = first.skeleton.rest.positions[first.moving[0] if len(first.moving) else 0]
    found = Comparison(effector=effector, targets=targets, base=base)
    answers: dict[str, list[Solution]] = {}
    for name, problem in ready.items():
        problem(targets[0])  # compiles
        answers[name], times, visits = [], [], []
        for k, target in enumerate(targets):
            answer, taken = _timed(problem, target)
            answers[name].append(answer)
            times.append(taken)
            visits.append(count_visits(problem, problem.solve(target, trace=True)))
            if progress is not None:
                progress(name, k + 1)
        found.rows.append(_row(name, problem, answers[name], times, visits))
    fastest = min(row.seconds for row in found.rows)
    for row in found.rows:
        row.time_ratio = row.seconds / fastest
    _add_costs(found, answers)
    _test_claims(found, ready)
    return found


def _timed(problem: Prepared, target: NDArray[np.float64]) -> tuple[Solution, float]:
    """The solution, and the least time of a few calls [s]."""
    began = time.perf_counter()
    answer = problem(target)
    least = time.perf_counter() - began
    for _ in range(TIMED_RUNS - 1 if least < LONGEST_REPEATED_SOLVE else 0):
        began = time.perf_counter()
        problem(target)
        least = min(least, time.perf_counter() - began)
    return answer, least


def count_visits(problem: Prepared, traced: Solution) -> int:
    """The number of joint visits of a traced solve."""
    record = traced.trace
    if record is not None and len(record.events):
        return len(record.events)
    return traced.iterations * len(problem.problem.moving)


def _row(
    name: str,
    problem: Prepared,
    answers: list[Solution],
    times: list[float],
    visits: list[int],
) -> Row:
    errors = np.array([one.error for one in answers])
    price = VISIT_COST.get(problem.solvers[-1].name) if len(problem.solvers) == 1 else None
    return Row(
        solver=name,
        reached=float(np.mean([one.reached for one in answers])),
        error_median=float(np.median(errors)),
        error_max=float(errors.max()),
        iterations=float(np.mean([one.iterations for one in answers])),
        seconds=float(np.median(times)),
        visits=float(np.mean(visits)),
        operations=float(np.mean(visits)) * price if price is not None else None,
    )


def _telling(found: Comparison, chosen: NDArray[np.int64]) -> int:
    """The target of median distance from the first joint at rest, so that the figure shows a bend."""
    among = chosen if len(chosen) else np.arange(len(found.targets))
    far = np.linalg.norm(found.targets[among] - found.base, axis=1)
    return int(among[np.argmin(np.abs(far - np.median(far)))])


def _add_costs(found: Comparison, answers: dict[str, list[Solution]]) -> None:
    reached = {name: np.array([one.reached for one in ones]) for name, ones in answers.items()}
    useful = [hits for hits in reached.values() if hits.any()]
    common = np.logical_and.reduce(useful) if useful else np.zeros(len(found.targets), bool)
    chosen = np.flatnonzero(common)
    found.common = len(chosen)
    for row in found.rows:
        ones = [answers[row.solver][k] for k in chosen if reached[row.solver][k]]
        if not ones:
            continue
        pairs = [(one.start, one.pose) for one in ones]
        row.turns_sum = float(np.mean([costs.sum_of_turns(*pair) for pair in pairs]))
        row.turns_max = float(np.mean([costs.largest_turn(*pair) for pair in pairs]))
        row.path = float(np.mean([costs.tip_path(*pair, found.effector) for pair in pairs]))
    found.shown = _telling(found, chosen)
    found.answers = {name: ones[found.shown] for name, ones in answers.items()}


def _test_claims(found: Comparison, ready: dict[str, Prepared]) -> None:
    """Compare the costs that a solver's paper claims to be less than another's with those measured."""
    by_solver = {ready[row.solver].solvers[-1].name: row for row in reversed(found.rows)}
    for row in found.rows:
        for claim in ready[row.solver].solvers[-1].claims:
            other = by_solver.get(claim.than)
            here, there = (getattr(one, claim.measure, None) for one in (row, other))
            if other is None or here is None or there is None or here < there:
                continue
            found.contradicted.append(
                f"{row.solver} takes {here:,.4g} {claim.measure}, {other.solver} {there:,.4g}; "
                f"{claim.source} claim fewer than {claim.than}"
            )
