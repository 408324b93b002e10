"""Read meshes and skins: one mesh for each primitive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf import accessors
from supple.apps.formats.gltf.document import Document, Item
from supple.apps.formats.gltf.instancing import expand_instances
from supple.apps.formats.gltf.materials import read_material
from supple.apps.formats.gltf.nodes import BONES, Tree, role
from supple.apps.formats.gltf.texture_sets import read_sets
from supple.apps.formats.source import SKIN_JOINT_BYTES
from supple.model.mesh import Mesh, Morph, Skin

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MODE_TRIANGLES, MODE_STRIP, MODE_FAN = 4, 5, 6  # mode of primitives
SURFACES = (MODE_TRIANGLES, MODE_STRIP, MODE_FAN)
MODES = {0: "points", 1: "lines", 2: "line loops", 3: "line strips"}
DRACO = "KHR_draco_mesh_compression"
KNOWN = ("POSITION", "NORMAL", "COLOR_0")


def read_meshes(document: Document, tree: Tree) -> tuple[list[Mesh], dict[int, list[str]]]:
    """Read the meshes of all nodes; also the names of those with morph targets, by node."""
    meshes: list[Mesh] = []
    morphing: dict[int, list[str]] = {}
    taken: dict[str, int] = {}
    left: set[str] = set()
    nodes = document.table("nodes")
    placed = [(item.reference("mesh", "meshes"), node) for node, item in enumerate(nodes)]
    for index, node in sorted((index, node) for index, node in placed if index is not None):
        item = nodes[node]
        if role(item) == BONES and tree.names[node] is None:
            continue
        mesh_item = document.table("meshes")[index]
        parts = mesh_item.items("primitives")
        base = mesh_item.text("name").strip() or item.text("name").strip() or f"mesh {index}"
        weights = item.numbers("weights") or mesh_item.numbers("weights")
        for k, part in enumerate(parts):
            name = _unused(base if len(parts) == 1 else f"{base} {k + 1}", taken)
            mesh = _mesh(document, tree, node, part, name, base, weights, left)
            if mesh is not None:
                meshes.append(mesh)
                if mesh.morphs:
                    morphing.setdefault(node, []).append(name)
    if left:
        document.source.warn(f"not kept: {', '.join(sorted(left))}")
    return meshes, morphing


def _mesh(
    document: Document,
    tree: Tree,
    node: int,
    part: Item,
    name: str,
    base: str,
    weights: list[float] | None,
    left: set[str],
) -> Mesh | None:
    """Read a primitive as a mesh, skinned or rigid on its node; None if it is no surface."""
    shape = _shape(document, part, left)
    if shape is None:
        return None
    item = document.table("nodes")[node]
    skin = _skin(document, tree, item, part, len(shape["positions"]))
    once = len(shape["positions"])
    if skin is None:
        shape = expand_instances(document, item, shape)
    positions, factor = shape["positions"], None
    joint = None
    holder = node if node in tree.joints else tree.parents[node]
    if skin is None and holder in tree.joints:
        joint = tree.names[holder]
        factor = tree.factors[holder]
    normals = shape["normals"]
    morphs = _morphs(document, part, weights, once)
    if morphs and len(positions) != once:
        left.add("morph targets of instanced meshes")
        morphs = []
    if factor is not None and not np.all(factor == 1.0):
        positions = positions * factor
        normals = None if normals is None else _unit(normals / factor)
        morphs = [
            Morph(
                one.name,
                None if one.positions is None else one.positions * factor,
                one.normals,
                one.weight,
                one.tangents,
            )
            for one in morphs
        ]
    material = part.reference("material", "materials")
    document.charge(16 * positions.size, part.where)
    return Mesh(
        name,
        positions,
        shape["faces"],
        normals,
        shape["texcoords"],
        shape["colors"],
        None if material is None else read_material(document, material),
        skin,
        joint,
        tuple(morphs),
        {"gltf": {"node": item.text("name"), "mesh": base, "attributes": shape["others"]}},
    )


def _shape(document: Document, part: Item, left: set[str]) -> dict[str, Any] | None:
    """Positions, faces and other vertex attributes; None if it is no surface."""
    key = ("shape", part.where)
    if key in document.cache:
        return document.cache[key]
    if part.extension(DRACO) is not None:
        _check_plain(document, part)
    mode = part.whole("mode", MODE_TRIANGLES)
    attributes = part.item("attributes")
    given = attributes.data.get("POSITION") if attributes is not None else None
    if attributes is None or given is None or mode not in SURFACES:
        what = MODES.get(mode, "primitives without positions")
        left.add(what)
        document.cache[key] = None
        return None

    def values(name: str, *kinds: str) -> Floats | None:
        index = attributes.reference(name, "accessors")
        found = None if index is None else accessors.floats(document, index, kinds)
        if found is not None and len(found) != count:
            attributes.fail(name, f"an accessor with {count} elements")
        return found

    count = document.table("accessors")[attributes.reference("POSITION", "accessors") or 0].whole(
        "count"
    )
    positions = values("POSITION", "VEC3")
    material = part.reference("material", "materials")
    sets = [name for name in attributes.data if name.startswith("TEXCOORD_")]
    texcoords, more = read_sets(
        document, material, sets, lambda name: values(name, "VEC2"), count, part.where
    )
    colors = values("COLOR_0", "VEC3", "VEC4")
    if colors is not None and colors.shape[1] == 3:
        colors = np.column_stack([colors, np.ones(count)])
    normals = values("NORMAL", "VEC3")
    at = attributes.reference("NORMAL", "accessors")
    if normals is not None and at is not None and not accessors.is_float(document, at):
        normals = _unit(normals)  # quantized normals are only roughly of unit length
    others = more | {
        name: values(name, "SCALAR", "VEC2", "VEC3", "VEC4")
        for name in attributes.data
        if name not in KNOWN and not name.startswith(("JOINTS_", "WEIGHTS_", "TEXCOORD_"))
        if attributes.data[name] is not None
    }
    shape = {
        "positions": positions,
        "faces": _faces(document, part, mode, count),
        "normals": normals,
        "texcoords": texcoords,
        "colors": colors,
        "others": others,
    }
    document.cache[key] = shape
    return shape


def _check_plain(document: Document, part: Item) -> None:
    """Refuse a primitive compressed with Draco, unless it has uncompressed data too."""
    attributes = part.item("attributes")
    at = attributes.reference("POSITION", "accessors") if attributes is not None else None
    if at is None or "bufferView" not in document.table("accessors")[at]:
        refuse_draco(document, part.where)


def refuse_draco(document: Document, where: str) -> NoReturn:
    """Raise a SuppleError on Draco compression, with a command that removes it."""
    path = document.source.path
    plain = path.with_name(f"{path.stem}_plain{path.suffix}").name
    document.fail(
        where,
        f"{DRACO}: geometry compressed with Draco is not read; unpack it by "
        f"npx @gltf-transform/cli cp {path.name} {plain}, or export it without compression",
    )


def _faces(document: Document, part: Item, mode: int, count: int) -> Ints:
    """The triangles of a primitive; strips and fans are expanded."""
    index = part.reference("indices", "accessors")
    if index is None:
        order = np.arange(count)
    else:
        order = accessors.wholes(document, index, ("SCALAR",))[:, 0]
        if len(order) and order.max() >= count:
            part.fail("indices", f"indices of {count} vertices, at most {count - 1}")
    if mode == MODE_TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if len(order) < 3:
        return np.zeros((0, 3), np.int64)
    if mode == MODE_FAN:
        middle = np.full(len(order) - 2, order[0])
        return np.column_stack([order[1:-1], order[2:], middle])
    faces = np.column_stack([order[:-2], order[1:-1], order[2:]])
    faces[1::2] = faces[1::2][:, [0, 2, 1]]  # every other triangle has the opposite winding
    return faces


# Skins --------------------------------------------------------------------------------------------


def _skin(document: Document, tree: Tree, node: Item, part: Item, count: int) -> Skin | None:
    """The skin of a primitive on a node."""
    index = node.reference("skin", "skins")
    attributes = part.item("attributes")
    if index is None or attributes is None:
        return None
    if "JOINTS_0" not in attributes:
        document.source.warn(f"{part.where}: no joints for its skin: moved by its node only")
        return None
    item = document.table("skins")[index]
    names, binds = _binds(document, tree, item)
    document.charge(SKIN_JOINT_BYTES * len(names), part.where)
    indices, weights = _influences(document, attributes, count)
    indices = np.where(weights > 0, indices, 0)
    if indices.size and indices.max() >= len(names):
        document.fail(
            attributes.where,
            f"expected indices of the {len(names)} joints of {item.where}, got {indices.max()}",
        )
    skin = Skin.from_table(names, binds, indices, weights, name=item.text("name"))
    if skin.corrected:
        document.source.warn(
            f"{part.where}: weights of {skin.corrected} of {count} vertices did not sum to one: "
            "normalized"
        )
    return skin


def _binds(document: Document, tree: Tree, item: Item) -> tuple[tuple[str, ...], Floats]:
    """The joint names of a skin, and its inverse bind matrices for the frames of the skeleton."""
    key = ("binds", item.where)
    if key in document.cache:
        return document.cache[key]
    nodes = item.references("joints", "nodes")
    if not nodes:
        item.fail("joints", "at least one joint")
    at = item.reference("inverseBindMatrices", "accessors")
    binds = np.tile(np.eye(4), (len(nodes), 1, 1))
    if at is not None:
        found = accessors.floats(document, at, ("MAT4",))
        if len(found) < len(nodes):
            item.fail("inverseBindMatrices", f"at least {len(nodes)} matrices")
        binds = found[: len(nodes)].reshape(-1, 4, 4).transpose(0, 2, 1).copy()
        if np.abs(binds[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(initial=0.0) > 1e-4:
            document.source.warn(f"{item.where}: the last row of bind matrices is taken as 0 0 0 1")
        binds[:, 3] = (0.0, 0.0, 0.0, 1.0)
    binds[:, :3] *= tree.factors[nodes][:, :, None]
    names = tuple(str(tree.names[node]) for node in nodes)
    document.cache[key] = names, binds
    return names, binds


def _influences(document: Document, attributes: Item, count: int) -> tuple[Ints, Floats]:
    """Joints and weights of all sets, shape (V, 4 n)."""
    joints, weights = [], []
    for number in _sets(attributes):
        at = attributes.reference(f"JOINTS_{number}", "accessors")
        of = attributes.reference(f"WEIGHTS_{number}", "accessors")
        if at is None or of is None:
            document.fail(attributes.where, f"expected JOINTS_{number} and WEIGHTS_{number}")
        found = accessors.floats(document, of, ("VEC4",))
        if not accessors.is_float(document, of) and found.max(initial=0.0) > 1.0:
            total = document.table("accessors")[of].whole("componentType")
            found = found / (255.0 if total == 5121 else 65535.0)
        joints.append(accessors.wholes(document, at, ("VEC4",)))
        weights.append(found)
        if len(joints[-1]) != count or len(found) != count:
            document.fail(attributes.where, f"expected joints and weights of {count} vertices")
    return np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)


def _sets(attributes: Item) -> Iterator[int]:
    number = 0
    while f"JOINTS_{number}" in attributes or f"WEIGHTS_{number}" in attributes:
        yield number
        number += 1


# Morph targets ------------------------------------------------------------------------------------


def _morphs(document: Document, part: Item, weights: list[float] | None, count: int) -> list[Morph]:
    """The morph targets of a primitive."""
    targets = part.items("targets")
    owner = part.where.rpartition(".primitives")[0]
    index = int(owner[owner.index("[") + 1 : -1])
    extras = document.table("meshes")[index].data.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    names = names if isinstance(names, list) else []
    morphs = []
    for k, target in enumerate(targets):
        given = names[k] if k < len(names) and isinstance(names[k], str) else ""
        parts = []
        for key in ("POSITION", "NORMAL", "TANGENT"):
            at = target.reference(key, "accessors")
            found = None if at is None else accessors.floats(document, at, ("VEC3",))
            if found is not None and len(found) != count:
                target.fail(key, f"an accessor with {count} elements")
            document.charge(0 if found is None else found.nbytes, target.where)
            parts.append(found)
        weight = weights[k] if weights is not None and k < len(weights) else 0.0
        morphs.append(Morph(given or f"morph {k}", parts[0], parts[1], weight, parts[2]))
    return morphs


def _unused(name: str, taken: dict[str, int]) -> str:
    """A unique name for a mesh."""
    new = name
    while new in taken:
        taken[name] += 1
        new = f"{name} ({taken[name]})"
    taken[new] = 1
    return new


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(size > 0, vectors / np.where(size > 0, size, 1.0), vectors)
