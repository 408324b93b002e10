"""Reading 7z archives."""

import random
import struct
import zlib

import pytest

import supple
from supple.apps.grammar.language.seven_zip import LARGEST_TOTAL, unpacked

FILES = {"rules/a.cga": b"Lot --> A\n" * 300, "assets/b.obj": bytes(range(256)) * 9, "c": b"!"}


@pytest.mark.parametrize("method", ["copy", "lzma", "lzma2", "bcj"])
@pytest.mark.parametrize("packed_header", [False, True])
def test_unpacked_files_equal_packed_files(seven_zip, method, packed_header) -> None:
    assert unpacked(seven_zip(FILES, method, packed_header=packed_header)) == FILES


def test_the_checksum_of_a_single_file_is_that_of_its_folder(seven_zip) -> None:
    assert unpacked(seven_zip({"only": b"one" * 50})) == {"only": b"one" * 50}


def test_damaged_archives_are_refused_and_never_crash(seven_zip) -> None:
    whole = seven_zip(FILES)
    draw = random.Random(7)
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        data = data[: draw.choice([len(data), draw.randrange(len(data))])]
        if len(data) > 32 and draw.random() < 0.7:  # a header with a valid checksum
            at, size, _ = struct.unpack("<QQI", data[12:32])
            if 32 + at + size <= len(data):
                checksum = zlib.crc32(data[32 + at : 32 + at + size])
                data[28:32] = struct.pack("<I", checksum)
        try:
            found = unpacked(bytes(data))
        except supple.SuppleError:
            continue
        assert all(isinstance(name, str) for name in found)


def test_a_bomb_is_refused_before_it_is_unpacked(seven_zip, seven_zip_number) -> None:
    whole = bytearray(seven_zip({"bomb": b"\0" * 1000}, "copy"))
    header = bytes(whole[1032:]).replace(
        b"\x0c" + seven_zip_number(1000), b"\x0c" + seven_zip_number(LARGEST_TOTAL + 1)
    )
    start = struct.pack("<QQI", 1000, len(header), zlib.crc32(header))
    data = bytes(whole[:8]) + struct.pack("<I", zlib.crc32(start)) + start + b"\0" * 1000 + header
    with pytest.raises(supple.SuppleError, match="expected at most 536,870,912 bytes unpacked"):
        unpacked(data)
