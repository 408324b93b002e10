"""Taking a shape apart: split along an axis, and comp into faces, edges and corners."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar import cutting
from supple.grammar import syntax as s
from supple.grammar.arguments import Act, Arguments
from supple.grammar.expressions import Environment, compiled, guarded, numeric
from supple.grammar.geometry import BOX, Floats, Polygon
from supple.grammar.operations import operation
from supple.grammar.scope import Vector, placed, product
from supple.grammar.shape import Shape
from supple.grammar.splitting import Repeat, Size, shared, sized
from supple.grammar.successors import successor

if TYPE_CHECKING:
    from supple.grammar.derive import Derivation


# Parts of a shape ---------------------------------------------------------------------------------


def _begin(shape: Shape, kind: str, place: tuple[int, int]) -> Shape:
    """A part of a shape: its operations still belong to the shape's own rule."""
    part = shape.child(shape.name)
    part.depth, part.index = shape.depth, shape.index
    setattr(part, kind, place)
    return part


def _finish(run: Derivation, part: Shape, act: Act, args: tuple[Any, ...]) -> None:
    part.outer = (part.p, part.R, part.s)
    act(run, part, args)
    if part.made or not part.emitted:
        run.leave(part)


@operation("split")
def split(op: s.Operation, env: Environment) -> Act:
    """A shape cut along an axis, with }* to repeat and blocks in blocks.

    split(x){ 2 : A | ~1 : B | '0.2 : C }
    """
    given = Arguments(op, env)
    word = given.is_word(0)
    if word in ("u", "v"):
        raise env.problem(
            op.at, f"split({word}): splitting along texture coordinates is not supported"
        )
    given.count(1, 2)
    axis = "xyz".index(given.word(0, ("x", "y", "z")))
    adjust = len(given.positional) == 1 or given.word(1, ("adjust", "noAdjust")) == "adjust"
    if op.block is None:
        raise env.problem(op.at, "split: expected parts in braces")
    block = _sizes(op.block, env)
    lay_out = guarded(env, op.at, shared)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        whole = shape.s[axis]
        parts = block(shape, args, whole)
        found = lay_out(parts, whole, run.limits.parts)
        total = len(found)
        run.taken_apart(total)
        R, p, geometry = shape.R, shape.p, shape.geometry
        along = (R[axis], R[3 + axis], R[6 + axis])
        keeps = geometry.fills
        for index, (at, size, piece) in enumerate(found):
            part = _begin(shape, "split", (index, total))
            part.p = (p[0] + along[0] * at, p[1] + along[1] * at, p[2] + along[2] * at)
            s0, s1, s2 = shape.s
            part.s = (
                size if axis == 0 else s0,
                size if axis == 1 else s1,
                size if axis == 2 else s2,
            )
            if not keeps and not _cut(part, shape, axis, at / whole, (at + size) / whole, adjust):
                continue
            _finish(run, part, piece, args)
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
        part.geometry = type(geometry)(geometry.name, points, geometry.faces)
    return True


Layout = Callable[[Shape, tuple[Any, ...], float], list[Size | Repeat]]


def _sizes(block: s.Block, env: Environment, *, inner: bool = False) -> Layout:
    """The parts of a block as a function of the shape, the arguments and the whole length."""
    made: list[Any] = []
    for piece in block.pieces:
        if isinstance(piece, s.Block):
            made.append(_sizes(piece, env, inner=True))
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


# Components ---------------------------------------------------------------------------------------

KINDS: dict[str, Callable[..., list[cutting.Part]]] = {
    "f": cutting.faces,
    "e": cutting.edges,
    "v": cutting.corners,
}


@operation("comp")
def comp(op: s.Operation, env: Environment) -> Act:
    """Faces (f), edges (e) or corners (v) of a shape.

    comp(f){ front : A | side : B | all = C }

    Each goes to the first selector that takes it; with "=" all that a selector takes are one shape.
    """
    given = Arguments(op, env)
    given.count(1)
    kind = given.is_word(0) or ""
    if kind in ("fe", "g", "m", "h"):
        raise env.problem(
            op.at, f"comp({kind}) is not supported: there are comp(f), comp(e), comp(v)"
        )
    components = KINDS[given.word(0, list(KINDS))]
    if op.block is None or op.block.repeated:
        raise env.problem(op.at, "comp: expected selectors in braces, and no '*'")
    pieces = [_selector(piece, env) for piece in op.block.pieces]

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        parts = components(shape.geometry, shape.s)
        left = list(range(len(parts)))
        total = len(parts)
        for takes, merged, body in pieces:
            wanted = takes(shape, args)
            mine = [k for k in left if wanted(k, parts[k].normal)]
            if not mine:
                continue
            left = [k for k in left if k not in mine] if len(mine) < len(left) else []
            if merged:
                _finish(run, _together(shape, [parts[k] for k in mine], total), body, args)
                continue
            for k in mine:
                part = _begin(shape, "comp", (k, total))
                own = parts[k]
                part.p = placed(shape.p, shape.R, own.offset)
                if own.rotation is not None:
                    part.R = product(shape.R, own.rotation)
                part.s, part.geometry = own.size, own.geometry
                _finish(run, part, body, args)
        shape.emit()

    return act


Taking = Callable[[int, Vector], bool]


def _selector(
    piece: s.Piece | s.Block, env: Environment
) -> tuple[Callable[[Shape, tuple[Any, ...]], Taking], bool, Act]:
    if isinstance(piece, s.Block):
        raise env.problem(piece.at, "comp: expected a selector, found '{'")
    if piece.mark:
        raise env.problem(piece.at, f"comp: expected a selector, found {piece.mark!r}")
    body = successor(piece.body, env)
    node = piece.selector
    if isinstance(node, s.Name) and node.name in cutting.SELECTORS:
        name = node.name

        def by_name(shape: Shape, args: tuple[Any, ...]) -> Taking:
            return lambda k, normal: cutting.selects(name, normal)

        return by_name, piece.merged, body
    if isinstance(node, s.Name) and "." in node.name or isinstance(node, s.Name) and node.name in (
        "border", "inside", "eave", "hip", "valley", "ridge",
    ):  # fmt: skip
        raise env.problem(node.at, f"the selector {node.name!r} is not supported")
    index = numeric(node, env)

    def by_index(shape: Shape, args: tuple[Any, ...]) -> Taking:
        wanted = index(shape, args)
        return lambda k, normal: k == wanted

    return by_index, piece.merged, body


def _together(shape: Shape, parts: list[cutting.Part], total: int) -> Shape:
    """Several components as one shape in the axes of the shape they come from."""
    part = _begin(shape, "comp", (0, total))
    polygons: list[tuple[Floats, list[Polygon]]] = []
    for own in parts:
        turn = np.eye(3) if own.rotation is None else np.array(own.rotation).reshape(3, 3)
        points = (own.geometry.points * own.size) @ turn.T + own.offset
        polygons.append((points, own.geometry.faces))
    if all(not faces for _, faces in polygons):
        raise SuppleError("comp: '=' puts faces together; edges and corners have none")
    geometry, low, size = cutting.merged(polygons)
    if len(parts) == 6 and shape.geometry is BOX:
        geometry = BOX
    part.p = placed(shape.p, shape.R, tuple(low.tolist()))
    part.s, part.geometry = tuple(size.tolist()), geometry
    return part
