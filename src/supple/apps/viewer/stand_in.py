"""Meshes for a robot whose own are missing: its collision geoms, and capsules along its bones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from supple.apps.viewer.capsule_mesh import capsule_mesh
from supple.model.capsules import Capsule, around, enclosing, from_bones
from supple.model.geoms import Geom
from supple.model.joints import Fixed
from supple.model.mesh import Material, Mesh
from supple.model.skeleton import Skeleton

BONE_THICKNESS = 0.2  # radius of a bone, as a part of its length
THINNEST_BONE, THICKEST_BONE = 0.012, 0.032  # radius of a bone, as a part of the robot's size
BONE = Material("bone", color=(0.30, 0.36, 0.46, 1.0), roughness=0.6, metallic=0.15)
SHELL = Material("shell", color=(0.66, 0.69, 0.74, 1.0), roughness=0.5, metallic=0.1)
BOX_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
BOX_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def stand_in(skeleton: Skeleton) -> tuple[Mesh, ...]:
    """Meshes for a robot that has none."""
    solid = [one for one in skeleton.geoms if one.collides and one.kind != "plane"]
    by_joint: dict[str, list[Geom]] = {}
    for one in solid:
        by_joint.setdefault(one.joint, []).append(one)
    shells = [mesh for name, some in by_joint.items() for mesh in _shells(name, some)]
    bare = {name for name, some in by_joint.items() if any(g.kind != "sphere" for g in some)}
    return (*shells, *_bones(skeleton, bare))


def _shells(joint: str, geoms: list[Geom]) -> Iterator[Mesh]:
    """The geoms of a joint; spheres alone, such as the points of a foot, are one capsule."""
    if len(geoms) > 2 and all(one.kind == "sphere" for one in geoms):
        whole = enclosing(np.array([one.position for one in geoms]))
        least = max(one.size[0] for one in geoms)
        yield capsule_mesh(joint, joint, replace(whole, radius=whole.radius + least), SHELL)
        return
    for n, geom in enumerate(geoms):
        name = geom.name or f"{joint} {n}"
        if geom.kind == "box":
            at = geom.to_joint(BOX_CORNERS[np.array(BOX_SIDES)].reshape(-1, 3) * geom.size)
            first = 4 * np.arange(len(BOX_SIDES))[:, None]
            faces = np.concatenate([first + (0, 1, 2), first + (0, 2, 3)])
            yield Mesh(name, at, faces, material=SHELL, joint=joint)
        elif geom.kind == "mesh" and len(geom.faces):
            at = geom.to_joint(geom.vertices)
            yield Mesh(name, at, geom.faces, material=SHELL, joint=joint)
        else:
            whole = around(geom)
            if whole is not None:
                yield capsule_mesh(name, joint, whole, SHELL)


def _bones(skeleton: Skeleton, without: set[str]) -> Iterator[Mesh]:
    """A capsule along every bone, but for joints that have a shell, and for the world below a robot."""
    size = float(np.ptp(skeleton.rest.positions, axis=0).max()) or 1.0
    for name, some in from_bones(skeleton, thickness=BONE_THICKNESS).items():
        k = skeleton.index(name)
        world = skeleton.parents[k] < 0 and isinstance(skeleton.joints[k], Fixed)
        for n, one in enumerate(() if world or name in without else some):
            radius = float(np.clip(one.radius, THINNEST_BONE * size, THICKEST_BONE * size))
            yield capsule_mesh(f"{name} bone {n}", name, Capsule(one.a, one.b, radius), BONE)
