"""`supple demo`: open the playground in the browser."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from supple.apps.cli.console import print_json
from supple.errors import SuppleError

BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open a browser, or only print the address.")
]
HostOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS", help="The address to bind to. By default only this machine can connect."
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="The port. Default: 8421, or any free port if that is taken."
    ),
]
TokenOption = Annotated[
    bool,
    typer.Option(
        "--keep-token",
        help="Use the token of the last run with this option, so that an open page or a bookmark still works "
        "after a restart. The token is stored in the user's cache folder.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the address as JSON, for other programs.")
]


def demo(
    scene: Annotated[
        str, typer.Option(metavar="NAME", help="The scene to open with: snake, arm, ...")
    ] = "",
    browser: BrowserOption = True,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    keep_token: TokenOption = False,
    json: JsonOption = False,
) -> None:
    """Open the playground in the browser, and drag a chain or a character.

    supple demo

    supple demo --scene arm --no-browser

    Ctrl-C ends it.
    """
    serve(scene=scene, browser=browser, host=host, port=port, keep_token=keep_token, json=json)


def serve(
    *,
    scene: str,
    browser: bool,
    host: str,
    port: int | None,
    keep_token: bool,
    json: bool,
    library: Any = None,
) -> None:
    """Serve the playground until Ctrl-C."""
    from supple.apps.viewer.browser import EXTRA, open_browser

    try:
        from supple.apps.viewer.app import NOT_BUILT, PAGE
        from supple.apps.viewer.scenes import check_scene
        from supple.apps.viewer.server import Server
    except ImportError as error:
        raise SuppleError(f"{EXTRA} ({error})") from error
    check_scene(scene)
    if not (PAGE / "index.html").is_file():
        raise SuppleError(NOT_BUILT)
    server = Server(
        host=host, port=port, scene=scene, library=library, keep_token=keep_token
    ).start()
    try:
        if json:
            print_json({"url": server.url})
        else:
            typer.echo(f"The playground is at {server.url}\nCtrl-C ends it.")
        if host not in ("127.0.0.1", "::1", "localhost"):
            typer.echo(
                "Everyone who can reach this machine and knows the address can use it.", err=True
            )
        if browser:
            open_browser(server.url)
        server.wait()
    except KeyboardInterrupt:  # before it waits
        server.stop()
