"""The ground of a scene: rulers beside a flat one, a floor and an upright ruler under one in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from supple.apps.plot import style
from supple.apps.plot.marks import GROUND, write
from supple.apps.plot.view import Floats, View

PAGE_MARGIN = 0.07  # on each side, of the scene's larger side


def rulers(ax: Axes, view: View) -> None:
    """Plain axes for a flat scene."""
    ax.set_aspect("equal")
    ax.set_xlabel(view.labels[0], labelpad=2)
    ax.set_ylabel(view.labels[1], rotation=0, labelpad=8)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    ax.set_axisbelow(True)


def bounds(
    view: View, points: Floats, discs: Sequence[tuple[Floats, float]] = ()
) -> tuple[Floats, Floats]:
    """The least and greatest corner of the page on which world points and discs are visible."""
    flat = view(points)
    low, high = flat.min(axis=0), flat.max(axis=0)
    for centre, radius in discs:
        low = np.minimum(low, view(centre) - radius)
        high = np.maximum(high, view(centre) + radius)
    size = float((high - low).max()) or 1.0
    # A straight chain gets some room on both sides.
    thin = np.maximum(0.0, 0.3 * size - (high - low)) / 2
    return low - thin - PAGE_MARGIN * size, high + thin + PAGE_MARGIN * size


class Floor(NamedTuple):
    """A floor under a scene, and how high the scene is above it.

    Attributes:
        box: Least and greatest per world axis, shape (2, 3); the floor is the lower side.
        lines: Where grid lines and tick marks are, for each world axis.
        spacing: The distance of those with a number.
    """

    box: Floats
    lines: list[Floats]
    spacing: float

    def corners(self, upright: int) -> Floats:
        """The floor's corners, world, shape (4, 3)."""
        box = self.box
        every = np.array([[box[a, 0], box[b, 1], box[c, 2]] for a, b, c in np.ndindex(2, 2, 2)])
        return every[[k for k in range(8) if np.unravel_index(k, (2, 2, 2))[upright] == 0]]


def floor_under(view: View, points: Floats) -> Floor:
    """The floor at or just below the lowest of world points, wide enough for all."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    room = np.maximum(0.0, 0.3 * size - (high - low)) / 2
    room[view.axes[2]] = 0.0
    low, high = low - room, high + room
    spacing = _nice(size / 4)
    step = spacing / 2
    lines = []
    for k in range(3):
        first = math.floor(low[k] / step + 1e-6)
        last = max(math.ceil(high[k] / step - 1e-6), first + 1)
        lines.append(step * np.arange(first, last + 1))
    box = np.array([[line[0] for line in lines], [line[-1] for line in lines]])
    return Floor(box, lines, spacing)


def _nice(step: float) -> float:
    scale = 10.0 ** math.floor(math.log10(step))
    return scale * min((1, 2, 5, 10), key=lambda n: abs(math.log(n * scale / step)))


def draw_floor(ax: Axes, view: View, floor: Floor) -> None:
    """Draw a grid with numbers along its near edges, and an upright ruler."""
    ax.set_aspect("equal")
    ax.set_axis_off()
    i, j, k = view.axes
    box, lines = floor.box, floor.lines

    def point(a: float, b: float, c: float = box[0, k]) -> Floats:
        world = np.empty(3)
        world[i], world[j], world[k] = a, b, c
        return view(world)

    grid = [[point(a, box[0, j]), point(a, box[1, j])] for a in lines[i]]
    grid += [[point(box[0, i], b), point(box[1, i], b)] for b in lines[j]]
    ax.add_collection(LineCollection(grid, colors=style.FAINT, linewidths=0.8, zorder=GROUND))
    near_i = box[1, i] if view.toward[i] > 0 else box[0, i]
    near_j = box[1, j] if view.toward[j] > 0 else box[0, j]
    centre = point(float(box[:, i].mean()), float(box[:, j].mean()))
    for axis, other, edge in ((i, near_j, lines[i]), (j, near_i, lines[j])):
        places = [point(a, other) if axis == i else point(other, a) for a in edge]
        corner = near_i if axis == i else near_j
        numbered = _numbered(edge, floor.spacing) & (np.abs(edge - corner) > 0.4 * floor.spacing)
        _numbers(ax, places, edge, numbered, "xyz"[axis], centre)
    # The upright ruler is at the leftmost corner of the floor.
    a, b = min(((a, b) for a in box[:, i] for b in box[:, j]), key=lambda c: point(*c)[0])
    rod = [point(a, b, c) for c in lines[k]]
    ax.plot(*np.array(rod).T, color=style.faded(style.QUIET, 0.5), lw=0.8, zorder=GROUND)
    numbered = _numbered(lines[k], floor.spacing)
    numbered[0] = False  # the floor has its numbers there
    _numbers(ax, rod, lines[k], numbered, "xyz"[k], rod[0] + (1.0, 0.0), on_top=True)


def _numbered(values: Floats, spacing: float) -> NDArray[np.bool_]:
    return np.abs(values / spacing - np.round(values / spacing)) < 1e-6


def _numbers(
    ax: Axes,
    places: Sequence[Floats],
    values: Floats,
    numbered: NDArray[np.bool_],
    letter: str,
    centre: Floats,
    *,
    on_top: bool = False,
) -> None:
    """Write the axis's letter and numbers along a line of points, on the side away from a centre."""
    line = places[-1] - places[0]
    away = np.array([-line[1], line[0]]) / (float(np.linalg.norm(line)) or 1.0)
    if away @ (np.mean(places, axis=0) - centre) < 0:
        away = -away
    for place, value, shown in zip(places, values, numbered, strict=True):
        if shown:
            text = f"{value + 0.0:g}".replace("-", "\N{MINUS SIGN}")
            write(ax, text, place, 11 * away, size=7.5)
    if on_top:
        write(ax, letter, places[-1], np.array([0.0, 11.0]), size=9)
    else:
        write(ax, letter, np.mean(places, axis=0), 27 * away, size=9)
