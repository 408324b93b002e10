"""`supple correct`: apply IK to motions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from supple.apps.cli.commands.correct_report import show
from supple.apps.cli.many_files import (
    READER,
    JobsOption,
    PlanOption,
    SchedulerOption,
    ShardOption,
    planned,
    progress_bar,
    results,
    run_clips,
)
from supple.apps.cli.options import (
    FEET,
    GOALS,
    MODEL,
    OUTPUT,
    SOLVING,
    AvoidOption,
    BalanceMarginOption,
    BalanceOption,
    ConnectOption,
    DepthOption,
    FolderOption,
    FpsOption,
    FreeRootOption,
    GroundOption,
    JsonOption,
    LockOption,
    LookAtOption,
    MotionsOption,
    ObstacleOption,
    PositionModeOption,
    RootOption,
    ToleranceOption,
    WeldOption,
    XacroArgOption,
    parse_ground,
)
from supple.apps.clips import Plan, PlanOnClip
from supple.apps.clips.clip_files import expanded
from supple.apps.clips.keys import CommandLine
from supple.apps.clips.reader import Reader
from supple.apps.clips.steps import Correct, Plant, Step
from supple.apps.motion.planting import PLANTING
from supple.errors import SuppleError
from supple.texts import vector

GOAL = CommandLine({"obstacles": "obstacle"})
"""The options of goals whose names differ from their keys in a plan."""

PLANT = CommandLine({"feet": "foot", "speed": "contact_speed", "height": "contact_height"})
"""The options of feet whose names differ from their keys in a plan."""


def correct(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="Clips: .bvh, .smd, .glb, .gltf or .character files, or folders of them. Several need --out-dir. "
            "Default: those of the plan.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the result.",
                     rich_help_panel=OUTPUT),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out-dir", metavar="FOLDER", rich_help_panel=OUTPUT,
            help="The folder for the results of one or many files, which keep their names and subfolders.",
        ),
    ] = None,
    effector: Annotated[
        list[str] | None,
        typer.Option(
            "--effector", "-e", metavar="NAME", help="Joint or tip to move.", rich_help_panel=GOALS
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            "-t",
            metavar="X,Y,Z|FILE|NAME|FILE:NAME",
            help="The target in world: a point; a file with a line X,Y,Z for each frame; another joint; "
            "or a joint of another file, such as a moving prop, at the same time. "
            "For several effectors, repeat --effector and --to in pairs.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DX,DY,DZ",
            help="Instead of --to: how far to move it from its position in the motion.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Keep NAME where the motion has it.", rich_help_panel=GOALS
        ),
    ] = None,
    look_at: LookAtOption = None,
    root: RootOption = None,
    depth: DepthOption = 0,
    lock: LockOption = None,
    free_root: FreeRootOption = False,
    avoid: AvoidOption = None,
    obstacle: ObstacleOption = None,
    balance: BalanceOption = None,
    balance_margin: BalanceMarginOption = 0.0,
    connect: ConnectOption = None,
    weld: WeldOption = None,
    plant: Annotated[
        bool,
        typer.Option(
            "--plant-feet",
            help="Remove foot slide: feet in contact stay in place. Done before the goals.",
            rich_help_panel=FEET,
        ),
    ] = False,
    feet: Annotated[
        list[str] | None,
        typer.Option(
            "--foot", metavar="NAME", rich_help_panel=FEET,
            help="The name of an ankle, if it is not called ankle or foot. Repeatable.",
        ),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(metavar="AXIS", rich_help_panel=FEET,
                     help="The axis that points up: y, z, -x... Default: as the file has it."),
    ] = None,
    contact_speed: Annotated[
        float,
        typer.Option(
            metavar="N", help="A foot is in contact only below this speed, in leg lengths a second.",
            rich_help_panel=FEET,
        ),
    ] = PLANTING.speed,
    contact_height: Annotated[
        float,
        typer.Option(
            metavar="N", help="And only below this height above the ground, in leg lengths.",
            rich_help_panel=FEET,
        ),
    ] = PLANTING.height,
    ground: GroundOption = None,
    start: Annotated[
        float | None,
        typer.Option(
            "--from", metavar="S", help="When the goals begin, seconds.", rich_help_panel=SOLVING
        ),
    ] = None,
    stop: Annotated[
        float | None,
        typer.Option("--until", metavar="S", help="When the goals end, seconds.", rich_help_panel=SOLVING),
    ] = None,
    blend: Annotated[
        float | None,
        typer.Option(
            metavar="S", min=0.0, rich_help_panel=SOLVING,
            help="The time to fade in and out, seconds. Default: 0.25, for feet 0.5.",
        ),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            metavar="RAD/S",
            help="Spread joint jumps faster than this over the frames that fade in or out, and report "
            "those that remain. 0: no bound.",
            rich_help_panel=SOLVING,
        ),
    ] = 12.0,
    unreachable: Annotated[
        str,
        typer.Option(
            metavar="approach|keep",
            help="If the target is out of reach: come as near as possible, or keep the motion.",
            rich_help_panel=SOLVING,
        ),
    ] = "approach",
    coherent: Annotated[
        bool,
        typer.Option(
            "--coherent", help="No longer has an effect: solutions of successive frames always follow each other.",
            rich_help_panel=SOLVING,
        ),
    ] = False,
    tolerance: ToleranceOption = None,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME|all", help="The motion to correct. Default: the first.",
                     rich_help_panel=MODEL),
    ] = None,
    motions: MotionsOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    plan: PlanOption = None,
    jobs: JobsOption = None,
    shard: ShardOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Change motions so that they meet goals, or so that feet do not slide.

    supple correct dance.bvh -e RightHand --to 20,150,30 --root RightArm --from 1 --until 3 -o out.bvh

    supple correct clips --plant-feet --out-dir fixed

    supple correct clips/*.bvh --plan plan.toml --out-dir fixed

    supple correct clap.glb --connect LeftHand,RightHand --avoid 0 -o held.glb

    Frames between --from and --until meet the goals where possible; the correction fades in and out
    over --blend; all other frames stay as they are. An interrupted run into --out-dir resumes: finished
    clips are not processed again. Exit code 1 if the goals of some frames are not
    reached, 2 if a file could not be read.
    """
    reader = {
        "motions": motions and [str(path) for path in motions], "position_mode": position_mode,
        "fps": fps, "folder": folder and str(folder), "arguments": arg,
    }  # fmt: skip
    goals = {
        "effector": effector, "to": to, "by": by and [vector("--by", one, "DX,DY,DZ") for one in by],
        "hold": hold, "look_at": look_at, "avoid": avoid, "obstacles": obstacle,
        "balance": balance, "balance_margin": balance_margin, "connect": connect, "weld": weld,
    }  # fmt: skip
    how = {
        "root": root, "depth": depth, "lock": lock, "free_root": free_root, "from": start,
        "until": stop, "blend": blend, "speed": speed, "unreachable": unreachable,
        "coherent": coherent, "tolerance": tolerance,
    }  # fmt: skip
    feet_and_ground = {
        "feet": feet, "speed": contact_speed, "height": contact_height, "blend": blend,
        "ground": parse_ground(ground),
    }  # fmt: skip
    if plan is not None:
        if out is not None or out_dir is None:
            raise SuppleError("--plan: expected --out-dir FOLDER for the results")
        beside = [GOAL.option(name) for name in Correct.unusual({**goals, **how})]
        beside += [PLANT.option(name) for name in Plant.unusual(feet_and_ground)]
        if plant or beside:
            got = ", ".join(dict.fromkeys([*["--plant-feet"] * plant, *beside]))
            raise SuppleError(
                f"--plan: expected no goals beside it, got {got}; they are steps of the plan"
            )
        asked, clips = planned(plan, files or [], out_dir, reader=reader)
        asked = replace(asked, up=up or asked.up, motion=motion or asked.motion)
    elif not files:
        raise SuppleError("expected clips to correct, or --plan FILE with clips = [...]")
    else:
        steps: list[Step] = [Plant.read(feet_and_ground, PLANT)] if plant else []
        if Correct.unusual(goals) or not plant:
            steps.append(Correct.read({**goals, **how}, GOAL))
        clips = expanded(files, out_dir)
        asked = Plan(tuple(steps), up=up, motion=motion, reader=Reader.read(reader, READER))
        asked.check_files()
    results_in, pairs = results(clips, out, out_dir, ending=asked.ending)
    single = results_in is None
    here = single and scheduler is None
    with progress_bar("correcting", shown=here) as (bar, task):

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        run_clips(
            PlanOnClip(asked, full=json or single, progress=progress if here else None), pairs,
            results_in, json=json, jobs=jobs, shard=shard, scheduler=scheduler,
            say=show if single else None, single=single, skipped=clips.skipped,
        )  # fmt: skip
