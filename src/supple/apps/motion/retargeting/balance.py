"""Balance of standing robots: the centre of mass stays over the soles in slow phases.

Balance is asked for in frames in which a foot is in contact, the source's hips are slow, and the source itself is in
balance: its centre of mass, estimated with the mass distribution of a human body, is over its own feet. So balance is
not enforced while the source walks, runs, jumps, sits or leans on something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.retargeting.body import Body, mid
from supple.apps.motion.retargeting.body_map import SIDES
from supple.apps.motion.retargeting.footsteps import smoothed
from supple.apps.motion.retargeting.performance import BEARING_PARTS, Performance
from supple.errors import SuppleError
from supple.model.skeleton import Pose
from supple.rotations import rotate

Floats = NDArray[np.float64]

# Unit vectors on the ground, (2, 64).
DIRECTIONS = np.stack([np.cos(a := np.arange(64) * (np.pi / 32)), np.sin(a)])


@dataclass(frozen=True)
class BalanceRules:
    """When balance is held, and how well. Not tuned.

    Attributes:
        slow: Speed of the hips up to which balance is held, and from which on it is not [leg lengths a second].
        ease: How long balance takes to fade in and out [s].
        lean: How far outside its feet the guessed centre of mass of a source in balance may be [leg lengths].
        sole: Half the width of a source's feet, and how far its heels are behind its ankles [leg lengths].
        lifted: Corners of a sole that are higher do not support [leg lengths].
        margin: How far inside the support the centre of mass is kept [leg lengths].
        judged: Least `Support.gate` of a frame whose balance is judged.
    """

    slow: tuple[float, float] = (0.2, 0.4)
    ease: float = 0.3
    lean: float = 0.08
    sole: float = 0.1
    lifted: float = 0.02
    margin: float = 0.015
    judged: float = 0.5


BALANCE = BalanceRules()

# Shares of a human's mass, and where on the line between two points they are centred. After Winter 2009,
# *Biomechanics and Motor Control of Human Movement*, table 4.1; trunk with head and neck.
SHARES = (
    ("hip", "shoulder", 0.578 / 2, 0.66), ("shoulder", "elbow", 0.028, 0.44), ("elbow", "wrist", 0.022, 0.68),
    ("hip", "knee", 0.1, 0.43), ("knee", "ankle", 0.061, 0.61),
)  # fmt: skip


@dataclass(frozen=True)
class Balanced:
    """How well a robot keeps its balance in the frames in which balance is asked for.

    Attributes:
        frames: The number of these frames.
        before: The share of them in which the centre of mass is over the soles without the balance goal.
        after: The share of them in which it is with the goal.
    """

    frames: int
    before: float
    after: float


class Support:
    """When a robot should keep its balance, and how well it does.

    Args:
        source: The source motion.
        body: The robot, with masses.
        corners: Target positions of the corners of its soles, z up, (F, C, 3).
        stands: Which of them belong to feet in contact, (F, C).

    Attributes:
        gate: Weight of the balance goal, from 0 to 1, (F,).

    Raises:
        SuppleError: Masses are not known.
    """

    def __init__(
        self, source: Performance, body: Body, *, corners: Floats, stands: NDArray[np.bool_]
    ) -> None:
        masses = body.skeleton.physics.masses if body.skeleton.physics else None
        if not masses or any(one is None for one in masses.values()):
            raise SuppleError("balance: expected a robot with masses, got one without")
        self._body = body
        supports = stands & (corners[..., 2] < BALANCE.lifted * body.sizes["leg"])
        self._outline = _eased(_outline(corners[..., :2], supports), source.fps)
        self.gate = _gate(source) * supports.any(axis=1)

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Which frames are judged, (F,)."""
        return self.gate > BALANCE.judged

    def share(self, poses: Pose) -> float:
        """The share of the frames that are judged in which the centre of mass is over the soles."""
        center = rotate(self._body.turn, poses[self.counts].center_of_mass)
        beyond = center[:, :2] @ DIRECTIONS - self._outline[self.counts]
        return float(np.mean(beyond.max(axis=1) < 0.0))


def _outline(points: Floats, valid: NDArray[np.bool_]) -> Floats:
    """Support function of the hull of points (F, C, 2) along `DIRECTIONS`, (F, 64)."""
    reach = np.where(valid[..., None], points @ DIRECTIONS, -np.inf)
    return reach.max(axis=1)


def _eased(outline: Floats, fps: float) -> Floats:
    """The outline, smoothed over time where feet land and lift off."""
    known = np.flatnonzero(np.isfinite(outline[:, 0]))
    if not len(known):
        return outline
    every = np.arange(len(outline))
    after = np.clip(np.searchsorted(known, every), 1, max(len(known) - 1, 1))
    before, after = known[after - 1], known[np.minimum(after, len(known) - 1)]
    near = np.where(every - before < after - every, before, after)
    return smoothed(outline[near], 0.5 * BALANCE.ease * fps)


def _gate(source: Performance) -> Floats:
    """How much the source stands, slow and in balance, from 0 to 1, (F,)."""
    at, leg = source.at, source.body.sizes["leg"]
    if len(source) < 3:
        return np.ones(len(source))
    speed = np.linalg.norm(np.gradient(mid(at, "hip"), axis=0), axis=1) * source.fps / leg
    held, free = BALANCE.slow
    slow = (speed < free) * np.clip((free - speed) / (free - held), 0.0, 1.0)
    center = np.zeros((len(source), 3))
    for side in SIDES:
        for a, b, share, along in SHARES:
            one, two = at[f"{side}_{a}"], at[f"{side}_{b}"]
            center += share * (one + along * (two - one))
    points, stands = [], []
    for side in SIDES:
        ankle = at[f"{side}_ankle"]
        toe = at.get(f"{side}_toe", ankle)
        square = BALANCE.sole * leg * np.array(((1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0)))
        points += [end + corner for end in (ankle, toe) for corner in square]
        stands += [source.touches[f"{side}_heel"] | source.touches[f"{side}_ball"]] * 8
    outline = _outline(np.stack(points, axis=1)[..., :2], np.stack(stands, axis=1))
    outside = (center[:, :2] @ DIRECTIONS - outline).max(axis=1)
    reach = max(1, round(0.5 * BALANCE.ease * source.fps))
    gate = slow * (outside < BALANCE.lean * leg)
    for part in BEARING_PARTS:  # it leans on something else
        gate = gate * ~source.touches.get(part, np.zeros(len(source), dtype=bool))
    # Leave out short phases, and fade the others in and out.
    padded = np.pad(gate, reach, mode="edge")
    gate = np.min([padded[k : k + len(gate)] for k in range(2 * reach + 1)], axis=0)
    return smoothed(gate[:, None], reach)[:, 0]
