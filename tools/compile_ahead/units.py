"""The units that kernels are compiled in, and what each is compiled from."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# How kernels are found and loaded at run time, which does not change what is compiled.
_NOT_COMPILED = (
    "kernels/library.py",
    "kernels/jit.py",
    "kernels/sources.py",
    "kernels/user_cache.py",
)
_ENTRY = re.compile(r"^@entry\(", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """Modules whose entries are compiled together.

    Attributes:
        name: Such as "solvers.ccd".
        modules: Such as "supple.solvers.ccd".
        stamp: Hash of every source that can change its code.
        sizes: These sources, each with its bytes.
    """

    name: str
    modules: tuple[str, ...]
    stamp: str
    sizes: dict[Path, int]

    @property
    def weight(self) -> int:
        """Bytes of its sources, as a guess of the work."""
        return sum(self.sizes.values())


def shares(units: list[Unit], count: int) -> list[list[Unit]]:
    """Units for `count` processes to lower, each with about the same work.

    What several units of a share call is lowered once, so that a share costs what its units are compiled
    from together.
    """
    made: list[tuple[list[Unit], dict[Path, int]]] = [([], {}) for _ in range(count)]
    for unit in sorted(units, key=lambda unit: -unit.weight):
        listed, sources = min(made, key=lambda share: sum({**share[1], **unit.sizes}.values()))
        listed.append(unit)
        sources.update(unit.sizes)
    return [listed for listed, _ in made if listed]


@functools.cache
def load_sources(package: Path) -> Any:
    """The module `supple.kernels.sources`, without importing supple."""
    spec = importlib.util.spec_from_file_location("sources", package / "kernels" / "sources.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    sources = load_sources(package)
    # `jit` is imported only where kernels are compiled just in time, and holds the options of both.
    wanted = {package / "kernels" / "jit.py", *paths}.union(
        *(sources.imported(path, package) for path in paths)
    )
    listed = sorted(
        one for one in wanted if one.relative_to(package).as_posix() not in _NOT_COMPILED
    )
    stamp = hashlib.sha256((salt + sources.digest(listed, package)).encode()).hexdigest()
    modules = tuple(
        "supple." + ".".join(path.relative_to(package).with_suffix("").parts) for path in paths
    )
    return Unit(name, modules, stamp[:24], {one: one.stat().st_size for one in listed})
