"""Run a worker script in a process of its own, for libraries that may crash or do what they should not."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from supple.errors import SuppleError
from supple.formats.source import MEMORY_FACTOR, MEMORY_LEAST, Source

SECONDS = 300  # limit of waiting time [s]


def run(source: Source, worker: Path, job: dict[str, Any], *, who: str) -> bytes:
    """What a worker writes to its standard output.

    It is started in an empty folder, with the job, Python's path and a memory limit [B] pickled on its
    standard input.

    Args:
        source: The file that it works on, for messages and the memory limit.
        worker: The script.
        job: What it gets, besides "path" and "memory".
        who: The library that it runs, for messages, such as "MuJoCo".

    Raises:
        SuppleError: It cannot be started, crashes, or does not end.
    """
    path = [one or "." for one in sys.path]
    memory = max(MEMORY_LEAST, MEMORY_FACTOR * source.size)
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(worker)],
                input=pickle.dumps({**job, "path": path, "memory": memory}),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            source.error(None, f"{who} did not finish within {SECONDS} s")
        except OSError as error:
            raise SuppleError(
                f"{source.path}: cannot start {sys.executable or 'Python'} to run {who}: {error}"
            ) from error
    if done.returncode != 0 or not done.stdout:
        source.error(
            None,
            f"{who} crashed, or ran out of memory ({memory >> 20} MB) or time "
            f"(exit code {done.returncode})",
        )
    return done.stdout
