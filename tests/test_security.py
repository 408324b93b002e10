"""What SECURITY.md says is held by tests, and nothing that is read is run."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| .* \| (.*) \|$", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
RUNS = {"eval", "exec", "execfile"}
UNPICKLES = {"pickle", "marshal", "shelve", "dill", "joblib"}
# The cache of machine code, in a folder that only its user can write to; a probe that must be refused.
KNOWN = {("kernels/jit.py", "pickle.loads"), ("apps/formats/xacro/worker.py", "eval")}


@pytest.mark.parametrize("row", [row for row in ROWS if row != "held by" and set(row) != {"-"}])
def test_every_line_names_tests_that_exist(row):
    file = ""
    names = re.findall(r"`([^`]+)`", row)
    assert names
    for name in names:
        path, _, test = name.partition("::")
        file = path or file
        text = (ROOT / "tests" / file).read_text("utf-8")
        assert not test or f"def {test}(" in text, name


def test_nothing_that_is_read_is_run():
    found = set()
    package = ROOT / "src" / "supple"
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            head, _, last = name.rpartition(".")
            loads = head in UNPICKLES and last in ("load", "loads", "open", "Unpickler")
            permitted = any(
                one.arg == "allow_pickle" and ast.unparse(one.value) != "False"
                for one in node.keywords
            )
            if name in RUNS or loads or permitted or name in ("yaml.load", "yaml.unsafe_load"):
                found.add((path.relative_to(package).as_posix(), name))
    assert found == KNOWN
