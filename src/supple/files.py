"""Writing files atomically; reading JSON; converting values for JSON."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import SuppleError, brief, printable

SHOWN_LETTERS = (
    16  # of a file's name in that of its temporary file, which is so at most 90 bytes long
)
_PART = re.compile(rf"\..{{1,{SHOWN_LETTERS}}}\.(?P<digest>[0-9a-f]{{8}})\.\d+\.part", re.DOTALL)


def as_path(what: str, value: object) -> Path:
    """`value` as a path that the system accepts.

    Args:
        what: Name of the value for errors, such as "folder".
        value: Text or a path.

    Raises:
        SuppleError: It is something else, has characters that file names cannot have, or is too long.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise SuppleError(f"{what}: expected the path of a file or folder, got {brief(value)}")
    given = os.fspath(value)
    if isinstance(given, bytes):
        raise SuppleError(f"{what}: expected a path as text, got {brief(given)}")
    try:
        encoded = os.fsencode(given)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise SuppleError(
            f"{what}: expected a path that the system can have, got {brief(ascii(given))}"
        )
    try:
        os.lstat(given)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            longest = max(map(len, encoded.split(os.fsencode(os.sep))))
            raise SuppleError(
                f"{what}: expected a path that the system can have, got one of {len(encoded)} bytes with a name of "
                f"{longest}, which is too long: {brief(given)}"
            ) from None
    return Path(given)


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file.

    Raises:
        SuppleError: It cannot be read, or is not JSON; with path and line.
    """
    path = as_path("JSON file", path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise SuppleError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise SuppleError(f"{path}: not JSON: not a text file") from error
    except RecursionError as error:
        raise SuppleError(f"{path}: not JSON that can be read: nested too deeply") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise SuppleError(f"{path}: not JSON that can be read: {error}") from error
    except OSError as error:
        raise SuppleError(f"{path}: cannot read it: {error.strerror or error}") from error


def plain(value: Any) -> Any:
    """Convert arrays to lists, NumPy scalars to Python numbers, non-finite numbers to None."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    return value


def check_writable(path: str | os.PathLike[str], what: str) -> Path:
    """The path, if its folder exists and nothing but a file is at the path.

    Links are followed.

    Args:
        path: The path to write to.
        what: What will be written, such as "figure".

    Raises:
        SuppleError: It cannot be written there.
    """
    path = as_path(what, path)
    place = target(path)
    if place.is_dir():
        raise SuppleError(f"{path}: expected a file to write the {what} to, got a folder")
    if not place.parent.is_dir():
        folder = str(place.parent)
        raise SuppleError(f"{path}: there is no folder {folder!r} to write the {what} to")
    if place.exists() and not place.is_file():
        raise SuppleError(
            f"{path}: expected a regular file to write the {what} to, got a pipe or a device"
        )
    return path


def target(path: str | os.PathLike[str]) -> Path:
    """The target of a link, which need not exist, or the path itself.

    Raises:
        SuppleError: Links form a cycle.
    """
    path = Path(path)
    if not path.is_symlink():
        return path
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise SuppleError(f"{path}: expected a file, got a link that leads back to itself")
    return place


def write(path: str | os.PathLike[str], content: bytes | str, what: str) -> None:
    """Write a file under another name beside it, then rename it.

    A link is kept, and its target is written; an existing file keeps its mode, and its owner if that is
    allowed.

    Args:
        path: The path to write to.
        content: Bytes, or text to encode as UTF-8.
        what: What the file is, for errors.

    Raises:
        SuppleError: It cannot be written.
    """
    path = check_writable(path, what)
    place = target(path)
    temporary = place.with_name(
        f".{place.name[:SHOWN_LETTERS]}.{_name_digest(place)}.{os.getpid()}.part"
    )
    try:
        try:
            old = place.stat() if place.exists() else None
            if old is not None:
                _make_like(temporary, old)
            temporary.write_bytes(
                printable(content).encode() if isinstance(content, str) else content
            )
            os.replace(temporary, place)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise SuppleError(f"{path}: cannot write the {what}: {error.strerror or error}") from error


def remove_parts(paths: Iterable[Path]) -> None:
    """Remove temporary files of some files that a killed process has left."""
    own: dict[Path, set[str]] = {}
    for path in paths:
        own.setdefault(path.parent, set()).add(_name_digest(path))
    for folder, digests in own.items():
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                found = _PART.fullmatch(entry.name)
                if found and found["digest"] in digests:
                    with suppress(OSError):  # another process was first
                        os.unlink(entry.path)


def _name_digest(path: Path) -> str:
    """A short hash of a file's name."""
    return hashlib.sha256(os.fsencode(path.name)).hexdigest()[:8]


def _make_like(path: Path, old: os.stat_result) -> None:
    """Make an empty file with the mode of another, and its owner if that is allowed."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))
