"""Table 1 of the FABRIK paper (Aristidou & Lasenby 2011): iterations of each method.

A chain of 10 unconstrained joints, targets in and out of reach, means of 20 runs, beside the
published means, which are known to us at second hand. The paper's link lengths, start and
tolerance are not; here: unit links, a straight start, targets uniform in the ball that the chain
reaches or up to twice as far, 0.01 of a link as tolerance. Its Jacobian methods take small fixed
steps, ours the best step they can find, so that these rows differ by their design.

    python benchmarks/fabrik_table.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from supple.solvers import ALL

LINKS = 10
TOLERANCE = 0.01
BUDGET = 10_000
# Row: solver, its options, published iterations for targets in reach and out of reach.
ROWS = (
    ("FABRIK", {}, 15.5, 1.0),
    ("CCD", {}, 26.3, 390.0),
    ("CCD", {"accelerate": False}, 26.3, 390.0),
    ("Jacobian", {"method": "transpose"}, 1311.0, 6549.0),
    ("Jacobian", {"method": "dls", "regularization": 1.1 / LINKS}, 999.0, None),
    ("Jacobian", {"method": "sdls"}, 809.0, None),
    ("Jacobian", {"method": "pinv"}, None, None),
    ("TargetTriangle", {}, 1.0, None),
    ("LM", {}, None, None),
    ("Optimize", {}, None, None),
)
REMARKS = {
    "FABRIK": "out of reach: 67 without the straight-line test",
    "sdls": "published: SVD-DLS",
    "TargetTriangle": "published: triangulation",
}


def targets(runs: int, *, reachable: bool) -> np.ndarray:
    """Points uniform in the ball, or as far out again, shape (runs, 3)."""
    rng = np.random.default_rng(20)
    direction = rng.normal(size=(runs, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    size = rng.uniform(0.0, 1.0, (runs, 1)) ** (1 / 3) if reachable else rng.uniform(1.05, 2.0, (runs, 1))  # fmt: skip
    return LINKS * size * direction


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args(arguments)
    chain = supple.chain(np.ones(LINKS))
    table = Table(title=f"FABRIK paper, table 1: mean iterations of {given.runs} runs")
    table.add_column("method", no_wrap=True)
    for title in ("in reach", "published", "reached", "out of reach", "published", "remark"):
        table.add_column(title, justify="left" if title == "remark" else "right")
    known = {solver.name: solver for solver in ALL}
    lost = 0
    for name, options, near, far in ROWS:
        if name not in known:
            continue
        options = {"max_iterations": BUDGET, **options}
        if name == "TargetTriangle":
            options.pop("max_iterations")
        solver = known[name](**options)
        cells = []
        for reachable, published in ((True, near), (False, far)):
            answer = supple.solve(
                chain,
                {"tip": targets(given.runs, reachable=reachable)},
                solver=solver,
                tolerance=TOLERANCE,
            )
            cells += [f"{answer.iterations.mean():.1f}", f"{published:g}" if published else ""]
            if reachable:
                cells.append(f"{100 * answer.reached.mean():.0f}%")
                lost += int((~answer.reached).sum()) if name in ("FABRIK", "LM") else 0
        words = [str(value) for key, value in options.items() if key == "method"]
        words += ["plain"] if options.get("accelerate") is False else []
        remark = next((REMARKS[word] for word in (*words, name) if word in REMARKS), "")
        table.add_row(" ".join([name, *words]), *cells, remark)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main())
