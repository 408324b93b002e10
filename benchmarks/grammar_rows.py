"""Shape grammar: one extrusion a lot, a whole building, and a facade of a million shapes.

    python benchmarks/grammar_rows.py
    python benchmarks/grammar_rows.py --package candler.rpk --shapes 100000

Times are of the processor, the least of several runs: others may be at work on the machine. The first row grows
1,000 lots, one call each and all in one call; the second one a rule package on a lot of 30 by 20 metres, and is left
out without --package.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import supple
from supple.grammar import Limits, Lot

LOT = """
attr height = 8
Lot --> extrude(height) Mass
"""
LOTS = 1_000
FACADE = """
Lot --> split(y){ ~1 : split(x){ ~1 : Tile }* }*
Tile --> color("#c0563a") Window
Window --> s('0.9, '0.9, '1) Pane
"""
PER_TILE = 3.0


def best(action: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The least seconds of a few runs, and the last result."""
    seconds, result = float("inf"), None
    for _ in range(repeat):
        begun = time.process_time()
        result = action()
        seconds = min(seconds, time.process_time() - begun)
    return seconds, result


def facade(shapes: int) -> supple.grammar.Growth:
    """About that many shapes of a facade."""
    side = max(round((shapes / PER_TILE) ** 0.5), 1)
    return supple.grow(FACADE, size=(side, side, 0.1), limits=Limits(shapes=3 * shapes + 1000))


def bytes_a_shape(shapes: int) -> float:
    """Memory that a derivation holds at its end, per shape."""
    tracemalloc.start()
    grown = facade(shapes)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / len(grown.store)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, help="a rule package for the second row")
    parser.add_argument("--shapes", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args(argv)
    table = Table("row", "time", "rate")
    supple.grow(LOT)
    one = best(lambda: [supple.grow(LOT, seed=k) for k in range(LOTS)], given.repeat)[0]
    table.add_row(
        f"{LOTS:,} lots, one call each", f"{one:.3f} s", f"{one / LOTS * 1e3:.3f} ms a lot"
    )
    lots = [Lot((10.0 + k % 7, 0.0, 8.0)) for k in range(LOTS)]
    many = best(lambda: supple.grow(LOT, lots=lots), given.repeat)[0]
    table.add_row(f"{LOTS:,} lots, one call", f"{many:.3f} s", f"{many / LOTS * 1e3:.3f} ms a lot")
    if given.package is not None:
        took = best(
            lambda: supple.grow(given.package, size=(30, 0, 20), missing="stand-in"), given.repeat
        )[0]
        table.add_row(given.package.name, f"{took:.3f} s", "")
    took, grown = best(lambda: facade(given.shapes), 1)
    count = len(grown.store)
    table.add_row(
        f"facade, {count:,} shapes", f"{took:.2f} s", f"{count / took:,.0f} shapes a second"
    )
    few = min(given.shapes, 100_000)
    table.add_row(f"facade, {few:,} shapes", "", f"{bytes_a_shape(few):,.0f} bytes a shape")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
