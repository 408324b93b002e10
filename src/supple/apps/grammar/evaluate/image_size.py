"""The size of an image, from the header of a PNG or JPEG file."""

from __future__ import annotations

import struct
from pathlib import Path

from supple.errors import SuppleError

HEADER_BYTES = 1 << 20  # that are read: the size of a JPEG is almost always within them
SIZED = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG's frame headers


def image_size(path: Path, name: str) -> tuple[int, int]:
    """Width and height of an image, pixels.

    Args:
        path: The file.
        name: Its name in the rules, for messages.

    Raises:
        SuppleError: The file is neither PNG nor JPEG, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(HEADER_BYTES)
    except OSError as error:
        raise SuppleError(f"the image {name!r} cannot be read: {error.strerror}") from error
    found = _png(data) if data[:8] == b"\x89PNG\r\n\x1a\n" else _jpeg(data)
    if found is None or min(found) < 1:
        raise SuppleError(f"the image {name!r}: expected a PNG or JPEG file, got other bytes")
    return found


def _png(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """The size in the first frame header; the segments before it are skipped by their length."""
    at = 2 if data[:2] == b"\xff\xd8" else len(data)
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind == 0xFF:  # a fill byte
            at += 1
            continue
        if kind in SIZED:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None
