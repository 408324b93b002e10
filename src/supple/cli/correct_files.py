"""From files to files: one clip, or many one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from supple.character import Note
from supple.cli.correct_report import as_data, one_line, show
from supple.cli.reading import say_notes
from supple.cli.report import complain, error_console, print_json
from supple.errors import SuppleError
from supple.files import check_writable
from supple.formats.registry import writable
from supple.motion import Correction

NOT_REACHED, BAD_INPUT = 1, 2

Made = tuple[list[Correction], Sequence[Note]]
One = Callable[[Path, Path, Callable[[int, int], None] | None], Made]


def outputs(
    files: Sequence[Path], out: Path | None, out_dir: Path | None
) -> list[tuple[Path, Path]]:
    """Each file with where its result goes."""
    if (out is None) == (out_dir is None):
        raise SuppleError("expected --out FILE for one file, or --out-dir FOLDER for many")
    if out is not None:
        if len(files) != 1:
            raise SuppleError(f"--out: expected one file, got {len(files)}; give --out-dir FOLDER")
        check_writable(out, f"{writable(out).title} file")
        return [(files[0], out)]
    assert out_dir is not None
    if out_dir.exists() and not out_dir.is_dir():
        raise SuppleError(f"{out_dir}: expected a folder, got a file")
    pairs = [(file, out_dir / file.name) for file in files]
    for file, place in pairs:
        writable(place)
        if file.resolve() == place.resolve():
            raise SuppleError(f"--out-dir: expected another folder than that of {file}")
    twice = {place for _, place in pairs}
    if len(twice) < len(pairs):
        raise SuppleError("--out-dir: expected files of different names, got some twice")
    out_dir.mkdir(parents=True, exist_ok=True)
    return pairs


def single(one: One, file: Path, out: Path, json: bool) -> None:
    """One file, and all there is to say of it."""
    with _bar("correcting", None) as (bar, task):
        made, notes = one(
            file, out, lambda done, total: bar.update(task, completed=done, total=total)
        )
    if json:
        print_json({"file": str(file), "written": str(out), **as_data(made)})
    else:
        say_notes(notes)
        show(made, out)
    if not all(bool(np.all(step.reached)) for step in made):
        raise typer.Exit(NOT_REACHED)


def many(one: One, pairs: Sequence[tuple[Path, Path]], json: bool) -> None:
    """One file after the other; one that cannot be read is said, and the others go on."""
    worst = 0
    rows: list[dict[str, Any]] = []
    with _bar("files", len(pairs)) as (bar, task):
        for file, out in pairs:
            try:
                made, notes = one(file, out, None)
            except SuppleError as error:
                worst = BAD_INPUT
                rows.append({"file": str(file), "failed": str(error)})
                known = str(error).startswith(str(file))
                complain(error if known else SuppleError(f"{file}: {error}"))
            else:
                if not all(bool(np.all(step.reached)) for step in made):
                    worst = max(worst, NOT_REACHED)
                rows.append({"file": str(file), "written": str(out)})
                if json:
                    rows[-1] |= as_data(made)
                else:
                    say_notes(notes)
                    one_line(made, file)
            bar.advance(task)
    if json:
        print_json({"files": rows})
    if worst:
        raise typer.Exit(worst)


@contextmanager
def _bar(words: str, total: int | None) -> Iterator[tuple[Progress, Any]]:
    """A progress bar on stderr with one task, where that is a terminal."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        yield bar, bar.add_task(words, total=total)
