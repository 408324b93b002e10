"""Arms of many kinds, and how many random poses of each are solved: `python benchmarks/arms.py`.

Every target is the pose of a random joint vector inside the limits, so that it can be reached; it
is solved from the middle of the ranges, turned a little, to 1e-5 of the unit and 1e-5 rad, and
judged by forward kinematics and limits alone.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from measuring import parser, show, table_with

import supple
from supple import OPEN, Fixed, Hinge, Node, Pose, Reach, Skeleton, Slider, Tip, rotations

TIGHT_TOLERANCE = 1e-5
X, Y, Z = "x", "y", "z"
Joint = tuple[str, tuple[float, float, float], float]  # axis, offset from the joint before, range

HALF_TURN, WIDE_RANGE, NARROW_RANGE = math.pi, 2.8, 1.6

ARMS: dict[str, list[Joint]] = {
    # six turns, the last three through one point
    "elbow arm, spherical wrist": [
        (Z, (0, 0, 0.4), WIDE_RANGE), (Y, (0.1, 0, 0), 2.0), (Y, (0, 0, 0.45), 2.4),
        (Z, (0.05, 0, 0.35), HALF_TURN), (Y, (0, 0, 0), 2.1), (Z, (0, 0, 0), HALF_TURN),
    ],
    # three parallel axes in the middle and an offset wrist
    "three parallel axes, offset wrist": [
        (Z, (0, 0, 0.09), 2 * HALF_TURN), (Y, (0, 0.14, 0), 2 * HALF_TURN), (Y, (0, -0.12, 0.425), HALF_TURN),
        (Y, (0, 0, 0.39), 2 * HALF_TURN), (Z, (0, 0.09, 0), 2 * HALF_TURN), (Y, (0, 0, 0.095), 2 * HALF_TURN),
    ],
    "offset wrist, no two axes meet": [
        (Z, (0, 0, 0.3), HALF_TURN), (Y, (0.06, 0.05, 0), 2.2), (Y, (0, 0, 0.4), 2.5),
        (X, (0.3, 0, 0.05), HALF_TURN), (Y, (0.05, 0.07, 0), 2.0), (X, (0.06, 0, 0.03), HALF_TURN),
    ],
    "seven turns, shoulder elbow wrist": [
        (Z, (0, 0, 0.34), 2.9), (Y, (0, 0, 0), 2.0), (Z, (0, 0, 0.2), 2.9), (Y, (0, 0, 0.2), 2.0),
        (Z, (0, 0, 0.2), 2.9), (Y, (0, 0, 0.2), 2.0), (Z, (0, 0, 0.1), 3.0),
    ],
    "seven turns, elbow offset": [
        (Z, (0, 0, 0.33), 2.9), (Y, (0, 0, 0), 1.76), (Z, (0, 0, 0.316), 2.9),
        (Y, (0.0825, 0, 0), 1.5), (Z, (-0.0825, 0, 0.384), 2.9), (Y, (0, 0, 0), 1.9),
        (Z, (0.088, 0, 0), 2.9),
    ],
    "seven turns, offsets everywhere": [
        (Z, (0, 0, 0.27), 1.7), (Y, (0.069, 0, 0), 1.6), (X, (0.102, 0, 0), 3.0),
        (Y, (0.262, 0, -0.069), 1.3), (X, (0.104, 0, 0), 3.0), (Y, (0.27, 0, -0.01), 1.8),
        (X, (0.116, 0, 0), 3.0),
    ],
    "seven turns, narrow": [
        (Z, (0, 0, 0.3), NARROW_RANGE), (Y, (0, 0, 0), 1.2), (Z, (0, 0, 0.3), NARROW_RANGE),
        (Y, (0, 0, 0), 1.2), (Z, (0, 0, 0.3), NARROW_RANGE), (Y, (0, 0, 0), 1.2), (Z, (0.05, 0, 0.1), NARROW_RANGE),
    ],
    "six turns on a rail": [
        ("slide x", (0, 0, 0), 0.8), (Z, (0, 0, 0.4), WIDE_RANGE), (Y, (0.1, 0, 0), 2.0),
        (Y, (0, 0, 0.45), 2.4), (Z, (0, 0, 0.35), HALF_TURN), (Y, (0, 0, 0), 2.1), (Z, (0, 0, 0.1), HALF_TURN),
    ],
    "gantry with a wrist": [
        ("slide x", (0, 0, 1), 1.0), ("slide y", (0, 0, 0), 1.0), ("slide z", (0, 0, 0), 0.5),
        (Z, (0, 0, 0), HALF_TURN), (Y, (0, 0, -0.2), 2.1), (Z, (0, 0, -0.1), HALF_TURN),
    ],
    "eight turns": [
        (Z, (0, 0, 0.2), WIDE_RANGE), (Y, (0, 0, 0.1), 2.0), (X, (0, 0, 0.2), 2.0), (Y, (0, 0, 0.2), 2.0),
        (X, (0, 0, 0.2), 2.0), (Y, (0, 0, 0.2), 2.0), (Z, (0, 0, 0.1), WIDE_RANGE), (X, (0.05, 0, 0.1), 2.0),
    ],
    "leg, waist and arm": [
        (Z, (0, 0, 0), 0.8), (X, (0, 0, 0.05), 0.5), (Y, (0, 0, 0.05), 1.2), (Y, (0, 0, 0.38), 2.2),
        (Y, (0, 0, 0.38), 1.2), (X, (0, 0, 0.05), 0.5), (Z, (0.1, 0, 0.1), 0.8), (X, (0, 0, 0.1), 0.4),
        (Y, (0, 0.2, 0.35), 2.5), (X, (0, 0.05, 0), 1.7), (Z, (0, 0, -0.15), 1.8), (Y, (0, 0, -0.15), 1.2),
        (Z, (0, 0, -0.13), 1.8), (Y, (0, 0, -0.13), 1.3), (X, (0, 0, -0.03), 1.3),
    ],
    "skew axes": [
        (Z, (0, 0, 0.3), WIDE_RANGE), ("0.1,1,0.05", (0.05, 0.02, 0.1), 2.2), ("0,1,0.1", (0.03, 0, 0.4), 2.4),
        ("0.1,0.05,1", (0.02, 0.03, 0.2), WIDE_RANGE), ("0.05,1,0.1", (0.02, 0, 0.2), 2.2),
        ("1,0.1,0", (0.04, 0.02, 0.05), WIDE_RANGE),
    ],
}  # fmt: skip


def arm(name: str) -> tuple[Skeleton, np.ndarray]:
    """The skeleton of an arm, with a tip "tool", and its joints' limits, shape (J, 2)."""
    nodes = [Node("base", None, joint=Fixed())]
    limits = []
    for k, (axis, offset, half) in enumerate(ARMS[name]):
        # Ranges that are not symmetric, so that the middle is no special place.
        pair = (-half, 0.9 * half)
        limits.append(pair)
        word, _, letter = axis.partition(" ")
        if word == "slide":
            joint = Slider(letter, pair)
        else:
            vector = tuple(map(float, axis.split(","))) if "," in axis else axis
            joint = Hinge(vector, pair)
        nodes.append(Node(f"j{k}", nodes[-1].name, offset, joint))
    return Skeleton(nodes, [Tip("tool", nodes[-1].name, (0.03, 0.0, 0.1))]), np.array(limits)


def targets(skeleton: Skeleton, limits: np.ndarray, count: int, seed: int = 1) -> np.ndarray:
    """Tool frames of random joint vectors, shape (count, 4, 4)."""
    q = np.random.default_rng(seed).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))
    return Pose(skeleton, q).frames[:, skeleton.index("tool")]


def solved(skeleton: Skeleton, frames: np.ndarray, answers: Pose) -> np.ndarray:
    """Which answers are there, and inside the limits: by forward kinematics alone."""
    tool = answers.frames[:, skeleton.index("tool")]
    near = np.linalg.norm(tool[:, :3, 3] - frames[:, :3, 3], axis=1) <= TIGHT_TOLERANCE
    turns = rotations.angle_between(
        rotations.from_matrix(tool[:, :3, :3]), rotations.from_matrix(frames[:, :3, :3])
    )
    return near & (turns <= 1.001 * TIGHT_TOLERANCE) & (answers.violations().max(axis=1) <= 1e-9)


def run(name: str, count: int) -> tuple[int, float, float, int]:
    """How many of an arm's poses are solved, the time of each [us], mean iterations and restarts."""
    skeleton, limits = arm(name)
    frames = targets(skeleton, limits, count)
    start = Pose(skeleton, limits.mean(axis=1) + 0.1 * np.ptp(limits, axis=1))
    goal = Reach("tool", pose=OPEN)
    ik = supple.prepare(
        skeleton, goal, tolerance=TIGHT_TOLERANCE, orientation_tolerance=TIGHT_TOLERANCE
    )
    ik.solve(frames[:2], start=start)
    begin = perf_counter()
    answer = ik.solve(frames, start=start)
    each = (perf_counter() - begin) / count * 1e6
    fine = int(solved(skeleton, frames, answer.pose).sum())
    return fine, each, float(np.mean(answer.iterations)), int(np.max(answer.restarts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if a pose was missed."""
    words = parser(__doc__)
    words.add_argument("--targets", type=int, default=10_000)
    count = words.parse_args(arguments).targets
    table = table_with(
        f"{count:,} random poses, {TIGHT_TOLERANCE:g} and {TIGHT_TOLERANCE:g} rad",
        ("arm", "joints", "solved", "us each, batch", "mean iterations", "most restarts"),
    )
    missed = 0
    for name, joints in ARMS.items():
        fine, each, iterations, restarts = run(name, count)
        row = (len(joints), f"{fine:,}", f"{each:.1f}", f"{iterations:.1f}", restarts)
        table.add_row(name, *map(str, row))
        missed += count - fine
    show(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
