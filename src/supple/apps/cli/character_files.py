"""Read character files for commands, and print the notes of their readers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.apps.character.character import Character, Note
from supple.apps.cli.console import say_warnings
from supple.apps.clips.models import quiet as quiet
from supple.apps.clips.reader import Reader
from supple.apps.clips.report import warnings_of
from supple.errors import SuppleError


def read_file(
    path: Path,
    *,
    motions: Sequence[Path] = (),
    position_mode: str | None = None,
    fps: float | None = None,
    shapes: Path | None = None,
    folder: Path | None = None,
    xacro_arguments: Sequence[str] = (),
) -> Character:
    """Read a character file; options that are None are not passed to its reader."""
    reader = Reader(
        motions=tuple(map(str, motions)), position_mode=position_mode, fps=fps,
        folder=None if folder is None else str(folder), arguments=tuple(xacro_arguments),
    )  # fmt: skip
    return reader.load(path, **({} if shapes is None else {"shapes": shapes}))


def say_notes(notes: Sequence[Note]) -> None:
    """Print warnings on stderr, a line each; guesses are shown by `supple info` only."""
    say_warnings(warnings_of(notes))


def note_data(note: Note) -> dict[str, Any]:
    """A note as plain data."""
    return {"level": note.level, "text": note.text, "path": note.path, "line": note.line}


def read_names(path: Path) -> list[str]:
    """Read a file of names, one per line; blank lines are skipped."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuppleError(f"{path}: cannot read the names: {error}") from error
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise SuppleError(f"{path}: expected a name a line, got none")
    return names
