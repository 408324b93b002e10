"""Scopes turned to fit what is in them, moved and turned in the world's axes, and mirrored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Act, Arguments, Several
from supple.grammar.evaluate.expressions import Compiled
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.values import truth
from supple.grammar.geometry.frames import from_axes, from_degrees, placed, product
from supple.grammar.geometry.mesh import Floats, Geometry, newell
from supple.grammar.language import syntax as s
from supple.grammar.language.errors import Environment, guarded
from supple.grammar.operations.table import operation
from supple.grammar.operations.transform import reframe

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Derivation

FACES = ("world.lowest", "largest", "any")
EDGES = ("world.lowest", "longest")


@operation("alignScopeToGeometry")
def align_to_geometry(op: s.Operation, env: Environment) -> Act:
    """Turn the scope so that x runs along an edge of a face, and y or z where the face faces.

    alignScopeToGeometry(yUp, 0, longest): face 0, its longest edge; faces also by world.lowest,
    largest, any; edges also by index and world.lowest
    """
    given = Arguments(op, env)
    count = given.count(2, 3)
    up = given.word(0, ("yUp", "zUp"))
    face = _which(given, 1, FACES)
    edge = _which(given, 2, EDGES) if count == 3 else 0.0
    turn = guarded(env, op.at, _aligned)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        faces = face(shape, args) if callable(face) else face
        edges = edge(shape, args) if callable(edge) else edge
        turn(shape, up == "yUp", faces, edges)

    return act


def _which(given: Arguments, place: int, words: tuple[str, ...]) -> str | Compiled:
    """A word, or a number by its place."""
    return word if (word := given.is_word(place)) in words else given.length(place)  # type: ignore[return-value]


def _aligned(shape: Shape, y_up: bool, face: str | float, edge: str | float) -> None:
    geometry = shape.geometry
    if not geometry.faces:
        raise SuppleError("alignScopeToGeometry: expected a shape with faces")
    local: Floats = geometry.points * shape.s
    world = local @ np.array(shape.R).reshape(3, 3).T + shape.p
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
    a, b, c = (tuple(axis.tolist()) for axis in axes)
    reframe(shape, from_axes(a, b, c))


def _edge(corners: Floats, edge: str | float) -> int:
    following = np.roll(corners, -1, axis=0)
    if edge == "longest":
        return int(np.argmax(np.round(np.linalg.norm(following - corners, axis=1), 9)))
    if edge == "world.lowest":
        return int(np.argmin(np.round(corners[:, 1] + following[:, 1], 9)))
    return int(edge) % len(corners)  # type: ignore[arg-type]


def _score(corners: Floats, edge: str | float) -> float:
    """How low or how long the chosen edge of a face is, the best the least."""
    k = _edge(corners, edge)
    a, b = corners[k], corners[(k + 1) % len(corners)]
    return round(float(a[1] + b[1] if edge == "world.lowest" else -np.linalg.norm(b - a)), 9)


@operation("alignScopeToGeometryBBox")
def align_to_box(op: s.Operation, env: Environment) -> Act:
    """Turn the scope about one axis to the box of least area, the longer side along the first.

    alignScopeToGeometryBBox(xz)
    """
    given = Arguments(op, env)
    given.count(1)
    first, second = given.word(0, ("xy", "yx", "xz", "zx", "yz", "zy"))
    a, b = "xyz".index(first), "xyz".index(second)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        flat = (shape.geometry.points * shape.s)[:, [a, b]]
        best, least = 0.0, np.inf
        for i, j in shape.geometry.edges:  # the least box lies at an edge
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
        columns = np.array(shape.R).reshape(3, 3)
        along, across = columns[:, a].copy(), columns[:, b].copy()
        # Half a turn is the same box: the one nearer to how the scope is.
        best = (best + np.pi / 2) % np.pi - np.pi / 2
        columns[:, a] = np.cos(best) * along + np.sin(best) * across
        columns[:, b] = np.cos(best) * across - np.sin(best) * along
        reframe(shape, tuple(columns.reshape(-1).tolist()))

    return act


# In the world's axes ------------------------------------------------------------------------------

SYSTEMS = ("scope", "pivot", "object", "world")


def _in_a_system(op: s.Operation, env: Environment) -> tuple[bool, bool, Several]:
    """What (rel | abs, system, x, y, z) asks: absolute, in the shape's own axes, the three numbers."""
    given = Arguments(op, env)
    given.count(5)
    absolute = given.word(0, ("rel", "abs")) == "abs"
    own = given.word(1, SYSTEMS) in ("scope", "pivot")
    return absolute, own, given.lengths(2)


@operation("translate")
def translate(op: s.Operation, env: Environment) -> Act:
    """Move by so much, or to a place.

    translate(rel, world, x, y, z), translate(abs, scope, x, y, z)
    """
    absolute, own, values = _in_a_system(op, env)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        x, y, z = values(shape, args)
        start = shape.outer[0] if own and absolute else (0.0, 0.0, 0.0) if absolute else shape.p
        shape.p = placed(start, shape.R, (x, y, z)) if own else _plus(start, (x, y, z))

    return act


def _plus(a: Any, b: Any) -> Any:
    return tuple(p + q for p, q in zip(a, b, strict=True))


@operation("rotate")
def rotate(op: s.Operation, env: Environment) -> Act:
    """Turn by so many degrees, or to stand so.

    rotate(rel, world, x, y, z), rotate(abs, scope, x, y, z)
    """
    absolute, own, values = _in_a_system(op, env)

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        turn = from_degrees(*values(shape, args))
        if own:
            shape.R = product(shape.outer[1] if absolute else shape.R, turn)
        else:
            shape.R = turn if absolute else product(turn, shape.R)

    return act


# Mirrors ------------------------------------------------------------------------------------------


def _mirrored(shape: Shape, axes: list[bool]) -> Geometry:
    """A shape's geometry mirrored within its scope."""
    old = shape.geometry
    signs = np.array([-1.0 if axis else 1.0 for axis in axes])
    points = np.where(signs < 0, 1.0 - old.points, old.points)
    for k in range(3):
        if shape.s[k] == 0.0:
            points[:, k] = old.points[:, k]
    odd = sum(axes) % 2 == 1
    faces = [face[::-1] if odd else face for face in old.faces]
    return Geometry(
        f"mirrored {old.name}", points, faces, size=old.size, origin=old.origin,
        smooth=old.smooth, texcoords=old.texcoords,
    )  # fmt: skip


@operation("mirror")
def mirror(op: s.Operation, env: Environment) -> Act:
    """Mirror the geometry within the scope, with true for the axes to turn round.

    mirror(true, false, false)
    """
    given = Arguments(op, env)
    given.count(3)
    values = given.each(truth)
    known: dict[Any, Geometry] = {}

    def act(run: Derivation, shape: Shape, args: tuple[Any, ...]) -> None:
        axes = values(shape, args)
        key = (id(shape.geometry), *axes, *(size == 0.0 for size in shape.s))
        if key not in known:
            known[key] = _mirrored(shape, axes)
            run.keep(shape.geometry)
        shape.geometry, shape.made = known[key], True

    return act
