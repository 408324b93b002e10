"""Output streams that never fail: on closed pipes, as in `supple info clip.bvh | head -1`, or on unencodable letters.

After its pipe is closed, a command runs to its end and drops further output, so that its files are complete and its
exit code does not change. A replacement is printed for bytes of file names that are not UTF-8, and for letters that the
terminal's encoding lacks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from supple.errors import printable


class _Unbroken:
    """A text stream that replaces letters it cannot encode, and drops output once its pipe is closed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        shown = self._encodable(text)
        return self._tried(lambda: self._stream.write(shown), len(text))

    def writelines(self, lines: list[str]) -> None:
        shown = [self._encodable(line) for line in lines]
        self._tried(lambda: self._stream.writelines(shown), None)

    def _encodable(self, text: str) -> str:
        if text.isascii():
            return text
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        return printable(text).encode(encoding, "replace").decode(encoding)

    def flush(self) -> None:
        self._tried(self._stream.flush, None)

    def _tried(self, call: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return call()
        except BrokenPipeError:
            # Redirect the descriptor, so that buffered output is dropped too, also at exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
            return otherwise


@contextmanager
def unbroken_pipes() -> Iterator[None]:
    """Suppress BrokenPipeError and UnicodeEncodeError on stdout and stderr."""
    outer = sys.stdout, sys.stderr
    # Streams are None without a console, as under pythonw.
    sys.stdout, sys.stderr = (one and _Unbroken(one) for one in outer)  # type: ignore[assignment]
    try:
        yield
    finally:
        for one in (sys.stdout, sys.stderr):
            if one is not None:
                one.flush()
        sys.stdout, sys.stderr = outer
