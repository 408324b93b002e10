"""What the benchmarks share: arguments, times and tables. Importing it lets them import `tests.support` too."""

from __future__ import annotations

import argparse
import inspect
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

Main = Callable[[Sequence[str] | None], int]


def parser(text: str | None, part: str = "") -> argparse.ArgumentParser:
    """A parser of arguments that shows a docstring as it stands.

    Args:
        text: The docstring.
        part: The part of the script that the arguments are for.
    """
    return argparse.ArgumentParser(
        prog=f"{Path(sys.argv[0]).name} {part}".strip(),
        description=inspect.cleandoc(text or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run_part(text: str | None, parts: Mapping[str, Main]) -> int:
    """Run the part of a script that its first argument names; gives the exit code.

    Args:
        text: The script's docstring.
        parts: What runs each, by name. It is given the arguments after the name.
    """
    words = parser(text)
    words.add_argument(
        "part", choices=tuple(parts), help="each has arguments of its own: PART --help"
    )
    return parts[words.parse_args(sys.argv[1:2]).part](sys.argv[2:])


def median(
    call: Callable[[], object], repeat: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The median time of some calls [s]."""
    times = []
    for _ in range(repeat):
        begun = clock()
        call()
        times.append(clock() - begun)
    return statistics.median(times)


def least(
    call: Callable[[], Any], repeat: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """The least time of some calls [s], and the last result."""
    seconds, result = float("inf"), None
    for _ in range(repeat):
        begun = clock()
        result = call()
        seconds = min(seconds, clock() - begun)
    return seconds, result


def table_with(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[object]] = (), *, left: int = 1
) -> Table:
    """A table with a column for each head; more rows can be added.

    Args:
        title: Above it.
        heads: Over the columns.
        rows: The cells of each row.
        left: How many columns, the first ones, are flush left.
    """
    grid = Table(title=title, title_justify="left")
    for k, head in enumerate(heads):
        grid.add_column(head, justify="left" if k < left else "right")
    for row in rows:
        grid.add_row(*map(str, row))
    return grid


def show(*things: object, width: int = 120) -> None:
    """Print tables and lines, that wide where the output is no terminal."""
    console = Console(width=None if sys.stdout.isatty() else width)
    for one in things:
        console.print(one, highlight=False)
