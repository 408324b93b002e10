"""A shape while it is derived, how it looks, and the store that keeps what became of all of them."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.grammar.evaluate.values import mixed
from supple.grammar.geometry.frames import ORIGIN, UPRIGHT, Rotation, Vector
from supple.grammar.geometry.mesh import GROUND, Geometry

WHITE = (1.0, 1.0, 1.0)
NOWHERE = (0, 0)
NONE = -1
WIDTH = 15  # numbers of a scope: position, size, rotation


class Projection(NamedTuple):
    """How texture coordinates are laid over a scope.

    Attributes:
        origin, rotation: The scope that it was set up in, in world before IK; the world's axes for
            a projection along those.
        axes: Indices of its axes that u and v run along.
        size: The length of one image along them, in the shape's unit.
        offset: What is added to u and v.
        scale: What u and v are multiplied by.
        turn: By how much they are turned, degrees.
    """

    origin: Vector
    rotation: Rotation
    axes: tuple[int, int]
    size: tuple[float, float]
    offset: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    turn: float = 0.0


class Layer(NamedTuple):
    """The texture coordinates of one texture layer.

    Attributes:
        number: Which layer: 0 for the colour image, 1 to 9 for the others that CGA knows.
        pending: The projection that `setupProjection` set up.
        projection: The one that `projectUV` used; None for the geometry's own coordinates, which
            are there for layer 0 alone.
    """

    number: int
    pending: Projection | None = None
    projection: Projection | None = None


class Look(NamedTuple):
    """How a shape looks: sRGB colour, and the numbers of a material.

    Attributes:
        color: Red, green and blue, 0 to 1, as `color("#ff0000")` says them.
        opacity: 0 (nothing) to 1.
        name: The material's name.
        texture: The image's path as the rules say it; "" for none.
        roughness: 0 (mirror) to 1.
        metallic: 0 to 1.
        layers: The texture coordinates of the layers that have been spoken of, by number; layer 0
            is drawn, the others are kept.
        more: Other numbers of the material, which are kept and not drawn, by name.
    """

    color: tuple[float, float, float] = WHITE
    opacity: float = 1.0
    name: str = ""
    texture: str = ""
    roughness: float = 1.0
    metallic: float = 0.0
    layers: tuple[Layer, ...] = ()
    more: tuple[tuple[str, Any], ...] = ()

    def layer(self, number: int) -> Layer:
        """The texture coordinates of a layer."""
        return next((one for one in self.layers if one.number == number), Layer(number))

    def with_layer(self, layer: Layer) -> Look:
        """The look with other texture coordinates on one layer."""
        others = [one for one in self.layers if one.number != layer.number]
        return self._replace(layers=tuple(sorted([*others, layer], key=lambda one: one.number)))

    @property
    def projection(self) -> Projection | None:
        """How the colour image lies over the shape; None for the geometry's own coordinates."""
        return self.layer(0).projection

    def drawn(self) -> Look:
        """What of it is drawn: without an image no texture coordinates are."""
        projection = self.projection if self.texture else None
        return self._replace(layers=() if projection is None else (Layer(0, None, projection),))


PLAIN = Look()


class Shape:
    """A shape that a rule is applied to: its scope, what fills it, and what it inherits.

    Attributes:
        name: The name of its rule.
        rule: The rule, or None for a shape that stays as it is.
        args: The rule's arguments.
        p, R, s: Its scope: origin and rotation in world, and size.
        outer: The scope (p, R, s) that the rule or the bracket began with.
        geometry: What fills the scope.
        look: How it looks.
        joint: The joint it hangs on, an index; -1 for none.
        attrs: Attributes that `set` changed, by (prefix, name), or None; never changed in place.
        label: What `label` called it.
        split, comp: (index, total) in the last split and the last comp; comp with its selector.
        seed: Its own seed.
        draws: How many random numbers it has drawn.
        born: How many shapes came from it.
        depth: How many rules lie above it.
        line: The seeds of the shapes it came from, as (the last one's, those above), or None; also
            those of what it was itself when it was noted as a neighbour.
        noted: How often it was noted.
        parent: The index of the shape it came from.
        index: Its own index.
        made: Whether it was given a geometry since the last shape came from it.
        emitted: Whether anything came from it.
        settled: Its scope (p, R, s) and joint when the first shape came from it, or None.
    """

    __slots__ = (
        "R", "args", "attrs", "born", "comp", "depth", "draws", "emitted", "geometry", "index",
        "joint", "label", "line", "look", "made", "name", "noted", "outer", "p", "parent", "rule", "s", "seed",
        "settled", "split",
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
        self.look: Look = PLAIN
        self.joint = NONE
        self.attrs: dict[tuple[str, str], Any] | None = None
        self.label = ""
        self.split: tuple[int, int] = NOWHERE
        self.comp: tuple[Any, ...] = NOWHERE
        self.draws = 0
        self.born = 0
        self.depth = 0
        self.line: Any = None
        self.noted = 0
        self.parent = NONE
        self.index = NONE
        self.made = False
        self.emitted = False
        self.settled: tuple[Vector, Rotation, Vector, int] | None = None

    def emit(self) -> None:
        """Something comes from the shape."""
        if self.settled is None:
            self.settled = (self.p, self.R, self.s, self.joint)
        self.made = False
        self.emitted = True

    def child(self, name: str) -> Shape:
        """A shape that comes from this one, as this one is now."""
        new = Shape.__new__(Shape)
        new.name = name
        new.seed = mixed(self.seed, self.born)
        self.born += 1
        new.rule = None
        new.args = ()
        new.p, new.R, new.s = self.p, self.R, self.s
        new.outer = (self.p, self.R, self.s)
        new.geometry = self.geometry
        new.look = self.look
        new.joint = self.joint
        new.attrs = self.attrs
        new.label = ""
        new.split, new.comp = self.split, self.comp
        new.draws = new.born = new.noted = 0
        new.depth = self.depth + 1
        new.line = (self.seed, self.line)
        new.parent = self.index
        new.index = NONE
        new.made = new.emitted = False
        new.settled = None
        return new

    def saved(self) -> tuple[Any, ...]:
        """What a bracket puts aside."""
        return (
            self.p, self.R, self.s, self.outer, self.geometry, self.look, self.joint, self.attrs,
            self.label, self.split, self.comp, self.made, self.line,
        )  # fmt: skip

    def restore(self, state: tuple[Any, ...]) -> None:
        """What a bracket brings back."""
        (
            self.p, self.R, self.s, self.outer, self.geometry, self.look, self.joint, self.attrs,
            self.label, self.split, self.comp, self.made, self.line,
        ) = state  # fmt: skip


class Store:
    """What became of every shape: a few numbers each, in arrays that grow.

    Attributes:
        parents: The index of the shape each came from, -1 for the first.
        names: An index into `name_list` for each.
        leaves: Whether each is one of those that the derivation ends with.
        scopes: 15 numbers each: position, size, rotation row by row.
        geometries, looks: Indices into `geometry_list` and `look_list`.
        joints: The joint each hangs on, -1 for none.
        labels: Labels by shape, of those that have one.
    """

    def __init__(self) -> None:
        self.parents = array("q")
        self.names = array("q")
        self.leaves = bytearray()
        self.scopes = array("d")
        self.geometries = array("q")
        self.looks = array("q")
        self.joints = array("q")
        self.labels: dict[int, str] = {}
        self.name_list: list[str] = []
        self.geometry_list: list[Geometry] = []
        self.look_list: list[Look] = []
        self._name_index: dict[str, int] = {}
        self._geometry_index: dict[int, int] = {}
        self._look_index: dict[Look, int] = {}

    def __len__(self) -> int:
        return len(self.parents)

    def add(self, shape: Shape, *, leaf: bool) -> int:
        """Keep a shape as it is now; its index."""
        index = len(self.parents)
        self.parents.append(shape.parent)
        self.names.append(self._of(self._name_index, self.name_list, shape.name))
        self.leaves.append(leaf)
        self.scopes.extend(shape.p + shape.s + shape.R)
        self.geometries.append(self._geometry(shape.geometry))
        self.looks.append(self._of(self._look_index, self.look_list, shape.look))
        self.joints.append(shape.joint)
        if shape.label:
            self.labels[index] = shape.label
        return index

    def end(self, shape: Shape, *, leaf: bool) -> None:
        """Keep a shape as its rule left it, or as it was when the first shape came from it."""
        index = shape.index
        self.leaves[index] = leaf
        if leaf or shape.settled is None:
            p, R, s, joint = shape.p, shape.R, shape.s, shape.joint
        else:
            p, R, s, joint = shape.settled
        if (p, R, s) != shape.outer:
            self.scopes[WIDTH * index : WIDTH * (index + 1)] = array("d", p + s + R)
        self.geometries[index] = self._geometry(shape.geometry)
        self.looks[index] = self._of(self._look_index, self.look_list, shape.look)
        self.joints[index] = joint
        if shape.label:
            self.labels[index] = shape.label

    @staticmethod
    def _of(index: dict[Any, int], values: list[Any], value: Any) -> int:
        found = index.get(value)
        if found is None:
            found = index[value] = len(values)
            values.append(value)
        return found

    def _geometry(self, geometry: Geometry) -> int:
        found = self._geometry_index.get(id(geometry))
        if found is None:
            found = self._geometry_index[id(geometry)] = len(self.geometry_list)
            self.geometry_list.append(geometry)  # which keeps it, so that its id stays its own
        return found

    # As arrays ------------------------------------------------------------------------------------

    @property
    def scope_array(self) -> NDArray[np.float64]:
        """All scopes, shape (N, 15): position, size, rotation row by row."""
        return np.frombuffer(self.scopes, dtype=np.float64).reshape(-1, WIDTH)

    def integers(self, which: str) -> NDArray[np.int64]:
        """One of the integer arrays by its name, shape (N,)."""
        return np.frombuffer(getattr(self, which), dtype=np.int64)

    @property
    def leaf_array(self) -> NDArray[np.bool_]:
        """Which shapes are leaves, shape (N,)."""
        return np.frombuffer(self.leaves, dtype=np.uint8).astype(bool)
