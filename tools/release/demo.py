"""Enter by ``make demo``: from a clean clone to the page, ``python demo.py CLONE``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PATIENCE = 1200  # s, for a machine that is busy


def main(clone: Path) -> None:
    """Run the command until its address answers with the page, and say how long that took."""
    began = time.monotonic()
    with subprocess.Popen(
        ["make", "demo", "DEMO=--no-browser"],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as made:
        try:
            url = _address(made)
            took = time.monotonic() - began
            page = urllib.request.urlopen(url, timeout=PATIENCE).read()
            if b"supple playground" not in page:
                sys.exit("demo: expected the playground at its address")
            print(f"demo: {took:.0f} s to the address")
        finally:
            os.killpg(made.pid, signal.SIGKILL)  # with what is compiled behind it


def _address(made: subprocess.Popen[str]) -> str:
    assert made.stdout is not None
    for line in made.stdout:
        print(line, end="", flush=True)
        found = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)
        if found:
            return found[0]
    sys.exit("demo: expected an address")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
