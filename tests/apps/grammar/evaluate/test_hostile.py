"""Damaged rules derive, or fail with a position in the file."""

import random
import re
from pathlib import Path

import pytest

import supple
from supple.apps.data import GRAMMAR
from supple.apps.grammar import Limits

EXAMPLES = sorted(GRAMMAR.glob("*.cga"))
TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|\d+\.?\d*|-->|\s+|.', re.DOTALL)
NASTY = [
    '1e308', '-1', '0', 'NIL', "'", '~', '[', ']', '{', '}', '*', '%', ':', 'case', 'else',
    'rand()', 'scope.sx', '/0', '[1,2,3]', '"x"', 'IK(1,2,3)', 'joint("q")', 'comp(e){all:A}',
    'split(z){~.1:A}*', 'extrude(1)', 'i("sphere")', 'true', '99999999999',
    'roofHip(45)', 'roofGable(30,1,1)', 'offset(-1)', 'setback(1){all:A|remainder:B}',
    'innerRectangle(edge){shape:A|remainder:B}', 'split(u,unitSpace,0){~.1:A}*', 'copyUV(0,1)',
    'case touches():A else:', 'label("x")', 'minimumDistance(all,"x")',
    'shapeL(1,1){shape:A}', 'alignScopeToGeometry(zUp,0,longest)', 'scatter(surface,9,uniform){A}',
    'convexify()', 'mirror(1,0,0)', 'with(h:=2)', 'tileUV(0,1,1)', 'cleanupGeometry(all,9)',
    'envelope(world.up,3,1,45,1,60,2,30)', 'setPivot(yzx,5)', 'comp(fe){all:A}', 'trim()',
    'set(trim.horizontal,true)', 'primitiveSphere(5,3,1)', 'setback(comp(fe){all:1}){all:A}',
]  # fmt: skip


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_damaged_rules_end_cleanly(path: Path) -> None:
    whole = TOKEN.findall(path.read_text(encoding="utf-8"))
    chance = random.Random(path.stem)
    pool = [token for token in whole if not token.isspace()] + NASTY
    refused = 0
    for seed in range(30):
        tokens = list(whole)
        for _ in range(chance.choice([1, 1, 2, 4])):
            k = chance.randrange(len(tokens))
            tokens[k : k + chance.choice([0, 1])] = [chance.choice(pool), " "]
        limits = Limits(shapes=2000, seconds=20.0)
        try:
            supple.grow("".join(tokens), seed=seed, size=(6, 0, 4), limits=limits).meshes()
        except supple.SuppleError as error:
            refused += 1
            assert re.match(r"<rules>:\d+:\d+: |<rules>: |start|unknown", str(error)), error
    assert refused > 5


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("attr a = b\nattr b = a\nLot --> extrude(a)", "1:6: 'a' depends on itself: a -> b -> a"),
        ("const c = c + 1\nLot --> extrude(c)", "1:7: 'c' depends on itself: c -> c"),
        ("attr a = 1\nattr a = 2\nLot --> A", "2:6: value 'a' is defined twice, first in line 1"),
        ("f(x) = 1\nf(y) = 2\nLot --> A", "2:1: value 'f' is defined twice, first in line 1"),
        ("attr a = 1\na = 2\nLot --> A", "2:1: value 'a' is defined twice, first in line 1"),
        ("A ~> B\nA --> C", "1:1: rule 'A' is defined twice, first in line 2"),
        ("Lot --> extrude(1)\n  comp(f){ frnt : A }", "2:12: rule Lot: unknown selector 'frnt'; did you mean 'front'?"),
        ("Lot --> comp(e){ 0.5 : A }", "1:18: rule Lot: expected a selector or a whole number, got 0.5"),
        (
            "Lot -> A\n",
            "1:1: found 'Lot', expected a definition or the end of the file; a rule is written with "
            "'-->', not '->'",
        ),
        ("Lot --> print(ln(0)) A", "1:15: rule Lot: ln(0) has no finite value"),
        ('Lot --> print(find("a", "b", float("nan"))) A', "1:15: rule Lot: find(a, b, nan) has no finite value"),
        ('Lot --> projectUV(float("nan")) A', "1:19: rule Lot: expected a texture layer from 0 to 9, got nan"),
        ('@Size("a", 1, 2)\nLot --> A', "1:1: expected @Size(x, y, z), three numbers"),
        ("Lot --> A\nA(x) --> B", "1:9: rule Lot: rule 'A' takes 1 argument, got 0"),
    ],
)  # fmt: skip
def test_errors_name_their_position(refused, rules, message) -> None:
    assert refused(rules).startswith(f"<rules>:{message}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfeA", ":1:1: expected UTF-16-LE after its byte order mark (truncated data)"),
        (bytes(range(256)), ":1:1: found '\\x00', which is not a valid character"),
        (b"", ": expected at least one rule, got none"),
        (b"// nothing\n", ": expected at least one rule, got none"),
        (b"A --> B\0C", ":1:8: found '\\x00', which is not a valid character"),
        (b"A -->\r\n  t(1, 2)\r\n", ":2:3: rule A: t takes 3 arguments, got 2"),
    ],
)  # fmt: skip
def test_files_without_valid_rules_are_refused_with_a_position(
    tmp_path, refused, data, message
) -> None:
    path = tmp_path / "rules.cga"
    path.write_bytes(data)
    assert refused(path) == f"{path}{message}"


@pytest.mark.parametrize(
    ("rules", "options", "message"),
    [
        ("", {}, "rules: expected the path of a rule file, or rules, got ''"),
        (3, {}, "rules: expected the path of a rule file, or rules, got 3"),
        ("A --> B", {"start": 3}, "start: expected the name of a rule, got 3"),
        ("A --> B", {"limits": 3}, "limits: expected supple.grammar.Limits(...), got 3"),
        ("A --> B", {"attributes": [1]}, "attributes: expected values by name, got [1]"),
        ("A --> B", {"folder": "nowhere"}, "folder: expected a folder, got 'nowhere'"),
    ],
)  # fmt: skip
def test_invalid_options_are_refused(refused, rules, options, message) -> None:
    assert refused(rules, **options) == message
