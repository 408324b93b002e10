"""Operators: `FAST` for two numbers, `SLOW` for values of any type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from supple.apps.grammar.evaluate.values import LONGEST_VALUE, Grid, kind, number, written
from supple.errors import SuppleError


def _remainder(a: float, b: float) -> float:
    """The remainder with the sign of a; ZeroDivisionError for b = 0."""
    if b == 0.0:
        raise ZeroDivisionError
    return math.fmod(a, b)


FAST: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": _remainder,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _each(compute: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Compute element by element; one value is used for all elements of the other side."""
    count = len(a) if isinstance(a, tuple) else len(b)
    xs = a if isinstance(a, tuple) else (a,) * count
    ys = b if isinstance(b, tuple) else (b,) * count
    grids = isinstance(a, Grid), isinstance(b, Grid)
    both = isinstance(a, tuple) and isinstance(b, tuple)
    if len(xs) != len(ys) or (both and grids[0] != grids[1]):
        raise SuppleError(f"expected arrays of one size, got {len(xs)} and {len(ys)}")
    found = tuple(compute(x, y) for x, y in zip(xs, ys, strict=True))
    return Grid(found) if any(grids) else found


def _add(a: Any, b: Any) -> Any:
    if (
        (isinstance(a, tuple) or isinstance(b, tuple))
        and not isinstance(a, str)
        and not isinstance(b, str)
    ):
        return _each(_add, a, b)
    if isinstance(a, str) or isinstance(b, str):
        joined = written(a) + written(b)
        if len(joined) > LONGEST_VALUE:
            raise SuppleError(
                f"expected a string of at most {LONGEST_VALUE:,} characters, got a longer one"
            )
        return joined
    return number(a) + number(b)


def _arithmetic(sign: str) -> Callable[[Any, Any], Any]:
    fast = FAST[sign]

    def compute(a: Any, b: Any) -> Any:
        if isinstance(a, tuple) or isinstance(b, tuple):
            return _each(compute, a, b)
        if isinstance(a, str) or isinstance(b, str):
            raise SuppleError(f"{sign!r} takes numbers, got {kind(a)} and {kind(b)}")
        try:
            return fast(number(a), number(b))
        except ZeroDivisionError:
            raise SuppleError(f"division by zero: {written(a)} {sign} 0") from None

    return compute


def _comparison(sign: str) -> Callable[[Any, Any], bool]:
    fast = FAST[sign]

    def compute(a: Any, b: Any) -> bool:
        arrays = isinstance(a, tuple) and isinstance(b, tuple)
        alike = arrays or (type(a) is type(b) and isinstance(a, (str, bool)))
        if alike and (sign in ("==", "!=") or not isinstance(a, bool)):
            return bool(fast(a, b))
        raise SuppleError(f"{sign!r} cannot compare {kind(a)} with {kind(b)}")

    return compute


def _elementwise(sign: str) -> Callable[[Any, Any], Any]:
    """The comparison of each element, as an array of booleans."""
    fast, slow = FAST[sign], _comparison(sign)

    def compute(a: Any, b: Any) -> Any:
        if isinstance(a, tuple) or isinstance(b, tuple):
            return _each(compute, a, b)
        return fast(a, b) if type(a) is float and type(b) is float else slow(a, b)

    return compute


SLOW: dict[str, Callable[[Any, Any], Any]] = {
    "+": _add,
    **{sign: _arithmetic(sign) for sign in "-*/%"},
    **{sign: _comparison(sign) for sign in ("==", "!=", "<", "<=", ">", ">=")},
    **{f".{sign}": _elementwise(sign) for sign in ("==", "!=", "<", "<=", ">", ">=")},
}
