"""Trim planes of a shape: trim(), and the trimming of what is inserted."""

from __future__ import annotations

from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.shape_attributes import trims
from supple.apps.grammar.geometry.mesh import NOTHING
from supple.apps.grammar.geometry.trimming import trimmed


def trim_inserted(shape: Shape) -> None:
    """Cut a shape's geometry at the trim planes of the last `comp(f)` that are switched on."""
    if shape.trim is None:
        return
    neighbours, face = shape.trim
    vertical, horizontal = True, False
    if shape.attrs is not None:
        vertical, horizontal = trims(shape, "vertical"), trims(shape, "horizontal")
    planes = [
        plane for plane in neighbours.planes(face) if (vertical if plane.vertical else horizontal)
    ]
    found = trimmed(shape.geometry, shape.scope, planes)
    if found is None:
        return
    if found[0].faces:
        shape.fit(*found)
    else:
        shape.s, shape.geometry = (0.0, 0.0, 0.0), NOTHING


def trim(run: Run, shape: Shape) -> None:
    """Cut the geometry at the trim planes of the last comp(f) that are switched on.

    trim()

    What `i` and primitives insert is cut without it. A trim plane contains an edge of the face and halves
    the angle to the neighbouring face; cuts stay open. set(trim.vertical, false) and
    set(trim.horizontal, true) switch those at upright and level edges.
    """
    trim_inserted(shape)
    shape.made = True
