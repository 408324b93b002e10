"""Growth: what one iteration costs on 1,000 and on 10,000 links or with 4 to 512 goals, and what preparing costs.

An iteration of CCD or FABRIK is linear in the links: ten times as many may cost at most 12 times
as much (the rest is the processor's caches). One of LM or of the Jacobian methods is linear in the goals of a
branching tree and in its joints: the last two numbers of goals
are compared.

    python benchmarks/growth.py
    python benchmarks/growth.py --links 100 1000 --repeat 3
    python benchmarks/growth.py --goals 16 64 256
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from measuring import least, parser, show, table_with
from rich.table import Table

import supple
from supple.solvers import ALL

NAMES = ("CCD", "FABRIK")
MOST = {"CCD": 12.0, "FABRIK": 12.0}
GOAL_COUNTS = (4, 16, 64, 256, 512)
SOLVERS: dict[str, Callable[[int], supple.Solver]] = {
    "LM": lambda budget: supple.LM(max_iterations=budget, restarts=0),
    "Jacobian dls": lambda budget: supple.Jacobian(method="dls", max_iterations=budget),
    "Jacobian pinv": lambda budget: supple.Jacobian(method="pinv", max_iterations=budget),
}
MOST_OF_GOALS = 1.3  # by how much an iteration may grow faster than the goals: caches


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
        seconds, answer = least(lambda ik=ik: ik(target, start=start), repeat)
        found.append((seconds, answer.iterations))
    (first, few), (second, many) = found
    return (second - first) / max(1, many - few)


def branches(count: int) -> tuple[supple.Skeleton, list[supple.Reach]]:
    """Branches of balls and limited hinges on a free root, and a goal for each that it can reach."""
    rng = np.random.default_rng(count)
    nodes: list[Any] = [("root", None, (0.0, 0.0, 0.0), supple.Free())]
    tips: list[Any] = []
    for b in range(count):
        parent, offset = "root", tuple(rng.normal(size=3))
        for k in range(4):
            joint = supple.Hinge("z", limits=(-2, 2)) if k % 2 else supple.Ball()
            nodes.append((f"j{b}_{k}", parent, offset, joint))
            parent, offset = f"j{b}_{k}", (1.0, 0.0, 0.0)
        tips.append((f"tip{b}", parent, offset))
    tree = supple.Skeleton(nodes, tips)
    there = supple.Pose.from_angles(tree, 0.3 * rng.normal(size=len(tree.freedoms)))
    return tree, [supple.Reach(tip, there.position(tip)) for tip in tree.tip_names]


def per_iteration_of_goals(name: str, count: int, repeat: int) -> float:
    """Seconds of one iteration with some goals: what more of them cost."""
    tree, goals = branches(count)
    found = []
    for budget in (1, 4):
        ik = supple.prepare(tree, goals, solver=SOLVERS[name](budget), tolerance=1e-12)
        seconds, answer = least(ik, repeat)
        found.append((seconds, answer.iterations))
    (first, few), (second, many) = found
    return (second - first) / max(1, many - few)


def goals_table(counts: Sequence[int], repeat: int) -> tuple[Table, int]:
    """What an iteration and preparing cost by the number of goals, and how often growth is faster than linear."""
    heads = ("what", *(f"{count:,} goals" for count in counts), "last ratio", "at most")
    table, missed = table_with("Growth with goals: milliseconds", heads), 0
    most = MOST_OF_GOALS * counts[-1] / counts[-2]
    prepared = {count: branches(count) for count in counts}
    measured: dict[str, Callable[[int], float]] = {
        f"an iteration of {name}": lambda n, name=name: per_iteration_of_goals(name, n, repeat)
        for name in SOLVERS
    }
    measured["preparing a solve"] = lambda n: least(lambda: supple.prepare(*prepared[n]), 3)[0]
    for what, seconds in measured.items():
        seconds(4)  # compile
        times = [seconds(count) for count in counts]
        ratio = times[-1] / times[-2]
        missed += ratio > most
        shown = f"{ratio:.1f}" if ratio <= most else f"[red]{ratio:.1f}"
        table.add_row(what, *(f"{1e3 * time:.3f}" for time in times), shown, f"{most:.1f}")
    return table, missed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    words = parser(__doc__)
    words.add_argument("--links", nargs=2, type=int, default=(1000, 10_000))
    words.add_argument(
        "--goals", nargs="+", type=int, default=GOAL_COUNTS, help="two numbers or more"
    )
    words.add_argument("--repeat", type=int, default=9)
    given = words.parse_args(arguments)
    few, many = given.links
    heads = ("what", f"{few:,} links", f"{many:,} links", "ratio", "at most")
    table = table_with("Growth: milliseconds", heads)
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
        small, large = (least(lambda n=n: action(n), 3)[0] for n in (few, many))  # noqa: B023
        table.add_row(what, f"{1e3 * small:.2f}", f"{1e3 * large:.2f}", f"{large / small:.1f}", "")
    show(table)
    table, faster = goals_table(given.goals, given.repeat)
    show(table)
    return int(missed + faster > 0)


if __name__ == "__main__":
    sys.exit(main())
