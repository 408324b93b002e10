"""Results of `supple bench` as tables and as plain data."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.text import Text

import supple
from contest import Problem, Result
from contest.measure import BATCH, OURS, SUPPLE
from contest.peers import Peer
from supple.apps.cli.console import console, seconds, table
from supple.texts import MISSING, short

SOLVED_SHARE = 0.99  # fraction of targets that the best peer must solve
Found = Sequence[tuple[Problem, Sequence[Result]]]


def show(problem: Problem, rows: Sequence[Result]) -> None:
    """Print the table of one problem."""
    say = console()
    near = f"{problem.tolerance:g} m"
    if any(goal.orientation for goal in problem.goals):
        near += f" and {problem.turn_tolerance:g} rad"
    say.print(Text(f"{problem.name}: {problem.about}; within {near}", style="bold"))
    path = any(row.step is not None for row in rows)
    heads = ["solved", "tried", "median", "p99", "worst", "mean", "ratio", "of medians"]
    heads += ["largest step"] if path else []
    lines: list[list[str | Text]] = []
    for row in rows:
        if row.failure is not None:
            lines.append([row.solver, Text("failed", style="red"), *[MISSING] * (len(heads) - 1)])
            continue
        good = "green" if row.solved == 1 else "yellow" if row.solved >= 0.9 else "red"
        line: list[str | Text] = [
            row.solver,
            Text(_percent(row.solved), style=good),
            str(row.tried),
            *(seconds(one) for one in (row.median, row.p99, row.worst, row.mean)),
            *(MISSING if x is None else f"×{x:.3g}" for x in (row.ratio, row.median_ratio)),
        ]
        lines.append([*line, short(row.step, 2)] if path else line)
    say.print(table([("", "left"), *((head, "right") for head in heads)], lines))
    for row in rows:
        if row.failure is not None:
            say.print(Text(f"{row.solver}: {row.failure}", style="yellow"), soft_wrap=True)
    say.print()


def _percent(part: float) -> str:
    """A percentage; only 1.0 is rounded to 100%."""
    return "100%" if part == 1 else f"{min(100 * part, 99.99):.2f}%"


def best_peer(rows: Sequence[Result]) -> Result | None:
    """The other solver with the least mean time, of those that solved nearly all; or None."""
    others = [row for row in rows if row.mean and not row.solver.startswith(SUPPLE)]
    good = [row for row in others if row.solved >= SOLVED_SHARE]
    return min(good, key=lambda row: row.mean or 0.0, default=None)


def _of(rows: Sequence[Result], solver: str) -> Result | None:
    return next((row for row in rows if row.solver == solver and row.mean), None)


def summary(found: Found) -> list[dict[str, Any]]:
    """The best peer of each problem, and supple's mean times relative to it."""
    lines: list[dict[str, Any]] = []
    for problem, rows in found:
        best = best_peer(rows)
        if best is None:
            continue
        line: dict[str, Any] = {"problem": problem.name, "best": best.solver, "mean": best.mean}
        line["solved"] = best.solved
        for name, solver in (("prepared", OURS), ("batch", BATCH)):
            row = _of(rows, solver)
            over = None if row is None or not row.mean or not best.mean else row.mean / best.mean
            line |= {name: None if row is None else row.mean, f"{name}_ratio": over}
        lines.append(line)
    return lines


def show_summary(found: Found) -> None:
    """Print a table over all problems, if there are peers."""
    lines = summary(found)
    if not lines:
        return
    heads = ["mean", "solved", "prepared", "ratio", "batch", "ratio"]
    rows: list[list[str | Text]] = []
    for line in lines:
        cells = [seconds(line["mean"]), _percent(line["solved"])]
        for name in ("prepared", "batch"):
            cells += [seconds(line[name]), _fraction(line[f"{name}_ratio"])]
        rows.append([line["problem"], line["best"], *cells])
    say = console()
    say.print(Text("supple's means beside those of the fastest other solver", style="bold"))
    columns = [("", "left"), ("fastest", "left"), *((head, "right") for head in heads)]
    say.print(table(columns, rows))
    say.print()


def _fraction(ratio: float | None) -> str:
    """A ratio in words: 1/4 for a quarter of the time, ×2 for twice."""
    if ratio is None:
        return MISSING
    size = max(ratio, 1 / ratio)
    shown = f"{size:.1f}" if size < 10 else f"{size:,.0f}"
    return f"×{shown}" if ratio >= 1 else f"1/{shown}"


def close(peers: Sequence[Peer], missing: Sequence[str], *, under_load: bool) -> None:
    """Print the versions of the solvers, and the machine."""
    say = console()
    with_whom = ", ".join(f"{peer.name} {peer.version}" for peer in peers) or "no other solver"
    say.print(Text(f"supple {supple.__version__} beside {with_whom}", style="dim"))
    if missing:
        say.print(Text(f"not installed: {', '.join(missing)} (--install-peers)", style="dim"))
    busy_with = f"; {os.cpu_count()} computing and 1 writing process beside" if under_load else ""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    say.print(Text(f"{os.cpu_count()} cores{load}{busy_with}", style="dim"))


def data(found: Found, peers: Sequence[Peer], *, under_load: bool) -> dict[str, Any]:
    """All results as plain data; times in seconds."""
    return {
        "supple": supple.__version__,
        "peers": {peer.name: peer.version for peer in peers},
        "machine": {
            "system": platform.platform(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        },
        "under_load": under_load,
        "problems": [
            {
                "name": one.name,
                "about": one.about,
                "tolerance": one.tolerance,
                "turn_tolerance": one.turn_tolerance,
                "targets": len(one.targets),
                "results": [row.to_json() for row in rows],
            }
            for one, rows in found
        ],
        "summary": summary(found),
    }
