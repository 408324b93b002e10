"""Leaves as meshes: which leaves look alike, and their vertices where somebody needs them written out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.grammar.evaluate.shape import Look, Projection, Store
from supple.grammar.geometry.mesh import Geometry
from supple.mesh import Material, Mesh, Texture

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MIMES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


class Alike(NamedTuple):
    """Leaves that have one geometry, one look and one joint.

    Attributes:
        geometry: What they are filled with.
        look: How they look.
        joint: The joint they hang on, an index; -1 for none.
        leaves: Their indices, shape (K,).
    """

    geometry: Geometry
    look: Look
    joint: int
    leaves: Ints


def alike(store: Store) -> list[Alike]:
    """The leaves that have faces, grouped, in the order of the first of each group."""
    leaves = np.flatnonzero(store.leaf_array)
    faced = np.array([bool(one.faces) for one in store.geometry_list], dtype=bool)
    geometries = store.integers("geometries")[leaves]
    leaves = leaves[faced[geometries]] if len(faced) else leaves
    if not len(leaves):
        return []
    keys = np.stack(
        [store.integers(which)[leaves] for which in ("joints", "looks", "geometries")], axis=1
    )
    order = np.lexsort(keys.T[::-1])
    keys, leaves = keys[order], leaves[order]
    starts = np.flatnonzero(np.any(np.diff(keys, axis=0, prepend=keys[:1] - 1) != 0, axis=1))
    groups = [
        Alike(
            store.geometry_list[int(keys[a, 2])],
            store.look_list[int(keys[a, 1])],
            int(keys[a, 0]),
            leaves[a:b],
        )
        for a, b in zip(starts, [*starts[1:], len(leaves)], strict=True)
    ]
    return sorted(groups, key=lambda group: int(group.leaves[0]))


def linear(color: tuple[float, float, float]) -> tuple[float, float, float]:
    """An sRGB colour in linear light."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
    return r, g, b


def material_name(look: Look) -> str:
    """A name that tells one look from another."""
    if look.name:
        return look.name
    digits = "".join(f"{round(c * 255):02x}" for c in look.color)
    return f"{Path(look.texture).stem} {digits}".strip() if look.texture else f"#{digits}"


def material(look: Look, image_path: Callable[[str], Path | None]) -> Material:
    """A look as a material; its texture is read here."""
    picture = None
    path = image_path(look.texture) if look.texture else None
    if path is not None:
        mime = MIMES.get(path.suffix.lower(), "")
        picture = Texture(Path(look.texture).name, path.read_bytes(), mime)
    return Material(
        material_name(look),
        (*linear(look.color), look.opacity),
        picture,
        metallic=look.metallic,
        roughness=look.roughness,
        double_sided=True,
        alpha_mode="BLEND" if look.opacity < 1.0 else "OPAQUE",
    )


class Vertices(NamedTuple):
    """Vertices written out: positions and normals (V, 3), texcoords (V, 2), triangles (F, 3)."""

    positions: Floats
    normals: Floats
    texcoords: Floats
    triangles: Ints


def written_out(group: Alike, scopes: Floats) -> Vertices:
    """The vertices of all leaves of a group, in world, as the rules left them.

    Args:
        group: Leaves that look alike.
        scopes: All scopes of the store, shape (N, 15).
    """
    points, normals, triangles, texcoords = group.geometry.triangles
    rows = scopes[group.leaves]
    R = rows[:, 6:].reshape(-1, 3, 3)
    size = rows[:, 3:6]
    local = points[None] * size[:, None]
    positions = np.einsum("kij,knj->kni", R, local) + rows[:, None, :3]
    inverse = 1.0 / np.where(size > 0, size, 1.0)
    turned = np.einsum("kij,knj->kni", R, normals[None] * inverse[:, None])
    lengths = np.linalg.norm(turned, axis=-1, keepdims=True)
    turned /= np.where(lengths > 0, lengths, 1.0)
    count, corners = len(rows), len(points)
    faces = triangles[None] + corners * np.arange(count)[:, None, None]
    if group.look.projection is not None:
        uv = projected(positions, group.look.projection).reshape(-1, 2)
    else:
        uv = np.broadcast_to(texcoords, (count, corners, 2)).reshape(-1, 2)
    return Vertices(
        positions.reshape(-1, 3), turned.reshape(-1, 3), uv, faces.reshape(-1, 3).astype(np.int64)
    )


def projected(world: Floats, projection: Projection) -> Floats:
    """Texture coordinates of points in world before IK, shape (..., 3) in, (..., 2) out, v down."""
    u, v = projection.axes
    local = (world - projection.origin) @ np.reshape(projection.rotation, (3, 3))
    uv = np.stack([local[..., u] / projection.size[0], local[..., v] / projection.size[1]], axis=-1)
    uv = uv * projection.scale
    if projection.turn:
        c, s = math.cos(math.radians(projection.turn)), math.sin(math.radians(projection.turn))
        uv = np.stack([c * uv[..., 0] - s * uv[..., 1], s * uv[..., 0] + c * uv[..., 1]], axis=-1)
    uv = uv + projection.offset
    return np.stack([uv[..., 0], 1.0 - uv[..., 1]], axis=-1)


Placing = Callable[[Alike, Vertices], tuple[Floats, Floats]]
"""Where the vertices of a group are, and their normals."""


def by_look(store: Store, place: Placing) -> Iterator[tuple[Look, Vertices, Ints]]:
    """Everything that has one look, written out, with the joint of every vertex.

    Args:
        store: The shapes.
        place: What moves the vertices of a group: (group, vertices) to positions and normals.
    """
    scopes = store.scope_array
    groups: dict[tuple[Any, ...], list[Alike]] = {}
    for group in alike(store):
        groups.setdefault(group.look._replace(layers=()), []).append(group)
    for members in groups.values():
        parts: list[Vertices] = []
        joints: list[Ints] = []
        count = 0
        for group in members:
            one = written_out(group, scopes)
            positions, normals = place(group, one)
            parts.append(Vertices(positions, normals, one.texcoords, one.triangles + count))
            joints.append(np.full(len(positions), group.joint, dtype=np.int64))
            count += len(positions)
        together = Vertices(*(np.concatenate([one[k] for one in parts]) for k in range(4)))  # type: ignore[arg-type]
        yield members[0].look, together, np.concatenate(joints)


def mesh(look: Look, vertices: Vertices, made_of: Material, **more: Any) -> Mesh:
    """A mesh of one look."""
    return Mesh(
        made_of.name,
        vertices.positions,
        vertices.triangles,
        vertices.normals,
        vertices.texcoords if look.texture else None,
        material=made_of,
        **more,
    )
