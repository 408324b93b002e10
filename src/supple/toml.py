"""TOML files whose errors name the line: `tomllib` reads values, a small scanner finds their lines."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.errors import SuppleError, brief, one_of
from supple.files import as_path

Keys = tuple[str | int, ...]

_KEY = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*""")
_STRINGS = ('"""', "'''", '"', "'")


@dataclass(frozen=True)
class Document:
    """A TOML file, and the lines of its keys.

    Attributes:
        path: Path of the file.
        data: Its tables.
        lines: The line of each key, from 1 on: ("steps", 0, "plant") is the key `plant` in the first table
            of the array `steps`.
    """

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[Keys, int]

    def where(self, keys: Keys) -> str:
        """The file and line of a key; for a missing key those of its table."""
        for count in range(len(keys), 0, -1):
            if keys[:count] in self.lines:
                return f"{self.path}:{self.lines[keys[:count]]}"
        return str(self.path)

    def value(self, keys: Keys) -> Any:
        """The value of an existing key."""
        found: Any = self.data
        for key in keys:
            found = found[key]
        return found

    def table(self, keys: Keys) -> Mapping[str, Any]:
        """A table.

        Raises:
            SuppleError: It is something else.
        """
        found = self.value(keys)
        if not isinstance(found, Mapping):
            raise self.error(keys, f"expected a table, got {brief(found)}")
        return found

    def one_of(self, keys: Keys, what: str, given: object, choices: Collection[str]) -> str:
        """The name under a key, if it is one of the choices.

        Raises:
            SuppleError: It is not; with file and line, and the nearest choice.
        """
        with placed(self.where(keys)):
            return one_of(what, given, choices)

    def error(self, keys: Keys, text: str) -> SuppleError:
        """An error about a key, with its file and line."""
        name = ".".join(str(key) for key in keys if isinstance(key, str))
        return SuppleError(f"{self.where(keys)}: {name}: {text}")


@contextmanager
def placed(where: str) -> Iterator[None]:
    """A context that puts a file and line in front of errors."""
    try:
        yield
    except SuppleError as error:
        raise SuppleError(f"{where}: {error}" if where else str(error)) from None


def read(path: str | os.PathLike[str]) -> Document:
    """Read a TOML file.

    Raises:
        SuppleError: It cannot be read, or is not TOML; with the line.
    """
    path = as_path("file", path)
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise SuppleError(f"{path}: cannot read this file: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SuppleError(f"{path}:{line}: expected UTF-8, got other bytes") from error
    return parse(text, path)


def parse(text: str, path: str | os.PathLike[str]) -> Document:
    """The document of a text; `path` is for messages.

    Raises:
        SuppleError: It is not TOML; with the line.
    """
    path = Path(path)
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise SuppleError(f"{path}: expected TOML, got tables nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        words = str(error)[: found.start()] if found else str(error)
        raise SuppleError(f"{path}:{line}: expected TOML: {words}") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise SuppleError(f"{path}: expected TOML: {error}") from error
    return Document(path, data, _Scanner(text).lines)


class _Scanner:
    """Finds the line of every key in a text that is known to be TOML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Keys, int] = {}
        self.counts: dict[Keys, int] = {}  # of arrays of tables
        table: Keys = ()
        while self._skip_blank():
            if self._take("[["):
                table = self._named(self._path(), last=True)
                self._note(table)
                self._take("]]")
            elif self._take("["):
                table = self._named(self._path(), last=False)
                self._note(table)
                self._take("]")
            else:
                self._pair(table)

    def _note(self, keys: Keys) -> None:
        line = self.text.count("\n", 0, self.at) + 1
        for count in range(1, len(keys) + 1):
            self.lines.setdefault(keys[:count], line)

    def _take(self, word: str) -> bool:
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def _skip_blank(self) -> bool:
        """Skip blanks, line ends, commas and comments; True if something follows."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in " \t\r\n,":
                self.at += 1
            else:
                return True
        return False

    def _path(self) -> Keys:
        keys: list[str] = []
        while found := _KEY.match(self.text, self.at):
            key = found[1]
            keys.append(tomllib.loads(f"x = {key}")["x"] if key[0] in "\"'" else key)
            self.at = found.end()
            if not self._take("."):
                break
        return tuple(keys)

    def _named(self, keys: Keys, *, last: bool) -> Keys:
        """The keys of a table header, with the index in each array of tables on the path."""
        full: Keys = ()
        for k, key in enumerate(keys):
            full = (*full, key)
            if last and k == len(keys) - 1:
                self._note(full)
                self.counts[full] = self.counts.get(full, -1) + 1
            if full in self.counts:
                full = (*full, self.counts[full])
        return full

    def _pair(self, table: Keys) -> None:
        start = self.at
        keys = (*table, *self._path())
        end, self.at = self.at, start
        self._note(keys)
        self.at = end
        self._skip_blank()
        self._take("=")
        self._value(keys)

    def _value(self, keys: Keys) -> None:
        self._skip_blank()
        for quote in _STRINGS:
            if self._take(quote):
                self._string(quote)
                return
        if self._take("["):
            k = 0
            while self._skip_blank() and not self._take("]"):
                self._note((*keys, k))
                self._value((*keys, k))
                k += 1
        elif self._take("{"):
            while self._skip_blank() and not self._take("}"):
                self._pair(keys)
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\r\n":
                self.at += 1

    def _string(self, quote: str) -> None:
        while self.at < len(self.text) and not self._take(quote):
            escaped = quote[0] == '"' and self.text[self.at] == "\\"
            self.at += 2 if escaped else 1
        while len(quote) == 3 and self._take(quote[0]):  # up to two quotes before the closing ones
            pass
