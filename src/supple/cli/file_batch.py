"""Run a command on many files: expand patterns, choose output paths, report each result."""

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

DONE, NOT_REACHED, BAD_INPUT = 0, 1, 2  # exit codes


@dataclass(frozen=True)
class Outcome:
    """The result of one file.

    Attributes:
        data: The result as plain data, for --json.
        say: Prints the result.
        code: DONE or NOT_REACHED.
    """

    data: Mapping[str, Any]
    say: Callable[[], None]
    code: int = DONE


def expanded(files: Sequence[Path]) -> list[Path]:
    """Expand patterns such as clips/*.bvh that the shell did not; each file once."""
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
    files: Sequence[Path],
    folder: Path,
    *,
    ending: str | None = None,
    naming: Callable[[Path], str] | None = None,
) -> list[tuple[Path, Path]]:
    """Pair each file with its output path, of the same name in a folder; creates the folder.

    Args:
        files: The input files.
        folder: The output folder.
        ending: Extension of the results, such as ".glb"; None for that of each file.
        naming: The name of each result, whatever its format, in place of the file's own.

    Raises:
        SuppleError: Two files have the same output path, or one would overwrite its input.
    """
    if folder.exists() and not folder.is_dir():
        raise SuppleError(f"{folder}: expected a folder, got a file")
    pairs: dict[Path, Path] = {}
    for file in files:
        if naming is not None:
            place = folder / naming(file)
        else:
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
    """Process files one after the other; a failed file is reported, and the others go on.

    Exits with the worst of all codes: BAD_INPUT if a file failed.
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
    """A progress bar with one task on stderr, if that is a terminal."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        yield bar, bar.add_task(words, total=total)
