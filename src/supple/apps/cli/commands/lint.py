"""`supple lint`: report problems of a character file, and what they break."""

from __future__ import annotations

from dataclasses import asdict

import typer
from rich.text import Text

from supple.apps.cli.character_files import read_file
from supple.apps.cli.console import console, print_json
from supple.apps.cli.options import (
    CharacterArgument,
    FolderOption,
    FpsOption,
    JsonOption,
    MotionsOption,
    PositionModeOption,
    XacroArgOption,
)
from supple.apps.formats.lint import lint as find

FOUND_PROBLEMS = 1  # exit code


def lint(
    file: CharacterArgument,
    motions: MotionsOption = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    json: JsonOption = False,
) -> None:
    """Report problems of a character file, and what they break.

    Channel orders, bind pose, weights, bones of zero length, units, frame gaps, jumps.

    supple lint dance.bvh

    Exit code 1 if there are findings, 2 if the file cannot be read.
    """
    character = read_file(
        file, motions=motions or (), position_mode=position_mode, fps=fps,
        folder=folder, xacro_arguments=arg or (),
    )  # fmt: skip
    found = find(character)
    if json:
        print_json({"file": str(file), "findings": [asdict(one) for one in found]})
    else:
        say = console()
        for one in found:
            where = f"{file}:{one.line}" if one.line is not None else str(file)
            head = Text.assemble((f"{where}: ", "bold"), (f"{one.kind}: ", "yellow"), one.text)
            say.print(head, soft_wrap=True)
            if one.breaks:
                say.print(Text(f"    {one.breaks}", style="dim"), soft_wrap=True)
        many = f"{len(found)} finding{'s' * (len(found) != 1)}"
        say.print(Text(many if found else "nothing odd", style="green" if not found else ""))
    if found:
        raise typer.Exit(FOUND_PROBLEMS)
