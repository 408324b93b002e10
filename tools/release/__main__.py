"""``make release``: build, check, install and use every artefact; list what to publish.

``python -m release [--work FOLDER]``, after ``python -m release.dist``.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from compile_ahead.targets import of_this_machine
from release.artefacts import DefectError, check
from release.environments import Environment, interpreters, oldest
from release.smoke import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
SMOKE = Path(__file__).with_name("smoke.py")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
BASE = "3.11"  # the Python on which each extra is tried alone
AT_ONCE = 2  # environments; each uses a core and waits for the network now and then


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
    own = pythons.get(BASE)
    every = list(EXTRAS)
    tries = [
        _Try("from the source", source, [], own, None),
        *(
            _Try(f"{version}, oldest", wheel, every, one, limits)
            for version, one in pythons.items()
        ),
        *(_Try(f"{version}, newest", wheel, every, one, None) for version, one in pythons.items()),
        _Try("no extras", wheel, [], own, None),
        *(_Try(f"{extra} alone", wheel, [extra], own, None) for extra in EXTRAS),
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(one.run, work / f"environment-{k}") for k, one in enumerate(tries)]
        try:
            for done in as_completed(waiting):
                _say(done.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class _Try(NamedTuple):
    """An artefact to install with extras into an empty environment and to use."""

    title: str
    artefact: Path
    extras: list[str]
    interpreter: str | None
    constraints: Path | None

    def run(self, folder: Path) -> str:
        """Do it in a folder, which is removed again; a line that says how long it took."""
        began = time.monotonic()
        try:
            environment = Environment.make(folder, interpreter=self.interpreter)
            listed = f"[{','.join(self.extras)}]" if self.extras else ""
            environment.install(f"{self.artefact}{listed}", constraints=self.constraints)
            installed = time.monotonic() - began
            empty = folder / "empty"
            empty.mkdir()
            readme = str(ROOT / "README.md")
            environment.run(str(SMOKE), readme, *self.extras, cwd=empty, capture=True)
        except subprocess.CalledProcessError as error:
            told = (error.stdout or "") + (error.stderr or "")
            raise DefectError(f"{self.title} does not hold:\n{told[-8000:]}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        took = time.monotonic() - began
        return f"{self.title}: holds; installed in {installed:.0f} s, {took:.0f} s in all"


def _requirements() -> list[str]:
    """Every requirement that a user may have: of supple and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]


def _say(line: str) -> None:
    print(f"release: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
