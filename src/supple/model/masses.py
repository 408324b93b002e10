"""Masses of bones, and the centre of mass of a pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array, number
from supple.model.mesh import Described, kept
from supple.rotations import rotate

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mass(Described):
    """The mass of a bone and its centre.

    Attributes:
        mass: In kg.
        center: The centre of mass in the joint's frame, xyz in the model's unit.
        inertia: About the centre, along the axes of the joint's frame, in kg times the model's unit
            squared, shape (3, 3); None if not known.
    """

    mass: float
    center: Any = (0.0, 0.0, 0.0)
    inertia: Any = None

    def __post_init__(self) -> None:
        value = number("mass", self.mass, "a finite number from 0 [kg]", lambda x: 0 <= x < np.inf)
        self._set("mass", value)
        self._set("center", tuple((array("center of mass", self.center, (3,)) + 0.0).tolist()))
        if self.inertia is not None:
            self._set("inertia", kept(array("inertia", self.inertia, (3, 3))))

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        inertia = None if self.inertia is None else self.inertia.tolist()
        return {"mass": self.mass, "center": list(self.center), "inertia": inertia}


def center_of_mass(
    masses: Mapping[str, Mass | None] | None,
    names: Mapping[str, int],
    positions: Floats,
    rotations: Floats,
    linear: Floats | None,
) -> Floats:
    """The centre of mass of bones in the world, shape (..., 3).

    Args:
        masses: By joint, None for an unknown mass; or None if there are no masses at all.
        names: The index of each joint among the frames.
        positions: World positions of the joints, shape (..., N, 3).
        rotations: World rotations, wxyz, shape (..., N, 4).
        linear: Rotations times scales, shape (..., N, 3, 3); None if there are no scales.

    Raises:
        SuppleError: Masses are not known, or all are 0.
    """
    if masses is None:
        raise SuppleError(
            "center of mass: expected a model with masses, got one without; give them with "
            "skeleton.with_physics(masses=...), or take character.with_masses(), which estimates "
            "them from the volume of its capsules"
        )
    unknown = [name for name, one in masses.items() if one is None]
    if unknown:
        few = ", ".join(map(repr, unknown[:4])) + (", ..." if len(unknown) > 4 else "")
        raise SuppleError(
            f"center of mass: expected the mass of every bone, got none for {few}: the file leaves "
            "it to meshes that were not found, or does not say it; give all with "
            "skeleton.with_physics(masses=...)"
        )
    known = [(names[name], one) for name, one in masses.items() if one is not None and one.mass]
    weights = np.array([one.mass for _, one in known])
    total = float(weights.sum()) if known else 0.0
    if not total > 0:
        raise SuppleError("center of mass: expected a model that weighs something, got 0 kg")
    joints = [j for j, _ in known]
    centers = np.array([one.center for _, one in known])
    if linear is None:
        turned = rotate(rotations[..., joints, :], centers)
    else:
        turned = np.einsum("...jik,jk->...ji", linear[..., joints, :, :], centers)
    return np.einsum("...ji,j->...i", positions[..., joints, :] + turned, weights / total)
