"""Pairs of solids that may touch: `contacts_of` lists them, for all of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.bodies.close_pairs import Table, axes_between, tabulate
from supple.bodies.convex import Convex
from supple.bodies.distances import Packed, gaps_of, packed
from supple.bodies.solids import Solid, solids_of
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose, Skeleton

Floats = NDArray[np.float64]

WORLD = -1  # in place of a joint: fixed to the world


@dataclass(frozen=True)
class PairRules:
    """Which pairs of bones are checked, and how. No measurement is recorded for any of these numbers.

    Attributes:
        poses: Sampled poses in which pairs are looked at.
        always: Pairs that touch in at least this part of the poses, or of their table, are left out.
        joints_between: Given capsules with at most so many joints between their bones are left out if they touch at
            rest.
        often: Bones whose capsules touch in more than this part of the poses have a table, if they can.
        clear: Pairs of a table whose gap stays this part of its range beyond the margin are left out.
    """

    poses: int = 64
    always: float = 0.95
    joints_between: int = 2
    often: float = 0.05
    clear: float = 0.1


RULES = PairRules()


class Deepest(NamedTuple):
    """The pair with the smallest gap in a pose."""

    a: str  # a joint
    b: str  # another
    gap: float  # negative where they overlap, in model units


@dataclass(frozen=True, eq=False)
class Contacts:
    """The parts of a skeleton that may touch, and their gaps.

    Attributes:
        skeleton: The skeleton.
        solids: The collision shapes of its bones.
        pairs: Two solids each that may touch and are not in a table.
        tables: Gaps of bones whose relative pose depends on one or two coordinates.
    """

    skeleton: Skeleton
    solids: tuple[Solid, ...]
    pairs: tuple[tuple[int, int], ...]
    tables: tuple[Table, ...]

    @cached_property
    def _packed(self) -> Packed:
        return packed(self.solids)

    @cached_property
    def joints(self) -> NDArray[np.int64]:
        """The joints of all pairs and then of all tables, shape (N, 2)."""
        direct = [(self.solids[i].joint, self.solids[j].joint) for i, j in self.pairs]
        return np.array([*direct, *(table.joints for table in self.tables)], np.int64).reshape(
            -1, 2
        )

    def gaps(self, poses: Pose, *, reach: float = np.inf) -> Floats:
        """The gaps of all pairs and then of all tables in poses (...), shape (..., N).

        Args:
            poses: Poses.
            reach: Gaps above this may be reported smaller, but never below it. A smaller value is faster.
        """
        direct = gaps_of(poses, self._packed, self.pairs, reach=reach)
        read = [table.read(poses.coordinates) for table in self.tables]
        return np.concatenate([direct, *(one[..., None] for one in read)], axis=-1)

    def deepest(self, pose: Pose) -> Deepest | None:
        """The pair that overlaps most in a pose, None if no pair overlaps."""
        gaps = self.gaps(pose, reach=0.0)
        if not len(gaps) or not gaps.min() < 0.0:
            return None
        k = int(np.argmin(gaps))
        a, b = (self.skeleton.joint_names[j] for j in self.joints[k])
        return Deepest(a, b, float(gaps[k]))


def contacts_of(
    skeleton: Skeleton, capsules: Mapping[str, Sequence[Capsule]] | None = None
) -> Contacts:
    """The parts of a skeleton that may touch: one rule for solving, checking and retargeting.

    Left out are solids of one rigid body, or of a body and its parent; pairs that the model excludes, or whose geoms
    do not collide by their contact bits, as in MuJoCo; and pairs that touch in (almost) all of a sample of poses
    spread over the limits. Capsules alone only approximate a bone: those with few joints between them that touch at
    rest are left out, too.

    Geoms of two bones whose relative pose depends on one or two coordinates, and whose capsules touch in many poses,
    get a table (`supple.bodies.close_pairs`).

    Args:
        skeleton: The skeleton.
        capsules: By joint, instead of its own shapes.
    """
    if capsules is None:
        return _contacts(skeleton, None)
    return _contacts(skeleton, tuple((name, tuple(some)) for name, some in capsules.items()))


@lru_cache(maxsize=16)
def _contacts(
    skeleton: Skeleton, capsules: tuple[tuple[str, tuple[Capsule, ...]], ...] | None
) -> Contacts:
    solids = solids_of(skeleton, None if capsules is None else dict(capsules))
    pairs = _may_touch(skeleton, solids)
    if not pairs:
        return Contacts(skeleton, solids, (), ())
    poses = Pose.stack([skeleton.rest, *_spread(skeleton)])
    shapes = packed(solids)
    bare = packed([Solid(one.joint, one.capsule) for one in solids])
    rough = gaps_of(poses, bare, pairs) <= 0.0
    touching = gaps_of(poses, shapes, pairs, reach=0.0) <= 0.0
    tree = _Tree(skeleton)
    direct: list[tuple[int, int]] = []
    close: dict[tuple[int, int], list[tuple[Convex, Convex]]] = {}
    for k, (i, j) in enumerate(pairs):
        one, other = solids[i], solids[j]
        joints = one.joint, other.joint
        if touching[:, k].mean() >= RULES.always:
            continue
        if one.geom is None or other.geom is None:
            if not touching[0, k] or tree.apart(*joints) > RULES.joints_between:
                direct.append((i, j))
        elif rough[:, k].mean() > RULES.often and axes_between(skeleton, *joints):
            close.setdefault(joints, []).append((one.shape, other.shape))
        else:
            direct.append((i, j))
    tables = tuple(tabulate(skeleton, joints, shapes) for joints, shapes in close.items())
    return Contacts(skeleton, solids, tuple(direct), tables)


def carriers(skeleton: Skeleton, moving: Iterable[int]) -> list[int]:
    """For every joint the nearest moving joint at or above it, WORLD if there is none."""
    chosen, found = set(moving), []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found.append(joint if joint in chosen else found[parent] if parent >= 0 else WORLD)
    return found


class _Tree:
    """Rigid bodies of a skeleton, each by the joint that moves it, and their parent bodies.

    If several joints follow each other at the same position and only the last carries anything, they move one body,
    as in MJCF: only the last is a body.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        moving = np.flatnonzero(skeleton.freedom_table.joints.moves).tolist()
        self.body = carriers(skeleton, moving)
        empty = self._steps(skeleton)
        self.above: dict[int, int] = {}
        for b in moving:
            parent = int(skeleton.parents[b])
            up = self.body[parent] if parent >= 0 else WORLD
            while up in empty:
                parent = int(skeleton.parents[up])
                up = self.body[parent] if parent >= 0 else WORLD
            self.above[b] = up

    def _steps(self, skeleton: Skeleton) -> set[int]:
        """Joints that carry nothing but one joint at the same position."""
        carrying = {geom.joint for geom in skeleton.geoms} | {*(skeleton.masses or {})}
        carrying |= {tip.joint for tip in skeleton.tips}
        given = skeleton.physics.capsules if skeleton.physics else None
        carrying |= {*(given or {})}
        children: dict[int, list[int]] = {}
        for joint, parent in enumerate(skeleton.parents.tolist()):
            children.setdefault(parent, []).append(joint)
        return {
            joint
            for joint, name in enumerate(skeleton.joint_names)
            if name not in carrying
            and len(below := children.get(joint, [])) == 1
            and not skeleton.offsets[below[0]].any()
        }

    def are_neighbours(self, p: int, q: int) -> bool:
        """True if joints belong to one rigid body, or to a body and its parent."""
        a, b = self.body[p], self.body[q]
        return a == b or self.above.get(a) == b or self.above.get(b) == a

    def apart(self, p: int, q: int) -> int:
        """The number of steps up and down the tree from one body to another."""
        chains = []
        for joint in (p, q):
            chain, b = [], self.body[joint]
            while b != WORLD:
                chain.append(b)
                b = self.above[b]
            chains.append([*chain, WORLD])
        common = next(b for b in chains[0] if b in chains[1])
        return chains[0].index(common) + chains[1].index(common)


def _may_touch(skeleton: Skeleton, solids: Sequence[Solid]) -> list[tuple[int, int]]:
    """The pairs of solids whose collision the model does not exclude."""
    tree = _Tree(skeleton)
    excluded = {
        frozenset(tree.body[skeleton.index(name)] for name in pair)
        for pair in (skeleton.physics.excludes if skeleton.physics else ())
    }
    pairs = []
    for j, other in enumerate(solids):
        for i, one in enumerate(solids[:j]):
            if tree.are_neighbours(one.joint, other.joint):
                continue
            if frozenset((tree.body[one.joint], tree.body[other.joint])) in excluded:
                continue
            if one.geom is None or other.geom is None or one.geom.touches(other.geom):
                pairs.append((i, j))
    return pairs


def _spread(skeleton: Skeleton) -> Pose:
    """A deterministic sample of poses over the limits."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi, np.pi, (RULES.poses, len(skeleton.freedoms)))
    q = np.array(Pose.from_angles(skeleton, angles).clamped().coordinates)
    rows = skeleton.freedom_table.rows
    rows = rows.take(rows.is_scalar & np.isfinite(rows.low) & np.isfinite(rows.high))
    for coordinate, low, high in zip(rows.coordinate, rows.low, rows.high, strict=True):
        q[:, coordinate] = rng.uniform(low, high, RULES.poses)
    return Pose(skeleton, q)
