"""Damped least squares (DLS): linearise, and take the step that weighs what is missing against its own size.

Near a pose the error e shrinks by J delta for a small change delta of the freedoms. The step that minimises
    |J delta - e|^2 + lambda^2 |delta|^2    is    delta = J^T (J J^T + lambda^2 I)^-1 e.
The lambda keeps it small near singular poses, where the pseudo-inverse (lambda = 0) would jump. Wampler (1986);
Nakamura & Hanafusa (1986). `supple.Jacobian(method="dls")` adds limits, halved steps and restarts.
"""

from dataclasses import dataclass

import numpy as np

import supple
from supple.solvers import EVERYTHING


@dataclass(frozen=True, kw_only=True)
class DampedLeastSquares(supple.Solver):
    """Damped steps until the goals are met.

    Args:
        regularization: The lambda, in lengths of the longest chain a radian.
    """

    name = "LearnDampedLeastSquares"
    takes = EVERYTHING
    regularization: float = 0.1

    def solve(self, search):
        """Iterate until the goals are met or the budget is used up."""
        more = True
        while more:
            jacobian, error = search.jacobian(), search.residual
            damping = self.regularization**2 * np.eye(len(error))
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping, error)
            more = search.accept(search.moved(step))
            away = np.linalg.norm(search.residual) * search.length
            print(
                f"step {search.iterations}: |delta| = {np.linalg.norm(step):.4f}, the tip is {away:.6f} away"
            )


def main(target=(1.5, 1.2, 0.9), solver=None):
    """Solve an arm of four hinges, and check the answer."""
    arm = supple.chain([1.0] * 4)
    arm = arm.with_joints({f"j{i}": supple.Hinge("zyzy"[i]) for i in range(4)})
    start = arm.pose({f"j{i}": 0.3 for i in range(4)})
    s = supple.solve(arm, {"tip": target}, start=start, solver=solver or DampedLeastSquares())
    assert s.reached and np.allclose(s.position("tip"), target, atol=1e-3)
    return s


if __name__ == "__main__":
    main()
