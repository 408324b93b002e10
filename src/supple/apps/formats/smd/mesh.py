"""Read the triangles of an SMD file as meshes, one for each material.

A vertex line is: bone, position, normal, u, v; in Source files then a number of links, with a bone and
a weight each. The first column is used only where there are no links.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.smd.text import Section, numbers_of
from supple.apps.formats.smd.vta_read import Shapes
from supple.apps.formats.source import SKIN_JOINT_BYTES, Source, shown
from supple.model.mesh import Material, Mesh, Skin, Texture
from supple.model.skeleton import Skeleton

MISSING = ("renormalize", "first")
FULL_WEIGHT = 0.975  # least sum of weights that counts as one with weights="first"; not tuned

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MIMES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".bmp": "image/bmp",
          ".tga": "image/x-tga"}  # fmt: skip
UNNAMED = b"unnamed"  # the material of triangles that name none
_VERTEX = re.compile(rb"\s*-?\d+(?:\s+[-+.\d][^\s]*){8,}")
LARGEST_TEXTURE_BYTES = 64 << 20  # size limit of an image [B]
CORNER_COPIES = 4  # copies of the corner table while equal corners are merged


def read_meshes(
    source: Source,
    section: Section,
    skeleton: Skeleton,
    ids: dict[int, int],
    names: list[str],
    weights: str,
    shapes: Shapes | None = None,
) -> tuple[Mesh, ...]:
    """Read a triangles section.

    Args:
        source: The file.
        section: Its triangles.
        skeleton: The skeleton; vertices are bound at its rest.
        ids: The index of each bone id in `names`.
        names: Names of the bones.
        weights: "renormalize" or "first", for weights that do not sum to one; see `read`.
        shapes: The shapes to add as morph targets, if there are any.
    """
    lines, at = section.lines, section.numbers
    if not lines:
        source.warn("the triangles section is empty: no mesh", line=section.line)
        return ()
    if len(lines) % 4:
        lines, at = _with_materials(source, lines, at)
    materials = [line.strip() for line in lines[0::4]]
    rows = [line for k, line in enumerate(lines) if k % 4]
    numbers = [line for k, line in enumerate(at) if k % 4]
    values, sizes = numbers_of(source, rows, numbers, width=9)
    short = np.flatnonzero(sizes < 9)
    if len(short):
        k = int(short[0])
        source.error(
            numbers[k],
            f"expected a vertex: bone, position, normal, u and v, got {shown(rows[k])}",
        )
    begins = np.cumsum(sizes) - sizes
    base = _mended(source, values[begins[:, None] + np.arange(9)], rows, numbers)
    vertex, bone, weight, first = _links(source, values, sizes, begins, base, ids, numbers, weights)
    return _by_material(
        source, materials, base, vertex, bone, weight, first, skeleton, names, shapes
    )


def _with_materials(
    source: Source, lines: Sequence[bytes], at: Sequence[int]
) -> tuple[list[bytes], list[int]]:
    """Add a material line before triangles that have none."""
    kept: list[bytes] = []
    numbers: list[int] = []
    bare, missing = 0, 0  # triangles without material; vertices the current triangle still needs
    for line, number in zip(lines, at, strict=True):
        vertex = _VERTEX.match(line) is not None
        if missing and not vertex:
            break
        if vertex and not missing:
            bare += 1
            kept.append(UNNAMED)
            numbers.append(number)
        missing = missing - 1 if missing else 2 if vertex else 3
        kept.append(line)
        numbers.append(number)
    if missing:
        source.error(at[-1], "the file ends in the middle of a triangle: it is cut off, or a line "
                     "is missing; expected a material and three vertices")  # fmt: skip
    source.warn(f"{bare} triangles name no material: called {UNNAMED.decode()!r}", line=at[0])
    return kept, numbers


def _mended(source: Source, base: Floats, rows: list[bytes], lines: list[int]) -> Floats:
    """Replace NaN in normals and texture coordinates; raise for NaN in a position."""
    broken = np.isnan(base)
    if not broken.any():
        return base
    lost = np.flatnonzero(broken[:, :4].any(axis=1))
    if len(lost):
        k = int(lost[0])
        source.error(lines[k], f"expected finite numbers, got {shown(rows[k])}")
    k = int(np.flatnonzero(broken.any(axis=1))[0])
    source.warn(
        f"{int(broken.any(axis=1).sum())} vertices have normals or texture coordinates that are not "
        "numbers: (0, 0, 1) and 0 taken",
        line=lines[k],
    )
    base[broken[:, 4:7].any(axis=1), 4:7] = (0.0, 0.0, 1.0)
    base[:, 7:9] = np.where(broken[:, 7:9], 0.0, base[:, 7:9])
    return base


def _links(
    source: Source,
    values: Floats,
    sizes: Ints,
    begins: Ints,
    base: Floats,
    ids: dict[int, int],
    lines: list[int],
    weights: str,
) -> tuple[Ints, Ints, Floats, Ints]:
    """Vertex, bone and weight of every influence; and the first influence of each vertex (V + 1,)."""
    count = len(sizes)
    links = np.zeros(count, dtype=np.int64)
    has = sizes > 9
    said = values[begins[has] + 9]
    odd = (said != np.floor(said)) | (said < 0) | (said > 1e6)
    if odd.any():
        k = int(np.flatnonzero(has)[np.argmax(odd)])
        source.error(lines[k], f"expected a number of links, got {values[begins[k] + 9]:g}")
    links[has] = said.astype(np.int64)
    room = np.maximum(sizes - 10, 0) // 2
    if np.any(links > room):
        k = int(np.argmax(links > room))
        source.error(lines[k], f"expected {links[k]} bones with weights, got {room[k]}")
    vertex = np.repeat(np.arange(count), links)
    number = np.arange(len(vertex)) - np.repeat(np.cumsum(links) - links, links)
    place = begins[vertex] + 10 + 2 * number
    bone, weight = values[place], values[place + 1]
    broken = np.flatnonzero(~np.isfinite(bone + weight))
    if len(broken):
        source.error(lines[int(vertex[broken[0]])], "expected bones with weights, got no numbers")
    below = np.unique(vertex[weight < 0.0])
    if len(below):
        source.warn(
            f"{len(below)} vertices have weights below 0: taken as 0", line=lines[int(below[0])]
        )
        weight = np.maximum(weight, 0.0)
    sums = np.bincount(vertex, weight, minlength=count)
    least = FULL_WEIGHT if weights == "first" else 1e-12
    left = np.where(sums < least, 1.0 - sums, 0.0)
    bare = np.flatnonzero(left > 0.0)
    linked = bare[links[bare] > 0]
    if len(linked):
        source.warn(
            f"{len(linked)} vertices have weights that sum to less than {least:g}: the bone of "
            "their first column has the rest",
            line=lines[int(linked[0])],
        )
    off = np.flatnonzero((np.abs(sums - 1.0) > 1e-3) & (links > 0) & (left == 0.0))
    if len(off):
        source.warn(
            f"{len(off)} vertices have weights that do not sum to 1 "
            f"({sums[off].min():.4g} to {sums[off].max():.4g}): brought to 1",
            line=lines[int(off[0])],
        )
    vertex = np.concatenate([vertex, bare])
    bone = np.concatenate([bone, base[bare, 0]])
    weight = np.concatenate([weight, left[bare]])
    order = np.argsort(vertex, kind="stable")
    vertex, bone, weight = vertex[order], bone[order], weight[order]
    known = np.array(sorted(ids), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, bone), len(known) - 1)
    wrong = np.flatnonzero(known[at] != bone)
    if len(wrong):
        k = int(wrong[0])
        source.error(lines[int(vertex[k])], f"expected the id of a bone in nodes, got {bone[k]:g}")
    places = np.array([ids[k] for k in sorted(ids)], dtype=np.int64)[at]
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=count))])
    return vertex, places, weight, first.astype(np.int64)


def _by_material(
    source: Source,
    materials: list[bytes],
    base: Floats,
    vertex: Ints,
    bone: Ints,
    weight: Floats,
    first: Ints,
    skeleton: Skeleton,
    names: list[str],
    shapes: Shapes | None,
) -> tuple[Mesh, ...]:
    kinds = list(dict.fromkeys(materials))
    number = {name: k for k, name in enumerate(kinds)}
    kind = np.repeat(np.array([number[name] for name in materials]), 3)
    source.charge(
        SKIN_JOINT_BYTES * len(kinds) * len(names),
        f"{len(kinds)} materials, each a mesh with {len(names)} bones",
    )
    frames = skeleton.rest.frames[[skeleton.index(name) for name in names]]
    binds = np.linalg.inv(frames)
    most = int(np.diff(first).max(initial=0))
    source.charge(
        CORNER_COPIES * 8 * len(base) * (8 + 2 * most),
        f"{len(base)} vertices with up to {most} links",
    )
    corners = _corners(base, vertex, bone, weight, first)
    places = None if shapes is None else shapes.places(base[:, 1:7])
    if shapes is not None and places is not None:
        moving = shapes.alike()[places].astype(np.float64)
        corners = np.column_stack(
            [corners, moving]
        )  # do not merge vertices that a shape moves apart
    meshes = []
    grouped = np.argsort(kind, kind="stable")
    ends = np.cumsum(np.bincount(kind, minlength=len(kinds)))
    for raw, mine in zip(kinds, np.split(grouped, ends[:-1]), strict=True):
        chosen, faces = _welded(corners[mine])
        rows = mine[chosen]
        size = first[rows + 1] - first[rows]
        begins = np.concatenate([[0], np.cumsum(size)])
        picked = np.repeat(first[rows] - begins[:-1], size) + np.arange(begins[-1])
        skin = Skin(tuple(names), binds, begins, bone[picked], weight[picked])
        name = raw.decode("utf-8", "replace")
        uv = base[rows, 7:9]
        morphs = ()
        if shapes is not None and places is not None:
            morphs = shapes.morphs(places[rows])
        meshes.append(
            Mesh(
                name,
                base[rows, 1:4],
                faces.reshape(-1, 3),
                base[rows, 4:7],
                np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1),
                material=Material(name, texture=_texture(source, name)),
                skin=skin,
                morphs=morphs,
            )
        )
    return tuple(meshes)


def _corners(base: Floats, vertex: Ints, bone: Ints, weight: Floats, first: Ints) -> Floats:
    """A row for each corner with all its values, padded: equal rows are the same vertex."""
    most = int(np.diff(first).max(initial=0))
    links = np.full((len(base), 2 * most), -1.0)
    column = np.arange(len(vertex)) - first[vertex]
    links[vertex, 2 * column] = bone
    links[vertex, 2 * column + 1] = weight
    return np.concatenate([base[:, 1:], links], axis=1) + 0.0  # without -0.0


def _welded(corners: Floats) -> tuple[Ints, Ints]:
    """Merge equal corners: the first corner of each group, and the group of each corner."""
    rows = np.ascontiguousarray(corners)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, firsts, groups = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return firsts[order], rank[groups.reshape(-1)]


def _texture(source: Source, name: str) -> Texture | None:
    """The image of a material: the file of its name beside the SMD, if there is one."""
    folder = source.path.parent
    plain = name.replace("\\", "/").rpartition("/")[2]
    if not plain or len(plain) > 200 or plain in (".", "..") or "\0" in plain:
        return None
    stem = plain.rpartition(".")[0] or plain
    for candidate in (plain, *(stem + ending for ending in _MIMES)):
        ending = "." + candidate.rpartition(".")[2].lower()
        if ending in _MIMES and (folder / candidate).is_file():
            data = source.beside(candidate, most=LARGEST_TEXTURE_BYTES)
            return Texture(candidate, data, _MIMES[ending])
    return None
