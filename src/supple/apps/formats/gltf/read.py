"""Read a .glb or .gltf file as a character."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.apps.character.character import UPS, Character
from supple.apps.formats.gltf.animations import read_motions
from supple.apps.formats.gltf.document import Document
from supple.apps.formats.gltf.extensions import check_extensions, left_out
from supple.apps.formats.gltf.meshes import read_meshes
from supple.apps.formats.gltf.nodes import Tree, read_tree
from supple.apps.formats.source import Source
from supple.errors import SuppleError


def read(source: Source) -> Character:
    """Read a .glb or .gltf file.

    Every node becomes a joint: a ball, or fixed if the file has skins and neither they nor a motion use
    it. Joint kinds and limits that supple wrote are restored. glTF is in metres with y up.

    Args:
        source: The file.

    Raises:
        SuppleError: It is not glTF 2.0, is cut off or invalid, or requires an unsupported extension.
    """
    document = Document(source)
    check_extensions(document)
    _say_left_out(document)
    try:
        # Products of huge numbers overflow to infinity, which is refused where it is used.
        with np.errstate(over="ignore", invalid="ignore"):
            tree = read_tree(document)
            meshes, morphing = read_meshes(document, tree)
            motions = read_motions(document, tree, morphing)
        unit, up = _conventions(document)
        return Character(
            tree.skeleton,
            tuple(meshes),
            motions,
            tree.pose,
            unit=unit,
            up=up,
            notes=tuple(source.notes),
            extras={"gltf": _kept(document, tree)},
        )
    except SuppleError as error:
        where = str(source.path)
        if str(error).startswith(where):
            raise
        raise SuppleError(f"{where}: {error}") from error


def _say_left_out(document: Document) -> None:
    """Note the parts of the file that are not read."""
    cameras = len(document.table("cameras"))
    words = [*([f"{cameras} cameras"] if cameras else []), *left_out(document)]
    if words:
        document.source.warn(f"left out: {', '.join(words)}")


def _conventions(document: Document) -> tuple[str | None, str | None]:
    """Unit and up axis: metres and y, unless supple wrote others into the extras."""
    asset = document.root.item("asset")
    own = asset.own() if asset is not None else None
    if own is None:
        return "m", "y"
    unit, up = own.data.get("unit"), own.data.get("up")
    return (
        unit if isinstance(unit, str) else None,
        up if isinstance(up, str) and up in UPS else None,
    )


def _kept(document: Document, tree: Tree) -> dict[str, Any]:
    """Data kept for writing: baked scales and foreign extras by joint, curves, and more."""
    scales = {
        str(tree.names[node]): tree.baked[node].tolist()
        for node in tree.joints
        if (tree.baked[node] != 1.0).any()
    }
    foreign = {}
    for node in tree.joints:
        given = document.table("nodes")[node].data.get("extras")
        if isinstance(given, dict):
            others = {key: value for key, value in given.items() if key != "supple"}
            foreign |= {str(tree.names[node]): others} if others else {}
    kept: dict[str, Any] = {"scales": scales} if scales else {}
    bones = _humanoid(document, tree)
    if bones:
        kept["humanoid"] = bones
    if foreign:
        kept["extras"] = foreign
    if document.cache.get("curves"):
        kept["curves"] = document.cache["curves"]
    required = document.root.data.get("extensionsRequired", [])
    if required:
        kept["required"] = tuple(required)
    asset = document.root.item("asset")
    if asset is not None and asset.text("copyright"):
        kept["copyright"] = asset.text("copyright")
    return kept


def _humanoid(document: Document, tree: Tree) -> dict[str, str]:
    """The humanoid bones of VRM (0.x, 1.0, animations) and the joints that they are: {"leftUpperLeg": joint}."""
    extensions = document.root.data.get("extensions")
    if not isinstance(extensions, dict):
        return {}
    found: dict[str, Any] = {}
    for key in ("VRM", "VRMC_vrm", "VRMC_vrm_animation"):
        own = extensions.get(key)
        human = own.get("humanoid") if isinstance(own, dict) else None
        bones = human.get("humanBones") if isinstance(human, dict) else None
        if isinstance(bones, dict):  # 1.0
            found |= {bone: one.get("node") for bone, one in bones.items() if isinstance(one, dict)}
        elif isinstance(bones, list):  # 0.x
            found |= {
                str(one.get("bone")): one.get("node") for one in bones if isinstance(one, dict)
            }
    joints = set(tree.joints)
    return {
        bone: str(tree.names[node])
        for bone, node in found.items()
        if isinstance(bone, str) and isinstance(node, int) and node in joints
    }
