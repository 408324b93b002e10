"""Shape grammar: what shapes cost, and rules and lots that are made to break it.

    python benchmarks/grammar.py linear               # ten times the shapes cost about ten times as much
    python benchmarks/grammar.py linear --shapes 10000 100000 1000000
    python benchmarks/grammar.py rows                 # one extrusion a lot, a building, a facade of a million shapes
    python benchmarks/grammar.py rows --package candler.rpk --shapes 100000
    python benchmarks/grammar.py fuzz                 # damaged rules derive, or are refused with a place
    python benchmarks/grammar.py fuzz --cases 5000 --seed 2 more/*.cga
    python benchmarks/grammar.py roofs --lots 10000   # roofs and offsets of nearly symmetric lots

Each part has arguments of its own: `PART --help`.
"""

from __future__ import annotations

import random
import re
import resource
import statistics
import sys
import tempfile
import time
import traceback
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from measuring import least, parser, run_part, show
from rich.progress import Progress
from rich.table import Table
from tests.support import roof_lots

import supple
from supple.apps.data import GRAMMAR
from supple.apps.grammar import Growth, Limits, Lot

# Growth --------------------------------------------------------------------------------------------

MOST_GROWTH = 12.0
MOST_SECONDS = 60.0
SHAPES_PER_PLOT = 30.4  # shapes that a plot of these rules comes to, on average
HOUSES = """
Lot --> split(x){ ~1 : split(z){ ~1 : House }* }*
House --> extrude(rand(2, 4)) comp(f){ top : Roof | side : Wall }
Wall --> split(y){ ~1 : split(x){ ~0.5 : Tile }* }*
Tile -->
    60% : color("#c0563a") s('0.9, '0.9, 0.1) i("box")
    else : color("#d8d0c0") s('1, '1, 0.05) i("box")
Roof --> color("#444a52") extrude(0.3)
"""


def grown(shapes: int, progress: Progress) -> tuple[float, Growth]:
    """Seconds of the processor for a derivation of about that many shapes, and what grew."""
    side = max(round((shapes / SHAPES_PER_PLOT) ** 0.5), 1)
    task = progress.add_task(f"{shapes:,} shapes", total=shapes)
    begun = time.process_time()  # others may be at work on the machine
    found = supple.grow(
        HOUSES,
        size=(side, 0, side),
        seed=3,
        limits=Limits(shapes=10 * shapes + 1000),
        progress=lambda what, done, of: progress.update(task, completed=done),
    )
    seconds = time.process_time() - begun
    progress.remove_task(task)
    return seconds, found


def compared(few: int, many: int, progress: Progress) -> float:
    """How many times as much ten times the shapes cost, from runs that take turns."""
    half = max(round(many / few / 2), 1)
    seconds = shapes = 0.0
    large = 0.0
    for k in range(2 * half):
        if k == half:
            took, found = grown(many, progress)
            large = took / len(found.store)
        took, found = grown(few, progress)
        seconds += took
        shapes += len(found.store)
    return 10 * large / (seconds / shapes)


def megabytes() -> float:
    """The most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def linear(arguments: Sequence[str] | None = None) -> int:
    """Derivation is linear: ten times the shapes may cost at most 12 times as much.

    100,000 shapes are to be derived, meshed and written within a minute, in memory that grows with the result.

    The speed of a machine that others use changes by a third from one second to the next. So a size is compared with
    the one before it by as long a time: half the small runs before the large one, half after it, and the median of
    several such rounds.
    """
    words = parser(linear.__doc__, "linear")
    words.add_argument("--shapes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    words.add_argument("--repeats", type=int, default=3)
    options = words.parse_args(arguments)
    table = Table("shapes", "derive", "per shape", "write .glb", "file", "memory", box=None)
    worst = 0.0
    with Progress(transient=True) as progress, tempfile.TemporaryDirectory() as folder:
        # So that reading the grammar's own grammar and loading the writer do not count.
        supple.grow(HOUSES).save(Path(folder) / "first.glb", instanced=True)
        for shapes in options.shapes:
            seconds, found = grown(shapes, progress)
            count = len(found.store)
            path = Path(folder) / "grown.glb"
            begun = time.process_time()
            found.save(path, instanced=True)
            written = time.process_time() - begun
            if count <= 150_000:
                worst = max(worst, seconds + written)
            table.add_row(
                f"{count:,}", f"{seconds:.2f} s", f"{seconds / count * 1e6:.1f} us",
                f"{written:.2f} s", f"{path.stat().st_size / 1e6:.1f} MB", f"{megabytes():.0f} MB",
            )  # fmt: skip
        growth = [
            statistics.median(compared(few, many, progress) for _ in range(options.repeats))
            for few, many in pairwise(options.shapes)
        ]
    show(table)
    for factor in growth:
        show(f"ten times the shapes cost {factor:.1f} times as much (at most {MOST_GROWTH:g})")
    return int(any(factor > MOST_GROWTH for factor in growth) or worst > MOST_SECONDS)


# Rows ----------------------------------------------------------------------------------------------

LOT = """
attr height = 8
Lot --> extrude(height) Mass
"""
LOT_COUNT = 1_000
FACADE = """
Lot --> split(y){ ~1 : split(x){ ~1 : Tile }* }*
Tile --> color("#c0563a") Window
Window --> s('0.9, '0.9, '1) Pane
"""
SHAPES_PER_TILE = 3.0


def facade(shapes: int) -> supple.grammar.Growth:
    """About that many shapes of a facade."""
    side = max(round((shapes / SHAPES_PER_TILE) ** 0.5), 1)
    return supple.grow(FACADE, size=(side, side, 0.1), limits=Limits(shapes=3 * shapes + 1000))


def bytes_a_shape(shapes: int) -> float:
    """Memory that a derivation holds at its end, per shape."""
    tracemalloc.start()
    grown = facade(shapes)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / len(grown.store)


def rows(arguments: Sequence[str] | None = None) -> int:
    """One extrusion a lot, a whole building, and a facade of a million shapes.

    Times are of the processor, the least of several runs: others may be at work on the machine. The first row grows
    1,000 lots, one call each and all in one call; the second one a rule package on a lot of 30 by 20 metres, and is
    left out without --package.
    """
    words = parser(rows.__doc__, "rows")
    words.add_argument("--package", type=Path, help="a rule package for the second row")
    words.add_argument("--shapes", type=int, default=1_000_000)
    words.add_argument("--repeat", type=int, default=3)
    given = words.parse_args(arguments)
    table = Table("row", "time", "rate")
    supple.grow(LOT)
    one = least(
        lambda: [supple.grow(LOT, seed=k) for k in range(LOT_COUNT)],
        given.repeat,
        time.process_time,
    )[0]
    table.add_row(
        f"{LOT_COUNT:,} lots, one call each",
        f"{one:.3f} s",
        f"{one / LOT_COUNT * 1e3:.3f} ms a lot",
    )
    lots = [Lot((10.0 + k % 7, 0.0, 8.0)) for k in range(LOT_COUNT)]
    many = least(lambda: supple.grow(LOT, lots=lots), given.repeat, time.process_time)[0]
    table.add_row(
        f"{LOT_COUNT:,} lots, one call", f"{many:.3f} s", f"{many / LOT_COUNT * 1e3:.3f} ms a lot"
    )
    if given.package is not None:
        took = least(
            lambda: supple.grow(given.package, size=(30, 0, 20), missing="stand-in"),
            given.repeat,
            time.process_time,
        )[0]
        table.add_row(given.package.name, f"{took:.3f} s", "")
    took, grown = least(lambda: facade(given.shapes), 1, time.process_time)
    count = len(grown.store)
    table.add_row(
        f"facade, {count:,} shapes", f"{took:.2f} s", f"{count / took:,.0f} shapes a second"
    )
    few = min(given.shapes, 100_000)
    table.add_row(f"facade, {few:,} shapes", "", f"{bytes_a_shape(few):,.0f} bytes a shape")
    show(table)
    return 0


# Damaged rules -------------------------------------------------------------------------------------

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
LOT_SIZE = (6, 0, 4)
FUZZ_LIMITS = Limits(shapes=2000, seconds=20.0)


def damaged(whole: list[str], chance: random.Random) -> str:
    """Rules with a few tokens replaced or added."""
    tokens = list(whole)
    pool = [token for token in whole if not token.isspace()] + NASTY
    for _ in range(chance.choice([1, 1, 2, 4])):
        k = chance.randrange(len(tokens))
        tokens[k : k + chance.choice([0, 1])] = [chance.choice(pool), " "]
    return "".join(tokens) + "\n"


def fuzz(arguments: Sequence[str] | None = None) -> int:
    """Damaged rules: how many cases derive, how many are refused, and how many crash.

    Each case is a rule file with one to four tokens replaced or added. A case that ends by anything but a result or
    a SuppleError with a place is a crash; warnings are errors.
    """
    words = parser(fuzz.__doc__, "fuzz")
    words.add_argument("rules", nargs="*", type=Path, help="rule files besides our own")
    words.add_argument("--cases", type=int, default=5000)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args(arguments)
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
            supple.grow(rules, seed=k, size=LOT_SIZE, missing=missing, limits=FUZZ_LIMITS).meshes()
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


# Roofs ---------------------------------------------------------------------------------------------


def roofs(arguments: Sequence[str] | None = None) -> int:
    """Roofs, offsets and setbacks on many symmetric and nearly symmetric lots: none may be refused.

    The lots, and what is checked of each, are those of `tests.support.roof_lots`.
    """
    words = parser(roofs.__doc__, "roofs")
    words.add_argument("--lots", type=int, default=1000)
    given = words.parse_args(arguments)
    rng = random.Random(1)
    began, wrong = time.perf_counter(), Counter[tuple[str, str, str]]()
    for _ in range(given.lots):
        kind, polygon = roof_lots.lot(rng)
        for name, message in roof_lots.check(rng, polygon).items():
            wrong[name, kind, message] += 1
    print(f"{given.lots} lots, 9 operations each, {time.perf_counter() - began:.1f} s")
    for (name, kind, message), number in sorted(wrong.items()):
        print(f"  {number:5d}  {name}  {kind}: {message}")
    print(f"{sum(wrong.values())} refused or wrong")
    return int(bool(wrong))


PARTS = {"linear": linear, "rows": rows, "fuzz": fuzz, "roofs": roofs}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
