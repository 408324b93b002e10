"""`supple grow`: grow shapes by CGA rules, pose them and write them."""

from __future__ import annotations

import json as json_
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from supple.apps.cli.console import console, error_console, print_json, table
from supple.apps.cli.options import OUTPUT, JsonOption
from supple.apps.data import rules as own_rules
from supple.apps.grammar import grow as grow_rules
from supple.apps.grammar import stub_text
from supple.errors import SuppleError, one_of
from supple.files import as_path, check_writable
from supple.texts import named, short, vector

NOT_REACHED = 1  # exit code
EXTENSIONS = (".glb", ".gltf", ".obj", ".html", ".png", ".svg")
RULES = "Rules"
MOST_LISTED_LINES = 12  # of each kind of remark; not tuned


def grow(
    rules: Annotated[
        str,
        typer.Argument(
            metavar="RULES",
            help="A CGA rule file (.cga) or rule package (.rpk); "
            "or one of supple's own: figure, lamp, excavator, human, street, facade, town, avenue.",
        ),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help='The rule to start with, such as Lot or "Tower(3)". Default: the file\'s own.',
            rich_help_panel=RULES,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="The seed of random choices.", rich_help_panel=RULES),
    ] = 0,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set an attribute to a number, true, false, X,Y,Z or a text. Repeatable.",
            rich_help_panel=RULES,
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z",
            help="Size of the first shape: with Y = 0 a rectangle on the ground, else a box. "
            "Default: what the rules say, else 1,0,1.",
            rich_help_panel=RULES,
        ),
    ] = None,
    style: Annotated[
        str, typer.Option(metavar="NAME", help="A style of the rules.", rich_help_panel=RULES)
    ] = "",
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="The folder that holds imports and assets. Default: the rule file's, and assets/, "
            "images/, models/ and rules/ beside it and above.",
            rich_help_panel=RULES,
        ),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder that workspace paths such as /ESRI.lib/assets/tree.obj are relative to.",
            rich_help_panel=RULES,
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            metavar="stand-in|error",
            help="stand-in: a box or a grey image replaces a missing asset, and the rules of a missing import "
            "leave shapes unchanged. error: stop with an error.",
            rich_help_panel=RULES,
        ),
    ] = "stand-in",
    stubs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with values for missing imports. If it does not exist, it is written with a line for "
            "each value to fill in.",
            rich_help_panel=RULES,
        ),
    ] = None,
    shapes: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The greatest number of shapes to derive.",
            rich_help_panel=RULES,
        ),
    ] = 2_000_000,
    triangles: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The greatest number of triangles, of all geometry in memory and of files that hold every copy. "
            "Writing takes about 1 kB of memory for each.",
            rich_help_panel=RULES,
        ),
    ] = 3_000_000,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help=".glb, .gltf, .obj, .html, .png or .svg. Repeatable.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Print the tree of shapes.", rich_help_panel=OUTPUT)
    ] = False,
    json: JsonOption = False,
) -> None:
    """Grow shapes by CGA rules, pose the figures among them, and write them.

    supple grow figure.cga --seed 7 --set depth=2 -o figure.glb -o figure.png

    Exit code 1 if an IK rule does not touch its target.
    """
    from supple.apps.grammar import Limits

    attributes = dict(_attribute(text) for text in set_ or ())
    for path in out or ():
        if path.suffix.lower() not in EXTENSIONS:
            one_of(f"extension of {path.name}", path.suffix.lower(), EXTENSIONS)
        check_writable(path, "result")
    if stubs is not None and not as_path("--stubs", stubs).exists():
        _write_stubs(stubs, _path(rules), folder, workspace)
        return
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        tasks: dict[str, Any] = {}

        def report_progress(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=of or None)
            bar.update(tasks[what], completed=done, total=of or None)

        grown = grow_rules(
            _path(rules),
            start=start,
            seed=seed,
            attributes=attributes,
            style=style,
            size=None if size is None else vector("--size", size, "X,Y,Z"),
            folder=folder,
            workspace=workspace,
            missing=missing,
            stubs=stubs,
            limits=Limits(shapes=shapes, triangles=triangles),
            progress=report_progress,
        )
        for path in out or ():
            task = bar.add_task(f"writing {path.name}", total=None)
            grown.save(path)
            bar.remove_task(task)
    written = [str(path) for path in out or ()]
    if json:
        print_json(_as_data(grown, written))
    else:
        _show(grown, written, tree)
    if not grown.reached:
        raise typer.Exit(NOT_REACHED)


def _write_stubs(stubs: Path, rules: Path, folder: Path | None, workspace: Path | None) -> None:
    """Write a stub file with values to fill in."""
    text = stub_text(rules, folder=folder, workspace=workspace)
    if not text:
        console().print("no stubs are needed: the rules use no value of a missing rule file")
        return
    check_writable(stubs, "stubs")
    stubs.write_text(text, encoding="utf-8")
    count = sum(" =    // " in line for line in text.splitlines())
    console().print(f"wrote {stubs}: fill in {count} values, then grow with the same --stubs")


def _path(rules: str) -> Path:
    """The path of a rule file; a plain word is the name of rules that ship with supple."""
    path = as_path("RULES", rules)
    return path if path.suffix or path.exists() else own_rules(rules)


def _attribute(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; the value is a boolean, number, array or string of CGA."""
    name, value = named("--set", text, "NAME=VALUE")
    return name, _value(value)


def _value(text: str) -> Any:
    inside = text.strip()
    if inside.lower() in ("true", "false"):
        return inside.lower() == "true"
    if inside.startswith('"') and inside.endswith('"') and len(inside) > 1:
        return inside[1:-1]
    try:
        return float(inside)
    except ValueError:
        pass
    listed = inside.removeprefix("[").removesuffix("]")
    parts = listed.split(",")
    if len(parts) > 1 or inside != listed:
        try:
            return tuple(float(part) for part in parts)
        except ValueError:
            if inside != listed:
                raise SuppleError(f"--set: expected numbers in {text!r}") from None
    return text


def _as_data(grown: Any, written: list[str]) -> dict[str, Any]:
    return {
        "shapes": len(grown.store),
        "leaves": grown.leaves.names,
        "joints": [record.name for record in grown.figure.joints],
        "reached": grown.reached,
        "ik": [
            {
                "effector": touch.effector,
                "target": touch.target,
                "reached": touch.reached,
                "status": str(touch.solution.status),
                "error": touch.error,
                "reason": touch.reason,
            }
            for touch in grown.touches
        ],
        "reports": grown.reports,
        "printed": list(grown.printed),
        "notes": list(grown.notes),
        "incomplete": list(grown.incomplete),
        "written": written,
    }


def _show(grown: Any, written: Iterable[str], tree: bool) -> None:
    out = console()
    out.print(repr(grown)[7:-1])
    for line in grown.incomplete[:MOST_LISTED_LINES]:
        out.print(f"incomplete: {line}", markup=False, highlight=False)
    for line in grown.notes[:MOST_LISTED_LINES]:
        out.print(f"note: {line}", markup=False, highlight=False)
    left = len(grown.incomplete[MOST_LISTED_LINES:]) + len(grown.notes[MOST_LISTED_LINES:])
    if left:
        out.print(f"... and {left} more notes (--json lists them)")
    if tree:
        out.print(grown.tree())
    for line in grown.printed:
        out.print(line)
    if grown.touches:
        rows = [
            (
                touch.effector,
                ", ".join(short(x) for x in touch.target),
                "reached" if touch.reached else "not reached",
                touch.reason,
            )
            for touch in grown.touches[:MOST_LISTED_LINES]
        ]
        columns = [("effector", "left"), ("target", "left"), ("", "left"), ("why", "left")]
        out.print(table(columns, rows))
        if len(grown.touches) > MOST_LISTED_LINES:
            out.print(f"... and {len(grown.touches) - MOST_LISTED_LINES} more")
    if grown.reports:
        rows = [
            (name, str(len(values)), _total(values))
            for name, values in sorted(grown.reports.items())
        ]
        out.print(table([("report", "left"), ("count", "right"), ("sum", "right")], rows))
    for path in written:
        out.print(f"wrote {path}")


def _total(values: list[Any]) -> str:
    if all(isinstance(value, float) for value in values):
        return short(sum(values), 6)
    return json_.dumps(values[0]) if len(values) == 1 else ""
