"""Bones as a mesh: octahedra along the bones of a skeleton, so that a character without meshes is visible.

Other programs do not show nodes: three.js draws nothing, Blender makes empties. With a skin over all joints
the nodes become an armature. `supple.load` recognizes the mesh by the role in its node's extras and leaves
it out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.model.mesh import Material, Mesh, Skin
from supple.model.skeleton import Skeleton

Floats = NDArray[np.float64]

NAME = "bones"
MATERIAL = Material("bones", color=(0.55, 0.6, 0.68, 1.0), roughness=0.8, metallic=0.0)
# Distance of an octahedron's waist from its head, and radius of the waist, per length, as Blender draws bones.
WAIST_PER_LENGTH = 0.1
# Radius of the octahedron of a joint with nothing below it, per extent of the skeleton; not tuned.
DOT_RADIUS_PER_EXTENT = 0.02
NO_LENGTH = 1e-9  # shorter bones are not drawn, per extent of the skeleton; rounding
MOST_JOINTS = 65535  # of a skin whose joints are numbered by uint16
# Larger and smaller skeletons are not drawn: octahedra inside these limits are well inside float32.
LARGEST_COORDINATE, SMALLEST_EXTENT = 1e30, 1e-30
OCTAHEDRON_FACES = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4),
                    (5, 1, 2), (5, 2, 3), (5, 3, 4), (5, 4, 1)]  # fmt: skip
"""Triangles of an octahedron: vertex 0 is the head, 5 the tail, 1 to 4 the waist, counterclockwise from the tail."""


def bone_mesh(skeleton: Skeleton) -> Mesh | None:
    """The bones of a skeleton as one skinned mesh, bound at rest; None if a glTF mesh cannot hold it.

    A bone runs from a joint to each joint and tip below it; its tail follows the joint that it ends at. A
    joint with nothing below it, or with everything in the same place, is a small octahedron.
    """
    count = len(skeleton)
    rest = skeleton.rest.positions
    if count > MOST_JOINTS or np.abs(rest).max() > LARGEST_COORDINATE:
        return None
    size = float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0
    if size < SMALLEST_EXTENT:
        return None
    heads = np.concatenate([skeleton.parents, skeleton.packed_tips[0]]).astype(np.int64)
    tails = np.arange(len(heads))
    apart = np.linalg.norm(rest[tails] - rest[heads], axis=1)
    drawn = (heads >= 0) & (apart > NO_LENGTH * size)
    heads, tails = heads[drawn], tails[drawn]
    bare = np.setdiff1d(np.arange(count), heads)
    places = [_along(rest[heads], rest[tails]), _around(rest[bare], DOT_RADIUS_PER_EXTENT * size)]
    holder = np.concatenate([np.repeat(heads[:, None], 6, axis=1),
                             np.repeat(bare[:, None], 6, axis=1)])  # fmt: skip
    holder[: len(heads), 5] = np.where(tails < count, tails, heads)  # a tip has no node of a skin
    faces = np.array(OCTAHEDRON_FACES) + 6 * np.arange(len(holder))[:, None, None]
    binds = np.linalg.inv(skeleton.rest.frames[:count])
    joint = holder.reshape(-1, 1)
    skin = Skin.from_table(skeleton.joint_names, binds, joint, np.ones(joint.shape))
    points = np.concatenate(places).reshape(-1, 3)
    return Mesh(NAME, points, faces.reshape(-1, 3), material=MATERIAL, skin=skin)


def _along(heads: Floats, tails: Floats) -> Floats:
    """Vertices of octahedra between points (B, 3), shape (B, 6, 3)."""
    way = tails - heads
    other = np.eye(3)[np.argmin(np.abs(way), axis=1)]
    side = np.cross(way, other)
    side *= (np.linalg.norm(way, axis=1) / np.linalg.norm(side, axis=1))[:, None]
    up = np.cross(way, side) / np.linalg.norm(way, axis=1)[:, None]
    waist = heads + WAIST_PER_LENGTH * way
    ring = [waist + WAIST_PER_LENGTH * out for out in (side, up, -side, -up)]
    return np.stack([heads, *ring, tails], axis=1)


def _around(centers: Floats, radius: float) -> Floats:
    """Vertices of regular octahedra around points (B, 3), shape (B, 6, 3)."""
    x, y, z = radius * np.eye(3)
    return centers[:, None] + np.array([-z, x, y, -x, -y, z])
