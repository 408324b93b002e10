"""Roofs on flat shapes: hip, gable, shed and pyramid.

The scope's y axis is then the way the shape faced, its x axis the old one as far as it can be. The
first face is the shape itself, turned down; then come gables or sides, then the roof's planes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.values import truth
from supple.grammar.geometry.footprints import Faces, build, footprint
from supple.grammar.geometry.wavefront import Node, Point, Swept, sweep
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

Roof = Callable[..., Faces]
MOST_STEEP = 89.9  # degrees


def _roof(name: str, most: int, shaped: Roof) -> None:
    """Enter a roof: name(angle, ...) or name(byAngle | byHeight, value, ...)."""

    def enter(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        by = given.is_word(0) if len(given.positional) > 1 else None
        first = 1 if by in ("byAngle", "byHeight") else 0
        given.count(*range(first + 1, first + most + 1))
        values = given.each(lambda value: value, first)
        make = guarded(env, op.at, _made)

        def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            make(shape, shaped, by == "byHeight", values(shape, args), name)

        return act

    operation(name)(enter)


def _made(shape: Shape, shaped: Roof, by_height: bool, values: list[Any], name: str) -> None:
    plan = footprint(shape, name)
    steep, *rest = values
    numbers = [float(value) for value in rest]
    if not isinstance(steep, (int, float)) or not math.isfinite(steep) or steep <= 0:
        raise SuppleError(f"{name}: expected an angle or a height above 0, got {steep}")
    if not by_height and steep > MOST_STEEP:
        raise SuppleError(f"{name}: expected an angle up to {MOST_STEEP} degrees, got {steep:g}")
    slope = 1.0 if by_height else math.tan(math.radians(steep))
    parts = []
    for polygon in plan.polygons:
        points, faces = shaped(polygon, slope, *numbers)
        if by_height:
            top = max(y for _, y, _ in points)
            points = [(x, y * steep / top, z) for x, y, z in points]
        parts.append((points, faces))
    build(shape, plan, parts, name, upright=True)


def _raised(nodes: list[Node], slope: float) -> list[tuple[float, float, float]]:
    """Where edges were at a time, as high as the roof is there."""
    return [(x, slope * time, -y) for x, y, time in nodes]


def _bottom(polygon: list[Point]) -> Faces:
    return [(x, 0.0, -y) for x, y in polygon], [tuple(reversed(range(len(polygon))))]


def _joined(*parts: Faces) -> Faces:
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    for own, polygons in parts:
        faces += [tuple(k + len(points) for k in polygon) for polygon in polygons]
        points += own
    return points, faces


def _even(value: float) -> None:
    if truth(value):
        raise SuppleError("even ridges, whose planes are not flat, are not supported")


# Hip ----------------------------------------------------------------------------------------------


def _hip(polygon: list[Point], slope: float, overhang: float = 0.0, even: float = 0.0) -> Faces:
    """A plane at every edge; they meet in hips, ridges and valleys."""
    _even(even)
    swept = sweep(polygon, [1.0] * len(polygon), begin=-_projected(overhang, slope))
    planes = [tuple(face) for face in swept.faces]
    return _joined(_bottom(polygon), (_raised(swept.nodes, slope), planes))


def _projected(overhang: float, slope: float) -> float:
    """How far an overhang, which is measured on the roof, reaches on the ground."""
    if overhang < 0:
        raise SuppleError(f"expected an overhang of at least 0, got {overhang:g}")
    return overhang / math.hypot(1.0, slope)


# Gable --------------------------------------------------------------------------------------------


def _gable(
    polygon: list[Point],
    slope: float,
    across: float = 0.0,
    along: float = 0.0,
    even: float = 0.0,
    index: float | None = None,
) -> Faces:
    """Planes at the eaves alone; at the other edges stand gables."""
    _even(even)
    count = len(polygon)
    gables = _gables(polygon) if index is None else _others(polygon, int(index) % count)
    speeds = [0.0 if k in gables else 1.0 for k in range(count)]
    plain = sweep(polygon, speeds)
    walls = [tuple(plain.faces[k]) for k in sorted(gables) if plain.faces[k]]
    over = plain
    if across or along:
        moved = _moved(polygon, gables, along)
        over = sweep(moved, speeds, begin=-_projected(across, slope))
    planes = [tuple(face) for k, face in enumerate(over.faces) if k not in gables and face]
    return _joined(
        _bottom(polygon),
        (_raised(plain.nodes, slope), walls),
        (_raised(over.nodes, slope), planes),
    )


def _gables(polygon: list[Point]) -> set[int]:
    """The edges whose planes of a hip roof are triangles, no two side by side, short ones first.

    Only edges between two corners that turn outwards: beside one that turns inwards an upright wall
    would stop no plane of the roof.
    """
    count = len(polygon)
    hip: Swept = sweep(polygon, [1.0] * count)

    def length(k: int) -> float:
        (x, y), (u, v) = polygon[k], polygon[(k + 1) % count]
        return round(math.hypot(u - x, v - y), 9)

    def outwards(k: int) -> bool:
        (x, y), (u, v), (p, q) = polygon[k - 1], polygon[k], polygon[(k + 1) % count]
        return (u - x) * (q - v) > (v - y) * (p - u)

    turns = [outwards(k) for k in range(count)]
    ends = [
        k for k in range(count) if len(hip.faces[k]) == 3 and turns[k] and turns[(k + 1) % count]
    ]
    found: set[int] = set()
    for k in sorted(ends, key=lambda k: (length(k), -(k % 2), k)):
        if not found & {(k - 1) % count, (k + 1) % count}:
            found.add(k)
    return found


def _others(polygon: list[Point], index: int) -> set[int]:
    """All edges but those that run more along an edge than across it."""
    count = len(polygon)
    along = [
        (b[0] - a[0], b[1] - a[1]) for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    ]
    x, y = along[index]
    return {
        k
        for k in range(count)
        if abs(along[k][0] * x + along[k][1] * y) < abs(along[k][0] * y - along[k][1] * x)
    }


def _moved(polygon: list[Point], edges: set[int], by: float) -> list[Point]:
    """A polygon with some of its edges moved outwards."""
    speeds = [-1.0 if k in edges else 0.0 for k in range(len(polygon))]
    swept = sweep(polygon, speeds, until=by) if by > 0 and edges else None
    if swept is None or len(swept.rest) != 1 or len(swept.rest[0]) != len(polygon):
        return polygon
    return [swept.nodes[k][:2] for k in swept.rest[0]]


# Shed and pyramid ---------------------------------------------------------------------------------


def _shed(polygon: list[Point], slope: float, index: float = 0.0) -> Faces:
    """One plane, which rises from an edge."""
    count = len(polygon)
    first = int(index) % count
    (x, y), (u, v) = polygon[first], polygon[(first + 1) % count]
    length = math.hypot(u - x, v - y)
    heights = [slope * ((u - x) * (q - y) - (v - y) * (p - x)) / length for p, q in polygon]
    if min(heights) < -1e-9 * max(map(abs, heights)):
        raise SuppleError(f"a part of the shape lies behind edge {first}, where the roof begins")
    low = [(p, 0.0, -q) for p, q in polygon]
    high = [(p, max(h, 0.0), -q) for (p, q), h in zip(polygon, heights, strict=True)]
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    top = tuple(range(count, 2 * count))
    kept = [side for k, side in enumerate(sides) if k != first]
    return _joined(_bottom(polygon), (low + high, [*kept, top]))


def _pyramid(polygon: list[Point], slope: float) -> Faces:
    """Triangles from all edges to one point above the mean of the corners."""
    count = len(polygon)
    x, y = (sum(point[k] for point in polygon) / count for k in range(2))
    (p, q), (u, v) = polygon[0], polygon[1]
    far = ((u - p) * (y - q) - (v - q) * (x - p)) / math.hypot(u - p, v - q)
    if far <= 0:
        raise SuppleError("the mean of the corners lies outside the first edge")
    points = [(a, 0.0, -b) for a, b in polygon] + [(x, slope * far, -y)]
    triangles = [(k, (k + 1) % count, count) for k in range(count)]
    return _joined(_bottom(polygon), (points, triangles))


_roof("roofHip", 3, _hip)
_roof("roofGable", 5, _gable)
_roof("roofShed", 2, _shed)
_roof("roofPyramid", 1, _pyramid)
