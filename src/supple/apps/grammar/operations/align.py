"""Rotate the scope around its geometry: alignScopeToAxes, alignScopeToGeometry, ..BBox, setPivot."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import number, written
from supple.apps.grammar.geometry import alignment
from supple.apps.grammar.geometry.frames import (
    UPRIGHT,
    Rotation,
    Vector,
    from_axes,
    placed,
    product,
    rotated_back,
    times,
)
from supple.apps.grammar.geometry.mesh import BOX, NOTHING
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import set_axes
from supple.errors import SuppleError


def align_to_axes(op: s.Operation, env: Environment) -> Act:
    """Align all axes of the scope with the world's, or only one of them.

    alignScopeToAxes(), (y), (world.y)
    """
    given = Arguments(op, env)
    words = [f"{space}{axis}" for space in ("", "world.") for axis in ("x", "y", "z", "xyz")]
    axis = given.word(0, tuple(words)).removeprefix("world.") if given.count(0, 1) else "xyz"

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        whole = axis == "xyz"
        along = alignment.along_world_axis(shape.R, "xyz".index(axis)) if not whole else UPRIGHT
        set_axes(shape, along)

    return act


def align_to_geometry(op: s.Operation, env: Environment) -> Act:
    """Align x with an edge of a face, and y or z with its normal.

    alignScopeToGeometry(yUp, 0, longest)

    A face is an index, world.lowest, largest or any; an edge is an index, longest or world.lowest.
    (zUp, auto) is the longest edge of the largest face.
    """
    given = Arguments(op, env)
    count = given.count(2, 3)
    up = given.word(0, ("yUp", "zUp"))
    if count == 2 and given.is_word(1) == "auto":
        auto = located(env, op.at, _axes)

        def align(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            set_axes(shape, auto(shape, up == "yUp", "largest", "longest"))

        return align
    face = _which(given, 1, alignment.FACES)
    edge = _which(given, 2, alignment.EDGES) if count == 3 else 0.0
    find = located(env, op.at, _axes)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is NOTHING:
            return
        faces = face(shape, args) if callable(face) else face
        edges = edge(shape, args) if callable(edge) else edge
        set_axes(shape, find(shape, up == "yUp", faces, edges))

    return act


def _which(given: Arguments, index: int, words: tuple[str, ...]) -> str | Compiled:
    """A keyword, or an index."""
    return word if (word := given.is_word(index)) in words else given.length(index)  # type: ignore[return-value]


def _axes(shape: Shape, y_up: bool, face: str | float, edge: str | float) -> Rotation:
    return alignment.along_face(shape.geometry, shape.scope, face=face, edge=edge, y_up=y_up)


def align_to_box(op: s.Operation, env: Environment) -> Act:
    """Align the scope with the smallest box in a plane, its longer side along the first axis.

    alignScopeToGeometryBBox(xz)
    """
    given = Arguments(op, env)
    given.count(1)
    first, second = given.word(0, ("xy", "yx", "xz", "zx", "yz", "zy"))
    axes = ("xyz".index(first), "xyz".index(second))

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        set_axes(shape, alignment.smallest_box(shape.geometry, shape.scope, axes))

    return act


# The pivot ----------------------------------------------------------------------------------------

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_MINUS_X, _MINUS_Y, _MINUS_Z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
PIVOT_CORNERS: tuple[tuple[Vector, tuple[Vector, Vector, Vector]], ...] = (
    ((0.0, 0.0, 0.0), (_X, _Y, _Z)),
    ((1.0, 0.0, 0.0), (_Z, _Y, _MINUS_X)),
    ((1.0, 0.0, 1.0), (_MINUS_X, _Y, _MINUS_Z)),
    ((0.0, 0.0, 1.0), (_MINUS_Z, _Y, _X)),
    ((0.0, 1.0, 0.0), (_Z, _MINUS_Y, _X)),
    ((1.0, 1.0, 0.0), (_MINUS_X, _MINUS_Y, _Z)),
    ((1.0, 1.0, 1.0), (_MINUS_Z, _MINUS_Y, _MINUS_X)),
    ((0.0, 1.0, 1.0), (_X, _MINUS_Y, _MINUS_Z)),
)
"""The corners of a scope, relative to its size, and the axes that point into the scope from each."""
ORDERS = {"xyz": (0, 1, 2), "yzx": (2, 0, 1), "zxy": (1, 2, 0)}


def set_pivot(op: s.Operation, env: Environment) -> Act:
    """Move the scope's origin to one of its corners, with all axes into the scope.

    setPivot(xyz, 3)

    The geometry stays in place. Corners 0 to 3 run around the bottom from the origin along x, 4 to 7 around
    the top; y stays upright. yzx and zxy permute the axes.
    """
    given = Arguments(op, env)
    given.count(2)
    order = ORDERS[given.word(0, tuple(ORDERS))]
    index = given.checked(1, _corner)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        corner, axes = PIVOT_CORNERS[index(shape, args)]
        x, y, z = (axes[k] for k in order)
        turn = from_axes(x, y, z)
        size = shape.s
        if shape.geometry is not BOX and shape.geometry is not NOTHING:
            set_axes(shape, product(shape.R, turn))
            return
        a, b, c = rotated_back(turn, size)
        shape.p = placed(shape.p, shape.R, times(corner, size))
        shape.R, shape.s = product(shape.R, turn), (abs(a), abs(b), abs(c))

    return act


def _corner(value: Any) -> int:
    found = number(value)
    if found not in range(len(PIVOT_CORNERS)):
        raise SuppleError(f"expected a corner from 0 to 7, got {written(value)}")
    return int(found)
