"""Self-collision of robots: what `Avoid` costs and keeps free, and its verdict beside MuJoCo's.

    python benchmarks/collisions.py answers [--count 1000] [--peer 100]
    python benchmarks/collisions.py free ROBOT.xml ... [--count 300] [--seed 0] [--spread 0.2]

Each part has arguments of its own: `PART --help`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import robots
from contest import mechanisms
from contest.adapters.ours import skeleton as built
from measuring import parser, run_part, show, table_with

import supple
from supple.bodies.pairs import contacts_of

# Answers with and without Avoid --------------------------------------------------------------------

POSITION_TOLERANCE, TURN_TOLERANCE = 1e-4, 1e-3  # [m], [rad]
AVOID_MARGIN = 0.001  # of Avoid, which interpolates the gaps of close pairs [m]
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
        goals += [supple.Avoid(AVOID_MARGIN)] if avoid else []
        return supple.prepare(self.robot.skeleton, goals, lock=self.locked,
                              tolerance=POSITION_TOLERANCE, orientation_tolerance=TURN_TOLERANCE)  # fmt: skip

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
                far <= POSITION_TOLERANCE * 1.001 and turn <= TURN_TOLERANCE * 1.001
                for far, turn in misses
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
    mink = robots.mink_or_none()
    if mink is None:
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

        def done() -> bool:
            return robots.are_met(state, tasks, POSITION_TOLERANCE, TURN_TOLERANCE)

        return robots.descended(mink, state, tasks, done, limits, constraints)

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


def answers(arguments: Sequence[str] | None = None) -> int:
    """Random poses as targets, with `Avoid`, without it, and with mink's collision limit.

    Needs a MuJoCo Menagerie with the meshes of xArm7 and Panda (`--robots`) and of the G1 (`--g1`), and mink and daqp
    for the row of mink (left out without them). Targets are poses of the tip (G1: of both hands) in random joint
    angles whose capsules are free; every solve begins in the middle of the ranges. An answer is reached within 0.1 mm
    and 1 mrad, and free if MuJoCo finds no contact of the model's own geoms in it. Times are processor time of one
    thread.
    """
    words = parser(answers.__doc__, "answers")
    robots.folder(words)
    words.add_argument("--count", type=int, default=1000, help="targets of each robot")
    words.add_argument("--peer", type=int, default=100, help="of these for mink")
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args(arguments)
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
    show(table_with("Self-collision", HEADS, rows, left=2), *notes)
    return 0


# Free poses ----------------------------------------------------------------------------------------

COUNTED_DEPTHS = (0.0, 0.003, 0.01)  # collisions that are at least as deep are counted [m]
FREE_HEADS = (
    "model",
    "solids",
    "pairs",
    "free, refused",
    *(f"> {1000 * d:g} mm, missed" for d in COUNTED_DEPTHS),
)
TRIES_A_POSE = 40  # poses that are tried, for each that is wanted


def own_depth(model: mujoco.MjModel, data: mujoco.MjData) -> float | None:
    """How deep the robot is in itself, None if it only touches the world."""
    deepest, others = 0.0, False
    for contact in data.contact:
        bodies = model.body_weldid[model.geom_bodyid[[contact.geom1, contact.geom2]]]
        others |= bool(0 in bodies)
        deepest = deepest if 0 in bodies else max(deepest, -contact.dist)
    return None if others and deepest == 0.0 else deepest


def counted(path: Path, count: int, seed: int, spread: float) -> list[str]:
    """The row of a robot."""
    robot = robots.Robot.load(path)
    model, data, rng = robot.model, robot.data, np.random.default_rng(seed)
    contacts = contacts_of(robot.skeleton)
    free = refused = tries = 0
    deep, missed = np.zeros(len(COUNTED_DEPTHS), int), np.zeros(len(COUNTED_DEPTHS), int)
    home = np.array(model.key_qpos[0] if model.nkey else model.qpos0)
    while (free < count or deep[-1] < count // 3) and tries < TRIES_A_POSE * count:
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
            deep += depth > np.array(COUNTED_DEPTHS)
            missed += (depth > np.array(COUNTED_DEPTHS)) & (not found)
    share = [f"{n:,}, {k:,}" for n, k in zip(deep, missed, strict=True)]
    pairs = f"{len(contacts.pairs)} + {len(contacts.tables)} tables"
    return [path.stem, str(len(contacts.solids)), pairs, f"{free:,}, {refused:,}", *share]


def free(arguments: Sequence[str] | None = None) -> int:
    """Free poses that `Avoid` refuses, and collisions that it misses, beside MuJoCo on the same geoms.

    Poses are those of the first keyframe with every hinge and slide moved by up to `--spread` of its range. MuJoCo
    says which of them are free, and how deep the others overlap; `Avoid(0)`, `supple.check` and solvers share the
    verdict that is counted here (`supple.bodies.pairs.contacts_of`).
    """
    words = parser(free.__doc__, "free")
    words.add_argument(
        "models", type=Path, nargs="+", help="MJCF files with their collision meshes"
    )
    words.add_argument("--count", type=int, default=300, help="free poses of each robot")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--spread", type=float, default=0.2, help="part of every joint's range")
    given = words.parse_args(arguments)
    rows = [counted(path, given.count, given.seed, given.spread) for path in given.models]
    show(table_with("Free poses", FREE_HEADS, rows, left=2))
    return 0


PARTS = {"answers": answers, "free": free}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
