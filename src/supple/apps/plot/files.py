"""Writing figures to files."""

import io
import os
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from supple.apps.plot.style import PNG_DPI, RC
from supple.errors import SuppleError, brief
from supple.files import as_path, check_writable, write

EXTENSIONS = (".png", ".svg")


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path, if a figure can be written there: a .png or .svg in a folder that exists.

    Raises:
        SuppleError: Another extension, no such folder, or a folder itself.
    """
    path = as_path("figure", path)
    if path.suffix.lower() not in EXTENSIONS:
        given = repr(path.suffix) if path.suffix else "no extension"
        raise SuppleError(f"{path}: figures are written as .png or .svg, got {given}")
    return check_writable(path, "figure")


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG (150 dots per inch) or SVG, by the extension.

    A file that exists is replaced only once the new one is whole. The same figure gives the same
    bytes.

    Raises:
        SuppleError: The extension is another, or the file cannot be written.
    """
    path = checked_path(path)
    if not isinstance(figure, Figure):
        raise SuppleError(f"figure: expected a matplotlib Figure, got {brief(figure)}")
    write(path, _drawn(figure, path.suffix.lower().removeprefix(".")), "figure")


def _drawn(figure: Figure, kind: str) -> bytes:
    """A figure as "png" or "svg"."""
    undated = {"Date": None} if kind == "svg" else {"Software": None}
    drawn = io.BytesIO()
    with matplotlib.rc_context(RC):
        figure.savefig(drawn, format=kind, dpi=PNG_DPI, facecolor="white", metadata=undated)
    return drawn.getvalue()


class NotebookFigure(Figure):
    """A figure that notebooks show as the value of a cell; others need a backend of Matplotlib for that."""

    def _repr_png_(self) -> bytes:
        return _drawn(self, "png")
