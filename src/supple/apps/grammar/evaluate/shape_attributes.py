"""Shape attributes: the scope, geometry, material, split and comp of the current shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry import measures
from supple.apps.grammar.geometry.frames import to_degrees

TRIM = {"trim.vertical": True, "trim.horizontal": False}
"""Which trim planes cut, by default; `set` changes them for a shape and its descendants."""


def trims(shape: Shape, which: str) -> bool:
    """True if the "vertical" or "horizontal" trim planes of a shape are switched on."""
    name = f"trim.{which}"
    return bool((shape.attrs or {}).get(("", name), TRIM[name]))


SHAPE_ATTRIBUTES: dict[str, Callable[[Shape], Any]] = {
    "scope.sx": lambda shape: shape.s[0],
    "scope.sy": lambda shape: shape.s[1],
    "scope.sz": lambda shape: shape.s[2],
    "scope.tx": lambda shape: shape.p[0],
    "scope.ty": lambda shape: shape.p[1],
    "scope.tz": lambda shape: shape.p[2],
    "scope.rx": lambda shape: to_degrees(shape.R)[0],
    "scope.ry": lambda shape: to_degrees(shape.R)[1],
    "scope.rz": lambda shape: to_degrees(shape.R)[2],
    "scope.elevation": lambda shape: shape.p[1],
    "split.index": lambda shape: float(shape.split[0]),
    "split.total": lambda shape: float(shape.split[1]),
    "comp.index": lambda shape: float(shape.comp[0]),
    "comp.total": lambda shape: float(shape.comp[1]),
    "comp.sel": lambda shape: shape.comp[2] if len(shape.comp) > 2 else "",
    "geometry.nFaces": lambda shape: float(len(shape.geometry.faces)),
    "geometry.nEdges": lambda shape: float(len(shape.geometry.edges)),
    "geometry.nVertices": lambda shape: float(len(shape.geometry.points)),
    "geometry.area": lambda shape: shape.geometry.area(shape.s),
    "geometry.volume": lambda shape: shape.geometry.volume(shape.s),
    "geometry.height": lambda shape: shape.s[1],
    "initialShape.name": lambda shape: "",
    "initialShape.startRule": lambda shape: "",
    "geometry.isInstanced": lambda shape: False,
    **{f"pivot.{name}": (lambda shape: 0.0) for name in ("px", "py", "pz", "ox", "oy", "oz")},
    "material.color.r": lambda shape: shape.material.color[0],
    "material.color.g": lambda shape: shape.material.color[1],
    "material.color.b": lambda shape: shape.material.color[2],
    "material.color.a": lambda shape: shape.material.opacity,
    "material.opacity": lambda shape: shape.material.opacity,
    "material.roughness": lambda shape: shape.material.roughness,
    "material.metallic": lambda shape: shape.material.metallic,
    "material.name": lambda shape: shape.material.name,
    "material.colormap": lambda shape: shape.material.texture,
    "seedian": lambda shape: float(shape.seed >> 40),
    "shape.depth": lambda shape: float(shape.depth),
    "trim.vertical": lambda shape: trims(shape, "vertical"),
    "trim.horizontal": lambda shape: trims(shape, "horizontal"),
    "pi": lambda shape: math.pi,
    "geometry.isConcave": lambda shape: measures.is_concave(shape.geometry, shape.s),
    "geometry.isPlanar": lambda shape: measures.is_planar(shape.geometry, shape.s),
    "geometry.isRectangular": lambda shape: measures.is_rectangular(shape.geometry, shape.s),
    "geometry.isClosedSurface": lambda shape: shape.geometry.closed,
    "geometry.nHoles": lambda shape: 0.0,
    "geometry.boundaryLength": lambda shape: measures.boundary_length(shape.geometry, shape.s),
}
LOT_ATTRIBUTES: dict[str, Callable[[Shape], Any]] = {
    "initialShape.origin.px": lambda shape: shape.p[0],
    "initialShape.origin.py": lambda shape: shape.p[1],
    "initialShape.origin.pz": lambda shape: shape.p[2],
    "initialShape.origin.ox": lambda shape: to_degrees(shape.R)[0],
    "initialShape.origin.oy": lambda shape: to_degrees(shape.R)[1],
    "initialShape.origin.oz": lambda shape: to_degrees(shape.R)[2],
}
"""Attributes of the initial shape."""
STREET: dict[str, float | str] = {
    "connectionStart": "JUNCTION",
    "connectionEnd": "JUNCTION",
    "laneWidth": 3.5,
    "sidewalkSide": "right",
    "sidewalkWidthLeft": 2.0,
    "sidewalkWidthRight": 2.0,
    "streetOffset": 0.0,
    "streetSide": "right",
    "streetWidth": 8.0,
    "valency": 3.0,
}
"""Stand-in values of street network attributes; lengths in m. A rule file that defines one uses its own."""
SHAPE_ATTRIBUTES.update(
    {name: (lambda shape, value=value: value) for name, value in STREET.items()}
)
"""All are read without arguments; those of the geometry also with empty parentheses."""
