"""Writing files so that what was there is replaced only by something whole."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from supple.errors import SuppleError, brief

LONGEST_NAME, LONGEST_PATH = 255, 4095  # [bytes] of a file's name and a path, as on Linux


def as_path(what: str, value: object) -> Path:
    """`value` as a path that the system can look for.

    Args:
        what: What the caller knows the value by, such as "folder".
        value: Text or a path.

    Raises:
        SuppleError: It is something else, or has letters that no name of a file has.
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
    too_long = len(encoded) > LONGEST_PATH or any(
        len(part) > LONGEST_NAME for part in encoded.split(os.fsencode(os.sep))
    )
    if b"\0" in encoded or too_long:
        raise SuppleError(
            f"{what}: expected a path that the system can have, got {brief(ascii(given))}"
            + (f" of {len(encoded):,} bytes" if too_long else "")
        )
    return Path(given)


def check_writable(path: str | os.PathLike[str], what: str) -> Path:
    """The path, if there is a folder for the file, and nothing but a file in its place.

    Of a link, its target counts.

    Args:
        path: Where a file is to be written.
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
    """Where a path leads: the target of a link, which need not exist, or the path itself.

    Raises:
        SuppleError: Links lead in a circle.
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

    A link stays, and its target is written; a file that is there keeps its mode, and its owner where
    that is allowed.

    Args:
        path: Where.
        content: Bytes, or text for UTF-8.
        what: What it is, for the message if it fails.

    Raises:
        SuppleError: It cannot be written.
    """
    path = check_writable(path, what)
    place = target(path)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        try:
            old = place.stat() if place.exists() else None
            if old is not None:
                _make_like(temporary, old)
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
            os.replace(temporary, place)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise SuppleError(f"{path}: cannot write the {what}: {error.strerror or error}") from error


def _make_like(path: Path, old: os.stat_result) -> None:
    """Make an empty file with the mode of another, and its owner where that is allowed."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))
