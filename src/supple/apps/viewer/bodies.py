"""Collisions, balance and loops of what is shown: the goals that keep them, and what the page draws of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from supple.apps.motion.feet import find_feet
from supple.apps.viewer.bounds import bounds
from supple.apps.viewer.messages import (
    Bodies,
    BodiesSetup,
    CapsuleInfo,
    LoopSetup,
    MassInfo,
    Setup,
    SoleInfo,
    Vector,
)
from supple.apps.viewer.subject import Subject
from supple.bodies.constraints import Bodies as Lowered
from supple.bodies.pairs import contacts_of
from supple.errors import SuppleError
from supple.goals import Avoid, Balance, Box, Connect, Goal, Plane, Weld
from supple.model.skeleton import Skeleton

# Solids that start no deeper than this below the ground lower it as an obstacle [sizes of the subject].
LOWERED_GROUND_DEPTH = 0.1
NOTHING = np.zeros(0, np.int64)


def chosen(subject: Subject, setup: Setup) -> BodiesSetup:
    """The bodies of a setup, those of the subject if it has none; without bones that do not exist.

    Feet are found by name if none are given.
    """
    given = subject.bodies if setup.bodies is None else setup.bodies
    names = subject.skeleton
    feet = [name for name in given.balance.feet if name in names] or feet_of(subject.skeleton)
    loops = [one for one in given.loops if one.a in names and one.b in names and one.a != one.b]
    return replace(given, balance=replace(given.balance, feet=feet), loops=loops)


def feet_of(skeleton: Skeleton) -> list[str]:
    """The feet of a skeleton, found by name; [] if there are none."""
    try:
        return [foot.ankle for foot in find_feet(skeleton)]
    except SuppleError:
        return []


def has_weight(bodies: BodiesSetup) -> bool:
    """True if capsules or masses are needed to solve."""
    return bodies.avoid.on or bodies.balance.on


def kept(subject: Subject, bodies: BodiesSetup) -> list[Goal]:
    """The goals that keep loops closed, bones apart and the figure balanced.

    Args:
        subject: What is shown.
        bodies: What is kept.

    Raises:
        SuppleError: Balance is asked for without feet.
    """
    goals: list[Goal] = [_loop(one) for one in bodies.loops]
    avoid, balance = bodies.avoid, bodies.balance
    if avoid.on:
        obstacles: list[Any] = [Box(one.center, one.size) for one in avoid.boxes]
        if avoid.ground:
            obstacles.insert(0, _ground(subject))
        goals.append(Avoid(avoid.margin, obstacles=obstacles))
    if balance.on:
        if not balance.feet:
            raise SuppleError("balance: expected the standing feet, got none; choose them")
        goals.append(Balance(balance.feet, margin=balance.margin, up=subject.up))
    return goals


def _loop(one: LoopSetup) -> Connect:
    points: dict[str, Any] = {"point_a": one.point_a, "point_b": one.point_b}
    if one.kind == "connect":
        return Connect(one.a, one.b, **points)
    turn = np.array(one.rotation)
    size = float(np.linalg.norm(turn))
    if size < 1e-9:
        raise SuppleError(f"weld of {one.a} and {one.b}: expected a rotation, got zeros")
    return Weld(one.a, one.b, **points, rotation=turn / size)


def _ground(subject: Subject) -> Plane:
    """The ground as an obstacle: lowered to the lowest solid that is a little below it at the start."""
    around, up = bounds(subject), np.eye(3)["xyz".index(subject.up)]
    heights = [one.lowest(subject.start, up) for one in contacts_of(subject.solid).solids]
    near = [
        height for height in heights if height > around.ground - LOWERED_GROUND_DEPTH * around.size
    ]
    return Plane(min([around.ground, *near]) * up, up)


# To draw ------------------------------------------------------------------------------------------


def described(subject: Subject, bodies: BodiesSetup) -> Bodies:
    """Capsules, masses and soles of the bones."""
    skeleton = subject.solid
    soles: list[SoleInfo] = []
    up = np.eye(3)["xyz".index(subject.up)]
    masses = skeleton.masses or {}
    known = bool(masses) and all(one is not None for one in masses.values())
    if bodies.balance.feet and known:
        try:
            lowered = Lowered()
            Balance(bodies.balance.feet, up=subject.up).constrain(lowered, skeleton, NOTHING)
        except SuppleError:
            pass  # the feet have no soles to stand on: there is nothing to draw
        else:
            points = [lowered.points[k] for k in lowered.soles]
            soles = [SoleInfo(joint=joint, place=place) for joint, place, _ in points]
    return Bodies(
        key=subject.key,
        capsules=[
            CapsuleInfo(joint=skeleton.index(name), a=one.a, b=one.b, radius=one.radius)
            for name, some in skeleton.capsules.items()
            for one in some
        ],
        masses=[
            MassInfo(joint=skeleton.index(name), mass=one.mass, center=one.center)
            for name, one in masses.items()
            if known and one is not None and one.mass > 0
        ],
        soles=soles,
        up=_vector(up),
    )


def own_loops(skeleton: Skeleton) -> list[LoopSetup]:
    """The loops of a model itself."""
    return [
        LoopSetup(
            kind="weld" if one.kind == "weld" else "connect",
            a=one.a,
            b=one.b,
            point_a=one.point_a,
            point_b=one.point_b,
            rotation=one.rotation,
        )
        for one in skeleton.loops
    ]


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
