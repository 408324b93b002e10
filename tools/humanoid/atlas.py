"""Where each part of the surface lies in the image: cylinders unrolled into rectangles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid import body

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZE = 512  # of the colour image [pixels]
MARGIN = 0.4  # how far around its seam a part goes on [rad]
PAD = 4  # pixels around each part


@dataclass(frozen=True)
class Part:
    """A cylinder around a piece of the body.

    Attributes:
        name: Its name.
        bones: The bones of it.
        origin: Where its axis begins, shape (3,).
        axis: Along the rectangle, downwards.
        front: Where the middle of the rectangle faces.
        span: From where to where along the axis.
        box: The rectangle: left, top, right, bottom [pixels].
    """

    name: str
    bones: tuple[str, ...]
    origin: tuple[float, ...]
    axis: tuple[float, ...]
    front: tuple[float, ...]
    span: tuple[float, float]
    box: tuple[int, int, int, int]

    def angles(self, p: Floats) -> Floats:
        """How far around from the front points (..., 3) are [rad]."""
        axis, front = np.array(self.axis), np.array(self.front)
        from_axis = p - np.array(self.origin)
        return np.arctan2(from_axis @ np.cross(front, axis), from_axis @ front)

    def along(self, p: Floats) -> Floats:
        """How far along the axis points (..., 3) are, 0 to 1."""
        low, high = self.span
        return ((p - np.array(self.origin)) @ np.array(self.axis) - low) / (high - low)

    def place(self, angles: Floats, along: Floats) -> Floats:
        """Texture coordinates (..., 2)."""
        left, top, right, bottom = self.box
        u = (angles + math.pi + MARGIN) / (2 * (math.pi + MARGIN))
        x = left + PAD + u * (right - left - 2 * PAD)
        y = top + PAD + np.clip(along, 0.0, 1.0) * (bottom - top - 2 * PAD)
        return np.stack([x, y], axis=-1) / SIZE


def _sided(name: str, bones: tuple[str, ...], suffix: str, side: float, **fields: tuple) -> Part:
    flip = {
        key: (side * v[0], *v[1:]) if key in ("origin", "axis") else v for key, v in fields.items()
    }
    return Part(name + suffix, tuple(one + suffix for one in bones), **flip)


DOWN, FORWARD = (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)
PARTS = [
    Part("head", ("neck", "head"), (0.0, 1.60, 0.0), DOWN, FORWARD, (-0.19, 0.20), (0, 0, 264, 190)),
    Part("torso", ("pelvis", "spine", "chest", "clavicle.L", "clavicle.R"), (0.0, 1.2, -0.005), DOWN,
         FORWARD, (-0.27, 0.36), (264, 0, 512, 214)),
]  # fmt: skip
for _k, (_suffix, _side) in enumerate(((".L", 1.0), (".R", -1.0))):
    PARTS.append(
        _sided("arm", ("upperarm", "forearm", "hand", "fingers", "thumb"), _suffix, _side,
               origin=tuple(body.SHOULDER), axis=tuple(body.ALONG), front=FORWARD, span=(-0.09, 0.72),
               box=(104 * _k, 190, 104 * _k + 104, 436))
    )  # fmt: skip
    PARTS.append(
        _sided("leg", ("thigh", "shin"), _suffix, _side, origin=(0.1, 0.9, 0.0), axis=DOWN,
               front=FORWARD, span=(-0.12, 0.86), box=(208 + 152 * _k, 214, 360 + 152 * _k, 512))
    )  # fmt: skip
    PARTS.append(
        _sided("foot", ("foot", "toe"), _suffix, _side, origin=(0.11, 0.042, 0.0), axis=FORWARD,
               front=(0.0, 1.0, 0.0), span=(-0.11, 0.21), box=(104 * _k, 436, 104 * _k + 104, 512))
    )  # fmt: skip


@dataclass(frozen=True)
class Unrolled:
    """A mesh with texture coordinates: vertices on seams are there more than once.

    Attributes:
        source: The vertex of the solid that each vertex is, shape (V,).
        faces: Shape (F, 3).
        texcoords: Shape (V, 2).
        parts: The part of each face, shape (F,).
    """

    source: Ints
    faces: Ints
    texcoords: Floats
    parts: Ints


def unrolled(points: Floats, faces: Ints, holder: list[str]) -> Unrolled:
    """Cut a mesh into parts and unroll them.

    Args:
        points: Vertices, shape (V, 3).
        faces: Triangles, shape (F, 3).
        holder: The bone that holds each vertex most.
    """
    part_of = {bone: k for k, part in enumerate(PARTS) for bone in part.bones}
    owner = np.array([part_of[bone] for bone in holder])
    # Where two of three corners agree, the face is theirs.
    a, b, c = owner[faces.T]
    parts = np.where(b == c, b, a)
    angle = np.empty(faces.shape)
    along = np.empty(faces.shape)
    for k, part in enumerate(PARTS):
        own = parts == k
        corners = points[faces[own]]
        angle[own], along[own] = part.angles(corners), part.along(corners)
    # Across the seam, on the side where most of the face is.
    apart = np.ptp(angle, axis=1) > math.pi
    angle[apart] += np.where(angle[apart] < 0, 2 * math.pi, 0.0)
    over = angle.mean(axis=1) > math.pi
    angle[over] -= 2 * math.pi
    turn = np.round((angle - _wrapped(angle)) / (2 * math.pi)).astype(int)
    keys = np.stack([faces, np.repeat(parts[:, None], 3, 1), turn + 1], axis=-1).reshape(-1, 3)
    unique, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    texcoords = np.empty((len(unique), 2))
    flat_angle, flat_along = angle.reshape(-1)[first], along.reshape(-1)[first]
    for k, part in enumerate(PARTS):
        own = unique[:, 1] == k
        texcoords[own] = part.place(flat_angle[own], flat_along[own])
    return Unrolled(unique[:, 0], inverse.reshape(-1, 3), texcoords, parts)


def _wrapped(angle: Floats) -> Floats:
    return (angle + math.pi) % (2 * math.pi) - math.pi
