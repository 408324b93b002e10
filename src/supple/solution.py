"""What a solve answers: a pose, how near it came, and why it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from supple.errors import SuppleError, array
from supple.kernels import layout as at
from supple.pose import Pose
from supple.skeleton import Skeleton
from supple.trace import Trace


class Status(IntEnum):
    """Why a solve ended."""

    REACHED = at.REACHED
    """Every counted goal is within its tolerance."""
    TOO_FAR = at.TOO_FAR
    """A target is farther away than the chain is long."""
    TOO_NEAR = at.TOO_NEAR
    """A target is nearer than the chain can fold."""
    LIMITED = at.LIMITED
    """Joint limits are in the way; `Solution.limited` names them."""
    STALLED = at.STALLED
    """No small change of the free joints brings the goals closer."""
    BUDGET = at.BUDGET
    """The iterations were used up."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing asked of one effector, for reporting.

    Attributes:
        goal: Index in the list of goals.
        kind: "position", "orientation", "direction" or "pole".
        effector: Name of the joint or tip.
        tolerance: Model units, or radians.
    """

    goal: int
    kind: str
    effector: str
    tolerance: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What a solution needs to know about its problem.

    Attributes:
        demands: What was asked, block by block.
        moving: Names of the joints that were free.
        solver: The solver's name.
        kept: Whether the start is given back where the goals were not reached.
    """

    demands: tuple[Demand, ...]
    moving: tuple[str, ...]
    solver: str
    kept: bool


class Solution:
    """The answer to a solve, or to a whole batch of them.

    For a batch every property has the batch's axes in front, and `solution[i]` is a single one.
    Poses and errors are read off the solver's report when asked for.

    Attributes:
        skeleton: The skeleton.
        asked: What was asked.
        trace: What the solver did, if a trace was asked for.
        alternatives: Other answers to the same problem, best first, if several were asked for.
    """

    __slots__ = (
        "_pose", "_rows", "_start", "alternatives", "asked", "skeleton", "trace",
    )  # fmt: skip

    def __init__(
        self,
        skeleton: Skeleton,
        asked: Asked,
        rows: np.ndarray,
        start: Pose,
        *,
        trace: Trace | None = None,
        alternatives: tuple[Solution, ...] = (),
    ) -> None:
        """Wrap the solver's report.

        Args:
            skeleton: The skeleton.
            asked: What was asked.
            rows: The report, shape (..., width) as the kernels write it.
            start: The start pose, whose translations and scales the answer keeps.
            trace: What the solver did.
            alternatives: Other answers.
        """
        self.skeleton = skeleton
        self.asked = asked
        self.trace = trace
        self.alternatives = alternatives
        self._rows = rows
        self._start = start
        self._pose: Pose | None = None

    # The pose -----------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        demands, moving = len(self.asked.demands), len(self.asked.moving)
        return self._rows.shape[-1] - at.REPORT - demands - moving

    @property
    def pose(self) -> Pose:
        """The answer."""
        if self._pose is None:
            coordinates = np.array(self._rows[..., : self._width])
            self._pose = Pose._wrap(
                self.skeleton, coordinates, self._start.translations, self._start.scales
            )
        return self._pose

    @property
    def start(self) -> Pose:
        """The pose the solve started from."""
        return self._start

    @property
    def angles(self) -> np.ndarray:
        """The answer's freedoms, in `skeleton.freedoms` order, balls as rotation vectors.

        Shape (..., D).
        """
        return self.pose.angles

    @property
    def positions(self) -> np.ndarray:
        """World positions of joints and tips, in `skeleton.names` order, shape (..., N + T, 3)."""
        return self.pose.positions

    def position(self, name: str) -> np.ndarray:
        """World position of one joint or tip, shape (..., 3)."""
        return self.pose.position(name)

    def blended(self, amount: float) -> Solution:
        """The same report with the pose only part of the way from the start.

        0 the start, 1 the answer.
        """
        mixed = Solution(self.skeleton, self.asked, self._rows, self._start, trace=self.trace)
        mixed._pose = self._start.interpolate(self.pose, amount)
        return mixed

    # How it ended -------------------------------------------------------------------------------

    def _report(self, column: int) -> Any:
        value = self._rows[..., self._width + column]
        return float(value) if self._rows.ndim == 1 else value

    @property
    def status(self) -> Any:
        """A `Status`; for a batch an int array of its values."""
        value = self._report(at.O_STATUS)
        return Status(int(value)) if self._rows.ndim == 1 else value.astype(np.int64)

    @property
    def reached(self) -> Any:
        """Whether every counted goal is within its tolerance."""
        value = self._report(at.O_STATUS)
        return bool(value == at.REACHED) if self._rows.ndim == 1 else value == at.REACHED

    @property
    def error(self) -> Any:
        """Largest distance of any Reach or Hold from its target, model units."""
        return self._report(at.O_ERROR)

    @property
    def orientation_error(self) -> Any:
        """Largest angle of any Reach, LookAt or Hold from its target [rad]."""
        return self._report(at.O_TURN_ERROR)

    @property
    def errors(self) -> np.ndarray:
        """The error of every demand, model units or radians, shape (..., demands)."""
        first = self._width + at.REPORT
        return self._rows[..., first : first + len(self.asked.demands)]

    @property
    def iterations(self) -> Any:
        """Sweeps or Newton steps used, restarts included."""
        value = self._report(at.O_ITERATIONS)
        return int(value) if self._rows.ndim == 1 else value.astype(np.int64)

    @property
    def restarts(self) -> Any:
        """How many other beginnings were tried."""
        value = self._report(at.O_RESTARTS)
        return int(value) if self._rows.ndim == 1 else value.astype(np.int64)

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of the joints whose limits keep the goals from coming closer.

        For a batch, those of any of its solves.
        """
        flags = self._rows[..., self._width + at.REPORT + len(self.asked.demands) :]
        pressed = np.any(flags.reshape(-1, flags.shape[-1]) > 0, axis=0)
        return tuple(n for n, on in zip(self.asked.moving, pressed, strict=True) if on)

    @property
    def reason(self) -> str:
        """Why the solve ended, in words; for a batch, how many ended how."""
        if self._rows.ndim > 1:
            return _summary(self.status)
        return _reason(self)

    # Batches ------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The batch's shape; () for a single solution."""
        return self._rows.shape[:-1]

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single solution has no length")
        return self.batch_shape[0]

    def __getitem__(self, index: Any) -> Solution:
        if not self.batch_shape:
            raise SuppleError("a single solution cannot be indexed")
        start = self._start[index] if self._start.batch_shape else self._start
        return Solution(self.skeleton, self.asked, self._rows[index], start)

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    # Comfort ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return (
            self.skeleton == other.skeleton
            and self.asked == other.asked
            and np.array_equal(self._rows, other._rows)
            and self._start == other._start
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.batch_shape:
            return f"Solution({'x'.join(map(str, self.batch_shape))}: {self.reason})"
        return f"Solution({self.status.name}: {self.reason}; {self.iterations} iterations)"

    def _repr_html_(self) -> str:
        if self.batch_shape:
            return f"<p>{self!r}</p>"
        return f"<figure>{self.pose._repr_svg_()}<figcaption>{self!r}</figcaption></figure>"

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back.

        The trace is not part of it (see `Trace.save`).
        """
        return {
            "format": "supple-solution",
            "version": 1,
            "skeleton": self.skeleton.to_json(),
            "asked": asdict(self.asked),
            "start": self._start.to_json(),
            "report": self._rows.tolist(),
            "reached": self.reached if not self.batch_shape else self.reached.tolist(),
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, data: Any) -> Solution:
        """The solution that `to_json` wrote.

        Raises:
            SuppleError: The data is no solution.
        """
        if not isinstance(data, dict) or data.get("format") != "supple-solution":
            raise SuppleError(
                "not a solution: expected a JSON object with format 'supple-solution'"
            )
        try:
            skeleton = Skeleton.from_json(data["skeleton"])
            given = data["asked"]
            asked = Asked(
                tuple(Demand(**demand) for demand in given["demands"]),
                tuple(given["moving"]),
                str(given["solver"]),
                bool(given["kept"]),
            )
            rows = array("report", data["report"], (..., None))
            return cls(skeleton, asked, rows, Pose.from_json(data["start"], skeleton))
        except (KeyError, TypeError) as error:
            raise SuppleError(f"solution: missing or malformed {error}") from error


def _summary(status: np.ndarray) -> str:
    counts = {kind: int(np.sum(status == kind)) for kind in Status}
    total = status.size
    parts = [f"{counts[Status.REACHED]} of {total} reached"]
    parts += [
        f"{count} {kind.name.lower().replace('_', ' ')}"
        for kind, count in counts.items()
        if count and kind is not Status.REACHED
    ]
    return ", ".join(parts)


def _miss(demand: Demand, error: float) -> str:
    if demand.kind == "position":
        return f"{demand.effector} is {error:.3g} from its target"
    if demand.kind == "orientation":
        return f"{demand.effector} is {error:.3g} rad from its orientation"
    return f"{demand.effector} looks {error:.3g} rad past its target"


def _reason(s: Solution) -> str:
    """One sentence for a single solution."""
    counted = [
        (demand, float(error))
        for demand, error in zip(s.asked.demands, s.errors, strict=True)
        if demand.kind != "pole"
    ]
    demand, error = max(counted, key=lambda pair: pair[1] / pair[0].tolerance)
    miss = _miss(demand, error)
    if s.status is Status.REACHED:
        return miss
    kept = "; the start pose is kept" if s.asked.kept else ""
    if s.status in (Status.TOO_FAR, Status.TOO_NEAR):
        blocked = s.asked.demands[int(s._report(at.O_BLOCK))].effector
        far, reach = s._report(at.O_GAP), s._report(at.O_REACH)
        bound = "reaches no farther than" if s.status is Status.TOO_FAR else "comes no nearer than"
        gap = f"the target of {blocked} is {far:.3g} from its chain's root"
        return f"{gap}, which {bound} {reach:.3g}{kept or '; ' + miss}"
    if s.status is Status.LIMITED:
        return f"the limits of {', '.join(s.limited)} are in the way; {miss}{kept}"
    if s.status is Status.STALLED:
        return f"no small change of the free joints helps; {miss}{kept}"
    return f"{s.iterations} iterations were not enough; {miss} (tolerance {demand.tolerance:.3g}){kept}"
