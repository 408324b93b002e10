"""scatter: shapes at random points in a scope or on a surface."""

from __future__ import annotations

from typing import Any

from supple.grammar.evaluate.arguments import Arguments
from supple.grammar.evaluate.modules import Act, Environment, located
from supple.grammar.evaluate.productions import successor
from supple.grammar.evaluate.run import Run
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry import sampling
from supple.grammar.geometry.frames import Vector, placed
from supple.grammar.geometry.mesh import POINT
from supple.grammar.language import syntax as s
from supple.grammar.operations.parts import begin_part, finish_part


def scatter(op: s.Operation, env: Environment) -> Act:
    """Create shapes at random points.

    scatter(surface, 20, uniform){ Tree }, scatter(scope, 5, uniform){ Tree }

    The shapes have size 0.
    """
    given = Arguments(op, env)
    if given.is_word(2) == "gaussian":
        raise env.problem(op.at, "scatter: the distribution 'gaussian' is not supported")
    given.count(3)
    surface = given.word(0, ("surface", "scope")) == "surface"
    given.word(2, ("uniform",))
    count = given.length(1)
    if len(op.bodies) != 1:
        raise env.problem(op.at, "scatter: expected one successor in braces")
    body = successor(op.bodies[0], env)
    sample = located(env, op.at, _points)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        many = count(shape, args)
        if not 0 <= many <= run.limits.parts:
            raise env.problem(op.at, f"scatter: expected 0 to {run.limits.parts:,}, got {many:g}")
        points = sample(shape, int(many), surface)
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
