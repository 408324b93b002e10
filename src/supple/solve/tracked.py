"""The answers along a path: the poses, their steps, and the frames that were not reached."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.errors import SuppleError, positive
from supple.model.skeleton import Pose
from supple.solve.outcome import counted
from supple.solve.solution import Solution


class LongStep(NamedTuple):
    """A joint that turns far from one frame to the next.

    Attributes:
        frame: The later frame.
        joint: Name of the joint.
        turn: How far it turns [rad].
    """

    frame: int
    joint: str
    turn: float


class Track:
    """The answers along a path, frame after frame.

    Attributes:
        solution: All of them as a batch of shape (F,).
    """

    __slots__ = ("_dt", "_first", "_jumps", "_max_step", "_steps", "solution")

    def __init__(
        self,
        solution: Solution,
        *,
        dt: float | None = None,
        velocity: np.ndarray | None = None,
        jumps: list[int] | None = None,
        max_step: float | None = None,
    ) -> None:
        """Wrap the answers of all frames, in their order.

        Args:
            solution: All of them.
            dt: Time from frame to frame [s], if the frames are ticks.
            velocity: The velocity before the first frame, shape (D,).
            jumps: The frames that the pose jumps to, if all branches were searched.
            max_step: The reason names joints that turn farther than this from frame to frame [rad].
        """
        self.solution: Solution = solution
        self._dt = dt
        self._first = velocity
        self._jumps = jumps
        self._max_step = max_step
        self._steps: np.ndarray | None = None

    @property
    def poses(self) -> Pose:
        """The poses, a batch of shape (F,)."""
        return self.solution.pose

    @property
    def reached(self) -> bool:
        """True if every frame met its goals."""
        return bool(np.all(self.solution.reached))

    @property
    def left(self) -> list[tuple[int, int]]:
        """The runs of frames that were not reached: (first, last + 1) of each."""
        missed = np.concatenate([[False], ~np.asarray(self.solution.reached), [False]])
        edges = np.flatnonzero(missed[1:] != missed[:-1]).tolist()
        return list(zip(edges[::2], edges[1::2], strict=True))

    @property
    def steps(self) -> np.ndarray:
        """How far each joint turns from each frame to the next [rad], shape (F - 1, N)."""
        if self._steps is None:
            poses = self.poses
            self._steps = poses[:-1].turns(poses[1:]) if len(poses) > 1 else np.zeros((0, 0))
        return self._steps

    @property
    def largest_step(self) -> float:
        """The farthest that any joint turns between two frames [rad]."""
        return float(self.steps.max(initial=0.0))

    def steps_over(self, bound: float) -> list[LongStep]:
        """The joints that turn farther than this between two frames, frame by frame.

        Args:
            bound: How far [rad].
        """
        names = self.poses.skeleton.joint_names
        frames, joints = np.nonzero(self.steps > positive("bound", bound))
        return [
            LongStep(int(f) + 1, names[j], float(self.steps[f, j]))
            for f, j in zip(frames, joints, strict=True)
        ]

    @property
    def reconfigurations(self) -> list[int]:
        """The frames that the pose jumps to, because no branch leads there from the frame before.

        Raises:
            SuppleError: The path was not followed with `branches="all"`.
        """
        if self._jumps is None:
            raise SuppleError('reconfigurations: expected a path followed with branches="all"')
        return list(self._jumps)

    @property
    def velocities(self) -> np.ndarray:
        """The velocity of every tick, as `Solution.velocity`, shape (F, D).

        Raises:
            SuppleError: The path was followed without `dt`.
        """
        return self.solution.velocity

    @property
    def accelerations(self) -> np.ndarray:
        """The acceleration of every tick, the change of velocity since the one before, shape (F, D).

        In rad/s^2, for slides in model units/s^2.

        Raises:
            SuppleError: The path was followed without `dt`.
        """
        velocities = self.velocities
        assert self._dt is not None and self._first is not None
        return np.diff(velocities, axis=0, prepend=self._first[None]) / self._dt

    @property
    def reason(self) -> str:
        """The outcome, in words."""
        long = [] if self._max_step is None else self.steps_over(self._max_step)
        if not long:
            return self._outcome
        shown = ", ".join(
            f"{one.joint} by {one.turn:.3g} rad into frame {one.frame}" for one in long[:3]
        )
        more = f" and {len(long) - 3} more" if len(long) > 3 else ""
        return f"{self._outcome}; farther than {self._max_step:g} rad turn {shown}{more}"

    @property
    def _outcome(self) -> str:
        count = len(self)
        if self.reached and self._jumps:
            shown = ", ".join(map(str, self._jumps[:5])) + ", ..." * (len(self._jumps) > 5)
            jumps = counted(len(self._jumps), "reconfiguration")
            return self.solution._with_roots(
                f"all {count} frames reached; {jumps}, at frame {shown}"
            )
        if self.reached:
            return self.solution._with_roots(
                f"all {count} frames reached; no joint turns more than {self.largest_step:.3g} rad a frame"
            )
        runs = self.left
        shown = ", ".join(
            f"{a}" if b == a + 1 else f"{a} to {b - 1}" for a, b in runs[:3]
        )  # fmt: skip
        more = f" and {len(runs) - 3} more runs" if len(runs) > 3 else ""
        first = self.solution[runs[0][0]]
        return (
            f"frames {shown}{more} of {count} are not reached; in frame {runs[0][0]} {first.reason}"
        )

    def __len__(self) -> int:
        return len(self.solution)

    def __getitem__(self, frame: int) -> Solution:
        """The answer of one frame."""
        return self.solution[frame]

    def __repr__(self) -> str:
        return f"Track({self.reason})"

    def _repr_html_(self) -> str:
        from supple.model.sketch import captioned  # pictures: not before they are looked at

        return captioned(self.poses, repr(self))
