"""The token of a run, kept or not."""

import os
import stat
import sys

import pytest

from supple import SuppleError
from supple.apps.viewer.token import VALID, kept_token, new_token


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "own"
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(folder))
    return folder


def test_tokens_differ():
    assert len({new_token() for _ in range(100)}) == 100
    assert all(VALID.fullmatch(new_token()) for _ in range(100))


def test_a_kept_token_stays(folder):
    token = kept_token()
    assert VALID.fullmatch(token) and kept_token() == token


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_only_its_owner_can_read_it(folder):
    before = os.umask(0)
    try:
        kept_token()
    finally:
        os.umask(before)
    path = folder / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(SuppleError, match="only you can read"):
        kept_token()


@pytest.mark.parametrize("text", ["", "short", "x" * 50, "../../etc/passwd-2345678", "\u00e4" * 24])
def test_what_is_no_token_is_replaced(folder, text):
    folder.mkdir(mode=0o700)
    path = folder / "token"
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    token = kept_token()
    assert VALID.fullmatch(token) and kept_token() == token


def test_where_it_cannot_be_kept_that_is_said(folder):
    folder.write_text("a file in place of the folder")
    with pytest.raises(SuppleError, match="cannot keep the token"):
        kept_token()
