"""A small form of the torture benchmark: every solver, every kind of problem, every law."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import torture  # noqa: E402

from supple.solvers import ALL  # noqa: E402


@pytest.mark.parametrize("name", ["auto", *(solver.name for solver in ALL)])
def test_every_answer_keeps_the_laws(name):
    total = int(1500 * torture.SHARES.get(name, 1.0))
    # SciPy takes a tenth of a second a solve: benchmarks/torture.py has the rest.
    slow = name == "Optimize"
    families = torture.FAMILIES[::5] if slow else (*torture.FAMILIES, torture.HUGE)
    run = torture.run(total, torture.solvers_named([name]), families)
    results = [(family, tally) for _, family, tally, done in run if done]
    broken = [
        f"{family} {number} {fault.row}: {fault.law} ({fault.detail})"
        for family, tally in results
        for number, fault in tally.faults
    ]
    assert broken == []
    assert sum(tally.solves for _, tally in results) >= 2 / 3 * total
    assert any(tally.statuses[0] for _, tally in results)  # some were reached
