"""Signed gaps of convex shapes: hulls of points, each thickened by a radius.

For shapes that are apart, the gap is the distance of the origin from the Minkowski difference of the points. The
algorithm of Gilbert, Johnson and Keerthi (1988) finds it, stepping from one simplex of that difference to a nearer
one. The nearest point of a simplex is found by its Voronoi regions (Ericson, *Real-Time Collision Detection*, 5.1.5
and 5.1.6).

For shapes that overlap, it is minus the length of a shift that separates them. The *separation* along a unit
direction is the distance between the shapes' projections onto it, and the signed gap is the greatest separation
over all directions. The search starts with the best of some directions and improves it: once the shapes are shifted
apart along a direction, the direction between their nearest points needs less shift. So an overlap may be reported
too deep, never too shallow.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, entry, kernel, leaf


class GapRules(NamedTuple):
    """When the search for nearest points and the search for the least overlap end. Not tuned.

    Attributes:
        steps: Steps from simplex to simplex, at most.
        exact: The search ends where the squared distance is known up to this part of it; rounding.
        touching: Points nearer than this overlap [sizes of the shapes]; rounding.
        flat: A tetrahedron thinner than this part of its size has no inside; rounding.
        shifts: Shifts that improve the direction of the least overlap, at most.
        least_gain: The shifts end where one gains less [sizes of the shapes].
        shifted_apart: How far beyond touching shapes are shifted [sizes of the shapes].
    """

    steps: int = 40
    exact: float = 1e-10
    touching: float = 1e-9
    flat: float = 1e-9
    shifts: int = 4
    least_gain: float = 1e-6
    shifted_apart: float = 0.02


RULES = GapRules()

# Columns of a corner of a simplex: of the difference, on the first, on the second, weight.
SIMPLEX = 10
ON_FIRST, ON_SECOND, WEIGHT = 3, 6, 9

# Directions of a shape's frame in which an overlap is measured first. With the edges and corners of the cube as well,
# solves for the hands of Unitree's G1 took as many iterations and 1.6 times as long.
FRAME_AXES = (
    (1.0, 0.0, 0.0),
    (-1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, -1.0, 0.0),
    (0.0, 0.0, 1.0),
    (0.0, 0.0, -1.0),
)


class Gap(NamedTuple):
    """The nearest points of two shapes."""

    distance: float  # between their surfaces, negative if they overlap
    first: Any  # xyz, on the first
    second: Any  # xyz, on the second
    normal: Any  # xyz, unit, from the first to the second


class Hull(NamedTuple):
    """The convex hull of `size` rows of a table of points, from row `first` on, and its pose in world."""

    points: Any  # (V, 3 or more)
    first: int
    size: int
    turn: Any  # wxyz
    place: Any  # xyz


@leaf
def _along(points, k, way):
    """How far row k of points is along a direction."""
    return points[k, 0] * way[0] + points[k, 1] * way[1] + points[k, 2] * way[2]


@cold
def _farthest(points, first, size, way):
    """The row of points, from `first` on, that is farthest along a direction; of equal ones the first.

    Rows are compared in four independent lanes.
    """
    a = b = c = d = first
    far_a = far_b = far_c = far_d = -math.inf
    k, end = first, first + size
    while k + 4 <= end:
        one, two = _along(points, k, way), _along(points, k + 1, way)
        three, four = _along(points, k + 2, way), _along(points, k + 3, way)
        if one > far_a:
            a, far_a = k, one
        if two > far_b:
            b, far_b = k + 1, two
        if three > far_c:
            c, far_c = k + 2, three
        if four > far_d:
            d, far_d = k + 3, four
        k += 4
    while k < end:
        one = _along(points, k, way)
        if one > far_a:
            a, far_a = k, one
        k += 1
    if far_b > far_a or (far_b == far_a and b < a):
        a, far_a = b, far_b
    if far_d > far_c or (far_d == far_c and d < c):
        c, far_c = d, far_d
    return c if far_c > far_a or (far_c == far_a and c < a) else a


@entry("f2 f2 i1")
def farthest_of(points, ways, out):
    """Fill out, shape (N,), with the row of points (V, 3) that is farthest along each of `ways` (N, 3)."""
    for n in range(ways.shape[0]):
        out[n] = _farthest(points, 0, points.shape[0], quat.load3(ways, n, 0))


@leaf
def support(hull, way):
    """The point of a hull that is farthest along a direction, both in world."""
    k = _farthest(hull.points, hull.first, hull.size, quat.unrotate(hull.turn, way))
    return quat.add(hull.place, quat.rotate(hull.turn, quat.load3(hull.points, k, 0)))


@leaf
def _separation(one, other, way):
    """The separation of two hulls along a unit direction from the first to the second."""
    a, b = support(one, way), support(other, quat.scale(way, -1.0))
    return quat.dot(quat.sub(b, a), way)


# The nearest point of a simplex -------------------------------------------------------------------


@leaf
def _of_triangle(a, b, c):
    """Barycentric weights of the point of a triangle nearest to the origin."""
    ab, ac = quat.sub(b, a), quat.sub(c, a)
    d1, d2 = -quat.dot(ab, a), -quat.dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return (1.0, 0.0, 0.0)
    d3, d4 = -quat.dot(ab, b), -quat.dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return (0.0, 1.0, 0.0)
    on_c = d1 * d4 - d3 * d2
    if on_c <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 > d3 else 0.0
        return (1.0 - t, t, 0.0)
    d5, d6 = -quat.dot(ab, c), -quat.dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return (0.0, 0.0, 1.0)
    on_b = d5 * d2 - d1 * d6
    if on_b <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 > d6 else 0.0
        return (1.0 - t, 0.0, t)
    on_a = d3 * d6 - d5 * d4
    along, back = d4 - d3, d5 - d6
    if on_a <= 0.0 and along >= 0.0 and back >= 0.0:
        t = along / (along + back) if along + back > 0.0 else 0.0
        return (0.0, 1.0 - t, t)
    total = on_a + on_b + on_c
    return (on_a / total, on_b / total, on_c / total)


@leaf
def _blend(a, b, c, weights):
    """A point of a triangle."""
    return (
        weights[0] * a[0] + weights[1] * b[0] + weights[2] * c[0],
        weights[0] * a[1] + weights[1] * b[1] + weights[2] * c[1],
        weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2],
    )


@leaf
def _beyond(a, b, c, d):
    """How far the origin is outside the face abc of a tetrahedron, as a part of its height over that face.

    Negative on the side of d; positive for a tetrahedron too flat to have an inside.
    """
    normal = quat.cross(quat.sub(b, a), quat.sub(c, a))
    height = quat.dot(quat.sub(d, a), normal)
    size = quat.norm(normal) * (quat.norm(quat.sub(d, a)) + quat.norm(a))
    if abs(height) <= RULES.flat * size:
        return 1.0
    return quat.dot(a, normal) / height


@cold
def _of_tetrahedron(simplex):
    """Keep the corners of the face nearest to the origin, with their weights; returns False if it is inside."""
    p, q = quat.load3(simplex, 0, 0), quat.load3(simplex, 1, 0)
    r, s = quat.load3(simplex, 2, 0), quat.load3(simplex, 3, 0)
    best, dropped, weights = math.inf, -1, (0.0, 0.0, 0.0)
    for k in range(4):
        if k == 0:
            a, b, c, d = q, r, s, p
        elif k == 1:
            a, b, c, d = p, r, s, q
        elif k == 2:
            a, b, c, d = p, q, s, r
        else:
            a, b, c, d = p, q, r, s
        if _beyond(a, b, c, d) > 0.0:
            own = _of_triangle(a, b, c)
            point = _blend(a, b, c, own)
            far = quat.dot(point, point)
            if far < best:
                best, dropped, weights = far, k, own
    if dropped < 0:
        return False
    for k in range(dropped, 3):
        for i in range(WEIGHT):
            simplex[k, i] = simplex[k + 1, i]
    simplex[0, WEIGHT], simplex[1, WEIGHT], simplex[2, WEIGHT] = weights
    return True


@kernel
def _reduce(simplex, count):
    """Find the weights of the point of a simplex nearest to the origin, and drop the corners without weight.

    Returns how many corners are left, 0 if the origin is inside.
    """
    if count == 2:
        a, b = quat.load3(simplex, 0, 0), quat.load3(simplex, 1, 0)
        way = quat.sub(b, a)
        square = quat.dot(way, way)
        t = min(max(-quat.dot(a, way) / square, 0.0), 1.0) if square > 0.0 else 0.0
        simplex[0, WEIGHT], simplex[1, WEIGHT] = 1.0 - t, t
    elif count == 3:
        weights = _of_triangle(
            quat.load3(simplex, 0, 0), quat.load3(simplex, 1, 0), quat.load3(simplex, 2, 0)
        )
        simplex[0, WEIGHT], simplex[1, WEIGHT], simplex[2, WEIGHT] = weights
    elif count == 4:
        if not _of_tetrahedron(simplex):
            return 0
        count = 3
    kept = 0
    for k in range(count):
        if simplex[k, WEIGHT] > 0.0:
            for i in range(SIMPLEX):
                simplex[kept, i] = simplex[k, i]
            kept += 1
    return kept


@leaf
def _at(simplex, count, column):
    """The weighted sum over the corners of the vector that begins at a column."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        weight = simplex[k, WEIGHT]
        x += weight * simplex[k, column]
        y += weight * simplex[k, column + 1]
        z += weight * simplex[k, column + 2]
    return (x, y, z)


@leaf
def _is_known(simplex, count, corner):
    """True if a simplex has a corner already."""
    for k in range(count):
        if simplex[k, 0] == corner[0] and simplex[k, 1] == corner[1] and simplex[k, 2] == corner[2]:
            return True
    return False


# Gaps ---------------------------------------------------------------------------------------------


@cold
def _walk(one, other, shift, start, size, reach, simplex):
    """The nearest points of two hulls, the second shifted; a distance of 0 and no points if they overlap.

    `start` is a guess at the direction from the first to the second. The search ends early once the separation
    along some direction exceeds `reach`; the distance returned is that separation, at most the true distance.
    """
    way = start
    if quat.dot(way, way) == 0.0:
        way = (1.0, 0.0, 0.0)
    count, last = 0, math.inf
    near = (0.0, 0.0, 0.0)
    for step in range(RULES.steps):
        a = support(one, way)
        b = quat.add(support(other, quat.scale(way, -1.0)), shift)
        corner = quat.sub(a, b)
        along = -quat.dot(corner, way)
        if along > 0.0:
            square = quat.dot(way, way)
            if along * along > reach * reach * square:
                size = math.sqrt(square)
                return Gap(along / size, a, b, quat.scale(way, 1.0 / size))
        if step > 0:
            square = quat.dot(near, near)
            # By how much the new corner is nearer to the origin bounds what the distance may still shrink by.
            if square - quat.dot(near, corner) <= RULES.exact * square or _is_known(
                simplex, count, corner
            ):
                break
        quat.store3(simplex, count, 0, corner)
        quat.store3(simplex, count, ON_FIRST, a)
        quat.store3(simplex, count, ON_SECOND, b)
        simplex[count, WEIGHT] = 1.0
        count = _reduce(simplex, count + 1)
        if count == 0:
            return Gap(0.0, near, near, near)
        near = _at(simplex, count, 0)
        square = quat.dot(near, near)
        if square <= (RULES.touching * size) ** 2:
            return Gap(0.0, near, near, near)
        if square >= last:
            break  # rounding: it comes no nearer
        last = square
        way = quat.scale(near, -1.0)
    distance = quat.norm(near)
    return Gap(
        distance,
        _at(simplex, count, ON_FIRST),
        _at(simplex, count, ON_SECOND),
        quat.scale(near, -1.0 / distance),
    )


@cold
def _part(one, other, start, size, simplex, ways, count):
    """A direction along which a small shift separates two overlapping hulls, the smallest that is found.

    The search starts with the best of `start`, the axes of both and the first `count` rows of `ways`, in the frame
    of the first.
    """
    way = quat.unit(start) if quat.dot(start, start) > 0.0 else (1.0, 0.0, 0.0)
    best = _separation(one, other, way)
    for k in range(2 * len(FRAME_AXES) + count):
        if k < len(FRAME_AXES):
            tried = quat.rotate(one.turn, FRAME_AXES[k])
        elif k < 2 * len(FRAME_AXES):
            tried = quat.rotate(other.turn, FRAME_AXES[k - len(FRAME_AXES)])
        else:
            tried = quat.rotate(one.turn, quat.load3(ways, k - 2 * len(FRAME_AXES), 0))
        found = _separation(one, other, tried)
        if found > best:
            best, way = found, tried
    for _ in range(RULES.shifts):
        shift = quat.scale(way, RULES.shifted_apart * size - best)
        gap = _walk(one, other, shift, way, size, math.inf, simplex)
        if gap.distance == 0.0:
            break
        found = _separation(one, other, gap.normal)
        if found > best:
            way = gap.normal
        if found <= best + RULES.least_gain * size:
            break
        best = found
    return way


@cold
def hull_gap(one, other, radii, start, size, reach, simplex, ways, count):
    """The gap of two thickened hulls; if they are farther apart than `reach`, at least `reach`.

    Args:
        one: The first.
        other: The second.
        radii: The sum of both radii.
        start: A guess at the direction from the first to the second, of any length.
        size: The size of both together.
        reach: Up to this gap the result is exact.
        simplex: Buffer, shape (4, SIMPLEX).
        ways: More directions to measure an overlap in, in the frame of the first, shape (W, 3 or more).
        count: How many of them.
    """
    gap = _walk(one, other, (0.0, 0.0, 0.0), start, size, max(reach + radii, 0.0), simplex)
    if gap.distance > 0.0:
        return Gap(gap.distance - radii, gap.first, gap.second, gap.normal)
    way = _part(one, other, start, size, simplex, ways, count)
    first, second = support(one, way), support(other, quat.scale(way, -1.0))
    return Gap(quat.dot(quat.sub(second, first), way) - radii, first, second, way)


@entry("f2 f2 f f f2 f2 f2 f2 f1")
def hull_gaps(one, other, radii, size, turns, places, ways, simplex, out):
    """The gaps (N,) of two hulls for N poses of the second relative to the first.

    Args:
        one: Points of the first, shape (V, 3).
        other: Points of the second, in its own frame, shape (W, 3).
        radii: The sum of both radii.
        size: The size of both together.
        turns: Rotations of the second's frame in that of the first, wxyz, shape (N, 4).
        places: Its origins, shape (N, 3).
        ways: Directions to measure overlaps in, shape (K, 3); more of them are more exact.
        simplex: Buffer, shape (4, SIMPLEX).
        out: Shape (N,).
    """
    first = Hull(one, 0, one.shape[0], quat.IDENTITY, (0.0, 0.0, 0.0))
    for n in range(turns.shape[0]):
        place = quat.load3(places, n, 0)
        second = Hull(other, 0, other.shape[0], quat.load4(turns, n, 0), place)
        gap = hull_gap(first, second, radii, place, size, math.inf, simplex, ways, ways.shape[0])
        out[n] = gap.distance
