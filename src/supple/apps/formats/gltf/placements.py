"""Transforms of nodes: translations, rotations and scales, and which part of the scales is baked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf.document import Document, Item
from supple.rotations import from_matrix

Floats = NDArray[np.float64]

# Scales and lengths that differ by less, relative to the largest, are equal but for rounding.
FLOAT32_TOLERANCE = 1e-6
SHEAR_TOLERANCE = 1e-3  # largest cosine between axes of a matrix without a note; not tuned
SMALLEST_SCALE = 1e-12  # smaller scales count as zero


def placements(document: Document, items: list[Item]) -> tuple[Floats, Floats, Floats]:
    """Translations (n, 3), rotations wxyz (n, 4) and scales (n, 3) of the nodes."""
    count = len(items)
    translations, scales = np.zeros((count, 3)), np.ones((count, 3))
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    off, sheared = [], []
    for k, item in enumerate(items):
        data = item.data
        if "matrix" in data:
            matrix = np.array(item.numbers("matrix", 16)).reshape(4, 4).T
            translations[k] = matrix[:3, 3]
            rotations[k], scales[k], shear = decomposed(matrix[:3, :3])
            if shear > SHEAR_TOLERANCE:
                sheared.append(k)
            continue
        if "translation" in data:
            translations[k] = item.numbers("translation", 3)
        if "scale" in data:
            scales[k] = item.numbers("scale", 3)
        if "rotation" in data:
            x, y, z, w = item.numbers("rotation", 4) or (0.0, 0.0, 0.0, 1.0)
            size = float(np.sqrt(w * w + x * x + y * y + z * z))
            if not 1e-6 < size < np.inf:
                off.append(k)
                continue
            if abs(size - 1.0) > 1e-3:
                off.append(k)
            rotations[k] = np.array((w, x, y, z)) / size
    warn = document.source.warn
    if off:
        warn(f"{some(off)}: rotations that are not unit quaternions are normalized")
    if sheared:
        warn(f"{some(sheared)}: matrices with a shear are read without it")
    return translations, rotations, scales


def decomposed(linear: Floats) -> tuple[Floats, Floats, float]:
    """Decompose a 3x3 matrix: rotation wxyz, scale of its columns, and a measure of its shear."""
    scale = np.linalg.norm(linear, axis=0)
    axes = linear / np.where(scale > SMALLEST_SCALE, scale, 1.0)
    shear = float(np.abs(axes.T @ axes - np.diag(np.where(scale > SMALLEST_SCALE, 1.0, 0.0))).max())
    if np.linalg.det(axes) < 0:  # a mirror: by convention along x
        axes[:, 0], scale[0] = -axes[:, 0], -scale[0]
    if shear > FLOAT32_TOLERANCE or scale.min() <= SMALLEST_SCALE:
        u, _, vt = np.linalg.svd(axes)
        u[:, 2] *= np.sign(np.linalg.det(u @ vt)) or 1.0
        axes = u @ vt
    return from_matrix(axes), scale, shear


def rest_scales(items: list[Item], scales: Floats) -> Floats:
    """The scales at rest: those in supple's extras, or else those of the nodes."""
    scales = scales.copy()
    for k, item in enumerate(items):
        own = item.own()
        rest = own.item("rest") if own is not None else None
        if rest is not None:
            scales[k] = rest.numbers("scale", 3) or scales[k]
    return scales


def baked_scales(scales: Floats, has_children: set[int], kinds: list[str]) -> Floats:
    """The part of each scale that is baked into offsets, bind matrices and meshes."""
    size = np.abs(scales)
    uniform = np.ptp(scales, axis=1) <= FLOAT32_TOLERANCE * size.max(axis=1)
    mean = np.where(uniform, scales.mean(axis=1), np.cbrt(size.prod(axis=1)))[:, None]
    inner = np.isin(np.arange(len(scales)), list(has_children))
    baked = np.where((inner | uniform)[:, None], mean, scales)
    kept = np.array([kind == "joint" for kind in kinds], bool) & (size.min(axis=1) > SMALLEST_SCALE)
    kept &= np.abs(baked - 1.0).max(axis=1) > FLOAT32_TOLERANCE  # rounding
    return np.where(kept[:, None], baked, 1.0)


def accumulated(parents: list[int], baked: Floats) -> Floats:
    """The product of the baked scales of each node and its ancestors."""
    factors = baked.copy()
    below: dict[int, list[int]] = {}
    for k, parent in enumerate(parents):
        below.setdefault(parent, []).append(k)
    front = list(below.get(-1, ()))
    while front:
        k = front.pop()
        if parents[k] >= 0:
            factors[k] = factors[parents[k]] * baked[k]
        front.extend(below.get(k, ()))
    return factors


def some(indices: list[int]) -> str:
    """A list of nodes for a note: the first three, and how many more."""
    few = ", ".join(f"nodes[{k}]" for k in indices[:3])
    return f"{few} and {len(indices) - 3} more" if len(indices) > 3 else few
