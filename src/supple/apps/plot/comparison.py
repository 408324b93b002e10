"""A figure of several answers to one problem side by side, and bars of what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from supple.apps.plot import style
from supple.apps.plot.figures import check_options, headline, status_words, styled
from supple.apps.plot.files import NotebookFigure
from supple.apps.plot.scene import Detail, Goals, Scene, marks_of, pressed_of, reach_of
from supple.errors import SuppleError, instance, mapping, text
from supple.solve.outcome import counted
from supple.solve.solution import Solution, Status

FIGURE_WIDTH = 11.0  # inches
MOST_COLUMNS = 4  # of poses
LONGEST_LABEL = 24  # letters of a name beside the bars
BAR_HEIGHT = 0.22  # inches for each solver


@styled
def compare(
    solutions: Mapping[str, Solution],
    *,
    goals: Goals = None,
    measures: Mapping[str, Mapping[str, float | None]] | None = None,
    title: str = "",
    detail: str = "",
    view: str = "auto",
    up: str = "y",
    frames: bool = True,
    limits: bool = True,
    names: bool | Sequence[str] = False,
) -> Figure:
    """Draw answers to one problem side by side in the same view, and bars of what they cost.

    Args:
        solutions: By name, such as that of the solver; single solutions of one skeleton.
        goals: What was asked for, {effector: world position} or a list of goals.
        measures: {what: {name: value}}; None where there is no value.
        title: What to write above.
        detail: A line below the title.
        view: "flat", "space" or "auto": flat if everything lies in a plane square to an axis.
        up: The world axis that points up in space: "y" or "z".
        frames: Whether to draw the axes of the joints' frames.
        limits: Whether to draw the joints' limits.
        names: Whether to write the joints' names, or which.
    """
    check_options(title, names, frames=frames, limits=limits)
    text("detail", detail)
    if not mapping("solutions", solutions, "{name: solution}"):
        raise SuppleError("compare: expected at least one solution, got none")
    for name, one in solutions.items():
        if instance(f"solution of {text('name of a solution', name)!r}", one, Solution).batch_shape:
            raise SuppleError(f"compare: expected a single solution of {name!r}, got a batch")
    answers = list(solutions.values())
    poses = [one.pose for one in answers]
    scene = Scene(
        [answers[0].start, *poses],
        marks_of(goals, answers[0].start),
        view=view,
        up=up,
        limits=poses if limits else (),
        discs=[disc for one in answers for disc in reach_of(one)][:1],
    )
    rows = math.ceil(len(answers) / MOST_COLUMNS)
    columns = math.ceil(len(answers) / rows)
    measures = mapping("measures", {} if measures is None else measures, "{what: {name: value}}")
    for what, values in measures.items():
        mapping(f"measures of {text('name of a measure', what)!r}", values, "{name: value}")
    bar_columns = MOST_COLUMNS if len(measures) <= 2 * MOST_COLUMNS else MOST_COLUMNS + 1
    bar_rows = math.ceil(len(measures) / bar_columns)
    cell = FIGURE_WIDTH / columns
    pose_height = float(np.clip(cell * scene.slope, 0.3 * cell, 1.1 * cell)) + 0.5
    bar_height = BAR_HEIGHT * len(answers) + 0.6
    top = 0.75 if detail else 0.55
    height = top + rows * pose_height + bar_rows * bar_height + 0.1
    fig = NotebookFigure(figsize=(FIGURE_WIDTH, height))
    headline(fig, title, detail)
    shown = Detail(frames, limits, names, scale=0.72)
    for n, (name, one) in enumerate(solutions.items()):
        row, column = divmod(n, columns)
        bottom = height - top - (row + 1) * pose_height
        left = column * cell + 0.1
        frame = (
            left / FIGURE_WIDTH,
            bottom / height,
            (cell - 0.2) / FIGURE_WIDTH,
            (pose_height - 0.45) / height,
        )
        ax = fig.add_axes(frame)
        scene.draw(ax, one.pose, detail=shown, pressed=pressed_of(one))
        scene.draw_around(ax, one, scale=shown.scale)
        _strip(ax)
        _caption(ax, name, one)
    labels = [_brief(name) for name in solutions]
    margin = 0.35 + 0.075 * max(map(len, labels))
    for n, (what, values) in enumerate(measures.items()):
        row, column = divmod(n, bar_columns)
        bottom = (bar_rows - row - 1) * bar_height + 0.15
        wide = (FIGURE_WIDTH - margin - 0.1) / bar_columns
        frame = (
            (margin + column * wide) / FIGURE_WIDTH, bottom / height,
            (wide - 0.3) / FIGURE_WIDTH, BAR_HEIGHT * len(answers) / height,
        )  # fmt: skip
        _bars(fig.add_axes(frame), what, values, list(solutions), labels if column == 0 else None)
    return fig


def _brief(name: str) -> str:
    return (
        name
        if len(name) <= LONGEST_LABEL
        else name[: LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )


def _strip(ax: Axes) -> None:
    """Remove rulers and numbers, which would be clutter side by side."""
    ax.set_axis_off()
    for label in list(ax.texts):
        label.remove()


def _caption(ax: Axes, name: str, solution: Solution) -> None:
    count = solution.iterations
    many = counted(count, "iteration")
    told = f"{status_words(solution).lower()}, {many}"
    if solution.status is Status.BUDGET:
        told = f"not reached in {many}"
    _beside(ax, name, 12, fontweight="bold", fontsize=10)
    _beside(ax, told, 0, color=style.STATUS[solution.reached], fontsize=8)


def _beside(ax: Axes, text: str, above: float, **look: Any) -> None:
    """Write text at the upper left of a panel, some points (1/72 inch) above it."""
    ax.annotate(
        text, (0.02, 1.0), xycoords="axes fraction", xytext=(0, above),
        textcoords="offset points", va="bottom", **look,
    )  # fmt: skip


def _bars(
    ax: Axes,
    what: str,
    values: Mapping[str, float | None],
    names: Sequence[str],
    labels: Sequence[str] | None,
) -> None:
    """Draw one measure: a bar and a number for each name; logarithmic if they are far apart."""
    numbers = [values.get(name) for name in names]
    known = [x for x in numbers if x is not None and math.isfinite(x)]
    places = np.arange(len(names))[::-1]
    above_zero = [x for x in known if x > 0]
    wide = bool(above_zero) and len(above_zero) == len(known) and max(known) > 200 * min(known)
    left = 10 ** (math.floor(math.log10(min(known))) - 0.3) if wide else 0.0
    for y, x in zip(places, numbers, strict=True):
        if x is None or not math.isfinite(x):
            ax.annotate(
                "\N{EN DASH}", (0, y), xycoords=("axes fraction", "data"), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize=8, color=style.QUIET,
            )  # fmt: skip
            continue
        ax.barh(y, x - left, left=left, height=0.62, color=style.JOINT)
        number = f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"
        ax.annotate(
            number, (x, y), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
            color=style.TEXT,
        )  # fmt: skip
    if wide:
        ax.set_xscale("log")
        span = math.log10(max(known) / left)
        ax.set_xlim(left, left * 10 ** (1.3 * span))
    else:
        ax.set_xlim(0, 1.3 * max([*known, 1e-300]))
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_yticks(places, labels if labels is not None else [""] * len(names))
    ax.tick_params(length=0, labelcolor=style.TEXT)
    ax.set_xticks([])
    ax.xaxis.set_minor_locator(NullLocator())
    for side in ("bottom", "top", "right"):
        ax.spines[side].set_visible(False)
    suffix = "  (log)" if wide else ""
    ax.set_title(what + suffix, loc="left", color=style.QUIET)
