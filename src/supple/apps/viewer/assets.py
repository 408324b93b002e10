"""The built page's files, sent compressed and kept by browsers."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import threading
from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

TYPES = {".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}
ENDINGS = {"br": ".br", "gzip": ".gz"}
"""Endings of files compressed when the page was built, by encoding; the first one accepted is sent."""

FOREVER = "public, max-age=31536000, immutable"  # of files whose names change with their contents
GZIP_LEVEL = 6  # its output is 1% larger than that of level 9, in half of the time


class Asset:
    """Something that is sent to pages, compressed if they accept it.

    Args:
        body: What is sent.
        media_type: Its media type.
        compressed: The same, compressed already, by encoding. Without, it is compressed by gzip when
            first asked for.
        cache: The Cache-Control of its responses. By default a page may keep it, and asks each time
            whether it is still the same.
    """

    def __init__(
        self,
        body: bytes,
        media_type: str,
        *,
        compressed: Mapping[str, bytes] | None = None,
        cache: str = "no-cache",
    ) -> None:
        self.body = body
        self.media_type = media_type
        self._compressed = dict(compressed or {})
        self._lock = threading.Lock()
        self._tag = hashlib.sha256(body).hexdigest()[:32]
        self._cache = cache

    async def respond(self, request: Request) -> Response:
        """The response to a request for it."""
        accepted = encodings(request.headers.get("accept-encoding", ""))
        encoding = next((one for one in ENDINGS if one in accepted & self._available), "")
        tag = f'"{self._tag}{encoding}"'
        headers = {"Cache-Control": self._cache, "Vary": "Accept-Encoding", "ETag": tag}
        known = request.headers.get("if-none-match", "").split(",")
        if tag in (one.strip().removeprefix("W/") for one in known):
            return Response(status_code=304, headers=headers)
        if encoding:
            headers["Content-Encoding"] = encoding
        body = await to_thread.run_sync(self.encoded, encoding) if encoding else self.body
        return Response(body, headers=headers, media_type=self.media_type)

    @property
    def _available(self) -> frozenset[str]:
        return frozenset({*self._compressed, "gzip"})

    def encoded(self, encoding: str) -> bytes:
        """The body in an encoding; thread-safe."""
        with self._lock:
            if encoding not in self._compressed:
                self._compressed[encoding] = gzip.compress(self.body, GZIP_LEVEL, mtime=0)
            return self._compressed[encoding]


class Assets:
    """The files of a folder, by name; no path leads into folders below it or out of it.

    They are sent as they were compressed when the page was built: `name.br` or `name.gz` in place of
    `name`. Their names change with their contents, so that browsers may keep them. They are read once: a
    page that is built again needs a server that is started again.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        files = {path.name: path for path in folder.iterdir() if path.is_file()}
        self._assets = {
            name: Asset(
                path.read_bytes(),
                TYPES.get(path.suffix)
                or mimetypes.guess_type(name)[0]
                or "application/octet-stream",
                compressed={
                    encoding: files[name + ending].read_bytes()
                    for encoding, ending in ENDINGS.items()
                    if name + ending in files
                },
                cache=FOREVER,
            )
            for name, path in files.items()
            if path.suffix not in ENDINGS.values()
        }

    async def respond(self, request: Request) -> Response:
        """The response to a request for the file `name` of its path."""
        asset = self._assets.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404)
        return await asset.respond(request)


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
