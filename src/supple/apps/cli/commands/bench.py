"""`supple bench`: compare supple with other solvers on the same targets, with one verifier.

The benchmark is `benchmarks/contest` of the source checkout and no part of the package: the command is found where
supple is installed from a checkout (`pip install -e .`).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import supple
from supple.errors import SuppleError

CHECKOUT = Path(supple.__file__).resolve().parents[2]
REPOSITORY = "https://github.com/supple-ik/supple"
ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_extra_args": True}


def has_contest(checkout: Path) -> bool:
    """True if a folder is a checkout of supple that holds the benchmark."""
    return all(
        (checkout / name).is_file() for name in ("pyproject.toml", "benchmarks/contest/command.py")
    )


def command_of(checkout: Path) -> Callable[..., Any]:
    """The command of a checkout; one that says how to get it where the folder is none."""
    if not has_contest(checkout):
        return _not_here
    if "contest" not in sys.modules:
        folder = checkout / "benchmarks" / "contest"
        spec = importlib.util.spec_from_file_location(
            "contest", folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None and spec.loader is not None
        sys.modules["contest"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["contest"])
    return importlib.import_module("contest.command").bench


def _not_here() -> None:
    """Measure supple beside other solvers. This command is part of the source checkout."""
    raise SuppleError(
        "bench: the benchmark is part of the source checkout, not of the installed package; "
        f"`git clone {REPOSITORY}`, then `make bench` there"
    )


bench = command_of(CHECKOUT)
CONTEXT = ANY_ARGUMENTS if bench is _not_here else {}  # how its arguments are read
