"""``make release``: build, check, install and use every artefact; list what to publish.

``python -m release [--work FOLDER]``, after ``python -m release.dist``.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from compile_ahead.targets import of_this_machine
from release.artefacts import DefectError, check
from release.environments import Environment, interpreters, oldest
from release.smoke import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
SMOKE = Path(__file__).with_name("smoke.py")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
BASE = "3.11"  # the Python on which each extra is tried alone


def main() -> int:
    """Enter by every door of the wheels and the source in ``dist``."""
    parser = argparse.ArgumentParser(prog="release", description=main.__doc__)
    parser.add_argument(
        "--work", type=Path, help="a folder for environments; a temporary one by default"
    )
    given = parser.parse_args()
    try:
        listed = check(DIST)
        with tempfile.TemporaryDirectory(prefix="supple-release-") as temporary:
            _enter(listed, given.work or Path(temporary))
    except (DefectError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print("release: every door opens. To publish:")
    for path in listed:
        print(f"  {hashlib.sha256(path.read_bytes()).hexdigest()}  dist/{path.name}")
    return 0


def _enter(listed: list[Path], work: Path) -> None:
    here = of_this_machine()
    if here is None:
        raise DefectError("there is no wheel for this machine")
    wheel = next(path for path in listed if here.tag in path.name)
    source = next(path for path in listed if path.name.endswith(".tar.gz"))
    pythons = interpreters(PYTHONS)
    _say(f"Pythons at hand: {', '.join(pythons)}")
    limits = work / "oldest.txt"
    limits.write_text("\n".join(oldest(_requirements())) + "\n")
    _say(f"oldest: {', '.join(limits.read_text().split(chr(10))).strip(', ')}")
    for version, interpreter in pythons.items():
        for name, constraints in (("oldest", limits), ("newest", None)):
            _try(f"{version}, {name}", work, wheel, list(EXTRAS), interpreter, constraints)
    _try(f"{BASE}, no extras", work, wheel, [], pythons.get(BASE), None)
    for extra in EXTRAS:
        _try(f"{BASE}, {extra} alone", work, wheel, [extra], pythons.get(BASE), None)
    _try(f"{BASE}, from the source", work, source, [], pythons.get(BASE), None)


def _try(
    title: str,
    work: Path,
    artefact: Path,
    extras: list[str],
    interpreter: str | None,
    constraints: Path | None,
) -> None:
    """Install an artefact with extras into an empty environment and use it."""
    began = time.monotonic()
    _say(title)
    environment = Environment.make(work / "environment", interpreter=interpreter)
    listed = f"[{','.join(extras)}]" if extras else ""
    environment.install(f"{artefact}{listed}", constraints=constraints)
    installed = time.monotonic() - began
    with tempfile.TemporaryDirectory(dir=work) as folder:
        environment.run(str(SMOKE), str(ROOT / "README.md"), *extras, cwd=Path(folder))
    _say(f"{title}: holds; installed in {installed:.0f} s, {time.monotonic() - began:.0f} s in all")


def _requirements() -> list[str]:
    """Every requirement that a user may have: of supple and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]


def _say(line: str) -> None:
    print(f"release: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
