"""Retarget a clip to a character, in closed form.

Every bone takes the direction of the source's bone, whatever the two rest poses are; feet and hands then
reach their targets by rotating two bones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.retargeting.body import Body, mid, unit
from supple.apps.motion.retargeting.body_map import SIDES
from supple.apps.motion.retargeting.footsteps import Shape, Steps, fade, smoothed
from supple.apps.motion.retargeting.guide import Guide
from supple.apps.motion.retargeting.performance import Performance, spine_parts
from supple.apps.motion.retargeting.touch import find_touches
from supple.model.matching import put_rotations
from supple.model.skeleton import Pose
from supple.rotations import (
    between,
    conjugate,
    from_matrix,
    from_rotation_vector,
    multiply,
    rotate,
    slerp,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _LimbRules:
    """How limbs reach for their targets. Not tuned.

    Attributes:
        stretch: How much a leg may be stretched beyond the source's [share of what that lacks to be straight].
        reach: A limb is stretched to this share of its length at most.
        sway: Half-width of the window that smooths how the hips follow the feet [s].
        drop: Half-width of the window that smooths how the hips are lowered [s].
    """

    stretch: float = 0.3
    reach: float = 0.9995
    sway: float = 0.15
    drop: float = 0.07


LIMB_RULES = _LimbRules()
ONE = np.array((1.0, 0.0, 0.0, 0.0))
UP = np.array((0.0, 0.0, 1.0))

# The bones of limbs, from the trunk outwards: role, and the points between which it lies.
BONES = (
    ("upper_arm", "shoulder", "elbow"), ("forearm", "elbow", "wrist"), ("hand", "wrist", "fingers"),
    ("thigh", "hip", "knee"), ("shin", "knee", "ankle"), ("foot", "ankle", "toe"),
)  # fmt: skip


def fits(body: Body) -> bool:
    """True if a body is posed in closed form: one joint for each part, all below the hips, and not a robot."""
    skeleton = body.skeleton
    if not body.map.whole or "hips" not in body.map:
        return False
    hips = body.map["hips"][-1]
    if any(len(group) > 1 for role, group in body.map.joints.items() if role != "spine"):
        return False
    if not all(
        hips in skeleton.path(None, name) for group in body.map.joints.values() for name in group
    ):
        return False
    robot = bool(body.soles) and bool(
        np.any(
            skeleton.freedom_table.joints.is_hinge[[body.carrier(role) for role in body.map.joints]]
        )
    )
    return not robot


def limited(body: Body) -> list[str]:
    """The joints with a role that cannot make every rotation: hinges, and those with limits."""
    skeleton = body.skeleton
    joints = skeleton.freedom_table.joints
    turns_freely = (joints.quaternion >= 0) & ~joints.is_cone
    return [
        name
        for group in body.map.joints.values()
        for name in group
        if name != body.map["hips"][-1] and not turns_freely[skeleton.index(name)]
    ]


def turn_clip(source: Performance, body: Body) -> Pose:
    """Poses (F,) of a character that follow a source."""
    return _Turning(source, body).poses()


class _Turning:
    def __init__(self, source: Performance, body: Body) -> None:
        self.source, self.body = source, body
        ratio = (
            body.sizes["foot"] / source.body.sizes["foot"]
            if source.body.sizes["foot"] and body.sizes["foot"]
            else None
        )
        scale = body.sizes["leg"] / source.body.sizes["leg"]
        self.foot_ratio = scale if ratio is None else ratio
        self.guide = Guide(
            source, body, {side: self.foot_ratio * source.level[side] for side in SIDES}
        )
        self.frames = len(source)
        self._free: dict[str, Steps] = {}
        self.world = self._turns()

    # Directions ---------------------------------------------------------------------------------

    def _turns(self) -> dict[int, Floats]:
        """World rotations wxyz (F, 4), with z up, of the joints that follow the source, by index."""
        source, body = self.source, self.body
        theirs, mine = source.body.at_reference, body.at_reference
        yaw = between(body.facing[0], source.body.facing[0])
        if float(body.facing[0] @ source.body.facing[0]) < -1 + 1e-9:
            yaw = np.array((0.0, 0.0, 0.0, 1.0))
        aligned: dict[str, Floats] = {"hips": yaw}
        for side in SIDES:
            before = yaw
            for role, a, b in BONES:
                if role in ("upper_arm", "thigh"):
                    before = yaw
                name = f"{side}_{role}"
                ends = (f"{side}_{a}", f"{side}_{b}")
                if all(end in theirs and end in mine for end in ends):
                    have = rotate(before, unit(mine[ends[1]] - mine[ends[0]]))
                    want = unit(theirs[ends[1]] - theirs[ends[0]])
                    before = multiply(between(have, want), before)
                aligned[name] = before
        trunk = unit(mid(theirs, "shoulder") - mid(theirs, "hip"))
        lean = between(rotate(yaw, unit(mid(mine, "shoulder") - mid(mine, "hip"))), trunk)
        spine = multiply(lean, yaw)
        out: dict[int, Floats] = {}
        reference = body.reference[1]
        for role in body.map.joints:
            if role == "spine":
                continue
            if role in source.turned:
                out[body.carrier(role)] = multiply(
                    source.turned[role],
                    multiply(aligned.get(role, yaw), reference[body.carrier(role)]),
                )
        for joint, turn in self._spine().items():
            out[joint] = multiply(turn, multiply(spine, reference[joint]))
        self._same_names(out, yaw)
        return out

    def _spine(self) -> dict[int, Floats]:
        """Rotations of the spine's joints from the reference: the source's at the same relative length."""
        source, body = self.source, self.body
        names = body.map["spine"]
        if not names:
            return {}
        turns, parts = source.spine()
        own = spine_parts(body)
        out = {}
        for name, part in zip(names, own, strict=True):
            k = int(np.clip(np.searchsorted(parts, part, side="right") - 1, 0, len(parts) - 1))
            n = min(k + 1, len(parts) - 1)
            share = 0.0 if n == k else (part - parts[k]) / max(parts[n] - parts[k], 1e-12)
            turn = turns[k] if share < 1e-9 else slerp(turns[k], turns[n], share)
            out[body.skeleton.index(name)] = turn
        return out

    def _same_names(self, out: dict[int, Floats], yaw: Floats) -> None:
        """Let joints without a role, such as fingers, follow the source's joints of the same name."""
        body, own = self.body, self.source.body
        reference = body.reference[1]
        for j, name in enumerate(body.skeleton.joint_names):
            if j in out or name not in self.source.others:
                continue
            parent = int(body.skeleton.parents[j])
            if parent < 0 or name not in own.skeleton.joint_names:
                continue
            out[j] = multiply(self.source.others[name], multiply(yaw, reference[j]))

    # Places -------------------------------------------------------------------------------------

    def poses(self) -> Pose:
        root = self._root()
        rotations = self._all_rotations()
        place = self._positions(rotations, np.zeros((self.frames, 3)))
        at = self._points(place, rotations)
        shift = self.guide.hips - mid(at, "hip")
        at = {name: where + shift for name, where in at.items()}
        legs = self._steps()
        sway = self._sway(at, legs)
        shift = shift + sway
        at = {name: where + sway for name, where in at.items()}
        drop = self._drop(at, legs)
        shift = shift + drop
        at = {name: where + drop for name, where in at.items()}
        for side in SIDES:
            self._foot(side, legs[side])
            self._limb(
                side,
                ("thigh", "shin"),
                [at[f"{side}_{name}"] for name in ("hip", "knee", "ankle")],
                self._within(at, side, legs[side]),
            )
        self._hands(at)
        for side in SIDES:
            for upper, lower, bones in (
                ("thigh", "shin", ("hip", "knee", "ankle")),
                ("upper_arm", "forearm", ("shoulder", "elbow", "wrist")),
            ):
                self._twist(side, upper, lower, bones)
        return self._pose(root, shift + place[:, root])

    def _root(self) -> int:
        """The joint that carries the translation: the hips."""
        return self.body.carrier("hips")

    def _all_rotations(self) -> Floats:
        """World rotations (F, N, 4) of all joints; the others follow their parents."""
        body = self.body
        skeleton, reference = body.skeleton, body.reference[1]
        out = np.empty((self.frames, len(skeleton.joint_names), 4))
        for j, parent in enumerate(skeleton.parents.tolist()):
            if j in self.world:
                out[:, j] = self.world[j]
            elif parent < 0:
                out[:, j] = reference[j]
            else:
                out[:, j] = multiply(
                    out[:, parent], multiply(conjugate(reference[parent]), reference[j])
                )
        return out

    def _positions(self, rotations: Floats, root: Floats) -> Floats:
        """World positions (F, N, 3) of all joints; `root` (F, 3) is added at the hips."""
        skeleton, reference = self.body.skeleton, self.body.reference
        out = np.empty((*rotations.shape[:2], 3))
        hips = self._root()
        for j, parent in enumerate(skeleton.parents.tolist()):
            if parent < 0:
                out[:, j] = reference[0][j]
            else:
                offset = rotate(
                    conjugate(reference[1][parent]), reference[0][j] - reference[0][parent]
                )
                out[:, j] = out[:, parent] + rotate(rotations[:, parent], offset)
            if j == hips:
                out[:, j] += root
        return out

    def _points(self, place: Floats, rotations: Floats) -> dict[str, Floats]:
        return {
            name: place[:, p.joint] + rotate(rotations[:, p.joint], p.offset)
            for name, p in self.body.points.items()
        }

    def _steps(self) -> dict[str, Steps]:
        source, body = self.source, self.body
        out = {}
        for side in SIDES:
            level = self.guide.standing[side]
            size = 0.0
            if f"{side}_toe" in body.points and f"{side}_toe" in source.at:
                size = body.sizes["foot"]
            flat = source.flat[side]
            below = -size * np.sin(flat)
            shape = Shape(0.0, size * np.cos(flat), 0.0, below, level, level - below)
            self._free[side] = self.guide.free_steps(side)
            out[side] = self.guide.steps(side, shape)
        return out

    def _foot(self, side: str, steps: Steps) -> None:
        """Rotate a foot from the source's orientation to the planned one."""
        free = self._free[side]
        joint = self.body.carrier(f"{side}_foot")
        planned, had = (np.stack(one.axes(), axis=-1) for one in (steps, free))
        turn = from_matrix(planned @ np.swapaxes(had, 1, 2))
        for j in [joint, *self._below(joint)]:
            if j in self.world:
                self.world[j] = multiply(turn, self.world[j])

    def _below(self, joint: int) -> list[int]:
        parents = self.body.skeleton.parents
        found: list[int] = []
        for j in range(len(parents)):
            if int(parents[j]) == joint or int(parents[j]) in found:
                found.append(j)
        return found

    def _sway(self, at: dict[str, Floats], legs: dict[str, Steps]) -> Floats:
        """Shift of the hips with the feet in contact (F, 3), so that legs rotate less."""
        total, count = np.zeros((self.frames, 3)), np.zeros((self.frames, 1))
        for side in SIDES:
            stands = legs[side].stands[:, None]
            total += np.where(stands, legs[side].ankle - at[f"{side}_ankle"], 0.0)
            count += stands
        mean = fade(total / np.maximum(count, 1.0), count[:, 0] > 0)
        return smoothed(mean, LIMB_RULES.sway * self.source.fps)

    def _drop(self, at: dict[str, Floats], legs: dict[str, Steps]) -> Floats:
        """Shift of the hips downwards (F, 3) so that the legs reach."""
        need = np.zeros(self.frames)
        for side in SIDES:
            gap = legs[side].ankle - at[f"{side}_hip"]
            size = self._stretch(at, side)
            level = np.minimum(np.linalg.norm(gap[:, :2], axis=1), 0.99 * size)
            high = np.sqrt(size**2 - level**2)
            need = np.maximum(need, np.where(legs[side].stands, -gap[:, 2] - high, 0.0))
        reach = max(1, round(LIMB_RULES.drop * self.source.fps))
        padded = np.pad(need, reach, mode="edge")
        wide = np.max([padded[k : k + self.frames] for k in range(2 * reach + 1)], axis=0)
        down = np.zeros((self.frames, 3))
        down[:, 2] = -smoothed(wide[:, None], float(reach))[:, 0]
        return down

    def _within(self, at: dict[str, Floats], side: str, steps: Steps) -> Floats:
        """Ankle targets (F, 3); for a foot not in contact, no farther than its leg may stretch."""
        hip = at[f"{side}_hip"]
        gap = steps.ankle - hip
        far, most = np.linalg.norm(gap, axis=1), self._stretch(at, side)
        soft = 0.04 * most
        over = np.maximum(far - (most - soft), 0.0)
        less = np.where(over > 0, most - soft + soft * (1.0 - np.exp(-over / soft)), far)
        # Feet in contact are not moved; the bound fades towards contacts.
        stands = smoothed(steps.stands[:, None].astype(float), LIMB_RULES.drop * self.source.fps)
        share = np.where(steps.stands, 0.0, 1.0 - stands[:, 0])
        return hip + gap * (1.0 + share * (less / far - 1.0))[:, None]

    def _stretch(self, at: dict[str, Floats], side: str) -> Floats:
        """Greatest length of a leg (F,): somewhat longer than with the source's pose, and never quite straight."""
        hip, knee, ankle = (at[f"{side}_{name}"] for name in ("hip", "knee", "ankle"))
        size = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        own = np.linalg.norm(ankle - hip, axis=1)
        return np.minimum(own + LIMB_RULES.stretch * (size - own), LIMB_RULES.reach * size)

    def _limb(self, side: str, roles: tuple[str, str], points: list[Floats], goal: Floats) -> None:
        """Rotate the two bones of a limb so that its end is at a goal (F, 3), in the plane in which it bends."""
        first, second = (self.body.carrier(f"{side}_{role}") for role in roles)
        top, middle, end = points
        upper, lower = middle - top, end - middle
        a, b = np.linalg.norm(upper, axis=1), np.linalg.norm(lower, axis=1)
        gap = goal - top
        far = np.clip(np.linalg.norm(gap, axis=1), np.abs(a - b) + 1e-6, LIMB_RULES.reach * (a + b))
        aim = unit(gap)
        # The middle stays on its side of the line from top to end.
        line = unit(end - top)
        turn = between(line, aim)
        side_way = upper - (upper * line).sum(1, keepdims=True) * line
        out = rotate(turn, unit(side_way))
        cosine = np.clip((a * a + far * far - b * b) / (2 * a * far), -1.0, 1.0)
        new_middle = a[:, None] * (cosine[:, None] * aim + np.sqrt(1 - cosine**2)[:, None] * out)
        new_end = far[:, None] * aim
        one = between(upper, new_middle)
        two = between(lower, new_end - new_middle)
        self._carry(first, second, one)
        self._carry(
            second,
            self.body.carrier(f"{side}_{'foot' if roles[1] == 'shin' else 'hand'}")
            if f"{side}_{'foot' if roles[1] == 'shin' else 'hand'}" in self.body.map
            else -1,
            two,
        )

    def _carry(self, joint: int, until: int, turn: Floats) -> None:
        """Rotate a joint and its descendants, down to another joint."""
        stop = set() if until < 0 else {until, *self._below(until)}
        for j in [joint, *self._below(joint)]:
            if j in self.world and j not in stop:
                self.world[j] = multiply(turn, self.world[j])

    def _twist(self, side: str, upper: str, lower: str, points: tuple[str, str, str]) -> None:
        """Twist the upper bone of a limb so that a hinge below can make the bend."""
        body = self.body
        first, second = body.carrier(f"{side}_{upper}"), body.carrier(f"{side}_{lower}")
        table = body.skeleton.freedom_table
        if not table.joints.is_hinge[second]:
            return
        row = table.rows_of(second)
        reference = body.reference[1]
        a, b, c = (body.at_reference[f"{side}_{name}"] for name in points)
        turn, below = (multiply(self.world[j], conjugate(reference[j])) for j in (first, second))
        u, f = rotate(turn, unit(b - a)), rotate(below, unit(c - b))
        hinge = rotate(turn, rotate(reference[second], row.axis[0]))
        low, high = row.low[0], row.high[0]
        sign = -1.0 if high + low < 0 else 1.0
        wanted = sign * np.cross(u, f)
        bent = np.linalg.norm(wanted, axis=1)
        level = hinge - (hinge * u).sum(1, keepdims=True) * u
        angle = np.arctan2((np.cross(level, wanted) * u).sum(1), (level * wanted).sum(1))
        share = np.clip(bent / 0.2, 0.0, 1.0)
        angle = np.unwrap(angle)
        angle = angle - 2 * np.pi * np.round(np.median(angle) / (2 * np.pi))
        self.world[first] = multiply(
            from_rotation_vector((share * share * (3 - 2 * share) * angle)[:, None] * u),
            self.world[first],
        )

    def _hands(self, at: dict[str, Floats]) -> None:
        """Keep wrists beside the parts that they touch, and close wrists at their distance, in arm lengths."""
        close = self.guide.close()
        touches, gate = find_touches(self.source, self.body, close), close[:, None]
        goals = {side: at[f"{side}_wrist"].copy() for side in SIDES}
        for touch in touches:
            if all(name in at for end in touch.ends for name in end):
                a, b = (np.mean([at[name] for name in end], axis=0) for end in touch.ends)
                place = a + touch.along[:, None] * (b - a) + touch.offset
                goals[touch.side] += touch.gate[:, None] * (place - at[f"{touch.side}_wrist"])
        if not touches and not gate.any():
            return
        source = self.source.at
        ratio = self.body.sizes["arm"] / self.source.body.sizes["arm"]
        wanted = ratio * (source["left_wrist"] - source["right_wrist"])
        middle = (goals["left"] + goals["right"]) / 2
        for side, sign in (("left", 0.5), ("right", -0.5)):
            here = goals[side]
            goal = here + gate * (middle + sign * wanted - here)
            self._limb(
                side,
                ("upper_arm", "forearm"),
                [at[f"{side}_{name}"] for name in ("shoulder", "elbow", "wrist")],
                goal,
            )

    # A pose -------------------------------------------------------------------------------------

    def _pose(self, root: int, place: Floats) -> Pose:
        """The pose of the world rotations, with the root at places (F, 3) with z up."""
        body = self.body
        skeleton = body.skeleton
        joints = skeleton.freedom_table.joints
        rotations = multiply(conjugate(body.turn), self._all_rotations())
        place = rotate(conjugate(body.turn), place)
        parents = skeleton.parents
        q = np.tile(skeleton.rest.coordinates, (self.frames, 1))
        for j in self.world:
            parent = int(parents[j])
            above = ONE if parent < 0 else rotations[:, parent]
            local = multiply(conjugate(above), rotations[:, j])
            turns = multiply(conjugate(skeleton.rotations[j]), local)
            put_rotations(skeleton.joints[j], turns, q, int(joints.coordinate[j]))
        parent = int(parents[root])
        rest = skeleton.rest
        above = ONE if parent < 0 else rest.rotations[parent]
        origin = np.zeros(3) if parent < 0 else rest.positions[parent]
        local = rotate(conjugate(above), place - origin)
        if joints.slides[root] == 3:
            first = int(joints.coordinate[root])
            q[:, first : first + 3] = rotate(
                conjugate(skeleton.rotations[root]), local - skeleton.offsets[root]
            )
            return Pose(skeleton, q)
        translations = np.tile(skeleton.offsets, (self.frames, 1, 1))
        translations[:, root] = local
        return Pose(skeleton, q, translations)
