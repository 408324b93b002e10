"""Leaves as meshes: groups that share geometry, material and joint, and their vertices in world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.grammar.evaluate.assets import too_many_triangles
from supple.apps.grammar.evaluate.material import Material
from supple.apps.grammar.evaluate.store import Store
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.geometry.uv import projected
from supple.model import mesh as mesh_model

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MIMES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


class LeafGroup(NamedTuple):
    """Leaves that share geometry, material and joint.

    Attributes:
        geometry: Their geometry.
        material: Their material.
        joint: Index of the joint that carries them; -1 for none.
        leaves: Indices of the shapes, shape (K,).
    """

    geometry: Geometry
    material: Material
    joint: int
    leaves: Ints


def leaf_groups(store: Store) -> list[LeafGroup]:
    """The leaves with faces in groups, ordered by the first leaf of each group."""
    leaves = np.flatnonzero(store.leaf_array)
    faced = np.array([bool(one.faces) for one in store.geometry_list], dtype=bool)
    geometries = store.integers("geometries")[leaves]
    leaves = leaves[faced[geometries]] if len(faced) else leaves
    if not len(leaves):
        return []
    keys = np.stack(
        [store.integers(which)[leaves] for which in ("joints", "materials", "geometries")], axis=1
    )
    order = np.lexsort(keys.T[::-1])
    keys, leaves = keys[order], leaves[order]
    starts = np.flatnonzero(np.any(np.diff(keys, axis=0, prepend=keys[:1] - 1) != 0, axis=1))
    groups = [
        LeafGroup(
            store.geometry_list[int(keys[a, 2])],
            store.material_list[int(keys[a, 1])],
            int(keys[a, 0]),
            leaves[a:b],
        )
        for a, b in zip(starts, [*starts[1:], len(leaves)], strict=True)
    ]
    return sorted(groups, key=lambda group: int(group.leaves[0]))


def triangle_count(groups: Iterable[LeafGroup]) -> int:
    """Number of triangles of groups that are written out: each leaf has its own copy."""
    return sum(len(group.leaves) * group.geometry.triangle_count for group in groups)


def corner_count(groups: Iterable[LeafGroup]) -> int:
    """Number of vertices of groups that are written out: each leaf has its own copy."""
    return sum(len(group.leaves) * group.geometry.corner_count for group in groups)


def check_triangles(groups: Sequence[LeafGroup], most_triangles: int) -> None:
    """Raise before groups are written out with more triangles than allowed.

    Raises:
        SuppleError: They have more than `most_triangles`; the message names the largest group.
    """
    count = triangle_count(groups)
    if count > most_triangles:
        largest = max(groups, key=lambda group: triangle_count([group]))
        raise too_many_triangles(
            f"the leaves have {count:,} triangles written out, {triangle_count([largest]):,} of them in "
            f"{len(largest.leaves):,} of {largest.geometry.name!r}",
            most_triangles,
        )


def linear(color: tuple[float, float, float]) -> tuple[float, float, float]:
    """Convert an sRGB colour to linear light."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
    return r, g, b


def material_name(material: Material) -> str:
    """The material's name, or one made of its texture and colour."""
    if material.name:
        return material.name
    digits = "".join(f"{round(c * 255):02x}" for c in material.color)
    if material.texture:
        return f"{Path(material.texture).stem} {digits}".strip()
    return f"#{digits}"


def mesh_material(
    material: Material, image_path: Callable[[str], Path | None]
) -> mesh_model.Material:
    """The material of a mesh; reads the texture's file.

    Args:
        material: A shape's material.
        image_path: Gives the path of an image by its name in the rules.
    """
    picture = None
    path = image_path(material.texture) if material.texture else None
    if path is not None:
        mime = MIMES.get(path.suffix.lower(), "")
        picture = mesh_model.Texture(Path(material.texture).name, path.read_bytes(), mime)
    return mesh_model.Material(
        material_name(material),
        (*linear(material.color), material.opacity),
        picture,
        metallic=material.metallic,
        roughness=material.roughness,
        double_sided=True,
        alpha_mode="BLEND" if material.opacity < 1.0 else "OPAQUE",
    )


class Vertices(NamedTuple):
    """Positions and normals (V, 3), texcoords (V, 2) and triangles (F, 3)."""

    positions: Floats
    normals: Floats
    texcoords: Floats
    triangles: Ints


def group_vertices(group: LeafGroup, scopes: Floats) -> Vertices:
    """The vertices of all leaves of a group, in world before IK.

    Args:
        group: The group.
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
    if group.material.projection is not None:
        uv = projected(positions, group.material.projection, turned).reshape(-1, 2)
    else:
        uv = np.broadcast_to(texcoords, (count, corners, 2)).reshape(-1, 2)
    return Vertices(positions.reshape(-1, 3), turned.reshape(-1, 3), uv, faces.reshape(-1, 3))


Placing = Callable[[LeafGroup, Vertices], tuple[Floats, Floats]]
"""Moves the vertices of a group: (group, vertices) to positions and normals."""


def by_material(
    store: Store, place: Placing, most_triangles: int
) -> Iterator[tuple[Material, Vertices, Ints]]:
    """For each material, the vertices of all its leaves and the joint of every vertex.

    Args:
        store: The shapes.
        place: Moves the vertices of a group.
        most_triangles: Triangles of all leaves together.

    Raises:
        SuppleError: There are more; nothing is allocated then.
    """
    scopes = store.scope_array
    groups: dict[tuple[Any, ...], list[LeafGroup]] = {}
    all_groups = leaf_groups(store)
    check_triangles(all_groups, most_triangles)
    for group in all_groups:
        groups.setdefault(group.material._replace(layers=()), []).append(group)
    for members in groups.values():
        parts: list[Vertices] = []
        joints: list[Ints] = []
        count = 0
        for group in members:
            one = group_vertices(group, scopes)
            positions, normals = place(group, one)
            parts.append(Vertices(positions, normals, one.texcoords, one.triangles + count))
            joints.append(np.full(len(positions), group.joint, dtype=np.int64))
            count += len(positions)
        together = parts[0]
        if len(parts) > 1:
            together = Vertices(*(np.concatenate([one[k] for one in parts]) for k in range(4)))  # type: ignore[arg-type]
        parts.clear()
        yield members[0].material, together, np.concatenate(joints)


def mesh(
    material: Material, vertices: Vertices, made_of: mesh_model.Material, **more: Any
) -> mesh_model.Mesh:
    """A mesh of one material.

    Args:
        material: The shapes' material.
        vertices: Their vertices.
        made_of: The same as a material of a mesh, from `mesh_material`.
        more: Other arguments of `supple.Mesh`.
    """
    return mesh_model.Mesh(
        made_of.name,
        vertices.positions,
        vertices.triangles,
        vertices.normals,
        vertices.texcoords if material.texture else None,
        material=made_of,
        **more,
    )
