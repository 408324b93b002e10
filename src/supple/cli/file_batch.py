"""Run a command on many files: expand patterns, choose output paths, report each result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from supple.batch.clip_files import ClipFiles, find_clips, join_clips
from supple.cli.console import complain, console, error_console, print_json
from supple.errors import SuppleError
from supple.files import as_path
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


def expanded(files: Sequence[Path], folder: Path | None = None) -> ClipFiles:
    """The files, those in folders, and those of patterns such as clips/*.bvh that the shell did not expand.

    Args:
        files: Files, folders and patterns.
        folder: For the results: what is found in it is left out.
    """
    parts = []
    for file in files:
        found = find_clips(file)
        if not found:
            raise SuppleError(f"{file}: expected a pattern of some files, got none that match")
        parts.append(found)
    return join_clips(parts).outside(folder)


def places(
    files: ClipFiles,
    folder: Path,
    *,
    ending: str | None = None,
    naming: Callable[[Path], str] | None = None,
) -> list[tuple[Path, Path]]:
    """Pair each file with its output path; creates the folders.

    That is the file's path below the folder that all files have in common, in the output folder.

    Args:
        files: The input files.
        folder: The output folder.
        ending: Extension of the results, such as ".glb"; None for that of each file.
        naming: The name of each result, whatever its format, in place of the file's own.

    Raises:
        SuppleError: Two files have the same output path, or one would overwrite its input.
    """
    as_path("--out-dir", folder)
    if folder.exists() and not folder.is_dir():
        raise SuppleError(f"{folder}: expected a folder, got a file")
    pairs: dict[Path, Path] = {}
    for file in files:
        inside = folder / files.name(file).parent
        if naming is not None:
            place = inside / naming(file)
        else:
            place = inside / (file.name if ending is None else file.stem + ending)
            format_for_writing(place)
        if file.resolve() == place.resolve():
            raise SuppleError(f"--out-dir: expected another folder than that of {file}")
        if place in pairs:
            raise SuppleError(f"--out-dir: expected files of different names, got {pairs[place]} "
                              f"and {file}, which both go to {place.relative_to(folder)}")  # fmt: skip
        pairs[place] = file
    for inside in dict.fromkeys([folder, *(place.parent for place in pairs)]):
        try:
            inside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SuppleError(f"{inside}: cannot make this folder: {error.strerror}") from error
    return [(file, place) for place, file in pairs.items()]


def each(
    one: Callable[[Path, Path], Outcome],
    pairs: Sequence[tuple[Path, Path]],
    json: bool,
    *,
    skipped: int = 0,
) -> None:
    """Process files one after the other; a failed file is reported, and the others go on.

    Exits with the worst of all codes: BAD_INPUT if a file failed.

    Args:
        one: What to do with a file and its output path.
        pairs: (file, output path) of each.
        json: Whether all is printed as JSON at the end.
        skipped: How many files in folders hold no motions, and were left out.
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
        print_json({"files": rows, "failed": failed, "skipped": skipped})
    elif len(pairs) > 1 or skipped:
        console().print(_summary(len(pairs), failed, skipped))
    if failed or worst:
        raise typer.Exit(BAD_INPUT if failed else worst)


def said_of_skipped(skipped: int) -> str:
    """What a summary says about files in folders that hold no motions."""
    return f", {skipped} of other formats skipped" if skipped else ""


def _summary(count: int, failed: int, skipped: int) -> Text:
    written = f"{count - failed} of {count} files written{said_of_skipped(skipped)}"
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
