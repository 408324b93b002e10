"""`supple correct`: apply IK to motions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.batch import Done, PlanOnClip, models
from supple.batch.clips import write
from supple.batch.journal import content_hash
from supple.batch.steps import LEFT
from supple.cli.batch_files import (
    JobsOption,
    PlanOption,
    SchedulerOption,
    ShardOption,
    planned,
    run_batch,
)
from supple.cli.character_files import read_file
from supple.cli.commands.correct_files import code_of, outputs, single, warnings_of
from supple.cli.commands.correct_report import as_data, words_of
from supple.cli.commands.correct_targets import target
from supple.cli.file_batch import places
from supple.cli.options import (
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
    read_constraints,
)
from supple.errors import SuppleError
from supple.files import plain
from supple.goals import Goal, Hold, Reach
from supple.goals.from_text import Constraints, effector_or_only_tip, look_at_goal
from supple.model.character import Character, Note
from supple.motion import Correction, Motion, Window, plant_feet
from supple.motion.constrained import correct_constrained
from supple.motion.planting import HEIGHT, SPEED, Planted
from supple.motion.retargeting.t_pose import leading_frames, said_of_leading_frame
from supple.texts import vector


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
            help="Or: the folder for the results of one or many files, under their own names, in subfolders as theirs.",
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
            help="Where to put it, world: a point; a file of a point for each frame, a line each; "
            "where another joint is; or where a joint of another file is at the time, such as a "
            "moving prop. For several, repeat --effector and --to in pairs.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DX,DY,DZ",
            help="Or: how far to move it from where the motion has it.",
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
            help="Take foot slide out: feet that stand stay where they stand. Before the goals.",
            rich_help_panel=FEET,
        ),
    ] = False,
    feet: Annotated[
        list[str] | None,
        typer.Option(
            "--foot", metavar="NAME", rich_help_panel=FEET,
            help="An ankle, where they are not called ankle or foot. Repeatable.",
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
            metavar="N", help="A foot may stand when slower, in leg lengths a second.",
            rich_help_panel=FEET,
        ),
    ] = SPEED,
    contact_height: Annotated[
        float,
        typer.Option(
            metavar="N", help="And no higher above the ground than this, in leg lengths.",
            rich_help_panel=FEET,
        ),
    ] = HEIGHT,
    ground: GroundOption = None,
    start: Annotated[
        float | None,
        typer.Option(
            "--from", metavar="S", help="From when on, seconds.", rich_help_panel=SOLVING
        ),
    ] = None,
    stop: Annotated[
        float | None,
        typer.Option("--until", metavar="S", help="Up to when, seconds.", rich_help_panel=SOLVING),
    ] = None,
    blend: Annotated[
        float | None,
        typer.Option(
            metavar="S", min=0.0, rich_help_panel=SOLVING,
            help="Fade in and out over so long. Default: 0.25, for feet 0.5.",
        ),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            metavar="RAD/S",
            help="Spread jumps of joints that are faster than this over the frames that fade in or "
            "out; what is left is said. 0: leave them.",
            rich_help_panel=SOLVING,
        ),
    ] = 12.0,
    unreachable: Annotated[
        str,
        typer.Option(
            metavar="approach|keep",
            help="Out of reach: come as near as possible, or keep the motion.",
            rich_help_panel=SOLVING,
        ),
    ] = "approach",
    coherent: Annotated[
        bool,
        typer.Option(
            "--coherent", help="Solve frame after frame, each from the last.",
            rich_help_panel=SOLVING,
        ),
    ] = False,
    tolerance: ToleranceOption = None,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME|all", help="Which motion. Default: the first.",
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
    over --blend; all other frames stay as they are. A run into --out-dir that was ended goes on where it was:
    what is done is not done again. Exit code 1 if the goals of some frames are not
    reached, 2 if a file could not be read.
    """
    before = read_constraints(avoid, obstacle, balance, balance_margin, connect, weld)
    if plan is not None:
        if out is not None or out_dir is None:
            raise SuppleError("--plan: expected --out-dir FOLDER for the results")
        if plant or effector or to or by or hold or look_at or before.any:
            raise SuppleError("--plan: expected no goals beside it; they are steps of the plan")
        asked_plan, clips = planned(plan, files or [], out_dir)
        options = {"position_mode": position_mode, "fps": fps}
        given = tuple((name, value) for name, value in options.items() if value is not None)
        run_batch(
            PlanOnClip(asked_plan, given), places(clips, out_dir, ending=asked_plan.ending), out_dir,
            json=json, jobs=jobs, shard=shard, scheduler=scheduler, skipped=clips.skipped,
        )  # fmt: skip
        return
    if not files:
        raise SuppleError("expected clips to correct, or --plan FILE with clips = [...]")
    pairs, skipped = outputs(files, out, out_dir)
    asked = _Asked(
        tuple(effector or ()), tuple(to or ()), tuple(by or ()), tuple(hold or ()),
        tuple(look_at or ()), before, root, depth,
    )  # fmt: skip
    asked.check(plant)
    clip = CorrectClip(
        asked, plant, tuple(feet or ()), up, contact_speed, contact_height, parse_ground(ground),
        Window(start, stop), blend,
        speed, unreachable, coherent, tolerance, tuple(lock or ()), free_root, motion, tuple(motions or ()),
        position_mode, fps, json, folder, tuple(arg or ()),
    )  # fmt: skip
    if out is not None:
        single(clip.made, pairs[0][0], out, json)
    else:
        assert out_dir is not None
        run_batch(
            clip, pairs, out_dir, json=json, jobs=jobs, shard=shard, scheduler=scheduler,
            skipped=skipped,
        )  # fmt: skip


@dataclass(frozen=True)
class CorrectClip:
    """Corrects a clip as the options of a command line say, and writes it."""

    asked: _Asked
    plant: bool
    feet: tuple[str, ...]
    up: str | None
    contact_speed: float
    contact_height: float
    ground: Any
    window: Window
    blend: float | None
    speed: float
    unreachable: str
    coherent: bool
    tolerance: float | None
    lock: tuple[str, ...]
    free_root: bool
    motion: str | None
    motions: tuple[Path, ...]
    position_mode: str | None
    fps: float | None
    json: bool
    folder: Path | None = None
    xacro_arguments: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash of what is done, whatever the clip."""
        seen = hashlib.sha256(repr(self).encode())
        files = [self.ground] if isinstance(self.ground, str) else []
        for path in (*self.motions, *map(Path, [*self.asked.files, *files])):
            seen.update(str(content_hash(path)).encode())
        return seen.hexdigest()

    def reads(self, file: Path) -> tuple[Path, ...]:
        """The clip; other files are part of the digest."""
        return (file,)

    def __call__(self, file: Path, out: Path) -> Done:
        """Correct a file, and write the result."""
        made, notes = self.made(file, out, None)
        data: dict[str, Any] = {"written": str(out), **(as_data(made) if self.json else {})}
        warnings = warnings_of(notes)
        # As a journal keeps it: numbers and lists.
        return Done(code_of(made), words_of(made), plain({**data, "notes": warnings}))

    def made(
        self, file: Path, out: Path, progress: Callable[[int, int], None] | None
    ) -> tuple[list[Correction], Sequence[Note]]:
        """Correct a file and write the result: the corrections, and notes of the reader and the writer."""
        character = read_file(
            file, motions=self.motions, position_mode=self.position_mode, fps=self.fps,
            folder=self.folder, xacro_arguments=self.xacro_arguments,
        )  # fmt: skip
        if not character.motions:
            raise SuppleError(
                f"{file}: expected a motion to correct, got none; give --motions FILE"
            )
        chosen = (
            list(character.motions)
            if self.motion == "all"
            else [self.motion or next(iter(character.motions))]
        )
        made: list[Correction] = []
        left: list[Note] = []
        changed = dict(character.motions)
        for name in chosen:
            clip = character.motion(name)
            first = leading_frames(clip, self.up or character.up)
            if first:
                left.append(Note(said_of_leading_frame(clip, LEFT)))
            made += self._steps(clip, character, first, progress)
            changed[name] = made[-1].motion
        written = write(character.with_(motions=changed), chosen, out)
        return made, (*character.notes, *left, *written)

    def _steps(
        self,
        clip: Motion,
        character: Character,
        first: int,
        progress: Callable[[int, int], None] | None,
    ) -> list[Correction]:
        """The corrections of a clip that begins at frame `first`, in order."""
        made: list[Correction] = []
        if self.plant:
            axis = self.up or character.up
            if axis is None:
                raise SuppleError("--up: the file does not tell which axis points up; say it")
            planted = plant_feet(
                clip, feet=self.feet or None, up=axis, blend=0.5 if self.blend is None else self.blend,
                speed=self.contact_speed, height=self.contact_height, ground=models.ground(self.ground),
                first=first,
            )  # fmt: skip
            made.append(planted)
            clip = planted.motion
        if self.asked.any:
            done = correct_constrained(
                character, clip, self.asked.goals(clip), self.asked.before,
                coherent=self.coherent, progress=progress,
                window=self.window, blend=0.25 if self.blend is None else self.blend,
                speed=self.speed or None, unreachable=self.unreachable, tolerance=self.tolerance,
                lock=self.lock, free_root=self.free_root, first=first,
            )  # fmt: skip
            # Report the feet in the motion that is written.
            made = [one.after(done.motion) for one in made if isinstance(one, Planted)]
            made.append(done)
        return made


@dataclass(frozen=True)
class _Asked:
    """The options that describe goals."""

    names: tuple[str, ...]
    to: tuple[str, ...]
    by: tuple[str, ...]
    hold: tuple[str, ...]
    look_at: tuple[str, ...]
    before: Constraints
    root: str | None
    depth: int

    @property
    def files(self) -> list[str]:
        """The files that targets are in."""
        parts = [part for text in self.to for part in (text, text.rpartition(":")[0])]
        return [part for part in parts if part and os.path.isfile(part)]

    @property
    def any(self) -> bool:
        return bool(self.to or self.by or self.hold or self.look_at or self.before.any)

    def check(self, plant: bool) -> None:
        alone = plant or self.look_at or self.before.frees  # without --to and --by
        if bool(self.to) == bool(self.by) and not (alone and not self.to and not self.names):
            raise SuppleError(
                "nothing to reach: give --to X,Y,Z or FILE, --by DX,DY,DZ, --look-at NAME=X,Y,Z or "
                "--connect A,B; or --plant-feet"
            )

    def goals(self, clip: Motion) -> list[Goal]:
        """The goals for a clip."""
        goals: list[Goal] = []
        given, option = (self.to, "--to") if self.to else (self.by, "--by")
        names = self.names
        if given and not names:
            names = (effector_or_only_tip(clip.skeleton, None),)
        if len(given) != len(names):
            raise SuppleError(
                f"{option}: expected one for each --effector, {len(names)}, got {len(given)}"
            )
        for name, text in zip(names, given, strict=True):
            effector_or_only_tip(clip.skeleton, name)
            if self.by:
                place: Any = clip.poses.position(name) + vector("--by", text, "DX,DY,DZ")
            else:
                place = target(text, clip)
            goals.append(Reach(name, place, root=self.root, depth=self.depth))
        goals += [look_at_goal(clip.skeleton, text) for text in self.look_at]
        return [*goals, *(Hold(name) for name in self.hold)]
