"""Write a character as .glb, or as .gltf with a .bin beside it."""

from __future__ import annotations

import base64
import json
import os
import urllib.parse
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from supple import files
from supple.apps.character.character import Character
from supple.apps.formats.gltf.buffers import Builder, fingerprint
from supple.apps.formats.gltf.write_bones import bone_mesh
from supple.apps.formats.gltf.write_meshes import write_bones, write_meshes
from supple.apps.formats.gltf.write_motions import turned_joints, write_motions
from supple.apps.formats.gltf.write_nodes import Nodes
from supple.version import __version__

WHAT = "glTF file"


def write(
    character: Character,
    path: str | os.PathLike[str],
    *,
    motion: str | None = None,
    embed: bool = False,
    bones: bool = True,
) -> None:
    """Write a character as glTF 2.0, in its pose.

    What glTF cannot express goes into extras, which `supple.load` reads back: joint kinds and limits,
    the rest of a posed skeleton, tips, tracks, unit and up axis. A model that is not in metres with y
    up gets a root node that rotates and scales it; its own numbers do not change. Programs play the
    first animation: of a character that is posed and has motions, that is an animation of the pose, which
    `supple.load` leaves out.

    Args:
        character: The character.
        path: A .glb file; or a .gltf file, whose data go to a .bin beside it.
        motion: The motion that programs play, which is written first. By default the pose if the
            character is posed, else its first motion.
        embed: Embed the data in the .gltf file.
        bones: Draw the bones of a character without meshes as a skinned mesh of octahedra, for other
            programs; `supple.load` leaves it out.

    Raises:
        SuppleError: The file cannot be written.
    """
    path = files.check_writable(path, WHAT)
    if motion is not None:
        first = {motion: character.motion(motion)}
        character = character.with_(motions={**first, **character.motions})
    builder = Builder()
    kept = character.extras.get("gltf")
    if isinstance(kept, Mapping):
        builder.required |= set(kept.get("required", ()))
    has_meshes = any(len(mesh.faces) for mesh in character.meshes)
    drawn = bone_mesh(character.skeleton) if bones and not has_meshes else None
    nodes = Nodes(builder, character, turned_joints(character), drawn)
    mesh_nodes = write_meshes(builder, nodes, character)
    if drawn is not None:
        write_bones(builder, nodes, drawn)
    show_pose = motion is None and character.is_posed
    write_motions(builder, nodes, character, mesh_nodes, show_pose=show_pose)
    head: dict[str, Any] = {"asset": _asset(character)}
    head |= {"scene": 0, "scenes": [{"nodes": nodes.roots}]}
    if path.suffix.lower() != ".gltf":
        files.write(path, builder.glb(head), WHAT)
    elif embed or not (data := builder.binary()):
        text = base64.b64encode(builder.binary()).decode()
        uri = f"data:application/octet-stream;base64,{text}"
        files.write(path, builder.json(head, uri), WHAT)
    else:
        _write_pair(path, builder, head, data)


def _asset(character: Character) -> dict[str, Any]:
    asset: dict[str, Any] = {"version": "2.0", "generator": f"supple {__version__}"}
    own = character.extras.get("gltf")
    if isinstance(own, Mapping) and own.get("copyright"):
        asset["copyright"] = str(own["copyright"])
    if (character.unit, character.up) != ("m", "y"):
        asset["extras"] = {"supple": {"unit": character.unit, "up": character.up}}
    return asset


def _write_pair(path: Path, builder: Builder, head: dict[str, Any], data: bytes) -> None:
    """Write the .bin and then the .gltf, so that the .gltf on disk always has a matching .bin.

    If the path is a symbolic link, both are written where it points to. An existing .bin belongs to the
    existing .gltf and is not overwritten: the new one gets another name, and the old one is removed
    afterwards.
    """
    path = files.target(path)
    target = path.with_suffix(".bin")
    old = _named_buffer(path)
    if target.exists() and not (target.is_file() and target.read_bytes() == data):
        target = path.with_name(f"{path.stem}.{fingerprint(data)}.bin")
    files.write(target, data, "glTF buffer")
    uri = urllib.parse.quote(target.name, errors="surrogateescape")
    files.write(path, builder.json(head, uri), WHAT)
    if old is not None and old != target:
        with suppress(OSError):
            old.unlink()


def _named_buffer(path: Path) -> Path | None:
    """The .bin that an existing .gltf refers to, if supple wrote both."""
    try:
        root = json.loads(path.read_bytes())
        (buffer,) = root["buffers"]
        name = urllib.parse.unquote(buffer["uri"], errors="surrogateescape")
        ours = root["asset"]["generator"].startswith("supple")
        found = path.with_name(name)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    ours = ours and name.startswith(f"{path.stem}.") and name.endswith(".bin")
    return found if ours and found.is_file() else None
