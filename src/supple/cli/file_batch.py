"""Many files, one after the other: which they are, where each goes, and what became of them."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from supple.cli.console import complain, console, error_console, print_json
from supple.errors import SuppleError
from supple.formats.registry import format_for_writing

DONE, NOT_REACHED, BAD_INPUT = 0, 1, 2


@dataclass(frozen=True)
class Outcome:
    """What became of one file.

    Attributes:
        data: For programs.
        say: Says it to people.
        code: DONE or NOT_REACHED.
    """

    data: Mapping[str, Any]
    say: Callable[[], None]
    code: int = DONE


def expanded(files: Sequence[Path]) -> list[Path]:
    """The files, each once; patterns such as clips/*.bvh that the shell left are filled in."""
    found: dict[Path, None] = {}
    for file in files:
        if not glob.has_magic(str(file)) or file.exists():
            found[file] = None
            continue
        matching = sorted(glob.glob(str(file), recursive=True))
        if not matching:
            raise SuppleError(f"{file}: expected a pattern of some files, got none that match")
        found |= dict.fromkeys(map(Path, matching))
    return list(found)


def places(
    files: Sequence[Path], folder: Path, *, ending: str | None = None
) -> list[tuple[Path, Path]]:
    """Each file with where its result goes: under its own name, in a folder that is made.

    Args:
        files: What is read.
        folder: Where results go.
        ending: Of the results, such as ".glb"; None for that of each file.
    """
    if folder.exists() and not folder.is_dir():
        raise SuppleError(f"{folder}: expected a folder, got a file")
    pairs: dict[Path, Path] = {}
    for file in files:
        place = folder / (file.name if ending is None else file.stem + ending)
        format_for_writing(place)
        if file.resolve() == place.resolve():
            raise SuppleError(f"--out-dir: expected another folder than that of {file}")
        if place in pairs:
            raise SuppleError(f"--out-dir: expected files of different names, got {pairs[place]} "
                              f"and {file}, which both go to {place.name}")  # fmt: skip
        pairs[place] = file
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuppleError(f"{folder}: cannot make this folder: {error.strerror}") from error
    return [(file, place) for place, file in pairs.items()]


def each(
    one: Callable[[Path, Path], Outcome], pairs: Sequence[tuple[Path, Path]], json: bool
) -> None:
    """One file after the other; one that fails is said, and the others go on.

    Ends with the worst of all codes: BAD_INPUT if a file failed.
    """
    worst, failed = DONE, 0
    rows: list[dict[str, Any]] = []
    with progress_bar("files", len(pairs)) as (bar, task):
        for file, out in pairs:
            try:
                made = one(file, out)
            except SuppleError as error:
                failed += 1
                rows.append({"file": str(file), "failed": str(error)})
                known = str(error).startswith(str(file))
                complain(error if known else SuppleError(f"{file}: {error}"))
            else:
                worst = max(worst, made.code)
                rows.append({"file": str(file), **made.data})
                if not json:
                    made.say()
            bar.advance(task)
    if json:
        print_json({"files": rows, "failed": failed})
    elif len(pairs) > 1:
        console().print(_summary(len(pairs), failed))
    if failed or worst:
        raise typer.Exit(BAD_INPUT if failed else worst)


def _summary(count: int, failed: int) -> Text:
    written = f"{count - failed} of {count} files written"
    if not failed:
        return Text(written, style="green")
    return Text(f"{written}, {failed} failed", style="red")


@contextmanager
def progress_bar(words: str, total: int | None) -> Iterator[tuple[Progress, Any]]:
    """A progress bar on stderr with one task, where that is a terminal."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        yield bar, bar.add_task(words, total=total)
