"""Writing files so that what was there is replaced only by something whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from supple.errors import SuppleError


def check_writable(path: str | os.PathLike[str], what: str) -> Path:
    """The path, if there is a folder for the file and no folder in its place.

    Args:
        path: Where a file is to be written.
        what: What will be written, such as "figure".

    Raises:
        SuppleError: It cannot be written there.
    """
    path = Path(path)
    if path.is_dir():
        raise SuppleError(f"{path}: expected a file to write the {what} to, got a folder")
    if not path.parent.is_dir():
        folder = str(path.parent)
        raise SuppleError(f"{path}: there is no folder {folder!r} to write the {what} to")
    return path


def write(path: str | os.PathLike[str], content: bytes | str, what: str) -> None:
    """Write a file under another name beside it, then rename it.

    Args:
        path: Where.
        content: Bytes, or text for UTF-8.
        what: What it is, for the message if it fails.

    Raises:
        SuppleError: It cannot be written.
    """
    path = check_writable(path, what)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise SuppleError(f"{path}: cannot write the {what}: {error.strerror or error}") from error
