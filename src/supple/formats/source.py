"""What readers read from: the bytes of a file, and how they say what is wrong with them."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from supple.character import Note
from supple.errors import SuppleError, nearest

LARGEST = 4 << 30  # bytes of a file that readers take [B]
GREATEST = 1e30  # numbers beyond are no lengths and no angles, and their products overflow
_BLOCK = 1 << 14  # bytes between places whose line is known
LONG = 80  # characters of a file that a message shows
MEMORY_FACTOR = 64  # bytes of memory that reading may take for each byte of the files read
MEMORY_LEAST = 256 << 20  # bytes of memory that reading may take however small the files are [B]
JOINT_BYTES = 2400  # bytes of memory that a joint takes while it is read, all in all [B]
SKIN_JOINT_BYTES = 160  # bytes that it takes in each skin: bind matrix and name [B]


@dataclass
class Source:
    """A file's bytes, with its path for messages; and the notes a reader takes on the way.

    Attributes:
        path: Where it is; files it refers to are looked for beside it.
        data: Its bytes.
        home: The folder that those files must be in, or below; None for the file's own.
        notes: What the reader guessed or found odd, in order.
        size: Bytes of the file and of those beside it that were read, each counted once.
        taken: Bytes of memory that the reader has asked for, see `charge`.
    """

    path: Path
    data: bytes = field(repr=False)
    home: Path | None = None
    notes: list[Note] = field(default_factory=list, repr=False)
    size: int = field(init=False)
    taken: int = field(default=0, init=False)
    _counted: set[Path] = field(default_factory=set, init=False, repr=False)
    _lines: list[int] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.size = len(self.data)

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
            _check_regular(path)
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
            raise SuppleError(f"{path}: {_missing(path)}") from error
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
        self._lines = None

    def line(self, at: int) -> int:
        """The line, counted from 1, that a byte of the data is in; any kind of line end counts."""
        if self._lines is None:  # line ends before each block, so that no call counts them all
            ends = [self._line_ends(k, k + _BLOCK) for k in range(0, len(self.data), _BLOCK)]
            self._lines = [0, *itertools.accumulate(ends)]
        block = min(at, len(self.data)) // _BLOCK
        return 1 + self._lines[block] + self._line_ends(block * _BLOCK, at)

    def _line_ends(self, start: int, stop: int) -> int:
        """How many line ends there are between two bytes; of a pair, the second one counts."""
        count = self.data.count
        pairs = count(b"\r\n", max(start - 1, 0), stop)
        return count(b"\n", start, stop) + count(b"\r", start, stop) - pairs

    def error(self, line: int | None, message: str) -> NoReturn:
        """Raise what is wrong with the file.

        Args:
            line: The line, counted from 1; None for the file as a whole.
            message: What was expected, and what there is.
        """
        raise SuppleError(f"{self.where(line)}: {message}")

    def charge(self, size: int, what: str, *, line: int | None = None) -> None:
        """Count memory that is about to be allocated; too much in all is an error.

        All readers call it before they allocate anything whose size follows from what the file
        claims, or from the product of two of its counts. The limit is `MEMORY_FACTOR` times the
        size of the file and those beside it, or `MEMORY_LEAST` if that is more.

        Args:
            size: Bytes of memory.
            what: What takes them, for the message, such as "4000 bones in 4000 frames".
            line: The line of the file that says so, if there is one.

        Raises:
            SuppleError: It is more than the file may take.
        """
        self.taken += size
        most = max(MEMORY_LEAST, MEMORY_FACTOR * self.size)
        if self.taken > most:
            self.error(
                line,
                f"{what}: expected a file that takes at most {most >> 20:,} MB when read "
                f"({MEMORY_FACTOR} times its size, or {MEMORY_LEAST >> 20} MB), "
                f"got one of {self.size / 2**20:,.3g} MB that asks for {self.taken >> 20:,} MB",
            )

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

        If this file is a link, what is not in the link's folder is looked for beside its target.

        Raises:
            SuppleError: It lies elsewhere, or cannot be read.
        """
        folder = self.path.parent.resolve()
        if self.path.is_symlink() and not (folder / name).exists():
            folder = self.path.resolve().parent
        target = (folder / name).resolve()
        if not target.is_relative_to(self.home.resolve() if self.home else folder):
            where = "its own folder" if self.home is None else "the folder that was given"
            self.error(None, f"expected a file in {where}, got {shown(name)}")
        data = Source.open(target, most=most).data
        if target not in self._counted:
            self._counted.add(target)
            self.size += len(data)
        return data


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


def _check_regular(path: Path) -> None:
    """Refuse what is no regular file: a pipe would be waited for, a device may never end."""
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise SuppleError(f"{path}: expected a file, got a folder")
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise SuppleError(f"{path}: expected a regular file, got {kind}; save its data to a file first")


def _missing(path: Path) -> str:
    """Why there is no file at a path, with a hint at one of a like name in the same folder."""
    if path.is_symlink():
        return f"it is a link to {os.readlink(path)}, and there is no such file"
    try:
        names = [one.name for one in path.parent.iterdir()][:1000]
    except OSError:
        names = []
    return f"there is no such file{nearest(path.name, names)}"
