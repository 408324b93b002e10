"""Shape grammar: what a shape costs as there are ten times as many, and a GLB of 100,000 of them.

Derivation is linear: ten times the shapes may cost at most 12 times as much. 100,000 shapes are to be
derived, meshed and written within a minute, in memory that grows with the result.

    python benchmarks/grammar.py
    python benchmarks/grammar.py --shapes 10000 100000 1000000

The speed of a machine that others use changes by a third from one second to the next. So a size is
compared with the one before it by as long a time: half the small runs before the large one, half
after it, and the median of several such rounds.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import supple
from supple.grammar import Growth, Limits

MOST_GROWTH = 12.0
MOST_SECONDS = 60.0
PER_PLOT = 30.4  # shapes that a plot of these rules comes to, on average
RULES = """
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
    side = max(round((shapes / PER_PLOT) ** 0.5), 1)
    task = progress.add_task(f"{shapes:,} shapes", total=shapes)
    begun = time.process_time()  # others may be at work on the machine
    found = supple.grow(
        RULES,
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if growth or time is beyond what it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--shapes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    table = Table("shapes", "derive", "per shape", "write .glb", "file", "memory", box=None)
    worst = 0.0
    with Progress(transient=True) as progress, tempfile.TemporaryDirectory() as folder:
        # So that reading the grammar's own grammar and loading the writer do not count.
        supple.grow(RULES).save(Path(folder) / "first.glb", instanced=True)
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
    console = Console()
    console.print(table)
    for factor in growth:
        console.print(
            f"ten times the shapes cost {factor:.1f} times as much (at most {MOST_GROWTH:g})"
        )
    return int(any(factor > MOST_GROWTH for factor in growth) or worst > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
