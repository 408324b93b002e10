"""Write SMD: a reference with its mesh in the character's pose, or an animation.

SMD has no separate bind pose: a posed character is written with its vertices skinned, and bound in
that pose.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character, Note
from supple.apps.character.motion import Motion, alike
from supple.apps.formats.single_motion import asked_motion, default_motion, even_frames
from supple.apps.formats.smd.posed_mesh import posed_vertices
from supple.apps.formats.smd.vta_write import UNITLESS_DIGITS, write_shapes
from supple.apps.formats.text_numbers import digits_for, written
from supple.files import write as write_file
from supple.model.matching import euler_along
from supple.model.mesh import Mesh
from supple.model.skeleton import Pose, Skeleton

ORDER = "zyx"

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/bmp": ".bmp", "image/x-tga": ".tga"}

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def write(
    character: Character,
    path: Path,
    *,
    motion: str | Motion | None = None,
    goldsrc: bool = False,
    textures: bool = False,
    shapes: bool = False,
) -> list[Note]:
    """Write a reference SMD, or the SMD of one animation.

    Args:
        character: The character.
        path: The file.
        motion: The motion to write as an animation: a name, or a motion of the same skeleton. By
            default the meshes are written as a reference, or the first motion if there are none.
        goldsrc: Write the nine columns of GoldSrc, with the bone of the greatest weight only.
        textures: Write the images of materials beside the file, where the reader looks for them.
        shapes: Write morph targets beside the file, as a VTA file of the same name, where the reader
            looks for it.

    Returns:
        Notes on what was changed.
    """
    notes: list[Note] = []
    skeleton = character.skeleton
    chosen = asked_motion(character, motion) or default_motion(character, meshes=True)
    nodes = _nodes(skeleton, notes, str(path))
    parts = [b"version 1\n", nodes]
    if chosen is not None:
        times = np.rint(chosen.times * chosen.fps).astype(np.int64)
        if np.any(np.diff(times) <= 0) or np.abs(times - chosen.times * chosen.fps).max() > 1e-3:
            chosen, said = even_frames(chosen, path, any_fps=False)  # SMD does not store it
            notes += said
            times = np.arange(len(chosen))
        if abs(chosen.fps - 30.0) > 1e-6:
            text = f"SMD has no frame rate: load it with fps={chosen.fps:g}"
            notes.append(Note(text, None, str(path)))
        if motion is None and not alike(chosen.poses[0], skeleton.rest):
            text = "an animation has no rest pose: read without a reference, its first frame is the rest"
            notes.append(Note(text, None, str(path)))
        parts.append(_skeleton(chosen.poses, times))
    else:
        if character.motions:
            names = ", ".join(map(repr, character.motions))
            text = f"SMD stores each motion in a separate file; left out: {names}; save each with motion="
            notes.append(Note(text, None, str(path)))
        pose = character.pose
        parts.append(_skeleton(Pose.stack([pose]), np.zeros(1, dtype=np.int64)))
        if character.meshes:
            parts.append(_triangles(character, goldsrc, notes, str(path)))
            if textures:
                notes += _images(character, path)
            if shapes and any(mesh.morphs for mesh in character.meshes):
                notes += write_shapes(character, path.with_suffix(".vta"), nodes)
    if character.up not in (None, "z"):
        text = f"the up axis is {character.up}, and stays so; SMD programs expect z"
        notes.append(Note(text, None, str(path)))
    write_file(path, b"".join(parts), "SMD file")
    return notes


def _images(character: Character, path: Path) -> list[Note]:
    """Write the base color image of each material beside the file."""
    notes: list[Note] = []
    for mesh in character.meshes:
        image = mesh.material.texture if mesh.material is not None else None
        if image is None or not image.data:
            continue
        ending = _ENDINGS.get(image.mime) or Path(image.name).suffix or ".png"
        name = _material(mesh).decode().replace("\\", "/").rpartition("/")[2]
        stem = name.rpartition(".")[0] or name
        if stem in ("", ".", ".."):
            continue
        place = path.with_name(stem + ending)
        if place.is_file() and _other(place, image.data):
            notes.append(Note(f"{place.name} was another image: replaced", None, str(path)))
        write_file(place, image.data, "texture")
    return notes


def _other(path: Path, data: bytes) -> bool:
    """True if a file holds other data, or cannot be read."""
    try:
        return path.stat().st_size != len(data) or path.read_bytes() != data
    except OSError:
        return True


def _nodes(skeleton: Skeleton, notes: list[Note], path: str) -> bytes:
    number = {node.name: k for k, node in enumerate(skeleton.nodes)}
    lines = ["nodes"]
    for k, node in enumerate(skeleton.nodes):
        name = " ".join(node.name.replace('"', "'").split())
        if name != node.name:
            notes.append(Note(f"bone {node.name!r} is called {name!r}", None, path))
        above = -1 if node.parent is None else number[node.parent]
        lines.append(f'{k} "{name}" {above}')
    return "\n".join([*lines, "end", ""]).encode()


def _skeleton(poses: Pose, times: Ints) -> bytes:
    """The skeleton section: every bone of every frame."""
    skeleton = poses.skeleton
    order = skeleton.file_order
    places = poses.local_translations[:, order]
    turns = poses.local_rotations[:, order]
    count = len(order)
    rows = np.empty((len(poses), count, 7))
    rows[..., 0] = np.arange(count)
    rows[..., 1:4] = places
    for k in range(count):
        rows[:, k, 4:] = euler_along(ORDER, turns[:, k])[:, ::-1]
    fine = digits_for(float(np.abs(places).max(initial=0.0)))
    text = written(rows.reshape(-1, 7), np.array([0, fine, fine, fine, *[UNITLESS_DIGITS] * 3]))
    lines = text.split(b"\n")
    parts = [b"skeleton"]
    for f, time in enumerate(times.tolist()):
        parts.append(b"time %d" % time)
        parts += lines[f * count : (f + 1) * count]
    return b"\n".join([*parts, b"end", b""])


def _triangles(character: Character, goldsrc: bool, notes: list[Note], path: str) -> bytes:
    parts = [b"triangles"]
    pose = character.pose
    number = {node.name: k for k, node in enumerate(character.skeleton.nodes)}
    moved = False
    for mesh in character.meshes:
        if not len(mesh.faces):
            continue
        positions, normals, here = posed_vertices(mesh, pose)
        moved |= not here
        lines = _corners(mesh, positions, normals, number, goldsrc, character.skeleton)
        material = _material(mesh)
        for a, b, c in mesh.faces.tolist():
            parts += [material, lines[a], lines[b], lines[c]]
    if moved:
        text = "vertices are bound where they stand now: SMD has no bind pose of its own"
        notes.append(Note(text, None, path))
    if len(parts) == 1:
        return b""
    return b"\n".join([*parts, b"end", b""])


def _material(mesh: Mesh) -> bytes:
    name = mesh.material.name if mesh.material is not None else mesh.name
    plain = " ".join(name.replace("//", "/").split()) or "material"
    return (plain if plain.lower() != "end" else "end_").encode()


def _corners(
    mesh: Mesh,
    positions: Floats,
    normals: Floats,
    number: dict[str, int],
    goldsrc: bool,
    skeleton: Skeleton,
) -> list[bytes]:
    """The line of each vertex."""
    count = len(positions)
    if mesh.skin is not None:
        bones = np.array([number[name] for name in mesh.skin.joints])
        joint, weight = mesh.skin.table(1 if goldsrc else None)
        joint, links = bones[joint], np.diff(mesh.skin.first)
    else:
        roots = [node.name for node in skeleton.nodes if node.parent is None]
        joint = np.full((count, 1), number[mesh.joint or roots[0]])
        weight, links = np.ones((count, 1)), np.ones(count, dtype=np.int64)
    uv = np.zeros((count, 2)) if mesh.texcoords is None else mesh.texcoords
    fine = digits_for(float(np.abs(positions).max(initial=0.0)))
    base = np.concatenate(
        [joint[:, :1], positions, normals, uv[:, :1], 1.0 - uv[:, 1:]], axis=1, dtype=np.float64
    )
    digits = [0, fine, fine, fine, *[UNITLESS_DIGITS] * 5]
    if goldsrc:
        return written(base, np.array(digits)).split(b"\n")[:count]
    lines: list[bytes] = [b""] * count
    for size in np.unique(links).tolist():
        mine = np.flatnonzero(links == size)
        pairs = np.empty((len(mine), 2 * size))
        pairs[:, 0::2], pairs[:, 1::2] = joint[mine, :size], weight[mine, :size]
        rows = np.concatenate([base[mine], np.full((len(mine), 1), size), pairs], axis=1)
        text = written(rows, np.array([*digits, 0, *[0, UNITLESS_DIGITS] * size])).split(b"\n")
        for k, line in zip(mine.tolist(), text, strict=False):
            lines[k] = line
    return lines
