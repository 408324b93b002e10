"""Capsules as meshes: bars, sticks, and the bones of a robot whose own meshes are missing."""

from __future__ import annotations

import numpy as np

from supple.model.capsules import Capsule
from supple.model.mesh import Material, Mesh
from supple.rotations import between, rotate

VERTICES_AROUND = 20  # in each ring
CAP_RINGS = 6  # from the pole to the rim of each cap


def capsule_mesh(name: str, joint: str, one: Capsule, material: Material | None = None) -> Mesh:
    """The surface of a capsule that a joint carries, in that joint's frame."""
    tilt = np.linspace(-np.pi / 2, 0.0, CAP_RINGS + 1)
    low = np.stack(
        [np.cos(tilt), np.sin(tilt)], axis=1
    )  # from the pole to the rim: outwards, along
    rings = np.concatenate([low, low[::-1] * (1.0, -1.0)])
    turn = np.linspace(0.0, 2 * np.pi, VERTICES_AROUND, endpoint=False)
    normals = np.stack(
        [
            rings[:, :1] * np.cos(turn),
            np.broadcast_to(rings[:, 1:], (len(rings), VERTICES_AROUND)),
            -rings[:, :1] * np.sin(turn),
        ],
        axis=-1,
    )
    positions = one.radius * normals
    positions[CAP_RINGS + 1 :, :, 1] += one.length
    first = np.arange(len(rings) - 1)[:, None] * VERTICES_AROUND + np.arange(VERTICES_AROUND)
    beside = (
        np.arange(len(rings) - 1)[:, None] * VERTICES_AROUND
        + (np.arange(VERTICES_AROUND) + 1) % VERTICES_AROUND
    )
    faces = np.concatenate(
        [
            np.stack([first, beside, beside + VERTICES_AROUND], axis=-1).reshape(-1, 3),
            np.stack([first, beside + VERTICES_AROUND, first + VERTICES_AROUND], axis=-1).reshape(
                -1, 3
            ),
        ]
    )
    bone = np.subtract(one.b, one.a)
    spin = between((0.0, 1.0, 0.0), bone / one.length if one.length > 0 else (0.0, 1.0, 0.0))
    return Mesh(
        name,
        rotate(spin, positions.reshape(-1, 3)) + one.a,
        faces,
        normals=rotate(spin, normals.reshape(-1, 3)),
        material=material,
        joint=joint,
    )
