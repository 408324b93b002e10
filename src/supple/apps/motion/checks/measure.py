"""The measure of a check: a value for each frame and joint, the budgets, and the faults above them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Note
from supple.runs import true_runs

Floats = NDArray[np.float64]

KINDS = (
    "skate",
    "penetration",
    "floating",
    "speed",
    "acceleration",
    "jerk",
    "limits",
    "bones",
    "collision",
    "seam",
    "swap",
    "frozen",
)
"""The kinds of fault, in the order in which they are reported."""

# Share of the budget that is allowed beside the clip before it was changed; not tuned.
BUDGET_AGAINST = 0.75
RECURRENCE_TIME = 0.3  # peaks farther apart are two events [s]; not tuned
AGAINST_TIME = 0.2  # values of the original count this far around a frame [s]; not tuned
WORSE_TIMES = 1.25  # a known fault counts again if it is this many times as bad; not tuned

MEANINGS = {
    "skate": "feet slide while they stand",
    "penetration": "joints are in the ground",
    "floating": "nothing touches the ground, and the body does not fall",
    "speed": "a joint jumps from one frame to the next",
    "acceleration": "a joint changes its speed at once",
    "jerk": "a joint shakes",
    "limits": "joints leave their limits, or bend the wrong way",
    "bones": "bones change their length",
    "collision": "parts of the body are inside each other",
    "seam": "the end of the loop does not lead to its beginning",
    "swap": "left and right change places",
    "frozen": "the motion stops dead and stands still",
    "truncated": "the file ends before the motion does",
    "not_a_number": "values of the file are no numbers",
}
"""What each kind of fault means: `KINDS`, and damage of the file, which is always a fault."""


def frames_in_words(start: int, stop: int) -> str:
    """Frames from `start` to the one before `stop` in words: "frame 3", "frames 3 to 8"."""
    return f"frame {start}" if stop - start == 1 else f"frames {start} to {stop - 1}"


@dataclass(frozen=True)
class Fault:
    """A fault over some frames.

    Attributes:
        kind: One of `KINDS`, or of `DAMAGE`.
        joint: The joint, tip or pair of joints where it is worst; "" for damage of the file.
        start: The first frame.
        stop: The first frame after it.
        frame: Where it is worst.
        value: Its size there, in `unit`.
        budget: How much is allowed, in `unit`.
        unit: Such as "leg/s" for leg lengths a second.
        joints: All joints that are affected, the worst first.
        text: The reader's words for damage of the file; "" for other faults.
    """

    kind: str
    joint: str
    start: int
    stop: int
    frame: int
    value: float
    budget: float
    unit: str
    joints: tuple[str, ...] = ()
    text: str = ""

    @classmethod
    def of_file(cls, note: Note, count: int) -> Fault:
        """The fault of a motion of `count` frames for damage of its file that the reader noted."""
        assert note.damage is not None
        start, stop = note.frames or (count, count + 1)
        return cls(
            note.damage, "", start, stop, start, float(stop - start), 0.0, "frames", (), note.text
        )

    @property
    def frames(self) -> str:
        """Its frames in words."""
        return frames_in_words(self.start, self.stop)

    def __str__(self) -> str:
        if self.text:
            return f"{self.kind}: {self.frames}: {self.text}"
        more = f" and {len(self.joints) - 1} more" if len(self.joints) > 1 else ""
        return (
            f"{self.kind}: {self.joint}{more}, {self.frames}: {self.value:.3g} {self.unit}, "
            f"allowed {self.budget:.3g}"
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fault:
        """The fault that `to_json` described."""
        return cls(**{**data, "joints": tuple(data["joints"])})

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary; `from_json` reads it back."""
        return {
            "kind": self.kind,
            "joint": self.joint,
            "joints": list(self.joints),
            "start": self.start,
            "stop": self.stop,
            "frame": self.frame,
            "value": self.value,
            "budget": self.budget,
            "unit": self.unit,
            "text": self.text,
        }


@dataclass(frozen=True, eq=False)
class Measure:
    """Values of one kind in each frame.

    Attributes:
        kind: One of `KINDS`.
        unit: Of the values.
        names: Of the columns: joints, tips or pairs of joints.
        values: The size of each in each frame, shape (F, K).
        budget: How much is allowed for each, shape (K,).
        shortest: Shorter runs are no faults [frames].
        near: Faults with at most this many frames in between are one [frames].
        reason: Why nothing could be measured; "" if it was.
        least: The budget alone, if `budget` also allows for what is usual in the clip.
    """

    kind: str
    unit: str
    names: tuple[str, ...]
    values: Floats
    budget: Floats
    shortest: int = 1
    near: int = 0
    reason: str = ""
    least: float | None = None

    def beside(self, before: Measure, frames: int) -> Measure:
        """The values that are worse than in the clip before it was changed; others become 0.

        The budget is allowed, and `WORSE_TIMES` the values of the same joint in the original, within `frames` around
        or, if the clips differ in length, anywhere.
        """
        if self.reason or before.reason:
            return self
        column = {name: k for k, name in enumerate(before.names)}
        budget = self.budget.copy()
        values = self.values.copy()
        for k, name in enumerate(self.names):
            if (j := column.get(name)) is None:
                continue
            old = before.values[:, j]
            budget[k] = (
                min(budget[k], before.budget[j])
                if self.least is None
                else BUDGET_AGAINST * self.least
            )
            if len(old) == len(values):
                wide = np.pad(old, frames, mode="edge")
                old = np.lib.stride_tricks.sliding_window_view(wide, 2 * frames + 1).max(axis=1)
            else:
                old = np.full(len(values), old.max(initial=0.0))
            values[values[:, k] <= WORSE_TIMES * old, k] = 0.0
        return replace(self, values=values, budget=budget)

    def later(self, frames: int) -> Measure:
        """The same, shifted by some frames, with zeros before."""
        if frames == 0 or self.reason:
            return self
        return replace(self, values=np.pad(self.values, ((frames, 0), (0, 0))))

    @property
    def worst(self) -> tuple[float, float, str, int] | None:
        """The value with the greatest ratio to its budget, that budget, its name and frame."""
        if not self.values.size:
            return None
        frame, k = np.unravel_index(int(np.argmax(self.values / self.budget)), self.values.shape)
        return float(self.values[frame, k]), float(self.budget[k]), self.names[k], int(frame)

    def faults(self) -> list[Fault]:
        """The runs of frames in which values are over budget, all joints together."""
        if not self.values.size:
            return []
        share = self.values / self.budget
        over = np.zeros(share.shape, dtype=bool)
        for k in np.flatnonzero((share > 1.0).any(axis=0)):
            for run in true_runs(closed(np.asarray(share[:, k] > 1.0), self.near)):
                if run.stop - run.start >= self.shortest:
                    over[run, k] = True
        found = []
        for run in true_runs(closed(np.asarray(over.any(axis=1)), self.near)):
            part = np.where(over[run], share[run], 0.0)
            frame, k = np.unravel_index(int(np.argmax(part)), part.shape)
            order = np.argsort(-part.max(axis=0), kind="stable")
            names = tuple(self.names[j] for j in order if part[:, j].max() > 0)
            frame = int(frame) + run.start
            value, budget = float(self.values[frame, k]), float(self.budget[k])
            found.append(
                Fault(self.kind, self.names[k], run.start, run.stop, frame, value, budget,
                      self.unit, names)
            )  # fmt: skip
        return found


def nothing(kind: str, reason: str) -> Measure:
    """An empty measure with a reason."""
    return Measure(kind, "", (), np.zeros((0, 0)), np.zeros(0), reason=reason)


def recurring(values: Floats, budget: float, gap: int, times: float | None) -> float:
    """The allowed size of values (F,), if values that recur are accepted.

    The budget or, if larger, `times` the second largest of the peaks that are more than `gap` frames apart. If `times`
    is None, the budget.
    """
    if times is None:
        return budget
    visits = true_runs(closed(np.asarray(values > 0.5 * budget), gap))
    peaks = sorted((float(values[run].max()) for run in visits), reverse=True)
    return max([budget, *(times * peak for peak in peaks[1:2])])


def closed(flags: NDArray[np.bool_], gap: int) -> NDArray[np.bool_]:
    """Flags (F,) with gaps of at most `gap` frames filled."""
    if gap <= 0 or not flags.any():
        return flags
    flags = flags.copy()
    at = np.flatnonzero(flags)
    for a, b in zip(at[:-1], at[1:], strict=True):
        if 1 < b - a <= gap + 1:
            flags[a:b] = True
    return flags
