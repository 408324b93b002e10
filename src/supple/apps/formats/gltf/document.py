"""The container: the JSON tables and buffers of a .glb or .gltf file.

The file is untrusted. Every number, name and reference is checked when it is read, and errors name
it: "nodes[3].children[0]: expected ...". Decoded sizes are charged to the source (`Source.charge`), so
that a small file cannot request unlimited memory.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import urllib.parse
from collections.abc import Iterator
from typing import Any, NoReturn

from supple.apps.formats.gltf import meshopt
from supple.apps.formats.source import Source, shown

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
LARGEST_WHOLE = 2**53  # magnitude limit of a whole number: float64 is exact up to here
LARGEST_FLOAT = 3.5e38  # magnitude limit of a number: the range of float32


class Item:
    """A JSON object with its path for messages; its fields are checked when they are read."""

    __slots__ = ("data", "document", "where")

    def __init__(self, document: Document, where: str, data: dict[str, Any]) -> None:
        self.document = document
        self.where = where
        self.data = data

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def fail(self, key: str, expected: str) -> NoReturn:
        """Raise a SuppleError about a field."""
        given = shown(json.dumps(self.data[key])) if key in self.data else "nothing"
        self.document.fail(f"{self.where}.{key}", f"expected {expected}, got {given}")

    def whole(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        """A whole number of at least `least`."""
        value: Any = self.data.get(key, default)
        number: Any = value
        if isinstance(value, float) and value.is_integer():
            number = int(value)  # some exporters write 4.0
        if not _is_whole(number) or not least <= number <= LARGEST_WHOLE:
            self.fail(key, f"a whole number from {least}")
        return number

    def number(self, key: str, default: float) -> float:
        """A finite number."""
        value = _finite(self.data.get(key, default))
        if value is None:
            self.fail(key, "a finite number")
        return value

    def numbers(self, key: str, count: int | None = None) -> list[float] | None:
        """A list of finite numbers, of a length if given; None if there is no such field."""
        value = self.data.get(key)
        if value is None:
            return None
        expected = f"{'' if count is None else f'{count} '}finite numbers"
        if not isinstance(value, list) or (count is not None and len(value) != count):
            self.fail(key, expected)
        found = [_finite(one) for one in value]
        if any(one is None for one in found):
            self.fail(key, expected)
        return found  # type: ignore[return-value]

    def text(self, key: str, default: str = "") -> str:
        """A string."""
        value = self.data.get(key, default)
        if not isinstance(value, str):
            self.fail(key, "text")
        return value

    def flag(self, key: str) -> bool:
        """True or false; false by default."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self.fail(key, "true or false")
        return value

    def reference(self, key: str, table: str) -> int | None:
        """The index of something in a table; None if there is no such field."""
        if self.data.get(key) is None:
            return None
        size = len(self.document.table(table))
        value = self.whole(key)
        if value >= size:
            self.fail(key, f"an index into the {size} {table}")
        return value

    def references(self, key: str, table: str) -> list[int]:
        """Distinct indices into a table."""
        value = self.data.get(key, [])
        size = len(self.document.table(table))
        if not isinstance(value, list):
            self.fail(key, f"a list of indices into the {size} {table}")
        for k, one in enumerate(value):
            if not _is_whole(one) or not 0 <= one < size:
                place = f"{self.where}.{key}[{k}]"
                self.document.fail(place, f"expected an index into the {size} {table}, got {one!r}")
        if len(set(value)) != len(value):
            self.fail(key, "indices that differ")
        return value

    def item(self, key: str) -> Item | None:
        """The object in a field; None if there is no such field."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fail(key, "an object")
        return Item(self.document, f"{self.where}.{key}", value)

    def items(self, key: str) -> list[Item]:
        """The objects in a list; empty if there is no such field."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.fail(key, "a list of objects")
        return [Item(self.document, f"{self.where}.{key}[{k}]", one) for k, one in enumerate(value)]

    def extension(self, name: str) -> Item | None:
        """The object of an extension; None if it is not used here."""
        extensions = self.item("extensions")
        return None if extensions is None else extensions.item(name)

    def own(self) -> Item | None:
        """The object that supple wrote into the extras; None if there is none."""
        extras = self.data.get("extras")
        own = extras.get("supple") if isinstance(extras, dict) else None
        if not isinstance(own, dict):
            return None
        return Item(self.document, f"{self.where}.extras.supple", own)


class Document:
    """A whole glTF file: the tables of its JSON, and its buffers.

    Args:
        source: The bytes of a .glb or .gltf file.

    Raises:
        SuppleError: It is cut off, not glTF, or of another version.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.cache: dict[Any, Any] = {}  # decoded objects, by keys of the modules that decode them
        text, self._binary = _split(source)
        self.root = Item(self, "glTF", _parsed(source, text))
        self._tables: dict[str, list[Item]] = {}
        self._buffers: dict[int, memoryview] = {}
        asset = self.root.item("asset")
        version = asset.text("version") if asset else ""
        if not version.startswith("2."):
            self.fail("asset.version", f"expected glTF 2.x, got {shown(version)}")

    def fail(self, where: str, message: str) -> NoReturn:
        """Raise a SuppleError about a part of the JSON."""
        self.source.error(None, f"{where}: {message}")

    def charge(self, size: int, where: str) -> None:
        """Count bytes about to be decoded, see `Source.charge`."""
        self.source.charge(size, where)

    def table(self, name: str) -> list[Item]:
        """The objects of a top-level list: "nodes", "accessors", ..."""
        if name not in self._tables:
            value = self.root.data.get(name, [])
            if not isinstance(value, list):
                self.fail(name, "expected a list of objects")
            for k, one in enumerate(value):
                if not isinstance(one, dict):
                    self.fail(f"{name}[{k}]", f"expected an object, got {shown(json.dumps(one))}")
            self._tables[name] = [Item(self, f"{name}[{k}]", one) for k, one in enumerate(value)]
        return self._tables[name]

    # Buffers --------------------------------------------------------------------------------------

    def view(self, index: int) -> tuple[memoryview, int | None]:
        """The bytes of a buffer view, decompressed, and its stride."""
        item = self.table("bufferViews")[index]
        stride = item.whole("byteStride", least=1) if "byteStride" in item else None
        found = (item.extension(name) for name in meshopt.NAMES)
        packing = next((one for one in found if one is not None), None)
        if packing is None:
            return self.part(item), stride
        key = ("unpacked", index)
        if key not in self.cache:
            self.cache[key] = memoryview(self._unpacked(item, packing))
        return self.cache[key], stride

    def _unpacked(self, item: Item, packing: Item) -> bytes:
        """Decompress a buffer view.

        Args:
            item: The buffer view.
            packing: Its meshopt extension, which names the compressed bytes.
        """
        count, stride = packing.whole("count", least=1), packing.whole("byteStride", least=1)
        mode, filter_ = packing.text("mode"), packing.text("filter", "NONE")
        if mode not in meshopt.MODES:
            packing.fail("mode", f"one of {', '.join(meshopt.MODES)}")
        if mode == "ATTRIBUTES" and (stride % 4 or stride > 256):
            packing.fail("byteStride", "a multiple of 4 up to 256")
        if mode != "ATTRIBUTES" and stride not in (2, 4):
            packing.fail("byteStride", "2 or 4")
        if mode == "TRIANGLES" and count % 3:
            packing.fail("count", "a multiple of 3")
        strides = {"NONE": (stride,), "EXPONENTIAL": (stride,), "OCTAHEDRAL": (4, 8),
                   "COLOR": (4, 8), "QUATERNION": (8,)}  # fmt: skip
        if filter_ not in strides or (mode != "ATTRIBUTES" and filter_ != "NONE"):
            packing.fail("filter", f"one of {', '.join(strides)}; NONE for indices")
        if stride not in strides[filter_]:
            packing.fail("byteStride", f"one that {filter_} has, {strides[filter_]}")
        if count * stride != item.whole("byteLength", least=1):
            packing.fail("count", f"the {item.data['byteLength']} bytes of its buffer view")
        self.charge(count * stride, packing.where)
        data = bytes(self.part(packing))
        try:
            return meshopt.decode(data, mode=mode, filter=filter_, count=count, stride=stride)
        except meshopt.StreamError as error:
            self.fail(packing.where, str(error))

    def part(self, item: Item) -> memoryview:
        """The bytes that a buffer view, or a compression extension in its place, refers to."""
        buffer = item.reference("buffer", "buffers")
        if buffer is None:
            item.fail("buffer", "the index of a buffer")
        data = self._buffer(buffer)
        start, size = item.whole("byteOffset", 0), item.whole("byteLength", least=1)
        if start + size > len(data):
            self.fail(
                item.where,
                f"expected bytes within its buffer of {len(data)}, got {start} to {start + size}",
            )
        return data[start : start + size]

    def _buffer(self, index: int) -> memoryview:
        if index not in self._buffers:
            item = self.table("buffers")[index]
            size = item.whole("byteLength", least=1)
            if "uri" in item:
                data = memoryview(self.resource(item))
            elif index == 0 and self._binary is not None:
                data = self._binary
            else:
                self.fail(item.where, "expected a uri, or a binary chunk for the first buffer")
            if len(data) < size:
                self.fail(item.where, f"expected {size} bytes, got {len(data)}: cut off?")
            self._buffers[index] = data[:size]
        return self._buffers[index]

    def resource(self, item: Item) -> bytes:
        """The bytes at the uri of a buffer or image: embedded data, or a file beside this one.

        A file is read once, however often and under however many names it is referred to.
        """
        uri = item.text("uri")
        if uri[:5].lower() == "data:":
            return self._embedded(item, uri)
        parts = urllib.parse.urlsplit(uri) if uri.isprintable() else None
        name = urllib.parse.unquote(uri, errors="surrogateescape")
        if parts is None or parts.scheme or parts.netloc or "\\" in name or "\0" in name:
            self.fail(f"{item.where}.uri", f"expected a file beside this one, got {shown(uri)}")
        try:
            key = ("file", self.source.path_beside(name))
            if key not in self.cache:
                data = self.source.beside(name)
                self.charge(len(data), item.where)
                self.cache[key] = data
            return self.cache[key]
        except (OSError, ValueError) as error:
            reason = str(error).removeprefix(f"{self.source.path}: ")
            self.fail(f"{item.where}.uri", reason)

    def _embedded(self, item: Item, uri: str) -> bytes:
        head, comma, body = uri.partition(",")
        self.charge(2 * len(body), item.where)  # decoding may copy it
        if not comma:
            self.fail(f"{item.where}.uri", "expected data after a comma, got none")
        if not head.lower().endswith(";base64"):
            return urllib.parse.unquote_to_bytes(body)
        if "%" in body:
            body = urllib.parse.unquote(body)
        try:
            return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
        except (binascii.Error, ValueError) as error:
            self.fail(f"{item.where}.uri", f"expected base64, got something else ({error})")


def _split(source: Source) -> tuple[bytes, memoryview | None]:
    """The JSON text and the binary chunk."""
    data = source.data
    if data[:4] != MAGIC:
        return bytes(data), None
    if len(data) < 20:
        source.error(None, f"expected a GLB of at least 20 bytes, got {len(data)}: cut off?")
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        source.error(None, f"expected GLB version 2, got {version}")
    if length > len(data):
        source.error(None, f"expected {length} bytes, got {len(data)}: the file is cut off")
    if length < len(data):
        source.warn(f"{len(data) - length} bytes after the end are left out")
    chunks = dict(_chunks(source, min(length, len(data))))
    if JSON_CHUNK not in chunks:
        source.error(None, "expected a JSON chunk, got none")
    return bytes(chunks[JSON_CHUNK]), chunks.get(BINARY_CHUNK)


def _chunks(source: Source, end: int) -> Iterator[tuple[int, memoryview]]:
    """The chunks of a GLB in reverse, so that a dictionary keeps the first of each type."""
    data, at, found = memoryview(source.data), 12, []
    while at + 8 <= end:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > end:
            source.error(None, f"expected a chunk of {size} bytes at {at}, got {end - at - 8}")
        found.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size + (-size % 4)
    return reversed(found)


def _parsed(source: Source, text: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON number")

    try:
        root = json.loads(text.decode("utf-8-sig"), parse_constant=refuse)
    except json.JSONDecodeError as error:
        source.error(error.lineno, f"expected JSON, got something else: {error.msg}")
    except (ValueError, RecursionError) as error:  # also UnicodeDecodeError
        source.error(None, f"expected JSON in UTF-8, got something else: {error}")
    if not isinstance(root, dict):
        source.error(None, "expected a JSON object, got another value")
    return root


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < LARGEST_FLOAT else None
