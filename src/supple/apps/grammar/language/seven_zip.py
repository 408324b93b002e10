"""Read 7z archives: the container of rule packages.

The format is that of 7-Zip's "7zFormat.txt": a header at the end lists folders (chains of coders over packed
streams), the streams that they unpack to, and the names of the files. Every count and size is checked before
anything is allocated for it; encrypted archives and coders with several streams (BCJ2) are refused.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from supple.errors import SuppleError

SIGNATURE = b"7z\xbc\xaf\x27\x1c"
START_HEADER_BYTES = 32  # before the packed streams
# Limits on hostile archives; not tuned. Sizes are in bytes.
MOST_FILES = 10_000
MOST_CODERS = 8  # of one folder
LARGEST_HEADER = 32 << 20
LARGEST_DICTIONARY = 256 << 20
LARGEST_TOTAL = 512 << 20  # of all files, unpacked

# Property ids of the format
END, HEADER, STREAMS, FILES, PACK, UNPACK, SUBSTREAMS = 0, 1, 4, 5, 6, 7, 8
SIZE, CRC, FOLDER, UNPACK_SIZE, COUNT = 9, 10, 11, 12, 13
EMPTY_STREAM, EMPTY_FILE, NAMES, ENCODED_HEADER = 14, 15, 17, 23

COPY, LZMA, LZMA2, DEFLATE, BZIP2 = "00", "030101", "21", "040108", "040202"
BRANCH_FILTERS = {
    "03030103": lzma.FILTER_X86, "03030205": lzma.FILTER_POWERPC, "03030401": lzma.FILTER_IA64,
    "03030501": lzma.FILTER_ARM, "03030701": lzma.FILTER_ARMTHUMB, "03030805": lzma.FILTER_SPARC,
}  # fmt: skip
DELTA = "03"


class _Bytes:
    """A cursor over the bytes of a header; reading past the end is an error."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if count < 0 or self.at + count > len(self.data):
            raise SuppleError("the archive's header is cut short")
        found = self.data[self.at : self.at + count]
        self.at += count
        return found

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """An integer of 1 to 9 bytes: the leading ones of the first count the bytes that follow."""
        first, mask, value = self.byte(), 0x80, 0
        for k in range(8):
            if not first & mask:
                return value | ((first & (mask - 1)) << (8 * k))
            value |= self.byte() << (8 * k)
            mask >>= 1
        return value

    def count(self, most: int, what: str) -> int:
        found = self.number()
        if found > most:
            raise SuppleError(f"expected at most {most:,} {what}, got {found:,}")
        return found

    def bits(self, count: int) -> list[bool]:
        packed = self.take((count + 7) // 8)
        return [bool(packed[k // 8] & (0x80 >> k % 8)) for k in range(count)]

    def bits_or_all(self, count: int) -> list[bool]:
        return [True] * count if self.byte() else self.bits(count)

    def checksums(self, count: int) -> list[int | None]:
        given = self.bits_or_all(count)
        return [struct.unpack("<I", self.take(4))[0] if one else None for one in given]


@dataclass
class _Folder:
    """A chain of coders: (method, properties) from the packed bytes to the unpacked ones."""

    coders: list[tuple[str, bytes]]
    sizes: list[int] = field(default_factory=list)  # unpacked bytes after each coder
    checksum: int | None = None


@dataclass
class _Streams:
    pack_at: int = 0
    pack_sizes: list[int] = field(default_factory=list)
    folders: list[_Folder] = field(default_factory=list)
    parts: list[list[tuple[int, int | None]]] = field(default_factory=list)  # (size, checksum)


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a 7z archive by name, as stored; names are not checked.

    Args:
        data: The archive.

    Raises:
        SuppleError: The archive is damaged, encrypted, too large or packed by an unsupported method.
    """
    if data[:6] != SIGNATURE or len(data) < START_HEADER_BYTES:
        raise SuppleError("expected a 7z archive")
    at, size, checksum = struct.unpack("<QQI", data[12:START_HEADER_BYTES])
    if size > LARGEST_HEADER or START_HEADER_BYTES + at + size > len(data):
        raise SuppleError("the archive is cut short")
    header = data[START_HEADER_BYTES + at : START_HEADER_BYTES + at + size]
    if zlib.crc32(header) != checksum:
        raise SuppleError("the checksum of the archive's header is wrong")
    cursor = _Bytes(header)
    if not header:
        return {}
    kind = cursor.byte()
    for _ in range(4):  # a packed header may be packed again
        if kind != ENCODED_HEADER:
            break
        streams = _read_streams(cursor)
        if len(streams.folders) != 1 or streams.folders[0].sizes[-1] > LARGEST_HEADER:
            raise SuppleError("the archive's header is damaged")
        cursor = _Bytes(_folder_bytes(data, streams)[0])
        kind = cursor.byte()
    if kind != HEADER:
        raise SuppleError("the archive's header is damaged")
    streams, files = _Streams(), []
    while (kind := cursor.byte()) != END:
        if kind == STREAMS:
            streams = _read_streams(cursor)
        elif kind == FILES:
            files = _read_files(cursor)
        else:
            raise SuppleError("the archive's header is damaged")
    return _files(data, streams, files)


def _files(data: bytes, streams: _Streams, files: list[tuple[str, bool, bool]]) -> dict[str, bytes]:
    total = sum(size for parts in streams.parts for size, _ in parts)
    if total > LARGEST_TOTAL:
        raise SuppleError(f"expected at most {LARGEST_TOTAL:,} bytes unpacked, got {total:,}")
    found: dict[str, bytes] = {}
    contents = _contents(_folder_bytes(data, streams), streams)
    for name, has_stream, is_folder in files:
        if is_folder:
            continue
        content = b""
        if has_stream:
            if not contents:
                raise SuppleError("the archive has fewer streams than files")
            content = contents.pop(0)
        if name in found:
            raise SuppleError(f"the archive has two files {name!r}")
        found[name] = content
    return found


def _contents(folders: list[bytes], streams: _Streams) -> list[bytes]:
    found = []
    for whole, parts in zip(folders, streams.parts, strict=True):
        at = 0
        for size, checksum in parts:
            part = whole[at : at + size]
            at += size
            if len(part) != size or (checksum is not None and zlib.crc32(part) != checksum):
                raise SuppleError("the checksum of a file in the archive is wrong")
            found.append(part)
    return found


# The header ---------------------------------------------------------------------------------------


def _read_streams(cursor: _Bytes) -> _Streams:
    found = _Streams()
    while (kind := cursor.byte()) != END:
        if kind == PACK:
            found.pack_at = cursor.number()
            count = cursor.count(MOST_FILES, "packed streams")
            while (kind := cursor.byte()) != END:
                if kind == SIZE:
                    found.pack_sizes = [cursor.number() for _ in range(count)]
                elif kind == CRC:
                    cursor.checksums(count)
                else:
                    raise SuppleError("the archive's header is damaged")
        elif kind == UNPACK:
            _read_folders(cursor, found)
        elif kind == SUBSTREAMS:
            _read_parts(cursor, found)
        else:
            raise SuppleError("the archive's header is damaged")
    if not found.parts:
        found.parts = [[(one.sizes[-1], one.checksum)] for one in found.folders]
    if len(found.pack_sizes) != len(found.folders):
        raise SuppleError("the archive uses coders with several streams, which are not supported")
    return found


def _read_folders(cursor: _Bytes, found: _Streams) -> None:
    if cursor.byte() != FOLDER:
        raise SuppleError("the archive's header is damaged")
    count = cursor.count(MOST_FILES, "folders")
    if cursor.byte():
        raise SuppleError("the archive's header lies in another stream, which is not supported")
    found.folders = [_read_folder(cursor) for _ in range(count)]
    if cursor.byte() != UNPACK_SIZE:
        raise SuppleError("the archive's header is damaged")
    for folder in found.folders:
        folder.sizes = [cursor.number() for _ in folder.coders]
        if max(folder.sizes) > LARGEST_TOTAL:
            raise SuppleError(f"expected at most {LARGEST_TOTAL:,} bytes unpacked")
    while (kind := cursor.byte()) != END:
        if kind != CRC:
            raise SuppleError("the archive's header is damaged")
        for folder, checksum in zip(found.folders, cursor.checksums(count), strict=True):
            folder.checksum = checksum


def _read_folder(cursor: _Bytes) -> _Folder:
    """A folder: its coders, and the bonds that make them a chain."""
    count = cursor.count(MOST_CODERS, "coders")
    if not count:
        raise SuppleError("the archive's header is damaged")
    coders = []
    for _ in range(count):
        flags = cursor.byte()
        method = cursor.take(flags & 0x0F).hex()
        if flags & 0x90:
            raise SuppleError(
                "the archive uses coders with several streams, which are not supported"
            )
        properties = cursor.take(cursor.count(1024, "bytes of properties")) if flags & 0x20 else b""
        coders.append((method, properties))
    bonds = [(cursor.number(), cursor.number()) for _ in range(count - 1)]  # (input, output)
    # 7-Zip writes the last coder first: its input is the output of the next one.
    if sorted(bonds) != [(k, k + 1) for k in range(count - 1)]:
        raise SuppleError("the coders of the archive are not a chain, which is not supported")
    return _Folder(coders)


def _read_parts(cursor: _Bytes, found: _Streams) -> None:
    """The files that each folder unpacks to, one after another."""
    counts = [1] * len(found.folders)
    kind = cursor.byte()
    if kind == COUNT:
        counts = [cursor.count(MOST_FILES, "files") for _ in found.folders]
        if sum(counts) > MOST_FILES:
            raise SuppleError(f"expected at most {MOST_FILES:,} files, got {sum(counts):,}")
        kind = cursor.byte()
    sizes: list[list[int]] = []
    for folder, count in zip(found.folders, counts, strict=True):
        own = [cursor.number() for _ in range(count - 1)] if kind == SIZE else []
        if count and len(own) != count - 1:
            raise SuppleError("the archive's header is damaged")
        if count:
            own.append(folder.sizes[0] - sum(own))
        if any(size < 0 for size in own):
            raise SuppleError("the archive's header is damaged")
        sizes.append(own)
    if kind == SIZE:
        kind = cursor.byte()
    known = [
        one.checksum if count == 1 else None
        for one, count in zip(found.folders, counts, strict=True)
    ]
    unknown = sum(
        count
        for count, checksum in zip(counts, known, strict=True)
        if count != 1 or checksum is None
    )
    read: list[int | None] = [None] * unknown
    while kind != END:
        if kind != CRC:
            raise SuppleError("the archive's header is damaged")
        read = cursor.checksums(unknown)
        kind = cursor.byte()
    for own, checksum in zip(sizes, known, strict=True):
        if len(own) == 1 and checksum is not None:
            found.parts.append([(own[0], checksum)])
        else:
            found.parts.append([(size, read.pop(0)) for size in own])


def _read_files(cursor: _Bytes) -> list[tuple[str, bool, bool]]:
    """(name, has content, is a folder) of each file."""
    count = cursor.count(MOST_FILES, "files")
    names: list[str] = []
    empty = [False] * count
    empty_file: list[bool] = []
    while (kind := cursor.number()) != END:
        size = cursor.number()
        part = _Bytes(cursor.take(size))
        if kind == EMPTY_STREAM:
            empty = part.bits(count)
        elif kind == EMPTY_FILE:
            empty_file = part.bits(sum(empty))
        elif kind == NAMES:
            if part.byte():
                raise SuppleError("the names of the archive lie in another stream")
            try:
                names = part.data[1:].decode("utf-16-le").split("\0")[:-1]
            except UnicodeDecodeError:
                raise SuppleError("the names of the archive are not UTF-16") from None
    if len(names) != count:
        raise SuppleError(f"expected {count:,} names in the archive, got {len(names):,}")
    files = []
    left = empty_file + [False] * (sum(empty) - len(empty_file))
    for name, without in zip(names, empty, strict=True):
        files.append((name, not without, without and not left.pop(0)))
    return files


# The streams --------------------------------------------------------------------------------------


def _folder_bytes(data: bytes, streams: _Streams) -> list[bytes]:
    """The unpacked bytes of each folder."""
    at, found = START_HEADER_BYTES + streams.pack_at, []
    for size, folder in zip(streams.pack_sizes, streams.folders, strict=True):
        if at + size > len(data):
            raise SuppleError("the archive is cut short")
        whole = _decoded(data[at : at + size], folder)
        if folder.checksum is not None and zlib.crc32(whole) != folder.checksum:
            raise SuppleError("the checksum of a file in the archive is wrong")
        found.append(whole)
        at += size
    return found


def _decoded(packed: bytes, folder: _Folder) -> bytes:
    """Undo the coders of a folder, the last first; filters run together with the LZMA coder below."""
    coders = list(zip(folder.coders, folder.sizes, strict=True))
    try:
        while coders:
            (method, properties), size = coders.pop()
            if method in (LZMA, LZMA2):
                chain = [_lzma_filter(method, properties, size)]
                while coders and (coders[-1][0][0] in BRANCH_FILTERS or coders[-1][0][0] == DELTA):
                    (method, properties), size = coders.pop()
                    chain.insert(0, _filter(method, properties))
                decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
                packed = decoder.decompress(packed, size)
            elif method == DEFLATE:
                packed = zlib.decompressobj(-15).decompress(packed, size)
            elif method == BZIP2:
                packed = bz2.BZ2Decompressor().decompress(packed, size)
            elif method != COPY:
                raise SuppleError(
                    f"the archive is packed or encrypted by a method (0x{method}) that is not supported"
                )
            if len(packed) != size:
                raise SuppleError("a file in the archive is cut short")
    except (lzma.LZMAError, zlib.error, OSError, EOFError, ValueError, MemoryError):
        raise SuppleError("a file in the archive is damaged") from None
    return packed


def _lzma_filter(method: str, properties: bytes, size: int) -> dict[str, Any]:
    if method == LZMA2:
        if len(properties) != 1 or properties[0] > 40:
            raise SuppleError("a file in the archive is damaged")
        bits = properties[0]
        wanted = 0xFFFFFFFF if bits == 40 else (2 | bits & 1) << (bits // 2 + 11)
        return {"id": lzma.FILTER_LZMA2, "dict_size": _dictionary(wanted, size)}
    if len(properties) != 5 or properties[0] >= 9 * 5 * 5:
        raise SuppleError("a file in the archive is damaged")
    rest, lc = divmod(properties[0], 9)
    pb, lp = divmod(rest, 5)
    wanted = struct.unpack("<I", properties[1:])[0]
    return {
        "id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb, "dict_size": _dictionary(wanted, size)
    }  # fmt: skip


def _dictionary(wanted: int, size: int) -> int:
    """The dictionary to allocate: no match reaches back beyond the unpacked bytes."""
    found = min(wanted, max(size, 4096))
    if found > LARGEST_DICTIONARY:
        raise SuppleError(f"the archive needs a dictionary of {found:,} bytes")
    return max(found, 4096)


def _filter(method: str, properties: bytes) -> dict[str, Any]:
    if method == DELTA:
        return {"id": lzma.FILTER_DELTA, "dist": properties[0] + 1 if properties else 1}
    return {"id": BRANCH_FILTERS[method]}
