"""offset, setback, shapeL, shapeU and shapeO: strips along the edges of flat shapes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.productions import successor
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.selectors import Selects
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import length
from supple.apps.grammar.geometry import components
from supple.apps.grammar.geometry.footprints import (
    Faces,
    Footprint,
    face_footprints,
    flat_polygon,
    in_scope,
)
from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.mesh import NOTHING
from supple.apps.grammar.geometry.wavefront import Point, Swept, sweep
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.comp import selected
from supple.apps.grammar.operations.parts import begin_part, build_on, finish_part, footprint_of
from supple.errors import SuppleError


def _faces(swept: Swept, polygons: list[list[int]]) -> Faces:
    """Polygons of a sweep in the plane of the footprint."""
    return [(x, 0.0, -y) for x, y, _ in swept.nodes], [tuple(one) for one in polygons if one]


# Offset -------------------------------------------------------------------------------------------

KEEP = ("all", "inside", "border")


def offset(op: s.Operation, env: Environment) -> Act:
    """Move all edges of a flat shape, or of each face of a solid in the plane of the face.

    offset(-2), offset(-2, inside), offset(-2, border)

    Negative distances move inwards. inside keeps the new polygon, border the strips between the old and
    the new edges, all both. Outward strips face the other way, and lie on the enlarged polygon.
    """
    given = Arguments(op, env)
    keep = given.word(1, KEEP) if given.count(1, 2) == 2 else "all"
    distance = given.length(0)
    make = located(env, op.at, _offset)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is not NOTHING:
            make(shape, distance(shape, args), keep)

    return act


def _offset(shape: Shape, distance: float, keep: str) -> None:
    plans = face_footprints(shape.geometry, shape.s, "offset")
    name = f"offset of {shape.geometry.name}"
    if len(plans) == 1:
        build_on(shape, plans[0], _moved(plans[0], distance, keep), name)
        return
    parts = [part for plan in plans for part in in_scope(plan, _moved(plan, distance, keep))]
    if parts:
        shape.fit(*components.merged(parts, name))
    else:
        shape.s, shape.geometry = (0.0, 0.0, 0.0), NOTHING
    shape.made = True


def _moved(plan: Footprint, distance: float, keep: str) -> list[Faces]:
    """The polygons of a footprint with their edges moved, and the strips between."""
    inner: list[Faces] = []
    strips: list[Faces] = []
    for polygon in plan.polygons:
        if distance == 0.0:
            inner.append(flat_polygon(polygon))
            continue
        speed = 1.0 if distance < 0 else -1.0
        swept = sweep(polygon, [speed] * len(polygon), until=abs(distance))
        inner.append(_faces(swept, swept.rest))
        strips.append(_faces(swept, swept.faces))
    return (inner if keep != "border" else []) + (strips if keep != "inside" else [])


# Setback ------------------------------------------------------------------------------------------

Reach = Callable[[Shape, tuple[Any, ...], int, Vector], float]


def setback(op: s.Operation, env: Environment) -> Act:
    """Split a flat shape into strips along selected edges and the remainder.

    setback(3){ front : A | all = B | remainder : C }

    setback([1, 2, 3, 4]){ ... } gives one distance per edge.
    """
    given = Arguments(op, env)
    given.count(1)
    distance = given.checked(0, _distances)
    pieces = []
    for piece in _pieces(op, env):
        name = piece.selector.name if isinstance(piece.selector, s.Name) else ""
        rest = name == "remainder"
        pieces.append(
            (None if rest else selected(piece, env)[0], piece.merged, successor(piece.body, env))
        )
    make = located(env, op.at, _set_back)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is NOTHING:
            return
        far = distance(shape, args)
        takes = [None if take is None else take(shape, args) for take, _, _ in pieces]

        def reach(edge: int, normal: Vector) -> float:
            part = components.facing(normal)
            mine = any(take is not None and take(edge, part) for take in takes)
            return _of(far, edge) if mine else 0.0

        plan, found = make(shape, reach, op.name)
        for take, (_, merged, body) in zip(takes, pieces, strict=True):
            make_parts(run, shape, args, plan, _chosen(found, take), merged, body)
        shape.emit()

    return act


def _distances(value: Any) -> float | tuple[float, ...]:
    found = tuple(length(one) for one in value) if isinstance(value, tuple) else length(value)
    if min(found if isinstance(found, tuple) else (found,), default=0.0) < 0:
        raise SuppleError("expected distances of at least 0")
    return found


def _of(distances: float | tuple[float, ...], edge: int) -> float:
    if not isinstance(distances, tuple):
        return distances
    return distances[edge] if edge < len(distances) else 0.0


def _pieces(op: s.Operation, env: Environment) -> list[s.Piece]:
    pieces = [] if op.block is None or op.block.repeated else op.block.pieces
    found = [piece for piece in pieces if isinstance(piece, s.Piece) and not piece.mark]
    if not found or len(found) != len(pieces):
        raise env.problem(op.at, f"{op.name}: expected selectors in braces, and no '*'")
    return found


def shape_and_remainder(op: s.Operation, env: Environment) -> list[tuple[bool, bool, Act]]:
    """The parts of { shape : A | remainder = B }: True for shape, True to merge, and the successor."""
    found = []
    for piece in _pieces(op, env):
        name = piece.selector.name if isinstance(piece.selector, s.Name) else "something else"
        if name not in ("shape", "remainder"):
            raise env.problem(piece.at, f"{op.name}: expected shape or remainder, got {name}")
        found.append((name == "shape", piece.merged, successor(piece.body, env)))
    return found


Edges = list[tuple[Swept, list[Vector]]]


def _set_back(
    shape: Shape, reach: Callable[[int, Vector], float], what: str
) -> tuple[Footprint, Edges]:
    """The footprint, and for each of its polygons the swept strips and the normals of its edges."""
    plan = footprint_of(shape, what)
    found: Edges = []
    for polygon in plan.polygons:
        normals = [outwards(plan, polygon, k) for k in range(len(polygon))]
        speeds = [reach(k, normal) for k, normal in enumerate(normals)]
        found.append((sweep(polygon, speeds, until=1.0), normals))
    return plan, found


def outwards(plan: Footprint, polygon: list[Point], k: int) -> Vector:
    """Outward normal of an edge in the plane, in the scope's axes."""
    (x, y), (u, v) = polygon[k], polygon[(k + 1) % len(polygon)]
    across, towards = v - y, u - x  # (dy, -dx) in the plane, whose y is -z
    out = plan.axes[:, 0] * across + plan.axes[:, 2] * towards
    size = float((out @ out) ** 0.5)
    a, b, c = (float(value) / size for value in out)
    return a, b, c


def _chosen(found: Edges, take: Selects | None) -> list[Faces]:
    """The strips along selected edges, or for None the remaining polygons."""
    parts = []
    for swept, normals in found:
        if take is None:
            parts += [_faces(swept, [loop]) for loop in swept.rest]
            continue
        parts += [
            _faces(swept, [swept.faces[k]])
            for k, normal in enumerate(normals)
            if take(k, components.facing(normal)) and _wide(swept, k)
        ]
    return parts


def _wide(swept: Swept, edge: int) -> bool:
    """True if the strip of an edge has an area."""
    corners = [swept.nodes[k] for k in swept.faces[edge]]
    twice = sum(x * v - y * u for (x, y, _), (u, v, _) in pairwise([*corners, *corners[:1]]))
    return twice > 1e-9 * sum(abs(x) + abs(y) for x, y, _ in corners)


def _united(polygons: list[list[int]]) -> list[list[int]]:
    """Polygons that share edges merged to one, unless they enclose a hole."""
    runs = {run for polygon in polygons for run in pairwise([*polygon, polygon[0]])}
    follows = {a: b for a, b in runs if (b, a) not in runs}
    if not follows:
        return polygons
    loop = [next(iter(follows))]
    while (after := follows.pop(loop[-1], None)) is not None and after != loop[0]:
        loop.append(after)
    return polygons if follows else [loop]


def make_parts(
    run: Run,
    shape: Shape,
    args: tuple[Any, ...],
    plan: Footprint,
    parts: list[Faces],
    merged: bool,
    body: Act,
) -> None:
    """Create one shape per part, or one of all parts if `merged`."""
    groups = [parts] if merged and parts else [[one] for one in parts]
    run.count_parts(len(groups))
    for k, group in enumerate(groups):
        part = begin_part(shape, "comp", (k, len(groups)))
        build_on(part, plan, group, f"part of {shape.geometry.name}")
        part.made = False
        finish_part(run, part, body, args)


# Wings --------------------------------------------------------------------------------------------

WINGS = {
    "shapeL": ("front", "left"),
    "shapeU": ("front", "right", "left"),
    "shapeO": ("front", "right", "back", "left"),
}


def wings(op: s.Operation, env: Environment) -> Act:
    """Split a flat shape into wings along some sides, as one shape, and the remainder.

    shapeL(front, left){ shape : A | remainder : B }, shapeU, shapeO
    """
    given = Arguments(op, env)
    sides = WINGS[op.name]
    given.count(len(sides))
    widths = given.each(_distances)
    pieces = shape_and_remainder(op, env)
    make = located(env, op.at, _set_back)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        if shape.geometry is NOTHING:
            return
        given = dict(zip(sides, widths(shape, args), strict=True))

        def reach(edge: int, normal: Vector) -> float:
            return next((float(w) for k, w in given.items() if components.selects(k, normal)), 0.0)

        plan, found = make(shape, reach, op.name)
        for wings, merged, body in pieces:
            if not wings:
                parts = _chosen(found, None)
            else:
                strips = [[f for k, f in enumerate(one.faces) if _wide(one, k)] for one, _ in found]
                parts = [
                    _faces(one, _united(own))
                    for (one, _), own in zip(found, strips, strict=True)
                    if own
                ]
            make_parts(run, shape, args, plan, parts, merged, body)
        shape.emit()

    return act
