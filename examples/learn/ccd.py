"""Cyclic coordinate descent (CCD): one joint after the other turns the tip towards the target.

While all other joints stand still, the best angle of a hinge has a closed form: it turns the line from the joint to the
tip, seen along the axis, into the direction of the target. Wang & Chen (1991); Lander, "Making Kine More
Flexible" (1998). `supple.CCD` adds limits, damping, orientations, larger steps where sweeps crawl, and restarts.
"""

import math
from dataclasses import dataclass

import numpy as np

import supple
from supple.solvers import Takes


@dataclass(frozen=True, kw_only=True)
class CCD(supple.Solver):
    """Sweeps from the tip to the root, until the tip is at its target."""

    name = "LearnCCD"
    takes = Takes(joints=frozenset({"Hinge"}), goals=frozenset({"position"}))

    def solve(self, search):
        """Sweep over the joints until the goal is met or the budget is used up."""
        target, more = search.targets["tip"], True
        while more:
            for joint in reversed(search.joints):
                (axis,) = search.axes(joint)
                here = search.positions()[joint]
                angle = best_angle(axis, search.pose().position("tip") - here, target - here)
                search.evaluate(search.turned(joint, angle * axis))
            more = search.accept()  # a sweep is an iteration
            away = np.linalg.norm(search.residual) * search.length
            print(f"sweep {search.iterations}: the tip is {away:.6f} from its target")


def best_angle(axis, to_tip, to_target):
    """The angle [rad] about a unit axis that brings the tip nearest to the target."""
    sine = axis @ np.cross(to_tip, to_target)
    cosine = to_tip @ to_target - (axis @ to_tip) * (
        axis @ to_target
    )  # of the parts square to the axis
    return math.atan2(sine, cosine)


def main(target=(1.0, 1.2, 0.9), solver=None):
    """Solve an arm of five hinges, and check the answer."""
    arm = supple.chain([1.0] * 5)
    arm = arm.with_joints({f"j{i}": supple.Hinge("zyzyz"[i]) for i in range(5)})
    s = supple.solve(
        arm, {"tip": target}, start=arm.pose({"j1": 0.3, "j2": 0.4}), solver=solver or CCD()
    )
    assert s.reached and np.allclose(s.position("tip"), target, atol=1e-3)
    return s


if __name__ == "__main__":
    main()
