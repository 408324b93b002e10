"""Skinning: the vertices of a mesh in a pose of its skeleton."""

from __future__ import annotations

import math
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, flag, instance, one_of, whole
from supple.kernels.decorators import announce
from supple.kernels.skinning import BLOCK_VERTICES, blend_range, dual_range
from supple.model.mesh import Mesh, Skin
from supple.model.skeleton import Pose
from supple.rotations import from_matrix, multiply
from supple.threads import run_threaded

Floats = NDArray[np.float64]

METHODS = ("linear", "dual")
RIGIDITY_TOLERANCE = 1e-9  # how far from a rotation a matrix may be to count as one


@overload
def skin(
    mesh: Mesh,
    pose: Pose,
    *,
    method: str = ...,
    normals: Literal[False] = ...,
    threads: int | None = ...,
) -> Floats: ...
@overload
def skin(
    mesh: Mesh,
    pose: Pose,
    *,
    method: str = ...,
    normals: Literal[True],
    threads: int | None = ...,
) -> tuple[Floats, Floats]: ...
def skin(
    mesh: Mesh,
    pose: Pose,
    *,
    method: str = "linear",
    normals: bool = False,
    threads: int | None = None,
) -> Floats | tuple[Floats, Floats]:
    """The vertices of a mesh in world space, for one pose or for a batch of them.

    A skinned mesh follows its joints, any number for each vertex; a mesh on a joint follows that
    joint; any other mesh does not move. Morph targets are added with their weights.

    Args:
        mesh: The mesh.
        pose: A pose of the skeleton whose joints the mesh names; batch axes come first in the result.
        method: "linear" blends the joints' matrices, as all tools do; "dual" blends dual quaternions,
            which keeps the volume of a limb that twists. They agree where a vertex has one joint.
        normals: Whether to return unit normals too; the mesh must have some.
        threads: Maximum number of threads; all cores by default. The result does not depend on it.

    Returns:
        Positions, shape (..., V, 3), in the model's unit; with `normals`, also unit normals,
        shape (..., V, 3).

    Raises:
        SuppleError: The pose lacks a joint that the mesh names, or the mesh has no normals.
    """
    one_of("method of skinning", method, METHODS)
    instance("pose", pose, Pose)
    normals = flag("normals", normals)
    if threads is not None:
        threads = whole("threads", threads, least=1)
    points, directions = morphed(instance("mesh", mesh, Mesh))
    if normals and directions is None:
        raise SuppleError(f"mesh {mesh.name!r}: expected one with normals, got none")
    directions = directions if normals and directions is not None else np.zeros((0, 3))
    size, count = math.prod(pose.batch_shape), len(points)
    out = np.empty((size, count, 3))
    out_normals = np.empty((size, len(directions), 3))
    influences = _influences(mesh)
    matrices = _matrices(mesh, pose)
    shape = (*pose.batch_shape, count, 3)
    rows = size * ((count + BLOCK_VERTICES - 1) // BLOCK_VERTICES)
    first, joint, weight, points, directions = map(_still, (*influences, points, directions))
    if method == "linear":
        announce("skinning", blend_range, seconds=3)
        lowered = _still(np.ascontiguousarray(matrices[:, :, :3]).reshape(size, -1, 12))

        def part(row: int, last: int) -> None:
            blend_range(
                lowered, first, joint, weight, points, directions, row, last, out, out_normals
            )
    else:
        announce("dual-quaternion skinning", dual_range, seconds=4)
        duals, stretches = map(_still, dual_quaternions(matrices))

        def part(row: int, last: int) -> None:
            dual_range(
                duals, stretches, first, joint, weight, points, directions, row, last, out,
                out_normals,
            )  # fmt: skip

    run_threaded(part, rows, threads=threads)
    positions = out.reshape(shape)
    return (positions, out_normals.reshape(shape)) if normals else positions


def morphed(mesh: Mesh) -> tuple[Floats, Floats | None]:
    """The positions and normals of a mesh with its morph targets added by their weights.

    Args:
        mesh: The mesh.

    Returns:
        Positions and normals, shape (V, 3), in the space of the mesh; None if it has no normals.
    """
    points, directions = mesh.positions, mesh.normals
    for morph in mesh.morphs:
        if morph.weight:
            if morph.positions is not None:
                points = points + morph.weight * morph.positions
            if morph.normals is not None and directions is not None:
                directions = directions + morph.weight * morph.normals
    return points, directions


def dual_quaternions(matrices: Floats) -> tuple[Floats, Floats]:
    """Matrices as a rotation and a shift after a symmetric stretch.

    Args:
        matrices: Shape (B, J, 4, 4).

    Returns:
        Unit dual quaternions, wxyz and then the dual part, shape (B, J, 8); and the stretches,
        shape (B, J, 9), or (0, J, 9) if there are none. A mirror counts as a stretch.
    """
    linear, shift = matrices[..., :3, :3], matrices[..., :3, 3]
    gram = np.swapaxes(linear, -1, -2) @ linear
    off = np.max(np.abs(gram - np.eye(3)), initial=0.0)
    mirrored = np.any(np.linalg.det(linear) < 0)
    stretches = np.zeros((0, matrices.shape[1], 9))
    if off > RIGIDITY_TOLERANCE or mirrored:
        u, sizes, vt = np.linalg.svd(linear)  # the polar decomposition: rotation, then stretch
        turn = u @ vt
        sign = np.where(np.linalg.det(turn) < 0, -1.0, 1.0)[..., None]
        # A mirror flips the direction of the least stretch, which changes the rotation least.
        u = np.concatenate([u[..., :2], u[..., 2:] * sign[..., None]], axis=-1)
        sizes = np.concatenate([sizes[..., :2], sizes[..., 2:] * sign], axis=-1)
        linear = u @ vt
        stretch = np.swapaxes(vt, -1, -2) @ (sizes[..., None] * vt)
        stretches = stretch.reshape(*matrices.shape[:2], 9)
    real = from_matrix(linear)
    pure = np.concatenate([np.zeros((*shift.shape[:-1], 1)), shift], axis=-1)
    return np.concatenate([real, 0.5 * multiply(pure, real)], axis=-1), stretches


def _influences(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """First, joint and weight; a mesh without a skin has one joint."""
    if mesh.skin is not None:
        return mesh.skin.first, mesh.skin.joint, mesh.skin.weight
    count = len(mesh.positions)
    return np.arange(count + 1), np.zeros(count, np.int64), np.ones(count)


def _matrices(mesh: Mesh, pose: Pose) -> Floats:
    """T_world_model of each joint of a mesh, shape (B, J, 4, 4)."""
    size = math.prod(pose.batch_shape)
    skeleton = pose.skeleton
    if mesh.skin is None and mesh.joint is None:
        return np.broadcast_to(np.eye(4), (size, 1, 4, 4))
    names = mesh.skin.joints if mesh.skin is not None else (str(mesh.joint),)
    at = [skeleton.index(name) for name in names]
    frames = pose.frames.reshape(size, len(skeleton.names), 4, 4)[:, at]
    return frames @ mesh.skin.T_joint_model if isinstance(mesh.skin, Skin) else frames


def _still(values: NDArray) -> NDArray:
    """A read-only, contiguous view, as kernels are compiled for."""
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view
