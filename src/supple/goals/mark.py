"""Marks: what is drawn of a goal, in world coordinates of one pose.

A goal gives them by `Goal.mark`; whoever draws knows these few marks, and no goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from supple.model.capsules import Capsule
    from supple.model.skeleton import Pose

Floats = NDArray[np.float64]

SHAPES = ("disc", "ring", "triangle", "square")
"""Of a `PlaceMark`: to be reached, to be looked at, to bend towards, to be held."""


class PlaceMark(NamedTuple):
    """A place in the world that a goal is about.

    Attributes:
        shape: One of `SHAPES`.
        effector: Name of the joint or tip whose goal it is.
        point: World position, shape (3,); of a goal with a batch of targets (..., 3).
        turn: The orientation asked for, wxyz, shape (4,), or None.
        sight: Whether a line leads from the effector to the point.
    """

    shape: str
    effector: str
    point: Floats
    turn: Floats | None = None
    sight: bool = False


class LoopMark(NamedTuple):
    """Two points of bones that are held together.

    Attributes:
        a: World position of one, shape (3,).
        b: World position of the other, shape (3,).
    """

    a: Floats
    b: Floats


class SolidMark(NamedTuple):
    """What may not be passed through.

    Attributes:
        capsules: Of the bones, by joint, in the joints' frames.
        obstacles: By name: `Plane`, `Box`, or a `Capsule` in world coordinates.
    """

    capsules: Mapping[str, Sequence[Capsule]]
    obstacles: Mapping[str, Any]


class SupportMark(NamedTuple):
    """The centre of mass, and the outline that it has to be over.

    Attributes:
        outline: Gives the corners of what a pose stands on, in order around it, world, shape (K, 3).
    """

    outline: Callable[[Pose], Floats]


Mark = PlaceMark | LoopMark | SolidMark | SupportMark
