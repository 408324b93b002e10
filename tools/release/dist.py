"""``make dist``: wheels for every platform, and the source, from one machine.

Kernels are lowered once, then compiled and linked for each platform; the page and the WASM module are
the same in all. Which of them have been run is said in docs/install.md.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from compile_ahead.targets import TARGETS
from release.artefacts import DefectError, check
from release.environments import Environment, without_our_variables

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
ASK = "from hatchling.build import get_requires_for_build_wheel as ask; print(*ask(), sep='\\n')"
WHEEL = "from hatchling.build import build_wheel; build_wheel('dist')"
SOURCE = "from hatchling.build import build_sdist; build_sdist('dist')"


def main() -> int:
    """Build everything into ``dist`` and check it."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    try:
        builder = _builder()
        for target in TARGETS.values():
            if target.tag:
                _say(target.name)
                _run(builder, WHEEL, SUPPLE_TARGET=target.name)
        _say("source")
        _run(builder, SOURCE)
        for path in check(DIST):
            _say(f"{path.name} is whole ({path.stat().st_size / 1e6:.1f} MB)")
    except (DefectError, subprocess.CalledProcessError) as error:
        print(f"dist: {error}\n{getattr(error, 'stderr', None) or ''}", file=sys.stderr)
        return 1
    return 0


def _builder() -> Environment:
    """An environment with what pip would install to build a wheel."""
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    builder = Environment.make(ROOT / "build" / "dist-environment")
    builder.install(*required)
    builder.install(*builder.run("-c", ASK, cwd=ROOT, capture=True).split())
    return builder


def _run(builder: Environment, code: str, **variables: str) -> None:
    builder.run("-c", code, cwd=ROOT, variables={**without_our_variables(), **variables})


def _say(line: str) -> None:
    print(f"dist: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
