"""Start-up: importing supple, the first solve, and one command line, each in a process of its own.

The processes to compare take turns, so that a busy machine slows them alike, and the least of several
runs counts.

    python benchmarks/startup.py
    python benchmarks/startup.py --repeat 3
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from measuring import parser, show, table_with

from supple.solvers import ALL

MOST_IMPORT = 2.0  # times a bare import of NumPy

TIMED = """
import time
begun = time.perf_counter()
{body}
print(time.perf_counter() - begun)
"""
# Limbs that any solver takes: two bones for the one that takes only those.
FIRST = """
import supple
supple.solve(supple.chain({lengths}), {{"tip": (1.0, 1.0, 0.5)}}, solver={solver!r})
"""
COMMAND = """
import sys
sys.argv = ["supple", "reach", "chain:1,1", "--to", "1,1,0"]
import io, contextlib
from supple.apps.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""


def seconds(body: str) -> float:
    """How long a body of code takes in a new process, from before its imports on [s]."""
    command = [sys.executable, "-c", TIMED.format(body=body)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout.split()[-1])


def in_turns(bodies: dict[str, str], repeat: int) -> dict[str, np.ndarray]:
    """Seconds of each body, shape (repeat,): one run of each, again and again."""
    for body in bodies.values():
        seconds(body)  # reads the files once
    runs = [{name: seconds(body) for name, body in bodies.items()} for _ in range(repeat)]
    return {name: np.array([run[name] for run in runs]) for name in bodies}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    words = parser(__doc__)
    words.add_argument("--repeat", type=int, default=7)
    given = words.parse_args(arguments)
    bodies = {"import numpy": "import numpy", "import supple": "import supple"}
    for name in ("auto", *(solver.name for solver in ALL)):
        lengths = [1.0, 1.0] if name == "TwoBone" else [1.0, 1.0, 1.0]
        bodies[f"first solve, {name}"] = FIRST.format(lengths=lengths, solver=name)
    bodies["supple reach"] = COMMAND
    taken = in_turns(bodies, given.repeat)
    bare = taken["import numpy"].min()
    table = table_with(
        f"Start-up in new processes, least of {given.repeat}",
        ("what", "seconds", "times import numpy", "at most"),
    )
    for name, runs in taken.items():
        limit = f"{MOST_IMPORT}" if name == "import supple" else ""
        table.add_row(name, f"{runs.min():.3f}", f"{runs.min() / bare:.2f}", limit)
    show(table)
    return int(taken["import supple"].min() > MOST_IMPORT * bare)


if __name__ == "__main__":
    sys.exit(main())
