"""Figures of one pose, one solution, one trace."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from supple.apps.plot import marks, style
from supple.apps.plot.files import NotebookFigure
from supple.apps.plot.machine import machine_of
from supple.apps.plot.scene import Detail, Goals, Scene, balls_of, marks_of, pressed_of, reach_of
from supple.errors import SuppleError, flag, instance, listed, text
from supple.goals import as_goals
from supple.model.capsules import Capsule, by_joint
from supple.model.mismatch import another
from supple.model.skeleton import Pose
from supple.solve.outcome import counted
from supple.solve.solution import Solution, Status
from supple.solve.trace import Trace

FIGURE_WIDTH = 6.4  # inches
LEAST_HEIGHT, GREATEST_HEIGHT = 2.6, 6.2  # inches of what is below the title
MOST_GHOSTS = 10
DETAIL_LETTERS = 13  # of the line below the title, in an inch
DETAIL_LINE_HEIGHT = 0.16  # inches
WORDS = {Status.LIMITED: "Limits in the way", Status.BUDGET: "Out of iterations"}

P = ParamSpec("P")
R = TypeVar("R")


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw with our fonts and lines, whatever the caller has set."""

    @functools.wraps(draw)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with matplotlib.rc_context(style.RC):
            return draw(*args, **kwargs)

    return wrapped


def status_words(solution: Solution) -> str:
    """The status as a title."""
    status: Status = solution.status
    return WORDS.get(status) or status.name.replace("_", " ").capitalize()


def headline(fig: Figure, text: str, detail: str = "", *, colour: str = style.TEXT) -> float:
    """Write one strong line at the top and a quiet one below; returns the inches that they take."""
    if not text and not detail:
        return 0.1
    height, left = fig.get_figheight(), 0.24 / fig.get_figwidth()
    fig.text(left, 1 - 0.16 / height, text, fontsize=12, fontweight="bold", color=colour, va="top")
    wrapped = textwrap.fill(detail, int(fig.get_figwidth() * DETAIL_LETTERS))
    fig.text(left, 1 - 0.42 / height, wrapped, fontsize=9, color=style.QUIET, va="top")
    return 0.45 + (DETAIL_LINE_HEIGHT * (wrapped.count("\n") + 1) if wrapped else 0.0)


def check_options(title: str | None, names: bool | Sequence[str], **switches: bool) -> None:
    """Check what figures have in common: the title, names to write, and what is True or False."""
    if title is not None:
        text("title", title)
    for what, value in switches.items():
        flag(what, value)
    if not isinstance(names, bool):
        for name in listed("names", names, "True, False or a list of names"):
            text("names", name)


def _single(what: str, pose: Pose) -> None:
    if instance(what, pose, Pose).batch_shape:
        raise SuppleError(
            f"{what}: expected a single one to draw, got a batch of shape {pose.batch_shape}; "
            f"take one of them, such as {what}[0]"
        )


def _batch(what: str, poses: Pose, like: Pose) -> list[Pose]:
    """Single poses of the skeleton of another one.

    Raises:
        SuppleError: They are something else.
    """
    if instance(what, poses, Pose).skeleton != like.skeleton:
        raise another(what, like.skeleton, poses.skeleton)
    if len(poses.batch_shape) != 1 or not len(poses):
        raise SuppleError(
            f"{what}: expected a batch of poses with one axis, got one of shape {poses.batch_shape}"
        )
    return list(poses)


def _canvas(scene: Scene, title: str, detail: str, colour: str) -> tuple[Figure, Axes]:
    """A figure as high as its scene needs, with its title."""
    left, right, bottom = (0.55, 0.15, 0.45) if scene.view.flat else (0.2, 0.2, 0.3)
    room = (FIGURE_WIDTH - left - right) * scene.slope
    height = float(np.clip(room, LEAST_HEIGHT, GREATEST_HEIGHT))
    lines = len(textwrap.wrap(detail, int(FIGURE_WIDTH * DETAIL_LETTERS)))
    letter = 0.0 if scene.view.flat else 0.2  # of the axis that points up
    fig = NotebookFigure(
        figsize=(FIGURE_WIDTH, height + bottom + letter + 0.6 + DETAIL_LINE_HEIGHT * lines)
    )
    top = headline(fig, title, detail, colour=colour) + letter
    tall = fig.get_figheight()
    frame = (
        left / FIGURE_WIDTH,
        bottom / tall,
        1 - (left + right) / FIGURE_WIDTH,
        1 - (bottom + top) / tall,
    )
    return fig, fig.add_axes(frame)


@styled
def pose(
    pose: Pose,
    *,
    goals: Goals = None,
    title: str = "",
    view: str = "auto",
    up: str = "y",
    frames: bool = True,
    limits: bool = True,
    names: bool | Sequence[str] = True,
    capsules: bool | Mapping[str, Sequence[Capsule]] = False,
    among: Pose | None = None,
) -> Figure:
    """Draw a pose.

    Args:
        pose: A single pose.
        goals: {effector: world position} or a list of goals, to be marked.
        title: What to write above it.
        view: "flat", "space" or "auto": flat if everything lies in a plane square to an axis.
        up: The world axis that points up in space: "y" or "z".
        frames: Whether to draw the axes of the joints' frames.
        limits: Whether to draw the joints' limits.
        names: Whether to write the names, or which; True leaves out most if there are many.
        capsules: Whether to draw what stands for each bone in collisions, `skeleton.capsules`, or
            others by joint, such as `character.capsules`.
        among: A batch of poses for which the figure has room, such as all poses of a trace. Figures with
            the same `among` have the same view, scale and size, as the frames of an animation need.
    """
    check_options(title, names, frames=frames, limits=limits)
    _single("pose", pose)
    shown = [pose] if among is None else _batch("among", among, pose)
    wanted = marks_of(goals, pose)
    solid = pose.skeleton.capsules if capsules is True else None
    if not isinstance(capsules, bool):
        solid = by_joint("capsules", capsules, "True, False or {joint: capsules}") or None
    scene = Scene(
        shown,
        wanted,
        view=view,
        up=up,
        limits=shown if limits else [],
        solids=[ball for one in shown for ball in balls_of(one, solid)],
    )
    fig, ax = _canvas(scene, title, "", style.TEXT)
    scene.draw(ax, pose, detail=Detail(frames, limits, names, capsules=solid))
    return fig


@styled
def solution(
    solution: Solution,
    *,
    goals: Goals = None,
    title: str | None = None,
    start: bool = True,
    view: str = "auto",
    up: str = "y",
    frames: bool = True,
    limits: bool = True,
    names: bool | Sequence[str] = True,
) -> Figure:
    """Draw an answer: the start pale behind it, the goals, and what keeps them from being met.

    A target that is out of reach is shown with the gap and the dashed circle or sphere that the
    chain can reach; joints whose limits are in the way are red; other answers are drawn pale blue.
    With `Avoid` capsules and obstacles are drawn, those that are too near to each other red; with
    `Balance` the centre of mass and the outline of the support, red if it is lost; with `Connect` and
    `Weld` the two points, with the gap if they are apart.

    Args:
        solution: A single solution.
        goals: What was asked for, {effector: world position} or a list of goals; those of the
            trace, if there is one, by default.
        title: What to write above it; the status by default. The reason stands below.
        start: Whether to draw the pose it started from.
        view: "flat", "space" or "auto": flat if everything lies in a plane square to an axis.
        up: The world axis that points up in space: "y" or "z".
        frames: Whether to draw the axes of the joints' frames.
        limits: Whether to draw the joints' limits.
        names: Whether to write the names, or which; True leaves out most if there are many.
    """
    check_options(title, names, start=start, frames=frames, limits=limits)
    _single("solution", instance("solution", solution, Solution).pose)
    if goals is None and solution.trace is not None:
        goals = solution.trace.goals
    machine = machine_of(as_goals(() if goals is None else goals), solution)
    scene = Scene(
        [solution.pose, *([solution.start] if start else []), *_others(solution)],
        marks_of(goals, solution.start, solution.pose),
        view=view,
        up=up,
        limits=[solution.pose] if limits else [],
        discs=reach_of(solution),
        beside=machine.points(solution.pose) if machine is not None else None,
    )
    colour = style.STATUS[solution.reached]
    fig, ax = _canvas(scene, title or status_words(solution), solution.reason, colour)
    detail = Detail(frames, limits, names, machine=machine)
    scene.draw(ax, solution.pose, detail=detail, pressed=pressed_of(solution))
    scene.draw_around(ax, solution, start=start)
    return fig


def _others(solution: Solution) -> list[Pose]:
    return [other.pose for other in solution.alternatives]


@styled
def trace(
    traced: Trace | Solution,
    *,
    goals: Goals = None,
    title: str | None = None,
    view: str = "auto",
    up: str = "y",
    frames: bool = True,
    limits: bool = True,
    names: bool | Sequence[str] = True,
) -> Figure:
    """Draw the iterations of a solve as fading ghosts, and the error after each.

    Args:
        traced: A solution that was asked for with `trace=True`, or its trace.
        goals: What was asked for; the trace's own by default.
        title: What to write above it; the solver and its iterations by default.
        view: "flat", "space" or "auto": flat if everything lies in a plane square to an axis.
        up: The world axis that points up in space: "y" or "z".
        frames: Whether to draw the axes of the joints' frames.
        limits: Whether to draw the joints' limits.
        names: Whether to write the names, or which; True leaves out most if there are many.
    """
    check_options(title, names, frames=frames, limits=limits)
    answer = traced if isinstance(traced, Solution) else None
    record = traced.trace if isinstance(traced, Solution) else instance("trace", traced, Trace)
    if record is None:
        raise SuppleError("trace: the solution has none; solve with trace=True")
    poses = record.poses
    last = answer.pose if answer is not None else poses[len(poses) - 1]
    asked = goals if goals is not None else record.goals
    machine = machine_of(as_goals(asked), answer) if answer is not None else None
    scene = Scene(
        [poses, last],
        marks_of(asked, poses[0], last),
        beside=machine.points(last) if machine is not None else None,
        view=view,
        up=up,
        limits=[last] if limits else [],
        discs=reach_of(answer) if answer is not None else (),
    )
    count = len(record) - 1
    title = title or f"{record.solver}: {counted(count, 'iteration')}"
    told = answer.reason if answer is not None else f"error {record.errors[-1]:.3g} at the end"
    colour = style.STATUS[answer.reached] if answer is not None else style.TEXT
    height = float(np.clip(5.6 * scene.slope, 3.0, 5.4))
    fig = NotebookFigure(figsize=(10.0, height + 1.2))
    top = headline(fig, title, told, colour=colour) + 0.05
    ax, side = fig.subplots(1, 2, width_ratios=(1.6, 1))
    tall = fig.get_figheight()
    left = 0.6 if scene.view.flat else 0.15
    fig.subplots_adjust(left / 10, 0.5 / tall, 0.98, 1 - (top + 0.15) / tall, wspace=0.16)
    pressed = pressed_of(answer) if answer is not None else ()
    scene.draw(ax, last, detail=Detail(frames, limits, names, machine=machine), pressed=pressed)
    _draw_iterations(ax, scene, poses)
    if answer is not None:
        scene.draw_around(ax, answer, start=False)
    _draw_errors(side, record, answer)
    return fig


def _draw_iterations(ax: Axes, scene: Scene, poses: Pose) -> None:
    """Poses of the iterations as ghosts, later ones darker, and the effectors' paths."""
    chosen = np.unique(np.linspace(0, len(poses) - 1, MOST_GHOSTS).round().astype(int))
    for n, k in enumerate(chosen):
        fade = 0.8 - 0.7 * n / len(chosen)
        marks.ghost(ax, scene.view, poses[int(k)], colour=style.WAY, fade=fade)
    for effector in dict.fromkeys(one.effector for one in scene.goals if one.shape == "disc"):
        path = scene.view(poses.position(effector))
        ax.plot(*path.T, color=style.GOAL, lw=1.0, marker=".", ms=4, zorder=marks.GHOSTS + 0.95)


def _draw_errors(ax: Axes, record: Trace, answer: Solution | None) -> None:
    """The errors per iteration on a log axis, with the tolerances dashed."""
    steps = np.arange(len(record))
    series = (
        ("distance", ("position",), record.errors, style.BONE),
        ("angle [rad]", ("orientation", "direction"), record.orientation_errors, style.LIMIT),
    )
    series = [one for one in series if np.any(one[2] > 0)]
    for label, kinds, values, colour in series:
        least = 0.1 * float(values[values > 0].min())  # where an error of zero is drawn
        ax.plot(steps, np.maximum(values, least), color=colour, lw=1.6, marker="o", ms=3.5)
        if len(series) > 1:
            marks.write(ax, label, np.array([0.0, values[0]]), np.array([30.0, 8.0]), colour=colour)
        demands = answer.asked.demands if answer is not None else ()
        tolerances = [demand.tolerance for demand in demands if demand.kind in kinds]
        if tolerances:
            ax.axhline(min(tolerances), color=colour, lw=0.9, ls=(0, (4, 3)), alpha=0.6)
            ax.annotate(
                "tolerance", (0, min(tolerances)), xytext=(2, 4), textcoords="offset points",
                fontsize=7.5, color=style.QUIET,
            )  # fmt: skip
    if series:
        ax.set_yscale("log")
    ax.set_xlabel("iteration")
    title = "distance to the goal" if len(series) == 1 and series[0][0] == "distance" else "error"
    ax.set_title(title, loc="left", color=style.QUIET)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    ax.grid(axis="y", color=style.FAINT, lw=0.7)
    ax.set_axisbelow(True)
