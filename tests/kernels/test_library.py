"""The library of compiled kernels: what is loaded, and what is refused and why."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from supple.errors import SuppleError
from supple.kernels import decorators, library

pytestmark = pytest.mark.skipif(
    library.functions() is None, reason="there is no library for this machine, or it is stale"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the library that may be damaged."""
    for path in library.FOLDER.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    library._load.cache_clear()
    yield tmp_path
    library._load.cache_clear()


def edit(folder, **changes):
    path = folder / library.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def kernels_file(folder):
    return folder / json.loads((folder / library.MANIFEST).read_text())["library"]


def test_a_whole_copy_is_used(folder):
    assert library.functions()
    assert library.trouble() == ""


def test_no_library(folder):
    (folder / library.MANIFEST).unlink()
    assert library.functions() is None
    assert library.trouble() == "its library of compiled kernels is missing"
    assert not library.is_stale()


def test_a_library_of_other_sources_is_stale(folder):
    edit(folder, sources="other")
    assert library.functions() is None
    assert library.is_stale()
    assert "edited since" in library.trouble()


def test_a_library_of_another_version(folder):
    edit(folder, format=99)
    assert library.functions() is None
    assert "has format 99, not 1" in library.trouble()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b"\xff"])
def test_a_damaged_manifest(folder, content):
    (folder / library.MANIFEST).write_bytes(content)
    assert library.functions() is None
    assert "no manifest" in library.trouble()


def test_a_truncated_library(folder):
    path = kernels_file(folder)
    path.write_bytes(path.read_bytes()[:5000])
    assert library.functions() is None
    assert "is not what was built" in library.trouble()


def test_a_library_that_cannot_be_read(folder):
    path = kernels_file(folder)
    path.unlink()
    assert library.functions() is None
    assert "cannot be read" in library.trouble()
    path.mkdir()
    library._load.cache_clear()
    assert library.functions() is None
    assert "cannot be read" in library.trouble()


def test_a_library_for_another_cpu(folder):
    import hashlib

    path = kernels_file(folder)
    content = bytearray(path.read_bytes())
    content[18:20] = b"\xf3\x00"  # the machine in an ELF header: RISC-V
    path.write_bytes(content)
    edit(folder, sha256=hashlib.sha256(content).hexdigest(), target="linux-riscv64")
    assert library.functions() is None
    assert "built for linux-riscv64, cannot be loaded" in library.trouble()


def test_the_manifest_cannot_name_a_file_elsewhere(folder):
    edit(folder, library="../../elsewhere/libkernels.so")
    path = folder / "libkernels.so"
    assert library.functions() if path.exists() else library.functions() is None


def test_without_library_and_numba_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setattr(decorators, "MODE", decorators.NONE)

    @decorators.kernel
    def probe(x):
        return x

    del probe
    monkeypatch.setattr(decorators, "KERNELS", [])
    made = decorators._missing(test_no_library)
    with pytest.raises(SuppleError, match=r"pip install 'supple\[jit\]'"):
        made(1)


def test_a_read_only_package_serves(folder):
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    try:
        assert library.functions()
    finally:
        folder.chmod(0o755)


def test_ctypes_does_what_the_border_does(monkeypatch):
    """On a free-threaded Python, and wherever the border is missing."""
    whole = library.functions()
    monkeypatch.setattr(library.importlib, "import_module", _refuse)
    plain = library._functions(library._open(library._manifest()))
    assert plain.keys() == whole.keys()
    frame = np.eye(4)
    frame[:3, 3] = 1.0, 2.0, 3.0
    rows = [np.zeros((1, 7)), np.zeros((1, 7))]
    results = [
        one["kernels.quaternion.read_frame"](frame, row, 0, 3)
        for one, row in zip((whole, plain), rows, strict=True)
    ]
    assert results == [True, True]
    assert rows[0].tobytes() == rows[1].tobytes()
    assert plain["kernels.quaternion.read_frame"](2 * frame, rows[1], 0, 3) is False
    values, digits = np.array([[1.5, -2.25]]), np.array([3, 3])
    texts = [np.zeros(100, np.uint8), np.zeros(100, np.uint8)]
    sizes = [
        one["kernels.numbers.write_numbers"](values, digits, 32, text)
        for one, text in zip((whole, plain), texts, strict=True)
    ]
    assert sizes[0] == sizes[1]
    assert texts[0].tobytes() == texts[1].tobytes()
    assert plain["kernels.quaternion.read_frame"].__module__ == "supple.kernels.quaternion"


def _refuse(name):
    raise ImportError(name)


@pytest.mark.parametrize("by_ctypes", [False, True])
def test_arguments_of_the_wrong_kind_never_reach_a_kernel(monkeypatch, by_ctypes):
    if by_ctypes:
        monkeypatch.setattr(library.importlib, "import_module", _refuse)
        functions = library._functions(library._open(library._manifest()))
    else:
        functions = library.functions()
    split = functions["kernels.quaternion.split_frames"]
    out = np.zeros((2, 7))
    good = np.zeros((2, 4, 4))
    for bad in (
        good.astype(np.float32),
        good[0],
        np.asfortranarray(np.ones((2, 4, 4))),
        good[:, ::2],
        good.astype(np.int64),
    ):
        with pytest.raises((TypeError, ValueError, BufferError)):
            split(bad, out)
    with pytest.raises(TypeError):
        split(good)
    with pytest.raises(TypeError):
        split(good, out, out)


LOADED = """
import json, sys
import supple
reached = bool(supple.solve(supple.chain([1.0, 1.0, 1.0]), {"tip": (1.0, 1.0, 0.5)}))
print(json.dumps([reached, sorted({"numba", "llvmlite", "scipy"} & set(sys.modules))]))
"""


def as_a_user() -> dict[str, str]:
    """The environment without what makes this run compile just in time."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "SUPPLE"))}


def test_a_solve_loads_no_compiler():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=as_a_user()
    )
    assert json.loads(done.stdout) == [True, []]


OWN = """
import numpy as np
import supple
from supple.kernels import decorators
from supple.kernels.decorators import kernel
from supple.kernels.quaternion import mul
from supple.kernels.workspace import part
from supple.solvers import optimize, own

@kernel
def double_turn(q, out):
    turn = mul((q[0], q[1], q[2], q[3]), (q[0], q[1], q[2], q[3]))
    first = part(out, 0, 4)
    for i in range(4):
        first[i] = turn[i]

out = np.zeros(4)
double_turn(np.array([0.8, 0.6, 0.0, 0.0]), out)
assert np.allclose(out, [0.28, 0.96, 0.0, 0.0]), out
assert double_turn.signatures  # compiled, not plain Python
assert decorators.MODE == "library"
assert supple.solve(supple.chain([1.0, 1.0]), {"tip": (1.0, 1.0, 0.0)}, solver="ccd")
assert not hasattr(supple.CCD.kernel, "signatures")  # supple's own still come from the library
entries = [value for module in (optimize, own) for name, value in vars(module).items()
           if f"{module.__name__.removeprefix('supple.')}.{name}" in decorators.ENTRIES]
assert entries and not any(hasattr(value, "signatures") for value in entries)
"""


def test_a_kernel_of_one_s_own_is_compiled_beside_the_library(tmp_path):
    pytest.importorskip("numba")
    script = tmp_path / "own.py"
    script.write_text(OWN)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=as_a_user()
    )
    assert done.returncode == 0, done.stderr
