"""Functions that query the shape, files or the context.

Unlike those of `functions`, they know the rule file that calls them, and some of their arguments are
keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from supple.grammar.evaluate import context, texture
from supple.grammar.evaluate.functions import drawn, listed
from supple.grammar.evaluate.image_size import image_size
from supple.grammar.evaluate.modules import Module
from supple.grammar.evaluate.shape import Shape
from supple.grammar.evaluate.texture import layer_number
from supple.grammar.evaluate.values import number, text
from supple.grammar.geometry import measures, occlusion, uv

Takes = tuple[str, ...] | Callable[[Any], Any]


class Query(NamedTuple):
    """A function of the rule file, the shape and arguments.

    Attributes:
        takes: For each argument its keywords, or the check of its value.
        answer: Called with the module, the shape and the arguments.
        least: The minimum number of arguments.
    """

    takes: tuple[Takes, ...]
    answer: Callable[..., Any]
    least: int


def _query(answer: Callable[..., Any], *takes: Takes, least: int | None = None) -> Query:
    return Query(takes, answer, len(takes) if least is None else least)


# The shape ----------------------------------------------------------------------------------------


def _angle(module: Module, shape: Shape, which: str) -> float:
    return measures.angle(shape.geometry, shape.R, shape.s, which)


def _is_rectangular(module: Module, shape: Shape, *off: float) -> bool:
    return measures.is_rectangular(shape.geometry, shape.s, *off)


def _uv_extent(what: str) -> Callable[..., float]:
    def answer(module: Module, shape: Shape, layer: int, space: str = "uvSpace") -> float:
        return uv.extent(texture.unwrapped(shape, layer), what, space)

    return answer


def _has_uvs(module: Module, shape: Shape, layer: int) -> bool:
    return layer == 0 or shape.material.layer(layer).projection is not None


# Files below the rule file's folder ---------------------------------------------------------------

ASSET = ("sx", "sy", "sz", "px", "py", "pz", "nVertices", "nFaces")


def _asset_info(module: Module, shape: Shape, name: str, what: str) -> float:
    return module.run.assets.info(name, module.folder, what)


def _image_info(module: Module, shape: Shape, name: str, what: str) -> float:
    width, height = image_size(module.run.assets.image(name, module.folder), name)
    return {"sx": float(width), "sy": float(height), "ratio": width / height}[what]


def _file_exists(module: Module, shape: Shape, name: str) -> bool:
    return module.run.assets.exists(name, module.folder)


def _file_search(module: Module, shape: Shape, pattern: str) -> str:
    return listed(module.run.assets.search(pattern, module.folder))


def _file_random(module: Module, shape: Shape, pattern: str) -> str:
    return drawn(shape, module.run.assets.search(pattern, module.folder))


def _read_text(module: Module, shape: Shape, name: str) -> str:
    return module.run.assets.text(name, module.folder)


# Context ------------------------------------------------------------------------------------------


def _occlusion(test: Callable[[occlusion.Body, occlusion.Body], bool]) -> Callable[..., bool]:
    def answer(module: Module, shape: Shape, target: str = "all", label: str = "") -> bool:
        return context.occludes(test, module.run.context(target), shape, label)

    return answer


def _context_count(module: Module, shape: Shape, target: str, label: str) -> float:
    return context.count(module.run.context(target), label)


def _context_compare(module: Module, shape: Shape, target: str, label: str, by: str) -> float:
    return context.rank(module.run.context(target), shape, label, by)


def _minimum_distance(module: Module, shape: Shape, target: str, label: str) -> float:
    return context.minimum_distance(module.run.context(target), shape, label)


QUERIES: dict[str, Query] = {
    "geometry.angle": _query(_angle, measures.ANGLES),
    "geometry.isRectangular": _query(_is_rectangular, number, least=0),
    "geometry.du": _query(_uv_extent("du"), layer_number, uv.SPACES),
    "geometry.dv": _query(_uv_extent("dv"), layer_number, uv.SPACES),
    "geometry.uMin": _query(_uv_extent("uMin"), layer_number),
    "geometry.uMax": _query(_uv_extent("uMax"), layer_number),
    "geometry.vMin": _query(_uv_extent("vMin"), layer_number),
    "geometry.vMax": _query(_uv_extent("vMax"), layer_number),
    "geometry.hasUVs": _query(_has_uvs, layer_number),
    "assetInfo": _query(_asset_info, text, ASSET),
    "imageInfo": _query(_image_info, text, ("sx", "sy", "ratio")),
    "fileExists": _query(_file_exists, text),
    "fileSearch": _query(_file_search, text),
    "fileRandom": _query(_file_random, text),
    "readTextFile": _query(_read_text, text),
    "touches": _query(_occlusion(occlusion.touches), context.TARGETS, text, least=0),
    "overlaps": _query(_occlusion(occlusion.overlaps), context.TARGETS, text, least=0),
    "inside": _query(_occlusion(occlusion.is_inside), context.TARGETS, text, least=0),
    "contextCount": _query(_context_count, context.TARGETS, text),
    "contextCompare": _query(_context_compare, context.TARGETS, text, context.COMPARISONS),
    "minimumDistance": _query(_minimum_distance, context.TARGETS, text),
}
