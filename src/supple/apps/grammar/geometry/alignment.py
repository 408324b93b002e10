"""Axes of a scope that fit its geometry or the world."""

from __future__ import annotations

import numpy as np

from supple.apps.grammar.geometry.frames import Rotation, Scope, from_axes, vector
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.geometry.polygons import Floats, newell
from supple.errors import SuppleError

FACES = ("world.lowest", "largest", "any")
EDGES = ("world.lowest", "longest")


def along_face(
    geometry: Geometry,
    scope: Scope,
    *,
    face: str | float,
    edge: str | float,
    y_up: bool,
) -> Rotation:
    """Axes with x along an edge of a face, and y or z along the face's normal, in world.

    Args:
        geometry: The geometry.
        scope: Its scope.
        face: An index, or one of `FACES`.
        edge: An index into the face's edges, or one of `EDGES`.
        y_up: True if y is the normal, False if z is.

    Raises:
        SuppleError: There are no faces, or the face has no area.
    """
    if not geometry.faces:
        raise SuppleError("alignScopeToGeometry: expected a shape with faces")
    local: Floats = geometry.points * scope.s
    world = local @ np.array(scope.R).reshape(3, 3).T + scope.p
    every = [world[list(one)] for one in geometry.faces]
    if face == "any":
        chosen = min(range(len(every)), key=lambda k: _score(every[k], edge))
    elif face == "largest":
        sizes = [
            float(np.linalg.norm(np.cross(c, np.roll(c, -1, axis=0)).sum(axis=0))) for c in every
        ]
        chosen = int(np.argmax(np.round(sizes, 9)))
    elif face == "world.lowest":
        chosen = int(np.argmin([round(float(c[:, 1].mean()), 9) for c in every]))
    else:
        chosen = int(face) % len(every)
    corners = every[chosen]
    normal = newell(corners)
    which = _edge(corners, edge)
    x = corners[(which + 1) % len(corners)] - corners[which]
    x = x - (x @ normal) * normal
    if not np.any(normal) or not np.any(x):
        raise SuppleError("alignScopeToGeometry: expected a face with an area")
    x = x / np.linalg.norm(x)
    other = np.cross(x, normal) if y_up else np.cross(normal, x)
    axes = (x, normal, other) if y_up else (x, other, normal)
    a, b, c = (vector(axis) for axis in axes)
    return from_axes(a, b, c)


def _edge(corners: Floats, edge: str | float) -> int:
    """Index of an edge of a face."""
    following = np.roll(corners, -1, axis=0)
    if edge == "longest":
        return int(np.argmax(np.round(np.linalg.norm(following - corners, axis=1), 9)))
    if edge == "world.lowest":
        return int(np.argmin(np.round(corners[:, 1] + following[:, 1], 9)))
    return int(edge) % len(corners)  # type: ignore[arg-type]


def _score(corners: Floats, edge: str | float) -> float:
    """Sort key of a face by its chosen edge: lowest, or else longest, first."""
    k = _edge(corners, edge)
    a, b = corners[k], corners[(k + 1) % len(corners)]
    return round(float(a[1] + b[1] if edge == "world.lowest" else -np.linalg.norm(b - a)), 9)


def smallest_box(geometry: Geometry, scope: Scope, axes: tuple[int, int]) -> Rotation:
    """Axes of the bounding box with the smallest area in a plane, its longer side first.

    Args:
        geometry: The geometry.
        scope: Its scope.
        axes: Indices (a, b) of the scope's axes in that plane; the rotation is about the third.
    """
    a, b = axes
    flat = (geometry.points * scope.s)[:, [a, b]]
    best, least = 0.0, np.inf
    for i, j in geometry.edges:  # the smallest box has a side along an edge of the convex hull
        dx, dy = flat[j] - flat[i]
        if dx == dy == 0.0:
            continue
        for angle in (np.arctan2(dy, dx), np.arctan2(dy, dx) + np.pi / 2):
            c, sn = np.cos(angle), np.sin(angle)
            turned = flat @ np.array([[c, -sn], [sn, c]])
            wide, high = np.ptp(turned, axis=0)
            size = round(float(wide * high), 9)
            if wide >= high - 1e-9 and size < least:
                best, least = float(angle), size
    columns = np.array(scope.R).reshape(3, 3)
    along, across = columns[:, a].copy(), columns[:, b].copy()
    # A half turn gives the same box: take the angle closer to the old axes.
    best = (best + np.pi / 2) % np.pi - np.pi / 2
    columns[:, a] = np.cos(best) * along + np.sin(best) * across
    columns[:, b] = np.cos(best) * across - np.sin(best) * along
    return tuple(columns.reshape(-1).tolist())  # type: ignore[return-value]


def along_world_axis(R: Rotation, axis: int) -> Rotation:
    """Axes with one of them along the world's, and the next as close to its old direction as possible."""
    columns = np.array(R).reshape(3, 3)
    goal = np.eye(3)[:, axis]
    other = (axis + 1) % 3
    side = columns[:, other] - (columns[:, other] @ goal) * goal
    if np.linalg.norm(side) < 1e-9:
        side = np.eye(3)[:, other]
    side = side / np.linalg.norm(side)
    axes = {axis: goal, other: side, (axis + 2) % 3: np.cross(goal, side)}
    x, y, z = (vector(axes[k]) for k in range(3))
    return from_axes(x, y, z)


def upright(R: Rotation) -> Rotation:
    """Axes with y up, and x as close to its old direction as possible."""
    x = np.array((R[0], 0.0, R[6]))
    if np.linalg.norm(x) < 1e-6:
        x = -np.array((R[2], 0.0, R[8]))
    x /= np.linalg.norm(x)
    up = np.array((0.0, 1.0, 0.0))
    a, b, c = (vector(axis) for axis in (x, up, np.cross(x, up)))
    return from_axes(a, b, c)
