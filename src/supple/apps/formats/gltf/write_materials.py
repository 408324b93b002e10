"""Write materials and their images; image data are copied unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.apps.formats.gltf.buffers import Builder
from supple.apps.formats.gltf.materials import IMAGE_EXTENSIONS, OTHER_TEXTURES, mime_type
from supple.model.mesh import Material, Texture

CORE = ("image/png", "image/jpeg")
FILTERS = {
    "magFilter": (9728, 9729),
    "minFilter": (9728, 9729, 9984, 9985, 9986, 9987),
    "wrapS": (33071, 33648, 10497),
    "wrapT": (33071, 33648, 10497),
}


def write_material(builder: Builder, material: Material) -> int:
    """Add a material to the table, once; return its index."""
    return builder.once("material", material, "materials", lambda: _material(builder, material))


def textured(material: Material) -> bool:
    """True if a material has an image that glTF can store."""
    extras = material.extras or {}
    others = [value.get("texture") for parts in (extras.get("extensions") or {}).values()
              for value in parts.values() if isinstance(value, Mapping)]  # fmt: skip
    return any(
        mime_type(one.data) for one in (material.texture, material.normal_map, *extras.values(), *others)
        if isinstance(one, Texture)
    )  # fmt: skip


def _material(builder: Builder, material: Material) -> dict[str, Any]:
    extras: Mapping[str, Any] = material.extras or {}
    sampler = extras.get("sampler")
    surface: dict[str, Any] = {}
    item: dict[str, Any] = {"name": material.name, "pbrMetallicRoughness": surface}
    color = [_share(c) for c in material.color]
    if color != [1.0] * 4:
        surface["baseColorFactor"] = color
    surface["metallicFactor"] = _share(material.metallic)
    surface["roughnessFactor"] = _share(material.roughness)
    image = _texture(builder, material.texture, sampler)
    if image is not None:
        surface["baseColorTexture"] = {"index": image}
    elif material.texture is not None:
        item["extras"] = {"supple": {"texture": material.texture.name}}
    samplers = extras.get("samplers") or {}
    image = _texture(builder, material.normal_map, samplers.get("normalTexture", sampler))
    if image is not None:
        size = {"scale": float(extras["normal_scale"])} if "normal_scale" in extras else {}
        item["normalTexture"] = {"index": image, **size, **_set(extras, "normalTexture")}
    for key, name in OTHER_TEXTURES.items():
        other = extras.get(name)
        own = samplers.get(key, sampler)
        image = _texture(builder, other if isinstance(other, Texture) else None, own)
        if image is not None:
            holder = surface if key == "metallicRoughnessTexture" else item
            holder[key] = {"index": image, **_set(extras, key)}
    if "occlusionTexture" in item and "occlusion_strength" in extras:
        item["occlusionTexture"]["strength"] = _share(float(extras["occlusion_strength"]))
    emissive = [_share(c) for c in material.emissive]
    if any(emissive):
        item["emissiveFactor"] = emissive
    if material.alpha_mode != "OPAQUE":
        item["alphaMode"] = material.alpha_mode
    if material.alpha_mode == "MASK":
        item["alphaCutoff"] = max(0.0, material.alpha_cutoff)
    if material.double_sided:
        item["doubleSided"] = True
    if extras.get("unlit"):
        builder.extensions.add("KHR_materials_unlit")
        item["extensions"] = {"KHR_materials_unlit": {}}
    for name, parts in (extras.get("extensions") or {}).items():
        builder.extensions.add(name)
        item.setdefault("extensions", {})[name] = _extension(builder, parts, sampler)
    return item


def _set(extras: Mapping[str, Any], key: str) -> dict[str, int]:
    """The texCoord entry of a texture info, if it is not the first set."""
    number = (extras.get("texcoord_sets") or {}).get(key)
    return {"texCoord": number} if number else {}


def _extension(builder: Builder, parts: Mapping[str, Any], sampler: Any) -> dict[str, Any]:
    """An extension of a material, with texture indices in place of its textures."""
    found: dict[str, Any] = {}
    for key, value in parts.items():
        if isinstance(value, Mapping) and isinstance(value.get("texture"), Texture):
            image = _texture(builder, value["texture"], value.get("sampler", sampler))
            if image is not None:
                rest = {k: v for k, v in value.items() if k not in ("texture", "sampler")}
                found[key] = {"index": image, **rest}
        else:
            found[key] = value
    return found


def _texture(builder: Builder, texture: Texture | None, sampler: Any) -> int | None:
    """Add a texture; return its index, or None if there is no image that glTF can store."""
    mime = "" if texture is None else mime_type(texture.data)
    if texture is None or not mime:
        return None

    def image() -> dict[str, Any]:
        view = builder.view(texture.data)
        return {"name": texture.name, "mimeType": mime, "bufferView": view}

    def make() -> dict[str, Any]:
        source = builder.once("image", texture, "images", image)
        item: dict[str, Any] = {"source": source}
        if mime not in CORE:
            extension = IMAGE_EXTENSIONS[mime]
            builder.extensions.add(extension)
            builder.required.add(extension)  # there is no other image for readers without it
            item = {"extensions": {extension: item}}
        settings = {
            key: value
            for key, value in (sampler if isinstance(sampler, Mapping) else {}).items()
            if value in FILTERS.get(key, ())
        }
        if settings:
            item["sampler"] = _sampler(builder, settings)
        return item

    key = ("texture", repr(sampler))
    return builder.once(key, texture, "textures", make)


def _sampler(builder: Builder, settings: dict[str, int]) -> int:
    rows = builder.tables.get("samplers", [])
    return rows.index(settings) if settings in rows else builder.add("samplers", settings)


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)
