"""split: a shape cut along one of its axes, or along its texture coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.expressions import compiled
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.successors import successor
from supple.grammar.geometry import components as cutting
from supple.grammar.geometry.frames import placed
from supple.grammar.geometry.split_sizes import Repeat, Size, shared, sized
from supple.grammar.geometry.uv import SPACES, Unwrapped, between, layer_number, over, unwrapped
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.comp import begin, finish
from supple.grammar.operations.table import operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


@operation("split")
def split(op: s.Operation, env: Environment) -> Act:
    """A shape cut along an axis, with }* to repeat and blocks in blocks.

    split(x){ 2 : A | ~1 : B | '0.2 : C }, split(u, unitSpace, 0){ ... }
    """
    given = Arguments(op, env)
    if given.is_word(0) in ("u", "v"):
        return _along_texture(given, op, env)
    given.count(1, 2)
    axis = "xyz".index(given.word(0, ("x", "y", "z")))
    adjust = len(given.positional) == 1 or given.word(1, ("adjust", "noAdjust")) == "adjust"
    lay_out = _layout(op, env)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        whole = shape.s[axis]
        found = lay_out(run, shape, args, whole)
        total = len(found)
        R, p, geometry = shape.R, shape.p, shape.geometry
        along = (R[axis], R[3 + axis], R[6 + axis])
        keeps = geometry.fills
        for index, (at, size, piece) in enumerate(found):
            part = begin(shape, "split", (index, total))
            part.p = (p[0] + along[0] * at, p[1] + along[1] * at, p[2] + along[2] * at)
            s0, s1, s2 = shape.s
            part.s = (
                size if axis == 0 else s0,
                size if axis == 1 else s1,
                size if axis == 2 else s2,
            )
            if not keeps and not _cut(part, shape, axis, at / whole, (at + size) / whole, adjust):
                continue
            finish(run, part, piece, args)
        shape.emit()

    return act


def _cut(part: Shape, shape: Shape, axis: int, low: float, high: float, adjust: bool) -> bool:
    """Fill a part with what a slab of the shape's geometry holds; False if that is nothing."""
    geometry, begins, extent = cutting.slab(shape.geometry, axis, low, high)
    if not geometry.faces:
        return False
    if adjust:
        offset = begins * shape.s
        part.p = placed(shape.p, shape.R, tuple(offset.tolist()))
        part.s = tuple((extent * shape.s).tolist())
        part.geometry = geometry
    else:
        points = geometry.points * extent + begins
        points[:, axis] = (points[:, axis] - low) / (high - low)
        part.geometry = type(geometry)(
            geometry.name, points, geometry.faces, texcoords=geometry.texcoords
        )
    return True


def _along_texture(given: Arguments, op: s.Operation, env: Environment) -> Act:
    """A surface cut along its texture coordinates.

    split(u, unitSpace, 0){ ... }: sizes are lengths over the surface; uvSpace: of the image
    """
    given.count(3)
    which = ("u", "v").index(given.word(0, ("u", "v")))
    in_units = given.word(1, SPACES) == "unitSpace"
    layer = given.checked(2, layer_number)
    lay_out = _layout(op, env)
    unwrap = guarded(env, op.at, unwrapped)
    measure = guarded(env, op.at, Unwrapped.unit)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        number = layer(shape, args)
        surface = unwrap(shape, number)
        if not surface.own and shape.look.layer(number).projection is None:
            # Its parts lie under the image as it does.
            old = shape.look.layer(number)
            shape.look = shape.look.with_layer(old._replace(projection=over(shape)))
        least, greatest = surface.reach(which)
        unit = measure(surface, which) if in_units else 1.0
        found = lay_out(run, shape, args, (greatest - least) * unit)
        for index, (at, size, piece) in enumerate(found):
            part = begin(shape, "split", (index, len(found)))
            low = least + at / unit
            if between(shape, part, surface, which, (low, low + size / unit)):
                finish(run, part, piece, args)
        shape.emit()

    return act


Found = list[tuple[float, float, Act]]


def _layout(
    op: s.Operation, env: Environment
) -> Callable[[Derivation, Shape, tuple[Any, ...], float], Found]:
    """Where each part of a split begins, how long it is and what becomes of it."""
    if op.block is None:
        raise env.problem(op.at, "split: expected parts in braces")
    block = _sizes(op.block, env)
    share = guarded(env, op.at, shared)

    def lay_out(run: Derivation, shape: Shape, args: tuple[Any, ...], whole: float) -> Found:
        found = share(block(shape, args, whole), whole, run.limits.parts)
        run.taken_apart(len(found))
        return found

    return lay_out


Layout = Callable[[Shape, tuple[Any, ...], float], list[Size | Repeat]]


def _sizes(block: s.Block, env: Environment) -> Layout:
    """The parts of a block as a function of the shape, the arguments and the whole length."""
    made: list[Any] = []
    for piece in block.pieces:
        if isinstance(piece, s.Block):
            made.append(_sizes(piece, env))
            continue
        if piece.merged:
            raise env.problem(piece.at, "split: expected ':' after a size, found '='")
        size = compiled(piece.selector, env)
        checked = guarded(env, piece.at, sized)
        made.append((piece.mark, size, checked, successor(piece.body, env)))

    def layout(shape: Shape, args: tuple[Any, ...], whole: float) -> list[Size | Repeat]:
        found: list[Size | Repeat] = []
        for one in made:
            if isinstance(one, tuple):
                mark, size, checked, act = one
                found.append(checked(mark, size(shape, args), whole, act))
            else:
                found += one(shape, args, whole)
        return [Repeat(found)] if block.repeated else found

    return layout
