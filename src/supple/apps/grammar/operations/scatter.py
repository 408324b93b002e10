"""scatter: shapes at random points in a scope or on a surface."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.productions import successor
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import sampling
from supple.apps.grammar.geometry.frames import Vector, placed
from supple.apps.grammar.geometry.mesh import POINT
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import begin_part, finish_part

MOST_CANDIDATES = 32  # for one point of a gaussian; not tuned
MIDDLES: dict[str, Vector] = {
    "center": (0.5, 0.5, 0.5), "front": (0.5, 0.5, 1.0), "back": (0.5, 0.5, 0.0), "left": (0.0, 0.5, 0.5),
    "right": (1.0, 0.5, 0.5), "top": (0.5, 1.0, 0.5), "bottom": (0.5, 0.0, 0.5),
}  # fmt: skip


def scatter(op: s.Operation, env: Environment) -> Act:
    """Create shapes at random points.

    scatter(surface, 20, uniform){ Tree }, scatter(scope, 5, uniform){ Tree },
    scatter(surface, 20, gaussian, center, 2){ Tree }

    A gaussian distribution is densest at the center or at a side of the scope; its last argument is the
    standard deviation. The shapes have size 0.
    """
    given = Arguments(op, env, marks="'")
    gaussian = given.is_word(2) == "gaussian"
    given.count(5 if gaussian else 3)
    surface = given.word(0, ("surface", "scope")) == "surface"
    given.word(2, ("uniform", "gaussian"))
    around = MIDDLES[given.word(3, list(MIDDLES))] if gaussian else None
    deviation = given.length(4) if gaussian else None
    relative = gaussian and given.marks()[4] == "'"
    count = given.length(1)
    if len(op.bodies) != 1:
        raise env.problem(op.at, "scatter: expected one successor in braces")
    body = successor(op.bodies[0], env)
    sample = located(env, op.at, _points)
    dense = located(env, op.at, _near)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        many = count(shape, args)
        if not 0 <= many <= run.limits.parts:
            raise env.problem(op.at, f"scatter: expected 0 to {run.limits.parts:,}, got {many:g}")
        if around is None or deviation is None:
            points = sample(shape, int(many), surface)
        else:
            spread = deviation(shape, args) * (max(shape.s) if relative else 1.0)
            points = [
                dense(shape, lambda: sample(shape, 1, surface)[0], around, spread)
                for _ in range(int(many))
            ]
        run.count_parts(len(points))
        for k, point in enumerate(points):
            part = begin_part(shape, "split", (k, len(points)))
            part.p = placed(shape.p, shape.R, point)
            part.s, part.geometry = (0.0, 0.0, 0.0), POINT
            finish_part(run, part, body, args)
        shape.emit()

    return act


def _points(shape: Shape, count: int, surface: bool) -> list[Vector]:
    if surface:
        return sampling.on_surface(shape.geometry, shape.s, count, shape.draw)
    return sampling.in_scope(shape.s, count, shape.draw)


def _near(shape: Shape, candidate: Callable[[], Vector], around: Vector, spread: float) -> Vector:
    """The first candidate accepted with the probability of a gaussian around a point; else the nearest one tried."""
    middle = [share * size for share, size in zip(around, shape.s, strict=True)]
    nearest, least = (0.0, 0.0, 0.0), math.inf
    for _ in range(MOST_CANDIDATES):
        point = candidate()
        away = sum((a - b) ** 2 for a, b in zip(point, middle, strict=True))
        if away < least:
            nearest, least = point, away
        if spread > 0.0 and shape.draw() < math.exp(-away / (2.0 * spread * spread)):
            return point
    return nearest
