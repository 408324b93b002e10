"""Calm when unreachable: how far joints turn while a target out of reach moves a little.

Random chains of the four groups (`random_chains`), a target out of reach moved by 1% of the chain's
length at a time in random directions, each solve from the last answer. A step is judged by the
largest turn of any joint, divided by the angle of the move as seen from the chain's root.

Where that is more than ten, the question is whether the target is about equally far from two
answers: by how much farther from it than the answer is the pose on the way there in which the
busiest joint has turned by ten times the angle? That is its `price`.

    python benchmarks/calm.py
    python benchmarks/calm.py --solver FABRIK --chains 20 --steps 20
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import random_chains
import supple

STEP = 0.01  # how far the target moves, in chain lengths
NEAREST = 1.05  # how near to the root the target comes, in chain lengths: surely out of reach
MOST = 10.0  # how much more than the target, seen from the root, a joint may turn
EQUAL = 5e-4  # chain lengths by which one of two answers may be nearer that count as equally far


@dataclass(frozen=True)
class Step:
    """One move of a target and what the pose made of it."""

    ratio: float  # the largest turn of a joint, in angles of the target's move
    skeleton: supple.Skeleton
    before: supple.Pose
    after: supple.Pose
    target: np.ndarray


def walk(
    group: str, solver: supple.Solver | str = "auto", *, chains: int, steps: int, seed: int = 3
) -> Iterator[Step]:
    """Every step of a target out of reach of random chains."""
    rng = np.random.default_rng([seed, random_chains.GROUPS.index(group)])
    for _ in range(chains):
        skeleton = random_chains.random_chain(group, rng)
        length = skeleton.length("tip", root="j0")
        ik = supple.prepare(skeleton, [supple.Reach("tip")], solver=solver)
        direction = rng.normal(size=3)
        target = length * rng.uniform(NEAREST, 2.5) * direction / np.linalg.norm(direction)
        pose = ik(target, start=ik(target).pose).pose
        for _ in range(steps):
            step = rng.normal(size=3)
            step *= STEP * length / np.linalg.norm(step)
            moved = target + (step if np.linalg.norm(target + step) > NEAREST * length else -step)
            answer = ik(moved, start=pose)
            angle = STEP * length / np.linalg.norm(target)
            yield Step(answer.pose.turns(pose).max() / angle, skeleton, pose, answer.pose, moved)
            target, pose = moved, answer.pose


def price(step: Step) -> float:
    """By how much farther than the answer the last calm pose on the way to it is, in chain lengths."""
    calm = step.before.interpolate(step.after, min(1.0, MOST / step.ratio)).clamped()
    gaps = [np.linalg.norm(p.position("tip") - step.target) for p in (calm, step.after)]
    return float(gaps[0] - gaps[1]) / step.skeleton.length("tip", root="j0")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--solver", action="append", default=[], help="a name; repeatable")
    parser.add_argument("--chains", type=int, default=40)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args(arguments)
    table = Table(title=f"Turns of the busiest joint, {given.chains * given.steps:,} steps a group")
    for title in ("solver", "group", "median", "99%", "largest", f"over {MOST:g}", "dearest"):
        table.add_column(title, justify="right")
    solvers = given.solver or ["auto", "CCD", "FABRIK", "Jacobian"]
    over = 0.0
    for name, group in track(
        [(name, group) for name in solvers for group in random_chains.GROUPS], transient=True
    ):
        steps = list(walk(group, name, chains=given.chains, steps=given.steps, seed=given.seed))
        ratios = np.array([step.ratio for step in steps])
        prices = [price(step) for step in steps if step.ratio > MOST]
        over = max([over, *prices]) if name == "auto" else over
        numbers = (np.median(ratios), np.quantile(ratios, 0.99), ratios.max())
        dearest = f"{max(prices):.0e}" if prices else ""
        table.add_row(name, group, *(f"{x:.2f}" for x in numbers), str(len(prices)), dearest)
    Console().print(table)
    return int(over > EQUAL)


if __name__ == "__main__":
    sys.exit(main())
