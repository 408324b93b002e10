"""Roofs over polygons: hip, gable, shed and pyramid.

Each function takes a simple polygon, counterclockwise, and a slope (rise over run), and returns
points and polygons in the axes of the footprint. The first face is the polygon itself, facing down;
then come gables or sides, then the roof planes.
"""

from __future__ import annotations

import math

from supple.apps.grammar.geometry.footprints import Faces
from supple.apps.grammar.geometry.wavefront import Node, Point, Swept, sweep
from supple.errors import SuppleError


def _raised(nodes: list[Node], slope: float) -> list[tuple[float, float, float]]:
    """Nodes of a sweep with slope * time as height."""
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


def _refuse_even_ridges(even: float) -> None:
    if even:
        raise SuppleError("even ridges, whose planes are not flat, are not supported")


# Hip ----------------------------------------------------------------------------------------------


def hip(polygon: list[Point], slope: float, overhang: float = 0.0, even: float = 0.0) -> Faces:
    """A roof plane at every edge; planes meet in hips, ridges and valleys.

    Args:
        polygon: The footprint.
        slope: Rise over run.
        overhang: Length of the overhang along the roof plane.
        even: Must be 0: even ridges are not supported.
    """
    _refuse_even_ridges(even)
    swept = sweep(polygon, [1.0] * len(polygon), begin=-_projected(overhang, slope))
    planes = [tuple(face) for face in swept.faces]
    return _joined(_bottom(polygon), (_raised(swept.nodes, slope), planes))


def _projected(overhang: float, slope: float) -> float:
    """Horizontal reach of an overhang that is measured along the roof plane."""
    if overhang < 0:
        raise SuppleError(f"expected an overhang of at least 0, got {overhang:g}")
    return overhang / math.hypot(1.0, slope)


# Gable --------------------------------------------------------------------------------------------


def gable(
    polygon: list[Point],
    slope: float,
    across: float = 0.0,
    along: float = 0.0,
    even: float = 0.0,
    index: float | None = None,
) -> Faces:
    """Roof planes at the eaves, gables at the other edges.

    Args:
        polygon: The footprint.
        slope: Rise over run.
        across: Overhang at the eaves, along the roof plane.
        along: Overhang at the gables.
        even: Must be 0: even ridges are not supported.
        index: An edge that the ridge is parallel to; None to choose gables from the hip roof.
    """
    _refuse_even_ridges(even)
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
    """The gable edges: those with triangular hip planes, no two adjacent, shorter ones first.

    Only edges between two convex corners qualify: next to a reflex corner a vertical wall would not
    bound the adjacent roof plane.
    """
    count = len(polygon)
    swept: Swept = sweep(polygon, [1.0] * count)

    def length(k: int) -> float:
        (x, y), (u, v) = polygon[k], polygon[(k + 1) % count]
        return round(math.hypot(u - x, v - y), 9)

    def outwards(k: int) -> bool:
        (x, y), (u, v), (p, q) = polygon[k - 1], polygon[k], polygon[(k + 1) % count]
        return (u - x) * (q - v) > (v - y) * (p - u)

    turns = [outwards(k) for k in range(count)]
    ends = [
        k for k in range(count) if len(swept.faces[k]) == 3 and turns[k] and turns[(k + 1) % count]
    ]
    found: set[int] = set()
    for k in sorted(ends, key=lambda k: (length(k), -(k % 2), k)):
        if not found & {(k - 1) % count, (k + 1) % count}:
            found.add(k)
    return found


def _others(polygon: list[Point], index: int) -> set[int]:
    """The edges that are closer to perpendicular than to parallel to a given edge."""
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
    """The polygon with some of its edges moved outwards."""
    speeds = [-1.0 if k in edges else 0.0 for k in range(len(polygon))]
    swept = sweep(polygon, speeds, until=by) if by > 0 and edges else None
    if swept is None or len(swept.rest) != 1 or len(swept.rest[0]) != len(polygon):
        return polygon
    return [swept.nodes[k][:2] for k in swept.rest[0]]


# Shed and pyramid ---------------------------------------------------------------------------------


def shed(polygon: list[Point], slope: float, index: float = 0.0) -> Faces:
    """One roof plane, rising from the edge `index`."""
    count = len(polygon)
    first = int(index) % count
    (x, y), (u, v) = polygon[first], polygon[(first + 1) % count]
    length = math.hypot(u - x, v - y)
    heights = [slope * ((u - x) * (q - y) - (v - y) * (p - x)) / length for p, q in polygon]
    if min(heights) < -1e-9 * max(map(abs, heights)):
        raise SuppleError(
            f"a part of the shape lies behind edge {first}, from which the roof rises"
        )
    low = [(p, 0.0, -q) for p, q in polygon]
    high = [(p, max(h, 0.0), -q) for (p, q), h in zip(polygon, heights, strict=True)]
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    top = tuple(range(count, 2 * count))
    kept = [side for k, side in enumerate(sides) if k != first]
    return _joined(_bottom(polygon), (low + high, [*kept, top]))


def pyramid(polygon: list[Point], slope: float) -> Faces:
    """Triangles from all edges to an apex above the mean of the corners.

    `slope` is that from the middle of the first edge to the apex.
    """
    count = len(polygon)
    x, y = (sum(point[k] for point in polygon) / count for k in range(2))
    (p, q), (u, v) = polygon[0], polygon[1]
    if (u - p) * (y - q) - (v - q) * (x - p) <= 0:
        raise SuppleError("the mean of the corners lies outside the first edge")
    far = math.hypot(x - (p + u) / 2, y - (q + v) / 2)
    points = [(a, 0.0, -b) for a, b in polygon] + [(x, slope * far, -y)]
    triangles = [(k, (k + 1) % count, count) for k in range(count)]
    return _joined(_bottom(polygon), (points, triangles))
