"""`supple page MODEL -o FILE`: write one HTML file with a figure to drag."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.apps.cli.options import FolderOption, XacroArgOption
from supple.errors import SuppleError

HUMANOID = "humanoid"


def page(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="chain:1,1,1, humanoid (the character shipped with supple), or a file: .glb, .gltf, .smd, "
            ".bvh, .urdf, .xacro, .xml, .character, .cga, .json.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
    ],
    goal: Annotated[
        list[str] | None,
        typer.Option(
            "--goal", "-g", metavar="NAME", help="A joint or tip with a goal. Repeatable."
        ),
    ] = None,
    motion: Annotated[
        list[Path] | None,
        typer.Option("--motion", "-m", metavar="FILE", help="A motion for it. Repeatable."),
    ] = None,
    plant_feet: Annotated[
        bool,
        typer.Option("--plant-feet", help="Also add each motion with its feet planted."),
    ] = False,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The page's title.")] = None,
) -> None:
    """Write a self-contained page to drag a figure, switch solvers and play motions.

    supple page humanoid -o hero.html

    supple page robot.urdf -o robot.html --goal gripper

    The page needs no server and no network. It can be mailed or put into documentation, and opens from disk, also on a
    phone.
    """
    import supple
    from supple.apps.viewer.library import subject_of

    subject = subject_of(
        _read(model, motion or [], folder, arg or ()), key=model, title=title or _title(model)
    )
    added = []
    if plant_feet:
        added = [supple.plant_feet(one, up=subject.up) for one in subject.motions.values()]
        if not added:
            raise SuppleError(f"--plant-feet: expected a motion, but {model} has none")
    supple.page(subject, output, goals=goal, motions=added, title=title)
    typer.echo(f"{output}: {output.stat().st_size / 1e6:.2f} MB")


def _read(model: str, motions: list[Path], folder: Path | None, arguments: Sequence[str]) -> Any:
    """The subject that MODEL names, with the motions of other files."""
    from supple.apps.cli.model_argument import read_character
    from supple.apps.viewer.library import Library

    for path in motions:
        if not os.path.isfile(path):
            raise SuppleError(f"{path}: there is no such file")
    file = Path(model)
    if file.suffix.lower() == ".cga":
        from supple.apps.grammar import grow

        return grow(file)
    if os.path.isfile(file):
        library = Library()
        number = library.open_file(file, motions=motions, folder=folder, xacro_arguments=arguments)
        return library.subject(number)
    if motions or folder is not None or arguments:
        option = "--motion" if motions else "--folder" if folder is not None else "--arg"
        raise SuppleError(f"{option}: expected a file as MODEL, got {model}")
    if model == HUMANOID:
        from supple.apps.data import humanoid

        return humanoid()
    return read_character(model)


def _title(model: str) -> str:
    return "Our character" if model == HUMANOID else Path(model).name
