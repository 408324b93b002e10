"""The result of a clip, with codes that are also the exit codes of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DONE, NOT_REACHED, BAD_INPUT = 0, 1, 2


@dataclass(frozen=True)
class Done:
    """The result of a clip, small enough to be sent between processes.

    Attributes:
        code: 0 done, 1 not reached or with faults, 2 failed.
        text: One line about it.
        data: The same as plain data.
    """

    code: int
    text: str
    data: dict[str, Any]
