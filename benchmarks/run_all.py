"""Most benchmarks in a small form, one table after another: what `make bench` runs.

Each script takes arguments for its full size: `python benchmarks/torture.py --help`. Those with several parts take the
part first: `python benchmarks/chains.py calm --help`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import arms
import calls
import chains
import files
import grammar
import growth
import own_goals
import reachable
import servo
import startup
import torture
from rich.console import Console

SMALL: tuple[tuple[str, Callable[[Sequence[str]], int], tuple[str, ...]], ...] = (
    ("chains fabrik", chains.fabrik, ()),
    ("chains constrained", chains.constrained, ("--chains", "50", "--targets", "50")),
    ("arms", arms.main, ("--targets", "1000")),
    ("grammar linear", grammar.linear, ("--shapes", "1000", "10000")),
    ("grammar rows", grammar.rows, ("--shapes", "10000", "--repeat", "1")),
    ("grammar fuzz", grammar.fuzz, ("--cases", "70")),
    ("growth", growth.main, ("--repeat", "5")),
    ("own_goals", own_goals.main, ("--rows", "100", "--repeat", "3")),
    ("torture", torture.main, ("20000",)),
    ("reachable", reachable.main, ("--count", "200")),
    ("chains nearest", chains.nearest, ("--count", "50")),
    ("chains calm", chains.calm, ("--chains", "20", "--steps", "20")),
    ("servo", servo.main, ("--rate", "100", "--paths", "5", "--frames", "60")),
    ("calls", calls.main, ("--repeat", "20", "--processes", "2")),
    ("startup", startup.main, ("--repeat", "3")),
    ("files robots", files.robots, ("--repeat", "3")),
)


def main() -> int:
    """Run them all; returns 1 if one is not as good as it should be."""
    console = Console()
    failed = []
    for name, script, arguments in SMALL:
        console.rule(" ".join([name, *arguments]))
        if script(list(arguments)):
            failed.append(name)
    if failed:
        console.print(f"[red]not as good as wanted: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
