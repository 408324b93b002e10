"""Messages from the page to its session."""

from __future__ import annotations

from typing import Annotated, Literal

from supple.apps.viewer.messages.motions import CheckWanted
from supple.apps.viewer.messages.setup import GoalPlace, Setup
from supple.apps.viewer.messages.values import (
    MOST_GOALS,
    MOST_SLOTS,
    KeyTime,
    Number,
    SaveFormat,
    Seconds,
    Serial,
    Within,
    message,
)


@message
class SetupSent:
    """The complete setup, sent after every change and after connecting."""

    type: Literal["setup"] = "setup"
    seq: Serial
    setup: Setup


@message
class Want:
    """The positions of the goals, and the time; at most one per frame, only the latest is solved.

    Attributes:
        seq: Increasing; returned with the answer.
        goals: Positions of the goals.
        time: Time in the motion [s].
        revision: The number of the scene that the goals belong to.
    """

    type: Literal["want"] = "want"
    seq: Serial
    revision: Serial
    goals: Annotated[list[GoalPlace], Within(0, MOST_GOALS)]
    time: Seconds = 0.0


@message
class PoseShown:
    """The pose that the page has solved for and shows, sent when it is at rest and before orders.

    Attributes:
        seq: Increasing, counted with those of `Want`.
        revision: The number of the scene that it belongs to.
        goals: Positions of the goals.
        time: Time in the motion [s].
        coordinates: The coordinates of the pose of each solver.
    """

    type: Literal["shown"] = "shown"
    seq: Serial
    revision: Serial
    goals: Annotated[list[GoalPlace], Within(0, MOST_GOALS)]
    time: Seconds = 0.0
    coordinates: Annotated[list[list[Number]], Within(0, MOST_SLOTS)]


@message
class TraceWanted:
    """Solve again with a trace, and send it.

    Attributes:
        rest: True to start from the initial pose.
        quiet: True to record it for saving and not send it: the page has one of its own.
    """

    type: Literal["trace"] = "trace"
    rest: bool = True
    quiet: bool = False


@message
class StepsWanted:
    """Send the poses after every step of an iteration of the trace."""

    type: Literal["steps"] = "steps"
    iteration: Serial


@message
class KeyWanted:
    """Send the coordinates of the current pose, for a keyframe at a time [s]."""

    type: Literal["key"] = "key"
    time: KeyTime


@message
class BodiesWanted:
    """Send the capsules and masses of the bones, to be drawn; answered by `Bodies`."""

    type: Literal["bodies"] = "bodies"


@message
class ResetWanted:
    """Return to the initial pose."""

    type: Literal["reset"] = "reset"


@message
class SaveWanted:
    """Send what is shown, as a file."""

    type: Literal["save"] = "save"
    format: SaveFormat


@message
class Ping:
    """Check the connection; answered by `Pong`."""

    type: Literal["ping"] = "ping"


FromPage = (
    SetupSent
    | Want
    | PoseShown
    | TraceWanted
    | StepsWanted
    | KeyWanted
    | BodiesWanted
    | ResetWanted
    | SaveWanted
    | CheckWanted
    | Ping
)
