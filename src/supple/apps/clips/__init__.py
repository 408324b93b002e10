"""Many clips: plans, a plan on one clip, and runs over processes or a cluster."""

from supple.apps.clips.done import BAD_INPUT, DONE, NOT_REACHED, Done
from supple.apps.clips.one_clip import PlanOnClip
from supple.apps.clips.plan import Plan, load_plan
from supple.apps.clips.runner import Ended, OnClip, Run, RunInterruptedError, parse_shard, run

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
