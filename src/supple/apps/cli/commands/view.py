"""`supple view FILE`: show a character, motion, robot, trace or grammar in the playground."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from supple.apps.cli.commands.demo import (
    BrowserOption,
    HostOption,
    JsonOption,
    PortOption,
    TokenOption,
    serve,
)
from supple.apps.cli.options import FolderOption, XacroArgOption
from supple.errors import SuppleError


def view(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="What to show: .smd, .bvh, .glb, .gltf, .character, .urdf, .xacro, .xml, .cga, or .json.",
        ),
    ],
    motion: Annotated[
        list[Path] | None,
        typer.Option("--motion", "-m", metavar="FILE", help="A motion for it. Repeatable."),
    ] = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    browser: BrowserOption = True,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    keep_token: TokenOption = False,
    json: JsonOption = False,
) -> None:
    """Show a file in the playground.

    supple view hero.smd --motion walk.smd

    JSON files are skeletons, poses, solutions and traces that supple wrote. Ctrl-C ends it.
    """
    from supple.apps.viewer.library import Library

    for path in (file, *(motion or ())):
        if not os.path.isfile(path):
            raise SuppleError(f"{path}: there is no such file")
    library = Library()
    number = library.open_file(file, motions=motion or [], folder=folder, xacro_arguments=arg or ())
    serve(
        scene=f"file:{number}",
        browser=browser,
        host=host,
        port=port,
        keep_token=keep_token,
        json=json,
        library=library,
    )
