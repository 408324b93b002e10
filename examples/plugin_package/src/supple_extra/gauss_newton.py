"""Newton steps with truncated least squares."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import supple
from supple.solvers import EVERYTHING, Takes


@dataclass(frozen=True, kw_only=True)
class GaussNewton(supple.Solver):
    """Solve jacobian @ step = residual, and go there.

    Args:
        truncate: Singular values below this part of the largest count as zero.
    """

    name: ClassVar[str] = "GaussNewton"
    takes: ClassVar[Takes] = EVERYTHING

    truncate: float = 1e-3

    def solve(self, search):
        """Iterate from the start until the goals are met or the budget is used up."""
        more = True
        while more:
            step = np.linalg.lstsq(search.jacobian(), search.residual, rcond=self.truncate)[0]
            more = search.accept(search.moved(step))
