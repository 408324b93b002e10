"""The answer to a solve: a pose, its errors, and why the solve stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from supple.errors import SuppleError, array, number
from supple.kernels import layout as at
from supple.model.skeleton import Pose, Skeleton, check_format
from supple.solve.outcome import (
    BlockInfo,
    Collision,
    OutOfReach,
    ProblemInfo,
    Status,
    counted,
    reason,
    summary,
    with_roots,
)
from supple.solve.trace import Trace

__all__ = ["ProblemInfo", "Collision", "BlockInfo", "OutOfReach", "Solution", "Status"]

STATUSES = tuple(Status)  # by their values
FORMAT = "supple-solution"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Extras:
    """Parts that few solutions have.

    Attributes:
        trace: The trace of the solve.
        alternatives: Other answers.
        blend: Fraction of the answer that the pose takes, 0 (the start) to 1.
        velocity: The velocity of every freedom, shape (..., D), if the solve was a tick.
    """

    trace: Trace | None = None
    alternatives: tuple[Solution, ...] = ()
    blend: float = 1.0
    velocity: np.ndarray | None = None


NO_EXTRAS = Extras()


class Solution:
    """The answer to a solve, or to a whole batch of them.

    For a batch every property has the batch's axes in front, and `solution[i]` is a single one.
    Poses and errors are read from the solver's report on access. Solutions compare by content
    (without trace and alternatives), copy, pickle, and go to and from JSON.

    Attributes:
        asked: The problem that was solved.
    """

    asked: ProblemInfo

    __slots__ = ("_extras", "_pose", "_rows", "_start", "asked")

    def __init__(
        self, asked: ProblemInfo, rows: np.ndarray, start: Pose, extras: Extras = NO_EXTRAS
    ) -> None:
        """Wrap the solver's report.

        Args:
            asked: The problem that was solved.
            rows: The report, shape (..., width) as the kernels write it.
            start: The start pose, whose translations and scales the answer keeps; single, or with
                the batch axes of the report.
            extras: Parts that few solutions have.
        """
        self.asked = asked
        self._rows = rows
        self._start = start
        self._extras = extras
        self._pose: Pose | None = None

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the poses."""
        return self._start.skeleton

    @property
    def trace(self) -> Trace | None:
        """The trace of the solve, if one was asked for."""
        return self._extras.trace

    @property
    def alternatives(self) -> tuple[Solution, ...]:
        """Other answers to the same problem, best first, if several were asked for."""
        return self._extras.alternatives

    # The pose -----------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        # Number of coordinates before the report.
        return self._start._coordinates.shape[-1]

    @property
    def pose(self) -> Pose:
        """The answer; blended with the start, if that was asked for."""
        if self._pose is None:
            start = self._start
            count = start._coordinates.shape[-1]
            rows = self._rows
            coordinates = rows[:count] if rows.ndim == 1 else rows[..., :count].copy()
            pose = Pose._wrap(start._skeleton, coordinates, start._translations, start._scales)
            if self._extras.blend < 1.0:
                pose = start.interpolate(pose, self._extras.blend)
            self._pose = pose
        return self._pose

    @property
    def start(self) -> Pose:
        """The pose the solve started from."""
        return self._start

    @property
    def blend(self) -> float:
        """Fraction of the answer that the pose takes, 0 (the start) to 1."""
        return self._extras.blend

    @property
    def angles(self) -> np.ndarray:
        """The answer's freedoms, in `skeleton.freedoms` order, balls as rotation vectors.

        Shape (..., D).
        """
        return self.pose.angles

    @property
    def velocity(self) -> np.ndarray:
        """The velocity of a tick, from its start to its answer, in `skeleton.freedoms` order, shape (..., D).

        In rad/s, for slides in model units/s; for a ball the angular velocity, in the joint's rest frame.
        Pass it as `velocity=` to the next tick.

        Raises:
            SuppleError: The call had no `dt`.
        """
        if self._extras.velocity is None:
            raise SuppleError(
                "velocity: expected a call with dt=, the seconds that it takes; this had none"
            )
        return self._extras.velocity

    @property
    def positions(self) -> np.ndarray:
        """World positions of joints and tips, in `skeleton.names` order, shape (..., N + T, 3)."""
        return self.pose.positions

    def position(self, name: str) -> np.ndarray:
        """World position of one joint or tip, shape (..., 3)."""
        return self.pose.position(name)

    # Other solutions from this one --------------------------------------------------------------

    def blended(self, amount: float) -> Solution:
        """The same report with a pose between the start and the answer.

        0 gives the start, 1 the answer; the alternatives are blended too.
        """
        amount = number("blend", amount, "a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
        others = tuple(other.blended(amount) for other in self.alternatives)
        extras = replace(self._extras, alternatives=others, blend=amount)
        return Solution(self.asked, self._rows, self._start, extras)

    def seen_from(
        self, start: Pose, *, trace: Trace | None = None, alternatives: tuple[Solution, ...] = ()
    ) -> Solution:
        """This single answer, as the answer to a solve from another start."""
        extras = replace(self._extras, trace=trace, alternatives=alternatives)
        return Solution(self.asked, self._rows, start, extras)

    # How it ended -------------------------------------------------------------------------------

    def _report(self, column: int) -> Any:
        rows = self._rows
        if rows.ndim == 1:
            return rows.item(self._width + column)
        return rows[..., self._width + column].copy()

    def _count(self, column: int) -> Any:
        value = self._report(column)
        return int(value) if self._rows.ndim == 1 else value.astype(np.int64)

    @property
    def status(self) -> Any:
        """A `Status`; for a batch an int array of its values."""
        value = self._count(at.O_STATUS)
        return STATUSES[value] if self._rows.ndim == 1 else value

    @property
    def reached(self) -> Any:
        """True if every counted goal is within its tolerance."""
        return self._report(at.O_STATUS) == at.REACHED

    @property
    def error(self) -> Any:
        """Largest distance of any Reach, Hold or custom goal from its target, model units."""
        return self._report(at.O_ERROR)

    @property
    def orientation_error(self) -> Any:
        """Largest angle of any Reach, LookAt, Hold or custom goal from its target [rad]."""
        return self._report(at.O_TURN_ERROR)

    @property
    def errors(self) -> np.ndarray:
        """The error of every residual block, goal by goal, shape (..., demands).

        In the order of `asked.demands`: a Reach or Hold has a distance, an angle [rad] or both, in this
        order; a LookAt or Pole has an angle; Rest has none. A custom goal has the length of its residual, in its
        unit, for every three rows.
        """
        first = self._width + at.REPORT
        return self._rows[..., [first + demand.block for demand in self.asked.demands]]

    @property
    def iterations(self) -> Any:
        """Sweeps or Newton steps used, restarts included."""
        return self._count(at.O_ITERATIONS)

    @property
    def restarts(self) -> Any:
        """Number of restarts from other poses."""
        return self._count(at.O_RESTARTS)

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of the joints whose limits keep the goals from coming closer.

        For a batch, those of any of its solves.
        """
        flags = self._rows[..., self._width + at.REPORT + len(self.asked.demands) :]
        pressed = np.any(flags > 0, axis=tuple(range(flags.ndim - 1)))
        return tuple(n for n, on in zip(self.asked.moving, pressed, strict=True) if on)

    @property
    def out_of_reach(self) -> OutOfReach | None:
        """The target that is too far or too near; None if there is none, or for a batch."""
        if self.batch_shape or self._report(at.O_STATUS) not in (at.TOO_FAR, at.TOO_NEAR):
            return None
        block = self._count(at.O_BLOCK)
        effector = next(d.effector for d in self.asked.demands if d.block == block)
        return OutOfReach(effector, self._report(at.O_GAP), self._report(at.O_REACH))

    @property
    def collision(self) -> Collision | None:
        """The two bones that are deepest inside the margin of Avoid; None if none are, or for a batch."""
        if self.batch_shape or not self.asked.pairs or self._report(at.O_DEPTH) <= 0.0:
            return None
        a, b = self.asked.pairs[self._count(at.O_PAIR)]
        return Collision(a, b, self._report(at.O_DEPTH))

    @property
    def blocked_by(self) -> tuple[str, str] | None:
        """The two bones, or bone and obstacle, that Avoid keeps apart and that block the goals.

        None if something else or nothing is in the way, or for a batch.
        """
        pair = None if self.batch_shape or self.status is not Status.STALLED else self._held()
        return (pair[0], pair[1]) if pair else None

    @property
    def collision_depth(self) -> Any:
        """Depth of the deepest pair inside the margin of Avoid, model units; 0 if none is inside."""
        return self._report(at.O_DEPTH)

    @property
    def off_balance(self) -> Any:
        """Distance of the centre of mass outside the support and margin of Balance, model units; 0 inside."""
        return self._report(at.O_TOPPLE)

    @property
    def reason(self) -> str:
        """Why the solve ended, in words; for a batch, how many ended with each status."""
        if self.batch_shape:
            return self._with_roots(summary(self.status))
        report = self._rows[self._width :].tolist()
        status = STATUSES[int(report[at.O_STATUS])]
        said = reason(
            status,
            self.asked,
            [report[at.REPORT + demand.block] for demand in self.asked.demands],
            iterations=int(report[at.O_ITERATIONS]),
            limited=self.limited if status is Status.LIMITED else (),
            beyond=self.out_of_reach,
            hurried=report[at.O_STOP] == at.STOP_HURRIED,
            held=self._held(),
            collision=self.collision,
            imbalance=report[at.O_TOPPLE],
        )
        return self._with_roots(said)

    def _with_roots(self, said: str) -> str:
        """A reason, with a note on free roots; for a batch with the farthest move of any solve."""
        start, answer = self._start._coordinates, self._rows[..., : self._width]
        moved = [
            float(root.distance(start, answer).max(initial=0.0))
            for root in self.asked.carried_roots
        ]
        return with_roots(said, set(np.ravel(self.status).tolist()), self.asked, moved)

    def _held(self) -> tuple[str, ...] | None:
        """The pair that must keep apart and is in the way, () for balance, None for neither."""
        if self._report(at.O_STOP) != at.STOP_HELD:
            return None
        pair = self._count(at.O_PAIR)
        return self.asked.pairs[pair] if pair >= 0 else ()

    # Batches ------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The batch's shape; () for a single solution."""
        return self._rows.shape[:-1]

    def __bool__(self) -> bool:
        """True if the goals are met; for a batch, those of all its solves."""
        return bool(np.all(self.reached))

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single solution has no length")
        return self.batch_shape[0]

    def __getitem__(self, key: Any) -> Solution:
        """The solutions at an index, slice or mask of the leading axes."""
        if not self.batch_shape:
            raise TypeError("a single solution cannot be indexed")
        np.broadcast_to(True, self.batch_shape)[key]  # an index too many must not reach deeper
        start = self._start[key] if self._start.batch_shape else self._start
        key = key if isinstance(key, tuple) else (key,)
        if any(k is Ellipsis for k in key):
            key = (*key, slice(None))
        rows = self._rows[key]
        if rows.ndim == 1:
            rows = rows.copy()  # so that a single solution does not keep the batch alive
        velocity = self._extras.velocity
        velocity = velocity if velocity is None else velocity[key]
        extras = Extras(blend=self._extras.blend, velocity=velocity)
        return Solution(self.asked, rows, start, extras)

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    # Comfort ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return (
            self.asked == other.asked
            and self._extras.blend == other._extras.blend
            and np.array_equal(self._rows, other._rows)
            and self._start == other._start
        )

    def __repr__(self) -> str:
        if self.batch_shape:
            return f"Solution({'x'.join(map(str, self.batch_shape))}: {self.reason})"
        return f"Solution({self.status}: {self.reason}; {counted(self.iterations, 'iteration')})"

    def _repr_html_(self) -> str:
        if self.batch_shape:
            return f"<p>{escape(repr(self))}</p>"
        from supple.model.sketch import captioned  # pictures: not before they are looked at

        return captioned(self.pose, repr(self))

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back to the last bit.

        The trace is not part of it (see `Trace.save`).
        """
        velocity = self._extras.velocity
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "skeleton": self.skeleton.to_json(),
            "asked": self.asked.to_json(),
            "start": self._start.to_json(skeleton=False),
            "blend": self._extras.blend,
            "report": self._rows.tolist(),
            "alternatives": [other._rows.tolist() for other in self.alternatives],
            "reached": self.reached.tolist() if self.batch_shape else self.reached,
            "reason": self.reason,
            **({} if velocity is None else {"velocity": velocity.tolist()}),
        }

    @classmethod
    def from_json(cls, data: Any) -> Solution:
        """The solution that `to_json` wrote.

        Raises:
            SuppleError: The data is no solution, or not of this version.
        """
        check_format(data, FORMAT, FORMAT_VERSION)
        for key in ("skeleton", "asked", "start", "blend", "report", "alternatives"):
            if key not in data:
                raise SuppleError(f"solution from JSON: expected {key!r}, got none")
        skeleton = Skeleton.from_json(data["skeleton"])
        asked = ProblemInfo.from_json(data["asked"])
        start = Pose.from_json(data["start"], skeleton)
        blend = number("blend", data["blend"], "a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
        others = (
            cls(asked, _report_rows(row, skeleton, asked), start, Extras(blend=blend))
            for row in data["alternatives"]
        )
        rows = _report_rows(data["report"], skeleton, asked)
        if start.batch_shape not in ((), rows.shape[:-1]):
            raise SuppleError(
                f"solution from JSON: expected a start of batch shape {rows.shape[:-1]}, "
                f"got {start.batch_shape}"
            )
        slides = [k for root in asked.carried_roots for k in root.slides]
        if not all(0 <= k < start.coordinates.shape[-1] for k in slides):
            raise SuppleError(
                f"asked: expected slides of carried_roots from 0 to {start.coordinates.shape[-1] - 1}, "
                f"got {slides}"
            )
        velocity = data.get("velocity")
        if velocity is not None:
            shape = (*rows.shape[:-1], len(skeleton.freedoms))
            velocity = array("velocity", velocity, shape)
        return cls(asked, rows, start, Extras(None, tuple(others), blend, velocity))


def _report_rows(value: Any, skeleton: Skeleton, asked: ProblemInfo) -> np.ndarray:
    """The report of one solve or a batch, checked to be one."""
    coordinates = skeleton.freedom_table.coordinate_count
    width = coordinates + at.REPORT + len(asked.demands) + len(asked.moving)
    rows = array("report", value, (..., width), finite=False)
    if not np.all(np.isin(rows[..., coordinates + at.O_STATUS], list(Status))):
        raise SuppleError(f"report: expected a status from 0 to {max(Status)}")
    return rows
