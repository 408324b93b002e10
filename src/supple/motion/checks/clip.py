"""A motion with what several checks need of it: feet, ground, leg length, contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.model.capsules import Capsule
from supple.model.mirror import partner
from supple.model.motion import Motion
from supple.motion.contacts import find_contacts, foot_points, point_speeds
from supple.motion.feet import Foot, find_feet, up_vector
from supple.motion.planting import HEIGHT, SPEED

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BAND = 0.02  # heights of a standing point that count as the same [leg lengths]
GRAVITY = 11.5  # [leg lengths/s^2], of a leg of 0.85 m
FEW = 4  # frames of a clip that is too short to tell what is usual in it


class Clip:
    """A motion, and what is measured of it once.

    Args:
        motion: What plays.
        up: The axis that points up, such as "y".
        ground: Height of the ground along `up` [model units]; None for where the feet stand.
        capsules: What stands for the bones in collisions, by joint; None for those of the skeleton.
        loop: Whether it is a loop.
        before: The same clip before it was changed: where its feet stand is where these should.
        levels: How high ankles and toes are when they stand, where that is known.
    """

    def __init__(
        self,
        motion: Motion,
        *,
        up: str,
        ground: float | None,
        capsules: Mapping[str, Sequence[Capsule]] | None,
        loop: bool,
        before: Clip | None = None,
        levels: Mapping[str, float] | None = None,
    ) -> None:
        self.motion = motion
        self.up = up_vector(up)
        self.given_ground = ground
        self.capsules = capsules
        self.loop = loop
        self.before = before
        self._levels = levels

    @cached_property
    def positions(self) -> Floats:
        """World positions of joints and tips, shape (F, N + T, 3)."""
        return self.motion.poses.positions

    @cached_property
    def heights(self) -> Floats:
        """Of joints and tips along up, shape (F, N + T)."""
        return self.positions @ self.up

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The feet; none if there are none to be found."""
        try:
            return find_feet(self.motion.skeleton, poses=self.motion.poses, up=self.up)
        except SuppleError:
            return ()

    @cached_property
    def leg(self) -> float:
        """The length of a leg; without any, half the greatest extent at rest [model units]."""
        if self.feet:
            return float(np.mean([foot.length for foot in self.feet]))
        return 0.5 * float(np.ptp(self.motion.skeleton.rest.positions, axis=0).max()) or 1.0

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.motion.fps

    def frames(self, seconds: float, least: int = 1) -> int:
        """So many frames as that takes."""
        return max(least, round(seconds * self.fps))

    def column(self, name: str) -> int:
        """Where a joint or tip stands in `positions`."""
        return self.motion.skeleton.index(name)

    @cached_property
    def stands(self) -> dict[str, Flags]:
        """When each ankle and toe stands, shape (F,)."""
        points = foot_points(self.feet)
        found = find_contacts(
            self.motion, self.feet, points, up=self.up, speed=SPEED, height=HEIGHT
        )
        return {name: found.flags(name) for name in points}

    @cached_property
    def levels(self) -> dict[str, float]:
        """How high each ankle and toe is when its foot stands flat [model units].

        Ankles alike, and toes alike: the height at which they are most often while they are slow. That
        holds even if they are in the ground, or above it, for a part of the clip.
        """
        if self._levels is not None:
            return dict(self._levels)
        if self.before is not None:
            return self.before.levels
        found: dict[str, float] = {}
        for names in ([foot.ankle for foot in self.feet], [foot.toe for foot in self.feet]):
            known = [name for name in names if name is not None]
            if known:
                level = self._usual(known)
                found |= dict.fromkeys(known, level)
        return found

    def _usual(self, names: Sequence[str]) -> float:
        heights = []
        for name in names:
            at = self.positions[:, self.column(name)]
            slow = point_speeds(at, self.motion.times, self.fps) < SPEED * self.leg
            level = self.heights[:, self.column(name)]
            heights.append(level[slow] if slow.any() else level)
        rising = np.sort(np.concatenate(heights))
        counts = np.searchsorted(rising, rising + BAND * self.leg, side="right")
        counts -= np.arange(len(rising))
        # The lowest of those that are about as frequent: a raised leg may be still for long.
        first = int(np.flatnonzero(counts >= 0.9 * counts.max())[0])
        return float(np.median(rising[first : first + counts[first]]))

    @cached_property
    def ground(self) -> float:
        """The height of the ground: given, or the lowest level of the feet [model units]."""
        if self.given_ground is not None:
            return self.given_ground
        if self.levels:
            return min(self.levels.values())
        return float(np.percentile(self.heights.min(axis=1), 5))

    @cached_property
    def twins(self) -> list[tuple[str, str]]:
        """Pairs of joints on the left and on the right, each once."""
        names = self.motion.skeleton.joint_names
        found: dict[str, str] = {}
        for name in names:
            other = partner(name, names)
            if other not in (name, *found):
                found[name] = other
        return list(found.items())
