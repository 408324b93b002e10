"""What the layout of the source promises to those who change it."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import supple
from supple.goals import GOALS
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
    assert {name for name in found if not name.startswith(MAY_READ_PACKED_JOINTS)} == set()
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


KINDS_OF_GOALS = {kind.__name__ for kind in GOALS} | {"On", "OwnGoal"}


def _goal_names(tree: ast.AST) -> set[str]:
    """What a file calls the goals that it imports."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("supple")
        for alias in node.names
        if alias.name in KINDS_OF_GOALS and "retargeting" not in (node.module or "")
    }


def _asks_for_class(node: ast.AST) -> Sequence[ast.expr]:
    """Where an expression or pattern compares the class of something: what it is compared with."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
        return node.args[1:]
    if isinstance(node, ast.Compare) and any(
        isinstance(one, ast.Call) and getattr(one.func, "id", "") == "type"
        for one in (node.left, *node.comparators)
    ):
        return [node.left, *node.comparators]
    return [node.cls] if isinstance(node, ast.MatchClass) else []


def _class_questions(text: str) -> list[str]:
    """The lines of a file that ask if something is a certain goal."""
    tree = ast.parse(text)
    names = _goal_names(tree)
    found = []
    for node in ast.walk(tree):
        for part in _asks_for_class(node):
            spelled = {getattr(one, "id", "") for one in ast.walk(part)}
            attributes = {getattr(one, "attr", "") for one in ast.walk(part)}
            if spelled & names or attributes & KINDS_OF_GOALS:
                found.append(f"{part.lineno}: {ast.unparse(node)}")
    return found


def test_nothing_but_a_goal_asks_for_the_class_of_a_goal():
    """What is said about a goal is said by the goal: see `supple.goals.goal.Goal`."""
    files = [path for path in SOURCE.rglob("*.py") if path.parent != SOURCE / "goals"]
    asking = {
        str(path.relative_to(SOURCE)): found
        for path in files
        if (found := _class_questions(path.read_text(encoding="utf-8")))
    }
    assert asking == {}


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(goal, Reach)",
        "isinstance(goal, (Reach, int))",
        "any(isinstance(one, Reach | None) for one in goals)",
        "isinstance(goal, goals.Reach)",
        "type(goal) is Reach",
        "match goal:\n    case Reach():\n        pass",
    ],
)
def test_questions_for_the_class_of_a_goal_are_found(line):
    assert len(_class_questions(f"from supple.goals import Reach\n{line}")) == 1


def _is_asked_for(path: Path, kind: str) -> bool:
    """True if a file defines a goal, lists it or asks for it; making one, or a type hint, does not count."""
    text = path.read_text(encoding="utf-8")
    if kind not in text:
        return False
    tree = ast.parse(text)
    if path.parent != SOURCE / "goals" and kind not in _goal_names(tree):
        return False
    used = [node for node in ast.walk(tree) if getattr(node, "id", "") == kind]
    fields = ("func", "annotation", "returns")
    plain: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "map":
            plain.add(id(node.args[0]))  # which makes one for each
        for part in (getattr(node, field, None) for field in fields):
            plain |= {id(one) for one in ast.walk(part)} if isinstance(part, ast.AST) else set()
    defined = any(isinstance(node, ast.ClassDef) and node.name == kind for node in ast.walk(tree))
    listed = path.name == "__init__.py"
    return defined or listed or any(id(node) not in plain for node in used)


@pytest.mark.parametrize("kind", sorted(KINDS_OF_GOALS - {"On", "OwnGoal"}))
def test_a_goal_is_asked_for_in_few_files(kind):
    """Its own file, two tables, and three more for a new kind of residual: layout, residual, Jacobian."""
    files = [path for path in SOURCE.rglob("*.py") if _is_asked_for(path, kind)]
    assert len(files) <= 3, files


CORE = ("kernels", "model", "bodies", "goals", "problem", "solvers", "solve")

IMPORT_CORE = """
import json, pkgutil, sys
from importlib import import_module
from pathlib import Path
import supple

for folder in json.loads(sys.argv[1]):
    package = import_module("supple." + folder)
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        import_module(found.name)
print(json.dumps(sorted(name for name in sys.modules if name.startswith("supple."))))
"""


def loaded(code: str, *arguments: str) -> list[str]:
    """The modules of supple that a program loads; it prints them as its last line."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout.splitlines()[-1])


def test_the_core_loads_nothing_that_stands_on_it():
    names = loaded(IMPORT_CORE, json.dumps(CORE))
    assert "supple.solve.servo" in names
    assert [name for name in names if name.startswith("supple.apps.")] == []


def test_growing_a_lamp_loads_nothing_that_moves_clips(tmp_path):
    code = """
import json, sys
from supple.apps.cli import main

sys.argv = ["supple", "grow", "lamp", "-o", sys.argv[1]]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print()
print(json.dumps(sorted(name for name in sys.modules if name.startswith("supple."))))
"""
    names = loaded(code, str(tmp_path / "lamp.glb"))
    assert (tmp_path / "lamp.glb").stat().st_size > 1000
    assert "supple.apps.grammar.output.growth" in names
    rooms = ("motion", "viewer", "plot", "clips")
    assert [name for name in names if name.split(".")[1:3] in [["apps", r] for r in rooms]] == []


def _single_words(path: Path) -> list[str]:
    """Numbers of a module, not whole ones, that have a name of one word."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        floats = not isinstance(value, ast.Call) and any(
            isinstance(one, ast.Constant) and isinstance(one.value, float)
            for one in (value, *ast.iter_child_nodes(value))
        )
        words = [one.id.strip("_") for one in names if isinstance(one, ast.Name)]
        found += [word for word in words if floats and word.isupper() and "_" not in word]
    return found


def test_tuned_numbers_of_the_core_have_names_of_several_words():
    files = [path for folder in CORE for path in (SOURCE / folder).rglob("*.py")]
    single = {
        str(path.relative_to(SOURCE)): found for path in files if (found := _single_words(path))
    }
    facts = {"kernels/quaternion.py": ["IDENTITY"], "model/parts.py": ["ORIGIN"]}
    packed = {"kernels/layout.py": ["HARD"]}  # part of the layout that pages read
    assert single == facts | packed
