"""Access control: only requests of the page itself, with the token of this run.

Another site's page can make a browser send requests to 127.0.0.1, directly or by pointing its own
name there (DNS rebinding). Such requests have a foreign Origin or Host, and lack the token.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs, urlsplit

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE = "/"
GUARDED = (PAGE, "/ws", "/upload")
NO_TOKEN = "the address lacks this run's token: open the one that supple printed"
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
)
NOTEBOOKS = (
    "http://127.0.0.1:* http://localhost:* https://127.0.0.1:* https://localhost:* "
    "vscode-webview: vscode-file:"
)
"""Pages that may show a view in a frame if it was opened in a notebook."""

LOCAL = ("127.0.0.1", "localhost", "::1")


def headers(*, notebook: bool = False) -> list[tuple[bytes, bytes]]:
    """The headers of every response.

    Args:
        notebook: True to let notebooks of this machine show the page in a frame; by default no page
            may.
    """
    given = {
        "content-security-policy": POLICY.format(framed_by=NOTEBOOKS if notebook else "'none'"),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
    }
    return [(name.encode(), value.encode()) for name, value in given.items()]


class Guard:
    """ASGI middleware that refuses requests of other sites, and adds headers to every response.

    Args:
        app: The application to protect.
        token: The token of this run.
        hosts: Accepted host names, besides 127.0.0.1 and localhost.
        addresses: True to accept any numeric address: unlike names, these cannot be rebound.
        headers: Headers to add, see `headers`.
        without_token: The response, with status 403, to a browser that asks for the page without the token.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: Iterable[str] = (),
        addresses: bool = False,
        headers: Iterable[tuple[bytes, bytes]] = (),
        without_token: Callable[[], Response] | None = None,
    ) -> None:
        self.app = app
        self.token = token
        self.hosts = {*LOCAL, *(host.casefold() for host in hosts)}
        self.addresses = addresses
        self.headers = list(headers)
        self.without_token = without_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        send = self._with_headers(send)
        refusal = self.refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send)
        elif refusal == NO_TOKEN and scope["path"] == PAGE and self.without_token is not None:
            await self.without_token()(scope, receive, send)
        elif _may_respond(scope):
            await PlainTextResponse(f"{refusal}\n", status_code=403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})

    def refusal(self, scope: Scope) -> str | None:
        """Why a request is refused; None if it is accepted."""
        headers = {key.decode("latin-1").lower(): value for key, value in scope["headers"]}
        host = headers.get("host", b"").decode("latin-1")
        if not self._is_known(host):
            return "this address does not belong to the playground"
        origin = headers.get("origin", b"").decode("latin-1")
        if origin and urlsplit(origin).netloc.casefold() != host.casefold():
            return "another site's page may not talk to the playground"
        if scope["path"] in GUARDED:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                return NO_TOKEN
        return None

    def _is_known(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").casefold()
        except ValueError:
            return False
        if name in self.hosts:
            return True
        if not self.addresses:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _with_headers(self, send: Send) -> Send:
        async def wrapped(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message = {**message, "headers": [*message.get("headers", []), *self.headers]}
            await send(message)

        return wrapped


def _may_respond(scope: Scope) -> bool:
    """True if a request can be answered by an HTTP response; of sockets, only some servers' can."""
    return scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {})


def own_names() -> tuple[str, ...]:
    """The host names of this machine."""
    name = socket.gethostname()
    return (name, f"{name}.local")
