"""Free poses that `Avoid` refuses, and collisions that it misses, beside MuJoCo on the same geoms.

    python benchmarks/free_poses.py ROBOT.xml ... [--count 300] [--seed 0] [--spread 0.2]

Poses are those of the first keyframe with every hinge and slide moved by up to `--spread` of its range.
MuJoCo says which of them are free, and how deep the others overlap; `Avoid(0)`, `supple.check` and solvers
share the verdict that is counted here (`supple.bodies.pairs.contacts_of`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
from rich.console import Console

import robots
from supple.bodies.pairs import contacts_of

DEEP = (0.0, 0.003, 0.01)  # collisions that are at least as deep are counted [m]
HEADS = ("model", "solids", "pairs", "free, refused", *(f"> {1000 * d:g} mm, missed" for d in DEEP))
MOST = 40  # poses that are tried, for each that is wanted


def own_depth(model: mujoco.MjModel, data: mujoco.MjData) -> float | None:
    """How deep the robot is in itself, None if it only touches the world."""
    deepest, others = 0.0, False
    for contact in data.contact:
        bodies = model.body_weldid[model.geom_bodyid[[contact.geom1, contact.geom2]]]
        others |= bool(0 in bodies)
        deepest = deepest if 0 in bodies else max(deepest, -contact.dist)
    return None if others and deepest == 0.0 else deepest


def measured(path: Path, count: int, seed: int, spread: float) -> list[str]:
    """The row of a robot."""
    robot = robots.Robot.load(path)
    model, data, rng = robot.model, robot.data, np.random.default_rng(seed)
    contacts = contacts_of(robot.skeleton)
    free = refused = tries = 0
    deep, missed = np.zeros(len(DEEP), int), np.zeros(len(DEEP), int)
    home = np.array(model.key_qpos[0] if model.nkey else model.qpos0)
    while (free < count or deep[-1] < count // 3) and tries < MOST * count:
        tries += 1
        q = home.copy()
        for j in np.flatnonzero(model.jnt_type >= 2):
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-np.pi, np.pi)
            k = model.jnt_qposadr[j]
            q[k] = np.clip(q[k] + rng.uniform(-spread, spread) * (high - low), low, high)
        if model.jnt_type[0] == 0:
            q[2] += 1.0  # off the ground
        pose = robot.pose(q)
        data.qpos[:] = robot.qpos(pose)
        mujoco.mj_fwdPosition(model, data)
        depth = own_depth(model, data)
        if depth is None or (depth == 0.0 and free >= count):
            continue
        found = contacts.deepest(pose) is not None
        if depth == 0.0:
            free, refused = free + 1, refused + found
        else:
            deep += depth > np.array(DEEP)
            missed += (depth > np.array(DEEP)) & (not found)
    share = [f"{n:,}, {k:,}" for n, k in zip(deep, missed, strict=True)]
    pairs = f"{len(contacts.pairs)} + {len(contacts.tables)} tables"
    return [path.stem, str(len(contacts.solids)), pairs, f"{free:,}, {refused:,}", *share]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "robots", type=Path, nargs="+", help="MJCF files with their collision meshes"
    )
    parser.add_argument("--count", type=int, default=300, help="free poses of each robot")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spread", type=float, default=0.2, help="part of every joint's range")
    given = parser.parse_args(arguments)
    rows = [measured(path, given.count, given.seed, given.spread) for path in given.robots]
    robots.table(Console(width=120), "Free poses", HEADS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
