"""`Builder`: the tables of a glTF file being written, and its one buffer."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf.document import BINARY_CHUNK, JSON_CHUNK, MAGIC

TYPE_FLOAT, TYPE_UINT16, TYPE_UINT32 = 5126, 5123, 5125  # componentType of accessors
DTYPES = {TYPE_FLOAT: "<f4", TYPE_UINT16: "<u2", TYPE_UINT32: "<u4"}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963  # target of buffer views: vertices, indices


class Builder:
    """Collects the tables and the buffer of a glTF file."""

    def __init__(self) -> None:
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.extensions: set[str] = set()
        self.required: set[str] = set()  # extensions that readers must support
        self._parts: list[bytes] = []
        self._size = 0
        self._known: dict[Any, int] = {}
        self._held: list[Any] = []  # keeps objects alive, so that their ids in `_known` stay unique

    def add(self, table: str, item: dict[str, Any]) -> int:
        """Append an object to a table; return its index."""
        rows = self.tables.setdefault(table, [])
        rows.append(item)
        return len(rows) - 1

    def once(self, key: Any, source: Any, table: str, make: Any) -> int:
        """The index of the table entry for `source`, made on first use."""
        whole = (table, key, id(source))
        if whole not in self._known:
            self._held.append(source)
            self._known[whole] = self.add(table, make())
        return self._known[whole]

    def view(self, data: bytes, target: int | None = None) -> int:
        """Append bytes to the buffer; return the index of their buffer view."""
        padding = -self._size % 4
        self._parts.append(b"\0" * padding + data)
        item: dict[str, Any] = {"buffer": 0, "byteOffset": self._size + padding}
        item["byteLength"] = len(data)
        if target is not None:
            item["target"] = target
        self._size += padding + len(data)
        return self.add("bufferViews", item)

    def array(
        self,
        values: NDArray[Any],
        component: int = TYPE_FLOAT,
        *,
        target: int | None = None,
        bounds: bool = False,
        source: Any = None,
    ) -> int:
        """Append an array, shape (count, width) or (count,); return the index of its accessor.

        Args:
            values: The numbers.
            component: Their component type.
            target: `ARRAY_BUFFER`, `ELEMENT_ARRAY_BUFFER` or None.
            bounds: True to write min and max.
            source: The object that owns the values; the same object gets the same accessor.
        """

        def make() -> dict[str, Any]:
            table = np.ascontiguousarray(values, dtype=DTYPES[component])
            table = table.reshape(len(values), -1)
            item: dict[str, Any] = {
                "bufferView": self.view(table.tobytes(), target),
                "componentType": component,
                "count": len(table),
                "type": KINDS[table.shape[1]],
            }
            if bounds:
                item["min"] = table.min(axis=0).astype(float).tolist()
                item["max"] = table.max(axis=0).astype(float).tolist()
            return item

        if source is None:
            return self.add("accessors", make())
        return self.once((component, target, bounds), source, "accessors", make)

    # Files ----------------------------------------------------------------------------------------

    def binary(self) -> bytes:
        """The bytes of the buffer, padded to four."""
        return b"".join([*self._parts, b"\0" * (-self._size % 4)])

    def json(self, head: dict[str, Any], uri: str | None) -> bytes:
        """The JSON text; the buffer is at a uri, or in the binary chunk if that is None."""
        root = dict(head)
        if self.extensions:
            root["extensionsUsed"] = sorted(self.extensions)
        if self.required & self.extensions:
            root["extensionsRequired"] = sorted(self.required & self.extensions)
        root |= {name: rows for name, rows in self.tables.items() if rows}
        if self._size:
            where = {} if uri is None else {"uri": uri}
            root["buffers"] = [{"byteLength": self._size + (-self._size % 4), **where}]
        return json.dumps(root, separators=(",", ":"), ensure_ascii=False).encode()

    def glb(self, head: dict[str, Any]) -> bytes:
        """The file as GLB."""
        text, data = self.json(head, None), self.binary()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        if data:
            chunks += struct.pack("<II", len(data), BINARY_CHUNK) + data
        return struct.pack("<4sII", MAGIC, 2, 12 + len(chunks)) + chunks


def fingerprint(data: bytes) -> str:
    """A hash of some bytes, in eight hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=4).hexdigest()
