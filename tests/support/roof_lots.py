"""Roofs, offsets and setbacks on many symmetric and nearly symmetric lots: none may be refused.

Squares and rectangles of any size and rotation, regular polygons, L, T, U and plus shapes, stars,
stairs and random polygons, exact or moved by 1e-12 to 1e-3 of their size. Every plane of a hip roof
must lie at its edge's slope, and planes and what is left must tile the polygon.
"""

from __future__ import annotations

import math
import random

from supple.apps.grammar.geometry.roofs import gable, hip
from supple.apps.grammar.geometry.wavefront import Point, sweep
from supple.errors import SuppleError

KINDS = ("square", "rectangle", "regular", "L", "T", "U", "plus", "star", "stairs", "random")


def outline(kind: str, rng: random.Random) -> list[Point]:
    """A simple polygon, counterclockwise, of about unit size."""
    a, b = rng.choice([0.25, 1 / 3, 0.5, rng.uniform(0.1, 0.6)]), rng.choice([0.25, 0.3, 1 / 3])
    if kind == "square":
        return [(0, 0), (1, 0), (1, 1), (0, 1)]
    if kind == "rectangle":
        return [(0, 0), (1, 0), (1, a), (0, a)]
    if kind == "regular":
        n = rng.randint(3, 24)
        return [(math.cos(math.tau * k / n), math.sin(math.tau * k / n)) for k in range(n)]
    if kind == "L":
        c = rng.choice([a, b])
        return [(0, 0), (1, 0), (1, a), (c, a), (c, 1), (0, 1)]
    if kind == "T":
        return [(0.5 - b / 2, 0), (0.5 + b / 2, 0), (0.5 + b / 2, 1 - a), (1, 1 - a), (1, 1),
                (0, 1), (0, 1 - a), (0.5 - b / 2, 1 - a)]  # fmt: skip
    if kind == "U":
        return [(0, 0), (1, 0), (1, 1), (1 - b, 1), (1 - b, a), (b, a), (b, 1), (0, 1)]
    if kind == "plus":
        c = rng.choice([b, 1 / 3, 0.25])
        d, e = 0.5 - c / 2, 0.5 + c / 2
        return [(d, 0), (e, 0), (e, d), (1, d), (1, e), (e, e), (e, 1), (d, 1), (d, e), (0, e),
                (0, d), (d, d)]  # fmt: skip
    if kind == "stairs":
        n = rng.randint(2, 6)
        steps = [((n - k - s) / n, (k + 1) / n) for k in range(n) for s in (0, 1)]
        return [(0, 0), (1, 0), *steps]
    if kind == "random":
        n, first = rng.randint(3, 20), rng.uniform(0, math.tau)
        gaps = [rng.uniform(0.5, 1.0) for _ in range(n)]
        angles = [first + math.tau * sum(gaps[:k]) / sum(gaps) for k in range(n)]
        far = [rng.uniform(0.6, 1.0) for _ in range(n)]  # no notch that an overhang closes
        return [(r * math.cos(t), r * math.sin(t)) for r, t in zip(far, angles, strict=True)]
    n, inner = rng.randint(3, 9), rng.uniform(0.3, 0.9)
    return [
        (
            (1, inner)[k % 2] * math.cos(math.pi * k / n),
            (1, inner)[k % 2] * math.sin(math.pi * k / n),
        )
        for k in range(2 * n)
    ]


def lot(rng: random.Random) -> tuple[str, list[Point]]:
    """A kind and a lot of that kind: scaled, turned, moved, and perhaps not quite symmetric."""
    kind = rng.choice(KINDS)
    corners = outline(kind, rng)
    size = rng.choice([1.0, 10.0, rng.uniform(0.5, 200.0)])
    turn = rng.choice([0.0, math.pi / 2, math.pi / 4, rng.uniform(0, math.tau)])
    off = rng.choice([0.0, 0.0, 10.0 ** rng.uniform(-12, -3)])
    x, y = rng.choice([(0.0, 0.0), (rng.uniform(-500, 500), rng.uniform(-500, 500))])
    c, s = math.cos(turn), math.sin(turn)
    moved = [(u + rng.uniform(-off, off), v + rng.uniform(-off, off)) for u, v in corners]
    return kind, [(x + size * (c * u - s * v), y + size * (s * u + c * v)) for u, v in moved]


def area(places: list[Point]) -> float:
    """The signed area of a polygon."""
    return sum(
        x * v - y * u for (x, y), (u, v) in zip(places, places[1:] + places[:1], strict=True)
    ) / 2  # fmt: skip


def check_hip(polygon: list[Point], begin: float = 0.0) -> None:
    """Raise unless every edge has a plane, at its slope, and the planes tile the polygon."""
    swept = sweep(polygon, [1.0] * len(polygon), begin=begin)
    xs, ys = zip(*polygon, strict=True)
    size = max(max(xs) - min(xs), max(ys) - min(ys)) - 2 * begin
    if not all(swept.faces):
        raise SuppleError("an edge without a plane")
    for k, face in enumerate(swept.faces):
        (x, y), (u, v) = polygon[k], polygon[(k + 1) % len(polygon)]
        length = math.hypot(u - x, v - y)
        for i in face:
            p, q, t = swept.nodes[i]
            if abs(((u - x) * (q - y) - (v - y) * (p - x)) / length - t) > 1e-6 * size:
                raise SuppleError("a corner off its plane")
    flat = [(x, y) for x, y, _ in swept.nodes]
    covered = [area([flat[k] for k in face]) for face in swept.faces]
    whole = area(flat[: len(polygon)])
    if min(covered) < -1e-6 * whole or abs(sum(covered) - whole) > 1e-6 * whole:
        raise SuppleError("planes that do not tile the polygon")


def check_strips(polygon: list[Point], until: float) -> None:
    """Raise unless strips and what is left tile the polygon."""
    swept = sweep(polygon, [1.0] * len(polygon), until=until)
    flat = [(x, y) for x, y, _ in swept.nodes]
    parts = [area([flat[k] for k in part]) for part in [*swept.faces, *swept.rest] if part]
    whole = area(polygon)
    if min(parts) < -1e-6 * whole or abs(sum(parts) - whole) > 1e-6 * whole:
        raise SuppleError("strips that do not tile the polygon")


def check(rng: random.Random, polygon: list[Point]) -> dict[str, str]:
    """What was refused or wrong, by operation."""
    xs, ys = zip(*polygon, strict=True)
    size = max(max(xs) - min(xs), max(ys) - min(ys))
    slope = math.tan(math.radians(rng.choice([30.0, 45.0, rng.uniform(5, 80)])))
    overhang = size * rng.choice([0.05, 0.1, rng.uniform(0.001, 0.05)])
    over = overhang / math.hypot(1.0, slope)
    tasks = {
        "hip": lambda: check_hip(polygon),
        "hip with an overhang": lambda: check_hip(polygon, -over),
        "roofHip": lambda: hip(polygon, slope, overhang),
        "roofGable": lambda: gable(polygon, slope),
        "roofGable with overhangs": lambda: gable(polygon, slope, overhang / 4, overhang / 4),
        "offset inwards": lambda: check_strips(polygon, size * rng.uniform(0.01, 0.5)),
        "offset to half of it": lambda: check_strips(polygon, size / 2),
        "offset outwards": lambda: sweep(polygon, [-1.0] * len(polygon), until=size * 0.02),
        "setback": lambda: sweep(
            polygon, [rng.choice([0.0, 1.0, 2.0]) for _ in polygon], until=0.05 * size
        ),
    }
    found = {}
    for name, task in tasks.items():
        try:
            task()
        except SuppleError as error:
            found[name] = str(error)
    return found
