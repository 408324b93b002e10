"""Inequality constraints on a pose: capsules may not overlap, and the centre of mass stays above the soles.

A *pair* of capsules, or a capsule and an obstacle, keeps at least the margin from each other. So do two bones whose
gap is read from a *table* over one or two coordinates. The centre of mass keeps at least its own margin from each
edge of the *support*, the convex outline of the soles as seen from above. Each broken constraint adds half the
square of its *excess* to the cost: by how much it is broken, in characteristic lengths, times HARD. So a pose that
breaks none costs what its goals cost, and one that breaks some is pulled back HARD times as strongly as towards a
goal.

A step also looks ahead: constraints that hold now but are close to being broken are rows of the linear problem,
too, and those that the step would break become active (see `supple.kernels.levenberg`).

All geometry is given by *points* of bones: the ends of capsules, the bones' centres of mass, the soles.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.convex import SIMPLEX, Gap, Hull, hull_gap, support
from supple.kernels.decorators import cold, entry, kernel, leaf
from supple.kernels.jacobian import pushed_along, pushed_by_joint
from supple.kernels.problem import evaluate
from supple.kernels.workspace import grid, matrix, part, row_at, vector

# How much farther than its margin a pair is pushed [characteristic lengths]; not tuned.
MARGIN_SLACK = 1e-5
LOOK_AHEAD = 0.15  # constraints nearer than this to being broken count in a step [characteristic lengths]; not tuned
MOST_ROWS = 96  # constraints that count in one step, at most; not tuned
# Lengths below this, in model units or relative to those compared, are rounding.
NEGLIGIBLE_LENGTH = 1e-12

# Columns of `Bodies.found`.
PAIR, DEPTH, TOPPLE, COST, ROWS, SEEN = range(6)
APART, BALANCED, AHEAD = range(3)  # columns of `Bodies.strength`

# Columns of `Bodies.seen`: the pair, the distance, the nearest points and the normal.
G_PAIR, G_DISTANCE, G_FIRST, G_SECOND, G_NORMAL = 0, 1, 2, 5, 8
GAP_FLOATS = 11


class Constraints(NamedTuple):
    """The constraints of a problem, read only."""

    points: Any  # (P, POINT_INTS)
    masses: Any  # (P,)
    capsules: Any  # (C, CAPSULE_INTS)
    capsules_f: Any  # (C, CAPSULE_FLOATS)
    pairs: Any  # (N, PAIR_INTS)
    obstacles: Any  # (O, OBSTACLE_FLOATS)
    soles: Any  # (S,) points
    tables: Any  # (T, TABLE_INTS)
    tables_f: Any  # (T, TABLE_FLOATS)
    gaps: Any  # the numbers of all tables
    margin: float  # of the pairs
    balance: float  # of the centre of mass
    up: Any  # xyz
    some: bool  # whether there are any
    hulls: Any  # (V, HULL_FLOATS) the points of the hulls inside capsules


@leaf
def unpack_constraints(problem, ints, floats):
    """The constraints in a packed pair of arrays, at their end."""
    np, nc, nn = ints[layout.H_POINTS], ints[layout.H_CAPSULES], ints[layout.H_PAIRS]
    no, ns = ints[layout.H_OBSTACLES], ints[layout.H_SOLES]
    nt, ng, nv = ints[layout.H_TABLES], ints[layout.H_GAPS], ints[layout.H_HULLS]
    tables = ints.shape[0] - nt * layout.TABLE_INTS
    capsules = tables - ns - nn * layout.PAIR_INTS - nc * layout.CAPSULE_INTS
    pairs = capsules + nc * layout.CAPSULE_INTS
    gaps = floats.shape[0] - ng
    tables_f = gaps - nt * layout.TABLE_FLOATS
    obstacles = tables_f - no * layout.OBSTACLE_FLOATS
    capsules_f = obstacles - nc * layout.CAPSULE_FLOATS
    hulls = capsules_f - np - nv * layout.HULL_FLOATS
    return Constraints(
        grid(ints, capsules - np * layout.POINT_INTS, np, layout.POINT_INTS),
        part(floats, capsules_f - np, np),
        grid(ints, capsules, nc, layout.CAPSULE_INTS),
        grid(floats, capsules_f, nc, layout.CAPSULE_FLOATS),
        grid(ints, pairs, nn, layout.PAIR_INTS),
        grid(floats, obstacles, no, layout.OBSTACLE_FLOATS),
        part(ints, pairs + nn * layout.PAIR_INTS, ns),
        grid(ints, tables, nt, layout.TABLE_INTS),
        grid(floats, tables_f, nt, layout.TABLE_FLOATS),
        part(floats, gaps, ng),
        floats[layout.F_MARGIN],
        floats[layout.F_BALANCE],
        (floats[layout.F_UP], floats[layout.F_UP + 1], floats[layout.F_UP + 2]),
        nn > 0 or ns > 0 or nt > 0,
        grid(floats, hulls, nv, layout.HULL_FLOATS),
    )


class Bodies(NamedTuple):
    """World positions of the points of a pose, and the constraints it breaks."""

    local: Any  # (P, 6) points in the frame of the moving joint: the fixed part, and the part that stretches
    world: Any  # (P, 3) points in world
    moments: Any  # (M, 4) mass and first moment of all that a moving joint carries
    flat: Any  # (S, 2) the soles as seen from above
    outline: Any  # (S + 1,) the soles at the corners of the support, the first again at the end
    read: Any  # (T, 3) the gap in each table, and its slopes along the two coordinates
    columns: Any  # (K, D) how fast an excess shrinks as a freedom grows
    excess: Any  # (K,) of the constraints that count in a step, negative where one holds
    taken: Any  # (K,) 1 for those that are active in the step
    number: Any  # (K,) which these are: pairs, then tables, -1 for an edge of the support
    mount: Any  # (C, 4) rotations of capsules with hulls, wxyz, in the frame of the moving joint
    simplex: Any  # (4, SIMPLEX)
    seen: Any  # (K, GAP_FLOATS) pairs of the last pose that are broken or whose hulls were measured
    found: Any  # (6,) the deepest pair or table, how deep, how far off balance, cost, rows, how many are in `seen`
    standing: Any  # (S,) 1 for the soles that support, 0 for the others
    strength: Any  # (3,) weights of distances and balance, 0 to 1, and how far ahead a step looks [lengths]
    middles: Any  # (C, 3) of the capsules


@leaf
def take_bodies(problem, constraints, work):
    """Buffers for one pose at a time."""
    points, soles = constraints.points.shape[0], constraints.soles.shape[0]
    tables = constraints.tables.shape[0]
    capsules = constraints.capsules.shape[0] if constraints.hulls.shape[0] > 0 else 0
    rows = min(constraints.pairs.shape[0] + soles + tables, MOST_ROWS)
    return Bodies(
        matrix(work, points, 6),
        matrix(work, points, 3),
        matrix(work, problem.moving.shape[0] if soles > 0 else 0, 4),
        matrix(work, soles, 2),
        vector(work, soles + 1),
        matrix(work, tables, 3),
        matrix(work, rows, problem.freedoms),
        vector(work, rows),
        vector(work, rows),
        vector(work, rows),
        matrix(work, capsules, 4),
        matrix(work, 4, SIMPLEX),
        matrix(work, rows, GAP_FLOATS),
        vector(work, 6),
        vector(work, soles),
        vector(work, 3),
        matrix(work, constraints.capsules.shape[0], 3),
    )


# Points -------------------------------------------------------------------------------------------


@kernel
def fold_points(problem, constraints, bodies, frames, offsets):
    """Express the points in the frames of the moving joints; call it right after `problem.fold`.

    All soles support, and everything counts in full, until a clip says otherwise.
    """
    bodies.strength[APART] = bodies.strength[BALANCED] = 1.0
    bodies.strength[AHEAD] = LOOK_AHEAD
    for s in range(bodies.standing.shape[0]):
        bodies.standing[s] = 1.0
    active, points = problem.active, constraints.points
    first = active.shape[0] + 2 * problem.blocks.shape[0]
    for p in range(points.shape[0]):
        a = points[p, layout.P_JOINT]
        point, slack = quat.load3(offsets, first + p, 0), (0.0, 0.0, 0.0)
        if a >= 0 and active[a, layout.A_MOVE] < 0:
            turn = quat.load4(frames.folded, a, 0)
            point = quat.add(quat.load3(frames.folded, a, 4), quat.rotate(turn, point))
            slack = quat.load3(frames.folded, a, 7)
        quat.store3(bodies.local, p, 0, point)
        quat.store3(bodies.local, p, 3, slack)
    for i in range(bodies.mount.shape[0]):
        a = points[constraints.capsules[i, layout.C_A], layout.P_JOINT]
        turn = quat.IDENTITY
        if a >= 0 and active[a, layout.A_MOVE] < 0:
            turn = quat.load4(frames.folded, a, 0)
        quat.store4(bodies.mount, i, 0, turn)


@kernel
def place_points(problem, constraints, bodies, frames, q):
    """World positions of all points of a pose whose moving joints are placed."""
    points, moving = constraints.points, problem.moving
    for p in range(points.shape[0]):
        k = points[p, layout.P_MOVE]
        point = quat.load3(bodies.local, p, 0)
        if k >= 0:
            stretch = moving[k, layout.M_STRETCH_Q]
            if stretch >= 0:
                point = quat.axpy(point, q[stretch], quat.load3(bodies.local, p, 3))
            world = quat.load4(frames.joints, k, layout.S_W)
            point = quat.add(quat.load3(frames.joints, k, layout.S_POS), quat.rotate(world, point))
        quat.store3(bodies.world, p, 0, point)
    capsules, world = constraints.capsules, bodies.world
    for i in range(capsules.shape[0]):
        a, b = quat.load3(world, capsules[i, 0], 0), quat.load3(world, capsules[i, 1], 0)
        quat.store3(bodies.middles, i, 0, quat.scale(quat.add(a, b), 0.5))


# Distances ----------------------------------------------------------------------------------------


@leaf
def _clamp01(x):
    return min(max(x, 0.0), 1.0)


@leaf
def nearest_on_segments(a1, b1, a2, b2):
    """The nearest points of two segments, as fractions of their lengths from a to b."""
    d1, d2, r = quat.sub(b1, a1), quat.sub(b2, a2), quat.sub(a1, a2)
    a, e, f = quat.dot(d1, d1), quat.dot(d2, d2), quat.dot(d2, r)
    if a <= NEGLIGIBLE_LENGTH * NEGLIGIBLE_LENGTH:
        return 0.0, _clamp01(f / e) if e > NEGLIGIBLE_LENGTH * NEGLIGIBLE_LENGTH else 0.0
    c = quat.dot(d1, r)
    if e <= NEGLIGIBLE_LENGTH * NEGLIGIBLE_LENGTH:
        return _clamp01(-c / a), 0.0
    b = quat.dot(d1, d2)
    across = a * e - b * b
    s = _clamp01((b * f - c * e) / across) if across > NEGLIGIBLE_LENGTH * a * e else 0.5
    t = (b * s + f) / e
    if t < 0.0:
        return _clamp01(-c / a), 0.0
    if t > 1.0:
        return _clamp01((b - c) / a), 1.0
    return s, t


@entry("f2 f2 f2 f2 f2")
def segments_nearest(a1, b1, a2, b2, out):
    """The nearest points of segments, as in `nearest_on_segments`; ends (N, 3), out (N, 2)."""
    for n in range(out.shape[0]):
        out[n, 0], out[n, 1] = nearest_on_segments(
            quat.load3(a1, n, 0), quat.load3(b1, n, 0), quat.load3(a2, n, 0), quat.load3(b2, n, 0)
        )


@leaf
def segment_gap(a1, b1, a2, b2, radii):
    """The gap of two capsules, given by the ends of their axes; its nearest points are on the axes."""
    s, t = nearest_on_segments(a1, b1, a2, b2)
    first = quat.axpy(a1, s, quat.sub(b1, a1))
    second = quat.axpy(a2, t, quat.sub(b2, a2))
    way = quat.sub(second, first)
    apart = quat.norm(way)
    if apart > NEGLIGIBLE_LENGTH * radii:
        normal = quat.scale(way, 1.0 / apart)
    else:  # their axes cross: the shortest shift apart is perpendicular to both
        normal = quat.cross(quat.sub(b1, a1), quat.sub(b2, a2))
        size = quat.norm(normal)
        normal = quat.scale(normal, 1.0 / size) if size > 0.0 else (1.0, 0.0, 0.0)
    return Gap(apart - radii, first, second, normal)


@leaf
def capsule_gap(constraints, bodies, i, j):
    """The gap of capsules i and j."""
    capsules, world = constraints.capsules, bodies.world
    a1, b1 = quat.load3(world, capsules[i, 0], 0), quat.load3(world, capsules[i, 1], 0)
    a2, b2 = quat.load3(world, capsules[j, 0], 0), quat.load3(world, capsules[j, 1], 0)
    radii = constraints.capsules_f[i, layout.C_RADIUS] + constraints.capsules_f[j, layout.C_RADIUS]
    return segment_gap(a1, b1, a2, b2, radii)


@cold
def shape_gap(constraints, bodies, frames, i, j, rough, reach):
    """The gap of the shapes in two capsules, one of them a hull; `rough` is the gap of the capsules.

    If they are farther apart than `reach`, the result is at least `reach`.
    """
    sizes = constraints.capsules_f
    one, other = _hull(constraints, bodies, frames, i), _hull(constraints, bodies, frames, j)
    radii = sizes[i, layout.C_ROUND] + sizes[j, layout.C_ROUND]
    size = sizes[i, layout.C_RADIUS] + sizes[i, layout.C_HALF]
    size += sizes[j, layout.C_RADIUS] + sizes[j, layout.C_HALF]
    return hull_gap(one, other, radii, rough.normal, size, reach, bodies.simplex, bodies.simplex, 0)


@leaf
def _hull(constraints, bodies, frames, i):
    """The hull in a capsule, or of the ends of its axis."""
    capsules, points = constraints.capsules, constraints.points
    a, count = capsules[i, layout.C_A], capsules[i, layout.C_COUNT]
    if count == 0:
        ends = 1 if capsules[i, layout.C_B] == a else 2
        return Hull(bodies.world, a, ends, quat.IDENTITY, (0.0, 0.0, 0.0))
    k, turn = points[a, layout.P_MOVE], quat.load4(bodies.mount, i, 0)
    if k >= 0:
        turn = quat.mul(quat.load4(frames.joints, k, layout.S_W), turn)
    first = capsules[i, layout.C_FIRST]
    return Hull(constraints.hulls, first, count, turn, quat.load3(bodies.world, a, 0))


@leaf
def _box_distance(p, h):
    """Signed distance of a point from a box of half sizes h around the origin."""
    x, y, z = abs(p[0]) - h[0], abs(p[1]) - h[1], abs(p[2]) - h[2]
    outside = math.sqrt(max(x, 0.0) ** 2 + max(y, 0.0) ** 2 + max(z, 0.0) ** 2)
    return outside + min(max(x, max(y, z)), 0.0)


@leaf
def _box_normal(p, h):
    """The gradient of `_box_distance`."""
    x, y, z = abs(p[0]) - h[0], abs(p[1]) - h[1], abs(p[2]) - h[2]
    if max(x, max(y, z)) > 0.0:
        way = (
            math.copysign(max(x, 0.0), p[0]),
            math.copysign(max(y, 0.0), p[1]),
            math.copysign(max(z, 0.0), p[2]),
        )
        return quat.unit(way)
    if x >= y and x >= z:
        return (math.copysign(1.0, p[0]), 0.0, 0.0)
    if y >= z:
        return (0.0, math.copysign(1.0, p[1]), 0.0)
    return (0.0, 0.0, math.copysign(1.0, p[2]))


@cold
def plane_gap(constraints, bodies, frames, i, o):
    """The gap from a plane, the first, to a capsule or the hull in it, the second, at its lowest point."""
    capsules, obstacles, sizes = constraints.capsules, constraints.obstacles, constraints.capsules_f
    turn = quat.load4(obstacles, o, layout.O_ROTATION)
    normal = quat.rotate(turn, (0.0, 0.0, 1.0))
    if capsules[i, layout.C_COUNT] > 0:
        hull = _hull(constraints, bodies, frames, i)
        lowest, radius = support(hull, quat.scale(normal, -1.0)), sizes[i, layout.C_ROUND]
    else:
        a = quat.load3(bodies.world, capsules[i, layout.C_A], 0)
        b = quat.load3(bodies.world, capsules[i, layout.C_B], 0)
        lowest = a if quat.dot(a, normal) <= quat.dot(b, normal) else b
        radius = sizes[i, layout.C_RADIUS]
    height = quat.dot(quat.sub(lowest, quat.load3(obstacles, o, layout.O_CENTER)), normal)
    return Gap(height - radius, lowest, lowest, normal)


@cold
def box_gap(constraints, bodies, i, o):
    """The gap from a box, the first, to a capsule, the second.

    The signed distance from a box is convex, also along the capsule's axis: a golden section finds its minimum.
    """
    capsules, world, obstacles = constraints.capsules, bodies.world, constraints.obstacles
    center = quat.load3(obstacles, o, layout.O_CENTER)
    turn = quat.load4(obstacles, o, layout.O_ROTATION)
    half = quat.load3(obstacles, o, layout.O_HALF)
    a = quat.unrotate(turn, quat.sub(quat.load3(world, capsules[i, 0], 0), center))
    b = quat.unrotate(turn, quat.sub(quat.load3(world, capsules[i, 1], 0), center))
    way = quat.sub(b, a)
    low, high, ratio = 0.0, 1.0, 0.5 * (math.sqrt(5.0) - 1.0)
    s, t = high - ratio, low + ratio
    at_s = _box_distance(quat.axpy(a, s, way), half)
    at_t = _box_distance(quat.axpy(a, t, way), half)
    for _ in range(40):
        if at_s <= at_t:
            high, t, at_t = t, s, at_s
            s = high - ratio * (high - low)
            at_s = _box_distance(quat.axpy(a, s, way), half)
        else:
            low, s, at_s = s, t, at_t
            t = low + ratio * (high - low)
            at_t = _box_distance(quat.axpy(a, t, way), half)
    second = quat.axpy(a, 0.5 * (low + high), way)
    distance, normal = _box_distance(second, half), _box_normal(second, half)
    point = quat.add(center, quat.rotate(turn, second))
    radius = constraints.capsules_f[i, layout.C_RADIUS]
    return Gap(distance - radius, point, point, quat.rotate(turn, normal))


@leaf
def is_near(constraints, bodies, n, reach):
    """True if the shapes of pair n may be nearer than `reach`, by the spheres around them."""
    pairs, sizes, obstacles = constraints.pairs, constraints.capsules_f, constraints.obstacles
    i, j = pairs[n, 0], pairs[n, 1]
    own = sizes[i, layout.C_RADIUS] + sizes[i, layout.C_HALF] + reach
    middle = quat.load3(bodies.middles, i, 0)
    if j >= 0:
        way = quat.sub(quat.load3(bodies.middles, j, 0), middle)
        both = own + sizes[j, layout.C_RADIUS] + sizes[j, layout.C_HALF]
        return quat.dot(way, way) < both * both
    o = -1 - j
    half = quat.load3(obstacles, o, layout.O_HALF)
    way = quat.sub(middle, quat.load3(obstacles, o, layout.O_CENTER))
    if half[0] == 0.0:
        turn = quat.load4(obstacles, o, layout.O_ROTATION)
        return quat.unrotate(turn, way)[2] < own
    both = own + quat.norm(half)
    return quat.dot(way, way) < both * both


@leaf
def pair_gap(constraints, bodies, frames, n, reach):
    """The gap of pair n; of the capsules around the shapes if these are farther apart than `reach`."""
    i, j = constraints.pairs[n, 0], constraints.pairs[n, 1]
    if j < 0:
        if constraints.obstacles[-1 - j, layout.O_HALF] == 0.0:
            return plane_gap(constraints, bodies, frames, i, -1 - j)
        return box_gap(constraints, bodies, i, -1 - j)
    gap = capsule_gap(constraints, bodies, i, j)
    if gap.distance > reach:
        return gap
    if not has_hull(constraints, n):
        return gap
    return shape_gap(constraints, bodies, frames, i, j, gap, reach)


@leaf
def has_hull(constraints, n):
    """True if one of the shapes of pair n is a hull inside its capsule."""
    i, j = constraints.pairs[n, 0], constraints.pairs[n, 1]
    capsules = constraints.capsules
    return j >= 0 and capsules[i, layout.C_COUNT] + capsules[j, layout.C_COUNT] > 0


@leaf
def _remember(bodies, n, gap):
    """Keep the gap of pair n in `seen`, if there is room."""
    seen, k = bodies.seen, int(bodies.found[SEEN])
    if k < seen.shape[0]:
        seen[k, G_PAIR], seen[k, G_DISTANCE] = n, gap.distance
        quat.store3(seen, k, G_FIRST, gap.first)
        quat.store3(seen, k, G_SECOND, gap.second)
        quat.store3(seen, k, G_NORMAL, gap.normal)
        bodies.found[SEEN] = k + 1


@leaf
def _recall(bodies, k):
    """The gap kept in row k of `seen`."""
    seen = bodies.seen
    return Gap(
        seen[k, G_DISTANCE],
        quat.load3(seen, k, G_FIRST),
        quat.load3(seen, k, G_SECOND),
        quat.load3(seen, k, G_NORMAL),
    )


# Tables -------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """The position of a coordinate on an axis of a grid."""

    low: int  # the step below it
    high: int  # the step above it
    way: float  # the fraction from low to high, 0 to 1
    rate: float  # how fast that grows with the coordinate


@leaf
def _cell(constraints, n, axis, q):
    ints = layout.T_AXES + axis * layout.AXIS_INTS
    floats = axis * layout.AXIS_FLOATS
    x = q[constraints.tables[n, ints + layout.T_COORDINATE]]
    x -= constraints.tables_f[n, floats + layout.T_LOW]
    if constraints.tables_f[n, floats + layout.T_TURN] > 0.0:
        x -= 2.0 * math.pi * math.floor(x / (2.0 * math.pi))
    rate, steps = (
        constraints.tables_f[n, floats + layout.T_RATE],
        constraints.tables[n, ints + layout.T_STEPS],
    )
    x *= rate
    if x <= 0.0 or x >= steps:
        end = 0 if x <= 0.0 else steps
        # From an end the coordinate can only move inwards, so the slope inside counts.
        low = min(end, max(steps - 1, 0))
        return Cell(low, min(low + 1, steps), float(end - low), rate)
    low = min(int(x), steps - 1)
    return Cell(low, low + 1, x - low, rate)


@kernel
def read_tables(constraints, bodies, q):
    """Fill `read` with the gaps at coordinates q and their slopes, by bilinear interpolation."""
    gaps, read = constraints.gaps, bodies.read
    for n in range(read.shape[0]):
        one, other = _cell(constraints, n, 0, q), _cell(constraints, n, 1, q)
        width = constraints.tables[n, layout.T_AXES + layout.AXIS_INTS + layout.T_STEPS] + 1
        first = constraints.tables[n, layout.T_FIRST]
        low, high = first + one.low * width, first + one.high * width
        a, b = gaps[low + other.low], gaps[low + other.high]
        c, d = gaps[high + other.low], gaps[high + other.high]
        left, right = a + one.way * (c - a), b + one.way * (d - b)
        read[n, 0] = left + other.way * (right - left)
        read[n, 1] = one.rate * (c - a + other.way * (d - b - c + a))
        read[n, 2] = other.rate * (right - left)


@kernel
def _table_columns(problem, constraints, bodies, n, row):
    """Fill a row with how fast the freedoms of a table's coordinates widen its gap."""
    columns = row_at(bodies.columns, row)
    for d in range(columns.shape[0]):
        columns[d] = 0.0
    for axis in range(2):
        d = constraints.tables[n, layout.T_AXES + axis * layout.AXIS_INTS + layout.T_DOF]
        if d >= 0:
            unit = constraints.tables_f[n, axis * layout.AXIS_FLOATS + layout.T_UNIT]
            columns[d] += layout.HARD / problem.length * unit * bodies.read[n, 1 + axis]


# Balance ------------------------------------------------------------------------------------------


class Ground(NamedTuple):
    """Two unit directions along the ground, and the coordinates of the centre of mass along them."""

    u: Any
    v: Any
    x: float
    y: float


@kernel
def look_down(constraints, bodies):
    """Project the soles onto the ground: fill `flat` and `outline`, corners counter-clockwise.

    Returns the ground with the centre of mass, and how many corners there are.
    """
    points, masses, soles = constraints.points, constraints.masses, constraints.soles
    u = quat.perpendicular(constraints.up)
    v = quat.cross(constraints.up, u)
    total, center = 0.0, (0.0, 0.0, 0.0)
    for p in range(points.shape[0]):
        total += masses[p]
        center = quat.axpy(center, masses[p], quat.load3(bodies.world, p, 0))
    center = quat.scale(center, 1.0 / total)
    flat, outline, count = bodies.flat, bodies.outline, soles.shape[0]
    standing, begin = bodies.standing, -1
    for s in range(count):
        if standing[s] == 0.0:
            continue
        point = quat.load3(bodies.world, soles[s], 0)
        flat[s, 0], flat[s, 1] = quat.dot(point, u), quat.dot(point, v)
        if (
            begin < 0
            or flat[s, 0] < flat[begin, 0]
            or (flat[s, 0] == flat[begin, 0] and flat[s, 1] < flat[begin, 1])
        ):
            begin = s
    ground = Ground(u, v, quat.dot(center, u), quat.dot(center, v))
    if begin < 0:
        return ground, 0
    corners, here = 0, begin
    while corners < count:  # convex hull by gift wrapping
        outline[corners] = here
        corners += 1
        after = -1
        for s in range(count):
            if standing[s] == 0.0:
                continue
            x, y = flat[s, 0] - flat[here, 0], flat[s, 1] - flat[here, 1]
            if x * x + y * y <= NEGLIGIBLE_LENGTH * NEGLIGIBLE_LENGTH:
                continue
            if after < 0:
                after = s
                continue
            p, q = flat[after, 0] - flat[here, 0], flat[after, 1] - flat[here, 1]
            side = p * y - q * x
            if side < 0.0 or (side == 0.0 and x * x + y * y > p * p + q * q):
                after = s
        if after < 0 or after == begin:
            break
        here = after
    outline[corners] = begin
    return ground, corners


class Edge(NamedTuple):
    """An edge of the support and the centre of mass."""

    excess: float  # how far beyond the edge and its margin, negative inside
    x: float  # the unit normal outwards, along the ground
    y: float
    along: float  # the centre of mass along the edge, 0 to 1 between the corners


@leaf
def edge_at(constraints, bodies, ground, c):
    """Edge c of the outline."""
    flat, outline = bodies.flat, bodies.outline
    i, j = int(outline[c]), int(outline[c + 1])
    x, y = flat[j, 0] - flat[i, 0], flat[j, 1] - flat[i, 1]
    size = math.sqrt(x * x + y * y) + 1e-300
    x, y = x / size, y / size
    p, q = ground.x - flat[i, 0], ground.y - flat[i, 1]
    return Edge(constraints.balance + p * y - q * x, y, -x, (p * x + q * y) / size)


@kernel
def _sum_moments(problem, constraints, bodies):
    """Fill the mass and first moment that each moving joint carries, with all below; returns the total mass."""
    points, moments, moving = constraints.points, bodies.moments, problem.moving
    for k in range(moments.shape[0]):
        for i in range(4):
            moments[k, i] = 0.0
    total = 0.0
    for p in range(points.shape[0]):
        mass, k = constraints.masses[p], points[p, layout.P_MOVE]
        total += mass
        if k >= 0 and mass > 0.0:
            moments[k, 0] += mass
            for i in range(3):
                moments[k, 1 + i] += mass * bodies.world[p, i]
    for n in range(moments.shape[0]):
        k = moments.shape[0] - 1 - n
        up = moving[k, layout.M_PARENT]
        if up >= 0:
            for i in range(4):
                moments[up, i] += moments[k, i]
    return total


# The pose as a whole ------------------------------------------------------------------------------


@kernel
def broken(problem, constraints, bodies, frames, q):
    """The cost of the constraints that a pose, evaluated, breaks; fills `found`."""
    found = bodies.found
    found[PAIR], found[DEPTH], found[TOPPLE], found[SEEN] = -1.0, 0.0, 0.0, 0.0
    place_points(problem, constraints, bodies, frames, q)
    slack = MARGIN_SLACK * problem.length
    scale = layout.HARD / problem.length * bodies.strength[APART]
    cost = 0.0
    apart, balanced = bodies.strength[APART] > 0.0, bodies.strength[BALANCED] > 0.0
    for n in range(constraints.pairs.shape[0] if apart else 0):
        if is_near(constraints, bodies, n, constraints.margin + slack):
            gap = pair_gap(constraints, bodies, frames, n, constraints.margin + slack)
            depth = constraints.margin - gap.distance
            if depth > found[DEPTH]:
                found[PAIR], found[DEPTH] = n, depth
            if depth + slack > 0.0:
                cost += 0.5 * (scale * (depth + slack)) ** 2
                _remember(bodies, n, gap)
            elif has_hull(constraints, n):
                _remember(bodies, n, gap)
    read_tables(constraints, bodies, q)
    for n in range(constraints.tables.shape[0] if apart else 0):
        depth = constraints.margin - bodies.read[n, 0]
        if depth > found[DEPTH]:
            found[PAIR], found[DEPTH] = constraints.pairs.shape[0] + n, depth
        if depth + slack > 0.0:
            cost += 0.5 * (scale * (depth + slack)) ** 2
    if constraints.soles.shape[0] > 0 and balanced:
        scale = layout.HARD / problem.length * bodies.strength[BALANCED]
        ground, corners = look_down(constraints, bodies)
        for c in range(corners):
            excess = edge_at(constraints, bodies, ground, c).excess
            found[TOPPLE] = max(found[TOPPLE], excess)
            if excess + slack > 0.0:
                cost += 0.5 * (scale * (excess + slack)) ** 2
    found[COST] = cost
    return cost


@kernel
def weigh(problem, lm, q):
    """Evaluate the pose q; returns its cost, that of broken constraints included.

    `lm` is a solver's record with `frames`, `constraints` and `bodies`.
    """
    cost = evaluate(problem, lm.frames, q)
    if lm.constraints.some:
        cost += broken(problem, lm.constraints, lm.bodies, lm.frames, q)
    return cost


@leaf
def unbroken(bodies):
    """True if the pose last given to `broken` breaks no constraint."""
    return bodies.found[DEPTH] <= 0.0 and bodies.found[TOPPLE] <= 0.0


@kernel
def widest_open(problem, frames):
    """The block of the loop that is open the widest, relative to its tolerance; -1 if all are closed."""
    blocks, widest, most = problem.blocks, -1, 1.0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_HARD] == 1 and blocks[g, layout.B_ROW] >= 0:
            open_by = frames.errors[g] / problem.blocks_f[g, layout.B_TOLERANCE]
            if open_by > most:
                widest, most = g, open_by
    return widest


@kernel
def fault_of(problem, frames, bodies):
    """The status of the first thing wrong with the last pose: an open loop, a collision, lost balance; or REACHED."""
    if widest_open(problem, frames) >= 0:
        return layout.OPEN_LOOP
    if bodies.found[DEPTH] > 0.0:
        return layout.COLLIDES
    return layout.UNBALANCED if bodies.found[TOPPLE] > 0.0 else layout.REACHED


@kernel
def write_faults(problem, frames, bodies, out):
    """Write which loop is open, which pair is too near, and how far off balance the last pose is."""
    nq, found = problem.coordinates, bodies.found
    out[nq + layout.O_OPEN] = widest_open(problem, frames)
    out[nq + layout.O_PAIR] = found[PAIR]
    out[nq + layout.O_DEPTH] = found[DEPTH]
    out[nq + layout.O_TOPPLE] = found[TOPPLE]


@kernel
def linearize_constraints(problem, constraints, bodies, frames, linear):
    """Fill `columns` and `excess` with the constraints that count in a step from the last pose."""
    slack, near = MARGIN_SLACK * problem.length, bodies.strength[AHEAD] * problem.length
    rows, scale = 0, layout.HARD / problem.length
    most = bodies.columns.shape[0] - constraints.soles.shape[0]
    apart, balanced = bodies.strength[APART] > 0.0, bodies.strength[BALANCED] > 0.0
    for n in range(constraints.tables.shape[0] if apart else 0):
        excess = constraints.margin + slack - bodies.read[n, 0]
        if excess > -near and rows < most:
            bodies.excess[rows] = scale * excess
            bodies.number[rows] = constraints.pairs.shape[0] + n
            _table_columns(problem, constraints, bodies, n, rows)
            rows += 1
    seen = int(bodies.found[SEEN])
    for k in range(seen):  # broken ones first, so that there is room for them
        excess = constraints.margin + slack - bodies.seen[k, G_DISTANCE]
        if excess > 0.0 and rows < most:
            gap = _recall(bodies, k)
            n = int(bodies.seen[k, G_PAIR])
            _pair_row(problem, constraints, bodies, frames, linear, gap, n, excess, rows)
            rows += 1
    k = 0
    for n in range(constraints.pairs.shape[0] if apart and near > 0.0 else 0):
        if rows >= most:
            break
        known = k < seen and bodies.seen[k, G_PAIR] == n
        if known:
            gap = _recall(bodies, k)
            k += 1
        elif is_near(constraints, bodies, n, constraints.margin + slack + near):
            gap = pair_gap(constraints, bodies, frames, n, constraints.margin + slack)
        else:
            continue
        excess = constraints.margin + slack - gap.distance
        if excess > -near and not (known and excess > 0.0):
            _pair_row(problem, constraints, bodies, frames, linear, gap, n, excess, rows)
            rows += 1
    _weaken(bodies, 0, rows, bodies.strength[APART])
    first_edge = rows
    if constraints.soles.shape[0] > 0 and balanced:
        total = _sum_moments(problem, constraints, bodies)
        ground, corners = look_down(constraints, bodies)
        for c in range(corners):
            edge = edge_at(constraints, bodies, ground, c)
            if edge.excess + slack > -near and rows < bodies.columns.shape[0]:
                bodies.excess[rows] = scale * (edge.excess + slack)
                bodies.number[rows] = -1.0
                out = quat.axpy(quat.scale(ground.u, edge.x), edge.y, ground.v)
                _edge_columns(
                    problem, constraints, bodies, frames, linear, c, edge, out, total, rows
                )
                rows += 1
    _weaken(bodies, first_edge, rows, bodies.strength[BALANCED])
    bodies.found[ROWS] = rows


@leaf
def _weaken(bodies, first, last, strength):
    """Multiply rows first..last-1 by their weight."""
    if strength == 1.0:
        return
    for k in range(first, last):
        bodies.excess[k] *= strength
        for d in range(bodies.columns.shape[1]):
            bodies.columns[k, d] *= strength


@leaf
def _pair_row(problem, constraints, bodies, frames, linear, gap, n, excess, row):
    """Add a row for pair n."""
    bodies.excess[row] = layout.HARD / problem.length * excess
    bodies.number[row] = n
    _pair_columns(problem, constraints, bodies, frames, linear, n, gap, row)


@kernel
def _pair_columns(problem, constraints, bodies, frames, linear, n, gap, row):
    """Fill a row with how fast every freedom widens a pair's gap; those above both bones do not change it."""
    points, moving, capsules = constraints.points, problem.moving, constraints.capsules
    i, j = constraints.pairs[n, 0], constraints.pairs[n, 1]
    columns = row_at(bodies.columns, row)
    for d in range(columns.shape[0]):
        columns[d] = 0.0
    push = quat.scale(gap.normal, layout.HARD / problem.length)
    k = points[capsules[i, 0], layout.P_MOVE]
    none = (0.0, 0.0, 0.0)
    if j < 0:
        pushed_along(problem, frames, linear, k, gap.second, push, columns)
        return
    pull = quat.scale(push, -1.0)
    e = points[capsules[j, 0], layout.P_MOVE]
    below_k, below_e = none, none
    while k != e:
        if k > e:
            below_k = pushed_by_joint(problem, frames, linear, k, gap.first, pull, below_k, columns)
            k = moving[k, layout.M_PARENT]
        else:
            below_e = pushed_by_joint(
                problem, frames, linear, e, gap.second, push, below_e, columns
            )
            e = moving[e, layout.M_PARENT]


@kernel
def _edge_columns(problem, constraints, bodies, frames, linear, c, edge, out, total, row):
    """Fill a row with how fast every freedom moves the centre of mass inwards from an edge, whose corners may move.

    Stretching moves bones only by their joints.
    """
    points, soles = constraints.points, constraints.soles
    columns = row_at(bodies.columns, row)
    for d in range(columns.shape[0]):
        columns[d] = 0.0
    push = quat.scale(out, -layout.HARD / problem.length)
    none = (0.0, 0.0, 0.0)
    for k in range(bodies.moments.shape[0]):
        mass = bodies.moments[k, 0]
        if mass > 0.0:
            center = quat.scale(quat.load3(bodies.moments, k, 1), 1.0 / mass)
            share = quat.scale(push, mass / total)
            pushed_by_joint(problem, frames, linear, k, center, share, none, columns)
    for end in range(2):
        p = soles[int(bodies.outline[c + end])]
        part_of = edge.along if end == 1 else 1.0 - edge.along
        back = quat.scale(push, -part_of)
        point = quat.load3(bodies.world, p, 0)
        pushed_along(problem, frames, linear, points[p, layout.P_MOVE], point, back, columns)


# Gaps of given poses --------------------------------------------------------------------------------

# A solid: its joint, the first point of its hull and how many, 0 if it is a capsule. Its floats: the ends of its
# capsule in the joint's frame, radius, half length, and by how much the hull, which begins at the first end, is
# thickened.
D_JOINT, D_FIRST, D_COUNT = range(3)
D_A, D_B, D_RADIUS, D_HALF, D_ROUND = 0, 3, 6, 7, 8


@leaf
def _placed_hull(solids, hulls, ends, rotations, i):
    """The hull of a solid, or of the ends of its axis."""
    if solids[i, D_COUNT] == 0:
        return Hull(ends, 2 * i, 2, quat.IDENTITY, (0.0, 0.0, 0.0))
    turn, place = quat.load4(rotations, solids[i, D_JOINT], 0), quat.load3(ends, 2 * i, 0)
    return Hull(hulls, solids[i, D_FIRST], solids[i, D_COUNT], turn, place)


@kernel
def _solid_gap(solids, sizes, hulls, ends, rotations, i, j, reach, simplex):
    """The gap of two solids; if they are farther apart than `reach`, a lower bound of it above `reach`."""
    a1, b1 = quat.load3(ends, 2 * i, 0), quat.load3(ends, 2 * i + 1, 0)
    a2, b2 = quat.load3(ends, 2 * j, 0), quat.load3(ends, 2 * j + 1, 0)
    radii = sizes[i, D_RADIUS] + sizes[j, D_RADIUS]
    size = radii + sizes[i, D_HALF] + sizes[j, D_HALF]
    way = quat.scale(quat.sub(quat.add(a2, b2), quat.add(a1, b1)), 0.5)
    apart = quat.norm(way) - size
    if apart > reach:
        return apart
    gap = segment_gap(a1, b1, a2, b2, radii)
    if gap.distance > reach or solids[i, D_COUNT] + solids[j, D_COUNT] == 0:
        return gap.distance
    one = _placed_hull(solids, hulls, ends, rotations, i)
    other = _placed_hull(solids, hulls, ends, rotations, j)
    radii = sizes[i, D_ROUND] + sizes[j, D_ROUND]
    return hull_gap(one, other, radii, gap.normal, size, reach, simplex, simplex, 0).distance


@entry("f3 f3 i2 f2 f2 i2 f f2 f2 f2")
def solid_gaps(positions, rotations, solids, sizes, hulls, pairs, reach, ends, simplex, out):
    """Gaps of pairs of solids in poses, as the solvers measure them.

    Args:
        positions: World positions of the joints, shape (F, J, 3).
        rotations: World rotations, wxyz, shape (F, J, 4).
        solids: Columns D_JOINT to D_COUNT, shape (C, 3).
        sizes: Columns D_A to D_ROUND, shape (C, 9).
        hulls: Points, shape (V, 3).
        pairs: Two solids each, shape (N, 2).
        reach: For pairs farther apart than this, out holds a lower bound of the gap, above this.
        ends: Buffer, shape (2 C, 3).
        simplex: Buffer, shape (4, SIMPLEX).
        out: The gaps, shape (F, N).
    """
    for f in range(out.shape[0]):
        at, turned = row_at(positions, f), row_at(rotations, f)
        for i in range(solids.shape[0]):
            joint = solids[i, D_JOINT]
            place, turn = quat.load3(at, joint, 0), quat.load4(turned, joint, 0)
            for end in range(2):
                point = quat.rotate(turn, quat.load3(sizes, i, 3 * end))
                quat.store3(ends, 2 * i + end, 0, quat.add(place, point))
        for n in range(pairs.shape[0]):
            i, j = pairs[n, 0], pairs[n, 1]
            out[f, n] = _solid_gap(solids, sizes, hulls, ends, turned, i, j, reach, simplex)
