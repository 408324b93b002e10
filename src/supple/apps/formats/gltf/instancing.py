"""EXT_mesh_gpu_instancing: expand all instances of a mesh on a node into one mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf import accessors
from supple.apps.formats.gltf.document import Document, Item
from supple.rotations import to_matrix

Floats = NDArray[np.float64]

EXTENSION = "EXT_mesh_gpu_instancing"
KINDS = {"TRANSLATION": "VEC3", "ROTATION": "VEC4", "SCALE": "VEC3"}


def expand_instances(document: Document, node: Item, shape: dict[str, Any]) -> dict[str, Any]:
    """Copy the vertices and faces of a primitive for every instance of its node.

    Args:
        document: The file.
        node: The node; without the extension the primitive is returned as is.
        shape: Arrays by vertex ("positions", "normals", "texcoords", "colors", "others") and
            "faces".

    Raises:
        SuppleError: The instance attributes differ in length, or exceed the memory limit.
    """
    extension = node.extension(EXTENSION)
    attributes = None if extension is None else extension.item("attributes")
    if attributes is None or not any(name in attributes for name in KINDS):
        return shape
    given = {name: _values(document, attributes, name) for name in KINDS if name in attributes}
    counts = {len(values) for values in given.values()}
    if len(counts) > 1:
        document.fail(attributes.where, f"expected as many of each, got {sorted(counts)}")
    (count,) = counts
    vertices = len(shape["positions"])
    # An upper bound, before anything is allocated.
    document.charge(count * (112 * vertices + 24 * len(shape["faces"])), attributes.where)
    moves = given.get("TRANSLATION", np.zeros((count, 3)))
    scales = given.get("SCALE", np.ones((count, 3)))
    turns = to_matrix(_unit(np.roll(given["ROTATION"], 1, axis=1))) if "ROTATION" in given else None
    steps = vertices * np.arange(count)[:, None, None]

    def copies(values: Floats | None) -> Floats | None:
        return None if values is None else np.tile(values, (count, 1))

    normals = shape["normals"]
    return {
        "positions": _turned(shape["positions"][None] * scales[:, None], turns, moves),
        "normals": None if normals is None else _normals(normals, scales, turns),
        "faces": (shape["faces"][None] + steps).reshape(-1, 3),
        "texcoords": copies(shape["texcoords"]),
        "colors": copies(shape["colors"]),
        "others": {name: copies(values) for name, values in shape["others"].items()},
    }


def _values(document: Document, attributes: Item, name: str) -> Floats:
    index = attributes.reference(name, "accessors")
    assert index is not None  # the caller has checked that it is present
    return accessors.floats(document, index, (KINDS[name],))


def _turned(points: Floats, turns: Floats | None, moves: Floats | None) -> Floats:
    """Rotate and move the points of every instance, shape (K, V, 3); result of shape (K V, 3)."""
    out = points if turns is None else points @ turns.transpose(0, 2, 1)
    out = out if moves is None else out + moves[:, None]
    return out.reshape(-1, 3)


def _normals(normals: Floats, scales: Floats, turns: Floats | None) -> Floats:
    """Normals of scaled instances: divided by the scales and normalized."""
    divided = normals[None] / np.where(scales != 0, scales, 1.0)[:, None]
    return _unit(_turned(divided, turns, None))


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(size > 0, size, 1.0)
