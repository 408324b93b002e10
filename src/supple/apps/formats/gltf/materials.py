"""Read materials and the images they refer to."""

from __future__ import annotations

import posixpath
import urllib.parse
from typing import Any

from supple.apps.formats.gltf.document import Document, Item
from supple.apps.formats.gltf.texture_sets import (
    color_info,
    kept_extensions,
    set_written,
    texture_keys,
)
from supple.errors import SuppleError
from supple.model.mesh import Material, Texture

SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
    (b"\xabKTX 20", "image/ktx2"),
    (b"DDS ", "image/vnd-ms.dds"),
)
AVIF = (b"ftypavif", b"ftypavis")  # bytes 4 to 11 of an AVIF image: the box that names its format
IMAGE_EXTENSIONS = {  # extensions that refer to images other than PNG and JPEG
    "image/avif": "EXT_texture_avif",
    "image/vnd-ms.dds": "MSFT_texture_dds",
    "image/webp": "EXT_texture_webp",
    "image/ktx2": "KHR_texture_basisu",
}
# Textures that a Material has no field for: the glTF key, and the key in its extras.
OTHER_TEXTURES = {
    "metallicRoughnessTexture": "metallic_roughness_texture",
    "occlusionTexture": "occlusion_texture",
    "emissiveTexture": "emissive_texture",
}
ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")


def mime_type(data: bytes) -> str:
    """The MIME type of an image, by its first bytes; "" if it is none that glTF can store."""
    if data[4:12] in AVIF:
        return "image/avif"
    return next((mime for head, mime in SIGNATURES if data.startswith(head)), "")


def read_material(document: Document, index: int) -> Material:
    """Read a material, once for each index."""
    key = ("material", index)
    if key not in document.cache:
        document.cache[key] = _material(document, document.table("materials")[index], index)
    return document.cache[key]


def _material(document: Document, item: Item, index: int) -> Material:
    surface = item.item("pbrMetallicRoughness") or Item(document, item.where, {})
    older = item.extension("KHR_materials_pbrSpecularGlossiness")
    extras: dict[str, Any] = {}
    for holder in (surface, item):
        for key, name in OTHER_TEXTURES.items():
            image = _texture(document, holder.item(key))
            if image is not None:
                extras[name] = image
    normal = item.item("normalTexture")
    if normal is not None and "scale" in normal:
        extras["normal_scale"] = normal.number("scale", 1.0)
    occlusion = item.item("occlusionTexture")
    if occlusion is not None and "strength" in occlusion:
        extras["occlusion_strength"] = occlusion.number("strength", 1.0)
    if item.extension("KHR_materials_unlit") is not None:
        extras["unlit"] = True
    wrap = _sampler(document, color_info(item))
    infos = {
        key: info
        for holder in (surface, item)
        for key in ("normalTexture", *OTHER_TEXTURES)
        if (info := holder.item(key)) is not None
    }
    sets = {key: set_written(document, index, info) for key, info in infos.items()}
    samplers = {key: _sampler(document, info) for key, info in infos.items()}
    for key, value in {
        "texcoord_sets": {key: number for key, number in sets.items() if number},
        "extensions": _extensions(document, item, index, wrap),
        "sampler": wrap,
        "samplers": {key: one for key, one in samplers.items() if one != wrap},
    }.items():
        if value:
            extras[key] = value
    color = surface.numbers("baseColorFactor", 4)
    metallic, roughness = (
        surface.number("metallicFactor", 1.0),
        surface.number("roughnessFactor", 1.0),
    )
    if older is not None:
        color = older.numbers("diffuseFactor", 4)
        metallic, roughness = 0.0, 1.0 - older.number("glossinessFactor", 1.0)
    image, own = _texture(document, color_info(item)), item.own()
    if image is None and own is not None and own.text("texture"):
        image = Texture(own.text("texture"))  # a name without an image
    mode = item.text("alphaMode", "OPAQUE")
    if mode not in ALPHA_MODES:
        item.fail("alphaMode", "OPAQUE, MASK or BLEND")
    return Material(
        item.text("name") or f"material {index}",
        tuple(color or (1.0, 1.0, 1.0, 1.0)),
        image,
        _texture(document, normal),
        metallic,
        roughness,
        item.flag("doubleSided"),
        mode,
        item.number("alphaCutoff", 0.5),
        tuple(item.numbers("emissiveFactor", 3) or (0.0, 0.0, 0.0)),
        extras or None,
    )


def _extensions(document: Document, item: Item, index: int, wrap: dict[str, int]) -> dict[str, Any]:
    """The extensions of a material, with a Texture in place of each texture index.

    A texture whose sampler differs from that of the base color (`wrap`) keeps its own.
    """
    found: dict[str, Any] = {}
    for name, one in kept_extensions(item):
        images = texture_keys(one)
        parts = {key: value for key, value in one.data.items() if key not in images}
        for key in images:
            info = one.item(key)
            image = _texture(document, info)
            if info is not None and image is not None:
                own = ("index", "texCoord", "extensions")
                rest = {k: v for k, v in info.data.items() if k not in own}
                number, sampler = set_written(document, index, info), _sampler(document, info)
                rest |= {"texCoord": number} if number else {}
                rest |= {"sampler": sampler} if sampler != wrap else {}
                parts[key] = {**rest, "texture": image}
        found[name] = parts
    return found


def _texture(document: Document, info: Item | None) -> Texture | None:
    """The image that a texture info refers to."""
    index = info.reference("index", "textures") if info is not None else None
    if info is None or index is None:
        return None
    item = document.table("textures")[index]
    source = item.reference("source", "images")
    for name in IMAGE_EXTENSIONS.values():
        better = item.extension(name)
        if better is not None and (source is None or name == "EXT_texture_webp"):
            source = better.reference("source", "images")
    return None if source is None else _image(document, source)


def _image(document: Document, index: int) -> Texture | None:
    key = ("image", index)
    if key not in document.cache:
        document.cache[key] = _read_image(document, document.table("images")[index], index)
    return document.cache[key]


def _read_image(document: Document, item: Item, index: int) -> Texture | None:
    view = item.reference("bufferView", "bufferViews")
    uri = "" if view is not None else item.text("uri")
    try:
        if view is not None:
            data = bytes(document.view(view)[0])
            document.charge(len(data), item.where)
        elif uri:
            data = document.resource(item)
        else:
            raise SuppleError(f"{item.where}: expected a uri or a buffer view, got neither")
    except SuppleError as error:
        # Read the mesh without the image.
        reason = str(error).removeprefix(f"{document.source.path}: ")
        document.source.warn(f"an image is left out: {reason}")
        return None
    embedded = uri[:5].lower() == "data:"
    name = item.text("name")
    if not name and uri and not embedded:
        name = posixpath.basename(urllib.parse.unquote(uri))
    return Texture(name or f"image {index}", data, mime_type(data) or item.text("mimeType"))


def _sampler(document: Document, info: Item | None) -> dict[str, int]:
    """The sampler of a texture: its filter and wrap modes, as glTF enums."""
    index = info.reference("index", "textures") if info is not None else None
    sampler = (
        document.table("textures")[index].reference("sampler", "samplers")
        if index is not None
        else None
    )
    if sampler is None:
        return {}
    item = document.table("samplers")[sampler]
    keys = ("magFilter", "minFilter", "wrapS", "wrapT")
    return {key: item.whole(key) for key in keys if key in item}
