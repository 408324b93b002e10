"""What an MJCF model looks like: its visible geoms as meshes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple import rotations
from supple.apps.formats.mjcf.compiling import Compiled
from supple.apps.formats.source import Source
from supple.errors import SuppleError
from supple.model.mesh import Material, Mesh

LAST_VISIBLE_GROUP = 2  # the last group that MuJoCo's viewer shows
SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(2, 8)  # mjtGeom


def visible(source: Source, model: Compiled, places: Sequence[Any]) -> tuple[Mesh, ...]:
    """The geoms of groups 0 to 2 as rigid meshes, without planes.

    Args:
        source: Where notes go.
        model: The model.
        places: The joint that carries each body, and the body's origin in its frame.
    """
    found = []
    for g in np.flatnonzero(~model.lost & (model.geom_group <= LAST_VISIBLE_GROUP)).tolist():
        shape = _shape(model, g)
        if shape is None:
            continue
        place = places[model.geom_bodyid[g]]
        name = model.names["geom"][g] or f"{place.joint} {g}"
        at = rotations.rotate(model.geom_quat[g], shape[0]) + model.geom_pos[g] + place.origin
        color = tuple(np.clip(model.geom_rgba[g], 0.0, 1.0).tolist())
        material = Material(f"color {' '.join(f'{x:.3g}' for x in color)}", color=color)
        try:
            found.append(Mesh(name, at, shape[1], material=material, joint=place.joint))
        except SuppleError as error:
            source.warn(f"{name!r} is left out: {error}")
    return tuple(found)


def _shape(model: Compiled, g: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (V, 3) in the geom's frame and faces (F, 3); None for planes."""
    from trimesh import creation

    kind, size = int(model.geom_type[g]), model.geom_size[g]
    if kind == MESH:
        k = int(model.geom_dataid[g])
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        start, many = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
        return model.mesh_vert[first : first + count], model.mesh_face[start : start + many]
    if kind in (SPHERE, ELLIPSOID):
        made = creation.icosphere(subdivisions=2)
        vertices = np.asarray(made.vertices) * (size if kind == ELLIPSOID else size[0])
        return vertices, np.asarray(made.faces)
    if kind == BOX:
        made = creation.box(extents=2 * size)
    elif kind == CYLINDER:
        made = creation.cylinder(float(size[0]), 2 * float(size[1]), sections=32)
    elif kind == CAPSULE:
        made = creation.capsule(2 * float(size[1]), float(size[0]), count=(16, 16))
        made.apply_translation(-made.bounds.mean(axis=0))
    else:
        return None
    return np.asarray(made.vertices), np.asarray(made.faces)
