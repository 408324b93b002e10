"""Write instanced GLB: every geometry is stored once.

Leaves that share geometry and material are placed by EXT_mesh_gpu_instancing, or by single nodes if
they are few. Small geometries of few leaves, such as ledges cut at corners, are joined into one mesh per
material, so that a town has few draw calls. All are children of their joints' nodes, so that the file can
be posed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import files, rotations
from supple.apps.character.character import Character
from supple.apps.formats.gltf.buffers import (
    ARRAY_BUFFER,
    ELEMENT_ARRAY_BUFFER,
    TYPE_FLOAT,
    TYPE_UINT16,
    TYPE_UINT32,
    Builder,
)
from supple.apps.formats.gltf.write_materials import write_material
from supple.apps.formats.gltf.write_nodes import Nodes
from supple.apps.grammar.articulation.posed import PosedShapes
from supple.apps.grammar.output import meshes as leaf_meshes
from supple.model.mesh import Material

Floats = NDArray[np.float64]
EXTENSION = "EXT_mesh_gpu_instancing"
MOST_SINGLE_NODES = 16  # for leaves of one group; more are instanced; not tuned
MOST_JOINED_VERTICES = 1_000  # of all leaves of a group that is joined with others; not tuned


def write_glb(
    posed: PosedShapes,
    path: Path,
    image_path: Callable[[str], Path | None],
    most_triangles: int,
) -> None:
    """Write an instanced GLB file.

    Args:
        posed: The shapes.
        path: The .glb file.
        image_path: Gives the path of an image by its name in the rules.
        most_triangles: Triangles of leaves that are written out, as those with projected images are.

    Raises:
        SuppleError: The file cannot be written, or there are more triangles to write out.
    """
    path = files.check_writable(path, "glTF file")
    builder = Builder()
    character = Character(posed.skeleton, (), {}, posed.pose, up="y")
    nodes = Nodes(builder, character, set())
    scopes = posed.store.scope_array
    materials: dict[Any, Material] = {}
    meshes: dict[Any, int] = {}
    joined: dict[Any, list[leaf_meshes.Vertices]] = {}
    stretched = _stretched(posed)

    def is_joined(group: leaf_meshes.LeafGroup) -> bool:
        projected = group.material.drawn().projection is not None
        return group.joint in stretched or projected or _is_small(group)

    groups = leaf_meshes.leaf_groups(posed.store)
    leaf_meshes.check_triangles([group for group in groups if is_joined(group)], most_triangles)
    for group in groups:
        drawn = group.material.drawn()
        if drawn not in materials:
            materials[drawn] = leaf_meshes.mesh_material(drawn, image_path)
        if is_joined(group):
            vertices = leaf_meshes.group_vertices(group, scopes)
            joined.setdefault((group.joint, drawn), []).append(vertices)
            continue
        key = (id(group.geometry), drawn)
        if key not in meshes:
            meshes[key] = _mesh(
                builder, group.geometry.triangles, materials[drawn], textured=bool(drawn.texture)
            )
        node = nodes.index[posed.joint_name(group.joint)]
        _instances(builder, node, meshes[key], group, scopes, posed.rest_inverse(group.joint))
    for (joint, drawn), parts in joined.items():
        T = stretched.get(joint, np.eye(4)) @ posed.rest_inverse(joint)
        mesh = _joined_mesh(builder, parts, materials[drawn], T, textured=bool(drawn.texture))
        node = nodes.index[posed.joint_name(joint)]
        _add_child(builder, node, {"name": materials[drawn].name, "mesh": mesh})
    head: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "supple"},
        "scene": 0,
        "scenes": [{"nodes": nodes.roots}],
    }
    if EXTENSION in builder.extensions:
        head["extensionsRequired"] = [EXTENSION]
    files.write(path, builder.glb(head), "glTF file")


def _stretched(posed: PosedShapes) -> dict[int, Floats]:
    """The stretch of each stretched joint in its own frame, shape (4, 4) each."""
    stretches = posed.stretches()
    return {k: T for k, T in enumerate(stretches) if not np.array_equal(T, np.eye(4))}


def _add_child(builder: Builder, above: int, item: dict[str, Any]) -> None:
    item["extras"] = {"supple": {"role": "mesh"}}
    node = builder.add("nodes", item)
    builder.tables["nodes"][above].setdefault("children", []).append(node)


def _mesh(builder: Builder, parts: Any, material: Material, *, textured: bool) -> int:
    """Add a mesh of vertices, normals, triangles and texture coordinates."""
    points, normals, triangles, texcoords = parts
    attributes = {
        "POSITION": builder.array(points, target=ARRAY_BUFFER, bounds=True),
        "NORMAL": builder.array(normals, target=ARRAY_BUFFER),
    }
    if textured:
        attributes["TEXCOORD_0"] = builder.array(texcoords, target=ARRAY_BUFFER)
    kind = TYPE_UINT16 if len(points) < 65_535 else TYPE_UINT32
    primitive = {
        "attributes": attributes,
        "indices": builder.array(triangles.reshape(-1), kind, target=ELEMENT_ARRAY_BUFFER),
        "material": write_material(builder, material),
    }
    return builder.add("meshes", {"name": material.name, "primitives": [primitive]})


def _is_small(group: leaf_meshes.LeafGroup) -> bool:
    """True if a group is no larger written out than as a separate mesh with nodes."""
    count = len(group.leaves)
    return count == 1 or (
        count <= MOST_SINGLE_NODES and count * group.geometry.corner_count <= MOST_JOINED_VERTICES
    )


def _joined_mesh(
    builder: Builder,
    parts: list[leaf_meshes.Vertices],
    material: Material,
    T: Floats,
    *,
    textured: bool,
) -> int:
    """Add one mesh of the vertices of several groups, mapped from world to their joint's frame by T."""
    firsts = np.cumsum([0, *(len(one.positions) for one in parts)])
    triangles = [one.triangles + k for one, k in zip(parts, firsts[:-1], strict=True)]
    positions = np.concatenate([one.positions for one in parts]) @ T[:3, :3].T + T[:3, 3]
    normals = np.concatenate([one.normals for one in parts]) @ np.linalg.inv(T[:3, :3])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    texcoords = np.concatenate([one.texcoords for one in parts])
    joined = (positions, normals, np.concatenate(triangles), texcoords)
    return _mesh(builder, joined, material, textured=textured)


def _instances(
    builder: Builder,
    above: int,
    mesh: int,
    group: leaf_meshes.LeafGroup,
    scopes: Floats,
    inverse: Floats,
) -> None:
    rows = scopes[group.leaves]
    translations = rows[:, :3] @ inverse[:3, :3].T + inverse[:3, 3]
    quaternions = rotations.from_matrix(inverse[:3, :3] @ rows[:, 6:].reshape(-1, 3, 3))
    quaternions = np.roll(quaternions, -1, axis=1)  # glTF: xyzw
    scales = np.where(rows[:, 3:6] > 0, rows[:, 3:6], 1.0)
    if len(rows) <= MOST_SINGLE_NODES:
        for p, q, s in zip(
            translations.tolist(), quaternions.tolist(), scales.tolist(), strict=True
        ):
            _add_child(builder, above, {"mesh": mesh, "translation": p, "rotation": q, "scale": s})
        return
    builder.extensions.add(EXTENSION)
    attributes = {
        "TRANSLATION": builder.array(translations, TYPE_FLOAT),
        "ROTATION": builder.array(quaternions, TYPE_FLOAT),
        "SCALE": builder.array(scales, TYPE_FLOAT),
    }
    _add_child(
        builder, above, {"mesh": mesh, "extensions": {EXTENSION: {"attributes": attributes}}}
    )
