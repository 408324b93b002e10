"""`Span`: the vector from a point of one bone to a point of another."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from supple.errors import SuppleError, array, text
from supple.goals.goal import OPEN, Block, Goal, check_depth, read_target
from supple.goals.loops import On
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.model.parts import ORIGIN
from supple.model.skeleton import Skeleton
from supple.rotations import rotate


@dataclass(frozen=True, eq=False, repr=False)
class Span(Goal):
    """Make the world vector from a point of one bone to a point of another equal a target.

    It sets a bone's direction independent of its position, or a hand's position relative to the hips.

    Args:
        start: Name of the joint or tip at which the vector begins.
        end: Name of the joint or tip at which it ends.
        target: The vector in world axes, shape (..., 3), model units; open if it is not given.
        point_start: The point on `start`, in its frame, xyz.
        point_end: The point on `end`, in its frame, xyz.
        root: The topmost joint that may move, above both. Without root and depth, all joints up to the skeleton's
            root may.
        depth: Number of joints that may move, of those that can move an end, counted from it; 0 = to the
            skeleton's root.
        weight: Weight against other goals if not all can be met.
    """

    frees: ClassVar[bool] = True

    start: str
    end: str
    target: Any = OPEN
    _: KW_ONLY
    point_start: Any = ORIGIN
    point_end: Any = ORIGIN
    root: str | None = None
    depth: int = 0
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            text(f"{name} of Span", getattr(self, name))
        what = self.effector_name
        for name in ("point_start", "point_end"):
            point = array(f"{name} of Span {what!r}", getattr(self, name), (3,)) + 0.0
            self._set(name, tuple(point.tolist()))
        if self.start == self.end and self.point_start == self.point_end:
            raise SuppleError(
                f"Span: expected two points, got the same one of {self.start!r} twice"
            )
        self._set("depth", check_depth(what, self.depth, self.root))
        self._check_weight()
        self._set("target", read_target("target", what, self.target))

    @property
    def effector_name(self) -> str:
        """Both names."""
        return f"{self.start} to {self.end}"

    @property
    def effectors(self) -> tuple[str, str]:
        """The names of the two bones."""
        return self.start, self.end

    @property
    def slots(self) -> tuple[str, ...]:
        """The vector."""
        return ("target",)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A target that moves with another bone."""
        return ("moving target",)

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block for the end, and the carrier of the start."""
        carrier = On(self.start, self.point_start).carrier(skeleton, number)
        frame = find_effector(skeleton, self.end)
        block = Block(
            layout.SPAN,
            number,
            frame.joint,
            float(np.sqrt(self.weight)),
            fixed=rotate(frame.rotation, self.point_end),
            stretching=frame.offset,
            rotation=frame.rotation,
            target=self.target,
            carrier=carrier,
        )
        return [block, carrier]
