"""Values of a plan's keys: each function takes what TOML gives, or raises TypeError or ValueError."""

from __future__ import annotations

from typing import Any

import numpy as np

Point = tuple[float, float, float]


def text(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A text, or a list of them."""
    return tuple(map(text, [value] if isinstance(value, str) else list(value)))


def number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, (bool, str)) or not np.isfinite(value):
        raise ValueError
    return float(value)


def positive(value: Any) -> float:
    """A number above 0."""
    if not number(value) > 0:
        raise ValueError
    return float(value)


def not_negative(value: Any) -> float:
    """A number of 0 or more."""
    if not number(value) >= 0:
        raise ValueError
    return float(value)


def count(value: Any) -> int:
    """A whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError
    return value


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
    if not isinstance(value, list):
        return number(value)
    a, b, c, d = map(number, value)
    return a, b, c, d


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """A table of texts."""
    return tuple((text(a), text(b)) for a, b in dict(value).items())
