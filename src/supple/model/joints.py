"""Joints: how a part of a skeleton may move against its parent, and how far.

A joint is a small frozen description. It turns its part by q after the rest rotation, so its axes
and limits live in the joint's rest frame. Angles are in radians, slides and shifts in the model's
unit. Limits of angles beyond two turns (4 pi) look like degrees: they are taken as they are, with a
warning through the "supple" logger. Every joint takes, by keyword:

- `damping`: the greatest change per iteration, in radians (slider: length); None for no cap.
- `stiffness`: in [0, 1); how reluctant the joint is to move compared with the others.
- `stretch`: (least, greatest) factor by which the offsets of its children and tips may scale.
- `mimic`: hinges and sliders only; the joint copies another: `multiplier * source + offset`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from supple.errors import SuppleError, one_of
from supple.kernels import layout
from supple.model.joint import (
    Joint,
    Mimic,
    Pair,
    PairLike,
    Vector,
    angles,
    number,
    pair,
    pairs,
    rows,
    unit_axis,
)
from supple.rotations import euler_order

__all__ = [
    "Axes",
    "Ball",
    "Cone",
    "Fixed",
    "Free",
    "Hinge",
    "Joint",
    "Mimic",
    "Planar",
    "Slider",
]

_QUATERNION = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class Fixed(Joint):
    """Does not move."""

    kind: ClassVar[int] = layout.FIXED


class _Quaternion(Joint):
    """A joint whose coordinates are a quaternion and whose freedoms a rotation vector."""

    def _coordinates(self) -> tuple[str | None, ...]:
        return (None, None, None, None)

    def _rest(self) -> tuple[float, ...]:
        return _QUATERNION

    def _freedoms(self) -> tuple[str, ...]:
        return ("x", "y", "z")


@dataclass(frozen=True, repr=False)
class Ball(_Quaternion):
    """Turns every way, without limits. Coordinates: a quaternion wxyz."""

    kind: ClassVar[int] = layout.BALL


@dataclass(frozen=True, repr=False)
class Hinge(Joint):
    """Turns about one axis. Coordinate: the angle, which may pass pi and counts whole turns.

    Args:
        axis: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: (lo, hi) in radians, None for an open side; they may lie beyond pi.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    kind: ClassVar[int] = layout.HINGE

    axis: Vector | str = "z"
    limits: PairLike = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        who = type(self).__name__
        self._set("axis", unit_axis(f"{who} axis", self.axis))
        self._set("limits", angles(f"{who} limits", pair(f"{who} limits", self.limits)))

    def _coordinates(self) -> tuple[str | None, ...]:
        return ("",)

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """One (lo, hi) pair."""
        return rows([self.limits])


@dataclass(frozen=True, repr=False)
class Slider(Joint):
    """Slides along one axis. Coordinate: the length, in the model's unit.

    Args:
        axis: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: (lo, hi) lengths, None for an open side.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    kind: ClassVar[int] = layout.SLIDER

    axis: Vector | str = "x"
    limits: PairLike = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        self._set("axis", unit_axis("Slider axis", self.axis))
        self._set("limits", pair("Slider limits", self.limits))

    def _coordinates(self) -> tuple[str | None, ...]:
        return ("",)

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """One (lo, hi) pair."""
        return rows([self.limits])


@dataclass(frozen=True, repr=False)
class Axes(Joint):
    """Turns about its own axes one after the other: order "xyz" is X(a0) Y(a1) Z(a2).

    Coordinates: an angle for each letter, frozen ones included. A letter that comes twice is called
    "z2" the second time.

    Args:
        order: One to three letters, no two neighbours alike.
        limits: A (lo, hi) pair in radians or None for each letter, or a mapping by letter.
        frozen: Letters that do not move: "yz" or ("y", "z"). They keep the value that the pose has,
            and their limits are not applied.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    kind: ClassVar[int] = layout.AXES

    order: str = "xyz"
    limits: Mapping[str, PairLike] | Sequence[PairLike] | None = None
    frozen: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        euler_order(self.order, what="Axes order")
        self._set("order", self.order.lower())
        limits = pairs("Axes limits", self.axis_labels, self.limits)
        for label, one in zip(self.axis_labels, limits or (), strict=False):
            angles(f"Axes limits of {label}", one)
        self._set("limits", limits)
        given = self.frozen
        labels = re.findall("[xyz]2?|.", given.lower()) if isinstance(given, str) else list(given)
        for label in labels:
            one_of("Axes frozen axis", label, self.axis_labels)
        self._set("frozen", tuple(label for label in self.axis_labels if label in labels))

    @property
    def axis_labels(self) -> tuple[str, ...]:
        """A label for each letter of the order: the letter, with a 2 where it comes again."""
        return tuple(c + "2" * (c in self.order[:k]) for k, c in enumerate(self.order))

    def _coordinates(self) -> tuple[str | None, ...]:
        return self.axis_labels

    def _freedoms(self) -> tuple[str, ...]:
        return tuple(label for label in self.axis_labels if label not in self.frozen)

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """A (lo, hi) pair for each letter."""
        return rows(list(self.limits) if self.limits else [None] * len(self.order))

    @classmethod
    def from_bone(cls, dof: Sequence[float], rotations: str = "xyz", **common: Any) -> "Axes":
        """The bone of Park 2004: six numbers and the axes about which it may rotate.

        Args:
            dof: min x, max x, min y, max y, min z, max z, in radians.
            rotations: Letters of the axes that may rotate, "" for none; the others are frozen.
            common: The keywords that every joint takes.
        """
        numbers = list(dof)
        if len(numbers) != 6:
            raise SuppleError(
                "bone: expected six numbers (min x, max x, min y, max y, min z, max z), "
                f"got {len(numbers)}"
            )
        letters = [one_of("bone rotation", letter, "xyz") for letter in rotations.lower()]
        frozen = [letter for letter in "xyz" if letter not in letters]
        return cls("xyz", list(zip(numbers[0::2], numbers[1::2], strict=True)), frozen, **common)


@dataclass(frozen=True, repr=False)
class Cone(_Quaternion):
    """Turns like a ball, but its axis stays in a cone and it twists about the axis within limits.

    q = swing * twist: first a twist about the axis, then a swing that tilts the axis.

    Args:
        swing: Greatest tilt of the axis away from rest, in [0, pi].
        twist: (lo, hi) in radians, or one number for as far to both sides; a twist is the same
            after a whole turn, so (3, 4) allows -3.
            Pointing straight back, a twist cannot be told: with a limited twist the swing stops
            0.002 rad short of pi.
        axis: In the joint's rest frame; None for the direction of its only child or tip.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    kind: ClassVar[int] = layout.CONE

    swing: float
    twist: PairLike | float = (-math.pi, math.pi)
    axis: Vector | str | None = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        swing = number("Cone swing", self.swing, "an angle in [0, pi]")
        if not 0 <= swing <= math.pi:
            hint = f"; {swing:g} degrees are {math.radians(swing):.4g}" if 6 < swing <= 180 else ""
            raise SuppleError(f"Cone swing: expected an angle in [0, pi], got {swing:g}{hint}")
        self._set("swing", swing)
        twist = self.twist
        if isinstance(twist, (int, float)):
            twist = (-twist, twist)
        twist = angles("Cone twist", pair("Cone twist", twist))
        if twist is None or twist[1] - twist[0] >= 2 * math.pi:
            twist = (-math.pi, math.pi)
        self._set("twist", twist)
        if self.axis is not None:
            self._set("axis", unit_axis("Cone axis", self.axis))

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """The swing as (0, swing), then the twist."""
        limited = self.twist != (-math.pi, math.pi)
        greatest = min(self.swing, math.pi - 0.002) if limited else self.swing
        return ((0.0, greatest), *rows([self.twist]))


@dataclass(frozen=True, repr=False)
class Free(Joint):
    """Moves and turns every way. Coordinates: x, y, z, then a quaternion wxyz."""

    kind: ClassVar[int] = layout.FREE

    def _coordinates(self) -> tuple[str | None, ...]:
        return ("tx", "ty", "tz", None, None, None, None)

    def _rest(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, *_QUATERNION)

    def _freedoms(self) -> tuple[str, ...]:
        return ("tx", "ty", "tz", "x", "y", "z")


@dataclass(frozen=True, repr=False)
class Planar(Joint):
    """Slides in a plane and turns about its normal. Coordinates: u, v, angle.

    For a normal along "z", u is +x and v is +y; cyclically for the others. v = normal x u always.

    Args:
        normal: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: A (lo, hi) pair or None for each of u, v, angle, or a mapping by these names.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    kind: ClassVar[int] = layout.PLANAR

    normal: Vector | str = "z"
    limits: Mapping[str, PairLike] | Sequence[PairLike] | None = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        self._set("normal", unit_axis("Planar normal", self.normal))
        limits = pairs("Planar limits", ("u", "v", "angle"), self.limits)
        angles("Planar limits of angle", limits[2] if limits else None)
        self._set("limits", limits)

    def _coordinates(self) -> tuple[str | None, ...]:
        return ("u", "v", "angle")

    @property
    def u_axis(self) -> Vector:
        """The direction of u: square to the normal, near the axis after the normal's largest."""
        n = [float(c) for c in self.normal]
        k = (max(range(3), key=lambda i: abs(n[i])) + 1) % 3
        return unit_axis("Planar u", [float(i == k) - n[k] * n[i] for i in range(3)])

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """The pairs of u, v and angle."""
        return rows(list(self.limits) if self.limits else [None] * 3)
