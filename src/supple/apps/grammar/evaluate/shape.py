"""A shape while it is derived."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.material import PLAIN, Material
from supple.apps.grammar.evaluate.randomness import fraction, mixed
from supple.apps.grammar.geometry.frames import (
    ORIGIN,
    UPRIGHT,
    Rotation,
    Scope,
    Vector,
    placed,
    vector,
)
from supple.apps.grammar.geometry.mesh import GROUND, Geometry
from supple.apps.grammar.geometry.polygons import Floats

NOT_A_PART = (0, 0)
NO_INDEX = -1


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
        line: Its ancestors as a linked list (parent, the parent's line), or None. Recording a shape for
            context queries adds an entry (a seed) for its state at that time.
        recorded: Number of times it was recorded for context queries.
        parent: Index of the parent shape.
        index: Index of the shape itself.
        made: True if it got a geometry after its last child was created.
        emitted: True if it has a child, or ended by NIL.
        settled: The scope (p, R, s) and joint at the creation of the first child, or None.
    """

    # Class attributes are the values that most shapes keep: only others are set on the shape.
    name = ""
    rule: Any = None
    args: tuple[Any, ...] = ()
    p: Vector = ORIGIN
    R: Rotation = UPRIGHT
    s: Vector = (1.0, 0.0, 1.0)
    outer: tuple[Vector, Rotation, Vector] = (ORIGIN, UPRIGHT, (1.0, 0.0, 1.0))
    geometry: Geometry = GROUND
    material: Material = PLAIN
    joint = NO_INDEX
    attrs: dict[tuple[str, str], Any] | None = None
    label = ""
    trim: Any = None
    split: tuple[int, int] = NOT_A_PART
    comp: tuple[Any, ...] = NOT_A_PART
    draws = 0
    born = 0
    depth = 0
    line: Any = None
    recorded = 0
    parent = NO_INDEX
    index = NO_INDEX
    made = False
    emitted = False
    settled: tuple[Vector, Rotation, Vector, int] | None = None
    _seed: int | None = None
    _from: tuple[Any, ...] = ()

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._seed = seed

    @property
    def seed(self) -> int:
        """The shape's own seed, from that of the shape it was created from; computed at its first use."""
        found = self._seed
        if found is None:
            above, *indices = self._from
            found = above.seed
            for index in indices:
                found = mixed(found, index)
            self._seed = found
        return found

    @seed.setter
    def seed(self, value: int) -> None:
        self._seed = value

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
        born = self.born
        new._from = (self, born)
        self.born = born + 1
        new.p, new.R, new.s = p, R, s = self.p, self.R, self.s
        new.outer = (p, R, s)
        new.geometry = self.geometry
        new.material = self.material
        new.joint = self.joint
        new.attrs = self.attrs
        new.trim = self.trim
        new.split = self.split
        new.comp = self.comp
        new.depth = self.depth + 1
        new.line = (self, self.line)
        new.parent = self.index
        return new

    def child_of_part(self, name: str, split: tuple[int, int], p: Vector, s: Vector) -> Shape:
        """As `child` of the part of a split, without a shape for the part.

        Args:
            name: The child's rule.
            split: Index and total of the part.
            p: Position of the part.
            s: Size of the part.
        """
        new = Shape.__new__(Shape)
        new.name = name
        born = self.born
        new._from = (self, born, 0)
        self.born = born + 1
        new.p, new.R, new.s = p, R, s = p, self.R, s
        new.outer = (p, R, s)
        new.geometry = self.geometry
        new.material = self.material
        new.joint = self.joint
        new.attrs = self.attrs
        new.trim = self.trim
        new.split = split
        new.comp = self.comp
        new.depth = self.depth + 1
        new.line = (self, self.line)
        new.parent = self.index
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
