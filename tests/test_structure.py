"""What the layout of the source promises to those who change it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import supple
from supple.kernels import layout

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


# Columns of a joint's packed row, and the bits of its kind (kernels/layout.py).
JOINT_COLUMNS = set(
    re.findall(
        r"\w+",
        """PARENT KIND Q NQ ORDER FROZEN STRETCH_Q DOF NDOF MIMIC STRETCH_DOF JOINT_INTS
        REST AXIS LIMITS DAMPING WEIGHT STRETCH_LO STRETCH_HI MIMIC_MUL MIMIC_ADD OFFSET WINDOW TILTS JOINT_FLOATS
        SLIDE ANGLE QUATERNION SWING_TWIST LETTERS QUADRANTS SLIDES FIXED HINGE SLIDER BALL CONE CONE_BY_QUADRANTS""",
    )
)
# Who may read them: kernels and the model, solvers, which are kernels too, and those who hand a skeleton to kernels.
MAY_READ_PACKED_JOINTS = (
    "kernels/",
    "model/",
    "solvers/",
    "problem/lowering.py",  # packs a problem
    "solve/lowered.py",  # writes a problem and its skeleton for kernels in the page
)
# To be moved to `Skeleton.freedom_table`.
STILL_READ_PACKED_JOINTS = (
    "motion/retargeting/",
    "problem/free_set.py",
    "batch/steps.py",
)


def _reads_packed_joints(path: Path) -> bool:
    """True if a file reads a skeleton's packed arrays, or columns of a joint's packed row."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "supple.kernels"
        for alias in node.names
        if alias.name == "layout"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "supple.kernels.layout":
            return True
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in ("packed_ints", "packed_floats"):
            return True
        owner = node.value
        name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
        if node.attr == "packed" and name in ("skeleton", "_skeleton"):
            return True
        if isinstance(owner, ast.Name) and owner.id in aliases and node.attr in JOINT_COLUMNS:
            return True
    return False


def test_only_kernels_and_the_model_read_packed_joints():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if _reads_packed_joints(path)
    }
    allowed = MAY_READ_PACKED_JOINTS + STILL_READ_PACKED_JOINTS
    assert {name for name in found if not name.startswith(allowed)} == set()
    assert all(hasattr(layout, name) for name in JOINT_COLUMNS)
    assert {"kernels/joint.py", "model/freedoms.py", "problem/lowering.py"} <= found


def test_one_file_of_the_page_reads_packed_joints():
    columns = re.compile(r"\b(KIND|JOINT_INTS|JOINT_FLOATS|STRETCH_Q|MIMIC|LIMITS|TILTS)\b")
    found = {
        path.relative_to(PAGE).as_posix()
        for path in PAGE.rglob("*.ts")
        if columns.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"kernels/constants.ts", "kernels/freedoms.ts"}
