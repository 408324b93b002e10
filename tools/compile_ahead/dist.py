"""``make dist``: wheels for every platform, and the source, from one machine.

Kernels are compiled once and linked for each platform; the page and the WASM module are the same in
all. Which of them have been run is said in docs/install.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from compile_ahead.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build everything into ``dist``."""
    for target in TARGETS.values():
        if target.tag:
            print(f"dist: {target.name}", file=sys.stderr, flush=True)
            _pip("wheel", "--no-deps", "--wheel-dir", "dist", ".", SUPPLE_TARGET=target.name)
    print("dist: source", file=sys.stderr, flush=True)
    code = "from hatchling.build import build_sdist; build_sdist('dist')"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode


def _pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True)


if __name__ == "__main__":
    sys.exit(main())
