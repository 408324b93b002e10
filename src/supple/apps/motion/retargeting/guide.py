"""Targets for the hips, feet, elbows and wrists of a target body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.retargeting.body import Body, mid, unit
from supple.apps.motion.retargeting.body_map import SIDES
from supple.apps.motion.retargeting.footsteps import Shape, Steps, plan_steps
from supple.apps.motion.retargeting.performance import Performance, elevation
from supple.rotations import rotate

Floats = NDArray[np.float64]

# Not tuned. Up to the first value a rule holds, from the second on it does not, and between them in part.
CLOSE_WRISTS = (0.55, 0.8)  # distance of wrists that keep their distance [arm lengths]
LYING_SHIN = (0.15, 0.45)  # upward part of the direction from ankle to knee of a shin that lies
# Upward part of the normal of a sole that is turned as the source's sole is, not by heading and pitch.
TUMBLED_SOLE = (0.1, 0.4)
UP = np.array((0.0, 0.0, 1.0))


class Guide:
    """Targets for the parts of a target body, made from a source's performance; z up, target's unit.

    Args:
        source: The source motion.
        body: The target's body.
        standing: Height of each of its ankles when the foot stands flat, by side.
    """

    def __init__(self, source: Performance, body: Body, standing: dict[str, float]) -> None:
        self.source, self.body = source, body
        self.from_, self.to = source.body.sizes, body.sizes
        self.scale = self.to["leg"] / self.from_["leg"]
        at = source.at
        self.hip_line = unit(at["left_hip"] - at["right_hip"])
        self.shoulder_line = unit(at["left_shoulder"] - at["right_shoulder"])
        self.trunk = mid(at, "shoulder") - mid(at, "hip")
        self.directions = {
            f"{side}_{a}_{b}": unit(at[f"{side}_{b}"] - at[f"{side}_{a}"])
            for side in SIDES
            for a, b in (
                ("hip", "knee"),
                ("knee", "ankle"),
                ("shoulder", "elbow"),
                ("elbow", "wrist"),
            )
            if f"{side}_{b}" in at
        }
        self.legs = tuple(side for side in body.map.legs if side in source.body.map.legs)
        self.arms = tuple(side for side in body.map.arms if side in source.body.map.arms)
        self.standing = standing
        levels = list(source.level.values()) or [
            float(np.min([p[:, 2].min() for p in at.values()]))
        ]
        level = float(np.mean(levels))
        self.hips = self.scale * mid(at, "hip")
        self.hips[:, 2] = np.mean(list(standing.values())) + self.scale * (
            mid(at, "hip")[:, 2] - level
        )

    def arm(self, side: str, name: str) -> Floats:
        """An elbow or wrist relative to the middle of the hips, (F, 3)."""
        at = self.source.at
        return self.arm_root(side) + self.to["arm"] / self.from_["arm"] * (
            at[f"{side}_{name}"] - at[f"{side}_shoulder"]
        )

    def arm_root(self, side: str) -> Floats:
        """A shoulder relative to the middle of the hips, (F, 3)."""
        sign = 0.5 if side == "left" else -0.5
        trunk = self.to["trunk"] / self.from_["trunk"] * self.trunk
        return trunk + sign * self.to["shoulders"] * self.shoulder_line

    def free_steps(self, side: str) -> Steps:
        """The path of the source's foot, scaled to the target's leg."""
        source, at = self.source, self.source.at
        sign = 1.0 if side == "left" else -1.0
        hip = self.hips + sign * self.to["hips"] / 2 * self.hip_line
        ankle = hip + self.to["thigh"] * self.directions[f"{side}_hip_knee"]
        ankle = ankle + self.to["shin"] * self.directions[f"{side}_knee_ankle"]
        ankle[:, 2] = self.standing[side] + self.scale * (
            at[f"{side}_ankle"][:, 2] - source.level[side]
        )
        if f"{side}_toe" in at:
            along = at[f"{side}_toe"] - at[f"{side}_ankle"]
            pitch = source.flat[side] - elevation(at, side)
        else:
            along = rotate(source.turned[f"{side}_foot"], source.body.facing[0])
            pitch = -np.arcsin(np.clip(along[:, 2], -1.0, 1.0))
        heading = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
        heading = heading - _splay(source.body, side)
        touches = source.touches
        stands = touches[f"{side}_heel"] | touches[f"{side}_ball"]
        forward, left = source.body.facing
        own = np.stack(
            [rotate(source.turned[f"{side}_foot"], v) for v in (forward, left, UP)], axis=1
        )
        # The sole is tilted more than in a standing foot if its normal has a small upward part.
        tumbled = 1.0 - _rising(own[:, 2, 2], *TUMBLED_SOLE)
        tumbled[stands] = 0.0
        return Steps(ankle, heading, pitch, stands, tumbled, own)

    def part(self, name: str) -> Floats:
        """The target of a part of the body, from the directions of the limbs that lead to it, (F, 3)."""
        side, _, part = name.partition("_")
        sign = 0.5 if side == "left" else -0.5
        if part in ("elbow", "wrist"):
            return self.hips + self.arm(side, part)
        if part == "knee":
            hip = self.hips + sign * self.to["hips"] * self.hip_line
            return hip + self.to["thigh"] * self.directions[f"{side}_hip_knee"]
        return self.hips

    def lying(self, side: str) -> Floats:
        """How much the shin of a leg lies down, as in kneeling and crawling, from 0 to 1, (F,)."""
        return 1.0 - _rising(-self.directions[f"{side}_knee_ankle"][:, 2], *LYING_SHIN)

    def steps(self, side: str, shape: Shape) -> Steps:
        """The path of a foot with its contacts fixed."""
        touches = self.source.touches
        free = self.free_steps(side)
        return plan_steps(
            free, touches[f"{side}_heel"], touches[f"{side}_ball"], shape, fps=self.source.fps
        )

    def close(self) -> Floats:
        """How much the wrists keep their distance in each frame, 0 to 1, (F,)."""
        if len(self.arms) < 2:
            return np.zeros(len(self.source))
        apart = np.linalg.norm(self.source.at["left_wrist"] - self.source.at["right_wrist"], axis=1)
        return 1.0 - _rising(apart / self.from_["arm"], *CLOSE_WRISTS)


def _rising(values: Floats, low: float, high: float) -> Floats:
    """0 up to `low`, 1 from `high` on, smooth between them."""
    u = np.clip((values - low) / (high - low), 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)


def _splay(body: Body, side: str) -> float:
    """Angle from the body's heading to its toes, in the reference [rad]."""
    at = body.at_reference
    if f"{side}_toe" not in at:
        return 0.0
    along, forward = at[f"{side}_toe"] - at[f"{side}_ankle"], body.facing[0]
    return float(np.arctan2(forward[0] * along[1] - forward[1] * along[0], forward[:2] @ along[:2]))
