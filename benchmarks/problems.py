"""Random and adversarial problems of every kind: the material of the torture benchmark and of the laws.

A *family* says which joints, goals and extras its problems have, in the words of the solvers' matrix, so that every
solver that is registered meets every family that it claims. A *case* is one skeleton with its goals and a batch of
targets and starts: straight, folded, bent, outside the limits; targets in reach, out of reach, at the root, on a joint,
on the effector itself, opposite to it, on the axis of a straight chain, at exactly the chain's length.

Structure is drawn from a `random.Random`, which Hypothesis can stand in for; numbers in bulk from NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import supple
from supple import rotations as rot
from supple.kernels import layout
from supple.problem import Problem
from supple.solvers import Solver, Takes

TURNING = ("Ball", "Hinge", "Cone", "Axes")
EVERY = ("Fixed", "Hinge", "Slider", "Ball", "Cone", "Axes", "Free", "Planar")
SEVERAL = {"two", "hold", "many"}
NEEDS = {
    "position": {"position"},
    "point": {"position"},
    "joint": {"position"},
    "orientation": {"orientation"},
    "pose": {"position", "orientation"},
    "direction": {"direction"},
    "pole": {"position", "pole"},
    "rest": {"position", "rest"},
    "two": {"position"},
    "hold": {"position", "hold"},
    "many": {"position", "orientation", "direction", "hold", "rest"},
}
PLACES = (
    "reach", "near", "ball", "beyond", "far", "root", "joint", "here", "opposite", "axis", "length", "hair",
)  # fmt: skip
STARTS = ("rest", "bent", "outside", "folded", "nearly", "other")


@dataclass(frozen=True, slots=True)
class Family:
    """Problems that ask the same of a solver.

    Attributes:
        name: What it is called in tables.
        joints: Kinds of joints it draws from.
        goals: What is asked, a key of NEEDS.
        links: Least and greatest number of joints.
        extras: Of "stretch", "mimic", "locked", "depth", "scaled" (unit 1e-6 to 1e6), "zero" (bones of no length),
            "own" (poses with translations and scales of their own), "soft" (damping, stiffness), "plain" (the joints in
            the order given, along +X).
    """

    name: str
    joints: tuple[str, ...]
    goals: str = "position"
    links: tuple[int, int] = (1, 8)
    extras: frozenset[str] = frozenset()

    def suits(self, takes: Takes) -> bool:
        """Whether a row of the matrix claims it."""
        return (
            set(self.joints) - {"Fixed"} <= takes.joints
            and NEEDS[self.goals] <= takes.goals
            and (takes.several or self.goals not in SEVERAL)
            and (takes.stretch or "stretch" not in self.extras)
            and (takes.mimic or "mimic" not in self.extras)
        )


def _families() -> tuple[Family, ...]:
    usual = frozenset({"scaled", "zero", "soft"})
    plain = frozenset({"plain"})
    found = [
        Family("limb, balls", ("Ball", "Ball"), links=(2, 2), extras=plain),
        Family("limb, ball and hinge", ("Ball", "Hinge"), links=(2, 2), extras=plain),
        Family("limb, hinges", ("Hinge", "Hinge"), links=(2, 2), extras=plain),
        Family("limb with a pole", ("Ball", "Hinge"), "pole", links=(2, 2), extras=plain),
        Family("limb, scaled", ("Ball", "Hinge"), links=(2, 2), extras=plain | {"scaled", "zero"}),
        Family("limb, turned", ("Ball", "Hinge"), "pose", links=(2, 3), extras=plain),
    ]
    for kind in ("Ball", "Hinge", "Cone", "Axes"):
        found += [
            Family(f"one {kind}", (kind,), links=(1, 1), extras=frozenset({"scaled"})),
            Family(f"plain {kind}", (kind,), extras=plain),
            Family(f"{kind} chain", (kind,), extras=usual),
            Family(f"{kind} chain, turned", (kind,), "pose", extras=usual),
        ]
    for kind in ("Slider", "Free", "Planar"):
        found += [
            Family(f"one {kind}", (kind,), links=(1, 1), extras=frozenset({"scaled"})),
            Family(f"{kind} and Hinge", (kind, "Hinge"), links=(2, 6), extras=usual),
            Family(f"{kind} and Hinge, turned", (kind, "Hinge"), "pose", (2, 6), usual),
        ]
    turning = (*TURNING, "Fixed")
    found += [
        Family("plain mixed", ("Ball", "Cone"), links=(2, 12), extras=plain | {"scaled", "zero"}),
        Family("mixed", ("Ball", "Hinge", "Cone"), links=(2, 16), extras=usual),
        Family("turning", turning, links=(2, 12), extras=usual | {"locked", "depth"}),
        Family("turning, own translations", turning, extras=frozenset({"own", "locked"})),
        Family("turning, a point", turning, "point", (1, 6), usual | {"own"}),
        Family("stretch, a point", turning, "point", (1, 6), usual | {"stretch"}),
        Family("turning, a joint", turning, "joint", (2, 8), usual),
        Family("turning, oriented", turning, "orientation", (1, 8), usual),
        Family("turning, looking", turning, "direction", (1, 6), usual | {"depth"}),
        Family("turning, with a rest", turning, "rest", (2, 8), usual),
        Family("turning, with a pole", turning, "pole", (2, 8), usual),
        Family("stretch", turning, links=(1, 6), extras=usual | {"stretch"}),
        Family("stretch, turned", turning, "pose", (1, 6), usual | {"stretch", "own"}),
        Family("mimic", ("Hinge",), links=(3, 9), extras=usual | {"mimic"}),
        Family("everything", EVERY, links=(2, 10), extras=usual | {"stretch", "mimic", "depth"}),
        Family("everything, turned", EVERY, "pose", (2, 10), usual | {"stretch", "locked", "own"}),
        Family("tree, two reaches", turning, "two", (4, 14), usual | {"locked"}),
        Family("tree, hold", turning, "hold", (4, 14), usual),
        Family("tree, many goals", turning, "many", (4, 14), usual),
        Family("tree, everything", EVERY, "many", (4, 14), usual | {"stretch", "mimic", "own"}),
        Family("long", ("Ball", "Hinge", "Cone"), links=(40, 120), extras=usual),
    ]
    return tuple(found)


FAMILIES = _families()
HUGE = Family("1,000 bones", ("Ball", "Hinge", "Cone"), links=(1000, 1000), extras=frozenset({"zero"}))  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A skeleton with goals and a batch of targets and starts.

    Attributes:
        family: Where it comes from.
        skeleton: The skeleton.
        goals: The goals, their targets open.
        lock: Joints that are locked.
        targets: An array for each open target, shape (B, 3) or (B, 4).
        start: The poses to start from, batch shape (B,).
        reachable: Where the targets are known to be in reach, shape (B,).
        places: What each row's target is, by the words of PLACES.
    """

    family: Family
    skeleton: supple.Skeleton
    goals: tuple[Any, ...]
    lock: tuple[str, ...]
    targets: tuple[np.ndarray, ...]
    start: supple.Pose
    reachable: np.ndarray
    places: tuple[str, ...]

    def prepared(self, solver: Solver | str, **settings: Any) -> supple.Prepared:
        """The prepared problem; a SuppleError if the solver cannot take it."""
        return supple.prepare(self.skeleton, self.goals, solver=solver, lock=self.lock, **settings)

    @cached_property
    def problem(self) -> Problem:
        """The lowered problem, whichever solver takes it."""
        return Problem(self.skeleton, self.goals, lock=self.lock)

    def row(self, b: int) -> tuple[tuple[np.ndarray, ...], supple.Pose]:
        """The targets and the start of one row."""
        return tuple(target[b] for target in self.targets), self.start[b]

    def describe(self, b: int) -> dict[str, Any]:
        """Everything needed to solve row b again, as plain data."""
        targets, start = self.row(b)
        return {
            "skeleton": self.skeleton.to_json(),
            "goals": [repr(goal) for goal in self.goals],
            "lock": list(self.lock),
            "targets": [target.tolist() for target in targets],
            "start": start.to_json(skeleton=False),
            "place": self.places[b],
        }


# Joints and skeletons ---------------------------------------------------------------------------


def _unit(rng: Random) -> tuple[float, float, float]:
    while True:
        v = [rng.uniform(-1.0, 1.0) for _ in range(3)]
        size = math.hypot(*v)
        if 0.1 < size <= 1.0:
            return (v[0] / size, v[1] / size, v[2] / size)
        if rng.random() < 0.05:
            return (0.0, 0.0, 1.0)


def _range(rng: Random, size: float = 1.0) -> tuple[float | None, float | None] | None:
    """Limits of every sort: open, to one side, narrow, a single value, beyond half a turn, away from rest."""
    sort = rng.choice(["open", "both", "both", "low", "high", "narrow", "one", "wide", "away"])
    low, high = rng.uniform(-2.6, 0.0), rng.uniform(0.0, 2.6)
    if sort == "open":
        return None
    if sort == "both":
        return (size * low, size * high)
    if sort == "low":
        return (size * low, None)
    if sort == "high":
        return (None, size * high)
    if sort == "narrow":
        return (size * 1e-3 * low, size * 1e-3 * high)
    if sort == "one":
        return (size * high, size * high)
    if sort == "wide":
        return (size * (low - 4.0), size * (high + 4.0))
    return (size * (0.3 + high), size * (0.8 + 2.0 * high))


def draw_joint(
    rng: Random, kind: str, length: float, extras: frozenset[str] = frozenset()
) -> supple.Joint:
    """A joint of a kind with random limits, for bones of about a length."""
    common: dict[str, Any] = {}
    if "soft" in extras and rng.random() < 0.3:
        common["damping"] = rng.uniform(0.02, 1.0) * (length if kind == "Slider" else 1.0)
    if "soft" in extras and rng.random() < 0.3:
        common["stiffness"] = rng.uniform(0.0, 0.95)
    if "stretch" in extras and rng.random() < 0.5:
        common["stretch"] = (rng.uniform(0.3, 1.0), rng.uniform(1.0, 2.5))
    if kind == "Hinge":
        axis = rng.choice("xyz") if rng.random() < 0.5 else _unit(rng)
        return supple.Hinge(axis, limits=_range(rng), **common)
    if kind == "Slider":
        return supple.Slider(_unit(rng), limits=_range(rng, length), **common)
    if kind == "Cone":
        swing = rng.choice([0.0, 1e-3, math.pi, *([rng.uniform(0.1, 3.0)] * 5)])
        return supple.Cone(swing, twist=_range(rng), axis=_unit(rng), **common)
    if kind == "Axes":
        order = rng.choice(["xyz", "zyx", "yxz", "zxz", "xy", "zy", "y", "x"])
        labels = supple.Axes(order).axis_labels
        frozen = [label for label in labels if rng.random() < 0.2] if len(labels) > 1 else []
        limits = [_range(rng) for _ in labels]
        return supple.Axes(order, limits, frozen if len(frozen) < len(labels) else (), **common)
    if kind == "Planar":
        limits = [_range(rng, length), _range(rng, length), _range(rng)]
        return supple.Planar(_unit(rng), limits=limits, **common)
    return {"Ball": supple.Ball, "Free": supple.Free, "Fixed": supple.Fixed}[kind](**common)


def _plain_chain(rng: Random, family: Family, length: float) -> supple.Skeleton:
    count = rng.randint(*family.links)
    kinds = list(family.joints[:count])
    kinds += [rng.choice(family.joints) for _ in range(count - len(kinds))]
    lengths = [length * rng.uniform(0.4, 1.6) for _ in kinds]
    if "zero" in family.extras and rng.random() < 0.3:
        lengths[rng.randrange(count)] = 0.0
    limits = [rng.choice([None, (-rng.uniform(0.0, 2.6), rng.uniform(0.0, 2.6))]) for _ in kinds]
    joints = [
        supple.Hinge("z", limits=pair) if kind == "Hinge" else draw_joint(rng, kind, length)
        for kind, pair in zip(kinds, limits, strict=True)
    ]
    along = [supple.Cone(j.swing, j.twist) if isinstance(j, supple.Cone) else j for j in joints]
    return supple.chain(lengths, joint=along)


def draw_skeleton(rng: Random, family: Family) -> tuple[supple.Skeleton, float]:
    """A skeleton of a family and about how long its bones are. Its tips are "tip", "tip 1", ..."""
    length = 10.0 ** rng.uniform(-6.0, 6.0) if "scaled" in family.extras and rng.random() < 0.4 else 1.0  # fmt: skip
    if "plain" in family.extras:
        return _plain_chain(rng, family, length), length
    count = rng.randint(*family.links)
    branches = 1 if family.goals not in SEVERAL else rng.randint(2, 3)
    trunk = count if branches == 1 else rng.randint(1, max(1, count - branches))
    nodes: list[supple.Node] = []
    ends: list[str] = []
    hinges: list[str] = []

    def offset() -> tuple[float, float, float]:
        if "zero" in family.extras and rng.random() < 0.1:
            return (0.0, 0.0, 0.0)
        size = length * rng.uniform(0.3, 1.5)
        x, y, z = (1.0, 0.0, 0.0) if rng.random() < 0.5 else _unit(rng)
        return (size * x, size * y, size * z)

    def grow(parent: str | None, many: int) -> str:
        name = parent or ""
        for _ in range(many):
            k = len(nodes)
            # Every kind of the family comes once, in its order, before they are drawn.
            kind = family.joints[k] if k < len(family.joints) < 4 else rng.choice(family.joints)
            joint = draw_joint(rng, kind, length, family.extras)
            if "mimic" in family.extras and kind == "Hinge" and hinges and rng.random() < 0.3:
                copied = (rng.choice(hinges), rng.uniform(-1.5, 1.5), rng.uniform(-0.5, 0.5))
                joint = supple.Hinge(joint.axis, stretch=joint.stretch, mimic=copied)
            name = f"j{k}"
            if kind == "Hinge" and joint.mimic is None:
                hinges.append(name)
            turn = (1.0, 0.0, 0.0, 0.0)
            if rng.random() < 0.4:
                turn = tuple(rot.from_axis_angle(_unit(rng), rng.uniform(-3.0, 3.0)).tolist())
            nodes.append(supple.Node(name, parent, offset(), joint, turn))
            parent = name
        return name

    fork = grow(None, trunk)
    if branches == 1:
        ends = [fork]
    else:
        rest = max(branches, count - trunk)
        ends = [grow(fork, max(1, rest // branches)) for _ in range(branches)]
    tips = []
    for i, end in enumerate(ends):
        turn = tuple(rot.from_axis_angle(_unit(rng), rng.uniform(-3.0, 3.0)).tolist())
        turn = turn if rng.random() < 0.3 else (1.0, 0.0, 0.0, 0.0)
        tips.append(supple.Tip(f"tip {i}" if i else "tip", end, offset(), turn))
    return supple.Skeleton(nodes, tips), length


# Poses ------------------------------------------------------------------------------------------


def random_coordinates(
    skeleton: supple.Skeleton, count: int, rng: np.random.Generator, *, length: float = 1.0
) -> np.ndarray:
    """Coordinates of poses spread over the joints' whole ranges, inside their limits, shape (count, Q)."""
    ints, floats = skeleton.packed_ints, skeleton.packed_floats
    q = np.array(np.broadcast_to(skeleton.rest.coordinates, (count, len(skeleton.rest.coordinates))))  # fmt: skip
    for row, numbers in zip(ints, floats, strict=True):
        kind, at = row[layout.KIND], row[layout.Q]
        limits = numbers[layout.LIMITS : layout.LIMITS + 6].reshape(3, 2)
        if kind in (layout.BALL, layout.CONE, layout.FREE):
            turn = rng.normal(size=(count, 4))
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
            first = at + 3 if kind == layout.FREE else at
            q[:, first : first + 4] = turn
            if kind == layout.FREE:
                q[:, at : at + 3] = length * rng.normal(size=(count, 3))
        else:
            for i in range(row[layout.NQ] - (row[layout.STRETCH_Q] >= 0)):
                slides = kind == layout.SLIDER or (kind == layout.PLANAR and i < 2)
                window = length if slides else math.pi
                low, high = limits[i]
                low = max(low, min(high, window) - 2.0 * window) if math.isinf(low) else low
                high = low + 2.0 * window if math.isinf(high) else high
                q[:, at + i] = rng.uniform(low, high, count)
        if row[layout.STRETCH_Q] >= 0:
            low, high = numbers[layout.STRETCH_LO], numbers[layout.STRETCH_HI]
            q[:, row[layout.STRETCH_Q]] = rng.uniform(low, min(high, low + 2.0), count)
    return supple.Pose(skeleton, q).clamped().coordinates.copy()


def columns_of(skeleton: supple.Skeleton, joints: Sequence[int]) -> np.ndarray:
    """The places of some joints' coordinates in a pose."""
    rows = skeleton.packed_ints[np.asarray(joints, int)]
    return np.concatenate([np.arange(r[layout.Q], r[layout.Q] + r[layout.NQ]) for r in rows])


def _draw_starts(
    skeleton: supple.Skeleton, sorts: np.ndarray, rng: np.random.Generator, length: float
) -> np.ndarray:
    """Start coordinates of the sorts of STARTS, shape (B, Q)."""
    count = len(sorts)
    bent = random_coordinates(skeleton, count, rng, length=length)
    rest = np.array(skeleton.rest.coordinates)
    kinds = skeleton.packed_ints[:, layout.KIND]
    starts = np.array(np.broadcast_to(rest, bent.shape))
    for b, sort in enumerate(sorts):
        if sort in ("bent", "other"):
            starts[b] = bent[b]
        elif sort in ("outside", "folded", "nearly"):
            for j, kind in enumerate(kinds):
                at = skeleton.packed_ints[j, layout.Q]
                angle = {"outside": rng.uniform(-4, 4), "nearly": 1e-9 * rng.normal()}.get(
                    sort, math.pi * (j % 2)
                )
                if kind in (layout.BALL, layout.CONE):
                    axis = (0.0, 0.0, 1.0) if sort == "folded" else rng.normal(size=3)
                    starts[b, at : at + 4] = rot.from_axis_angle(axis, angle)
                elif kind in (layout.HINGE, layout.AXES):
                    starts[b, at] = angle
                elif kind == layout.SLIDER:
                    starts[b, at] = angle * length
    return starts


# Goals and targets ------------------------------------------------------------------------------


def _draw_goals(
    rng: Random, family: Family, skeleton: supple.Skeleton, length: float
) -> tuple[Any, ...]:
    tips, joints = skeleton.tip_names, skeleton.joint_names
    free: dict[str, Any] = {}
    if "depth" in family.extras and rng.random() < 0.5:
        free = rng.choice(
            [{"depth": rng.randint(1, 4)}, {"root": rng.choice(skeleton.path(None, tips[0])[:-1])}]
        )
    sort = family.goals
    if sort == "point":
        point = [length * c for c in _unit(rng)]
        return (supple.Reach("tip", point=point, **free),)
    if sort == "joint":
        return (supple.Reach(joints[-1], **free),)
    if sort == "orientation":
        return (supple.Reach("tip", orientation=supple.OPEN, **free),)
    if sort == "pose":
        return (supple.Reach("tip", supple.OPEN, orientation=supple.OPEN, **free),)
    if sort == "direction":
        return (supple.LookAt("tip", axis=_unit(rng), **(free or {"depth": 0})),)
    reach = supple.Reach("tip", **free)
    if sort == "pole":
        return (reach, supple.Pole(rng.choice(joints[1:])))
    if sort == "rest":
        return (reach, supple.Rest(weight=rng.uniform(0.1, 2.0)))
    if sort == "two":
        return tuple(supple.Reach(tip, weight=rng.choice([1.0, rng.uniform(0.1, 9.0)])) for tip in tips)  # fmt: skip
    if sort == "hold":
        parts = rng.choice([(True, True), (True, False), (False, True)])
        held = supple.Hold(tips[1], position=parts[0], orientation=parts[1])
        return (reach, held)
    if sort == "many":
        goals: list[Any] = [
            supple.Reach("tip", supple.OPEN, orientation=supple.OPEN, weight=rng.uniform(0.5, 2.0)),
            supple.LookAt(tips[1], axis=_unit(rng), depth=rng.randint(0, 2)),
            supple.Hold(tips[-1], orientation=rng.random() < 0.5),
            supple.Reach(tips[-1]),
            supple.Rest(),
        ]
        rng.shuffle(goals)
        return tuple(goals)
    return (reach,)


def demands_of(goals: Sequence[Any]) -> list[tuple[Any, str]]:
    """What open goals take at a call, in order: each goal with "position", "orientation", "direction" or "pole"."""
    found: list[tuple[Any, str]] = []
    for goal in goals:
        if isinstance(goal, supple.Reach):
            found += [(goal, "position")] if goal.position_target is not None else []
            found += [(goal, "orientation")] if goal.orientation_target is not None else []
        elif isinstance(goal, supple.LookAt):
            found.append((goal, "direction"))
        elif isinstance(goal, supple.Pole):
            found.append((goal, "pole"))
    return found


def effector_point(goal: Any, pose: supple.Pose) -> np.ndarray:
    """The world point of a goal's effector, shape (..., 3)."""
    point = pose.position(goal.effector)
    if isinstance(goal, supple.Reach) and goal.point is not None:
        index = pose.skeleton.index(goal.effector)
        point = point + pose.frames[..., index, :3, :3] @ goal.point
    return point


def _draw_targets(
    goals: Sequence[Any],
    places: Sequence[str],
    start: supple.Pose,
    inside: supple.Pose,
    near: supple.Pose,
    rng: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """An array for each open target: `inside` and `near` are poses that meet the targets of those places."""
    count = len(places)
    found: list[np.ndarray] = []
    for goal, kind in demands_of(goals):
        if kind == "orientation":
            turn = rng.normal(size=(count, 4))
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
            here = start.rotation(goal.effector)
            for b, place in enumerate(places):
                if place in ("reach", "near"):
                    turn[b] = (inside if place == "reach" else near).rotation(goal.effector)[b]
                elif place == "here":
                    turn[b] = here[b]
                elif place == "opposite":
                    axis = rng.normal(size=3)
                    turn[b] = rot.multiply(rot.from_axis_angle(axis, math.pi), here[b])
            found.append(turn)
            continue
        name = goal.joint if kind == "pole" else goal.effector
        way = start.skeleton.path(None, name)
        hands = [
            pose.position(name) if kind == "pole" else effector_point(goal, pose)
            for pose in (start, inside, near)
        ]
        chain = np.stack([start.position(joint) for joint in way], axis=1)
        length = np.linalg.norm(np.diff(chain, axis=1), axis=-1).sum(axis=1)
        root, hand = chain[:, 0], hands[0]
        direction = rng.normal(size=(count, 3))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        target = np.empty((count, 3))
        for b, place in enumerate(places):
            d, size = direction[b], length[b]
            target[b] = {
                "reach": hands[1][b],
                "near": hands[2][b],
                "ball": root[b] + d * size * rng.uniform() ** (1 / 3),
                "beyond": root[b] + d * size * rng.uniform(1.0, 3.0),
                "far": root[b] + d * size * 10.0 ** rng.uniform(0.5, 6.0),
                "root": root[b],
                "joint": chain[b, rng.integers(chain.shape[1])],
                "here": hand[b],
                "opposite": 2.0 * root[b] - hand[b],
                "axis": root[b] + rng.uniform(-1.0, 1.5) * (hand[b] - root[b]),
                "length": root[b] + d * size,
                "hair": hand[b] + 1e-9 * size * d,
            }[place]
            if kind == "direction" and place in ("reach", "near"):
                pose = inside if place == "reach" else near
                seen = rot.rotate(pose.rotation(name)[b], goal.axis)
                target[b] = hands[1 if place == "reach" else 2][b] + (size or 1.0) * seen
        found.append(target)
    return tuple(found)


def draw_case(
    rng: Random,
    family: Family,
    count: int = 1,
    *,
    places: Sequence[str] = PLACES,
    starts: Sequence[str] = STARTS,
) -> Case | None:
    """A case of a family with `count` rows; None if what was drawn makes no problem (nothing may move)."""
    skeleton, length = draw_skeleton(rng, family)
    goals = _draw_goals(rng, family, skeleton, length)
    names = skeleton.joint_names
    lock: tuple[str, ...] = ()
    if "locked" in family.extras and rng.random() < 0.5:
        lock = tuple(rng.sample(names, k=min(len(names) - 1, 2)))
    numbers = np.random.default_rng(rng.getrandbits(32))
    where = tuple(str(p) for p in numbers.choice(list(places), count))
    sorts = numbers.choice(list(starts), count)
    try:
        problem = Problem(skeleton, goals, lock=lock)
    except supple.SuppleError:
        return None
    coordinates = _draw_starts(skeleton, sorts, numbers, length)
    own: dict[str, np.ndarray] = {}
    if "own" in family.extras and rng.random() < 0.7:
        shape = (count, len(names), 3)
        own["translations"] = skeleton.offsets * numbers.uniform(0.5, 1.5, shape)
        shifting = {layout.SLIDER, layout.FREE, layout.PLANAR}
        if not shifting & set(skeleton.packed_ints[1:, layout.KIND]) and rng.random() < 0.5:
            own["scales"] = np.repeat(numbers.uniform(0.5, 2.0, (*shape[:2], 1)), 3, axis=2)
    start = supple.Pose(skeleton, coordinates, **own)
    moving = columns_of(skeleton, problem.moving)
    inside = np.array(start.coordinates)
    inside[:, moving] = random_coordinates(skeleton, count, numbers, length=length)[:, moving]
    # A frozen axis keeps what the start has, and a mimic joint follows.
    inside = _frozen_kept(skeleton, inside, start.coordinates)
    inside = supple.Pose(skeleton, inside, **own)
    near = _nearby(start, inside, moving)
    targets = _draw_targets(goals, where, start, inside, near, numbers)
    known = np.array([place in ("reach", "near") for place in where])
    if any(isinstance(goal, supple.Hold) for goal in goals):
        known[:] = False
    return Case(family, skeleton, goals, lock, targets, start, known, where)


def _frozen_kept(skeleton: supple.Skeleton, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    for row in skeleton.packed_ints:
        for i in range(3):
            if row[layout.KIND] == layout.AXES and (row[layout.FROZEN] >> i) & 1:
                new[:, row[layout.Q] + i] = old[:, row[layout.Q] + i]
    return new


def _nearby(start: supple.Pose, inside: supple.Pose, moving: np.ndarray) -> supple.Pose:
    """Poses a little way from the start put into its limits towards others inside."""
    within = np.array(start.coordinates)
    within[:, moving] = start.clamped().coordinates[:, moving]
    within = _frozen_kept(start.skeleton, within, start.coordinates)
    first = supple.Pose(start.skeleton, within, start.translations, start.scales)
    mixed = first.interpolate(inside, 0.05)
    # Between two turns of a cone may lie one outside it.
    held = np.array(mixed.coordinates)
    held[:, moving] = mixed.clamped().coordinates[:, moving]
    held = _frozen_kept(start.skeleton, held, start.coordinates)
    return supple.Pose(start.skeleton, held, start.translations, start.scales)
