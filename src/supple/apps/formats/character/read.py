"""Read .character files: bones, sequences, and vertices in the frames of their bones."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
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
from supple.apps.formats.source import Source, distinct, shown
from supple.errors import SuppleError
from supple.model.joints import Axes, Ball, Fixed, Joint
from supple.model.matching import put_rotations
from supple.model.mesh import Mesh, Skin
from supple.model.skeleton import Node, Pose, Skeleton
from supple.rotations import conjugate, from_matrix, multiply

Floats = NDArray[np.float64]

ROTATION_TOLERANCE = 1e-3  # largest entry of R R^T - I of a keyframe; not tuned
ROTATION_ROUNDING = 1e-6  # largest sine of half an angle that rounding matrices to float32 makes


class _Bytes:
    """Reads records one after the other; checks the remaining size before it allocates."""

    def __init__(self, source: Source) -> None:
        self.source, self.at = source, 0

    def take(self, dtype: np.dtype[Any], count: int, what: str) -> NDArray[Any]:
        size = dtype.itemsize * count
        left = len(self.source.data) - self.at
        if size > left:
            self.source.error(
                None, f"expected {count} {what} ({size} bytes), got {left} bytes more: cut off?"
            )
        found = np.frombuffer(self.source.data, dtype, count, self.at)
        self.at += size
        for name in dtype.names or ():
            part = found[name] if what != "bones" or name != "dof" else found[name][:0]
            if part.dtype.kind == "f" and not np.isfinite(part).all():
                self.source.error(None, f"expected finite numbers for the {what}, got others")
        return found

    def count(self, what: str) -> int:
        return int(self.take(np.dtype([("count", "<u4")]), 1, f"number of {what}")["count"][0])


def read(source: Source, *, names: str | os.PathLike[str] | None = None) -> Character:
    """Read a .character file.

    Bones that rotate about all axes without limits become `Ball` joints, others `Axes`, in which axes
    without their option are frozen: keyframes rotate about them, IK does not. Bones without options
    and limits that no keyframe rotates become `Fixed`. The first sequence with fps 0 is the skeleton's
    rest, the second one its pose.

    Args:
        source: The file.
        names: A text file with a name per line: of the bones in order, then of the sequences.

    Raises:
        SuppleError: It is not a .character file of version 1, or is cut off.
    """
    data = _Bytes(source)
    head = data.take(HEAD, 1, "head")[0]
    if head["id"] != FILE_ID or head["version"] != FILE_VERSION:
        given = bytes(source.data[:2])
        source.error(None, f"expected 'G' and version {FILE_VERSION}, got {given!r}")
    bones = data.take(BONE, int(head["numbones"]), "bones")
    if not len(bones):
        source.error(None, "expected at least one bone, got none")
    sequences = data.take(SEQUENCE, data.count("animations"), "animations")
    frames = int(sequences["numframes"].astype(np.int64).sum())
    keys = data.take(SPATIAL, frames * len(bones), "keyframes").reshape(frames, len(bones))
    counts = data.take(COUNTS, 1, "number of vertices")[0]
    total, most = int(counts["numvertices"]), int(counts["maxweights"])
    if most > 65536:
        source.error(None, f"expected at most 65536 attachments of a vertex, got {most}")
    weights = data.take(weight_type(most), total, "vertices")
    normals = data.take(np.dtype([("n", "<f4", 3)]), total, "normals")["n"].astype(np.float64)
    texture = data.take(np.dtype([("t", "<f4", 2)]), total, "texture coordinates")["t"]
    if data.at < len(source.data):
        source.warn(f"{len(source.data) - data.at} bytes after the end are left out")
    bone_names, sequence_names = _names(source, names, len(bones), len(sequences))
    spans = _spans(source, sequences, frames, len(bones))
    turns, places = _keyframes(source, keys)
    skeleton = _skeleton(source, bones, bone_names, sequences, spans, turns, places)
    pose, motions = _motions(skeleton, sequences, sequence_names, spans, turns, places)
    meshes = []
    if total:
        meshes.append(_mesh(source, skeleton, bone_names, weights, normals, texture))
    return Character(skeleton, tuple(meshes), motions, pose, notes=tuple(source.notes))


def _names(
    source: Source, names: str | os.PathLike[str] | None, bones: int, sequences: int
) -> tuple[list[str], list[str]]:
    """Names of bones and sequences, from a file of names or by index."""
    given: list[str] = []
    if names is not None:
        text = bytes(Source.open(names, most=64 << 20).data).decode("utf-8-sig", "replace")
        given = [line.strip() for line in text.splitlines() if line.strip()]
        if len(given) not in (bones, bones + sequences):
            raise SuppleError(
                f"{names}: expected {bones} names of bones, and {sequences} of sequences or none, "
                f"got {len(given)}"
            )
    else:
        source.guess("names are not in this format: bones are called by their index")
    plain = [f"bone {k}" for k in range(bones)]
    others = [f"sequence {k}" for k in range(sequences)]
    found = distinct(given[:bones], source, what="bone") if given else plain
    return found, distinct(given[bones:], source, what="sequence") or others


def _spans(source: Source, sequences: NDArray[Any], frames: int, bones: int) -> list[slice]:
    """The range of keyframes of each sequence."""
    spans = []
    for k, one in enumerate(sequences):
        first, rest = divmod(int(one["index"]), bones)
        last = first + int(one["numframes"])
        if rest or last > frames or first == last:
            source.error(
                None,
                f"animation {k}: expected an index that is a multiple of {bones} and frames up to "
                f"{frames}, got index {one['index']} and {one['numframes']} frames",
            )
        spans.append(slice(first, last))
    return spans


def _keyframes(source: Source, keys: NDArray[Any]) -> tuple[Floats, Floats]:
    """Rotations wxyz (frames, bones, 4) and positions (frames, bones, 3)."""
    matrices = keys["rotation"].astype(np.float64)
    off = np.abs(matrices @ np.swapaxes(matrices, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > ROTATION_TOLERANCE or np.any(np.linalg.det(matrices) < 0):
        source.error(None, f"expected keyframes that are rotations, got matrices off by {off:.3g}")
    u, _, vt = np.linalg.svd(matrices)  # nearest rotations: removes float32 rounding
    return from_matrix(u @ vt), keys["position"].astype(np.float64)


def _skeleton(
    source: Source,
    bones: NDArray[Any],
    names: list[str],
    sequences: NDArray[Any],
    spans: list[slice],
    turns: Floats,
    places: Floats,
) -> Skeleton:
    """Build the skeleton; its rest is the reference sequence."""
    rest = next((k for k, one in enumerate(sequences) if one["fps"] == 0), 0)
    if not len(sequences):
        source.guess("there are no keyframes, so every bone is at its parent")
        turn, place = np.tile((1.0, 0.0, 0.0, 0.0), (len(bones), 1)), np.zeros((len(bones), 3))
    else:
        if sequences[rest]["fps"] != 0:
            source.guess(
                "no sequence has fps 0: the first frame of the first is taken for the rest"
            )
        turn, place = turns[spans[rest].start], places[spans[rest].start]
    swings = multiply(conjugate(turn), turns)[..., 1:]
    rotated = np.linalg.norm(swings, axis=-1).max(axis=0, initial=0.0) > ROTATION_ROUNDING
    nodes = []
    for k, bone in enumerate(bones):
        parent = int(bone["parent"])
        if not -1 <= parent < len(bones):
            source.error(
                None, f"bone {k}: expected a parent from -1 to {len(bones) - 1}, got {parent}"
            )
        above = None if parent < 0 else names[parent]
        joint = _joint(source, k, bone, rotated=bool(rotated[k]))
        nodes.append(Node(names[k], above, place[k], joint, turn[k]))
    try:
        return Skeleton(nodes)
    except SuppleError as error:
        source.error(None, str(error))


def _joint(source: Source, k: int, bone: Any, *, rotated: bool) -> Joint:
    """The joint of a bone.

    Args:
        source: The file.
        k: The index of the bone.
        bone: Its record.
        rotated: True if keyframes rotate it away from the rest, which a `Fixed` joint cannot hold.
    """
    options, dof = int(bone["options"]), [float(x) for x in bone["dof"]]
    if options > 7:
        source.warn(f"bone {k}: options {options} are more than the three rotations: left out")
    letters = "".join(c for bit, c in enumerate("xyz") if options >> bit & 1)
    pairs = list(zip(dof[0::2], dof[1::2], strict=True))
    if any(math.isnan(x) for x in dof) or any(lo > hi for lo, hi in pairs):
        source.error(None, f"bone {k}: expected limits (min, max) of x, y and z, got {shown(dof)}")
    # Two full turns or more are no limit. (0, 0) of a bone that rotates about all axes is none
    # either: files written before limits were set have zeros there.
    unlimited = all(hi - lo >= 4 * math.pi - 1e-6 or (lo, hi) == (0.0, 0.0) for lo, hi in pairs)
    if not letters and not rotated and all(one == (0.0, 0.0) for one in pairs):
        return Fixed()
    if letters == "xyz" and unlimited:
        return Ball()
    frozen = [c for c in "xyz" if c not in letters]
    open_ = [None if hi - lo == math.inf else (lo, hi) for lo, hi in pairs]
    return Axes("xyz", open_, frozen)


def _motions(
    skeleton: Skeleton,
    sequences: NDArray[Any],
    names: list[str],
    spans: list[slice],
    turns: Floats,
    places: Floats,
) -> tuple[Pose, dict[str, Motion]]:
    """The character's pose, and its motions."""
    still = [k for k, one in enumerate(sequences) if one["fps"] == 0 and one["numframes"] == 1]
    pose = skeleton.rest
    if len(still) > 1:
        pose = _poses(skeleton, turns[spans[still[1]]], places[spans[still[1]]])[0]
    motions = {}
    for k, one in enumerate(sequences):
        if k not in still[:2]:
            poses = _poses(skeleton, turns[spans[k]], places[spans[k]])
            motions[names[k]] = Motion(names[k], poses, fps=float(one["fps"]) or 30.0)
    return pose, motions


def _poses(skeleton: Skeleton, turns: Floats, places: Floats) -> Pose:
    """Make poses of local rotations (F, bones, 4) and positions (F, bones, 3) in file order."""
    q = np.tile(skeleton.rest.coordinates, (len(turns), 1))
    offsets = np.tile(skeleton.offsets, (len(turns), 1, 1))
    for k, j in enumerate(skeleton.file_order.tolist()):
        first = int(skeleton.freedom_table.joints.coordinate[j])
        own = multiply(conjugate(skeleton.rotations[j]), turns[:, k])
        put_rotations(skeleton.joints[j], own, q, first)
        offsets[:, j] = places[:, k]
    still = np.array_equal(offsets, np.broadcast_to(skeleton.offsets, offsets.shape))
    return Pose(skeleton, q, None if still else offsets)


def _mesh(
    source: Source,
    skeleton: Skeleton,
    names: list[str],
    weights: NDArray[Any],
    normals: Floats,
    texture: NDArray[Any],
) -> Mesh:
    """Build the mesh, three vertices to a triangle, in the rest pose."""
    most = weights["bone"].shape[1] if weights["bone"].ndim == 2 else 1
    used = np.arange(most) < weights["numweights"][:, None]
    joint = weights["bone"].reshape(len(weights), most)
    amount = weights["weights"].reshape(len(weights), most).astype(np.float64)
    offset = weights["offset"].reshape(len(weights), most, 3).astype(np.float64)
    if np.any(weights["numweights"] > most):
        source.error(None, f"expected at most {most} attachments of a vertex, got more")
    if np.any(used & ((joint < 0) | (joint >= len(names)))):
        source.error(None, f"expected bones 0 to {len(names) - 1} for the vertices, got others")
    joint, amount = np.where(used, joint, 0), np.where(used, np.maximum(amount, 0.0), 0.0)
    frames = skeleton.rest.frames[skeleton.file_order]
    own = Skin.from_table(names, np.linalg.inv(frames), joint, amount)
    if own.corrected:
        source.warn(f"weights of {own.corrected} vertices did not sum to one: normalized")
    sums = amount.sum(axis=1, keepdims=True)
    amount = np.where(sums > 0, amount / np.where(sums > 0, sums, 1.0), np.arange(most) == 0)
    at = np.einsum("vkij,vkj->vki", frames[joint][..., :3, :3], offset) + frames[joint][..., :3, 3]
    points = np.einsum("vk,vki->vi", amount, at)
    apart = np.abs(np.where(amount[..., None] > 0, at - points[:, None], 0.0)).max(initial=0.0)
    if apart > 1e-4 * max(1e-12, float(np.ptp(points, axis=0).max())):
        source.warn(
            "offsets of a vertex give different positions in the rest pose: bound at their weighted mean"
        )
    if len(points) % 3:
        source.warn(f"{len(points)} vertices make no whole triangles: the last are left over")
    faces = np.arange(len(points) // 3 * 3).reshape(-1, 3)
    texcoords = np.column_stack([texture[:, 0], 1.0 - texture[:, 1].astype(np.float64)])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(size > 0, normals / np.where(size > 0, size, 1.0), normals)
    return Mesh("mesh", points, faces, normals, texcoords, skin=own)
