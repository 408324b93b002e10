"""Texture coordinates of a shape by layer."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import number, written
from supple.apps.grammar.geometry import uv
from supple.errors import SuppleError

LAYER_COUNT = 10  # as in CGA


def layer_number(value: Any) -> int:
    """Convert a value to the number of a texture layer."""
    found = number(value)
    if found not in range(LAYER_COUNT):
        raise SuppleError(
            f"expected a texture layer from 0 to {LAYER_COUNT - 1}, got {written(found)}"
        )
    return int(found)


def whole_image(shape: Shape) -> uv.Projection:
    """The projection of one image over a shape: over the face of a flat shape, else the front."""
    return uv.whole_image(shape.geometry, shape.scope)


def unwrapped(shape: Shape, layer: int) -> uv.Unwrapped:
    """The texture coordinates of a shape on a layer.

    Raises:
        SuppleError: There are none.
    """
    projection = shape.material.layer(layer).projection
    if projection is None and layer:
        raise SuppleError(
            f"there are no texture coordinates on layer {layer}: "
            f"expected setupProjection({layer}, ...) and projectUV({layer}) before"
        )
    return uv.unwrapped(shape.geometry, shape.scope, projection)
