"""Draws come from generators of their own, never from the state that all of a process share."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = {"Random", "SystemRandom"}
# Files without such a line cannot use the module; parsing only the others takes a tenth of the time.
IMPORTS_RANDOM = re.compile(r"\b(import|from)\b.*\brandom\b")


def test_nothing_draws_from_the_shared_state_of_random():
    found = []
    for folder in ("tests", "benchmarks", "src"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if not IMPORTS_RANDOM.search(text):
                continue
            nodes = list(ast.walk(ast.parse(text)))
            imported = any(
                isinstance(node, ast.Import) and any(one.name == "random" for one in node.names)
                for node in nodes
            )
            for node in nodes:
                names = set()
                if isinstance(node, ast.ImportFrom) and node.module == "random":
                    names = {one.name for one in node.names}
                elif imported and isinstance(node, ast.Attribute):
                    names = {node.attr} if ast.unparse(node.value) == "random" else set()
                found += [f"{path.relative_to(ROOT)}:{node.lineno} {name}" for name in names - OWN]
    assert found == []
