"""primitiveCube, primitiveCylinder, ...: insert built-in solids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.frames import placed
from supple.apps.grammar.geometry.mesh import BUILT_IN, Geometry, outline, round_solid
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.trim import trim_inserted

MOST_SIDES = 512  # not tuned
SIDES = {"disk": 1, "cylinder": 1, "cone": 1, "sphere": 2}
"""Number of arguments that are numbers of sides, by solid."""
DOCS = {
    "box": """Insert a box that fills the scope or has the given size.

    primitiveCube(), primitiveCube(x, y, z)
    """,
    "quad": """Insert a level rectangle that fills the scope or has the given size.

    primitiveQuad(), primitiveQuad(x, z)
    """,
    "disk": """Insert a level regular polygon, by default with 16 sides.

    primitiveDisk(), primitiveDisk(sides), primitiveDisk(sides, radius)
    """,
    "cylinder": """Insert a cylinder, by default with 16 sides.

    primitiveCylinder(), primitiveCylinder(sides), primitiveCylinder(sides, radius, height)
    """,
    "cone": """Insert a cone, by default with 16 sides.

    primitiveCone(), primitiveCone(sides), primitiveCone(sides, radius, height)
    """,
    "sphere": """Insert a sphere that fills the scope or has the given radius.

    primitiveSphere(), primitiveSphere(sides, rings), primitiveSphere(sides, rings, radius)
    """,
}


def primitive(solid: str, *allowed: int) -> Callable[[s.Operation, Environment], Act]:
    """The operation that inserts a built-in solid, such as primitiveCylinder(24, radius, height).

    Args:
        solid: A name of `mesh.BUILT_IN`.
        allowed: The allowed numbers of arguments; without arguments the solid fills the scope.
    """
    known: dict[tuple[int, ...], Geometry] = {}

    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        count = given.count(*allowed)
        values = given.lengths()
        rounds = SIDES.get(solid, 0)

        def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            found = values(shape, args)
            geometry = BUILT_IN[solid]
            sides = tuple(int(value) for value in found[:rounds])
            for least, value in zip((3, 2), sides, strict=False):
                if not least <= value <= MOST_SIDES:
                    raise env.problem(
                        op.at, f"{op.name}: expected {least} to {MOST_SIDES} sides, got {value}"
                    )
            if sides:
                geometry = known.setdefault(sides, round_solid(solid, *sides))
            if count > rounds:
                size = found[rounds:]
                if min(size) < 0:
                    raise env.problem(op.at, f"{op.name}: expected sizes of at least 0")
                _resize(shape, solid, sides, size)
            shape.geometry, shape.made = geometry, True
            if shape.trim is not None:
                trim_inserted(shape)

        return act

    build.__doc__ = DOCS[solid]
    return build


def _resize(shape: Shape, solid: str, sides: tuple[int, ...], size: list[float]) -> None:
    """Give the scope a size around the middle of its bottom, for the values after the sides."""
    middle = (0.5, 0.5)
    if solid == "box":
        new = (size[0], size[1], size[2])
    elif solid == "quad":
        new = (size[0], 0.0, size[1])
    else:
        circle = outline(sides[0])
        middle = circle.middle
        heights = {"disk": 0.0, "sphere": 2 * size[0]}
        height = heights.get(solid, size[-1])
        new = (circle.size[0] * size[0], height, circle.size[1] * size[0])
    x, z = shape.s[0] / 2 - middle[0] * new[0], shape.s[2] / 2 - middle[1] * new[2]
    shape.p = placed(shape.p, shape.R, (x, 0.0, z))
    shape.s = new
