"""Write .character files, with a note on joints that a bone record cannot describe."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import files
from supple.apps.character.character import Character, Note
from supple.apps.character.skinning import morphed
from supple.apps.formats.character.layout import (
    BONE,
    COUNTS,
    FILE_ID,
    FILE_VERSION,
    HEAD,
    SEQUENCE,
    SPATIAL,
    weight_type,
)
from supple.apps.formats.single_motion import even_frames
from supple.model.joints import Ball, Fixed, Joint
from supple.model.skeleton import Pose
from supple.rotations import to_matrix


def write(
    character: Character,
    path: str | os.PathLike[str],
    *,
    names: str | os.PathLike[str] | None = None,
) -> list[Note]:
    """Write a character as a .character file.

    Args:
        character: The character. Its rest is the first sequence, with fps 0; its pose, if different,
            the second; then come its motions.
        path: The file.
        names: A text file to write the names of bones and sequences to, which the format does not
            store.

    Returns:
        Notes on what was changed.

    Raises:
        SuppleError: The file cannot be written.
    """
    path = files.check_writable(path, ".character file")
    skeleton = character.skeleton
    odd: list[str] = []
    notes: list[Note] = []
    order = skeleton.file_order
    place = np.argsort(order)  # the file's index of each joint
    bones = np.zeros(len(order), BONE)
    for k, j in enumerate(order.tolist()):
        parent = int(skeleton.parents[j])
        limits, options, exact = bone_limits(skeleton.joints[j])
        with np.errstate(over="ignore"):  # limits beyond single precision are none
            bones[k] = (limits, -1 if parent < 0 else int(place[parent]), options)
        if not exact:
            odd.append(f"{skeleton.joint_names[j]!r} ({type(skeleton.joints[j]).__name__})")
    poses: list[tuple[str, float, Pose]] = [("rest", 0.0, skeleton.rest)]
    if character.pose != skeleton.rest:
        poses.append(("pose", 0.0, character.pose))
    for name, motion in character.motions.items():
        even, said = even_frames(motion, path)
        poses.append((name, even.fps, even.poses))
        notes += said
    sequences = np.zeros(len(poses), SEQUENCE)
    keys = []
    for k, (_, fps, pose) in enumerate(poses):
        rows = _spatial(pose, order)
        sequences[k] = (fps, sum(map(len, keys)) * len(order), len(rows))
        keys.append(rows)
    head = np.array([(FILE_ID, FILE_VERSION, 0, len(bones))], HEAD)
    numbers = np.array([len(poses)], "<u4")
    parts = [head, bones, numbers, sequences, *keys, *_vertices(character, place)]
    files.write(path, b"".join(part.tobytes() for part in parts), ".character file")
    if names is not None:
        lines = [skeleton.joint_names[j] for j in order] + [name for name, _, _ in poses]
        files.write(names, "".join(f"{line}\n" for line in lines), "names of the bones")
    if odd:
        few = ", ".join(odd[:4]) + (", ..." if len(odd) > 4 else "")
        text = f"limits of a bone are about x, y and z, which cannot describe: {few}"
        notes.append(Note(text, None, str(path)))
    return notes


def bone_limits(joint: Joint) -> tuple[list[float], int, bool]:
    """The six limits and the rotation flags of a bone, and True if they describe the joint exactly."""
    free = [-math.inf, math.inf] * 3
    if isinstance(joint, Ball):
        return free, 7, True
    if isinstance(joint, Fixed):
        return [0.0] * 6, 0, True
    angles = [one for one in joint.scalars if not one.slides]
    if len(angles) != len(joint.scalars) or joint.has_quaternion:
        return (free, 7, False) if angles or joint.has_quaternion else ([0.0] * 6, 0, False)
    along = [int(np.argmax(np.abs(one.axis))) for one in angles]
    if any(abs(one.axis[k]) <= 1.0 - 1e-9 for k, one in zip(along, angles, strict=True)):
        return free, 7, False
    limits, options = [0.0] * 6 if len(angles) == 1 and joint.single else list(free), 0
    for k, one, (low, high) in zip(along, angles, joint.limit_rows, strict=True):
        limits[2 * k : 2 * k + 2] = (low, high) if one.axis[k] > 0 else (-high, -low)
        options |= (not one.frozen) << k
    return limits, options, joint.single or along == [0, 1, 2]


def _spatial(pose: Pose, order: NDArray[np.int64]) -> NDArray[Any]:
    """The keyframes of a pose or a batch (F,), bones in file order."""
    turns, places = pose.local_rotations, pose.local_translations
    if not pose.batch_shape:
        turns, places = turns[None], places[None]
    rows = np.zeros((len(turns), len(order)), SPATIAL)
    rows["rotation"] = to_matrix(turns[:, order])
    rows["position"] = places[:, order]
    return rows


def _vertices(character: Character, place: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Counts, weights, normals and texture coordinates of all corners of all triangles."""
    skeleton = character.skeleton
    chunks: list[tuple[Any, ...]] = []
    most = max((one.skin.most for one in character.meshes if one.skin is not None), default=1)
    for mesh in character.meshes:
        corners = mesh.faces.reshape(-1)
        positions, directions = morphed(mesh)  # morph targets are applied at their weights
        if mesh.skin is not None:
            joint, amount = mesh.skin.table(most)
            bones = place[[skeleton.index(name) for name in mesh.skin.joints]]
            binds = mesh.skin.T_joint_model[joint]
        else:
            # Rigid: on its joint, or on the first bone at rest if it has none.
            at = 0 if mesh.joint is None else skeleton.index(mesh.joint)
            joint, amount = (
                np.zeros((len(mesh.positions), most), np.int64),
                np.zeros((len(mesh.positions), most)),
            )
            amount[:, 0] = 1.0
            bones = place[[at]]
            bind = np.linalg.inv(skeleton.rest.frames[0]) if mesh.joint is None else np.eye(4)
            binds = np.broadcast_to(bind, (*joint.shape, 4, 4))
        offset = np.einsum("vkij,vj->vki", binds[..., :3, :3], positions) + binds[..., :3, 3]
        size = np.count_nonzero(amount > 0, axis=1)
        normals = np.zeros_like(positions) if directions is None else directions
        uv = np.zeros((len(mesh.positions), 2)) if mesh.texcoords is None else mesh.texcoords
        if mesh.joint is not None:
            normals = normals @ skeleton.rest.frames[skeleton.index(mesh.joint)][:3, :3].T
        offset = np.where(amount[..., None] > 0, offset, 0.0)
        bone = np.where(amount > 0, bones[joint], -1)
        chunks.append(tuple(x[corners] for x in (size, offset, amount, bone, normals, uv)))
    total = sum(len(chunk[0]) for chunk in chunks)
    rows = np.zeros(total, weight_type(most))
    normals, uv = np.zeros((total, 3), "<f4"), np.zeros((total, 2), "<f4")
    first = 0
    for size, offset, amount, bone, normal, where in chunks:
        part = slice(first, first + len(size))
        rows["numweights"][part] = size
        rows["offset"].reshape(total, most, 3)[part] = offset
        rows["weights"].reshape(total, most)[part] = amount
        rows["bone"].reshape(total, most)[part] = bone
        normals[part] = normal
        uv[part] = np.column_stack([where[:, 0], 1.0 - where[:, 1]])
        first += len(size)
    return [np.array([(total, most)], COUNTS), rows, normals, uv]
