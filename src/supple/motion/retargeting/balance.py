"""Robots that keep their balance where they stand: the centre of mass over the soles, in slow phases.

A frame is judged, and held, if a foot stands, the source's hips are slow, and the source itself is in balance: its
centre of mass, guessed by the shares of a human's parts, is over its own feet. So nothing is forced while it
walks, runs, jumps, sits or leans on something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.motion.retargeting.body import Body, mid
from supple.motion.retargeting.body_map import SIDES
from supple.motion.retargeting.footsteps import smoothed
from supple.motion.retargeting.performance import Performance
from supple.motion.retargeting.whole_clip import Frame
from supple.rotations import rotate

Floats = NDArray[np.float64]

SLOW = (
    0.2,
    0.4,
)  # speed of the hips up to which balance is held, and from which on it is not [leg lengths a second]
EASE = 0.3  # how long it takes to come and go [s]
LEAN = 0.08  # how far outside its feet the guessed centre of mass of a source in balance may be [leg lengths]
SOLE = (
    0.1  # half the width of the feet of a source, and how far heels are behind ankles [leg lengths]
)
LIFTED = 0.02  # corners of a sole that are higher do not support [leg lengths]
MARGIN = 0.03  # how far inside the support the centre of mass is kept at most [leg lengths],
INNER = 0.4  # or how far of the way from its edge to its middle
WAYS = np.stack(
    [np.cos(a := np.arange(64) * (np.pi / 32)), np.sin(a)]
)  # directions on the ground, (2, 64)

# Shares of a human's mass, and where on the line between two points they are centred. After Winter 2009,
# *Biomechanics and Motor Control of Human Movement*, table 4.1; trunk with head and neck.
SHARES = (
    ("hip", "shoulder", 0.578 / 2, 0.66), ("shoulder", "elbow", 0.028, 0.44), ("elbow", "wrist", 0.022, 0.68),
    ("hip", "knee", 0.1, 0.43), ("knee", "ankle", 0.061, 0.61),
)  # fmt: skip


@dataclass(frozen=True)
class Balanced:
    """How a robot keeps its balance where that is asked for.

    Attributes:
        frames: How many frames that is.
        before: The share of them in which the centre of mass would be over the soles without asking.
        after: The share of them in which it is.
    """

    frames: int
    before: float
    after: float


class Balance:
    """Push the centre of mass over the soles that stand.

    Args:
        source: What is performed.
        body: The robot, with masses.
        corners: Where the corners of its soles are to be, z up, (F, C, 3).
        stands: Which of them belong to feet that stand, (F, C).
        weight: What a length outside counts.

    Raises:
        SuppleError: Masses are not known.
    """

    def __init__(
        self,
        source: Performance,
        body: Body,
        *,
        corners: Floats,
        stands: NDArray[np.bool_],
        weight: float,
    ) -> None:
        leg, masses = (
            body.sizes["leg"],
            body.skeleton.physics.masses if body.skeleton.physics else None,
        )
        if not masses or any(one is None for one in masses.values()):
            raise SuppleError("balance: expected a robot with masses, got one without")
        known = [(name, one) for name, one in masses.items() if one is not None and one.mass > 0]
        shares = np.array([one.mass for _, one in known])
        self.shares = shares / shares.sum()
        self.joints = np.array([body.skeleton.index(name) for name, _ in known])
        self.centers = np.array([one.center for _, one in known])
        self.turn, self.weight = body.turn, weight
        supports = stands & (corners[..., 2] < LIFTED * leg)
        self.outline = _eased(_outline(corners[..., :2], supports), source.fps)
        width = (self.outline + np.roll(self.outline, WAYS.shape[1] // 2, axis=1)).min(axis=1)
        self.inner = np.clip(INNER * width / 2, 0.0, MARGIN * leg)
        self.gate = _gate(source) * supports.any(axis=1)

    def center(self, at: Frame) -> Floats:
        """The centre of mass (F, 3), z up."""
        return rotate(self.turn, self.shares @ self._places(at))

    def outside(self, center: Floats, part: slice) -> tuple[Floats, NDArray[np.int64]]:
        """How far centres of mass are outside the support, below 0 inside, and along which of `WAYS`."""
        beyond = center[:, :2] @ WAYS - self.outline[part]
        way = beyond.argmax(axis=1)
        return beyond[np.arange(len(way)), way], way

    def share(self, at: Frame) -> float:
        """The share of the frames that count in which a whole clip is in balance."""
        counts = self.counts
        return float(np.mean(self.outside(self.center(at), slice(None))[0][counts] < 0.0))

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Which frames are judged, (F,)."""
        return self.gate > 0.5

    def _places(self, at: Frame) -> Floats:
        return at.positions[:, self.joints] + rotate(at.rotations[:, self.joints], self.centers)

    def __call__(self, at: Frame, first: int) -> tuple[NDArray[np.int64], Floats, Floats] | None:
        """Rows that push the centre of mass inwards, see `Push`."""
        part = slice(first, first + len(at.positions))
        places = self._places(at)
        outside, way = self.outside(rotate(self.turn, self.shares @ places), part)
        depth = outside + self.inner[part]
        frame = np.flatnonzero((depth > 0) & (self.gate[part] > 0))
        if not len(frame):
            return None
        inward = np.zeros((len(frame), 3))
        inward[:, :2] = -WAYS[:, way[frame]].T
        inward = rotate(self.turn * (1.0, -1.0, -1.0, -1.0), inward)
        row = np.zeros((len(frame), at.freedoms.count))
        for k, (joint, share) in enumerate(zip(self.joints, self.shares, strict=True)):
            joints = np.full(len(frame), joint)
            row += share * at.derivative(frame, joints, places[frame, k], inward)
        strength = self.weight * np.sqrt(self.gate[part][frame])
        return frame, -strength[:, None] * row, strength * depth[frame]


def _outline(points: Floats, valid: NDArray[np.bool_]) -> Floats:
    """How far the hull of points (F, C, 2) reaches along `WAYS`, (F, 64)."""
    reach = np.where(valid[..., None], points @ WAYS, -np.inf)
    return reach.max(axis=1)


def _eased(outline: Floats, fps: float) -> Floats:
    """An outline that changes smoothly where feet come and go."""
    known = np.flatnonzero(np.isfinite(outline[:, 0]))
    if not len(known):
        return outline
    every = np.arange(len(outline))
    after = np.clip(np.searchsorted(known, every), 1, max(len(known) - 1, 1))
    before, after = known[after - 1], known[np.minimum(after, len(known) - 1)]
    near = np.where(every - before < after - every, before, after)
    return smoothed(outline[near], 0.5 * EASE * fps)


def _gate(source: Performance) -> Floats:
    """Where a source stands, slow and in balance, from 0 to 1, (F,)."""
    at, leg = source.at, source.body.sizes["leg"]
    if len(source) < 3:
        return np.ones(len(source))
    speed = np.linalg.norm(np.gradient(mid(at, "hip"), axis=0), axis=1) * source.fps / leg
    slow = (speed < SLOW[1]) * np.clip((SLOW[1] - speed) / (SLOW[1] - SLOW[0]), 0.0, 1.0)
    center = np.zeros((len(source), 3))
    for side in SIDES:
        for a, b, share, along in SHARES:
            one, two = at[f"{side}_{a}"], at[f"{side}_{b}"]
            center += share * (one + along * (two - one))
    points, stands = [], []
    for side in SIDES:
        ankle = at[f"{side}_ankle"]
        toe = at.get(f"{side}_toe", ankle)
        square = SOLE * leg * np.array(((1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0)))
        points += [end + corner for end in (ankle, toe) for corner in square]
        stands += [source.touches[f"{side}_heel"] | source.touches[f"{side}_ball"]] * 8
    outline = _outline(np.stack(points, axis=1)[..., :2], np.stack(stands, axis=1))
    outside = (center[:, :2] @ WAYS - outline).max(axis=1)
    reach = max(1, round(0.5 * EASE * source.fps))
    gate = slow * (outside < LEAN * leg)
    # What is short is left out, and what stays comes and goes smoothly.
    padded = np.pad(gate, reach, mode="edge")
    gate = np.min([padded[k : k + len(gate)] for k in range(2 * reach + 1)], axis=0)
    return smoothed(gate[:, None], reach)[:, 0]
