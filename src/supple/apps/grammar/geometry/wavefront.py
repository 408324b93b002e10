"""Wavefront propagation of a polygon (weighted straight skeleton): offsets, setbacks and roof planes.

Every edge moves along its normal at its own speed until edges vanish or corners hit other edges
(Aichholzer & Aurenhammer 1996, "Straight skeletons for general polygonal figures in the plane"). The
area that an edge sweeps is its face: with time as height it is a plane of a hip roof. An edge of
speed 0 gets a vertical face, a gable.

Footprints are often symmetric, exactly or nearly, so many events coincide: edges vanish together,
corners meet corners, edges fall on edges. Events are processed one by one, and rounding decides the
order of simultaneous ones. To get the same roof in every order, the boundary of a face is recorded
by which corner came from which and never by comparing positions: each face is a closed walk whatever
the rounding, and two nodes are merged only if the line between them has length zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from supple.errors import SuppleError

Point = tuple[float, float]
Node = tuple[float, float, float]

RELATIVE_TOLERANCE = 1e-9  # of the polygon's extent; rounding
PARALLEL_SINE = 1e-7  # of the largest angle between edges that count as parallel; not tuned
MOST_CORNERS = 240  # the time grows with their cube


class Swept(NamedTuple):
    """The faces swept by moving edges.

    Attributes:
        nodes: (x, y, time); the first ones are the polygon's corners at the start.
        faces: For each edge the corners of its face, counterclockwise from above, starting with
            the edge itself; empty for an edge that swept nothing.
        rest: The polygons left when the sweep stopped.
    """

    nodes: list[Node]
    faces: list[list[int]]
    rest: list[list[int]]


@dataclass(slots=True, eq=False)
class _Corner:
    """A corner between two moving edges, from the time of its creation.

    Attributes:
        spike: True if its two edges lie on each other, with no area between them.
    """

    x: float
    y: float
    time: float
    dx: float
    dy: float
    node: int
    before: int
    after: int
    spike: bool

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
        speeds: Inward speed of each edge, length per unit of time; negative for outwards.
        begin: Start time; a negative one enlarges the polygon first.
        until: Time to stop at.

    Raises:
        SuppleError: The polygon crosses itself, has too many corners or no area.
    """
    if len(corners) > MOST_CORNERS:
        raise SuppleError(
            f"expected a polygon of at most {MOST_CORNERS} corners, got {len(corners)}"
        )
    return _Sweep(corners, speeds, begin).run(until)


class _Sweep:
    def __init__(self, corners: list[Point], speeds: list[float], begin: float) -> None:
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        self.near = RELATIVE_TOLERANCE * max(max(xs) - min(xs), max(ys) - min(ys), 1e-300)
        # Centred on the origin to keep precision for polygons far from it.
        self.middle = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
        corners = [(x - self.middle[0], y - self.middle[1]) for x, y in corners]
        self.speeds = speeds
        self.along: list[Point] = []
        count = len(corners)
        for k in range(count):
            (x, y), (u, v) = corners[k], corners[(k + 1) % count]
            length = math.hypot(u - x, v - y)
            if length <= self.near:
                raise SuppleError("expected a polygon with distinct corners")
            self.along.append(((u - x) / length, (v - y) / length))
        if _area(corners) <= self.near**2:
            raise SuppleError("expected a polygon with an area, whose edges do not cross")
        self.outwards = sum(speeds) < 0
        self.now = begin
        self.nodes: list[Node] = []
        self.same: list[int] = []  # union-find parent of each node
        self.lines: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        loop = []
        for k, (x, y) in enumerate(corners):
            before = k - 1 if k else count - 1
            dx, dy, spike = self._velocity(before, k)
            if spike:
                raise SuppleError("expected a polygon whose edges do not lie on each other")
            position = (x + dx * begin, y + dy * begin)
            loop.append(_Corner(*position, begin, dx, dy, self._node(position), before, k, False))
        self.loops: list[list[_Corner]] = [loop]
        self.first = [corner.at(begin) for corner in loop]
        self.rest: list[list[int]] = []

    # Corners and face boundaries ------------------------------------------------------------------

    def _velocity(self, a: int, b: int) -> tuple[float, float, bool]:
        """Velocity of the corner between two edges, and True if the edges form a spike."""
        (ax, ay), (bx, by) = self.along[a], self.along[b]
        cross, dot = ax * by - ay * bx, ax * bx + ay * by
        p, q = self.speeds[a], self.speeds[b]
        if dot < 0.0 and abs(cross) <= PARALLEL_SINE:
            return 0.0, 0.0, True
        # n_a = (-ay, ax), n_b = (-by, bx): n_a . v = p, n_b . v = q. The first term moves both
        # edges at p, which avoids cancellation for nearly parallel edges; the second adds q - p to b.
        scale = p / (1.0 + dot) if dot > 0.0 else p * (1.0 - dot) / cross**2
        x, y = -(ay + by) * scale, (ax + bx) * scale
        if p == q:
            return x, y, False
        if abs(cross) <= RELATIVE_TOLERANCE:
            raise SuppleError("adjacent collinear edges must have the same speed")
        return x - ax * (q - p) / cross, y - ay * (q - p) / cross, False

    def _corner(self, position: Point, node: int, before: int, after: int) -> _Corner:
        dx, dy, spike = self._velocity(before, after)
        if spike and self.outwards:
            raise SuppleError("the enlarged polygon would overlap itself")
        return _Corner(*position, self.now, dx, dy, node, before, after, spike)

    def _node(self, position: Point) -> int:
        self.nodes.append((*position, self.now))
        self.same.append(len(self.same))
        return len(self.nodes) - 1

    def _meet(self, *corners: _Corner) -> tuple[Point, int]:
        """End the paths of corners in one node and record them as boundaries of their faces."""
        positions = [corner.at(self.now) for corner in corners]
        position = (
            sum(x for x, _ in positions) / len(positions),
            sum(y for _, y in positions) / len(positions),
        )
        node = self._node(position)
        for corner in corners:
            self._line(corner.before, corner.node, node)
            self._line(corner.after, node, corner.node)
        return position, node

    def _line(self, edge: int, start: int, end: int) -> None:
        """Record a segment of the boundary of an edge's face, counterclockwise."""
        self.lines[edge].append((start, end))

    def _close(self, loop: list[_Corner]) -> list[int]:
        """End a loop: the rest of its edges closes their faces."""
        nodes = [self._meet(corner)[1] for corner in loop]
        for k, corner in enumerate(loop):
            self._line(corner.after, nodes[(k + 1) % len(nodes)], nodes[k])
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
                kept = self._without_spikes(new)
                if len(kept) < 3 or abs(_area([c.at(self.now) for c in kept])) <= self._thin(kept):
                    self._close(kept)
                else:
                    self.loops.append(kept)
        else:
            raise SuppleError("expected a polygon whose edges do not cross")
        return self._finished()

    def _thin(self, loop: list[_Corner]) -> float:
        positions = [corner.at(self.now) for corner in loop]
        xs, ys = [x for x, _ in positions], [y for _, y in positions]
        return 16 * self.near * (max(xs) - min(xs) + max(ys) - min(ys) + self.near)

    def _next(self) -> tuple[float, list[_Corner] | None, int, int]:
        """The next event: (time, loop, corner, edge that the corner hits or -1 if its edge vanishes)."""
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
                    if time < best[0]:
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
        """The first edge that a corner hits, if that is earlier than the best event so far."""
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
            if time >= best[0]:
                continue
            end = loop[(j + 1) % len(loop)]
            (cx, cy), (sx, sy), (ex, ey) = corner.at(time), start.at(time), end.at(time)
            from_start = ux * (cx - sx) + uy * (cy - sy)
            to_end = ux * (ex - cx) + uy * (ey - cy)
            if from_start >= -self.near and to_end >= -self.near:
                best = (time, loop, k, j)
        return best

    def _without(self, loop: list[_Corner], k: int) -> list[_Corner]:
        """The loop after the edge behind corner k has vanished (edge event)."""
        count = len(loop)
        if count <= 3:
            self._close(loop)
            return []
        a, b = loop[k], loop[(k + 1) % count]
        position, node = self._meet(a, b)
        rest = [loop[(k + 2 + i) % count] for i in range(count - 2)]
        return [*rest, self._corner(position, node, a.before, b.after)]

    def _parted(self, loop: list[_Corner], k: int, j: int) -> list[list[_Corner]]:
        """The two loops after corner k has hit the edge behind corner j (split event)."""
        count = len(loop)
        corner, edge = loop[k], loop[j].after
        position, node = self._meet(corner)
        one = [loop[(k + 1 + i) % count] for i in range((j - k - 1) % count + 1)]
        other = [loop[(j + 1 + i) % count] for i in range((k - j - 1) % count)]
        return [
            [self._corner(position, node, edge, corner.after), *one],
            [self._corner(position, node, corner.before, edge), *other],
        ]

    def _without_spikes(self, loop: list[_Corner]) -> list[_Corner]:
        """The loop without corners whose two edges lie on each other.

        The overlap ends in a ridge: from the corner to the nearer of the other ends of the two
        edges. That end lies on the other edge and replaces the corner.
        """
        while len(loop) > 2:
            k = next((k for k, corner in enumerate(loop) if corner.spike), -1)
            if k < 0:
                break
            loop = [*loop[k:], *loop[:k]]
            tip, after, before = loop[0], loop[1], loop[-1]
            x, y = tip.at(self.now)
            one, two = (
                math.hypot(u - x, v - y) for u, v in (before.at(self.now), after.at(self.now))
            )
            ends = [before] * (one <= two + self.near) + [after] * (two <= one + self.near)
            position, node = self._meet(*ends)
            self._line(tip.before, tip.node, node)
            self._line(tip.after, node, tip.node)
            first, last = ends[0].before, ends[-1].after
            if ends[0] is after:
                first = tip.before
            if ends[-1] is before:
                last = tip.after
            kept = [corner for corner in loop[1:] if corner not in ends]
            loop = [self._corner(position, node, first, last), *kept]
        return loop

    # Faces ----------------------------------------------------------------------------------------

    def _finished(self) -> Swept:
        """The result, with coinciding nodes merged."""
        for lines in self.lines:
            for start, end in lines:
                (x, y, t), (u, v, w) = self.nodes[start], self.nodes[end]
                if abs(u - x) + abs(v - y) + abs(w - t) <= 8 * self.near:
                    self._join(start, end)
        faces = [self._face(k) for k in range(len(self.along))]
        rest = [_trimmed([self._one(k) for k in loop]) for loop in self.rest]
        self._check(faces, rest)
        x, y = self.middle
        nodes = [(u + x, v + y, time) for u, v, time in self.nodes]
        return Swept(nodes, faces, rest)

    def _one(self, node: int) -> int:
        """The representative of a node."""
        while self.same[node] != node:
            node = self.same[node]
        return node

    def _join(self, a: int, b: int) -> None:
        a, b = sorted((self._one(a), self._one(b)))
        if b >= len(self.along):  # never merge two corners of the polygon itself
            self.same[b] = a

    def _face(self, edge: int) -> list[int]:
        """The corners of an edge's face: its own edge, then its boundary as one walk."""
        a, b = edge, (edge + 1) % len(self.along)
        segments: dict[int, list[int]] = {}
        for start, end in self.lines[edge]:
            p, q = self._one(start), self._one(end)
            if p == q:
                continue
            if p in segments.get(q, ()):  # the same segment in both directions encloses nothing
                segments[q].remove(p)
            else:
                segments.setdefault(p, []).append(q)
        if not any(segments.values()):
            return []
        # An Eulerian walk over all segments (Hierholzer): a face that touches itself repeats a node.
        walk, stack = [], [b]
        while stack:
            out = segments.get(stack[-1])
            if out:
                stack.append(out.pop())
            else:
                walk.append(stack.pop())
        walk.reverse()
        if walk[0] != b or walk[-1] != a:
            return []
        return _trimmed([a, *walk[:-1]])

    def _check(self, faces: list[list[int]], rest: list[list[int]]) -> None:
        """Check that the faces and the remaining polygons cover the polygon exactly."""
        flat = [(x, y) for x, y, _ in self.nodes]
        covered = sum(_area([flat[k] for k in face]) for face in faces)
        left = sum(_area([flat[k] for k in loop]) for loop in rest)
        whole = _area(self.first)
        if abs(covered + left - whole) > 1e-6 * max(abs(whole), abs(left)):
            raise SuppleError("expected a polygon whose edges do not cross")


def _trimmed(loop: list[int]) -> list[int]:
    """A loop without repeated consecutive nodes."""
    return [k for i, k in enumerate(loop) if k != loop[i - 1]]


def _area(positions: list[Point]) -> float:
    total = 0.0
    for (x, y), (u, v) in zip(positions, positions[1:] + positions[:1], strict=True):
        total += x * v - y * u
    return total / 2
