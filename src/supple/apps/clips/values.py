"""Values of a plan's keys: each function takes what TOML or a command line gives, or raises TypeError or ValueError."""

from __future__ import annotations

import math
from typing import Any

from supple import errors

Point = tuple[float, float, float]


def text(value: Any) -> str:
    """A text that is not empty."""
    if not errors.text("value", value):
        raise ValueError
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A text, or a list of them."""
    return tuple(map(text, [value] if isinstance(value, str) else list(value)))


def number(value: Any) -> float:
    """A finite number."""
    return errors.number("value", value, "a number", math.isfinite)


def positive(value: Any) -> float:
    """A number above 0."""
    return errors.positive("value", value)


def not_negative(value: Any) -> float:
    """A number of 0 or more."""
    return errors.number("value", value, "0 or more", lambda x: 0.0 <= x < math.inf)


def count(value: Any) -> int:
    """A whole number of 0 or more."""
    return errors.whole("value", value)


def flag(value: Any) -> bool:
    """True or false."""
    return errors.flag("value", value)


def point(value: Any) -> Point:
    """Three numbers."""
    x, y, z = map(number, value)
    return x, y, z


def point_or_text(value: Any) -> Point | str:
    """Three numbers, or a text."""
    return text(value) if isinstance(value, str) else point(value)


def flag_or_text(value: Any) -> bool | str:
    """True, false or a text."""
    return text(value) if isinstance(value, str) else flag(value)


def ground(value: Any) -> float | tuple[float, ...] | str:
    """A height, a plane [a, b, c, d], or the name of a file."""
    if isinstance(value, str):
        return text(value)
    if not isinstance(value, (list, tuple)):
        return number(value)
    a, b, c, d = map(number, value)
    return a, b, c, d


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """A table of texts."""
    return tuple((text(a), text(b)) for a, b in dict(value).items())
