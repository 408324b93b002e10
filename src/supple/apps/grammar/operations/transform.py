"""Move, resize and rotate a shape: t, s, r, center, translate, rotate, rotateScope."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments, Several
from supple.apps.grammar.evaluate.modules import Act, Environment
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.editing import mirrored
from supple.apps.grammar.geometry.frames import (
    ORIGIN,
    UPRIGHT,
    Rotation,
    Vector,
    from_degrees,
    minus,
    placed,
    product,
    rotated,
    rotated_back,
    transposed,
)
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import set_axes


def translate(op: s.Operation, env: Environment) -> Act:
    """Move along the scope's axes.

    t(x, y, z)

    'x is relative to the scope's size, ~x to the room left in the scope at the beginning of the rule.
    """
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values, marks = given.lengths(), given.marks()
    plain = not any(marks)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = values(shape, args)
        if not plain:
            room = minus(shape.outer[2], shape.s)
            x, y, z = (
                v * (shape.s[k] if marks[k] == "'" else room[k]) if marks[k] else v
                for k, v in enumerate((x, y, z))
            )
        shape.p = placed(shape.p, shape.R, (x, y, z))

    return act


def resize(op: s.Operation, env: Environment) -> Act:
    """Set the size; 'x is relative to the current size, ~x keeps the proportion to the others.

    s(x, y, z)
    """
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values, marks = given.lengths(), given.marks()

    relative = [mark == "'" for mark in marks]

    def plain(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = values(shape, args)
        old = shape.s
        if relative[0]:
            x *= old[0]
        if relative[1]:
            y *= old[1]
        if relative[2]:
            z *= old[2]
        if x < 0.0 or y < 0.0 or z < 0.0:
            _set_negative_size(shape, (x, y, z))
        else:
            shape.s = (x, y, z)

    if "~" not in marks:
        return plain

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        old = shape.s
        new = values(shape, args)
        for k in range(3):
            if marks[k] == "'":
                new[k] *= old[k]
        if "~" in marks:
            ratios = [new[k] / old[k] for k in range(3) if marks[k] != "~" and old[k] > 0]
            ratio = sum(ratios) / len(ratios) if ratios else 1.0
            for k in range(3):
                if marks[k] == "~":
                    new[k] *= old[k] * ratio
        if min(new) < 0.0:
            _set_negative_size(shape, (new[0], new[1], new[2]))
        else:
            shape.s = (new[0], new[1], new[2])

    return act


def _set_negative_size(shape: Shape, size: Vector) -> None:
    """Set a size with negative parts: the scope lies on the other side of its origin, the geometry is mirrored."""
    axes = [one < 0.0 for one in size]
    x, y, z = (abs(one) for one in size)
    move = (size[0] if axes[0] else 0.0, size[1] if axes[1] else 0.0, size[2] if axes[2] else 0.0)
    shape.geometry = mirrored(shape.geometry, (x, y, z), axes)
    shape.p, shape.s = placed(shape.p, shape.R, move), (x, y, z)


CENTERS = ("scopeOrigin", "scopeCenter")


def rotate(op: s.Operation, env: Environment) -> Act:
    """Rotate by degrees about the scope's x, then y, then z axis.

    r(x, y, z), r(scopeCenter, x, y, z)
    """
    given = Arguments(op, env)
    first = given.count(3, 4) - 3
    center = first == 1 and given.word(0, CENTERS) == "scopeCenter"
    values = given.lengths(first)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        turn = from_degrees(*values(shape, args))
        if center:
            half = (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2)
            middle = placed(shape.p, shape.R, half)
            shape.R = product(shape.R, turn)
            shape.p = minus(middle, rotated(shape.R, half))
        else:
            shape.R = product(shape.R, turn)

    return act


def center(op: s.Operation, env: Environment) -> Act:
    """Move to the centre of the scope at the beginning of the rule or bracket.

    center(xyz), center(xz), center(y)
    """
    given = Arguments(op, env)
    given.count(1)
    axes = given.word(0, ("x", "y", "z", "xy", "xz", "yz", "xyz"))
    along = ["xyz".index(axis) for axis in axes]

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        p, R, size = shape.outer
        goal = placed(p, R, (size[0] / 2, size[1] / 2, size[2] / 2))
        now = placed(shape.p, shape.R, (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2))
        off = rotated_back(R, minus(goal, now))
        move = [off[k] if k in along else 0.0 for k in range(3)]
        shape.p = placed(shape.p, R, (move[0], move[1], move[2]))

    return act


# In a coordinate system ----------------------------------------------------------------------------

SYSTEMS = ("scope", "pivot", "object", "world")


def _coordinate_system(op: s.Operation, env: Environment) -> tuple[bool, str, Several]:
    """Read (rel | abs, system, x, y, z): absolute or not, "scope", "object" or "world", the numbers."""
    given = Arguments(op, env)
    given.count(5)
    absolute = given.word(0, ("rel", "abs")) == "abs"
    system = given.word(1, SYSTEMS)
    return absolute, "scope" if system == "pivot" else system, given.lengths(2)


def _frame(run: Run, system: str) -> tuple[Vector, Rotation]:
    """Origin and axes of the world, or of the lot."""
    return (run.origin.p, run.origin.R) if system == "object" else (ORIGIN, UPRIGHT)


def translate_in(op: s.Operation, env: Environment) -> Act:
    """Move by a vector or to a point.

    translate(rel, world, x, y, z), translate(abs, scope, x, y, z)
    """
    absolute, system, values = _coordinate_system(op, env)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = values(shape, args)
        if system == "scope":
            shape.p = placed(shape.outer[0] if absolute else shape.p, shape.R, (x, y, z))
            return
        origin, axes = _frame(run, system)
        shape.p = placed(origin if absolute else shape.p, axes, (x, y, z))

    return act


def rotate_in(op: s.Operation, env: Environment) -> Act:
    """Rotate by or to angles in degrees.

    rotate(rel, world, x, y, z), rotate(abs, scope, x, y, z)
    """
    absolute, system, values = _coordinate_system(op, env)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        turn = from_degrees(*values(shape, args))
        if system == "scope":
            shape.R = product(shape.outer[1] if absolute else shape.R, turn)
            return
        _, axes = _frame(run, system)
        if absolute:
            shape.R = product(axes, turn)
        else:
            shape.R = product(product(product(axes, turn), transposed(axes)), shape.R)

    return act


# The scope alone ----------------------------------------------------------------------------------


def rotate_scope(run: Run, shape: Shape, x: float, y: float, z: float) -> None:
    """Rotate the scope by degrees, but not the geometry.

    rotateScope(x, y, z)
    """
    set_axes(shape, product(shape.R, from_degrees(x, y, z)))
