"""envelope: the volume in which a building may stand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.grammar.evaluate.arguments import Arguments
from supple.grammar.evaluate.modules import Act, Environment, located
from supple.grammar.evaluate.run import Run
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.footprints import Faces
from supple.grammar.geometry.polygons import Floats, newell
from supple.grammar.geometry.wavefront import Point
from supple.grammar.language import syntax as s
from supple.grammar.operations.parts import build_on, footprint_of

SIDES = ("front", "right", "back", "left")
NEAR = 1e-9


def envelope(op: s.Operation, env: Environment) -> Act:
    """Extrude a flat convex shape, and cut it by planes that lean inwards from its sides.

    envelope(world.up, height, front height, front angle, right .., back .., left ..)

    Above its own height each side leans by its angle from the horizontal; sides that are not given stay
    upright.
    """
    given = Arguments(op, env)
    given.word(0, ("normal", "face.normal", "world.up"))
    given.count(2, 4, 6, 8, 10)
    numbers = given.lengths(1)
    build = located(env, op.at, _build)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        height, *sides = numbers(shape, args)
        build(shape, height, list(zip(sides[::2], sides[1::2], strict=True)))

    return act


def _build(shape: Shape, height: float, sides: list[tuple[float, float]]) -> None:
    plan = footprint_of(shape, "envelope")
    parts = [_volume(polygon, height, sides) for polygon in plan.polygons]
    build_on(shape, plan, parts, f"envelope of {shape.geometry.name}", upright=True)


def _volume(polygon: list[Point], height: float, sides: list[tuple[float, float]]) -> Faces:
    count = len(polygon)
    corners = np.array(polygon)
    edges = np.roll(corners, -1, axis=0) - corners
    outward = np.column_stack([edges[:, 1], -edges[:, 0]])
    turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
    if height <= 0 or count < 3 or np.any(turns < -NEAR * np.abs(edges).max() ** 2):
        raise SuppleError("envelope: expected a convex shape and a height above 0")
    low = [(float(x), 0.0, -float(y)) for x, y in polygon]
    high = [(x, height, z) for x, _, z in low]
    after = [(k + 1) % count for k in range(count)]
    faces = [np.array(low[::-1]), np.array(high)]
    faces += [np.array([low[k], low[n], high[n], high[k]]) for k, n in enumerate(after)]
    for k in range(count):
        side = _side(outward[k])
        if side < len(sides) and np.any(outward[k]):
            start, angle = sides[side]
            lean = math.radians(min(max(angle, 0.0), 90.0))
            away = outward[k] / np.linalg.norm(outward[k])
            normal = np.array([away[0] * math.sin(lean), math.cos(lean), -away[1] * math.sin(lean)])
            on_plane = np.array([corners[k, 0], max(start, 0.0), -corners[k, 1]])
            faces = _cut(faces, normal, float(normal @ on_plane))
    points = np.concatenate(faces) if faces else np.zeros((0, 3))
    found, at = [], 0
    for face in faces:
        found.append(tuple(range(at, at + len(face))))
        at += len(face)
    return [(float(x), float(y), float(z)) for x, y, z in points], found


def _side(outward: Floats) -> int:
    """Index in `SIDES` of the side that an edge looks to: front is -y of the plan, right is +x."""
    x, y = outward
    if abs(y) >= abs(x):
        return 0 if y < 0 else 2
    return 1 if x > 0 else 3


def _cut(faces: list[Floats], normal: Floats, level: float) -> list[Floats]:
    """The part of a convex solid below a plane, capped."""
    kept: list[Floats] = []
    rim: list[Floats] = []
    scale = max((float(np.abs(face).max()) for face in faces), default=1.0) or 1.0
    for face in faces:
        above = face @ normal - level
        if np.all(above <= NEAR * scale):
            kept.append(face)
            continue
        out = []
        for k in range(len(face)):
            n = (k + 1) % len(face)
            if above[k] <= NEAR * scale:
                out.append(face[k])
            if (above[k] > NEAR * scale) != (above[n] > NEAR * scale):
                crossing = face[k] + (face[n] - face[k]) * (above[k] / (above[k] - above[n]))
                out.append(crossing)
                rim.append(crossing)
        if len(out) >= 3 and np.any(newell(np.array(out))):
            kept.append(np.array(out))
    if len(rim) >= 3:
        points = np.array(rim)
        middle = points.mean(axis=0)
        across = points[0] - middle
        other = np.cross(normal, across)
        angles = np.arctan2((points - middle) @ other, (points - middle) @ across)
        ordered = points[np.argsort(angles)]
        apart = np.linalg.norm(ordered - np.roll(ordered, 1, axis=0), axis=1) > 1e-7 * scale
        if apart.sum() >= 3:
            kept.append(ordered[apart])
    return kept
