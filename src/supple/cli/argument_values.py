"""Parse numbers, vectors, NAME=VALUE pairs and JSON files in arguments."""

from __future__ import annotations

import math
import re

from supple.errors import SuppleError
from supple.files import as_path

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
    """Parse as many numbers as the form has, such as "X,Y,Z", separated by commas or spaces."""
    count = len(form.split(","))
    parts = [part for part in re.split(r"[,\s]+", text.strip()) if part]
    if len(parts) != count:
        raise SuppleError(f"{what}: expected {_WORDS[count]} {form}, got {len(parts)}: {text!r}")
    return tuple(number(what, part) for part in parts)


def parse_ground(text: str | None) -> float | tuple[float, ...] | str | None:
    """Parse a height, a plane A,B,C,D or the path of a file with a mesh; None if not given."""
    if text is None or as_path("--ground", text).is_file():
        return text
    if "," in text:
        return vector("--ground", text, "A,B,C,D")
    try:
        return number("--ground", text)
    except SuppleError:
        raise SuppleError(
            f"--ground: expected a height, a plane A,B,C,D or a file with a mesh, got {text!r}"
        ) from None


def named(what: str, text: str, form: str) -> tuple[str, str]:
    """Split "NAME=VALUE"; a name may contain an equals sign, a value may not."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise SuppleError(f"{what}: expected {form}, got {text!r}")
    return name, value
