"""Arrays as bytes, from one process to another: a line of JSON, then the numbers.

Much faster to write and read than an .npz archive. The process that writes may have been taken over, so types,
sizes and bounds are checked. Imports only NumPy and the standard library, so that workers start quickly.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

KINDS = frozenset(("|b1", "|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"))
ARRAY_ALIGNMENT = 8  # of each array [B]


def packed(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Plain data and arrays as bytes.

    Args:
        meta: Data that JSON can hold.
        arrays: Arrays by name, with types of `KINDS`.
    """
    rows, parts = {}, []
    for name, array in arrays.items():
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        rows[name] = (array.dtype.str, array.shape)
        data = array.tobytes()
        parts.append(data + bytes(-len(data) % ARRAY_ALIGNMENT))
    return json.dumps({"meta": meta, "arrays": rows}).encode() + b"\n" + b"".join(parts)


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain data and read-only arrays.

    Raises:
        ValueError: The bytes are not as `packed` makes them.
    """
    head, line, body = data.partition(b"\n")
    found = json.loads(head)
    if not line or not isinstance(found, dict) or not isinstance(found.get("meta"), dict):
        raise ValueError("expected a line of JSON")
    rows = found.get("arrays")
    if not isinstance(rows, dict):
        raise ValueError("expected a table of arrays")
    arrays, at = {}, 0
    for name, row in rows.items():
        kind, shape = row if isinstance(row, list) and len(row) == 2 else ("", None)
        if not isinstance(kind, str) or kind not in KINDS or not isinstance(shape, list):
            raise ValueError(f"{name}: expected plain numbers, got {kind!r}")
        if not all(type(one) is int and 0 <= one <= len(body) for one in shape):
            raise ValueError(f"{name}: expected a shape that fits, got {shape}")
        count = math.prod(shape)
        size = count * np.dtype(kind).itemsize
        if at + size > len(body):
            raise ValueError(f"{name}: expected {size} bytes, got {len(body) - at}")
        arrays[name] = np.frombuffer(body, kind, count, at).reshape(shape)
        at += size + -size % ARRAY_ALIGNMENT
    return found["meta"], arrays
