"""A clip onto a body of hinges, limits or both, such as a robot: least squares over the whole clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.kernels import layout
from supple.model.skeleton import Pose
from supple.motion.contacts import true_runs
from supple.motion.retargeting.balance import Balance, Balanced
from supple.motion.retargeting.body import Body, Point, mid, unit
from supple.motion.retargeting.body_map import SIDES
from supple.motion.retargeting.footsteps import Shape, Steps, smoothed
from supple.motion.retargeting.guide import Guide
from supple.motion.retargeting.performance import BEARING_PARTS, Performance, frame_axes
from supple.motion.retargeting.self_collision import Ground, Solids, capsules_of
from supple.motion.retargeting.touch import find_touches
from supple.motion.retargeting.whole_clip import Clip, Rows
from supple.rotations import conjugate, from_matrix, multiply, rotate

Floats = NDArray[np.float64]


MARGIN = 0.005  # how far solid shapes are to stay apart [leg lengths]
ACROSS = 0.5  # least sine of the angle between a limb and a hinge that bends it
EVEN_ROOM = (
    0.2  # a hinge whose limits on both sides of straight are this alike may bend either way [rad]
)
BEAR_EASE = (
    0.1  # how long parts other than feet take to come to rest on the ground, and to leave it [s]
)
SEAT = ("left_hip", "right_hip")
WARY = 0.1  # how near to touching they are watched [leg lengths]


@dataclass(frozen=True)
class Weights:
    """What residuals count. Places are in leg lengths, directions are unit vectors.

    Attributes:
        stand: Corners of a sole that stands.
        swing: Corners of a sole that does not.
        lying: Factor of `swing` where the shin lies down: kneeling, few robots can stretch their ankles as humans do.
        bear: Parts besides feet that bear on the ground: knees, hands, elbows, seat.
        ground: Points of solid shapes below the ground.
        path: The middle of the hips.
        legs: Directions of thighs and shins.
        arms: Directions of upper arms and forearms.
        wrist: Places of wrists and elbows about the hips.
        lines: Directions of hip line, shoulder line and trunk.
        hand: Directions of hands.
        head: Directions of the head.
        together: Wrists from each other, when they are close.
        touch: Wrists from parts of the own body that they touch.
        apart: Solid shapes that are too near to each other.
        balance: The centre of mass outside the soles.
        smooth: Second differences of angles at 30 frames a second.
        rest: Angles from those at rest.
    """

    stand: float = 30.0
    swing: float = 4.0
    lying: float = 0.1
    bear: float = 10.0
    ground: float = 20.0
    path: float = 2.0
    legs: float = 0.5
    arms: float = 1.0
    wrist: float = 1.0
    lines: float = 1.0
    hand: float = 0.15
    head: float = 0.2
    together: float = 6.0
    touch: float = 3.0
    apart: float = 10.0
    balance: float = 12.0
    smooth: float = 0.3
    rest: float = 0.01


def sole_shape(body: Body, side: str) -> Shape:
    """The sole of a foot along the way it faces."""
    sole = body.soles[side]
    joint = body.carrier(f"{side}_foot")
    forward = rotate(conjugate(body.reference[1][joint]), body.facing[0])
    return Shape(-float(sole.rear @ forward), float(sole.front @ forward), sole.height, sole.height)


def solve_clip(
    source: Performance, body: Body, weights: Weights, *, balance: bool
) -> tuple[Pose, Balanced | None]:
    """Poses (F,) of a body that do what a source does, and how it keeps its balance, if that is asked for.

    Raises:
        SuppleError: The body's root cannot move freely, or its feet have no shape.
    """
    return _Problem(source, body, weights).solve(balance=balance)


class _Problem:
    def __init__(self, source: Performance, body: Body, weights: Weights) -> None:
        if not body.map.legs and not moves(body):
            source = source.about_trunk(body)
        self.source, self.body, self.weights = source, body, weights
        sole = float(np.mean([one.height for one in body.soles.values()])) if body.soles else 0.0
        self.target = Guide(source, body, dict.fromkeys(SIDES, sole))
        self.frames = len(source)
        self.points: list[Point] = []
        self.names: dict[str, int] = {}
        for name, point in body.points.items():
            self._add(name, point)
        self._pending: list[tuple[Floats, Floats, Floats | float]] = []
        self.root = free_root(body) if body.map.legs or moves(body) else None
        self._legs()
        self._trunk()
        self._arms()
        self._touches()
        self._bearing()
        self._head()

    def _add(self, name: str, point: Point) -> int:
        self.names[name] = len(self.points)
        self.points.append(point)
        return self.names[name]

    def _row(self, terms: dict[str, float], target: Floats, weight: Floats | float) -> None:
        """Ask for a weighted sum of points: a place, or what is between points where the factors cancel."""
        combine = np.zeros(len(self.points))
        for name, factor in terms.items():
            combine[self.names[name]] += factor
        self._pending.append((combine, target, weight))

    def _legs(self) -> None:
        body, w, unit_length = self.body, self.weights, self.body.sizes["leg"]
        self.steps: dict[str, Steps] = {}
        self.corners: list[Floats] = []
        for side in self.target.legs:
            if side not in body.soles:
                raise SuppleError(
                    f"foot {body.map[f'{side}_foot'][-1]!r}: expected solid shapes (geoms) for its sole, got none"
                )
            sole, joint = body.soles[side], body.carrier(f"{side}_foot")
            steps = self.target.steps(side, sole_shape(body, side))
            self.steps[side] = steps
            axes = np.stack(steps.axes(), axis=-1)  # forward, left, up as columns
            forward, left = body.facing
            own = np.stack(
                [
                    rotate(conjugate(body.reference[1][joint]), v)
                    for v in (forward, left, np.array((0.0, 0.0, 1.0)))
                ]
            )
            swing = w.swing * (1.0 - (1.0 - w.lying) * self.target.lying(side))
            weight = np.where(steps.stands, w.stand, swing) / unit_length / 2.0
            for k, corner in enumerate(sole.corners):
                name = f"{side}_corner{k}"
                self._add(name, Point(joint, corner))
                place = steps.ankle + axes @ (own @ corner)
                self._row({name: 1.0}, place, weight)
                self.corners.append(place)
            for a, b, part in (("hip", "knee", "thigh"), ("knee", "ankle", "shin")):
                size = body.sizes[part]
                self._row(
                    {f"{side}_{b}": 1.0, f"{side}_{a}": -1.0},
                    size * self.target.directions[f"{side}_{a}_{b}"],
                    w.legs / size,
                )

    def _trunk(self) -> None:
        body, w, target = self.body, self.weights, self.target
        sizes = body.sizes
        if self.root is None:
            return
        self._row({"left_hip": 0.5, "right_hip": 0.5}, target.hips, w.path / sizes["leg"])
        self._row(
            {"left_hip": 1.0, "right_hip": -1.0},
            sizes["hips"] * target.hip_line,
            w.lines / sizes["hips"],
        )
        self._row(
            {"left_shoulder": 1.0, "right_shoulder": -1.0},
            sizes["shoulders"] * target.shoulder_line,
            w.lines / sizes["shoulders"],
        )
        self._row(
            {"left_shoulder": 0.5, "right_shoulder": 0.5, "left_hip": -0.5, "right_hip": -0.5},
            sizes["trunk"] * unit(target.trunk),
            w.lines / sizes["trunk"],
        )

    def _arms(self) -> None:
        body, w, target = self.body, self.weights, self.target
        sizes = body.sizes
        for side in target.arms:
            for a, b, part in (("shoulder", "elbow", "upper_arm"), ("elbow", "wrist", "forearm")):
                size = sizes[part]
                self._row(
                    {f"{side}_{b}": 1.0, f"{side}_{a}": -1.0},
                    size * target.directions[f"{side}_{a}_{b}"],
                    w.arms / size,
                )
            self._row(
                {f"{side}_wrist": 1.0, "left_hip": -0.5, "right_hip": -0.5},
                target.arm(side, "wrist"),
                w.wrist / sizes["leg"],
            )
            if f"{side}_hand" in body.map:
                self._hand(side)
        if len(target.arms) < 2:
            return
        ratio = sizes["arm"] / target.from_["arm"]
        at = self.source.at
        self._row(
            {"left_wrist": 1.0, "right_wrist": -1.0},
            ratio * (at["left_wrist"] - at["right_wrist"]),
            w.together / sizes["arm"] * target.close(),
        )

    def _touches(self) -> None:
        """Wrists beside the parts of the own body that they touch."""
        weight = self.weights.touch / self.body.sizes["arm"]
        for touch in find_touches(self.source, self.body, self.target.close()):
            if not all(name in self.names for end in touch.ends for name in end):
                continue
            a, b = (np.mean([self._about_hips(n) for n in end], axis=0) for end in touch.ends)
            t, line = touch.along, b - a
            for end, share, from_end in (
                (touch.ends[0], 1.0 - t, t[:, None] * line),
                (touch.ends[1], t, (t - 1.0)[:, None] * line),
            ):
                terms = {f"{touch.side}_wrist": 1.0}
                terms |= dict.fromkeys(end, -1.0 / len(end))
                self._row(terms, from_end + touch.offset, weight * np.sqrt(share * touch.gate))

    def _bearing(self) -> None:
        """Parts besides feet that bear on the ground, each at one place while it does."""
        ease = BEAR_EASE * self.source.fps
        for part in BEARING_PARTS:
            flags = self.source.touches.get(part)
            names = SEAT if part == "seat" else (part,)
            if flags is None or not flags.any() or not all(name in self.names for name in names):
                continue
            free, held = self.target.part(part), np.zeros((self.frames, 3))
            for run in true_runs(flags):
                held[run] = free[run].mean(axis=0)
            held[:, 2] = self.body.thickness(part)
            weight = smoothed(flags[:, None].astype(np.float64), ease)[:, 0] * flags
            terms = dict.fromkeys(names, 1.0 / len(names))
            self._row(terms, held, weight * self.weights.bear / self.body.sizes["leg"])

    def _about_hips(self, name: str) -> Floats:
        """Where a point of the target is to be about the middle of the hips, (F, 3)."""
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
        return target.arm_root(side) if part == "shoulder" else np.zeros((self.frames, 3))

    def _hand(self, side: str) -> None:
        body, at = self.body, self.source.at
        joint = body.carrier(f"{side}_hand")
        size = 0.5 * body.sizes["forearm"]
        if f"{side}_fingers" in body.points:
            along = unit(body.at_reference[f"{side}_fingers"] - body.at_reference[f"{side}_wrist"])
        else:
            along = unit(body.at_reference[f"{side}_wrist"] - body.at_reference[f"{side}_elbow"])
        self._add(
            f"{side}_pointing",
            Point(joint, size * rotate(conjugate(body.reference[1][joint]), along)),
        )
        if f"{side}_fingers" in at:
            wanted = unit(at[f"{side}_fingers"] - at[f"{side}_wrist"])
        else:
            wanted = self.target.directions[f"{side}_elbow_wrist"]
        self._row(
            {f"{side}_pointing": 1.0, f"{side}_wrist": -1.0},
            size * wanted,
            self.weights.hand / size,
        )

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
            self._add(name, Point(joint, size * rotate(conjugate(body.reference[1][joint]), mine)))
            self._row(
                {name: 1.0, "head": -1.0},
                size * rotate(source.turned["head"], theirs),
                self.weights.head / size,
            )

    def solve(self, *, balance: bool) -> tuple[Pose, Balanced | None]:
        body, w = self.body, self.weights
        combine = np.zeros((len(self._pending), len(self.points)))
        targets = np.empty((self.frames, 3, len(self._pending)))
        weight = np.empty((self.frames, 1, len(self._pending)))
        back = conjugate(body.turn)
        for k, (coefficients, target, own) in enumerate(self._pending):
            combine[k, : len(coefficients)] = coefficients
            targets[:, :, k], weight[:, 0, k] = rotate(back, target), own
        clip = Clip(
            body.skeleton,
            np.array([point.joint for point in self.points]),
            np.array([point.offset for point in self.points]),
            Rows(combine, targets, weight),
            smooth=np.zeros(0), rest=body.skeleton.rest.coordinates, pull=np.zeros(0),
        )  # fmt: skip
        free = clip.freedoms
        rate = (self.source.fps / 30.0) ** 4
        smooth = np.full(free.count, w.smooth * rate)
        smooth[~free.rotating] = w.smooth * rate / body.sizes["leg"] ** 2
        clip.smooth = smooth
        clip.pull = np.where(free.place >= 0, w.rest, 0.0)
        if self.root is not None:
            clip.pull[free.joints == self.root] = 0.0
        self.clip = clip
        # Each frame by itself at first: what it comes to does not depend on the others.
        q = clip.solve(self._start(), iterations=5, smoothness=0.0, damping=1.0)
        # Solids that push come in by steps, and the last iterations are damped: pairs that come and go would swing.
        capsules, leg = capsules_of(body, MARGIN), body.sizes["leg"]
        held = self._balance() if balance else None
        before = held.share(clip.frame(q)) if held is not None else 1.0
        for strength, iterations, damping in (
            (0.4, 4, 1e-3),
            (1.0, 3 if before == 1.0 else 6, 0.3),
        ):
            weight = strength * w.apart / leg
            solids = Solids(capsules, clip.frame(q), wary=WARY * leg, weight=weight)
            ground = Ground(self.body, weight=(self.root is not None) * strength * w.ground / leg)
            clip.pushes = (solids, ground) if held is None else (solids, ground, held)
            q = clip.solve(q, iterations=iterations, damping=damping)
        done = None
        if held is not None:
            done = Balanced(int(held.counts.sum()), before, held.share(clip.frame(q)))
        return Pose(body.skeleton, q), done

    def _balance(self) -> Balance | None:
        """What holds the balance, if the masses are known and there is something to hold."""
        if not (self.source.body.map.whole and self.target.legs):
            return None
        stands = np.repeat([self.steps[side].stands for side in SIDES], 4, axis=0).T
        try:
            found = Balance(
                self.source,
                self.body,
                corners=np.stack(self.corners, axis=1),
                stands=stands,
                weight=self.weights.balance / self.body.sizes["leg"],
            )
        except SuppleError:
            return None
        return found if found.counts.any() else None

    def _start(self) -> Floats:
        """Each frame by itself: the root where the hips are, everything else at rest."""
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
        first = int(skeleton.packed_ints[root, layout.Q])
        parent = int(skeleton.parents[root])
        rest = skeleton.rest
        above = rest.rotations[parent] if parent >= 0 else np.array((1.0, 0.0, 0.0, 0.0))
        origin = rest.positions[parent] if parent >= 0 else np.zeros(3)
        frame = multiply(above, skeleton.rotations[root])  # just before the joint
        start = origin + rotate(above, skeleton.offsets[root])
        q[:, first : first + 3] = rotate(conjugate(frame), place - start)
        q[:, first + 3 : first + 7] = multiply(conjugate(frame), world)
        return q

    def _bend_limbs(self, q: Floats) -> None:
        """Bend knees and elbows of coordinates (F, Q) as the source's; changes them in place."""
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
        """Bend a knee or elbow as the source's: a straight limb has no derivative by what twists it.

        Args:
            q: Coordinates (F, Q), changed in place.
            group: The joints of a knee or elbow, of which the first hinge across the limb is bent.
            ends: The points above, at and below it.
            flexion: The angle between the two bones in each frame, 0 where they are straight, (F,) [rad].
            way: Where the end goes if it can bend to both sides.
        """
        skeleton, at = self.body.skeleton, self.body.at_reference
        top, middle, end = (at[name] for name in ends)
        bone = unit(end - middle)
        for name in group:
            j = skeleton.index(name)
            if (
                skeleton.packed_ints[j, layout.KIND] != layout.ANGLE
                or skeleton.packed_ints[j, layout.MIMIC] >= 0
            ):
                continue
            axis = rotate(
                self.body.reference[1][j], skeleton.packed_floats[j, layout.AXIS : layout.AXIS + 3]
            )
            across = np.cross(axis, bone)
            if np.linalg.norm(across) < ACROSS:
                continue
            low, high = skeleton.packed_floats[j, layout.LIMITS : layout.LIMITS + 2]
            # The angle at which the limb is straight, from where it is in the reference.
            upper = unit(middle - top)
            straight = np.arctan2(
                np.cross(bone, upper) @ axis, bone @ upper - (bone @ axis) * (upper @ axis)
            )
            column = int(skeleton.packed_ints[j, layout.Q])
            straight += q[0, column]
            room = (high - straight) - (straight - low)  # flexion goes where there is more of it
            sign = np.sign(room if abs(room) > EVEN_ROOM else across @ way)
            q[:, column] = np.clip(straight + sign * flexion, low, high)
            return


def moves(body: Body) -> bool:
    """True if a joint above the limbs moves freely in space."""
    skeleton = body.skeleton
    kinds = skeleton.packed_ints[:, layout.KIND]
    path = skeleton.path(None, skeleton.joint_names[body.base])
    return any(_moves_freely(int(kinds[skeleton.index(name)])) for name in path)


def _moves_freely(kind: int) -> bool:
    return bool(kind & layout.QUATERNION) and (kind & layout.SLIDES) == 3


def free_root(body: Body) -> int:
    """The joint by which the whole body moves.

    Raises:
        SuppleError: There is none.
    """
    skeleton = body.skeleton
    kinds, base = skeleton.packed_ints[:, layout.KIND], skeleton.joint_names[body.base]
    for name in skeleton.path(None, base):
        j = skeleton.index(name)
        if _moves_freely(int(kinds[j])):
            return j
    raise SuppleError(
        f"{skeleton.joint_names[0]!r}: expected a free root (supple.Free), got none above {base!r}"
    )
