"""Joints: how a part of a skeleton may move against its parent, and how far.

A joint is a small frozen description. Its rotation q follows the rest rotation, so its axes and
limits are in the joint's rest frame. Angles are in radians, slides and shifts in the model's unit.
Limits of angles beyond two turns (4 pi) look like degrees: they are used unchanged, with a warning
through the "supple" logger. Every joint takes, by keyword:

- `damping`: the greatest change per iteration, in radians (slider: length); None for no cap.
- `stiffness`: in [0, 1); higher values make the joint move less than others.
- `stretch`: (least, greatest) factor by which the offsets of its children and tips may scale.
- `mimic`: hinges and sliders only; the joint copies another: `multiplier * source + offset`. Its limits narrow the
  range of the source; if they would leave none, they are not applied, with a warning through the "supple" logger.
"""

import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from supple.errors import SuppleError, brief, listed, one_of, text
from supple.kernels import layout
from supple.model.joint import (
    KINDS,
    Joint,
    Mimic,
    Pair,
    PairLike,
    Scalar,
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
    "KINDS",
    "Axes",
    "Ball",
    "Cone",
    "Fixed",
    "Free",
    "Hinge",
    "Joint",
    "Mimic",
    "Planar",
    "Scalar",
    "Slider",
]

# How far short of pi a swing stops where its direction or twist must be known: at pi neither is [rad].
SHORT_OF_PI = 0.002
SMALLEST_HALF_ANGLE = 1e-9  # of four that differ; smaller ones count as this [rad]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def __getattr__(name: str) -> Any:
    """`Number`, the former name of `Scalar`, with a warning."""
    if name == "Number":
        warnings.warn("Number is now called Scalar", DeprecationWarning, stacklevel=2)
        return Scalar
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True, repr=False)
class Fixed(Joint):
    """Does not move."""


@dataclass(frozen=True, repr=False)
class Ball(Joint):
    """Rotates about any axis, without limits. Coordinates: a quaternion wxyz."""

    traits: ClassVar[int] = layout.QUATERNION


@dataclass(frozen=True, repr=False)
class Hinge(Joint):
    """Turns about one axis. Coordinate: the angle, which may pass pi and counts whole turns.

    Args:
        axis: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: (lo, hi) in radians, None for an open side; they may lie beyond pi.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    single: ClassVar[bool] = True

    axis: Vector | str = "z"
    limits: PairLike = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        who = type(self).__name__
        self._set("axis", unit_axis(f"{who} axis", self.axis))
        self._set("limits", angles(f"{who} limits", pair(f"{who} limits", self.limits)))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The angle."""
        return (Scalar("", False, self.axis, self.limits),)  # type: ignore[arg-type]


@dataclass(frozen=True, repr=False)
class Slider(Joint):
    """Slides along one axis. Coordinate: the length, in the model's unit.

    Args:
        axis: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: (lo, hi) lengths, None for an open side.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    single: ClassVar[bool] = True

    axis: Vector | str = "x"
    limits: PairLike = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        self._set("axis", unit_axis("Slider axis", self.axis))
        self._set("limits", pair("Slider limits", self.limits))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The length."""
        return (Scalar("", True, self.axis, self.limits),)  # type: ignore[arg-type]


@dataclass(frozen=True, repr=False)
class Axes(Joint):
    """Turns about its own axes one after the other: order "xyz" is X(a0) Y(a1) Z(a2).

    Coordinates: an angle for each letter, frozen ones included. A letter that occurs twice is labelled
    "z2" the second time.

    Args:
        order: One to three letters, no two neighbours alike.
        limits: A (lo, hi) pair in radians or None for each letter, or a mapping by letter.
        frozen: Letters that solves never change: "yz" or ("y", "z"). Their limits are not applied.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    traits: ClassVar[int] = layout.LETTERS

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
        labels = (
            re.findall("[xyz]2?|.", given.lower())
            if isinstance(given, str)
            else listed("Axes frozen", given, 'letters such as "yz" or ("y", "z")')
        )
        for label in labels:
            one_of("Axes frozen axis", label, self.axis_labels)
        self._set("frozen", tuple(label for label in self.axis_labels if label in labels))

    @property
    def axis_labels(self) -> tuple[str, ...]:
        """A label for each letter of the order: the letter, followed by 2 at its second occurrence."""
        return tuple(c + "2" * (c in self.order[:k]) for k, c in enumerate(self.order))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """An angle for each letter."""
        limits = self.limits or (None,) * len(self.order)
        axes = dict(zip("xyz", (_X, _Y, _Z), strict=True))
        return tuple(
            Scalar(label, False, axes[letter], pair, label in self.frozen)  # type: ignore[arg-type]
            for letter, label, pair in zip(self.order, self.axis_labels, limits, strict=True)
        )

    @classmethod
    def from_bone(cls, dof: Sequence[float], rotations: str = "xyz", **common: Any) -> "Axes":
        """The bone of Park 2004: six numbers and the axes about which it may rotate.

        Args:
            dof: min x, max x, min y, max y, min z, max z, in radians.
            rotations: Letters of the axes that may rotate, "" for none; the others are frozen.
            common: The keywords that every joint takes.
        """
        numbers = listed("bone", dof, "six numbers")
        if len(numbers) != 6:
            raise SuppleError(
                "bone: expected six numbers (min x, max x, min y, max y, min z, max z), "
                f"got {len(numbers)}"
            )
        letters = [
            one_of("bone rotation", letter, "xyz")
            for letter in text("bone rotations", rotations).lower()
        ]
        frozen = [letter for letter in "xyz" if letter not in letters]
        return cls("xyz", list(zip(numbers[0::2], numbers[1::2], strict=True)), frozen, **common)


@dataclass(frozen=True, repr=False)
class Cone(Joint):
    """Turns like a ball, but its axis stays in a cone and it twists about the axis within limits.

    q = swing * twist: first a twist about the axis, then a swing that tilts the axis.

    The cone is round, or has four half-angles: the greatest tilts of the axis down, up, left and right, seen from
    the joint along the axis at rest, with `up` upwards. A tilt by 0.3 towards up is the swing with the rotation
    vector 0.3 (axis x up); a tilt by 0.3 towards right = axis x up has the rotation vector -0.3 up. The rotation
    vector of the swing is perpendicular to the axis. In each quadrant its two components are bounded by the ellipse
    with the two half-angles; vectors outside are projected to the nearest one inside.

    Args:
        swing: Greatest tilt of the axis from rest, in [0, pi]; or four of them, (down, up, left, right).
            Four equal ones make a round cone.
        twist: (lo, hi) in radians, or one number for the range -number to number; twists that differ by
            a whole turn are the same, so (3, 4) allows -3.
            At a swing of pi, neither the twist nor the direction of the swing is defined: with a limited
            twist, or with half-angles that differ, the swing stops 0.002 rad short of pi.
        axis: In the joint's rest frame; None for the direction of its only child or tip.
        up: Upward direction for four half-angles: "y", ... or three numbers, in the joint's rest frame, not
            along the axis; its component perpendicular to the axis is used. None for the joint's y, or
            its z if the axis is less than 45 degrees from y or -y.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    traits: ClassVar[int] = layout.QUATERNION + layout.SWING_TWIST

    swing: float | Sequence[float]
    twist: PairLike | float = (-math.pi, math.pi)
    axis: Vector | str | None = None
    up: Vector | str | None = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        self._set("swing", _swing(self.swing))
        twist = self.twist
        if isinstance(twist, (int, float)):
            twist = (-twist, twist)
        twist = angles("Cone twist", pair("Cone twist", twist))
        if twist is None or twist[1] - twist[0] >= 2 * math.pi:
            twist = (-math.pi, math.pi)
        self._set("twist", twist)
        if self.axis is not None:
            self._set("axis", unit_axis("Cone axis", self.axis))
        if self.up is not None:
            self._set("up", unit_axis("Cone up", self.up))

    @property
    def half_angles(self) -> tuple[float, float, float, float] | None:
        """Greatest tilt down, up, left and right [rad]; None for a round cone."""
        if isinstance(self.swing, (int, float)):
            return None
        down, up, left, right = (
            min(max(x, SMALLEST_HALF_ANGLE), math.pi - SHORT_OF_PI) for x in self.swing
        )
        return (down, up, left, right)

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """The swing as (0, greatest swing), then the twist."""
        limited = self.twist != (-math.pi, math.pi)
        greatest = self.swing if isinstance(self.swing, (int, float)) else max(self.swing)
        if limited or self.half_angles is not None:
            greatest = min(greatest, math.pi - SHORT_OF_PI)
        return ((0.0, greatest), *rows([self.twist]))


def _swing(value: Any) -> float | tuple[float, ...]:
    """The greatest swing, or four of them, checked."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return _tilt("Cone swing", value)
    given = listed("Cone swing", value, "an angle, or four of them (down, up, left, right)")
    if len(given) != 4:
        raise SuppleError(
            "Cone swing: expected an angle, or four of them (down, up, left, right), "
            f"got {len(given)}: {brief(value)}"
        )
    names = ("down", "up", "left", "right")
    four = tuple(_tilt(f"Cone swing {name}", x) for name, x in zip(names, given, strict=True))
    return four if len(set(four)) > 1 else four[0]


def _tilt(what: str, value: Any) -> float:
    """An angle in [0, pi]."""
    swing = number(what, value, "an angle in [0, pi]")
    if not 0 <= swing <= math.pi:
        hint = f"; {swing:g} degrees are {math.radians(swing):.4g}" if 6 < swing <= 180 else ""
        raise SuppleError(f"{what}: expected an angle in [0, pi], got {swing:g}{hint}")
    return swing


@dataclass(frozen=True, repr=False)
class Free(Joint):
    """Moves in all directions and rotates about any axis. Coordinates: x, y, z, then a quaternion wxyz."""

    traits: ClassVar[int] = layout.QUATERNION

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The lengths along x, y and z."""
        return (Scalar("tx", True, _X), Scalar("ty", True, _Y), Scalar("tz", True, _Z))


@dataclass(frozen=True, repr=False)
class Planar(Joint):
    """Slides in a plane and turns about its normal. Coordinates: u, v, angle.

    For a normal along "z", u is +x and v is +y; cyclically for the others. v = normal x u always.

    Args:
        normal: "x", "-x", ... or three numbers, in the joint's rest frame.
        limits: A (lo, hi) pair or None for each of u, v, angle, or a mapping by these names.
        damping, stiffness, stretch, mimic: As every `Joint` has them.
    """

    normal: Vector | str = "z"
    limits: Mapping[str, PairLike] | Sequence[PairLike] | None = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        self._set("normal", unit_axis("Planar normal", self.normal))
        limits = pairs("Planar limits", ("u", "v", "angle"), self.limits)
        angles("Planar limits of angle", limits[2] if limits else None)
        self._set("limits", limits)

    @property
    def u_axis(self) -> Vector:
        """The direction of u: perpendicular to the normal, near the axis after that of its largest component."""
        n = [float(c) for c in self.normal]
        k = (max(range(3), key=lambda i: abs(n[i])) + 1) % 3
        return unit_axis("Planar u", [float(i == k) - n[k] * n[i] for i in range(3)])

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The lengths along u and v, then the angle about the normal."""
        n, u = tuple(float(c) for c in self.normal), self.u_axis
        v = (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])
        a, b, c = self.limits or (None,) * 3
        return (Scalar("u", True, u, a), Scalar("v", True, v, b), Scalar("angle", False, n, c))  # type: ignore[arg-type]
