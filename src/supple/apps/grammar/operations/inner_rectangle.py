"""innerRectangle and innerRect: the largest rectangle in a face."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.footprints import Faces, Footprint
from supple.apps.grammar.geometry.mesh import NOTHING
from supple.apps.grammar.geometry.rectangles import inner_rectangles
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import build_on, footprint_of
from supple.apps.grammar.operations.setback import make_parts, shape_and_remainder


def inner_rectangle(op: s.Operation, env: Environment) -> Act:
    """Split each face into the largest rectangle in it and the remainder.

    innerRectangle(scope){ shape : A | remainder : B }

    scope aligns it with the scope's axes, edge with an edge of the face.
    """
    given = Arguments(op, env)
    given.count(1)
    along_edge = given.word(0, ("scope", "edge")) == "edge"
    pieces = shape_and_remainder(op, env)
    find = located(env, op.at, _found)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is NOTHING:
            return
        plan, inner, rest = find(shape, along_edge)
        for wanted, merged, body in pieces:
            make_parts(run, shape, args, plan, inner if wanted else rest, merged, body)
        shape.emit()

    return act


def inner_rect(run: Run, shape: Shape) -> None:
    """Replace each face by the largest rectangle along the scope's axes.

    innerRect()
    """
    if shape.geometry is NOTHING:
        return
    plan = footprint_of(shape, "innerRect")
    inner, _ = inner_rectangles(plan, "innerRect", along_edge=False)
    build_on(shape, plan, inner, f"rectangle in {shape.geometry.name}")


def _found(shape: Shape, along_edge: bool) -> tuple[Footprint, list[Faces], list[Faces]]:
    plan = footprint_of(shape, "innerRectangle")
    return plan, *inner_rectangles(plan, "innerRectangle", along_edge=along_edge)
