"""The mechanisms of the benchmark: chains, two arms that laboratories have, and a whole body."""

from __future__ import annotations

import math
from collections.abc import Sequence

from contest.model import BALL, FREE, Model, Part, Vector

QUARTER_TURN = math.pi / 2


def chain(lengths: Sequence[float], motion: str = BALL, *, limit: float | None = None) -> Model:
    """Bones along +X, the first joint at the origin, the end called "tip".

    Args:
        lengths: Of the bones [m].
        motion: Of every joint, as in `Part`.
        limit: How far a hinge may turn to either side [rad].
    """
    limits = ((-limit, limit),) * len(motion) if limit is not None else ()
    starts = [0.0, *lengths[:-1]]
    parts = [
        Part(f"j{k}", f"j{k - 1}" if k else "", (start, 0.0, 0.0), motion=motion, limits=limits)
        for k, start in enumerate(starts)
    ]
    return Model(tuple(parts), (Part("tip", parts[-1].name, (lengths[-1], 0.0, 0.0)),))


# offset [m], rotation about X, Y, Z [rad], axis, limits [rad]; then the tip's
_PANDA = (
    ((0.0, 0.0, 0.333), (0.0, 0.0, 0.0), "z", (-2.8973, 2.8973)),
    ((0.0, 0.0, 0.0), (-QUARTER_TURN, 0.0, 0.0), "z", (-1.7628, 1.7628)),
    ((0.0, -0.316, 0.0), (QUARTER_TURN, 0.0, 0.0), "z", (-2.8973, 2.8973)),
    ((0.0825, 0.0, 0.0), (QUARTER_TURN, 0.0, 0.0), "z", (-3.0718, -0.0698)),
    ((-0.0825, 0.384, 0.0), (-QUARTER_TURN, 0.0, 0.0), "z", (-2.8973, 2.8973)),
    ((0.0, 0.0, 0.0), (QUARTER_TURN, 0.0, 0.0), "z", (-0.0175, 3.7525)),
    ((0.088, 0.0, 0.0), (QUARTER_TURN, 0.0, 0.0), "z", (-2.8973, 2.8973)),
)
_PANDA_TIP = ((0.0, 0.0, 0.2104), (0.0, 0.0, -math.pi / 4))
_UR5 = (
    ((0.0, 0.0, 0.089159), (0.0, 0.0, 0.0), "z", (-math.pi, math.pi)),
    ((0.0, 0.13585, 0.0), (0.0, QUARTER_TURN, 0.0), "y", (-math.pi, math.pi)),
    ((0.0, -0.1197, 0.425), (0.0, 0.0, 0.0), "y", (-math.pi, math.pi)),
    ((0.0, 0.0, 0.39225), (0.0, QUARTER_TURN, 0.0), "y", (-math.pi, math.pi)),
    ((0.0, 0.093, 0.0), (0.0, 0.0, 0.0), "z", (-math.pi, math.pi)),
    ((0.0, 0.0, 0.09465), (0.0, 0.0, 0.0), "y", (-math.pi, math.pi)),
)
_UR5_TIP = ((0.0, 0.0823, 0.0), (-QUARTER_TURN, 0.0, 0.0))


def panda() -> Model:
    """An arm of seven hinges, to the point between its fingers."""
    return _arm(_PANDA, _PANDA_TIP)


def ur5() -> Model:
    """An arm of six hinges with three parallel axes."""
    return _arm(_UR5, _UR5_TIP)


def _arm(
    rows: Sequence[tuple[Vector, Vector, str, tuple[float, float]]], tip: tuple[Vector, Vector]
) -> Model:
    parts = [
        Part(f"j{k}", f"j{k - 1}" if k else "", offset, rpy, axis, (limits,))
        for k, (offset, rpy, axis, limits) in enumerate(rows)
    ]
    return Model(tuple(parts), (Part("tip", parts[-1].name, *tip),))


# The body: Y up, Z to the front, X to its left [m]. The left side; the right one is its mirror.
_TRUNK = (
    ("spine1", "pelvis", (0.0, 0.08, 0.0), "xyz", 0.4),
    ("spine2", "spine1", (0.0, 0.1, 0.0), "xyz", 0.4),
    ("spine3", "spine2", (0.0, 0.1, 0.0), "xyz", 0.4),
    ("spine4", "spine3", (0.0, 0.1, 0.0), "xyz", 0.4),
    ("neck1", "spine4", (0.0, 0.12, 0.0), "xyz", 0.5),
    ("neck2", "neck1", (0.0, 0.06, 0.0), "xyz", 0.5),
    ("head", "neck2", (0.0, 0.06, 0.0), "xyz", 0.5),
    ("jaw", "head", (0.0, 0.02, 0.05), "x", 0.4),
)
_ARM = (
    ("clavicle", "spine4", (0.02, 0.08, 0.0), "xyz", 0.3),
    ("upperarm", "clavicle", (0.16, 0.0, 0.0), "xyz", 1.8),
    ("forearm", "upperarm", (0.28, 0.0, 0.0), "y", (-2.5, 0.0)),
    ("hand", "forearm", (0.26, 0.0, 0.0), "xyz", 1.2),
)
_FINGERS = (("thumb", 0.03), ("index", 0.015), ("middle", 0.0), ("ring", -0.015), ("little", -0.03))
_LEG = (
    ("thigh", "pelvis", (0.1, -0.05, 0.0), "xyz", 1.5),
    ("shin", "thigh", (0.0, -0.42, 0.0), "x", (0.0, 2.6)),
    ("foot", "shin", (0.0, -0.42, 0.0), "xyz", 0.9),
    ("toe", "foot", (0.0, -0.06, 0.13), "x", 0.6),
)


def body() -> Model:
    """A figure of 65 joints whose pelvis is free: trunk, arms with fingers, legs.

    Its tips are the two hands, the two feet and the head.
    """
    hips = Part("pelvis", "", (0.0, 0.0, 0.0), motion=FREE)
    trunk = [_bone(*row) for row in _TRUNK]
    arms = [part for side in (1.0, -1.0) for part in _side(side, [*_ARM, *_fingers()])]
    legs = [part for side in (1.0, -1.0) for part in _side(side, _LEG)]
    tips = [
        Part(f"{side} palm", f"{side} hand", (sign * 0.08, 0.0, 0.0))
        for side, sign in (("left", 1.0), ("right", -1.0))
    ]
    tips += [Part(f"{side} sole", f"{side} foot", (0.0, -0.06, 0.0)) for side in ("left", "right")]
    tips.append(Part("face", "head", (0.0, 0.06, 0.1)))
    return Model((hips, *trunk, *arms, *legs), tuple(tips))


def _fingers() -> list[tuple[str, str, Vector, str, float | tuple[float, float]]]:
    rows: list[tuple[str, str, Vector, str, float | tuple[float, float]]] = []
    for name, across in _FINGERS:
        rows.append((f"{name}1", "hand", (0.02, 0.0, across), "y", 0.3))
        rows.append((f"{name}2", f"{name}1", (0.06, 0.0, across), "yz", 0.5))
        rows.append((f"{name}3", f"{name}2", (0.04, 0.0, 0.0), "z", (-1.6, 0.1)))
        rows.append((f"{name}4", f"{name}3", (0.025, 0.0, 0.0), "z", (-1.4, 0.1)))
    return rows


def _bone(
    name: str, parent: str, offset: Vector, motion: str, limit: float | tuple[float, float]
) -> Part:
    pair = limit if isinstance(limit, tuple) else (-limit, limit)
    return Part(name, parent, offset, motion=motion, limits=(pair,) * len(motion))


def _side(
    sign: float, rows: Sequence[tuple[str, str, Vector, str, float | tuple[float, float]]]
) -> list[Part]:
    """One side of the body; a mirrored joint turns the other way about Y and Z."""
    names = {name for name, *_ in rows}
    side = "left" if sign > 0 else "right"
    parts = []
    for name, parent, (x, y, z), motion, limit in rows:
        above = f"{side} {parent}" if parent in names else parent
        if sign < 0 and isinstance(limit, tuple) and motion in ("y", "z"):
            limit = (-limit[1], -limit[0])
        parts.append(_bone(f"{side} {name}", above, (sign * x, y, z), motion, limit))
    return parts
