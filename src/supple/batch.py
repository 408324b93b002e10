"""The old name of `supple.clips`, kept for one release."""

import warnings

from supple.clips import (
    BAD_INPUT,
    DONE,
    NOT_REACHED,
    Done,
    Ended,
    OnClip,
    Plan,
    PlanOnClip,
    Run,
    RunInterruptedError,
    load_plan,
    parse_shard,
    run,
)

__all__ = [
    "BAD_INPUT",
    "DONE",
    "NOT_REACHED",
    "Done",
    "Ended",
    "OnClip",
    "Plan",
    "PlanOnClip",
    "Run",
    "RunInterruptedError",
    "load_plan",
    "parse_shard",
    "run",
]

warnings.warn("supple.batch is now supple.clips", DeprecationWarning, stacklevel=2)
