"""The closed form for two bones: a limb that bends in the middle and points at its target.

The triangle of upper bone, lower bone and reach line has three known sides, so the middle joint's
bend follows from the distance alone, and the root joint only has to point (Lander 1998, "Making Kine
More Flexible"; the slides' analytic construction). One pass, exact, well below a microsecond: the
right choice for arms and legs. It takes two turning joints, no more and no fewer, and a position.

Lander's "corrected" equation 6 still prints L1 sin(theta2) where the figure gives L2 sin(theta2),
and its one-argument arctangent is wrong on half of all poses. Numerator and denominator are
r^2 sin(theta1) and r^2 cos(theta1): atan2 of the two is right in every quadrant, and the second
elbow is -theta2. In three dimensions, and without angles where none are needed:

* Middle ball or cone: with sides a, b and distance d, 2ab cos = d^2 - a^2 - b^2 and
  2ab sin = sqrt(((a+b)^2 - d^2) (d^2 - (a-b)^2)): nothing cancels when straight or folded. The bend
  stays in the start's own plane or, from straight, in one that is always the same.
* Middle hinge, its axis in any position: d^2 = a + 2 (k2 cos x + k3 sin x), so x = x0 +- u with
  tan(x0) = k3 / k2 and tan^2(u/2) = (dmax^2 - d^2) / (d^2 - dmin^2). Of the two elbows, and whole
  turns of them, the one inside the limits and nearest to the start; if none is inside, the limit
  whose distance is nearest.
* Root ball or cone: the least turn from the start that points at the target. A pole then spins the
  limb about the reach line until the middle joint lies in the pole's half plane; a pole on the line
  itself asks for nothing.
* Two hinges with parallel axes: the same in their plane.
* Root hinge with a ball or cone: the circle of the middle joint is met with the sphere about the
  target, the same equation in the root's angle, and the middle joint points.
* An Axes joint of three free axes is a ball with other coordinates.

Where limits keep the limb from the target, root and middle take turns in doing the best they can, on
either side of the elbow. That finds every reachable target but for cones whose axis is not along
their bone and for two cones. Stiffness has nothing to share out here and is not looked at.

`soften` slows the limb down before it is straight: beyond soften * reach the distance d becomes
reach - s exp(-(d - soften * reach) / s), s = (1 - soften) * reach, continuous with its slope and
never quite the reach, so that nothing snaps. A soft limb stops short of targets near its reach, on
purpose, and says so: it may then be farther from its target than its start was.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple import rotations
from supple.errors import SuppleError, one_of
from supple.goals import Pole, Reach
from supple.kernels import layout
from supple.problem import Problem
from supple.solvers.base import JOINT_KINDS, Solver, Takes
from supple.solvers.limb_solve import solve_range, space

LIMIT_COLUMNS = slice(layout.LIMITS, layout.LIMITS + 6)
ELBOWS = ("negative", "nearest", "positive")  # by the value of ELBOW + 1


@dataclass(frozen=True, kw_only=True)
class TwoBone(Solver):
    """The closed form for two bones; see the module's text.

    Args:
        max_iterations: 1; with 0 the start comes back, put into its limits.
        soften: The part of its reach from where on the limb straightens ever more slowly, in (0, 1];
            1 for never.
        elbow: Which of the two elbows of a hinge: the "nearest" to the start, or the "positive" or
            "negative" one (its angle is more, or less, than that of the stretched limb). The other
            is taken where limits forbid it.
    """

    name: ClassVar[str] = "TwoBone"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset({"Ball", "Cone", "Hinge", "Axes"}),
        goals=frozenset({"position", "pole"}),
        remark="two moving joints",
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 1
    soften: float = 1.0
    elbow: str = "nearest"

    def __post_init__(self) -> None:
        """Check the options."""
        Solver.__post_init__(self)
        one_of("TwoBone elbow", self.elbow, ELBOWS)
        least = self.soften
        if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0.0 < least <= 1.0:
            raise SuppleError(
                f"TwoBone: soften: expected a part of the reach in (0, 1], got {least!r}"
            )

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them."""
        return (float(self.max_iterations), float(self.soften), ELBOWS.index(self.elbow) - 1.0)

    def refusal(self, problem: Problem) -> str | None:
        """Why the closed form does not fit a problem that the matrix allows."""
        names = [problem.skeleton.joint_names[j] for j in problem.moving]
        if len(names) != 2:
            shown = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
            return f"{len(names)} moving joints ({shown}): it needs exactly two (see root, depth, lock)"
        floats = problem.skeleton.packed_floats[problem.moving]
        damped = [n for n, row in zip(names, floats) if np.isfinite(row[layout.DAMPING])]
        if damped:
            return f"damping ({damped[0]!r}): its one step goes all the way"
        ints = problem.skeleton.packed_ints[problem.moving]
        for name, row, numbers in zip(names, ints, floats):
            partial = (
                row[layout.NQ] < 3
                or row[layout.FROZEN]
                or np.isfinite(numbers[LIMIT_COLUMNS]).any()
            )
            if row[layout.KIND] == layout.AXES and partial:
                return f"an Axes joint that does not turn every way ({name!r}: limits, frozen or missing axes)"
        if sum(isinstance(goal, Pole) for goal in problem.goals) > 1:
            return "several poles"
        if np.all(ints[:, layout.KIND] == layout.HINGE):
            rest = problem.skeleton.rest
            axes = [
                rotations.rotate(rest.rotation(n), row[layout.AXIS : layout.AXIS + 3])
                for n, row in zip(names, floats)
            ]
            if np.linalg.norm(np.cross(axes[0], axes[1])) > 1e-9:
                return f"two hinges whose axes are not parallel ({names[0]!r}, {names[1]!r})"
        return None

    def events_per_iteration(self, problem: Problem) -> int:
        """The middle joint, then the root."""
        del problem
        return 2


def fits(problem: Problem) -> bool:
    """Whether the closed form can take a problem."""
    row = TwoBone.takes
    kinds = {JOINT_KINDS[k] for k in problem.skeleton.packed_ints[problem.moving, layout.KIND]}
    ints = problem.skeleton.packed_ints[problem.moving]
    reaches = [goal for goal in problem.goals if not isinstance(goal, Pole)]
    return (
        len(reaches) == 1
        and isinstance(reaches[0], Reach)
        and reaches[0].position_target is not None
        and reaches[0].orientation_target is None
        and kinds <= row.joints
        and bool(np.all(ints[:, layout.MIMIC] < 0) and np.all(ints[:, layout.STRETCH_Q] < 0))
        and TwoBone().refusal(problem) is None
    )
