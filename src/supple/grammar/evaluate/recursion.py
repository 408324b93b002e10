"""A higher recursion limit: recursive functions of rules are nested Python closures."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES = 12_000  # 500 nested function calls of about ten nested expressions each, and more

_lock = threading.Lock()
_inside = 0
_before = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit; the last of several threads to leave restores it.

    Calls between Python functions do not use the C stack, so a higher limit is safe.
    """
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, FRAMES))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_before)
