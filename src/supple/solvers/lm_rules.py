"""When a step of Levenberg-Marquardt is good, slow or the last: the same for every kind of chain."""

from supple.kernels.cache import kernel

CLEARLY = 0.81  # a restart's pose replaces an unreached one only below this fraction of its cost
FLOOR = 1e-12  # the least damping, as a fraction of the mean diagonal
HUGE = 1e12  # the damping at which there is nothing left to try
NOTHING = 1e-9  # a step that promises less than this fraction of the cost does nothing
SLOW = 3  # slow iterations in a row that make a stall
TIGHT = 1e-6  # the stall fraction of the last descent when nothing was reached
BLOCKED = 0.3  # below this much of the rows in reach of the free joints, a slow iteration counts


@kernel
def eased(damping, fall, promise):
    """The damping after a step that let the cost fall, by what the linear model had promised.

    Nielsen's rule: the better it was foretold, the less damping.
    """
    gain = fall / max(promise, 1e-300)
    return max(damping * max(0.2, 1.0 - (2.0 * gain - 1.0) ** 3), 1e-6)


@kernel
def slowed(slow, fall, cost, alignment, stall):
    """How many iterations in a row have been slow, after one that let the cost fall."""
    hopeless = alignment < BLOCKED and fall < stall * cost
    return slow + 1 if hopeless or fall < TIGHT * cost else 0
