"""What other packages add to supple: solvers, goals and formats, found through their entry points.

A package names them in its `pyproject.toml`, in the groups `supple.solvers`, `supple.goals` and
`supple.formats`; once it is installed they are known by their names. They are looked for only when a name or
an extension is none of supple's own, and cannot take the place of one.
"""

from __future__ import annotations

import logging
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from supple.errors import SuppleError

SOLVERS = "supple.solvers"
GOALS = "supple.goals"
FORMATS = "supple.formats"

logger = logging.getLogger("supple")


def entries(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by their names; of two packages with the same name the first."""
    found: dict[str, EntryPoint] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, one)
    return found


def load(entry: EntryPoint, kind: type) -> Any:
    """What an entry point names.

    Args:
        entry: The entry point.
        kind: What it must be: a class, of which it is an object or, for classes, a subclass.

    Raises:
        SuppleError: It cannot be imported, or is something else.
    """
    where = f"plug-in {entry.name!r} ({entry.value})"
    try:
        value = entry.load()
    except Exception as error:  # whatever another package's import may raise
        raise SuppleError(f"{where}: cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(value, kind) or (isinstance(value, type) and issubclass(value, kind))):
        raise SuppleError(
            f"{where}: expected a supple {kind.__name__}, got a {type(value).__name__}"
        )
    return value


def load_all(group: str, kind: type) -> list[Any]:
    """What all entry points of a group name; those that cannot be loaded are left out, with a warning."""
    found = []
    for entry in entries(group).values():
        try:
            found.append(load(entry, kind))
        except SuppleError as error:
            logger.warning("%s", error)
    return found
