"""The vertices of a mesh in a pose, for SMD and VTA, which store no bind pose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.skinning import skin
from supple.model.mesh import Mesh
from supple.model.skeleton import Pose

# Largest entry of a skinning matrix minus identity in the bind pose: float32 rounding.
BIND_POSE_TOLERANCE = 1e-6

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def posed_vertices(mesh: Mesh, pose: Pose) -> tuple[Floats, Floats, bool]:
    """Skin a mesh.

    Args:
        mesh: The mesh.
        pose: A single pose.

    Returns:
        Positions (V, 3) and unit normals (V, 3) in model space, and True if they are those of the
        bind pose.
    """
    here = mesh.joint is None and not any(morph.weight for morph in mesh.morphs)
    if here and mesh.skin is not None:
        at = [pose.skeleton.index(name) for name in mesh.skin.joints]
        product = pose.frames[at] @ mesh.skin.T_joint_model
        size = 1.0 + np.abs(mesh.positions).max(initial=0.0)
        here = bool(np.abs(product - np.eye(4)).max() <= BIND_POSE_TOLERANCE * size)
    if here:
        given = mesh.normals
        return mesh.positions, _made(mesh.positions, mesh.faces) if given is None else given, True
    if mesh.normals is None:
        positions = skin(mesh, pose)
        return positions, _made(positions, mesh.faces), False
    positions, normals = skin(mesh, pose, normals=True)
    return positions, normals, False


def _made(positions: Floats, faces: Ints) -> Floats:
    """Unit vertex normals: the mean of the triangles' normals, weighted by area."""
    a, b, c = (positions[faces[:, k]] for k in range(3))
    sides = np.cross(b - a, c - a)
    sums = np.zeros_like(positions)
    for k in range(3):
        np.add.at(sums, faces[:, k], sides)
    size = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(size > 0, sums / np.where(size > 0, size, 1.0), (0.0, 0.0, 1.0))
