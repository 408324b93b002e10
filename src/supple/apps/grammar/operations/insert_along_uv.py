"""insertAlongUV: an asset bent along the texture coordinates of a surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.texture import layer_number, unwrapped
from supple.apps.grammar.evaluate.values import length, text
from supple.apps.grammar.geometry.mesh import Geometry, fitted
from supple.apps.grammar.geometry.polygons import Floats, newell, triangulated
from supple.apps.grammar.geometry.uv import Unwrapped
from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError


def insert_along_uv(op: s.Operation, env: Environment) -> Act:
    """Insert an asset on a surface: its x runs along u, its -z along v, its y along the normals.

    insertAlongUV(0, "curb.obj", height)

    The asset is stretched to the part of the image that the surface covers; a height of 0 keeps the asset's
    own.
    """
    given = Arguments(op, env)
    given.count(3)
    layer, name = given.checked(0, layer_number), given.checked(1, text)
    height = given.checked(2, length)
    find = located(env, op.at, lambda run, path: run.assets.get(path, env.module.folder))
    bend = located(env, op.at, _bend)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        asset = find(run, name(shape, args))
        bend(shape, asset, layer(shape, args), height(shape, args))

    return act


def _bend(shape: Shape, asset: Geometry, layer: int, height: float) -> None:
    surface = unwrapped(shape, layer)
    low_u, high_u = surface.reach(0)
    low_v, high_v = surface.reach(1)
    unit = asset.points
    u = low_u + unit[:, 0] * (high_u - low_u)
    v = low_v + (1.0 - unit[:, 2]) * (high_v - low_v)
    feet, normals = _on_surface(surface, np.column_stack([u, v]))
    rise = unit[:, 1:2] * (height if height else asset.size[1])
    points = feet + normals * rise
    made = fitted(
        f"{asset.name} along uv",
        points,
        asset.faces,
        smooth=asset.smooth,
        texcoords=asset.texcoords,
    )
    shape.fit(*made)
    shape.made = True


def _on_surface(surface: Unwrapped, uv: Floats) -> tuple[Floats, Floats]:
    """Points of a surface at texture coordinates (N, 2), with its normals; outside it, the nearest face is extended."""
    feet, normals = np.zeros((len(uv), 3)), np.zeros((len(uv), 3))
    best = np.full(len(uv), -np.inf)
    for face in surface.faces:
        normal = newell(face[:, :3])
        for triangle in triangulated(face[:, :3]):
            corners = face[list(triangle)]
            sides = (corners[1:, 3:] - corners[0, 3:]).T
            if abs(np.linalg.det(sides)) < 1e-15:
                continue
            shares = np.linalg.solve(sides, (uv - corners[0, 3:]).T)
            inside = np.minimum(np.minimum(shares[0], shares[1]), 1.0 - shares.sum(axis=0))
            closer = inside > best + 1e-12
            points = corners[0, :3] + shares.T @ (corners[1:, :3] - corners[0, :3])
            feet[closer], normals[closer] = points[closer], normal
            best = np.maximum(best, inside)
    if not np.all(np.isfinite(best)):
        raise SuppleError("insertAlongUV: expected texture coordinates that cover the surface")
    return feet, normals
