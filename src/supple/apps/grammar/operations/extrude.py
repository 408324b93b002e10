"""extrude: solids from flat shapes."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import extrusion, shells
from supple.apps.grammar.geometry.alignment import upright
from supple.apps.grammar.geometry.extrusion import extruded
from supple.apps.grammar.geometry.frames import (
    Rotation,
    Vector,
    from_axes,
    placed,
    product,
    rotated_back,
)
from supple.apps.grammar.geometry.mesh import BOX, NOTHING
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import build_on, footprint_of, set_axes
from supple.errors import SuppleError

DIRECTIONS: dict[str, Vector | None] = {
    "face.normal": None,
    "vertex.normal": None,
    "world.up": (0.0, 1.0, 0.0),
    "world.up.flatTop": (0.0, 1.0, 0.0),
    "world.down": (0.0, -1.0, 0.0),
    "world.x": (1.0, 0.0, 0.0),
    "world.y": (0.0, 1.0, 0.0),
    "world.z": (0.0, 0.0, 1.0),
    "y": (0.0, 1.0, 0.0),
}


def extrude(op: s.Operation, env: Environment) -> Act:
    """Extrude a flat shape along its normal or a direction.

    extrude(height), extrude(world.up, height)

    The scope's y axis is then that direction. A surface of several faces is extruded face by face, as one shell with
    vertex.normal or along a direction; its scope keeps its axes.
    """
    given = Arguments(op, env)
    count = given.count(1, 2)
    direction = DIRECTIONS[given.word(0, list(DIRECTIONS))] if count == 2 else None
    value = given.length(count - 1)
    flat_top = count == 2 and given.is_word(0) == "world.up.flatTop"
    by_vertex = count == 2 and given.is_word(0) == "vertex.normal"
    straight, prism = located(env, op.at, extruded), located(env, op.at, _prism)
    shell = located(env, op.at, _shell)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        height = value(shape, args)
        axis = shape.geometry.flat
        if shape.geometry is NOTHING:
            return
        if axis is None and direction is None:
            # It may still be flat: in a plane across the scope's axes, or by a size of 0.
            prism(shape, height, by_vertex)
            return
        if axis is None and direction is not None and not flat_top and shape.geometry.faces:
            shell(shape, height, direction)
            return
        if flat_top and (axis is None or abs(shape.R[3 + axis]) < 1.0 - 1e-9):
            raise env.problem(op.at, "extrude: a flat top is supported for level shapes only")
        if direction is not None:
            x, y, z = rotated_back(shape.R, direction)
            along = (x * height, y * height, z * height)
        else:
            along = (
                height if axis == 0 else 0.0,
                height if axis == 1 else 0.0,
                height if axis == 2 else 0.0,
            )
        shape.geometry, offset, shape.s = straight(shape.geometry, shape.s, along)
        shape.p = placed(shape.p, shape.R, offset)
        shape.made = True
        if direction is None:
            _stand(shape, axis)
        elif direction[1] != 0.0:
            set_axes(shape, upright(shape.R))

    return act


TURNS: dict[int | None, Rotation] = {
    0: from_axes((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
    2: from_axes((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
}


def _stand(shape: Shape, axis: int | None) -> None:
    """Rotate the scope of a shape extruded along one of its axes so that this is the y axis."""
    turn = TURNS.get(axis)
    if turn is None:
        return
    R = product(shape.R, turn)
    if shape.geometry is not BOX:
        set_axes(shape, R)
        return
    a, b, c = shape.s  # keep the shared box geometry
    corner = (0.0, b, c) if axis == 0 else (0.0, b, 0.0)
    shape.p = placed(shape.p, shape.R, corner)
    shape.R, shape.s = R, (c, a, b) if axis == 0 else (a, c, b)


def _prism(shape: Shape, height: float, by_vertex: bool) -> None:
    """Extrude a shape that is flat in any plane, or a surface of several faces."""
    try:
        plan = footprint_of(shape, "extrude")
    except SuppleError:
        if not shape.geometry.faces or height == 0.0:
            raise
        extrude_faces = shells.along_vertices if by_vertex else shells.along_faces
        shape.fit(*extrude_faces(shape.geometry, shape.s, height))
        shape.made = True
        return
    solid = extrusion.prism(plan, height)
    build_on(shape, plan, [solid], f"extruded {shape.geometry.name}", upright=True)


def _shell(shape: Shape, height: float, direction: Vector) -> None:
    """Extrude a surface of several faces along a direction in world."""
    x, y, z = rotated_back(shape.R, direction)
    shape.fit(*shells.along(shape.geometry, shape.s, (x * height, y * height, z * height)))
    shape.made = True
