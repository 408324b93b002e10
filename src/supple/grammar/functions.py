"""Functions that rules can call. Angles are in degrees, as CGA has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from supple.errors import SuppleError
from supple.grammar.values import LONGEST, fraction, number, text, truth, written

Function = Callable[..., Any]


def _numeric(compute: Callable[..., float]) -> Function:
    def call(shape: Any, *values: Any) -> float:
        return float(compute(*(number(value) for value in values)))

    return call


def _degrees(compute: Callable[..., float]) -> Function:
    return _numeric(lambda *values: math.degrees(compute(*values)))


def _of_degrees(compute: Callable[[float], float]) -> Function:
    return _numeric(lambda angle: compute(math.radians(angle)))


def _rint(value: float) -> float:
    return float(math.floor(value + 0.5))


# Chance -------------------------------------------------------------------------------------------


def _draw(shape: Any) -> float:
    shape.draws += 1
    return fraction(shape.seed, shape.draws)


def _rand(shape: Any, *values: Any) -> float:
    """rand(), rand(most), rand(least, most)."""
    limits = [number(value) for value in values]
    least, most = (0.0, 1.0) if not limits else (0.0, limits[0]) if len(limits) == 1 else limits
    return least + (most - least) * _draw(shape)


def _p(shape: Any, probability: Any) -> bool:
    return _draw(shape) < number(probability)


# Texts and lists in texts -------------------------------------------------------------------------


def _find(shape: Any, where: Any, what: Any, start: Any = 0.0) -> float:
    return float(text(where).find(text(what), int(number(start))))


def _substring(shape: Any, whole: Any, start: Any, end: Any) -> str:
    return text(whole)[int(number(start)) : int(number(end))]


def _replace(shape: Any, whole: Any, old: Any, new: Any) -> str:
    before = text(whole)
    if text(old) == "":
        return before
    if before.count(text(old)) * len(text(new)) > LONGEST:
        raise SuppleError(f"replace: the text would be longer than {LONGEST:,} characters")
    return before.replace(text(old), text(new))


def _items(whole: Any) -> list[str]:
    """The elements of a list in a text, which semicolons end or part."""
    parts = text(whole).split(";")
    return parts[:-1] if parts and parts[-1] == "" else parts


def _list_item(shape: Any, whole: Any, index: Any) -> str:
    items, k = _items(whole), int(number(index))
    return items[k] if 0 <= k < len(items) else ""


def _list_index(shape: Any, whole: Any, item: Any) -> float:
    items = _items(whole)
    return float(items.index(text(item))) if item in items else -1.0


def _list_add(shape: Any, whole: Any, item: Any) -> str:
    return ";".join([*_items(whole), written(item)]) + ";"


def _list_random(shape: Any, whole: Any) -> str:
    items = _items(whole)
    return items[int(_draw(shape) * len(items))] if items else ""


def _size(shape: Any, value: Any) -> float:
    if not isinstance(value, tuple):
        raise SuppleError("expected an array")
    return float(len(value))


FUNCTIONS: dict[str, tuple[int, int, Function]] = {
    # name: (fewest arguments, most, function of the shape and the arguments)
    "abs": (1, 1, _numeric(math.fabs)),
    "acos": (1, 1, _degrees(math.acos)),
    "asin": (1, 1, _degrees(math.asin)),
    "atan": (1, 1, _degrees(math.atan)),
    "atan2": (2, 2, _degrees(math.atan2)),
    "ceil": (1, 1, _numeric(math.ceil)),
    "cos": (1, 1, _of_degrees(math.cos)),
    "exp": (1, 1, _numeric(math.exp)),
    "floor": (1, 1, _numeric(math.floor)),
    "isinf": (1, 1, lambda shape, value: math.isinf(number(value))),
    "isnan": (1, 1, lambda shape, value: math.isnan(number(value))),
    "ln": (1, 1, _numeric(math.log)),
    "log10": (1, 1, _numeric(math.log10)),
    "max": (2, 2, _numeric(max)),
    "min": (2, 2, _numeric(min)),
    "pow": (2, 2, _numeric(math.pow)),
    "rint": (1, 1, _numeric(_rint)),
    "sin": (1, 1, _of_degrees(math.sin)),
    "sqrt": (1, 1, _numeric(math.sqrt)),
    "tan": (1, 1, _of_degrees(math.tan)),
    "bool": (1, 1, lambda shape, value: truth(value)),
    "float": (1, 1, lambda shape, value: number(value)),
    "str": (1, 1, lambda shape, value: written(value)),
    "len": (1, 1, lambda shape, value: float(len(text(value)))),
    "count": (2, 2, lambda shape, value, what: float(text(value).count(text(what)))),
    "find": (2, 3, _find),
    "substring": (3, 3, _substring),
    "replace": (3, 3, _replace),
    "listItem": (2, 2, _list_item),
    "listIndex": (2, 2, _list_index),
    "listSize": (1, 1, lambda shape, value: float(len(_items(value)))),
    "listAdd": (2, 2, _list_add),
    "listFirst": (1, 1, lambda shape, value: _list_item(shape, value, 0.0)),
    "listRandom": (1, 1, _list_random),
    "size": (1, 1, _size),
    "nRows": (1, 1, _size),
    "rand": (0, 2, _rand),
    "p": (1, 1, _p),
}

REFUSED = frozenset(
    """assetApproxRatio assetApproxSize assetBestRatio assetBestSize assetFitSize assetInfo
    assetNamingInfo assetNamingInfos assetsSortRatio assetsSortSize colorHSVToHex colorHSVOToHex
    colorHexToB colorHexToG colorHexToH colorHexToO colorHexToR colorHexToS colorHexToV colorRamp
    colorRGBToHex colorRGBOToHex comp contextCompare contextCount convert edgeAttr fileBasename
    fileDirectory fileExists fileExtension fileName fileRandom fileSearch findFirst findLast
    findRange geometry.angle geometry.boundaryLength geometry.du geometry.dv geometry.groups
    geometry.hasGroup geometry.hasUVs geometry.isClosedSurface geometry.isConcave
    geometry.isInstanced geometry.isOriented geometry.isPlanar geometry.isRectangular
    geometry.materials geometry.nHoles geometry.tags geometry.tagScopes geometry.uMax
    geometry.uMin geometry.vMax geometry.vMin getPrefix getRange getSuffix getTreeKey
    imageApproxRatio imageBestRatio imageInfo imagesSortRatio index inside isNull joinString
    listClean listCount listRange listRemove listRetain listTerminate minimumDistance nColumns
    overlaps print rangeOfSelection readFloatTable readStringTable readTextFile recompute
    shuffle sort sortAttrs splitString stringTable sum touches transpose""".split()  # noqa: SIM905 (a list this long is read as prose)
)
"""Functions of CGA that are not supported: refused by name."""
