"""Write small 7z archives for tests."""

import lzma
import struct
import zlib

import pytest

DICTIONARY = 1 << 16


def _number(value: int) -> bytes:
    """An integer as 7z writes it."""
    for count in range(9):
        if value < 1 << (7 * count + 7) or count == 8:
            low = value & ((1 << (8 * count)) - 1)
            high = value >> (8 * count)
            mask = (0xFF00 >> count) & 0xFF
            return bytes([mask | high]) + low.to_bytes(count, "little")
    raise AssertionError


def _seven_zip(
    files: dict[str, bytes], method: str = "lzma", *, packed_header: bool = False
) -> bytes:
    """A 7z archive with all files in one folder, packed by "copy", "lzma", "lzma2" or "bcj"."""
    whole = b"".join(files.values())
    packed, coders = _packed(whole, method)
    sizes = [len(one) for one in files.values()]
    streams = _streams(len(packed), 0, coders, [len(whole)] * coders[0], zlib.crc32(whole))
    parts = bytes([8, 13]) + _number(len(files)) + bytes([9]) + b"".join(map(_number, sizes[:-1]))
    parts += bytes([10, 1])
    parts += b"".join(struct.pack("<I", zlib.crc32(one)) for one in files.values()) + b"\0"
    if len(files) == 1:
        parts = b""
    names = b"\0" + b"".join(name.encode("utf-16-le") + b"\0\0" for name in files)
    table = bytes([5]) + _number(len(files)) + bytes([17]) + _number(len(names)) + names + b"\0"
    header = b"\1\4" + streams + parts + b"\0" + table + b"\0"
    body = packed
    if packed_header:
        small, coders = _packed(header, "lzma")
        header = (
            b"\x17"
            + _streams(len(small), len(body), coders, [len(header)], zlib.crc32(header))
            + b"\0"
        )
        body += small
    start = struct.pack("<QQI", len(body), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + body + header


def _packed(whole: bytes, method: str) -> tuple[bytes, bytes]:
    """The packed bytes, and the folder that says how: the number of coders comes first."""
    one = {"id": lzma.FILTER_LZMA1, "lc": 3, "lp": 0, "pb": 2, "dict_size": DICTIONARY}
    two = {"id": lzma.FILTER_LZMA2, "dict_size": DICTIONARY}
    properties = bytes([0x5D]) + struct.pack("<I", DICTIONARY)
    if method == "copy":
        return whole, b"\1\1\0"
    if method == "lzma":
        return lzma.compress(whole, lzma.FORMAT_RAW, filters=[one]), b"\1\x23\3\1\1\5" + properties
    if method == "lzma2":
        return lzma.compress(whole, lzma.FORMAT_RAW, filters=[two]), b"\1\x21\x21\1\x08"
    chain = [{"id": lzma.FILTER_X86}, two]
    folder = b"\2\4\3\3\1\3\x21\x21\1\x08" + _number(0) + _number(1)
    return lzma.compress(whole, lzma.FORMAT_RAW, filters=chain), folder


def _streams(size: int, at: int, folder: bytes, sizes: list[int], checksum: int) -> bytes:
    return (
        b"\6" + _number(at) + b"\1\x09" + _number(size) + b"\0"
        + b"\7\x0b\1\0" + folder + b"\x0c" + b"".join(map(_number, sizes))
        + b"\x0a\1" + struct.pack("<I", checksum) + b"\0"
    )  # fmt: skip


@pytest.fixture
def seven_zip():
    """Writes 7z archives: (files, method, packed_header=...) -> bytes."""
    return _seven_zip


@pytest.fixture
def seven_zip_number():
    """An integer as 7z writes it."""
    return _number
