"""Streams take all output, whatever they can encode."""

import io
import sys

import pytest

from supple.apps.cli.pipes import unbroken_pipes


@pytest.mark.parametrize(
    ("encoding", "printed"), [("utf-8", "w\ufffd \u2013".encode()), ("ascii", b"w? ?")]
)
def test_letters_that_cannot_be_encoded_are_replaced(monkeypatch, encoding, printed):
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding=encoding))
    with unbroken_pipes():
        sys.stdout.write("w\udcff \u2013")
    assert stream.getvalue() == printed
