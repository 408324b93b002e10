"""Meshes as packets for the page, with skins, materials, images and morph targets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from supple.apps.character.motion import Motion
from supple.apps.viewer.messages import MeshHead
from supple.apps.viewer.messages.binary import packet
from supple.apps.viewer.subject import Subject
from supple.model.mesh import Material, Mesh

PLAIN = Material(
    "plain", color=(0.78, 0.80, 0.84, 1.0), roughness=0.75
)  # for meshes without material


def packets(subject: Subject, revision: int) -> Iterator[bytes]:
    """A packet for each mesh of a subject."""
    skeleton = subject.skeleton
    for index, mesh in enumerate(subject.meshes):
        arrays: dict[str, np.ndarray | bytes] = {"positions": mesh.positions, "faces": mesh.faces}
        for name in ("normals", "texcoords", "colors"):
            if getattr(mesh, name) is not None:
                arrays[name] = getattr(mesh, name)
        joints: list[int] = []
        if mesh.skin is not None:
            skin = mesh.skin
            joints = [skeleton.index(name) for name in skin.joints]
            binds = np.asarray(skin.T_joint_model)[:, :3, :].reshape(len(joints), 12)
            arrays |= {"first": skin.first, "joint": skin.joint}
            arrays |= {"weight": skin.weight, "binds": binds}
        material = mesh.material or PLAIN
        for name, image in (("texture", material.texture), ("normal_map", material.normal_map)):
            if image is not None and image.data:
                arrays[name] = image.data
        arrays |= _morphs(mesh)
        head = MeshHead(
            revision=revision,
            index=index,
            name=mesh.name,
            joints=joints,
            joint=-1 if mesh.joint is None else skeleton.index(mesh.joint),
            color=material.color,  # type: ignore[arg-type]
            roughness=material.roughness,
            metallic=material.metallic,
            double_sided=material.double_sided,
            alpha=material.alpha_mode,  # type: ignore[arg-type]
            cutoff=material.alpha_cutoff,
            emissive=material.emissive,  # type: ignore[arg-type]
            texture_type=material.texture.mime if material.texture is not None else "",
            normal_map_type=material.normal_map.mime if material.normal_map is not None else "",
            morphs=[morph.name for morph in mesh.morphs],
            weights=[morph.weight for morph in mesh.morphs],
        )
        yield packet(head, arrays)


def _morphs(mesh: Mesh) -> dict[str, np.ndarray | bytes]:
    """The arrays of a mesh's morph targets."""
    if not mesh.morphs:
        return {}
    none = np.zeros_like(mesh.positions)
    stacked = {"positions": [m.positions for m in mesh.morphs]}
    if mesh.normals is not None and any(m.normals is not None for m in mesh.morphs):
        stacked["normals"] = [m.normals for m in mesh.morphs]
    return {
        f"morph_{name}": np.stack([none if one is None else one for one in parts])
        for name, parts in stacked.items()
    }


def morph_weights(value: Motion | None, seconds: float) -> dict[str, list[float]]:
    """The morph weights of a motion at a time [s], by mesh name."""
    if value is None:
        return {}
    weights = {}
    for name, track in value.tracks.items():
        if name.startswith("morphs:"):
            rows = track.reshape(len(track), -1).T
            weights[name.removeprefix("morphs:")] = [
                float(np.interp(seconds, value.times, row)) for row in rows
            ]
    return weights
