"""Capsules and masses of a figure's bones, and the constraints kept in every solve."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from supple.apps.viewer.messages.values import (
    Amount,
    Length,
    Quaternion,
    Text,
    Vector,
    Within,
    message,
)

MOST_BOXES = 16
MOST_LOOPS = 64
MOST_FEET = 16

LoopKind = Literal["connect", "weld"]


@message
class BoxSetup:
    """A solid box in the world, along its axes: its center, and its size from side to side."""

    center: Vector
    size: tuple[Length, Length, Length]


@message
class AvoidSetup:
    """Avoided collisions.

    Attributes:
        on: True if bones keep apart from each other and from obstacles.
        margin: The least distance kept [model units].
        ground: True if the ground is an obstacle.
        boxes: Further obstacles.
    """

    on: bool = False
    margin: Amount = 0.0
    ground: bool = False
    boxes: Annotated[list[BoxSetup], Within(0, MOST_BOXES)] = field(default_factory=list)


@message
class BalanceSetup:
    """Balance as a constraint.

    Attributes:
        on: True if the centre of mass stays over the feet.
        margin: Its least distance from the edge of the support [model units].
        feet: The joints or tips that stand on the ground.
    """

    on: bool = False
    margin: Amount = 0.0
    feet: Annotated[list[Text], Within(0, MOST_FEET)] = field(default_factory=list)


@message
class LoopSetup:
    """Two bones that are held together at a point, or rigidly.

    Attributes:
        kind: "connect" or "weld".
        a: A joint or tip.
        b: Another.
        point_a: In the frame of `a`.
        point_b: In the frame of `b`.
        rotation: Of `b` in the frame of `a`, for a weld.
    """

    kind: LoopKind = "connect"
    a: Text
    b: Text
    point_a: Vector = (0.0, 0.0, 0.0)
    point_b: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)


@message
class BodiesSetup:
    """What is kept in every solve, before the goals."""

    avoid: AvoidSetup = field(default_factory=AvoidSetup)
    balance: BalanceSetup = field(default_factory=BalanceSetup)
    loops: Annotated[list[LoopSetup], Within(0, MOST_LOOPS)] = field(default_factory=list)


@message
class CapsuleInfo:
    """A capsule that stands for a bone: its joint's index, its ends in the joint's frame, its radius."""

    joint: int
    a: Vector
    b: Vector
    radius: float


@message
class MassInfo:
    """What a bone weighs [kg]: its joint's index, and the centre of mass in the joint's frame."""

    joint: int
    mass: float
    center: Vector


@message
class SoleInfo:
    """A point of a sole: the index of the joint that carries it, and its position in the joint's frame."""

    joint: int
    place: Vector
