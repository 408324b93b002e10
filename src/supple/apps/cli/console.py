"""Output: tables and JSON on stdout, errors and progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from supple.files import plain
from supple.texts import MISSING

UNWRAPPED_COLUMNS = 1_000_000  # width of pipes and files, so that no line wraps


def console() -> Console:
    """The console on stdout, for results."""
    return _console(sys.stdout, stderr=False)


def error_console() -> Console:
    """The console on stderr, for progress and notes."""
    return _console(sys.stderr, stderr=True)


def _console(stream: TextIO | None, *, stderr: bool) -> Console:
    """A console as wide as the terminal; output to a pipe or file is not wrapped."""
    wide = None if stream is not None and stream.isatty() else UNWRAPPED_COLUMNS
    return Console(stderr=stderr, width=wide, highlight=False, markup=False, emoji=False)


def complain(error: Exception) -> None:
    """Print an error as one line on stderr."""
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr)


def say_warnings(warnings: Sequence[str]) -> None:
    """Print warnings on stderr, a line each."""
    for text in warnings:
        error_console().print(Text(f"note: {text}", style="yellow"), soft_wrap=True)


def print_json(data: Any) -> None:
    """Print JSON on stdout; non-finite numbers become null."""
    print(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False), flush=True)


def table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str | Text]]) -> Table:
    """A table of (heading, "left" or "right") columns."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading, side in columns:
        grid.add_column(heading, justify="left" if side == "left" else "right", overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return grid


def seconds(value: float | None) -> str:
    """A time [s] with a fitting unit."""
    if value is None:
        return MISSING
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
