"""The store of derived shapes: a tree in arrays."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.grammar.evaluate.material import Material
from supple.grammar.evaluate.shape import Shape
from supple.grammar.geometry.mesh import Geometry

WIDTH = 15  # numbers of a scope: position, size, rotation


class Store:
    """The tree of all derived shapes, as growing arrays with one entry per shape.

    Attributes:
        parents: Index of the parent shape, -1 for the first.
        names: Indices into `name_list`.
        leaves: 1 for the leaves of the tree, the terminal shapes.
        scopes: 15 numbers per shape: position, size, rotation row by row.
        geometries, materials: Indices into `geometry_list` and `material_list`.
        joints: Index of the joint that carries the shape, -1 for none.
        labels: Labels by shape index, for shapes that have one.
    """

    def __init__(self) -> None:
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
        return len(self.parents)

    def add(self, shape: Shape, *, leaf: bool) -> int:
        """Add a shape in its current state; returns its index."""
        index = len(self.parents)
        self.parents.append(shape.parent)
        self.names.append(self._of(self._name_index, self.name_list, shape.name))
        self.leaves.append(leaf)
        self.scopes.extend(shape.p + shape.s + shape.R)
        self.geometries.append(self._geometry(shape.geometry))
        self.materials.append(self._of(self._material_index, self.material_list, shape.material))
        self.joints.append(shape.joint)
        if shape.label:
            self.labels[index] = shape.label
        return index

    def end(self, shape: Shape, *, leaf: bool) -> None:
        """Update a shape after its rule: a leaf to its state now, others to that at their first child."""
        index = shape.index
        self.leaves[index] = leaf
        if leaf or shape.settled is None:
            p, R, s, joint = shape.p, shape.R, shape.s, shape.joint
        else:
            p, R, s, joint = shape.settled
        if (p, R, s) != shape.outer:
            self.scopes[WIDTH * index : WIDTH * (index + 1)] = array("d", p + s + R)
        self.geometries[index] = self._geometry(shape.geometry)
        self.materials[index] = self._of(self._material_index, self.material_list, shape.material)
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
            self.geometry_list.append(geometry)  # keeps it alive, so that its id stays unique
        return found

    # As arrays ------------------------------------------------------------------------------------

    @property
    def scope_array(self) -> NDArray[np.float64]:
        """All scopes, shape (N, 15): position, size, rotation row by row."""
        return np.frombuffer(self.scopes, dtype=np.float64).reshape(-1, WIDTH)

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
