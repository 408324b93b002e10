"""The journal beside a folder of results: the finished clips, so that an interrupted run can resume.

It has a line for each clip, added when its result is in place. A truncated line is ignored. A clip counts as done
if its content, the plan and the version are the same, and its result has not changed. Lines are not flushed to
disk: clips whose lines are lost in a crash of the machine are processed again.
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

from supple.apps.clips.done import Done
from supple.errors import SuppleError
from supple.version import __version__

ENDING = ".supple-journal"


class Journal:
    """The finished clips of an output folder.

    Args:
        folder: The output folder; the journals of all its shards are read.
        shard: (i, n) of this run; each shard writes its own journal.

    Raises:
        SuppleError: The folder cannot be written to.
    """

    def __init__(self, folder: Path, shard: tuple[int, int] | None = None) -> None:
        self.folder = folder.resolve()
        _check_folder(self.folder)
        # Beside the folder, which holds results only.
        stem = f".{self.folder.name}{ENDING}"
        name = "" if shard is None else f"-{shard[0]}-of-{shard[1]}"
        self.path = self.folder.parent / f"{stem}{name}.jsonl"
        # Offsets of rows, by the clip's name: the rows of ten thousand clips would take too much memory.
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
        """Whether the clip with this result, named by its path in the folder, has a row."""
        return name in self._rows

    def done(self, name: str, key: str, out: Path | None) -> Done | None:
        """The result of a clip, if it is done and its output has not changed."""
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
        """Add a row for a finished clip.

        Args:
            name: The path of its result in the folder.
            key: From `key_of`, computed before the clip was read.
            result: Hash of the result's bytes; None if none was written.
            done: Its result.
        """
        row = {"name": name, "key": key, "result": result, "done": asdict(done)}
        self._append(json.dumps(row, allow_nan=False, default=str).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        # Without a journal a run still works, but cannot resume.
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
    """A hash of everything that determines a result: the work, the version, and the bytes of the input.

    Args:
        digest: Of the work.
        name: The path of the result in the folder.
        files: The clip, and other files that are read for this clip only.
    """
    seen = hashlib.sha256(os.fsencode(f"{__version__} {digest} {name}"))
    for path in files:
        seen.update((content_hash(path) or "none").encode())
    return seen.hexdigest()
