"""Start-up: importing supple, the first solve from a warm cache, compiling each solver cold.

Every figure is of a process of its own; the processes to compare take turns, so that a busy machine
slows them alike, and the least of several runs counts.

    python benchmarks/startup.py
    python benchmarks/startup.py --repeat 3 --cold LM     # compile only this one
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from supple.solvers import ALL

MOST_IMPORT = 1.3  # times a bare import of numba
MOST_FIRST = 0.15  # seconds more than a trivial cached function

TIMED = """
import time
begun = time.perf_counter()
{body}
print(time.perf_counter() - begun)
"""
TRIVIAL = """
from trivial import twice
twice(2.0)
"""
TRIVIAL_MODULE = """
import numba

@numba.njit(cache=True)
def twice(x):
    return 2.0 * x
"""
FIRST = """
import supple
supple.solve(supple.chain([1.0, 1.0, 1.0]), {{"tip": (1.0, 1.0, 0.5)}}, solver={solver!r})
"""
# Limbs that any solver takes: two bones for the one that takes only those.
FIRST_LIMB = """
import supple
supple.solve(supple.chain([1.0, 1.0]), {{"tip": (1.0, 1.0, 0.5)}}, solver={solver!r})
"""


def seconds(body: str, folder: Path, cache: Path | None = None) -> float:
    """How long a body of code takes in a new process, from before its imports on [s]."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, sys.path)])
    environment["NUMBA_CACHE_DIR"] = str(folder)
    if cache is not None:
        environment["SUPPLE_CACHE_DIR"] = str(cache)
    code = TIMED.format(body=body)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout.split()[-1])


def in_turns(bodies: dict[str, str], folder: Path, repeat: int) -> dict[str, np.ndarray]:
    """Seconds of each body, shape (repeat,): one run of each, again and again."""
    for body in bodies.values():
        seconds(body, folder)  # fills the caches, and reads the files once
    runs = [{name: seconds(body, folder) for name, body in bodies.items()} for _ in range(repeat)]
    return {name: np.array([run[name] for run in runs]) for name in bodies}


def body_of(name: str) -> str:
    """A first solve with a solver."""
    return (FIRST_LIMB if name == "TwoBone" else FIRST).format(solver=name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--cold", nargs="*", default=None, help="solvers to compile cold")
    given = parser.parse_args(arguments)
    names = [solver.name for solver in ALL]
    cold = names if given.cold is None else given.cold
    console = Console()
    warm = {name: body_of(name) for name in ("auto", *names)}
    with tempfile.TemporaryDirectory() as path, Progress(transient=True) as progress:
        folder = Path(path)
        (folder / "trivial.py").write_text(TRIVIAL_MODULE)
        bar = progress.add_task("importing", total=2 + len(cold))
        imports = in_turns(
            {"numba": "import numba", "supple": "import supple"}, folder, given.repeat
        )
        progress.update(bar, advance=1, description="solving first")
        firsts = in_turns({"trivial": TRIVIAL, **warm}, folder, given.repeat)
        compiled = {}
        for name in cold:
            progress.update(bar, advance=1, description=f"compiling {name}")
            cache = folder / f"cold-{name}"
            compiled[name] = seconds(body_of(name), folder, cache)
    table = Table(title=f"Start-up in new processes, least of {given.repeat} [s]")
    table.add_column("what")
    for title in ("seconds", "beside", "ratio or more", "at most"):
        table.add_column(title, justify="right")
    bare, ours = imports["numba"].min(), imports["supple"].min()
    missed = ours > MOST_IMPORT * bare
    table.add_row(
        "import supple", f"{ours:.3f}", f"{bare:.3f} import numba", f"x {ours / bare:.2f}",
        f"x {MOST_IMPORT}",
    )  # fmt: skip
    trivial = firsts["trivial"].min()
    for name in warm:
        first = firsts[name].min()
        missed = missed or (name == "auto" and first > trivial + MOST_FIRST)
        table.add_row(
            f"first solve, {name}", f"{first:.3f}", f"{trivial:.3f} trivial function",
            f"+ {first - trivial:.3f}", f"+ {MOST_FIRST}" if name == "auto" else "",
        )  # fmt: skip
    for name, took in compiled.items():
        table.add_row(f"first solve ever, {name}", f"{took:.1f}", "", f"+ {took - trivial:.1f}", "")
    console.print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
