"""Damaged rules: how many cases derive, how many are refused, and how many crash.

    python benchmarks/grammar_fuzz.py
    python benchmarks/grammar_fuzz.py --cases 5000 --seed 2 more/*.cga

Each case is a rule file with one to four tokens replaced or added. A case that ends by anything but a result or a
SuppleError with a place is a crash; warnings are errors.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import supple
from supple.data import GRAMMAR
from supple.grammar import Limits

TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|\d+\.?\d*|-->|\s+|.', re.DOTALL)
PLACE = re.compile(r".*:\d+:\d+: |<rules>: |start|unknown|size")
NASTY = """1e308 -1 0 NIL ' ~ [ ] { } * % : case else rand() scope.sx /0 [1,2,3] "x" IK(1,2,3) joint("q") comp(e){all:A}
split(z){~.1:A}* extrude(1) i("sphere") true 99999999999 roofHip(45) roofGable(30,1,1) offset(-1)
setback(1){all:A|remainder:B} innerRectangle(edge){shape:A|remainder:B} split(u,unitSpace,0){~.1:A}* copyUV(0,1)
label("x") minimumDistance(all,"x") shapeL(1,1){shape:A} alignScopeToGeometry(zUp,0,longest)
scatter(surface,9,uniform){A} scatter(scope,9,gaussian,top,1){A} convexify() mirror(1,0,0) mirrorScope(1,1,0)
with(h:=2) tileUV(0,1,1) cleanupGeometry(all,9) [1;2] [0:9] a[1] @Handle( @Range(min=1) insertAlongUV(0,"x.obj",1)
geometry.vMin geometry.area(top) convert(x,scope,world,pos,0,0,0) Q.x Q.Rule(1) readStringTable("a.csv")
sortIndices([3,1]) envelope(normal,3) .== streetWidth(0) style version attr const --> texture("x") trim()
set(trim.vertical,false) assetsSortSize("a;b",1,1,1) colorRamp("a",0) s(1,-1,1) setNormals(soft) tag("a")""".split()  # noqa: SIM905 (a list this long is read as prose)
SIZE = (6, 0, 4)
LIMITS = Limits(shapes=2000, seconds=20.0)


def damaged(whole: list[str], chance: random.Random) -> str:
    """Rules with a few tokens replaced or added."""
    tokens = list(whole)
    pool = [token for token in whole if not token.isspace()] + NASTY
    for _ in range(chance.choice([1, 1, 2, 4])):
        k = chance.randrange(len(tokens))
        tokens[k : k + chance.choice([0, 1])] = [chance.choice(pool), " "]
    return "".join(tokens) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", type=Path, help="rule files besides our own")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fuzzed([*sorted(GRAMMAR.glob("*.cga")), *given.rules], given.cases, given.seed)


def fuzzed(paths: list[Path], cases: int, seed: int) -> int:
    """Grow damaged rules; returns 1 if a case crashes."""
    texts = [TOKEN.findall(path.read_text(encoding="latin-1")) for path in paths]
    refused = crashes = 0
    begun = time.perf_counter()
    for k in range(cases):
        chance = random.Random(f"{seed} {k}")
        rules = damaged(texts[k % len(texts)], chance)
        missing = chance.choice(["error", "stand-in"])
        try:
            supple.grow(rules, seed=k, size=SIZE, missing=missing, limits=LIMITS).meshes()
        except supple.SuppleError as error:
            refused += 1
            if not PLACE.match(str(error)):
                crashes += 1
                print(f"case {k}, {paths[k % len(paths)]}: no place: {error}")
        except Exception:
            crashes += 1
            print(f"case {k}, {paths[k % len(paths)]}:\n{traceback.format_exc(limit=-3)}")
    seconds = time.perf_counter() - begun
    print(f"{cases:,} cases, {refused:,} refused, {crashes} crashes, {seconds:.0f} s")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
