"""Write meshes as Wavefront OBJ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from supple.model.mesh import Mesh

BLOCK_ROWS = 10_000  # of an array that are written at once; not tuned


def write_obj(meshes: Iterable[Mesh], library: str) -> tuple[str, str]:
    """The text of an OBJ file and of its material library.

    Args:
        meshes: Meshes in world coordinates.
        library: The file name of the material library.
    """
    out = ["# grown by supple", f"mtllib {library}"]
    colours: dict[str, str] = {}
    base = 1
    for mesh in meshes:
        out.append(f"o {mesh.name.replace(' ', '_')}")
        if mesh.material is not None:
            name = mesh.material.name.replace(" ", "_")
            out.append(f"usemtl {name}")
            colours[name] = "\n".join(_material(name, mesh))
        for rows in _blocks(mesh.positions):
            out.append("\n".join([f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in rows]))
        for rows in _blocks(mesh.faces):
            out.append("\n".join([f"f {a + base} {b + base} {c + base}" for a, b, c in rows]))
        base += len(mesh.positions)
    return "\n".join(out) + "\n", "\n".join(colours.values()) + "\n"


def _blocks(values: np.ndarray) -> Iterator[list[list[Any]]]:
    """The rows of an array as lists, in blocks: as Python numbers they take ten times the memory."""
    for k in range(0, len(values), BLOCK_ROWS):
        yield values[k : k + BLOCK_ROWS].tolist()


def _material(name: str, mesh: Mesh) -> Iterator[str]:
    material = mesh.material
    assert material is not None
    r, g, b, a = (round(c, 6) for c in material.color)
    yield f"newmtl {name}"
    yield f"Kd {r} {g} {b}"
    yield f"d {a}"
