"""TOML whose errors name the line."""

import tomllib

import pytest

from supple.apps.motion import BodyMap
from supple.errors import SuppleError
from supple.toml import parse, read

TEXT = '''# a plan
up = "y"  # = not a key
"quoted key" = 3
many = """
[[steps]] is no table here
x = 1 \\"""
"""
list = [
  "a", # one
  "b",
  { x = 1, y = [1, 2] },
]

[budgets]
skate.most = 1
'literal.key' = 2

[[steps]]
do = "plant"

  [[steps]]
  do = "reach"
  to = [
    1,
    2, 3]
  [steps.more]
  deep = {a = {b = "}"}, c = 'x'}

  [[steps.inner]]
  z = 1
  [[steps.inner]]
  z = 2
'''


def test_every_key_has_its_line():
    document = parse(TEXT, "plan.toml")
    assert document.data == tomllib.loads(TEXT)
    expected = {
        ("up",): 2,
        ("quoted key",): 3,
        ("many",): 4,
        ("list", 1): 10,
        ("list", 2, "y"): 11,
        ("budgets",): 14,
        ("budgets", "skate", "most"): 15,
        ("budgets", "literal.key"): 16,
        ("steps", 0): 18,
        ("steps", 0, "do"): 19,
        ("steps", 1, "do"): 22,
        ("steps", 1, "to", 2): 25,
        ("steps", 1, "more", "deep"): 27,
        ("steps", 1, "more", "deep", "a", "b"): 27,
        ("steps", 1, "more", "deep", "c"): 27,
        ("steps", 1, "inner", 1, "z"): 32,
    }
    assert {keys: document.lines.get(keys) for keys in expected} == expected
    assert document.where(("steps", 0, "no such key")) == "plan.toml:18"
    assert document.where(("nothing",)) == "plan.toml"


def test_what_cannot_be_read_is_said(tmp_path):
    with pytest.raises(SuppleError, match="cannot read"):
        read(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("a = 1\nb = [\n")
    with pytest.raises(SuppleError, match=r"bad\.toml:\d: expected TOML"):
        read(bad)
    bad.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(SuppleError, match=r"bad\.toml:2: expected UTF-8"):
        read(bad)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, f"a = {'9' * 5000}"])
def test_what_toml_cannot_hold_is_refused(text, tmp_path):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(SuppleError, match=r"a\.toml.*: expected TOML"):
        read(tmp_path / "a.toml")
    with pytest.raises(SuppleError, match=r"a\.toml.*: expected TOML"):
        BodyMap.load(tmp_path / "a.toml")
