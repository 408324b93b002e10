"""The folders that imports and assets may be in, and the search for a file in them.

A CityEngine project has its rules in `rules/` and its assets in `assets/`, `images/` and `models/` beside that
folder. Rule files name files relative to themselves, to the project or to one of those folders, or by a
workspace path such as "/ESRI.lib/assets/tree.obj" that begins with the name of a project.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from supple.errors import SuppleError

KNOWN = ("assets", "images", "models", "rules")
"""Folders of a project that are searched beside the rule file and above it."""


@dataclass(frozen=True)
class Folders:
    """The folders that files may be in; nothing outside them is read.

    Args:
        home: The folder that holds the rules and their files; None for no files.
        given: True if the caller named `home`. Otherwise the folders `KNOWN` of the project above it
            are allowed too: up to the folder that holds `rules/`, else one folder up.
        workspace: The folder that workspace paths ("/Project/assets/...") begin in; None for none.
        label: Stands for `home` in messages: the name of a rule package.
    """

    home: Path | None = None
    given: bool = True
    workspace: Path | None = None
    label: str = ""
    above: tuple[Path, ...] = field(init=False, default=())
    roots: tuple[Path, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.home is None:
            return
        home = self.home.resolve()
        above = () if self.given else _above(home)
        roots = [home, *(one / name for one in above for name in KNOWN)]
        if self.workspace is not None:
            roots.append(self.workspace.resolve())
        object.__setattr__(self, "above", above)
        object.__setattr__(self, "roots", tuple(roots))

    def allows(self, path: Path) -> bool:
        """True if a resolved path lies in one of the folders."""
        return any(path.is_relative_to(root) for root in self.roots)

    def bases(self, folder: Path) -> list[Path]:
        """The folders that a relative name may begin in, those nearest to the rule file first."""
        home = (self.home or folder).resolve()
        found = [folder, home]
        one = folder.resolve()
        inside = [one]
        while one != home and one.is_relative_to(home):
            one = one.parent
            inside.append(one)
        for above in [*inside, *self.above]:
            found += [above, *(above / name for name in KNOWN)]
        return list(dict.fromkeys(found))

    def candidates(self, name: str, folder: Path | None, what: str) -> list[Path]:
        """The paths that a name in a rule file may mean, in the order of the search.

        Args:
            name: The name as written: relative, or a workspace path that begins with "/".
            folder: The rule file's folder; None for rules given as text.
            what: The kind of file, for messages.

        Raises:
            SuppleError: There are no folders to search, or every path leads outside them.
        """
        if self.home is None or folder is None:
            raise SuppleError(
                f"rules given as text have no folder to look for the {what} {name!r} in"
            )
        outside = SuppleError(f"the {what} {name!r} is outside the rule file's folder")
        if "\\" in name or "\0" in name or len(name) > 1_000:
            raise outside
        if name.startswith("/"):
            starts = self._workspace_paths(name)
            if not starts:
                raise SuppleError(
                    f"the {what} {name!r} is outside the rule file's folder: for a workspace path give "
                    f'the folder that holds {name.split("/")[1]!r} (workspace="...", --workspace)'
                )
        elif Path(name).is_absolute():
            raise outside
        else:
            # ".." leads up from the rule file's folder or the home folder, not from other searched folders.
            upward = ".." in name.split("/")
            starts = [one / name for one in ((folder, self.home) if upward else self.bases(folder))]
        try:
            found = [one for one in starts if self.allows(one.resolve())]
        except (OSError, ValueError, RuntimeError):
            raise outside from None
        if not found:
            raise outside
        return found

    def _workspace_paths(self, name: str) -> list[Path]:
        """The paths that a workspace path may mean: in the workspace, or in this project."""
        project, _, rest = name[1:].partition("/")
        if not rest or self.home is None:
            return []
        home = self.home.resolve()
        found = [] if self.workspace is None else [self.workspace / project / rest]
        if self.label:  # a package holds one project, whatever its name
            found.append(home / rest)
        found += [
            one / rest for one in (home, *home.parents[: len(self.above)]) if one.name == project
        ]
        return found

    def find(self, name: str, folder: Path | None, what: str) -> Path:
        """The file that a name in a rule file means.

        Raises:
            SuppleError: There is no such file, or it lies outside the folders.
        """
        for path in self.candidates(name, folder, what):
            if path.is_file():
                return path.resolve()
        raise SuppleError(f"there is no {what} {name!r} below {self.shown(self.home)}")

    def shown(self, path: Path | None) -> str:
        """A path as messages show it: files of a package by the package's name."""
        if not self.label or path is None or self.home is None:
            return str(path)
        resolved, home = path.resolve(), self.home.resolve()
        if not resolved.is_relative_to(home):
            return str(path)
        inside = resolved.relative_to(home).as_posix()
        return self.label if inside == "." else f"{self.label}/{inside}"


def _above(home: Path) -> tuple[Path, ...]:
    """The folders above a rule file's folder that belong to its project, the nearest first."""
    for count, one in enumerate((home, *home.parents)):
        if one.name.lower() == "rules":
            return tuple((home, *home.parents)[1 : count + 2])
    return () if home.parent == home else (home.parent,)
