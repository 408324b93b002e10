"""Closed loops: Cassie's legs and the 2F-85 gripper, beside mink with equality constraints.

    python benchmarks/loops.py [--count 1000] [--peer 1000]

Needs a MuJoCo Menagerie (`--robots`), and mink and daqp for its rows (left out without them). Targets are place
and turn of a foot (gripper: of a pad) in poses whose loops are closed: motors at random, the rest follows. Every
solve begins at the keyframe "home" or qpos0, loops closed, Cassie with its pelvis held. mink takes the
equalities as constraints of its quadratic programmes. Both end within 0.1 mm and 1 mrad of the target with loops
within 1e-6 m, measured on the model's own equalities by MuJoCo. Times are processor time of one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import robots
from measuring import parser, show, table_with

import supple

POSITION_TOLERANCE, TURN_TOLERANCE = 1e-4, 1e-3  # [m], [rad]
CLOSED_GAP = 1e-6  # [m]
TRIES_A_TARGET = 20  # poses for a target, at most
HEADS = ("model", "solver", "targets", "reached", "loops closed", "widest m", *robots.TIMES)


@dataclass
class Case:
    """A mechanism, the body with a target, and the joints that give targets."""

    name: str
    robot: robots.Robot
    tip: str  # in supple
    body: str  # in MuJoCo
    driven: tuple[str, ...]
    locked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.ik = supple.prepare(
            self.robot.skeleton, [supple.Reach(self.tip, pose=supple.OPEN)], lock=self.locked,
            tolerance=POSITION_TOLERANCE, orientation_tolerance=TURN_TOLERANCE,
        )  # fmt: skip
        keys = self.robot.character.poses
        self.start = self.closing(())(start=keys.get("home", self.robot.character.pose)).pose

    def closing(self, still: Sequence[str]) -> supple.Prepared:
        """The problem of closing the loops while some joints stand still."""
        loops = [
            supple.Connect(loop.a, loop.b, point_a=loop.point_a, point_b=loop.point_b)
            for loop in self.robot.skeleton.loops
        ]
        return supple.prepare(self.robot.skeleton, loops, lock=[*self.locked, *still])

    def opening(self, q: np.ndarray) -> float:
        """The widest gap of the model's connects by MuJoCo [m]."""
        model, data = self.robot.model, self.robot.data
        data.qpos[:] = q
        mujoco.mj_fwdPosition(model, data)
        loops = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        kinds = model.eq_type[data.efc_id[loops]]
        gaps = data.efc_pos[loops][kinds == mujoco.mjtEq.mjEQ_CONNECT].reshape(-1, 3)
        return float(np.linalg.norm(gaps, axis=1).max())

    def targets(self, count: int, seed: int) -> list[np.ndarray]:
        """Frames of the tip in poses with closed loops, each (4, 4)."""
        rng = np.random.default_rng(seed)
        closing = self.closing(self.driven)
        found: list[np.ndarray] = []
        for _ in range(TRIES_A_TARGET * count):
            angles = {n: rng.uniform(*self.robot.model.joint(n).range) for n in self.driven}
            closed = closing(start=self.start.with_(angles))
            q = self.robot.qpos(closed.pose)
            if self.opening(q) < CLOSED_GAP:
                found.append(self.robot.frame(q, "body", self.body))
            if len(found) == count:
                break
        return found

    def judged(self, qs: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> list[str]:
        """How many reach their targets, how many have closed loops, and the widest opening."""
        gaps = np.array([self.opening(q) for q in qs])
        misses = [
            self.robot.misses(q, "body", self.body, T) for q, T in zip(qs, targets, strict=True)
        ]
        reached = np.mean(
            [
                far <= POSITION_TOLERANCE * 1.001 and turn <= TURN_TOLERANCE * 1.001
                for far, turn in misses
            ]
        )
        return [
            f"{100 * reached:.1f}%",
            f"{100 * np.mean(gaps < CLOSED_GAP):.1f}%",
            f"{gaps.max():.1e}",
        ]


def with_mink(case: Case) -> Any:
    """A function that solves with mink; None if it is not installed."""
    mink = robots.mink_or_none()
    if mink is None:
        return None
    model = case.robot.model
    state = mink.Configuration(model)
    start = case.robot.qpos(case.start)
    task = mink.FrameTask(
        case.body, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3
    )
    constraints: list[Any] = [mink.EqualityConstraintTask(model, cost=1.0)]
    if case.locked:  # the six of the floating base come first
        constraints.append(mink.DofFreezingTask(model, dof_indices=list(range(6))))
    limits = [mink.ConfigurationLimit(model, gain=1.0)]

    def solve(target: np.ndarray) -> np.ndarray:
        state.update(start.copy())
        task.set_target(mink.SE3.from_matrix(target))

        def done() -> bool:
            if not robots.are_met(state, [task], POSITION_TOLERANCE, TURN_TOLERANCE):
                return False
            return np.abs(constraints[0].compute_error(state)).max() < CLOSED_GAP / 2

        return robots.descended(mink, state, [task], done, limits, constraints)

    return solve


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    words = parser(__doc__)
    robots.folder(words)
    words.add_argument("--count", type=int, default=1000, help="targets of each mechanism")
    words.add_argument("--peer", type=int, default=1000, help="of these for mink")
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args(arguments)
    cassie = robots.Robot.load(given.robots / "agility_cassie/cassie.xml")
    gripper = robots.Robot.load(given.robots / "robotiq_2f85/2f85.xml")
    legs = ("left-hip-roll", "left-hip-yaw", "left-hip-pitch", "left-knee", "left-foot")
    base = next(n for n in cassie.skeleton.joint_names[1:] if "left" not in n)
    cases = [
        Case("Cassie", cassie, "left-foot body", "left-foot", legs, (base,)),
        Case("2F-85", gripper, "left_pad", "left_pad", ("left_driver_joint",)),
    ]
    rows = []
    for case in cases:
        targets = case.targets(given.count, given.seed)
        done = robots.timed(lambda T, case=case: case.ik(T, start=case.start), targets)
        qs = [case.robot.qpos(one.pose) for one in done.answers]
        rows.append(
            [case.name, "supple", str(len(targets)), *case.judged(qs, targets), *done.words]
        )
        mink = with_mink(case)
        if mink is not None and given.peer:
            some = targets[: given.peer]
            done = robots.timed(mink, some)
            own = case.judged(done.answers, some)
            rows.append([case.name, "mink, equalities", str(len(some)), *own, *done.words])
    show(table_with("Closed loops", HEADS, rows, left=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
