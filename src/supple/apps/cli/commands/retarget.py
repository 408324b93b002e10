"""`supple retarget`: transfer motions to another character or to a robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.apps.cli.many_files import (
    JobsOption,
    PlanOption,
    SchedulerOption,
    ShardOption,
    planned,
    results,
    run_clips,
)
from supple.apps.cli.options import MODEL, OUTPUT, FolderOption, JsonOption, XacroArgOption
from supple.apps.clips import Ended, Plan, PlanOnClip
from supple.apps.clips.clip_files import expanded
from supple.apps.clips.keys import CommandLine
from supple.apps.clips.steps import Retarget
from supple.errors import SuppleError
from supple.files import write as write_file

MAPS = "Maps"
RETARGET = CommandLine({"onto_folder": "folder", "onto_arguments": "arg"})
"""The options whose names differ from their keys in a plan."""


def retarget(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="CLIPS...", help="Clips: .bvh, .smd, .glb, .gltf or .character files, or folders of "
                       "them. Default: those of the plan."),
    ] = None,
    onto: Annotated[
        Path | None,
        typer.Option("--onto", metavar="TARGET", rich_help_panel=MODEL,
                     help="The character or robot: .bvh, .smd, .glb, .gltf, .character, .urdf, .xacro or .xml (MJCF)."),
    ] = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT", rich_help_panel=OUTPUT,
                     help="The file to write, or a folder for the results of several clips."),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out-dir", metavar="FOLDER", rich_help_panel=OUTPUT,
                     help="The folder for the results of one or many clips, which keep their names and subfolders."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="ENDING", rich_help_panel=OUTPUT,
                     help="With a folder: the format to write: bvh, glb, smd...; for a robot npz or csv. "
                     "Default: npz for a robot, else the target's format."),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(metavar="N", min=0.0, rich_help_panel=OUTPUT,
                     help="The frame rate of the results. Default: that of each clip."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The motion of each clip. Default: the first.", rich_help_panel=MODEL),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(metavar="AXIS", help="The axis that points up in the clips. Default: as the files have it.",
                     rich_help_panel=MODEL),
    ] = None,
    onto_up: Annotated[
        str | None,
        typer.Option(metavar="AXIS", help="The axis that points up in the target.", rich_help_panel=MODEL),
    ] = None,
    balance: Annotated[
        bool,
        typer.Option("--balance/--no-balance", rich_help_panel=MODEL,
                     help="Keep robots in balance where they stand and the source is in balance.")
    ] = True,
    source_map: Annotated[
        Path | None,
        typer.Option("--source-map", metavar="FILE", rich_help_panel=MAPS,
                     help="A TOML file that maps the clips' joints to parts of the body."),
    ] = None,
    target_map: Annotated[
        Path | None,
        typer.Option("--target-map", metavar="FILE", help="The same for the target.", rich_help_panel=MAPS),
    ] = None,
    write_maps: Annotated[
        Path | None,
        typer.Option("--write-maps", metavar="FOLDER", rich_help_panel=MAPS,
                     help="Also write the maps that were used (for several clips, those of the first) as source.toml "
                     "and target.toml, which you can edit."),
    ] = None,
    plan: PlanOption = None,
    jobs: JobsOption = None,
    shard: ShardOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Transfer motions to another character, or to a robot.

    supple retarget walk.bvh --onto hero.glb -o hero_walk.glb

    supple retarget clips/*.bvh --onto g1.xml --fps 30 --out-dir trajectories

    The parts of both bodies are recognized by name and by position. Limbs keep their directions, feet in contact
    stay in place, the path is scaled to the legs, hands close to each other keep their distance. Robots
    need solid feet and a free root; they are written as qpos tables, .npz or .csv, with joint names and rate.
    A plan with a step do = "retarget" may have other steps before and after it.

    A clip that cannot be retargeted is reported, and the others are processed; the exit code is then 2. An interrupted
    run into a folder resumes: finished clips are not processed again.
    """
    if plan is not None:
        own = (onto, folder, arg, to, fps, motion, up, onto_up, source_map, target_map)
        if not balance or any(one is not None for one in own):
            raise SuppleError(
                "--plan: expected no options of retargeting beside it; they are keys of its step"
            )
        asked, clips = planned(plan, files or [], out_dir or out)
        if asked.ending is None:
            raise SuppleError(f'{plan}: expected a step do = "retarget", got none')
    elif not files:
        raise SuppleError("expected clips to retarget, or --plan FILE with clips = [...]")
    elif onto is None:
        raise SuppleError("expected --onto TARGET, the character or robot, or --plan FILE")
    else:
        clips = expanded(files, out_dir or out)
        given = {
            "onto": str(onto), "onto_folder": folder and str(folder), "onto_arguments": arg,
            "onto_up": onto_up, "fps": fps, "to": to, "balance": balance,
            "source_map": source_map and str(source_map),
            "target_map": target_map and str(target_map),
        }  # fmt: skip
        asked = Plan(steps=(Retarget.read(given, RETARGET),), up=up, motion=motion)
        asked.check_files()
    if write_maps is not None:
        steps = [replace(one, keep_maps=True) if isinstance(one, Retarget) else one
                 for one in asked.steps]  # fmt: skip
        asked = replace(asked, steps=tuple(steps))
    folder, pairs = results(clips, out, out_dir, ending=asked.ending, out_may_be_folder=True)
    if folder is None and any(isinstance(one, Retarget) and one.to for one in asked.steps):
        raise SuppleError(
            "--to: goes with a folder; for one file, the name of OUT tells the format"
        )
    maps = _Maps([out for _, out in pairs])
    run_clips(
        PlanOnClip(asked), pairs, folder, json=json, jobs=jobs, shard=shard, scheduler=scheduler,
        row=_row, each=maps.add, end=lambda: maps.write(write_maps), single=folder is None,
        skipped=clips.skipped,
    )  # fmt: skip


class _Maps:
    """The maps of the first clip that could be retargeted."""

    def __init__(self, order: list[Path]) -> None:
        self._order = {out: k for k, out in enumerate(order)}
        self._first: tuple[int, dict[str, str]] | None = None

    def add(self, one: Ended) -> None:
        if one.failed:
            return
        k = self._order[one.out]
        maps = _found(one).get("maps")
        if maps and (self._first is None or k < self._first[0]):
            self._first = k, maps

    def write(self, folder: Path | None) -> None:
        if folder is None or self._first is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SuppleError(f"{folder}: cannot make this folder: {error.strerror}") from error
        for name, text in self._first[1].items():
            write_file(folder / f"{name}.toml", text, "body map")


def _found(one: Ended) -> dict[str, Any]:
    """The data of the retargeting step."""
    steps = one.done.data["motions"][0]["steps"]
    return next(step for step in steps if step["do"] == Retarget.called)


def _row(one: Ended) -> dict[str, Any]:
    found = {key: value for key, value in _found(one).items() if key not in ("do", "maps")}
    notes = list(dict.fromkeys([*one.done.data["notes"], *found["notes"]]))
    return {"written": str(one.out), **found, "notes": notes}
