"""Targets given in a plan or on a command line: points, joints, files of points, and joints of other files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.clips import models, values
from supple.apps.clips.journal import content_hash
from supple.apps.formats.registry import readable_extensions
from supple.errors import SuppleError, nearest, one_of
from supple.texts import vector

Floats = NDArray[np.float64]

EXPECTED = "a point [x, y, z], a joint, a file of points, or FILE:JOINT"


@dataclass(frozen=True)
class Target:
    """A target as text: a joint of the clip; a file of points; FILE:JOINT, a joint of another file; or X,Y,Z.

    Attributes:
        text: As given. A joint of this name takes precedence over a file.
        path: The file that it names, if it exists.
        joint: The joint of that file; None if the file holds points.
    """

    text: str
    path: str | None = field(default=None, repr=False)
    joint: str | None = None

    def found(self, folder: Path) -> Target:
        """The same with its file found in a folder."""
        # Names of joints and folders may contain colons.
        ends = [len(self.text), *(k for k, letter in enumerate(self.text) if letter == ":")]
        for end in ends:
            path = folder / self.text[:end]
            if self.text[:end] and os.path.isfile(path):
                return replace(self, path=str(path), joint=self.text[end + 1 :] or None)
        return self

    @property
    def hash(self) -> str:
        """A hash of the file's content; "" if it names none."""
        return content_hash(Path(self.path)) or "" if self.path is not None else ""

    def check(self, names: tuple[str, ...], what: str) -> None:
        """Raise if it is not a target for a clip with joints and tips of these names.

        Args:
            names: Of the clip.
            what: The name of the option or key for messages.
        """
        if self.text in names or self.path is not None:
            return
        if "," in self.text:
            vector(what, self.text, "X,Y,Z")
            return
        raise SuppleError(
            f"{what}: expected X,Y,Z, a joint, a file of points or FILE:JOINT, got {self.text!r}"
            f"{nearest(self.text, names)}"
        )

    def position(self, motion: Motion, what: str) -> Floats:
        """Its position in world: a point (3,), or a point for each frame of a clip (F, 3).

        Args:
            motion: The clip.
            what: The name of the option or key for messages.
        """
        if self.text in motion.skeleton:
            return motion.poses.position(self.text)
        if self.path is None:
            self.check(motion.skeleton.names, what)
            return np.array(vector(what, self.text, "X,Y,Z"))
        if self.joint is not None:
            return _followed(self.path, self.joint, motion)
        if Path(self.path).suffix.lower() in readable_extensions():
            raise SuppleError(
                f"{what} {self.text}: expected the name of a joint in it: {self.text}:NAME"
            )
        points = models.points(self.path)
        if len(points) != len(motion):
            raise SuppleError(
                f"{self.path}: expected a point for each of {len(motion)} frames, got {len(points)}"
            )
        return points


TargetLike = values.Point | Target


def read_target(value: Any) -> TargetLike:
    """Read three numbers, or a text."""
    return Target(values.text(value)) if isinstance(value, str) else values.point(value)


def read_targets(value: Any) -> tuple[TargetLike, ...]:
    """Read a target, or a list of them."""
    if isinstance(value, str) or (value and isinstance(value[0], (int, float))):
        return (read_target(value),)
    return tuple(map(read_target, value))


def read_displacements(value: Any) -> tuple[values.Point, ...]:
    """Read a displacement, three numbers, or a list of them."""
    if value and isinstance(value[0], (int, float)):
        return (values.point(value),)
    return tuple(map(values.point, value))


def _followed(path: str, name: str, motion: Motion) -> Floats:
    """The positions of a joint of another file at the times of a clip."""
    other = models.character(path)
    one_of(f"joint of {path}", name, other.skeleton.names)
    if not other.motions:
        return other.pose.position(name)
    moving = next(iter(other.motions.values()))
    return moving.at(motion.times - motion.times[0] + moving.times[0]).position(name)
