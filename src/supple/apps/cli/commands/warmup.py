"""`supple warmup`: compile and cache every kernel, so that later runs need not compile."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from json import loads
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from supple.apps.character.skinning import skin
from supple.apps.cli.character_files import quiet
from supple.apps.cli.console import console, error_console, print_json, table
from supple.apps.cli.options import JsonOption
from supple.apps.data import humanoid
from supple.apps.formats import load, save
from supple.errors import SuppleError
from supple.goals import Reach
from supple.kernels.decorators import compiling
from supple.model.joints import Ball, Hinge
from supple.model.skeleton import Pose, Skeleton, chain
from supple.solve.prepare import Prepared, prepare
from supple.solvers import ALL, Solver, named

POSES = "poses"
WARMUP_TARGET = (1.1, 0.9, 0.0)  # any point; only the compiling counts


@dataclass(frozen=True)
class Warmed:
    """The time that one part took.

    Attributes:
        what: A solver, or "poses" for kernels outside solvers.
        seconds: Duration of the first call [s].
        compiled: Number of kernels compiled and cached; the others came from the cache.
    """

    what: str
    seconds: float
    compiled: int


def warmup(
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", "-s", metavar="NAME", help="Only this solver. Repeatable."),
    ] = None,
    cold: Annotated[
        bool,
        typer.Option("--cold", help="Measure each solver in a new process with an empty cache."),
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", help="The number of parts compiled at a time."
        ),
    ] = 1,
    json: JsonOption = False,
) -> None:
    """Compile every kernel just in time and cache the machine code, if necessary.

    There is nothing to do if the kernels were compiled when supple was built.
    Solvers share kernels: those that one solver compiled are cached for the next. With --jobs 2, two solvers are
    compiled at a time, in separate processes. --cold measures each solver alone, and does not change the
    cache.
    """
    if cold and jobs > 1:
        raise SuppleError("--cold measures solvers one after the other: leave out --jobs")
    solvers = [named(name).name for name in solver] if solver else [one.name for one in ALL]
    if not compiling():
        _say_nothing_to_do(json)
        return
    parts = solvers if solver else [POSES, *solvers]
    work: Callable[[str], Warmed] = _cold if cold else warm if jobs == 1 else _apart
    before, began = _kept(), time.perf_counter()
    bar = Progress(
        TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn(),
        console=error_console(), transient=True, disable=not error_console().is_terminal,
    )  # fmt: skip
    done: list[Warmed] = []
    with bar:
        task = bar.add_task("compiling", total=len(parts))
        for one in _in_turn(work, parts, jobs):
            done.append(one)
            bar.update(task, advance=1, description=f"compiled {one.what}")
    folder = _folder()
    # With several at a time, neither times nor counts can be summed.
    total = sum(one.seconds for one in done) if jobs == 1 else time.perf_counter() - began
    compiled = sum(one.compiled for one in done) if jobs == 1 else _kept() - before
    if json:
        print_json(
            {
                "parts": [asdict(one) for one in done],
                "seconds": total,
                "compiled": compiled,
                "cold": cold,
                "folder": str(folder) if folder is not None else None,
            }
        )
        return
    say = console()
    rows = [[one.what, f"{one.seconds:.2f}", str(one.compiled)] for one in done]
    rows.append(["total", f"{total:.2f}", str(compiled)])
    say.print(table((("", "left"), ("seconds", "right"), ("kernels compiled", "right")), rows))
    if not cold:
        kept = f"kept in {folder}" if folder is not None else "not kept: there is no cache folder"
        say.print(Text(kept, style="dim"), soft_wrap=True)


def warm(part: str) -> Warmed:
    """Compile the kernels of a part, or load them from the cache."""
    before = _kept()
    began = time.perf_counter()
    if part == POSES:
        _use_poses()
    else:
        _problem_for(named(part))(WARMUP_TARGET)
    return Warmed(part, time.perf_counter() - began, _kept() - before)


def _in_turn(work: Callable[[str], Warmed], parts: list[str], jobs: int) -> Iterator[Warmed]:
    """Warm up the parts, several at a time; yields the result of each when it is done."""
    if jobs == 1:
        yield from map(work, parts)
        return
    # The longest first: LM and what few others use, then what shares most with the rest.
    ordered = sorted(parts, key=lambda part: part not in ("LM", POSES))
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, ordered)


def _cold(part: str) -> Warmed:
    """Warm up a part in a new process with an empty cache."""
    with tempfile.TemporaryDirectory(prefix="supple-cold-") as folder:
        return _apart(part, SUPPLE_CACHE_DIR=folder)


def _apart(part: str, **environment: str) -> Warmed:
    """Warm up a part in a new process."""
    code = f"from supple.apps.cli.commands import warmup; warmup.tell({part!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SuppleError(f"{part}: compiling it in a process of its own failed: {last}")
    return Warmed(**loads(done.stdout))


def tell(part: str) -> None:
    """Warm up a part and print the result as JSON, for the parent process."""
    print_json(asdict(warm(part)))


def _say_nothing_to_do(json: bool) -> None:
    if json:
        print_json({"parts": [], "seconds": 0.0, "compiled": 0, "cold": False, "folder": None})
    else:
        console().print("nothing to do: the kernels are not compiled just in time")


def _folder() -> Path | None:
    """The folder of the cache."""
    from supple.kernels.jit import cache_folder

    return cache_folder()


def _kept() -> int:
    """The number of files in the cache."""
    folder = _folder() if compiling() else None
    return sum(1 for _ in folder.iterdir()) if folder is not None else 0


def _problem_for(solver: Solver) -> Prepared:
    """A small problem that a solver supports."""
    refusal: SuppleError | None = None
    for skeleton in _tiny_skeletons():
        try:
            return prepare(skeleton, [Reach("tip")], solver=solver)
        except SuppleError as error:
            refusal = error
    raise SuppleError(f"{solver.name}: no problem to warm it up with: {refusal}")


def _tiny_skeletons() -> list[Skeleton]:
    return [chain([1.0] * count, joint=joint) for count in (2, 3) for joint in (Ball(), Hinge("z"))]


def _use_poses() -> None:
    """Call every kernel that poses and prepared problems use beside a solver."""
    skeleton = chain([1.0, 1.0])
    turned = skeleton.pose({"j0": (0.1, 0.2, 0.3)})
    scaled = Pose(skeleton, turned.coordinates, skeleton.offsets, np.full((2, 3), 2.0))
    for pose in (turned, scaled, Pose.stack([turned, turned])):
        _ = pose.positions, pose.local_rotations, pose.violations(), pose.clamped()
    problem = prepare(skeleton, [Reach("tip")])
    problem.seeds(turned, 2)
    _use_characters()


def _use_characters() -> None:
    """Call every kernel that characters use: reading and writing numbers, channels, skins."""
    figure = humanoid()
    motion = next(iter(figure.motions.values()))
    with tempfile.TemporaryDirectory(prefix="supple-warm-") as folder:
        path = Path(folder) / "clip.bvh"
        with quiet():  # notes on what BVH cannot store do not matter here
            save(motion[:2], path)
            load(path)
    for mesh in figure.meshes:
        for method in ("linear", "dual"):
            skin(mesh, figure.pose, method=method, normals=True)
