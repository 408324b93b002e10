"""Growth: what one iteration costs on 1,000 and on 10,000 links, and what preparing them costs.

An iteration of CCD or FABRIK is linear in the links: ten times as many may cost at most 12 times
as much (the rest is the processor's caches).

    python benchmarks/growth.py
    python benchmarks/growth.py --links 100 1000 --repeat 3
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from supple.solvers import ALL

NAMES = ("CCD", "FABRIK")
MOST = {"CCD": 12.0, "FABRIK": 12.0}


def best(action: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The least seconds of a few runs, and the last result."""
    seconds, result = np.inf, None
    for _ in range(repeat):
        begun = time.perf_counter()
        result = action()
        seconds = min(seconds, time.perf_counter() - begun)
    return seconds, result


def problem(links: int) -> tuple[supple.Skeleton, supple.Pose, np.ndarray]:
    """A gently bent chain of unit links and a target that no solver meets at once."""
    rng = np.random.default_rng(links)
    chain = supple.chain(np.ones(links))
    bends = rng.normal(scale=3.0 / links, size=(links, 3))
    return chain, supple.Pose.from_angles(chain, bends.ravel()), links * np.array([0.1, 0.9, 0.3])


def per_iteration(name: str, links: int, repeat: int) -> float:
    """Seconds of one iteration: what more of them cost, so that setting up does not count."""
    chain, start, target = problem(links)
    solver = next(solver for solver in ALL if solver.name == name)
    found = []
    for budget in (2, 12):
        ik = supple.prepare(
            chain, [supple.Reach("tip")], solver=solver(max_iterations=budget), tolerance=1e-9
        )
        seconds, answer = best(lambda ik=ik: ik(target, start=start), repeat)
        found.append((seconds, answer.iterations))
    (first, few), (second, many) = found
    return (second - first) / max(1, many - few)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links", nargs=2, type=int, default=(1000, 10_000))
    parser.add_argument("--repeat", type=int, default=9)
    given = parser.parse_args(arguments)
    few, many = given.links
    table = Table(title="Growth: milliseconds")
    table.add_column("what")
    for title in (f"{few:,} links", f"{many:,} links", "ratio", "at most"):
        table.add_column(title, justify="right")
    missed = 0
    known = {solver.name for solver in ALL}
    for name in (name for name in NAMES if name in known):
        per_iteration(name, 4, 1)  # compile
        small, large = (per_iteration(name, links, given.repeat) for links in (few, many))
        most = MOST.get(name, np.inf) * many / few / 10.0
        fine = large <= most * small
        missed += not fine
        table.add_row(
            f"an iteration of {name}",
            f"{1e3 * small:.3f}",
            f"{1e3 * large:.3f}",
            f"{large / small:.1f}" if fine else f"[red]{large / small:.1f}",
            f"{most:.0f}" if np.isfinite(most) else "",
        )
    chains = {links: supple.chain(np.ones(links)) for links in (few, many)}
    goals = [supple.Reach("tip")]
    steps: dict[str, Callable[[int], Any]] = {
        "building the chain": lambda links: supple.chain(np.ones(links)),
        "preparing a solve": lambda links: supple.prepare(chains[links], goals),
        "FK of one pose": lambda links: supple.Pose(chains[links]).positions,
    }
    for what, action in steps.items():
        small, large = (best(lambda n=n: action(n), 3)[0] for n in (few, many))  # noqa: B023
        table.add_row(what, f"{1e3 * small:.2f}", f"{1e3 * large:.2f}", f"{large / small:.1f}", "")
    Console().print(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
