"""Joints and IK rules as the derivation records them.

The operations `joint`, `SetJointLimits`, `fix` and `IK` only fill these records. When everything is
derived, `supple.apps.grammar.articulation` builds the skeleton and solves the IK rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from supple.apps.grammar.evaluate.shape import NO_INDEX
from supple.apps.grammar.geometry.frames import Rotation, Vector
from supple.apps.grammar.language import syntax as s

DEFAULT_STRETCH = (0.1, 10.0)  # limits of the factor if size is free; not tuned
NO_STRETCH = (1.0, 1.0)


@dataclass(slots=True)
class JointRecord:
    """A joint as the rules define it; angles in radians.

    Attributes:
        name: Its unique name in the skeleton.
        base: Its name in the rules, which several joints may share.
        parent: Index of the parent joint; -1 for none.
        p, R: Position and axes in world, before IK.
        defined_at: Where the rules define it: (path, line and column).
        kind: "ball", "axes", "cone" or "hinge".
        limits: For axes {"x": (lo, hi)}, for a cone {"swing": .., "twist": ..}, for a hinge
            {"limits": ..}.
        axis: Of a hinge or a cone.
        order: Of the rotations about x, y and z, for axes.
        damping, stiffness: As of every joint of supple.
        fixed: True if no IK rule may move it.
        freedoms: Those of rotation, position and size that IK may change.
        stretch: Limits of the factor of its size, if size is free.
        slide: Maximum displacement along each axis; None for no limit.
    """

    name: str
    base: str
    parent: int
    p: Vector
    R: Rotation
    defined_at: tuple[str, s.At]
    kind: str = "ball"
    limits: dict[str, Any] = field(default_factory=dict)
    axis: Any = None
    order: str = "xyz"
    damping: float | None = None
    stiffness: float = 0.0
    fixed: bool = False
    freedoms: frozenset[str] = frozenset({"rotation"})
    stretch: tuple[float, float] = DEFAULT_STRETCH
    slide: float | None = None

    def allow(self, options: dict[str, Any]) -> None:
        """Apply the options `freedoms`, `stretch` and `slide` of a joint or an IK rule."""
        if "freedoms" in options:
            self.freedoms = options["freedoms"]
        if options.get("stretch", NO_STRETCH) != NO_STRETCH:
            self.stretch = options["stretch"]
            self.freedoms |= {"size"}
        if "slide" in options:
            self.slide = options["slide"]
            self.freedoms |= {"position"}


def path_to_root(joints: list[JointRecord], joint: int) -> list[int]:
    """Indices of a joint and its ancestors, from the joint upwards."""
    path = []
    while joint != NO_INDEX:
        path.append(joint)
        joint = joints[joint].parent
    return path


class ShapePoint(NamedTuple):
    """A point of another shape: its name or label, and coordinates relative to its scope."""

    shape: str
    at: Vector


@dataclass(slots=True)
class IKRule:
    """One application of the IK operation.

    Attributes:
        joint: Index of the joint that carries the shape.
        shape: Index of the shape that the operation was applied to.
        label: The name for the effector in the skeleton.
        offset, rotation: The effector in the joint's frame; rotation wxyz.
        target: A point in world, or a point of another shape.
        source: The value given as target, to recognise an attribute's value.
        options: The checked options of the rule; see docs/grammar.md.
        defined_at: Where the rules define it: (path, line and column).
    """

    joint: int
    shape: int
    label: str
    offset: Vector
    rotation: tuple[float, float, float, float]
    target: Vector | ShapePoint
    source: Any
    options: dict[str, Any]
    defined_at: tuple[str, s.At]
