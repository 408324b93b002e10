"""HTTP connections of the playground: closed if a request does not arrive in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_TIMEOUT = 10.0  # for the head of a request to arrive [s]
RESPONSE_TIMEOUT = (
    300.0  # for the client to take the rest of a response, once its connection is closed [s]
)


def limited(
    headers: list[tuple[bytes, bytes]], *, patience: float = REQUEST_TIMEOUT
) -> type[asyncio.Protocol]:
    """The protocol class for uvicorn, which makes one for each connection.

    A connection on which no request is being handled is closed after a while, whatever arrives on it: a
    client could hold it open by sending the head of a request, or the body of a refused one, byte by
    byte. uvicorn has such a limit only for connections on which nothing arrives.

    Args:
        headers: Headers of responses to what is no HTTP.
        patience: Time for the head of a request to arrive [s].
    """

    class Limited(H11Protocol):
        def __init__(self, config: Config, *args: Any, **kwargs: Any) -> None:
            super().__init__(config, *args, **kwargs)
            self._deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait_for_request()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._heed_request()

        def on_response_complete(self) -> None:
            self._wait_for_request()
            super().on_response_complete()  # begins the next request, if it has arrived
            self._heed_request()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait_for_request(self) -> None:
            self._stop_waiting()
            self._deadline = self.loop.call_later(patience, self._end)

        def _heed_request(self) -> None:
            """Stop waiting if a request has arrived."""
            upgraded = self.transport.get_protocol() is not self
            if upgraded or not (self.cycle is None or self.cycle.response_complete):
                self._stop_waiting()

        def _stop_waiting(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _end(self) -> None:
            self.transport.close()  # what is still to be sent is sent first
            self._deadline = self.loop.call_later(RESPONSE_TIMEOUT, self.transport.abort)

        def send_400_response(self, msg: str) -> None:
            """Refuse what is no HTTP; unlike uvicorn's, with the headers of other responses."""
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                told = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
                events = (
                    h11.Response(status_code=400, reason=b"Bad Request", headers=told + headers),
                    h11.Data(data=f"{msg}\n".encode()),
                    h11.EndOfMessage(),
                )
                self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
            self.transport.close()

    return Limited
