"""Write the skeleton: joints and tips as nodes, with what glTF cannot express in their extras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.formats.conventions import METRES, turn_between
from supple.apps.formats.gltf.buffers import Builder
from supple.apps.formats.gltf.nodes import default_joint
from supple.apps.formats.gltf.placements import FLOAT32_TOLERANCE
from supple.model.mesh import Mesh
from supple.model.skeleton import Skeleton

Floats = NDArray[np.float64]


class Nodes:
    """Adds the joints and tips of a character to the node table.

    Args:
        builder: The file to add to.
        character: The character.
        turned: The joints that some motion rotates.
        bones: The mesh that its bones are drawn with; None for none.

    Attributes:
        index: The node of each joint and tip, by name.
        factors: Product of the baked scales of each joint and its ancestors, shape (N, 3).
        baked: The baked scale of each joint, see `nodes`, shape (N, 3).
        translations: Translation of each joint's node, shape (N, 3).
        resting: The same at rest, shape (N, 3).
        rotations: Rotation of each joint's node, wxyz, shape (N, 4).
        scales: Scale of each joint's node, shape (N, 3).
        roots: The nodes without parent.
        above: The node that supple adds above all others, if there is one.
    """

    def __init__(
        self, builder: Builder, character: Character, turned: set[str], bones: Mesh | None = None
    ) -> None:
        skeleton, pose = character.skeleton, character.pose
        self.builder = builder
        self.skeleton = skeleton
        self.baked = _baked(character)
        self.factors = _accumulated(skeleton, self.baked)
        self.translations = self.in_file(pose.local_translations)
        self.resting = self.in_file(skeleton.offsets)
        self.rotations = pose.local_rotations
        self.scales = pose._full_scales() * self.baked
        self.index: dict[str, int] = {}
        self.roots: list[int] = []
        self.above: int | None = None
        self._add_joints(character, turned)
        self._add_tips(character)
        self._add_root(character, bones)

    def in_file(self, offsets: Floats) -> Floats:
        """Offsets (..., N, 3) of the joints divided by the scales of the nodes above."""
        parents = self.skeleton.parents
        up = np.where(parents[:, None] >= 0, self.factors[parents], 1.0)
        return offsets / up

    def _add_joints(self, character: Character, turned: set[str]) -> None:
        skeleton = self.skeleton
        used = {name for mesh in character.meshes if mesh.skin for name in mesh.skin.joints}
        parents, names = skeleton.parents, skeleton.joint_names
        for j in skeleton.file_order.tolist():
            name = names[j]
            item: dict[str, Any] = {"name": name}
            item |= placement(self.translations[j], self.rotations[j], self.scales[j])
            own: dict[str, Any] = {}
            joint = skeleton.joints[j]
            usual = default_joint(skinned=name in used, turned=name in turned, any_skins=bool(used))
            if joint != usual:
                own["joint"] = joint.to_json()
            own |= self._rest(character, j)
            extras = {
                **_kept(character, "extras").get(name, {}),
                **({"supple": own} if own else {}),
            }
            if extras:
                item["extras"] = extras
            self.index[name] = self.builder.add("nodes", item)
        for j in skeleton.file_order.tolist():
            self._hang(self.index[names[j]], int(parents[j]))

    def _rest(self, character: Character, j: int) -> dict[str, Any]:
        """Extras with the rest and the coordinates of a joint, if the pose differs from the rest."""
        skeleton, pose = self.skeleton, character.pose
        offset = self.resting[j]
        rest: dict[str, Any] = {}
        turned = not np.array_equal(skeleton.rotations[j], self.rotations[j])
        if turned or not np.array_equal(offset, self.translations[j]):
            rest["translation"] = offset.tolist()
            rest["rotation"] = np.roll(skeleton.rotations[j], -1).tolist()
        if np.abs(self.scales[j] / self.baked[j] - 1.0).max() > FLOAT32_TOLERANCE:
            rest["scale"] = self.baked[j].tolist()
        if not rest:
            return {}
        numbers = pose.coordinates[skeleton.freedom_table.coordinates_of(j)].tolist()
        return {"rest": rest, **({"coordinates": numbers} if numbers else {})}

    def _hang(self, node: int, parent: int) -> None:
        if parent < 0:
            self.roots.append(node)
        else:
            above = self.index[self.skeleton.names[parent]]
            self.builder.tables["nodes"][above].setdefault("children", []).append(node)

    def _add_tips(self, character: Character) -> None:
        skeleton = self.skeleton
        joints, offsets, rotations = skeleton.packed_tips
        for t, name in enumerate(skeleton.tip_names):
            joint = int(joints[t])
            # The pose may stretch it.
            offset = character.pose.local(name)[:3, 3] if len(offsets) else offsets[t]
            item: dict[str, Any] = {"name": name}
            item |= placement(offset / self.factors[joint], rotations[t], np.ones(3))
            item["extras"] = {"supple": {"role": "tip"}}
            self.index[name] = self.builder.add("nodes", item)
            self._hang(self.index[name], joint)

    def _add_root(self, character: Character, bones: Mesh | None) -> None:
        """Add a node above all others if unit, up axis or a skin over several roots needs one."""
        size = METRES.get(character.unit or "m", 1.0)
        turn = turn_between(character.up or "y", "y")
        plain = size == 1.0 and turn[0] == 1.0
        meshes = character.meshes if bones is None else (*character.meshes, bones)
        if plain and not self._skins_over_roots(meshes):
            return
        item: dict[str, Any] = {"name": "supple root", "children": self.roots}
        item |= placement(np.zeros(3), turn, np.full(3, size))
        item["extras"] = {"supple": {"role": "root"}}
        self.above = self.builder.add("nodes", item)
        self.roots = [self.above]

    def _skins_over_roots(self, meshes: tuple[Mesh, ...]) -> bool:
        """True if the joints of a skin are below several roots; glTF requires a common one."""
        skeleton = self.skeleton
        parents = skeleton.parents.tolist()
        root = list(range(len(parents)))
        for j, parent in enumerate(parents):
            if parent >= 0:
                root[j] = root[parent]
        tops = [
            {root[skeleton.index(name)] for name in mesh.skin.joints}
            for mesh in meshes
            if mesh.skin is not None
        ]
        return any(len(found) > 1 for found in tops)


def placement(translation: Floats, rotation: Floats, scale: Floats) -> dict[str, Any]:
    """The transform of a node, without identity parts; rotation wxyz."""
    item: dict[str, Any] = {}
    if np.any(translation != 0.0):
        item["translation"] = translation.tolist()
    if not np.array_equal(rotation, (1.0, 0.0, 0.0, 0.0)):
        item["rotation"] = np.roll(rotation, -1).tolist()
    if np.any(np.abs(scale - 1.0) > FLOAT32_TOLERANCE):
        item["scale"] = scale.tolist()
    return item


def _kept(character: Character, what: str) -> Mapping[str, Any]:
    """Data that reading a glTF file kept for writing, by joint."""
    own = character.extras.get("gltf")
    found = own.get(what) if isinstance(own, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _baked(character: Character) -> Floats:
    """The scales that reading baked into the skeleton, to be written back."""
    skeleton = character.skeleton
    baked = np.ones((len(skeleton), 3))
    kept = _kept(character, "scales")
    inner = set(skeleton.parents.tolist())
    for j, name in enumerate(skeleton.joint_names):
        given = kept.get(name)
        if given is not None:
            scale = np.array(given, dtype=np.float64)
            if scale.shape == (3,) and (j not in inner or np.ptp(scale) == 0.0):
                baked[j] = scale
    return baked


def _accumulated(skeleton: Skeleton, baked: Floats) -> Floats:
    factors = baked.copy()
    for j, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            factors[j] *= factors[parent]
    return factors
