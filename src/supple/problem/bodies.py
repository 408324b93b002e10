"""Lowering of `Avoid` and `Balance`: points on bones, capsules, pairs, obstacles, masses and soles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, one_of
from supple.goals.avoid import Avoid, Box
from supple.goals.balance import Balance
from supple.kernels import layout as at
from supple.model.capsules import Capsule
from supple.model.effector import find_effector
from supple.model.geoms import Geom
from supple.model.skeleton import Pose, Skeleton
from supple.problem.close_pairs import Table, tabulate
from supple.rotations import between, rotate

Floats = NDArray[np.float64]

SAMPLES = 64  # poses in which pairs are looked at
ALWAYS = 0.95  # of these: pairs that touch in as many are left out
NEVER = (
    0.1  # of what its gap varies by: a close pair that keeps as far beyond the margin is left out
)
CLOSE = 2  # joints between bones that are left out if they touch at rest
SOLE = 0.15  # of a foot's height from its lowest point up: its sole
CORNERS = 12  # points of a sole, at most
WORLD = -1


@dataclass
class Bodies:
    """What kernels need of `Avoid` and `Balance`.

    Attributes:
        points: (joint or WORLD, place in its frame, mass).
        capsules: (point, point, radius, half length).
        pairs: (capsule, capsule or -1 - obstacle).
        names: Of each pair and then of each table, whose it is.
        obstacles: Rows of OBSTACLE_FLOATS.
        soles: Points.
        tables: Gaps of close pairs.
        margin: Of `Avoid`.
        balance: Margin of `Balance`.
        up: Unit vector.
    """

    points: list[tuple[int, Any, float]] = field(default_factory=list)
    capsules: list[tuple[int, int, float, float]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    obstacles: list[tuple[float, ...]] = field(default_factory=list)
    soles: list[int] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    margin: float = 0.0
    balance: float = 0.0
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def point(self, joint: int, place: Any, mass: float = 0.0) -> int:
        """Add a point; returns its number."""
        self.points.append((joint, tuple(map(float, place)), mass))
        return len(self.points) - 1

    def capsule(self, joint: int, one: Capsule) -> int:
        """Add a capsule; returns its number."""
        a = self.point(joint, one.a)
        b = a if one.a == one.b else self.point(joint, one.b)
        self.capsules.append((a, b, one.radius, one.length / 2))
        return len(self.capsules) - 1


def lower_bodies(skeleton: Skeleton, goals: Iterable[Any], moving: NDArray[np.int64]) -> Bodies:
    """The bodies of the goals, as far as the moving joints move them."""
    bodies, seen = Bodies(), set()
    for goal in goals:
        if not isinstance(goal, (Avoid, Balance)):
            continue
        if type(goal) in seen:
            raise SuppleError(f"goals: expected at most one {type(goal).__name__}, got two")
        seen.add(type(goal))
        if isinstance(goal, Avoid):
            _avoid(bodies, skeleton, goal, moving)
        else:
            _balance(bodies, skeleton, goal)
    return bodies


# Avoid --------------------------------------------------------------------------------------------


def _carriers(skeleton: Skeleton, moving: Iterable[int]) -> list[int]:
    """For every joint the nearest of some joints at or above it, WORLD if there is none."""
    chosen, found = set(moving), []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found.append(joint if joint in chosen else found[parent] if parent >= 0 else WORLD)
    return found


def _avoid(bodies: Bodies, skeleton: Skeleton, goal: Avoid, moving: NDArray[np.int64]) -> None:
    bodies.margin = goal.margin
    given = dict(goal.capsules) if goal.capsules is not None else skeleton.capsules
    for name in given:
        one_of("joint of a capsule", name, skeleton.joint_names)
    solid = tuple((skeleton.index(name), one) for name, some in given.items() for one in some)
    if not solid:
        raise SuppleError("Avoid: expected a model with capsules, got one without any bone")
    pairs = self_pairs(skeleton, solid) if goal.pairs is None else _named(skeleton, solid, goal)
    carrier = _carriers(skeleton, moving.tolist())
    numbers: dict[int, int] = {}

    def number(k: int) -> int:
        if k not in numbers:
            numbers[k] = bodies.capsule(*solid[k])
        return numbers[k]

    names = skeleton.joint_names
    for i, j in pairs:
        if carrier[solid[i][0]] != carrier[solid[j][0]]:
            bodies.pairs.append((number(i), number(j)))
            bodies.names.append((names[solid[i][0]], names[solid[j][0]]))
    for n, obstacle in enumerate(goal.obstacles):
        what = f"obstacle {n} ({type(obstacle).__name__})"
        for k, (joint, one) in enumerate(solid):
            if carrier[joint] != WORLD:
                for pair in _against(bodies, obstacle, number(k), one, joint):
                    bodies.pairs.append(pair)
                    bodies.names.append((names[joint], what))
    own = skeleton.physics is not None and skeleton.physics.capsules is not None
    if goal.pairs is None and goal.capsules is None and not own:
        moved = set(moving.tolist())
        for table in tabulate(skeleton, close_pairs(skeleton, solid)):
            kept = _keep(table, goal.margin)
            if kept is not None and moved & {axis.joint for axis in table.axes}:
                bodies.tables.append(kept)
                bodies.names.append((names[table.joints[0]], names[table.joints[1]]))


def _keep(table: Table, margin: float) -> Table | None:
    """A table as kernels take it, None if its bones always keep apart or (almost) never can.

    Two bones keep the margin, or half the most that they can be apart if that is less: what kernels
    compare with the margin is the gap and what is left of the margin.
    """
    own = min(margin, 0.5 * float(table.gaps.max()))
    if table.gaps.min() > own + NEVER * np.ptp(table.gaps) or (table.gaps < own).mean() >= ALWAYS:
        return None
    return replace(table, gaps=table.gaps + (margin - own))


def _against(
    bodies: Bodies, obstacle: Any, number: int, one: Capsule, joint: int
) -> list[tuple[int, int]]:
    """The pairs of a capsule with an obstacle, which is added."""
    if isinstance(obstacle, Capsule):
        return [(number, bodies.capsule(WORLD, obstacle))]
    if isinstance(obstacle, Box):
        row = (*obstacle.center, *obstacle.rotation, *(0.5 * x for x in obstacle.size))
        return [(number, _obstacle(bodies, row))]
    turn = between((0.0, 0.0, 1.0), obstacle.normal)
    plane = _obstacle(bodies, (*obstacle.point, *turn.tolist(), 0.0, 0.0, 0.0))
    # Both ends of a capsule that lies on a plane count, each as a sphere.
    ends = {one.a, one.b}
    spheres = [bodies.capsule(joint, Capsule(end, end, one.radius)) for end in sorted(ends)]
    return [(sphere, plane) for sphere in spheres]


def _obstacle(bodies: Bodies, row: tuple[float, ...]) -> int:
    if row not in bodies.obstacles:
        bodies.obstacles.append(row)
    return -1 - bodies.obstacles.index(row)


def _named(
    skeleton: Skeleton, solid: Sequence[tuple[int, Capsule]], goal: Avoid
) -> list[tuple[int, int]]:
    found = []
    for pair in goal.pairs:
        a, b = (skeleton.index(one_of("joint of a pair", x, skeleton.joint_names)) for x in pair)
        some = [
            (i, j)
            for i, (p, _) in enumerate(solid)
            for j, (q, _) in enumerate(solid)
            if (p, q) == (a, b)
        ]
        if not some:
            raise SuppleError(f"pairs of Avoid: {pair[0]!r} or {pair[1]!r} has no capsule")
        found += some
    return found


def self_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[int, int], ...]:
    """The pairs of capsules that can touch but do not always.

    Left out: capsules of one bone or of bones that are joined rigidly, neighbours, pairs that the model
    excludes or whose geoms do not touch each other by its bits; bones with few joints between them that
    touch at rest; and pairs that touch in (almost) all of some poses spread over the limits.
    """
    return _sorted_pairs(skeleton, solid)[0]


def close_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[int, int], ...]:
    """The joints of the pairs that `self_pairs` leaves out because their capsules touch too often."""
    left = _sorted_pairs(skeleton, solid)[1]
    return tuple(dict.fromkeys((solid[i][0], solid[j][0]) for i, j in left))


@lru_cache(maxsize=16)
def _sorted_pairs(
    skeleton: Skeleton, solid: tuple[tuple[int, Capsule], ...]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The pairs of capsules that are kept apart, and those that touch too often for that."""
    ints = skeleton.packed_ints
    stiff = (ints[:, at.NDOF] == 0) & (ints[:, at.MIMIC] < 0)
    bone = _carriers(skeleton, np.flatnonzero(~stiff).tolist())
    above = [
        bone[int(skeleton.parents[b])] if b >= 0 and skeleton.parents[b] >= 0 else WORLD
        for b in bone
    ]
    excluded = {
        frozenset((bone[skeleton.index(a)], bone[skeleton.index(b)]))
        for a, b in (skeleton.physics.excludes if skeleton.physics else ())
    }
    masks = _masks(skeleton, bone)
    pairs = []
    for i, (p, _) in enumerate(solid):
        for j in range(i):
            q = solid[j][0]
            near = bone[p] == bone[q] or above[p] == bone[q] or above[q] == bone[p]
            if (
                not near
                and frozenset((bone[p], bone[q])) not in excluded
                and masks(bone[p], bone[q])
            ):
                pairs.append((j, i))
    if not pairs:
        return (), ()
    poses = Pose.stack([skeleton.rest, *_spread(skeleton)])
    touching = _gaps(poses, solid, pairs) <= 0.0
    often = touching.mean(axis=0) >= ALWAYS
    close = np.array([_apart(above, bone, solid[i][0], solid[j][0]) <= CLOSE for i, j in pairs])
    apart = ~often & ~(touching[0] & close)
    return tuple(
        tuple(pair for pair, on in zip(pairs, some, strict=True) if on) for some in (apart, ~apart)
    )


def _apart(above: list[int], bone: list[int], p: int, q: int) -> int:
    """How many steps up and down lead from one bone to another."""
    ways = []
    for joint in (p, q):
        way, b = [], bone[joint]
        while b != WORLD:
            way.append(b)
            b = above[b]
        ways.append([*way, WORLD])
    common = next(b for b in ways[0] if b in ways[1])
    return ways[0].index(common) + ways[1].index(common)


def _masks(skeleton: Skeleton, bone: list[int]) -> Any:
    """A test whether geoms of two bones may touch by their bits; True where bones have no geoms."""
    bits: dict[int, tuple[int, int]] = {}
    for geom in skeleton.geoms:
        if geom.collides:
            b = bone[skeleton.index(geom.joint)]
            own, other = bits.get(b, (0, 0))
            bits[b] = (own | geom.contype, other | geom.conaffinity)

    def may_touch(a: int, b: int) -> bool:
        if a not in bits or b not in bits:
            return True
        (own_a, other_a), (own_b, other_b) = bits[a], bits[b]
        return bool(own_a & other_b or own_b & other_a)

    return may_touch


def _spread(skeleton: Skeleton) -> Pose:
    """Poses spread over the limits, always the same."""
    rng = np.random.default_rng(0)
    ints, floats = skeleton.packed_ints, skeleton.packed_floats
    angles = rng.uniform(-np.pi, np.pi, (SAMPLES, len(skeleton.freedoms)))
    q = np.array(Pose.from_angles(skeleton, angles).clamped().coordinates)
    for row, numbers in zip(ints, floats, strict=True):
        kind = int(row[at.KIND])
        for i in range((kind & at.SLIDES) + (kind // at.ANGLE) % 4):
            low, high = numbers[at.LIMITS + 2 * i : at.LIMITS + 2 * i + 2]
            if np.isfinite(low) and np.isfinite(high):
                q[:, row[at.Q] + i] = rng.uniform(low, high, SAMPLES)
    return Pose(skeleton, q)


def _gaps(
    poses: Pose, solid: Sequence[tuple[int, Capsule]], pairs: Sequence[tuple[int, int]]
) -> Floats:
    """How far apart the surfaces of pairs of capsules are in poses (F,), shape (F, N)."""
    joints = [joint for joint, _ in solid]
    origins, turns = poses.positions[:, joints], poses.rotations[:, joints]
    a, b = (
        origins + rotate(turns, np.array([getattr(one, end) for _, one in solid])) for end in "ab"
    )
    radius = np.array([one.radius for _, one in solid])
    i, j = np.array(pairs).T
    return segment_distances(a[:, i], b[:, i], a[:, j], b[:, j]) - radius[i] - radius[j]


def segment_distances(a1: Floats, b1: Floats, a2: Floats, b2: Floats) -> Floats:
    """The least distances of segments a1 b1 and a2 b2, each of shape (..., 3)."""
    d1, d2, r = b1 - a1, b2 - a2, a1 - a2
    a, e, b = (d1 * d1).sum(-1), (d2 * d2).sum(-1), (d1 * d2).sum(-1)
    c, f = (d1 * r).sum(-1), (d2 * r).sum(-1)
    tiny = 1e-24
    across = a * e - b * b
    s = np.where(across > 1e-12 * a * e, (b * f - c * e) / np.maximum(across, tiny), 0.5)
    s = np.clip(s, 0.0, 1.0)
    t = np.clip((b * s + f) / np.maximum(e, tiny), 0.0, 1.0)
    s = np.clip((b * t - c) / np.maximum(a, tiny), 0.0, 1.0)
    return np.linalg.norm(a1 + s[..., None] * d1 - a2 - t[..., None] * d2, axis=-1)


# Balance ------------------------------------------------------------------------------------------


def _balance(bodies: Bodies, skeleton: Skeleton, goal: Balance) -> None:
    rest = skeleton.rest
    center = rest.center_of_mass  # says what is missing
    bodies.balance = goal.margin
    for name, mass in (skeleton.masses or {}).items():
        if mass is not None and mass.mass > 0.0:
            bodies.point(skeleton.index(name), mass.center, mass.mass)
    if goal.support is not None:
        feet = [(WORLD, np.array(goal.support))]
        middle = feet[0][1].mean(axis=0)
    else:
        effectors = [find_effector(skeleton, name) for name in goal.feet]
        middle = np.mean([rest.position(name) for name in goal.feet], axis=0)
        feet = [(one.joint, np.zeros((0, 3))) for one in effectors]
    way = center - middle
    if goal.support is not None and len(goal.support) > 2:  # square to the ground they stand on
        normal = np.linalg.svd(feet[0][1] - middle)[2][2]
        way = normal * np.sign(normal @ way)
    up = np.array(goal.up) if goal.up is not None else _upwards(way)
    bodies.up = tuple(up.tolist())
    if goal.support is None:
        feet = [sole for joint, _ in feet for sole in _soles(skeleton, joint, up)]
    outline = np.concatenate(
        [_in_world(rest, joint, places) for joint, places in feet] or [np.zeros((0, 3))]
    )
    if len(_corners(outline, up)) < 3:
        raise SuppleError(
            f"Balance: expected soles with three corners or more, got "
            f"{len(_corners(outline, up))} seen from above; give support= points, or more feet"
        )
    bodies.soles = [bodies.point(joint, place) for joint, some in feet for place in some]


def support_of(goal: Balance, pose: Pose) -> Floats:
    """The corners of what a pose stands on, in order around it, world, shape (K, 3)."""
    bodies = Bodies()
    _balance(bodies, pose.skeleton, goal)
    points = np.concatenate(
        [_in_world(pose, joint, np.array([place])) for joint, place, _ in
         (bodies.points[k] for k in bodies.soles)]
    )  # fmt: skip
    return points[_corners(points, np.array(bodies.up))]


def _upwards(way: Floats) -> Floats:
    """The axis nearest to a direction."""
    k = int(np.argmax(np.abs(way)))
    return np.eye(3)[k] * np.sign(way[k])


def _in_world(pose: Pose, joint: int, places: Floats) -> Floats:
    if joint == WORLD:
        return places
    return pose.positions[joint] + rotate(pose.rotations[joint], places)


def _soles(skeleton: Skeleton, foot: int, up: Floats) -> list[tuple[int, Floats]]:
    """By joint, points of the underside of a foot and all below it, as it is at rest."""
    below = {foot}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in below:
            below.add(joint)
    places = [
        (joint, place) for joint in sorted(below) for place in _outermost(skeleton, joint, up)
    ]
    rest = skeleton.rest
    world = np.array([_in_world(rest, joint, place[None])[0] for joint, place in places])
    heights = world @ up
    low = heights <= heights.min() + SOLE * max(float(np.ptp(heights)), 0.0)
    if not _has_shape(skeleton, below):
        low[:] = True  # joints and tips alone: all of them stand
    kept = np.flatnonzero(low)
    kept = kept[_corners(world[kept], up)]
    return [(places[k][0], places[k][1][None]) for k in kept[:: max(1, len(kept) // CORNERS)]]


def _has_shape(skeleton: Skeleton, joints: set[int]) -> bool:
    """True if some of the joints have geoms or given capsules."""
    names = {skeleton.joint_names[j] for j in joints}
    given = skeleton.physics.capsules if skeleton.physics else None
    return any(g.joint in names and g.collides for g in skeleton.geoms) or bool(
        names & set(given or ())
    )


def _outermost(skeleton: Skeleton, joint: int, up: Floats) -> list[Floats]:
    """Points of a joint's geoms, given capsules, or itself and its tips, in its frame."""
    name = skeleton.joint_names[joint]
    geoms = [g for g in skeleton.geoms if g.joint == name and g.collides and g.kind != "plane"]
    if geoms:
        return [point for geom in geoms for point in _of_geom(geom)]
    given = skeleton.physics.capsules if skeleton.physics else None
    found: list[Floats] = []
    for one in (given or {}).get(name, ()):
        found += _around(np.array(one.a), one.radius) + _around(np.array(one.b), one.radius)
    if found:
        return found
    joints, offsets, _ = skeleton.packed_tips
    return [np.zeros(3), *(o for j, o in zip(joints.tolist(), offsets, strict=True) if j == joint)]


def _around(center: Floats, radius: float) -> list[Floats]:
    """Points on a sphere, even enough for the outline of a sole."""
    angles = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
    rings = [(np.cos(angles), np.sin(angles), 0 * angles)]
    rings += [(rings[0][2], rings[0][0], rings[0][1]), (rings[0][1], rings[0][2], rings[0][0])]
    return [center + radius * p for ring in rings for p in np.stack(ring, axis=1)]


def _of_geom(geom: Geom) -> list[Floats]:
    """Points on the outside of a geom, in its joint's frame."""
    size = geom.size
    if geom.kind == "mesh":
        points = np.asarray(geom.vertices)
    elif geom.kind == "box":
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points = signs * size
    elif geom.kind == "ellipsoid":
        points = np.array(_around(np.zeros(3), 1.0)) * size
    else:
        half = size[1] if len(size) > 1 else 0.0
        ends = [np.array((0.0, 0.0, h)) for h in {-half, half}]
        if geom.kind == "cylinder":
            ring = [p for p in _around(np.zeros(3), size[0]) if abs(p[2]) < 1e-12]
            points = np.array([end + p for end in ends for p in ring])
        else:
            points = np.array([p for end in ends for p in _around(end, size[0])])
    return list(geom.to_joint(points))


def _corners(points: Floats, up: Floats) -> NDArray[np.int64]:
    """Which points are corners of the convex outline seen from above, counter-clockwise."""
    if not len(points):
        return np.zeros(0, np.int64)
    u = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    u /= np.linalg.norm(u)
    flat = np.stack([points @ u, points @ np.cross(up, u)], axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0])).tolist()
    slack = 1e-9 * max(float(np.ptp(flat)), 1e-300) ** 2

    def half(indices: Iterable[int]) -> list[int]:
        chain: list[int] = []
        for k in indices:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = flat[chain[-2]], flat[chain[-1]]
                turn = (x1 - x0) * (flat[k, 1] - y0) - (y1 - y0) * (flat[k, 0] - x0)
                if turn > slack:
                    break
                chain.pop()
            chain.append(k)
        return chain[:-1]

    return np.array(list(dict.fromkeys([*half(order), *half(order[::-1])])), np.int64)
