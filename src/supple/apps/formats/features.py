"""Features that a format can store, and notes on those of a character that it cannot.

The features: "motion" (one), "motions" (several), "offsets" (translations of joints in motions),
"rotations" (rest rotations), "scales", "tips", "limits" (and joint kinds), "meshes", "skins",
"materials", "textures", "colors" (of vertices), "morphs", "tracks", "loops" (the loop flag of motions),
"physics" (geoms, capsules, masses and loops of the skeleton), "poses" (by name).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from supple.apps.character.character import Character, Note
from supple.model.joints import Joint


def _count(count: int, what: str, many: str = "") -> str:
    return f"{count} {what if count == 1 else many or what + 's'}" if count else ""


def _motions(character: Character) -> str:
    return _count(len(character.motions), "motion")


def _other_motions(character: Character) -> str:
    return _count(max(0, len(character.motions) - 1), "other motion")


def _scales(character: Character) -> str:
    names = [name for name, one in character.motions.items() if one.poses.scales is not None]
    posed = character.pose.scales is not None
    if not names and not posed:
        return ""
    return f"scales of {', '.join([*(['the pose'] if posed else []), *names])}"


def _rotations(character: Character) -> str:
    turned = np.any(np.abs(character.skeleton.rotations[:, 1:]) > 1e-9, axis=1)
    return _count(int(turned.sum()), "rest rotation")


def _limits(character: Character) -> str:
    def plain(joint: Joint) -> bool:
        # Not plain are joints that turn about one given axis, slide, or have limits.
        if joint.single or joint.slide_count or joint.has_swing_limits:
            return False
        return not np.any(np.isfinite(joint.limit_rows))

    kinds = [joint for joint in character.skeleton.joints if not plain(joint)]
    return _count(len(kinds), "joint with limits", "joints with limits")


def _physics(character: Character) -> str:
    own = character.skeleton.physics
    if own is None:
        return ""
    parts = {"geom": own.geoms, "mass": own.masses or (), "loop": own.loops}
    counts = [
        _count(len(some), what, f"{what}{'e' * (what == 'mass')}s") for what, some in parts.items()
    ]
    return ", ".join(filter(None, [*counts, "capsules" if own.capsules else ""]))


def _poses(character: Character) -> str:
    return _count(len(character.poses), "pose")


def _tips(character: Character) -> str:
    return _count(len(character.skeleton.tips), "tip")


def _meshes(character: Character) -> str:
    return _count(len(character.meshes), "mesh", "meshes")


def _skins(character: Character) -> str:
    moved = [mesh for mesh in character.meshes if mesh.skin is not None]
    return _count(len(moved), "skin")


def _materials(character: Character) -> str:
    return _count(
        len({mesh.material.name for mesh in character.meshes if mesh.material}), "material"
    )


def _textures(character: Character) -> str:
    found = set()
    for mesh in character.meshes:
        if mesh.material is not None:
            images = (mesh.material.texture, mesh.material.normal_map)
            found |= {image.name for image in images if image is not None and image.data}
    return _count(len(found), "texture image")


def _morphs(character: Character) -> str:
    return _count(sum(len(mesh.morphs) for mesh in character.meshes), "morph target")


def _colors(character: Character) -> str:
    painted = [mesh for mesh in character.meshes if mesh.colors is not None]
    return _count(len(painted), "mesh's vertex colors", "meshes' vertex colors")


def _loops(character: Character) -> str:
    names = [name for name, motion in character.motions.items() if motion.loop]
    return f"that {', '.join(map(repr, names))} loop{'s' * (len(names) == 1)}" if names else ""


def _tracks(character: Character) -> str:
    names = {key for motion in character.motions.values() for key in motion.tracks}
    return _count(len(names), "track")


_HELD: dict[str, Callable[[Character], str]] = {
    "motion": _motions,
    "motions": _other_motions,
    "scales": _scales,
    "limits": _limits,
    "tips": _tips,
    "meshes": _meshes,
    "skins": _skins,
    "materials": _materials,
    "textures": _textures,
    "colors": _colors,
    "morphs": _morphs,
    "tracks": _tracks,
    "loops": _loops,
    "physics": _physics,
    "poses": _poses,
}
_IMPLIED = {"motions": "motion", "skins": "meshes", "materials": "meshes", "textures": "meshes",
            "colors": "meshes", "morphs": "meshes", "tracks": "motion", "loops": "motion"}  # fmt: skip


def left_out(
    character: Character, keeps: Collection[str], title: str, path: str
) -> tuple[Note, ...]:
    """Note the features of a character that a format cannot store.

    Args:
        character: The character to save.
        keeps: Features that the format can store.
        title: The format's title, for the note.
        path: The file, for the note.

    Returns:
        One note, or none. Without meshes, skins and materials are not mentioned separately.
    """
    if not keeps:
        return ()
    missing = []
    for what, count in _HELD.items():
        whole = _IMPLIED.get(what)
        if what in keeps or (whole is not None and whole not in keeps):
            continue
        words = count(character)
        if words:
            missing.append(words)
    if not missing:
        return ()
    return (Note(f"{title} cannot hold {', '.join(missing)}: left out", None, path),)
