"""`supple retarget`: bring motions to another character or to a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from supple.cli.character_files import read_file, say_notes
from supple.cli.commands.retarget_files import Made, RetargetOptions, retarget_file
from supple.cli.console import console, print_json
from supple.cli.file_batch import Outcome, each, expanded, places
from supple.cli.options import MODEL, OUTPUT, JsonOption
from supple.errors import SuppleError
from supple.files import check_writable
from supple.formats.registry import format_for_writing
from supple.kernels import layout
from supple.model.character import Character
from supple.motion import BodyMap

MAPS = "Maps"


def retarget(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="CLIPS...", help="Clips: .bvh, .smd, .glb, .gltf or .character files."),
    ],
    onto: Annotated[
        Path,
        typer.Option("--onto", metavar="TARGET", rich_help_panel=MODEL,
                     help="The character or robot: .bvh, .smd, .glb, .gltf, .character, .urdf, .xacro or .xml (MJCF)."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="OUT", rich_help_panel=OUTPUT,
                     help="The file to write, or a folder for the results of several clips."),
    ],
    to: Annotated[
        str | None,
        typer.Option(metavar="ENDING", rich_help_panel=OUTPUT,
                     help="With a folder: what to write: bvh, glb, smd...; for a robot npz or csv. "
                     "Default: npz for a robot, else as the target."),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(metavar="N", min=0.0, rich_help_panel=OUTPUT,
                     help="Frames a second of the results. Default: those of each clip."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which motion of a clip. Default: the first.", rich_help_panel=MODEL),
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
    source_map: Annotated[
        Path | None,
        typer.Option("--source-map", metavar="FILE", rich_help_panel=MAPS,
                     help="A TOML file of which joints of the clips are which parts of the body."),
    ] = None,
    target_map: Annotated[
        Path | None,
        typer.Option("--target-map", metavar="FILE", help="The same of the target.", rich_help_panel=MAPS),
    ] = None,
    write_maps: Annotated[
        Path | None,
        typer.Option("--write-maps", metavar="FOLDER", rich_help_panel=MAPS,
                     help="Also write the maps that were used: source.toml and target.toml, to correct and keep."),
    ] = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Bring motions to another character, or to a robot.

    supple retarget walk.bvh --onto hero.glb -o hero_walk.glb

    supple retarget clips/*.bvh --onto g1.xml --fps 30 -o trajectories

    Parts of both bodies are recognized by names and by place. Limbs keep their directions, feet that stand
    stay where they stand, the path is scaled to the legs, hands that are close keep their distance. Robots
    need solid feet and a free root; they are written as qpos tables, .npz or .csv, with joint names and rate.

    With many clips, one that cannot be retargeted is reported, and the others go on; the exit code is then 2.
    """
    target = read_file(onto)
    options = RetargetOptions(
        motion=motion, fps=fps, up=up, onto_up=onto_up,
        source_map=None if source_map is None else BodyMap.load(source_map),
        target_map=None if target_map is None else BodyMap.load(target_map),
    )  # fmt: skip
    clips = expanded(files)
    if len(clips) == 1 and out.suffix and not out.is_dir():
        if to is not None:
            raise SuppleError(
                "--to: goes with a folder; for one file, the name of OUT tells the format"
            )
        check_writable(out, f"{format_for_writing(out).title} file")
        made = retarget_file(clips[0], target, out, options)
        _write_maps(write_maps, made)
        if json:
            print_json({"file": str(clips[0]), **made.data})
        else:
            _say(clips[0], made)
        return
    ending = "." + to.lower().removeprefix(".") if to else _ending(onto, target)
    pairs = places(clips, out, ending=ending)

    def one(file: Path, place: Path) -> Outcome:
        made = retarget_file(file, target, place, options)
        _write_maps(write_maps, made)
        return Outcome(made.data, lambda: _say(file, made))

    each(one, pairs, json)


def _ending(onto: Path, target: Character) -> str:
    """What results in a folder are written as: tables of qpos for a robot, else the target's own format."""
    hinges = target.skeleton.packed_ints[:, layout.KIND] == layout.HINGE
    if hinges.any():
        return ".npz"
    try:
        format_for_writing(onto)
    except SuppleError:
        return ".glb"
    return onto.suffix


def _write_maps(folder: Path | None, made: Made) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuppleError(f"{folder}: cannot make this folder: {error.strerror}") from error
    made.result.source_map.save(folder / "source.toml")
    made.result.target_map.save(folder / "target.toml")


def _say(file: Path, made: Made) -> None:
    motion = made.result.motion
    say_notes(made.notes)
    stands = sum(len(made.result.contacts[name]) for name in made.result.contacts.joints)
    words = f" {file.name}: {len(motion)} frames at {motion.fps:g} fps, {stands} contacts, written to {made.out}"
    console().print(Text.assemble(("done", "green"), words), soft_wrap=True)
    for note in made.notes:
        if "T-pose" in note.text:
            console().print(Text(f"  {note.text}"), soft_wrap=True)
