"""`supple reach`: solve one problem and show the answer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from supple import costs
from supple.cli.model import read_model, read_start
from supple.cli.options import (
    JointOption,
    JsonOption,
    LimitsOption,
    ModelArgument,
    PlotOption,
    checked_plot,
    effector_or_only_tip,
)
from supple.cli.report import console, print_json, short, table
from supple.cli.solver import read_solver
from supple.cli.values import named, vector
from supple.errors import SuppleError
from supple.files import check_writable, write
from supple.goals import Goal, Hold, LookAt, Pole, Reach
from supple.kernels import layout
from supple.pose import Pose
from supple.prepare import prepare
from supple.skeleton import Skeleton
from supple.solution import Solution
from supple.solve import solve
from supple.solvers import Solver

NOT_REACHED = 1


def reach(
    model: ModelArgument,
    effector: Annotated[
        list[str] | None,
        typer.Option(
            "--effector", "-e", metavar="NAME", help="Joint or tip to move. Default: the only tip."
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            "-t",
            metavar="X,Y,Z",
            help="Where to put it, world. Repeat --effector and --to in pairs for several.",
        ),
    ] = None,
    orientation: Annotated[
        list[str] | None,
        typer.Option(
            "--orientation", metavar="W,X,Y,Z", help="How to turn it: a world quaternion."
        ),
    ] = None,
    look_at: Annotated[
        list[str] | None,
        typer.Option(
            "--look-at",
            metavar="NAME=X,Y,Z",
            help="Have NAME's x axis point there; end with @-z for another axis.",
        ),
    ] = None,
    pole: Annotated[
        list[str] | None,
        typer.Option(
            "--pole", metavar="NAME=X,Y,Z", help="Bend the middle joint NAME towards a point."
        ),
    ] = None,
    hold: Annotated[
        list[str] | None, typer.Option("--hold", metavar="NAME", help="Keep NAME where it starts.")
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            "-s",
            metavar="NAME",
            help="auto, or a solver, with options as in CCD:damping=0.2.",
        ),
    ] = "auto",
    root: Annotated[
        str | None, typer.Option("--root", metavar="NAME", help="The topmost joint that may move.")
    ] = None,
    depth: Annotated[
        int,
        typer.Option(
            "--depth", metavar="N", min=0, help="How many joints may move; 0: all up to the root."
        ),
    ] = 0,
    lock: Annotated[
        list[str] | None,
        typer.Option("--lock", metavar="NAME", help="Joint that does not move. Repeatable."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", help="How near counts as reached. Default: 1e-4 of the chain."),
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option("--max-iterations", metavar="N", min=0, help="At most how many iterations."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start", metavar="FILE.json", help="Pose or solution to start from. Default: rest."
        ),
    ] = None,
    unreachable: Annotated[
        str,
        typer.Option(
            "--unreachable",
            metavar="approach|keep",
            help="Come as near as possible, or keep the start.",
        ),
    ] = "approach",
    solutions: Annotated[
        int,
        typer.Option(
            "--solutions", metavar="K", min=1, help="How many different answers to look for."
        ),
    ] = 1,
    prefer: Annotated[
        str | None,
        typer.Option(
            "--prefer", metavar="nearest|turns|path", help="Which of several answers comes first."
        ),
    ] = None,
    joint: JointOption = None,
    limits: LimitsOption = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="FILE.json", help="Write what the solver did; --plot then shows it."
        ),
    ] = None,
    plot: PlotOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.json", help="Write the solution.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Put an effector somewhere, and show the pose.

    supple reach chain:9,9,9,9,4 --to 12,18,6 --plot reach.png

    supple reach chain:1,1@hinge:z:-150:150 --to -0.7,1.2,0 --solutions 2

    Exit code 1 if the target is not reached.
    """  # fmt: skip
    skeleton = read_model(model, joints=joint or (), limits=limits or ())
    goals = _goals(skeleton, effector or [], to or [], orientation or [], root, depth)
    goals += [_look_at(text) for text in look_at or ()]
    goals += [Pole(name, _target("--pole", at)) for name, at in _pairs("--pole", pole or ())]
    goals += [Hold(name) for name in hold or ()]
    if not goals:
        raise SuppleError("nothing to reach: give --to X,Y,Z")
    checked_plot(plot)
    for path, what in ((trace, "trace"), (out, "solution")):
        if path is not None:
            check_writable(path, what)
    begin = read_start(start, skeleton) if start is not None else None
    common: dict[str, Any] = {
        "tolerance": tolerance,
        "lock": lock or (),
        "unreachable": unreachable,
    }
    chosen = _with_budget(read_solver(solver), max_iterations, skeleton, goals, common)
    answer = solve(
        skeleton,
        goals,
        start=begin,
        solver=chosen,
        trace=trace is not None,
        solutions=solutions,
        prefer=prefer,
        **common,
    )
    written: dict[str, str] = {}
    if trace is not None and answer.trace is not None:
        answer.trace.save(trace)
        written["trace"] = str(trace)
    if out is not None:
        from json import dumps

        write(out, dumps(answer.to_json()), "solution")
        written["solution"] = str(out)
    if plot is not None:
        _plot(plot, answer, goals)
        written["plot"] = str(plot)
    if json:
        print_json({"model": model, **_as_data(answer, goals), "written": written})
    else:
        _show(answer, goals, written)
    if not answer.reached:
        raise typer.Exit(NOT_REACHED)


# Goals --------------------------------------------------------------------------------------------


def _target(what: str, text: str) -> tuple[float, ...]:
    return vector(what, text, "X,Y,Z")


def _pairs(what: str, texts: Any) -> list[tuple[str, str]]:
    return [named(what, text, "NAME=X,Y,Z") for text in texts]


def _look_at(text: str) -> Goal:
    name, at = named("--look-at", text, "NAME=X,Y,Z or NAME=X,Y,Z@AXIS")
    point, _, axis = at.partition("@")
    return LookAt(name, _target("--look-at", point), axis=axis or "x")


def _goals(
    skeleton: Skeleton,
    effectors: list[str],
    targets: list[str],
    orientations: list[str],
    root: str | None,
    depth: int,
) -> list[Goal]:
    """A Reach for each effector, with the targets and orientations in the same order."""
    if not targets and not orientations:
        if effectors:
            raise SuppleError(f"--effector {effectors[0]}: give --to X,Y,Z as well")
        return []
    names = effectors or [effector_or_only_tip(skeleton, None)]
    for option, given in (("--to", targets), ("--orientation", orientations)):
        if given and len(given) != len(names):
            raise SuppleError(
                f"{option}: expected one for each --effector, {len(names)}, got {len(given)}"
            )
    for name in names:
        effector_or_only_tip(skeleton, name)
    return [
        Reach(
            name,
            _target("--to", targets[k]) if targets else None,
            vector("--orientation", orientations[k], "W,X,Y,Z") if orientations else None,
            root=root,
            depth=depth,
        )
        for k, name in enumerate(names)
    ]


def _with_budget(
    solver: Solver | str,
    most: int | None,
    skeleton: Skeleton,
    goals: list[Goal],
    common: dict[str, Any],
) -> Solver | str:
    """The solver with its iterations capped; of "auto", the solver that it ends with."""
    if most is None:
        return solver
    if isinstance(solver, str):
        solver = prepare(skeleton, goals, solver=solver, **common).solvers[-1]
    return replace(solver, max_iterations=most)


def _plot(path: Path, answer: Solution, goals: list[Goal]) -> None:
    from supple import plot

    if answer.trace is not None:
        figure = plot.trace(answer, goals=goals)
    else:
        figure = plot.solution(answer, goals=goals)
    plot.save(figure, path)


# The answer ---------------------------------------------------------------------------------------


def _as_data(answer: Solution, goals: list[Goal]) -> dict[str, Any]:
    """The answer for programs: radians, world positions in model units."""
    skeleton = answer.skeleton
    return {
        "solver": answer.asked.solver,
        "goals": [_goal_data(goal) for goal in goals],
        "status": answer.status.name,
        "reached": answer.reached,
        "reason": answer.reason,
        "error": answer.error,
        "orientation_error": answer.orientation_error,
        "iterations": answer.iterations,
        "restarts": answer.restarts,
        "limited": list(answer.limited),
        "angles": dict(zip(skeleton.freedoms, answer.angles.tolist(), strict=True)),
        "positions": dict(zip(skeleton.names, answer.positions.tolist(), strict=True)),
        "coordinates": answer.pose.coordinates.tolist(),
        "alternatives": [
            {
                "angles": dict(zip(skeleton.freedoms, other.angles.tolist(), strict=True)),
                "coordinates": other.pose.coordinates.tolist(),
            }
            for other in answer.alternatives
        ],
    }


def _goal_data(goal: Goal) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": type(goal).__name__}
    for key in ("effector", "joint", "target", "orientation"):
        value = getattr(goal, key, None)
        if value is not None and not isinstance(value, bool):
            data[key] = value
    return data


def _show(answer: Solution, goals: list[Goal], written: dict[str, str]) -> None:
    say = console()
    good = answer.reached
    status = answer.status.name.lower().replace("_", " ")
    say.print(Text.assemble((status, "bold green" if good else "bold red"), ": ", answer.reason))
    facts = [answer.asked.solver, f"{answer.iterations} iteration{'s' * (answer.iterations != 1)}"]
    if answer.restarts:
        facts.append(f"{answer.restarts} restart{'s' * (answer.restarts != 1)}")
    kinds = {demand.kind for demand in answer.asked.demands}
    if "position" in kinds:
        facts.append(
            f"error {short(answer.error)} (tolerance {short(_tolerance(answer, 'position'))})"
        )
    if kinds & {"orientation", "direction"}:
        facts.append(f"turned {short(math.degrees(answer.orientation_error))}° off")
    say.print(Text(", ".join(facts), style="dim"))
    say.print()
    say.print(_pose_table(answer, goals))
    hidden = len(answer.skeleton.names) - len(_shown(answer, goals))
    if hidden:
        say.print(Text(f"and {hidden} joints and tips that this solve does not free", style="dim"))
    if answer.alternatives:
        say.print()
        say.print(_choice_table(answer, goals))
    for what, path in written.items():
        say.print(Text(f"{what} written to {path}", style="dim"), soft_wrap=True)


def _tolerance(answer: Solution, kind: str) -> float:
    return min(demand.tolerance for demand in answer.asked.demands if demand.kind == kind)


def _shown(answer: Solution, goals: list[Goal]) -> list[str]:
    """Joints that may move, and effectors, in the skeleton's order."""
    named_ = {getattr(goal, "effector", "") for goal in goals} | set(answer.asked.moving)
    return [name for name in answer.skeleton.names if name in named_]


def _pose_table(answer: Solution, goals: list[Goal]) -> Any:
    skeleton, pose = answer.skeleton, answer.pose
    pressed = set(answer.limited)
    rows = []
    size = float(np.abs(pose.positions).max()) or 1.0
    digits = max(0, min(9, 3 - math.floor(math.log10(size)) + 1)) if size < 1e4 else 1
    for name in _shown(answer, goals):
        k = skeleton.index(name)
        joint = skeleton.joints[k] if k < len(skeleton.joints) else None
        angles = Text(_angle_words(pose, k)) if joint is not None else Text()
        if name in pressed and not answer.reached:
            angles.append("  at its limit", style="yellow")
        kind = type(joint).__name__.lower() if joint is not None else "tip"
        place = [f"{x + 0.0:.{digits}f}" for x in pose.position(name)]
        rows.append([name, Text(kind, style="dim"), angles, *place])
    heads = [("joint", "left"), ("", "left"), ("coordinates", "left")]
    return table([*heads, ("x", "right"), ("y", "right"), ("z", "right")], rows)


def _angle_words(pose: Pose, k: int) -> str:
    """A joint's freedoms: angles in degrees, lengths and factors as they are."""
    skeleton = pose.skeleton
    joint, row = skeleton.joints[k], skeleton.packed_ints[k]
    first = sum(one.freedom_count for one in skeleton.joints[:k])
    words = []
    for label, value in zip(joint.freedom_labels, pose.angles[first:], strict=False):
        length = row[layout.KIND] == layout.SLIDER or label in ("tx", "ty", "tz", "u", "v")
        if label == "stretch":
            shown = f"×{value:.3f}"
        else:
            shown = f"{value + 0.0:.4g}" if length else f"{_tidy(math.degrees(value))}°"
        words.append(f"{label} {shown}" if label else shown)
    return "  ".join(words)


def _tidy(degrees: float) -> str:
    text = f"{degrees:.2f}"
    return "0.00" if text == "-0.00" else text


def _choice_table(answer: Solution, goals: list[Goal]) -> Any:
    """The answers found, by what they cost."""
    effector = next((goal.effector for goal in goals if isinstance(goal, Reach)), None)
    rows = []
    for k, one in enumerate((answer, *answer.alternatives)):
        path = costs.tip_path(answer.start, one.pose, effector) if effector else None
        rows.append(
            [
                str(k + 1),
                f"{math.degrees(costs.sum_of_turns(answer.start, one.pose)):.2f}°",
                f"{math.degrees(costs.largest_turn(answer.start, one.pose)):.2f}°",
                short(float(path), 4) if path is not None else "",
            ]
        )
    heads = (("answer", "left"), ("sum of turns", "right"), ("largest", "right"), ("path", "right"))
    return table(heads, rows)
