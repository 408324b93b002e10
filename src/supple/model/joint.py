"""The base of all joints, and the input checks that the kinds of `supple.joints` share.

A joint describes itself by data: its `scalars`, slides first and then angles, each with a label,
an axis and limits; then a quaternion, if it has one. Everything else in the package reads these,
never the name of a kind.
"""

import functools
import logging
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple

from supple.errors import SuppleError, as_float, brief, listed, one_of
from supple.kernels import layout
from supple.rotations import axis_vector

Pair = tuple[float, float]
Vector = tuple[float, float, float]
PairLike = Sequence[float | None] | None
_log = logging.getLogger("supple")
KINDS: dict[str, type["Joint"]] = {}
DIRECTIONS = ("axis", "normal", "up")  # fields that hold a unit vector


def number(what: str, value: Any, expected: str = "a finite number") -> float:
    """A finite float; -0.0 becomes 0.0, so that equal joints have equal bits."""
    try:
        result = as_float(value) + 0.0
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise SuppleError(f"{what}: expected {expected}, got {brief(value)}")
    return result


def pair(what: str, value: Any) -> Pair | None:
    """A (lo, hi) pair, in which None is an open side; None if both sides are open."""
    if value is None:
        return None
    expected = "a pair (lo, hi) in which None leaves a side open"
    try:
        lo, hi = value
        lo = -math.inf if lo is None else as_float(lo) + 0.0
        hi = math.inf if hi is None else as_float(hi) + 0.0
    except (TypeError, ValueError):
        raise SuppleError(f"{what}: expected {expected}, got {brief(value)}") from None
    if lo > hi:
        raise SuppleError(
            f"{what}: the wrong way round, got lower {lo:g} above upper {hi:g}; "
            f"expected (lo, hi), as in ({hi:g}, {lo:g})"
        )
    if math.isnan(lo) or math.isnan(hi) or lo == math.inf or hi == -math.inf:
        raise SuppleError(f"{what}: expected {expected}, got {brief(value)}")
    return None if (lo, hi) == (-math.inf, math.inf) else (lo, hi)


def pairs(what: str, labels: tuple[str, ...], value: Any) -> tuple[Pair | None, ...] | None:
    """A pair or None for each label, from a mapping by label or a sequence of the same length."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        for label in value:
            one_of(f"{what}: axis", label, labels)
        given = [value.get(label) for label in labels]
    else:
        given = listed(what, value, f"a (lo, hi) pair or None for each of {', '.join(labels)}")
        if len(given) != len(labels) or any(isinstance(v, (int, float, str)) for v in given):
            raise SuppleError(
                f"{what}: expected a (lo, hi) pair or None for each of {', '.join(labels)}, "
                f'or a mapping such as {{"{labels[0]}": (lo, hi)}}, got {brief(value)}'
            )
    found = tuple(pair(f"{what} of {x}", v) for x, v in zip(labels, given, strict=True))
    return None if all(one is None for one in found) else found


LARGEST_LIKELY_ANGLE = 4.0 * math.pi  # limits beyond two turns are most likely degrees [rad]


def in_degrees(limits: Pair | None) -> bool:
    """True if limits that should be radians look like degrees: a finite one is beyond two turns."""
    return limits is not None and any(LARGEST_LIKELY_ANGLE < abs(x) < math.inf for x in limits)


def angles(what: str, limits: Pair | None) -> Pair | None:
    """Limits of an angle, unchanged; the "supple" logger gets a warning if they look like degrees."""
    if limits is not None and in_degrees(limits):
        _doubt(what, *limits)
    return limits


@functools.lru_cache(maxsize=256)  # once, however many joints there are of the kind
def _doubt(what: str, low: float, high: float) -> None:
    shown = ", ".join("None" if math.isinf(x) else f"{x:g}" for x in (low, high))
    _log.warning(
        "%s: got (%s), which is beyond two turns and looks like degrees; expected radians, "
        "as from math.radians; None leaves a side open",
        what,
        shown,
    )


# Kernels square components and divide by the part across an axis: smaller ones would underflow.
SMALLEST_AXIS_COMPONENT = 1e-150


def unit_axis(what: str, value: Any) -> Vector:
    """A unit axis as three floats; a component whose square would underflow becomes 0."""
    vector = axis_vector(value, what=what)
    if vector.shape != (3,):
        raise SuppleError(f"{what}: expected a letter or three numbers, got shape {vector.shape}")
    x, y, z = (float(c) + 0.0 if abs(c) > SMALLEST_AXIS_COMPONENT else 0.0 for c in vector)
    return (x, y, z)


def rows(limits: Sequence[Any]) -> tuple[Pair, ...]:
    """Limits with the open ones infinite."""
    return tuple((-math.inf, math.inf) if one is None else one for one in limits)


class Scalar(NamedTuple):
    """A scalar coordinate of a joint: a length along an axis or an angle about it."""

    label: str  # "" if the joint has no other
    slides: bool  # a length in the model's unit; else an angle [rad]
    axis: Vector  # unit, in the joint's rest frame, rotated by the angles before it
    limits: Pair | None = None  # None: open on both sides
    frozen: bool = False  # solves never change it


def __getattr__(name: str) -> Any:
    """`Number`, the former name of `Scalar`, with a warning."""
    if name == "Number":
        warnings.warn("Number is now called Scalar", DeprecationWarning, stacklevel=2)
        return Scalar
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Mimic:
    """Follow another joint: value = multiplier * (value of `joint`) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str) or not self.joint.strip():
            raise SuppleError(f"mimic: expected the name of a joint, got {brief(self.joint)}")
        object.__setattr__(self, "multiplier", number("mimic multiplier", self.multiplier))
        object.__setattr__(self, "offset", number("mimic offset", self.offset))

    @classmethod
    def read(cls, what: str, value: Any) -> "Mimic":
        """A Mimic from itself, a name, (name, multiplier, offset) or a dictionary."""
        if isinstance(value, Mimic):
            return value
        try:
            if isinstance(value, Mapping):
                return cls(**value)
            return cls(value) if isinstance(value, str) else cls(*value)
        except TypeError:
            raise SuppleError(
                f"{what}: expected a joint's name, (name, multiplier, offset) or a Mimic, "
                f"got {brief(value)}"
            ) from None


@dataclass(frozen=True, kw_only=True, repr=False)
class Joint:
    """The base of all joints. Use one of the kinds of `supple.joints`, such as `Ball` or `Hinge`.

    Args:
        damping: Greatest change per iteration, in radians (slider: length); None for no cap.
        stiffness: In [0, 1); how reluctant the joint is to move compared with the others.
        stretch: (least, greatest) factor by which the offsets of its children and tips may scale.
        mimic: For a joint of one scalar (hinge, slider): the joint it copies, by name, or (name, multiplier, offset).
    """

    traits: ClassVar[int] = 0  # parts of its kind beside scalars: QUATERNION and others
    single: ClassVar[bool] = False  # it has one scalar and nothing else, and may copy another joint

    damping: float | None = None
    stiffness: float = 0.0
    stretch: PairLike = None
    mimic: Mimic | str | tuple[str, float, float] | None = None

    def __post_init__(self) -> None:
        who = type(self).__name__
        if type(self) is Joint:
            raise SuppleError(f"joint: expected one of {', '.join(KINDS)}, got a bare Joint")
        if self.damping is not None:
            damping = number(f"{who} damping", self.damping, "a number above 0, or None")
            if damping <= 0:
                raise SuppleError(
                    f"{who} damping: expected a number above 0, or None, got {damping:g}"
                )
            self._set("damping", damping)
        stiffness = number(f"{who} stiffness", self.stiffness, "a number in [0, 1)")
        if not 0 <= stiffness < 1:
            raise SuppleError(f"{who} stiffness: expected a number in [0, 1), got {stiffness:g}")
        self._set("stiffness", stiffness)
        if self.stretch is not None:
            stretch = pair(f"{who} stretch", self.stretch)
            if stretch is None or stretch[0] <= 0:
                raise SuppleError(
                    f"{who} stretch: expected (least, greatest) factors above 0, "
                    f"such as (0.5, 2.0), got {brief(self.stretch)}"
                )
            self._set("stretch", stretch)
        if self.mimic is not None:
            if not self.single:
                raise SuppleError(
                    f"{who} mimic: only a Hinge or a Slider can copy another, got {brief(self.mimic)}"
                )
            self._set("mimic", Mimic.read(f"{who} mimic", self.mimic))

    def __init_subclass__(cls) -> None:
        if "numbers" in vars(cls) and "scalars" not in vars(cls):
            warnings.warn(
                f"{cls.__name__}: numbers is now called scalars", DeprecationWarning, stacklevel=2
            )
            type.__setattr__(cls, "scalars", vars(cls)["numbers"])
        if not cls.__name__.startswith("_"):
            KINDS[cls.__name__] = cls

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Its scalar coordinates, at most three: slides first, then angles, applied one after the other."""
        return ()

    @property
    def numbers(self) -> tuple[Scalar, ...]:
        """The former name of `scalars`."""
        warnings.warn("Joint.numbers is now called scalars", DeprecationWarning, stacklevel=2)
        return self.scalars

    @property
    def has_quaternion(self) -> bool:
        """True if it rotates about any axis: a quaternion wxyz follows its scalars."""
        return self.traits & layout.QUATERNION != 0

    @property
    def has_swing_limits(self) -> bool:
        """True if its quaternion has limits of swing and twist, as a cone has."""
        return self.traits & layout.SWING_TWIST != 0

    @property
    def half_angles(self) -> tuple[float, float, float, float] | None:
        """Greatest tilt of its swing down, up, left and right [rad]; None if unlimited or round."""
        return None

    @property
    def slide_count(self) -> int:
        """The number of its slides."""
        return sum(one.slides for one in self.scalars)

    @property
    def kind(self) -> int:
        """Its kind as an integer for kernels: the sum of its parts (`kernels.layout`)."""
        steps = (layout.SLIDE if one.slides else layout.ANGLE for one in self.scalars)
        quadrants = 0 if self.half_angles is None else layout.QUADRANTS
        return self.traits + quadrants + sum(steps)

    @property
    def limit_rows(self) -> tuple[Pair, ...]:
        """Up to three (lo, hi) pairs, infinite where open; a cone has its swing and its twist."""
        return rows([one.limits for one in self.scalars])

    @property
    def coordinate_labels(self) -> tuple[str | None, ...]:
        """A label for each coordinate, "" for the only one, None for a component of a quaternion."""
        labels = (*(one.label for one in self.scalars), *(None,) * 4 * self.has_quaternion)
        return labels + (("stretch",) if self.stretch is not None else ())

    @property
    def coordinate_count(self) -> int:
        """The number of its coordinates in a pose, its stretch factor included."""
        return len(self.coordinate_labels)

    @property
    def rest_coordinates(self) -> tuple[float, ...]:
        """The coordinates at rest: zeros, an identity, and last a 1 for the stretch factor."""
        own = (0.0,) * len(self.scalars) + (1.0, 0.0, 0.0, 0.0) * self.has_quaternion
        return own + ((1.0,) if self.stretch is not None else ())

    @property
    def freedom_labels(self) -> tuple[str, ...]:
        """A label for each freedom, "" for the only one; a mimic joint has none but its stretch."""
        own = tuple(one.label for one in self.scalars if not one.frozen)
        own = () if self.mimic is not None else own + ("x", "y", "z") * self.has_quaternion
        return own + (("stretch",) if self.stretch is not None else ())

    @property
    def freedom_count(self) -> int:
        """The number of its freedoms, its stretch included."""
        return len(self.freedom_labels)

    def with_limits(self, limits: Sequence[PairLike]) -> "Joint":
        """The same joint with a (lo, hi) pair, or None, for each scalar; itself if its kind has no limits."""
        if "limits" not in self.__dataclass_fields__:
            return self
        given: Any = listed("limits", limits, "a (lo, hi) pair or None for each scalar")
        if self.single:
            given = given[0] if given else None
        return replace(self, **{"limits": given})

    @classmethod
    def _default(cls, name: str) -> Any:
        """The default of a field as it is stored."""
        default = cls.__dataclass_fields__[name].default
        return unit_axis(name, default) if name in DIRECTIONS and default else default

    def _changed(self) -> dict[str, Any]:
        """The fields that are not at their default."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: v for k, v in values.items() if v != type(self)._default(k)}

    def __repr__(self) -> str:
        shown = {k: _letter(v) if k in DIRECTIONS else v for k, v in self._changed().items()}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary without the defaults; an open side of a limit is None."""
        return {"kind": type(self).__name__, **{k: _plain(v) for k, v in self._changed().items()}}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Joint":
        """The joint that `to_json` described."""
        if not isinstance(data, Mapping) or "kind" not in data:
            raise SuppleError(f'joint: expected a dictionary with "kind", got {brief(data)}')
        cls = KINDS[one_of("joint kind", data["kind"], KINDS)]
        given = {key: value for key, value in data.items() if key != "kind"}
        for key in given:
            one_of(f"{cls.__name__} field", key, [field.name for field in fields(cls)])
        for field in fields(cls):
            if field.default is MISSING and field.name not in given:
                raise SuppleError(f"{cls.__name__}: expected a value for {field.name}, got none")
        return cls(**given)


def _plain(value: Any) -> Any:
    """A field as plain data for JSON."""
    if isinstance(value, Mimic):
        return {"joint": value.joint, "multiplier": value.multiplier, "offset": value.offset}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _letter(vector: Vector | None) -> Any:
    """An axis as a letter, if it is a coordinate axis."""
    letters = {tuple(s * (i == k) for i in range(3)): n for s, n, k in _SIGNED_LETTERS}
    return letters.get(vector, vector) if vector is not None else None


_SIGNED_LETTERS = [(s, p + c, k) for s, p in ((1.0, ""), (-1.0, "-")) for k, c in enumerate("xyz")]
