"""Work counted in lines of Python, which are the same on every machine, as seconds are not."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import supple

PACKAGE = str(Path(supple.__file__).parent)


def lines_run(call: Callable[[], Any]) -> int:
    """How many lines of the package a call runs, in this thread; what it raises is raised."""
    count = 0

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return line

    def enter(frame: FrameType, event: str, arg: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
