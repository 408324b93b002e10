"""Clips by the thousand: plans, one clip through a plan, and many over processes or a cluster."""

from supple.batch.clips import PlanOnClip
from supple.batch.done import BAD_INPUT, DONE, NOT_REACHED, Done
from supple.batch.plan import Plan, load_plan
from supple.batch.runner import Ended, OnClip, Run, RunInterruptedError, parse_shard, run

__all__ = [
    "BAD_INPUT",
    "DONE",
    "NOT_REACHED",
    "Done",
    "Ended",
    "RunInterruptedError",
    "OnClip",
    "Plan",
    "PlanOnClip",
    "Run",
    "load_plan",
    "parse_shard",
    "run",
]
