"""`supple check`: find what is wrong with motions, and repair what can be."""

from __future__ import annotations

import hashlib
import json as json_text
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from supple.batch import DONE, NOT_REACHED, Done, Ended, Plan
from supple.batch.clips import write
from supple.batch.journal import content_hash
from supple.batch.steps import CheckStep
from supple.cli.batch_files import (
    JobsOption,
    PlanOption,
    SchedulerOption,
    ShardOption,
    pairs_of,
    planned,
    run_batch,
)
from supple.cli.character_files import quiet, read_file
from supple.cli.console import console, short, table
from supple.cli.file_batch import expanded
from supple.cli.options import (
    MODEL,
    OUTPUT,
    FpsOption,
    JsonOption,
    PositionModeOption,
)
from supple.errors import SuppleError, one_of
from supple.files import check_writable
from supple.files import write as write_file
from supple.formats.registry import format_for_writing
from supple.model.character import Character
from supple.motion.checks import KINDS, Budgets, Checked
from supple.motion.checks import check as check_motion
from supple.motion.checks import fix as repair
from supple.motion.checks.html import assembled, section, summary

CHECKS = "Checks"
DRAWN = 200  # clips with faults that a report draws


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CLIPS...",
            help="Clips: .bvh, .smd, .glb, .gltf or .character files. Default: those of the plan.",
        ),
    ] = None,
    budgets: Annotated[
        Path | None,
        typer.Option(
            "--budgets", metavar="FILE", rich_help_panel=CHECKS,
            help="A TOML file of how much of each kind of fault is allowed: skate = 0.3. "
            "false: not checked.",
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
    ground: Annotated[
        float | None,
        typer.Option("--ground", metavar="HEIGHT", rich_help_panel=CHECKS,
                     help="Where the ground is. Default: where feet stand most."),
    ] = None,
    loop: Annotated[
        bool | None,
        typer.Option("--loop/--no-loop", rich_help_panel=CHECKS,
                     help="Whether clips are loops, whose seam is checked. Default: as the file says."),
    ] = None,
    limits: Annotated[
        Path | None,
        typer.Option("--limits", metavar="FILE", rich_help_panel=CHECKS,
                     help="A file with the same joints, whose limits count."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="FILE|FOLDER", rich_help_panel=CHECKS,
            help="The clip before it was changed, or a folder of such clips of the same names: only what is "
            "worse is a fault.",
        ),
    ] = None,
    fix: Annotated[
        bool,
        typer.Option("--fix", rich_help_panel=OUTPUT,
                     help="Repair what can be, write the clips to --out-dir, and say what is left."),
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
                     help="Write a report with pictures: an .html file that needs nothing else."),
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
    """Find what is wrong with motions: feet that slide, pops, joints in the ground or in the body.

    supple check clips/*.bvh --report report.html

    supple check clips/*.bvh --fix --out-dir fixed

    Skate, pops and seams are measured beside what is usual in each clip. `supple lint` judges the file, `check` the
    motion. Exit code 1 if there are faults, 2 if a file could not be read.
    """
    if fix and out_dir is None:
        raise SuppleError("--fix: expected --out-dir FOLDER, where repaired clips go")
    if report is not None:
        if report.suffix.lower() not in (".html", ".htm"):
            raise SuppleError(f"--report: expected an .html file, got {str(report)!r}")
        check_writable(report, "report")
    asked = Plan(budgets=Budgets.of(budgets), up=up, loop=loop, motion=motion)
    step = CheckStep(kinds=tuple(kind) if kind else None, fix=fix, ground=ground)
    if plan is not None:
        asked, clips = planned(plan, files or [])
        steps = [one for one in asked.steps if isinstance(one, CheckStep)]
        step = steps[-1] if steps else step
        if step.fix and out_dir is None:
            raise SuppleError(f"{step.where}: fix = true expected --out-dir FOLDER")
    elif files:
        clips = expanded(files)
    else:
        raise SuppleError("expected clips to check, or --plan FILE with clips = [...]")
    Budgets().only(step.kinds or ())
    options = {"position_mode": position_mode, "fps": fps}
    work = CheckClip(
        asked, step, tuple((name, value) for name, value in options.items() if value is not None),
        limits, against, out_dir is not None, report is not None,
    )  # fmt: skip
    naming = None if step.fix else lambda file: f"{file.name}.json"
    pairs = pairs_of(clips, out_dir, naming)
    if step.fix:
        for _, place in pairs:
            format_for_writing(place)
    drawn = _Report()

    def say(one: Ended) -> None:
        show(one, several=len(pairs) > 1)

    run_batch(
        work, pairs, out_dir, json=json, jobs=jobs, shard=shard, scheduler=scheduler,
        written=out_dir is not None, say=say, each=drawn.add, row=_row,
        end=lambda: drawn.write(report, [str(file) for file, _ in pairs]),
    )  # fmt: skip


@dataclass(frozen=True)
class CheckClip:
    """Checks a clip, repairs it if asked, and writes the result.

    Attributes:
        plan: Budgets, up axis, loop and motion.
        step: Kinds, ground, whether to repair.
        options: Of the reader.
        limits: A file whose limits count.
        against: A clip before it was changed, or a folder of them.
        write: Whether a result is written: the repaired clip, or a JSON report.
        draw: Whether pictures are made.
    """

    plan: Plan
    step: CheckStep
    options: tuple[tuple[str, Any], ...]
    limits: Path | None
    against: Path | None
    write: bool
    draw: bool

    @property
    def digest(self) -> str:
        """A hash of what is done, whatever the clip."""
        parts = [self.plan.digest, repr(self.step), repr(self.options), str(self.draw)]
        parts += [str(content_hash(path)) if path and path.is_file() else str(path)
                  for path in (self.limits, self.against)]  # fmt: skip
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()

    def __call__(self, file: Path, out: Path) -> Done:
        """Check a file, and write the result."""
        character = read_file(file, **dict(self.options))
        if not character.motions:
            raise SuppleError(f"{file}: expected a motion to check, got none")
        chosen = list(character.motions)
        if self.plan.motion not in (None, "all"):
            chosen = [one_of("motion", self.plan.motion, chosen)]
        limits = read_file(self.limits).skeleton if self.limits is not None else None
        reports: list[Checked] = []
        rows: list[dict[str, Any]] = []
        parts = ""
        for name in chosen:
            found = check_motion(
                character, motion=name, budgets=self.plan.budgets, kinds=self.step.kinds,
                up=self.plan.up, loop=self.plan.loop, ground=self.step.ground, limits=limits,
                against=self._before(file, name),
            )  # fmt: skip
            repairs: list[str] = []
            if self.draw:
                parts += section(f"{file}", found)
            if self.step.fix and not found.ok:
                repaired = repair(found)
                repairs = [str(one) for one in repaired.repairs]
                moved = repaired.motion
                if moved.skeleton != character.skeleton:
                    moved = moved.on(character.skeleton)
                character = character.with_(motions={**character.motions, name: moved})
                found = repaired.report
            reports.append(found)
            rows.append({**found.to_json(), **({"repairs": repairs} if self.step.fix else {})})
        data: dict[str, Any] = {"motions": rows, "summary": [summary(one) for one in reports]}
        if self.write:
            self._write(character, chosen, file, out, rows)
        if self.draw:
            data["html"] = parts
        good = all(one.ok for one in reports)
        return Done(DONE if good else NOT_REACHED, "", data)

    def _write(
        self, character: Character, chosen: list[str], file: Path, out: Path, rows: list[Any]
    ) -> None:
        if self.step.fix:
            with quiet():
                write(character, chosen, out)
        else:
            text = json_text.dumps({"file": str(file), "motions": rows}, indent=1)
            write_file(out, text + "\n", "report")

    def _before(self, file: Path, name: str) -> Any:
        if self.against is None:
            return None
        path = self.against / file.name if self.against.is_dir() else self.against
        before = read_file(path, **dict(self.options))
        return before.motion(name) if name in before.motions else before


class _Report:
    """What the HTML report is made of, as clips end."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[str, dict[str, int | None]]]] = {}
        self._parts: dict[str, str] = {}

    def add(self, one: Ended) -> None:
        if one.failed:
            return
        file = str(one.file)
        several = zip(one.done.data["motions"], one.done.data["summary"], strict=True)
        self._rows[file] = [
            (file if len(one.done.data["motions"]) == 1 else f"{file}: {row['motion']}", counts)
            for row, counts in several
        ]
        if one.done.data.get("html") and len(self._parts) < DRAWN:
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
    """Print what was found in a clip: a line if it is one of many, else a table."""
    say = console()
    for row in one.done.data["motions"]:
        name = (
            one.file.name
            if len(one.done.data["motions"]) == 1
            else f"{one.file.name}: {row['motion']}"
        )
        if several:
            counts = {kind: values["faults"] for kind, values in row["measures"].items()
                      if values.get("faults")}  # fmt: skip
            words = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "no faults"
            words += f"; {'; '.join(row['repairs'])}" if row.get("repairs") else ""
            head = ("ok", "green") if row["ok"] else ("faults", "red")
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
            frames = f"frames {fault['start']} to {fault['stop'] - 1}"
            words = f"{fault['joint']}, {frames}: {short(fault['value'])} {fault['unit']}"
            say.print(Text.assemble((f"{fault['kind']}: ", "red"), words), soft_wrap=True)
        for words in row.get("repairs", []):
            say.print(Text(words, style="dim"), soft_wrap=True)
        say.print(Text("no faults", style="green") if row["ok"] else
                  Text(f"{len(row['faults'])} faults", style="red"))  # fmt: skip
