"""Arrays of the language: one row is a tuple of values, several rows are a `Grid`.

An index counts from 0 through the rows: in [1, 2; 3, 4] the element 2 is 3. A one-dimensional array has one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from supple.apps.grammar.evaluate.values import (
    LONGEST_VALUE,
    Grid,
    kind,
    number,
    text,
    truth,
    written,
)
from supple.errors import SuppleError


def rows_of(value: Any) -> tuple[tuple[Any, ...], ...]:
    """The rows of an array; one value is an array of one element."""
    if isinstance(value, Grid):
        return tuple(value)
    return (value,) if isinstance(value, tuple) else ((value,),)


def flat(value: Any) -> tuple[Any, ...]:
    """All elements of an array, row by row."""
    if not isinstance(value, tuple):
        raise SuppleError(f"expected an array, got {kind(value)}")
    return tuple(one for row in value for one in row) if isinstance(value, Grid) else value


def shaped(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """An array of rows: a tuple for one row."""
    if sum(map(len, rows)) > LONGEST_VALUE:
        raise SuppleError(
            f"expected an array of at most {LONGEST_VALUE:,} elements, got a longer one"
        )
    return rows[0] if len(rows) == 1 else Grid(rows)


def like(value: Any, elements: Iterator[Any]) -> tuple[Any, ...]:
    """An array of the dimensions of another one."""
    if isinstance(value, Grid):
        return Grid(tuple(next(elements) for _ in row) for row in value)
    return tuple(elements)


def joined(rows: list[list[Any]]) -> tuple[Any, ...]:
    """The array [a, b; c, d] of values and arrays; arrays are inserted whole.

    Raises:
        SuppleError: The parts of a row differ in their number of rows, or rows in their length.
    """
    found: list[tuple[Any, ...]] = []
    for row in rows:
        if not any(isinstance(part, Grid) for part in row):
            if any(isinstance(part, tuple) for part in row):
                found.append(tuple(one for part in row for one in rows_of(part)[0]))
            else:
                found.append(tuple(row))
            continue
        parts = [rows_of(part) for part in row]
        if len({len(part) for part in parts}) > 1:
            raise SuppleError("expected arrays with the same number of rows beside one another")
        found += [tuple(one for part in parts for one in part[k]) for k in range(len(parts[0]))]
    if len({len(row) for row in found}) > 1:
        counts = ", ".join(str(len(row)) for row in found[:8])
        raise SuppleError(f"expected rows of one length, got {counts} elements")
    return shaped(found)


def sequence(first: Any, step: Any, last: Any) -> tuple[float, ...]:
    """first:step:last, both ends included."""
    a, d, b = number(first), number(step), number(last)
    if d == 0.0 or not (abs(a) < 1e15 and abs(b) < 1e15 and abs(d) < 1e15):
        raise SuppleError("expected finite ends and a step other than 0 for ':'")
    count = int((b - a) / d + 1e-9) + 1 if (b - a) / d >= 0 else 0
    if count > LONGEST_VALUE:
        raise SuppleError(f"expected an array of at most {LONGEST_VALUE:,} elements, got {count:,}")
    return tuple(a + k * d for k in range(count))


def taken(array: Any, index: Any) -> Any:
    """array[index]: one element, or an array of the index's dimensions; booleans select elements."""
    if not isinstance(array, tuple):
        raise SuppleError(f"expected an array before '[', got {kind(array)}")
    if type(index) is float and type(array) is tuple:
        return array[_checked_index(index, len(array))]
    elements = flat(array)
    if not isinstance(index, tuple):
        return elements[_checked_index(number(index), len(elements))]
    indices = flat(index)
    if indices and all(isinstance(one, bool) for one in indices):
        if len(indices) != len(elements):
            raise SuppleError(f"expected {len(elements)} booleans as index, got {len(indices)}")
        return tuple(one for one, wanted in zip(elements, indices, strict=True) if wanted)
    return like(index, iter([elements[_checked_index(number(k), len(elements))] for k in indices]))


def taken_2d(array: Any, row: Any, column: Any) -> Any:
    """array[row, column]: one element, or the rows and columns that arrays of indices name."""
    if not isinstance(array, tuple):
        raise SuppleError(f"expected an array before '[', got {kind(array)}")
    rows = rows_of(array)
    width = len(rows[0]) if rows else 0
    downs = [
        _checked_index(number(k), len(rows))
        for k in (flat(row) if isinstance(row, tuple) else (row,))
    ]
    acrosses = [
        _checked_index(number(k), width)
        for k in (flat(column) if isinstance(column, tuple) else (column,))
    ]
    if not isinstance(row, tuple) and not isinstance(column, tuple):
        return rows[downs[0]][acrosses[0]]
    return shaped([tuple(rows[i][j] for j in acrosses) for i in downs])


def _checked_index(index: float, count: int) -> int:
    if not (0 <= index < count and index == int(index)):
        raise SuppleError(f"expected an index from 0 to {count - 1}, got {written(index)}")
    return int(index)


# Functions ----------------------------------------------------------------------------------------

Function = Callable[..., Any]


def _converted(check: Callable[[Any], Any]) -> Function:
    """floatArray(), floatArray(value), ...: an array with each element converted."""

    def call(shape: Any, *values: Any) -> tuple[Any, ...]:
        if not values:
            return ()
        found = values[0] if isinstance(values[0], tuple) else (values[0],)
        return like(found, iter([check(one) for one in flat(found)]))

    return call


def _sort_indices(shape: Any, array: Any) -> tuple[Any, ...]:
    rows, at, found = rows_of(_checked(array)), 0, []
    for row in rows:
        order = sorted(range(len(row)), key=lambda k: _sort_key(row[k]))
        found.append(tuple(float(at + k) for k in order))
        at += len(row)
    return shaped(found)


def _sort_row_indices(shape: Any, array: Any) -> tuple[float, ...]:
    rows = rows_of(_checked(array))
    order = sorted(range(len(rows)), key=lambda k: [_sort_key(one) for one in rows[k]])
    return tuple(float(k) for k in order)


def _sort_key(value: Any) -> tuple[int, Any]:
    return (1, value) if isinstance(value, str) else (0, number(value))


def _checked(array: Any) -> Any:
    if not isinstance(array, tuple):
        raise SuppleError(f"expected an array, got {kind(array)}")
    return array


def _set_elements(shape: Any, array: Any, index: Any, value: Any) -> tuple[Any, ...]:
    elements = list(flat(_checked(array)))
    indices = flat(index) if isinstance(index, tuple) else (index,)
    if isinstance(index, tuple) and indices and isinstance(indices[0], bool):
        if len(indices) != len(elements):
            raise SuppleError(f"expected {len(elements)} booleans as index, got {len(indices)}")
        indices = tuple(float(k) for k, wanted in enumerate(indices) if wanted)
    values = flat(value) if isinstance(value, tuple) else (value,) * len(indices)
    if len(values) != len(indices):
        raise SuppleError(f"expected {len(indices)} values, got {len(values)}")
    for k, one in zip(indices, values, strict=True):
        elements[_checked_index(number(k), len(elements))] = one
    return like(array, iter(elements))


def find_first(shape: Any, where: Any, what: Any) -> float:
    """Index of the first occurrence in an array or string; -1 if there is none."""
    if isinstance(where, tuple):
        return float(next((k for k, one in enumerate(flat(where)) if one == what), -1))
    return float(text(where).find(text(what)))


def find_last(shape: Any, where: Any, what: Any) -> float:
    """Index of the last occurrence in an array or string; -1 if there is none."""
    if isinstance(where, tuple):
        found = flat(where)
        return float(next((k for k in range(len(found) - 1, -1, -1) if found[k] == what), -1))
    return float(text(where).rfind(text(what)))


ARRAY_FUNCTIONS: dict[str, tuple[int, int, Function]] = {
    "size": (1, 1, lambda shape, value: float(len(flat(value)))),
    "nRows": (1, 1, lambda shape, value: float(len(rows_of(_checked(value))))),
    "nColumns": (1, 1, lambda shape, value: float(len(rows_of(_checked(value))[0]))),
    "floatArray": (0, 1, _converted(number)),
    "boolArray": (0, 1, _converted(truth)),
    "stringArray": (0, 1, _converted(written)),
    "transpose": (
        1,
        1,
        lambda shape, value: shaped(list(zip(*rows_of(_checked(value)), strict=True))),
    ),
    "sortIndices": (1, 1, _sort_indices),
    "sortRowIndices": (1, 1, _sort_row_indices),
    "setElems": (3, 3, _set_elements),
    "findFirst": (2, 2, find_first),
    "findLast": (2, 2, find_last),
}
"""name: (fewest arguments, most, function of the shape and the arguments)"""
