"""Texture coordinates: how images lie over shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.grammar import syntax as s
from supple.grammar.arguments import Act, Arguments
from supple.grammar.expressions import Environment
from supple.grammar.operations import OPERATIONS, Build, operation
from supple.grammar.scope import ORIGIN, UPRIGHT
from supple.grammar.shape import Projection, Shape

if TYPE_CHECKING:
    from supple.grammar.derive import Derivation

PLANES = {
    "scope.xy": (0, 1), "scope.yx": (1, 0), "scope.xz": (0, 2), "scope.zx": (2, 0),
    "scope.yz": (1, 2), "scope.zy": (2, 1), "world.xy": (0, 1), "world.yx": (1, 0),
    "world.xz": (0, 2), "world.zx": (2, 0), "world.yz": (1, 2), "world.zy": (2, 1),
}  # fmt: skip


@operation("setupProjection")
def setup_projection(op: s.Operation, env: Environment) -> Act:
    """Say how much an image covers: setupProjection(0, scope.xy, width, height, [u, v, factor])."""
    given = Arguments(op, env, marks="'~")
    count = given.count(4, 6, 7)
    layer = given.length(0)
    plane = given.word(1, list(PLANES))
    axes, in_world = PLANES[plane], plane.startswith("world.")
    values = [given.length(k) for k in range(2, min(count, 6))]
    marks = [given.mark(k) for k in (2, 3)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        sizes = [value(shape, args) for value in values]
        for k in range(2):
            whole = 1.0 if in_world else shape.s[axes[k]]
            if marks[k] == "'":
                sizes[k] *= whole
            elif marks[k] == "~" and sizes[k] > 0 and whole > 0:
                sizes[k] = whole / max(round(whole / sizes[k]), 1)
            if sizes[k] <= 0:
                raise env.problem(op.at, "setupProjection: expected sizes above 0")
        offset = (sizes[2], sizes[3]) if len(sizes) > 2 else (0.0, 0.0)
        origin, rotation = (ORIGIN, UPRIGHT) if in_world else (shape.p, shape.R)
        setup = Projection(origin, rotation, axes, (sizes[0], sizes[1]), offset)
        shape.look = shape.look._replace(pending=setup)

    return act


def _only_layer(value: float, op: s.Operation, env: Environment) -> None:
    if value != 0.0:
        raise env.problem(op.at, f"{op.name}: only texture layer 0 is supported, got {value:g}")


@operation("projectUV")
def project_uv(op: s.Operation, env: Environment) -> Act:
    """Use the projection that was set up: projectUV(0)."""
    given = Arguments(op, env)
    given.count(1)
    layer = given.length(0)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        if shape.look.pending is None:
            raise env.problem(op.at, "projectUV: expected a setupProjection before it")
        shape.look = shape.look._replace(projection=shape.look.pending)

    return act


def _over(shape: Shape) -> Projection:
    """The image once over a shape: over its face, if it is flat, else over its front."""
    u, v = {0: (2, 1), 1: (0, 2)}.get(shape.geometry.flat, (0, 1))  # type: ignore[arg-type]
    size = (shape.s[u] or 1.0, shape.s[v] or 1.0)
    return Projection(shape.p, shape.R, (u, v), size)


@operation("tileUV")
def tile_uv(op: s.Operation, env: Environment) -> Act:
    """An image of a size again and again over a flat shape: tileUV(0, ~3, 3); 0: as it is."""
    given = Arguments(op, env, marks="'~")
    given.count(3)
    layer = given.length(0)
    values = [given.length(k) for k in (1, 2)]
    marks = [given.mark(k) for k in (1, 2)]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        if shape.geometry.flat is None:
            raise env.problem(op.at, "tileUV: expected a flat shape")
        plain = shape.look.projection or _over(shape)
        sizes = []
        for k in range(2):
            whole = shape.s[plain.axes[k]]
            size = values[k](shape, args) * (whole if marks[k] == "'" else 1.0)
            if size > 0 and marks[k] == "~" and whole > 0:
                size = whole / max(round(whole / size), 1)
            sizes.append(size if size > 0 else plain.size[k])
        new = plain._replace(size=(sizes[0], sizes[1]))
        shape.look = shape.look._replace(projection=new)

    return act


@operation("normalizeUV")
def normalize_uv(op: s.Operation, env: Environment) -> Act:
    """The image once over a flat shape: normalizeUV(0, uv, separatePerFace)."""
    given = Arguments(op, env)
    given.count(3)
    layer = given.length(0)
    which = given.word(1, ("u", "v", "uv"))
    given.word(2, ("separatePerFace", "collectiveAllFaces"))

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        if shape.geometry.flat is None or len(shape.geometry.faces) != 1:
            raise env.problem(op.at, "normalizeUV: expected a shape of one face")
        new, old = _over(shape), shape.look.projection or _over(shape)
        size = tuple((new if "uv"[k] in which else old).size[k] for k in range(2))
        new = new._replace(size=(size[0], size[1]))
        shape.look = shape.look._replace(projection=new)

    return act


@operation("deleteUV")
def delete_uv(op: s.Operation, env: Environment) -> Act:
    """The geometry's own texture coordinates again: deleteUV(0)."""
    given = Arguments(op, env)
    given.count(1)
    layer = given.length(0)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        _only_layer(layer(shape, args), op, env)
        shape.look = shape.look._replace(projection=None)

    return act


def _adjusting(change: Callable[[Projection, list[float]], Projection], count: int) -> Build:
    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        given.count(count + 1)
        layer = given.length(0)
        values = [given.length(1 + k) for k in range(count)]

        def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            _only_layer(layer(shape, args), op, env)
            old = shape.look.projection or _over(shape)
            new = change(old, [value(shape, args) for value in values])
            shape.look = shape.look._replace(projection=new)

        return act

    return build


OPERATIONS["scaleUV"] = _adjusting(
    lambda old, v: old._replace(scale=(old.scale[0] * v[0], old.scale[1] * v[1])), 2
)
OPERATIONS["translateUV"] = _adjusting(
    lambda old, v: old._replace(offset=(old.offset[0] + v[0], old.offset[1] + v[1])), 2
)
OPERATIONS["rotateUV"] = _adjusting(lambda old, v: old._replace(turn=old.turn + v[0]), 1)
