"""Operators whose results can be larger than their operands: sizes are checked before anything is computed."""

from __future__ import annotations

import re
from typing import Any

from supple.apps.formats.xacro.work import (
    NUMBERS,
    SEQUENCES,
    ExpressionError,
    Work,
    check_bits,
    check_length,
    named,
    weight,
)

WIDEST_FIELD = 1000  # characters of a field; FIELDS allows widths up to 999
LONGEST_REPR = 32  # characters of a list's element in text at most, but for strings
FIELDS = re.compile(r"(?:[^%]|%(?:\(\w*\))?[-#0 +]*[0-9]{0,3}(?:\.[0-9]{0,3})?[diouxXeEfFgGcrs%])*")


def added(work: Work, a: Any, b: Any) -> Any:
    """The sum of numbers, or strings, lists or tuples one after the other."""
    if type(a) in NUMBERS and type(b) in NUMBERS:
        return a + b
    if type(a) is type(b) and (type(a) is str or type(a) in SEQUENCES):
        check_length(len(a) + len(b), "a sum")
        return work.weighed(a + b)
    raise ExpressionError(
        f"+: expected numbers, or strings or lists, got {named(a)} and {named(b)}"
    )


def multiplied(work: Work, a: Any, b: Any) -> Any:
    """The product of numbers, or a string, list or tuple many times."""
    if type(b) is str or type(b) in SEQUENCES:
        a, b = b, a
    if type(b) in NUMBERS and type(a) in NUMBERS:
        if type(a) is int and type(b) is int:
            check_bits(a.bit_length() + b.bit_length() - 1)
        return a * b
    if type(b) in (int, bool) and (type(a) is str or type(a) in SEQUENCES):
        check_length(len(a) * b, "a product")
        return work.weighed(a * b)
    raise ExpressionError(f"*: expected numbers, got {named(a)} and {named(b)}")


def raised(work: Work, a: Any, b: Any) -> Any:
    """A power of real numbers."""
    if type(a) not in NUMBERS or type(b) not in NUMBERS:
        raise ExpressionError(f"**: expected numbers, got {named(a)} and {named(b)}")
    if type(a) is not float and type(b) is not float:
        check_bits((abs(a).bit_length() - 1) * b)
    made = a**b
    if type(made) is complex:
        raise ExpressionError("**: expected a real number, got a complex one")
    return made


def shifted(work: Work, a: Any, b: Any) -> int:
    """A whole number, shifted to the left."""
    if type(a) not in (int, bool) or type(b) not in (int, bool):
        raise ExpressionError(f"<<: expected whole numbers, got {named(a)} and {named(b)}")
    check_bits(a.bit_length() + max(0, b))
    return a << b


def remainder(work: Work, a: Any, b: Any) -> Any:
    """A remainder of numbers, or a string with its `%` fields filled in."""
    if type(a) in NUMBERS and type(b) in NUMBERS:
        return a % b
    if type(a) is not str:
        raise ExpressionError(f"%: expected numbers or a string, got {named(a)} and {named(b)}")
    if not FIELDS.fullmatch(a):
        raise ExpressionError(f"%: expected fields such as %s, %d or %.3f, got {a[:40]!r}")
    check_length(len(a) + a.count("%") * (WIDEST_FIELD + LONGEST_REPR * weight(b)), "a string")
    return work.weighed(a % b)
