"""Write Wavefront OBJ: the meshes in the character's pose, without skeleton and skin."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.apps.character.character import Character
from supple.apps.character.skinning import skin
from supple.apps.formats.text_numbers import digits_for, written
from supple.errors import SuppleError
from supple.files import write as write_file

UNITLESS_DIGITS = 6  # after the point, of normals and texture coordinates


def write(character: Character, path: Path) -> None:
    """Write a character's meshes, skinned in its pose, as OBJ.

    Args:
        character: The character.
        path: The file.

    Raises:
        SuppleError: The character has no meshes, or the file cannot be written.
    """
    if not character.meshes:
        raise SuppleError(f"{path}: expected a character with meshes, which OBJ holds; got none")
    parts: list[bytes] = []
    places = texcoords = normals = 0
    for mesh in character.meshes:
        parts.append(b"o %s\n" % _word(mesh.name))
        if mesh.material is not None:
            parts.append(b"usemtl %s\n" % _word(mesh.material.name))
        if mesh.normals is None:
            positions, directions = skin(mesh, character.pose), None
        else:
            positions, directions = skin(mesh, character.pose, normals=True)
        fine = digits_for(float(np.abs(positions).max(initial=0.0)))
        parts.append(_lines(b"v ", positions, fine))
        columns = [1 + places + mesh.faces]
        form = "{}"
        if mesh.texcoords is not None:
            flipped = mesh.texcoords * (1.0, -1.0) + (0.0, 1.0)
            parts.append(_lines(b"vt ", flipped, UNITLESS_DIGITS))
            columns.append(1 + texcoords + mesh.faces)
            form += "/{}"
            texcoords += len(flipped)
        if directions is not None:
            parts.append(_lines(b"vn ", directions, UNITLESS_DIGITS))
            columns.append(1 + normals + mesh.faces)
            form += "/{}" if mesh.texcoords is not None else "//{}"
            normals += len(directions)
        corners = np.stack(columns, axis=-1).tolist()
        parts += [
            ("f " + " ".join(form.format(*corner) for corner in face) + "\n").encode()
            for face in corners
        ]
        places += len(positions)
    write_file(path, b"".join(parts), "OBJ file")


def _lines(word: bytes, values: np.ndarray, digits: int) -> bytes:
    text = written(values, np.full(values.shape[1], digits))
    return b"".join(word + line + b"\n" for line in text.splitlines())


def _word(name: str) -> bytes:
    return "_".join(name.split()).encode() or b"_"
