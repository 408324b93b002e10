"""Moving, sizing and turning a shape's scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.values import length
from supple.grammar.geometry.frames import (
    UPRIGHT,
    Rotation,
    from_axes,
    from_degrees,
    minus,
    placed,
    product,
    turned,
    turned_back,
)
from supple.grammar.geometry.mesh import fitted
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment
from supple.grammar.operations.table import of_values, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


@operation("t")
def translate(op: s.Operation, env: Environment) -> Act:
    """Move along the scope's axes: t(x, y, z).

    'x is relative to its size, ~x to the room that is left in the scope the rule began with.
    """
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values, marks = given.lengths(), given.marks()
    plain = not any(marks)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = values(shape, args)
        if not plain:
            room = minus(shape.outer[2], shape.s)
            x, y, z = (
                v * (shape.s[k] if marks[k] == "'" else room[k]) if marks[k] else v
                for k, v in enumerate((x, y, z))
            )
        shape.p = placed(shape.p, shape.R, (x, y, z))

    return act


@operation("s")
def resize(op: s.Operation, env: Environment) -> Act:
    """Resize, s(x, y, z): 'x is relative to the size there is, ~x keeps the proportions to the others."""
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values, marks = given.lengths(), given.marks()

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
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
            raise env.problem(op.at, f"s: expected sizes of at least 0, got {min(new):g}")
        shape.s = (new[0], new[1], new[2])

    return act


CENTERS = ("scopeOrigin", "scopeCenter")


@operation("r")
def rotate(op: s.Operation, env: Environment) -> Act:
    """Turn by degrees, r(x, y, z): about the own x, then y, then z axis; r(scopeCenter, x, y, z)."""
    given = Arguments(op, env)
    first = given.count(3, 4) - 3
    center = first == 1 and given.word(0, CENTERS) == "scopeCenter"
    values = given.lengths(first)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        turn = from_degrees(*values(shape, args))
        if center:
            half = (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2)
            middle = placed(shape.p, shape.R, half)
            shape.R = product(shape.R, turn)
            shape.p = minus(middle, turned(shape.R, half))
        else:
            shape.R = product(shape.R, turn)

    return act


@operation("center")
def center(op: s.Operation, env: Environment) -> Act:
    """To the middle of the scope that the rule or the bracket began with.

    center(xyz), center(xz), center(y)
    """
    given = Arguments(op, env)
    given.count(1)
    axes = given.word(0, ("x", "y", "z", "xy", "xz", "yz", "xyz"))
    along = ["xyz".index(axis) for axis in axes]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        p, R, size = shape.outer
        goal = placed(p, R, (size[0] / 2, size[1] / 2, size[2] / 2))
        now = placed(shape.p, shape.R, (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2))
        off = turned_back(R, minus(goal, now))
        move = [off[k] if k in along else 0.0 for k in range(3)]
        shape.p = placed(shape.p, R, (move[0], move[1], move[2]))

    return act


@operation("alignScopeToAxes")
def align_to_axes(op: s.Operation, env: Environment) -> Act:
    """Stand as the world does, alignScopeToAxes(); (y), (world.y): only its y axis must."""
    given = Arguments(op, env)
    words = [f"{space}{axis}" for space in ("", "world.") for axis in ("x", "y", "z", "xyz")]
    axis = given.word(0, tuple(words)).removeprefix("world.") if given.count(0, 1) else "xyz"

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        reframe(shape, UPRIGHT if axis == "xyz" else _aligned(shape.R, "xyz".index(axis)))

    return act


def _aligned(R: Rotation, axis: int) -> Rotation:
    """The rotation turned the short way until one of its axes is the world's."""
    columns = np.array(R).reshape(3, 3)
    goal = np.eye(3)[:, axis]
    other = (axis + 1) % 3
    side = columns[:, other] - (columns[:, other] @ goal) * goal
    if np.linalg.norm(side) < 1e-9:
        side = np.eye(3)[:, other]
    side = side / np.linalg.norm(side)
    axes = {axis: goal, other: side, (axis + 2) % 3: np.cross(goal, side)}
    x, y, z = (tuple(axes[k].tolist()) for k in range(3))
    return from_axes(x, y, z)


@of_values("rotateScope", length, length, length)
def rotate_scope(run: Derivation, shape: Shape, x: float, y: float, z: float) -> None:
    """Turn the scope by degrees and not the geometry: rotateScope(x, y, z)."""
    reframe(shape, product(shape.R, from_degrees(x, y, z)))


def reframe(shape: Shape, R: Rotation) -> None:
    """Give a shape a scope turned another way, around the same geometry."""
    if max(abs(a - b) for a, b in zip(R, shape.R, strict=True)) < 1e-12:
        return
    old, new = np.array(shape.R).reshape(3, 3), np.array(R).reshape(3, 3)
    points = (shape.geometry.points * shape.s) @ old.T @ new
    filled = shape.geometry
    geometry, low, size = fitted(
        filled.name, points, filled.faces, smooth=filled.smooth, texcoords=filled.texcoords
    )  # fmt: skip
    shape.p = placed(shape.p, R, tuple(low.tolist()))
    shape.R, shape.geometry, shape.s = R, geometry, tuple(size.tolist())
