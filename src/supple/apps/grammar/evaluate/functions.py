"""Functions that rules can call. Angles are in degrees, as in CGA."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from supple.apps.grammar.evaluate.arrays import ARRAY_FUNCTIONS, flat
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import LONGEST_VALUE, number, text, truth, written
from supple.errors import SuppleError

Function = Callable[..., Any]


def finite(name: str, compute: Function) -> Function:
    """Wrap a function so that errors of its domain name the function and its arguments."""

    def call(shape: Shape, *values: Any) -> Any:
        try:
            return compute(shape, *values)
        except (ValueError, OverflowError):
            given = ", ".join(written(value) for value in values)
            raise SuppleError(f"{name}({given}) has no finite value") from None

    return call


def _numeric(compute: Callable[..., float]) -> Function:
    def call(shape: Shape, *values: Any) -> float:
        return float(compute(*(number(value) for value in values)))

    return call


def _degrees(compute: Callable[..., float]) -> Function:
    return _numeric(lambda *values: math.degrees(compute(*values)))


def _of_degrees(compute: Callable[[float], float]) -> Function:
    return _numeric(lambda angle: compute(math.radians(angle)))


def _rint(value: float) -> float:
    return float(math.floor(value + 0.5))


def _float(value: Any) -> float:
    """A number; NaN for a string that holds none."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return math.nan
    return number(value)


# Random numbers -------------------------------------------------------------------------------------------


def _rand(shape: Shape, *values: Any) -> float:
    """rand(), rand(most), rand(least, most)."""
    limits = [number(value) for value in values]
    least, most = (0.0, 1.0) if not limits else (0.0, limits[0]) if len(limits) == 1 else limits
    return least + (most - least) * shape.draw()


def _p(shape: Shape, probability: Any) -> bool:
    return shape.draw() < number(probability)


# Strings and lists in strings -------------------------------------------------------------------------


def _find(shape: Shape, where: Any, what: Any, which: Any = 0.0) -> float:
    """Index of the occurrence with the number `which`, counted from 0; -1 if there is none."""
    whole, part, at = text(where), text(what), -1
    left = int(number(which))
    if left < 0 or not part:
        return -1.0
    for _ in range(left + 1):
        at = whole.find(part, 0 if at < 0 else at + len(part))
        if at < 0:
            break
    return float(at)


def _substring(shape: Shape, whole: Any, start: Any, end: Any) -> str:
    return text(whole)[int(number(start)) : int(number(end))]


def _replace(shape: Shape, whole: Any, old: Any, new: Any) -> str:
    before = text(whole)
    if text(old) == "":
        return before
    if before.count(text(old)) * len(text(new)) > LONGEST_VALUE:
        raise SuppleError(f"replace: the string would be longer than {LONGEST_VALUE:,} characters")
    return before.replace(text(old), text(new))


def _items(whole: Any) -> list[str]:
    """The items of a list: a string in which semicolons terminate or separate items."""
    parts = text(whole).split(";")
    return parts[:-1] if parts and parts[-1] == "" else parts


def _list_item(shape: Shape, whole: Any, index: Any) -> str:
    items, k = _items(whole), int(number(index))
    return items[k] if 0 <= k < len(items) else ""


def _list_index(shape: Shape, whole: Any, item: Any) -> float:
    items = _items(whole)
    return float(items.index(text(item))) if item in items else -1.0


def _list_add(shape: Shape, whole: Any, item: Any) -> str:
    return ";".join([*_items(whole), written(item)]) + ";"


def drawn(shape: Shape, items: list[str]) -> str:
    """One of some strings, chosen by a random number of the shape; "" for none."""
    return items[int(shape.draw() * len(items))] if items else ""


def _split_string(shape: Shape, whole: Any, separator: Any) -> tuple[str, ...]:
    """The parts of a string between separators, as an array; its characters if the separator is ""."""
    before = text(whole)
    return tuple(before.split(text(separator)) if text(separator) else before)


def _prefix(shape: Shape, whole: Any, what: Any) -> str:
    return text(whole).partition(text(what))[0] if text(what) else ""


def _suffix(shape: Shape, whole: Any, what: Any) -> str:
    before, found, after = text(whole).rpartition(text(what)) if text(what) else ("", "", "")
    return after if found else before


def _list_range(shape: Shape, whole: Any, start: Any, end: Any) -> str:
    return listed(_items(whole)[int(number(start)) : int(number(end))])


def _list_kept(remain: bool) -> Function:
    """The items of a list that match a pattern with "*", or those that do not."""

    def call(shape: Shape, whole: Any, pattern: Any) -> str:
        return listed([one for one in _items(whole) if fnmatchcase(one, text(pattern)) is remain])

    return call


def _list_remove(shape: Shape, whole: Any, pattern: Any) -> str:
    items = _items(whole)
    first = next((k for k, one in enumerate(items) if fnmatchcase(one, text(pattern))), None)
    return listed(items if first is None else items[:first] + items[first + 1 :])


def _range_of(shape: Shape, whole: Any, start: Any, end: Any) -> str:
    """The part between two strings; "" if one of them is not there."""
    _, found, after = text(whole).partition(text(start)) if text(start) else ("", "", "")
    inside, closed, _ = after.partition(text(end)) if found and text(end) else ("", "", "")
    return inside if closed else ""


def listed(items: list[str]) -> str:
    """A list as a string: each item is followed by a semicolon."""
    return "".join(f"{item};" for item in items)


# File names, as strings: no file is accessed -----------------------------------------------


def _path(part: Callable[[PurePosixPath], str]) -> Function:
    return lambda shape, value: part(PurePosixPath(text(value)))


# Colours ------------------------------------------------------------------------------------------


def _channels(value: Any) -> tuple[float, float, float]:
    digits = text(value).strip().removeprefix("#")
    try:
        red, green, blue = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    except ValueError:
        raise SuppleError(f'expected a colour "#rrggbb", got {value!r}') from None
    return red, green, blue


def _hex(values: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * min(max(value, 0.0), 1.0)):02x}" for value in values)


def _opacity(value: Any) -> float:
    digits = text(value).strip().removeprefix("#")
    _channels(value)
    try:
        return int(digits[6:8], 16) / 255 if len(digits) >= 8 else 1.0
    except ValueError:
        raise SuppleError(f'expected a colour "#rrggbboo", got {value!r}') from None


def _with_opacity(color: str, opacity: Any) -> str:
    return color + _hex((number(opacity), 0.0, 0.0))[1:3]


NAMED = {
    "black": "#000000", "blue": "#0000ff", "brown": "#a52a2a", "green": "#00ff00", "orange": "#ffa500",
    "purple": "#800080", "red": "#ff0000", "white": "#ffffff", "yellow": "#ffff00",
}  # fmt: skip


def _color_ramp(shape: Shape, name: Any, value: Any) -> str:
    """A colour between two: "greenToRed" and the like, "spectrum"; the value goes from 0 to 1."""
    share = min(max(number(value), 0.0), 1.0)
    ramp = text(name)
    if ramp.lower() == "spectrum":
        return _hex(colorsys.hsv_to_rgb(share * 0.8, 1.0, 1.0))
    first, found, last = ramp.lower().partition("to")
    if not found or first not in NAMED or last not in NAMED:
        raise SuppleError(
            f'expected "spectrum" or a ramp such as "greenToRed" of {", ".join(NAMED)}, got {name!r}'
        )
    a, b = _channels(NAMED[first]), _channels(NAMED[last])
    red, green, blue = ((1 - share) * x + share * y for x, y in zip(a, b, strict=True))
    return _hex((red, green, blue))


def _rgb_hex(shape: Shape, red: Any, green: Any, blue: Any) -> str:
    return _hex((number(red), number(green), number(blue)))


def _hsv_hex(shape: Shape, hue: Any, saturation: Any, value: Any) -> str:
    return _hex(colorsys.hsv_to_rgb(number(hue) / 360 % 1.0, number(saturation), number(value)))


def _channel(k: int) -> Function:
    return lambda shape, value: _channels(value)[k]


def _hsv(k: int) -> Function:
    return lambda shape, value: colorsys.rgb_to_hsv(*_channels(value))[k] * (360 if k == 0 else 1)


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
    "clamp": (3, 3, _numeric(lambda value, least, most: min(max(value, least), most))),
    "pow": (2, 2, _numeric(math.pow)),
    "rint": (1, 1, _numeric(_rint)),
    "sin": (1, 1, _of_degrees(math.sin)),
    "sqrt": (1, 1, _numeric(math.sqrt)),
    "tan": (1, 1, _of_degrees(math.tan)),
    "bool": (1, 1, lambda shape, value: truth(value)),
    "float": (1, 1, lambda shape, value: _float(value)),
    "str": (1, 1, lambda shape, value: written(value)),
    "len": (1, 1, lambda shape, value: float(len(text(value)))),
    "count": (2, 2, lambda shape, value, what: float(text(value).count(text(what)))),
    "find": (2, 3, _find),
    "substring": (3, 3, _substring),
    "splitString": (2, 2, _split_string),
    "replace": (3, 3, _replace),
    "getPrefix": (2, 2, _prefix),
    "getSuffix": (2, 2, _suffix),
    "getRange": (3, 3, _range_of),
    "isNull": (1, 1, lambda shape, value: value is None),
    "listItem": (2, 2, _list_item),
    "listIndex": (2, 2, _list_index),
    "listSize": (1, 1, lambda shape, value: float(len(_items(value)))),
    "listAdd": (2, 2, _list_add),
    "listFirst": (1, 1, lambda shape, value: _list_item(shape, value, 0.0)),
    "listRandom": (1, 1, lambda shape, value: drawn(shape, _items(value))),
    "listClean": (1, 1, lambda shape, value: listed([one for one in _items(value) if one])),
    "listRange": (3, 3, _list_range),
    "listLast": (1, 1, lambda shape, value: (_items(value) or [""])[-1]),
    "listRemove": (2, 2, _list_remove),
    "listRemoveAll": (2, 2, _list_kept(False)),
    "listRetain": (2, 2, _list_kept(True)),
    "listRetainAll": (2, 2, _list_kept(True)),
    "listTerminate": (1, 1, lambda shape, value: listed(_items(value))),
    "listCount": (2, 2, lambda shape, value, item: float(_items(value).count(text(item)))),
    "sum": (1, 1, lambda shape, value: math.fsum(number(one) for one in flat(value))),
    "fileName": (1, 1, _path(lambda path: path.name)),
    "fileBasename": (1, 1, _path(lambda path: path.stem)),
    "fileExtension": (1, 1, _path(lambda path: path.suffix)),
    "fileDirectory": (1, 1, _path(lambda path: str(path.parent))),
    "colorRGBToHex": (3, 3, _rgb_hex),
    "colorHSVToHex": (3, 3, _hsv_hex),
    "colorRGBOToHex": (4, 4, lambda s, r, g, b, o: _with_opacity(_rgb_hex(s, r, g, b), o)),
    "colorHSVOToHex": (4, 4, lambda s, h, t, v, o: _with_opacity(_hsv_hex(s, h, t, v), o)),
    "colorHexToO": (1, 1, lambda shape, value: _opacity(value)),
    "colorRamp": (2, 2, _color_ramp),
    "colorHexToR": (1, 1, _channel(0)),
    "colorHexToG": (1, 1, _channel(1)),
    "colorHexToB": (1, 1, _channel(2)),
    "colorHexToH": (1, 1, _hsv(0)),
    "colorHexToS": (1, 1, _hsv(1)),
    "colorHexToV": (1, 1, _hsv(2)),
    **ARRAY_FUNCTIONS,
    "rand": (0, 2, _rand),
    "p": (1, 1, _p),
}

UNSUPPORTED = frozenset(
    """assetNamingInfo assetNamingInfos comp edgeAttr edgeAttr.getBool edgeAttr.getFloat edgeAttr.getString
    geometry.groups geometry.hasGroup geometry.hasTag geometry.isOriented
    geometry.materials geometry.tags geometry.tagScopes getGeoCoord getMaterial getTreeKey
    index sel""".split()  # noqa: SIM905 (a list this long is read as prose)
)
"""Functions of CGA that are not supported; a call raises an error with the name."""
