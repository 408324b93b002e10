"""`supple correct`: apply IK to motions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.cli.argument_values import vector
from supple.cli.character_files import quiet, read_file
from supple.cli.commands.correct_files import Made, many, outputs, single
from supple.cli.commands.correct_targets import target
from supple.cli.options import (
    GOALS,
    MODEL,
    OUTPUT,
    SOLVING,
    DepthOption,
    FpsOption,
    JsonOption,
    LockOption,
    MotionsOption,
    PositionModeOption,
    RootOption,
    ToleranceOption,
    effector_or_only_tip,
)
from supple.errors import SuppleError
from supple.formats import save
from supple.formats.registry import format_for_writing
from supple.goals import Goal, Hold, Reach
from supple.model.character import Character, Note
from supple.motion import Correction, Motion, Window, plant_feet
from supple.motion import correct as correct_motion
from supple.motion.planting import HEIGHT, SPEED, Planted

FEET = "Feet"


def correct(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Clips: .bvh, .smd, .glb, .gltf or .character files. Several need --out-dir.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the result.",
                     rich_help_panel=OUTPUT),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out-dir", metavar="FOLDER", rich_help_panel=OUTPUT,
            help="Or: the folder for the results of one or many files, under their own names.",
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
    root: RootOption = None,
    depth: DepthOption = 0,
    lock: LockOption = None,
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
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Change motions so that they meet goals, or so that feet do not slide.

    supple correct dance.bvh -e RightHand --to 20,150,30 --root RightArm --from 1 --until 3 -o out.bvh

    supple correct clips/*.bvh --plant-feet --out-dir fixed

    Frames between --from and --until meet the goals where possible; the correction fades in and out
    over --blend; all other frames stay as they are. Exit code 1 if the goals of some frames are not
    reached, 2 if a file could not be read.
    """
    pairs = outputs(files, out, out_dir)
    asked = _Asked(effector or [], to or [], by or [], hold or [], root, depth)
    asked.check(plant)

    def steps(
        clip: Motion, character: Character, progress: Callable[[int, int], None] | None
    ) -> list[Correction]:
        made: list[Correction] = []
        if plant:
            axis = up or character.up
            if axis is None:
                raise SuppleError("--up: the file does not tell which axis points up; say it")
            planted = plant_feet(
                clip, feet=feet or None, up=axis, blend=0.5 if blend is None else blend, speed=contact_speed,
                height=contact_height,
            )  # fmt: skip
            made.append(planted)
            clip = planted.motion
        if asked.any:
            done = correct_motion(
                clip, asked.goals(clip), coherent=coherent, progress=progress,
                window=Window(start, stop), blend=0.25 if blend is None else blend, speed=speed or None,
                unreachable=unreachable, tolerance=tolerance, lock=lock or (),
            )  # fmt: skip
            # Report the feet in the motion that is written.
            made = [one.after(done.motion) for one in made if isinstance(one, Planted)]
            made.append(done)
        return made

    def one(file: Path, target: Path, progress: Callable[[int, int], None] | None) -> Made:
        character = read_file(file, motions=motions or (), position_mode=position_mode, fps=fps)
        if not character.motions:
            raise SuppleError(
                f"{file}: expected a motion to correct, got none; give --motions FILE"
            )
        chosen = (
            list(character.motions)
            if motion == "all"
            else [motion or next(iter(character.motions))]
        )
        made: list[Correction] = []
        changed = dict(character.motions)
        for name in chosen:
            made += steps(character.motion(name), character, progress)
            changed[name] = made[-1].motion
        with quiet():
            return made, _save(character.with_(motions=changed), chosen, target)

    if out is not None:
        single(one, pairs[0][0], out, json)
    else:
        many(one, pairs, json)


@dataclass(frozen=True)
class _Asked:
    """The options that describe goals."""

    names: list[str]
    to: list[str]
    by: list[str]
    hold: list[str]
    root: str | None
    depth: int

    @property
    def any(self) -> bool:
        return bool(self.to or self.by or self.hold)

    def check(self, plant: bool) -> None:
        if bool(self.to) == bool(self.by) and not (plant and not self.to and not self.names):
            raise SuppleError(
                "nothing to reach: give --to X,Y,Z or FILE, or --by DX,DY,DZ; or --plant-feet"
            )

    def goals(self, clip: Motion) -> list[Goal]:
        """The goals for a clip."""
        goals: list[Goal] = []
        given, option = (self.to, "--to") if self.to else (self.by, "--by")
        names = self.names
        if given and not names:
            names = [effector_or_only_tip(clip.skeleton, None)]
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
        return [*goals, *(Hold(name) for name in self.hold)]


def _save(character: Character, chosen: Sequence[str], out: Path) -> Sequence[Note]:
    """Write a corrected character; in a format of one motion, the corrected motion."""
    if format_for_writing(out).name not in ("bvh", "smd"):
        return save(character, out)
    if len(chosen) > 1:
        raise SuppleError(f"{out}: holds one motion, got {len(chosen)}; give --motion NAME")
    (key,) = chosen
    return save(character.with_(motions={key: character.motions[key]}), out, motion=key)
