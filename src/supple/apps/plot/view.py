"""Projection of the world onto the page, and the choice of the view."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import one_of

Floats = NDArray[np.float64]

VIEWS = ("auto", "flat", "space")
FLAT_TOLERANCE = 1e-6  # of the extent: thinner scenes count as flat
VIEW_PITCH = math.radians(20)
VIEW_YAWS = tuple(math.radians(a) for a in (*range(-60, -19, 5), *range(20, 61, 5)))
USUAL_YAW = math.radians(35)


@dataclass(frozen=True, eq=False)
class View:
    """A parallel projection.

    Attributes:
        right, up: What is right and up on the page, as orthonormal world vectors, shape (3,).
        flat: Whether everything lies in the page's plane.
        labels: Names of the page's directions, if flat.
        axes: For a view in space: indices of the world axes that lie on the floor, and the upright.
    """

    right: Floats
    up: Floats
    flat: bool
    labels: tuple[str, str] = ("", "")
    axes: tuple[int, int, int] = (0, 2, 1)

    @property
    def toward(self) -> Floats:
        """The world direction from the page to the eye."""
        return np.cross(self.right, self.up)

    def __call__(self, points: Floats) -> Floats:
        """World points (..., 3) on the page, shape (..., 2)."""
        return np.asarray(points) @ np.stack([self.right, self.up], axis=1)

    def depth(self, points: Floats) -> Floats:
        """How near world points (..., 3) are to the eye, shape (...)."""
        return np.asarray(points) @ self.toward


def choose(
    points: Floats, *, view: str = "auto", up: str = "y", across: Floats | None = None
) -> View:
    """The view that shows world points best.

    Args:
        points: Shape (K, 3).
        view: "flat" for the plane that fits best, "space", or "auto": flat if all points lie in a
            plane square to an axis.
        up: The world axis that points up: "y" or "z".
        across: A world vector, shape (3,), that must not point to the eye: a view in space then
            shows as much of its length as it can.
    """
    one_of("view", view, VIEWS)
    one_of("up", up, ("y", "z"))
    extent = np.ptp(points, axis=0)
    thin = extent <= FLAT_TOLERANCE * float(extent.max(initial=0.0))
    if view != "space":
        for k, right, above in _PLANES[up]:
            if thin[k]:
                eye = np.eye(3)
                return View(eye[right], eye[above], True, ("xyz"[right], "xyz"[above]))
    if view == "flat":
        return _fitted(points, up)
    if across is not None:
        return max(_in_space(up), key=lambda one: float(np.linalg.norm(one[0](across))))[0]
    return max(_in_space(up), key=lambda one: _spread(points, one[0]) * one[1])[0]


# The axis a plane is square to, and what is right and up in it. Y up, YZ is seen from -X; Z up, it
# is seen from +X: up stays up.
_PLANES = {
    "y": ((2, 0, 1), (1, 0, 2), (0, 2, 1)),
    "z": ((2, 0, 1), (1, 0, 2), (0, 1, 2)),
}


def _fitted(points: Floats, up: str) -> View:
    """The plane of least squares, its upward direction up."""
    normal = np.linalg.svd(points - points.mean(axis=0))[2][2]
    upward = np.eye(3)["xyz".index(up)]
    above = upward - (upward @ normal) * normal
    if np.linalg.norm(above) < 1e-3:
        above = np.eye(3)[1] - normal[1] * normal
    above /= np.linalg.norm(above)
    right = np.cross(above, normal)
    right = -right if right[0] < 0 else right
    return View(right, above, True, ("in the plane", ""))


def _in_space(up: str) -> Iterator[tuple[View, float]]:
    """Views from slightly above, around the front, each with a factor by which it is preferred."""
    across, upward, out = (0, 1, 2) if up == "y" else (0, 2, 1)
    sign = 1.0 if up == "y" else -1.0  # x, up and out are right-handed
    e = np.eye(3)
    for yaw in VIEW_YAWS:
        forward = math.cos(yaw) * sign * e[out] + math.sin(yaw) * e[across]
        right = math.cos(yaw) * e[across] - math.sin(yaw) * sign * e[out]
        above = math.cos(VIEW_PITCH) * e[upward] - math.sin(VIEW_PITCH) * forward
        usual = 1.0 - 0.15 * abs(yaw - USUAL_YAW)
        yield View(right, above, False, axes=(across, out, upward)), usual


def _spread(points: Floats, view: View) -> float:
    """How much the points cover in the narrower direction, plus a little of the wider one."""
    flat = view(points)
    values = np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)
    return float(values[-1] + 0.1 * values[0])
