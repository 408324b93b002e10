"""Texture coordinates: how images lie over shapes, on ten layers as CGA has them.

The colour image uses layer 0, which is drawn. The other layers are kept with the shape, and split(u)
cuts along any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Layer, Projection, Shape
from supple.grammar.evaluate.values import length
from supple.grammar.geometry.frames import ORIGIN, UPRIGHT
from supple.grammar.geometry.uv import layer_number, over
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import of_values, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

PLANES = {
    "scope.xy": (0, 1), "scope.yx": (1, 0), "scope.xz": (0, 2), "scope.zx": (2, 0),
    "scope.yz": (1, 2), "scope.zy": (2, 1), "world.xy": (0, 1), "world.yx": (1, 0),
    "world.xz": (0, 2), "world.zx": (2, 0), "world.yz": (1, 2), "world.zy": (2, 1),
}  # fmt: skip


@operation("setupProjection")
def setup_projection(op: s.Operation, env: Environment) -> Act:
    """Say how much an image covers: setupProjection(0, scope.xy, width, height, [u, v], [factor])."""
    given = Arguments(op, env, marks="'~")
    shifted = (
        given.count(4, 5, 6, 7) > 5
    )  # a single fifth argument is the factor, which is not drawn
    layer = given.checked(0, layer_number)
    plane = given.word(1, list(PLANES))
    axes, in_world = PLANES[plane], plane.startswith("world.")
    values, marks = given.lengths(2, 6 if shifted else 4), given.marks(2, 4)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        wide, high, *offset = values(shape, args)
        whole = (1.0, 1.0) if in_world else (shape.s[axes[0]], shape.s[axes[1]])
        size = (_covered(wide, marks[0], whole[0]), _covered(high, marks[1], whole[1]))
        if min(size) <= 0:
            raise env.problem(op.at, "setupProjection: expected sizes above 0")
        origin, rotation = (ORIGIN, UPRIGHT) if in_world else (shape.p, shape.R)
        setup = Projection(origin, rotation, axes, size, tuple(offset) or (0.0, 0.0))  # type: ignore[arg-type]
        old = shape.look.layer(layer(shape, args))
        shape.look = shape.look.with_layer(old._replace(pending=setup))

    return act


def _covered(size: float, mark: str, whole: float) -> float:
    """How much an image covers: 'x of a length, or ~x as nearly as makes it come a whole time."""
    if mark == "'":
        return size * whole
    if mark == "~" and size > 0 and whole > 0:
        return whole / max(round(whole / size), 1)
    return size


def _lay(shape: Shape, layer: int, projection: Projection) -> None:
    """Have an image lie so from now on."""
    old = shape.look.layer(layer)
    shape.look = shape.look.with_layer(old._replace(projection=projection))


def _lies(shape: Shape, layer: int) -> Projection:
    """How an image lies now; once over the shape, if nothing was said."""
    return shape.look.layer(layer).projection or over(shape)


@of_values("projectUV", layer_number)
def project_uv(run: Derivation, shape: Shape, layer: int) -> None:
    """Use the projection that was set up: projectUV(0)."""
    pending = shape.look.layer(layer).pending
    if pending is None:
        raise SuppleError(f"projectUV: expected a setupProjection({layer}, ...) before it")
    _lay(shape, layer, pending)


@operation("tileUV")
def tile_uv(op: s.Operation, env: Environment) -> Act:
    """An image of a size again and again over a flat shape: tileUV(0, ~3, 3); 0: as it is."""
    given = Arguments(op, env, marks="'~")
    given.count(3)
    layer = given.checked(0, layer_number)
    values, marks = given.lengths(1), given.marks(1)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry.flat is None:
            raise env.problem(op.at, "tileUV: expected a flat shape")
        which = layer(shape, args)
        plain = _lies(shape, which)
        asked = zip(values(shape, args), marks, plain.axes, strict=True)
        wide, high = (_covered(size, mark, shape.s[axis]) for size, mark, axis in asked)
        size = (wide if wide > 0 else plain.size[0], high if high > 0 else plain.size[1])
        _lay(shape, which, plain._replace(size=size))

    return act


@operation("normalizeUV")
def normalize_uv(op: s.Operation, env: Environment) -> Act:
    """The image once over a flat shape: normalizeUV(0, uv, separatePerFace)."""
    given = Arguments(op, env)
    given.count(3)
    layer = given.checked(0, layer_number)
    which = given.word(1, ("u", "v", "uv"))
    together = given.word(2, ("separatePerFace", "collectiveAllFaces")) == "collectiveAllFaces"
    normalize = guarded(env, op.at, _normalized)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        normalize(shape, layer(shape, args), which, together)

    return act


def _normalized(shape: Shape, layer: int, which: str, together: bool) -> None:
    if shape.geometry.flat is None or (len(shape.geometry.faces) != 1 and not together):
        raise SuppleError("normalizeUV: expected a shape of one face")
    new, old = over(shape), _lies(shape, layer)
    wide, high = ((new if "uv"[k] in which else old).size[k] for k in range(2))
    _lay(shape, layer, new._replace(size=(wide, high)))


@of_values("deleteUV", layer_number)
def delete_uv(run: Derivation, shape: Shape, layer: int) -> None:
    """The geometry's own texture coordinates again: deleteUV(0)."""
    shape.look = shape.look.with_layer(Layer(layer, shape.look.layer(layer).pending))


@of_values("copyUV", layer_number, layer_number)
def copy_uv(run: Derivation, shape: Shape, source: int, target: int) -> None:
    """The texture coordinates of one layer on another: copyUV(0, 1)."""
    projection = shape.look.layer(source).projection
    if projection is None and (source or shape.geometry.texcoords is not None):
        raise SuppleError(f"copyUV: expected a projectUV({source}) before it")
    _lay(shape, target, projection or over(shape))


@of_values("scaleUV", layer_number, length, length)
def scale_uv(run: Derivation, shape: Shape, layer: int, u: float, v: float) -> None:
    """Texture coordinates times so much: scaleUV(0, 2, 2)."""
    old = _lies(shape, layer)
    _lay(shape, layer, old._replace(scale=(old.scale[0] * u, old.scale[1] * v)))


@of_values("translateUV", layer_number, length, length)
def translate_uv(run: Derivation, shape: Shape, layer: int, u: float, v: float) -> None:
    """Texture coordinates moved by so much: translateUV(0, 0.5, 0)."""
    old = _lies(shape, layer)
    _lay(shape, layer, old._replace(offset=(old.offset[0] + u, old.offset[1] + v)))


@of_values("rotateUV", layer_number, length)
def rotate_uv(run: Derivation, shape: Shape, layer: int, degrees: float) -> None:
    """Texture coordinates turned: rotateUV(0, 90)."""
    old = _lies(shape, layer)
    _lay(shape, layer, old._replace(turn=old.turn + degrees))
