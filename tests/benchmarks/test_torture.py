"""A small form of the torture benchmark: every solver, every kind of problem, every law.

Each kind of problem is three skeletons with a few targets each; SUPPLE_TORTURE=2000 makes 2,000 solves
with each solver, in batches as large as the benchmark's own.
"""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import torture  # noqa: E402

from supple.solvers import ALL  # noqa: E402

SMALL_ROWS = 8  # targets of a skeleton
TOTAL = int(os.environ["SUPPLE_TORTURE"]) if "SUPPLE_TORTURE" in os.environ else None


@pytest.mark.parametrize("name", ["auto", *(solver.name for solver in ALL)])
def test_every_answer_keeps_the_laws(name):
    solvers = torture.solvers_named([name])
    families = torture.claimed(solvers[0], (*torture.FAMILIES, torture.HUGE))
    total, rows = TOTAL, torture.CASE_ROWS
    if total is None:
        # SciPy takes a tenth of a second a solve: benchmarks/torture.py has the rest.
        families = families[::5] if name == "Optimize" else families
        total, rows = 3 * SMALL_ROWS * len(families), SMALL_ROWS
    total = int(total * torture.SHARES.get(name, 1.0))
    run = torture.run(total, solvers, families, rows=rows)
    results = [(family, tally) for _, family, tally, done in run if done]
    broken = [
        f"{family} {number} {fault.row}: {fault.law} ({fault.detail})"
        for family, tally in results
        for number, fault in tally.faults
    ]
    assert broken == []
    assert sum(tally.solves for _, tally in results) >= 2 / 3 * total
    assert any(tally.statuses[0] for _, tally in results)  # some were reached
