"""The built page's files, sent compressed and kept by browsers."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

TYPES = {".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}
ENDINGS = {"br": ".br", "gzip": ".gz"}
"""Endings of files compressed when the page was built, by encoding; the first one accepted is sent."""

FOREVER = "public, max-age=31536000, immutable"  # names of built files change with their contents


class Asset(NamedTuple):
    """A file as it is sent.

    Attributes:
        body: Its bytes, compressed.
        encoding: The content encoding; "" if they are not compressed.
    """

    body: bytes
    encoding: str


class Assets:
    """The files of a folder, by name; no path leads into folders below it or out of it.

    A file is sent as it was compressed when the page was built (`name.br`, `name.gz` beside `name`) or
    else by gzip, once, when it is first asked for. The files are read once: a page that is built again
    needs a server that is started again.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._files = {path.name: path for path in folder.iterdir() if path.is_file()}
        self._made: dict[tuple[str, str], bytes] = {}
        self._lock = threading.Lock()

    async def respond(self, request: Request) -> Response:
        """The response to a request for the file `name` of its path."""
        path = self._files.get(request.path_params["name"])
        if path is None or path.suffix in ENDINGS.values():
            raise HTTPException(404)
        accepted = encodings(request.headers.get("accept-encoding", ""))
        asset = await to_thread.run_sync(self.asset, path, accepted)
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
        if asset.encoding:
            headers["Content-Encoding"] = asset.encoding
        return Response(asset.body, headers=headers, media_type=kind or "application/octet-stream")

    def asset(self, path: Path, accepted: frozenset[str]) -> Asset:
        """A file in the first encoding that is accepted and there is; thread-safe."""
        for encoding, ending in ENDINGS.items():
            if encoding in accepted and path.name + ending in self._files:
                return Asset(self._read(path.name + ending), encoding)
        if "gzip" not in accepted:
            return Asset(self._read(path.name), "")
        with self._lock:
            key = (path.name, "gzip")
            if key not in self._made:
                # Level 6 leaves 1% more than level 9 and takes half of its time.
                self._made[key] = gzip.compress(path.read_bytes(), 6, mtime=0)
            return Asset(self._made[key], "gzip")

    def _read(self, name: str) -> bytes:
        with self._lock:
            key = (name, "")
            if key not in self._made:
                self._made[key] = self._files[name].read_bytes()
            return self._made[key]


def encodings(header: str) -> frozenset[str]:
    """The encodings of `ENDINGS` that an Accept-Encoding header allows."""
    weights: dict[str, float] = {}
    for part in header.split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip().lower()] = _weight(parameters)
    rest = weights.get("*", 0.0)
    return frozenset(name for name in ENDINGS if weights.get(name, rest) > 0)


def _weight(parameters: str) -> float:
    """The value of q among the parameters of an encoding, 1 by default; 0 if it is no number."""
    for part in parameters.split(";"):
        key, _, value = part.partition("=")
        if key.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
