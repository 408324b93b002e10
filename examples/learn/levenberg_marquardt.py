"""Levenberg-Marquardt (LM): damped least squares that chooses its damping by how well the last step went.

A step that brings the goals closer is kept, and the better the linear model predicted it, the less the next is damped
(Nielsen's rule); else the pose stays and the damping grows. The damping is proportional to the squared error, so that
the last steps are Newton's: Sugihara (2011), "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt
method", eq. 20. `supple.LM` adds limits as an active set, restarts, and linear time for many goals.
"""

from dataclasses import dataclass

import numpy as np

import supple
from supple.solvers import EVERYTHING


@dataclass(frozen=True, kw_only=True)
class LM(supple.Solver):
    """Steps with a damping that follows their success."""

    name = "LearnLM"
    takes = EVERYTHING

    def solve(self, search):
        """Iterate until the goals are met or the budget is used up."""
        damping, growth, more = 1.0, 2.0, True
        while more:
            begin, cost, error = search.q, search.cost, search.residual.copy()
            jacobian = search.jacobian()
            normal = jacobian @ jacobian.T
            amount = damping * min(cost, 1.0) * np.trace(normal) / len(error)
            step = jacobian.T @ np.linalg.solve(normal + amount * np.eye(len(error)), error)
            left = error - jacobian @ step  # what the linear model expects to be left
            predicted = cost - 0.5 * left @ left
            search.evaluate(search.moved(step))
            print(
                f"step {search.iterations + 1}: damping {amount:.2e}, cost {cost:.2e} to {search.cost:.2e}"
            )
            if search.cost < cost:
                gain = (cost - search.cost) / predicted
                damping, growth = max(damping * max(0.2, 1 - (2 * gain - 1) ** 3), 1e-6), 2.0
            else:
                search.evaluate(begin)
                damping, growth = damping * growth, 2 * growth
            more = search.accept()


def main(target=(-1.0, 1.2, 0.9), solver=None):
    """Solve an arm of four hinges, and check the answer."""
    arm = supple.chain([1.0] * 4)
    arm = arm.with_joints({f"j{i}": supple.Hinge("zyzy"[i]) for i in range(4)})
    start = arm.pose({f"j{i}": 0.3 for i in range(4)})
    s = supple.solve(arm, {"tip": target}, start=start, solver=solver or LM())
    assert s.reached and np.allclose(s.position("tip"), target, atol=1e-3)
    return s


if __name__ == "__main__":
    main()
