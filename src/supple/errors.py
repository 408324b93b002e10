"""Bad input: its exception, and the input checks that raise it.

A message says what was wrong, what was given, what was expected and the nearest valid choice. Messages are
for the caller, so the checks take the name that the caller uses for the value.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
import reprlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral, Real
from types import EllipsisType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_MOST_LISTED = 12  # choices that an error lists in full
_LONGEST_NAME = 200  # longer names are not compared with others for a suggestion [characters]
_MOST_SUMMED = 16  # up to so many numbers are checked by their sum, which is faster
_FLOAT64 = np.dtype(np.float64)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Axes that a NumPy array can have: NumPy refuses sequences that are nested deeper, or contain themselves.
_MOST_AXES = 64
_LARGEST_WHOLE = 2**53  # up to here every whole number is exact in float64, which kernels use

Kind = TypeVar("Kind")


class SuppleError(ValueError):
    """The input cannot be used; the message says why, and what was expected."""


def nearest(name: str, choices: Iterable[str]) -> str:
    """The end of a message, ``"; did you mean 'tip'?"``, or "" if no choice is near.

    Case is ignored. Names longer than `_LONGEST_NAME` are not compared: files may have names of any
    length, and the time of a comparison grows with its square.
    """
    if len(name) > _LONGEST_NAME:
        return ""
    by_folded = {choice.casefold(): choice for choice in choices if len(choice) <= _LONGEST_NAME}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[found[0]]!r}?" if found else ""


def one_of(what: str, given: object, choices: Collection[str]) -> str:
    """`given`, if it is one of `choices`.

    Args:
        what: What the name stands for, such as "joint".
        given: The name to check.
        choices: The valid names.

    Raises:
        SuppleError: `given` is not among them.
    """
    if isinstance(choices, str):
        choices = tuple(choices)  # its letters, not its substrings
    if isinstance(given, str) and given in choices:
        return given
    if not choices:
        raise SuppleError(f"unknown {what} {brief(given)}: there are none to choose from")
    hint = nearest(given, choices) if isinstance(given, str) else ""
    names = [brief(choice) for choice in choices]
    if len(names) <= _MOST_LISTED:
        expected = f"expected {'one of ' if len(names) > 1 else ''}{', '.join(names)}"
    else:
        expected = f"expected one of {len(names)}, such as {', '.join(names[:3])}"
    raise SuppleError(f"unknown {what} {brief(given)} ({expected}){hint}")


def number(what: str, value: object, expected: str, fits: Callable[[float], bool]) -> float:
    """`value` as a float, if it is a number that fits.

    Args:
        what: Name of the value for errors, such as "tolerance".
        value: The number.
        expected: The expected value for the error, such as "a number above 0".
        fits: Returns True for valid numbers; False for NaN.

    Raises:
        SuppleError: `value` is not a number (booleans are not), or does not fit.
    """
    if type(value) is float or (isinstance(value, Real) and _counts(value)):
        result = as_float(value)
        if fits(result):
            return result
    raise SuppleError(f"{what}: expected {expected}, got {brief(value)}")


def _counts(value: object) -> bool:
    """False for booleans and time spans, which Python or NumPy register as numbers."""
    return not isinstance(value, (bool, np.timedelta64))


def as_float(value: Any) -> float:
    """A number, or text of one, as a float: infinite if it is too large.

    Raises:
        TypeError: It is not a number, or complex, or a time.
        ValueError: It is masked, or text without a number.
    """
    if type(value) is float:
        return value
    unmasked("number", value)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind and kind in "cmM":  # NumPy would drop an imaginary part or a unit of time
        raise TypeError(f"expected a real number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def positive(what: str, value: object) -> float:
    """`value` as a float, if it is a positive number, and finite."""
    return number(what, value, "a positive number", lambda x: 0.0 < x < float("inf"))


def whole(what: str, value: object, *, least: int = 0, remark: str = "") -> int:
    """`value` as an int, if it is a whole number of at least `least`.

    Args:
        what: Name of the value for errors, such as "depth".
        value: The number.
        least: The least valid number.
        remark: A note in the message about valid numbers, such as "(0: to the root)".

    Raises:
        SuppleError: `value` is not a whole number, or too small.
    """
    most = ""
    if type(value) is int or (isinstance(value, Integral) and _counts(value)):
        result = int(value)
        if least <= result <= _LARGEST_WHOLE:
            return result
        most = " to 2**53" if result > _LARGEST_WHOLE else ""
    expected = f"a whole number from {least}{most}{' ' if remark else ''}{remark}"
    raise SuppleError(f"{what}: expected {expected}, got {brief(value)}")


def flag(what: str, value: object) -> bool:
    """`value`, if it is True or False.

    Raises:
        SuppleError: It is something else, such as an array, whose truth value is ambiguous.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise SuppleError(f"{what}: expected True or False, got {brief(value)}")


def text(what: str, value: object) -> str:
    """`value`, if it is text that files can hold.

    Raises:
        SuppleError: It is not text, or has a lone surrogate, which UTF-8 cannot encode.
    """
    if not isinstance(value, str):
        raise SuppleError(f"{what}: expected text, got {brief(value)}")
    if not value.isascii() and _LONE_SURROGATE.search(value):
        raise SuppleError(f"{what}: expected text that UTF-8 can hold, got {ascii(value)}")
    return value


def printable(text: str) -> str:
    """Text that UTF-8 can encode: lone surrogates, as in names of files that are not UTF-8, become U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def instance(what: str, value: object, kind: type[Kind]) -> Kind:
    """`value`, if it is an instance of a class.

    Args:
        what: Name of the value for errors, such as "skeleton".
        value: Any value.
        kind: The class. If `value` has an attribute of that name with an instance, the message says so.

    Raises:
        SuppleError: It is an instance of another class.
    """
    if isinstance(value, kind):
        return value
    held = kind.__name__.lower()
    hint = f"; give its .{held}" if isinstance(getattr(value, held, None), kind) else ""
    raise SuppleError(
        f"{what}: expected a supple.{kind.__name__}, got a {type(value).__name__}{hint}"
    )


def listed(what: str, value: object, expected: str) -> list[Any]:
    """`value` as a list, if it is a sequence, a set, an array or another iterable; text and mappings are not.

    Args:
        what: Name of the value for errors, such as "tips".
        value: Any value.
        expected: The expected value for the error, such as "a list of names".

    Raises:
        SuppleError: It is none.
    """
    if not isinstance(value, (str, bytes, Mapping)):
        try:
            found = iter(value)  # type: ignore[call-overload]
        except TypeError:  # not iterable, as single poses and arrays without axes
            pass
        else:
            return list(found)
    single = "the single text " if isinstance(value, str) else ""
    raise SuppleError(f"{what}: expected {expected}, got {single}{brief(value)}")


def mapping(what: str, value: object, expected: str) -> Mapping[Any, Any]:
    """`value`, if it is a dictionary or another mapping.

    Args:
        what: Name of the value for errors, such as "motions".
        value: Any value.
        expected: The expected value for the error, such as "{name: motion}".

    Raises:
        SuppleError: It is none.
    """
    if isinstance(value, Mapping):
        return value
    raise SuppleError(f"{what}: expected {expected}, got {brief(value)}")


def function(what: str, value: object, *arguments: str) -> Callable[..., Any]:
    """`value`, if it can be called with these arguments.

    Args:
        what: Name of the value for errors, such as "progress".
        value: Any value.
        arguments: Their names, for the message.

    Raises:
        SuppleError: It is not callable, or takes other arguments.
    """
    expected = f"{what}: expected a function of ({', '.join(arguments)})"
    if not callable(value):
        raise SuppleError(f"{expected}, got {brief(value)}")
    try:
        taken = inspect.signature(value)
    except ValueError:  # a class or function in another language, without a signature
        raise SuppleError(
            f"{expected}, got {brief(value)}, whose arguments are not known"
        ) from None
    try:
        taken.bind(*arguments)
    except TypeError as error:
        raise SuppleError(f"{expected}, got one of {taken}: {error}") from None
    return value


def array(
    what: str, value: object, shape: tuple[int | None | EllipsisType, ...], *, finite: bool = True
) -> NDArray[np.float64]:
    """`value` as a C-contiguous, writable float64 array of the given shape.

    The array shares memory with `value` if that already is such an array.

    Args:
        what: Name of the value for errors, such as "target of 'tip'".
        value: Numbers, nested sequences of numbers or an array.
        shape: The length of each axis, None for any length; a leading ``...`` stands for any
            number of batch axes.
        finite: True to refuse infinities; NaN is always refused.

    Raises:
        SuppleError: `value` is ragged, not numeric, of another shape, not finite, or has masked
            entries.
    """
    unmasked(what, value)
    try:
        numbers = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        ragged = "ragged " if isinstance(error, ValueError) else ""
        raise _unfit(what, shape, finite, f"{ragged}{brief(value)}") from error
    if numbers.dtype.kind not in "fiu":
        kind = f"an array of {numbers.dtype}: " if isinstance(value, np.ndarray) else ""
        raise _unfit(what, shape, finite, f"{kind}{brief(value)}")
    if not _fits(numbers.shape, shape):
        given = f"shape {_shape_text(numbers.shape)}: {brief(value)}"
        raise _unfit(what, shape, finite, given)
    result = numbers
    if numbers.dtype is not _FLOAT64 or not numbers.flags.carray:
        with np.errstate(over="ignore"):  # what is too large for float64 becomes infinite
            result = np.require(numbers, np.float64, ["C", "W"])
    if result.size <= _MOST_SUMMED and math.isfinite(sum(result.ravel().tolist())):
        return result  # a sum may overflow without a fault: then each number is checked
    good = np.isfinite(result) if finite else ~np.isnan(result)
    if not good.all():
        first = tuple(int(i) for i in np.argwhere(~good)[0])
        where = f" at {list(first)}" if first else ""
        raise _unfit(what, shape, finite, f"{result[first]}{where}")
    return result


def _unfit(
    what: str, shape: tuple[int | None | EllipsisType, ...], finite: bool, given: str
) -> SuppleError:
    expected = f"expected {'finite ' if finite else ''}numbers of shape {_shape_text(shape)}"
    return SuppleError(f"{what}: {expected}, got {given}")


def unmasked(what: str, value: object, depth: int = 0) -> None:
    """Refuse NumPy's masked arrays with masked entries, alone or in sequences.

    Masked entries are not valid, but converting the array to a plain one would use them.

    Args:
        what: Name of the value for errors.
        value: Any value.
        depth: Number of sequences around `value`; those nested deeper than an array can be are ignored.

    Raises:
        SuppleError: Entries are masked.
    """
    ma = sys.modules.get("numpy.ma")  # NumPy loads it on first use: before, nothing is masked
    if ma is None:
        return
    if isinstance(value, ma.MaskedArray):
        mask = ma.getmaskarray(value)
        count = int(np.count_nonzero(mask))
        if count:
            raise SuppleError(
                f"{what}: expected an array without masked entries, "
                f"got {count} masked of {mask.size}; drop them, or give them values with .filled()"
            )
    elif isinstance(value, (list, tuple)) and depth < _MOST_AXES:
        for one in value:
            if isinstance(one, (list, tuple, ma.MaskedArray)):
                unmasked(what, one, depth + 1)


def _fits(given: tuple[int, ...], shape: tuple[int | None | EllipsisType, ...]) -> bool:
    if shape and shape[0] is ...:
        shape = shape[1:]
        if len(given) < len(shape):
            return False
        given = given[len(given) - len(shape) :]
    return (
        given == shape
        or len(given) == len(shape)
        and all(want is None or have == want for have, want in zip(given, shape, strict=True))
    )


def _shape_text(shape: tuple[int | None | EllipsisType, ...]) -> str:
    axes = ["..." if n is ... else "any" if n is None else str(n) for n in shape]
    return f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"


def brief(value: object) -> str:
    """A value for messages, shortened."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return _short_repr.repr(value)


_short_repr = reprlib.Repr()
_short_repr.maxstring = _short_repr.maxother = 60
