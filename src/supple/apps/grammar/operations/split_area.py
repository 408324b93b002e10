"""splitArea: cut a flat shape into parts of given areas."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import clipping
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import begin_part, finish_part
from supple.apps.grammar.operations.split import layout
from supple.errors import SuppleError

BISECTION_STEPS = 50  # for one cut: down to 2^-50 of the shape's length, about rounding


def split_area(op: s.Operation, env: Environment) -> Act:
    """Cut a flat shape along an axis into parts of given areas.

    splitArea(x){ 200 : Plot | ~1 : Rest }, splitArea(x){ ~300 : Plot }*

    Sizes are areas: absolute, relative to the whole area and floating, as the lengths of `split`.
    """
    given = Arguments(op, env)
    given.count(1)
    axis = "xyz".index(given.word(0, ("x", "y", "z")))
    lay_out = layout(op, env)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        whole = shape.geometry.area(shape.s)
        if shape.geometry.closed or whole <= 0.0 or shape.s[axis] <= 0.0:
            raise env.problem(
                op.at, "splitArea: expected a flat shape with an area along that axis"
            )
        found = lay_out(run, shape, args, whole)
        cuts = [_cut(shape, axis, at / whole) for at, _, _ in found]
        cuts.append(_cut(shape, axis, (found[-1][0] + found[-1][1]) / whole) if found else 1.0)
        for index, (_, _, piece) in enumerate(found):
            geometry, low, size = clipping.slab(shape.geometry, axis, cuts[index], cuts[index + 1])
            if not geometry.faces:
                continue
            part = begin_part(shape, "split", (index, len(found)))
            part.fit(geometry, low * shape.s, size * shape.s)
            finish_part(run, part, piece, args)
        shape.emit()

    return act


def _cut(shape: Shape, axis: int, share: float) -> float:
    """The coordinate in the unit cube below which that share of the area lies."""
    if share <= 0.0 or share >= 1.0:
        return min(max(share, 0.0), 1.0)
    if shape.geometry.fills:
        return share
    whole = shape.geometry.area(shape.s)
    low, high = 0.0, 1.0
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        geometry, _, size = clipping.slab(shape.geometry, axis, 0.0, middle)
        x, y, z = (size * shape.s).tolist()
        below = geometry.area((x, y, z)) if geometry.faces else 0.0
        low, high = (middle, high) if below < share * whole else (low, middle)
    if not 0.0 < high < 1.0 + 1e-12:
        raise SuppleError("splitArea: expected a shape with an area")
    return (low + high) / 2
