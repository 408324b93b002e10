"""The journal beside a folder of results: which clips are done, so that a run goes on where it was ended.

A line for each clip, added when its result is in place. A line that was cut off is no line. A clip counts as done
if its own content, the plan and the version are the same, and its result is as it was written.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from supple.batch.clips import Done
from supple.errors import SuppleError
from supple.version import __version__

ENDING = ".supple-journal"


class Journal:
    """Which clips of a folder of results are done.

    Args:
        folder: Of the results; the journals of all shards of it are read.
        shard: (i, n) of this run; each shard writes a journal of its own.

    Raises:
        SuppleError: The folder cannot be written to.
    """

    def __init__(self, folder: Path, shard: tuple[int, int] | None = None) -> None:
        folder = folder.resolve()
        _check_folder(folder)
        # Beside the folder, which holds results and nothing else.
        stem = f".{folder.name}{ENDING}"
        name = "" if shard is None else f"-{shard[0]}-of-{shard[1]}"
        self.path = folder.parent / f"{stem}{name}.jsonl"
        self._known: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.parent.glob(f"{glob.escape(stem)}*.jsonl")):
            self._read(path)
        self.broken = ""
        try:
            self._file: Any = open(self.path, "ab")  # noqa: SIM115
        except OSError as error:
            self.broken = f"{self.path}: cannot write: {error.strerror}"
            self._file = None
            return
        if self._file.tell() and not self._ends_whole():
            self._append(b"\n")

    def _ends_whole(self) -> bool:
        with open(self.path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                row = json.loads(line)
                self._known[row["key"]] = row
            except (ValueError, KeyError, TypeError):
                continue

    def done(self, key: str, out: Path | None) -> Done | None:
        """What became of a clip, if it is done and its result is as it was written."""
        row = self._known.get(key)
        if row is None or (out is not None and row.get("result") != content_hash(out)):
            return None
        try:
            return Done(**row["done"])
        except (KeyError, TypeError):
            return None

    def add(self, key: str, file: Path, out: Path | None, done: Done) -> None:
        """Note that a clip is done."""
        row = {
            "key": key,
            "file": str(file),
            "result": None if out is None else content_hash(out),
            "done": asdict(done),
        }
        self._append(json.dumps(row, allow_nan=False, default=str).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        # Without a journal a run is as good, but begins anew if it is ended.
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            self.broken = f"{self.path}: cannot write: {error.strerror}"

    def close(self) -> None:
        """Close the file."""
        try:
            if self._file is not None:
                self._file.close()
        except OSError as error:
            self.broken = f"{self.path}: cannot write: {error.strerror}"


def _check_folder(folder: Path) -> None:
    """Raise if nothing can be written to a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror or error
        raise SuppleError(f"{folder}: cannot write to this folder: {why}") from error


def content_hash(path: Path) -> str | None:
    """A hash of a file's bytes; None if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def key_of(digest: str, file: Path, out: Path | None, more: Iterable[Path] = ()) -> str:
    """A hash of all that decides a result: the clip's bytes, what is done, and the version."""
    seen = hashlib.sha256(f"{__version__} {digest} {out.name if out else file.name}".encode())
    for path in (file, *more):
        seen.update((content_hash(path) or "none").encode())
    return seen.hexdigest()
