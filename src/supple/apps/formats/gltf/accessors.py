"""Decode accessors: typed arrays inside buffers, strided, normalized or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf.document import Document, Item

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COMPONENTS = {  # componentType: little-endian dtype
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
SHAPES = {  # type: rows, columns
    "SCALAR": (1, 1),
    "VEC2": (2, 1),
    "VEC3": (3, 1),
    "VEC4": (4, 1),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}


def floats(document: Document, index: int, kinds: Sequence[str]) -> Floats:
    """Decode an accessor as float64, shape (count, components); matrices by columns.

    Normalized integers become fractions; other integers keep their value.

    Args:
        document: The file.
        index: The index of the accessor.
        kinds: The accepted types, such as ("VEC3",).

    Raises:
        SuppleError: It has another type, exceeds its buffer, or contains NaN or infinity.
    """
    key = ("floats", index)
    item = document.table("accessors")[index]
    _check_kind(item, kinds)
    if key not in document.cache:
        raw = _raw(document, item)
        document.charge(raw.size * 8, item.where)
        values = raw.astype(np.float64)
        if raw.dtype.kind == "f":
            if not np.isfinite(values).all():
                at = int(np.argwhere(~np.isfinite(values))[0][0])
                document.fail(item.where, f"expected finite numbers, got {values[at]} at {at}")
        elif item.flag("normalized"):
            values /= np.iinfo(raw.dtype).max
            np.maximum(values, -1.0, out=values)
        document.cache[key] = values
    return document.cache[key]


def wholes(document: Document, index: int, kinds: Sequence[str]) -> Ints:
    """Decode an accessor of unsigned integers, shape (count, components)."""
    item = document.table("accessors")[index]
    _check_kind(item, kinds)
    raw = _raw(document, item)
    if raw.dtype.kind != "u":
        item.fail("componentType", "unsigned integers")
    document.charge(raw.size * 8, item.where)
    return raw.astype(np.int64)


def is_float(document: Document, index: int) -> bool:
    """True if an accessor stores floating-point numbers."""
    return document.table("accessors")[index].data.get("componentType") == 5126


def _check_kind(item: Item, kinds: Sequence[str]) -> None:
    if item.text("type") not in kinds:
        item.fail("type", " or ".join(kinds))


def _dtype(item: Item) -> np.dtype[Any]:
    dtype = COMPONENTS.get(item.whole("componentType"))
    if dtype is None:
        item.fail("componentType", f"one of {', '.join(map(str, COMPONENTS))}")
    return dtype


def _raw(document: Document, item: Item) -> NDArray[Any]:
    """The elements as stored, with sparse replacements applied, shape (count, components)."""
    dtype, count = _dtype(item), item.whole("count")
    rows, columns = SHAPES[item.text("type")]
    view = item.reference("bufferView", "bufferViews")
    if view is None:
        document.charge(count * rows * columns * dtype.itemsize, item.where)
        values = np.zeros((count, rows * columns), dtype)
    else:
        values = _elements(document, item, view, dtype, count, rows, columns)
    sparse = item.item("sparse")
    return values if sparse is None else _replaced(document, sparse, values, rows, columns)


def _elements(
    document: Document,
    item: Item,
    view: int,
    dtype: np.dtype[Any],
    count: int,
    rows: int,
    columns: int,
) -> NDArray[Any]:
    """Elements of a buffer view, shape (count, rows * columns), without copying if possible."""
    # Columns of matrices begin at multiples of four bytes.
    column = rows * dtype.itemsize
    step = column + (-column % 4) if columns > 1 else column
    size = step * (columns - 1) + column
    data, stride = document.view(view)
    stride = stride or step * columns
    start = item.whole("byteOffset", 0)
    if count and start + stride * (count - 1) + size > len(data):
        document.fail(
            item.where,
            f"expected {count} elements within {len(data)} bytes, "
            f"got an end at {start + stride * (count - 1) + size}",
        )
    if not count:
        return np.zeros((0, rows * columns), dtype)
    strides = (stride, step, dtype.itemsize)
    found = np.ndarray((count, columns, rows), dtype, data, start, strides)
    return found.reshape(count, rows * columns)


def _replaced(
    document: Document, sparse: Item, values: NDArray[Any], rows: int, columns: int
) -> NDArray[Any]:
    """A copy of the elements with some of them replaced."""
    count = sparse.whole("count")
    if count > len(values):
        sparse.fail("count", f"at most the {len(values)} elements that there are")
    parts = []
    for key, dtype, shape in (("indices", None, (1, 1)), ("values", values.dtype, (rows, columns))):
        part = sparse.item(key)
        view = part.reference("bufferView", "bufferViews") if part else None
        if part is None or view is None:
            sparse.fail(key, "a buffer view")
        parts.append(_elements(document, part, view, dtype or _dtype(part), count, *shape))
    at, replacements = parts
    if at.dtype.kind != "u" or (count and int(at.max()) >= len(values)):
        sparse.fail("indices", f"whole numbers below {len(values)}")
    document.charge(values.nbytes, sparse.where)
    values = values.copy()
    values[at[:, 0]] = replacements
    return values
