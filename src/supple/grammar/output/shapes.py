"""The shapes of a growth, one by one and in numbers: views on the store, made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.grammar.evaluate.shape import Look

if TYPE_CHECKING:
    from supple.grammar.output.growth import Growth

Floats = NDArray[np.float64]


class GrownShape:
    """One shape of a growth: a view, made when it is asked for.

    Attributes:
        index: Its place in the order of derivation.
    """

    __slots__ = ("_growth", "index")

    def __init__(self, growth: Growth, index: int) -> None:
        self._growth = growth
        self.index = index

    @property
    def name(self) -> str:
        """The rule it was derived by, or what the rules call it."""
        store = self._growth.store
        return store.name_list[store.names[self.index]]

    @property
    def label(self) -> str:
        """What `label` called it; "" for nothing."""
        return self._growth.store.labels.get(self.index, "")

    @property
    def leaf(self) -> bool:
        """Whether the derivation ended with it."""
        return bool(self._growth.store.leaves[self.index])

    @property
    def parent(self) -> GrownShape | None:
        """The shape it came from; None for the first."""
        above = self._growth.store.parents[self.index]
        return None if above < 0 else GrownShape(self._growth, above)

    @property
    def children(self) -> tuple[GrownShape, ...]:
        """The shapes that came from it."""
        first, order = self._growth._family
        inside = order[first[self.index] : first[self.index + 1]]
        return tuple(GrownShape(self._growth, int(k)) for k in inside)

    @property
    def size(self) -> Floats:
        """The size of its scope after IK, which may have stretched it, shape (3,)."""
        return self._growth.store.scope_array[self.index, 3:6] * self._stretched

    @property
    def _stretched(self) -> Floats:
        """By how much IK stretched it along the axes of its scope, shape (3,)."""
        growth = self._growth
        joint = growth.store.joints[self.index]
        if joint < 0:
            return np.ones(3)
        factors = growth._stretch(joint, growth.pose)
        if np.all(factors == factors[0]):
            return factors
        turned = np.reshape(growth.figure.joints[joint].R, (3, 3)).T  # from world to the joint
        axes = turned @ growth.store.scope_array[self.index, 6:].reshape(3, 3)
        return np.linalg.norm(factors[:, None] * axes, axis=0)

    @property
    def T_world_scope(self) -> Floats:
        """Where its scope is after IK: origin and axes, shape (4, 4); the size is apart."""
        row = self._growth.store.scope_array[self.index]
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = row[6:].reshape(3, 3), row[:3]
        joint = self._growth.store.joints[self.index]
        if joint >= 0:
            T = self._growth._moves[joint] @ T
            T[:3, :3] /= self._stretched
        return T

    def point(self, x: float, y: float, z: float) -> Floats:
        """A point of its scope, relative to its size, in world after IK, shape (3,)."""
        T = self.T_world_scope
        return T[:3, :3] @ (np.array([x, y, z]) * self.size) + T[:3, 3]

    @property
    def look(self) -> Look:
        """How it looks."""
        store = self._growth.store
        return store.look_list[store.looks[self.index]]

    @property
    def geometry(self) -> str:
        """What it is filled with: "box", "face", an asset's name, ..."""
        store = self._growth.store
        return store.geometry_list[store.geometries[self.index]].name

    @property
    def joint(self) -> str | None:
        """The joint of the skeleton that it hangs on; None if it stands still."""
        joint = self._growth.store.joints[self.index]
        return None if joint < 0 else self._growth.figure.joints[joint].name

    def __repr__(self) -> str:
        size = " x ".join(f"{length:.4g}" for length in self.size)
        return f"GrownShape({self.name}, {size}{', leaf' if self.leaf else ''})"


class Shapes(Sequence[GrownShape]):
    """All shapes of a growth, in the order of derivation."""

    def __init__(self, growth: Growth, indices: NDArray[np.int64] | range) -> None:
        self._growth = growth
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Shapes(self._growth, self._indices[key])
        return GrownShape(self._growth, int(self._indices[key]))

    def named(self, name: str) -> Shapes:
        """Those of a name or a label."""
        store = self._growth.store
        found = {k for k, label in store.labels.items() if label == name}
        if name in store.name_list:
            which = store.name_list.index(name)
            found |= set(np.flatnonzero(store.integers("names") == which).tolist())
        mine = [k for k in sorted(found) if k in self._inside]
        return Shapes(self._growth, np.array(mine, dtype=np.int64))

    @property
    def _inside(self) -> Any:
        return self._indices if isinstance(self._indices, range) else set(self._indices.tolist())

    @property
    def names(self) -> dict[str, int]:
        """How many there are of each name."""
        store = self._growth.store
        which, counts = np.unique(
            store.integers("names")[np.asarray(self._indices)], return_counts=True
        )
        return {store.name_list[k]: int(n) for k, n in zip(which, counts, strict=True)}

    def __repr__(self) -> str:
        parts = ", ".join(f"{n} {name}" for name, n in list(self.names.items())[:6])
        return f"Shapes({len(self)}: {parts}{', ...' * (len(self.names) > 6)})"
