"""Change a geometry: reverse, mirror, clean up, and split faces into convex ones."""

from __future__ import annotations

import numpy as np

from supple.apps.grammar.geometry.frames import Vector
from supple.apps.grammar.geometry.mesh import Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, Polygon, is_convex, newell, triangulated
from supple.errors import SuppleError


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
                    one, two = sorted((_first(same, int(a)), _first(same, int(b))))
                    same[two] = one
        same = [_first(same, k) for k in same]
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
    new_index = {k: n for n, k in enumerate(used)}
    kept = [tuple(new_index[k] for k in face) for face in faces]
    return fitted(old.name, points[used], kept, smooth=old.smooth)


def _first(same: list[int], k: int) -> int:
    """The representative of a point among those merged with it."""
    while same[k] != k:
        k = same[k]
    return k


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
    """The geometry with concave faces split into convex ones; None if all faces are convex.

    As in CityEngine's engine, a face is cut at its first reflex corner along the extension of one of the
    corner's edges, the one with the shorter cut, until no reflex corner is left. Cuts may add points.
    """
    rows = [*(old.points * size)]
    texcoords = None if old.texcoords is None else [*old.texcoords]
    faces = [part for face in old.faces for part in _convex_parts(rows, texcoords, face)]
    if len(faces) == len(old.faces):
        return None
    unit = np.array(rows)
    unit[: len(old.points)] = old.points
    unit[len(old.points) :] /= np.where(np.array(size) > 0, size, 1.0)
    return Geometry(
        f"convex {old.name}", unit, faces, size=old.size, origin=old.origin, smooth=old.smooth,
        texcoords=None if texcoords is None else np.array(texcoords),
    )  # fmt: skip


def _convex_parts(
    rows: list[Floats], texcoords: list[Floats] | None, face: Polygon
) -> list[Polygon]:
    """Cut a face at its reflex corners; appends new points to `rows` and `texcoords`."""
    normal = newell(np.array([rows[k] for k in face]))
    # Positions of points along the face's outline; each part begins at its lowest one.
    outline_at = {k: float(n) for n, k in enumerate(face)}
    waiting, done = [face], []
    for _ in range(4 * len(face)):
        if not waiting:
            return done
        part = waiting.pop()
        corners = np.array([rows[k] for k in part])
        if is_convex(corners, normal):
            first_corner = part.index(min(part, key=outline_at.__getitem__))
            done.append((*part[first_corner:], *part[:first_corner]))
            continue
        cut = _cut(corners, normal)
        if cut is None:
            return _triangles(rows, face)
        k, edge, along = cut
        count = len(part)
        end = edge if along <= 0.0 else (edge + 1) % count if along >= 1.0 else -1
        if end >= 0:
            first = [part[(k + i) % count] for i in range((end - k) % count + 1)]
            second = [part[(end + i) % count] for i in range((k - end) % count + 1)]
        else:
            a, b = part[edge], part[(edge + 1) % count]
            new = len(rows)
            after = outline_at[b] if outline_at[b] > outline_at[a] else len(face)
            outline_at[new] = outline_at[a] + along * (after - outline_at[a])
            rows.append(rows[a] + along * (rows[b] - rows[a]))
            if texcoords is not None:
                texcoords.append(texcoords[a] + along * (texcoords[b] - texcoords[a]))
            first = [part[(k + i) % count] for i in range((edge - k) % count + 1)] + [new]
            second = [new] + [
                part[(edge + 1 + i) % count] for i in range((k - edge - 1) % count + 1)
            ]
        waiting += [tuple(second), tuple(first)]
    return _triangles(rows, face)


def _cut(corners: Floats, normal: Floats) -> tuple[int, int, float] | None:
    """The cut at the first reflex corner: (corner, edge it ends on, position on that edge from 0 to 1).

    None if no cut ends inside the polygon, as for one that crosses itself.
    """
    count = len(corners)
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    turns = np.cross(np.roll(sides, 1, axis=0), sides) @ normal
    reflex = np.flatnonzero(turns < -1e-9 * np.roll(lengths, 1) * lengths)
    if not len(reflex):
        return None
    k = int(reflex[0])
    best: tuple[float, int, float] | None = None
    for ray in (corners[k] - corners[k - 1], corners[k] - corners[(k + 1) % count]):
        ray = ray / np.linalg.norm(ray)
        for edge in range(count):
            if edge in (k, (k - 1) % count):
                continue
            across = float(np.cross(ray, sides[edge]) @ normal)
            if abs(across) <= 1e-12 * lengths[edge]:
                continue
            gap = corners[edge] - corners[k]
            far = float(np.cross(gap, sides[edge]) @ normal) / across
            along = float(np.cross(gap, ray) @ normal) / across
            near = 1e-9
            if far <= near * lengths.max() or not -near <= along <= 1.0 + near:
                continue
            if best is None or far < best[0] * (1.0 - 1e-9):
                along = 0.0 if along < near else 1.0 if along > 1.0 - near else along
                best = (far, edge, along)
    return None if best is None else (k, best[1], best[2])


def _triangles(rows: list[Floats], face: Polygon) -> list[Polygon]:
    return [
        tuple(face[k] for k in triangle)
        for triangle in triangulated(np.array([rows[k] for k in face]))
    ]
