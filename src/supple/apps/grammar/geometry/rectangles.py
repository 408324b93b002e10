"""The largest rectangle in a polygon, and the rest of the polygon.

For a given left and right side the best rectangle is the highest vertical gap that no edge crosses,
found exactly. The best pair of sides is searched for: on a grid that contains all corners, then on
finer grids around its best pairs. In a convex polygon the logarithm of the area is concave in the two
sides, so there is one optimum; in other polygons the first grid must be fine enough to come near it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry.footprints import Faces, Footprint, flat_polygon
from supple.apps.grammar.geometry.polygons import Floats
from supple.apps.grammar.geometry.wavefront import Point
from supple.errors import SuppleError

MOST_POLYGON_CORNERS = 400  # not tuned
RELATIVE_TOLERANCE = 1e-9  # of the polygon's size; rounding


@dataclass(frozen=True)
class Search:
    """Effort of the search for the best pair of sides; not tuned.

    Attributes:
        lines: Evenly spaced vertical lines of the first grid.
        corner_lines: The most lines of the first grid through corners.
        starts: Pairs of the first grid that are refined.
        rounds: Finer grids around each of them.
        step_ratio: Step of a grid over the step of the grid before.
    """

    lines: int = 32
    corner_lines: int = 64
    starts: int = 3
    rounds: int = 26
    step_ratio: float = 0.35


SEARCH = Search()


def inner_rectangles(
    plan: Footprint, operation: str, *, along_edge: bool
) -> tuple[list[Faces], list[Faces]]:
    """The largest rectangle in each polygon of a footprint, and the remaining polygons.

    Args:
        plan: The footprint.
        operation: The operation that needs it, for messages.
        along_edge: True if the rectangle may lie along any edge, False for the plan's axes.

    Raises:
        SuppleError: A polygon has too many corners or crosses itself.
    """
    inner: list[Faces] = []
    rest: list[Faces] = []
    for polygon in plan.polygons:
        corners = np.array(polygon)
        if len(corners) > MOST_POLYGON_CORNERS:
            raise SuppleError(f"{operation}: expected at most {MOST_POLYGON_CORNERS} corners")
        box = max(
            (largest(corners, turn) for turn in (_directions(corners) if along_edge else (0.0,))),
            key=lambda one: round(one.area, 12),
        )
        inner.append(flat_polygon(box.corners()))
        rest += [flat_polygon(part) for part in remainder(corners, box)]
    return inner, rest


def _directions(corners: Floats) -> list[float]:
    """Directions of edges at least a quarter as long as the longest, radians in [0, pi / 2)."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    long = sides[lengths >= lengths.max() / 4]
    quarter = math.pi / 2
    directions = {
        round(math.atan2(y, x) % quarter, 12) % round(quarter, 12) for x, y in long.tolist()
    }
    return sorted(directions)


class Box(NamedTuple):
    """A rectangle from (left, low) to (right, high), in axes rotated by `turn` radians."""

    left: float
    low: float
    right: float
    high: float
    turn: float

    @property
    def area(self) -> float:
        """Area of the rectangle."""
        return (self.right - self.left) * (self.high - self.low)

    def corners(self) -> list[Point]:
        """Corners in the unrotated plane, counterclockwise."""
        x, y, u, v = self[:4]
        return [
            (a, b)
            for a, b in _rotated(np.array([(x, y), (u, y), (u, v), (x, v)]), self.turn).tolist()
        ]


def _rotated(points: Floats, angle: float) -> Floats:
    if angle == 0.0:
        return points
    c, sn = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, sn], [-sn, c]])


# The largest rectangle ----------------------------------------------------------------------------


def largest(corners: Floats, turn: float = 0.0) -> Box:
    """The largest rectangle in a simple polygon, with sides along rotated axes.

    Args:
        corners: Of the polygon, counterclockwise, shape (N, 2).
        turn: Rotation of the axes, radians.

    Raises:
        SuppleError: The polygon crosses itself.
    """
    own = _rotated(corners, -turn)
    (x, low), (u, high) = own.min(axis=0).tolist(), own.max(axis=0).tolist()
    whole = Box(x, low, u, high, turn)
    if _size([(a, b) for a, b in own.tolist()]) >= (1.0 - RELATIVE_TOLERANCE) * whole.area > 0.0:
        return whole  # the polygon is this rectangle: no search
    grid = _grid(own[:, 0])
    first, second = np.triu_indices(len(grid), 1)
    left, right = grid[first], grid[second]
    areas = _areas(own, left, right)[0]
    best = Box(0.0, 0.0, 0.0, 0.0, turn)
    step = float(np.ptp(grid)) / SEARCH.lines
    for k in _best_pairs(left, right, areas, 2 * step):
        ends = _refined(own, float(left[k]), float(right[k]), step)
        x, u = (_snapped(end, own[:, 0]) for end in ends)
        area, low, high = (float(found[0]) for found in _areas(own, np.array([x]), np.array([u])))
        if area > best.area:
            best = Box(x, low, u, high, turn)
    if best.area <= 0.0:
        raise SuppleError("innerRectangle: expected a face that does not cross itself")
    return best


def _grid(xs: Floats) -> Floats:
    """The first vertical lines: evenly spaced, and through corners, at most `SEARCH.corner_lines` of these."""
    corners = np.unique(xs)
    if len(corners) > SEARCH.corner_lines:
        corners = corners[np.linspace(0, len(corners) - 1, SEARCH.corner_lines).astype(int)]
    return np.unique(np.concatenate([corners, np.linspace(xs.min(), xs.max(), SEARCH.lines)]))


def _best_pairs(left: Floats, right: Floats, areas: Floats, near: float) -> list[int]:
    """The `SEARCH.starts` best pairs of sides, none within `near` of a better one."""
    found: list[int] = []
    for k in np.argsort(-areas, kind="stable"):
        if all(max(abs(left[k] - left[j]), abs(right[k] - right[j])) > near for j in found):
            found.append(int(k))
        if len(found) == SEARCH.starts:
            break
    return found


def _refined(corners: Floats, x: float, u: float, step: float) -> tuple[float, float]:
    """The best pair of sides around (x, u), searched on ever finer grids."""
    around = np.linspace(-1.0, 1.0, 9)
    low, high = float(corners[:, 0].min()), float(corners[:, 0].max())
    for _ in range(SEARCH.rounds):
        left = np.clip(np.repeat(x + step * around, 9), low, high)
        right = np.clip(np.tile(u + step * around, 9), low, high)
        k = int(np.argmax(_areas(corners, left, right)[0]))
        x, u = float(left[k]), float(right[k])
        step *= SEARCH.step_ratio
    return x, u


def _snapped(value: float, xs: Floats) -> float:
    """The coordinate of a corner if the value is within rounding of it, else the value."""
    nearest = float(xs[np.argmin(np.abs(xs - value))])
    near = 10 * RELATIVE_TOLERANCE * float(np.ptp(xs))
    return nearest if abs(nearest - value) <= near else value


def _areas(corners: Floats, left: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
    """For pairs of sides, shape (P,), the best rectangle's area, lower side and upper side."""
    a, b = corners, np.roll(corners, -1, axis=0)
    swap = a[:, 0] > b[:, 0]
    a, b = np.where(swap[:, None], b, a), np.where(swap[:, None], a, b)
    near = RELATIVE_TOLERANCE * float(np.ptp(corners, axis=0).max())
    x, u = left[:, None], right[:, None]
    # The part of an edge between the sides blocks its heights; edges that only touch a side do not.
    begins, ends = np.maximum(a[:, 0], x), np.minimum(b[:, 0], u)
    between = ends - begins > near
    wide = np.where(b[:, 0] - a[:, 0] > 0, b[:, 0] - a[:, 0], 1.0)
    slope = (b[:, 1] - a[:, 1]) / wide
    p, q = a[:, 1] + slope * (begins - a[:, 0]), a[:, 1] + slope * (ends - a[:, 0])
    level = (b[:, 0] - a[:, 0] <= near) & (a[:, 0] > x + near) & (a[:, 0] < u - near)
    blocked = between | level
    low = np.where(blocked, np.where(level, np.minimum(a[:, 1], b[:, 1]), np.minimum(p, q)), np.inf)
    high = np.where(
        blocked, np.where(level, np.maximum(a[:, 1], b[:, 1]), np.maximum(p, q)), -np.inf
    )
    # A gap is inside the polygon if the middle line has crossed an odd number of edges below it.
    middle = (x + u) / 2
    crosses = (a[:, 0] <= middle) & (middle < b[:, 0]) & blocked
    order = np.argsort(low, axis=1, kind="stable")
    low, high = (np.take_along_axis(one, order, axis=1) for one in (low, high))
    odd = np.cumsum(np.take_along_axis(crosses, order, axis=1), axis=1)[:, :-1] % 2 == 1
    top = np.maximum.accumulate(high, axis=1)[:, :-1]
    bottom = low[:, 1:]
    with np.errstate(invalid="ignore"):
        gap = np.where(odd & np.isfinite(bottom) & np.isfinite(top), bottom - top, 0.0)
    best = np.argmax(gap, axis=1)[:, None]
    size, under, over = (np.take_along_axis(one, best, axis=1)[:, 0] for one in (gap, top, bottom))
    return np.maximum(size, 0.0) * np.maximum(right - left, 0.0), under, over


# The remainder ------------------------------------------------------------------------------------


def remainder(corners: Floats, box: Box) -> list[list[Point]]:
    """The polygon minus a rectangle in it: the parts beside, below and above the rectangle."""
    near = 1e-6 * float(np.ptp(corners, axis=0).max())
    whole = [(x, y) for x, y in _rotated(corners, -box.turn).tolist()]
    beside, rest = _halves([whole], 0, box.left)
    middle, right = _halves(rest, 0, box.right)
    below, rest = _halves(middle, 1, box.low)
    _, above = _halves(rest, 1, box.high)
    parts = [*beside, *right, *below, *above]
    kept = [part for part in parts if _size(part) > near * near]
    return [[(x, y) for x, y in _rotated(np.array(part), box.turn).tolist()] for part in kept]


def _size(polygon: list[Point]) -> float:
    after = [*polygon[1:], polygon[0]]
    return sum(x * v - y * u for (x, y), (u, v) in zip(polygon, after, strict=True)) / 2


def _halves(
    polygons: list[list[Point]], axis: int, level: float
) -> tuple[list[list[Point]], list[list[Point]]]:
    """The parts of polygons below and above a level of a coordinate."""
    below: list[list[Point]] = []
    above: list[list[Point]] = []
    for polygon in polygons:
        scale = max(abs(value) for point in polygon for value in point) or 1.0
        below += _half(polygon, axis, level, -1.0, RELATIVE_TOLERANCE * scale)
        above += _half(polygon, axis, level, 1.0, RELATIVE_TOLERANCE * scale)
    return below, above


def _half(
    polygon: list[Point], axis: int, level: float, sign: float, near: float
) -> list[list[Point]]:
    """The parts of a simple polygon on one side of a line.

    The runs of corners on that side begin and end on the line. Sorted along the line, the polygon
    lies between every first and second of these ends, so they are joined in pairs.
    """
    height = [sign * (point[axis] - level) for point in polygon]
    if all(h >= -near for h in height):
        return [polygon] if any(h > near for h in height) else []
    if all(h <= near for h in height):
        return []
    count = len(polygon)
    start = next(k for k in range(count) if height[k] <= near)
    runs: list[list[Point]] = []
    run: list[Point] = []
    for step in range(count):
        k, n = (start + step) % count, (start + step + 1) % count
        if height[n] > near:
            if not run:
                run = [_crossing(polygon, height, k, n)]
            run.append(polygon[n])
        elif run:
            run.append(_crossing(polygon, height, n, k))
            runs.append(run)
            run = []
    along = 1 - axis
    ends = sorted(
        ((run[end][along], which, end) for which, run in enumerate(runs) for end in (0, -1)),
    )
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    for (_, i, p), (_, j, q) in zip(ends[::2], ends[1::2], strict=True):
        partner[i, p], partner[j, q] = (j, q), (i, p)
    found: list[list[Point]] = []
    left = set(range(len(runs)))
    while left:
        which = min(left)
        loop: list[Point] = []
        while which in left:
            left.remove(which)
            loop += runs[which]
            which, end = partner[which, -1]
            if end != 0:  # two ends of runs are paired: the polygon crosses itself
                break
        found.append([point for k, point in enumerate(loop) if point != loop[k - 1]])
    return [loop for loop in found if len(loop) >= 3]


def _crossing(polygon: list[Point], height: list[float], k: int, n: int) -> Point:
    """Intersection of the line with the edge from corner k, on or beyond it, to corner n on this side."""
    if height[k] >= 0.0 or height[n] == height[k]:
        return polygon[k]
    t = height[k] / (height[k] - height[n])
    (x, y), (u, v) = polygon[k], polygon[n]
    return x + t * (u - x), y + t * (v - y)
