"""Write meshes: primitives with their materials, morph targets and skins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character, Note, report
from supple.apps.formats.gltf.buffers import (
    ARRAY_BUFFER,
    ELEMENT_ARRAY_BUFFER,
    TYPE_UINT16,
    TYPE_UINT32,
    Builder,
)
from supple.apps.formats.gltf.nodes import BONES
from supple.apps.formats.gltf.write_materials import textured, write_material
from supple.apps.formats.gltf.write_nodes import Nodes
from supple.errors import SuppleError
from supple.model.mesh import Mesh, Skin

Floats = NDArray[np.float64]


def write_meshes(builder: Builder, nodes: Nodes, character: Character) -> dict[str, int]:
    """Add all meshes; return the node of each, by name."""
    found: dict[str, int] = {}
    for group in _groups(character):
        node = _placed(builder, nodes, group)
        found |= dict.fromkeys((mesh.name for mesh in group), node)
    return found


def write_bones(builder: Builder, nodes: Nodes, bones: Mesh) -> None:
    """Add the mesh of the bones, with a role by which reading knows its node and its skin."""
    node = builder.tables["nodes"][_placed(builder, nodes, [bones])]
    for item in (node, builder.tables["skins"][node["skin"]]):
        item["extras"] = {"supple": {"role": BONES}}


def _placed(builder: Builder, nodes: Nodes, group: list[Mesh]) -> int:
    """Add the meshes of a group, with their skin, to a node; return the node."""
    node = _node(builder, nodes, group[0])
    where = builder.tables["nodes"][node]
    where["mesh"] = _mesh(builder, nodes, group)
    if group[0].skin is not None:
        where["skin"] = _skin(builder, nodes, group[0].skin)
    return node


def _groups(character: Character) -> list[list[Mesh]]:
    """Group the meshes that were primitives of one glTF mesh; any other is alone."""
    groups: dict[Any, list[Mesh]] = {}
    for k, mesh in enumerate(character.meshes):
        if not len(mesh.faces):
            report([Note(f"mesh {mesh.name!r} has no triangles: left out", None, character.source)])
            continue
        own = _own(mesh)
        held = (mesh.skin.joints, mesh.skin.T_joint_model.tobytes()) if mesh.skin else mesh.joint
        morphs = tuple((morph.name, morph.weight) for morph in mesh.morphs)
        key = (own.get("node"), own.get("mesh"), held, morphs) if own else k
        groups.setdefault(key, []).append(mesh)
    return list(groups.values())


def _own(mesh: Mesh) -> Mapping[str, Any]:
    own = (mesh.extras or {}).get("gltf")
    return own if isinstance(own, Mapping) else {}


def _node(builder: Builder, nodes: Nodes, mesh: Mesh) -> int:
    """The node for a mesh: that of its joint, or a new one that reading does not make a joint."""
    rows = builder.tables["nodes"]
    above = nodes.above
    if mesh.joint is not None:
        above = nodes.index[mesh.joint]
        if "mesh" not in rows[above] and mesh.joint in nodes.skeleton.joint_names:
            return above
    name = _own(mesh).get("node") or mesh.name
    item = {"name": str(name), "extras": {"supple": {"role": "mesh"}}}
    node = builder.add("nodes", item)
    if mesh.skin is not None or above is None:
        nodes.roots.append(node)  # glTF ignores the transform of a skinned node
    else:
        rows[above].setdefault("children", []).append(node)
    return node


def _mesh(builder: Builder, nodes: Nodes, group: list[Mesh]) -> int:
    first = group[0]
    parts = [_primitive(builder, nodes, mesh) for mesh in group]
    item: dict[str, Any] = {"name": str(_own(first).get("mesh") or first.name), "primitives": parts}
    if first.morphs:
        item["weights"] = [morph.weight for morph in first.morphs]
        item["extras"] = {"targetNames": [morph.name for morph in first.morphs]}
    return builder.add("meshes", item)


def _primitive(builder: Builder, nodes: Nodes, mesh: Mesh) -> dict[str, Any]:
    factor = np.ones(3)
    if mesh.joint is not None and mesh.joint in nodes.skeleton.joint_names:
        factor = nodes.factors[nodes.skeleton.index(mesh.joint)]
    plain = bool(np.all(factor == 1.0))

    def vertices(values: Floats, source: Any = None, *, bounds: bool = False) -> int:
        return builder.array(values, target=ARRAY_BUFFER, bounds=bounds, source=source)

    positions = mesh.positions if plain else mesh.positions / factor
    attributes = {"POSITION": vertices(positions, mesh.positions if plain else None, bounds=True)}
    if mesh.normals is not None:
        normals = mesh.normals if plain else mesh.normals * factor
        attributes["NORMAL"] = vertices(_unit(normals), mesh.normals if plain else None)
    if mesh.texcoords is not None:
        attributes["TEXCOORD_0"] = vertices(mesh.texcoords, mesh.texcoords)
    elif mesh.material is not None and textured(mesh.material):
        attributes["TEXCOORD_0"] = vertices(
            np.zeros((len(positions), 2))
        )  # required by the texture
    if mesh.colors is not None:
        attributes["COLOR_0"] = vertices(np.clip(mesh.colors, 0.0, 1.0), mesh.colors)
    for name, values in _others(mesh, attributes):
        attributes[name] = vertices(values)
    mapped = mesh.material is not None and mesh.material.normal_map is not None
    if mapped and "TANGENT" not in attributes and mesh.normals is not None:
        attributes["TANGENT"] = vertices(tangents(mesh))
    if mesh.skin is not None:
        attributes |= _influences(builder, mesh.skin)
    count = len(mesh.positions)
    item: dict[str, Any] = {
        "attributes": attributes,
        "indices": builder.array(
            mesh.faces.reshape(-1),
            TYPE_UINT16 if count < 65535 else TYPE_UINT32,  # 65535 is the primitive restart value
            target=ELEMENT_ARRAY_BUFFER,
            source=mesh.faces,
        ),
    }
    if mesh.material is not None:
        item["material"] = write_material(builder, mesh.material)
    if mesh.morphs:
        item["targets"] = [_target(builder, morph, count, factor) for morph in mesh.morphs]
    return item


def _others(mesh: Mesh, written: dict[str, int]) -> list[tuple[str, Floats]]:
    """Attributes that were read from a glTF file and for which a Mesh has no field."""
    found = []
    for name, values in (_own(mesh).get("attributes") or {}).items():
        values = np.asarray(values, dtype=np.float64)
        if values.ndim != 2 or len(values) != len(mesh.positions) or not 1 <= values.shape[1] <= 4:
            continue
        if name == "TANGENT" and values.shape[1] == 4:
            side = np.where(values[:, 3:] < 0, -1.0, 1.0)
            values = np.concatenate([_unit(values[:, :3]), side], axis=1)
        if name.startswith("COLOR_"):
            values = np.clip(values, 0.0, 1.0)
        if name.startswith("TEXCOORD_"):
            name = _next(written, "TEXCOORD")
        written[name] = -1
        found.append((name, values))
    return found


def tangents(mesh: Mesh) -> Floats:
    """Unit tangents along u and the handedness of the bitangent, shape (V, 4), for normal maps.

    Lengyel 2001, "Computing Tangent Space Basis Vectors for an Arbitrary Mesh": the sum over the
    triangles of each vertex, made orthogonal to its normal.
    """
    normals = _unit(mesh.normals)
    along, across = np.zeros_like(normals), np.zeros_like(normals)
    texcoords = _of_normal_map(mesh)
    if texcoords is not None:
        a, b, c = mesh.faces.T
        edges = mesh.positions[np.stack([b, c])] - mesh.positions[a]
        steps = texcoords[np.stack([b, c])] - texcoords[a]
        area = steps[0, :, 0] * steps[1, :, 1] - steps[1, :, 0] * steps[0, :, 1]
        sign = np.sign(area)[:, None]  # weighted by area; mirrored triangles keep their sign
        s = sign * (edges[0] * steps[1, :, 1:] - edges[1] * steps[0, :, 1:])
        t = sign * (edges[1] * steps[0, :, :1] - edges[0] * steps[1, :, :1])
        for corner in (a, b, c):
            np.add.at(along, corner, s)
            np.add.at(across, corner, t)
    square = along - normals * np.sum(normals * along, axis=1, keepdims=True)
    size = np.linalg.norm(square, axis=1, keepdims=True)
    other = np.eye(3)[np.argmin(np.abs(normals), axis=1)]  # any direction, where u has none
    square = np.where(size > 1e-12 * (1.0 + np.abs(along).max(initial=0.0)), square,
                      np.cross(normals, other))  # fmt: skip
    # v runs down the image; the bitangent of glTF points up.
    side = np.sum(np.cross(normals, square) * across, axis=1, keepdims=True) > 0
    return np.concatenate([_unit(square), np.where(side, -1.0, 1.0)], axis=1)


def _of_normal_map(mesh: Mesh) -> Floats | None:
    """The texture coordinates of a mesh's normal map: those of the base color, or its own set."""
    extras = (mesh.material.extras if mesh.material is not None else None) or {}
    number = (extras.get("texcoord_sets") or {}).get("normalTexture", 0)
    return (_own(mesh).get("attributes") or {}).get(f"TEXCOORD_{number}", mesh.texcoords)


def _next(written: dict[str, int], kind: str) -> str:
    """The name of the next set of a kind; sets are numbered without gaps."""
    number = 0
    while f"{kind}_{number}" in written:
        number += 1
    return f"{kind}_{number}"


def _target(builder: Builder, morph: Any, count: int, factor: Floats) -> dict[str, int]:
    parts = {}
    for key, values in (("POSITION", morph.positions), ("NORMAL", morph.normals)):
        if values is not None:
            moved = values / factor if key == "POSITION" else values
            parts[key] = builder.array(moved, target=ARRAY_BUFFER, bounds=key == "POSITION")
    if morph.tangents is not None:
        parts["TANGENT"] = builder.array(morph.tangents, target=ARRAY_BUFFER)
    if not parts:  # a target must not be empty
        parts["POSITION"] = builder.array(np.zeros((count, 3)), target=ARRAY_BUFFER, bounds=True)
    return parts


def _influences(builder: Builder, skin: Skin) -> dict[str, int]:
    """JOINTS_n and WEIGHTS_n, four influences a set, for the vertex with the most influences."""
    if len(skin.joints) > 65535:
        raise SuppleError(f"glTF: expected a skin of at most 65535 joints, got {len(skin.joints)}")
    joints, weights = skin.table()
    width = -joints.shape[1] % 4
    joints = np.pad(joints, ((0, 0), (0, width)))
    # Round to float32 first, then make them sum to one, as readers sum float32.
    rounded = np.pad(weights, ((0, 0), (0, width))).astype(np.float32).astype(np.float64)
    rounded[:, 0] += 1.0 - rounded.sum(axis=1)
    joints[rounded.astype(np.float32) == 0] = 0
    found = {}
    for k in range(joints.shape[1] // 4):
        part = slice(4 * k, 4 * k + 4)
        found[f"JOINTS_{k}"] = builder.array(joints[:, part], TYPE_UINT16, target=ARRAY_BUFFER)
        found[f"WEIGHTS_{k}"] = builder.array(rounded[:, part], target=ARRAY_BUFFER)
    return found


def _skin(builder: Builder, nodes: Nodes, skin: Skin) -> int:
    """Add a skin, once for equal joints and bind matrices; return its index."""
    known: dict[Any, int] = builder.__dict__.setdefault("skins", {})
    key = (skin.joints, skin.T_joint_model.tobytes(), skin.name)
    if key not in known:
        at = [nodes.skeleton.index(name) for name in skin.joints]
        binds = skin.T_joint_model.copy()
        binds[:, :3] /= nodes.factors[at][:, :, None]
        binds[:, 3] = (0.0, 0.0, 0.0, 1.0)
        columns = binds.transpose(0, 2, 1).reshape(-1, 16)
        item: dict[str, Any] = {"name": skin.name} if skin.name else {}
        item["joints"] = [nodes.index[name] for name in skin.joints]
        item["inverseBindMatrices"] = builder.array(columns)
        known[key] = builder.add("skins", item)
    return known[key]


def _unit(vectors: Floats) -> Floats:
    """Normalize vectors; zero vectors become +y."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(size > 1e-12, vectors / np.where(size > 1e-12, size, 1.0), (0.0, 1.0, 0.0))
