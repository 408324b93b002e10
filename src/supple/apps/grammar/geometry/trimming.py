"""Trim planes between adjacent faces, as `comp(f)` makes them, and cuts along them.

A trim plane contains an edge of a face and halves the angle between the face and its neighbour. It is
vertical if the edge is at least 40 degrees from the x axis of the face's scope, else horizontal: the
threshold of CityEngine's engine, measured by running it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.apps.grammar.geometry.clipping import below
from supple.apps.grammar.geometry.components import face_axes
from supple.apps.grammar.geometry.frames import Scope, Vector
from supple.apps.grammar.geometry.mesh import BOX, COINCIDENT_DISTANCE, Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, newell

STEEP = math.cos(math.radians(40.0))


class TrimPlane(NamedTuple):
    """A plane in world; the side that its normal points to is cut off.

    Attributes:
        vertical: True for a vertical trim plane, False for a horizontal one.
        normal: Unit normal.
        level: Distance of the plane from the world's origin along the normal.
    """

    vertical: bool
    normal: Vector
    level: float


class Neighbours:
    """The trim planes of all faces of a geometry, found when they are first asked for.

    Args:
        geometry: The geometry.
        scope: Its scope.
    """

    __slots__ = ("_edges", "_planes", "geometry", "scope")

    def __init__(self, geometry: Geometry, scope: Scope) -> None:
        self.geometry = geometry
        self.scope = scope
        self._edges: dict[tuple[int, int], int] | None = None
        self._planes: dict[int, tuple[TrimPlane, ...]] = {}

    def planes(self, face: int) -> tuple[TrimPlane, ...]:
        """The trim planes of a face, by its index."""
        found = self._planes.get(face)
        if found is None:
            found = self._planes[face] = self._found(face)
        return found

    def _found(self, face: int) -> tuple[TrimPlane, ...]:
        if self.geometry is BOX and min(self.scope.s) > 0.0:
            return _of_box(self.scope, face)
        faces = self.geometry.faces
        if self._edges is None:
            self._edges = {
                run: k
                for k, one in enumerate(faces)
                for run in zip(one, (*one[1:], one[0]), strict=True)
            }
        turn = np.array(self.scope.R).reshape(3, 3)
        points = (self.geometry.points * self.scope.s) @ turn.T + self.scope.p
        own = faces[face]
        normal = newell(points[list(own)])
        across = turn @ face_axes((self.geometry.points * self.scope.s)[list(own)])[:, 0]
        found = []
        for a, b in zip(own, (*own[1:], own[0]), strict=True):
            other = self._edges.get((b, a))
            if other is None or other == face:
                continue
            along = points[b] - points[a]
            length = float(np.linalg.norm(along))
            outwards = np.cross(along, normal + newell(points[list(faces[other])]))
            size = float(np.linalg.norm(outwards))
            if length == 0.0 or size <= 1e-6 * length:
                continue  # the faces lie on each other
            vertical = abs(float(along @ across)) <= STEEP * length * (1.0 + 1e-9)
            x, y, z = (outwards / size).tolist()
            found.append(TrimPlane(vertical, (x, y, z), float(points[a] @ outwards) / size))
        return tuple(found)


_BOX_FACES = (
    ((2, 1), 0, 1), ((0, 1), 2, 1), ((2, -1), 0, 1), ((0, -1), 2, 1), ((1, 1), 0, 2), ((1, -1), 0, 2),
)  # fmt: skip
"""Of each face of the box: axis and sign of its normal, and the axes across its upright and level edges."""
HALF = math.sqrt(0.5)


def _of_box(scope: Scope, face: int) -> tuple[TrimPlane, ...]:
    """The trim planes of a face of a box: at 45 degrees through its edges."""
    (p, R, s), ((normal, sign), *across) = scope, _BOX_FACES[face]
    far = s[normal] if sign > 0 else 0.0
    found = []
    for vertical, axis in zip((True, False), across, strict=True):
        for side in (1, -1):
            a, b = side * HALF, sign * HALF
            x = a * R[axis] - b * R[normal]
            y = a * R[3 + axis] - b * R[3 + normal]
            z = a * R[6 + axis] - b * R[6 + normal]
            level = ((s[axis] if side > 0 else 0.0) - far) * HALF
            level += x * p[0] + y * p[1] + z * p[2]
            found.append(TrimPlane(vertical, (x, y, z), level))
    return tuple(found)


def trimmed(
    geometry: Geometry, scope: Scope, planes: list[TrimPlane]
) -> tuple[Geometry, Floats, Floats] | None:
    """A geometry without what lies beyond trim planes; cuts stay open.

    Args:
        geometry: The geometry.
        scope: Its scope.
        planes: The planes.

    Returns:
        As `fitted`: the geometry, the lowest corner of its bounding box in the scope's axes, and the
        box's size; None if nothing is cut off. If nothing is left the geometry has no faces.
    """
    p, R, (sx, sy, sz) = scope
    near = COINCIDENT_DISTANCE * (1.0 + max(sx, sy, sz) + abs(p[0]) + abs(p[1]) + abs(p[2]))
    cuts = []
    for _, (x, y, z), level in planes:
        offset = farthest = x * p[0] + y * p[1] + z * p[2] - level
        # The farthest corner of the scope's box: most shapes lie inside all planes.
        if (a := x * R[0] + y * R[3] + z * R[6]) > 0.0:
            farthest += a * sx
        if (b := x * R[1] + y * R[4] + z * R[7]) > 0.0:
            farthest += b * sy
        if (c := x * R[2] + y * R[5] + z * R[8]) > 0.0:
            farthest += c * sz
        if farthest > near:
            cuts.append(((a, b, c), offset))
    if not cuts:
        return None
    rows: Floats = geometry.points * scope.s
    if geometry.texcoords is not None:
        rows = np.hstack([rows, geometry.texcoords])
    faces, changed = geometry.faces, False
    for normal, offset in cuts:
        value = rows[:, :3] @ normal + offset
        if np.all(value <= near):
            continue
        changed = True
        rows, faces = below(rows, faces, value, near=near, closed=False)
    if not changed:
        return None
    if not faces:
        return Geometry("nothing", np.zeros((0, 3)), []), np.zeros(3), np.zeros(3)
    used = sorted({k for face in faces for k in face})
    new_index = {k: n for n, k in enumerate(used)}
    kept = [tuple(new_index[k] for k in face) for face in faces]
    uv = None if geometry.texcoords is None else rows[used, 3:]
    return fitted(
        f"trimmed {geometry.name}", rows[used, :3], kept, smooth=geometry.smooth, texcoords=uv
    )
