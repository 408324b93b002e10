"""Run work on one file or many from the command line: output paths, progress, a line for each file, a summary."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from supple.apps.cli.console import complain, console, error_console, print_json, say_warnings
from supple.apps.clips import (
    BAD_INPUT,
    DONE,
    Ended,
    OnClip,
    Plan,
    Run,
    RunInterruptedError,
    load_plan,
    parse_shard,
    run,
)
from supple.apps.clips.clip_files import ClipFiles, expanded, result_paths
from supple.apps.clips.keys import CommandLine
from supple.apps.formats.registry import format_for_writing
from supple.errors import SuppleError
from supple.files import check_writable
from supple.threads import cores

SCALE = "Many clips"
CLIPS_PER_PROCESS = 8  # least number that makes up for starting a process; not tuned

PlanOption = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help="A TOML file that says what to do.", rich_help_panel=SCALE
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-J", metavar="N", min=1, rich_help_panel=SCALE,
        help="The number of processes. Default: one for each core, fewer for a few clips.",
    ),
]  # fmt: skip
ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/N", rich_help_panel=SCALE,
        help="Only the I-th of N parts of the clips, as in a job array.",
    ),
]  # fmt: skip
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", rich_help_panel=SCALE,
        help="Use the workers of this Dask scheduler, which must see the same files.",
    ),
]  # fmt: skip


READER = CommandLine({"arguments": "arg"})
"""The options of readers whose names differ from their keys in a plan."""


def planned(
    path: Path,
    files: Sequence[Path],
    folder: Path | None = None,
    *,
    reader: Mapping[str, Any] | None = None,
) -> tuple[Plan, ClipFiles]:
    """A plan and the clips it is for: those given, or those it names.

    The files that it names are read, and the names of joints in it are checked with the first clip that can be read.

    Args:
        path: Of the plan.
        files: Files, folders and patterns; if empty, those of the plan.
        folder: The output folder; clips found in it are left out.
        reader: Options of readers, which override the plan's.
    """
    plan = load_plan(path)
    plan = replace(plan, reader=plan.reader.changed(reader or {}, READER))
    plan.check_files()
    clips = expanded(files, folder) if files else plan.clips.outside(folder)
    if not clips:
        raise SuppleError(f"{path}: expected clips, on the command line or as clips = [...]")
    for clip in clips:
        try:
            character = plan.reader.load(clip)
        except SuppleError:
            continue  # reported when the clip is processed
        if character.motions:
            name = plan.motion if plan.motion not in (None, "all") else None
            plan.check_names(character, character.motion(name or next(iter(character.motions))))
            break
    return plan, clips


def results(
    clips: ClipFiles,
    out: Path | None,
    out_dir: Path | None,
    *,
    ending: str | None = None,
    out_may_be_folder: bool = False,
) -> tuple[Path | None, list[tuple[Path, Path]]]:
    """The folder of the results, None for a single file, and (clip, result) of each clip.

    Args:
        clips: The input.
        out: As --out.
        out_dir: As --out-dir.
        ending: The extension of results in a folder; None for that of each clip.
        out_may_be_folder: Whether --out is a folder if there are several clips, or if it has no extension or is one.
    """
    if (out is None) == (out_dir is None):
        raise SuppleError("expected --out FILE for one clip, or --out-dir FOLDER for many")
    folder = out_dir
    if out_may_be_folder and out is not None and (
        len(clips) != 1 or not out.suffix or os.path.isdir(out)
    ):  # fmt: skip
        folder = out
    if folder is not None:
        return folder, result_paths(clips, folder, ending=ending)
    assert out is not None
    if len(clips) != 1:
        raise SuppleError(f"--out: expected one file, got {len(clips)}; give --out-dir FOLDER")
    check_writable(out, f"{format_for_writing(out).title} file")
    return None, [(file, out) for file in clips]


def run_clips(
    work: OnClip,
    pairs: Sequence[tuple[Path, Path]],
    folder: Path | None,
    *,
    json: bool,
    jobs: int | None = None,
    shard: str | None = None,
    scheduler: str | None = None,
    written: bool = True,
    say: Callable[[Ended], None] | None = None,
    each: Callable[[Ended], None] | None = None,
    row: Callable[[Ended], dict[str, Any]] | None = None,
    end: Callable[[], None] | None = None,
    single: bool = False,
    skipped: int = 0,
    verb: str = "done",
) -> None:
    """Run work on clips and report; exits with the worst exit code of all clips.

    Args:
        work: What to do with each.
        pairs: (clip, result) of each.
        folder: Of the results; None if nothing is written.
        json: True to print everything as JSON at the end.
        jobs: As --jobs.
        shard: As --shard.
        scheduler: As --scheduler.
        written: Whether each clip has a result that is a file.
        say: Prints the result of a clip that did not fail; by default one line.
        each: Called with each clip that ends.
        row: The data of a clip for JSON; by default its output path and its own data.
        end: Called when all clips have ended, before the summary.
        single: True for one clip, not a list of one: JSON then describes that clip alone, the clip may use all
            cores, and clips are not counted.
        skipped: The number of files in folders that hold no motions, and were left out.
        verb: The participle for files that did not fail, in the summary.
    """
    if jobs is None and scheduler is None:
        jobs = max(1, min(cores(), len(pairs) // CLIPS_PER_PROCESS))
    part = parse_shard(shard) if shard is not None else None
    state = run(
        work, pairs, folder, jobs=jobs, shard=part, scheduler=scheduler, written=written,
        threads=None if single else 1,
    )  # fmt: skip
    rows: dict[Path, dict[str, Any]] = {}
    with _progress(shown=not single) as bar, _json_if_interrupted(state, rows, json, skipped):
        task = bar.add_task("", total=len(state.pairs), rate="")
        for one in state:
            if one.failed:
                known = one.done.text.startswith(str(one.file))
                complain(SuppleError(one.done.text if known else f"{one.file}: {one.done.text}"))
                rows[one.out] = {"file": str(one.file), "failed": one.done.text}
            else:
                if json:
                    made = row(one) if row else {"written": str(one.out), **one.done.data}
                    rows[one.out] = {"file": str(one.file), **made}
                else:
                    (say or say_line)(one)
            if each is not None:
                each(one)
            bar.update(task, advance=1, rate=pace(state))
    if end is not None:
        end()
    _end(state, rows, json, single, skipped, verb)


@contextmanager
def _json_if_interrupted(
    state: Run, rows: dict[Path, dict[str, Any]], json: bool, skipped: int
) -> Iterator[None]:
    """If a run cannot go on, print the JSON of the clips that have ended, and list the others."""
    try:
        yield
    except RunInterruptedError:
        if json:
            unfinished = list(map(str, state.unfinished))
            print_json({**_data(state, rows, skipped), "unfinished": unfinished})
        raise


def _data(state: Run, rows: dict[Path, dict[str, Any]], skipped: int) -> dict[str, Any]:
    ordered = [rows[out] for _, out in state.pairs if out in rows]
    return {"files": ordered, "failed": len(state.failed), "done before": state.again,
            "skipped": skipped}  # fmt: skip


def say_line(one: Ended) -> None:
    """Print a line about a clip, and its warnings on stderr."""
    say_warnings(one.done.data.get("notes", ()))
    state = one.done.data.get("state", "done" if one.done.code == DONE else "not reached")
    head = (state, "green" if one.done.code == DONE else "red")
    console().print(Text.assemble(head, f" {one.name}: {one.done.text}"), soft_wrap=True)


def _end(
    state: Run,
    rows: dict[Path, dict[str, Any]],
    json: bool,
    single: bool,
    skipped: int,
    verb: str,
) -> None:
    if state.warning:
        complain(SuppleError(f"{state.warning}; if this run is interrupted, it cannot resume"))
    if json and single and state.pairs:  # none if they are of another shard
        if not state.failed:
            print_json(next(iter(rows.values())))
    elif json:
        print_json(_data(state, rows, skipped))
    elif len(state.pairs) > 1 or skipped:
        console().print(_summary(state, skipped, verb), soft_wrap=True)
    if state.failed or state.worst:
        raise typer.Exit(BAD_INPUT if state.failed else state.worst)


def _summary(state: Run, skipped: int, verb: str) -> Text:
    count, failed = len(state.pairs), len(state.failed)
    words = f"{count - failed} of {count} files {verb}"
    if state.again:
        words += f", {state.again} by an earlier run"
    words += f", {skipped} of other formats skipped" if skipped else ""
    if not failed:
        return Text(words, style="green")
    names = ", ".join(str(file) for file, _ in state.failed[:5]) + (", ..." if failed > 5 else "")
    return Text(f"{words}, {failed} failed: {names}", style="red")


def pace(state: Run) -> str:
    """The rate, and the time left."""
    left = state.left
    if left is None:
        return ""
    hours, rest = divmod(round(left), 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{state.rate:.3g} clips/s, {clock} left"


def _progress(*, shown: bool) -> Progress:
    return Progress(
        TextColumn("clips"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        console=error_console(), transient=True, disable=not (shown and error_console().is_terminal),
    )  # fmt: skip


@contextmanager
def progress_bar(words: str, *, shown: bool = True) -> Iterator[tuple[Progress, Any]]:
    """A progress bar with one task of unknown length on stderr, if that is a terminal."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not (shown and error_console().is_terminal),
    )  # fmt: skip
    with bar:
        yield bar, bar.add_task(words, total=None)
