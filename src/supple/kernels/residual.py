"""How far the effectors are from their targets.

Residual rows for the solvers, errors in plain units for people.

Every primary block has three rows, scaled so that all solvers see pure numbers: a position counts
in characteristic lengths, a radian counts `turn` of them. Cost is half the sum of squares, weights
included.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_AXIS,
    B_KIND,
    B_REACH,
    B_ROOT,
    B_ROW,
    B_TOLERANCE,
    B_WEIGHT,
    E_POS,
    E_TARGET,
    E_WROT,
    LOOKAT,
    ORIENTATION,
    POLE,
    POSITION,
    S_POS,
)
from supple.kernels.quaternion import (
    add,
    conj,
    cross,
    dot,
    load3,
    load4,
    log,
    mul,
    norm,
    rotate,
    scale,
    sub,
    unit,
)


@kernel
def look(blocks_f, effectors, g):
    """Where the effector looks, where it should look (unit vectors).

    And how far away the target is.
    """
    seen = rotate(load4(effectors, g, E_WROT), load3(blocks_f, g, B_AXIS))
    way = sub(load3(effectors, g, E_TARGET), load3(effectors, g, E_POS))
    distance = norm(way)
    if distance == 0.0:
        return seen, seen, 0.0
    return seen, scale(way, 1.0 / distance), distance


@kernel
def pole_angle(blocks, states, effectors, g):
    """Signed angle about the root-to-tip line from the middle joint to the pole.

    Zero where it is not defined.
    """
    root = load3(states, blocks[g, B_ROOT], S_POS)
    line = unit(sub(load3(effectors, blocks[g, B_REACH], E_POS), root))
    middle = sub(load3(effectors, g, E_POS), root)
    wanted = sub(load3(effectors, g, E_TARGET), root)
    return math.atan2(
        dot(line, cross(middle, wanted)),
        dot(middle, wanted) - dot(middle, line) * dot(wanted, line),
    )


@kernel
def residuals(blocks, blocks_f, states, effectors, length, turn, rows, errors):
    """Fill the residual rows and the plain errors (length or radians) of every block.

    Returns the cost.
    """
    cost = 0.0
    for g in range(blocks.shape[0]):
        kind = blocks[g, B_KIND]
        if kind == POSITION:
            miss = sub(load3(effectors, g, E_TARGET), load3(effectors, g, E_POS))
            errors[g] = norm(miss)
            miss = scale(miss, blocks_f[g, B_WEIGHT] / length)
        elif kind == ORIENTATION:
            miss = log(mul(load4(effectors, g, E_TARGET), conj(load4(effectors, g, E_WROT))))
            errors[g] = norm(miss)
            miss = scale(miss, blocks_f[g, B_WEIGHT] * turn)
        elif kind == LOOKAT:
            seen, wanted, _ = look(blocks_f, effectors, g)
            miss = sub(wanted, seen)
            errors[g] = 2.0 * math.atan2(norm(miss), norm(add(wanted, seen)))
            miss = scale(miss, blocks_f[g, B_WEIGHT] * turn)
        else:
            errors[g] = abs(pole_angle(blocks, states, effectors, g))
            continue
        row = blocks[g, B_ROW]
        rows[row] = miss[0]
        rows[row + 1] = miss[1]
        rows[row + 2] = miss[2]
        cost += 0.5 * dot(miss, miss)
    return cost


@kernel
def within(blocks, blocks_f, errors):
    """Whether every counted block is within its tolerance."""
    for g in range(blocks.shape[0]):
        # Written so that a NaN error is not within.
        if blocks[g, B_KIND] != POLE and not errors[g] <= blocks_f[g, B_TOLERANCE]:
            return False
    return True
