"""`supple.view`: show a character, skeleton, pose, solution, motion or trace in the browser."""

from __future__ import annotations

import html
import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

from supple.errors import SuppleError

EXTRA = "the playground needs the extra 'view': pip install 'supple[view]'"


class View:
    """A running playground; in a notebook it displays the page.

    Attributes:
        url: The address of the page.
    """

    def __init__(self, server: Any, *, height: int) -> None:
        self._server = server
        self._height = height
        self.url: str = server.url

    def close(self) -> None:
        """Stop the server; the page then reports a lost connection."""
        self._server.stop()

    def wait(self) -> None:
        """Block until Ctrl-C, in scripts."""
        self._server.wait()

    def __repr__(self) -> str:
        return f"View({self.url})"

    def _repr_html_(self) -> str:
        source = html.escape(self.url, quote=True)
        style = "border:0;border-radius:8px"
        return (
            f'<iframe src="{source}" width="100%" height="{self._height}" style="{style}" '
            'allow="fullscreen"></iframe>'
        )


def view(
    value: Any = None,
    *,
    title: str | None = None,
    browser: bool | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    height: int = 640,
) -> View:
    """Show something in the playground, where its effectors can be dragged.

    The server runs in a thread. The returned view has its address, and displays the page in a notebook.

    Args:
        value: A character, skeleton, pose, solution, motion or trace, or the path of a file; None
            for the built-in scenes.
        title: The title on the page.
        browser: True to open a browser; by default only outside notebooks.
        host: The address to bind to; by default only this machine can connect.
        port: The port; by default 8421, or any free one if that is taken.
        height: Height of the page in a notebook [pixels].

    Raises:
        SuppleError: The value cannot be shown, or the extra `supple[view]` is not installed.
    """
    try:
        from supple.apps.viewer.server import Server
    except ImportError as error:
        raise SuppleError(f"{EXTRA} ({error})") from error
    from supple.apps.viewer.library import Library

    library, scene = Library(), ""
    if isinstance(value, (str, os.PathLike)):
        scene = f"file:{library.open_file(Path(value))}"
    elif value is not None:
        scene = f"file:{library.open_object(value, title=title)}"
    notebook = in_notebook()
    server = Server(host=host, port=port, scene=scene, library=library, notebook=notebook).start()
    shown = View(server, height=height)
    if not notebook if browser is None else browser:
        open_browser(shown.url)
    return shown


def open_browser(url: str) -> None:
    """Open an address in a graphical browser; do nothing where there is no display."""
    windows = sys.platform in ("win32", "darwin")
    # A text browser would take over the terminal, and cannot draw.
    if windows or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)


def in_notebook() -> bool:
    """True in a notebook, where a view displays itself."""
    try:
        from IPython import get_ipython  # type: ignore[import-not-found]
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
