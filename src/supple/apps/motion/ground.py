"""The ground under points: its height and normal, from a level, a plane, a function or a mesh."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array, function, number
from supple.model.mesh import Mesh

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GroundLike = float | Sequence[float] | Callable[[Floats], Any] | Mesh

NORMAL_STEP = 1e-3  # of the differences that give a normal [leg lengths]; not tuned
PAIRS_AT_A_TIME = 2_000_000  # of points and triangles; bounds the memory, not tuned
LEAST_RISE = 0.05  # a plane whose unit normal has a smaller upward part is no ground; not tuned
EXPECTED = "a height, a plane [a, b, c, d], a function of points or a supple.Mesh"


class Ground:
    """The ground under points.

    Args:
        given: One of
            a height along up;
            a plane [a, b, c, d], where a x + b y + c z = d;
            a function of points (N, 3) in world that returns the heights (N,) of the ground there along up;
            a mesh in world, whose highest surface counts. Beside the mesh, the ground is at its lowest vertex.
        up: Unit vector (3,).
        leg: Length of a leg, the scale for small distances [model units].

    Raises:
        SuppleError: It is none of these, a plane is too steep, or the function returns something else.
    """

    def __init__(self, given: GroundLike, up: Floats, leg: float) -> None:
        self.up = up
        self._near = NORMAL_STEP * leg
        self._across = np.stack([one for one in np.eye(3) if not np.any(one * up)])
        self._heights: Callable[[Floats], Any]
        if isinstance(given, Mesh):
            self._heights = _OfMesh(given, up, self._across)
        elif callable(given):
            self._heights = function("ground", given, "points")
        elif isinstance(given, Real) and not isinstance(given, bool):
            level = number("ground", given, "a height", lambda x: abs(x) < np.inf)
            self._heights = lambda points: np.full(len(points), level)
        elif isinstance(given, (tuple, list, np.ndarray)):
            self._heights = _of_plane(given, up)
        else:
            raise SuppleError(f"ground: expected {EXPECTED}, got a {type(given).__name__}")

    def heights(self, points: Floats) -> Floats:
        """Heights of the ground under points (..., 3) along up, shape (...,)."""
        flat = points.reshape(-1, 3)
        found = array("heights of the ground", self._heights(flat), (len(flat),))
        return found.reshape(points.shape[:-1])

    def normal(self, point: Floats) -> Floats:
        """The unit normal (3,) of the ground under a point (3,)."""
        a, b = self._across
        around = point + self._near * np.stack([a, -a, b, -b])
        h = self.heights(around)
        slope = ((h[0] - h[1]) * a + (h[2] - h[3]) * b) / (2.0 * self._near)
        normal = self.up - slope
        return normal / np.linalg.norm(normal)


def _of_plane(given: Any, up: Floats) -> Callable[[Floats], Floats]:
    plane = array("ground as a plane [a, b, c, d]", given, (4,))
    normal, d = plane[:3], plane[3]
    rise = float(normal @ up)
    if not abs(rise) > LEAST_RISE * np.linalg.norm(normal):
        raise SuppleError(f"ground: expected a plane that is not upright, got {plane.tolist()}")
    # From the projection of the point onto the plane through the origin, along up: n . (p + t up) = d.
    return lambda points: points @ up + (d - points @ normal) / rise


class _OfMesh:
    """Heights of the highest surface of a mesh under or over points.

    Triangles are sorted into the cells of a grid seen from above, so that a point is tested against the triangles of
    its own cell only.
    """

    def __init__(self, mesh: Mesh, up: Floats, across: Floats) -> None:
        if not len(mesh.faces):
            raise SuppleError(f"ground: expected a mesh with triangles, got {mesh.name!r} without")
        corners = np.asarray(mesh.positions, dtype=np.float64)[mesh.faces]
        self._across = across
        self._lowest = float((corners @ up).min())
        flat = corners @ across.T  # (T, 3, 2)
        u, v = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
        area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        seen = np.abs(area) > 0  # the others are upright
        self._a, self._u, self._v, self._area = flat[seen, 0], u[seen], v[seen], area[seen]
        self._high = (corners @ up)[seen]  # (T, 3)
        self._sort(flat[seen])

    def _sort(self, flat: Floats) -> None:
        """Sort triangles (T, 3, 2) into cells; those of cell k are _inside[_first[k] : _first[k + 1]]."""
        low, high = flat.min(axis=1), flat.max(axis=1)
        self._origin = low.min(axis=0, initial=np.inf) if len(flat) else np.zeros(2)
        extent = (high.max(axis=0) - self._origin) if len(flat) else np.zeros(2)
        # About as many cells as triangles, and none smaller than the mean triangle.
        mean = (high - low).mean(axis=0) if len(flat) else np.ones(2)
        side = max(float(mean.max()), float(extent.max()) / (1 + len(flat) ** 0.5), 1e-300)
        self._side = side
        self._cells = np.floor(extent / side).astype(np.int64) + 1
        first, last = self._cell(low), self._cell(high)
        wide = last - first + 1
        counts = wide.prod(axis=1)
        which = np.repeat(np.arange(len(flat)), counts)
        k = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = first[which] + np.stack([k // wide[which, 1], k % wide[which, 1]], axis=1)
        numbers = cells[:, 0] * self._cells[1] + cells[:, 1]
        order = np.argsort(numbers, kind="stable")
        self._inside = which[order]
        self._first = np.searchsorted(numbers[order], np.arange(self._cells.prod() + 1))

    def _cell(self, at: Floats) -> Ints:
        return np.floor((at - self._origin) / self._side).astype(np.int64)

    def __call__(self, points: Floats) -> Floats:
        at = points @ self._across.T
        cells = self._cell(at)
        found = np.full(len(at), -np.inf)
        rows = np.flatnonzero(np.all((cells >= 0) & (cells < self._cells), axis=1))
        numbers = cells[rows, 0] * self._cells[1] + cells[rows, 1]
        begins = self._first[numbers]
        counts = self._first[numbers + 1] - begins
        ends = np.cumsum(counts)
        start = 0
        while start < len(rows):
            done = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + PAIRS_AT_A_TIME, side="right")))
            part = slice(start, stop)
            which = np.repeat(rows[part], counts[part])
            k = np.arange(len(which)) - np.repeat(ends[part] - counts[part] - done, counts[part])
            triangles = self._inside[np.repeat(begins[part], counts[part]) + k]
            np.maximum.at(found, which, self._under(at[which], triangles))
            start = stop
        return np.where(np.isfinite(found), found, self._lowest)

    def _under(self, at: Floats, k: Ints) -> Floats:
        """The heights of triangles under points, one for each; -inf beside them."""
        d, u, v, area = at - self._a[k], self._u[k], self._v[k], self._area[k]
        s = (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0]) / area
        t = (u[:, 0] * d[:, 1] - u[:, 1] * d[:, 0]) / area
        inside = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9)
        high = self._high[k]
        height = high[:, 0] + s * (high[:, 1] - high[:, 0]) + t * (high[:, 2] - high[:, 0])
        return np.where(inside, height, -np.inf)
