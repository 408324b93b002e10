"""The store of derived shapes: a tree in arrays."""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.grammar.evaluate.material import Material
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.frames import Rotation, Vector
from supple.apps.grammar.geometry.mesh import Geometry

SCOPE_WIDTH = 15  # scalars of a scope: position, size, rotation row by row
BLOCK_SHAPES = 16_384  # that are moved to the arrays at once; not tuned


Row = tuple[int, str, bool, Vector, Vector, Rotation, Geometry, Material, int]
"""A shape as it is stored: parent, name, leaf, position, size, rotation, geometry, material, joint."""


class Store:
    """The tree of all derived shapes, as growing arrays with one entry per shape.

    Shapes are added to `rows` and moved to the arrays in blocks: `flush` between two shapes and at the end.

    Attributes:
        rows: Shapes that are not yet in the arrays; None for a shape whose rule is being applied.
        base: Number of shapes in the arrays.
        parents: Index of the parent shape, -1 for the first.
        names: Indices into `name_list`.
        leaves: 1 for the leaves of the tree, the terminal shapes.
        scopes: 15 scalars per shape: position, size, rotation row by row.
        geometries, materials: Indices into `geometry_list` and `material_list`.
        joints: Index of the joint that carries the shape, -1 for none.
        labels: Labels by shape index, for shapes that have one.
    """

    def __init__(self) -> None:
        self.rows: list[Row | None] = []
        self.base = 0
        self.parents = array("q")
        self.names = array("q")
        self.leaves = bytearray()
        self.scopes = array("d")
        self.geometries = array("q")
        self.materials = array("q")
        self.joints = array("q")
        self.labels: dict[int, str] = {}
        self.name_list: list[str] = []
        self.geometry_list: list[Geometry] = []
        self.material_list: list[Material] = []
        self._name_index: dict[str, int] = {}
        self._geometry_index: dict[int, int] = {}
        self._material_index: dict[Material, int] = {}

    def __len__(self) -> int:
        return self.base + len(self.rows)

    def begin(self) -> int:
        """Reserve the index of a shape whose rule is applied next."""
        self.rows.append(None)
        return self.base + len(self.rows) - 1

    def end(self, shape: Shape) -> None:
        """Store a shape after its rule: a leaf in its state now, others in that at their first child."""
        leaf = shape.made or not shape.emitted
        if leaf or shape.settled is None:
            p, R, s, joint = shape.p, shape.R, shape.s, shape.joint
        else:
            p, R, s, joint = shape.settled
        self.rows[shape.index - self.base] = (
            shape.parent, shape.name, leaf, p, s, R, shape.geometry, shape.material, joint
        )  # fmt: skip
        if shape.label:
            self.labels[shape.index] = shape.label

    def add_leaf(self, shape: Shape, name: str) -> None:
        """Add a leaf below a shape, in the shape's state."""
        if shape.label:
            self.labels[len(self)] = shape.label
        self.rows.append(
            (shape.index, name, True, shape.p, shape.s, shape.R, shape.geometry, shape.material, shape.joint)
        )  # fmt: skip

    def flush(self) -> None:
        """Move the rows to the arrays; every one must be complete."""
        rows: list[Row] = self.rows  # type: ignore[assignment]
        if not rows:
            return
        self.parents.extend([row[0] for row in rows])
        self.names.extend(self._indices([row[1] for row in rows], self._name_index, self.name_list))
        self.leaves.extend([row[2] for row in rows])
        self.scopes.extend(chain.from_iterable([row[3] + row[4] + row[5] for row in rows]))
        known = self._geometry_index
        for row in rows:
            geometry = row[6]
            if id(geometry) not in known:  # the list keeps it alive, so that its id stays unique
                known[id(geometry)] = len(self.geometry_list)
                self.geometry_list.append(geometry)
        self.geometries.extend([known[id(row[6])] for row in rows])
        # Equal materials are mostly one object: each is hashed once.
        by_id: dict[int, int] = {}
        index, materials = self._material_index, self.material_list
        for row in rows:
            material = row[7]
            if id(material) not in by_id:
                known_index = index.get(material)
                if known_index is None:
                    known_index = index[material] = len(materials)
                    materials.append(material)
                by_id[id(material)] = known_index
        self.materials.extend([by_id[id(row[7])] for row in rows])
        self.joints.extend([row[8] for row in rows])
        self.base += len(rows)
        rows.clear()

    def flush_some(self) -> None:
        """Move the rows to the arrays if there are many."""
        if len(self.rows) >= BLOCK_SHAPES:
            self.flush()

    @staticmethod
    def _indices(values: list[Any], index: dict[Any, int], known: list[Any]) -> list[int]:
        """The index of each value; new values are appended to the list of known ones."""
        for value in dict.fromkeys(values):
            if value not in index:
                index[value] = len(known)
                known.append(value)
        return [index[value] for value in values]

    # As arrays ------------------------------------------------------------------------------------

    @property
    def scope_array(self) -> NDArray[np.float64]:
        """All scopes, shape (N, 15): position, size, rotation row by row."""
        return np.frombuffer(self.scopes, dtype=np.float64).reshape(-1, SCOPE_WIDTH)

    def integers(self, which: str) -> NDArray[np.int64]:
        """An integer array by its attribute's name, shape (N,)."""
        return np.frombuffer(getattr(self, which), dtype=np.int64)

    @property
    def leaf_array(self) -> NDArray[np.bool_]:
        """True for leaves, shape (N,)."""
        return np.frombuffer(self.leaves, dtype=np.uint8).astype(bool)

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(first, order): the children of shape k are order[first[k] : first[k + 1]].

        Computed once; do not add shapes afterwards.
        """
        parents = self.integers("parents")
        order = np.argsort(parents, kind="stable")
        return np.searchsorted(parents[order], np.arange(len(parents) + 1)), order

    def named(self, name: str) -> list[int]:
        """Indices of the shapes with a name or label, in the order of derivation."""
        found = {k for k, label in self.labels.items() if label == name}
        if name in self.name_list:
            which = self.name_list.index(name)
            found |= set(np.flatnonzero(self.integers("names") == which).tolist())
        return sorted(found)
