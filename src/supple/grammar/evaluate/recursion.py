"""Room for functions that call themselves: their expressions are Python closures in closures."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES = 12_000  # 500 functions in functions, each of some ten nested expressions

_lock = threading.Lock()
_inside = 0
_before = 0


@contextmanager
def deep() -> Iterator[None]:
    """Allow more nested Python calls; the last of several threads to leave restores the limit.

    Calls between Python functions do not use the C stack, so that a higher limit is safe.
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
