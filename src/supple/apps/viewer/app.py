"""The web application: the built page, a websocket for each page, uploads."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from supple.apps.viewer import scenes, solvers
from supple.apps.viewer.assets import Asset, Assets
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import Hello, json_codec
from supple.apps.viewer.security import NO_TOKEN, Guard, own_names
from supple.apps.viewer.security import headers as security_headers
from supple.apps.viewer.session import Session
from supple.apps.viewer.standalone import kernels_wasm
from supple.apps.viewer.uploads import MOST_FILES, UPLOAD_LIMIT, Upload, endings, flowing
from supple.errors import SuppleError
from supple.version import __version__

log = logging.getLogger("supple")

KERNELS = "/supple.wasm"
PAGE = Path(__file__).with_name("page")
NOT_BUILT = (
    "The page of the playground has not been built. Install supple again where the npm registry can "
    "be reached, or run `npm install && npm run build` in web/ and copy web/dist to src/supple/apps/viewer/page."
)


class Playground:
    """The ASGI application, its sessions and opened files.

    Args:
        token: The token that requests must have.
        scene: The first scene; "" to leave it to the page.
        library: The opened files.
        host: The address the server is bound to; a non-local one allows other machines' host names.
        upload_limit: Size limit of all files of an upload together [B].
        headers: Headers of every response; by default those of `security.headers`.

    Attributes:
        sessions: The open sessions, one for each page.
        app: The ASGI application.
    """

    def __init__(
        self,
        *,
        token: str,
        scene: str = "",
        library: Library | None = None,
        host: str = "127.0.0.1",
        upload_limit: int = UPLOAD_LIMIT,
        headers: list[tuple[bytes, bytes]] | None = None,
    ) -> None:
        self.token = token
        self.scene = scene
        self.library = library or Library()
        self.upload_limit = upload_limit
        self._kernels = Asset(_kernels(), "application/wasm")
        self.sessions: list[Session] = []
        routes: list[BaseRoute] = [
            Route("/", self._index),
            Route(KERNELS, self._wasm),
            Route("/upload", self._upload, methods=["POST"]),
            WebSocketRoute("/ws", self._page),
        ]
        if (PAGE / "assets").is_dir():
            routes.append(Route("/assets/{name}", Assets(PAGE / "assets").respond))
        others = host not in ("127.0.0.1", "::1", "localhost")
        names = (host, *own_names()) if others else ()
        # Around everything, so that Starlette's own responses to errors have the headers too.
        self.app = Guard(
            Starlette(routes=routes),
            token=token,
            hosts=names,
            addresses=others,
            headers=security_headers() if headers is None else headers,
            without_token=_without_token,
        )

    # The page -------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Response:
        del request
        index = PAGE / "index.html"
        if not index.is_file():
            return HTMLResponse(f"<p>{NOT_BUILT}</p>", status_code=503)
        return HTMLResponse(index.read_text("utf-8"), headers={"Cache-Control": "no-store"})

    async def _wasm(self, request: Request) -> Response:
        """The kernels for browsers; the page asks for them when it has drawn the first pose."""
        if not self._kernels.body:
            return Response(status_code=404)
        return await self._kernels.respond(request)

    async def _page(self, socket: WebSocket) -> None:
        """Serve the websocket of a page until it closes."""
        await socket.accept()
        if not self._kernels.body:  # `make demo` begins while they are still being compiled
            self._kernels = Asset(await asyncio.to_thread(_kernels), "application/wasm")
        outbox = Outbox()
        session = Session(self.library, outbox.put, kernels=bool(self._kernels.body))
        self.sessions.append(session)
        sender = asyncio.create_task(outbox.send_all(socket))
        outbox.put(json_codec.write(self._hello()), None)
        try:
            while True:
                session.receive(await socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # KeyError: a binary message, which no page sends
            pass
        finally:
            self.sessions.remove(session)
            session.close()
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await sender

    def _hello(self) -> Hello:
        return Hello(
            version=__version__,
            scene=self.scene,
            scenes=scenes.available(),
            solvers=solvers.infos(),
            upload_limit=self.upload_limit,
            most_files=MOST_FILES,
            formats=endings(),
            kernels=KERNELS if self._kernels.body else "",
        )

    # Uploads --------------------------------------------------------------------------------------

    async def _upload(self, request: Request) -> Response:
        """Receive one file; with `last`, open the upload, or return the models to choose from.

        A file that cannot be read gives a successful response {"error": why}: browsers log a failed
        request as an error of the page.
        """
        query = request.query_params
        try:
            upload = self.library.upload(query.get("into"))
            chosen = query.get("open", "")
            if not chosen:
                try:
                    with self.library.receiving(upload):
                        await self._receive(request, upload, query.get("name", ""))
                    if not query.get("last"):
                        return JSONResponse({"into": upload.number})
                    models = await to_thread.run_sync(lambda: upload.models)
                except SuppleError:
                    self.library.drop(upload)
                    raise
                if len(models) > 1:
                    names = [upload.shown(path) for path in models]
                    return JSONResponse({"into": upload.number, "choose": names})
            scene = await to_thread.run_sync(self.library.open, upload, chosen)
            return JSONResponse({"scene": f"file:{scene}"})
        except SuppleError as error:
            return JSONResponse({"error": str(error)})

    async def _receive(self, request: Request, upload: Upload, name: str) -> None:
        limit = self.upload_limit
        path = upload.place(name)
        refusal = f"{path.name}: files of more than {limit // 2**20} MB are not accepted"
        announced = request.headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > limit:
            raise SuppleError(refusal)
        try:
            with path.open("wb") as file:
                async for chunk in flowing(request.stream()):
                    upload.size += len(chunk)
                    if upload.removed:  # another of its files was refused
                        raise SuppleError(f"{path.name}: its upload has ended")
                    if upload.size > limit:
                        raise SuppleError(f"{refusal}, nor more than that in all")
                    file.write(chunk)
        except TimeoutError as error:
            raise SuppleError(f"{path.name}: {error}") from error
        except ClientDisconnect as error:
            raise SuppleError(f"{path.name}: the connection was lost") from error
        except OSError as error:  # for example, a full disk
            raise SuppleError(f"{path.name}: cannot be kept: {error.strerror or error}") from error


def _without_token() -> Response:
    """The page without the token: a form that says how to open it, and takes the address that has one."""
    index = PAGE / "index.html"
    if not index.is_file():
        return PlainTextResponse(f"{NO_TOKEN}\n", status_code=403)
    text = index.read_text("utf-8").replace("<html ", "<html data-refused ", 1)
    return HTMLResponse(text, status_code=403, headers={"Cache-Control": "no-store"})


def _kernels() -> bytes:
    """The kernels for browsers; empty if there are none, and Python solves."""
    try:
        return kernels_wasm()
    except SuppleError as error:
        log.warning("solving in Python: %s", error)
        return b""


class Outbox:
    """The queue to a page: messages in order, and the latest pose frame of each slot."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._messages: list[str | bytes] = []
        self._frames: dict[int, bytes] = {}
        self._waiting = asyncio.Event()

    def put(self, content: str | bytes, slot: int | None) -> None:
        """Queue something, from any thread; in a slot it replaces what is there."""
        with contextlib.suppress(
            RuntimeError
        ):  # the event loop has ended, and with it the connection
            self._loop.call_soon_threadsafe(self._put, content, slot)

    def _put(self, content: Any, slot: int | None) -> None:
        if slot is None:
            self._messages.append(content)
        else:
            self._frames[slot] = content
        self._waiting.set()

    async def send_all(self, socket: WebSocket) -> None:
        """Send until cancelled."""
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            messages, self._messages = self._messages, []
            frames, self._frames = self._frames, {}
            for content in (*messages, *(frames[slot] for slot in sorted(frames))):
                if isinstance(content, str):
                    await socket.send_text(content)
                else:
                    await socket.send_bytes(content)
