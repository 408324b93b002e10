"""The operations on one shape: moving its scope and filling it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.grammar import syntax as s
from supple.grammar.arguments import Act, Arguments
from supple.grammar.cutting import extruded
from supple.grammar.expressions import Environment, guarded
from supple.grammar.footprints import prism
from supple.grammar.geometry import BOX, fitted
from supple.grammar.scope import (
    UPRIGHT,
    Rotation,
    Vector,
    from_axes,
    from_degrees,
    minus,
    placed,
    product,
    turned,
    turned_back,
)
from supple.grammar.shape import Shape
from supple.grammar.values import text

if TYPE_CHECKING:
    from supple.grammar.derive import Derivation

Build = Callable[[s.Operation, Environment], Act]
OPERATIONS: dict[str, Build] = {}
BLOCKS: set[str] = {"split", "comp"}
"""Operations that take parts in braces."""


def operation(*names: str) -> Callable[[Build], Build]:
    """Enter an operation under its names."""

    def enter(build: Build) -> Build:
        OPERATIONS.update(dict.fromkeys(names, build))
        return build

    return enter


# The scope ----------------------------------------------------------------------------------------


@operation("t")
def translate(op: s.Operation, env: Environment) -> Act:
    """Move along the scope's axes: t(x, y, z).

    'x is relative to its size, ~x to the room that is left in the scope the rule began with.
    """
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values = [given.length(k) for k in range(3)]
    marks = [given.mark(k) for k in range(3)]
    plain = not any(marks)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = (value(shape, args) for value in values)
        if not plain:
            room = minus(shape.outer[2], shape.s)
            x, y, z = (
                v * (shape.s[k] if marks[k] == "'" else room[k]) if marks[k] else v
                for k, v in enumerate((x, y, z))
            )
        shape.p = placed(shape.p, shape.R, (x, y, z))

    return act


@operation("s")
def resize(op: s.Operation, env: Environment) -> Act:
    """Resize, s(x, y, z): 'x is relative to the size there is, ~x keeps the proportions to the others."""
    given = Arguments(op, env, marks="'~")
    given.count(3)
    values = [given.length(k) for k in range(3)]
    marks = [given.mark(k) for k in range(3)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        old = shape.s
        new = [value(shape, args) for value in values]
        for k in range(3):
            if marks[k] == "'":
                new[k] *= old[k]
        if "~" in marks:
            ratios = [new[k] / old[k] for k in range(3) if marks[k] != "~" and old[k] > 0]
            ratio = sum(ratios) / len(ratios) if ratios else 1.0
            for k in range(3):
                if marks[k] == "~":
                    new[k] *= old[k] * ratio
        if min(new) < 0.0:
            raise env.problem(op.at, f"s: expected sizes of at least 0, got {min(new):g}")
        shape.s = (new[0], new[1], new[2])

    return act


CENTERS = ("scopeOrigin", "scopeCenter")


@operation("r")
def rotate(op: s.Operation, env: Environment) -> Act:
    """Turn by degrees, r(x, y, z): about the own x, then y, then z axis; r(scopeCenter, x, y, z)."""
    given = Arguments(op, env)
    first = given.count(3, 4) - 3
    center = first == 1 and given.word(0, CENTERS) == "scopeCenter"
    values = [given.length(first + k) for k in range(3)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        turn = from_degrees(*[value(shape, args) for value in values])
        if center:
            half = (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2)
            middle = placed(shape.p, shape.R, half)
            shape.R = product(shape.R, turn)
            shape.p = minus(middle, turned(shape.R, half))
        else:
            shape.R = product(shape.R, turn)

    return act


@operation("center")
def center(op: s.Operation, env: Environment) -> Act:
    """To the middle of the scope that the rule or the bracket began with.

    center(xyz), center(xz), center(y)
    """
    given = Arguments(op, env)
    given.count(1)
    axes = given.word(0, ("x", "y", "z", "xy", "xz", "yz", "xyz"))
    along = ["xyz".index(axis) for axis in axes]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        p, R, size = shape.outer
        goal = placed(p, R, (size[0] / 2, size[1] / 2, size[2] / 2))
        now = placed(shape.p, shape.R, (shape.s[0] / 2, shape.s[1] / 2, shape.s[2] / 2))
        off = turned_back(R, minus(goal, now))
        move = [off[k] if k in along else 0.0 for k in range(3)]
        shape.p = placed(shape.p, R, (move[0], move[1], move[2]))

    return act


@operation("alignScopeToAxes")
def align_to_axes(op: s.Operation, env: Environment) -> Act:
    """Stand as the world does, alignScopeToAxes(); (y): only its y axis must."""
    given = Arguments(op, env)
    axis = given.word(0, ("x", "y", "z")) if given.count(0, 1) else ""

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        reframe(shape, _aligned(shape.R, "xyz".index(axis)) if axis else UPRIGHT)

    return act


def _aligned(R: Rotation, axis: int) -> Rotation:
    """The rotation turned the short way until one of its axes is the world's."""
    columns = np.array(R).reshape(3, 3)
    goal = np.eye(3)[:, axis]
    other = (axis + 1) % 3
    side = columns[:, other] - (columns[:, other] @ goal) * goal
    if np.linalg.norm(side) < 1e-9:
        side = np.eye(3)[:, other]
    side = side / np.linalg.norm(side)
    axes = {axis: goal, other: side, (axis + 2) % 3: np.cross(goal, side)}
    x, y, z = (tuple(axes[k].tolist()) for k in range(3))
    return from_axes(x, y, z)


@operation("rotateScope")
def rotate_scope(op: s.Operation, env: Environment) -> Act:
    """Turn the scope by degrees and not the geometry: rotateScope(x, y, z)."""
    given = Arguments(op, env)
    given.count(3)
    values = [given.length(k) for k in range(3)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        reframe(shape, product(shape.R, from_degrees(*[v(shape, args) for v in values])))

    return act


def reframe(shape: Shape, R: Rotation) -> None:
    """Give a shape a scope turned another way, around the same geometry."""
    if max(abs(a - b) for a, b in zip(R, shape.R, strict=True)) < 1e-12:
        return
    old, new = np.array(shape.R).reshape(3, 3), np.array(R).reshape(3, 3)
    points = (shape.geometry.points * shape.s) @ old.T @ new
    geometry, low, size = fitted(
        shape.geometry.name, points, shape.geometry.faces, smooth=shape.geometry.smooth
    )
    shape.p = placed(shape.p, R, tuple(low.tolist()))
    shape.R, shape.geometry, shape.s = R, geometry, tuple(size.tolist())


# Geometry -----------------------------------------------------------------------------------------


@operation("i")
def insert(op: s.Operation, env: Environment) -> Act:
    """Insert an asset, which fills the scope: i("box"), i("tree.obj"), i("figure.glb").

    i("tree.obj", zUp): one whose z axis points up; keepSizeAndPosition: as large as it is.
    Sizes of 0 take their share from those that are not; if all are 0 the asset has its own size.
    """
    given = Arguments(op, env)
    count = given.count(1, 2, 3)
    name = given.checked(given.positional[0], text)
    z_up = count > 1 and given.word(1, ("yUp", "zUp")) == "zUp"
    modes = ("alignSizeAndPosition", "keepSizeAndPosition")
    keeps = count > 2 and given.word(2, modes) == "keepSizeAndPosition"

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        find = guarded(env, op.at, lambda path: run.assets.get(path, env.module, z_up=z_up))
        asset = find(name(shape, args))
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

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        height = value(shape, args)
        axis = shape.geometry.flat
        if axis is None and direction is None:
            # It may still lie in a plane, across the scope's axes or by a size of 0.
            guarded(env, op.at, prism)(shape, height)
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
        pull = guarded(env, op.at, extruded)
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


REFUSED = frozenset(
    """copyUV deleteHoles deleteTags envelope footprint inline innerRect innerRectangle
    insertAlongUV intersect mirrorScope modify rectify reduceGeometry resetMaterial roofRidge
    setbackPerEdge setbackToArea setMaterial setNormals setPivot
    setTagsFromEdgeAttrs softenNormals splitAndSetbackPerimeter splitArea subtract tag taper trim
    union Roof Subdiv Repeat Comp""".split()  # noqa: SIM905 (a list this long is read as prose)
)
"""Operations of CGA that are not supported: refused by name."""
