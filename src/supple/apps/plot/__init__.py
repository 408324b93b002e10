"""Figures: poses, solutions, traces and comparisons, as PNG or SVG.

Example::

    figure = supple.plot.solution(s, goals={"tip": p})
    supple.plot.save(figure, "reach.png")

Everything is drawn by Matplotlib without a window and without global state: each function gives a
`matplotlib.figure.Figure`. What lies in a plane square to an axis is drawn flat, everything else in
space, seen in parallel projection with Y up; lengths have one scale in all directions.
"""

from supple.errors import SuppleError

try:
    import matplotlib as _  # noqa: F401
except ModuleNotFoundError as _missing:
    raise SuppleError("figures need Matplotlib: pip install 'supple[plot]'") from _missing

from supple.apps.plot.comparison import compare
from supple.apps.plot.figures import pose, solution, trace
from supple.apps.plot.files import checked_path, save

__all__ = ["checked_path", "compare", "pose", "save", "solution", "trace"]
