"""Gaps between the geoms of bones that are too close together to be told apart by capsules.

Where two bones have one or two joints between them, capsules around their geoms overlap in most poses,
although the geoms do not. But then the gap depends on only one or two coordinates. So it is computed once on
a grid over their ranges, from the geoms themselves, and interpolated from that table while solving.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.bodies.convex import Convex, gaps
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import conjugate, multiply, rotate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GridRules:
    """How fine the grid of a pair is. No measurement is recorded for any of these numbers.

    Attributes:
        angle_step: The step between angles [rad].
        most_steps: Steps along an axis, at most; a slide always has this many.
        coarse: Only every so many steps is computed where the bones are clearly apart or clearly overlap.
        band: The grid is fine where the gap is less than this part of its change in a coarse step.
        most_checked: Cells, at most, in whose middles the error of interpolation is measured.
        touching: Only cells with a gap or overlap of less than this part of the greatest are measured.
    """

    angle_step: float = 0.1
    most_steps: int = 64
    coarse: int = 4
    band: float = 0.5
    most_checked: int = 200
    touching: float = 0.1


GRID = GridRules()


@dataclass(frozen=True)
class Axis:
    """A coordinate that a table depends on, and its grid.

    Attributes:
        coordinate: Index in a pose's coordinates.
        joint: Index of its joint.
        number: Index among the joint's scalars.
        slides: True if it is a length, False for an angle.
        low: Least value.
        high: Greatest value; a range of a whole turn wraps around.
        steps: Steps of the grid from the least to the greatest value; 0 if they are the same.
    """

    coordinate: int
    joint: int
    number: int
    slides: bool
    low: float
    high: float
    steps: int

    @property
    def turns(self) -> bool:
        """True if its range is a whole turn."""
        return not self.slides and self.high - self.low >= 2 * np.pi

    @property
    def values(self) -> Floats:
        """The values of the grid, shape (steps + 1,)."""
        return np.linspace(self.low, self.high, self.steps + 1)


@dataclass(frozen=True, eq=False)
class Table:
    """The gap of two bones on a grid.

    Attributes:
        joints: The joints of the bones.
        axes: The one or two coordinates that it depends on.
        gaps: In model units, negative where they overlap, shape (N,) or (N, M).
    """

    joints: tuple[int, int]
    axes: tuple[Axis, ...]
    gaps: Floats

    def read(self, coordinates: Floats) -> Floats:
        """Gaps in poses with coordinates (..., Q), interpolated."""
        q = np.asarray(coordinates, float)
        return _interpolate(self.axes, self.gaps, [q[..., one.coordinate] for one in self.axes])


def _interpolate(axes: tuple[Axis, ...], values: Floats, coordinates: list[Floats]) -> Floats:
    """Multilinear interpolation on a grid."""
    taken: list[tuple[Any, tuple[Any, ...]]] = [(1.0, ())]
    for axis, x in zip(axes, coordinates, strict=True):
        x = np.asarray(x, float)
        if axis.turns:
            x = x - 2 * np.pi * np.floor((x - axis.low) / (2 * np.pi))
        cell = np.clip((x - axis.low) / (axis.high - axis.low or 1.0) * axis.steps, 0, axis.steps)
        i = np.minimum(cell.astype(int), max(axis.steps - 1, 0))
        t = cell - i
        j = np.minimum(i + 1, axis.steps)
        taken = [
            (weight * part, (*index, k))
            for weight, index in taken
            for part, k in ((1.0 - t, i), (t, j))
        ]
    return np.sum([weight * values[index] for weight, index in taken], axis=0)


def tabulate(
    skeleton: Skeleton, joints: tuple[int, int], shapes: Sequence[tuple[Convex, Convex]]
) -> Table:
    """The table of two bones whose gap depends on one or two coordinates (`axes_between`).

    Args:
        skeleton: The skeleton.
        joints: The joints that carry them.
        shapes: Pairs of a shape on the first and one on the second, in the joints' frames: all that may touch.
    """
    return _fill(skeleton, joints, axes_between(skeleton, *joints), list(shapes))


def axes_between(skeleton: Skeleton, p: int, q: int) -> tuple[Axis, ...]:
    """The coordinates that the pose of one joint relative to another depends on; () if they are not 1 or 2."""
    table, names = skeleton.freedom_table, skeleton.joint_names
    stretch, sources = table.joints.stretch, table.joints.source
    above = [set(skeleton.path(None, names[joint])) for joint in (p, q)]
    found: dict[int, Axis] = {}
    for joint in sorted(skeleton.index(name) for name in above[0] ^ above[1]):
        parent = int(skeleton.parents[joint])
        if stretch[joint] >= 0 or (parent >= 0 and stretch[parent] >= 0):
            return ()
        joint = int(sources[joint]) if sources[joint] >= 0 else joint
        rows = table.rows_of(joint)
        rows = rows.take(rows.is_scalar)
        if table.joints.quaternion[joint] >= 0:
            return ()
        for i, slides in enumerate(rows.is_slide.tolist()):
            low, high = float(rows.low[i]), float(rows.high[i])
            if not slides and not high - low < 2 * np.pi:
                low, high = -np.pi, np.pi
            if not np.isfinite(high - low):
                return ()
            coordinate = int(rows.coordinate[i])
            steps = _steps(high - low, slides)
            found[coordinate] = Axis(coordinate, joint, i, slides, low, high, steps)
    return tuple(found.values()) if 1 <= len(found) <= 2 else ()


def _steps(span: float, slides: bool) -> int:
    """The number of steps over a range, a multiple of `GRID.coarse`."""
    if span == 0.0:
        return 0
    wanted = GRID.most_steps if slides else span / GRID.angle_step
    return GRID.coarse * int(min(np.ceil(wanted / GRID.coarse), GRID.most_steps // GRID.coarse))


# The grid -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two bones, whose gap can be computed."""

    skeleton: Skeleton
    joints: tuple[int, int]
    axes: tuple[Axis, ...]
    shapes: list[tuple[Convex, Convex]]

    def gaps(self, values: Floats) -> Floats:
        """The gaps for values (N, A) of the axes, shape (N,)."""
        q = np.tile(np.asarray(self.skeleton.rest.coordinates), (len(values), 1))
        q[:, [axis.coordinate for axis in self.axes]] = values
        poses = Pose(self.skeleton, q)
        positions, rotations = (some[:, self.joints] for some in (poses.positions, poses.rotations))
        back = conjugate(rotations[:, 0])
        rotation = multiply(back, rotations[:, 1])
        position = rotate(back, positions[:, 1] - positions[:, 0])
        apart = [_around(one, other, rotation, position) for one, other in self.shapes]
        least = np.full(len(values), np.inf)
        for k in np.argsort([some.min() for some in apart]):
            near = np.flatnonzero(apart[k] < least)
            if len(near):
                one, other = self.shapes[k]
                found = gaps(one, other, rotation[near], position[near])
                least[near] = np.minimum(least[near], found)
        return least


def _around(a: Convex, b: Convex, rotations: Floats, positions: Floats) -> Floats:
    """Gaps of the bounding spheres of two shapes, no greater than the gaps of the shapes; arguments as for `gaps`."""
    between = positions + rotate(rotations, b.middle) - a.middle
    return np.linalg.norm(between, axis=1) - a.extent - b.extent - a.radius - b.radius


def _fill(
    skeleton: Skeleton,
    joints: tuple[int, int],
    axes: tuple[Axis, ...],
    shapes: list[tuple[Convex, Convex]],
) -> Table:
    """Compute a table: a coarse grid, and a fine one where the bones may touch."""
    pair = _Pair(skeleton, joints, axes, shapes)
    grid = np.stack(np.meshgrid(*(axis.values for axis in axes), indexing="ij"), axis=-1)
    every = tuple(slice(None, None, GRID.coarse) for _ in axes)
    rough = tuple(replace(axis, steps=axis.steps // GRID.coarse) for axis in axes)
    coarse = pair.gaps(grid[every].reshape(-1, len(axes))).reshape(grid[every].shape[:-1])
    nodes = grid.reshape(-1, len(axes))
    values = _interpolate(rough, coarse, list(nodes.T))
    # Between nodes of the coarse grid a gap differs from the nearest node's by about half a step's change.
    change = sum(float(np.abs(np.diff(coarse, axis=k)).max(initial=0.0)) for k in range(len(axes)))
    near = np.flatnonzero(np.abs(values) < GRID.band * change)
    if len(near):
        values[near] = pair.gaps(nodes[near])
    values = values.reshape(grid.shape[:-1])
    return Table(joints, axes, values - _error(pair, grid, values))


def _error(pair: _Pair, grid: Floats, values: Floats) -> float:
    """The largest amount by which interpolation overestimates gaps in the middles of cells near contact."""
    for k in range(len(pair.axes)):
        if pair.axes[k].steps:
            grid, values = (
                0.5 * (np.delete(some, 0, axis=k) + np.delete(some, -1, axis=k))
                for some in (grid, values)
            )
    middles, values = grid.reshape(-1, len(pair.axes)), values.ravel()
    chosen = np.argsort(np.abs(values))[: GRID.most_checked]
    chosen = chosen[np.abs(values[chosen]) < GRID.touching * np.abs(values).max()]
    if not len(chosen):
        return 0.0
    return max(float((values[chosen] - pair.gaps(middles[chosen])).max()), 0.0)
