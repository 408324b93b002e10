"""A polygon whose edges move: offsets, strips along its edges, and the planes of a roof.

Every edge moves along its normal at a speed of its own until edges vanish or corners run into
other edges (the straight skeleton; Aichholzer & Aurenhammer 1996, "Straight skeletons for general
polygonal figures in the plane"). What an edge has passed over is its face: with the time as height
it is a plane of a hip roof; an edge that stands still has an upright face, a gable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from supple.errors import SuppleError

Point = tuple[float, float]
Node = tuple[float, float, float]

NEAR = 1e-9  # of the polygon's extent
MOST = 240  # corners; the time grows with their cube


class Swept(NamedTuple):
    """What moving edges have passed over.

    Attributes:
        nodes: (x, y, time); the first are the polygon's corners when it set out.
        faces: For each edge the corners of its face, counterclockwise from above, its own edge
            first; none for an edge that passed over nothing.
        rest: The polygons that are left at the end.
    """

    nodes: list[Node]
    faces: list[list[int]]
    rest: list[list[int]]


@dataclass(slots=True)
class _Corner:
    """A corner between two moving edges, from the time it came to be."""

    x: float
    y: float
    time: float
    dx: float
    dy: float
    node: int
    before: int
    after: int

    def at(self, time: float) -> Point:
        passed = time - self.time
        return self.x + self.dx * passed, self.y + self.dy * passed


def sweep(
    corners: list[Point],
    speeds: list[float],
    *,
    begin: float = 0.0,
    until: float = math.inf,
) -> Swept:
    """Move the edges of a polygon.

    Args:
        corners: Of a simple polygon, counterclockwise; edge k runs from corner k to the next.
        speeds: Of each edge inwards, in lengths a unit of time; below 0 outwards.
        begin: The time to set out; below 0 the polygon is first larger than it is, by so much.
        until: The time to stop.

    Raises:
        SuppleError: The polygon crosses itself, has too many corners or no area.
    """
    if len(corners) > MOST:
        raise SuppleError(f"expected a polygon of at most {MOST} corners, got {len(corners)}")
    return _Sweep(corners, speeds, begin).run(until)


class _Sweep:
    def __init__(self, corners: list[Point], speeds: list[float], begin: float) -> None:
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        self.near = NEAR * max(max(xs) - min(xs), max(ys) - min(ys), 1e-300)
        self.speeds = speeds
        self.along: list[Point] = []
        count = len(corners)
        for k in range(count):
            (x, y), (u, v) = corners[k], corners[(k + 1) % count]
            length = math.hypot(u - x, v - y)
            if length <= self.near:
                raise SuppleError("expected a polygon whose corners are apart")
            self.along.append(((u - x) / length, (v - y) / length))
        if _area(corners) <= self.near**2:
            raise SuppleError("expected a polygon with an area, whose edges do not cross")
        self.outwards = sum(speeds) < 0
        self.now = begin
        self.nodes: list[Node] = []
        self.lines: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        loop = []
        for k in range(count):
            x, y = corners[k]
            dx, dy = self._velocity(k - 1 if k else count - 1, k)
            place = (x + dx * begin, y + dy * begin)
            loop.append(self._corner(place, k - 1 if k else count - 1, k))
        self.loops: list[list[_Corner]] = [loop]
        self.first = [corner.at(begin) for corner in loop]
        self.rest: list[list[int]] = []

    # Corners and what they leave behind -----------------------------------------------------------

    def _velocity(self, a: int, b: int) -> Point:
        """How the corner between two edges moves, so that it stays on both."""
        (ax, ay), (bx, by) = self.along[a], self.along[b]
        cross, dot = ax * by - ay * bx, ax * bx + ay * by
        p, q = self.speeds[a], self.speeds[b]
        if abs(cross) > 1e-9:
            # n_a = (-ay, ax), n_b = (-by, bx): n_a . v = p, n_b . v = q
            return (bx * p - ax * q) / cross, (by * p - ay * q) / cross
        if dot > 0:
            if abs(p - q) > 1e-9 * max(abs(p), abs(q)):
                raise SuppleError("edges in one line cannot move apart")
            return -ay * p, ax * p
        return 0.0, 0.0  # they lie on each other: nothing is left between them

    def _corner(self, place: Point, before: int, after: int) -> _Corner:
        dx, dy = self._velocity(before, after)
        node = self._node(place)
        return _Corner(place[0], place[1], self.now, dx, dy, node, before, after)

    def _node(self, place: Point) -> int:
        x, y = place
        for k, (u, v, time) in enumerate(self.nodes):
            if abs(u - x) + abs(v - y) <= 8 * self.near and abs(time - self.now) <= 8 * self.near:
                return k
        self.nodes.append((x, y, self.now))
        return len(self.nodes) - 1

    def _finish(self, corner: _Corner) -> int:
        """End a corner's way here: it bounds the faces of both its edges."""
        node = self._node(corner.at(self.now))
        if node != corner.node:
            self.lines[corner.before].append((corner.node, node))
            self.lines[corner.after].append((corner.node, node))
        return node

    def _close(self, loop: list[_Corner]) -> list[int]:
        """End a loop: what is left of its edges bounds their faces."""
        nodes = [self._finish(corner) for corner in loop]
        for k, corner in enumerate(loop):
            a, b = nodes[k], nodes[(k + 1) % len(nodes)]
            if a != b:
                self.lines[corner.after].append((a, b))
        return nodes

    # Events ---------------------------------------------------------------------------------------

    def run(self, until: float) -> Swept:
        for _ in range(20 * len(self.along) + 50):
            if not self.loops:
                break
            time, loop, index, edge = self._next()
            if time > until or loop is None:
                if not math.isfinite(until):
                    raise SuppleError("the edges never meet")
                self.now = until
                for left in self.loops:
                    self.rest.append(self._close(left))
                break
            self.now = max(time, self.now)
            self.loops.remove(loop)
            made = [self._without(loop, index)] if edge < 0 else self._parted(loop, index, edge)
            for new in made:
                if len(new) < 3 or abs(_area([c.at(self.now) for c in new])) <= self._thin(new):
                    self._close(new)
                else:
                    self.loops.append(new)
        else:
            raise SuppleError("expected a polygon whose edges do not cross")
        faces = [self._face(k) for k in range(len(self.along))]
        self._check(faces)
        return Swept(self.nodes, faces, [_trimmed(loop) for loop in self.rest])

    def _thin(self, loop: list[_Corner]) -> float:
        places = [corner.at(self.now) for corner in loop]
        xs, ys = [x for x, _ in places], [y for _, y in places]
        return 16 * self.near * (max(xs) - min(xs) + max(ys) - min(ys) + self.near)

    def _next(self) -> tuple[float, list[_Corner] | None, int, int]:
        """The next thing to happen: (time, loop, corner, edge it hits, or -1: its edge ends)."""
        best: tuple[float, list[_Corner] | None, int, int] = (math.inf, None, 0, -1)
        for loop in self.loops:
            for k, a in enumerate(loop):
                b = loop[(k + 1) % len(loop)]
                ux, uy = self.along[a.after]
                (ax, ay), (bx, by) = a.at(self.now), b.at(self.now)
                length = ux * (bx - ax) + uy * (by - ay)
                growth = ux * (b.dx - a.dx) + uy * (b.dy - a.dy)
                if growth < -1e-12:
                    time = self.now + max(length, 0.0) / -growth
                    if time < best[0] - self.near:
                        best = (time, loop, k, -1)
            for k, corner in enumerate(loop):
                (ax, ay), (bx, by) = self.along[corner.before], self.along[corner.after]
                turn = ax * by - ay * bx
                if (turn < -1e-9) if not self.outwards else (turn > 1e-9):
                    best = self._hit(loop, k, best)
        return best

    def _hit(
        self, loop: list[_Corner], k: int, best: tuple[float, list[_Corner] | None, int, int]
    ) -> tuple[float, list[_Corner] | None, int, int]:
        """The first edge that a corner runs into, if that is before what is known."""
        corner = loop[k]
        x, y = corner.at(self.now)
        for j, start in enumerate(loop):
            edge = start.after
            if edge in (corner.before, corner.after):
                continue
            ux, uy = self.along[edge]
            px, py = start.at(self.now)
            distance = -uy * (x - px) + ux * (y - py)
            growth = -uy * corner.dx + ux * corner.dy - self.speeds[edge]
            if growth >= -1e-12 or distance < -self.near:
                continue
            time = self.now + max(distance, 0.0) / -growth
            if time >= best[0] - self.near:
                continue
            end = loop[(j + 1) % len(loop)]
            (cx, cy), (sx, sy), (ex, ey) = corner.at(time), start.at(time), end.at(time)
            from_start = ux * (cx - sx) + uy * (cy - sy)
            to_end = ux * (ex - cx) + uy * (ey - cy)
            if from_start >= -self.near and to_end >= -self.near:
                best = (time, loop, k, j)
        return best

    def _without(self, loop: list[_Corner], k: int) -> list[_Corner]:
        """A loop whose edge after corner k has come to nothing."""
        count = len(loop)
        a, b = loop[k], loop[(k + 1) % count]
        if count <= 3:
            return loop
        self._finish(a)
        self._finish(b)
        new = self._corner(a.at(self.now), a.before, b.after)
        if self.outwards and new.dx == new.dy == 0.0:
            raise SuppleError("growing outwards, the polygon would close upon itself")
        rest = [loop[(k + 2 + i) % count] for i in range(count - 2)]
        return [*rest, new]

    def _parted(self, loop: list[_Corner], k: int, j: int) -> list[list[_Corner]]:
        """Two loops, where corner k has run into the edge after corner j."""
        count = len(loop)
        corner, edge = loop[k], loop[j].after
        place = corner.at(self.now)
        self._finish(corner)
        one = [loop[(k + 1 + i) % count] for i in range((j - k - 1) % count + 1)]
        other = [loop[(j + 1 + i) % count] for i in range((k - j - 1) % count)]
        return [
            [self._corner(place, edge, corner.after), *one],
            [self._corner(place, corner.before, edge), *other],
        ]

    # Faces ----------------------------------------------------------------------------------------

    def _face(self, edge: int) -> list[int]:
        """The corners of an edge's face: its own edge, and the lines around it to a loop."""
        count = len(self.along)
        a, b = edge, (edge + 1) % count
        near: dict[int, list[int]] = {}
        for p, q in self.lines[edge]:
            if q in near.get(p, ()):  # there and back again: nothing lies between
                near[p].remove(q)
                near[q].remove(p)
                continue
            near.setdefault(p, []).append(q)
            near.setdefault(q, []).append(p)
        face, last, here = [a, b], a, b
        for _ in range(len(self.lines[edge]) + 2):
            ways = [k for k in near.get(here, ()) if k != last] or near.get(here, [])
            if not ways:
                return []
            last, here = here, ways[0]
            near[last].remove(here)
            near[here].remove(last)
            if here == a:
                return face
            face.append(here)
        return []

    def _check(self, faces: list[list[int]]) -> None:
        """Faces and what is left cover the polygon, or it was none that can be swept."""
        flat = [(x, y) for x, y, _ in self.nodes]
        covered = sum(_area([flat[k] for k in face]) for face in faces)
        left = sum(_area([flat[k] for k in loop]) for loop in self.rest)
        whole = _area(self.first)
        if abs(covered + left - whole) > 1e-6 * max(abs(whole), abs(left)):
            raise SuppleError("expected a polygon whose edges do not cross")


def _trimmed(loop: list[int]) -> list[int]:
    """A loop without corners that follow themselves."""
    return [k for i, k in enumerate(loop) if k != loop[i - 1]]


def _area(places: list[Point]) -> float:
    total = 0.0
    for (x, y), (u, v) in zip(places, places[1:] + places[:1], strict=True):
        total += x * v - y * u
    return total / 2
