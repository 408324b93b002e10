"""`tools/compile_ahead` on a checkout of two small kernels."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "src/supple/kernels"
INNER = """
    from supple.kernels.decorators import entry, kernel

    @kernel
    def double(x):
        return 2.0 * x

    @entry("f1 i -> f b")
    def total(values, count):
        s = 0.0
        for i in range(count):
            s += double(values[i])
        return s, s > 10.0
"""
OUTER = """
    from supple.kernels.decorators import entry
    from supple.kernels.inner import double

    @entry("f2")
    def grow(rows):
        for i in range(rows.shape[0]):
            for j in range(rows.shape[1]):
                rows[i, j] = double(rows[i, j]) + 1.0
"""


@pytest.fixture
def tools(monkeypatch):
    """Make `compile_ahead` importable."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "compile_ahead"]:
        del sys.modules[name]


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout with two small units."""
    package = tmp_path / "src/supple"
    for path, text in (("kernels/inner.py", INNER), ("solvers/outer.py", OUTER)):
        (package / path).parent.mkdir(parents=True)
        (package / path).write_text(textwrap.dedent(text))
        (package / path).with_name("__init__.py").touch()
    for name in ("decorators", "jit", "library", "sources", "user_cache"):
        shutil.copy(KERNELS / f"{name}.py", package / "kernels")
    shutil.copy(KERNELS.parent / "errors.py", package)
    (package / "__init__.py").touch()
    return tmp_path
