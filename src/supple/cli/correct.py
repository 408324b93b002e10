"""`supple correct`: IK on top of a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from supple.character import Character
from supple.cli.options import (
    GOALS,
    MODEL,
    SOLVING,
    CharacterArgument,
    DepthOption,
    FpsOption,
    JsonOption,
    LockOption,
    MotionsOption,
    PositionModeOption,
    RootOption,
    ToleranceOption,
    effector_or_only_tip,
)
from supple.cli.reading import quiet, read_file, say_notes
from supple.cli.report import console, error_console, print_json, short
from supple.cli.values import vector
from supple.errors import SuppleError
from supple.files import check_writable
from supple.formats import save
from supple.formats.registry import writable
from supple.goals import Goal, Hold, Reach
from supple.motion import Correction, Motion, Window
from supple.motion import correct as correct_motion
from supple.outcome import Status

NOT_REACHED = 1


def correct(
    file: CharacterArgument,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write the result.")
    ],
    effector: Annotated[
        list[str] | None,
        typer.Option(
            "--effector", "-e", metavar="NAME", help="Joint or tip to move.", rich_help_panel=GOALS
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            "-t",
            metavar="X,Y,Z|FILE",
            help="Where to put it, world: a point, or a file of a point for each frame, a line "
            "each. For several, repeat --effector and --to in pairs.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DX,DY,DZ",
            help="Or: how far to move it from where the motion has it.",
            rich_help_panel=GOALS,
        ),
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Keep NAME where the motion has it.", rich_help_panel=GOALS
        ),
    ] = None,
    root: RootOption = None,
    depth: DepthOption = 0,
    lock: LockOption = None,
    start: Annotated[
        float | None,
        typer.Option(
            "--from", metavar="S", help="From when on, seconds.", rich_help_panel=SOLVING
        ),
    ] = None,
    stop: Annotated[
        float | None,
        typer.Option("--until", metavar="S", help="Up to when, seconds.", rich_help_panel=SOLVING),
    ] = None,
    blend: Annotated[
        float,
        typer.Option(
            metavar="S", min=0.0, help="Fade in and out over so long.", rich_help_panel=SOLVING
        ),
    ] = 0.25,
    speed: Annotated[
        float,
        typer.Option(
            metavar="RAD/S",
            help="Spread out jumps of joints that are faster than this. 0: leave them.",
            rich_help_panel=SOLVING,
        ),
    ] = 12.0,
    unreachable: Annotated[
        str,
        typer.Option(
            metavar="approach|keep",
            help="Out of reach: come as near as possible, or keep the motion.",
            rich_help_panel=SOLVING,
        ),
    ] = "approach",
    coherent: Annotated[
        bool,
        typer.Option(
            "--coherent", help="Solve frame after frame, each from the last.",
            rich_help_panel=SOLVING,
        ),
    ] = False,
    tolerance: ToleranceOption = None,
    motion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which motion. Default: the first.",
                     rich_help_panel=MODEL),
    ] = None,
    motions: MotionsOption = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Have a motion meet goals, and change nothing else.

    supple correct dance.bvh -e RightHand --to 20,150,30 --root RightArm --from 1 --until 3 -o out.bvh

    Exit code 1 if the goals of some frames are not reached.
    """
    kind = writable(out)
    check_writable(out, f"{kind.title} file")
    character = read_file(file, motions=motions or (), position_mode=position_mode, fps=fps)
    if not character.motions:
        raise SuppleError(f"{file}: expected a motion to correct, got none; give --motions FILE")
    clip = character.motion(motion) if motion else next(iter(character.motions.values()))
    goals = _goals(clip, effector or [], to or [], by or [], root, depth)
    goals += [Hold(name) for name in hold or ()]
    found = _corrected(
        clip,
        goals,
        coherent,
        window=Window(start, stop),
        blend=blend,
        speed=speed or None,
        unreachable=unreachable,
        tolerance=tolerance,
        lock=lock or (),
    )
    with quiet():
        notes = _save(character, clip, found.motion, out, kind.name)
    if json:
        print_json({"file": str(file), "written": str(out), **_as_data(found)})
    else:
        say_notes(notes)
        _show(found, out)
    if not np.all(found.reached):
        raise typer.Exit(NOT_REACHED)


def _goals(
    clip: Motion, names: list[str], to: list[str], by: list[str], root: str | None, depth: int
) -> list[Goal]:
    if bool(to) == bool(by):
        raise SuppleError("nothing to reach: give --to X,Y,Z or FILE, or --by DX,DY,DZ")
    names = names or [effector_or_only_tip(clip.skeleton, None)]
    given, option = (to, "--to") if to else (by, "--by")
    if len(given) != len(names):
        raise SuppleError(
            f"{option}: expected one for each --effector, {len(names)}, got {len(given)}"
        )
    goals: list[Goal] = []
    for name, text in zip(names, given, strict=True):
        effector_or_only_tip(clip.skeleton, name)
        if by:
            target: Any = clip.poses.position(name) + vector("--by", text, "DX,DY,DZ")
        else:
            target = (
                _points(text, len(clip)) if Path(text).is_file() else vector("--to", text, "X,Y,Z")
            )
        goals.append(Reach(name, target, root=root, depth=depth))
    return goals


def _points(text: str, count: int) -> np.ndarray:
    """A point for each frame, a line each; commas or blanks between numbers."""
    rows = []
    path = Path(text)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuppleError(f"{path}: cannot read the points: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            rows.append(vector(f"{path}:{number}", line, "X,Y,Z"))
    if len(rows) != count:
        raise SuppleError(f"{path}: expected a point for each of {count} frames, got {len(rows)}")
    return np.array(rows)


def _corrected(clip: Motion, goals: list[Goal], coherent: bool, **options: Any) -> Correction:
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("correcting", total=len(clip))
        return correct_motion(
            clip,
            goals,
            coherent=coherent,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
            **options,
        )


def _save(character: Character, old: Motion, new: Motion, out: Path, kind: str) -> Any:
    key = next(name for name, one in character.motions.items() if one is old)
    changed = {**character.motions, key: new}
    if kind in ("bvh", "smd"):
        return save(character.with_(motions={key: new}), out, motion=key)
    return save(character.with_(motions=changed), out)


def _as_data(found: Correction) -> dict[str, Any]:
    names = {int(one): one.name for one in Status}
    return {
        "motion": found.motion.name,
        "frames": len(found.motion),
        "reason": found.reason,
        "reached": bool(np.all(found.reached)),
        "status": [names.get(value, "UNTOUCHED") for value in found.status.tolist()],
        "error": found.error,
        "weight": found.weight,
        "limited": list(found.limited),
        "seams": [
            {
                "frame": seam.frame,
                "time": seam.time,
                "joint": seam.joint,
                "added": seam.added,
                "speed": seam.speed,
                "spread": seam.spread,
            }
            for seam in found.seams
        ],
    }


def _show(found: Correction, out: Path) -> None:
    say = console()
    good = bool(np.all(found.reached))
    head = ("reached", "bold green") if good else ("not reached", "bold red")
    say.print(Text.assemble(head, ": ", found.reason))
    errors = found.error[np.isfinite(found.error)]
    if len(errors):
        say.print(Text(f"largest error {short(float(errors.max()))}", style="dim"))
    if found.limited and not good:
        say.print(Text(f"at their limits: {', '.join(found.limited)}", style="dim"))
    spread = sum(seam.spread for seam in found.seams)
    if found.seams:
        fastest = max(found.seams, key=lambda seam: seam.added)
        words = (
            f"{len(found.seams)} seams; at most {fastest.added:.3g} rad/s added, to {fastest.joint}"
        )
        words += f" after frame {fastest.frame}"
        words += f"; {spread} jumps spread out" if spread else ""
        say.print(Text(words, style="dim"), soft_wrap=True)
    say.print(Text(f"written to {out}"), soft_wrap=True)
