"""A shape while it is derived."""

from __future__ import annotations

from typing import Any

from supple.grammar.evaluate.material import PLAIN, Material
from supple.grammar.evaluate.randomness import fraction, mixed
from supple.grammar.geometry.frames import (
    ORIGIN,
    UPRIGHT,
    Rotation,
    Scope,
    Vector,
    placed,
    vector,
)
from supple.grammar.geometry.mesh import GROUND, Geometry
from supple.grammar.geometry.polygons import Floats

NOWHERE = (0, 0)
NONE = -1


class Shape:
    """A shape while a rule is applied to it.

    Attributes:
        name: The name of its rule.
        rule: The production to apply, or None for a terminal shape.
        args: The rule's arguments.
        p, R, s: The scope: origin and rotation in world, and size.
        outer: The scope (p, R, s) at the beginning of the rule or bracket.
        geometry: The geometry in the scope.
        material: The material.
        joint: Index of the joint that carries the shape; -1 for none.
        attrs: Attributes changed by `set`, by (prefix, name), or None; never changed in place.
        label: The last `label`, or "".
        trim: The component whose edges give the trim planes, as (`trimming.Neighbours`, face), or None.
        split, comp: (index, total) in the last split and comp; comp also has its selector.
        seed: The shape's own seed.
        draws: Number of random numbers drawn.
        born: Number of child shapes.
        depth: Number of rules above it.
        line: Seeds of its ancestors as a linked list (parent's seed, the parent's line), or None.
            Recording a shape for context queries adds an entry for its state at that time.
        recorded: Number of times it was recorded for context queries.
        parent: Index of the parent shape.
        index: Index of the shape itself.
        made: True if it got a geometry after its last child was created.
        emitted: True if it has a child, or ended by NIL.
        settled: The scope (p, R, s) and joint at the creation of the first child, or None.
    """

    __slots__ = (
        "R", "args", "attrs", "born", "comp", "depth", "draws", "emitted", "geometry", "index",
        "joint", "label", "line", "made", "material", "name", "outer", "p", "parent", "recorded",
        "rule", "s", "seed", "settled", "split", "trim",
    )  # fmt: skip

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.seed = seed
        self.rule: Any = None
        self.args: tuple[Any, ...] = ()
        self.p: Vector = ORIGIN
        self.R: Rotation = UPRIGHT
        self.s: Vector = (1.0, 0.0, 1.0)
        self.outer: tuple[Vector, Rotation, Vector] = (self.p, self.R, self.s)
        self.geometry: Geometry = GROUND
        self.material: Material = PLAIN
        self.joint = NONE
        self.attrs: dict[tuple[str, str], Any] | None = None
        self.label = ""
        self.trim: Any = None
        self.split: tuple[int, int] = NOWHERE
        self.comp: tuple[Any, ...] = NOWHERE
        self.draws = 0
        self.born = 0
        self.depth = 0
        self.line: Any = None
        self.recorded = 0
        self.parent = NONE
        self.index = NONE
        self.made = False
        self.emitted = False
        self.settled: tuple[Vector, Rotation, Vector, int] | None = None

    def emit(self) -> None:
        """Note that a child is created from the shape, or that it ends by NIL."""
        if self.settled is None:
            self.settled = (self.p, self.R, self.s, self.joint)
        self.made = False
        self.emitted = True

    def child(self, name: str) -> Shape:
        """A child with the current state of this shape."""
        new = Shape.__new__(Shape)
        new.name = name
        new.seed = mixed(self.seed, self.born)
        self.born += 1
        new.rule = None
        new.args = ()
        new.p, new.R, new.s = self.p, self.R, self.s
        new.outer = (self.p, self.R, self.s)
        new.geometry = self.geometry
        new.material = self.material
        new.joint = self.joint
        new.attrs = self.attrs
        new.label = ""
        new.trim = self.trim
        new.split, new.comp = self.split, self.comp
        new.draws = new.born = new.recorded = 0
        new.depth = self.depth + 1
        new.line = (self.seed, self.line)
        new.parent = self.index
        new.index = NONE
        new.made = new.emitted = False
        new.settled = None
        return new

    @property
    def scope(self) -> Scope:
        """The scope as a record."""
        return Scope(self.p, self.R, self.s)

    def fit(self, geometry: Geometry, low: Floats, size: Floats) -> None:
        """Take a geometry with its bounding box, as `mesh.fitted` returns them.

        Args:
            geometry: The geometry.
            low: Lowest corner of the box in the scope's axes and length units, shape (3,).
            size: Size of the box, shape (3,).
        """
        self.p = placed(self.p, self.R, vector(low))
        self.s, self.geometry = vector(size), geometry

    def draw(self) -> float:
        """The next random number of the shape, in [0, 1)."""
        self.draws += 1
        return fraction(self.seed, self.draws)

    def saved(self) -> tuple[Any, ...]:
        """The state that a bracket saves."""
        return (
            self.p, self.R, self.s, self.outer, self.geometry, self.material, self.joint, self.attrs,
            self.label, self.trim, self.split, self.comp, self.made, self.line,
        )  # fmt: skip

    def restore(self, state: tuple[Any, ...]) -> None:
        """Restore the state that a bracket saved."""
        (
            self.p, self.R, self.s, self.outer, self.geometry, self.material, self.joint, self.attrs,
            self.label, self.trim, self.split, self.comp, self.made, self.line,
        ) = state  # fmt: skip
