"""Write VTA: the morph targets of a character as the shapes of its SMD mesh.

There is a vertex for each corner of each triangle, in the order of the SMD file; a shape lists those
that it moves. Its name is a comment after its time, where other programs put it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character, Note
from supple.apps.formats.smd.posed_mesh import posed_vertices
from supple.apps.formats.text_numbers import digits_for, written
from supple.files import write as write_file
from supple.model.mesh import Mesh, Morph
from supple.model.skeleton import Pose

UNITLESS_DIGITS = 9  # after the point, of angles, normals, texture coordinates and weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def write_shapes(character: Character, path: Path, nodes: bytes) -> list[Note]:
    """Write the VTA file of a character's morph targets.

    Args:
        character: The character, in its pose.
        path: The file.
        nodes: The nodes section of its SMD file.

    Returns:
        Notes on what was changed.
    """
    notes: list[Note] = []
    meshes = [mesh for mesh in character.meshes if len(mesh.faces)]
    labelled = [dict(zip(_labels(mesh), mesh.morphs, strict=True)) for mesh in meshes]
    names = list(dict.fromkeys(label for labels in labelled for label in labels))
    if any(morph.weight for mesh in meshes for morph in mesh.morphs):
        text = "weights of morph targets at rest are in the mesh now; a VTA has none"
        notes.append(Note(text, None, str(path)))
    shapes: list[list[bytes]] = [[] for _ in range(1 + len(names))]
    begin = 0
    for mesh, labels in zip(meshes, labelled, strict=True):
        positions, normals, here = posed_vertices(mesh, character.pose)
        base = np.concatenate([positions, normals], axis=1)
        digits = _digits(positions)
        corners = mesh.faces.reshape(-1)
        numbers = begin + np.arange(len(corners))
        shapes[0].append(_rows(numbers, base[corners], digits))
        for shape, name in zip(shapes[1:], names, strict=True):
            if name in labels:
                moved = _shaped(mesh, labels[name], base, character.pose, here)
                mine = np.flatnonzero(np.any(moved != base, axis=1)[corners])
                shape.append(_rows(numbers[mine], moved[corners[mine]], digits))
        begin += len(corners)
    marks = [b"time 0"]
    for k, name in enumerate(names, 1):
        plain = " ".join(name.split())
        if plain != name:
            notes.append(Note(f"morph {name!r} is called {plain!r}", None, str(path)))
        marks.append(b"time %d # %s" % (k, plain.encode()))
    parts = [b"version 1\n", nodes, b"skeleton\n", *(mark + b"\n" for mark in marks), b"end\n"]
    parts.append(b"vertexanimation\n")
    for mark, rows in zip(marks, shapes, strict=True):
        parts += [mark, b"\n", *rows]
    write_file(path, b"".join([*parts, b"end\n"]), "VTA file")
    return notes


def _labels(mesh: Mesh) -> list[str]:
    """Unique names of a mesh's morphs."""
    found: list[str] = []
    for morph in mesh.morphs:
        label, number = morph.name, 2
        while label in found:
            label, number = f"{morph.name} {number}", number + 1
        found.append(label)
    return found


def _shaped(mesh: Mesh, morph: Morph, base: Floats, pose: Pose, here: bool) -> Floats:
    """Positions and normals (V, 6) with one morph at full weight on top of the weights at rest."""
    if here:
        moved = base.copy()
        for part, change in ((slice(0, 3), morph.positions), (slice(3, 6), morph.normals)):
            if change is not None:
                moved[:, part] += change
        return moved
    more = replace(morph, weight=morph.weight + 1.0)
    morphs = tuple(more if one is morph else one for one in mesh.morphs)
    positions, normals, _ = posed_vertices(replace(mesh, morphs=morphs), pose)
    if mesh.normals is None or morph.normals is None:
        normals = base[:, 3:]  # computed ones, or unchanged by the morph
    return np.concatenate([positions, normals], axis=1)


def _digits(positions: Floats) -> Ints:
    fine = digits_for(float(np.abs(positions).max(initial=0.0)))  # as in the SMD file
    return np.array([0, fine, fine, fine, *[UNITLESS_DIGITS] * 3])


def _rows(numbers: Ints, values: Floats, digits: Ints) -> bytes:
    return written(np.column_stack([numbers.astype(np.float64), values]), digits)
