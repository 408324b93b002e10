"""Filling a shape's scope: assets, and flat shapes pulled to solids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.components import extruded
from supple.grammar.geometry.footprints import prism
from supple.grammar.geometry.frames import Rotation, Vector, from_axes, placed, product, turned_back
from supple.grammar.geometry.mesh import BOX
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import operation
from supple.grammar.operations.transform import reframe

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


@operation("i")
def insert(op: s.Operation, env: Environment) -> Act:
    """Insert an asset, which fills the scope: i("box"), i("tree.obj"), i("figure.glb").

    i("tree.obj", zUp): one whose z axis points up; keepSizeAndPosition: as large as it is.
    Sizes of 0 take their share from those that are not; if all are 0 the asset has its own size.
    """
    given = Arguments(op, env)
    count = given.count(1, 2, 3)
    name = given.text(0)
    z_up = count > 1 and given.word(1, ("yUp", "zUp")) == "zUp"
    modes = ("alignSizeAndPosition", "keepSizeAndPosition")
    keeps = count > 2 and given.word(2, modes) == "keepSizeAndPosition"
    find = guarded(env, op.at, lambda run, path: run.assets.get(path, env.module, z_up=z_up))

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        asset = find(run, name(shape, args))
        natural = asset.size
        size = [0.0, 0.0, 0.0] if keeps else list(shape.s)
        known = [k for k in range(3) if size[k] > 0]
        if len(known) < 3:
            ratios = [size[k] / natural[k] for k in known if natural[k] > 0]
            ratio = sum(ratios) / len(ratios) if ratios else 1.0
            if len(known) < 2:
                move = [0.0 if k in known else asset.origin[k] * ratio for k in range(3)]
                shape.p = placed(shape.p, shape.R, (move[0], move[1], move[2]))
            for k in range(3):
                if k not in known:
                    size[k] = natural[k] * ratio
        shape.s = (size[0], size[1], size[2])
        shape.geometry = asset
        shape.made = True

    return act


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


@operation("extrude")
def extrude(op: s.Operation, env: Environment) -> Act:
    """A flat shape pulled along its normal, or another way; the scope's y axis is then that way.

    extrude(height), extrude(world.up, height)
    """
    given = Arguments(op, env)
    ways = given.count(1, 2)
    direction = DIRECTIONS[given.word(0, list(DIRECTIONS))] if ways == 2 else None
    value = given.length(ways - 1)
    flat_top = ways == 2 and given.is_word(0) == "world.up.flatTop"
    pull, rise = guarded(env, op.at, extruded), guarded(env, op.at, prism)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        height = value(shape, args)
        axis = shape.geometry.flat
        if axis is None and direction is None:
            # It may still lie in a plane, across the scope's axes or by a size of 0.
            rise(shape, height)
            return
        if flat_top and (axis is None or abs(shape.R[3 + axis]) < 1.0 - 1e-9):
            raise env.problem(op.at, "extrude: a flat top is supported for level shapes alone")
        if direction is not None:
            x, y, z = turned_back(shape.R, direction)
            along = (x * height, y * height, z * height)
        else:
            along = (
                height if axis == 0 else 0.0,
                height if axis == 1 else 0.0,
                height if axis == 2 else 0.0,
            )
        shape.geometry, offset, shape.s = pull(shape.geometry, shape.s, along)
        shape.p = placed(shape.p, shape.R, offset)
        shape.made = True
        if direction is None:
            _stand(shape, axis)
        elif direction[1] != 0.0:
            reframe(shape, _upright(shape.R))

    return act


TURNS: dict[int | None, Rotation] = {
    0: from_axes((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
    2: from_axes((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
}


def _stand(shape: Shape, axis: int | None) -> None:
    """Turn the scope of what was pulled along one of its axes, so that this is its y axis."""
    turn = TURNS.get(axis)
    if turn is None:
        return
    R = product(shape.R, turn)
    if shape.geometry is not BOX:
        reframe(shape, R)
        return
    a, b, c = shape.s  # a box stays the box that all share
    corner = (0.0, b, c) if axis == 0 else (0.0, b, 0.0)
    shape.p = placed(shape.p, shape.R, corner)
    shape.R, shape.s = R, (c, a, b) if axis == 0 else (a, c, b)


def _upright(R: Rotation) -> Rotation:
    """The rotation with y up, and x where it was as far as it can be."""
    x = np.array((R[0], 0.0, R[6]))
    if np.linalg.norm(x) < 1e-6:
        x = -np.array((R[2], 0.0, R[8]))
    x /= np.linalg.norm(x)
    up = np.array((0.0, 1.0, 0.0))
    a, b, c = (tuple(axis.tolist()) for axis in (x, up, np.cross(x, up)))
    return from_axes(a, b, c)
