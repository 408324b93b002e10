"""Module paths of earlier releases: `supple.viewer` is `supple.apps.viewer` now, and so on.

They work for one more release, with a DeprecationWarning. `supple.data`, `supple.formats`, `supple.grammar`,
`supple.plot` and `supple.robot` stay as names, but not what is below them, such as `supple.formats.bvh`.
"""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

PUBLIC = ("data", "formats", "grammar", "plot", "robot")
MOVED = {
    **{name: f"supple.apps.{name}" for name in (*PUBLIC, "cli", "motion", "viewer")},
    "batch": "supple.apps.clips",
    "goals.from_text": "supple.apps.goals_from_text",
    "model.character": "supple.apps.character.character",
    "model.motion": "supple.apps.character.motion",
    "model.skinning": "supple.apps.character.skinning",
}


def new_path(old: str) -> str | None:
    """The path of a module that had another one, such as "supple.formats.bvh"; None if it has not moved."""
    below = old.removeprefix("supple.")
    if below in PUBLIC:
        return None
    for name, new in MOVED.items():
        if below == name or below.startswith(name + "."):
            return new + below[len(name) :]
    return None


class _Loader(InspectLoader):
    """Gives the module of the new path for the old one."""

    def __init__(self, old: str, new: str):
        self._old, self._new = old, new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(
            f"{self._old} is {self._new} now; the old path goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        module = import_module(self._new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # which importing by the old path has replaced

    def get_source(self, fullname: str) -> str | None:
        return None

    def get_code(self, fullname: str) -> CodeType | None:  # for `python -m`
        spec = find_spec(self._new)
        loader = spec.loader if spec else None
        return loader.get_code(self._new) if isinstance(loader, InspectLoader) else None


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("supple."):
            return None
        new = new_path(fullname)
        found = None if new is None else find_spec(new)
        if new is None or found is None:
            return None
        package = found.submodule_search_locations is not None
        return ModuleSpec(fullname, _Loader(fullname, new), is_package=package)


def install() -> None:
    """Have `import` find modules by their old paths."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
