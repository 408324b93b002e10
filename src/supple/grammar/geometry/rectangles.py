"""innerRectangle: the largest rectangle in a polygon, and what is left of the polygon.

Between two uprights the largest rectangle is the highest gap that no edge passes through, found
exactly for any pair of uprights. Which pair is best is searched: on a grid that holds all corners,
then on finer ones around the best places of that. In a convex polygon the logarithm of the area is
concave in the two uprights, so that there is one best place; in others the grid must be fine enough
to come near it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.footprints import Faces, Footprint, build, footprint
from supple.grammar.geometry.mesh import Floats
from supple.grammar.geometry.wavefront import Point
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.setback import give, shape_or_rest
from supple.grammar.operations.table import BLOCKS, of_values, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

BLOCKS.add("innerRectangle")
GRID = 32  # uprights of the first grid, beside those through corners
MOST_UPRIGHTS = 64  # of those through corners
MOST_CORNERS = 400
STARTS = 3  # places of the first grid that are looked at more closely
ROUNDS = 26
FINER = 0.35  # from one grid to the next
NEAR = 1e-9  # of the polygon's size


@operation("innerRectangle")
def inner_rectangle(op: s.Operation, env: Environment) -> Act:
    """The largest rectangle in each face of a flat shape, and what is left.

    innerRectangle(scope){ shape : A | remainder : B }: along the scope's axes; edge: along an edge
    """
    given = Arguments(op, env)
    given.count(1)
    along_edge = given.word(0, ("scope", "edge")) == "edge"
    pieces = shape_or_rest(op, env)
    find = guarded(env, op.at, _found)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        plan, inner, rest = find(shape, along_edge)
        for wanted, merged, body in pieces:
            give(run, shape, args, plan, inner if wanted else rest, merged, body)
        shape.emit()

    return act


@of_values("innerRect")
def inner_rect(run: Derivation, shape: Shape) -> None:
    """The largest rectangle along the scope's axes in place of the face: innerRect()."""
    plan, inner, _ = _found(shape, False, "innerRect")
    build(shape, plan, inner, f"rectangle in {shape.geometry.name}")


def _found(
    shape: Shape, along_edge: bool, what: str = "innerRectangle"
) -> tuple[Footprint, list[Faces], list[Faces]]:
    """For each face of a flat shape the rectangle in it, and all that is left of them."""
    plan = footprint(shape, what)
    inner: list[Faces] = []
    rest: list[Faces] = []
    for polygon in plan.polygons:
        corners = np.array(polygon)
        if len(corners) > MOST_CORNERS:
            raise SuppleError(f"{what}: expected at most {MOST_CORNERS} corners")
        box = max(
            (largest(corners, turn) for turn in (_turns(corners) if along_edge else (0.0,))),
            key=lambda one: round(one.area, 12),
        )
        inner.append(_flat(box.corners()))
        rest += [_flat(part) for part in remainder(corners, box)]
    return plan, inner, rest


def _flat(corners: list[Point]) -> Faces:
    return [(x, 0.0, -y) for x, y in corners], [tuple(range(len(corners)))]


def _turns(corners: Floats) -> list[float]:
    """The directions of edges that are at least a quarter as long as the longest, radians."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    long = sides[lengths >= lengths.max() / 4]
    quarter = math.pi / 2
    turns = {round(math.atan2(y, x) % quarter, 12) % round(quarter, 12) for x, y in long.tolist()}
    return sorted(turns)


class Box(NamedTuple):
    """A rectangle in a plane: from (left, low) to (right, high) in axes that are turned."""

    left: float
    low: float
    right: float
    high: float
    turn: float

    @property
    def area(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.high - self.low)

    def corners(self) -> list[Point]:
        """Its corners in the plane, counterclockwise."""
        x, y, u, v = self[:4]
        return [
            (a, b)
            for a, b in _turned(np.array([(x, y), (u, y), (u, v), (x, v)]), self.turn).tolist()
        ]


def _turned(points: Floats, angle: float) -> Floats:
    if angle == 0.0:
        return points
    c, sn = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, sn], [-sn, c]])


# The largest rectangle ----------------------------------------------------------------------------


def largest(corners: Floats, turn: float = 0.0) -> Box:
    """The largest rectangle in a simple polygon with sides along axes turned by an angle.

    Args:
        corners: Of the polygon, counterclockwise, shape (N, 2).
        turn: Radians.
    """
    own = _turned(corners, -turn)
    grid = _grid(own[:, 0])
    first, second = np.triu_indices(len(grid), 1)
    left, right = grid[first], grid[second]
    areas = _areas(own, left, right)[0]
    best = Box(0.0, 0.0, 0.0, 0.0, turn)
    step = float(np.ptp(grid)) / GRID
    for k in _apart(left, right, areas, 2 * step):
        ends = _refined(own, float(left[k]), float(right[k]), step)
        x, u = (_snapped(end, own[:, 0]) for end in ends)
        area, low, high = (float(found[0]) for found in _areas(own, np.array([x]), np.array([u])))
        if area > best.area:
            best = Box(x, low, u, high, turn)
    if best.area <= 0.0:
        raise SuppleError("innerRectangle: expected a face that does not cross itself")
    return best


def _grid(places: Floats) -> Floats:
    """Uprights to begin with: through all corners, or as many of them as are not too many."""
    corners = np.unique(places)
    if len(corners) > MOST_UPRIGHTS:
        corners = corners[np.linspace(0, len(corners) - 1, MOST_UPRIGHTS).astype(int)]
    return np.unique(np.concatenate([corners, np.linspace(places.min(), places.max(), GRID)]))


def _apart(left: Floats, right: Floats, areas: Floats, near: float) -> list[int]:
    """The best pairs of uprights, none near to a better one."""
    found: list[int] = []
    for k in np.argsort(-areas, kind="stable"):
        if all(max(abs(left[k] - left[j]), abs(right[k] - right[j])) > near for j in found):
            found.append(int(k))
        if len(found) == STARTS:
            break
    return found


def _refined(corners: Floats, x: float, u: float, step: float) -> tuple[float, float]:
    """The best pair of uprights around one, on ever finer grids."""
    around = np.linspace(-1.0, 1.0, 9)
    low, high = float(corners[:, 0].min()), float(corners[:, 0].max())
    for _ in range(ROUNDS):
        left = np.clip(np.repeat(x + step * around, 9), low, high)
        right = np.clip(np.tile(u + step * around, 9), low, high)
        k = int(np.argmax(_areas(corners, left, right)[0]))
        x, u = float(left[k]), float(right[k])
        step *= FINER
    return x, u


def _snapped(value: float, places: Floats) -> float:
    """A place that is within rounding of one of a polygon's corners as that of the corner."""
    nearest = float(places[np.argmin(np.abs(places - value))])
    return nearest if abs(nearest - value) <= 10 * NEAR * float(np.ptp(places)) else value


def _areas(corners: Floats, left: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
    """For pairs of uprights, shape (P,), the area, the lower and the upper side of the best rectangle."""
    a, b = corners, np.roll(corners, -1, axis=0)
    swap = a[:, 0] > b[:, 0]
    a, b = np.where(swap[:, None], b, a), np.where(swap[:, None], a, b)
    near = NEAR * float(np.ptp(corners, axis=0).max())
    x, u = left[:, None], right[:, None]
    # What of each edge lies between the uprights blocks its heights; edges at their rims do not.
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
    # From below, a gap is in the polygon if the middle line has crossed an odd number of edges.
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


# What is left -------------------------------------------------------------------------------------


def remainder(corners: Floats, box: Box) -> list[list[Point]]:
    """What is left of a polygon beside, below and above a rectangle in it, as polygons."""
    near = 1e-6 * float(np.ptp(corners, axis=0).max())
    whole = [(x, y) for x, y in _turned(corners, -box.turn).tolist()]
    beside, rest = _halves([whole], 0, box.left)
    middle, right = _halves(rest, 0, box.right)
    below, rest = _halves(middle, 1, box.low)
    _, above = _halves(rest, 1, box.high)
    parts = [*beside, *right, *below, *above]
    kept = [part for part in parts if _size(part) > near * near]
    return [[(x, y) for x, y in _turned(np.array(part), box.turn).tolist()] for part in kept]


def _size(polygon: list[Point]) -> float:
    after = [*polygon[1:], polygon[0]]
    return sum(x * v - y * u for (x, y), (u, v) in zip(polygon, after, strict=True)) / 2


def _halves(
    polygons: list[list[Point]], axis: int, level: float
) -> tuple[list[list[Point]], list[list[Point]]]:
    """What of polygons lies below and above a level of a coordinate."""
    below: list[list[Point]] = []
    above: list[list[Point]] = []
    for polygon in polygons:
        scale = max(abs(value) for point in polygon for value in point) or 1.0
        below += _half(polygon, axis, level, -1.0, NEAR * scale)
        above += _half(polygon, axis, level, 1.0, NEAR * scale)
    return below, above


def _half(
    polygon: list[Point], axis: int, level: float, sign: float, near: float
) -> list[list[Point]]:
    """What of a simple polygon lies on one side of a line, each part a polygon of its own.

    The runs of corners on that side begin and end on the line; along it the polygon lies between
    every first and second of these ends, which so belong together.
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
            if end != 0:  # two ends meet: the polygon crosses itself
                break
        found.append([point for k, point in enumerate(loop) if point != loop[k - 1]])
    return [loop for loop in found if len(loop) >= 3]


def _crossing(polygon: list[Point], height: list[float], k: int, n: int) -> Point:
    """Where the edge from a corner on or beyond the line to one on this side meets the line."""
    if height[k] >= 0.0 or height[n] == height[k]:
        return polygon[k]
    t = height[k] / (height[k] - height[n])
    (x, y), (u, v) = polygon[k], polygon[n]
    return x + t * (u - x), y + t * (v - y)
