"""Solvers, goals and formats of other packages, found through entry points.

A package declares them in its `pyproject.toml`, in the groups `supple.solvers`, `supple.goals` and
`supple.formats`; once it is installed they are available by name. They are only searched for names and
extensions that supple does not have, and cannot replace supple's own.
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
    """The object of an entry point.

    Args:
        entry: The entry point.
        kind: The class of which it must be an instance or a subclass.

    Raises:
        SuppleError: It cannot be imported, or is something else.
    """
    where = f"plug-in {entry.name!r} ({entry.value})"
    try:
        value = entry.load()
    except Exception as error:  # another package's import may raise anything
        raise SuppleError(f"{where}: cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(value, kind) or (isinstance(value, type) and issubclass(value, kind))):
        raise SuppleError(
            f"{where}: expected a supple {kind.__name__}, got a {type(value).__name__}"
        )
    return value


def load_all(group: str, kind: type) -> list[Any]:
    """The objects of all entry points of a group; those that fail to load are left out, with a warning."""
    found = []
    for entry in entries(group).values():
        try:
            found.append(load(entry, kind))
        except SuppleError as error:
            logger.warning("%s", error)
    return found
