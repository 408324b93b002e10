"""Other geometry for the same shape: solids of a given size, cleaned, turned inside out, reset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.frames import placed
from supple.grammar.geometry.mesh import (
    BUILT_IN,
    Geometry,
    Polygon,
    fitted,
    is_convex,
    newell,
    triangulated,
)
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import OPERATIONS, Build, of_values, operation

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

MOST_SIDES = 512

# Solids -------------------------------------------------------------------------------------------


def _round(name: str, sides: int) -> Geometry:
    """A cylinder, cone or disk with so many sides, in the unit cube."""
    ring = [
        (0.5 + 0.5 * math.cos(a), 0.5 - 0.5 * math.sin(a))
        for a in (2 * math.pi * k / sides for k in range(sides))
    ]
    low = [(x, 0.0, z) for x, z in ring]
    high = [(x, 1.0, z) for x, z in ring]
    after = [(k + 1) % sides for k in range(sides)]
    bottom: Polygon = tuple(reversed(range(sides)))
    faces: list[Polygon]
    if name == "disk":
        return Geometry(f"disk of {sides}", low, [tuple(range(sides))])
    if name == "cone":
        faces = [(k, n, sides) for k, n in enumerate(after)]
        return Geometry(
            f"cone of {sides}", [*low, (0.5, 1.0, 0.5)], [*faces, bottom], smooth=sides > 8
        )
    faces = [(k, n, sides + n, sides + k) for k, n in enumerate(after)]
    top: Polygon = tuple(range(sides, 2 * sides))
    return Geometry(f"cylinder of {sides}", low + high, [*faces, top, bottom], smooth=sides > 8)


SIZES: dict[str, tuple[str, tuple[int, ...]]] = {
    # name: (solid, how many arguments)
    "primitiveCube": ("box", (0, 3)),
    "primitiveQuad": ("quad", (0, 2)),
    "primitiveDisk": ("disk", (0, 1, 2)),
    "primitiveCylinder": ("cylinder", (0, 1, 3)),
    "primitiveCone": ("cone", (0, 1, 3)),
    "primitiveSphere": ("sphere", (0, 3)),
}


def _primitive(name: str) -> Build:
    solid, allowed = SIZES[name]
    known: dict[int, Geometry] = {}

    def build(op: s.Operation, env: Environment) -> Act:
        given = Arguments(op, env)
        count = given.count(*allowed)
        values = given.lengths()
        fail = env.problem

        def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
            found = values(shape, args)
            geometry = BUILT_IN[solid]
            if solid in ("disk", "cylinder", "cone") and count:
                sides = int(found[0])
                if not 3 <= sides <= MOST_SIDES:
                    raise fail(op.at, f"{name}: expected 3 to {MOST_SIDES} sides, got {found[0]:g}")
                geometry = known.setdefault(sides, _round(solid, sides))
            size = _sized(solid, found)
            if size is not None:
                if any(one < 0 for one in size):
                    raise fail(op.at, f"{name}: expected sizes of at least 0")
                shape.s = size
            shape.geometry, shape.made = geometry, True

        return act

    return build


def _sized(solid: str, values: list[float]) -> tuple[float, float, float] | None:
    """The size that a solid's arguments ask for; None for the scope's own."""
    if solid == "box" and values:
        return values[0], values[1], values[2]
    if solid == "quad" and values:
        return values[0], 0.0, values[1]
    if solid == "disk" and len(values) == 2:
        return 2 * values[1], 0.0, 2 * values[1]
    if solid in ("cylinder", "cone") and len(values) == 3:
        return 2 * values[1], values[2], 2 * values[1]
    if solid == "sphere" and values:
        return 2 * values[2], 2 * values[2], 2 * values[2]
    return None


for _name in SIZES:
    OPERATIONS[_name] = _primitive(_name)


# The same geometry, otherwise ---------------------------------------------------------------------


@of_values("reverseNormals")
def reverse_normals(run: Derivation, shape: Shape) -> None:
    """Turn all faces round: reverseNormals()."""
    old = shape.geometry
    shape.geometry = Geometry(
        f"reversed {old.name}", old.points, [face[::-1] for face in old.faces], size=old.size,
        origin=old.origin, smooth=old.smooth, texcoords=old.texcoords,
    )  # fmt: skip
    shape.made = True


@of_values("resetGeometry")
def reset_geometry(run: Derivation, shape: Shape) -> None:
    """The first shape's scope and geometry again: resetGeometry()."""
    first = run.origin
    shape.p, shape.R, shape.s, shape.geometry = first.p, first.R, first.s, first.geometry
    shape.made = True


@operation("cleanupGeometry")
def cleanup(op: s.Operation, env: Environment) -> Act:
    """Put points together that are nearer than a distance, and drop what has no area then.

    cleanupGeometry(all, 0.01); edges, vertices: corners in the middle of straight edges, or points
    """
    given = Arguments(op, env)
    given.count(2)
    what = given.word(0, ("all", "edges", "vertices"))
    near = given.length(1)
    clean = guarded(env, op.at, _cleaned)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        if not shape.geometry.fills:
            clean(shape, what, near(shape, args))

    return act


def _cleaned(shape: Shape, what: str, near: float) -> None:
    old = shape.geometry
    points = old.points * shape.s
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
        return
    if not faces:
        raise SuppleError("cleanupGeometry: nothing is left of the shape")
    used = sorted({k for face in faces for k in face})
    place = {k: n for n, k in enumerate(used)}
    kept = [tuple(place[k] for k in face) for face in faces]
    geometry, low, size = fitted(old.name, points[used], kept, smooth=old.smooth)
    shape.p = placed(shape.p, shape.R, tuple(low.tolist()))
    shape.s, shape.geometry = tuple(size.tolist()), geometry


def _straightened(points: Any, loop: list[int], near: float) -> list[int]:
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


@operation("convexify")
def convexify(op: s.Operation, env: Environment) -> Act:
    """Take faces that turn inwards apart into some that do not."""
    given = Arguments(op, env)
    given.count(0, 1)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        old = shape.geometry
        faces = [part for face in old.faces for part in _convex(old.points * shape.s, face)]
        if len(faces) != len(old.faces):
            shape.geometry = Geometry(
                f"convex {old.name}", old.points, faces, size=old.size, origin=old.origin,
                smooth=old.smooth, texcoords=old.texcoords,
            )  # fmt: skip
            shape.made = True

    return act


def _convex(points: Any, face: Polygon) -> list[Polygon]:
    """Triangles, put together again as long as they stay convex (Hertel & Mehlhorn 1983)."""
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
                joined = _joined(parts[i], parts[j])
                if joined is not None and is_convex(points[joined], normal):
                    parts[i] = joined
                    parts.pop(j)
                    merged = True
                    break
            if merged:
                break
    return [tuple(part) for part in parts]


def _joined(a: list[int], b: list[int]) -> list[int] | None:
    """Two polygons that share an edge as one."""
    for i in range(len(a)):
        p, q = a[i], a[(i + 1) % len(a)]
        for j in range(len(b)):
            if b[j] == q and b[(j + 1) % len(b)] == p:
                rest = [b[(j + 2 + k) % len(b)] for k in range(len(b) - 2)]
                return [*a[: i + 1], *rest, *a[i + 1 :]]
    return None
