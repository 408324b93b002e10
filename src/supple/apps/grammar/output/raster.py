"""A small software renderer: shaded triangles with a depth buffer and outlines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pixels = NDArray[np.float32]

DIRECTION_TO_LIGHT = np.array([0.4, 0.8, 0.45]) / np.linalg.norm([0.4, 0.8, 0.45])


class Shading(NamedTuple):
    """Brightness of surfaces and outlines, as a factor of the colour; not tuned.

    Attributes:
        base: Of a surface parallel to the light.
        toward_light: Added times the cosine of the angle between the normal and the light.
        darkest: Of a surface, at least.
        brightest: Of a surface, at most.
        crease_cosine: Cosine of the angle between two normals below which the edge gets an outline.
        outline: Of an outline, over that of its surface.
    """

    base: float = 0.72
    toward_light: float = 0.34
    darkest: float = 0.42
    brightest: float = 1.04
    crease_cosine: float = 0.85
    outline: float = 0.5


SHADING = Shading()


class Triangles(NamedTuple):
    """The triangles of a picture.

    Attributes:
        corners: On the page: x right, y up, and nearness to the eye, shape (K, 3, 3).
        normals: World, shape (K, 3, 3).
        colours: sRGB and opacity, shape (K, 4).
    """

    corners: Floats
    normals: Floats
    colours: Floats


def rendered(
    triangles: Triangles, low: Floats, high: Floats, width: int, *, samples: int = 2
) -> Pixels:
    """Render a picture, RGBA, rows from the top, shape (H, W, 4).

    Args:
        triangles: The triangles.
        low: The lower left corner of the page, shape (2,).
        high: The upper right one.
        width: Pixels across.
        samples: Samples per pixel along each axis.
    """
    scale = samples * width / (high[0] - low[0])
    across, down = (
        samples * width,
        max(int(round((high[1] - low[1]) * scale / samples)), 1) * samples,
    )
    colour = np.zeros((down, across, 4), np.float32)
    depth = np.full((down, across), -np.inf)
    facing = np.zeros((down, across, 3), np.float32)
    x = (triangles.corners[..., 0] - low[0]) * scale
    y = (high[1] - triangles.corners[..., 1]) * scale
    z = triangles.corners[..., 2]
    solid = triangles.colours[:, 3] >= 1.0
    order = np.concatenate(
        [np.flatnonzero(solid), np.flatnonzero(~solid)[np.argsort(z[~solid].mean(axis=1))]]
    )
    shades = _shades(triangles.normals)
    for k in order.tolist():
        _fill(k, x[k], y[k], z[k], shades[k], triangles, colour, depth, facing)
    _outline(colour, depth, facing, scale)
    small = colour.reshape(down // samples, samples, across // samples, samples, 4)
    return small.mean(axis=(1, 3))


def _shades(normals: Floats) -> Floats:
    """Brightness of each corner, shape (K, 3)."""
    lit = normals @ DIRECTION_TO_LIGHT
    return np.clip(SHADING.base + SHADING.toward_light * lit, SHADING.darkest, SHADING.brightest)


def _fill(
    k: int,
    x: Floats,
    y: Floats,
    z: Floats,
    shade: Floats,
    triangles: Triangles,
    colour: Pixels,
    depth: Floats,
    facing: Pixels,
) -> None:
    """Draw one triangle."""
    height, width = depth.shape
    left, right = max(int(np.ceil(x.min() - 0.5)), 0), min(int(np.floor(x.max() - 0.5)), width - 1)
    top, bottom = max(int(np.ceil(y.min() - 0.5)), 0), min(int(np.floor(y.max() - 0.5)), height - 1)
    if left > right or top > bottom:
        return
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    if area == 0.0:
        return
    px = np.arange(left, right + 1) + 0.5
    py = (np.arange(top, bottom + 1) + 0.5)[:, None]
    b = ((px - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (py - y[0])) / area
    c = ((x[1] - x[0]) * (py - y[0]) - (px - x[0]) * (y[1] - y[0])) / area
    a = 1.0 - b - c
    near = a * z[0] + b * z[1] + c * z[2]
    window = (slice(top, bottom + 1), slice(left, right + 1))
    seen = (a >= -1e-9) & (b >= -1e-9) & (c >= -1e-9) & (near > depth[window])
    if not seen.any():
        return
    bright = (a * shade[0] + b * shade[1] + c * shade[2])[seen]
    alpha = triangles.colours[k, 3]
    new = np.clip(triangles.colours[k, :3] * bright[:, None], 0.0, 1.0)
    old = colour[window][seen]
    mixed = np.empty_like(old)
    mixed[:, :3] = alpha * new + (1.0 - alpha) * np.where(old[:, 3:] > 0, old[:, :3], 1.0)
    mixed[:, 3] = np.maximum(old[:, 3], alpha)
    colour[window][seen] = mixed
    if alpha >= 1.0:
        depth[window][seen] = near[seen]
        n = triangles.normals[k]
        facing[window][seen] = (
            a[seen][:, None] * n[0] + b[seen][:, None] * n[1] + c[seen][:, None] * n[2]
        )


def _outline(colour: Pixels, depth: Floats, facing: Pixels, scale: float) -> None:
    """Darken pixels at silhouettes and creases."""
    edge = np.zeros(depth.shape, dtype=bool)
    jump = 6.0 / scale  # oblique surfaces change their depth from pixel to pixel too
    size = np.linalg.norm(facing, axis=-1)
    unit = facing / np.where(size > 0, size, 1.0)[..., None]
    for axis in (0, 1):
        one = [slice(None), slice(None)]
        two = [slice(None), slice(None)]
        one[axis], two[axis] = slice(None, -1), slice(1, None)
        first, second = tuple(one), tuple(two)
        with np.errstate(invalid="ignore"):
            step = np.abs(depth[first] - depth[second])
            turn = np.einsum("ijk,ijk->ij", unit[first], unit[second])
        bare = np.isinf(depth[first]) != np.isinf(depth[second])
        both = ~np.isinf(depth[first]) & ~np.isinf(depth[second])
        found = bare | (
            both & ((turn < SHADING.crease_cosine) | (np.nan_to_num(step, posinf=0.0) > 20 * jump))
        )
        edge[first] |= found & ~np.isinf(depth[first])
        edge[second] |= found & ~np.isinf(depth[second])
    colour[edge, :3] *= SHADING.outline
