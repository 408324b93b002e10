"""Change a shape's geometry: mirror, reverseNormals, resetGeometry, cleanupGeometry, convexify."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import truth
from supple.apps.grammar.geometry import editing
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.language import syntax as s


def mirror(op: s.Operation, env: Environment) -> Act:
    """Mirror the geometry within the scope along axes.

    mirror(true, false, false)
    """
    given = Arguments(op, env)
    given.count(3)
    values = given.each(truth)
    known: dict[Any, Geometry] = {}

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        axes = values(shape, args)
        key = (id(shape.geometry), *axes, *(size == 0.0 for size in shape.s))
        if key not in known:
            known[key] = editing.mirrored(shape.geometry, shape.s, axes)
            run.hold(shape.geometry)
        shape.geometry, shape.made = known[key], True

    return act


def reverse_normals(run: Run, shape: Shape) -> None:
    """Reverse all faces.

    reverseNormals()
    """
    shape.geometry, shape.made = editing.reversed_faces(shape.geometry), True


def reset_geometry(run: Run, shape: Shape) -> None:
    """Go back to the scope and geometry of the initial shape.

    resetGeometry()
    """
    first = run.origin
    shape.p, shape.R, shape.s, shape.geometry = first.p, first.R, first.s, first.geometry
    shape.made = True


def cleanup_geometry(op: s.Operation, env: Environment) -> Act:
    """Merge close points and drop faces without area.

    cleanupGeometry(all, 0.01)

    edges only drops corners on straight edges; vertices only merges points.
    """
    given = Arguments(op, env)
    given.count(2)
    what = given.word(0, ("all", "edges", "vertices"))
    near = given.length(1)
    clean = located(env, op.at, editing.cleaned)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry.fills:
            return
        found = clean(shape.geometry, shape.s, what, near(shape, args))
        if found is not None:
            shape.fit(*found)

    return act


def convexify(op: s.Operation, env: Environment) -> Act:
    """Split concave faces into convex ones.

    convexify()
    """
    given = Arguments(op, env)
    given.count(0, 1)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        found = editing.convex(shape.geometry, shape.s)
        if found is not None:
            shape.geometry, shape.made = found, True

    return act
