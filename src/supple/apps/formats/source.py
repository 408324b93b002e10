"""`Source`: the bytes of a file, with errors, notes and a memory limit; every reader gets one."""

from __future__ import annotations

import functools
import itertools
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from supple.apps.character.character import Note
from supple.apps.formats.folders import Folders, package_folder
from supple.errors import SuppleError, nearest, printable

LARGEST_FILE_BYTES = 4 << 30  # size limit of a file [B]
LARGEST_NUMBER = 1e30  # magnitude limit of a number: products of larger ones overflow
LINE_INDEX_SPACING = 1 << 14  # bytes between entries of the index of line numbers [B]
EXCERPT_CHARS = 80  # longest excerpt of a file in a message
MEMORY_FACTOR = 64  # bytes of memory allowed per byte of the files read
MEMORY_LEAST = 256 << 20  # memory allowed however small the files are [B]
MEMORY_VARIABLE = "SUPPLE_MEMORY_MB"  # environment variable in place of MEMORY_LEAST [MB]
JOINT_BYTES = 2400  # memory of a joint while reading [B]
SKIN_JOINT_BYTES = 160  # memory of a joint in each skin: bind matrix and name [B]


@dataclass
class Source:
    """The bytes of a file, its path for messages, and the notes of its reader.

    Attributes:
        path: The file; files it refers to are relative to its folder.
        data: Its bytes.
        home: The folder that must contain those files, at any depth; None for the file's own.
        packaged: True if, without `home`, the ROS package that holds the file must contain them.
        notes: Guesses and warnings, in order.
        size: Bytes read from this file and those it refers to, each file counted once.
        taken: Memory requested so far, see `charge` [B].
    """

    path: Path
    data: bytes = field(repr=False)
    home: Path | None = None
    notes: list[Note] = field(default_factory=list, repr=False)
    packaged: bool = False
    size: int = field(init=False)
    taken: int = field(default=0, init=False)
    _counted: set[Path] = field(default_factory=set, init=False, repr=False)
    _lines: list[int] | None = field(default=None, init=False, repr=False)
    _packages: dict[str, Path | None] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self.size = len(self.data)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        most: int = LARGEST_FILE_BYTES,
        home: Path | None = None,
    ) -> Source:
        """Read a file.

        Args:
            path: The file.
            most: Size limit [B].
            home: The folder that must contain the files it refers to; None for its own.

        Raises:
            SuppleError: The file cannot be read, or is too large.
        """
        path = Path(path)
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise SuppleError(
                    f"{path}: expected a file of at most {most / 2**20:.0f} MB, "
                    f"got {size / 2**20:.0f}"
                )
            # At most the stated size: a file may grow while it is read.
            data = file.read(size)
        return cls(path, data, home)

    @property
    def name(self) -> str:
        """The file's name without folder and extension."""
        return printable(self.path.stem)

    def as_utf8(self) -> None:
        """Recode text that starts with a UTF-16 byte order mark as UTF-8, with a note."""
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                text = self.data.decode("utf-16")
            except UnicodeDecodeError:
                return  # not text: the reader will say so
            if not text.lstrip("\ufeff \t\r\n").startswith("<"):  # XML declares its own encoding
                self.data = text.encode()
                self.warn("the text is in UTF-16: read as such")

    def release(self) -> None:
        """Free the bytes once they are parsed, to make room for the result."""
        self.data = b""
        self._lines = None

    def line(self, at: int) -> int:
        """The line number, from 1, of a byte offset; LF, CR and CRLF all end a line."""
        if self._lines is None:  # line ends before each block, so a call counts one block only
            ends = [
                self._line_ends(k, k + LINE_INDEX_SPACING)
                for k in range(0, len(self.data), LINE_INDEX_SPACING)
            ]
            self._lines = [0, *itertools.accumulate(ends)]
        block = min(at, len(self.data)) // LINE_INDEX_SPACING
        return 1 + self._lines[block] + self._line_ends(block * LINE_INDEX_SPACING, at)

    def _line_ends(self, start: int, stop: int) -> int:
        """Number of line ends between two offsets; a CRLF counts at its LF."""
        count = self.data.count
        pairs = count(b"\r\n", max(start - 1, 0), stop)
        return count(b"\n", start, stop) + count(b"\r", start, stop) - pairs

    def error(self, line: int | None, message: str) -> NoReturn:
        """Raise a SuppleError with path and line.

        Args:
            line: The line, counted from 1; None for the file as a whole.
            message: What was expected, and what was found.
        """
        raise SuppleError(f"{self.where(line)}: {message}")

    def charge(self, size: int, what: str, *, line: int | None = None) -> None:
        """Count memory about to be allocated; raise if the total exceeds the limit.

        Readers call it before they allocate anything whose size the file states, or that is the
        product of two of its counts. The limit is `memory_limit`.

        Args:
            size: Bytes of memory.
            what: What needs the memory, for the message, such as "4000 bones in 4000 frames".
            line: The line of the file that asks for it, if there is one.

        Raises:
            SuppleError: The limit is exceeded.
        """
        self.taken += size
        most = self.memory_limit
        if self.taken > most:
            self.error(
                line,
                f"{what}: expected a file that takes at most {most >> 20:,} MB when read "
                f"({MEMORY_FACTOR} times its size, or {_least_memory() >> 20} MB), "
                f"got one of {self.size / 2**20:,.3g} MB that asks for {self.taken >> 20:,} MB; "
                f"{raise_limit(self.taken)}",
            )

    @property
    def memory_limit(self) -> int:
        """Memory that reading the file may take [B]: by the bytes read, and at least a fixed amount."""
        return max(_least_memory(), MEMORY_FACTOR * self.size)

    def where(self, line: int | None = None) -> str:
        """The path, with the line number if there is one."""
        return str(self.path) if line is None else f"{self.path}:{line}"

    def warn(
        self,
        text: str,
        *,
        line: int | None = None,
        damage: str | None = None,
        frames: tuple[int, int] | None = None,
    ) -> None:
        """Add a warning: what is odd, and what was assumed; `damage` and `frames` as `Note` has them."""
        self.notes.append(Note(text, line, str(self.path), "warning", damage, frames))

    def guess(self, text: str, *, line: int | None = None) -> None:
        """Add a note on a guess about something that the file does not state."""
        self.notes.append(Note(text, line, str(self.path), "guess"))

    @functools.cached_property
    def folder(self) -> Path:
        """The file's own folder, resolved."""
        return self.path.parent.resolve()

    def allowed(self, folder: Path) -> Path:
        """The folder that must contain the files that this one names.

        Args:
            folder: The file's own folder, resolved.
        """
        if self.home is not None:
            return self.home.resolve()
        package = package_folder(str(folder)) if self.packaged else None
        return folder if package is None else Path(package)

    def package(self, name: str) -> Path | None:
        """The folder of a ROS package, see `Folders.package`; None if it is not in the folders allowed."""
        if name not in self._packages:
            try:
                allowed = str(self.allowed(self.folder))
                found = Folders([allowed]).package(name, str(self.folder / "robot"))
            except ValueError:
                found = None
            self._packages[name] = None if found is None else Path(found)
        return self._packages[name]

    def path_beside(self, name: str) -> Path:
        """The resolved path of another file, relative to this file's folder and inside the one that is allowed.

        If this file is a symbolic link, the folder of its target is searched too.

        Raises:
            SuppleError: The other file is outside.
        """
        folder = self.folder
        if self.path.is_symlink() and not (folder / name).exists():
            folder = self.path.resolve().parent
        target, allowed = (folder / name).resolve(), self.allowed(folder)
        if not target.is_relative_to(allowed):
            where = "its own folder" if allowed == folder else f"the folder {allowed}"
            self.error(None, f"expected a file in {where}, got {shown(name)}")
        return target

    def beside(self, name: str, *, most: int = LARGEST_FILE_BYTES) -> bytes:
        """Read another file, see `path_beside`.

        Raises:
            SuppleError: The other file is outside, or cannot be read.
        """
        target = self.path_beside(name)
        data = Source.open(target, most=most).data
        if target not in self._counted:
            self._counted.add(target)
            self.size += len(data)
        return data


def raise_limit(needed: int) -> str:
    """How to raise the limit of memory, for messages.

    Args:
        needed: Memory that was asked for [B].
    """
    megabytes = max(512, 1 << (needed >> 20).bit_length())
    return f"{MEMORY_VARIABLE}={megabytes} in the environment allows more"


def _least_memory() -> int:
    """Memory that may be taken however small the files are [B]."""
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return MEMORY_LEAST
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", text):
        raise SuppleError(f"{MEMORY_VARIABLE}: expected a number of MB above 0, got {text!r}")
    return int(text) << 20


def shown(text: Any) -> str:
    """Text from a file for a message: quoted and shortened."""
    if isinstance(text, (bytes, bytearray, memoryview)):
        text = bytes(text[: EXCERPT_CHARS + 1]).decode("utf-8", "replace")
    return repr(excerpt(text, most=EXCERPT_CHARS))


def excerpt(text: Any, *, most: int = 4 * EXCERPT_CHARS) -> str:
    """Text for a message, shortened: words of a parser, which may quote the file at any length."""
    text = str(text)
    return text if len(text) <= most else text[: most - 3] + "..."


def decoded(name: bytes) -> str:
    """Decode a name: UTF-8, or else Shift JIS if that gives kana, or else Latin 1."""
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
    """Make names unique: blank ones get their index, duplicates a number; with notes.

    Args:
        names: As the file has them.
        source: Where the notes go.
        what: What is named, such as "joint".
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
            numbers[name] = number  # continue here: counting from 2 each time would be quadratic
            new = f"{name} {number}"
            source.warn(f"there are several {what}s called {shown(name)}: this one is {new!r}")
        taken.add(new)
        seen.add(new)
        result.append(new)
    return result


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file to read bytes; what the system refuses, also while it is read, is a SuppleError."""
    try:
        _check_regular(path)
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise SuppleError(f"{path}: {_missing(path)}") from error
    except OSError as error:
        raise SuppleError(f"{path}: cannot read it: {error.strerror or error}") from error


def _check_regular(path: Path) -> None:
    """Refuse pipes and devices: reading them can block or never end."""
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise SuppleError(f"{path}: expected a file, got a folder")
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise SuppleError(f"{path}: expected a regular file, got {kind}; save its data to a file first")


def _missing(path: Path) -> str:
    """Why there is no file at a path, with the nearest name in the same folder."""
    if path.is_symlink():
        return f"it is a link to {os.readlink(path)}, and there is no such file"
    try:
        names = [one.name for one in path.parent.iterdir()][:1000]
    except OSError:
        names = []
    return f"there is no such file{nearest(path.name, names)}"
