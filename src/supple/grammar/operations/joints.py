"""The operations that make a figure of shapes: joint, SetJointLimits, fix and IK.

They only write down what is wanted; when everything is derived, `skeletons` builds the skeleton and
`posing` solves the wishes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError, one_of
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.expressions import Compiled
from supple.grammar.evaluate.shape import NONE, Shape
from supple.grammar.evaluate.values import length, number, point, text, written
from supple.grammar.geometry.frames import (
    Rotation,
    Vector,
    placed,
    times,
)
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

FREEDOMS = ("rotation", "position", "size")
FAR_CORNER = (1.0, 1.0, 1.0)
AXES = ("x", "y", "z", "-x", "-y", "-z")
STRETCH = (0.1, 10.0)  # if size is free and nothing else is said
NOT_AT_ALL = (1.0, 1.0)

Pair = tuple[float | None, float | None]


@dataclass(slots=True)
class JointRecord:
    """A joint as the rules ask for it; angles in radians.

    Attributes:
        name: Its own name in the skeleton.
        base: What the rules call it: several may have one name.
        parent: The joint above, an index; -1 for none.
        p, R: Where it stands and how its axes are turned, in world, before any IK.
        kind: "ball", "axes", "cone" or "hinge".
        limits: For axes {"x": (lo, hi)}, for a cone {"swing": .., "twist": ..}, for a hinge
            {"limits": ..}.
        axis: Of a hinge or a cone.
        damping, stiffness: As of every joint.
        fixed: Whether no IK may move it.
        freedoms: Which of rotation, position and size IK may change.
        stretch: The least and the greatest factor of its size, if size is free.
        slide: How far it may move along each axis; None for any distance.
        said: Where the rules say it: (path, place).
    """

    name: str
    base: str
    parent: int
    p: Vector
    R: Rotation
    said: tuple[str, s.At]
    kind: str = "ball"
    limits: dict[str, Any] = field(default_factory=dict)
    axis: Any = None
    order: str = "xyz"
    damping: float | None = None
    stiffness: float = 0.0
    fixed: bool = False
    freedoms: frozenset[str] = frozenset({"rotation"})
    stretch: tuple[float, float] = STRETCH
    slide: float | None = None


# Checks -------------------------------------------------------------------------------------------


def _pair(value: Any) -> tuple[float, float]:
    """[lo, hi], or one number for as much to both sides, in degrees; as radians."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise SuppleError(f"expected [least, greatest] in degrees, got {written(value)}")
        low, high = (number(one) for one in value)
    else:
        high = abs(number(value))
        low = -high
    if not low <= high:
        raise SuppleError(f"expected [least, greatest], got {low:g} above {high:g}")
    return math.radians(low), math.radians(high)


def _angle(value: Any) -> float:
    found = number(value)
    if not 0.0 <= found <= 180.0:
        raise SuppleError(f"expected degrees from 0 to 180, got {found:g}")
    return math.radians(found)


def positive(value: Any) -> float:
    """A value as a number above 0."""
    found = length(value)
    if found <= 0.0:
        raise SuppleError(f"expected a number above 0, got {found:g}")
    return found


def _freedoms(value: Any) -> frozenset[str]:
    words = value if isinstance(value, tuple) else text(value).replace(",", " ").split()
    return frozenset(one_of("freedom", word, FREEDOMS) for word in words)


def _stretch(value: Any) -> tuple[float, float]:
    if isinstance(value, tuple) and len(value) == 2:
        low, high = (positive(one) for one in value)
    elif isinstance(value, tuple):
        raise SuppleError(f"expected a factor or [least, greatest], got {written(value)}")
    else:
        factor = positive(value)
        low, high = min(1.0, factor), max(1.0, factor)
    if low > high:
        raise SuppleError(f"expected [least, greatest], got {low:g} above {high:g}")
    return low, high


def _stiffness(value: Any) -> float:
    found = number(value)
    if not 0.0 <= found < 1.0:
        raise SuppleError(f"expected a number from 0 up to, but not including, 1, got {found:g}")
    return found


def _direction(value: Any) -> Any:
    found = point(value)
    if found == (0.0, 0.0, 0.0):
        raise SuppleError("expected an axis, got [0, 0, 0]")
    return found


# Joints -------------------------------------------------------------------------------------------

MOVING = {"freedoms": _freedoms, "stretch": _stretch, "slide": positive}


@operation("joint")
def joint(op: s.Operation, env: Environment) -> Act:
    """What comes from the shape turns about a point of its scope.

    joint("elbow", 0.5, 0, 0.5)
    """
    given = Arguments(op, env, named=list(MOVING))
    given.count(1, 4)
    name = given.text(0)
    where = given.lengths(1)
    options = {key: given.option(key, check) for key, check in MOVING.items()}

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        base = name(shape, args).strip()
        if not base:
            raise env.problem(op.at, "joint: expected a name, got none")
        if len(run.joints) >= run.limits.joints:
            raise env.problem(op.at, f"joint: there are more than {run.limits.joints:,} joints")
        x, y, z = where(shape, args) or (0.0, 0.0, 0.0)
        pivot = placed(shape.p, shape.R, times((x, y, z), shape.s))
        record = JointRecord(base, base, shape.joint, pivot, shape.R, (env.module.path, op.at))
        free(record, {k: v(shape, args) for k, v in options.items() if v is not None})
        shape.joint = len(run.joints)
        run.joints.append(record)

    return act


def free(record: JointRecord, options: dict[str, Any]) -> None:
    """Have IK change of a joint what `freedoms`, `stretch` and `slide` say."""
    if "freedoms" in options:
        record.freedoms = options["freedoms"]
    if options.get("stretch", NOT_AT_ALL) != NOT_AT_ALL:
        record.stretch = options["stretch"]
        record.freedoms |= {"size"}
    if "slide" in options:
        record.slide = options["slide"]
        record.freedoms |= {"position"}


def current(run: Derivation, shape: Shape, op: s.Operation, env: Environment) -> JointRecord:
    """The joint that the current shape hangs on."""
    if shape.joint == NONE:
        raise env.problem(op.at, f'{op.name}: there is no joint here; say joint("name", x, y, z)')
    return run.joints[shape.joint]


LIMITS = (
    "x", "y", "z", "order", "hinge", "limits", "cone", "twist", "axis", "damping", "stiffness",
)  # fmt: skip


@operation("SetJointLimits", "setJointLimits")
def set_joint_limits(op: s.Operation, env: Environment) -> Act:
    """Say how far a joint turns: (x = [-30, 45], z = 0), (hinge = x, limits = 90), (cone = 60).

    Degrees, about the axes of the scope in which the joint was set. Six numbers are the least and
    the greatest angle about x, y and z.
    """
    given = Arguments(op, env, named=LIMITS)
    six = given.lengths() if given.count(0, 6) else None
    axes = {k: given.option(k, _pair) for k in "xyz" if k in given.named}
    order = given.named_word("order", ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")) or "xyz"
    hinge = _axis(given, "hinge")
    axis = _axis(given, "axis")
    pairs = {k: given.option(k, _pair) for k in ("limits", "twist") if k in given.named}
    cone = given.option("cone", _angle)
    other = {
        "damping": given.option("damping", _angle),
        "stiffness": given.option("stiffness", _stiffness),
    }
    forms = [bool(six or axes), hinge is not None, cone is not None]
    if sum(forms) > 1 or (not any(forms) and not any(other.values())):
        raise env.problem(
            op.at, "SetJointLimits: expected angles about x, y, z, or a hinge, or a cone"
        )
    for name, needs in (("limits", hinge), ("twist", cone), ("axis", cone)):
        if name in given.named and needs is None:
            said = "hinge" if name == "limits" else "cone"
            raise env.problem(op.at, f"SetJointLimits: {name} goes with {said} = ...")

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        record = current(run, shape, op, env)
        found = {k: v(shape, args) for k, v in {**axes, **pairs}.items() if v is not None}
        if six:
            numbers = six(shape, args)
            check = guarded(env, op.at, _pair)
            found.update({k: check(tuple(numbers[2 * n : 2 * n + 2])) for n, k in enumerate("xyz")})
        if six or axes:
            record.kind, record.limits, record.order = "axes", found, order
        elif hinge is not None:
            record.kind, record.limits, record.axis = "hinge", found, hinge(shape, args)
        elif cone is not None:
            record.kind, record.limits = "cone", {"swing": cone(shape, args), **found}
            record.axis = (0.0, 1.0, 0.0) if axis is None else axis(shape, args)
        for key, value in other.items():
            if value is not None:
                setattr(
                    record,
                    key,
                    value(shape, args) or None if key == "damping" else value(shape, args),
                )

    return act


def _axis(given: Arguments, name: str) -> Compiled | None:
    """An axis: x, -y, ... or three numbers."""
    if name not in given.named:
        return None
    node = given.named[name].value
    sign = 1.0
    if isinstance(node, s.Unary) and node.sign == "-":
        node, sign = node.value, -1.0
    if isinstance(node, s.Name) and node.name in ("x", "y", "z"):
        k = "xyz".index(node.name)
        vector = tuple(sign * (i == k) for i in range(3))
        return lambda shape, args: vector
    if isinstance(node, s.Constant) and node.value in AXES:
        k = "xyz".index(str(node.value)[-1])
        vector = tuple((-1.0 if str(node.value)[0] == "-" else 1.0) * (i == k) for i in range(3))
        return lambda shape, args: vector
    return given.option(name, _direction)


@operation("fix")
def fix(op: s.Operation, env: Environment) -> Act:
    """No IK moves this shape's joint, or joints above it.

    fix(), fix("hip", "knee")
    """
    given = Arguments(op, env)
    names = given.each(text)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        record = current(run, shape, op, env)
        if not given.positional:
            record.fixed = True
        for wanted in names(shape, args):
            found = next(
                (k for k in way_up(run.joints, shape.joint) if run.joints[k].base == wanted), NONE
            )
            if found == NONE:
                raise env.problem(op.at, f"fix: no joint {wanted!r} lies above this shape")
            run.joints[found].fixed = True

    return act


def way_up(joints: list[JointRecord], joint: int) -> list[int]:
    """A joint and those above it, upwards."""
    way = []
    while joint != NONE:
        way.append(joint)
        joint = joints[joint].parent
    return way
