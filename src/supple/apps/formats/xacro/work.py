"""How much an expansion may cost: steps in total, and the size of each value.

Every value of an expression is small (`LARGEST_VALUE`), so each step takes little time; the number of steps is
limited too (`MOST_STEPS`). Both are counted, so the same file is always refused at the same place.
"""

from __future__ import annotations

import datetime
from typing import Any

# Steps of a whole expansion: some seconds. Robots of real packages take 60,000 to 350,000.
MOST_STEPS = 4_000_000
LARGEST_VALUE = 200_000  # characters of a string, elements and characters of a list; not tuned
MOST_BITS = 4096  # of a whole number; not tuned [bit]


class Dotted(dict):
    """A dictionary whose keys can be written as attributes too, as those of YAML files are."""


NUMBERS = (int, float, bool)
SEQUENCES = (list, tuple)
DICTIONARIES = (dict, Dotted)
OPAQUE = (bool, float, type(None), datetime.date, datetime.datetime)  # dates come from YAML
VALUES = frozenset((str, int, range, *OPAQUE, *SEQUENCES, *DICTIONARIES))


class ExpressionError(Exception):
    """An expression asks for something that is not allowed, or for too much."""


class Work:
    """Counts the steps of an expansion.

    Attributes:
        left: How many steps are left.
    """

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps

    def charge(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            ExpressionError: There are none left.
        """
        self.left -= steps
        if self.left < 0:
            raise ExpressionError("it takes too many steps: expected a file that ends sooner")

    def weighed(self, value: Any) -> Any:
        """A value, once its size is checked and counted.

        Raises:
            ExpressionError: It is too large, or none of the kinds of values.
        """
        if type(value) is str:
            check_length(len(value), "a string")
            self.charge(len(value) >> 6)  # characters are copied fast
        else:
            self.charge(weight(value))
        return value


def weight(value: Any) -> int:
    """The size of a value: elements, also those within elements, and characters.

    Raises:
        ExpressionError: It is too large, or none of the kinds of values.
    """
    if type(value) in OPAQUE:
        return 0
    total, stack = 0, [value]
    while stack:
        one = stack.pop()
        kind = type(one)
        if kind in SEQUENCES or kind in DICTIONARIES:
            total += 1 + len(one)
            check_length(total, "a list or a dictionary")
            stack.extend(one)
            if kind in DICTIONARIES:
                stack.extend(one.values())
        elif kind is str:
            total += len(one)
        elif kind is int:
            check_bits(one.bit_length())
            total += one.bit_length() >> 6
        elif kind is range:
            total += span(one) >> 4
        elif kind not in OPAQUE:
            raise ExpressionError(f"expected a value, got {named(one)}")
    check_length(total, "a list or a dictionary")
    return total


def span(value: range) -> int:
    """The length of a range, also where `len` gives up."""
    return max(0, -((value.start - value.stop) // value.step))


def check_length(length: int, what: str) -> None:
    """Refuse a string or a list that is too long.

    Args:
        length: Its number of characters or elements.
        what: What it is, for the message.
    """
    if length > LARGEST_VALUE:
        raise ExpressionError(
            f"{what} is too large: expected at most {LARGEST_VALUE:,} elements or letters"
        )


def check_bits(bits: int) -> None:
    """Refuse a whole number of too many bits."""
    if bits > MOST_BITS:
        raise ExpressionError(f"a whole number is too large: expected at most {MOST_BITS} bits")


KINDS = {
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "a list",
    tuple: "a tuple",
    dict: "a dictionary",
    Dotted: "a dictionary of YAML",
    range: "a range",
    type(None): "None",
}


def named(value: Any) -> str:
    """The kind of a value for a message, without calling any of its methods."""
    return KINDS.get(type(value), f"a {type(value).__name__.lower()}")
