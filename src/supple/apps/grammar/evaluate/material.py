"""Materials of shapes, with their texture layers."""

from __future__ import annotations

from typing import Any, NamedTuple

from supple.apps.grammar.geometry.uv import Projection


class Layer(NamedTuple):
    """The texture coordinates of one texture layer.

    Attributes:
        number: 0 for the colour image, 1 to 9 for the other layers of CGA.
        pending: The projection set up by `setupProjection`, not yet applied.
        projection: The projection applied by `projectUV`; None for the geometry's own coordinates,
            which exist for layer 0 only.
    """

    number: int
    pending: Projection | None = None
    projection: Projection | None = None


class Material(NamedTuple):
    """The material of a shape.

    Attributes:
        color: sRGB red, green and blue, 0 to 1.
        opacity: 0 (invisible) to 1.
        name: The material's name.
        texture: The colour image's path as written in the rules; "" for none.
        roughness: 0 (mirror) to 1.
        metallic: 0 to 1.
        layers: Texture coordinates of the layers that rules have set, sorted by number. Layer 0 is
            drawn, the others are only kept.
        more: Other material attributes as (name, value), kept but not drawn.
    """

    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    opacity: float = 1.0
    name: str = ""
    texture: str = ""
    roughness: float = 1.0
    metallic: float = 0.0
    layers: tuple[Layer, ...] = ()
    more: tuple[tuple[str, Any], ...] = ()

    def layer(self, number: int) -> Layer:
        """The texture coordinates of a layer."""
        return next((one for one in self.layers if one.number == number), Layer(number))

    def with_layer(self, layer: Layer) -> Material:
        """The material with one layer replaced."""
        others = [one for one in self.layers if one.number != layer.number]
        return self._replace(layers=tuple(sorted([*others, layer], key=lambda one: one.number)))

    @property
    def projection(self) -> Projection | None:
        """Projection of the colour image; None for the geometry's own coordinates."""
        return self.layer(0).projection

    def drawn(self) -> Material:
        """The part that is drawn: without an image there are no texture coordinates."""
        projection = self.projection if self.texture else None
        return self._replace(layers=() if projection is None else (Layer(0, None, projection),))


PLAIN = Material()
