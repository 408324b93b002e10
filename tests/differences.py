"""The one finite-difference helper that every Jacobian is held against."""

import numpy as np

STEP = 1e-4


def slope(after, low=-np.inf, high=np.inf, step=STEP):
    """The derivative at 0 of a function of one number, to the order of step squared.

    Args:
        after: Gives an array at a number.
        low: The function is not asked below this.
        high: Nor above this. Where the two leave no room on both sides, differences are one-sided.
        step: How far to go.
    """
    if low < -step and high > step:
        return (after(step) - after(-step)) / (2 * step)
    h = step if high > 2 * step else -step
    return (4 * after(h) - after(2 * h) - 3 * after(0.0)) / (2 * h)
