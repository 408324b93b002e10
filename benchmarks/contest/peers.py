"""The other solvers: their names, how they are installed and how they are started.

Each lives in an environment of its own under the user's cache folder, so that none of their
dependencies meets supple's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from supple.errors import SuppleError, one_of
from supple.kernels import user_cache

ADAPTERS = Path(__file__).parent / "adapters"
DRIVE = "drive.mjs"  # what all adapters in JavaScript import
MARK = "installed.json"  # the last thing that is written: without it a folder is half done
STEP_TIMEOUT = 1200  # seconds for one step of setting up
QUIET = {"npm_config_update_notifier": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@dataclass(frozen=True)
class Peer:
    """Another solver.

    Attributes:
        name: What it is called.
        packages: What pip or npm installs; the first is the solver itself.
        adapter: The script in `adapters/` that drives it.
        kinds: Kinds of problem that it is asked.
    """

    name: str
    packages: tuple[str, ...]
    adapter: str
    kinds: tuple[str, ...] = ("chain", "pose", "path")

    @property
    def node(self) -> bool:
        """Whether it is JavaScript."""
        return self.adapter.endswith(".mjs")

    @property
    def folder(self) -> Path:
        """Where it is set up."""
        return home() / self.name

    @property
    def version(self) -> str | None:
        """What is installed; None if nothing is."""
        try:
            return json.loads((self.folder / MARK).read_text(encoding="utf-8"))["version"]
        except (OSError, ValueError, KeyError):
            return None

    def command(self) -> list[str]:
        """How its adapter is started."""
        if self.node:
            # Node finds packages from where a script lies.
            for script in (self.adapter, DRIVE):
                shutil.copyfile(ADAPTERS / script, self.folder / script)
            return [_program("node"), str(self.folder / self.adapter)]
        return [str(_python(self.folder)), "-B", str(ADAPTERS / self.adapter)]

    def install(self) -> str:
        """Install it, or install it again; returns the version.

        Raises:
            SuppleError: It cannot be installed here; the message says what said so.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise SuppleError(f"{self.name}: cannot make its folder: {error}") from None
        if self.node:
            place = ["--prefix", str(self.folder)]
            self._do(
                [_program("npm"), "install", "--no-audit", "--no-fund", *place, *self.packages]
            )
            package = self.folder / "node_modules" / self.packages[0] / "package.json"
            version = json.loads(package.read_text(encoding="utf-8"))["version"]
        else:
            self._do([sys.executable, "-m", "venv", str(self.folder)])
            python = str(_python(self.folder))
            self._do([python, "-m", "pip", "install", "--quiet", *self.packages])
            ask = f"import importlib.metadata as m; print(m.version({self.packages[0]!r}))"
            version = self._do([python, "-c", ask]).strip()
        (self.folder / MARK).write_text(json.dumps({"version": version}), encoding="utf-8")
        return version

    def _do(self, command: Sequence[str]) -> str:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=STEP_TIMEOUT, env=environment()
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SuppleError(f"{self.name}: {error}") from None
        if done.returncode:
            raise SuppleError(f"{self.name}: {_last_words(done.stderr or done.stdout)}")
        return done.stdout


PEERS = {
    peer.name: peer
    for peer in (
        Peer("babylon", ("@babylonjs/core",), "babylon.mjs", ("pole",)),
        Peer("fullik", ("@aminere/fullik",), "fullik.mjs", ("chain",)),
        Peer("three-ik", ("three-ik", "three@0.100"), "three_ik.mjs", ("chain",)),
        Peer("klampt", ("klampt", "numpy"), "klampt_ik.py"),
        Peer("mujoco", ("mujoco", "numpy"), "mujoco_ik.py"),
        Peer("optik", ("optik-py", "numpy"), "optik_ik.py"),
        Peer("roboticstoolbox", ("roboticstoolbox-python",), "rtb_ik.py"),
        Peer("pytracik", ("pytracik", "numpy"), "tracik_ik.py", ("pose", "path")),
        Peer("ssik", ("ssik", "ssik[urdf]"), "ssik_ik.py", ("pose", "path")),
        Peer("ur-analytic-ik", ("ur-analytic-ik", "numpy"), "ur_ik.py", ("pose",)),
        Peer("mink", ("mink", "daqp", "qpsolvers[daqp]", "mujoco"), "mink_ik.py", ("body",)),
        Peer("pink", ("pin-pink", "daqp", "qpsolvers[daqp]"), "pink_ik.py", ("body",)),
    )
}


def home() -> Path:
    """The folder that holds all of them.

    Raises:
        SuppleError: This user has no cache folder.
    """
    try:
        folder = user_cache.home()
        user_cache.make_private(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        raise SuppleError(
            f"peers: there is no cache folder ({error}); set SUPPLE_CACHE_DIR to one of yours"
        ) from None
    return folder / "peers"


def chosen(names: Sequence[str]) -> list[Peer]:
    """Peers by name; all of them without names.

    Raises:
        SuppleError: There is no such peer.
    """
    return [PEERS[one_of("peer", name, tuple(PEERS))] for name in names or PEERS]


def install(
    peers: Sequence[Peer], *, progress: Callable[[Peer], None] = lambda peer: None
) -> dict[str, str | SuppleError]:
    """Set peers up one after the other; what cannot be installed is left out.

    Args:
        peers: Which.
        progress: Called with each before it is begun.

    Returns:
        For each name the version, or why there is none.
    """
    found: dict[str, str | SuppleError] = {}
    for peer in peers:
        progress(peer)
        try:
            found[peer.name] = peer.install()
        except SuppleError as error:
            shutil.rmtree(peer.folder, ignore_errors=True)
            found[peer.name] = error
    return found


def environment() -> dict[str, str]:
    """A process's environment in which none of this process's Python packages are found."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {**{key: value for key, value in os.environ.items() if key not in hidden}, **QUIET}


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SuppleError(f"{name} is not installed: JavaScript solvers need Node.js")
    return found


def _last_words(text: str) -> str:
    """The last line that names an error, or the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    return next((line for line in reversed(lines) if "error" in line.lower()), lines[-1])
