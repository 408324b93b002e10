"""The journal beside a folder of results: which clips are done, so that a run goes on where it was ended.

A line for each clip, added when its result is in place. A line that was cut off is no line. A clip counts as done
if its own content, the plan and the version are the same, and its result is as it was written. Lines are not
forced onto the disk: what a crash of the machine loses is done again.
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

from supple.clips.done import Done
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
        self.folder = folder.resolve()
        _check_folder(self.folder)
        # Beside the folder, which holds results and nothing else.
        stem = f".{self.folder.name}{ENDING}"
        name = "" if shard is None else f"-{shard[0]}-of-{shard[1]}"
        self.path = self.folder.parent / f"{stem}{name}.jsonl"
        # Where rows begin, by the clip's name: of ten thousand clips, their contents would be too much.
        self._rows: dict[str, tuple[Path, int]] = {}
        for path in sorted(self.folder.parent.glob(f"{glob.escape(stem)}*.jsonl")):
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
            with open(path, "rb") as file:
                at = 0
                for line in file:
                    row = _parsed(line)
                    if row is not None:
                        self._rows[row["name"]] = (path, at)
                    at += len(line)
        except OSError:
            return

    def has(self, name: str) -> bool:
        """Whether the clip of a result, named by its path in the folder, was done, in whatever way."""
        return name in self._rows

    def done(self, name: str, key: str, out: Path | None) -> Done | None:
        """What became of a clip, if it is done and its result is as it was written."""
        if name not in self._rows:
            return None
        path, at = self._rows[name]
        try:
            with open(path, "rb") as file:
                file.seek(at)
                row = _parsed(file.readline())
        except OSError:
            return None
        if row is None or row["key"] != key:
            return None
        if out is not None and row.get("result") != content_hash(out):
            return None
        try:
            return Done(**row["done"])
        except (KeyError, TypeError):
            return None

    def add(self, name: str, key: str, result: str | None, done: Done) -> None:
        """Note that a clip is done.

        Args:
            name: Of its result: the path in the folder.
            key: As `key_of` gives it, from before the clip was read.
            result: Hash of the result's bytes; None if none was written.
            done: What became of it.
        """
        row = {"name": name, "key": key, "result": result, "done": asdict(done)}
        self._append(json.dumps(row, allow_nan=False, default=str).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        # Without a journal a run is as good, but begins anew if it is ended.
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self.broken = f"{self.path}: cannot write: {error.strerror}"

    def close(self) -> None:
        """Close the file."""
        try:
            if self._file is not None:
                self._file.close()
        except OSError as error:
            self.broken = f"{self.path}: cannot write: {error.strerror}"


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
        return row if isinstance(row["name"], str) and isinstance(row["key"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


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


def key_of(digest: str, name: str, files: Iterable[Path]) -> str:
    """A hash of all that decides a result: what is done, the version, and the bytes of what is read.

    Args:
        digest: Of what is done.
        name: Of the result: the path in the folder.
        files: The clip, and what else is read for it alone.
    """
    seen = hashlib.sha256(os.fsencode(f"{__version__} {digest} {name}"))
    for path in files:
        seen.update((content_hash(path) or "none").encode())
    return seen.hexdigest()
