"""What the layout of the source promises to those who change it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import supple

SOURCE = Path(supple.__file__).parent
PAGE = SOURCE.parents[1] / "web" / "src"

# Counts the files under src/supple whose functions run while a problem is solved, new and once more.
TRACER = """
import sys
import supple

import supple.solvers.ccd  # what importing runs is no part of a solve

arm = supple.chain([1.0] * 5)


def files(call):
    seen = set()

    def profile(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and "supple" in code.co_filename:
            seen.add(code.co_filename)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(seen)


def call():
    assert supple.solve(arm, {"tip": (1.0, 2.0, 0.5)}, solver="ccd").reached


print(files(call), files(call))
"""


def test_a_solve_runs_through_few_files():
    environment = {**os.environ, "SUPPLE_DISABLE_JIT": "1", "PYTHONPATH": str(SOURCE.parent)}
    ran = subprocess.run(
        [sys.executable, "-c", TRACER], env=environment, capture_output=True, text=True, check=True
    )
    new, again = map(int, ran.stdout.split())
    assert again <= 15
    assert new <= 25  # lowering and choosing a solver too


def _spelled(path: Path, kind: str) -> bool:
    """True if the code of a file, not its prose, has a joint kind's name, in any case."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ts":
        return f'"{kind}"' in text
    if kind.lower() not in text.lower():
        return False
    for node in ast.walk(ast.parse(text)):
        names = (getattr(node, field, None) for field in ("id", "attr", "name", "value", "arg"))
        if any(isinstance(name, str) and name.lower() == kind.lower() for name in names):
            return True
    return False


@pytest.mark.parametrize("kind", ["Planar", "Slider"])
def test_a_joint_kind_is_spelled_out_in_few_files(kind):
    files = [*SOURCE.rglob("*.py"), *PAGE.rglob("*.ts")]
    assert len([path for path in files if _spelled(path, kind)]) <= 8
