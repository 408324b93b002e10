"""envelope: a solid with sloped upper walls on a flat shape."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import components
from supple.apps.grammar.geometry.envelopes import envelope
from supple.apps.grammar.geometry.frames import Vector, rotated, vector
from supple.apps.grammar.geometry.mesh import NOTHING
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import build_on, footprint_of
from supple.apps.grammar.operations.setback import outwards
from supple.errors import SuppleError

NORMAL = ("normal", "face.normal")
DIRECTIONS = ("world.up", "world.up.flatTop", *NORMAL)


def envelope_of(op: s.Operation, env: Environment) -> Act:
    """Build a solid on a flat shape whose walls lean inwards above a height.

    envelope(world.up, height, front, angle, back, angle, side, angle),
    envelope(world.up, height, front, angle, back, angle, right, angle, left, angle)

    At the front, back and other edges planes begin at the given heights, with slopes in degrees; 90 is
    upright. A concave shape needs planes that begin at one height.
    """
    given = Arguments(op, env)
    given.count(8, 10)
    upwards = given.word(0, DIRECTIONS) not in NORMAL
    values = given.lengths(1)
    make = located(env, op.at, _build)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is not NOTHING:
            make(shape, values(shape, args), upwards)

    return act


def _build(shape: Shape, values: list[float], upwards: bool) -> None:
    height, *sides = values
    if height <= 0 or min(sides[::2]) < 0:
        raise SuppleError("envelope: expected a height above 0, and heights of at least 0")
    if not all(0 < angle < 180 for angle in sides[1::2]):
        raise SuppleError("envelope: expected angles between 0 and 180 degrees")
    front, back, right, *more = zip(sides[::2], sides[1::2], strict=True)
    left = more[0] if more else right
    plan = footprint_of(shape, "envelope")
    if upwards and rotated(shape.R, vector(plan.axes[:, 1]))[1] < 1.0 - 1e-6:
        raise SuppleError("envelope: world.up is supported for level shapes only")

    def of(normal: Vector) -> tuple[float, float]:
        if components.selects("front", normal):
            return front
        if components.selects("back", normal):
            return back
        return right if components.selects("right", normal) else left

    solids = []
    for polygon in plan.polygons:
        normals = [outwards(plan, polygon, k) for k in range(len(polygon))]
        solids.append(envelope(polygon, height, [of(normal) for normal in normals]))
    build_on(shape, plan, solids, f"envelope of {shape.geometry.name}")
