"""Writing what grew as GLB with every geometry once, however often it comes.

Leaves that look alike are placed by EXT_mesh_gpu_instancing, or by nodes of their own where they
are few. They hang on the nodes of their joints, so that the file can be posed too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple import files, rotations
from supple.character import Character
from supple.formats.gltf.buffers import FLOAT, INDICES, UINT16, UINT32, VERTICES, Builder
from supple.formats.gltf.write_materials import write_material
from supple.formats.gltf.write_nodes import Nodes
from supple.grammar.output import meshes as meshing

if TYPE_CHECKING:
    from supple.grammar.output.growth import Growth
    from supple.mesh import Material

Floats = NDArray[np.float64]
EXTENSION = "EXT_mesh_gpu_instancing"
FEW = 16  # leaves that get nodes of their own


def write_glb(growth: Growth, path: Path) -> None:
    """Write what grew, instanced.

    Args:
        growth: What to write.
        path: A .glb file.

    Raises:
        SuppleError: It cannot be written.
    """
    path = files.check_writable(path, "glTF file")
    builder = Builder()
    character = Character(growth.skeleton, (), {}, growth.pose, up="y")
    nodes = Nodes(builder, character, set())
    scopes = growth.store.scope_array
    materials: dict[Any, Material] = {}
    meshes: dict[Any, int] = {}
    moved = _moved(growth)
    for group in meshing.alike(growth.store):
        look = group.look.drawn()
        if look not in materials:
            materials[look] = meshing.material(look, growth._assets.image_path)
        above = growth.figure.root if group.joint < 0 else growth.figure.joints[group.joint].name
        place = moved.get(group.joint)
        if place is not None or look.projection is not None:
            mesh = _written_out(builder, group, scopes, materials[look], growth, place)
            _hang(builder, nodes.index[above], {"name": materials[look].name, "mesh": mesh})
            continue
        key = (id(group.geometry), look)
        if key not in meshes:
            meshes[key] = _mesh(
                builder, group.geometry.triangles, materials[look], bool(look.texture)
            )
        inverse = growth._rest_inverse(group.joint)
        _instances(builder, nodes.index[above], meshes[key], group, scopes, inverse)
    head: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "supple"},
        "scene": 0,
        "scenes": [{"nodes": nodes.roots}],
    }
    if EXTENSION in builder.extensions:
        head["extensionsRequired"] = [EXTENSION]
    files.write(path, builder.glb(head), "glTF file")


def _moved(growth: Growth) -> dict[int, Floats]:
    """For each stretched joint, what happens to its shapes in its own frame, shape (4, 4)."""
    stretches = growth._stretches(growth.pose)
    return {k: T for k, T in enumerate(stretches) if not np.array_equal(T, np.eye(4))}


def _hang(builder: Builder, above: int, item: dict[str, Any]) -> None:
    item["extras"] = {"supple": {"role": "mesh"}}
    node = builder.add("nodes", item)
    builder.tables["nodes"][above].setdefault("children", []).append(node)


def _mesh(builder: Builder, parts: Any, material: Material, textured: bool) -> int:
    """A mesh of vertices, normals, triangles and texture coordinates."""
    points, normals, triangles, texcoords = parts
    attributes = {
        "POSITION": builder.array(points, target=VERTICES, bounds=True),
        "NORMAL": builder.array(normals, target=VERTICES),
    }
    if textured:
        attributes["TEXCOORD_0"] = builder.array(texcoords, target=VERTICES)
    kind = UINT16 if len(points) < 65_535 else UINT32
    primitive = {
        "attributes": attributes,
        "indices": builder.array(triangles.reshape(-1), kind, target=INDICES),
        "material": write_material(builder, material),
    }
    return builder.add("meshes", {"name": material.name, "primitives": [primitive]})


def _written_out(
    builder: Builder,
    group: meshing.Alike,
    scopes: Floats,
    material: Material,
    growth: Growth,
    place: Floats | None,
) -> int:
    """A mesh of all leaves of a group in their joint's frame."""
    vertices = meshing.written_out(group, scopes)
    T = growth._rest_inverse(group.joint)
    if place is not None:
        T = place @ T
    positions = vertices.positions @ T[:3, :3].T + T[:3, 3]
    normals = vertices.normals @ np.linalg.inv(T[:3, :3])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    parts = (positions, normals, vertices.triangles, vertices.texcoords)
    return _mesh(builder, parts, material, bool(group.look.texture))


def _instances(
    builder: Builder,
    above: int,
    mesh: int,
    group: meshing.Alike,
    scopes: Floats,
    inverse: Floats,
) -> None:
    rows = scopes[group.leaves]
    places = rows[:, :3] @ inverse[:3, :3].T + inverse[:3, 3]
    turns = rotations.from_matrix(inverse[:3, :3] @ rows[:, 6:].reshape(-1, 3, 3))
    turns = np.roll(turns, -1, axis=1)  # glTF has xyzw
    sizes = np.where(rows[:, 3:6] > 0, rows[:, 3:6], 1.0)
    if len(rows) <= FEW:
        for p, q, s in zip(places.tolist(), turns.tolist(), sizes.tolist(), strict=True):
            _hang(builder, above, {"mesh": mesh, "translation": p, "rotation": q, "scale": s})
        return
    builder.extensions.add(EXTENSION)
    attributes = {
        "TRANSLATION": builder.array(places, FLOAT),
        "ROTATION": builder.array(turns, FLOAT),
        "SCALE": builder.array(sizes, FLOAT),
    }
    _hang(builder, above, {"mesh": mesh, "extensions": {EXTENSION: {"attributes": attributes}}})
