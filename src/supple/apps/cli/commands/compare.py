"""`supple compare`: run every solver on the same targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from supple.apps.cli.commands.compare_measure import Comparison, able, measure
from supple.apps.cli.console import console, error_console, print_json, seconds, table
from supple.apps.cli.model_argument import read_character
from supple.apps.cli.options import (
    GOALS,
    SOLVING,
    FolderOption,
    IterationsOption,
    JointOption,
    JsonOption,
    LimitsOption,
    ModelArgument,
    PlotOption,
    ToleranceOption,
    XacroArgOption,
    checked_plot,
    upright,
)
from supple.apps.cli.random_targets import random_targets
from supple.apps.goals_from_text import effector_or_only_tip
from supple.solve.prepare import Prepared
from supple.texts import short, vector


def compare(
    model: ModelArgument,
    effector: Annotated[
        str | None,
        typer.Option(
            "--effector",
            "-e",
            metavar="NAME",
            help="Joint or tip to move. Default: the only tip.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "-t",
            metavar="X,Y,Z",
            help="One target in world, instead of random ones.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    targets: Annotated[
        int,
        typer.Option(
            "--targets",
            "-n",
            metavar="N",
            min=1,
            help="The number of random targets.",
            rich_help_panel=GOALS,
        ),
    ] = 100,
    within: Annotated[
        str,
        typer.Option(
            metavar="poses|ball|disc",
            help="Targets from random poses inside the limits, or uniform in the ball or XY disc "
            "with the chain's length as radius.",
            rich_help_panel=GOALS,
        ),
    ] = "poses",
    seed: Annotated[
        int, typer.Option(min=0, help="The seed of the random targets.", rich_help_panel=GOALS)
    ] = 0,
    solvers: Annotated[
        str,
        typer.Option(
            "--solvers",
            "-s",
            metavar="A,B,...",
            help="The solvers, optionally with options: CCD:damping=0.2. Default: all that support the model.",
            rich_help_panel=SOLVING,
        ),
    ] = "",
    tolerance: ToleranceOption = None,
    max_iterations: IterationsOption = None,
    joint: JointOption = None,
    limits: LimitsOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Compare the solvers on the same targets, each solve from rest.

    supple compare chain:9,9,9,9,4 --limits j1=120,j2=90 --plot compare.png

    Sum of turns, largest turn and tip path are means over the targets that all solvers reached. Time is
    the median of a compiled call. A visit rotates or places one joint. Operations are multiplications as
    counted by Song and Hu 2011, who give a count for CCD and Target Triangle. A cost that contradicts
    the claims of a solver's paper is named below the tables.
    """
    character = read_character(
        model, joints=joint or (), limits=limits or (), folder=folder, xacro_arguments=arg or ()
    )
    skeleton = character.skeleton
    name = effector_or_only_tip(skeleton, effector)
    checked_plot(plot)
    point = np.array([vector("--to", to, "X,Y,Z")]) if to is not None else None
    wanted = [part.strip() for part in solvers.split(",") if part.strip()]
    ready, refused = able(skeleton, name, wanted, tolerance=tolerance)
    if max_iterations is not None:
        ready = {key: _capped(one, max_iterations) for key, one in ready.items()}
    if point is None:
        first = next(iter(ready.values())).problem
        moving = [skeleton.joint_names[j] for j in first.moving]
        point = random_targets(skeleton, name, moving, count=targets, seed=seed, within=within)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        tasks = {one: bar.add_task(one, total=len(point)) for one in ready}
        found = measure(
            ready, name, point, progress=lambda one, done: bar.update(tasks[one], completed=done)
        )
    found.refused = refused
    if plot is not None:
        changes = [f"joint {one}" for one in joint or ()]
        changes += [f"limits {one}" for one in limits or ()]
        _plot(plot, ", ".join([model, *changes]), found, up=upright(character))
    if json:
        drawn = {"plot": str(plot)} if plot is not None else {}
        print_json({"model": model, **found.to_json(), "written": drawn})
    else:
        _show(found, plot)


def _capped(problem: Prepared, most: int) -> Prepared:
    """The same problem, its last solver with a cap on iterations."""
    return problem.with_solver(replace(problem.solvers[-1], max_iterations=most))


def _degrees(value: float | None) -> float | None:
    return None if value is None else math.degrees(value)


def _show(found: Comparison, plot: Path | None) -> None:
    say = console()
    count = len(found.targets)
    whom = "all" if all(row.reached for row in found.rows) else "all that reached any"
    many = f"{count} targets, {found.common} of them reached by {whom}"
    many = "one target" if count == 1 else many
    say.print(Text(f"{found.effector} to {many}", style="bold"))
    outcome = ("reached", "error, median", "largest", "iterations", "time", "relative")
    rows: list[list[str | Text]] = []
    for row in found.rows:
        good = "green" if row.reached == 1 else "yellow" if row.reached >= 0.9 else "red"
        rows.append(
            [
                _spaced(row.solver),
                Text(f"{100 * row.reached:.4g}%", style=good),
                short(row.error_median, 2),
                short(row.error_max, 2),
                short(row.iterations),
                seconds(row.seconds),
                f"×{row.time_ratio:.3g}",
            ]
        )
    say.print(_grid(outcome, rows))
    say.print()
    cost = ("sum of turns", "largest", "tip path", "joint visits", "operations")
    rows = [
        [
            _spaced(row.solver),
            _angle(row.turns_sum),
            _angle(row.turns_max),
            short(row.path, 4),
            short(row.visits, 4),
            short(row.operations, 4),
        ]
        for row in found.rows
    ]
    say.print(_grid(cost, rows))
    if found.contradicted:
        say.print()
        for remark in found.contradicted:
            say.print(Text(remark, style="yellow"))
    if found.refused:
        say.print()
        for why in found.refused.values():
            say.print(Text(why.partition(";")[0], style="dim"))
    if plot is not None:
        say.print()
        say.print(Text(f"plot written to {plot}", style="dim"), soft_wrap=True)


def _spaced(name: str) -> str:
    """A solver and its options as words, so that they can be broken into lines."""
    return name.replace(":", " ")


def _grid(heads: Sequence[str], rows: list[list[str | Text]]) -> Table:
    return table([("", "left"), *((head, "right") for head in heads)], rows)


def _angle(value: float | None) -> str:
    degrees = _degrees(value)
    return short(degrees) if degrees is None else f"{degrees:.1f}°"


def _plot(path: Path, title: str, found: Comparison, *, up: str) -> None:
    from supple.apps import plot

    def bars(of: Any) -> dict[str, float | None]:
        return {_spaced(row.solver): of(row) for row in found.rows}

    several = len(found.targets) > 1
    measures = {
        "reached [%]": bars(lambda row: 100 * row.reached),
        "error, median" if several else "error": bars(lambda row: row.error_median),
        "iterations, mean" if several else "iterations": bars(lambda row: row.iterations),
        "time, relative": bars(lambda row: row.time_ratio),
        "sum of turns [°]": bars(lambda row: _degrees(row.turns_sum)),
        "largest turn [°]": bars(lambda row: _degrees(row.turns_max)),
        "tip path": bars(lambda row: row.path),
        "joint visits": bars(lambda row: row.visits),
    }
    if sum(row.operations is not None for row in found.rows) > 1:
        measures["operations"] = bars(lambda row: row.operations)
    target = found.targets[found.shown]
    place = ", ".join(f"{x:.4g}" for x in target)
    detail = f"{found.effector} to ({place})"
    if several:
        detail = (
            f"Above: {detail}. Below: {len(found.targets)} targets; turns and path over the "
            f"{found.common} that all reached."
        )
    figure = plot.compare(
        {_spaced(name): answer for name, answer in found.answers.items()},
        goals={found.effector: target},
        measures=measures,
        title=title,
        detail=detail,
        up=up,
    )
    plot.save(figure, path)
