"""Retarget a clip to a body with hinges or limits, such as a robot, by the clip solver.

Soles, hips, limbs, hands, trunk and head are goals with a target and a weight in every frame; smoothness, collisions,
the ground and balance are goals of the same call (`supple.solve.clips`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Note
from supple.apps.motion.retargeting.balance import BALANCE, Balanced, Support
from supple.apps.motion.retargeting.body import Body, Point, mid, unit
from supple.apps.motion.retargeting.body_map import SIDES
from supple.apps.motion.retargeting.footsteps import Shape, Steps, smoothed
from supple.apps.motion.retargeting.guide import Guide
from supple.apps.motion.retargeting.performance import BEARING_PARTS, Performance, Stand, frame_axes
from supple.apps.motion.retargeting.touch import find_touches
from supple.bodies.obstacles import Plane
from supple.bodies.pairs import contacts_of
from supple.errors import SuppleError
from supple.goals import Avoid, Balance, Reach, Smooth, Span
from supple.model.skeleton import Pose
from supple.rotations import conjugate, from_matrix, multiply, rotate
from supple.runs import true_runs
from supple.solve.prepare import Prepared
from supple.solve.tracked import Track

Floats = NDArray[np.float64]

# Not tuned.
LEAST_HINGE_SINE = 0.5  # of the angle between a limb and a hinge that bends it
EVEN_RANGE = 0.2  # a hinge with limits this alike on both sides of straight may bend to both [rad]
LARGEST_STEP = 1.0  # a joint that turns more in one frame is reported [rad]
REPORTED_OVERLAP = 1e-6  # least depth of overlapping solid shapes that are reported [model units]
MOST_LISTED_RUNS = 8  # of frames, in a message
BEAR_EASE = 0.1  # how long parts other than feet take to settle on the ground, and to leave it [s]
HIPS, SHOULDERS = "hips", "shoulders"  # the middle between the two, on the joint that carries both
ENDS = {
    tuple(f"{side}_{name}" for side in SIDES): middle
    for name, middle in (("hip", HIPS), ("shoulder", SHOULDERS))
}


@dataclass(frozen=True)
class Weights:
    """Weights of residuals, and iterations. Positions are in leg lengths, directions are unit vectors.

    Chosen on ten CMU clips on Unitree G1 and Booster T1 (`benchmarks/retarget.py`), and held against 36 others
    (`benchmarks/retarget_steps.py`).

    Attributes:
        stand: Corners of a sole that stands.
        swing: Corners of a sole that does not.
        lying: Factor of `swing` where the shin lies down: kneeling, few robots can stretch their ankles as humans do.
        bear: Parts besides feet that bear on the ground: knees, hands, elbows, seat.
        path: The middle of the hips.
        legs: Directions of thighs and shins.
        arms: Directions of upper arms and forearms.
        wrist: Positions of wrists relative to the hips.
        lines: Directions of hip line, shoulder line and trunk.
        hand: Directions of hands.
        head: Directions of the head.
        together: Wrists relative to each other, when they are close.
        touch: Wrists relative to parts of the body that they touch.
        smooth: Second differences of angles at 30 frames a second [1/rad^2].
        rest: Angles from those at rest [1/rad^2].
        rest_hand: The same for wrists, whose rotation about the hand's direction no other goal measures.
        softness: Factor of all these relative to `Avoid` and `Balance`, which weigh 10 for a characteristic length.
        apart_margin: Distance that solid shapes keep from each other [leg lengths].
        coarse_fps: Approximate rate of the frames that are first solved one by one; the others start from
            interpolated poses. With 10 instead of 15 an arm of T1 ended on another branch if a clip began 15 frames
            later.
        alone_iterations: Greatest number of iterations for each of these frames alone.
        first_iterations: Greatest number of iterations for these frames together.
        iterations: Greatest number of iterations for all frames together, with balance.
        stall: An iteration that lowers the cost by less than this share is the last.
    """

    stand: float = 30.0
    swing: float = 4.0
    lying: float = 0.1
    bear: float = 10.0
    path: float = 2.0
    legs: float = 0.5
    arms: float = 1.0
    wrist: float = 1.0
    lines: float = 1.0
    hand: float = 0.15
    head: float = 0.2
    together: float = 6.0
    touch: float = 3.0
    smooth: float = 0.6
    rest: float = 0.01
    rest_hand: float = 0.05
    softness: float = 0.5
    apart_margin: float = 0.01
    coarse_fps: float = 15.0
    alone_iterations: int = 20
    first_iterations: int = 4
    iterations: int = 12
    stall: float = 1e-3


def sole_shape(body: Body, side: str) -> Shape:
    """The sole of a foot along its forward direction."""
    sole = body.soles[side]
    joint = body.carrier(f"{side}_foot")
    forward = rotate(conjugate(body.reference[1][joint]), body.facing[0])
    return Shape(-float(sole.rear @ forward), float(sole.front @ forward), sole.height, sole.height)


def solve_clip(
    source: Performance, body: Body, weights: Weights, *, balance: bool
) -> tuple[Pose, Balanced | None]:
    """Poses (F,) of a body that follow a source, and a report on its balance, if balance is asked for.

    The clip is solved in the frame of the source's position and heading in its first frame, so that neither changes the
    motion of the joints.

    Raises:
        SuppleError: The body's root cannot move freely, or its feet have no shape.
    """
    stand = source.stand()
    poses, balanced = _Problem(source.seen_from(stand), body, weights).solve(balance=balance)
    if not moves(body):
        return poses, balanced
    scale = body.sizes["leg"] / source.body.sizes["leg"]
    return _set_down(poses, body, stand._replace(place=scale * stand.place)), balanced


def _set_down(poses: Pose, body: Body, stand: Stand) -> Pose:
    """Transform poses from the frame of a stand to world, by their free root."""
    root = free_root(body)
    frame, start, columns = _root_frame(body, root)
    back = conjugate(body.turn)
    turn, shift = multiply(multiply(back, stand.turn), body.turn), rotate(back, stand.place)
    q = np.array(poses.coordinates)
    moved, turned = q[:, columns][:, :3], q[:, columns][:, 3:]
    place = rotate(turn, start + rotate(frame, moved)) + shift
    q[:, columns] = np.concatenate(
        [
            rotate(conjugate(frame), place - start),
            multiply(multiply(multiply(conjugate(frame), turn), frame), turned),
        ],
        axis=-1,
    )
    return Pose(body.skeleton, q)


def _root_frame(body: Body, root: int) -> tuple[Floats, Floats, slice]:
    """The world rotation and origin of the frame before a free joint, and the slice of the joint's coordinates."""
    skeleton = body.skeleton
    parent, rest = int(skeleton.parents[root]), skeleton.rest
    above = rest.rotations[parent] if parent >= 0 else np.array((1.0, 0.0, 0.0, 0.0))
    origin = rest.positions[parent] if parent >= 0 else np.zeros(3)
    first = int(skeleton.freedom_table.joints.coordinate[root])
    return (
        multiply(above, skeleton.rotations[root]),
        origin + rotate(above, skeleton.offsets[root]),
        slice(first, first + 7),
    )


class _Problem:
    def __init__(self, source: Performance, body: Body, weights: Weights) -> None:
        if not body.map.legs and not moves(body):
            source = source.about_trunk(body)
        self.source, self.body, self.weights = source, body, weights
        sole = float(np.mean([one.height for one in body.soles.values()])) if body.soles else 0.0
        self.target = Guide(source, body, dict.fromkeys(SIDES, sole))
        self.frames = len(source)
        self.points = {
            **body.points, HIPS: body.middle("hip"), SHOULDERS: body.middle("shoulder")
        }  # fmt: skip
        self.asked: list[tuple[tuple[Point, ...], Floats, Floats | float]] = []
        self.root = free_root(body) if body.map.legs or moves(body) else None
        self._legs()
        self._trunk()
        self._arms()
        self._touches()
        self._bearing()
        self._head()

    def _place(self, point: Point, target: Floats, weight: Floats | float) -> None:
        """Add a position target (F, 3) for a point, world with z up; the weight is for a unit of length."""
        self.asked.append(((point,), target, weight))

    def _span(self, start: str, end: str, target: Floats, weight: Floats | float) -> None:
        """Add a target (F, 3) for the vector between two points."""
        self.asked.append(((self.points[start], self.points[end]), target, weight))

    def _legs(self) -> None:
        body, w, leg = self.body, self.weights, self.body.sizes["leg"]
        self.steps: dict[str, Steps] = {}
        self.corners: list[Floats] = []
        for side in self.target.legs:
            if side not in body.soles:
                raise SuppleError(
                    f"foot {body.map[f'{side}_foot'][-1]!r}: expected solid shapes (geoms) for its sole, got none "
                    "(meshes that cannot be read are left out)"
                )
            sole, joint = body.soles[side], body.carrier(f"{side}_foot")
            steps = self.target.steps(side, sole_shape(body, side))
            self.steps[side] = steps
            axes = np.stack(steps.axes(), axis=-1)  # forward, left, up as columns
            forward, left = body.facing
            up = np.array((0.0, 0.0, 1.0))
            back = conjugate(body.reference[1][joint])
            own = np.stack([rotate(back, way) for way in (forward, left, up)])
            swing = w.swing * (1.0 - (1.0 - w.lying) * self.target.lying(side))
            weight = np.where(steps.stands, w.stand, swing) / leg / 2.0
            for corner in sole.corners:
                place = steps.ankle + axes @ (own @ corner)
                self._place(Point(joint, corner), place, weight)
                self.corners.append(place)
            self._limb(side, ("hip", "knee", "thigh"), w.legs)
            self._limb(side, ("knee", "ankle", "shin"), w.legs)

    def _limb(self, side: str, names: tuple[str, str, str], weight: float) -> None:
        """Add a target for the direction of a bone."""
        a, b, part = names
        size, way = self.body.sizes[part], self.target.directions[f"{side}_{a}_{b}"]
        self._span(f"{side}_{a}", f"{side}_{b}", size * way, weight / size)

    def _trunk(self) -> None:
        w, target, sizes = self.weights, self.target, self.body.sizes
        if self.root is None:
            return
        self._place(self.points[HIPS], target.hips, w.path / sizes["leg"])
        for name, line in (("hip", target.hip_line), ("shoulder", target.shoulder_line)):
            size = sizes[f"{name}s"]
            self._span(f"right_{name}", f"left_{name}", size * line, w.lines / size)
        size = sizes["trunk"]
        self._span(HIPS, SHOULDERS, size * unit(target.trunk), w.lines / size)

    def _arms(self) -> None:
        body, w, target, sizes = self.body, self.weights, self.target, self.body.sizes
        for side in target.arms:
            self._limb(side, ("shoulder", "elbow", "upper_arm"), w.arms)
            self._limb(side, ("elbow", "wrist", "forearm"), w.arms)
            self._span(HIPS, f"{side}_wrist", target.arm(side, "wrist"), w.wrist / sizes["leg"])
            if f"{side}_hand" in body.map:
                self._hand(side)
        close = target.close()
        if close.any():
            ratio, at = sizes["arm"] / target.from_["arm"], self.source.at
            apart = ratio * (at["left_wrist"] - at["right_wrist"])
            self._span("right_wrist", "left_wrist", apart, w.together / sizes["arm"] * close)

    def _touches(self) -> None:
        """Add targets for wrists beside the parts of the body that they touch."""
        weight = self.weights.touch / self.body.sizes["arm"]
        for touch in find_touches(self.source, self.body, self.target.close()):
            ends = [ENDS.get(end, end[0]) for end in touch.ends]
            if not all(name in self.points for name in ends):
                continue
            a, b = (self._about_hips(name) for name in ends)
            t, line, wrist = touch.along, b - a, f"{touch.side}_wrist"
            for name, share, from_end in (
                (ends[0], 1.0 - t, t[:, None] * line),
                (ends[1], t, (t - 1.0)[:, None] * line),
            ):
                strength = weight * np.sqrt(share * touch.gate)
                if strength.any():
                    self._span(name, wrist, from_end + touch.offset, strength)

    def _bearing(self) -> None:
        """Add targets for parts besides feet that bear on the ground, each fixed while it does."""
        ease = BEAR_EASE * self.source.fps
        for part in BEARING_PARTS:
            flags, name = self.source.touches.get(part), HIPS if part == "seat" else part
            if flags is None or not flags.any() or name not in self.points:
                continue
            free, held = self.target.part(part), np.zeros((self.frames, 3))
            for run in true_runs(flags):
                held[run] = free[run].mean(axis=0)
            held[:, 2] = self.body.thickness(part)
            gate = smoothed(flags[:, None].astype(np.float64), ease)[:, 0] * flags
            self._place(self.points[name], held, gate * self.weights.bear / self.body.sizes["leg"])

    def _about_hips(self, name: str) -> Floats:
        """Target of a point relative to the middle of the hips, (F, 3)."""
        target, sizes = self.target, self.body.sizes
        side, _, part = name.partition("_")
        sign = 0.5 if side == "left" else -0.5
        if part in ("hip", "knee"):
            hip = sign * sizes["hips"] * target.hip_line
            if part == "hip":
                return hip
            return hip + sizes["thigh"] * target.directions[f"{side}_hip_knee"]
        if part in ("elbow", "wrist"):
            return target.arm(side, part)
        if name == SHOULDERS:
            return sizes["trunk"] / target.from_["trunk"] * target.trunk
        return target.arm_root(side) if part == "shoulder" else np.zeros((self.frames, 3))

    def _hand(self, side: str) -> None:
        body, at = self.body, self.source.at
        joint = body.carrier(f"{side}_hand")
        size = 0.5 * body.sizes["forearm"]
        if f"{side}_fingers" in body.points:
            along = unit(body.at_reference[f"{side}_fingers"] - body.at_reference[f"{side}_wrist"])
        else:
            along = unit(body.at_reference[f"{side}_wrist"] - body.at_reference[f"{side}_elbow"])
        tip = Point(joint, size * rotate(conjugate(body.reference[1][joint]), along))
        self.points[f"{side}_pointing"] = tip
        if f"{side}_fingers" in at:
            wanted = unit(at[f"{side}_fingers"] - at[f"{side}_wrist"])
        else:
            wanted = self.target.directions[f"{side}_elbow_wrist"]
        self._span(f"{side}_wrist", f"{side}_pointing", size * wanted, self.weights.hand / size)

    def _head(self) -> None:
        body, source = self.body, self.source
        if "head" not in body.map or "head" not in source.turned:
            return
        joint = body.carrier("head")
        size = 0.3 * body.sizes["trunk"]
        for name, mine, theirs in (
            ("gaze", body.facing[0], source.body.facing[0]),
            ("crown", np.array((0.0, 0.0, 1.0)), np.array((0.0, 0.0, 1.0))),
        ):
            back = conjugate(body.reference[1][joint])
            self.points[name] = Point(joint, size * rotate(back, mine))
            wanted = size * rotate(source.turned["head"], theirs)
            self._span("head", name, wanted, self.weights.head / size)

    def solve(self, *, balance: bool) -> tuple[Pose, Balanced | None]:
        """Solve some frames one by one and then together, then all frames, starting from interpolated poses."""
        w = self.weights
        rows = spread_frames(self.frames, self.source.fps, w.coarse_fps)
        start = Pose(self.body.skeleton, self._start()[rows])
        coarse = self._run(start, w.first_iterations, alone=w.alone_iterations, rows=rows).poses
        free = between(coarse, rows)
        support = self._support() if balance else None
        feet = {}
        if support is not None:
            feet = {self.body.map[f"{s}_foot"][-1]: step.stands for s, step in self.steps.items()}
        gate = None if support is None else support.gate
        poses = self._run(between(coarse, rows), w.iterations, feet=feet, gate=gate).poses
        done = None
        if support is not None:
            frames = int(support.counts.sum())
            done = Balanced(frames, support.share(free), support.share(poses))
        return poses, done

    def _run(
        self, start: Pose, iterations: int, *, alone: int = 0, feet: dict[str, Any] | None = None,
        gate: Floats | None = None, rows: NDArray[np.int64] | None = None,
    ) -> Track:  # fmt: skip
        """Solve frames from start poses: first each frame alone, then all together.

        Args:
            start: A pose for each of the frames.
            iterations: Greatest number of iterations over all of them.
            alone: Greatest number of iterations for each alone.
            feet: Which feet are in contact in each frame of the clip, by their joints, if the body keeps its balance.
            gate: Weight of balance in each frame of the clip.
            rows: Which frames of the clip are solved; all by default.
        """
        body, w = self.body, self.weights
        names, leg = body.skeleton.joint_names, body.sizes["leg"]
        asked = tuple(
            tuple((names[point.joint], tuple(point.offset.tolist())) for point in points)
            for points, _, _ in self.asked
        )
        apart = w.apart_margin * leg if body.skeleton.geoms else None
        problem = _prepared(body, asked, apart, tuple(feet or ()))
        length, back = problem.problem.length, conjugate(body.turn)
        rows = np.arange(self.frames) if rows is None else rows
        targets = [rotate(back, target[rows]) for _, target, _ in self.asked]
        weights = np.ones((len(rows), len(problem.problem.goals)))  # Avoid and Balance come last
        for k, (_, _, weight) in enumerate(self.asked):
            own = weight[rows] if isinstance(weight, np.ndarray) else weight
            weights[:, k] = np.square(own * (length * w.softness))
        fps = self.source.fps * max(len(rows) - 1, 1) / max(self.frames - 1, 1)
        given: dict[str, Any] = {"weights": weights, "fps": fps, "stall": w.stall}
        given |= {"settle": len(rows) == self.frames, "mend": False, "blame": False}
        free = [name for j, name in enumerate(names) if j != self.root]
        factor = w.softness**2
        departure = dict.fromkeys(free, factor * w.rest)
        for role in (f"{side}_hand" for side in SIDES):
            departure |= (
                dict.fromkeys(body.map[role], factor * w.rest_hand) if role in body.map else {}
            )
        given["smooth"] = Smooth(factor * w.smooth, departure=departure)
        if feet:
            given["supports"] = {name: stands[rows] for name, stands in feet.items()}
            given["balance"] = 1.0 if gate is None else gate[rows]
        return problem.clip(*targets, start=start, alone=alone, iterations=iterations, **given)

    def _support(self) -> Support | None:
        """When to keep the balance; None if masses are not known, or balance is never asked for."""
        if not (self.source.body.map.whole and self.target.legs):
            return None
        stands = np.repeat([self.steps[side].stands for side in SIDES], 4, axis=0).T
        try:
            found = Support(
                self.source, self.body, corners=np.stack(self.corners, axis=1), stands=stands
            )
        except SuppleError:
            return None
        return found if found.counts.any() else None

    def _start(self) -> Floats:
        """Start coordinates (F, Q): the root at the hips, knees and elbows bent, everything else at rest."""
        body, target = self.body, self.target
        skeleton = body.skeleton
        q = np.tile(skeleton.rest.coordinates, (self.frames, 1))
        self._bend_limbs(q)
        root = self.root
        if root is None:
            return q
        wanted = frame_axes(target.hip_line, target.trunk)
        own = frame_axes(body.facing[1][None], np.array(((0.0, 0.0, 1.0),)))
        turn = from_matrix(wanted @ np.swapaxes(own, -1, -2))
        position, rotation = body.reference[0][root], body.reference[1][root]
        place = target.hips + rotate(turn, position - mid(body.at_reference, "hip"))
        back = conjugate(body.turn)
        place, world = rotate(back, place), multiply(multiply(back, turn), rotation)
        frame, start, columns = _root_frame(body, root)
        q[:, columns] = np.concatenate(
            [rotate(conjugate(frame), place - start), multiply(conjugate(frame), world)], axis=-1
        )
        return q

    def _bend_limbs(self, q: Floats) -> None:
        """Bend knees and elbows of coordinates (F, Q) like the source's, in place."""
        body, target = self.body, self.target
        for sides, names, part, way in (
            (target.legs, ("hip", "knee", "ankle"), "shin", -body.facing[0]),
            (target.arms, ("shoulder", "elbow", "wrist"), "forearm", body.facing[0]),
        ):
            for side in sides:
                upper, lower = (
                    target.directions["_".join((side, *pair))] for pair in (names[:2], names[1:])
                )
                flexion = np.arccos(np.clip((upper * lower).sum(-1), -1.0, 1.0))
                ends = [f"{side}_{name}" for name in names]
                self._bend(q, body.map[f"{side}_{part}"], ends, flexion, way)

    def _bend(
        self, q: Floats, group: tuple[str, ...], ends: list[str], flexion: Floats, way: Floats
    ) -> None:
        """Bend a knee or elbow like the source's: a straight limb has a zero derivative by its twist.

        Args:
            q: Coordinates (F, Q), changed in place.
            group: The joints of a knee or elbow; the first hinge across the limb is bent.
            ends: The points above, at and below it.
            flexion: The angle between the two bones in each frame, 0 for a straight limb, (F,) [rad].
            way: Direction (3,) in which the end moves if the hinge can bend to both sides.
        """
        skeleton, at = self.body.skeleton, self.body.at_reference
        top, middle, end = (at[name] for name in ends)
        bone = unit(end - middle)
        for name in group:
            j = skeleton.index(name)
            rows = skeleton.freedom_table.rows_of(j)
            if not skeleton.freedom_table.joints.is_hinge[j] or rows.is_copy[0]:
                continue
            axis = rotate(self.body.reference[1][j], rows.axis[0])
            across = np.cross(axis, bone)
            if np.linalg.norm(across) < LEAST_HINGE_SINE:
                continue
            low, high = rows.low[0], rows.high[0]
            # The angle at which the limb is straight, from where it is in the reference.
            upper = unit(middle - top)
            straight = np.arctan2(
                np.cross(bone, upper) @ axis, bone @ upper - (bone @ axis) * (upper @ axis)
            )
            column = int(rows.coordinate[0])
            straight += q[0, column]
            room = (high - straight) - (
                straight - low
            )  # flexion goes to the side with the larger range
            sign = np.sign(room if abs(room) > EVEN_RANGE else across @ way)
            q[:, column] = np.clip(straight + sign * flexion, low, high)
            return


def spread_frames(frames: int, fps: float, least_fps: float) -> NDArray[np.int64]:
    """Frames of a clip, spread evenly, including the first and last, at a rate of at least about `least_fps`."""
    step = max(1, int(fps / least_fps))
    return np.unique(np.linspace(0, frames - 1, -(-(frames - 1) // step) + 1).round().astype(int))


def between(poses: Pose, rows: NDArray[np.int64]) -> Pose:
    """Poses (F,) of all frames from those of some frames (R,), the first and last among them."""
    every = np.arange(rows[-1] + 1)
    if len(rows) == len(every):
        return poses
    after = np.clip(np.searchsorted(rows, every), 1, len(rows) - 1)
    share = (every - rows[after - 1]) / (rows[after] - rows[after - 1])
    return poses[after - 1].interpolate(poses[after], share)


def remarks(poses: Pose) -> list[Note]:
    """Notes on a robot's poses (F,): joints that turn far in one frame, and solid shapes that overlap."""
    skeleton, q = poses.skeleton, np.asarray(poses.coordinates)
    table, notes = skeleton.freedom_table, []
    turning = table.additive.take(table.additive.turns)
    steps = np.abs(np.diff(q[:, turning.coordinate], axis=0))
    for k in np.flatnonzero((steps > LARGEST_STEP).any(axis=0)):
        frames = np.flatnonzero(steps[:, k] > LARGEST_STEP) + 1
        name = skeleton.joint_names[int(turning.joint[k])]
        notes.append(
            Note(
                f"{name!r} turns by up to {steps[:, k].max():.2f} rad in one frame: {_few(frames)}",
                level="warning",
            )
        )
    if skeleton.geoms:
        contacts = contacts_of(skeleton)
        gaps = contacts.gaps(poses, reach=0.0)
        for k in np.flatnonzero((gaps < -REPORTED_OVERLAP).any(axis=0)):
            a, b = (skeleton.joint_names[j] for j in contacts.joints[k])
            frames = np.flatnonzero(gaps[:, k] < -REPORTED_OVERLAP)
            notes.append(
                Note(
                    f"{a!r} and {b!r} overlap by up to {-gaps[:, k].min():.3g}: {_few(frames)}",
                    level="warning",
                )
            )
    return notes


def _few(frames: NDArray[np.int64]) -> str:
    """Frames for a message, with runs as "first to last"."""
    flags = np.zeros(int(frames.max()) + 1, dtype=bool)
    flags[frames] = True
    runs = [
        f"{r.start}" if r.stop - r.start == 1 else f"{r.start} to {r.stop - 1}"
        for r in true_runs(flags)
    ]
    more = f", ... ({len(frames)} in all)" if len(runs) > MOST_LISTED_RUNS else ""
    return f"frames {', '.join(runs[:MOST_LISTED_RUNS])}{more}"


def moves(body: Body) -> bool:
    """True if a joint above the limbs moves freely in space."""
    return _free_joint(body) is not None


def free_root(body: Body) -> int:
    """The joint by which the whole body moves.

    Raises:
        SuppleError: There is no such joint.
    """
    found = _free_joint(body)
    if found is None:
        first, base = body.skeleton.joint_names[0], body.skeleton.joint_names[body.base]
        raise SuppleError(f"{first!r}: expected a free root (supple.Free), got none above {base!r}")
    return found


def _free_joint(body: Body) -> int | None:
    skeleton = body.skeleton
    joints = skeleton.freedom_table.joints
    for name in skeleton.path(None, skeleton.joint_names[body.base]):
        j = skeleton.index(name)
        if joints.quaternion[j] >= 0 and joints.slides[j] == 3:
            return j
    return None


@lru_cache(maxsize=16)
def _prepared(
    body: Body, asked: tuple[tuple[tuple[str, tuple[float, ...]], ...], ...], margin: float | None,
    feet: tuple[str, ...],
) -> Prepared:  # fmt: skip
    """The problem with one or two points in each goal, prepared once for all clips with the same goals.

    Args:
        body: The target's body.
        asked: For each goal a joint and a point in its frame, or two of them.
        margin: Distance that solid shapes keep from each other [model units]; None for no collisions.
        feet: The joints of feet that support the body's balance; empty for no balance.
    """
    goals: list[Any] = []
    for points in asked:
        (end, place), *more = points[::-1]
        if more:
            goals.append(Span(more[0][0], end, point_start=more[0][1], point_end=place))
        else:
            goals.append(Reach(end, point=place))
    up = tuple(rotate(conjugate(body.turn), np.array((0.0, 0.0, 1.0))).tolist())
    if margin is not None:
        # Soles in contact are on the ground, so the plane is lowered by the margin.
        below = tuple(-margin * x for x in up)
        ground = (Plane(below, up),) if moves(body) else ()
        goals.append(Avoid(margin, obstacles=ground))
    if feet:
        goals.append(Balance(feet, margin=BALANCE.margin * body.sizes["leg"], up=up))
    return Prepared(body.skeleton, goals, free_root=True)
