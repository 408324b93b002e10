"""A busy machine: other processes that compute and write while something is measured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# Each ends when its standard input does, and so also when this process is killed.
_WATCH = """
import os, sys, threading
def watch():
    sys.stdin.buffer.read()
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
"""
_COMPUTE = _WATCH + "while True:\n    sum(k * k for k in range(10_000))\n"
_WRITE = (
    _WATCH
    + """
block = os.urandom(1 << 20)
with open(sys.argv[1], "wb", buffering=0) as file:
    while True:
        file.seek(0)
        for _ in range(16):
            file.write(block)
        os.fsync(file.fileno())
"""
)


@contextmanager
def busy(*, computing: int | None = None, writing: int = 1) -> Iterator[list[int]]:
    """Keep the machine busy; gives the numbers of the processes, which end with the block.

    Args:
        computing: How many processes compute; one for each core by default.
        writing: How many write 16 MiB to disk again and again.
    """
    computing = os.cpu_count() or 1 if computing is None else computing
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="supple-load-") as folder:
        try:
            for _ in range(computing):
                started.append(_start(_COMPUTE))
            for k in range(writing):
                started.append(_start(_WRITE, os.path.join(folder, f"{k}.bin")))
            yield [process.pid for process in started]
        finally:
            for process in started:
                process.kill()
            for process in started:
                process.communicate()


def _start(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-S", "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
