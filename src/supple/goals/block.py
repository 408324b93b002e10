"""Residual blocks: what goals are lowered to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.kernels import layout as at

NO_TURN = (1.0, 0.0, 0.0, 0.0)
Vector = Sequence[float] | np.ndarray


@dataclass(slots=True)
class Block:
    """One residual block of three rows on one effector (a pole: no rows, it is secondary).

    Attributes:
        kind: at.POSITION, at.ORIENTATION, at.LOOKAT or at.POLE.
        goal: Index of its goal in the list of goals.
        joint: The joint that carries the effector.
        weight: As the kernels multiply by it.
        fixed: The part of the effector's place in the joint's frame that keeps its length.
        stretching: The part that the joint's stretch multiplies.
        rotation: The effector's frame in the joint's frame, wxyz.
        axis: Look direction in the effector's frame.
        target: An array (..., 3 or 4), OPEN, or None where the start is held.
        offset: Its first number in a row of targets.
        tolerance: Length or radians.
        length: How long its chain is, from the topmost joint that moves.
        extra: Pole: the moving joint at the chain's root and the position block that it serves.
    """

    kind: int
    goal: int
    joint: int
    weight: float
    fixed: Vector = (0.0, 0.0, 0.0)
    stretching: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = NO_TURN
    axis: Vector = (1.0, 0.0, 0.0)
    target: Any = None
    offset: int = 0
    tolerance: float = 0.0
    length: float = 0.0
    extra: tuple[int, int] = (-1, -1)

    @property
    def point(self) -> np.ndarray:
        """The effector's place in the joint's frame, unstretched, shape (3,)."""
        return np.add(self.fixed, self.stretching)

    @property
    def held(self) -> bool:
        """Whether the target is the effector's place in the start."""
        return self.target is None

    def place(self) -> tuple[Any, ...]:
        """What it is sorted by, so that the order of the goals does not matter."""
        parts = (self.fixed, self.stretching, self.rotation, self.axis)
        what = (self.kind == at.POLE, self.joint, self.kind, self.held)
        return (*what, *(tuple(map(float, part)) for part in parts), self.weight, self.goal)
