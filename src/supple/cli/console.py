"""What commands say: tables for people on stdout, JSON for programs, complaints on stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

UNBOUNDED = 1_000_000  # columns: no line is as long
MINUS = "\N{EN DASH}"  # for what there is not


def console() -> Console:
    """Where reports go."""
    return _console(sys.stdout, stderr=False)


def error_console() -> Console:
    """Where progress goes."""
    return _console(sys.stderr, stderr=True)


def _console(stream: TextIO | None, *, stderr: bool) -> Console:
    """A console on stdout or stderr, as wide as the terminal; a pipe or file has no width: no wrapping."""
    wide = None if stream is not None and stream.isatty() else UNBOUNDED
    return Console(stderr=stderr, width=wide, highlight=False, markup=False, emoji=False)


def complain(error: Exception) -> None:
    """One line on stderr."""
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr)


def print_json(data: Any) -> None:
    """JSON on stdout; what is not finite is null."""
    print(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False), flush=True)


def plain(value: Any) -> Any:
    """Arrays as lists, NumPy numbers as Python's, numbers that are not finite as None."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    return value


def table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str | Text]]) -> Table:
    """A table of (heading, "left" or "right") columns."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading, side in columns:
        grid.add_column(heading, justify="left" if side == "left" else "right", overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return grid


def short(value: float | None, digits: int = 3) -> str:
    """A number in a few digits; a dash for None."""
    if value is None or not math.isfinite(value):
        return MINUS
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value + 0.0:.{digits}g}"


def seconds(value: float | None) -> str:
    """A time with the unit that suits it."""
    if value is None:
        return MINUS
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
