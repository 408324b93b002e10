"""The token of a run: new each time, or the one kept from the run before."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from supple.errors import SuppleError
from supple.kernels import user_cache

VALID = re.compile(r"[A-Za-z0-9_-]{24}")


def new_token() -> str:
    """A random token of 24 characters that need no escaping in an address."""
    return secrets.token_urlsafe(18)


def kept_token() -> str:
    """The token in the user's cache folder; a new one is kept there if there is none.

    Raises:
        SuppleError: Others can write to the folder or read the file, or it cannot be written.
    """
    folder = user_cache.home()
    path = folder / "token"
    try:
        user_cache.make_private(folder)
        return _read(path) or _write(path)
    except OSError as error:
        raise SuppleError(f"{path}: cannot keep the token: {error.strerror or error}") from error


def _read(path: Path) -> str:
    """The token in a file; "" if there is no file or it holds something else."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise SuppleError(
                    f"{path}: expected a file that only you can read (mode 600); remove it for a new token"
                )
            text = file.read(100).strip()
    except FileNotFoundError:
        return ""
    return text if VALID.fullmatch(text) else ""


def _write(path: Path) -> str:
    token = new_token()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(f"{token}\n")
    return token
