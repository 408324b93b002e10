"""`Avoid` and `Balance` as solvers take them: points on bones, capsules, pairs, obstacles, soles."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.bodies.close_pairs import Table
from supple.bodies.convex import Convex
from supple.bodies.obstacles import Box, Plane
from supple.bodies.pairs import RULES, WORLD, carriers, contacts_of
from supple.bodies.solids import Solid
from supple.errors import SuppleError, one_of
from supple.model.capsules import Capsule, enclosing
from supple.model.skeleton import Skeleton
from supple.rotations import between, rotate

SMALLEST_RADIUS_PART = 1e-9  # radius of a point [parts of the extent of its shape]

Obstacle = Plane | Box | Capsule


@dataclass
class Bodies:
    """The tables of `Avoid` and `Balance` that kernels need.

    Attributes:
        points: (joint or WORLD, position in its frame, mass).
        capsules: (point, point, radius, half length, index of its hull or -1).
        hulls: Shapes inside capsules, relative to the first end of the capsule: (points, radius).
        pairs: (capsule, capsule or -1 - obstacle).
        names: The names of both bones of each pair and then of each table.
        obstacles: Planes and boxes, rows of OBSTACLE_FLOATS.
        soles: Indices of points.
        tables: Gaps of close pairs.
        margin: Margin of `Avoid` [model units].
        balance: Margin of `Balance` [model units].
        up: Unit vector away from the ground.
    """

    points: list[tuple[int, Any, float]] = field(default_factory=list)
    capsules: list[tuple[int, int, float, float, int]] = field(default_factory=list)
    hulls: list[tuple[np.ndarray, float]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    obstacles: list[tuple[float, ...]] = field(default_factory=list)
    soles: list[int] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    margin: float = 0.0
    balance: float = 0.0
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def point(self, joint: int, position: Any, mass: float = 0.0) -> int:
        """Add a point; returns its index."""
        self.points.append((joint, tuple(map(float, position)), mass))
        return len(self.points) - 1

    def capsule(self, joint: int, one: Capsule, hull: int = -1) -> int:
        """Add a capsule; returns its index."""
        a = self.point(joint, one.a)
        b = a if one.a == one.b else self.point(joint, one.b)
        self.capsules.append((a, b, one.radius, one.length / 2, hull))
        return len(self.capsules) - 1

    def solid(self, one: Solid) -> int:
        """Add a solid; returns the index of its capsule."""
        if one.hull is None:
            return self.capsule(one.joint, one.capsule)
        self.hulls.append((one.hull.points - np.array(one.capsule.a), one.hull.radius))
        return self.capsule(one.joint, one.capsule, len(self.hulls) - 1)

    def obstacle(self, one: Plane | Box) -> int:
        """Add a plane or a box; returns its code in a pair."""
        if isinstance(one, Plane):
            rotation = between((0.0, 0.0, 1.0), one.normal)
            row = (*one.point, *rotation.tolist(), 0.0, 0.0, 0.0)
        else:
            row = (*one.center, *one.rotation, *(0.5 * x for x in one.size))
        self.obstacles.append(row)
        return -len(self.obstacles)

    def packed_capsules(self) -> tuple[list[Any], list[Any], np.ndarray]:
        """Capsules as kernels take them: ints and floats of each, and the points of all hulls, shape (V, 3)."""
        counts = [len(points) for points, _ in self.hulls]
        first = np.concatenate([[0], np.cumsum(counts)]).tolist()
        ints, floats = [], []
        for a, b, radius, half, hull in self.capsules:
            inside = (0, 0) if hull < 0 else (first[hull], counts[hull])
            ints.append((a, b, *inside))
            floats.append((radius, half, radius if hull < 0 else self.hulls[hull][1]))
        return ints, floats, np.concatenate([np.zeros((0, 3)), *(some for some, _ in self.hulls)])


def keep_apart(
    bodies: Bodies,
    skeleton: Skeleton,
    moving: NDArray[np.int64],
    *,
    margin: float,
    pairs: Sequence[tuple[str, str]] | None = None,
    obstacles: Sequence[Obstacle] = (),
    capsules: Mapping[str, Sequence[Capsule]] | None = None,
) -> None:
    """Add pairs of bones, and of bones and obstacles, that keep apart.

    Args:
        bodies: The tables to add them to.
        skeleton: The skeleton.
        moving: The joints that may move: pairs that none of them moves are left out.
        margin: The least distance [model units].
        pairs: Joints whose capsules are kept apart; None for all that may touch (`supple.bodies.pairs`).
        obstacles: Planes, boxes and capsules in the world.
        capsules: By joint, instead of the skeleton's.
    """
    bodies.margin = margin
    contacts = contacts_of(skeleton, capsules)
    solids = contacts.solids
    if not solids:
        raise SuppleError("Avoid: expected a model with capsules, got one without any bone")
    chosen = contacts.pairs if pairs is None else _named(skeleton, solids, pairs)
    carrier = carriers(skeleton, moving.tolist())
    numbers: dict[int, int] = {}

    def number(k: int) -> int:
        if k not in numbers:
            numbers[k] = bodies.solid(solids[k])
        return numbers[k]

    parts: dict[int, list[int]] = {}

    def corners(k: int) -> list[int]:
        if k not in parts:
            parts[k] = [bodies.solid(one) for one in _corners(solids[k])]
        return parts[k]

    names = skeleton.joint_names
    for i, j in chosen:
        p, q = solids[i].joint, solids[j].joint
        if carrier[p] != carrier[q]:
            bodies.pairs.append((number(i), number(j)))
            bodies.names.append((names[p], names[q]))
    for n, obstacle in enumerate(obstacles):
        what = f"obstacle {n} ({type(obstacle).__name__})"
        row = 0 if isinstance(obstacle, Capsule) else bodies.obstacle(obstacle)
        other = -1  # the obstacle as a solid, once it is needed
        for k, solid in enumerate(solids):
            if carrier[solid.joint] == WORLD:
                continue
            if isinstance(obstacle, Plane):
                met = [(own, row) for own in corners(k)]
            elif isinstance(obstacle, Box) and solid.hull is None:
                met = [(number(k), row)]
            else:
                other = bodies.solid(_in_world(obstacle)) if other < 0 else other
                met = [(number(k), other)]
            for pair in met:
                bodies.pairs.append(pair)
                bodies.names.append((names[solid.joint], what))
    if pairs is None:
        moved = set(moving.tolist())
        for table in contacts.tables:
            kept = _keep(table, margin)
            if kept is not None and moved & {axis.joint for axis in table.axes}:
                bodies.tables.append(kept)
                bodies.names.append((names[table.joints[0]], names[table.joints[1]]))


def _keep(table: Table, margin: float) -> Table | None:
    """A table as kernels take it, None if its bones always keep apart or (almost) never can.

    Two bones keep the margin, or half their greatest gap if that is less. Kernels compare with the margin itself, so
    the difference is added to the gaps.
    """
    own = min(margin, 0.5 * float(table.gaps.max()))
    if (
        table.gaps.min() > own + RULES.clear * np.ptp(table.gaps)
        or (table.gaps < own).mean() >= RULES.always
    ):
        return None
    return replace(table, gaps=table.gaps + (margin - own))


def _in_world(obstacle: Box | Capsule) -> Solid:
    """An obstacle as a solid fixed to the world."""
    if isinstance(obstacle, Capsule):
        return Solid(WORLD, obstacle)
    ends = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    corners = obstacle.center + rotate(obstacle.rotation, ends * obstacle.size)
    return Solid(WORLD, enclosing(corners), hull=Convex(corners))


@lru_cache(maxsize=1024)
def _corners(solid: Solid) -> tuple[Solid, ...]:
    """Parts of a solid that may each touch a plane: a solid that lies on a plane touches it at several points.

    The ends of a capsule as spheres; for a hull its points in each octant about its middle.
    """
    joint, shape = solid.joint, solid.shape
    if solid.hull is None:
        radius = solid.capsule.radius
        ends = np.unique(shape.points, axis=0)
        return tuple(Solid(joint, Capsule(end, end, radius)) for end in ends)
    octant = (shape.points > shape.middle) @ (1, 2, 4)
    found = []
    for k in np.unique(octant):
        part = Convex(shape.points[octant == k], shape.radius)
        radius = max(part.extent + part.radius, SMALLEST_RADIUS_PART * shape.extent)
        found.append(Solid(joint, Capsule(part.middle, part.middle, radius), solid.geom, part))
    return tuple(found)


def _named(
    skeleton: Skeleton, solids: Sequence[Solid], pairs: Sequence[tuple[str, str]]
) -> list[tuple[int, int]]:
    found = []
    for pair in pairs:
        a, b = (skeleton.index(one_of("joint of a pair", x, skeleton.joint_names)) for x in pair)
        some = [
            (i, j)
            for i, one in enumerate(solids)
            for j, other in enumerate(solids)
            if (one.joint, other.joint) == (a, b)
        ]
        if not some:
            raise SuppleError(f"pairs of Avoid: {pair[0]!r} or {pair[1]!r} has no capsule")
        found += some
    return found
