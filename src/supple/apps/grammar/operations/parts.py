"""What operations share: parts of a shape, and changes of its scope or geometry."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.apps.grammar.evaluate.modules import Act
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.footprints import Faces, Footprint, assembled, footprint
from supple.apps.grammar.geometry.frames import Rotation, product
from supple.apps.grammar.geometry.mesh import NOTHING, fitted


def begin_part(shape: Shape, kind: str, index: tuple[Any, ...]) -> Shape:
    """A part of a shape, whose operations belong to the shape's own rule.

    Args:
        shape: The shape.
        kind: "split" or "comp".
        index: (index, total) of a split; (index, total, selector) of a comp.
    """
    part = shape.child(shape.name)
    part.depth, part.index = shape.depth, shape.index
    setattr(part, kind, index)
    return part


def finish_part(run: Run, part: Shape, act: Act, args: tuple[Any, ...]) -> None:
    """Apply the successor of a part; a part without children becomes a leaf."""
    part.outer = (part.p, part.R, part.s)
    act(run, part, args)
    if part.made or not part.emitted:
        run.keep_leaf(part)


def set_axes(shape: Shape, R: Rotation) -> None:
    """Rotate the scope of a shape to other axes; the geometry stays in index."""
    if max(abs(a - b) for a, b in zip(R, shape.R, strict=True)) < 1e-12:
        return
    old, new = np.array(shape.R).reshape(3, 3), np.array(R).reshape(3, 3)
    points = (shape.geometry.points * shape.s) @ old.T @ new
    before = shape.geometry
    made = fitted(
        before.name, points, before.faces, smooth=before.smooth, texcoords=before.texcoords
    )
    shape.R = R
    shape.fit(*made)


def footprint_of(shape: Shape, operation: str) -> Footprint:
    """The footprint of a flat shape; the operation's name is for messages."""
    return footprint(shape.geometry, shape.s, operation)


def build_on(
    shape: Shape, plan: Footprint, parts: list[Faces], name: str, *, upright: bool = False
) -> None:
    """Replace a shape's geometry by polygons on its footprint.

    Args:
        shape: The shape.
        plan: Its footprint.
        parts: Points in the plan's axes, with polygons.
        name: The geometry's name.
        upright: True to rotate the scope to the plan's axes, with y along the normal.
    """
    made = assembled(plan, parts, name, upright=upright)
    if made is None:
        shape.s, shape.geometry, shape.made = (0.0, 0.0, 0.0), NOTHING, True
        return
    if upright:
        shape.R = product(shape.R, plan.rotation)
    shape.fit(*made)
    shape.made = True
