"""The only clock of the tests: how long they wait for what must happen, however busy the machine is."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 300.0  # [s]


def until(what: Callable[[], Any]) -> Any:
    """Wait until a function gives something true, and give that."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        found = what()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"waited in vain for {what}")
