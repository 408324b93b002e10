"""Servoing along a path that is half out of reach, and reconfigurations: `python benchmarks/servo.py`.

A Panda and a UR5 follow a circle whose one half is beyond their reach, with the speed and acceleration
limits of their joints, in `track` and in a loop of prepared calls. Counted from the poses alone: ticks in
which no joint moves while the target moves by more than FOLLOWED_MOVE and is farther away than that, limits broken, the
largest speed and acceleration as parts of their limits. Whether a nearer pose was in reach of a tick that stands
still is not asked: every one counts.

Then the UR5 follows random paths on the branches with the fewest reconfigurations. These are counted a second
time by brute force: every answer of every frame by the arm's own equations, and every way through them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np
from contest import mechanisms
from contest.adapters.ours import skeleton
from measuring import parser, show
from rich.table import Table

import supple
from supple import OPEN, Hinge, Pose, Reach, Skeleton, rotations

STILL_TURN = 1e-12  # a joint that turns by less in a tick does not move [rad]
FOLLOWED_MOVE = 1e-8  # a target that moves by more in a tick is to be followed, if it is farther away than this [m]
LIMIT_ROUNDING = (
    1e-9  # the part by which a limit may be exceeded in numbers that are differences of poses
)


class Arm(NamedTuple):
    """An arm, a pose it starts in, and the limits of its joints."""

    skeleton: Skeleton
    start: np.ndarray
    speed: np.ndarray  # (J,) [rad/s]
    acceleration: np.ndarray  # (J,) [rad/s^2]


def arms() -> dict[str, Arm]:
    """The arms, with their makers' limits of speed, and those of acceleration that are published or usual."""
    panda = Arm(
        skeleton(mechanisms.panda()),
        np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8]),
        np.array([2.175] * 4 + [2.61] * 3),
        np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0]),
    )
    ur5 = Arm(
        skeleton(mechanisms.ur5()),
        np.array([0.3, -1.2, 1.6, -1.9, -1.5, 0.2]),
        np.full(6, math.pi),
        np.full(6, 14.0),
    )
    return {"Panda": panda, "UR5": ur5}


def circle(arm: Arm, dt: float, seconds: float, *, oriented: bool) -> np.ndarray:
    """Frames along a circle through the tip, upright and radial, its centre at the end of the arm's reach.

    Shape (F, 4, 4). It begins and ends at rest.
    """
    T_world_tip = Pose(arm.skeleton, arm.start).frames[arm.skeleton.index("tip")]
    out = T_world_tip[:3, 3] * (1.0, 1.0, 0.0)
    out /= np.linalg.norm(out)
    goal = Reach("tip", pose=OPEN) if oriented else Reach("tip")
    ik = supple.prepare(arm.skeleton, [goal])
    low, high = 0.0, 2.0
    for _ in range(40):  # where the reach ends in this direction
        middle = 0.5 * (low + high)
        T = T_world_tip.copy()
        T[:3, 3] += middle * out
        found = ik(T if oriented else T[:3, 3], start=Pose(arm.skeleton, arm.start))
        low, high = (middle, high) if found.reached else (low, middle)
    radius = low
    t = np.linspace(0.0, 1.0, round(seconds / dt) + 1)
    angle = 2.0 * np.pi * (t - np.sin(2.0 * np.pi * t) / (2.0 * np.pi))  # smooth at both ends
    frames = np.repeat(T_world_tip[None], len(t), axis=0)
    frames[:, :3, 3] += radius * (1.0 - np.cos(angle))[:, None] * out
    frames[:, 2, 3] += 0.5 * radius * np.sin(angle)
    return frames


class Counted(NamedTuple):
    """What a run shows."""

    frozen: int
    broken: int
    speed: float  # the largest, as a part of its limit
    acceleration: float
    joint: str  # whose
    reached: int
    mean_error: float  # [m]
    each: float  # a tick takes [us]


def count(
    arm: Arm, targets: np.ndarray, poses: np.ndarray, errors: np.ndarray, dt: float
) -> Counted:
    """Judge a run by its joint angles alone, shape (F + 1, J), the start first."""
    velocities = np.diff(poses, axis=0) / dt
    before = np.concatenate([np.zeros((1, poses.shape[1])), velocities[:-1]])
    accelerations = (velocities - before) / dt
    speeds, parts = np.abs(velocities) / arm.speed, np.abs(accelerations) / arm.acceleration
    low, high = arm.skeleton.packed_floats[:, 13], arm.skeleton.packed_floats[:, 14]
    broken = np.any(speeds > 1.0 + LIMIT_ROUNDING, axis=1) | np.any(
        parts > 1.0 + LIMIT_ROUNDING, axis=1
    )
    broken |= np.any((poses[1:] < low) | (poses[1:] > high), axis=1)
    moved = np.linalg.norm(np.diff(targets[:, :3, 3], axis=0, prepend=targets[:1, :3, 3]), axis=1)
    still = np.max(np.abs(np.diff(poses, axis=0)), axis=1) < STILL_TURN
    where = np.unravel_index(np.argmax(parts), parts.shape)
    return Counted(
        int(np.sum(still & (moved > FOLLOWED_MOVE) & (errors > FOLLOWED_MOVE))),
        int(np.sum(broken)),
        float(speeds.max()),
        float(parts.max()),
        f"{arm.skeleton.joint_names[where[1]]}, {np.abs(accelerations)[where]:.3g} rad/s2",
        0,
        0.0,
        0.0,
    )


def follow(arm: Arm, targets: np.ndarray, dt: float, *, oriented: bool, tracked: bool) -> Counted:
    """Follow a path, and judge it."""
    names = arm.skeleton.joint_names
    limits = {
        "max_speed": dict(zip(names, arm.speed.tolist(), strict=True)),
        "max_acceleration": dict(zip(names, arm.acceleration.tolist(), strict=True)),
    }
    goal = Reach("tip", pose=OPEN) if oriented else Reach("tip")
    wanted = targets if oriented else np.ascontiguousarray(targets[:, :3, 3])
    ik = supple.prepare(arm.skeleton, [goal], **limits)
    start = Pose(arm.skeleton, arm.start)
    ik(wanted[0], start=start, dt=dt)
    begin = perf_counter()
    if tracked:
        solution = ik.track(wanted, start=start, dt=dt).solution
        poses, errors, reached = solution.pose.coordinates, solution.error, solution.reached
    else:
        pose, velocity, rows, errors, reached = start, None, [], [], []
        for target in wanted:
            s = ik(target, start=pose, velocity=velocity, dt=dt)
            pose, velocity = s.pose, s.velocity
            rows.append(pose.coordinates)
            errors.append(s.error)
            reached.append(s.reached)
        poses, errors = np.array(rows), np.array(errors)
    each = (perf_counter() - begin) / len(targets) * 1e6
    judged = count(arm, targets, np.concatenate([arm.start[None], poses]), errors, dt)
    return judged._replace(reached=int(np.sum(reached)), mean_error=float(errors.mean()), each=each)


# Reconfigurations ---------------------------------------------------------------------------------

UPPER_ARM, LOWER_ARM, SHOULDER_HEIGHT, WRIST_OFFSET = (
    0.425,
    0.39225,
    0.089159,
    0.09465,
)  # of the UR5 [m]
WRIST_ASIDE = 0.13585 - 0.1197 + 0.093  # how far its wrist is from the plane of its arm [m]
JUMP_ANGLE = 0.5  # a joint that turns farther from frame to frame jumps [rad]


def every_answer(arm: Arm, T_world_tip: np.ndarray) -> np.ndarray:
    """All joint angles of a UR5 for a frame of its tip, in (-pi, pi], shape (n, 6): its own equations.

    R = Rz(q0) Ry(theta) Rz(q4) Ry(q5) with theta = q1 + q2 + q3 + pi, and a wrist that stays aside by
    the same length whatever q1 to q5 are.
    """
    last = Pose(arm.skeleton, np.zeros(6)).frames
    T_last_tip = np.linalg.inv(last[arm.skeleton.index("j5")]) @ last[arm.skeleton.index("tip")]
    T = T_world_tip @ np.linalg.inv(T_last_tip)
    x, y, _ = T[:3, 3]
    reach = math.hypot(x, y)
    if reach < WRIST_ASIDE:
        return np.zeros((0, 6))
    rows = []
    for q0 in (
        math.atan2(y, x) - math.asin(WRIST_ASIDE / reach),
        math.atan2(y, x) + math.asin(WRIST_ASIDE / reach) + math.pi,
    ):
        c, s = math.cos(q0), math.sin(q0)
        back = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        R, place = back @ T[:3, :3], back @ T[:3, 3]
        for sign in (1.0, -1.0):
            q4 = sign * math.acos(min(max(R[1, 1], -1.0), 1.0))
            if abs(math.sin(q4)) < 1e-9:
                continue  # a whole line of answers
            q5 = math.atan2(sign * R[1, 2], sign * R[1, 0])
            theta = math.atan2(sign * R[2, 1], -sign * R[0, 1])
            u = place[0] - WRIST_OFFSET * math.sin(theta)
            w = place[2] - WRIST_OFFSET * math.cos(theta) - SHOULDER_HEIGHT
            bent = (u * u + w * w - UPPER_ARM**2 - LOWER_ARM**2) / (2.0 * UPPER_ARM * LOWER_ARM)
            if abs(bent) > 1.0:
                continue
            for q2 in (math.acos(bent), -math.acos(bent)):
                turned = math.atan2(LOWER_ARM * math.sin(q2), UPPER_ARM + LOWER_ARM * math.cos(q2))
                q1 = math.atan2(u, w) - turned - 0.5 * math.pi
                rows.append((q0, q1, q2, theta - math.pi - q1 - q2, q4, q5))
    q = np.array(rows).reshape(-1, 6)
    return q - 2.0 * math.pi * np.ceil(q / (2.0 * math.pi) - 0.5)


def turned(q: np.ndarray, whole: int) -> np.ndarray:
    """Answers with every combination of whole turns inside +-whole pi, shape (m, 6)."""
    rows = []
    for one in q:
        ways = [
            [
                x + 2.0 * math.pi * n
                for n in (-1, 0, 1)
                if abs(x + 2.0 * math.pi * n) <= whole * math.pi
            ]
            for x in one
        ]
        rows += list(product(*ways))
    return np.array(rows).reshape(-1, 6)


def brute_force(arm: Arm, frames: np.ndarray, whole: int) -> int | None:
    """The fewest jumps of any way through all answers of all frames; None if a frame has none."""
    count, alive = 0, np.zeros((0, 6))
    for k, T in enumerate(frames):
        every = turned(every_answer(arm, T), whole)
        if not len(every):
            return None
        near = np.abs(every[:, None] - alive[None]).max(axis=2) <= JUMP_ANGLE
        going = every[near.any(axis=1)]
        if k and not len(going):
            count += 1
        alive = going if len(going) else every
    return count


def random_path(arm: Arm, generator: np.random.Generator, frames: int) -> np.ndarray:
    """Frames of the tip along a line in space from one random pose to another, turning evenly."""
    ends = Pose(arm.skeleton, generator.uniform(-math.pi, math.pi, (2, 6)))
    T = ends.frames[:, arm.skeleton.index("tip")]
    t = np.linspace(0.0, 1.0, frames)
    turn = rotations.from_matrix(T[:, :3, :3])
    path = np.repeat(np.eye(4)[None], frames, axis=0)
    path[:, :3, :3] = rotations.to_matrix(rotations.slerp(turn[0], turn[1], t))
    path[:, :3, 3] = T[0, :3, 3] + t[:, None] * (T[1, :3, 3] - T[0, :3, 3])
    return path


class Compared(NamedTuple):
    """Paths followed over all branches, and by brute force."""

    paths: int
    equal: int
    jumps: list[int]  # of each path
    nearest: list[int]  # of each path when the nearest answer is followed, with restarts
    each: float  # a path takes [s]


def reconfigurations(paths: int, frames: int, whole: int, seed: int = 5) -> Compared:
    """Count the reconfigurations of random paths that can be reached everywhere, both ways."""
    arm = arms()["UR5"]
    limits = (-whole * math.pi, whole * math.pi)
    joints = {
        n: Hinge(j.axis, limits)
        for n, j in zip(arm.skeleton.joint_names, arm.skeleton.joints, strict=True)
    }  # type: ignore[attr-defined]
    arm = arm._replace(skeleton=arm.skeleton.with_joints(joints))
    generator = np.random.default_rng(seed)
    equal, jumps, nearest, spent = 0, [], [], 0.0
    while len(jumps) < paths:
        path = random_path(arm, generator, frames)
        wanted = brute_force(arm, path, whole)
        if wanted is None:
            continue
        begin = perf_counter()
        goal = [Reach("tip", pose=path)]
        track = supple.track(arm.skeleton, goal, branches="all", jump=JUMP_ANGLE)
        spent += perf_counter() - begin
        steps = np.abs(np.diff(track.poses.coordinates, axis=0)).max(axis=1)
        counted = int(np.sum(steps > JUMP_ANGLE))
        equal += track.reached and counted == len(track.reconfigurations) == wanted
        jumps.append(wanted)
        plain = supple.track(arm.skeleton, goal, restarts=True).poses.coordinates
        nearest.append(int(np.sum(np.abs(np.diff(plain, axis=0)).max(axis=1) > JUMP_ANGLE)))
    return Compared(paths, equal, jumps, nearest, spent / paths)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; returns 1 if a tick froze, a limit was broken or a count differs."""
    words = parser(__doc__)
    words.add_argument("--seconds", type=float, default=2.0, help="how long the circle takes")
    words.add_argument("--rate", type=float, default=500.0, help="ticks a second")
    words.add_argument(
        "--paths", type=int, default=50, help="paths whose reconfigurations are counted"
    )
    words.add_argument("--frames", type=int, default=100, help="frames of each")
    given = words.parse_args(arguments)
    dt = 1.0 / given.rate
    table = Table(
        title=f"A circle half out of reach in {given.seconds:g} s, {given.rate:g} ticks a second"
    )
    table.add_column("arm")
    for title in ("goal", "through", "ticks", "frozen", "limits broken", "reached", "speed",
                  "acceleration", "largest acceleration", "mean error [m]", "us a tick"):  # fmt: skip
        table.add_column(title, justify="right")
    wrong = 0
    for name, arm in arms().items():
        for oriented in (False, True):
            targets = circle(arm, dt, given.seconds, oriented=oriented)
            for tracked in (True, False):
                one = follow(arm, targets, dt, oriented=oriented, tracked=tracked)
                wrong += one.frozen + one.broken
                table.add_row(
                    name, "pose" if oriented else "position", "track" if tracked else "calls",
                    str(len(targets)), str(one.frozen), str(one.broken), str(one.reached),
                    f"{one.speed:.1%}", f"{one.acceleration:.1%}", one.joint, f"{one.mean_error:.4f}",
                    f"{one.each:.0f}",
                )  # fmt: skip
    show(table, width=160)
    table = Table(
        title=f"Reconfigurations of a UR5 on {given.paths} random lines of {given.frames} frames"
    )
    for title in ("limits of the joints", "as brute force", "in all", "most", "paths without",
                  "in all, nearest answer", "s a path"):  # fmt: skip
        table.add_column(title, justify="right")
    for whole in (1, 2):
        one = reconfigurations(given.paths, given.frames, whole)
        wrong += one.paths - one.equal
        table.add_row(
            f"+-{whole} pi", f"{one.equal} of {one.paths}", str(sum(one.jumps)), str(max(one.jumps)),
            str(one.jumps.count(0)), str(sum(one.nearest)), f"{one.each:.2f}",
        )  # fmt: skip
    show(table, width=160)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
