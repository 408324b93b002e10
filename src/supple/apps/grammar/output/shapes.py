"""The shapes of a growth: lightweight views of the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.grammar.articulation.posed import PosedShapes
from supple.apps.grammar.evaluate.material import Material
from supple.errors import array, text

Floats = NDArray[np.float64]


class GrownShape:
    """One shape of a growth.

    Attributes:
        index: Its index in the order of derivation.
    """

    __slots__ = ("_posed", "index")

    def __init__(self, posed: PosedShapes, index: int) -> None:
        self._posed = posed
        self.index = index

    @property
    def name(self) -> str:
        """The name of its rule, or of a terminal shape."""
        store = self._posed.store
        return store.name_list[store.names[self.index]]

    @property
    def label(self) -> str:
        """Its label; "" for none."""
        return self._posed.store.labels.get(self.index, "")

    @property
    def leaf(self) -> bool:
        """True for a leaf of the shape tree, a terminal shape."""
        return bool(self._posed.store.leaves[self.index])

    @property
    def parent(self) -> GrownShape | None:
        """The parent shape; None for the first."""
        above = self._posed.store.parents[self.index]
        return None if above < 0 else GrownShape(self._posed, above)

    @property
    def children(self) -> tuple[GrownShape, ...]:
        """The child shapes."""
        first, order = self._posed.store.children
        inside = order[first[self.index] : first[self.index + 1]]
        return tuple(GrownShape(self._posed, int(k)) for k in inside)

    @property
    def size(self) -> Floats:
        """Size of the scope after IK, stretch included, shape (3,)."""
        return self._posed.store.scope_array[self.index, 3:6] * self._stretched

    @property
    def _stretched(self) -> Floats:
        """Factors by which IK stretched the scope along its axes, shape (3,)."""
        posed = self._posed
        joint = posed.store.joints[self.index]
        if joint < 0:
            return np.ones(3)
        factors = posed.stretch(joint)
        if np.all(factors == factors[0]):
            return factors
        turned = np.reshape(posed.figure.joints[joint].R, (3, 3)).T  # from world to the joint
        axes = turned @ posed.store.scope_array[self.index, 6:].reshape(3, 3)
        return np.linalg.norm(factors[:, None] * axes, axis=0)

    @property
    def T_world_scope(self) -> Floats:
        """Origin and axes of the scope after IK, without its size, shape (4, 4)."""
        row = self._posed.store.scope_array[self.index]
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = row[6:].reshape(3, 3), row[:3]
        joint = self._posed.store.joints[self.index]
        if joint >= 0:
            T = self._posed.displacements()[joint] @ T
            T[:3, :3] /= self._stretched
        return T

    def point(self, x: float, y: float, z: float) -> Floats:
        """A point in world after IK, from coordinates relative to the scope's size, shape (3,)."""
        T = self.T_world_scope
        return T[:3, :3] @ (array("point", [x, y, z], (3,)) * self.size) + T[:3, 3]

    @property
    def material(self) -> Material:
        """The material."""
        store = self._posed.store
        return store.material_list[store.materials[self.index]]

    @property
    def geometry(self) -> str:
        """Name of its geometry: "box", "face", an asset's name, ..."""
        store = self._posed.store
        return store.geometry_list[store.geometries[self.index]].name

    @property
    def joint(self) -> str | None:
        """Name of the joint that carries it; None for none."""
        joint = self._posed.store.joints[self.index]
        return None if joint < 0 else self._posed.figure.joints[joint].name

    def __repr__(self) -> str:
        size = " x ".join(f"{length:.4g}" for length in self.size)
        return f"GrownShape({self.name}, {size}{', leaf' if self.leaf else ''})"


class Shapes(Sequence[GrownShape]):
    """Shapes of a growth, in the order of derivation."""

    def __init__(self, posed: PosedShapes, indices: NDArray[np.int64] | range) -> None:
        self._posed = posed
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Shapes(self._posed, self._indices[key])
        return GrownShape(self._posed, int(self._indices[key]))

    def named(self, name: str) -> Shapes:
        """The shapes with a name or label."""
        inside = self._inside
        text("name", name)
        mine = [k for k in self._posed.store.named(name) if k in inside]
        return Shapes(self._posed, np.array(mine, dtype=np.int64))

    @property
    def _inside(self) -> Any:
        return self._indices if isinstance(self._indices, range) else set(self._indices.tolist())

    @property
    def names(self) -> dict[str, int]:
        """The number of shapes of each name."""
        store = self._posed.store
        which, counts = np.unique(
            store.integers("names")[np.asarray(self._indices)], return_counts=True
        )
        return {store.name_list[k]: int(n) for k, n in zip(which, counts, strict=True)}

    def __repr__(self) -> str:
        parts = ", ".join(f"{n} {name}" for name, n in list(self.names.items())[:6])
        return f"Shapes({len(self)}: {parts}{', ...' * (len(self.names) > 6)})"
