"""Options and arguments that several commands share, and their checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.apps.character.character import Character
from supple.apps.goals_from_text import OBSTACLES, Constraints
from supple.errors import SuppleError
from supple.files import as_path
from supple.texts import number, vector

GOALS, SOLVING, MODEL, OUTPUT = "Goals", "Solving", "Model", "Output"
CONSTRAINTS = "Constraints"
FEET = "Feet and ground"

RootOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The topmost joint that may move.", rich_help_panel=GOALS),
]
DepthOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="The number of joints that may move; 0: all up to the skeleton's root.",
        rich_help_panel=GOALS,
    ),
]
LockOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A joint that does not move. Repeatable.", rich_help_panel=GOALS
    ),
]

FreeRootOption = Annotated[
    bool,
    typer.Option(
        "--free-root",
        help="Let the model's free root move too, such as a robot's floating base. Without this option the root "
        "moves only if a goal names it or a limb is held.",
        rich_help_panel=GOALS,
    ),
]

AvoidOption = Annotated[
    float | None,
    typer.Option(
        metavar="MARGIN",
        min=0.0,
        help="Keep bones apart by at least this distance; 0: they may touch.",
        rich_help_panel=CONSTRAINTS,
    ),
]
ObstacleOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SHAPE",
        help=f"Keep bones out of this obstacle: {OBSTACLES}; in world; SIZE is from side to side. A plane is "
        "solid behind its normal, which is an axis or a vector, by default z. Repeatable.",
        rich_help_panel=CONSTRAINTS,
    ),
]
BalanceOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOOT,FOOT",
        help="Keep the centre of mass over the soles of these feet. Masses missing from the model are "
        "computed from the volume of its capsules.",
        rich_help_panel=CONSTRAINTS,
    ),
]
BalanceMarginOption = Annotated[
    float,
    typer.Option(
        metavar="MARGIN",
        min=0.0,
        help="Keep it at least this far from the edge of the soles.",
        rich_help_panel=CONSTRAINTS,
    ),
]
ConnectOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Hold two joints or tips together. Repeatable.",
        rich_help_panel=CONSTRAINTS,
    ),
]
WeldOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Hold two joints or tips together in position and orientation. Repeatable.",
        rich_help_panel=CONSTRAINTS,
    ),
]
LookAtOption = Annotated[
    list[str] | None,
    typer.Option(
        "--look-at",
        metavar="NAME=X,Y,Z",
        help="Point NAME's x axis at a point, or at another joint or tip; X,Y,Z@-z: another axis. "
        "Repeatable.",
        rich_help_panel=GOALS,
    ),
]

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="chain:9,9,9,9,4 (ball joints; 1x50: fifty links; append @hinge:z for another joint), "
        "a character (.bvh, .smd, .glb, .gltf, .character, .urdf, .xacro, .xml), or a .json skeleton.",
    ),
]
JointOption = Annotated[
    list[str] | None,
    typer.Option(
        "--joint",
        "-j",
        metavar="NAME=JOINT",
        help="Replace the joint NAME or, without NAME=, all joints: ball, hinge:z:-150:150, "
        "cone:120, cone:20,90,40,60 (down, up, left, right), axes:xyz:90, slider:y:0:2, planar:z, "
        "free, fixed. Degrees. Repeatable.",
        rich_help_panel=MODEL,
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="FOLDER",
        help="The folder with the files that the model refers to, such as the ROS packages of a "
        "robot. Default: the model's own folder; for a robot, the ROS package that holds it.",
        rich_help_panel=MODEL,
    ),
]
XacroArgOption = Annotated[
    list[str] | None,
    typer.Option(
        "--arg",
        metavar="NAME:=VALUE",
        help="An argument of a .xacro file. Repeatable.",
        rich_help_panel=MODEL,
    ),
]
LimitsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limits",
        "-l",
        metavar="NAME=LO:HI",
        help="Limits of NAME or, without NAME=, of all joints, in degrees: LO:HI, or one number for "
        "both sides; for a ball the greatest bend: j1=120,j2=90. Repeatable.",
        rich_help_panel=MODEL,
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        "-p",
        metavar="FILE",
        help="Draw a figure: a .png or .svg file.",
        rich_help_panel=OUTPUT,
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print JSON on stdout, and nothing else.", rich_help_panel=OUTPUT),
]
ToleranceOption = Annotated[
    float | None,
    typer.Option(
        help="The distance that counts as reached. Default: 1e-4 of the chain's length.",
        rich_help_panel=SOLVING,
    ),
]
CharacterArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A .bvh, .smd, .glb, .gltf, .character, .urdf, .xacro or .xml file."
    ),
]
MotionsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--motions",
        metavar="FILE",
        help="More files whose motions belong to the character. Repeatable.",
        rich_help_panel=MODEL,
    ),
]
PositionModeOption = Annotated[
    str | None,
    typer.Option(
        "--position-mode",
        metavar="replace|add|auto",
        help="BVH: the meaning of position channels below the root. Default: they replace OFFSET.",
        rich_help_panel=MODEL,
    ),
]
FpsOption = Annotated[
    float | None,
    typer.Option(
        "--fps",
        metavar="N",
        help="Frames a second: of SMD, which does not store it (default: 30), or instead of BVH's own.",
        rich_help_panel=MODEL,
    ),
]
GroundOption = Annotated[
    str | None,
    typer.Option(
        "--ground",
        metavar="HEIGHT|A,B,C,D|FILE",
        help="The ground: its height, a plane a x + b y + c z = d, or a mesh (.obj, .glb, ...) in the clips' "
        "world and unit. Default: level, at the height where the feet stand.",
        rich_help_panel=FEET,
    ),
]
ShapesOption = Annotated[
    Path | None,
    typer.Option(
        "--shapes",
        metavar="FILE",
        help="SMD: the VTA file with its shapes. Default: the one of the same name beside it, if any.",
        rich_help_panel=MODEL,
    ),
]
IterationsOption = Annotated[
    int | None,
    typer.Option(
        "--max-iterations",
        metavar="N",
        min=0,
        help="The greatest number of iterations.",
        rich_help_panel=SOLVING,
    ),
]


def read_constraints(
    avoid: float | None,
    obstacle: list[str] | None,
    balance: list[str] | None,
    balance_margin: float,
    connect: list[str] | None,
    weld: list[str] | None,
) -> Constraints:
    """The constraints that the options ask for."""
    asked = Constraints(
        avoid,
        tuple(obstacle or ()),
        tuple(balance or ()),
        balance_margin,
        tuple(connect or ()),
        tuple(weld or ()),
    )
    asked.check(lambda name: f"--{name.replace('_', '-')}")
    return asked


def checked_plot(path: Path | None) -> None:
    """Raise early if a figure could not be drawn to a path."""
    if path is not None:
        from supple.apps import plot

        plot.checked_path(path)


def upright(character: Character) -> str:
    """The up axis for figures of a character: z if that is its up axis, else y."""
    return "z" if character.up == "z" else "y"


def parse_ground(text: str | None) -> float | tuple[float, ...] | str | None:
    """Parse a height, a plane A,B,C,D or the path of a file with a mesh; None if not given."""
    if text is None or as_path("--ground", text).is_file():
        return text
    if "," in text:
        return vector("--ground", text, "A,B,C,D")
    try:
        return number("--ground", text)
    except SuppleError:
        raise SuppleError(
            f"--ground: expected a height, a plane A,B,C,D or a file with a mesh, got {text!r}"
        ) from None
