"""The encodings of rule files."""

import codecs

import pytest

import supple

TEXT = '// Küche\nattr name = "Größe"\nLot --> print(name + " é") A\n'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("latin-1"),
        TEXT.encode("cp1252"),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.replace("\n", "\r\n").encode("cp1252"),
    ],
)
def test_rule_files_are_read_in_their_encoding(tmp_path, data) -> None:
    (tmp_path / "a.cga").write_bytes(data)
    assert supple.grow(tmp_path / "a.cga").printed == ("Größe é",)


def test_bytes_undefined_in_windows_1252_are_read(tmp_path) -> None:
    (tmp_path / "a.cga").write_bytes(b"// \x81\x8d\nLot --> A")
    assert len(supple.grow(tmp_path / "a.cga").shapes) == 2
