"""Random and adversarial problems of every kind: the material of the torture benchmark and of the laws.

A *case* is one skeleton of a family (`families`, `random_skeletons`) with its goals and a batch of targets and starts:
targets in reach, out of reach, at the root, on a joint, on the effector itself, opposite to it, on the axis of a
straight chain, at exactly the chain's length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from tests.support.families import Family
from tests.support.random_skeletons import (
    STARTS,
    columns_of,
    draw_skeleton,
    draw_starts,
    random_coordinates,
    unit,
)

import supple
from supple import rotations as rot
from supple.kernels import layout
from supple.problem.lowering import Problem
from supple.solvers import Solver

PLACES = (
    "reach", "near", "ball", "beyond", "far", "root", "joint", "here", "opposite", "axis", "length", "hair",
)  # fmt: skip


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
        """The prepared problem, whose free root moves too; a SuppleError if the solver cannot take it."""
        options = {"solver": solver, "lock": self.lock, "free_root": True, **settings}
        return supple.prepare(self.skeleton, self.goals, **options)

    @cached_property
    def problem(self) -> Problem:
        """The lowered problem, whichever solver takes it."""
        return Problem(self.skeleton, self.goals, lock=self.lock, free_root=True)

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
        point = [length * c for c in unit(rng)]
        return (supple.Reach("tip", point=point, **free),)
    if sort == "joint":
        return (supple.Reach(joints[-1], **free),)
    if sort == "orientation":
        return (supple.Reach("tip", orientation=supple.OPEN, **free),)
    if sort == "pose":
        return (supple.Reach("tip", supple.OPEN, orientation=supple.OPEN, **free),)
    if sort == "direction":
        return (supple.LookAt("tip", axis=unit(rng), **(free or {"depth": 0})),)
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
            supple.LookAt(tips[1], axis=unit(rng), depth=rng.randint(0, 2)),
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
        problem = Problem(skeleton, goals, lock=lock, free_root=True)
    except supple.SuppleError:
        return None
    coordinates = draw_starts(skeleton, sorts, numbers, length)
    own: dict[str, np.ndarray] = {}
    if "own" in family.extras and rng.random() < 0.7:
        shape = (count, len(names), 3)
        own["translations"] = skeleton.offsets * numbers.uniform(0.5, 1.5, shape)
        slides = skeleton.packed_ints[1:, layout.KIND] & layout.SLIDES
        if not slides.any() and rng.random() < 0.5:
            own["scales"] = np.repeat(numbers.uniform(0.5, 2.0, (*shape[:2], 1)), 3, axis=2)
    start = supple.Pose(skeleton, coordinates, **own)
    moving = columns_of(skeleton, problem.moving)
    inside = np.array(start.coordinates)
    inside[:, moving] = random_coordinates(skeleton, count, numbers, length=length)[:, moving]
    # A frozen axis keeps what the start has, and a mimic joint follows.
    inside = frozen_kept(skeleton, inside, start.coordinates)
    inside = supple.Pose(skeleton, inside, **own)
    near = _nearby(start, inside, moving)
    targets = _draw_targets(goals, where, start, inside, near, numbers)
    known = np.array([place in ("reach", "near") for place in where])
    if any(isinstance(goal, supple.Hold) for goal in goals):
        known[:] = False
    return Case(family, skeleton, goals, lock, targets, start, known, where)


def frozen_kept(skeleton: supple.Skeleton, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """New coordinates, shape (B, Q), with those of frozen axes as the old ones have them, in place."""
    for row in skeleton.packed_ints:
        for i in range(3):
            if (row[layout.FROZEN] >> i) & 1:
                new[:, row[layout.Q] + i] = old[:, row[layout.Q] + i]
    return new


def _nearby(start: supple.Pose, inside: supple.Pose, moving: np.ndarray) -> supple.Pose:
    """Poses a little way from the start put into its limits towards others inside."""
    within = np.array(start.coordinates)
    within[:, moving] = start.clamped().coordinates[:, moving]
    within = frozen_kept(start.skeleton, within, start.coordinates)
    first = supple.Pose(start.skeleton, within, start.translations, start.scales)
    mixed = first.interpolate(inside, 0.05)
    # Between two turns of a cone may lie one outside it.
    held = np.array(mixed.coordinates)
    held[:, moving] = mixed.clamped().coordinates[:, moving]
    held = frozen_kept(start.skeleton, held, start.coordinates)
    return supple.Pose(start.skeleton, held, start.translations, start.scales)
