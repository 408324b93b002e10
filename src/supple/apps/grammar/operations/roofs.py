"""roofHip, roofGable, roofShed and roofPyramid.

Afterwards the scope's y axis is the normal of the flat shape, and x is as close to the old x as possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.footprints import Faces
from supple.apps.grammar.geometry.mesh import NOTHING
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import build_on, footprint_of
from supple.errors import SuppleError

Roof = Callable[..., Faces]
STEEPEST_DEGREES = 89.9  # not tuned
DOCS = {
    "hip": """Build a hip roof on a flat shape, with roof planes at all edges.

    roofHip(angle), roofHip(angle, overhang), roofHip(byHeight, height, overhang)
    """,
    "gable": """Build a gable roof on a flat shape.

    roofGable(angle), roofGable(angle, eaves, gables, false, edge), roofGable(byHeight, height)

    The overhangs are measured along the roof planes and beyond the gables; the ridge is parallel to the edge.
    """,
    "shed": """Build a single roof plane that rises from an edge.

    roofShed(angle), roofShed(angle, edge), roofShed(byHeight, height)
    """,
    "pyramid": """Build triangles from all edges to an apex above the middle.

    roofPyramid(angle), roofPyramid(byHeight, height)
    """,
}


def roof(shaped: Roof, most: int) -> Callable[[s.Operation, Environment], Act]:
    """The operation of a roof: roofHip(angle, ...) or roofHip(byAngle | byHeight, value, ...).

    Args:
        shaped: A function of `supple.apps.grammar.geometry.roofs`.
        most: The maximum number of arguments, besides byAngle or byHeight.
    """

    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        by = given.is_word(0) if len(given.positional) > 1 else None
        first = 1 if by in ("byAngle", "byHeight") else 0
        given.count(*range(first + 1, first + most + 1))
        values = given.each(lambda value: value, first)
        make = located(env, op.at, _build_roof)

        def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
            if shape.geometry is NOTHING:
                return
            make(shape, shaped, by == "byHeight", values(shape, args), op.name)

        return act

    build.__doc__ = DOCS[shaped.__name__]
    return build


def _build_roof(shape: Shape, shaped: Roof, by_height: bool, values: list[Any], name: str) -> None:
    plan = footprint_of(shape, name)
    steep, *rest = values
    numbers = [float(value) for value in rest]
    if not isinstance(steep, (int, float)) or not math.isfinite(steep) or steep <= 0:
        raise SuppleError(f"{name}: expected an angle or a height above 0, got {steep}")
    if not by_height and steep > STEEPEST_DEGREES:
        raise SuppleError(
            f"{name}: expected an angle up to {STEEPEST_DEGREES} degrees, got {steep:g}"
        )
    slope = 1.0 if by_height else math.tan(math.radians(steep))
    parts = []
    for polygon in plan.polygons:
        points, faces = shaped(polygon, slope, *numbers)
        if by_height:
            top = max(y for _, y, _ in points)
            points = [(x, y * steep / top, z) for x, y, z in points]
        parts.append((points, faces))
    build_on(shape, plan, parts, name, upright=True)
