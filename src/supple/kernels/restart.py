"""Beginning elsewhere after a stall: the best of a few seeds, and when what it gives counts."""

import math
from typing import NamedTuple

from supple.kernels.cache import kernel
from supple.kernels.evaluate import evaluate
from supple.kernels.joint import project
from supple.kernels.seeds import seed
from supple.kernels.views import copy

# A pose from elsewhere replaces an unreached one only below this fraction of its cost.
CLEARLY = 0.81


class Seeds(NamedTuple):
    """Which seeds to look at."""

    first: int  # the number of the first
    size: int  # how many
    spread: float  # how far they lie from the start, 0 to 1


@kernel
def clearly_better(cost, best, elsewhere):
    """True if a cost beats the best so far: clearly, if its descent began elsewhere than at the start."""
    return cost < best * (CLEARLY if elsewhere else 1.0)


@kernel
def best_seed(problem, frames, seeds, start, window, trial, q):
    """Put into q the one of some seeds that is nearest to the goals; `trial` is a buffer for a pose."""
    low = math.inf
    copy(start, trial)
    for n in range(seeds.first, seeds.first + seeds.size):
        seed(problem, n, seeds.spread, start, window, trial)
        project(problem, trial)
        cost = evaluate(problem, frames, trial)
        if cost < low:
            low = cost
            copy(trial, q)
