"""Every benchmark in a small form, one table after another: what `make bench` runs.

Each script takes arguments of its own for its full size; `python benchmarks/torture.py --help`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rich.console import Console

import arms
import calls
import calm
import constrained_chains
import fabrik_table
import grammar
import grammar_fuzz
import grammar_rows
import growth
import nearest
import own_goals
import reachable
import robot_loading
import servo
import startup
import torture

SMALL: tuple[tuple[str, Callable[[Sequence[str]], int], tuple[str, ...]], ...] = (
    ("fabrik_table", fabrik_table.main, ()),
    ("constrained_chains", constrained_chains.main, ("--chains", "50", "--targets", "50")),
    ("arms", arms.main, ("--targets", "1000")),
    ("grammar", grammar.main, ("--shapes", "1000", "10000")),
    ("grammar_rows", grammar_rows.main, ("--shapes", "10000", "--repeat", "1")),
    ("grammar_fuzz", grammar_fuzz.main, ("--cases", "70")),
    ("growth", growth.main, ("--repeat", "5")),
    ("own_goals", own_goals.main, ("--rows", "100", "--repeat", "3")),
    ("torture", torture.main, ("20000",)),
    ("reachable", reachable.main, ("--count", "200")),
    ("nearest", nearest.main, ("--count", "50")),
    ("calm", calm.main, ("--chains", "20", "--steps", "20")),
    ("servo", servo.main, ("--rate", "100", "--paths", "5", "--frames", "60")),
    ("calls", calls.main, ("--repeat", "20", "--processes", "2")),
    ("startup", startup.main, ("--repeat", "3")),
    ("robot_loading", robot_loading.main, ("--repeat", "3")),
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
