"""`supple check`: find the faults of motions, and repair those that can be repaired."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from supple.apps.cli.console import console, say_warnings, table
from supple.apps.cli.many_files import (
    READER,
    JobsOption,
    PlanOption,
    SchedulerOption,
    ShardOption,
    planned,
    run_clips,
)
from supple.apps.cli.options import (
    MODEL,
    OUTPUT,
    FpsOption,
    GroundOption,
    JsonOption,
    PositionModeOption,
    parse_ground,
)
from supple.apps.clips import DONE, NOT_REACHED, Done, Ended, Plan
from supple.apps.clips.clip_files import expanded, result_paths
from supple.apps.clips.keys import CommandLine
from supple.apps.clips.one_clip import run_plan, write_works
from supple.apps.clips.reader import Reader
from supple.apps.clips.steps import CheckStep
from supple.apps.motion.checks import KINDS, PROFILES, Budgets
from supple.apps.motion.checks.html import assembled, section, summary
from supple.apps.motion.checks.measure import frames_in_words
from supple.errors import SuppleError, printable
from supple.files import check_writable
from supple.files import write as write_file
from supple.solve.outcome import counted
from supple.texts import short

CHECKS = "Checks"
MOST_DRAWN_CLIPS = 200  # with faults, in a report; not tuned
CHECK = CommandLine({"kinds": "kind"})  # options whose names differ from their keys in a plan


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CLIPS...",
            help="Clips: .bvh, .smd, .glb, .gltf or .character files, or folders of them. "
            "Default: those of the plan.",
        ),
    ] = None,
    budgets: Annotated[
        Path | None,
        typer.Option(
            "--budgets", metavar="FILE", rich_help_panel=CHECKS,
            help="A TOML file with the allowed size of each kind of fault, such as skate = 0.3; "
            "false: not checked.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="NAME", rich_help_panel=CHECKS,
            help=f"The budgets that --budgets does not give: {', '.join(PROFILES)}. captured: for captured clips, "
            "only what a person would repair. Default: authored.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", rich_help_panel=CHECKS,
            help=f"Check this kind of fault only: {', '.join(KINDS)}. Repeatable.",
        ),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option("--up", metavar="AXIS", rich_help_panel=CHECKS,
                     help="The axis that points up: y, z, -x... Default: as the file has it."),
    ] = None,
    ground: GroundOption = None,
    loop: Annotated[
        bool | None,
        typer.Option("--loop/--no-loop", rich_help_panel=CHECKS,
                     help="Whether clips are loops, whose seams are checked. Default: as the file says."),
    ] = None,
    limits: Annotated[
        Path | None,
        typer.Option("--limits", metavar="FILE", rich_help_panel=CHECKS,
                     help="A file with the same joints, whose limits are checked."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="FILE|FOLDER", rich_help_panel=CHECKS,
            help="The original clip, or a folder of original clips of the same names: only what became "
            "worse is a fault. Or a report printed by --json, a .json file: only new or worse faults count.",
        ),
    ] = None,
    fix: Annotated[
        bool,
        typer.Option("--fix", rich_help_panel=OUTPUT,
                     help="Repair faults where possible, write the clips to --out-dir, and report what is left."),
    ] = False,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out-dir", metavar="FOLDER", rich_help_panel=OUTPUT,
            help="The folder for repaired clips; without --fix, for a JSON report of each clip.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", rich_help_panel=OUTPUT,
                     help="Write a report with pictures: one self-contained .html file."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option("--motion", metavar="NAME|all", help="Which motion. Default: all.", rich_help_panel=MODEL),
    ] = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    plan: PlanOption = None,
    jobs: JobsOption = None,
    shard: ShardOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Find faults of motions: sliding feet, pops, joints in the ground or in the body.

    supple check clips/*.bvh --report report.html

    supple check clips/*.bvh --fix --out-dir fixed

    supple check clips/*.bvh --json > known.json

    supple check clips/*.bvh --against known.json

    Skate, pops and seams must also exceed what is usual in the clip. `supple lint` checks the file, `supple check` the
    motion. Exit code 1 if there are faults or nothing could be checked, 2 if a file could not be read.
    """
    if fix and out_dir is None:
        raise SuppleError("--fix: expected --out-dir FOLDER, where repaired clips go")
    if report is not None:
        if report.suffix.lower() not in (".html", ".htm"):
            raise SuppleError(f"--report: expected an .html file, got {str(report)!r}")
        check_writable(report, "report")
    given = {
        "kinds": kind, "ground": parse_ground(ground), "limits": limits and str(limits),
        "against": against and str(against), "fix": fix or None,
    }  # fmt: skip
    reader = {"position_mode": position_mode, "fps": fps}
    if plan is not None:
        whole, clips = planned(plan, files or [], out_dir, reader=reader)
        step = next(
            (one for one in reversed(whole.steps) if isinstance(one, CheckStep)), CheckStep()
        )
        # No other step runs: the clip as it was read is the clip that is checked.
        step = replace(step, against=step.against if isinstance(step.against, str) else False)
        if step.fix and out_dir is None:
            raise SuppleError(f"{step.where}: fix = true expected --out-dir FOLDER")
    elif files:
        whole, step = Plan(reader=Reader.read(reader, READER)), CheckStep()
        clips = expanded(files, out_dir)
    else:
        raise SuppleError("expected clips to check, or --plan FILE with clips = [...]")
    step = step.changed(given, CHECK)
    asked = replace(
        whole, steps=(step,), up=up or whole.up, loop=whole.loop if loop is None else loop,
        motion=motion or whole.motion or "all",
        budgets=whole.budgets if budgets is None and profile is None else Budgets.of(budgets, profile),
    )  # fmt: skip
    asked.check_files()
    if step.baseline is not None:
        step.baseline.check_clips(clips)
    work = CheckClip(asked, step.fix, out_dir is not None, report is not None)
    naming = None if step.fix else lambda file: f"{file.name}.json"
    pairs = (
        [(clip, clip) for clip in clips]
        if out_dir is None
        else result_paths(clips, out_dir, naming=naming)
    )
    drawn = _Report()

    def say(one: Ended) -> None:
        show(one, several=len(pairs) > 1)

    run_clips(
        work, pairs, out_dir, json=json, jobs=jobs, shard=shard, scheduler=scheduler,
        written=out_dir is not None, say=say, each=drawn.add, row=_row,
        end=lambda: drawn.write(report, [str(file) for file, _ in pairs]), skipped=clips.skipped,
    )  # fmt: skip


@dataclass(frozen=True)
class CheckClip:
    """Checks a clip, repairs it if asked, and writes the result.

    Attributes:
        plan: With the check as its only step.
        fix: Whether to write the repaired clip; otherwise a JSON report is written.
        write: Whether a result is written.
        draw: Whether pictures are made.
    """

    plan: Plan
    fix: bool
    write: bool
    draw: bool

    @property
    def digest(self) -> str:
        """A hash of the work, independent of the clip."""
        return f"{self.plan.digest} {self.fix} {self.write} {self.draw}"

    def reads(self, file: Path) -> Iterable[Path]:
        """The clip, and the clip before it was changed."""
        return self.plan.reads(file)

    def __call__(self, file: Path, out: Path) -> Done:
        """Check a file, and write the result."""
        called = printable(str(file))
        works = run_plan(self.plan, file)
        rows = [{key: value for key, value in work.data[-1].items() if key != "do"}
                for work in works]  # fmt: skip
        if self.write and self.fix:
            write_works(works, out)
        elif self.write:
            text = json_text.dumps({"file": called, "motions": rows}, indent=1)
            write_file(out, text + "\n", "report")
        data: dict[str, Any] = {"motions": rows,
                                "summary": [summary(work.checked[-1]) for work in works]}  # fmt: skip
        if self.draw:
            names = [called if len(works) == 1 else f"{called}: {work.name}" for work in works]
            parts = zip(names, works, strict=True)
            data["html"] = "".join(section(name, work.checked[0]) for name, work in parts)
        return Done(DONE if all(work.ok for work in works) else NOT_REACHED, "", data)


class _Report:
    """Collects the parts of the HTML report as clips end."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[str, dict[str, int | None]]]] = {}
        self._parts: dict[str, str] = {}

    def add(self, one: Ended) -> None:
        if one.failed:
            return
        file, called = str(one.file), printable(str(one.file))
        several = zip(one.done.data["motions"], one.done.data["summary"], strict=True)
        self._rows[file] = [
            (
                called if len(one.done.data["motions"]) == 1 else f"{called}: {row['motion']}",
                counts,
            )
            for row, counts in several
        ]
        if one.done.data.get("html") and len(self._parts) < MOST_DRAWN_CLIPS:
            self._parts[file] = one.done.data["html"]

    def write(self, path: Path | None, order: list[str]) -> None:
        """Write the page, clips in the order in which they were given."""
        if path is None:
            return
        rows = [row for file in order for row in self._rows.get(file, [])]
        parts = [self._parts[file] for file in order if file in self._parts]
        write_file(path, assembled("supple check", rows, parts), "report")


def _row(one: Ended) -> dict[str, Any]:
    return {"ok": one.done.code == DONE, "motions": one.done.data["motions"]}


def show(one: Ended, *, several: bool) -> None:
    """Print the faults of a clip: a line if it is one of many, else a table."""
    say = console()
    for row in one.done.data["motions"]:
        name = one.name if len(one.done.data["motions"]) == 1 else f"{one.name}: {row['motion']}"
        if several:
            say_warnings(row["notes"])
            words = "; ".join([row["reason"], *row.get("repairs", ())])
            head = (
                ("ok", "green") if row["ok"] else ("faults" if row["faults"] else "unknown", "red")
            )
            say.print(Text.assemble(head, f" {name}: {words}"), soft_wrap=True)
            continue
        rows = []
        for kind, values in row["measures"].items():
            if "reason" in values:
                rows.append((kind, Text(values["reason"], style="dim"), "", "", "", ""))
                continue
            mark = Text(str(values["faults"]), style="red" if values["faults"] else "green")
            rows.append((kind, short(values["worst"]), short(values["budget"]), values["unit"],
                         f"{values['joint']}, frame {values['frame']}", mark))  # fmt: skip
        columns = [("kind", "left"), ("worst", "right"), ("allowed", "right"), ("unit", "left"),
                   ("where", "left"), ("faults", "right")]  # fmt: skip
        say.print(table(columns, rows))
        for fault in row["faults"]:
            frames = frames_in_words(fault["start"], fault["stop"])
            if fault["text"]:
                words = f"{frames}: {fault['text']}"
                say.print(Text.assemble((f"{fault['kind']}: ", "red"), words), soft_wrap=True)
                continue
            words = f"{fault['joint']}, {frames}: {short(fault['value'])} {fault['unit']}"
            say.print(Text.assemble((f"{fault['kind']}: ", "red"), words), soft_wrap=True)
        for words in (*row.get("repairs", ()), *row.get("notes", ())):
            say.print(Text(words, style="dim"), soft_wrap=True)
        head = f"{counted(len(row['faults']), 'fault')}: " if row["faults"] else ""
        style = "green" if row["ok"] else "red"
        say.print(Text(f"{head}{row['reason']}", style=style), soft_wrap=True)
