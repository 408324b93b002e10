"""Change a geometry: reverse, mirror, clean up, and split faces into convex ones."""

from __future__ import annotations

import numpy as np

from supple.errors import SuppleError
from supple.grammar.geometry.frames import Vector
from supple.grammar.geometry.mesh import Geometry, fitted
from supple.grammar.geometry.polygons import Floats, Polygon, is_convex, newell, triangulated


def _changed(old: Geometry, how: str, points: Floats, faces: list[Polygon]) -> Geometry:
    """A geometry with other points or faces; the number of points is unchanged."""
    return Geometry(
        f"{how} {old.name}", points, faces, size=old.size, origin=old.origin, smooth=old.smooth,
        texcoords=old.texcoords,
    )  # fmt: skip


def reversed_faces(old: Geometry) -> Geometry:
    """The geometry with all faces, and so all normals, reversed."""
    return _changed(old, "reversed", old.points, [face[::-1] for face in old.faces])


def mirrored(old: Geometry, size: Vector, axes: list[bool]) -> Geometry:
    """Mirror a geometry within its scope along the axes that are True."""
    signs = np.array([-1.0 if axis else 1.0 for axis in axes])
    points = np.where(signs < 0, 1.0 - old.points, old.points)
    for k in range(3):
        if size[k] == 0.0:
            points[:, k] = old.points[:, k]
    odd = sum(axes) % 2 == 1
    faces = [face[::-1] if odd else face for face in old.faces]
    return _changed(old, "mirrored", points, faces)


def cleaned(
    old: Geometry, size: Vector, what: str, near: float
) -> tuple[Geometry, Floats, Floats] | None:
    """Merge close points and drop faces that have no area then.

    Args:
        old: The geometry.
        size: The scope's size.
        what: "vertices" merges points closer than `near`, "edges" drops corners on straight edges,
            "all" does both.
        near: A distance in length units.

    Returns:
        As `fitted`: the geometry, the lowest corner of its bounding box, and the box's size; None
        if nothing changed.

    Raises:
        SuppleError: No face is left.
    """
    points = old.points * size
    same = list(range(len(points)))
    if what != "edges":
        order = np.argsort(points[:, 0], kind="stable")
        for i, a in enumerate(order):
            for b in order[i + 1 :]:
                if points[b, 0] - points[a, 0] > near:
                    break
                if float(np.linalg.norm(points[b] - points[a])) <= near:
                    same[b] = min(same[b], same[a])
    faces: list[Polygon] = []
    for face in old.faces:
        loop = [same[k] for k in face]
        loop = [k for i, k in enumerate(loop) if k != loop[i - 1]]
        if what != "vertices":
            loop = _straightened(points, loop, near)
        if len(loop) >= 3 and np.any(newell(points[loop])):
            faces.append(tuple(loop))
    if faces == old.faces:
        return None
    if not faces:
        raise SuppleError("cleanupGeometry: no face is left")
    used = sorted({k for face in faces for k in face})
    place = {k: n for n, k in enumerate(used)}
    kept = [tuple(place[k] for k in face) for face in faces]
    return fitted(old.name, points[used], kept, smooth=old.smooth)


def _straightened(points: Floats, loop: list[int], near: float) -> list[int]:
    """A polygon without corners that lie on the line between their neighbours."""
    kept = list(loop)
    k = 0
    while k < len(kept) and len(kept) > 3:
        a, b, c = points[kept[k - 1]], points[kept[k]], points[kept[(k + 1) % len(kept)]]
        along = c - a
        length = float(np.linalg.norm(along))
        off = np.linalg.norm(np.cross(along, b - a)) / length if length > 0 else 0.0
        if off <= min(near, 1e-6 * length) and 0 <= (b - a) @ along <= length**2:
            kept.pop(k)
        else:
            k += 1
    return kept


def convex(old: Geometry, size: Vector) -> Geometry | None:
    """The geometry with concave faces split into convex ones; None if all faces are convex."""
    faces = [part for face in old.faces for part in _convex_parts(old.points * size, face)]
    return None if len(faces) == len(old.faces) else _changed(old, "convex", old.points, faces)


def _convex_parts(points: Floats, face: Polygon) -> list[Polygon]:
    """Triangles of a face, merged while they stay convex (Hertel & Mehlhorn 1983)."""
    corners = points[list(face)]
    normal = newell(corners)
    if is_convex(corners, normal):
        return [face]
    parts = [[face[k] for k in triangle] for triangle in triangulated(corners)]
    merged = True
    while merged:
        merged = False
        for i in range(len(parts)):
            for j in range(i + 1, len(parts)):
                joined = _merged(parts[i], parts[j])
                if joined is not None and is_convex(points[joined], normal):
                    parts[i] = joined
                    parts.pop(j)
                    merged = True
                    break
            if merged:
                break
    return [tuple(part) for part in parts]


def _merged(a: list[int], b: list[int]) -> list[int] | None:
    """Merge two polygons that share an edge; None if they share none."""
    for i in range(len(a)):
        p, q = a[i], a[(i + 1) % len(a)]
        for j in range(len(b)):
            if b[j] == q and b[(j + 1) % len(b)] == p:
                rest = [b[(j + 2 + k) % len(b)] for k in range(len(b) - 2)]
                return [*a[: i + 1], *rest, *a[i + 1 :]]
    return None
