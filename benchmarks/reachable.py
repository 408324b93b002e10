"""How many targets are missed: reachable ones of every family, and how near answers to unreachable ones are.

Every target of a family in `tests.support.reachable_problems` is what forward kinematics gives for a random pose
inside the limits. A row is solved when an independent judgement (`tests.support.verdict`) finds every goal within its
tolerance and every joint inside its limits. Times are those of a batch on one thread, in units of the same batch
solved by one descent without restarts.

Targets that may be out of reach (`--family beyond`) are judged by the best of 50 descents from random poses: an answer
is worse if it is farther from its target by more than 1% of the chain's length. Looking at a limit (`--family =look`)
is judged by a dense search.

Seeds 0 to 99 are for tuning, 100 and up are held out: a figure that is reported comes from the latter.

    python benchmarks/reachable.py                                   # every family, one held-out seed
    python benchmarks/reachable.py --seeds 0:5 --count 2000 --save misses.json
    python benchmarks/reachable.py --family mimic --solver LM --restarts 400 --iterations 4000
    python benchmarks/reachable.py --replay misses.json              # the misses of an earlier run, again
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
from contest import mechanisms as arms
from contest.adapters.ours import skeleton as skeleton_of
from measuring import parser, table_with
from rich.console import Console
from rich.table import Table
from tests.support.families import Family
from tests.support.looks import best_look
from tests.support.problems import Case, draw_case, frozen_kept
from tests.support.random_skeletons import columns_of, draw_joint, random_coordinates, unit
from tests.support.reachable_problems import REACHABLE, TURNS, draw_reachable
from tests.support.verdict import errors

import supple
from supple import rotations as rot
from supple.solvers import Solver

TARGETS_A_CASE = 20  # targets a skeleton
HELD_OUT = 100  # the first seed that nothing was tuned on
ALLOWED_MISSES = 5e-5  # the share of reachable targets that may be missed
WORSE_BY = (
    0.01  # of the chain's length: how much farther than the best of many starts an answer may be
)
RANDOM_STARTS = 50
SHOULDER = np.array([0.0, 0.0, 0.333])  # of the arm of seven hinges [m]
LOCAL = supple.LM(restarts=0)


@dataclass
class Tally:
    """What happened to one family."""

    solves: int = 0
    wrong: int = 0  # said to be reached, but not
    iterations: int = 0
    seconds: float = 0.0
    local_seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    misses: list[dict[str, Any]] = field(default_factory=list)


def source_of(family: Family, seed: int, number: int) -> Random:
    """The random source of case `number` of a family: the same on every machine."""
    return Random(f"{family.name} {seed} {number}")


def met(case: Case, ik: supple.Prepared, answer: supple.Solution) -> np.ndarray:
    """Which rows meet all goals inside the limits, by forward kinematics, shape (B,)."""
    demands = ik._asked.demands
    amounts = errors(case, demands, answer.pose)
    tolerances = np.array([demand.tolerance for demand in demands])
    moving = case.problem.moving
    inside = (answer.pose.violations()[..., moving] <= 1e-9 * (1.0 + case.problem.length)).all(-1)
    return (amounts <= 1.0001 * tolerances + 1e-12).all(axis=-1) & inside


def solve_case(case: Case, solver: Solver | str) -> tuple[Case, supple.Solution, np.ndarray, float]:
    """Solve a case: itself (on a path with the starts that it had), the answers, which are met, and the seconds."""
    ik = case.prepared(solver)
    if "path" in case.family.extras:
        begin = process_time()
        answer = ik.track(*case.targets, start=case.start[0], restarts=True).solution
        seconds = process_time() - begin
        before = np.concatenate([case.start.coordinates[:1], answer.pose.coordinates[:-1]])
        case = replace(case, start=supple.Pose(case.skeleton, before))
    else:
        begin = process_time()
        answer = ik.solve(*case.targets, start=case.start, threads=1)
        seconds = process_time() - begin
    return case, answer, met(case, ik, answer), seconds


def count_case(family: Family, seed: int, number: int, solver: Solver | str, tally: Tally) -> None:
    """Solve one case of a family and add what happened."""
    drawn = draw_reachable(source_of(family, seed, number), family, TARGETS_A_CASE)
    if drawn is None:
        return
    case, answer, fine, seconds = solve_case(drawn, solver)
    *_, local = solve_case(drawn, LOCAL)
    tally.solves += len(fine)
    tally.seconds += seconds
    tally.local_seconds += local
    tally.iterations += int(np.sum(answer.iterations))
    tally.wrong += int(np.sum(answer.reached & ~fine))
    for row in np.flatnonzero(~fine).tolist():
        status = supple.Status(int(answer.status[row])).name
        tally.statuses[status] += 1
        place = {"family": family.name, "seed": seed, "case": number, "row": row, "status": status}
        tally.misses.append(
            {
                **place,
                "iterations": int(answer.iterations[row]),
                "restarts": int(answer.restarts[row]),
                "error": float(answer.error[row]),
                **case.describe(row),
            }
        )


def run(
    families: Sequence[Family],
    seeds: Sequence[int],
    count: int,
    solver: Solver | str,
    console: Console,
) -> list[tuple[Family, Tally]]:
    """Solve about `count` targets of each family and seed."""
    results = []
    for family in families:  # so that no compilation is timed
        count_case(family, seeds[0], 0, solver, Tally())
    for family in families:
        tally = Tally()
        for seed in seeds:
            for number in range(math.ceil(count / TARGETS_A_CASE)):
                count_case(family, seed, number, solver, tally)
        results.append((family, tally))
        if not console.is_terminal:
            print(f"{family.name}: {len(tally.misses)} of {tally.solves}", file=sys.stderr, flush=True)  # fmt: skip
    return results


def table_of(results: Sequence[tuple[Family, Tally]]) -> Table:
    """Solved, missed, how, and at what price, by family."""
    table = Table(title="Targets made from poses inside the limits")
    table.add_column("family", no_wrap=True)
    for title in ("solved", "missed", "wrong", "mean iterations", "us each", "times one descent"):
        table.add_column(title, justify="right")
    table.add_column("missed as")
    total = Tally()
    for family, tally in results:
        table.add_row(family.name, *_cells(tally))
        for name in ("solves", "wrong", "iterations", "seconds", "local_seconds", "statuses", "misses"):  # fmt: skip
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    table.add_section()
    table.add_row("all", *_cells(total))
    return table


def _cells(tally: Tally) -> list[str]:
    n = max(tally.solves, 1)
    return [
        f"{tally.solves - len(tally.misses):,}",
        f"[red]{len(tally.misses):,}" if tally.misses else "0",
        f"[red]{tally.wrong:,}" if tally.wrong else "0",
        f"{tally.iterations / n:.1f}",
        f"{1e6 * tally.seconds / n:.0f}",
        f"{tally.seconds / max(tally.local_seconds, 1e-12):.2f}",
        ", ".join(f"{name} {count}" for name, count in tally.statuses.most_common()),
    ]


def replay(path: Path, solver: Solver | str, console: Console) -> int:
    """Solve the saved misses of an earlier run again; returns how many are still missed."""
    names = {family.name: family for family in REACHABLE}
    places = {(m["family"], m["seed"], m["case"], m["row"]) for m in json.loads(path.read_text())}
    cases = sorted({place[:3] for place in places})
    still: Counter[str] = Counter()
    seconds = 0.0
    for name, seed, number in cases:
        case = draw_reachable(source_of(names[name], seed, number), names[name], TARGETS_A_CASE)
        assert case is not None
        _, _, fine, spent = solve_case(case, solver)
        seconds += spent
        still[name] += sum((name, seed, number, b) in places for b in np.flatnonzero(~fine).tolist())  # fmt: skip
    for name, missed in still.items():
        before = sum(place[0] == name for place in places)
        console.print(f"{name}: {missed} of {before} are still missed", highlight=False)
    console.print(f"{still.total()} of {len(places)} are still missed; {seconds:.1f} s")
    return still.total()


# Out of reach ---------------------------------------------------------------------------------------

BEYOND = (
    Family("beyond, hinges", ("Hinge",), links=(2, 6)),
    Family("beyond, cones", ("Cone",), links=(1, 6)),
    Family("beyond, mixed turns", TURNS, links=(2, 8)),
    Family("beyond, sliders", ("Slider", "Hinge", "Cone"), links=(2, 6)),
)


def beyond(family: Family, seeds: Sequence[int], count: int, solver: Solver | str) -> list[str]:
    """Cells of the table: targets in and out of the reach sphere against the best of many random starts."""
    solves = worse = missed = reached = 0
    most = seconds = 0.0
    for seed in seeds:
        for number in range(math.ceil(count / TARGETS_A_CASE)):
            rng = source_of(family, seed, number)
            case = draw_case(
                rng, family, TARGETS_A_CASE, places=("ball", "beyond"), starts=("rest", "bent")
            )
            if case is None:
                continue
            case, answer, fine, spent = solve_case(case, solver)
            numbers = np.random.default_rng(rng.getrandbits(32))
            best = best_of_many(case, numbers)
            length = case.problem.length
            far = (answer.error - best) / length
            out = best > case.problem.blocks[0].tolerance
            solves += len(far)
            reached += int(fine.sum())
            worse += int(np.sum(out & (far > WORSE_BY)))
            missed += int(np.sum(~out & ~fine))
            most = max(most, float(np.max(far, initial=0.0, where=out)))
            seconds += spent
    share = worse / max(solves - reached, 1)
    counts = [f"{n:,}" for n in (solves, reached, missed, worse)]
    return [*counts, f"{100 * share:.1f}%", f"{most:.2f}", f"{1e6 * seconds / max(solves, 1):.0f}"]


def best_of_many(case: Case, rng: np.random.Generator) -> np.ndarray:
    """The least distance from its target that descents from random poses find, shape (B,)."""
    ik = case.prepared(supple.LM(max_iterations=300, restarts=0))
    rows = len(case.places)
    best = np.full(rows, np.inf)
    moving = columns_of(case.skeleton, case.problem.moving)
    for _ in range(RANDOM_STARTS):
        start = np.array(case.start.coordinates)
        drawn = random_coordinates(case.skeleton, rows, rng, length=case.problem.length)
        start[:, moving] = drawn[:, moving]
        frozen_kept(case.skeleton, start, case.start.coordinates)
        answer = ik.solve(*case.targets, start=supple.Pose(case.skeleton, start), threads=1)
        best = np.minimum(best, answer.error)
    return best


def arm_beyond(
    near: float, far: float, seeds: Sequence[int], count: int, solver: Solver | str
) -> list[str]:
    """Cells of the table: any poses of a seven-hinge arm at distances [m] from its shoulder, from any start."""
    model = arms.panda()
    skeleton = skeleton_of(model)
    goal = supple.Reach("tip", supple.OPEN, orientation=supple.OPEN)
    ik = supple.prepare(skeleton, goal, solver=solver)
    solves = reached = 0
    seconds = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        direction = rng.normal(size=(count, 3))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        points = SHOULDER + direction * rng.uniform(near, far, (count, 1))
        turns = rng.normal(size=(count, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        q = rng.uniform(model.limits[:, 0], model.limits[:, 1], (count, len(model.limits)))
        start = supple.Pose(skeleton, q)
        begin = process_time()
        answer = ik.solve(points, turns, start=start, threads=1)
        seconds += process_time() - begin
        solves += count
        reached += int(answer.reached.sum())
    return [f"{solves:,}", f"{reached:,}", "", "", "", "", f"{1e6 * seconds / max(solves, 1):.0f}"]


def beyond_table(seeds: Sequence[int], count: int, solver: Solver | str) -> Table:
    """Targets that may be out of reach."""
    table = Table(
        title=f"Targets that may be out of reach, against the best of {RANDOM_STARTS} random starts"
    )
    table.add_column("family", no_wrap=True)
    titles = ("solves", "reached", "missed", "worse by 1%", "of unreached", "most, in lengths")
    for title in (*titles, "us each"):
        table.add_column(title, justify="right")
    for family in BEYOND:
        table.add_row(family.name, *beyond(family, seeds, count, solver))
    for near, far in ((0.3, 0.6), (0.6, 0.9), (0.9, 1.0), (1.0, 1.5)):
        name = f"any pose of 7 hinges, {near:g} to {far:g}"
        table.add_row(name, *arm_beyond(near, far, seeds, count, solver))
    return table


# Looking at a limit ---------------------------------------------------------------------------------

LOOKING = ("Hinge", "Axes", "Cone", "Ball")


def look_table(seeds: Sequence[int], count: int, solver: Solver | str) -> Table:
    """One joint that looks at what it may not be able to see."""
    titles = ("solves", "reached", "missed", "budget", "worse by 1e-3 rad", "most [rad]")
    heads = ("joint", *titles, "mean iterations", "us each")
    table = table_with("Looking with one joint, against a dense search", heads)
    for kind in LOOKING:
        for effector in ("head", "eyes"):
            table.add_row(f"{kind}, {effector}", *_look(kind, effector, seeds, count, solver))
    return table


def _look(kind: str, effector: str, seeds: Sequence[int], count: int, solver: Solver | str) -> list[str]:  # fmt: skip
    solves = reached = missed = budget = worse = iterations = 0
    most = seconds = 0.0
    rows = 10
    for seed in seeds:
        for number in range(math.ceil(count / rows)):
            rng = Random(f"look {kind} {effector} {seed} {number}")
            joint = draw_joint(rng, kind, 1.0, frozenset({"round"}))
            if isinstance(joint, supple.Axes) and joint.frozen:
                joint = supple.Axes(joint.order, joint.limits)
            skeleton = supple.Skeleton(
                [("head", None, (0, 0, 0), joint)], tips=[("eyes", "head", (0.0, 0.1, 0.1))]
            )
            goal = supple.LookAt(effector, axis=unit(rng))
            numbers = np.random.default_rng(rng.getrandbits(32))
            targets = 3.0 * numbers.normal(size=(rows, 3))
            ik = supple.prepare(skeleton, goal, solver=solver)
            begin = process_time()
            answer = ik.solve(targets, threads=1)
            seconds += process_time() - begin
            found = _angles_of(answer, goal, targets)
            best = np.array([best_look(skeleton, goal, target) for target in targets])
            solves += rows
            reached += int(answer.reached.sum())
            missed += int(np.sum(~answer.reached & (best <= 1e-4)))
            budget += int(np.sum(answer.status == int(supple.Status.BUDGET)))
            worse += int(np.sum(found - best > 1e-3))
            most = max(most, float((found - best).max()))
            iterations += int(answer.iterations.sum())
    cells = (
        f"{solves:,}",
        f"{reached:,}",
        f"{missed:,}",
        f"{budget:,}",
        f"{worse:,}",
        f"{most:.4f}",
    )
    return [*cells, f"{iterations / max(solves, 1):.1f}", f"{1e6 * seconds / max(solves, 1):.0f}"]


def _angles_of(answer: supple.Solution, goal: supple.LookAt, targets: np.ndarray) -> np.ndarray:
    seen = rot.rotate(answer.pose.rotation(goal.effector), goal.axis)
    way = targets - answer.pose.position(goal.effector)
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    return 2.0 * np.arctan2(
        np.linalg.norm(seen - way, axis=-1), np.linalg.norm(seen + way, axis=-1)
    )


# ----------------------------------------------------------------------------------------------------


def seeds_in(text: str) -> range:
    """Seeds of an option: "3" is one of them, "3:7" is 3 to 6."""
    first, _, last = text.partition(":")
    return range(int(first), int(last) if last else int(first) + 1)


def solver_of(given: argparse.Namespace) -> Solver | str:
    """The solver that the options describe."""
    if given.iterations is None and given.restarts is None:
        return given.solver
    solver = supple.LM(closed_form=True)
    changed = {"max_iterations": given.iterations, "restarts": given.restarts}
    return replace(solver, **{name: value for name, value in changed.items() if value is not None})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns 1 if more targets are missed than may be."""
    words = parser(__doc__)
    seeds = range(HELD_OUT, HELD_OUT + 1)
    words.add_argument("--seeds", type=seeds_in, default=seeds, help="such as 100 or 0:5")
    words.add_argument("--count", type=int, default=2000, help="targets of a family and seed")
    about = "part of a family's name, or =name for a whole one; repeatable"
    words.add_argument("--family", action="append", default=[], help=about)
    words.add_argument("--solver", default="auto")
    words.add_argument("--iterations", type=int, help="LM with so many iterations instead")
    words.add_argument("--restarts", type=int, help="LM with so many restarts instead")
    words.add_argument("--save", type=Path, help="write the missed problems to this JSON file")
    words.add_argument("--replay", type=Path, help="solve the problems of such a file again")
    given = words.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    solver = solver_of(given)
    if given.replay:
        return int(replay(given.replay, solver, console) > 0)

    def wanted(name: str) -> bool:
        return not given.family or any(part == f"={name}" or part in name for part in given.family)

    results = run(
        [f for f in REACHABLE if wanted(f.name)], given.seeds, given.count, solver, console
    )
    if given.save:
        given.save.write_text(
            json.dumps([m for _, tally in results for m in tally.misses], indent=1)
        )
    if results:
        console.print(table_of(results))
    if wanted("beyond"):
        console.print(beyond_table(given.seeds, max(TARGETS_A_CASE, given.count // 5), solver))
    if wanted("look"):
        console.print(look_table(given.seeds, max(TARGETS_A_CASE, given.count // 20), solver))
    solves = sum(tally.solves for _, tally in results)
    missed = sum(len(tally.misses) for _, tally in results)
    console.print(f"{missed} of {solves:,} reachable targets missed", highlight=False)
    return int(missed > max(1, ALLOWED_MISSES * solves) or any(tally.wrong for _, tally in results))


if __name__ == "__main__":
    sys.exit(main())
