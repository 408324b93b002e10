"""joint, SetJointLimits and fix: the joints of a figure; see `supple.apps.grammar.articulation`."""

from __future__ import annotations

import math
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.joints import JointRecord, path_to_root
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import NO_INDEX, Shape
from supple.apps.grammar.evaluate.values import length, number, point, text, written
from supple.apps.grammar.geometry.frames import placed, times
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError, one_of

FREEDOMS = ("rotation", "position", "size")
AXES = ("x", "y", "z", "-x", "-y", "-z")


# Checks -------------------------------------------------------------------------------------------


def _pair(value: Any) -> tuple[float, float]:
    """[lo, hi], or one number for a symmetric range, from degrees to radians."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise SuppleError(f"expected [min, max] in degrees, got {written(value)}")
        low, high = (number(one) for one in value)
    else:
        high = abs(number(value))
        low = -high
    if not low <= high:
        raise SuppleError(f"expected [min, max], got min {low:g} above max {high:g}")
    return math.radians(low), math.radians(high)


def _angle(value: Any) -> float:
    found = number(value)
    if not 0.0 <= found <= 180.0:
        raise SuppleError(f"expected degrees from 0 to 180, got {found:g}")
    return math.radians(found)


def _swing(value: Any) -> float | tuple[float, ...]:
    """One angle or [down, up, left, right], from degrees to radians."""
    if not isinstance(value, tuple):
        return _angle(value)
    if len(value) != 4:
        raise SuppleError(f"expected degrees, or [down, up, left, right], got {written(value)}")
    return tuple(_angle(one) for one in value)


def positive(value: Any) -> float:
    """Convert a value to a number above 0."""
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
        raise SuppleError(f"expected a factor or [min, max], got {written(value)}")
    else:
        factor = positive(value)
        low, high = min(1.0, factor), max(1.0, factor)
    if low > high:
        raise SuppleError(f"expected [min, max], got min {low:g} above max {high:g}")
    return low, high


def _stiffness(value: Any) -> float:
    found = number(value)
    if not 0.0 <= found < 1.0:
        raise SuppleError(f"expected a number in [0, 1), got {found:g}")
    return found


def _direction(value: Any) -> Any:
    found = point(value)
    if found == (0.0, 0.0, 0.0):
        raise SuppleError("expected an axis, got [0, 0, 0]")
    return found


# Joints -------------------------------------------------------------------------------------------

MOVING = {"freedoms": _freedoms, "stretch": _stretch, "slide": positive}


def joint(op: s.Operation, env: Environment) -> Act:
    """Add a joint with its pivot at a point relative to the scope.

    joint("elbow", 0.5, 0, 0.5)

    The shape and its children move with the joint.
    """
    given = Arguments(op, env, named=list(MOVING))
    given.count(1, 4)
    name = given.text(0)
    where = given.lengths(1)
    options = {key: given.option(key, check) for key, check in MOVING.items()}

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        base = name(shape, args).strip()
        if not base:
            raise env.problem(op.at, "joint: expected a name, got none")
        if len(run.joints) >= run.limits.joints:
            raise env.problem(op.at, f"joint: there are more than {run.limits.joints:,} joints")
        x, y, z = where(shape, args) or (0.0, 0.0, 0.0)
        pivot = placed(shape.p, shape.R, times((x, y, z), shape.s))
        record = JointRecord(base, base, shape.joint, pivot, shape.R, (env.module.path, op.at))
        record.allow({k: v(shape, args) for k, v in options.items() if v is not None})
        shape.joint = len(run.joints)
        run.joints.append(record)

    return act


def current_joint(run: Run, shape: Shape, op: s.Operation, env: Environment) -> JointRecord:
    """The joint that carries the shape.

    Raises:
        SuppleError: There is none.
    """
    if shape.joint == NO_INDEX:
        raise env.problem(
            op.at, f'{op.name}: there is no joint here; write joint("name", x, y, z) before'
        )
    return run.joints[shape.joint]


LIMITS = (
    "x", "y", "z", "order", "hinge", "limits", "cone", "twist", "axis", "damping", "stiffness",
)  # fmt: skip


def set_joint_limits(op: s.Operation, env: Environment) -> Act:
    """Set the limits of the shape's joint.

    SetJointLimits(x = [-30, 45], z = 0), (hinge = x, limits = 90), (cone = 60), (cone = [20, 90, 40, 60])

    Angles are in degrees about the axes of the joint's scope. Six numbers are the lowest and the
    highest angle about x, y and z. The four of a cone limit its tilt down, up, left and right.
    """
    given = Arguments(op, env, named=LIMITS)
    six = given.lengths() if given.count(0, 6) else None
    axes = {k: given.option(k, _pair) for k in "xyz" if k in given.named}
    order = given.named_word("order", ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")) or "xyz"
    hinge = _axis(given, "hinge")
    axis = _axis(given, "axis")
    pairs = {k: given.option(k, _pair) for k in ("limits", "twist") if k in given.named}
    cone = given.option("cone", _swing)
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
            form = "hinge" if name == "limits" else "cone"
            raise env.problem(op.at, f"SetJointLimits: {name} needs {form} = ...")

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        record = current_joint(run, shape, op, env)
        found = {k: v(shape, args) for k, v in {**axes, **pairs}.items() if v is not None}
        if six:
            numbers = six(shape, args)
            check = located(env, op.at, _pair)
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
                found_value = value(shape, args)
                setattr(record, key, found_value or None if key == "damping" else found_value)

    return act


def _axis(given: Arguments, name: str) -> Compiled | None:
    """An option that is an axis: x, -y, ... or three numbers; None if it is not given."""
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


def fix(op: s.Operation, env: Environment) -> Act:
    """Lock the shape's joint, or the named ones above it, for all IK rules.

    fix(), fix("hip", "knee")
    """
    given = Arguments(op, env)
    names = given.each(text)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        record = current_joint(run, shape, op, env)
        if not given.positional:
            record.fixed = True
        for wanted in names(shape, args):
            found = next(
                (k for k in path_to_root(run.joints, shape.joint) if run.joints[k].base == wanted),
                NO_INDEX,
            )
            if found == NO_INDEX:
                raise env.problem(op.at, f"fix: no joint {wanted!r} lies above this shape")
            run.joints[found].fixed = True

    return act
