"""What becomes of a clip, and its codes, which are exit codes of the command line, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DONE, NOT_REACHED, BAD_INPUT = 0, 1, 2


@dataclass(frozen=True)
class Done:
    """What became of a clip: small, and to be sent between processes.

    Attributes:
        code: 0 done, 1 not reached or with faults, 2 failed.
        text: One line about it.
        data: The same as plain data.
    """

    code: int
    text: str
    data: dict[str, Any]
