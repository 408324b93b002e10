"""A motion with the quantities that several checks need: feet, ground, leg length, contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Note
from supple.apps.character.motion import Motion
from supple.apps.motion.contacts import find_contacts, foot_points, point_speeds
from supple.apps.motion.feet import Foot, find_feet, up_vector
from supple.apps.motion.ground import Ground, GroundLike
from supple.apps.motion.planting import PLANTING
from supple.apps.motion.retargeting.t_pose import leading_frames
from supple.errors import SuppleError
from supple.model.capsules import Capsule
from supple.model.mirror import partner

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEVEL_BAND = 0.02  # heights of a standing point that count as the same [leg lengths]; not tuned
FREQUENT_SHARE = 0.9  # a height this near to the most frequent one is as frequent; not tuned
GROUND_PERCENTILE = 5  # of the lowest heights: the ground of a body without feet; not tuned
GRAVITY_IN_LEGS = 11.5  # [leg lengths/s^2], for a leg of 0.85 m
TOO_FEW_FRAMES = 4  # a clip with no more does not show what is usual in it; not tuned
MERGE_TIME = 0.1  # faults with shorter gaps between them are one [s]; not tuned


class Clip:
    """A motion, and quantities that are computed once.

    Args:
        motion: The motion.
        up: The axis that points up, such as "y".
        ground: The ground, as `plant_feet` takes it; None for level ground where the feet stand.
        capsules: The capsules of the bones for collisions, by joint; None for those of the skeleton.
        loop: Whether it is a loop.
        before: The same clip before it was changed: these feet should stand where its feet stand.
        levels: The heights of ankles and toes in contact, if they are known.
        notes: Notes of the file's reader.
    """

    def __init__(
        self,
        motion: Motion,
        *,
        up: str,
        ground: GroundLike | None,
        capsules: Mapping[str, Sequence[Capsule]] | None,
        loop: bool,
        before: Clip | None = None,
        levels: Mapping[str, float] | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        self.motion = motion
        self.up = up_vector(up)
        self._up = up
        self.given_ground = ground
        self.capsules = capsules
        self.loop = loop
        self.before = before
        self._levels = levels
        self.notes = tuple(notes)

    @cached_property
    def leads_with_t_pose(self) -> bool:
        """True if the first frame is a T-pose before the motion, as in clips of CMU."""
        return leading_frames(self.motion, self._up) > 0

    @cached_property
    def moving(self) -> Clip:
        """The clip without a T-pose before it."""
        if not self.leads_with_t_pose:
            return self
        before = None if self.before is None else self.before.moving
        return Clip(self.motion[1:], up=self._up, ground=self.given_ground, capsules=self.capsules,
                    loop=self.loop, before=before, levels=self._levels)  # fmt: skip

    @cached_property
    def positions(self) -> Floats:
        """World positions of joints and tips, shape (F, N + T, 3)."""
        return self.motion.poses.positions

    @cached_property
    def terrain(self) -> Ground | None:
        """The ground that was given, if any."""
        if self.given_ground is None:
            return None
        return Ground(self.given_ground, self.up, self.leg)

    @cached_property
    def heights(self) -> Floats:
        """Heights of joints and tips along up, above the ground if that is given, shape (F, N + T)."""
        along = self.positions @ self.up
        return along if self.terrain is None else along - self.terrain.heights(self.positions)

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The feet; empty if none are found."""
        try:
            return find_feet(self.motion.skeleton, poses=self.motion.poses, up=self.up)
        except SuppleError:
            return ()

    @cached_property
    def leg(self) -> float:
        """The length of a leg; without legs, half the greatest extent at rest [model units]."""
        if self.feet:
            return float(np.mean([foot.length for foot in self.feet]))
        return 0.5 * float(np.ptp(self.motion.skeleton.rest.positions, axis=0).max()) or 1.0

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.motion.fps

    def frames(self, seconds: float, least: int = 1) -> int:
        """The number of frames in some seconds, at least `least`."""
        return max(least, round(seconds * self.fps))

    def column(self, name: str) -> int:
        """The index of a joint or tip in `positions`."""
        return self.motion.skeleton.index(name)

    @cached_property
    def stands(self) -> dict[str, Flags]:
        """When each ankle and toe is in contact, shape (F,)."""
        points = foot_points(self.feet)
        found = find_contacts(
            self.motion, self.feet, points, up=self.up, speed=PLANTING.speed, height=PLANTING.height,
            ground=self.terrain,
        )  # fmt: skip
        return {name: found.flags(name) for name in points}

    @cached_property
    def levels(self) -> dict[str, float]:
        """The height of each ankle and toe when its foot stands flat [model units].

        One height for all ankles, and one for all toes: their most frequent height while slow. It is right even if
        they are in the ground, or above it, for a part of the clip.
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
            slow = point_speeds(at, self.motion.times, self.fps) < PLANTING.speed * self.leg
            level = self.heights[:, self.column(name)]
            heights.append(level[slow] if slow.any() else level)
        rising = np.sort(np.concatenate(heights))
        counts = np.searchsorted(rising, rising + LEVEL_BAND * self.leg, side="right")
        counts -= np.arange(len(rising))
        # The lowest of the heights that are about as frequent: a raised leg may be still for long.
        first = int(np.flatnonzero(counts >= FREQUENT_SHARE * counts.max())[0])
        return float(np.median(rising[first : first + counts[first]]))

    @cached_property
    def ground(self) -> float:
        """The value of `heights` at the ground: 0 if the ground is given, else the lowest level of the feet."""
        if self.terrain is not None:
            return 0.0
        if self.levels:
            return min(self.levels.values())
        return float(np.percentile(self.heights.min(axis=1), GROUND_PERCENTILE))

    @cached_property
    def twins(self) -> list[tuple[str, str]]:
        """Pairs of a left and a right joint, each once."""
        names = self.motion.skeleton.joint_names
        found: dict[str, str] = {}
        for name in names:
            other = partner(name, names)
            if other not in (name, *found):
                found[name] = other
        return list(found.items())
