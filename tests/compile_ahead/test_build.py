"""Building the library of kernels."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

numba = pytest.importorskip("numba")

ROOT = Path(__file__).resolve().parents[2]
BUILD = """
import sys
from pathlib import Path
from compile_ahead.build import build
from compile_ahead.targets import TARGETS, of_this_machine
root = Path(sys.argv[1])
targets = [of_this_machine()] + ([TARGETS["wasm"]] if "wasm" in sys.argv else [])
draft = "draft" in sys.argv
build(root, targets, out=root / "src/supple/compiled", jobs=1, draft=draft, say=print)
"""
USE = """
import numpy as np
from supple.kernels import decorators, library
from supple.kernels.inner import total
from supple.solvers.outer import grow
assert decorators.MODE == "library", library.trouble()
assert total(np.array([1.0, 2.0, 3.0]), 3) == (12.0, True)
rows = np.ones((2, 2))
grow(rows)
assert rows.tolist() == [[3.0, 3.0], [3.0, 3.0]]
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or importlib.util.find_spec("ziglang") is None,
    reason="the tools of the build are not installed",
)


def run(
    code: str, checkout: Path, *arguments: str, wait: bool = True, python=sys.executable, path=()
):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "SUPPLE"))}
    paths = os.pathsep.join((str(checkout / "src"), str(ROOT / "tools"), *path))
    process = subprocess.Popen(
        [python, "-c", code, str(checkout), *arguments],
        # Zig builds parts of the C library once: those of the checkout's own build serve.
        env={**kept, "PYTHONPATH": paths, "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build/ahead/zig")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return finish(process) if wait else process


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def test_what_is_built_runs_and_only_what_changed_is_built_again(checkout):
    first = run(BUILD, checkout, "wasm")
    assert "compiled kernels" in first and "compiled solvers.outer" in first
    run(USE, checkout)
    compiled = checkout / "src/supple/compiled"
    assert (compiled / "supple.wasm").read_bytes()[:4] == b"\0asm"
    assert run(BUILD, checkout, "wasm") == ""

    outer = checkout / "src/supple/solvers/outer.py"
    outer.write_text(outer.read_text() + "\n# edited\n")
    again = run(BUILD, checkout)
    assert "compiled solvers.outer" in again and "compiled kernels" not in again
    run(USE, checkout)


def test_a_draft_runs_and_gives_way_to_the_whole(checkout):
    assert "optimised kernels" in run(BUILD, checkout, "draft")
    run(USE, checkout)
    assert run(BUILD, checkout, "draft") == ""
    whole = run(BUILD, checkout)
    assert "optimised kernels" in whole and "compiled kernels" not in whole
    run(USE, checkout)
    assert run(BUILD, checkout, "draft") == ""


def test_the_compiler_may_come_by_the_python_path(checkout, tmp_path):
    """As in the isolated environments in which pip builds wheels."""
    venv.create(tmp_path / "empty", with_pip=False)
    site = str(Path(numba.__file__).parents[1])
    run(BUILD, checkout, python=str(tmp_path / "empty" / "bin" / "python"), path=(site,))
    run(USE, checkout)


def test_units_that_share_sources_go_to_one_process(tools):
    from compile_ahead.units import Unit, shares

    def unit(name, **sizes):
        return Unit(name, (), "", {Path(key): size for key, size in sizes.items()})

    large = unit("large", common=10, a=90)
    rest = [unit(name, common=10, b=40, **{name: 10}) for name in ("x", "y", "z")]
    made = shares([*rest, large], 2)
    assert [[one.name for one in share] for share in made] == [["large"], ["x", "y", "z"]]


def test_two_builds_at_once_do_the_work_once(checkout):
    both = [run(BUILD, checkout, wait=False) for _ in range(2)]
    told = [finish(process) for process in both]
    assert sum("compiled kernels" in text for text in told) == 1
    run(USE, checkout)


def test_a_missing_tool_is_named(tools, monkeypatch, checkout):
    from compile_ahead import build

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ziglang" else find(name)
    )
    with pytest.raises(build.BuildError, match=r"needs the package 'ziglang'.*supple\[jit\]"):
        build.build(checkout, [])


def test_a_kernel_that_calls_python_is_refused(checkout):
    outer = checkout / "src/supple/solvers/outer.py"
    outer.write_text(outer.read_text().replace('@entry("f2")', '@entry("f2 -> f")'))
    process = run(BUILD, checkout, wait=False)
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "declared to return f" in err
