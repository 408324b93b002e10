"""split: cut a shape along an axis of its scope or along its texture coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.expressions import compiled
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.productions import on_part, successor
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.texture import layer_number, unwrapped, whole_image
from supple.apps.grammar.evaluate.values import length
from supple.apps.grammar.geometry import clipping, uv
from supple.apps.grammar.geometry.split_sizes import Repeat, Size, shared
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import begin_part, finish_part


def split(op: s.Operation, env: Environment) -> Act:
    """Cut a shape along an axis.

    split(x){ 2 : A | ~1 : B | '0.2 : C }, split(u, unitSpace, 0){ ... }

    }* repeats a block, and blocks may be nested.
    """
    given = Arguments(op, env)
    if given.is_word(0) in ("u", "v"):
        return _along_texture(given, op, env)
    given.count(1, 2)
    axis = "xyz".index(given.word(0, ("x", "y", "z")))
    adjust = len(given.positional) == 1 or given.word(1, ("adjust", "noAdjust")) == "adjust"
    lay_out = layout(op, env)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        whole = shape.s[axis]
        found = lay_out(run, shape, args, whole)
        total = len(found)
        R, p, geometry = shape.R, shape.p, shape.geometry
        along = (R[axis], R[3 + axis], R[6 + axis])
        keeps = geometry.fills
        s0, s1, s2 = shape.s
        for index, (at, size, piece) in enumerate(found):
            short = on_part(piece) if keeps else None
            if short is not None:
                begins = (p[0] + along[0] * at, p[1] + along[1] * at, p[2] + along[2] * at)
                extent = (
                    (size, s1, s2) if axis == 0 else (s0, size, s2) if axis == 1 else (s0, s1, size)
                )
                short(run, shape, (index, total), begins, extent)
                continue
            part = begin_part(shape, "split", (index, total))
            part.p = (p[0] + along[0] * at, p[1] + along[1] * at, p[2] + along[2] * at)
            part.s = (
                size if axis == 0 else s0,
                size if axis == 1 else s1,
                size if axis == 2 else s2,
            )
            if not keeps and not _cut(part, shape, axis, at / whole, (at + size) / whole, adjust):
                continue
            finish_part(run, part, piece, args)
        shape.emit()

    return act


def _cut(part: Shape, shape: Shape, axis: int, low: float, high: float, adjust: bool) -> bool:
    """Give a part the slab of the shape's geometry between two planes; False if it is empty."""
    geometry, begins, extent = clipping.slab(shape.geometry, axis, low, high)
    if not geometry.faces:
        return False
    if adjust:
        part.p = shape.p
        part.fit(geometry, begins * shape.s, extent * shape.s)
    else:
        points = geometry.points * extent + begins
        points[:, axis] = (points[:, axis] - low) / (high - low)
        part.geometry = type(geometry)(
            geometry.name, points, geometry.faces, texcoords=geometry.texcoords
        )
    return True


def _along_texture(given: Arguments, op: s.Operation, env: Environment) -> Act:
    """Cut a surface along its texture coordinates.

    split(u, unitSpace, 0){ ... }

    Sizes are lengths over the surface, or with uvSpace fractions of the image.
    """
    given.count(3)
    which = ("u", "v").index(given.word(0, ("u", "v")))
    in_units = given.word(1, uv.SPACES) == "unitSpace"
    layer = given.checked(2, layer_number)
    lay_out = layout(op, env)
    unwrap = located(env, op.at, unwrapped)
    measure = located(env, op.at, uv.Unwrapped.unit)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        number = layer(shape, args)
        surface = unwrap(shape, number)
        if not surface.own and shape.material.layer(number).projection is None:
            # The parts keep the position of the image.
            old = shape.material.layer(number)
            shape.material = shape.material.with_layer(old._replace(projection=whole_image(shape)))
        least, greatest = surface.reach(which)
        unit = measure(surface, which) if in_units else 1.0
        found = lay_out(run, shape, args, (greatest - least) * unit)
        name = f"part of {shape.geometry.name}"
        for index, (at, size, piece) in enumerate(found):
            part = begin_part(shape, "split", (index, len(found)))
            low = least + at / unit
            found_part = uv.between(surface, which, (low, low + size / unit), name)
            if found_part is not None:
                part.fit(*found_part)
                finish_part(run, part, piece, args)
        shape.emit()

    return act


Found = list[tuple[float, float, Act]]


def layout(
    op: s.Operation, env: Environment
) -> Callable[[Run, Shape, tuple[Any, ...], float], Found]:
    """Compile the parts of a split: a function that gives (start, length, successor) of each."""
    if op.block is None:
        raise env.problem(op.at, "split: expected parts in braces")
    block = _sizes(op.block, env)
    share = located(env, op.at, shared)

    def lay_out(run: Run, shape: Shape, args: tuple[Any, ...], whole: float) -> Found:
        found = share(block(shape, args, whole), whole, run.limits.parts)
        run.count_parts(len(found))
        return found

    return lay_out


Layout = Callable[[Shape, tuple[Any, ...], float], list[Size | Repeat]]


def _sizes(block: s.Block, env: Environment) -> Layout:
    """Compile the sizes of a block to a function of the shape, the arguments and the length."""
    made: list[Any] = []
    for piece in block.pieces:
        if isinstance(piece, s.Block):
            made.append(_sizes(piece, env))
            continue
        if piece.merged:
            raise env.problem(piece.at, "split: expected ':' after a size, found '='")
        size = compiled(piece.selector, env)
        checked = located(env, piece.at, _size)
        made.append((piece.mark, size, checked, successor(piece.body, env)))

    def sizes(shape: Shape, args: tuple[Any, ...], whole: float) -> list[Size | Repeat]:
        found: list[Size | Repeat] = []
        for one in made:
            if isinstance(one, tuple):
                mark, size, checked, act = one
                found.append(checked(mark, size(shape, args), whole, act))
            else:
                found += one(shape, args, whole)
        return [Repeat(found)] if block.repeated else found

    return sizes


def _size(mark: str, value: Any, whole: float, payload: Any) -> Size:
    """A part from its size as written, with its mark."""
    number = length(value)
    if mark == "'":
        return Size(False, number * whole, payload)
    return Size(mark == "~", number, payload)
