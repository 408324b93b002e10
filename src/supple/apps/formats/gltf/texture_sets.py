"""Texture coordinate sets of a material, with KHR_texture_transform applied on reading.

Every pair of a set and a transform that a material uses becomes a set of its own. That of the base color
comes first, then those of other images in the order of their sets, then the sets that no image uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf.document import Document, Item

Floats = NDArray[np.float64]

KEPT = "KHR_materials_"  # extensions that are kept whole, with their images, but for those of READ
READ = ("KHR_materials_unlit", "KHR_materials_pbrSpecularGlossiness")
IDENTITY_TRANSFORM = (0.0, 0.0, 0.0, 1.0, 1.0)  # offset u, v, angle, scale u, v


class Use(NamedTuple):
    """A set of texture coordinates, and its transform: offset u, v, angle [rad], scale u, v."""

    number: int
    transform: tuple[float, ...] = IDENTITY_TRANSFORM

    def applied(self, texcoords: Floats) -> Floats:
        """Coordinates (V, 2) after the transform: scaled, rotated, shifted."""
        if self.transform == IDENTITY_TRANSFORM:
            return texcoords
        du, dv, angle, su, sv = self.transform
        c, s = math.cos(angle), math.sin(angle)
        u, v = texcoords[:, 0] * su, texcoords[:, 1] * sv
        return np.column_stack([c * u + s * v + du, -s * u + c * v + dv])


def color_info(item: Item) -> Item | None:
    """The texture info of a material's base color."""
    older = item.extension("KHR_materials_pbrSpecularGlossiness")
    if older is not None:
        return older.item("diffuseTexture")
    surface = item.item("pbrMetallicRoughness")
    return None if surface is None else surface.item("baseColorTexture")


def kept_extensions(item: Item) -> Iterator[tuple[str, Item]]:
    """The extensions of a material that are kept, by name."""
    given = item.item("extensions")
    for name in given.data if given is not None else ():
        one = item.extension(name)
        if name.startswith(KEPT) and name not in READ and one is not None:
            yield name, one


def texture_keys(item: Item) -> list[str]:
    """The keys of an object that are texture infos."""
    return [
        key for key, value in item.data.items()
        if key.endswith("Texture") and isinstance(value, dict)
    ]  # fmt: skip


def uses(document: Document, index: int | None) -> tuple[Use, ...]:
    """The distinct coordinate sets that the images of a material use, that of the base color first."""
    if index is None:
        return (Use(0),)
    key = ("uses", index)
    if key not in document.cache:
        item = document.table("materials")[index]
        info = color_info(item) or item.item("normalTexture")
        first = Use(0) if info is None else _use(info)
        surface = item.item("pbrMetallicRoughness")
        holders = [
            item,
            *([surface] if surface else []),
            *(one for _, one in kept_extensions(item)),
        ]
        infos = [holder.item(name) for holder in holders for name in texture_keys(holder)]
        # Sorted, so that sets keep their numbers when they are written and read again.
        others = sorted({_use(one) for one in infos if one is not None} - {first})
        document.cache[key] = (first, *others)
    return document.cache[key]


def set_written(document: Document, index: int, info: Item | None) -> int:
    """The index of the coordinate set, as read, that an image of a material uses."""
    return 0 if info is None else uses(document, index).index(_use(info))


def read_sets(
    document: Document,
    index: int | None,
    names: list[str],
    values: Callable[[str], Floats | None],
    count: int,
    where: str,
) -> tuple[Floats | None, dict[str, Floats]]:
    """The texture coordinates of a primitive for the base color, and all other sets by name.

    Args:
        document: The file.
        index: The primitive's material.
        names: Names of the sets that the primitive has.
        values: Reads a set by its name; None if there is none.
        count: Number of vertices.
        where: The path of the primitive, for messages.
    """
    first, *others = uses(document, index)
    color = values(f"TEXCOORD_{first.number}")
    found: dict[str, Floats] = {}
    for use in others:
        given = values(f"TEXCOORD_{use.number}")
        document.charge(16 * count, where)
        # Zeros stand in for a set that the file lacks: sets are numbered without gaps.
        found[f"TEXCOORD_{len(found) + 1}"] = (
            np.zeros((count, 2)) if given is None else use.applied(given)
        )
    used = {f"TEXCOORD_{use.number}" for use in (first, *others)}
    for name in names:
        given = values(name) if name not in used else None
        if given is not None:
            found[f"TEXCOORD_{len(found) + 1}"] = given
    return (None if color is None else first.applied(color)), found


def _use(info: Item) -> Use:
    number = info.whole("texCoord", 0)
    transform = info.extension("KHR_texture_transform")
    if transform is None:
        return Use(number)
    if "texCoord" in transform:
        number = transform.whole("texCoord", 0)
    shift = transform.numbers("offset", 2) or (0.0, 0.0)
    size = transform.numbers("scale", 2) or (1.0, 1.0)
    return Use(number, (*map(float, shift), transform.number("rotation", 0.0), *map(float, size)))
