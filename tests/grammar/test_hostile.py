"""Damaged rules: whatever is done to them, they grow or are refused with a place in the file."""

import random
import re
from pathlib import Path

import pytest

import supple
from supple.data import GRAMMAR
from supple.grammar import Limits

EXAMPLES = sorted(GRAMMAR.glob("*.cga"))
TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|\d+\.?\d*|-->|\s+|.', re.DOTALL)
NASTY = [
    '1e308', '-1', '0', 'NIL', "'", '~', '[', ']', '{', '}', '*', '%', ':', 'case', 'else',
    'rand()', 'scope.sx', '/0', '[1,2,3]', '"x"', 'IK(1,2,3)', 'joint("q")', 'comp(e){all:A}',
    'split(z){~.1:A}*', 'extrude(1)', 'i("sphere")', 'true', '99999999999',
    'roofHip(45)', 'roofGable(30,1,1)', 'offset(-1)', 'setback(1){all:A|remainder:B}',
    'shapeL(1,1){shape:A}', 'alignScopeToGeometry(zUp,0,longest)', 'scatter(surface,9,uniform){A}',
    'convexify()', 'mirror(1,0,0)', 'with(h:=2)', 'tileUV(0,1,1)', 'cleanupGeometry(all,9)',
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
