"""How a file is recognized from its first bytes."""

import re

import pytest

from supple.apps.formats.format import begins_with, xml_root
from supple.apps.formats.registry import HEAD_BYTES


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a <b> -->\n<robot name="a">', "robot"),
        (b'<!DOCTYPE x [ <!ENTITY y "z"> ]>\n<x:robot>', "robot"),
        ("<?xml version='1.0'?><mujoco/>".encode("utf-16"), "mujoco"),
        (b"<!-- <robot> --> <mujoco>", "mujoco"),
        (b"<!-- never ends <robot>", None),
        (b"<?xml", None),
        (b"< robot>", None),
        (b"no XML", None),
    ],
)
def test_the_root_of_xml(head, name):
    assert xml_root(head) == name


@pytest.mark.parametrize("piece", [b"<!-- -->", b"<!-->", b"<??>", b"<!a>", b"<!--", b"<?", b"<"])
def test_the_root_is_looked_for_once_however_much_stands_before_it(piece, monkeypatch):
    """No pattern tries the same bytes in several ways: 30 comments took longer than a day."""
    found = []

    class Counted:
        def match(self, text, at):
            found.append(at)
            return re.compile(rb"<([\w:.-]+)").match(text, at)

    monkeypatch.setattr("supple.apps.formats.format._ELEMENT", Counted())
    assert xml_root(piece * (HEAD_BYTES // len(piece)) + b"<") is None
    assert len(found) <= 1


@pytest.mark.parametrize("piece", [b"#", b"#\n", b" ", b"//", b"; a\n", b"\n \t"])
def test_blanks_and_comments_are_skipped(piece):
    looks = begins_with(rb"HIERARCHY\b")
    before = piece * (HEAD_BYTES // len(piece))
    assert not looks(before) and looks(before + b"\nHIERARCHY\n")
