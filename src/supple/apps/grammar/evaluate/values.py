"""Values of the language: numbers (float), strings (str), booleans (bool) and arrays (tuple, Grid)."""

from __future__ import annotations

import math
from typing import Any

from supple.errors import SuppleError, brief

Value = float | str | bool | tuple[Any, ...]

LARGEST_MAGNITUDE = 1e12  # of a length [model units] or an angle [degrees] of a shape; not tuned
DEEPEST_NESTING = 1  # lists around a list: the rows of an array
LONGEST_VALUE = 100_000  # characters of a string, elements of an array; not tuned


class Grid(tuple[Any, ...]):
    """An array of several rows: a tuple of rows of one length."""

    __slots__ = ()


def kind(value: Any) -> str:
    """The type of a value, in words."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, tuple) else "a point of a shape"


def written(value: Any) -> str:
    """A value as a string; whole numbers have no decimal point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
            return str(int(value))
        found = repr(value)
        # As Esri's engine writes it: 1.0e-07.
        return found.replace("e", ".0e") if "e" in found and "." not in found else found
    if isinstance(value, Grid):
        cells = [[written(one) for one in row] for row in value]
        width = max((len(cell) for row in cells for cell in row), default=0) + 3
        lines = ["".join(cell.rjust(width) for cell in row) for row in cells]
        return "\n".join([f"({len(cells)}x{len(cells[0])})", *lines])
    if isinstance(value, tuple):
        return f"({len(value)})[{','.join(written(one) for one in value)}]"
    return str(value)


def counted(*counts: int) -> str:
    """Allowed numbers of arguments in words: "3 or 4 arguments", "0 to 2 arguments"."""
    found = sorted(set(counts))
    in_a_row = len(found) > 2 and found[-1] - found[0] == len(found) - 1
    listed = f"{found[0]} to {found[-1]}" if in_a_row else " or ".join(map(str, found))
    return f"{listed} argument{'' if max(counts) == 1 else 's'}"


def number(value: Any) -> float:
    """Convert a value to a number: a number, a boolean or a string that holds a number."""
    if isinstance(value, bool):
        return 1.0 if value else 0.0
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            pass
    raise SuppleError(f"expected a number, got {kind(value)}, {_brief(value)}")


def truth(value: Any) -> bool:
    """Convert a value to a boolean: true for a number other than 0 and for the string "true"."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value != 0.0
    if isinstance(value, str) and value.lower() in ("true", "false", ""):
        return value.lower() == "true"
    raise SuppleError(f"expected a condition, got {kind(value)}, {_brief(value)}")


def length(value: Any) -> float:
    """Convert a value to a length or an angle: a finite number of at most 1e12."""
    found = value if type(value) is float else number(value)
    if -LARGEST_MAGNITUDE <= found <= LARGEST_MAGNITUDE:
        return found
    raise SuppleError(f"expected a number no larger than {LARGEST_MAGNITUDE:g}, got {found:g}")


def text(value: Any) -> str:
    """A value that must be a string."""
    if isinstance(value, str):
        return value
    raise SuppleError(f"expected a string, got {kind(value)}, {_brief(value)}")


def point(value: Any) -> tuple[float, float, float]:
    """A value that must be an array of three numbers."""
    if isinstance(value, tuple) and len(value) == 3:
        x, y, z = (length(one) for one in value)
        return x, y, z
    raise SuppleError(f"expected three numbers [x, y, z], got {kind(value)}, {_brief(value)}")


def plain(value: Any, depth: int = 0) -> Value:
    """Convert a Python value to a value of the language.

    Args:
        value: The value.
        depth: Number of lists around it: the language has arrays of rows, and nothing deeper.

    Raises:
        SuppleError: The type has no counterpart.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)) and depth <= DEEPEST_NESTING:
        found = tuple(plain(one, depth + 1) for one in value)
        if not any(isinstance(one, tuple) for one in found):
            return found
        if len({len(one) if isinstance(one, tuple) else -1 for one in found}) > 1:
            raise SuppleError(f"expected rows of one length, got {brief(value)}")
        return Grid(found) if len(found) > 1 else found[0]  # type: ignore[return-value]
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise SuppleError(
            f"expected a number, a string, a boolean or a list of them, got {brief(value)}"
        ) from None


def _brief(value: Any) -> str:
    shown = repr(value) if isinstance(value, str) else written(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
