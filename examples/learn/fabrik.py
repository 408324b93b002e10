"""FABRIK: put the tip on the target and pull the chain after it; put the root back and pull the chain after that.

Both passes move points along lines and keep the lengths of bones; then every joint turns its bone onto its points.
Aristidou & Lasenby (2011), algorithm 1. `supple.FABRIK` adds limits, several effectors and restarts.
"""

from dataclasses import dataclass

import numpy as np

import supple
from supple.solvers import Takes


@dataclass(frozen=True, kw_only=True)
class FABRIK(supple.Solver):
    """For one chain of balls, from the skeleton's root to its tip."""

    name = "LearnFABRIK"
    takes = Takes(joints=frozenset({"Ball"}), goals=frozenset({"position"}))

    def solve(self, search):
        """Iterate, backward and forward, until the goal is met or the budget is used up."""
        target, more = search.targets["tip"], True
        while more:
            points = search.positions()  # joints from the root on, then the tip
            lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
            pulled = pull(points[::-1], target, lengths[::-1])[::-1]  # backward
            pulled = pull(pulled, points[0], lengths)  # forward
            for joint, bone in enumerate(np.diff(pulled, axis=0)):  # each turns all below it
                now = np.diff(search.positions(), axis=0)[joint]
                search.evaluate(search.turned(joint, between(now, bone)))
            more = search.accept()
            print(f"iteration {search.iterations}: the tip is at {search.positions()[-1]}")


def pull(points, first, lengths):
    """Move the first point, and every other one along the line to the one before it, at its length."""
    moved = [first]
    for point, length in zip(points[1:], lengths, strict=True):
        line = point - moved[-1]
        moved.append(moved[-1] + length * line / np.linalg.norm(line))
    return np.array(moved)


def between(a, b):
    """The least rotation from the direction of a to that of b, a rotation vector [rad]."""
    sine = np.linalg.norm(axis := np.cross(a, b))
    return axis if sine == 0.0 else np.arctan2(sine, a @ b) / sine * axis


def main(target=(2.0, 2.0, 1.0), solver=None):
    """Solve a chain of five balls, and check the answer."""
    s = supple.solve(supple.chain([1.0] * 5), {"tip": target}, solver=solver or FABRIK())
    assert s.reached and np.allclose(s.position("tip"), target, atol=1e-3)
    return s


if __name__ == "__main__":
    main()
