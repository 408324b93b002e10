"""A million random and adversarial solves: never NaN, never worse, inside the limits, truthful.

Every solver meets every family of `tests.support.families` that it claims in the matrix, and every answer is
judged by `tests.support.verdict`, independently of the solvers' arithmetic. Exits with 1, and says how to see it
again, when an answer breaks a law.

Solves are shared out evenly over solvers and families, but for what is slow (SHARES): SciPy takes a
hundred times as long as our own kernels, and long chains take long. Problems come in batches, so
that the time is the solvers' and not Python's.

    python benchmarks/torture.py                             # 1,000,000 solves, all solvers
    python benchmarks/torture.py 20000 --solver LM           # fewer, one solver
    python benchmarks/torture.py --first 5000000             # other problems: cases from that number on
    python benchmarks/torture.py --replay LM "mimic" 17 3    # one row of one case again

`tests/benchmarks/test_torture.py` runs a small form of it, with --rows 16.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

import numpy as np
from measuring import parser
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tests.support.families import FAMILIES, HUGE, Family
from tests.support.problems import Case, draw_case
from tests.support.verdict import Fault, judge, violation

import supple
from supple.solvers import ALL, Solver

CASE_ROWS = 128  # solves a case
SLOW_FACTOR = 16  # a case has so many times fewer solves where they are slow
# What is slow gets this much of an even share of the solves.
SHARES = {"Optimize": 0.02, "Jacobian": 0.5, "long": 0.1, HUGE.name: 0.01}
LONG_JOINTS = 40  # joints from which on SciPy is slow beyond measure: less is asked of it there
KEEP_EVERY = 8  # every so many cases are also solved with unreachable="keep"
ALONE_EVERY = 4  # every so many cases one row is also solved by itself
AGAIN_EVERY = 3  # every so many cases the problems are also solved from their own answers


@dataclass
class Tally:
    """What happened to one solver in one family."""

    solves: int = 0
    refused: int = 0
    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    violation: float = 0.0
    faults: list[tuple[int, Fault]] = field(default_factory=list)


def seed_of(family: Family, number: int) -> Random:
    """The source of a family's case number so-and-so: the same on every machine."""
    return Random(f"{family.name} {number}")


def share_of(solver: Solver | str, family: Family) -> float:
    """How much of an even share of the solves a solver gets in a family."""
    return SHARES.get(name_of(solver), 1.0) * SHARES.get(family.name, 1.0)


def case_of(
    family: Family, number: int, solver: Solver | str, rows: int = CASE_ROWS
) -> Case | None:
    """A family's case number so-and-so, None if the numbers drawn make no problem."""
    rows = max(rows // SLOW_FACTOR, 1) if share_of(solver, family) < 0.1 else rows
    return draw_case(seed_of(family, number), family, rows)


def patient(solver: Solver | str, family: Family) -> Solver | str:
    """The solver; in families of long chains SciPy without its dense matrix and with few iterations."""
    if isinstance(solver, supple.Optimize) and family.links[0] >= LONG_JOINTS:
        return replace(solver, method="cg", max_iterations=20)
    return solver


def solve_case(case: Case, number: int, solver: Solver | str, tally: Tally) -> None:
    """Solve a case, judge the answers and count."""
    solver = patient(solver, case.family)
    keep = "keep" if number % KEEP_EVERY == KEEP_EVERY - 1 else "approach"
    try:
        prepared = case.prepared(solver, unreachable=keep)
    except supple.SuppleError:
        tally.refused += 1
        return
    begun = time.perf_counter()
    answer = prepared.solve(*case.targets, start=case.start)
    tally.seconds += time.perf_counter() - begun
    tally.solves += len(answer)
    tally.statuses.update(answer.status.tolist())
    tally.violation = max(tally.violation, violation(case, answer))
    tally.faults += [(number, fault) for fault in judge(case, prepared, answer)]
    if number % AGAIN_EVERY == 0 and keep == "approach":
        again = replace(case, start=answer.pose)
        answer_again = prepared.solve(*again.targets, start=again.start)
        tally.solves += len(answer_again)
        tally.faults += [
            (number, replace(fault, law=f"{fault.law}, from its own answer"))
            for fault in judge(again, prepared, answer_again)
        ]
    if number % ALONE_EVERY == 0:
        b = number % len(answer)
        targets, start = case.row(b)
        if not np.array_equal(prepared.solve(*targets, start=start)._rows, answer[b]._rows):
            tally.faults.append((number, Fault("alone as in a batch", b, "other bits")))


def claimed(solver: Solver | str, families: Sequence[Family]) -> list[Family]:
    """The families that a solver claims and does not refuse; "auto" claims all."""
    if isinstance(solver, str):
        return list(families)
    able = [family for family in families if family.suits(solver.takes)]
    return [family for family in able if _some_case(family, solver)]


@cache
def _some_case(family: Family, solver: Solver) -> bool:
    for number in range(12):
        case = draw_case(seed_of(family, number), family, 1)
        if case is None:
            continue
        try:
            case.prepared(patient(solver, family))
        except supple.SuppleError:
            continue
        return True
    return False


def run(
    total: int,
    solvers: Sequence[Solver | str],
    families: Sequence[Family] = (*FAMILIES, HUGE),
    *,
    rows: int = CASE_ROWS,
    first: int = 0,
) -> Iterator[tuple[str, str, Tally, bool]]:
    """Share the solves out over the cases from number `first` on.

    Yields (solver, family, tally so far, whether that part is done).
    """
    pairs = [(solver, family) for solver in solvers for family in claimed(solver, families)]
    even = 1.01 * total / sum(share_of(solver, family) for solver, family in pairs)
    for solver, family in pairs:
        share = even * share_of(solver, family)
        tally = Tally()
        number = first
        while tally.solves < share and tally.refused < 50 + 4 * (number - first) // 5:
            case = case_of(family, number, solver, rows)
            if case is None:
                tally.refused += 1
            else:
                solve_case(case, number, solver, tally)
            number += 1
            yield name_of(solver), family.name, tally, False
        yield name_of(solver), family.name, tally, True


def name_of(solver: Solver | str) -> str:
    """What a solver is called in tables."""
    return solver if isinstance(solver, str) else solver.name


def solvers_named(names: Sequence[str]) -> list[Solver | str]:
    """Solvers by name; "auto" and every registered one if there are none."""
    if not names:
        return ["auto", *(solver() for solver in ALL)]
    known = {solver.name.casefold(): solver for solver in ALL}
    return ["auto" if name == "auto" else known[name.casefold()]() for name in names]


def table_of(results: Sequence[tuple[str, str, Tally]]) -> Table:
    """Counts for each solver and kind of problem."""
    table = Table(title="Torture: how the solves ended")
    for title in ("solver", "problems"):
        table.add_column(title, no_wrap=True)
    names = [status.name.lower().replace("_", " ") for status in supple.Status]
    for title in ("solves", *names, "us each", "past a limit", "broken laws"):
        table.add_column(title, justify="right")
    for solver, family, tally in results:
        table.add_row(
            solver,
            family,
            f"{tally.solves:,}",
            *(f"{tally.statuses[int(status)]:,}" for status in supple.Status),
            f"{1e6 * tally.seconds / max(tally.solves, 1):.0f}",
            f"{tally.violation:.0e}" if tally.violation else "0",
            f"[red]{len(tally.faults)}" if tally.faults else "0",
        )
    return table


def report(console: Console, results: Sequence[tuple[str, str, Tally]], rows: int) -> int:
    """Print the table and what was broken; returns how many laws were."""
    console.print(table_of(results))
    solves = sum(tally.solves for *_, tally in results)
    worst = max((tally.violation for *_, tally in results), default=0.0)
    broken = sum(len(tally.faults) for *_, tally in results)
    less = ", ".join(f"{name} {share:g}" for name, share in SHARES.items())
    console.print(f"Less than an even share of the solves: {less}", highlight=False)
    for name in dict.fromkeys(solver for solver, *_ in results):
        mine = [tally for solver, _, tally in results if solver == name]
        count, seconds = sum(t.solves for t in mine), sum(t.seconds for t in mine)
        console.print(f"{name}: {count:,} solves, {1e6 * seconds / max(count, 1):.0f} us each")
    console.print(
        f"{solves:,} solves; the most by which any answer is outside a limit: {worst:.1e}; "
        f"{broken} broken laws"
    )
    for solver, family, tally in results:
        seen: set[str] = set()
        for number, fault in tally.faults:
            if fault.law not in seen:
                seen.add(fault.law)
                console.print(f"[red]{solver}, {family}: {fault.law}[/] ({fault.detail})")
                console.print(
                    f"  python benchmarks/torture.py --replay {solver} {family!r} "
                    f"{number} {fault.row} --rows {rows}",
                    highlight=False,
                )
    return broken


def replay(console: Console, solver: str, name: str, number: int, row: int, rows: int) -> int:
    """Solve one row again and print everything about it."""
    family = next(f for f in (*FAMILIES, HUGE) if f.name == name)
    chosen = solvers_named([solver])[0]
    case = case_of(family, number, chosen, rows)
    assert case is not None
    keep = "keep" if number % KEEP_EVERY == KEEP_EVERY - 1 else "approach"
    prepared = case.prepared(patient(chosen, family), unreachable=keep)
    console.print_json(json.dumps(case.describe(row)))
    answer = prepared.solve(*case.targets, start=case.start)
    console.print(answer[row], answer.errors[row], answer.pose.coordinates[row], sep="\n")
    faults = [fault for fault in judge(case, prepared, answer) if fault.row == row]
    again = replace(case, start=answer.pose)
    answer = prepared.solve(*again.targets, start=again.start)
    console.print("from its own answer:", answer[row], answer.errors[row], sep="\n")
    faults += [fault for fault in judge(again, prepared, answer) if fault.row == row]
    for fault in faults:
        console.print(f"[red]{fault.law}[/] ({fault.detail})")
    return len(faults)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    words = parser(__doc__)
    words.add_argument("solves", nargs="?", type=int, default=1_000_000)
    words.add_argument("--solver", action="append", default=[], help="a name, or auto; repeatable")
    words.add_argument("--family", action="append", default=[], help="part of a family's name")
    words.add_argument(
        "--rows", type=int, default=CASE_ROWS, help="solves a case (default: %(default)s)"
    )
    words.add_argument(
        "--first", type=int, default=0, help="number of each family's first case (default: 0)"
    )
    words.add_argument("--replay", nargs=4, metavar=("SOLVER", "FAMILY", "CASE", "ROW"))
    given = words.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    if given.replay:
        solver, family, number, row = given.replay
        return int(replay(console, solver, family, int(number), int(row), given.rows) > 0)
    wanted = [
        family
        for family in (*FAMILIES, HUGE)
        if not given.family or any(part in family.name for part in given.family)
    ]
    results: list[tuple[str, str, Tally]] = []
    done = 0
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("solving", total=given.solves)
        solvers = solvers_named(given.solver)
        cases = run(given.solves, solvers, wanted, rows=given.rows, first=given.first)
        for solver, family, tally, over in cases:
            progress.update(task, completed=done + tally.solves, description=f"{solver}, {family}")
            if over:
                results.append((solver, family, tally))
                done += tally.solves
                if not console.is_terminal:  # where there is no bar
                    faults = f", {len(tally.faults)} broken laws" if tally.faults else ""
                    print(f"{done:>9,} {solver}, {family}{faults}", file=sys.stderr, flush=True)
    return int(report(console, results, given.rows) > 0)


if __name__ == "__main__":
    sys.exit(main())
