"""What readers read from: the bytes of a file, and how they say what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from supple.character import Note
from supple.errors import SuppleError, nearest

LARGEST = 4 << 30  # bytes of a file that readers take [B]
GREATEST = 1e30  # numbers beyond are no lengths and no angles, and their products overflow
LONG = 80  # characters of a file that a message shows


@dataclass
class Source:
    """A file's bytes, with its path for messages; and the notes a reader takes on the way.

    Attributes:
        path: Where it is; files it refers to are looked for beside it.
        data: Its bytes.
        home: The folder that those files must be in, or below; None for the file's own.
        notes: What the reader guessed or found odd, in order.
    """

    path: Path
    data: bytes = field(repr=False)
    home: Path | None = None
    notes: list[Note] = field(default_factory=list, repr=False)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, most: int = LARGEST, home: Path | None = None
    ) -> Source:
        """The source of a file.

        Args:
            path: The file.
            most: How many bytes it may have.
            home: The folder that files it refers to must be in, or below; None for its own.

        Raises:
            SuppleError: It cannot be read, or is too large.
        """
        path = Path(path)
        try:
            if path.is_dir():
                raise SuppleError(f"{path}: expected a file, got a folder")
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size > most:
                    raise SuppleError(
                        f"{path}: expected a file of at most {most / 2**20:.0f} MB, "
                        f"got {size / 2**20:.0f}"
                    )
                # Not all there is, but as much as was said: a device may go on for ever.
                data = file.read(size)
        except FileNotFoundError as error:
            raise SuppleError(f"{path}: there is no such file{_beside(path)}") from error
        except OSError as error:
            raise SuppleError(f"{path}: cannot read it: {error.strerror or error}") from error
        return cls(path, data, home)

    @property
    def name(self) -> str:
        """The file's name without folder and extension."""
        return self.path.stem

    def as_utf8(self) -> None:
        """Turn text that begins with a mark of UTF-16 into UTF-8, with a note."""
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                text = self.data.decode("utf-16")
            except UnicodeDecodeError:
                return  # no text: whoever reads it says what it is not
            if not text.lstrip("\ufeff \t\r\n").startswith("<"):  # XML says it itself
                self.data = text.encode()
                self.warn("the text is in UTF-16: read as such")

    def release(self) -> None:
        """Let go of the bytes, once they are read: what is made of them needs the room."""
        self.data = b""

    def line(self, at: int) -> int:
        """The line, counted from 1, that a byte of the data is in; any kind of line end counts."""
        count = self.data.count
        return 1 + count(b"\n", 0, at) + count(b"\r", 0, at) - count(b"\r\n", 0, at)

    def error(self, line: int | None, message: str) -> NoReturn:
        """Raise what is wrong with the file.

        Args:
            line: The line, counted from 1; None for the file as a whole.
            message: What was expected, and what there is.
        """
        raise SuppleError(f"{self.where(line)}: {message}")

    def where(self, line: int | None = None) -> str:
        """The path, with a line."""
        return str(self.path) if line is None else f"{self.path}:{line}"

    def warn(self, text: str, *, line: int | None = None) -> None:
        """Note something odd, and what was assumed."""
        self.notes.append(Note(text, line, str(self.path), "warning"))

    def guess(self, text: str, *, line: int | None = None) -> None:
        """Note a guess about something that the file does not say."""
        self.notes.append(Note(text, line, str(self.path), "guess"))

    def beside(self, name: str, *, most: int = LARGEST) -> bytes:
        """The bytes of another file, named from this file's folder, that lies below `home`.

        Raises:
            SuppleError: It lies elsewhere, or cannot be read.
        """
        target = (self.path.parent.resolve() / name).resolve()
        if not target.is_relative_to((self.home or self.path.parent).resolve()):
            where = "its own folder" if self.home is None else "the folder that was given"
            self.error(None, f"expected a file in {where}, got {shown(name)}")
        return Source.open(target, most=most).data


def shown(text: Any) -> str:
    """Text from a file, quoted and cut to a length that fits into a message."""
    if isinstance(text, (bytes, bytearray, memoryview)):
        text = bytes(text[: LONG + 1]).decode("utf-8", "replace")
    text = str(text)
    return repr(text if len(text) <= LONG else text[: LONG - 3] + "...")


def decoded(name: bytes) -> str:
    """A name in UTF-8, or else in what older programs write: Shift JIS if it has kana, Latin 1."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        text = name.decode("cp932")
        if any("\u3041" <= letter <= "\u30ff" for letter in text):
            return text
    except UnicodeDecodeError:
        pass
    return name.decode("latin-1")


def distinct(names: Iterable[str], source: Source, *, what: str = "joint") -> list[str]:
    """Names made to differ: blanks are named after their place, doubles are numbered; with notes.

    Args:
        names: As the file has them.
        source: Where the notes go.
        what: What the names are of.
    """
    given = list(names)
    taken = {name for name in given if name.strip()}
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    result: list[str] = []
    for k, name in enumerate(given):
        new = name
        if not name.strip():
            new = f"{what} {k}"
            while new in taken:
                new += "'"
            source.warn(f"{what} {k} has no name: called {new!r}")
        elif name in seen:
            number = numbers.get(name, 2)
            while f"{name} {number}" in taken:
                number += 1
            numbers[name] = number  # so that many of a name do not count from 2 each
            new = f"{name} {number}"
            source.warn(f"there are several {what}s called {shown(name)}: this one is {new!r}")
        taken.add(new)
        seen.add(new)
        result.append(new)
    return result


def _beside(path: Path) -> str:
    """A hint at a file of a like name in the same folder."""
    try:
        names = [one.name for one in path.parent.iterdir()][:1000]
    except OSError:
        return ""
    return nearest(path.name, names)
