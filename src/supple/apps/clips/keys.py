"""Keys of a plan: how each is read, from a table of a TOML file or from a command line.

Steps that a command builds from its options and steps in a plan's table pass the same checks here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from supple.apps.clips.journal import content_hash
from supple.errors import SuppleError, brief, one_of
from supple.toml import Document, Keys, placed


class Source(Protocol):
    """The origin of the values of keys, and their names in messages."""

    @property
    def where(self) -> str:
        """File and line of the table; "" on a command line."""
        ...

    @property
    def folder(self) -> Path:
        """The folder that paths are relative to."""
        ...

    def option(self, name: str) -> str:
        """The user's name for a key."""
        ...

    def location(self, name: str) -> str:
        """File and line of a key; "" on a command line."""
        ...

    def error(self, name: str, text: str) -> SuppleError:
        """An error about a key, or about all of them if the name is ""."""
        ...


@dataclass(frozen=True)
class Table:
    """A table of a TOML file.

    Attributes:
        document: The file.
        keys: Of the table.
    """

    document: Document
    keys: Keys

    @property
    def where(self) -> str:
        """File and line of the table."""
        return self.document.where(self.keys)

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.document.path.parent

    def option(self, name: str) -> str:
        """The key as written in the file."""
        return name

    def location(self, name: str) -> str:
        """File and line of a key."""
        return self.document.where((*self.keys, name))

    def error(self, name: str, text: str) -> SuppleError:
        """An error with file and line."""
        return self.document.error((*self.keys, name) if name else self.keys, text)


@dataclass(frozen=True)
class CommandLine:
    """The options of a command.

    Attributes:
        names: Options whose names differ from their keys: {"obstacles": "obstacle"}.
    """

    names: Mapping[str, str]
    where: str = ""
    folder: Path = Path()

    def option(self, name: str) -> str:
        """The option of a key."""
        return f"--{self.names.get(name, name).replace('_', '-')}"

    def location(self, name: str) -> str:
        """Nothing: the message names the option."""
        del name
        return ""

    def error(self, name: str, text: str) -> SuppleError:
        """An error that names the option."""
        return SuppleError(f"{self.option(name)}: {text}" if name else text)


def key(kind: Callable[[Any], Any], expected: str, default: Any = None) -> Any:
    """A key: how to read its value, what is expected, and its default (MISSING: it is required)."""
    given = {} if default is MISSING else {"default": default}
    return field(metadata={"read": kind, "expected": expected}, **given)


@dataclass(frozen=True, kw_only=True)
class Keyed:
    """Base of classes that are read from keys.

    Attributes:
        where: File and line, for messages.
        hashes: Of the files that it reads for all clips.
    """

    called: ClassVar[str] = ""
    files: ClassVar[tuple[str, ...]] = ()  # the keys that name files

    where: str = field(default="", repr=False)
    hashes: tuple[str, ...] = ()

    @classmethod
    def known(cls) -> dict[str, Field[Any]]:
        """The fields that are keys, by their names in a plan."""
        return {one.name.rstrip("_"): one for one in fields(cls) if "read" in one.metadata}

    @classmethod
    def unusual(cls, given: Mapping[str, Any]) -> list[str]:
        """The keys with values that are given and differ from the default."""
        known = cls.known()
        return [name for name, value in given.items() if value not in (None, known[name].default)]

    @classmethod
    def read(cls, given: Mapping[str, Any], source: Source) -> Self:
        """Read and check values; None means not given.

        Raises:
            SuppleError: A key is unknown or missing, a value is not valid, or a file cannot be read.
        """
        found = cls._values(given, source)
        for name, one in cls.known().items():
            if one.default is MISSING and one.name not in found:
                expected = one.metadata["expected"]
                raise source.error("", f"{cls.called!r} expected {name} = {expected}, got none")
        return cls(where=source.where, **found)._checked(source)

    def changed(self, given: Mapping[str, Any], source: Source) -> Self:
        """A copy with other values for some keys; None keeps the value."""
        return replace(self, **self._values(given, source))._checked(source)

    @classmethod
    def _values(cls, given: Mapping[str, Any], source: Source) -> dict[str, Any]:
        known = cls.known()
        found: dict[str, Any] = {}
        for name, value in given.items():
            with placed(source.location(name)):
                one_of(f"key of {cls.called!r}", name, tuple(known))
            if value is None:
                continue
            one = known[name]
            try:
                found[one.name] = one.metadata["read"](value)
            except (TypeError, ValueError):
                expected = one.metadata["expected"]
                raise source.error(name, f"expected {expected}, got {brief(value)}") from None
        return found

    def _checked(self, source: Source) -> Self:
        self.check_keys(source)
        return self.found(source)

    def check_keys(self, source: Source) -> None:
        """Raise if keys exclude each other; by default none do."""
        del source

    def found(self, source: Source) -> Self:
        """A copy with its files located in the folder of the source, and hashed.

        Raises:
            SuppleError: One that a table names cannot be read.
        """
        changes: dict[str, Any] = {}
        hashes: list[str] = []
        for name in self.files:
            given = getattr(self, name)
            several = given if isinstance(given, tuple) else (given,)
            if not all(isinstance(one, str) for one in several):
                continue
            paths = [str(source.folder / one) for one in several]
            hashes += [_hash(name, path, source) for path in paths]
            changes[name] = tuple(paths) if isinstance(given, tuple) else paths[0]
        return replace(self, **changes, hashes=tuple(hashes))

    @property
    def digest(self) -> str:
        """A text that determines what it does, with the contents of files instead of their paths."""
        named = {name: "" for name in self.files if isinstance(getattr(self, name), (str, tuple))}
        return repr(replace(self, **named))


def _hash(name: str, path: str, source: Source) -> str:
    found = content_hash(Path(path))
    # A file on a command line is read next, and the error of its reader says more.
    if found is None and source.where and not os.path.isdir(path):
        why = "" if os.path.exists(path) else ": there is no such file"
        raise source.error(name, f"cannot read {path!r}{why}")
    return found or ""
