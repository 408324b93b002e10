"""Collision shapes and inertias of a URDF robot's links, as geoms and masses on its joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from supple import rotations
from supple.apps.formats.source import Source, shown
from supple.apps.formats.urdf.elements import IDENTITY_ROTATION, first, needed, numbers, placed
from supple.apps.formats.xml import children
from supple.errors import SuppleError
from supple.model.geoms import Geom
from supple.model.masses import Mass
from supple.model.physics import Physics

Reader = Callable[[str, Any], tuple[np.ndarray, np.ndarray] | None]


def read_solids(
    source: Source, root: Any, carrier: Mapping[str, str], *, meshes: Reader | None
) -> Physics | None:
    """The geoms and masses of all links, None if there are none.

    What cannot be read is left out with a note.

    Args:
        source: The file.
        root: Its root element.
        carrier: The joint that carries each link.
        meshes: Reads a mesh file, given its name and scale: vertices (V, 3) and faces (F, 3); None to
            leave mesh files alone.
    """
    geoms: list[Geom] = []
    masses: dict[str, Mass | None] = {}
    skipped = 0
    for link in children(root, "link"):
        joint = carrier.get(link.get("name"))
        if joint is None:
            continue
        for collision in children(link, "collision"):
            for geometry in children(collision, "geometry")[:1]:
                try:
                    if meshes is None and children(geometry, "mesh"):
                        skipped += 1
                        continue
                    geom = _geom(collision, geometry, joint, meshes)
                except SuppleError as error:
                    what = f"a collision of link {shown(link.get('name'))} is left out"
                    source.guess(f"{what}: {error}", line=collision.sourceline)
                    continue
                if geom is not None:
                    geoms.append(geom)
        for inertial in children(link, "inertial")[:1]:
            try:
                masses[joint] = _mass(inertial)
            except SuppleError as error:
                what = f"the inertia of link {shown(link.get('name'))} is left out"
                source.guess(f"{what}: {error}", line=inertial.sourceline)
                masses[joint] = None
    if skipped:
        source.guess(f"{skipped} collision meshes are not read; meshes=True reads them")
    known = any(one is not None for one in masses.values())
    if not geoms and not known:
        return None
    return Physics(geoms=tuple(geoms), masses=masses if known else None)


def _geom(collision: Any, geometry: Any, joint: str, meshes: Reader | None) -> Geom | None:
    position, rotation = placed(first(collision, "origin"))
    given: dict[str, Any] = {
        "position": position,
        "rotation": rotation,
        "name": collision.get("name") or "",
    }
    for shape in children(geometry, "box", "sphere", "cylinder", "mesh"):
        kind = shape.tag.rpartition("}")[2]
        if kind == "box":
            return Geom("box", joint, tuple(one / 2 for one in needed(shape, "size", 3)), **given)
        if kind == "sphere":
            return Geom("sphere", joint, needed(shape, "radius"), **given)
        if kind == "cylinder":
            size = (needed(shape, "radius")[0], needed(shape, "length")[0] / 2)
            return Geom("cylinder", joint, size, **given)
        scale = numbers("scale", shape.get("scale"), 3, (1.0, 1.0, 1.0))
        found = meshes(shape.get("filename") or "", scale) if meshes else None
        if found is None:
            return None
        return Geom("mesh", joint, vertices=found[0], faces=found[1], **given)
    return None


def _mass(inertial: Any) -> Mass | None:
    """Mass, centre and inertia about it, in the frame of the link."""
    masses = children(inertial, "mass")
    if not masses or masses[0].get("value") is None:
        return None
    position, rotation = placed(first(inertial, "origin"))
    inertia = None
    for element in children(inertial, "inertia")[:1]:
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (numbers(k, element.get(k), 1, (0.0,))[0] for k in keys)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if rotation != IDENTITY_ROTATION:
            R = rotations.to_matrix(rotation)
            inertia = R @ inertia @ R.T
    return Mass(needed(masses[0], "value")[0], position, inertia)
