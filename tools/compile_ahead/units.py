"""The units that kernels are compiled in, and what each is compiled from."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_IMPORT = re.compile(
    r"^\s*(?:from|import) +supple\.(?P<module>[\w.]+)(?: +import +(?P<names>\([^)]*\)|[^\n]*))?",
    re.MULTILINE,
)
# How kernels are found and loaded at run time, which does not change what is compiled.
_NOT_COMPILED = ("kernels/library.py", "kernels/jit.py", "kernels/user_cache.py")
_ENTRY = re.compile(r"^@entry\(", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """Modules whose entries are compiled together.

    Attributes:
        name: Such as "solvers.ccd".
        modules: Such as "supple.solvers.ccd".
        stamp: Hash of every source that can change its code.
        weight: Bytes of these sources, as a guess of the work.
    """

    name: str
    modules: tuple[str, ...]
    stamp: str
    weight: int


def find_units(package: Path, salt: str) -> list[Unit]:
    """Every unit of a checkout, the largest first.

    Args:
        package: The folder ``src/supple``.
        salt: What else changes the code: versions of the compiler, these tools.
    """
    with_entries = {
        path
        for folder in ("kernels", "solvers")
        for path in (package / folder).rglob("*.py")
        if _ENTRY.search(path.read_text())
    }
    groups: dict[str, list[Path]] = {}
    for path in sorted(with_entries):
        inside = path.relative_to(package)
        name = "kernels" if inside.parts[0] == "kernels" else ".".join(inside.with_suffix("").parts)
        groups.setdefault(name, []).append(path)
    units = [_unit(name, paths, package, salt) for name, paths in groups.items()]
    return sorted(units, key=lambda unit: -unit.weight)


def _unit(name: str, paths: list[Path], package: Path, salt: str) -> Unit:
    sources = sorted(set(paths).union(*(_imported(path, package) for path in paths)))
    digest = hashlib.sha256(salt.encode())
    for source in sources:
        content = source.read_bytes()
        digest.update(f"{source.relative_to(package)} {len(content)}\n".encode() + content)
    modules = tuple(
        "supple." + ".".join(path.relative_to(package).with_suffix("").parts) for path in paths
    )
    weight = sum(source.stat().st_size for source in sources)
    return Unit(name, modules, digest.hexdigest()[:24], weight)


def _imported(path: Path, package: Path) -> set[Path]:
    """The sources of kernels and solvers that a source imports, directly or through others."""
    found: set[Path] = set()
    front = [path]
    while front:
        new = _imports(front.pop(), package) - found
        found |= new
        front.extend(new)
    return found


def _imports(path: Path, package: Path) -> set[Path]:
    found: set[Path] = set()
    for match in _IMPORT.finditer(path.read_text()):
        module = package / match["module"].replace(".", "/")
        names = re.findall(r"\w+", match["names"] or "")
        candidates = [module.with_suffix(".py"), *(module / f"{name}.py" for name in names)]
        found |= {
            one
            for one in candidates
            if one.is_file()
            and one.relative_to(package).parts[0] in ("kernels", "solvers")
            and one.relative_to(package).as_posix() not in _NOT_COMPILED
        }
    return found
