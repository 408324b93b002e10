"""What the page sends."""

from __future__ import annotations

from typing import Annotated, Literal

from supple.viewer.messages.setup import GoalPlace, Setup
from supple.viewer.messages.values import (
    MOST_GOALS,
    KeyTime,
    SaveFormat,
    Seconds,
    Serial,
    Within,
    message,
)


@message
class SetupSent:
    """The whole setup, after every change and after connecting."""

    type: Literal["setup"] = "setup"
    seq: Serial
    setup: Setup


@message
class Want:
    """Where the goals are, and what the time is; at most one in a frame, the latest counts.

    Attributes:
        seq: Counts up; the answer carries it back.
        goals: Their places.
        time: Seconds into the motion.
        revision: The scene that the goals belong to.
    """

    type: Literal["want"] = "want"
    seq: Serial
    revision: Serial
    goals: Annotated[list[GoalPlace], Within(0, MOST_GOALS)]
    time: Seconds = 0.0


@message
class TraceWanted:
    """Solve once more and tell how."""

    type: Literal["trace"] = "trace"
    rest: bool = True


@message
class StepsWanted:
    """The poses after every step inside an iteration of the trace."""

    type: Literal["steps"] = "steps"
    iteration: Serial


@message
class KeyWanted:
    """The coordinates of the pose that is shown, for a keyframe at a time [s]."""

    type: Literal["key"] = "key"
    time: KeyTime


@message
class ResetWanted:
    """Go back to the rest pose."""

    type: Literal["reset"] = "reset"


@message
class SaveWanted:
    """What is shown, as a file."""

    type: Literal["save"] = "save"
    format: SaveFormat


@message
class Ping:
    """Is anybody there?"""

    type: Literal["ping"] = "ping"


FromPage = (
    SetupSent | Want | TraceWanted | StepsWanted | KeyWanted | ResetWanted | SaveWanted | Ping
)
