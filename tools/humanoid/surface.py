"""From a solid to a light mesh: surface nets, then collapsing the edges that matter least."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Field = Callable[[Floats], Floats]

SLIM = 0.18  # the least height of a triangle, in its longest side


def surface_nets(field: Field, low: Floats, high: Floats, step: float) -> tuple[Floats, Ints]:
    """Vertices (V, 3) and triangles (F, 3) where a field is 0, inside negative.

    Gibson 1998: one vertex in each cell that the surface passes, in the middle of its crossings; a
    quadrilateral around each grid edge that the surface crosses.
    """
    axes = [np.arange(a, b + step, step) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = field(grid)
    shape = tuple(n - 1 for n in values.shape)
    sums, counts = np.zeros((*shape, 3)), np.zeros(shape)
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]

    def corner(array: Floats, at: tuple[int, int, int]) -> Floats:
        return array[tuple(slice(o, o + n) for o, n in zip(at, shape, strict=True))]

    for a in corners:
        for axis in range(3):
            if a[axis] == 0:
                b = tuple(c + (k == axis) for k, c in enumerate(a))
                va, vb = corner(values, a), corner(values, b)
                cut = (va < 0) != (vb < 0)
                t = np.where(cut, va / np.where(cut, va - vb, 1.0), 0.0)[..., None]
                pa, pb = corner(grid, a), corner(grid, b)
                sums += np.where(cut[..., None], pa + t * (pb - pa), 0.0)
                counts += cut
    used = counts > 0
    index = np.full(shape, -1)
    index[used] = np.arange(np.count_nonzero(used))
    points = sums[used] / counts[used][:, None]
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        start = [slice(1, n) for n in shape]
        start[axis] = slice(0, shape[axis])
        stop = list(start)
        stop[axis] = slice(1, shape[axis] + 1)
        inside, beyond = values[tuple(start)] < 0, values[tuple(stop)] < 0
        where = np.argwhere(inside != beyond) + [int(k != axis) for k in range(3)]
        outward = inside[inside != beyond]
        quad = []
        for du, dv in ((1, 1), (0, 1), (0, 0), (1, 0)):
            cell = where.copy()
            cell[:, u] -= du
            cell[:, v] -= dv
            quad.append(index[tuple(cell.T)])
        quads = np.stack(quad, axis=1)
        quads[~outward] = quads[~outward][:, ::-1]
        faces += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    return points, np.concatenate(faces)


def settled(field: Field, slope: Field, points: Floats, rounds: int = 4) -> Floats:
    """Points moved onto the surface along its normals."""
    for _ in range(rounds):
        points = points - field(points)[:, None] * slope(points)
    return points


def decimated(points: Floats, faces: Ints, target: int, weight: Field) -> tuple[Floats, Ints]:
    """The mesh with about `target` vertices.

    Garland and Heckbert 1997: the edge whose collapse leaves the planes of its triangles the least
    is collapsed, again and again; none that would fold a triangle over or join two sheets.

    Args:
        points: Vertices, shape (V, 3).
        faces: Triangles, shape (F, 3).
        target: How many vertices to keep.
        weight: How much the error at points (V, 3) counts: more where detail matters.
    """
    place = [tuple(p) for p in points.tolist()]
    counts = weight(points).tolist()
    quadrics = _quadrics(points, faces)
    triangles = [set(face) for face in faces.tolist()]
    ordered = faces.tolist()
    around: list[set[int]] = [set() for _ in place]
    for f, face in enumerate(ordered):
        for v in face:
            around[v].add(f)
    alive = [True] * len(place)
    stamp = [0] * len(place)
    heap: list[tuple[float, int, int, int, int, tuple[float, ...]]] = []

    def push(a: int, b: int) -> None:
        q = quadrics[a] + quadrics[b]
        middle = tuple(0.5 * (x + y) for x, y in zip(place[a], place[b], strict=True))
        best, at = np.inf, middle
        try:
            solved = np.linalg.solve(
                q[:3, :3] + 1e-9 * np.eye(3), -q[:3, 3] + 1e-9 * np.array(middle)
            )
            options = (tuple(solved.tolist()), middle)
        except np.linalg.LinAlgError:
            options = (middle,)
        length = sum((x - y) ** 2 for x, y in zip(place[a], place[b], strict=True))
        for option in options:
            h = np.array((*option, 1.0))
            away = sum((x - y) ** 2 for x, y in zip(option, middle, strict=True))
            cost = float(h @ q @ h) * max(counts[a], counts[b])
            if cost < best and away <= length:
                best, at = cost, option
        heapq.heappush(heap, (best + 1e-7 * length, a, b, stamp[a], stamp[b], at))

    for a, b in {tuple(sorted((f[i], f[i - 1]))) for f in ordered for i in range(3)}:
        push(a, b)
    left = len(place)
    while left > target and heap:
        _, a, b, when_a, when_b, at = heapq.heappop(heap)
        if not (alive[a] and alive[b] and stamp[a] == when_a and stamp[b] == when_b):
            continue
        shared = around[a] & around[b]
        near_a = {v for f in around[a] for v in ordered[f]}
        near_b = {v for f in around[b] for v in ordered[f]}
        if len(shared) != 2 or len((near_a & near_b) - {a, b}) != 2:
            continue
        if _folds(ordered, place, (around[a] | around[b]) - shared, (a, b), at):
            continue
        for f in shared:
            for v in ordered[f]:
                around[v].discard(f)
            triangles[f] = set()
        for f in around[b]:
            ordered[f] = [a if v == b else v for v in ordered[f]]
        around[a] |= around[b]
        alive[b] = False
        place[a] = at
        quadrics[a] = quadrics[a] + quadrics[b]
        stamp[a] += 1
        left -= 1
        for v in {v for f in around[a] for v in ordered[f]} - {a}:
            push(min(a, v), max(a, v))
    kept = [f for f in range(len(ordered)) if triangles[f]]
    used = sorted({v for f in kept for v in ordered[f]})
    new = {v: k for k, v in enumerate(used)}
    return (
        np.array([place[v] for v in used]),
        np.array([[new[v] for v in ordered[f]] for f in kept]),
    )


def _quadrics(points: Floats, faces: Ints) -> list[Floats]:
    """For each vertex the sum of the squared distances to its planes, as a form (4, 4)."""
    a, b, c = points[faces.T]
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1, keepdims=True)
    unit = normal / np.maximum(area, 1e-15)
    plane = np.concatenate([unit, -np.sum(unit * a, axis=1, keepdims=True)], axis=1)
    forms = plane[:, :, None] * plane[:, None, :] * area[:, :, None]
    total = np.zeros((len(points), 4, 4))
    for k in range(3):
        np.add.at(total, faces[:, k], forms)
    return list(total)


def _folds(
    faces: list[list[int]],
    place: list[tuple[float, ...]],
    around: set[int],
    edge: tuple[int, int],
    at: tuple[float, ...],
) -> bool:
    """Whether moving the ends of an edge to a point turns a triangle over, or makes it a sliver."""

    def normal(corners: list[tuple[float, ...]]) -> tuple[float, float, float]:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx

    for f in around:
        before = normal([place[v] for v in faces[f]])
        after = normal([at if v in edge else place[v] for v in faces[f]])
        dot = sum(x * y for x, y in zip(before, after, strict=True))
        size = (sum(x * x for x in before) * sum(x * x for x in after)) ** 0.5
        if dot <= 0.2 * size:
            return True
        corners = np.array([at if v in edge else place[v] for v in faces[f]])
        longest = float(((corners - corners[[1, 2, 0]]) ** 2).sum(axis=1).max())
        if sum(x * x for x in after) ** 0.5 < SLIM * longest:
            return True
    return False
