"""Functions that ask about a shape and what is around it: its texture coordinates, files, neighbours.

Unlike other functions they know the rule file they stand in, and some of their arguments are words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.grammar.evaluate.context import (
    COMPARISONS,
    TARGETS,
    count,
    least_distance,
    occluded,
    rank,
)
from supple.grammar.evaluate.functions import drawn, listed
from supple.grammar.evaluate.image_size import size_of as image_size
from supple.grammar.evaluate.shape_attributes import ANGLES, angle, is_rectangular
from supple.grammar.evaluate.values import number, text
from supple.grammar.geometry.occlusion import is_inside, overlaps, touches
from supple.grammar.geometry.uv import SPACES, layer_number, measured

if TYPE_CHECKING:
    from supple.grammar.evaluate.modules import Module
    from supple.grammar.evaluate.shape import Shape

Takes = tuple[str, ...] | Callable[[Any], Any]


class Question(NamedTuple):
    """A function of the rule file, the shape and arguments.

    Attributes:
        takes: For each argument the words that it may be, or what checks its value.
        answer: Called with the module, the shape and the arguments.
        least: How many arguments there are at least.
    """

    takes: tuple[Takes, ...]
    answer: Callable[..., Any]
    least: int


def _of(answer: Callable[..., Any], *takes: Takes, least: int | None = None) -> Question:
    return Question(takes, answer, len(takes) if least is None else least)


def _texture(what: str) -> Callable[..., float]:
    return lambda module, shape, layer, space="uvSpace": measured(shape, layer, what, space)


def _has_uvs(module: Module, shape: Shape, layer: int) -> bool:
    return layer == 0 or shape.look.layer(layer).projection is not None


ASSET = ("sx", "sy", "sz", "px", "py", "pz", "nVertices", "nFaces")


def _asset_info(module: Module, shape: Shape, name: str, what: str) -> float:
    return module.derivation.assets.info(name, module, what)


# Files below the rule file's folder ---------------------------------------------------------------


def _file_exists(module: Module, shape: Shape, name: str) -> bool:
    return module.derivation.assets.exists(name, module)


def _file_search(module: Module, shape: Shape, pattern: str) -> str:
    return listed(module.derivation.assets.search(pattern, module))


def _file_random(module: Module, shape: Shape, pattern: str) -> str:
    return drawn(shape, module.derivation.assets.search(pattern, module))


def _read_text(module: Module, shape: Shape, name: str) -> str:
    return module.derivation.assets.text(name, module)


def _image_info(module: Module, shape: Shape, name: str, what: str) -> float:
    width, height = image_size(module.derivation.assets.image(name, module), name)
    return {"sx": float(width), "sy": float(height), "ratio": width / height}[what]


QUESTIONS: dict[str, Question] = {
    "geometry.angle": _of(lambda module, shape, which: angle(shape, which), ANGLES),
    "geometry.isRectangular": _of(
        lambda module, shape, *off: is_rectangular(shape, *off), number, least=0
    ),
    "geometry.du": _of(_texture("du"), layer_number, SPACES),
    "geometry.dv": _of(_texture("dv"), layer_number, SPACES),
    "geometry.uMin": _of(_texture("uMin"), layer_number),
    "geometry.uMax": _of(_texture("uMax"), layer_number),
    "geometry.vMin": _of(_texture("vMin"), layer_number),
    "geometry.vMax": _of(_texture("vMax"), layer_number),
    "geometry.hasUVs": _of(_has_uvs, layer_number),
    "assetInfo": _of(_asset_info, text, ASSET),
    "imageInfo": _of(_image_info, text, ("sx", "sy", "ratio")),
    "fileExists": _of(_file_exists, text),
    "fileSearch": _of(_file_search, text),
    "fileRandom": _of(_file_random, text),
    "readTextFile": _of(_read_text, text),
    "touches": _of(occluded(touches), TARGETS, text, least=0),
    "overlaps": _of(occluded(overlaps), TARGETS, text, least=0),
    "inside": _of(occluded(is_inside), TARGETS, text, least=0),
    "contextCount": _of(count, TARGETS, text),
    "contextCompare": _of(rank, TARGETS, text, COMPARISONS),
    "minimumDistance": _of(least_distance, TARGETS, text),
}
