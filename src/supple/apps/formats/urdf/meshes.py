"""Read the visuals of a URDF robot: boxes, cylinders, spheres and mesh files."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from supple import rotations
from supple.apps.formats.collada import read_collada
from supple.apps.formats.source import Source, shown
from supple.apps.formats.urdf.elements import (
    Look,
    Vector,
    Visual,
    needed,
    numbers,
    read_look,
    read_visuals,
)
from supple.apps.formats.urdf.solids import Reader
from supple.apps.formats.xml import children, tag
from supple.errors import SuppleError
from supple.model.mesh import Material, Mesh

LARGEST_MESH_BYTES = 256 << 20  # size limit of a mesh file [B]
READABLE = (".stl", ".obj", ".ply", ".glb", ".dae")  # formats for which no further file is opened


def read_meshes(source: Source, root: Any, carrier: dict[str, str]) -> tuple[Mesh, ...]:
    """Read the visuals of all links as rigid meshes; unreadable ones are noted and left out.

    Args:
        source: The file.
        root: Its root element.
        carrier: The joint that carries each link.
    """
    try:
        import trimesh  # noqa: F401
    except ImportError:
        raise SuppleError("URDF meshes need trimesh: pip install 'supple[robot]'") from None
    colors = _colors(root)
    meshes = []
    for link in children(root, "link"):
        for k, visual in enumerate(read_visuals(source, link)):
            name = visual.name or (link.get("name") if k == 0 else f"{link.get('name')} {k + 1}")
            try:
                mesh = _mesh(source, visual, name, colors, carrier[link.get("name")])
            except Exception as error:  # degenerate numbers, refused by us or by trimesh
                source.warn(f"{shown(name)} is left out: {error}", line=visual.line)
                continue
            if mesh is not None:
                meshes.append(mesh)
    return tuple(meshes)


def _colors(root: Any) -> dict[str | None, Vector]:
    """The colors of the materials that visuals name; invalid ones are left out."""
    colors: dict[str | None, Vector] = {}
    for material in children(root, "material"):
        with suppress(SuppleError):
            look = read_look(material)
            if look.color is not None:
                colors[look.name] = look.color
    return colors


def _mesh(
    source: Source, visual: Visual, name: str, colors: dict[str | None, Vector], joint: str
) -> Mesh | None:
    """A visual as a rigid mesh; None, and a note, if its shape cannot be read."""
    shape = _shape(source, visual.shape, name)
    if shape is None:
        return None
    positions, faces = shape
    positions = rotations.rotate(visual.rotation, positions) + visual.position
    return Mesh(name, positions, faces, material=_material(visual.look, colors), joint=joint)


def _material(look: Look | None, colors: dict[str | None, Vector]) -> Material | None:
    if look is None:
        return None
    color = look.color or colors.get(look.name) or (0.8, 0.8, 0.8, 1.0)
    return Material(look.name or "material", color=color)


def _shape(source: Source, shape: Any, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (V, 3) in the visual's frame and faces (F, 3)."""
    from trimesh import creation

    kind = tag(shape)
    if kind == "mesh":
        scale = numbers("scale", shape.get("scale"), 3, (1.0, 1.0, 1.0))
        return _file(source, shape.get("filename") or "", scale, name)
    if kind == "box":
        made = creation.box(extents=np.array(needed(shape, "size", 3)))
    elif kind == "cylinder":
        (radius,), (length,) = needed(shape, "radius"), needed(shape, "length")
        made = creation.cylinder(radius, length, sections=32)
    else:
        made = creation.icosphere(subdivisions=2, radius=needed(shape, "radius")[0])
    return np.asarray(made.vertices), np.asarray(made.faces)


def collision_reader(source: Source) -> Reader:
    """A function that reads a collision's mesh file, given name and scale, or notes why it cannot."""
    read: dict[str, tuple[np.ndarray, np.ndarray] | None] = {}

    def reader(name: str, scale: Any) -> tuple[np.ndarray, np.ndarray] | None:
        if name not in read:
            read[name] = _file(source, name, (1.0, 1.0, 1.0), name)
        found = read[name]
        return None if found is None else (found[0] * scale, found[1])

    return reader


def _file(
    source: Source, filename: str, scale: Vector, name: str
) -> tuple[np.ndarray, np.ndarray] | None:
    import trimesh

    path = _place(source, filename)
    if path.suffix.lower() not in READABLE:
        source.warn(
            f"{shown(name)}: cannot read {path.suffix or 'such'} meshes "
            f"({', '.join(READABLE)} are read): left out"
        )
        return None
    try:
        data = source.beside(str(path), most=LARGEST_MESH_BYTES)
        if path.suffix.lower() == ".dae":
            vertices, faces = read_collada(Source(source.path.parent / path, data))
            return vertices * scale, faces
        made: Any = trimesh.load(
            io.BytesIO(data), file_type=path.suffix[1:].lower(), force="mesh", process=False
        )
        return np.asarray(made.vertices) * scale, np.asarray(made.faces)
    except SuppleError as error:
        source.warn(f"{shown(name)} is left out: {error}")
    except Exception as error:  # trimesh raises many kinds for bad files
        source.warn(f"{shown(name)} is left out: {shown(filename)}: {error}")
    return None


def _place(source: Source, name: str) -> PurePosixPath:
    """The path of a mesh file relative to the robot's folder.

    A `package://NAME/...` is taken in the package of that name (`Source.package`), or else is searched in
    the folders above the robot's, as far as they are allowed: below a folder called NAME, or inside one
    that contains it.
    """
    if not name.startswith("package://"):
        return PurePosixPath(name.removeprefix("file://"))
    parts = PurePosixPath(name.removeprefix("package://")).parts
    own = source.path.parent.resolve()
    package = source.package(parts[0]) if parts else None
    inside = (package or own).joinpath(*parts[1:])
    if package is not None and inside.is_file():
        return _relative(inside, own)
    home = source.allowed(own)
    above = [one for one in (own, *own.parents) if one.is_relative_to(home)]
    for folder in above if ".." not in parts else []:
        below = [parts[k + 1 :] for k, part in enumerate(parts[:-1]) if part == folder.name]
        for rest in (*below, parts, parts[1:]):
            if folder.joinpath(*rest).is_file():
                return _relative(folder.joinpath(*rest), own)
    # There is no such file: for the message, the path where it should be.
    return PurePosixPath(*parts[1:]) if package is None else _relative(inside, own)


def _relative(path: Path, folder: Path) -> PurePosixPath:
    return PurePosixPath(Path(os.path.relpath(path, folder)).as_posix())
