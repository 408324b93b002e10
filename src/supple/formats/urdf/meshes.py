"""Read the visuals of a URDF robot: boxes, cylinders, spheres and mesh files."""

from __future__ import annotations

import io
import os
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.formats.collada import read_collada
from supple.formats.source import Source, shown
from supple.formats.urdf.solids import Reader
from supple.model.mesh import Material, Mesh

LARGEST = 256 << 20  # size limit of a mesh file [B]
READABLE = (".stl", ".obj", ".ply", ".glb", ".dae")  # formats for which no further file is opened


def read_meshes(source: Source, robot: Any, carrier: dict[str, str]) -> tuple[Mesh, ...]:
    """Read the visuals of all links as rigid meshes; unreadable ones are noted and left out."""
    try:
        import trimesh  # noqa: F401
    except ImportError:
        raise SuppleError("URDF meshes need trimesh: pip install 'supple[robot]'") from None
    colors = {one.name: one.color for one in robot.materials or () if one.color is not None}
    meshes = []
    for link in robot.links:
        for k, visual in enumerate(link.visuals or ()):
            name = visual.name or (link.name if k == 0 else f"{link.name} {k + 1}")
            try:
                mesh = _mesh(source, visual, name, colors, carrier[link.name])
            except Exception as error:  # degenerate numbers, refused by us or by trimesh
                source.warn(f"{shown(name)} is left out: {error}")
                continue
            if mesh is not None:
                meshes.append(mesh)
    return tuple(meshes)


def _mesh(
    source: Source, visual: Any, name: str, colors: dict[str, Any], joint: str
) -> Mesh | None:
    """A visual as a rigid mesh; None, and a note, if its shape cannot be read."""
    shape = _shape(source, visual.geometry, name)
    if shape is None:
        return None
    positions, faces = shape
    if visual.origin is not None:
        T = np.asarray(visual.origin, float)
        positions = positions @ T[:3, :3].T + T[:3, 3]
    return Mesh(name, positions, faces, material=_material(visual.material, colors), joint=joint)


def _material(material: Any, colors: dict[str, Any]) -> Material | None:
    if material is None:
        return None
    color = material.color or colors.get(material.name)
    rgba = (0.8, 0.8, 0.8, 1.0) if color is None else tuple(map(float, color.rgba))
    return Material(material.name or "material", color=rgba)


def _shape(source: Source, geometry: Any, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (V, 3) in the visual's frame and faces (F, 3)."""
    from trimesh import creation

    if geometry.box is not None:
        made = creation.box(extents=np.asarray(geometry.box.size, float))
    elif geometry.cylinder is not None:
        cylinder = geometry.cylinder
        made = creation.cylinder(float(cylinder.radius), float(cylinder.length), sections=32)
    elif geometry.sphere is not None:
        made = creation.icosphere(subdivisions=2, radius=float(geometry.sphere.radius))
    elif geometry.mesh is not None:
        return _file(source, geometry.mesh, name)
    else:
        source.warn(f"{shown(name)} has a shape that is not known: left out")
        return None
    return np.asarray(made.vertices), np.asarray(made.faces)


def collision_reader(source: Source) -> Reader:
    """What reads a mesh file of a collision, given its name and scale; notes what it cannot."""
    read: dict[str, tuple[np.ndarray, np.ndarray] | None] = {}

    def reader(name: str, scale: Any) -> tuple[np.ndarray, np.ndarray] | None:
        if name not in read:
            read[name] = _file(source, SimpleNamespace(filename=name, scale=None), name)
        found = read[name]
        return None if found is None else (found[0] * scale, found[1])

    return reader


def _file(source: Source, mesh: Any, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    import trimesh

    path = _place(source, str(mesh.filename))
    if path.suffix.lower() not in READABLE:
        source.warn(
            f"{shown(name)}: cannot read {path.suffix or 'such'} meshes "
            f"({', '.join(READABLE)} are read): left out"
        )
        return None
    try:
        data = source.beside(str(path), most=LARGEST)
        scale = np.ones(3) if mesh.scale is None else np.broadcast_to(mesh.scale, 3)
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
        source.warn(f"{shown(name)} is left out: {shown(mesh.filename)}: {error}")
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
    # Nothing is there: for the message, where it should be.
    return PurePosixPath(*parts[1:]) if package is None else _relative(inside, own)


def _relative(path: Path, folder: Path) -> PurePosixPath:
    return PurePosixPath(Path(os.path.relpath(path, folder)).as_posix())
