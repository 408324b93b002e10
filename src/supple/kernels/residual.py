"""How far the effectors are from their targets.

Residual rows for the solvers, errors in plain units for people.

Every primary block has three rows, scaled so that all solvers see pure numbers: a position counts
in characteristic lengths, a radian counts `turn` of them. Cost is half the sum of squares, weights
included.
"""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf


@leaf
def look(problem, frames, g):
    """Where the effector looks, where it should look (unit vectors).

    And how far away the target is.
    """
    effectors = frames.effectors
    seen = quat.rotate(
        quat.load4(effectors, g, layout.E_WROT),
        quat.load3(problem.blocks_f, g, layout.B_AXIS),
    )
    way = quat.sub(
        quat.load3(effectors, g, layout.E_TARGET),
        quat.load3(effectors, g, layout.E_POS),
    )
    distance = quat.norm(way)
    if distance == 0.0:
        return seen, seen, 0.0
    return seen, quat.scale(way, 1.0 / distance), distance


@leaf
def pole_angle(problem, frames, g):
    """Signed angle about the root-to-tip line from the middle joint to the pole.

    Zero where it is not defined.
    """
    blocks = problem.blocks
    effectors = frames.effectors
    root = quat.load3(frames.joints, blocks[g, layout.B_ROOT], layout.S_POS)
    line = quat.unit(quat.sub(quat.load3(effectors, blocks[g, layout.B_REACH], layout.E_POS), root))
    middle = quat.sub(quat.load3(effectors, g, layout.E_POS), root)
    wanted = quat.sub(quat.load3(effectors, g, layout.E_TARGET), root)
    return math.atan2(
        quat.dot(line, quat.cross(middle, wanted)),
        quat.dot(middle, wanted) - quat.dot(middle, line) * quat.dot(wanted, line),
    )


@kernel
def residuals(problem, frames):
    """Fill the residual rows and the plain errors (length or radians) of every block.

    Returns the cost.
    """
    blocks, blocks_f = problem.blocks, problem.blocks_f
    effectors = frames.effectors
    cost = 0.0
    for g in range(blocks.shape[0]):
        kind = blocks[g, layout.B_KIND]
        if kind == layout.POSITION:
            miss = quat.sub(
                quat.load3(effectors, g, layout.E_TARGET),
                quat.load3(effectors, g, layout.E_POS),
            )
            frames.errors[g] = quat.norm(miss)
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] / problem.length)
        elif kind == layout.ORIENTATION:
            miss = quat.log(
                quat.mul(
                    quat.load4(effectors, g, layout.E_TARGET),
                    quat.conj(quat.load4(effectors, g, layout.E_WROT)),
                )
            )
            frames.errors[g] = quat.norm(miss)
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] * problem.radian)
        elif kind == layout.LOOKAT:
            seen, wanted, _ = look(problem, frames, g)
            miss = quat.sub(wanted, seen)
            frames.errors[g] = 2.0 * math.atan2(quat.norm(miss), quat.norm(quat.add(wanted, seen)))
            miss = quat.scale(miss, blocks_f[g, layout.B_WEIGHT] * problem.radian)
        else:
            frames.errors[g] = abs(pole_angle(problem, frames, g))
            continue
        row = blocks[g, layout.B_ROW]
        frames.residual[row] = miss[0]
        frames.residual[row + 1] = miss[1]
        frames.residual[row + 2] = miss[2]
        cost += 0.5 * quat.dot(miss, miss)
    return cost


@kernel
def tolerances(problem, near):
    """Fill near, shape (G,), with how near counts as met."""
    blocks_f = problem.blocks_f
    for g in range(blocks_f.shape[0]):
        near[g] = blocks_f[g, layout.B_TOLERANCE]


@kernel
def nearer(problem, frames, near):
    """True if every counted block is as near as `near` asks, shape (G,)."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] != layout.POLE and not frames.errors[g] <= near[g]:
            return False
    return True


@kernel
def within(problem, frames):
    """Whether every counted block is within its tolerance."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        # Written so that a NaN error is not within.
        if (
            blocks[g, layout.B_KIND] != layout.POLE
            and not frames.errors[g] <= problem.blocks_f[g, layout.B_TOLERANCE]
        ):
            return False
    return True
