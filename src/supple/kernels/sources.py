"""The sources of kernels, and those that a kernel is compiled from.

It uses only the standard library: the build loads this file without importing supple.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = ("kernels", "solvers")
_IMPORT = re.compile(
    r"^\s*(?:from|import) +supple\.(?P<module>[\w.]+)(?: +import +(?P<names>\([^)]*\)|[^\n]*))?",
    re.MULTILINE,
)


def all_sources(package: Path = PACKAGE) -> list[Path]:
    """Every source that can change a kernel."""
    return [path for folder in FOLDERS for path in sorted((package / folder).rglob("*.py"))]


def fingerprint(package: Path = PACKAGE) -> str:
    """A hash of all sources; empty if there are none."""
    sources = all_sources(package)
    return digest(sources, package) if sources else ""


def digest(sources: list[Path], package: Path = PACKAGE) -> str:
    """A hash of the names and contents of sources."""
    made = hashlib.sha256()
    for path in sources:
        content = path.read_bytes()
        name = path.relative_to(package).as_posix() if package in path.parents else path.name
        made.update(f"{name} {len(content)}\n".encode() + content)
    return made.hexdigest()


def imported(path: Path, package: Path = PACKAGE) -> set[Path]:
    """The sources of kernels that a source file imports, directly or through others."""
    found: set[Path] = set()
    front = [path]
    while front:
        new = imports(front.pop(), package) - found
        found |= new
        front.extend(new)
    return found


@functools.cache
def imports(path: Path, package: Path = PACKAGE) -> frozenset[Path]:
    """The sources of kernels that a source file itself imports: ``from supple.kernels import tree``."""
    found = set()
    for match in _IMPORT.finditer(path.read_text()):
        module = package / match["module"].replace(".", "/")
        names = re.findall(r"\w+", match["names"] or "")
        found |= {module.with_suffix(".py"), *(module / f"{name}.py" for name in names)}
    return frozenset(
        one
        for one in found
        if one.is_file() and any(package / folder in one.parents for folder in FOLDERS)
    )
