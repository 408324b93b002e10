"""Time a solver: `python adapter.py problem.json result.json variant seconds`.

An adapter calls `main(make)`. `make(problem, variant)` gets the problem's JSON with arrays for
numbers, and gives a dictionary of functions, or raises Skip:

    solve(target, start)    timed; a target as `target` made it, a start as an array
    target(k)               the k-th target in the solver's own form; not timed
    answer(raw)             a vector or points out of what `solve` gave; not timed
    batch()                 optional: all targets at once; timed as a whole; rows for `answer`

Only NumPy and the standard library are needed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from itertools import cycle
from typing import Any

import numpy as np

WARM_UP = 0.3  # seconds for caches, allocators and compilers that compile as they run
BATCH_RUNS = 5  # at most so many timed calls of a batch; the median counts
ARRAYS = (
    "targets", "start", "hinged_start", "hinged_limits", "start_points", "poles"
)  # fmt: skip


class Skip(Exception):  # noqa: N818 (nothing is wrong)
    """The solver cannot take this problem."""


def main(make: Callable[[dict[str, Any], str], dict[str, Any]]) -> None:
    """Read the problem, run the solver, write what came out."""
    problem_file, result_file, variant, budget = sys.argv[1:]
    with open(problem_file, encoding="utf-8") as file:
        problem = json.load(file)
    for key in ARRAYS:
        if problem[key] is not None:
            problem[key] = np.array(problem[key], dtype=float)
    try:
        result = drive(make(problem, variant), problem, float(budget))
    except Skip as why:
        result = {"skip": str(why)}
    with open(result_file, "w", encoding="utf-8") as file:
        json.dump(result, file)


def near(problem: dict[str, Any], errors: Iterable[np.ndarray]) -> bool:
    """Whether every goal is met, by errors of three numbers of position and three of orientation.

    For solvers that take one step at a call, and leave the stop to the caller.
    """
    for goal, error in zip(problem["goals"], errors, strict=True):
        if goal["position"] and np.linalg.norm(error[:3]) > problem["tolerance"]:
            return False
        if goal["orientation"] and np.linalg.norm(error[3:]) > problem["turn_tolerance"]:
            return False
    return True


def drive(solver: dict[str, Any], problem: dict[str, Any], budget: float) -> dict[str, Any]:
    """Time single calls, and batches if the solver has them.

    Gives "seconds" for each call and its "answers"; "batch_seconds" for a whole batch and
    "batch_answers". A path goes on from each answer; everything else begins at the start.
    """
    solve, target, answer = solver["solve"], solver["target"], solver["answer"]
    start = solver.get("start", problem["hinged_start"])
    clock = time.perf_counter
    count = len(problem["targets"])
    result: dict[str, Any] = {"seconds": [], "answers": []}

    stop = clock() + WARM_UP
    for k in cycle(range(count)):
        solve(target(k), start)
        if clock() > stop:
            break

    here, stop = start, clock() + budget
    for k in range(count):
        wanted = target(k)
        began = clock()
        raw = solve(wanted, here)
        ended = clock()
        result["seconds"].append(ended - began)
        found = None if raw is None else np.asarray(answer(raw), dtype=float)
        result["answers"].append(None if found is None else found.tolist())
        if problem["kind"] == "path" and found is not None:
            here = found
        if ended > stop:
            break

    if "batch" in solver:
        rows = solver["batch"]()  # compiles, starts threads
        times: list[float] = []
        while len(times) < BATCH_RUNS and sum(times) < budget:
            began = clock()
            rows = solver["batch"]()
            times.append(clock() - began)
        result["batch_seconds"] = float(np.median(times))
        result["batch_answers"] = [np.asarray(answer(row), dtype=float).tolist() for row in rows]
    return result
