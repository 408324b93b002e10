"""comp: split a shape into its faces, edges or vertices, by selectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.expressions import numeric
from supple.apps.grammar.evaluate.modules import Act, Environment
from supple.apps.grammar.evaluate.productions import successor
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.selectors import KINDS, Selector, selector
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import components
from supple.apps.grammar.geometry.frames import placed, product
from supple.apps.grammar.geometry.mesh import BOX
from supple.apps.grammar.geometry.polygons import Floats, Polygon
from supple.apps.grammar.geometry.trimming import Neighbours
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.parts import begin_part, finish_part
from supple.errors import SuppleError


def comp(op: s.Operation, env: Environment) -> Act:
    """Split a shape into its faces (f), edges (e), edges of each face (fe) or vertices (v).

    comp(f){ front : A | side : B | all = C }

    Each component goes to the first selector that takes it; with "=" all components of a selector
    form one shape.
    """
    given = Arguments(op, env)
    given.count(1)
    kind = given.is_word(0) or ""
    if kind in ("g", "m", "h"):
        raise env.problem(
            op.at, f"comp({kind}) is not supported: there are comp(f), comp(e), comp(fe), comp(v)"
        )
    find = KINDS[given.word(0, list(KINDS))]
    if op.block is None or op.block.repeated:
        raise env.problem(op.at, "comp: expected selectors in braces, and no '*'")
    pieces = [(*selected(piece, env), selector_name(piece)) for piece in op.block.pieces]

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        run.record(shape)
        parts = find(shape.geometry, shape.s)
        neighbours = Neighbours(shape.geometry, shape.scope) if find is components.faces else None
        left = list(range(len(parts)))
        total = len(parts)
        for takes, merged, body, name in pieces:
            wanted = takes(shape, args)
            mine = [k for k in left if wanted(k, parts[k])]
            if not mine:
                continue
            left = [k for k in left if k not in mine] if len(mine) < len(left) else []
            if merged:
                one = _together(shape, [parts[k] for k in mine], (0, total, name))
                finish_part(run, one, body, args)
                continue
            for k in mine:
                part = begin_part(shape, "comp", (k, total, name))
                own = parts[k]
                part.p = placed(shape.p, shape.R, own.offset)
                if own.rotation is not None:
                    part.R = product(shape.R, own.rotation)
                part.s, part.geometry = own.size, own.geometry
                part.trim = None if neighbours is None else (neighbours, own.face)
                finish_part(run, part, body, args)
        shape.emit()

    return act


def selected(piece: s.Piece | s.Block, env: Environment) -> tuple[Selector, bool, Act]:
    """A part of comp: the test of its selector, True to merge its components, and its successor."""
    if isinstance(piece, s.Block):
        raise env.problem(piece.at, "comp: expected a selector, found '{'")
    if piece.mark:
        raise env.problem(piece.at, f"comp: expected a selector, found {piece.mark!r}")
    body = successor(piece.body, env)
    return selector(piece.selector, env, numeric), piece.merged, body


def selector_name(piece: s.Piece | s.Block) -> str:
    """The value of `comp.sel`: the selector's name, or ""."""
    node = piece.selector if isinstance(piece, s.Piece) else None
    return node.name if isinstance(node, s.Name) else ""


def _together(shape: Shape, parts: list[components.Part], index: tuple[int, int, str]) -> Shape:
    """Several components as one shape, in the axes of the original shape."""
    part = begin_part(shape, "comp", index)
    part.trim = None
    polygons: list[tuple[Floats, list[Polygon]]] = []
    for own in parts:
        turn = np.eye(3) if own.rotation is None else np.array(own.rotation).reshape(3, 3)
        points = (own.geometry.points * own.size) @ turn.T + own.offset
        polygons.append((points, own.geometry.faces))
    if all(not faces for _, faces in polygons):
        raise SuppleError("comp: '=' merges faces, not edges or vertices")
    geometry, low, size = components.merged(polygons)
    part.fit(BOX if len(parts) == 6 and shape.geometry is BOX else geometry, low, size)
    return part
