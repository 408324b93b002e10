"""Module paths of earlier releases."""

import importlib
import subprocess
import sys
import warnings

import pytest

import supple
from supple import moved


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    """Have old paths found anew."""
    for name in list(sys.modules):
        if name.removeprefix("supple.") in moved.PUBLIC or moved.new_path(name):
            monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("name", moved.PUBLIC)
def test_public_names_stay(name):
    found = importlib.import_module(f"supple.{name}")
    assert found is getattr(supple, name) is importlib.import_module(f"supple.apps.{name}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("supple.batch", "supple.apps.clips"),
        ("supple.formats.bvh.read", "supple.apps.formats.bvh.read"),
        ("supple.model.character", "supple.apps.character.character"),
        ("supple.viewer.app", "supple.apps.viewer.app"),
    ],
)
def test_old_paths_give_the_same_module_and_warn(old, new):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = importlib.import_module(old)
    assert f"{old} is {new} now" in str(warned[-1].message)
    assert all(one.category is DeprecationWarning for one in warned)
    assert found is importlib.import_module(new)
    assert found.__spec__.name == new


def test_names_that_never_were_are_not_found():
    for name in ("supple.robots", "supple.formats.nothing", "supple.apps.nothing"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)


def test_old_programs_run():
    command = [sys.executable, "-W", "ignore", "-m", "supple.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert supple.__version__ in done.stdout
