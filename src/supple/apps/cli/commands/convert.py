"""`supple convert`: convert characters from one format to another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from supple.apps.cli.character_files import say_notes
from supple.apps.cli.commands.convert_file import Conversion
from supple.apps.cli.console import console, print_json, say_warnings
from supple.apps.cli.many_files import run_clips
from supple.apps.cli.options import (
    MODEL,
    OUTPUT,
    FolderOption,
    FpsOption,
    JsonOption,
    MotionsOption,
    PositionModeOption,
    ShapesOption,
    XacroArgOption,
)
from supple.apps.clips import DONE, Done, Ended
from supple.apps.clips.clip_files import expanded, result_paths
from supple.apps.clips.report import warnings_of
from supple.apps.formats.registry import format_for_writing, writable_extensions
from supple.errors import SuppleError, one_of
from supple.files import check_writable

ENDINGS = writable_extensions()


def convert(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE... [OUT]",
            help="A .bvh, .smd, .glb, .gltf, .character, .urdf, .xacro or .xml file, and the file to write: .glb, "
            ".gltf, .smd, .bvh, .character, .obj. Or files and folders of clips, any number, with --out-dir and --to.",
        ),
    ],
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out-dir",
            metavar="FOLDER",
            help="The folder for the results of many files, which keep their names and subfolders.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="ENDING",
            help="With --out-dir: the format to write: glb, gltf, smd, bvh, character, obj.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    motions: MotionsOption = None,
    motion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Write only this motion; as SMD, an animation file.",
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
            help="SMD for GoldSrc: nine columns, one bone for each vertex.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    bones: Annotated[
        bool,
        typer.Option(
            "--bones/--no-bones",
            help="glTF: add meshes for the bones of a character without meshes, so that other programs show it.",
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with a joint name on each line, in the file's order: for .character files, "
            "which have no names.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(
            metavar="AXIS",
            help="Rotate the character so that this axis points up: y, z, -x...",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="UNIT",
            help="Scale the character to this unit: m, cm, mm, inch, ft...",
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
    shapes: ShapesOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    json: JsonOption = False,
) -> None:
    """Convert characters or motions to another format.

    supple convert hero.smd hero.glb --motions walk.smd --motions run.smd --up y --unit m

    supple convert clips/*.bvh --out-dir converted --to glb

    Without --up and --unit, values do not change. Data that the new format cannot store is reported. SMD has
    a file for each motion and each texture, and one for the morphs: they are written beside the
    reference, motions as OUT_NAME.smd, morphs as OUT.vta.

    With many files, a file that cannot be converted is reported, and the others are converted; the exit
    code is then 2.
    """
    conversion = Conversion(
        motions=motions or (), motion=motion, resample=resample, goldsrc=goldsrc, bones=bones, names=names,
        up=up, unit=unit, from_up=from_up, from_unit=from_unit, position_mode=position_mode, fps=fps,
        shapes=shapes, folder=folder, xacro_arguments=arg or (),
    )  # fmt: skip
    if out_dir is not None:
        _many(conversion, paths, out_dir, to, json)
        return
    if to is not None:
        raise SuppleError(
            "--to: goes with --out-dir; for one file, the name of OUT tells the format"
        )
    if len(paths) != 2:
        raise SuppleError(
            f"expected FILE and OUT, or any number of files with --out-dir FOLDER, got {len(paths)}"
        )
    file, out = paths
    check_writable(out, f"{format_for_writing(out).title} file")
    made = conversion.convert(file, out)
    if json:
        print_json({"file": str(file), **made.data})
        return
    say_notes(made.all_notes)
    for path in made.paths:
        console().print(Text(f"written to {path}"), soft_wrap=True)


def _many(
    conversion: Conversion, paths: Sequence[Path], folder: Path, to: str | None, json: bool
) -> None:
    """Convert any number of files into a folder."""
    if to is None:
        known = ", ".join(ending.removeprefix(".") for ending in ENDINGS)
        raise SuppleError(f"--to: expected what to write with --out-dir, one of {known}")
    ending = one_of("--to", f".{to.lower().removeprefix('.')}", ENDINGS)
    files = expanded(paths, folder)
    pairs = result_paths(files, folder, ending=ending)

    def say(one: Ended) -> None:
        say_warnings(one.done.data["warnings"])
        beside = (str(Path(path).relative_to(folder)) for path in one.done.data["written"])
        words = f" {files.name(one.file)}: {', '.join(beside)}"
        console().print(Text.assemble(("done", "green"), words), soft_wrap=True)

    def row(one: Ended) -> dict[str, Any]:
        return {key: one.done.data[key] for key in ("written", "notes", "read")}

    work = ConvertFile(conversion, frozenset(out for _, out in pairs))
    # In this process and without a journal: there is little to compute.
    run_clips(work, pairs, None, json=json, jobs=1, say=say, row=row, skipped=files.skipped,
              verb="written")  # fmt: skip


@dataclass(frozen=True)
class ConvertFile:
    """Converts one of many files.

    Attributes:
        conversion: The options.
        taken: The results of all files: files beside a result get other names.
    """

    conversion: Conversion
    taken: frozenset[Path]

    @property
    def digest(self) -> str:
        """The work, independent of the file."""
        return repr(self.conversion)

    def reads(self, file: Path) -> Iterable[Path]:
        """The file."""
        return (file,)

    def __call__(self, file: Path, out: Path) -> Done:
        """Convert a file, and write the result."""
        made = self.conversion.convert(file, out, taken=self.taken)
        warnings = warnings_of(made.all_notes)
        return Done(DONE, "", {**made.data, "warnings": warnings})
