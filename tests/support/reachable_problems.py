"""Random problems whose targets can be reached: the material of the benchmark of missed targets.

A problem is drawn from a family (`REACHABLE`): a skeleton of some joint kinds, goals of some kinds, and rows of targets
and starts. The targets are what forward kinematics gives for a random pose inside the limits, with locked joints,
frozen axes and joints that no goal frees as the start has them, and mimic joints following. So every miss is the
solver's.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
from tests.support.families import EVERY, Family
from tests.support.problems import Case, demands_of, effector_point, frozen_kept
from tests.support.random_skeletons import columns_of, draw_joint, random_coordinates, unit

import supple
from supple import rotations as rot
from supple.kernels import layout
from supple.problem.lowering import Problem

TURNS = ("Ball", "Hinge", "Cone", "Axes")
MIMIC_MULTIPLIERS = (0.5, -0.5, 1.0, -1.0, 2.0, 0.25, 1.5)
FAR_OFF = 10.0  # lengths by which open slides of a far start are off; open angles are off by this many radians


def _families() -> tuple[Family, ...]:
    def extras(*words: str) -> frozenset[str]:
        return frozenset(words)

    found = [
        Family("hinges", ("Hinge",), links=(1, 7)),
        Family("hinges, turned", ("Hinge",), "pose", (2, 8)),
        Family("sliders and hinges", ("Slider", "Hinge"), links=(2, 6)),
        Family("sliders and hinges, turned", ("Slider", "Hinge"), "pose", (2, 7)),
        Family("sliders and hinges, far", ("Slider", "Hinge"), "position", (2, 5), extras("far")),
        Family("slider, hinge, far", ("Slider", "Hinge"), "position", (2, 2), extras("far")),
        Family("mimic", ("Hinge",), "position", (2, 6), extras("mimic")),
        Family("mimic, turned", ("Hinge", "Slider"), "pose", (3, 8), extras("mimic")),
        Family("mimic, far", ("Hinge", "Slider"), "position", (2, 5), extras("mimic", "far")),
    ]
    for kind in ("Ball", "Cone", "Axes"):
        found += [
            Family(f"{kind}", (kind,), links=(1, 6)),
            Family(f"{kind}, turned", (kind,), "pose", (1, 6)),
        ]
    for kind in ("Planar", "Free"):
        found += [
            Family(f"{kind} and turns", (kind, *TURNS), links=(1, 5), extras=extras("far")),
            Family(f"{kind} and turns, turned", (kind, *TURNS), "pose", (1, 5), extras("far")),
        ]
    found += [
        Family("mixed turns", TURNS, links=(1, 8)),
        Family("mixed turns, turned", TURNS, "pose", (1, 8)),
        Family("mixed turns, oriented", TURNS, "orientation", (1, 6)),
        Family("mixed turns, looking", TURNS, "direction", (1, 6)),
        Family("mixed turns, a point", TURNS, "point", (1, 6)),
        Family("mixed turns, from the last", TURNS, "position", (2, 8), extras("path")),
        Family("everything", EVERY, links=(2, 8), extras=extras("mimic", "stretch", "far")),
        Family("everything, turned", EVERY, "pose", (2, 8), extras("mimic", "stretch", "far")),
        Family("everything, a joint", EVERY, "joint", (2, 8), extras("mimic", "stretch")),
        Family("everything, looking", EVERY, "direction", (1, 5), extras("mimic", "stretch", "far")),
        Family("everything, locks and depths", EVERY, "pose", (2, 8), extras("mimic", "locked", "depth")),
        Family("everything, other units", EVERY, "position", (1, 6), extras("scaled", "zero", "stretch")),
        Family("everything, from the last", EVERY, "pose", (2, 6), extras("mimic", "path")),
        Family("stretch", TURNS, "position", (1, 5), extras("stretch")),
        Family("stretch, turned", TURNS, "pose", (1, 5), extras("stretch")),
        Family("damped", TURNS, "position", (2, 6), extras("soft")),
        Family("tree, two reaches", TURNS, "two", (3, 12)),
        Family("tree, several goals", TURNS, "many", (3, 10)),
        Family("tree, hold", TURNS, "hold", (3, 10)),
        Family("tree of everything, two", EVERY, "two", (3, 10), extras("mimic", "stretch", "far")),
        Family("tree of everything, several", EVERY, "many", (3, 10), extras("mimic", "stretch", "depth")),
        Family("tree of everything, hold", EVERY, "hold", (3, 10), extras("mimic", "stretch")),
    ]  # fmt: skip
    return tuple(found)


REACHABLE = _families()
TREES = ("two", "many", "hold")


def draw_skeleton(rng: Random, family: Family) -> tuple[supple.Skeleton, float]:
    """A chain, or a tree with two or three tips, and about how long its bones are."""
    length = 10.0 ** rng.uniform(-3.0, 3.0) if "scaled" in family.extras else 1.0
    nodes: list[supple.Node] = []
    sources: dict[str, list[str]] = {"Hinge": [], "Slider": []}

    def offset() -> tuple[float, ...]:
        if "zero" in family.extras and rng.random() < 0.1:
            return (0.0, 0.0, 0.0)
        size = length * rng.uniform(0.3, 1.5)
        direction = (1.0, 0.0, 0.0) if rng.random() < 0.3 else unit(rng)
        return tuple(size * c for c in direction)

    def turn() -> tuple[float, ...]:
        if rng.random() < 0.6:
            return (1.0, 0.0, 0.0, 0.0)
        return tuple(rot.from_axis_angle(unit(rng), rng.uniform(-3.0, 3.0)).tolist())

    def grow(parent: str | None, many: int) -> str:
        for _ in range(many):
            k = len(nodes)
            # Each kind of a family of few comes at least once.
            kind = family.joints[k] if k < len(family.joints) <= 2 else rng.choice(family.joints)
            joint = draw_joint(rng, kind, length, family.extras)
            copied = sources.get(kind)
            if "mimic" in family.extras and copied and rng.random() < 0.4:
                factor = rng.choice([rng.choice(MIMIC_MULTIPLIERS), rng.uniform(-1.5, 1.5)])
                shift = rng.choice(
                    [0.0, rng.uniform(-0.5, 0.5) * (length if kind == "Slider" else 1.0)]
                )
                mimic = (rng.choice(copied), factor, shift)
                joint = type(joint)(joint.axis, stretch=joint.stretch, mimic=mimic)
            elif copied is not None:
                copied.append(f"j{k}")
            nodes.append(supple.Node(f"j{k}", parent, offset(), joint, turn()))
            parent = f"j{k}"
        assert parent is not None
        return parent

    count = rng.randint(*family.links)
    if family.goals not in TREES:
        ends = [grow(None, count)]
    else:
        branches = rng.randint(2, 3)
        fork = grow(None, rng.randint(1, max(1, count - branches)))
        left = max(branches, count - len(nodes))
        ends = [grow(fork, max(1, left // branches)) for _ in range(branches)]
    tips = [
        supple.Tip(f"tip {i}" if i else "tip", end, offset(), turn()) for i, end in enumerate(ends)
    ]
    return supple.Skeleton(nodes, tips), length


def _draw_goal(rng: Random, effector: str, free: dict[str, Any], length: float) -> Any:
    """A Reach of any sort or a LookAt."""
    sort = rng.choice(["position", "position", "orientation", "pose", "point", "direction"])
    weight = rng.choice([1.0, rng.uniform(0.1, 9.0)])
    if sort == "direction":
        free = free or {"depth": rng.randint(0, 2)}
        return supple.LookAt(effector, axis=unit(rng), weight=weight, **free)
    turned = {"orientation": supple.OPEN} if sort in ("orientation", "pose") else {}
    point = {"point": [length * c for c in unit(rng)]} if sort == "point" else {}
    where = () if sort == "orientation" else (supple.OPEN,)
    return supple.Reach(effector, *where, weight=weight, **turned, **point, **free)


def draw_goals(rng: Random, family: Family, skeleton: supple.Skeleton, length: float) -> list[Any]:
    """The goals of a family, their targets open."""
    tips, joints = skeleton.tip_names, skeleton.joint_names
    free: dict[str, Any] = {}
    if "depth" in family.extras and rng.random() < 0.5:
        free = rng.choice(
            [{"depth": rng.randint(1, 4)}, {"root": rng.choice(skeleton.path(None, tips[0])[:-1])}]
        )
    sort = family.goals
    if sort == "point":
        return [supple.Reach("tip", point=[length * c for c in unit(rng)], **free)]
    if sort == "joint":
        return [supple.Reach(joints[-1], **free)]
    if sort == "orientation":
        return [supple.Reach("tip", orientation=supple.OPEN, **free)]
    if sort == "pose":
        return [supple.Reach("tip", supple.OPEN, orientation=supple.OPEN, **free)]
    if sort == "direction":
        return [supple.LookAt("tip", axis=unit(rng), **(free or {"depth": rng.randint(0, 2)}))]
    if sort == "two":
        return [supple.Reach(tip, weight=rng.choice([1.0, rng.uniform(0.1, 9.0)])) for tip in tips]
    if sort == "many":
        goals = [_draw_goal(rng, tips[0], free, length)]
        goals += [_draw_goal(rng, tip, {}, length) for tip in tips[1:]]
        if rng.random() < 0.3:
            goals.append(_draw_goal(rng, rng.choice(joints[1:]), {}, length))
        return goals
    if sort == "hold":
        position, orientation = rng.choice([(True, True), (True, False), (False, True)])
        held = supple.Hold(tips[-1], position=position, orientation=orientation)
        return [*(_draw_goal(rng, tip, {}, length) for tip in tips[:-1]), held]
    return [supple.Reach("tip", **free)]


def _open_columns(skeleton: supple.Skeleton) -> tuple[list[int], list[int]]:
    """The places in a pose of slides and of angles without limits; mimic joints have none."""
    slides: list[int] = []
    angles: list[int] = []
    for row, numbers in zip(skeleton.packed_ints, skeleton.packed_floats, strict=True):
        kind, at = row[layout.KIND], int(row[layout.Q])
        stretches, turns = row[layout.STRETCH_Q] >= 0, kind & layout.QUATERNION != 0
        for i in range(row[layout.NQ] - stretches - 4 * turns if row[layout.MIMIC] < 0 else 0):
            limits = numbers[layout.LIMITS + 2 * i : layout.LIMITS + 2 * i + 2]
            if np.isinf(limits).any():
                (slides if i < kind & layout.SLIDES else angles).append(at + i)
    return slides, angles


def _inside(
    skeleton: supple.Skeleton, count: int, rng: np.random.Generator, length: float
) -> np.ndarray:
    """Coordinates of poses inside the limits; what a mimic joint copies, and has no limits, turns up to twice."""
    q = random_coordinates(skeleton, count, rng, length=length)
    _, angles = _open_columns(skeleton)
    copied = {
        int(skeleton.packed_ints[row[layout.MIMIC], layout.Q])
        for row in skeleton.packed_ints
        if row[layout.MIMIC] >= 0
    }
    for at in copied & set(angles):
        q[:, at] = rng.uniform(-2.0 * math.pi, 2.0 * math.pi, count)
    return supple.Pose(skeleton, q).clamped().coordinates.copy()


def _starts(
    skeleton: supple.Skeleton, family: Family, count: int, rng: np.random.Generator, length: float
) -> np.ndarray:
    """Start coordinates: a third at rest, the others inside the limits, in a "far" family half of these far away."""
    q = _inside(skeleton, count, rng, length)
    rest = rng.random(count) < 1 / 3
    q[rest] = skeleton.rest.coordinates
    if "far" in family.extras:
        slides, angles = _open_columns(skeleton)
        away = np.flatnonzero(~rest & (rng.random(count) < 0.5))
        for columns, size in ((slides, FAR_OFF * length), (angles, FAR_OFF)):
            for at in columns:
                q[away, at] += size * rng.uniform(-1.0, 1.0, len(away))
        q = supple.Pose(skeleton, q).clamped().coordinates.copy()
    if "path" in family.extras:
        q[:] = q[0]
    return q


def _held_columns(skeleton: supple.Skeleton, goals: list[Any]) -> np.ndarray:
    """The places of coordinates that must stay for the Holds to be met: of the joints above, and of what these copy."""
    above: set[int] = set()
    for goal in goals:
        if isinstance(goal, supple.Hold):
            above |= {skeleton.index(name) for name in skeleton.path(None, goal.effector)}
    above = {j for j in above if j < len(skeleton.joints)}
    mimic = skeleton.packed_ints[:, layout.MIMIC]
    sources = {int(mimic[j]) if mimic[j] >= 0 else j for j in above}
    held = [j for j in range(len(mimic)) if j in sources or int(mimic[j]) in sources]
    return columns_of(skeleton, held) if held else np.zeros(0, int)


def _target(goal: Any, kind: str, pose: supple.Pose, rng: np.random.Generator) -> np.ndarray:
    """What an open target must be for a batch of poses to meet it, shape (B, 3) or (B, 4)."""
    if kind == "orientation":
        return pose.rotation(goal.effector)
    point = effector_point(goal, pose)
    if kind == "position":
        return point
    seen = rot.rotate(pose.rotation(goal.effector), goal.axis)
    return point + rng.uniform(0.3, 3.0, (len(point), 1)) * seen


def draw_reachable(rng: Random, family: Family, count: int) -> Case | None:
    """A skeleton of a family with `count` rows of targets and starts; None if nothing in it may move."""
    skeleton, length = draw_skeleton(rng, family)
    goals = draw_goals(rng, family, skeleton, length)
    names = skeleton.joint_names
    lock: tuple[str, ...] = ()
    if "locked" in family.extras and rng.random() < 0.5:
        lock = tuple(rng.sample(names, k=min(len(names) - 1, 2)))
    numbers = np.random.default_rng(rng.getrandbits(32))
    try:
        problem = Problem(skeleton, goals, lock=lock)
    except supple.SuppleError:
        return None
    start = _starts(skeleton, family, count, numbers, length)
    if (
        family.goals == "hold"
    ):  # what is held stands where the start has it, before its limits count
        start = supple.Pose(skeleton, start).clamped().coordinates.copy()
    inside = start.copy()
    moving = columns_of(skeleton, problem.moving)
    inside[:, moving] = _inside(skeleton, count, numbers, length)[:, moving]
    held = _held_columns(skeleton, goals)
    inside[:, held] = start[:, held]
    pose = supple.Pose(skeleton, frozen_kept(skeleton, inside, start))
    targets = tuple(_target(goal, kind, pose, numbers) for goal, kind in demands_of(goals))
    poses = supple.Pose(skeleton, start)
    known = np.ones(count, bool)
    return Case(family, skeleton, tuple(goals), lock, targets, poses, known, ("reach",) * count)
