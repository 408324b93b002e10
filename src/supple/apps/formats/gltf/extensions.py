"""Extensions that a file may require: which are read, which can be left out, which are refused.

A file that requires an extension cannot be shown as meant without it (glTF 2.0, 3.12). For kinematics only node
transforms, meshes, skins and animations count, so extensions for looks, sound, interaction or metadata can be left
out. Any other required extension is refused, since it may change the geometry.
"""

from __future__ import annotations

from supple.apps.formats.gltf import meshopt
from supple.apps.formats.gltf.document import Document
from supple.apps.formats.gltf.materials import IMAGE_EXTENSIONS
from supple.apps.formats.gltf.meshes import DRACO, refuse_draco
from supple.apps.formats.source import shown

READ = frozenset(
    {
        "KHR_mesh_quantization",
        "KHR_texture_transform",
        "KHR_materials_unlit",
        "KHR_materials_pbrSpecularGlossiness",
        "EXT_mesh_gpu_instancing",
        *IMAGE_EXTENSIONS.values(),  # images are kept byte for byte
        *meshopt.NAMES,
    }
)
"""Extensions that are read."""

HARMLESS: dict[str, str] = {
    "KHR_lights_punctual": "light",
    "EXT_lights_image_based": "light",
    "EXT_lights_ies": "light",
    "KHR_environment_map": "light",
    "KHR_node_visibility": "hides nodes, which stand where they are",
    "KHR_node_selectability": "interaction",
    "KHR_node_hoverability": "interaction",
    "KHR_interactivity": "interaction; nodes stand as the file has them until something happens",
    "KHR_audio_emitter": "sound",
    "MSFT_audio_emitter": "sound",
    "KHR_xmp_json_ld": "metadata",
    "KHR_xmp": "metadata",
    "EXT_mesh_features": "metadata",
    "EXT_instance_features": "metadata",
    "EXT_structural_metadata": "metadata",
    "EXT_mesh_manifold": "states that triangles are closed, which stay the same",
    "FB_ngon_encoding": "states which triangles are one polygon, which stay the same",
    "CESIUM_primitive_outline": "lines along edges of a mesh, which stays the same",
    "AGI_articulations": "names of motions of nodes, which stand where they are",
    "AGI_stk_metadata": "metadata",
    "MSFT_lod": "coarser copies; the finest is the node itself",
    "MSFT_packing_normalRoughnessMetallic": "images",
    "MSFT_packing_occlusionRoughnessMetallic": "images",
    "KHR_techniques_webgl": "looks",
    "KHR_physics_rigid_bodies": "simulation, which begins where the nodes are",
    "KHR_implicit_shapes": "shapes that simulation collides with",
    "VRM": "humanoid bones are read; the rest is looks and swinging parts",
    "VRMC_vrm": "humanoid bones are read; the rest is looks and expressions",
    "VRMC_vrm_animation": "humanoid bones are read; the rest is looks and expressions",
    "VRMC_springBone": "simulation, which begins where the nodes are",
    "VRMC_materials_mtoon": "looks",
    "VRMC_materials_hdr_emissiveMultiplier": "looks",
}
"""Extensions that are left out, with a note, and why the file can be read without them."""


def check_extensions(document: Document) -> None:
    """Refuse a file that requires an extension which may change its geometry or motion."""
    required = document.root.data.get("extensionsRequired", [])
    if not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        document.root.fail("extensionsRequired", "a list of names")
    for name in required:
        if name == DRACO:
            refuse_draco(document, "extensionsRequired")
        if not _is_read(name) and name not in HARMLESS:
            document.fail("extensionsRequired", f"{shown(name)} is not read, and the file needs it")


def left_out(document: Document) -> list[str]:
    """The extensions that a file uses or requires and that are not read, sorted."""
    found: set[str] = set()
    for key in ("extensionsUsed", "extensionsRequired"):
        names = document.root.data.get(key, [])
        found |= (
            {one for one in names if isinstance(one, str)} if isinstance(names, list) else set()
        )
    return sorted(name for name in found if not _is_read(name))


def _is_read(name: str) -> bool:
    """True for extensions that are read, or kept for writing as those of materials are."""
    return name in READ or name.startswith("KHR_materials_")
