"""What an expression can call: functions that xacro offers, and methods of strings, lists and dictionaries.

A function is a `Function`, not Python's own, so it has no attributes to look up. Of xacro's functions, those that
expose Python's internals or give something that is no value (`type`, `vars`, `hash`, `issubclass`, `slice`,
`complex`, sets) and those that change a value (`append`, `update`, `pop`) are left out. `str.format` is left out
because its fields look up attributes. Iterators (`map`, `zip`, ...) are lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from supple.apps.formats.xacro.operators import multiplied
from supple.apps.formats.xacro.work import (
    DICTIONARIES,
    NUMBERS,
    SEQUENCES,
    VALUES,
    Dotted,
    ExpressionError,
    Work,
    check_length,
    named,
    span,
)

LARGEST_FACTORIAL = 1000  # largest argument of factorials and binomials; not tuned
MOST_ROUND_DIGITS = 400  # digits to round to; float64 has some 300


class Function:
    """A function that expressions can call.

    Attributes:
        name: For messages.
        call: Takes the `Work` and the arguments.
        kinds: The types for which `isinstance` takes it, if it is the name of one.
        higher: True if arguments can be functions.
    """

    __slots__ = ("call", "higher", "kinds", "name")

    def __init__(
        self,
        name: str,
        call: Callable[..., Any],
        kinds: tuple[type, ...] = (),
        higher: bool = False,
    ) -> None:
        self.name, self.call, self.kinds, self.higher = name, call, kinds, higher

    def __repr__(self) -> str:
        return f"function {self.name}"


def call(work: Work, function: Any, given: tuple[Any, ...], by_name: dict[str, Any]) -> Any:
    """Call a function with values.

    Args:
        work: Counts the steps.
        function: The function.
        given: Its arguments.
        by_name: Its arguments by name.

    Raises:
        ExpressionError: It is no function, or the result is too large.
    """
    if type(function) is not Function:
        raise ExpressionError(f"expected a function to call, got {named(function)}")
    work.charge()
    for one in (*given, *by_name.values()):
        if not (function.higher and _is_function(one)):
            work.weighed(one)
    return work.weighed(function.call(work, *given, **by_name))


def _is_function(value: Any) -> bool:
    """True for a function, or a tuple of functions as `isinstance` takes it."""
    several = value if type(value) is tuple and value else (value,)
    return all(type(one) is Function for one in several)


# Functions of Python -------------------------------------------------------------------------------


def _each(values: Any) -> Any:
    """Values to iterate over: a string, a list, a range, the keys of a dictionary."""
    if type(values) is range or type(values) is str:
        return values
    if type(values) in SEQUENCES or type(values) in DICTIONARIES:
        return values
    raise ExpressionError(f"expected a list to go through, got {named(values)}")


def _map(work: Work, function: Any, *lists: Any) -> list[Any]:
    return [call(work, function, given, {}) for given in zip(*map(_each, lists), strict=False)]


def _filter(work: Work, function: Any, values: Any) -> list[Any]:
    return [
        one
        for one in _each(values)
        if (one if function is None else call(work, function, (one,), {}))
    ]


def _ordered(python: Callable[..., Any]) -> Callable[..., Any]:
    """For `sorted`, `min` and `max`: `key` is one of our functions."""

    def ordered(work: Work, *given: Any, key: Any = None, **by_name: Any) -> Any:
        for one in (*given, *by_name.values()):
            work.weighed(one)  # no functions
        if key is None:
            return python(*given, **by_name)
        return python(*given, key=lambda one: call(work, key, (one,), {}), **by_name)

    return ordered


def _isinstance(work: Work, value: Any, kinds: Any) -> bool:
    """For the types that have a name here: `isinstance(x, (int, float))`."""
    several = kinds if type(kinds) is tuple else (kinds,)
    for one in several:
        if type(one) is not Function or not one.kinds:
            raise ExpressionError("isinstance: expected bool, int, float, str, list, tuple or dict")
    return isinstance(value, tuple(kind for one in several for kind in one.kinds))


def _range(work: Work, *given: Any) -> range:
    made = range(*given)
    check_length(span(made), "a range")
    return made


def _round(work: Work, number: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and abs(ndigits) > MOST_ROUND_DIGITS:  # 10**-ndigits is computed
        raise ExpressionError(f"round: expected at most {MOST_ROUND_DIGITS} digits, got {ndigits}")
    return round(number, ndigits)


def _sum(work: Work, values: Any, start: Any = 0) -> Any:
    if any(type(one) not in NUMBERS for one in (*_each(values), start)):
        raise ExpressionError("sum: expected numbers")
    return sum(values, start)


def _pure(python: Callable[..., Any]) -> Callable[..., Any]:
    return lambda work, *given, **by_name: python(*given, **by_name)


def _listed(python: Callable[..., Any]) -> Callable[..., Any]:
    """For functions that give an iterator in Python: a list."""
    return lambda work, *given, **by_name: list(python(*given, **by_name))


def _table(functions: list[Function]) -> dict[str, Function]:
    return {one.name: one for one in functions}


PYTHON = _table(
    [
        *(Function(one.__name__, _pure(one)) for one in (abs, all, any, divmod, len, ord, repr)),
        *(Function(one.__name__, _pure(one), (one,)) for one in (bool, int, float, str)),
        Function("list", _pure(list), (list,)),
        Function("tuple", _pure(tuple), (tuple,)),
        Function("dict", _pure(dict), DICTIONARIES),
        *(Function(one.__name__, _listed(one)) for one in (enumerate, reversed, zip)),
        *(Function(one.__name__, _ordered(one), higher=True) for one in (max, min, sorted)),
        Function("map", _map, higher=True),
        Function("filter", _filter, higher=True),
        Function("isinstance", _isinstance, higher=True),
        Function("range", _range),
        Function("round", _round),
        Function("sum", _sum),
    ]
)

# Functions of math ---------------------------------------------------------------------------------

PLAIN = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist erf erfc exp exp2 "
    "expm1 fabs floor fma fmod frexp fsum gamma gcd hypot isclose isfinite isinf isnan isqrt ldexp lgamma "
    "log log10 log1p log2 modf nextafter pow radians remainder sin sinh sqrt sumprod tan tanh trunc ulp"
)
CONSTANTS = {name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")}


def _counting(python: Callable[..., int]) -> Callable[..., int]:
    """For factorials and binomials, whose results are much larger than their arguments."""

    def counting(work: Work, *numbers: int) -> int:
        if any(type(one) is int and one > LARGEST_FACTORIAL for one in numbers):
            raise ExpressionError(f"{python.__name__}: expected at most {LARGEST_FACTORIAL}")
        return python(*numbers)

    return counting


def _prod(work: Work, values: Any, *, start: Any = 1) -> Any:
    for one in _each(values):
        start = multiplied(work, start, one)
    return start


def _lcm(work: Work, *numbers: Any) -> int:
    made = 1
    for one in numbers:
        made = work.weighed(math.lcm(made, one))
    return made


MATH: dict[str, Any] = CONSTANTS | _table(
    [
        *(Function(one, _pure(getattr(math, one))) for one in PLAIN.split() if hasattr(math, one)),
        *(Function(one.__name__, _counting(one)) for one in (math.comb, math.factorial, math.perm)),
        Function("prod", _prod),
        Function("lcm", _lcm),
    ]
)

# Methods -------------------------------------------------------------------------------------------


def _joined(work: Work, text: str, parts: Any) -> str:
    parts = list(_each(parts))
    check_length(len(text) * len(parts), "a string")
    return text.join(parts)


def _replaced(work: Work, text: str, old: str, new: str, count: int = -1) -> str:
    check_length(len(text) + text.count(old) * len(new), "a string")
    return text.replace(old, new, count)


def _padded(python: Callable[..., str]) -> Callable[..., str]:
    def padded(work: Work, text: str, width: int, *fill: str) -> str:
        check_length(width, "a string")
        return python(text, width, *fill)

    return padded


_STRING = (
    "capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit isidentifier islower isnumeric "
    "isspace istitle isupper lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit "
    "rstrip split splitlines startswith strip swapcase title upper"
)
STRING = _table(
    [
        *(Function(one, _pure(getattr(str, one))) for one in _STRING.split()),
        *(Function(f.__name__, _padded(f)) for f in (str.center, str.ljust, str.rjust, str.zfill)),
        Function("join", _joined),
        Function("replace", _replaced),
    ]
)
LIST = _table([Function("count", _pure(list.count)), Function("index", _pure(list.index))])
TUPLE = _table([Function("count", _pure(tuple.count)), Function("index", _pure(tuple.index))])
DICTIONARY = _table(
    [
        Function("get", _pure(dict.get)),
        *(Function(f.__name__, _listed(f)) for f in (dict.items, dict.keys, dict.values)),
    ]
)
METHODS: dict[type, dict[str, Function]] = {
    str: STRING,
    list: LIST,
    tuple: TUPLE,
    dict: DICTIONARY,
    Dotted: DICTIONARY,
}

# Functions of xacro --------------------------------------------------------------------------------


def dotted(value: Any) -> Any:
    """A value of YAML or of `dict`, with its dictionaries `Dotted`.

    Raises:
        ExpressionError: It has a value that expressions cannot have.
    """
    if type(value) in DICTIONARIES:
        return Dotted((key, dotted(one)) for key, one in value.items())
    if type(value) is list:
        return [dotted(one) for one in value]
    if type(value) not in VALUES:
        raise ExpressionError(
            f"expected numbers, strings, lists and dictionaries, got {named(value)}"
        )
    return value


def _tokenize(work: Work, text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The parts of a string between the characters of `sep`."""
    found = re.split(f"[{re.escape(sep)}]", text)
    return [one for one in found if one] if skip_empty else found


def _fatal(work: Work, *words: Any) -> str:
    raise ExpressionError(" ".join(map(str, words)))


XACRO = _table(
    [
        *(
            Function(one, lambda work, *given, **by_name: "")  # what they print is shown nowhere
            for one in ("message", "warning", "error", "print_location")
        ),
        Function("dotify", lambda work, value: dotted(value)),
        Function("tokenize", _tokenize),
        Function("fatal", _fatal),
    ]
)
