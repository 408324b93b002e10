"""The imports of the page's modules: no cycles, and folders that depend in one direction."""

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "web" / "src"
LAYERS = (
    "kernels",
    "io",
    "solving",
    "scene",
    "panel",
    "trace",
    "app",
    "standalone",
)  # each may import from those before it
IMPORT = re.compile(
    r"""(?:^(?:import|export)\b[^;"'=(]*|\bimport\()["'](\.[^"']+)["']""", re.MULTILINE
)


def imports() -> dict[str, set[str]]:
    """Modules by path without ending, and the modules that each imports."""
    found = {}
    for path in sorted(SOURCE.rglob("*.ts")):
        names = IMPORT.findall(path.read_text("utf-8"))
        targets = [(path.parent / name).resolve() for name in names if not name.endswith(".css")]
        found[path.relative_to(SOURCE).with_suffix("").as_posix()] = {
            one.relative_to(SOURCE.resolve()).as_posix() for one in targets
        }
    return found


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; empty if there are none."""
    done: set[str] = set()

    def visit(name: str, above: list[str]) -> list[str]:
        if name in above:
            return [*above[above.index(name) :], name]
        if name in done:
            return []
        for other in sorted(graph[name]):
            if found := visit(other, [*above, name]):
                return found
        done.add(name)
        return []

    return next((found for name in graph if (found := visit(name, []))), [])


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return imports()


def test_every_module_is_in_a_folder_and_is_used(graph):
    assert {name.partition("/")[0] for name in graph} == set(LAYERS)
    used = set().union(*graph.values())
    assert used <= set(graph)
    assert set(graph) - used == {"app/main", "standalone/main"}


def test_no_modules_import_each_other_in_a_circle(graph):
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle(graph) == []


def test_folders_depend_in_one_direction(graph):
    rank = {folder: k for k, folder in enumerate(LAYERS)}
    upward = [
        f"{name} imports {other}"
        for name, others in graph.items()
        for other in sorted(others)
        if rank[other.partition("/")[0]] > rank[name.partition("/")[0]]
    ]
    assert upward == []


def test_only_start_up_knows_the_whole_page(graph):
    knowing = {name for name, others in graph.items() if "app/playground" in others}
    assert knowing == {"app/start", "app/hooks"}
