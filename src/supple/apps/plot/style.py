"""Colours and sizes that all figures share."""

from typing import Any

JOINT = "#8fd3ff"  # light blue joints and an orange goal, as in Park 2004, figure 1
GOAL = "#f57c00"
BONE = "#27323f"
GHOST = "#c3ccd6"
OTHER = "#a9cfe8"  # other answers
WAY = "#7f95ab"  # poses of a solve's iterations
LIMIT = "#8e63ce"
PRESSED = "#d81b60"
AXES = ("#e05252", "#3fa34d", "#3d7fd9")  # x, y, z
TEXT = "#27323f"
QUIET = "#8a96a3"
FAINT = "#e6eaef"
STATUS = {True: "#2e7d32", False: "#c0392b"}

PNG_DPI = 150  # dots per inch
RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": TEXT,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": QUIET,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.0,
    "axes.unicode_minus": True,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
    "svg.hashsalt": "supple",  # the same figure is the same file
}


def faded(colour: str, amount: float) -> str:
    """A colour mixed with white: 0 as it is, 1 white. Unlike transparency it does not add up."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    mixed = (round(part + (255 - part) * min(max(amount, 0.0), 1.0)) for part in parts)
    return "#" + "".join(f"{part:02x}" for part in mixed)
