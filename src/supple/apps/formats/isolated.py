"""Run a worker script in a separate process, for libraries that may crash or are not trusted."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supple.apps.formats.source import Source, raise_limit
from supple.errors import SuppleError

START = Path(__file__).with_name("isolated_start.py")
TIMEOUT_SECONDS = 300  # longest wait for a worker; its computing time has a limit of its own [s]


def run(
    source: Source,
    worker: Path,
    job: dict[str, Any],
    *,
    who: str,
    files: Mapping[str, bytes] | None = None,
) -> bytes:
    """Run a worker and return its answer. The process may have been taken over: never unpickle the bytes.

    It is started in an empty folder by `isolated_start`, which gets the job as JSON on its standard input.

    Args:
        source: The file that it works on, for messages and the memory limit.
        worker: The script; its `main` takes the job and gives bytes.
        job: What it gets, besides "memory", a limit [B].
        who: The library that it runs, for messages, such as "MuJoCo".
        files: What it gets as "files".

    Raises:
        SuppleError: It cannot be started, crashes, or does not end.
    """
    path = [one or "." for one in sys.path]
    memory = source.memory_limit
    files = files or {}
    sizes = {name: len(data) for name, data in files.items()}
    head = json.dumps({**job, "files": sizes, "path": path, "memory": memory}).encode()
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(START), str(worker)],
                input=b"".join((head, b"\n", *files.values())),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            source.error(None, f"{who} did not finish within {TIMEOUT_SECONDS} s")
        except OSError as error:
            raise SuppleError(
                f"{source.path}: cannot start {sys.executable or 'Python'} to run {who}: {error}"
            ) from error
    if done.returncode != 0 or not done.stdout:
        source.error(
            None,
            f"{who} crashed, or ran out of memory ({memory >> 20} MB) or time "
            f"(exit code {done.returncode}); {raise_limit(memory)}",
        )
    return done.stdout
