"""Run the playground: a uvicorn server in a thread."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

import uvicorn

from supple.apps.viewer import security
from supple.apps.viewer.app import Playground
from supple.apps.viewer.http_protocol import REQUEST_TIMEOUT, limited
from supple.apps.viewer.library import Library
from supple.apps.viewer.token import kept_token, new_token
from supple.apps.viewer.uploads import UPLOAD_LIMIT
from supple.errors import SuppleError

DEFAULT_PORT = 8421  # always the same if it is free, since browsers store settings by address
THREAD_TIMEOUT = 10.0  # for the server's thread to start, and to stop [s]


class Server:
    """The playground, served from its own thread.

        with Server(scene="snake") as server:
            print(server.url)

    Args:
        host: The address to bind to; by default only this machine can connect.
        port: The port; None for 8421, or any free one if that is taken; 0 for any.
        scene: The first scene.
        library: The opened files.
        upload_limit: Size limit of all files of an upload together [B].
        keep_token: True for the token of the last run that kept it, so that an address stays valid
            when the server is started again.
        notebook: True to let notebooks of this machine show the page in a frame.
        patience: Time for the head of a request to arrive [s].

    Attributes:
        url: The address of the page, with the token.
        playground: The application.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        scene: str = "",
        library: Library | None = None,
        upload_limit: int = UPLOAD_LIMIT,
        keep_token: bool = False,
        notebook: bool = False,
        patience: float = REQUEST_TIMEOUT,
    ) -> None:
        token = kept_token() if keep_token else new_token()
        headers = security.headers(notebook=notebook)
        self.playground = Playground(
            token=token,
            scene=scene,
            library=library,
            host=host,
            upload_limit=upload_limit,
            headers=headers,
        )
        self._socket = _listen(host, port)
        name, number = self._socket.getsockname()[:2]
        shown = "127.0.0.1" if name in ("0.0.0.0", "::") else name
        shown = f"[{shown}]" if ":" in shown else shown
        self.url = f"http://{shown}:{number}/?token={token}"
        config = uvicorn.Config(
            self.playground.app,
            http=limited(headers, patience=patience),
            ws="websockets-sansio",
            ws_max_size=4 * 1024 * 1024,
            ws_per_message_deflate=False,
            log_level="warning",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = _Quiet(config)
        self._thread: threading.Thread | None = None

    def start(self) -> Server:
        """Start the thread; return once the server accepts connections."""
        if self._thread is not None:
            return self
        run: Callable[[], Any] = lambda: self._server.run(sockets=[self._socket])  # noqa: E731
        self._thread = threading.Thread(target=run, name="supple playground", daemon=True)
        self._thread.start()
        began = time.monotonic()
        while not self._server.started:
            if time.monotonic() - began > THREAD_TIMEOUT or not self._thread.is_alive():
                raise SuppleError("the playground's server did not start")
            time.sleep(0.005)
        return self

    def wait(self) -> None:
        """Block until the server is stopped, by `stop`, Ctrl-C or a signal.

        On SIGTERM and SIGHUP the uploaded files are removed, and the signal is then raised again.
        """
        self.start()
        assert self._thread is not None
        with _ended_by(self._end) as ended:
            with contextlib.suppress(KeyboardInterrupt):
                while self._thread.is_alive():
                    self._thread.join(0.5)
            self.stop()
        if ended:
            signal.raise_signal(ended[0])

    def _end(self) -> None:
        self._server.should_exit = True

    def stop(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(THREAD_TIMEOUT)
        self._socket.close()
        self.playground.library.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


@contextlib.contextmanager
def _ended_by(end: Callable[[], None]) -> Iterator[list[signal.Signals]]:
    """Call `end` on SIGTERM and SIGHUP instead of ending the process; yields the signals received.

    Only the main thread can set signal handlers: in any other, nothing changes.
    """
    came: list[signal.Signals] = []
    before: dict[signal.Signals, Any] = {}

    def on_signal(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(signal.Signals(number))
        end()

    if threading.current_thread() is threading.main_thread():
        known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
        for one in known:
            if signal.getsignal(one) is signal.SIG_DFL:  # leave handlers of others alone
                before[one] = signal.signal(one, on_signal)
    try:
        yield came
    finally:
        for one, action in before.items():
            signal.signal(one, action)


class _Quiet(uvicorn.Server):
    """A server that installs no signal handlers."""

    @contextlib.contextmanager
    def capture_signals(self):  # noqa: ANN201 (as uvicorn declares it)
        """Install no handlers."""
        yield


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket: on the given port; for None on `DEFAULT_PORT`, or any free one if it is taken."""
    wanted = [DEFAULT_PORT, 0] if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in wanted:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except OSError as error:
            listener.close()
            if number == wanted[-1]:
                raise SuppleError(f"cannot serve on {host} port {number}: {error}") from error
        else:
            listener.listen(64)
            return listener
    raise AssertionError  # unreachable: the last attempt raised or returned
