"""Text to numbers and back: numbers, vectors and NAME=VALUE pairs in options, and numbers in reports."""

from __future__ import annotations

import math
import re

from supple.errors import SuppleError

MISSING = "\N{EN DASH}"
"""Shown for a missing number."""

_WORDS = {1: "one number", 2: "two numbers", 3: "three numbers", 4: "four numbers"}


def number(what: str, text: str) -> float:
    """Parse a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SuppleError(f"{what}: expected a finite number, got {text!r}")
    return value


def vector(what: str, text: str, form: str) -> tuple[float, ...]:
    """Parse the numbers of a form such as "X,Y,Z", separated by commas or spaces."""
    count = len(form.split(","))
    parts = [part for part in re.split(r"[,\s]+", text.strip()) if part]
    if len(parts) != count:
        raise SuppleError(f"{what}: expected {_WORDS[count]} {form}, got {len(parts)}: {text!r}")
    return tuple(number(what, part) for part in parts)


def named(what: str, text: str, form: str) -> tuple[str, str]:
    """Split "NAME=VALUE"; a name may contain an equals sign, a value may not."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise SuppleError(f"{what}: expected {form}, got {text!r}")
    return name, value


def short(value: float | None, digits: int = 3) -> str:
    """A number in a few digits; a dash for None and non-finite numbers."""
    if value is None or not math.isfinite(value):
        return MISSING
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value + 0.0:.{digits}g}"
