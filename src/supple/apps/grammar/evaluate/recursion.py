"""Interpreter settings during a derivation: a higher recursion limit, and no cyclic garbage collection."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Python frames. Recursive functions of rules are nested Python closures: room for `run.MOST_CALLS_NESTED` of about ten
# nested expressions each, and more.
RECURSION_LIMIT = 12_000

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
            sys.setrecursionlimit(max(_before, RECURSION_LIMIT))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_before)


_paused = 0
_enabled = False


@contextmanager
def no_cyclic_collection() -> Iterator[None]:
    """Pause cyclic garbage collection; the last of several threads to leave resumes it.

    A derivation creates many objects and no cycles. The collector would visit all of them repeatedly and take half
    of the time.
    """
    global _paused, _enabled
    with _lock:
        if _paused == 0:
            _enabled = gc.isenabled()
            gc.disable()
        _paused += 1
    try:
        yield
    finally:
        with _lock:
            _paused -= 1
            if _paused == 0 and _enabled:
                gc.enable()
