"""Marks: how a goal is drawn, in world coordinates of one pose.

`Goal.mark` returns them. Code that draws knows only these marks, not the goals.
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
"""Shapes of a `PlaceMark`: for reach, look-at, pole and hold."""


class PlaceMark(NamedTuple):
    """A target position in the world.

    Attributes:
        shape: One of `SHAPES`.
        effector: Name of the goal's joint or tip.
        point: World position, shape (3,); for a goal with a batch of targets (..., 3).
        orientation: Target orientation, wxyz, shape (4,), or None.
        sight: True to draw a line from the effector to the point.
    """

    shape: str
    effector: str
    point: Floats
    orientation: Floats | None = None
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
    """The solids of `Avoid`.

    Attributes:
        capsules: Capsules of the bones, by joint, in the joints' frames.
        obstacles: By name: `Plane`, `Box`, or a `Capsule` in world coordinates.
    """

    capsules: Mapping[str, Sequence[Capsule]]
    obstacles: Mapping[str, Any]


class SupportMark(NamedTuple):
    """The centre of mass, and the outline of its support.

    Attributes:
        outline: Returns the corners of the support of a pose, in order around it, world, shape (K, 3).
    """

    outline: Callable[[Pose], Floats]


Mark = PlaceMark | LoopMark | SolidMark | SupportMark
