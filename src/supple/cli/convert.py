"""`supple convert`: a character from one format to another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from supple.character import Character, Note
from supple.cli.options import (
    MODEL,
    OUTPUT,
    CharacterArgument,
    FpsOption,
    JsonOption,
    MotionsOption,
    PositionModeOption,
)
from supple.cli.reading import note_data, quiet, read_file, read_names, say_notes
from supple.cli.report import console, print_json
from supple.errors import SuppleError
from supple.files import check_writable
from supple.formats import save
from supple.formats.conventions import converted
from supple.formats.registry import writable


def convert(
    file: CharacterArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="What to write: .glb, .gltf, .smd, .bvh, .character, .obj."
        ),
    ],
    motions: MotionsOption = None,
    motion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Write this motion: as the one motion of a BVH, or as an SMD animation.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resample: Annotated[
        float | None,
        typer.Option(metavar="FPS", help="Resample all motions.", rich_help_panel=OUTPUT),
    ] = None,
    goldsrc: Annotated[
        bool,
        typer.Option(
            "--goldsrc",
            help="SMD for GoldSrc: one bone a vertex, in nine columns.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names for the joints, a line each, in the file's order: for .character files, "
            "which have none.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(
            metavar="AXIS",
            help="Turn it so that this axis points up: y, z, -x...",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="Scale it to this unit: m, cm, mm, inch, ft...",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    from_up: Annotated[
        str | None,
        typer.Option(
            metavar="AXIS",
            help="The axis that points up in FILE, if it was guessed wrong.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    from_unit: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT", help="The unit of FILE, if it was guessed wrong.", rich_help_panel=MODEL
        ),
    ] = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    json: JsonOption = False,
) -> None:
    """Convert a character or a motion to another format.

    supple convert hero.smd hero.glb --motions walk.smd --motions run.smd --up y --unit m

    Numbers stay as they are unless --up or --unit say otherwise. What the new format cannot hold is
    said. SMD has a file for each motion and each texture: they
    are written beside the reference, motions as OUT_NAME.smd.
    """
    kind = writable(out)
    check_writable(out, f"{kind.title} file")
    character = read_file(file, motions=motions or (), position_mode=position_mode, fps=fps)
    if from_up is not None or from_unit is not None:
        character = character.with_(up=from_up or character.up, unit=from_unit or character.unit)
    character = converted(character, up=up, unit=unit)
    if names is not None:
        character = _named(character, read_names(names), names)
    if resample is not None:
        faster = {name: one.resampled(resample) for name, one in character.motions.items()}
        character = character.with_(motions=faster)
    options: dict[str, Any] = {"goldsrc": True} if goldsrc else {}
    if motion is not None:
        character.motion(motion)  # so that a wrong name is said before anything is written
        if kind.name in ("bvh", "smd"):
            options["motion"] = motion
        else:
            character = character.with_(motions={motion: character.motions[motion]})
    beside: dict[Path, str] = {}
    if kind.name == "smd" and motion is None and character.meshes:
        options["textures"] = True
        beside = _animations(character, out)
    with quiet():
        notes = [*save(character.with_(motions={}) if beside else character, out, **options)]
        for path, name in beside.items():
            notes += save(character.motions[name], path)
    written = [str(out), *map(str, beside)]
    if json:
        data = {"file": str(file), "written": written, "notes": list(map(note_data, notes))}
        data["read"] = list(map(note_data, character.notes))
        print_json(data)
        return
    say_notes([*character.notes, *_once(notes)])
    for path in written:
        console().print(Text(f"written to {path}"), soft_wrap=True)


def _once(notes: list[Note]) -> list[Note]:
    """Notes that say the same of several files, once."""
    return list({note.text: note for note in notes}.values())


def _named(character: Character, names: list[str], path: Path) -> Character:
    old = [node.name for node in character.skeleton.nodes]
    if len(names) != len(old):
        raise SuppleError(
            f"{path}: expected {len(old)} names, one for each joint, got {len(names)}"
        )
    return character.renamed(dict(zip(old, names, strict=True)))


def _animations(character: Character, out: Path) -> dict[Path, str]:
    """Where the motions of an SMD reference go."""
    paths: dict[Path, str] = {}
    for name in character.motions:
        safe = re.sub(r"[^\w.-]+", "_", name) or "motion"
        path = out.with_name(f"{out.stem}_{safe}{out.suffix}")
        number = 2
        while path in paths:
            path = out.with_name(f"{out.stem}_{safe}_{number}{out.suffix}")
            number += 1
        paths[path] = name
    return paths
