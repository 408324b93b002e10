"""Points scattered over a shape, each the beginning of a shape of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.successors import successor
from supple.grammar.evaluate.values import fraction
from supple.grammar.geometry.frames import Vector, placed
from supple.grammar.geometry.mesh import POINT, triangulated
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.comp import begin, finish
from supple.grammar.operations.table import BLOCKS, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

BLOCKS.add("scatter")


@operation("scatter")
def scatter(op: s.Operation, env: Environment) -> Act:
    """Shapes without a size at points by chance, evenly over the faces or in the scope.

    scatter(surface, 20, uniform){ i("tree.obj") }, scatter(scope, 5, uniform){ Tree }
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
    lay = guarded(env, op.at, _points)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        many = count(shape, args)
        if not 0 <= many <= run.limits.parts:
            raise env.problem(op.at, f"scatter: expected 0 to {run.limits.parts:,}, got {many:g}")
        points = lay(shape, int(many), surface)
        run.taken_apart(len(points))
        for k, point in enumerate(points):
            part = begin(shape, "split", (k, len(points)))
            part.p = placed(shape.p, shape.R, point)
            part.s, part.geometry = (0.0, 0.0, 0.0), POINT
            finish(run, part, body, args)
        shape.emit()

    return act


def _points(shape: Shape, count: int, surface: bool) -> list[Vector]:
    """Points in a shape's scope, from its own random numbers."""

    def draw() -> float:
        shape.draws += 1
        return fraction(shape.seed, shape.draws)

    if not surface:
        a, b, c = shape.s
        return [(a * draw(), b * draw(), c * draw()) for _ in range(count)]
    corners = shape.geometry.points * shape.s
    triangles = np.array(
        [
            corners[[face[k] for k in triangle]]
            for face in shape.geometry.faces
            for triangle in triangulated(corners[list(face)])
        ]
    )
    if not len(triangles):
        raise SuppleError("scatter: expected a shape with faces")
    first, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2]
    v = v - first
    until = np.cumsum(np.linalg.norm(np.cross(u, v), axis=1))
    found: list[Vector] = []
    for _ in range(count):
        k = min(int(np.searchsorted(until, draw() * until[-1], side="right")), len(until) - 1)
        root, along = math.sqrt(draw()), draw()  # evenly over a triangle
        x, y, z = (first[k] + root * (1 - along) * u[k] + root * along * v[k]).tolist()
        found.append((x, y, z))
    return found
