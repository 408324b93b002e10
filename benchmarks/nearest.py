"""Out of reach: how near a solver comes, beside the nearest pose that any solver finds.

Limited chains and trees of every kind, targets at 1.02 to 1.3 of their reach. The nearest pose known is the best of
CCD, FABRIK, Jacobian and of `auto` from rest and from STARTS random poses. An answer is *farther* if it is more than 5%
of the reach farther away (of several goals: the root of the sum of squares).

    python benchmarks/nearest.py
    python benchmarks/nearest.py --seed 5 --count 200
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import random_chains
import supple
from mechanisms import random_coordinates

SOLVERS = ("auto", "CCD", "FABRIK", "Jacobian")
STARTS = 12  # random poses to look for the nearest from
FARTHER = 0.05  # of the reach
MOST = 0.02  # the part of answers of "auto" that may be farther

Rng = np.random.Generator


def planar(rng: Rng) -> supple.Skeleton:
    """Three hinges in a plane with any limits, rest included or not."""
    limits = [tuple(sorted(rng.uniform(-2.5, 2.5, 2))) for _ in range(3)]
    return supple.chain([1, 1, 1], joint=[supple.Hinge("z", limits=pair) for pair in limits])


def axes(rng: Rng) -> supple.Skeleton:
    """Two to five joints of three axes each."""
    limits = [(-rng.uniform(0.2, 2.0), rng.uniform(0.2, 2.0)) for _ in range(3)]
    lengths = rng.uniform(0.5, 1.5, rng.integers(2, 6))
    return supple.chain(lengths, joint=supple.Axes("xyz", limits=limits))


def tree(rng: Rng) -> supple.Skeleton:
    """A trunk of two joints with two arms: two goals."""

    def joint() -> supple.Joint:
        drawn = random_chains.random_joint("mixed", rng)
        if isinstance(drawn, supple.Cone):
            return supple.Cone(drawn.swing, twist=drawn.twist, axis="x")
        return drawn

    nodes = [("hip", None, (0, 0, 0), joint()), ("chest", "hip", (0, 0.8, 0), joint())]
    tips = []
    for side in (-1, 1):
        parent = "chest"
        for i in range(int(rng.integers(2, 4))):
            name = f"arm {side} {i}"
            nodes.append((name, parent, (side * (0.7 if i else 0.3), 0, 0), joint()))
            parent = name
        tips.append(("tip" if side < 0 else "other tip", parent, (side * 0.6, 0, 0)))
    return supple.Skeleton(nodes, tips)


GROUPS: dict[str, Callable[[Rng], supple.Skeleton]] = {
    "planar": planar,
    "hinge": lambda rng: random_chains.random_chain("hinge", rng),
    "cone": lambda rng: random_chains.random_chain("cone", rng),
    "mixed": lambda rng: random_chains.random_chain("mixed", rng),
    "axes": axes,
    "tree": tree,
}


def draw(group: str, rng: Rng) -> tuple[supple.Skeleton, dict[str, np.ndarray], float]:
    """A skeleton, a target out of reach of each tip, and the reach of the first."""
    skeleton = GROUPS[group](rng)
    root = skeleton.joint_names[0]
    targets = {}
    for tip in skeleton.tip_names:
        direction = rng.normal(size=3) * (1.0, 1.0, group != "planar")
        reach = skeleton.length(tip, root=root) * rng.uniform(1.02, 1.3)
        targets[tip] = reach * direction / np.linalg.norm(direction)
    return skeleton, targets, skeleton.length("tip", root=root)


def timed(ik: supple.Prepared, targets: dict[str, np.ndarray]) -> float:
    """How long a prepared call takes [s]."""
    begun = time.perf_counter()
    ik(*targets.values())
    return time.perf_counter() - begun


def run(group: str, count: int, seed: int) -> tuple[dict[str, int], float]:
    """How many answers of each solver that takes the group are farther; the median time of a call of "auto" [s]."""
    farther: dict[str, int] = {}
    times = []
    for k in range(count):
        rng = np.random.default_rng([seed, list(GROUPS).index(group), k])
        skeleton, targets, reach = draw(group, rng)

        def distance(pose: supple.Pose, targets: dict[str, np.ndarray] = targets) -> np.ndarray:
            misses = [pose.position(tip) - target for tip, target in targets.items()]
            return np.linalg.norm(np.concatenate(misses, axis=-1), axis=-1)

        found = {}
        for solver in SOLVERS:
            if solver != "CCD" or len(targets) == 1:
                found[solver] = float(distance(supple.solve(skeleton, targets, solver=solver).pose))
        ik = supple.prepare(skeleton, [supple.Reach(tip) for tip in targets])
        starts = supple.Pose(skeleton, random_coordinates(skeleton, STARTS, rng))
        nearest = min(*found.values(), distance(ik(*targets.values(), start=starts).pose).min())
        for solver, amount in found.items():
            farther[solver] = farther.get(solver, 0) + (amount > nearest + FARTHER * reach)
        times.append(min(timed(ik, targets) for _ in range(3)))
    return farther, float(np.median(times))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="problems of each group")
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args(arguments)
    table = Table(title=f"Answers that are farther, of {given.count} a group")
    for title in ("group", *SOLVERS, "auto, us"):
        table.add_column(title, justify="right")
    total = 0
    for group in track(GROUPS, transient=True):
        farther, seconds = run(group, given.count, given.seed)
        total += farther["auto"]
        counts = [str(farther.get(solver, "")) for solver in SOLVERS]
        table.add_row(group, *counts, f"{1e6 * seconds:.0f}")
    Console().print(table)
    return int(total > MOST * given.count * len(GROUPS))


if __name__ == "__main__":
    sys.exit(main())
