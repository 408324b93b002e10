"""Random skeletons of a family, and poses of them: straight, folded, bent, outside their limits.

Structure is drawn from a `random.Random`, which Hypothesis can stand in for; numbers in bulk from NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from tests.support.families import SEVERAL, Family

import supple
from supple import rotations as rot
from supple.kernels import layout

STARTS = ("rest", "bent", "outside", "folded", "nearly", "other")


def unit(rng: Random) -> tuple[float, float, float]:
    """A random direction."""
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
        axis = rng.choice("xyz") if rng.random() < 0.5 else unit(rng)
        return supple.Hinge(axis, limits=_range(rng), **common)
    if kind == "Slider":
        return supple.Slider(unit(rng), limits=_range(rng, length), **common)
    if kind == "Cone":
        swing = rng.choice([0.0, 1e-3, math.pi, *([rng.uniform(0.1, 3.0)] * 5)])
        if "round" not in extras and rng.random() < 0.4:
            swing = tuple(
                rng.choice([0.0, 1e-3, math.pi, rng.uniform(0.05, 3.0)]) for _ in range(4)
            )
            common["up"] = unit(rng)
        twist, axis = _range(rng), unit(rng)
        while "up" in common and np.linalg.norm(np.cross(axis, common["up"])) < 0.1:
            axis = unit(rng)
        return supple.Cone(swing, twist=twist, axis=axis, **common)
    if kind == "Axes":
        order = rng.choice(["xyz", "zyx", "yxz", "zxz", "xy", "zy", "y", "x"])
        labels = supple.Axes(order).axis_labels
        frozen = [label for label in labels if rng.random() < 0.2] if len(labels) > 1 else []
        limits = [_range(rng) for _ in labels]
        return supple.Axes(order, limits, frozen if len(frozen) < len(labels) else (), **common)
    if kind == "Planar":
        limits = [_range(rng, length), _range(rng, length), _range(rng)]
        return supple.Planar(unit(rng), limits=limits, **common)
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
        supple.Hinge("z", limits=pair)
        if kind == "Hinge"
        else draw_joint(rng, kind, length, family.extras & {"round"})
        for kind, pair in zip(kinds, limits, strict=True)
    ]
    along = [replace(j, axis=None, up=None) if isinstance(j, supple.Cone) else j for j in joints]
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
        x, y, z = (1.0, 0.0, 0.0) if rng.random() < 0.5 else unit(rng)
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
                turn = tuple(rot.from_axis_angle(unit(rng), rng.uniform(-3.0, 3.0)).tolist())
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
        turn = tuple(rot.from_axis_angle(unit(rng), rng.uniform(-3.0, 3.0)).tolist())
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
        slides = kind & layout.SLIDES
        if kind & layout.QUATERNION:
            turn = rng.normal(size=(count, 4))
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
            q[:, at + slides : at + slides + 4] = turn
            if slides:
                q[:, at : at + slides] = length * rng.normal(size=(count, slides))
        else:
            for i in range(row[layout.NQ] - (row[layout.STRETCH_Q] >= 0)):
                window = length if i < slides else math.pi
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


def draw_starts(
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
                elif kind and not kind & (layout.SLIDES + layout.QUATERNION):
                    starts[b, at] = angle
                elif kind == layout.SLIDER:
                    starts[b, at] = angle * length
    return starts
