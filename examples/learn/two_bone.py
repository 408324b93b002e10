"""The closed form for two bones: the law of cosines gives the elbow's angle, then the shoulder points at the target.

With bones of lengths a and b and the target at distance d from the shoulder, the inner angle of the elbow follows from
    d^2 = a^2 + b^2 - 2 a b cos(inner).
Lander, "Making Kine More Flexible" (1998). `supple.TwoBone` is the same for every kind of joint, with limits.
"""

import math
from dataclasses import dataclass

import numpy as np

import supple
from supple.solvers import Takes


def angle_about(axis, a, b):
    """The angle [rad] about a unit axis that brings vector a into the direction of b, both square to the axis."""
    return math.atan2(axis @ np.cross(a, b), a @ b)


@dataclass(frozen=True, kw_only=True)
class TwoBone(supple.Solver):
    """Two hinges with the same axis."""

    name = "LearnTwoBone"
    takes = Takes(joints=frozenset({"Hinge"}), goals=frozenset({"position"}))

    def solve(self, search):
        """Bend the elbow, then point the limb."""
        shoulder, elbow = search.joints
        target = search.targets["tip"]
        at_shoulder, at_elbow, tip = search.positions()
        upper, lower = at_elbow - at_shoulder, tip - at_elbow
        a, b, d = (np.linalg.norm(v) for v in (upper, lower, target - at_shoulder))
        cosine = np.clip(
            (a * a + b * b - d * d) / (2 * a * b), -1.0, 1.0
        )  # out of reach: straight, folded
        bend = math.pi - math.acos(cosine)
        (axis,) = search.axes(elbow)
        search.evaluate(search.turned(elbow, (bend - angle_about(axis, upper, lower)) * axis))
        print(f"the target is {d:.3f} away: the elbow bends by {math.degrees(bend):.1f} degrees")

        (axis,) = search.axes(shoulder)
        turn = angle_about(axis, search.positions()[2] - at_shoulder, target - at_shoulder)
        search.accept(search.turned(shoulder, turn * axis))
        print(f"the shoulder turns by {math.degrees(turn):.1f} degrees")
        print(f"the tip is at {search.positions()[2]}")


def main(target=(0.9, 0.8, 0.0), solver=None):
    """Solve an arm of two bones, and check the answer."""
    arm = supple.chain([1.0, 0.8], joint=supple.Hinge("z"))
    s = supple.solve(arm, {"tip": target}, solver=solver or TwoBone())
    assert s.reached and np.allclose(s.position("tip"), target)
    return s


if __name__ == "__main__":
    main()
