"""Ground that is not level: its height and its normal under points, from a function or a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array
from supple.model.mesh import Mesh

Floats = NDArray[np.float64]

NEAR = 1e-3  # of a leg: how far apart heights are taken for the normal
PIECE = 2_000_000  # pairs of points and triangles at a time


class Ground:
    """The ground under points.

    Args:
        given: A function of points (N, 3) in world that gives the heights (N,) of the ground there along up; or a
            mesh in world, of which the highest surface counts. Where there is none, the ground is at its lowest vertex.
        up: Unit vector (3,).
        leg: Length of a leg, by which distances are small or not [model units].

    Raises:
        SuppleError: It is neither, or the function gives something else.
    """

    def __init__(self, given: Any, up: Floats, leg: float) -> None:
        self.up = up
        self._near = NEAR * leg
        self._across = np.stack([one for one in np.eye(3) if not np.any(one * up)])
        if isinstance(given, Mesh):
            self._heights: Callable[[Floats], Any] = _OfMesh(given, up, self._across)
        elif callable(given):
            self._heights = given
        else:
            raise SuppleError(
                f"ground: expected a function of points or a supple.Mesh, got a {type(given).__name__}"
            )

    def heights(self, points: Floats) -> Floats:
        """Of the ground under points (..., 3) along up, shape (...,)."""
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


class _OfMesh:
    """Heights of the highest surface of a mesh under or over points."""

    def __init__(self, mesh: Mesh, up: Floats, across: Floats) -> None:
        if not len(mesh.faces):
            raise SuppleError(f"ground: expected a mesh with triangles, got {mesh.name!r} without")
        corners = np.asarray(mesh.positions, dtype=np.float64)[mesh.faces]
        self._across = across
        self._flat = corners @ across.T  # (T, 3, 2)
        self._high = corners @ up  # (T, 3)
        self._lowest = float(self._high.min())
        u, v = self._flat[:, 1] - self._flat[:, 0], self._flat[:, 2] - self._flat[:, 0]
        self._area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]

    def __call__(self, points: Floats) -> Floats:
        at = points @ self._across.T
        found = np.full(len(at), -np.inf)
        size = max(1, PIECE // len(self._area))
        for first in range(0, len(at), size):
            found[first : first + size] = self._under(at[first : first + size])
        return np.where(np.isfinite(found), found, self._lowest)

    def _under(self, at: Floats) -> Floats:
        a, b, c = (self._flat[:, k] for k in range(3))
        seen = np.abs(self._area) > 0
        area = np.where(seen, self._area, 1.0)
        d = at[:, None] - a
        u, v = b - a, c - a
        s = (d[..., 0] * v[:, 1] - d[..., 1] * v[:, 0]) / area
        t = (u[:, 0] * d[..., 1] - u[:, 1] * d[..., 0]) / area
        inside = seen & (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9)
        height = (
            self._high[:, 0]
            + s * (self._high[:, 1] - self._high[:, 0])
            + t * (self._high[:, 2] - self._high[:, 0])
        )
        return np.where(inside, height, -np.inf).max(axis=1)
