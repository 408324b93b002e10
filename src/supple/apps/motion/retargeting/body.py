"""The geometry of a body: centres of its joints, lengths of its limbs, positions of its soles.

Everything is in a world with z up; `Body.turn` rotates the skeleton's world into it. The centre of a joint of several
hinges is the point nearest to their axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.feet import up_vector
from supple.apps.motion.retargeting.body_map import SIDES, BodyMap
from supple.bodies.convex import surface_points
from supple.errors import SuppleError
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import between, conjugate, multiply, rotate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Proportions:
    """A human's proportions, for what a partial body lacks [leg lengths].

    After Drillis and Contini 1966, as in Winter 2009, figure 4.1.

    Attributes:
        arm: From shoulder to wrist.
        trunk: From the middle of the hips to that of the shoulders.
        shoulders: From shoulder to shoulder.
        hips: From hip to hip.
    """

    arm: float = 0.68
    trunk: float = 0.6
    shoulders: float = 0.53
    hips: float = 0.39


@dataclass(frozen=True)
class _MeasuringRules:
    """How a body is measured. Not tuned.

    Attributes:
        sole_height: Points of a foot this little above its lowest point are its sole [leg lengths].
        sole_edge: Points of a sole this near to its end are its edge [leg lengths].
        bare_wrist: Position of the wrist of an arm without a hand [share of the distance from the elbow to the end].
        shortest_offset: A shorter offset has no meaningful direction [share of the longest bone, or of the limb].
        near_part: Solid shapes this near to a knee, wrist, elbow or the seat are what it bears on [leg lengths].
        upright: Least upward part of the directions of trunk, thighs and shins of a body that stands.
    """

    sole_height: float = 0.007
    sole_edge: float = 0.015
    bare_wrist: float = 0.65
    shortest_offset: float = 0.02
    near_part: float = 0.15
    upright: float = 0.7


HUMAN = _Proportions()
MEASURING = _MeasuringRules()


@dataclass(frozen=True)
class Point:
    """A point of a body: a joint's index and an offset in its frame (3,) [model units]."""

    joint: int
    offset: Floats


@dataclass(frozen=True)
class Sole:
    """The sole of a foot in the frame of the joint that carries it [model units].

    Attributes:
        rear: Middle of its rear edge, (3,).
        front: Middle of its front edge, (3,).
        corners: Its corners, (4, 3), the rear ones first.
        height: Of the foot's joint above it.
    """

    rear: Floats
    front: Floats
    corners: Floats
    height: float


class Body:
    """A skeleton with a body map: points of the body, and a reference pose in which it stands.

    Args:
        skeleton: The skeleton.
        body_map: Its parts.
        up: Its up axis.
        poses: Poses (F,); one of them becomes the reference if the rest pose does not stand upright.
    """

    def __init__(
        self, skeleton: Skeleton, body_map: BodyMap, up: str, poses: Pose | None = None
    ) -> None:
        self.skeleton, self.map, self.up = skeleton, body_map, up
        vector = up_vector(up)
        z = np.array((0.0, 0.0, 1.0))
        self.turn = between(vector, z) if np.any(vector != z) else np.array((1.0, 0.0, 0.0, 0.0))
        self.points = self._points()
        self.reference = self._reference(poses)

    # Places -------------------------------------------------------------------------------------

    def carrier(self, role: str) -> int:
        """The index of the joint that carries a part."""
        return self.skeleton.index(self.map[role][-1])

    def frames(self, poses: Pose) -> tuple[Floats, Floats]:
        """World positions (F, N, 3) and rotations wxyz (F, N, 4) of joints and tips, with z up."""
        positions, rotations = poses.positions, poses.rotations
        if self.turn[0] == 1.0:
            return positions, rotations
        return rotate(self.turn, positions), multiply(self.turn, rotations)

    def places(self, frames: tuple[Floats, Floats]) -> dict[str, Floats]:
        """World positions (F, 3) of all points in some frames."""
        positions, rotations = frames
        return {
            name: positions[..., p.joint, :] + rotate(rotations[..., p.joint, :], p.offset)
            if np.any(p.offset)
            else positions[..., p.joint, :]
            for name, p in self.points.items()
        }

    def _points(self) -> dict[str, Point]:
        found: dict[str, Point] = {}
        for side in self.map.legs:
            found[f"{side}_hip"] = self._center(self.map[f"{side}_thigh"])
            found[f"{side}_knee"] = self._center(self.map[f"{side}_shin"])
            foot = self.carrier(f"{side}_foot")
            found[f"{side}_ankle"] = Point(foot, np.zeros(3))
            if f"{side}_toe" in self.map:
                found[f"{side}_toe"] = Point(self.carrier(f"{side}_toe"), np.zeros(3))
            elif (toe := self._end(foot)) is not None and self._solid(foot) is None:
                found[f"{side}_toe"] = toe
        for side in self.map.arms:
            found[f"{side}_shoulder"] = self._center(self.map[f"{side}_upper_arm"])
            found[f"{side}_elbow"] = self._center(self.map[f"{side}_forearm"])
            if f"{side}_hand" in self.map:
                hand = self.carrier(f"{side}_hand")
                found[f"{side}_wrist"] = Point(hand, np.zeros(3))
                if (tip := self._end(hand)) is not None:
                    found[f"{side}_fingers"] = tip
            else:
                found[f"{side}_wrist"] = self._bare_wrist(side, found[f"{side}_elbow"])
        if "head" in self.map:
            found["head"] = Point(self.carrier("head"), np.zeros(3))
        if not self.map.whole:
            self._complete(found)
        return found

    @cached_property
    def base(self) -> int:
        """The joint that carries all limbs: the hips, or the last common ancestor of the limbs."""
        if "hips" in self.map:
            return self.carrier("hips")
        parts = [("thigh", self.map.legs), ("upper_arm", self.map.arms)]
        tops = [self.map[f"{side}_{part}"][0] for part, sides in parts for side in sides]
        paths = [self.skeleton.path(None, name)[:-1] for name in tops]
        common = [step[0] for step in zip(*paths, strict=False) if len(set(step)) == 1]
        if not common:
            raise SuppleError(
                f"body map: expected a joint above {tops[0]!r} that carries the limbs, got none"
            )
        return self.skeleton.index(common[-1])

    def middle(self, name: str) -> Point:
        """The middle between the left and right hip or shoulder in the reference, on the joint that carries both."""
        paths = []
        for side in SIDES:
            group = self.map[f"{side}_{'thigh' if name == 'hip' else 'upper_arm'}"]
            point = self.skeleton.joint_names[self.points[f"{side}_{name}"].joint]
            paths.append(
                self.skeleton.path(None, group[0])[:-1]
                if group
                else self.skeleton.path(None, point)
            )
        common = [a for a, b in zip(*paths, strict=False) if a == b]
        joint = self.skeleton.index(common[-1]) if common else self.base
        place = mid(self.at_reference, name) - self.reference[0][joint]
        return Point(joint, rotate(conjugate(self.reference[1][joint]), place))

    def _complete(self, found: dict[str, Point]) -> None:
        """Add hips and shoulders that a partial body lacks, at a human's proportions, on the joint of its limbs."""
        positions, rotations = self.frames(self.skeleton.rest)
        base, up = self.base, np.array((0.0, 0.0, 1.0))

        def at(name: str) -> Floats:
            point = found[name]
            return positions[point.joint] + rotate(rotations[point.joint], point.offset)

        def put(name: str, place: Floats) -> None:
            found[name] = Point(base, rotate(conjugate(rotations[base]), place - positions[base]))

        known, absent = ("hip", "shoulder") if self.map.legs else ("shoulder", "hip")
        ends = ("knee", "ankle") if self.map.legs else ("elbow", "wrist")
        sides = self.map.legs or self.map.arms
        limb = float(
            np.mean([_length([at(f"{side}_{n}") for n in (known, *ends)]) for side in sides])
        )
        leg = limb if self.map.legs else limb / HUMAN.arm
        if len(sides) == 1:
            side, sign = sides[0], 1.0 if sides[0] == "left" else -1.0
            ahead = (at(f"{side}_{ends[1]}") - at(f"{side}_{known}")) * (1.0, 1.0, 0.0)
            level = np.linalg.norm(ahead) > MEASURING.shortest_offset * limb
            left = np.cross(up, unit(ahead) if level else np.array((1.0, 0.0, 0.0)))
            other = at(f"{side}_{known}") - sign * HUMAN.shoulders * leg * left
            put(f"{'right' if side == 'left' else 'left'}_{known}", other)
        left = unit((at(f"left_{known}") - at(f"right_{known}")) * (1.0, 1.0, 0.0))
        middle = (at(f"left_{known}") + at(f"right_{known}")) / 2
        rise = HUMAN.trunk * leg * (1.0 if self.map.legs else -1.0) * up
        width = (HUMAN.shoulders if self.map.legs else HUMAN.hips) * leg / 2
        if len(self.map.legs) != 2 or not self.map.arms:
            for side, sign in (("left", 1.0), ("right", -1.0)):
                put(f"{side}_{absent}", middle + rise + sign * width * left)
        elif len(self.map.arms) == 1:
            side = self.map.arms[0]
            other = at(f"{side}_shoulder") - 2.0 * ((at(f"{side}_shoulder") - middle) @ left) * left
            put(f"{'right' if side == 'left' else 'left'}_shoulder", other)

    def _center(self, group: tuple[str, ...]) -> Point:
        """The point nearest to the axes of a joint's hinges, in the frame of the last."""
        last = self.skeleton.index(group[-1])
        if len(group) == 1:
            return Point(last, np.zeros(3))
        rest, table = self.skeleton.rest, self.skeleton.freedom_table
        matrix, right = np.zeros((3, 3)), np.zeros(3)
        for name in group:
            j = self.skeleton.index(name)
            axes = table.rows_of(j).axis
            axis = rotate(rest.rotations[j], axes[0]) if len(axes) else np.zeros(3)
            square = np.eye(3) - np.outer(axis, axis)
            matrix += square
            right += square @ rest.positions[j]
        matrix += 1e-6 * np.eye(3)
        right += 1e-6 * rest.positions[last]
        place = np.linalg.solve(matrix, right)
        return Point(last, rotate(conjugate(rest.rotations[last]), place - rest.positions[last]))

    def _end(self, joint: int) -> Point | None:
        """The farthest child or tip of a joint; None if none is away from the joint."""
        skeleton = self.skeleton
        name = skeleton.joint_names[joint]
        below = [
            skeleton.index(child)
            for child in skeleton.children(name)
            if child in skeleton.joint_names
        ]
        offsets = [skeleton.offsets[j] for j in below]
        offsets += [np.asarray(tip.offset) for tip in skeleton.tips if tip.joint == name]
        least = MEASURING.shortest_offset * float(
            np.linalg.norm(skeleton.offsets[1:], axis=1).max(initial=0.0)
        )
        offsets = [offset for offset in offsets if np.linalg.norm(offset) > least]
        if not offsets:
            return None
        return Point(
            joint,
            np.asarray(max(offsets, key=lambda v: float(np.linalg.norm(v))), dtype=np.float64),
        )

    def _bare_wrist(self, side: str, elbow: Point) -> Point:
        """The estimated wrist of an arm without a hand."""
        end = self._end(elbow.joint)
        reach = None if end is None else end.offset
        points = self._solid(elbow.joint)
        if points is not None:
            away = points - elbow.offset
            far = away[int(np.argmax(np.linalg.norm(away, axis=1)))]
            reach = elbow.offset + MEASURING.bare_wrist * float(
                np.linalg.norm(far)
            ) * _mean_direction(away)
        if reach is None:
            reach = elbow.offset
        return Point(elbow.joint, np.asarray(reach, dtype=np.float64))

    def _solid(self, joint: int) -> Floats | None:
        """Points (P, 3) of the geoms that a joint carries, in its frame; None if it has none."""
        name = self.skeleton.joint_names[joint]
        solid = [geom for geom in self.skeleton.geoms if geom.kind != "plane"]
        mine = [geom for geom in solid if geom.joint == name]
        # Bodies without joints carry the geoms of some feet and hands.
        mine = mine or [geom for geom in solid if name in self.skeleton.path(None, geom.joint)]
        touching = [geom for geom in mine if geom.contype or geom.conaffinity]
        rest, points = self.skeleton.rest, []
        for geom in touching or mine:
            own, here = surface_points(geom), self.skeleton.index(geom.joint)
            if here != joint:
                world = rest.positions[here] + rotate(rest.rotations[here], own)
                own = rotate(conjugate(rest.rotations[joint]), world - rest.positions[joint])
            points.append(own)
        return np.concatenate(points) if points else None

    # Reference ----------------------------------------------------------------------------------

    def _reference(self, poses: Pose | None) -> tuple[Floats, Floats]:
        """Frames (N, 3), (N, 4), with z up, of a pose in which the body stands upright."""
        positions, rotations = self.frames(self.skeleton.rest)
        if (
            poses is None
            or self._upright((positions[None], rotations[None]))[0] > MEASURING.upright
        ):
            return positions, rotations
        frames = self.frames(poses)
        best = int(np.argmax(self._upright(frames)))
        return frames[0][best], frames[1][best]

    def _upright(self, frames: tuple[Floats, Floats]) -> Floats:
        """The least upward part of trunk, thighs and shins in each frame, shape (F,)."""
        at = self.places(frames)
        pieces = [(mid(at, "shoulder"), mid(at, "hip"))]
        pieces += [
            (at[f"{side}_{a}"], at[f"{side}_{b}"])
            for side in self.map.legs
            for a, b in (("hip", "knee"), ("knee", "ankle"))
        ]
        return np.min([unit(a - b)[..., 2] for a, b in pieces], axis=0)

    @cached_property
    def at_reference(self) -> dict[str, Floats]:
        """Positions (3,) of all points in the reference."""
        return self.places(self.reference)

    @cached_property
    def facing(self) -> tuple[Floats, Floats]:
        """Level unit vectors (3,) forward and to the left, in the reference."""
        at = self.at_reference
        left = at["left_hip"] - at["right_hip"]
        left = unit(left * (1.0, 1.0, 0.0))
        return np.cross(left, (0.0, 0.0, 1.0)), left

    # Sizes --------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> dict[str, float]:
        """Lengths [model units]: thigh, shin, leg, upper_arm, forearm, arm, trunk, hips, shoulders, foot."""
        at = self.at_reference

        def far(a: Floats, b: Floats) -> float:
            return float(np.linalg.norm(a - b))

        out = {
            name: float(np.mean([far(at[f"{side}_{a}"], at[f"{side}_{b}"]) for side in sides]))
            for sides, name, a, b in (
                (self.map.legs, "thigh", "hip", "knee"), (self.map.legs, "shin", "knee", "ankle"),
                (self.map.arms, "upper_arm", "shoulder", "elbow"), (self.map.arms, "forearm", "elbow", "wrist"),
            ) if sides
        }  # fmt: skip
        if not self.map.legs:
            arm = out["upper_arm"] + out["forearm"]
            out["thigh"] = out["shin"] = 0.5 * arm / HUMAN.arm
        if not self.map.arms:
            out["upper_arm"] = out["forearm"] = 0.5 * HUMAN.arm * (out["thigh"] + out["shin"])
        out["leg"], out["arm"] = out["thigh"] + out["shin"], out["upper_arm"] + out["forearm"]
        out["trunk"] = far(mid(at, "shoulder"), mid(at, "hip"))
        out["hips"] = far(at["left_hip"], at["right_hip"])
        out["shoulders"] = far(at["left_shoulder"], at["right_shoulder"])
        toes = [side for side in SIDES if f"{side}_toe" in at]
        out["foot"] = (
            float(np.mean([far(at[f"{side}_toe"], at[f"{side}_ankle"]) for side in toes]))
            if toes
            else 0.0
        )
        return out

    @cached_property
    def soles(self) -> dict[str, Sole]:
        """The sole of each foot that has solid shapes."""
        out = {}
        forward, left = self.facing
        positions, rotations = self.reference
        for side in self.map.legs:
            joint = self.carrier(f"{side}_foot")
            points = self._solid(joint)
            if points is None:
                continue
            world = positions[joint] + rotate(rotations[joint], points)
            low = world[world[:, 2] < world[:, 2].min() + MEASURING.sole_height * self.sizes["leg"]]
            along = low @ forward
            corners = []
            for end in (-1.0, 1.0):
                edge = low[
                    end * along > (end * along).max() - MEASURING.sole_edge * self.sizes["leg"]
                ]
                across = edge @ left
                corners += [edge[int(np.argmax(across))], edge[int(np.argmin(across))]]
            world = np.array(corners)
            world[:, 2] = low[:, 2].min()
            local = rotate(conjugate(rotations[joint]), world - positions[joint])
            height = float(positions[joint][2] - low[:, 2].min())
            out[side] = Sole(local[:2].mean(0), local[2:].mean(0), local, height)
        return out

    # Ground -------------------------------------------------------------------------------------

    @cached_property
    def outer_points(self) -> tuple[NDArray[np.int64], Floats]:
        """Joints (P,) and points (P, 3) in their frames whose hulls approximate the geoms of each joint."""
        joints, points = [], []
        names = {geom.joint for geom in self.skeleton.geoms}
        for j, name in enumerate(self.skeleton.joint_names):
            if name not in names:
                continue
            own = [
                surface_points(geom)
                for geom in self.skeleton.geoms
                if geom.joint == name
                and geom.kind != "plane"
                and (geom.contype or geom.conaffinity)
            ]
            if own:
                every = np.concatenate(own)
                kept = np.unique((every @ _DIRECTIONS.T).argmax(axis=0))
                joints += [j] * len(kept)
                points.append(every[kept])
        return np.array(joints, dtype=np.int64), (
            np.concatenate(points) if points else np.zeros((0, 3))
        )

    def thickness(self, part: str) -> float:
        """Height of a part above the ground that it bears on: a knee, wrist, elbow or the seat [model units].

        Knees bear with their front, the seat with its underside, hands and elbows with the thinner side.
        """
        names = [f"{side}_hip" for side in SIDES] if part == "seat" else [part]
        center = np.mean([self.at_reference[name] for name in names], axis=0)
        forward, left = self.facing
        up = np.array((0.0, 0.0, 1.0))
        ways = {"seat": (-up,), "left_knee": (forward,), "right_knee": (forward,)}.get(
            part, (forward, -forward, left, -left, up, -up)
        )
        joints, points = self.outer_points
        positions, rotations = self.reference
        away = positions[joints] + rotate(rotations[joints], points) - center
        near = away[np.linalg.norm(away, axis=1) < MEASURING.near_part * self.sizes["leg"]]
        if not len(near):
            return 0.0
        return max(0.0, min(float((near @ way).max()) for way in ways))


def _length(points: list[Floats]) -> float:
    """The length of a line through points."""
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


_DIRECTIONS = np.array(
    [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z],
    dtype=float,
)
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)


def mid(at: dict[str, Floats], name: str) -> Floats:
    """The middle between a left and a right point."""
    return (at[f"left_{name}"] + at[f"right_{name}"]) / 2


def unit(v: Floats) -> Floats:
    """Vectors (..., 3) at length one; zero stays zero."""
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def _mean_direction(vectors: Floats) -> Floats:
    return unit(vectors.mean(0))
