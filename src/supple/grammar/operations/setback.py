"""What lies along the edges of flat shapes: offset, setback, and footprints like an L, U or O."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.successors import successor
from supple.grammar.evaluate.values import length
from supple.grammar.geometry import components as cutting
from supple.grammar.geometry.footprints import Faces, Footprint, build, footprint
from supple.grammar.geometry.frames import Vector
from supple.grammar.geometry.wavefront import Point, Swept, sweep
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.comp import Taking, begin, chosen_by, finish
from supple.grammar.operations.table import BLOCKS, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation


def _faces(swept: Swept, polygons: list[list[int]]) -> Faces:
    """Polygons that lie in the plane again."""
    return [(x, 0.0, -y) for x, y, _ in swept.nodes], [tuple(one) for one in polygons if one]


# Offset -------------------------------------------------------------------------------------------

KEEP = ("all", "inside", "border")


@operation("offset")
def offset(op: s.Operation, env: Environment) -> Act:
    """Move all edges of a flat shape, inwards where the distance is below 0.

    offset(-2), offset(-2, inside), offset(-2, border)

    Kept is the polygon that is left, the strips along its edges, or both; of a polygon that grows,
    both are the old one and the strips around it.
    """
    given = Arguments(op, env)
    keep = given.word(1, KEEP) if given.count(1, 2) == 2 else "all"
    distance = given.length(0)
    make = guarded(env, op.at, _offset)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        make(shape, distance(shape, args), keep)

    return act


def _offset(shape: Shape, distance: float, keep: str) -> None:
    plan = footprint(shape, "offset")
    inner: list[Faces] = []
    strips: list[Faces] = []
    for polygon in plan.polygons:
        if distance == 0.0:
            inner.append(([(x, 0.0, -y) for x, y in polygon], [tuple(range(len(polygon)))]))
            continue
        speed = 1.0 if distance < 0 else -1.0
        swept = sweep(polygon, [speed] * len(polygon), until=abs(distance))
        middle = swept.rest if distance < 0 or keep == "inside" else [list(range(len(polygon)))]
        inner.append(_faces(swept, middle))
        # Outwards a strip lies on the other side of its edge, and is seen from below.
        strips.append(_faces(swept, [f if distance < 0 else f[::-1] for f in swept.faces]))
    kept = (inner if keep != "border" else []) + (strips if keep != "inside" else [])
    build(shape, plan, kept, f"offset of {shape.geometry.name}")


# Setback ------------------------------------------------------------------------------------------

Reach = Callable[[Shape, tuple[Any, ...], int, Vector], float]
BLOCKS.update(("setback", "shapeL", "shapeU", "shapeO"))


@operation("setback")
def setback(op: s.Operation, env: Environment) -> Act:
    """Strips along chosen edges, and what is left.

    setback(3){ front : A | all = B | remainder : C }, setback([1, 2, 3, 4]){ ... }: for each edge
    """
    given = Arguments(op, env)
    given.count(1)
    distance = given.checked(0, _distances)
    pieces = []
    for piece in _pieces(op, env):
        name = piece.selector.name if isinstance(piece.selector, s.Name) else ""
        rest = name == "remainder"
        pieces.append(
            (None if rest else chosen_by(piece, env)[0], piece.merged, successor(piece.body, env))
        )
    make = guarded(env, op.at, _set_back)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        far = distance(shape, args)
        takes = [None if take is None else take(shape, args) for take, _, _ in pieces]

        def reach(edge: int, normal: Vector) -> float:
            part = cutting.facing(normal)
            mine = any(take is not None and take(edge, part) for take in takes)
            return _of(far, edge) if mine else 0.0

        plan, found = make(shape, reach, op.name)
        for take, (_, merged, body) in zip(takes, pieces, strict=True):
            give(run, shape, args, plan, _chosen(found, take), merged, body)
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


def shape_or_rest(op: s.Operation, env: Environment) -> list[tuple[bool, bool, Act]]:
    """The pieces of { shape : A | remainder = B }: which of both, whether as one, what becomes."""
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
    """For each polygon of a shape what lies along its edges and what is left, and how they face."""
    plan = footprint(shape, what)
    found: Edges = []
    for polygon in plan.polygons:
        normals = [_outwards(plan, polygon, k) for k in range(len(polygon))]
        speeds = [reach(k, normal) for k, normal in enumerate(normals)]
        found.append((sweep(polygon, speeds, until=1.0), normals))
    return plan, found


def _outwards(plan: Footprint, polygon: list[Point], k: int) -> Vector:
    """Where an edge faces, in the plane, in the shape's own axes."""
    (x, y), (u, v) = polygon[k], polygon[(k + 1) % len(polygon)]
    across, towards = v - y, u - x  # (dy, -dx) in the plane, whose y is -z
    out = plan.axes[:, 0] * across + plan.axes[:, 2] * towards
    size = float((out @ out) ** 0.5)
    a, b, c = (float(value) / size for value in out)
    return a, b, c


def _chosen(found: Edges, take: Taking | None) -> list[Faces]:
    """The strips of edges that a selector takes, or what is left; a part for each polygon."""
    parts = []
    for swept, normals in found:
        if take is None:
            parts += [_faces(swept, [loop]) for loop in swept.rest]
            continue
        parts += [
            _faces(swept, [swept.faces[k]])
            for k, normal in enumerate(normals)
            if take(k, cutting.facing(normal)) and _wide(swept, k)
        ]
    return parts


def _wide(swept: Swept, edge: int) -> bool:
    """Whether an edge has passed over anything."""
    places = [swept.nodes[k] for k in swept.faces[edge]]
    twice = sum(x * v - y * u for (x, y, _), (u, v, _) in pairwise([*places, *places[:1]]))
    return twice > 1e-9 * sum(abs(x) + abs(y) for x, y, _ in places)


def _united(polygons: list[list[int]]) -> list[list[int]]:
    """Polygons that share edges as one, unless there is a hole between them."""
    runs = {run for polygon in polygons for run in pairwise([*polygon, polygon[0]])}
    follows = {a: b for a, b in runs if (b, a) not in runs}
    if not follows:
        return polygons
    loop = [next(iter(follows))]
    while (after := follows.pop(loop[-1], None)) is not None and after != loop[0]:
        loop.append(after)
    return polygons if follows else [loop]


def give(
    run: Derivation,
    shape: Shape,
    args: tuple[Any, ...],
    plan: Footprint,
    parts: list[Faces],
    merged: bool,
    body: Act,
) -> None:
    """Shapes for the parts, one each or all as one."""
    groups = [parts] if merged and parts else [[one] for one in parts]
    run.taken_apart(len(groups))
    for k, group in enumerate(groups):
        part = begin(shape, "comp", (k, len(groups)))
        build(part, plan, group, f"part of {shape.geometry.name}")
        part.made = False
        finish(run, part, body, args)


# Wings --------------------------------------------------------------------------------------------

WINGS = {
    "shapeL": ("front", "left"),
    "shapeU": ("front", "right", "left"),
    "shapeO": ("front", "right", "back", "left"),
}


def _wings(op: s.Operation, env: Environment) -> Act:
    """A footprint with wings along some sides: shapeL(front, left){ shape : A | remainder : B }."""
    given = Arguments(op, env)
    sides = WINGS[op.name]
    given.count(len(sides))
    widths = given.each(_distances)
    pieces = shape_or_rest(op, env)
    make = guarded(env, op.at, _set_back)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        given = dict(zip(sides, widths(shape, args), strict=True))

        def reach(edge: int, normal: Vector) -> float:
            return next((float(w) for k, w in given.items() if cutting.selects(k, normal)), 0.0)

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
            give(run, shape, args, plan, parts, merged, body)
        shape.emit()

    return act


for _name in WINGS:
    operation(_name)(_wings)
