"""Access control: only requests of the page itself, with the token of this run.

Another site's page can make a browser send requests to 127.0.0.1, directly or by pointing its own
name there (DNS rebinding). Such requests have a foreign Origin or Host, and lack the token.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

GUARDED = ("/", "/ws", "/upload")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws: wss:; "
        "img-src 'self' data: blob:; "
        "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOCAL = ("127.0.0.1", "localhost", "::1")


class Guard:
    """ASGI middleware that refuses requests of other sites.

    Args:
        app: The application to protect.
        token: The token of this run.
        hosts: Accepted host names, besides 127.0.0.1 and localhost.
        addresses: True to accept any numeric address: unlike names, these cannot be rebound.
    """

    def __init__(
        self, app: ASGIApp, *, token: str, hosts: Iterable[str] = (), addresses: bool = False
    ) -> None:
        self.app = app
        self.token = token
        self.hosts = {*LOCAL, *(host.casefold() for host in hosts)}
        self.addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is None:
            await self.app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await PlainTextResponse(f"{refusal}\n", status_code=403)(scope, receive, send)

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
                return "the address lacks this run's token: open the one that supple printed"
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


def own_names() -> tuple[str, ...]:
    """The host names of this machine."""
    name = socket.gethostname()
    return (name, f"{name}.local")


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return wrapped
