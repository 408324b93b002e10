"""The rules of Levenberg-Marquardt: how the damping follows the steps, and when a descent has stalled."""

from supple.kernels.cache import kernel

FLOOR = 1e-12  # the least damping, as a fraction of the mean diagonal
HUGE = 1e12  # the damping at which there is nothing left to try
NOTHING = 1e-9  # a step that is predicted to gain less than this fraction of the cost does nothing
PROVEN = 10  # restarts for a target that is proven to be out of reach: enough for a near answer
SETTLE = 50.0  # iterations kept, up to a tenth of the budget, to settle when nothing was reached
SLOW = 3  # slow iterations in a row that make a stall
TIGHT = 1e-6  # the stall fraction of the last descent when nothing was reached
BLOCKED = 0.3  # below this much of the rows in reach of the free joints, a slow iteration counts


@kernel
def eased(damping, fall, prediction):
    """The damping after a step that let the cost fall, by what the linear model had predicted.

    Nielsen's rule: the better the prediction, the less damping.
    """
    gain = fall / max(prediction, 1e-300)
    return max(damping * max(0.2, 1.0 - (2.0 * gain - 1.0) ** 3), 1e-6)


@kernel
def slowed(slow, fall, cost, alignment, stall):
    """How many iterations in a row have been slow, after one that let the cost fall."""
    hopeless = alignment < BLOCKED and fall < stall * cost
    return slow + 1 if hopeless or fall < TIGHT * cost else 0


@kernel
def before_settling(budget):
    """The iterations for reaching: a tenth, at most SETTLE, is left to settle the nearest pose with."""
    return budget - min(SETTLE, budget // 10)
