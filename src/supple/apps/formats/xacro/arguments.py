"""Arguments of xacro files as text, NAME:=VALUE, as on xacro's own command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.errors import SuppleError


def reader_options(
    path: str | os.PathLike[str], arguments: Sequence[str], *, what: str = "--arg"
) -> dict[str, Any]:
    """The options of `load` for the arguments of a xacro file; none if there are no arguments.

    Args:
        path: The file.
        arguments: NAME:=VALUE each.
        what: The option that they come from, for messages.

    Raises:
        SuppleError: One is malformed, or the file is not named `.xacro`.
    """
    found: dict[str, str] = {}
    for text in arguments:
        name, sign, value = text.partition(":=")
        if not sign or not name:
            raise SuppleError(f"{what}: expected NAME:=VALUE, such as side:=left, got {text!r}")
        found[name] = value
    if not found:
        return {}
    if Path(path).suffix.lower() != ".xacro":
        raise SuppleError(f"{what}: expected a .xacro file to give arguments to, got {str(path)!r}")
    return {"arguments": found}
