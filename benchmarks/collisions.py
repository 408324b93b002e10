"""Self-collision: random poses as targets, with `Avoid`, without it, and with mink's collision limit.

    python benchmarks/collisions.py [--count 1000] [--peer 100]

Needs a MuJoCo Menagerie with the meshes of xArm7 and Panda (`--robots`) and of the G1 (`--g1`), and mink
and daqp for the row of mink (left out without them). Targets are poses of the tip (G1: of both hands) in
random joint angles whose capsules are free; every solve begins in the middle of the ranges. An answer is
reached within 0.1 mm and 1 mrad, and free if MuJoCo finds no contact of the model's own geoms in it. Times are
processor time of one thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console

import robots
import supple
from contest import mechanisms
from contest.adapters.ours import skeleton as built

TOLERANCE, TURN = 1e-4, 1e-3  # [m], [rad]
MARGIN = 0.001  # of Avoid, which interpolates the gaps of close pairs [m]
PEER_STEPS = 200
ARMS = ("waist", "shoulder", "elbow", "wrist")  # of the G1: what moves

HEADS = ("model", "solver", "targets", "reached", "free", *robots.TIMES)


@dataclass
class Case:
    """A robot, the bodies or sites with targets, and the joints that may move."""

    name: str
    robot: robots.Robot
    kind: str
    tips: tuple[str, ...]
    joints: tuple[str, ...]

    def __post_init__(self) -> None:
        self.locked = [n for n in self.robot.skeleton.joint_names if n not in self.joints]
        self.start = self.robot.middle(self.joints)

    def prepared(self, *, avoid: bool) -> supple.Prepared:
        """The problem, with its targets open."""
        goals: list[supple.Goal] = [supple.Reach(tip, pose=supple.OPEN) for tip in self.tips]
        goals += [supple.Avoid(MARGIN)] if avoid else []
        return supple.prepare(self.robot.skeleton, goals, lock=self.locked,
                              tolerance=TOLERANCE, orientation_tolerance=TURN)  # fmt: skip

    def targets(self, q: np.ndarray) -> list[np.ndarray]:
        """Where the tips are in a configuration, each (4, 4)."""
        return [self.robot.frame(q, self.kind, tip) for tip in self.tips]

    def judged(self, qs: Sequence[np.ndarray], targets: Sequence[Any]) -> list[str]:
        """How many reach their targets, and how many are free, by MuJoCo."""
        reached = free = 0
        for q, wanted in zip(qs, targets, strict=True):
            misses = [
                self.robot.misses(q, self.kind, tip, T)
                for tip, T in zip(self.tips, wanted, strict=True)
            ]
            reached += all(
                far <= TOLERANCE * 1.001 and turn <= TURN * 1.001 for far, turn in misses
            )
            free += self.robot.depth(q) <= 0.0
        return [f"{100 * reached / len(qs):.1f}%", f"{100 * free / len(qs):.1f}%"]


def chosen(case: Case, count: int, seed: int) -> tuple[list[Any], str]:
    """Targets of poses whose capsules are free, and how many poses free by MuJoCo capsules reject."""
    rng = np.random.default_rng(seed)
    careful = case.prepared(avoid=True)
    targets, free, rejected = [], 0, 0
    while len(targets) < count:
        q = case.robot.random(rng, case.joints)
        wanted = case.targets(q)
        own = careful(*wanted, start=case.robot.pose(q))
        good = bool(own.reached) and own.iterations == 0
        if case.robot.depth(q) <= 0.0:
            free += 1
            rejected += not good
        if good:
            targets.append(wanted)
    return targets, f"{rejected} of {free} poses without contact"


def with_mink(case: Case) -> Any:
    """A function that solves with mink and its collision limit; None if it is not installed."""
    try:
        import daqp as _  # noqa: F401
        import mink
    except ImportError:
        return None
    model = case.robot.model
    state = mink.Configuration(model)
    tasks = [
        mink.FrameTask(tip, case.kind, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
        for tip in case.tips
    ]
    moving = {model.joint(name).dofadr[0] for name in case.joints}
    still = [v for v in range(model.nv) if v not in moving]
    constraints = [mink.DofFreezingTask(model, dof_indices=still)] if still else None
    geoms = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
    limits = [
        mink.ConfigurationLimit(model, gain=1.0),
        mink.CollisionAvoidanceLimit(model, [(geoms, geoms)], collision_detection_distance=0.05),
    ]

    def solve(wanted: Sequence[np.ndarray]) -> np.ndarray:
        state.update(case.start.copy())
        for task, T in zip(tasks, wanted, strict=True):
            task.set_target(mink.SE3.from_matrix(T))
        for _ in range(PEER_STEPS):
            errors = [task.compute_error(state) for task in tasks]
            if all(np.linalg.norm(e[:3]) <= TOLERANCE and np.linalg.norm(e[3:]) <= TURN
                   for e in errors):  # fmt: skip
                break
            try:
                move = mink.solve_ik(
                    state, tasks, 1.0, solver="daqp", limits=limits, constraints=constraints
                )
            except mink.MinkError:
                break
            state.integrate_inplace(move, 1.0)
        return state.q.copy()

    return solve


def measured(case: Case, count: int, peer: int, seed: int) -> tuple[list[list[str]], str]:
    """The rows of a robot, and what the capsules reject."""
    targets, rejected = chosen(case, count, seed)
    start = case.robot.pose(case.start)
    rows = []
    for name, avoid in (("supple, Avoid", True), ("supple without", False)):
        ik = case.prepared(avoid=avoid)
        done = robots.timed(lambda wanted, ik=ik: ik(*wanted, start=start), targets)
        qs = [case.robot.qpos(one.pose) for one in done.answers]
        rows.append([case.name, name, str(count), *case.judged(qs, targets), *done.words])
    mink = with_mink(case)
    if mink is not None and peer:
        done = robots.timed(mink, targets[:peer])
        own = case.judged(done.answers, targets[:peer])
        rows.append([case.name, "mink, collision limit", str(peer), *own, *done.words])
    return rows, rejected


def body(count: int, seed: int) -> list[list[str]]:
    """A figure of 65 joints, its hands, feet and head at targets; judged by its capsules."""
    skeleton = built(mechanisms.body())
    tips = skeleton.tip_names
    rng = np.random.default_rng(seed)
    goals = [supple.Reach(tip) for tip in tips]
    rows = []
    careful = supple.prepare(skeleton, [*goals, supple.Avoid()])
    targets = []
    while len(targets) < count:
        q = np.array(skeleton.rest.angles)
        q[6:] = rng.uniform(-0.6, 0.6, len(q) - 6)
        pose = supple.Pose.from_angles(skeleton, q).clamped()
        wanted = [pose.position(tip) for tip in tips]
        own = careful(*wanted, start=pose)
        if own.reached and own.iterations == 0:
            targets.append(wanted)
    for name, ik in (
        ("supple, Avoid", careful),
        ("supple without", supple.prepare(skeleton, goals)),
    ):
        done = robots.timed(lambda wanted, ik=ik: ik(*wanted), targets)
        reached = np.mean([bool(one.reached) for one in done.answers])
        seen = [careful(*w, start=one.pose) for w, one in zip(targets, done.answers, strict=True)]
        free = np.mean([one.reached and one.iterations == 0 for one in seen])
        share = [f"{100 * x:.1f}%" for x in (reached, free)]
        rows.append([f"body, {len(skeleton)} joints", name, str(count), *share, *done.words])
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    robots.folder(parser)
    parser.add_argument("--count", type=int, default=1000, help="targets of each robot")
    parser.add_argument("--peer", type=int, default=100, help="of these for mink")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    g1 = given.g1 or given.robots.parents[1] / "peers/retarget/data/robots/unitree_g1/g1.xml"
    seven = tuple(f"joint{k}" for k in range(1, 8))
    cases = [
        Case("xArm7", robots.Robot.load(given.robots / "ufactory_xarm7/xarm7.xml"),
             "site", ("link_tcp",), seven),
        Case("Panda", robots.Robot.load(given.robots / "franka_emika_panda/panda.xml"),
             "body", ("hand",), seven),
    ]  # fmt: skip
    loaded = robots.Robot.load(g1)
    arms = tuple(n for n in loaded.skeleton.joint_names if any(part in n for part in ARMS))
    hands = ("left_wrist_yaw_link", "right_wrist_yaw_link")
    cases.append(Case("G1, both hands", loaded, "body", hands, arms))
    rows: list[list[str]] = []
    notes = []
    for case in cases:
        own, rejected = measured(case, given.count, given.peer, given.seed)
        rows += own
        notes.append(f"{case.name}: capsules reject {rejected}")
    rows += body(given.count, given.seed)
    console = Console(width=120)
    robots.table(console, "Self-collision", HEADS, rows)
    for note in notes:
        console.print(note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
