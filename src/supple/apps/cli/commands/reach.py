"""`supple reach`: solve one problem and show the solution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.apps.character.character import Character
from supple.apps.cli.commands.reach_report import as_data, show
from supple.apps.cli.console import print_json
from supple.apps.cli.model_argument import read_character, read_start
from supple.apps.cli.options import (
    GOALS,
    OUTPUT,
    SOLVING,
    AvoidOption,
    BalanceMarginOption,
    BalanceOption,
    ConnectOption,
    DepthOption,
    FolderOption,
    FreeRootOption,
    IterationsOption,
    JointOption,
    JsonOption,
    LimitsOption,
    LockOption,
    LookAtOption,
    ModelArgument,
    ObstacleOption,
    PlotOption,
    RootOption,
    ToleranceOption,
    WeldOption,
    XacroArgOption,
    checked_plot,
    read_constraints,
    upright,
)
from supple.apps.cli.solver_names import read_solver
from supple.apps.formats import save
from supple.apps.formats.registry import format_for_writing
from supple.apps.goals_from_text import effector_or_only_tip, look_at_goal, same_pose
from supple.errors import SuppleError
from supple.files import check_writable, write
from supple.goals import Goal, Hold, On, Pole, Reach
from supple.goals.own import named as plugged_in
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import prepare
from supple.solve.solution import Solution
from supple.solve.solve import solve
from supple.solvers import Solver
from supple.texts import named, number, vector

NOT_REACHED = 1  # exit code


def reach(
    model: ModelArgument,
    effector: Annotated[
        list[str] | None,
        typer.Option(
            "--effector",
            "-e",
            metavar="NAME",
            help="Joint or tip to move. Default: the only tip.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            "-t",
            metavar="X,Y,Z|NAME",
            help="The target in world; or a joint or tip to follow. For "
            "several effectors, repeat --effector and --to in pairs.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    orientation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="W,X,Y,Z",
            help="The target orientation: a world quaternion.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    look_at: LookAtOption = None,
    pole: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=X,Y,Z",
            help="Bend the middle joint NAME towards a point.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOAL=NAMES[=VALUES]",
            help="A goal of a plug-in, with its bones and values separated by commas: level=hand.L,hand.R=0.1.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Keep NAME where it is at the start.", rich_help_panel=GOALS
        ),
    ] = None,
    root: RootOption = None,
    depth: DepthOption = 0,
    lock: LockOption = None,
    free_root: FreeRootOption = False,
    avoid: AvoidOption = None,
    obstacle: ObstacleOption = None,
    balance: BalanceOption = None,
    balance_margin: BalanceMarginOption = 0.0,
    connect: ConnectOption = None,
    weld: WeldOption = None,
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            "-s",
            metavar="NAME",
            help="auto, or a solver, optionally with options: CCD:damping=0.2.",
            rich_help_panel=SOLVING,
        ),
    ] = "auto",
    start: Annotated[
        str | None,
        typer.Option(
            metavar="POSE|FILE.json",
            help="The name of a pose of the model, such as a keyframe, or a file of a pose or "
            "solution. Default: the pose in the file.",
            rich_help_panel=SOLVING,
        ),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Start from a frame of this motion.", rich_help_panel=SOLVING
        ),
    ] = None,
    frame: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="The frame to start from. Default: the first. Without --motion, of the first motion.",
            rich_help_panel=SOLVING,
        ),
    ] = None,
    tolerance: ToleranceOption = None,
    max_iterations: IterationsOption = None,
    unreachable: Annotated[
        str,
        typer.Option(
            metavar="approach|keep",
            help="If the target is out of reach: come as near as possible, or keep the start.",
            rich_help_panel=SOLVING,
        ),
    ] = "approach",
    solutions: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=1,
            help="The number of different solutions to look for.",
            rich_help_panel=SOLVING,
        ),
    ] = 1,
    prefer: Annotated[
        str | None,
        typer.Option(
            metavar="nearest|turns|path",
            help="Which of several solutions comes first: nearest to the start, least sum of joint "
            "rotations, shortest path of the tip.",
            rich_help_panel=SOLVING,
        ),
    ] = None,
    joint: JointOption = None,
    limits: LimitsOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    plot: PlotOption = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Write the steps of the solver, which --plot then shows.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the solution (.json), or the posed character (.glb, .gltf, .smd, "
            ".bvh, .character, .obj).",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Solve for the pose that puts an effector on a target, and print it.

    supple reach chain:9,9,9,9,4 --to 12,18,6 --plot reach.png

    supple reach chain:1,1@hinge:z:-150:150 --to 0.7,1.2,0 --solutions 2

    supple reach dance.bvh --frame 12 -e RightHand --to 20,150,30 --out posed.bvh

    supple reach panda.xml --start home -e hand --to 0.4,0.2,0.5 --avoid 0.005 --obstacle plane:0,0,0:z

    Exit code 1 if the target is not reached.
    """
    character = read_character(
        model, joints=joint or (), limits=limits or (), folder=folder, xacro_arguments=arg or ()
    )
    before = read_constraints(avoid, obstacle, balance, balance_margin, connect, weld)
    weighed = before.weighed(character)
    skeleton = weighed.skeleton
    goals = _goals(skeleton, effector or [], to or [], orientation or [], root, depth)
    goals += [look_at_goal(skeleton, text) for text in look_at or ()]
    goals += [_plug_in(text, root, depth) for text in goal or ()]
    goals += [Pole(name, _target("--pole", at)) for name, at in _pairs("--pole", pole or ())]
    goals += [Hold(name) for name in hold or ()]
    if not goals and not before.frees:
        raise SuppleError("nothing to reach: give --to X,Y,Z")
    goals += before.goals(weighed)
    if trace is not None and (solutions > 1 or prefer is not None):
        raise SuppleError("--trace: tells of one solve; leave out --solutions and --prefer")
    checked_plot(plot)
    for path, what in ((trace, "trace"), (out, "solution")):
        if path is not None:
            check_writable(path, what)
    if out is not None and out.suffix.lower() != ".json":
        format_for_writing(out)
    begin = _start(weighed, start, motion, frame)
    common: dict[str, Any] = {
        "tolerance": tolerance,
        "lock": lock or (),
        "free_root": free_root,
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
    if out is not None and out.suffix.lower() == ".json":
        write(out, dumps(answer.to_json()), "solution")
        written["solution"] = str(out)
    elif out is not None:
        save(character.posed(same_pose(answer.pose, character.skeleton)), out)
        written["character"] = str(out)
    if plot is not None:
        _plot(plot, answer, goals, up=upright(character))
        written["plot"] = str(plot)
    if json:
        print_json({"model": model, **as_data(answer, goals), "written": written})
    else:
        show(answer, goals, written)
    if not answer.reached:
        raise typer.Exit(NOT_REACHED)


def _start(character: Character, given: str | None, motion: str | None, frame: int | None) -> Pose:
    """The start pose: a pose of the character, from a file, or from a frame of a motion."""
    if motion is None and frame is None:
        return character.pose if given is None else read_start(given, character)
    if given is not None:
        raise SuppleError("--start: leave it out with --motion or --frame")
    if not character.motions:
        raise SuppleError("--motion, --frame: the model has no motions")
    chosen = character.motion(motion) if motion else next(iter(character.motions.values()))
    if frame is not None and frame >= len(chosen):
        raise SuppleError(
            f"--frame: motion {chosen.name!r} has frames 0 to {len(chosen) - 1}, got {frame}"
        )
    return chosen[frame or 0]


# Goals --------------------------------------------------------------------------------------------


def _target(what: str, text: str) -> tuple[float, ...]:
    return vector(what, text, "X,Y,Z")


def _place(what: str, skeleton: Skeleton, text: str) -> Any:
    """A world point, or a bone, which may move."""
    return On(text) if text in skeleton else _target(what, text)


def _pairs(what: str, texts: Iterable[str]) -> list[tuple[str, str]]:
    return [named(what, text, "NAME=X,Y,Z") for text in texts]


def _plug_in(text: str, root: str | None, depth: int) -> Goal:
    name, _, rest = text.partition("=")
    frames, _, numbers = rest.partition("=")
    if not frames:
        raise SuppleError(f"--goal: expected GOAL=NAMES or GOAL=NAMES=VALUES, got {text!r}")
    values = [number("--goal", part) for part in numbers.split(",") if part]
    return plugged_in(name)(frames.split(","), values, root=root, depth=depth)


def _goals(
    skeleton: Skeleton,
    effectors: list[str],
    targets: list[str],
    orientations: list[str],
    root: str | None,
    depth: int,
) -> list[Goal]:
    """A Reach for each effector; targets and orientations are in the same order."""
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
            _place("--to", skeleton, targets[k]) if targets else None,
            orientation=vector("--orientation", orientations[k], "W,X,Y,Z")
            if orientations
            else None,
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
    """The solver with max_iterations set; "auto" becomes the solver that it would end with."""
    if most is None:
        return solver
    if isinstance(solver, str):
        solver = prepare(skeleton, goals, solver=solver, **common).solvers[-1]
    return replace(solver, max_iterations=most)


def _plot(path: Path, answer: Solution, goals: list[Goal], *, up: str) -> None:
    from supple.apps import plot

    draw = plot.trace if answer.trace is not None else plot.solution
    plot.save(draw(answer, goals=goals, up=up), path)
