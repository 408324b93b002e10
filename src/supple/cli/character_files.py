"""Read character files for commands, and print the notes of their readers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from supple.batch.models import quiet as quiet
from supple.cli.console import error_console
from supple.errors import SuppleError
from supple.formats import load
from supple.formats.xacro.arguments import reader_options
from supple.model.character import Character, Note


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
    options = reader_options(path, xacro_arguments)
    if position_mode is not None:
        options["position_mode"] = position_mode
    if fps is not None:
        options["fps"] = fps
    if shapes is not None:
        options["shapes"] = shapes
    with quiet():
        return load(path, motions=motions, folder=folder, **options)


def say_notes(notes: Sequence[Note]) -> None:
    """Print warnings on stderr, a line each; guesses are shown by `supple info` only."""
    console = error_console()
    for note in notes:
        if note.level == "warning":
            console.print(Text(f"note: {note}", style="yellow"), soft_wrap=True)


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
