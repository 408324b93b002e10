"""Correct one file with a full report, or many with a line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import typer

from supple.batch import DONE, NOT_REACHED
from supple.cli.character_files import say_notes
from supple.cli.commands.correct_report import as_data, show
from supple.cli.console import print_json
from supple.cli.file_batch import expanded, places, progress_bar
from supple.errors import SuppleError
from supple.files import check_writable
from supple.formats.registry import format_for_writing
from supple.model.character import Note
from supple.motion import Correction

Made = tuple[list[Correction], Sequence[Note]]
One = Callable[[Path, Path, Callable[[int, int], None] | None], Made]


def outputs(
    files: Sequence[Path], out: Path | None, out_dir: Path | None
) -> tuple[list[tuple[Path, Path]], int]:
    """Each file with its output path, from --out or --out-dir; and how many files in folders hold no motions."""
    if (out is None) == (out_dir is None):
        raise SuppleError("expected --out FILE for one file, or --out-dir FOLDER for many")
    clips = expanded(files, out_dir)
    if out_dir is not None:
        return places(clips, out_dir), clips.skipped
    assert out is not None
    if len(clips) != 1:
        raise SuppleError(f"--out: expected one file, got {len(clips)}; give --out-dir FOLDER")
    check_writable(out, f"{format_for_writing(out).title} file")
    return [(file, out) for file in clips], clips.skipped


def single(one: One, file: Path, out: Path, json: bool) -> None:
    """Correct one file, with a full report."""
    with progress_bar("correcting", None) as (bar, task):
        made, notes = one(
            file, out, lambda done, total: bar.update(task, completed=done, total=total)
        )
    if json:
        print_json({"file": str(file), "written": str(out), **as_data(made),
                    "notes": warnings_of(notes)})  # fmt: skip
    else:
        say_notes(notes)
        show(made, out)
    if code_of(made):
        raise typer.Exit(code_of(made))


def warnings_of(notes: Sequence[Note]) -> list[str]:
    """The warnings among notes, in words."""
    return [str(note) for note in notes if note.level == "warning"]


def code_of(made: Sequence[Correction]) -> int:
    """DONE if all frames are reached, else NOT_REACHED."""
    return DONE if all(bool(np.all(step.reached)) for step in made) else NOT_REACHED
