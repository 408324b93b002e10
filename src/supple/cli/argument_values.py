"""Parse numbers, vectors, NAME=VALUE pairs and JSON files in arguments."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

from supple.errors import SuppleError

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
    if text is None or os.path.isfile(text):
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


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        SuppleError: It cannot be read, or is not JSON; with path and line.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise SuppleError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise SuppleError(f"{path}: not JSON: not a text file") from error
    except RecursionError as error:
        raise SuppleError(f"{path}: not JSON that can be read: nested too deeply") from error
    except OSError as error:
        raise SuppleError(f"{path}: cannot read it: {error.strerror or error}") from error
