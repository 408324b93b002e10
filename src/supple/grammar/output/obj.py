"""Wavefront OBJ: the polygons of an asset, read; grown meshes, written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from supple.errors import SuppleError
from supple.mesh import Mesh


def read_obj(path: Path) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Points (V, 3) and polygons of an OBJ file; materials and the like are left out.

    Raises:
        SuppleError: A line cannot be read: "path:line: ...".
    """
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for k, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0] not in ("v", "f"):
                continue
            try:
                if words[0] == "v":
                    x, y, z = (float(word) for word in words[1:4])
                    points.append((x, y, z))
                    continue
                numbers = [int(word.split("/")[0]) for word in words[1:]]
                face = tuple(n - 1 if n > 0 else len(points) + n for n in numbers)
                if len(face) < 3 or 0 in numbers or min(face) < 0:
                    raise ValueError
                faces.append(face)
            except ValueError:
                said = line.strip()[:60]
                raise SuppleError(f"{path}:{k}: expected a point or a face, got {said!r}") from None
    return np.array(points, dtype=np.float64).reshape(-1, 3), faces


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
        out += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.positions.tolist()]
        out += [f"f {a + base} {b + base} {c + base}" for a, b, c in mesh.faces.tolist()]
        base += len(mesh.positions)
    return "\n".join(out) + "\n", "\n".join(colours.values()) + "\n"


def _material(name: str, mesh: Mesh) -> Iterator[str]:
    material = mesh.material
    assert material is not None
    r, g, b, a = (round(c, 6) for c in material.color)
    yield f"newmtl {name}"
    yield f"Kd {r} {g} {b}"
    yield f"d {a}"
