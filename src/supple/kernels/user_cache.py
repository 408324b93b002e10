"""The folder that supple caches in: compiled kernels, and the peers of a benchmark."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def home() -> Path:
    """The user's cache folder for supple, by the custom of the platform."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # the XDG specification says to ignore it
            base = "~/.cache"
    return Path(base).expanduser() / "supple"


def make_private(folder: Path) -> None:
    """Create `folder` for this user alone, or make sure that nobody else can write there.

    Raises:
        OSError: The folder is not safe. Files in it are executed, so nobody else may write there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise OSError(f"{folder} is a link, not a folder")
    if os.name == "posix":
        if info.st_uid != os.geteuid():
            raise OSError(f"{folder} belongs to another user")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(f"{folder} can be written to by other users (chmod go-w would mend it)")
