"""Values of the language: numbers, texts, truth values and arrays, and chance that repeats itself.

Random numbers come from splitmix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators") of a shape's own seed, which is made from its parent's seed and its place among the
children: the same rules and the same seed grow the same shapes on every machine and in every run,
whatever else is derived before.
"""

from __future__ import annotations

import math
from typing import Any

from supple.errors import SuppleError

Value = float | str | bool | tuple[Any, ...]

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
DRAW = 0x5851F42D4C957F2D  # draws and children of one shape come from different streams
LARGEST = 1e12  # of a length or an angle that a shape is given
LONGEST = 100_000  # characters of a text, elements of an array


def mixed(seed: int, index: int) -> int:
    """The 64-bit number at a place of the stream that a seed begins."""
    z = (seed + GOLDEN * (index + 1)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fraction(seed: int, index: int) -> float:
    """A number in [0, 1) at a place of the stream of draws of a seed."""
    return (mixed(seed ^ DRAW, index) >> 11) * 2.0**-53


def seed_of(text: str, seed: int) -> int:
    """A seed that depends on a text too (FNV-1a)."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = ((found ^ byte) * 0x100000001B3) & MASK
    return mixed(found ^ seed, 0)


def kind(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "an array" if isinstance(value, tuple) else "a point of a shape"


def written(value: Any) -> str:
    """A value as text: whole numbers without a point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
            return str(int(value))
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(written(one) for one in value)}]"
    return str(value)


def counted(*counts: int) -> str:
    """How many arguments something takes, in words: "3 or 4 arguments", "0 to 2 arguments"."""
    found = sorted(set(counts))
    in_a_row = len(found) > 2 and found[-1] - found[0] == len(found) - 1
    listed = f"{found[0]} to {found[-1]}" if in_a_row else " or ".join(map(str, found))
    return f"{listed} argument{'' if max(counts) == 1 else 's'}"


def number(value: Any) -> float:
    """A value as a number, if it is one or says one."""
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
    """A value as a truth value: a number that is not 0, or the text "true", holds."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value != 0.0
    if isinstance(value, str) and value.lower() in ("true", "false", ""):
        return value.lower() == "true"
    raise SuppleError(f"expected a condition, got {kind(value)}, {_brief(value)}")


def length(value: Any) -> float:
    """A value as a number that a shape can be given: finite, and no larger than 1e12."""
    found = value if type(value) is float else number(value)
    if -LARGEST <= found <= LARGEST:
        return found
    raise SuppleError(f"expected a number no larger than {LARGEST:g}, got {found:g}")


def text(value: Any) -> str:
    """A value as a text, if it is one."""
    if isinstance(value, str):
        return value
    raise SuppleError(f"expected a text, got {kind(value)}, {_brief(value)}")


def point(value: Any) -> tuple[float, float, float]:
    """A value as three numbers."""
    if isinstance(value, tuple) and len(value) == 3:
        x, y, z = (length(one) for one in value)
        return x, y, z
    raise SuppleError(f"expected three numbers [x, y, z], got {kind(value)}, {_brief(value)}")


def plain(value: Any) -> Value:
    """A value of Python as a value of the language.

    Raises:
        SuppleError: It is none.
    """
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        values = value.tolist() if hasattr(value, "tolist") else value  # type: ignore[union-attr]
        return (
            tuple(plain(one) for one in values)
            if isinstance(values, (list, tuple))
            else plain(values)
        )
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SuppleError(
            f"expected a number, a text, a truth value or a list of them, got {value!r}"
        ) from None


def _brief(value: Any) -> str:
    shown = repr(value) if isinstance(value, str) else written(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
