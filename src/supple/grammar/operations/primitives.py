"""primitiveCube, primitiveCylinder, ...: insert built-in solids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.grammar.evaluate.arguments import Arguments
from supple.grammar.evaluate.modules import Act, Environment
from supple.grammar.evaluate.run import Run
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.mesh import BUILT_IN, Geometry, round_solid
from supple.grammar.language import syntax as s
from supple.grammar.operations.trim import trim_inserted

MOST_SIDES = 512


def primitive(solid: str, *allowed: int) -> Callable[[s.Operation, Environment], Act]:
    """The operation that inserts a built-in solid, such as primitiveCylinder(24, radius, height).

    Args:
        solid: A name of `mesh.BUILT_IN`.
        allowed: The allowed numbers of arguments; without arguments the solid fills the scope.
    """
    known: dict[int, Geometry] = {}

    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        count = given.count(*allowed)
        values = given.lengths()

        def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            found = values(shape, args)
            geometry = BUILT_IN[solid]
            if solid in ("disk", "cylinder", "cone") and count:
                sides = int(found[0])
                if not 3 <= sides <= MOST_SIDES:
                    raise env.problem(
                        op.at, f"{op.name}: expected 3 to {MOST_SIDES} sides, got {found[0]:g}"
                    )
                geometry = known.setdefault(sides, round_solid(solid, sides))
            size = _sized(solid, found)
            if size is not None:
                if any(one < 0 for one in size):
                    raise env.problem(op.at, f"{op.name}: expected sizes of at least 0")
                shape.s = size
            shape.geometry, shape.made = geometry, True
            if shape.trim is not None:
                trim_inserted(shape)

        return act

    return build


def _sized(solid: str, values: list[float]) -> tuple[float, float, float] | None:
    """The size that the arguments give; None to keep the scope's."""
    if solid == "box" and values:
        return values[0], values[1], values[2]
    if solid == "quad" and values:
        return values[0], 0.0, values[1]
    if solid == "disk" and len(values) == 2:
        return 2 * values[1], 0.0, 2 * values[1]
    if solid in ("cylinder", "cone") and len(values) == 3:
        return 2 * values[1], values[2], 2 * values[1]
    if solid == "sphere" and values:
        return 2 * values[2], 2 * values[2], 2 * values[2]
    return None
