"""Texture coordinates on ten layers: setupProjection, projectUV, tileUV, ...

Layer 0 has the colour image, which is drawn. The other layers are kept with the shape, and split(u)
can cut along any of them.
"""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.material import Layer
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.texture import layer_number, whole_image
from supple.apps.grammar.geometry.frames import ORIGIN, UPRIGHT
from supple.apps.grammar.geometry.uv import Projection
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError

PLANES = {
    "scope.xy": (0, 1), "scope.yx": (1, 0), "scope.xz": (0, 2), "scope.zx": (2, 0),
    "scope.yz": (1, 2), "scope.zy": (2, 1), "world.xy": (0, 1), "world.yx": (1, 0),
    "world.xz": (0, 2), "world.zx": (2, 0), "world.yz": (1, 2), "world.zy": (2, 1),
}  # fmt: skip


def setup_projection(op: s.Operation, env: Environment) -> Act:
    """Set the size of an image.

    setupProjection(0, scope.xy, width, height, [u, v], [factor])
    """
    given = Arguments(op, env, marks="'~")
    # A single fifth argument is the factor, which is ignored.
    shifted = given.count(4, 5, 6, 7) > 5
    layer = given.checked(0, layer_number)
    plane = given.word(1, list(PLANES))
    axes, in_world = PLANES[plane], plane.startswith("world.")
    values, marks = given.lengths(2, 6 if shifted else 4), given.marks(2, 4)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        wide, high, *offset = values(shape, args)
        whole = (1.0, 1.0) if in_world else (shape.s[axes[0]], shape.s[axes[1]])
        size = (_covered(wide, marks[0], whole[0]), _covered(high, marks[1], whole[1]))
        if min(size) <= 0:
            raise env.problem(op.at, "setupProjection: expected sizes above 0")
        origin, rotation = (ORIGIN, UPRIGHT) if in_world else (shape.p, shape.R)
        setup = Projection(origin, rotation, axes, size, tuple(offset) or (0.0, 0.0))  # type: ignore[arg-type]
        old = shape.material.layer(layer(shape, args))
        shape.material = shape.material.with_layer(old._replace(pending=setup))

    return act


def _covered(size: float, mark: str, whole: float) -> float:
    """The size of an image: 'x relative to a length, ~x so that it fits a whole number of times."""
    if mark == "'":
        return size * whole
    if mark == "~" and size > 0 and whole > 0:
        return whole / max(round(whole / size), 1)
    return size


def _set_projection(shape: Shape, layer: int, projection: Projection) -> None:
    """Set the projection of a layer."""
    old = shape.material.layer(layer)
    shape.material = shape.material.with_layer(old._replace(projection=projection))


def _projection(shape: Shape, layer: int) -> Projection:
    """The projection of a layer; by default one image over the shape."""
    return shape.material.layer(layer).projection or whole_image(shape)


def project_uv(run: Run, shape: Shape, layer: int) -> None:
    """Apply the projection that was set up; without one the image covers the scope.

    projectUV(0)
    """
    pending = shape.material.layer(layer).pending
    _set_projection(shape, layer, whole_image(shape) if pending is None else pending)


def tile_uv(op: s.Operation, env: Environment) -> Act:
    """Repeat an image of that size over a shape; 0 keeps the size.

    tileUV(0, ~3, 3)

    On a solid each face is projected along the axis of the scope that its normal is closest to.
    """
    given = Arguments(op, env, marks="'~")
    given.count(3)
    layer = given.checked(0, layer_number)
    values, marks = given.lengths(1), given.marks(1)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        which = layer(shape, args)
        plain = _projection(shape, which)
        if shape.geometry.flat is None:
            plain = plain._replace(boxed=True)
        asked = zip(values(shape, args), marks, plain.axes, strict=True)
        wide, high = (_covered(size, mark, shape.s[axis]) for size, mark, axis in asked)
        size = (wide if wide > 0 else plain.size[0], high if high > 0 else plain.size[1])
        _set_projection(shape, which, plain._replace(size=size))

    return act


def normalize_uv(op: s.Operation, env: Environment) -> Act:
    """Fit one image to a flat shape.

    normalizeUV(0, uv, separatePerFace)
    """
    given = Arguments(op, env)
    given.count(3)
    layer = given.checked(0, layer_number)
    which = given.word(1, ("u", "v", "uv"))
    together = given.word(2, ("separatePerFace", "collectiveAllFaces")) == "collectiveAllFaces"
    normalize = located(env, op.at, _normalized)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        normalize(shape, layer(shape, args), which, together)

    return act


def _normalized(shape: Shape, layer: int, which: str, together: bool) -> None:
    if shape.geometry.flat is None or (len(shape.geometry.faces) != 1 and not together):
        raise SuppleError("normalizeUV: expected a shape of one face")
    new, old = whole_image(shape), _projection(shape, layer)
    wide, high = ((new if "uv"[k] in which else old).size[k] for k in range(2))
    _set_projection(shape, layer, new._replace(size=(wide, high)))


def delete_uv(run: Run, shape: Shape, layer: int) -> None:
    """Restore the geometry's own texture coordinates.

    deleteUV(0)
    """
    shape.material = shape.material.with_layer(Layer(layer, shape.material.layer(layer).pending))


def copy_uv(run: Run, shape: Shape, source: int, target: int) -> None:
    """Copy texture coordinates to another layer.

    copyUV(0, 1)
    """
    projection = shape.material.layer(source).projection
    if projection is None and (source or shape.geometry.texcoords is not None):
        raise SuppleError(f"copyUV: expected a projectUV({source}) before it")
    _set_projection(shape, target, projection or whole_image(shape))


def scale_uv(run: Run, shape: Shape, layer: int, u: float, v: float) -> None:
    """Scale texture coordinates.

    scaleUV(0, 2, 2)
    """
    old = _projection(shape, layer)
    _set_projection(shape, layer, old._replace(scale=(old.scale[0] * u, old.scale[1] * v)))


def translate_uv(run: Run, shape: Shape, layer: int, u: float, v: float) -> None:
    """Translate texture coordinates.

    translateUV(0, 0.5, 0)
    """
    old = _projection(shape, layer)
    _set_projection(shape, layer, old._replace(offset=(old.offset[0] + u, old.offset[1] + v)))


def rotate_uv(run: Run, shape: Shape, layer: int, degrees: float) -> None:
    """Rotate texture coordinates by degrees.

    rotateUV(0, 90)
    """
    old = _projection(shape, layer)
    _set_projection(shape, layer, old._replace(turn=old.turn + degrees))
