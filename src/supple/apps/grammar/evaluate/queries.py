"""Functions that query the shape, files or the context.

Unlike those of `functions`, they know the rule file that calls them, and some of their arguments are
keywords.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from supple.apps.grammar.evaluate import context, texture
from supple.apps.grammar.evaluate.arrays import shaped
from supple.apps.grammar.evaluate.functions import drawn, listed
from supple.apps.grammar.evaluate.image_size import image_size
from supple.apps.grammar.evaluate.modules import Module
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.texture import layer_number
from supple.apps.grammar.evaluate.values import number, text
from supple.apps.grammar.geometry import components, measures, occlusion, uv
from supple.apps.grammar.geometry.frames import (
    ORIGIN,
    UPRIGHT,
    minus,
    placed,
    product,
    rotated,
    rotated_back,
    transposed,
)
from supple.errors import SuppleError

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
    def answer(module: Module, shape: Shape, layer: int = 0, space: str = "uvSpace") -> float:
        return uv.extent(texture.unwrapped(shape, layer), what, space)

    return answer


def _has_uvs(module: Module, shape: Shape, layer: int) -> bool:
    return layer == 0 or shape.material.layer(layer).projection is not None


def _area(module: Module, shape: Shape, which: str = "all") -> float:
    """The area of all faces, or of those that a selector takes."""
    if which == "all":
        return shape.geometry.area(shape.s)
    name, in_world = components.selector(which) or (which, False)
    total = 0.0
    of_lot = in_world and not which.startswith("world.")
    R = product(transposed(module.run.origin.R), shape.R) if of_lot else shape.R
    for part in components.faces(shape.geometry, shape.s):
        normal = rotated(R, part.normal) if in_world else part.normal
        if components.selects(name, normal):
            total += part.geometry.area(part.size)
    return total


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


def _files_search(module: Module, shape: Shape, pattern: str) -> tuple[str, ...]:
    return tuple(module.run.assets.search(pattern, module.folder))


def _table(convert: Callable[[str], Any]) -> Callable[..., Any]:
    """The cells of a CSV file as an array, one row per line; short rows are filled up with "" or NaN."""
    blank: Any = "" if convert is str else math.nan

    def cell(value: str) -> Any:
        try:
            return convert(value.strip())
        except ValueError:
            return blank

    def answer(module: Module, shape: Shape, name: str) -> Any:
        content = module.run.assets.text(name, module.folder)
        separator = ";" if content.count(";") > content.count(",") else ","
        rows = [row for row in csv.reader(io.StringIO(content), delimiter=separator) if row]
        width = max((len(row) for row in rows), default=0)
        return shaped(
            [tuple(cell(one) for one in row) + (blank,) * (width - len(row)) for row in rows]
            or [()]
        )

    return answer


def _read_material(module: Module, shape: Shape, name: str) -> str:
    """The name of a material file; its content is not read, and `setMaterial` leaves the material as it is."""
    stand_in = module.run.assets.stand_in
    if stand_in is None:
        raise SuppleError(f"the material file {name!r}: material files are not supported")
    stand_in(f"the material file {name!r} is not read; materials stay as they are")
    return name


# Lists of files, sorted by how well they fit --------------------------------------------------------

RATIOS = ("x", "y", "z", "xy", "xz", "yz", "xyz")


def _names(files: str) -> list[str]:
    return [one for one in files.split(";") if one]


def _size_of(module: Module, name: str) -> tuple[float, float, float]:
    found = module.run.assets.get(name, module.folder).size
    return float(found[0]), float(found[1]), float(found[2])


def _assets_by_size(module: Module, shape: Shape, files: str, *wanted: float) -> str:
    """The assets whose sizes are nearest to the wanted ones first; a wanted size of 0 is not compared."""

    def misfit(name: str) -> float:
        size = _size_of(module, name)
        return sum(abs(a - b) / max(b, 1e-9) for a, b in zip(size, wanted, strict=True) if b > 0)

    return listed(sorted(_names(files), key=misfit))


def _assets_by_ratio(module: Module, shape: Shape, files: str, which: str, ratio: float) -> str:
    """The assets sorted by how near one size over another ("xy": x / y) is to a ratio."""
    first, last = "xyz".index(which[0]), "xyz".index(which[-1])

    def misfit(name: str) -> float:
        size = _size_of(module, name)
        return abs(math.log(max(size[first], 1e-9) / max(size[last], 1e-9) / max(ratio, 1e-9)))

    return listed(sorted(_names(files), key=misfit))


def _assets_by_shape(module: Module, shape: Shape, files: str) -> str:
    """The assets whose proportions are nearest to those of the scope first."""
    wanted = [max(one, 1e-9) for one in shape.s]

    def misfit(name: str) -> float:
        logs = [
            math.log(max(a, 1e-9) / b)
            for a, b, size in zip(_size_of(module, name), wanted, shape.s, strict=True)
            if size > 0
        ]
        return max(logs, default=0.0) - min(logs, default=0.0)

    return listed(sorted(_names(files), key=misfit))


def _image_ratio(module: Module, name: str) -> float:
    width, height = image_size(module.run.assets.image(name, module.folder), name)
    return width / height


def _images_by_ratio(module: Module, shape: Shape, files: str, ratio: float) -> str:
    """The images whose width over height is nearest to a ratio first."""
    wanted = max(ratio, 1e-9)
    return listed(
        sorted(_names(files), key=lambda one: abs(math.log(_image_ratio(module, one) / wanted)))
    )


def _images_by_shape(module: Module, shape: Shape, files: str) -> str:
    """The images whose proportions are nearest to the scope's x over y first."""
    return _images_by_ratio(module, shape, files, shape.s[0] / max(shape.s[1], 1e-9))


def _first_of(sort: Callable[..., str]) -> Callable[..., str]:
    def answer(module: Module, shape: Shape, files: str, *wanted: Any) -> str:
        return next(iter(_names(sort(module, shape, files, *wanted))), "")

    return answer


def _near(sort: Callable[..., str]) -> Callable[..., str]:
    """One of the best files by chance; the last argument, 0 to 1, is the share of files to choose from."""

    def answer(module: Module, shape: Shape, files: str, *wanted: Any) -> str:
        *rest, share = wanted
        found = _names(sort(module, shape, files, *rest))
        count = 1 + int(min(max(share, 0.0), 1.0) * (len(found) - 1))
        return drawn(shape, found[:count])

    return answer


def _asset_that_fits(module: Module, shape: Shape, files: str, *room: float) -> str:
    """The largest asset that fits in a box; sizes of 0 are not compared, "" if none fits."""
    fitting = []
    for name in _names(files):
        size = _size_of(module, name)
        if all(a <= b for a, b in zip(size, room, strict=True) if b > 0):
            fitting.append((math.prod(max(one, 1e-9) for one in size), name))
    return max(fitting, key=lambda one: one[0])[1] if fitting else ""


# Coordinates --------------------------------------------------------------------------------------

SPACES = ("scope", "pivot", "object", "world")


def _convert(
    module: Module, shape: Shape, which: str, source: str, target: str, kind: str,
    x: float, y: float, z: float,
) -> float:  # fmt: skip
    """A coordinate of a point or direction in another frame; pivot and object are the lot's frame."""
    frames = {"scope": (shape.p, shape.R), "world": (ORIGIN, UPRIGHT)}
    lot = module.run.origin.p, module.run.origin.R
    from_p, from_R = frames.get(source, lot)
    to_p, to_R = frames.get(target, lot)
    if source == target:
        return (x, y, z)["xyz".index(which)]
    world = placed(from_p if kind == "pos" else ORIGIN, from_R, (x, y, z))
    found = rotated_back(to_R, minus(world, to_p) if kind == "pos" else world)
    return found["xyz".index(which)]


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


AREAS = (
    *components.SELECTORS,
    *(f"object.{name}" for name in (*components.SIDES, "side")),
    *(f"street.{name}" for name in (*components.SIDES, "side")),
    *(f"world.{name}" for name in components.WORLD),
)

QUERIES: dict[str, Query] = {
    "geometry.area": _query(_area, AREAS, least=0),
    "geometry.angle": _query(_angle, measures.ANGLES),
    "geometry.isRectangular": _query(_is_rectangular, number, least=0),
    "geometry.du": _query(_uv_extent("du"), layer_number, uv.SPACES, least=0),
    "geometry.dv": _query(_uv_extent("dv"), layer_number, uv.SPACES, least=0),
    "geometry.uMin": _query(_uv_extent("uMin"), layer_number, least=0),
    "geometry.uMax": _query(_uv_extent("uMax"), layer_number, least=0),
    "geometry.vMin": _query(_uv_extent("vMin"), layer_number, least=0),
    "geometry.vMax": _query(_uv_extent("vMax"), layer_number, least=0),
    "geometry.hasUVs": _query(_has_uvs, layer_number),
    "assetInfo": _query(_asset_info, text, ASSET),
    "imageInfo": _query(_image_info, text, ("sx", "sy", "ratio")),
    "fileExists": _query(_file_exists, text),
    "fileSearch": _query(_file_search, text),
    "filesSearch": _query(_files_search, text),
    "fileRandom": _query(_file_random, text),
    "readMaterial": _query(_read_material, text),
    "readStringTable": _query(_table(str), text),
    "readFloatTable": _query(_table(float), text),
    "assetsSortSize": _query(_assets_by_size, text, number, number, number),
    "assetsSortRatio": _query(_assets_by_ratio, text, RATIOS, number),
    "imagesSortRatio": _query(_images_by_ratio, text, number),
    "assetBestSize": _query(_first_of(_assets_by_size), text, number, number, number),
    "assetBestRatio": _query(_first_of(_assets_by_shape), text),
    "assetApproxSize": _query(_near(_assets_by_size), text, number, number, number, number),
    "assetApproxRatio": _query(_near(_assets_by_shape), text, number),
    "assetFitSize": _query(_asset_that_fits, text, number, number, number),
    "imageBestRatio": _query(_first_of(_images_by_shape), text),
    "imageApproxRatio": _query(_near(_images_by_shape), text, number),
    "convert": _query(
        _convert, ("x", "y", "z"), SPACES, SPACES, ("pos", "dir"), number, number, number
    ),
    "readTextFile": _query(_read_text, text),
    "touches": _query(_occlusion(occlusion.touches), context.TARGETS, text, least=0),
    "overlaps": _query(_occlusion(occlusion.overlaps), context.TARGETS, text, least=0),
    "inside": _query(_occlusion(occlusion.is_inside), context.TARGETS, text, least=0),
    "contextCount": _query(_context_count, context.TARGETS, text),
    "contextCompare": _query(_context_compare, context.TARGETS, text, context.COMPARISONS),
    "minimumDistance": _query(_minimum_distance, context.TARGETS, text),
}
