"""Targets out of reach that move a little at a time, and how far joints turn to follow them.

A step is judged by the largest turn of any joint, divided by the angle of the move as seen from the chain's root.
Where that is more than ten, the question is whether the target is about equally far from two answers: by how much
farther from it than the answer is the pose on the way there in which the busiest joint has turned by ten times the
angle? That is its `price`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tests.support import random_chains

import supple

TARGET_STEP = 0.01  # how far the target moves, in chain lengths
NEAREST_TARGET = (
    1.05  # how near to the root the target comes, in chain lengths: surely out of reach
)
CALM_RATIO = 10.0  # how much more than the target, seen from the root, a joint may turn
EQUAL_DISTANCE = (
    5e-4  # chain lengths by which one of two answers may be nearer that count as equally far
)


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
        target = length * rng.uniform(NEAREST_TARGET, 2.5) * direction / np.linalg.norm(direction)
        pose = ik(target, start=ik(target).pose).pose
        for _ in range(steps):
            step = rng.normal(size=3)
            step *= TARGET_STEP * length / np.linalg.norm(step)
            moved = target + (
                step if np.linalg.norm(target + step) > NEAREST_TARGET * length else -step
            )
            answer = ik(moved, start=pose)
            angle = TARGET_STEP * length / np.linalg.norm(target)
            yield Step(answer.pose.turns(pose).max() / angle, skeleton, pose, answer.pose, moved)
            target, pose = moved, answer.pose


def price(step: Step) -> float:
    """By how much farther than the answer the last calm pose on the way to it is, in chain lengths."""
    calm = step.before.interpolate(step.after, min(1.0, CALM_RATIO / step.ratio)).clamped()
    gaps = [np.linalg.norm(p.position("tip") - step.target) for p in (calm, step.after)]
    return float(gaps[0] - gaps[1]) / step.skeleton.length("tip", root="j0")
