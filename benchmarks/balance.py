"""Balance: a G1 that stands, a hand at random reachable poses, the centre of mass over the soles.

    python benchmarks/balance.py [--count 1000] [--search 100] [--peer 100]

Needs the MJCF of a Unitree G1 with its meshes (`--g1`), SciPy for the search, and mink and daqp for its row. Targets
are place and turn of the left hand in random poses: joints within a fifth of their ranges of the keyframe
"stand", the pelvis within 8 cm, the feet then brought back to where they stand. Every solve begins in that
keyframe. Feet are held, place and turn; the centre of mass has to be 1 cm inside the outline of the soles, judged by
MuJoCo's masses. Reached is within 1 mm and 10 mrad. For some targets a search with SciPy (least squares, 20 starts)
tells if there is a balanced pose. mink has the same tasks, and a centre of mass task to the middle of the soles.
Times are processor time of one thread.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import robots
from measuring import parser, show, table_with
from scipy.optimize import least_squares
from scipy.spatial import ConvexHull

import supple
from supple.rotations import conjugate, from_matrix, multiply, to_rotation_vector

POSITION_TOLERANCE, TURN_TOLERANCE = 1e-3, 1e-2  # [m], [rad]
BALANCE_MARGIN = 0.01  # [m]
HAND = "left_wrist_yaw_link"
FEET = ("left_ankle_roll_link", "right_ankle_roll_link")
POSE_SPREAD = 0.2  # of the ranges of the joints, to both sides
SEARCH_STARTS = 20
HEADS = ("solver", "targets", "hand and feet", "balanced", "both", *robots.TIMES)


class Standing:
    """The robot on its feet.

    Attributes:
        robot: The G1.
        start: Its keyframe "stand".
        corners: Of the soles seen from above, counter-clockwise, shape (K, 2) [m].
        soles: The same corners by foot, in the frame of its body, each (K, 3) [m].
    """

    def __init__(self, path: Any) -> None:
        self.robot = robots.Robot.load(path)
        self.start = self.robot.character.poses["stand"]
        points = supple.Balance(FEET, up="z").support_in(self.start)
        self.corners = _outline(points[:, :2])
        self.middle = self.corners.mean(axis=0)
        frames = {name: self.start.frames[self.robot.skeleton.index(name)] for name in FEET}
        nearest = [min(FEET, key=lambda n: np.linalg.norm(frames[n][:3, 3] - p)) for p in points]
        self.soles = {
            name: (points[[n == name for n in nearest]] - T[:3, 3]) @ T[:3, :3]
            for name, T in frames.items()
        }

    def prepared(self, *, balance: bool) -> supple.Prepared:
        """The hand at an open target, feet held."""
        goals = [supple.Reach(HAND, pose=supple.OPEN), *(supple.Hold(name) for name in FEET)]
        goals += [supple.Balance(FEET, margin=BALANCE_MARGIN, up="z")] if balance else []
        return supple.prepare(
            self.robot.skeleton,
            goals,
            tolerance=POSITION_TOLERANCE,
            orientation_tolerance=TURN_TOLERANCE,
        )

    def targets(self, count: int, seed: int) -> list[np.ndarray]:
        """Frames (4, 4) of the hand in poses that have their feet in place, balanced or not."""
        rng = np.random.default_rng(seed)
        skeleton, stand = self.robot.skeleton, self.start
        hold = supple.prepare(
            skeleton,
            [supple.Reach(name, pose=supple.OPEN) for name in FEET],
            tolerance=1e-5,
            free_root=True,
        )
        feet = [stand.frames[skeleton.index(name)] for name in FEET]
        found: list[np.ndarray] = []
        while len(found) < count:
            q = np.array(self.robot.qpos(stand))
            for j in range(1, self.robot.model.njnt):
                at = self.robot.model.jnt_qposadr[j]
                low, high = self.robot.model.jnt_range[j]
                q[at] = np.clip(
                    q[at] + rng.uniform(-POSE_SPREAD, POSE_SPREAD) * (high - low), low, high
                )
            q[:3] += rng.uniform(-0.08, 0.08, 3)
            own = hold(*feet, start=self.robot.pose(q))
            if own.reached:
                found.append(own.pose.frames[skeleton.index(HAND)])
        return found

    def inside(self, q: np.ndarray) -> float:
        """How far MuJoCo's centre of mass is inside the outline of the soles, where they are now [m]."""
        self.robot.depth(q)  # places everything
        data = self.robot.data
        x = data.subtree_com[0, :2].copy()
        soles = [
            (points @ data.body(name).xmat.reshape(3, 3).T + data.body(name).xpos)[:, :2]
            for name, points in self.soles.items()
        ]
        return _inside(_outline(np.concatenate(soles)), x)

    def judged(self, qs: Sequence[np.ndarray], targets: Sequence[Any]) -> list[list[bool]]:
        """Whether hand and feet are in place, and whether it is balanced."""
        feet = [self.start.frames[self.robot.skeleton.index(name)] for name in FEET]
        rows = []
        for q, hand in zip(qs, targets, strict=True):
            met = True
            for name, T in zip((HAND, *FEET), (hand, *feet), strict=True):
                far, turn = self.robot.misses(q, "body", name, T)
                met &= far <= 1.001 * POSITION_TOLERANCE and turn <= 1.001 * TURN_TOLERANCE
            rows.append([met, self.inside(q) >= BALANCE_MARGIN - 1e-6])
        return rows


def _outline(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points (N, 2), counter-clockwise."""
    return points[ConvexHull(points).vertices]


def _inside(corners: np.ndarray, x: np.ndarray) -> float:
    """How far a point is inside a convex outline, counter-clockwise; negative outside."""
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([-edges[:, 1], edges[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return float(((x - corners) * normals).sum(axis=1).min())


def searched(standing: Standing, hand: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether SciPy finds a balanced pose, from some random starts."""
    skeleton = standing.robot.skeleton
    stand = standing.start
    n = len(stand.angles)
    limits = np.tile([-np.inf, np.inf], (n, 1))
    model = standing.robot.model
    limits[6:] = model.jnt_range[1:]
    index = [skeleton.index(name) for name in (HAND, *FEET)]
    places = [hand[:3, 3], *(stand.positions[k] for k in index[1:])]
    turns = [from_matrix(hand[:3, :3]), *(stand.rotations[k] for k in index[1:])]
    edges = np.roll(standing.corners, -1, axis=0) - standing.corners
    normals = np.stack([-edges[:, 1], edges[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)

    def residual(angles: np.ndarray) -> np.ndarray:
        pose = supple.Pose.from_angles(skeleton, angles)
        at, turned = pose.positions, pose.rotations
        parts = [at[k] - place for k, place in zip(index, places, strict=True)]
        parts += [
            0.3 * to_rotation_vector(multiply(conjugate(q), turned[k]))
            for k, q in zip(index, turns, strict=True)
        ]
        x = pose.center_of_mass[:2]
        gaps = ((x - standing.corners) * normals).sum(axis=1) - BALANCE_MARGIN
        return np.concatenate([*parts, np.minimum(gaps, 0.0)])

    for k in range(SEARCH_STARTS):
        start = np.array(stand.angles)
        if k:
            start[6:] = np.clip(
                start[6:] + rng.uniform(-0.4, 0.4, n - 6), *(limits[6:].T + [[1e-6], [-1e-6]])
            )
        found = least_squares(residual, start, bounds=limits.T, max_nfev=60)
        if np.abs(found.fun).max() < 2e-4:
            return True
    return False


def with_mink(standing: Standing) -> Any:
    """A function that solves with mink; None if it is not installed."""
    mink = robots.mink_or_none()
    if mink is None:
        return None
    model = standing.robot.model
    state = mink.Configuration(model)
    start = standing.robot.qpos(standing.start)
    hand, *feet = (
        mink.FrameTask(name, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
        for name in (HAND, *FEET)
    )
    center = mink.ComTask(cost=np.array([0.1, 0.1, 0.0]))
    limits = [mink.ConfigurationLimit(model, gain=1.0)]
    tasks = [hand, *feet, center]

    def solve(wanted: np.ndarray) -> np.ndarray:
        state.update(start.copy())
        for task in feet:
            task.set_target_from_configuration(state)
        center.set_target(np.array([*standing.middle, 0.0]))
        hand.set_target(mink.SE3.from_matrix(wanted))

        def done() -> bool:
            if not robots.are_met(state, (hand, *feet), POSITION_TOLERANCE, TURN_TOLERANCE):
                return False
            return _inside(standing.corners, state.data.subtree_com[0, :2]) >= BALANCE_MARGIN

        return robots.descended(mink, state, tasks, done, limits)

    return solve


def _row(name: str, rows: Sequence[Sequence[bool]], done: robots.Timed | None) -> list[str]:
    met, balanced = np.array(rows).T
    shares = [f"{100 * np.mean(x):.1f}%" for x in (met, balanced, met & balanced)]
    return [name, str(len(rows)), *shares, *(done.words if done else ["", "", ""])]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if the search finds a balanced pose where supple does not."""
    words = parser(__doc__)
    robots.folder(words)
    words.add_argument("--count", type=int, default=1000, help="targets")
    words.add_argument("--search", type=int, default=100, help="of these for the search")
    words.add_argument("--peer", type=int, default=100, help="of these for mink")
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args(arguments)
    g1 = given.g1 or given.robots.parents[1] / "peers/retarget/data/robots/unitree_g1/g1.xml"
    standing = Standing(g1)
    targets = standing.targets(given.count, given.seed)
    rows, balanced = [], []
    for name, balance in (("supple, Balance", True), ("supple without", False)):
        ik = standing.prepared(balance=balance)
        done = robots.timed(lambda T, ik=ik: ik(T, start=standing.start), targets)
        own = standing.judged([standing.robot.qpos(one.pose) for one in done.answers], targets)
        balanced = own if balance else balanced
        rows.append(_row(name, own, done))
    mink = with_mink(standing)
    if mink is not None and given.peer:
        some = targets[: given.peer]
        done = robots.timed(mink, some)
        rows.append(_row("mink, ComTask", standing.judged(done.answers, some), done))
    show(table_with("G1 on its feet", HEADS, rows, left=2))
    rng = np.random.default_rng(given.seed)
    began = time.perf_counter()
    some = targets[: given.search]
    found = [searched(standing, wanted, rng) for wanted in some]
    ours = [all(row) for row in balanced[: len(some)]]
    both = sum(a and b for a, b in zip(found, ours, strict=True))
    show(
        f"search of {SEARCH_STARTS} starts: balances {sum(found)} of {len(some)}, supple {both} of these and "
        f"{sum(ours) - both} of the others ({time.perf_counter() - began:.0f} s)"
    )
    return int(both < sum(found))


if __name__ == "__main__":
    sys.exit(main())
