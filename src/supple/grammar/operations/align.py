"""Rotate the scope around its geometry: alignScopeToAxes, alignScopeToGeometry, ..BBox."""

from __future__ import annotations

from typing import Any

from supple.grammar.evaluate.arguments import Arguments
from supple.grammar.evaluate.modules import Act, Compiled, Environment, located
from supple.grammar.evaluate.run import Run
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry import alignment
from supple.grammar.geometry.frames import UPRIGHT, Rotation
from supple.grammar.geometry.mesh import NOTHING
from supple.grammar.language import syntax as s
from supple.grammar.operations.parts import set_axes


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


def _which(given: Arguments, place: int, words: tuple[str, ...]) -> str | Compiled:
    """A keyword, or an index."""
    return word if (word := given.is_word(place)) in words else given.length(place)  # type: ignore[return-value]


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
