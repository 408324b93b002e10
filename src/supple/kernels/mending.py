"""Close open loops and mend broken constraints of a pose, without regard to its goals.

A search weighs loops and constraints against the goals, HARD times as strongly. If a goal is out of
reach, the search therefore ends with them slightly open. These kernels then correct loops and constraints alone.

The record `lm` that they take is the solver's, with the fields `frames`, `linear`, `step`, `constraints`, `bodies`
and `trial`, a pose of shape (Q,).
"""

from supple.kernels import layout
from supple.kernels.constraints import (
    COST,
    ROWS,
    linearize_constraints,
    unbroken,
    weigh,
    widest_open,
)
from supple.kernels.decorators import kernel
from supple.kernels.jacobian import linearize, step_along
from supple.kernels.levenberg import constrained_matrix, constrained_step
from supple.kernels.workspace import copy

RESTORING_STEPS = 30  # steps of `restore`, at most; not tuned


@kernel
def restore(problem, lm, q, loops_only):
    """Close the loops and mend the constraints by the shortest steps, without regard to the goals.

    q ends there, or as near as it came, and is weighed. With `loops_only` constraints are disregarded, too.
    """
    frames, linear, step = lm.frames, lm.linear, lm.step
    damping = 1e-9
    weigh(problem, lm, q)
    before = loop_cost(problem, lm) if loops_only else hard_cost(problem, lm)
    for _ in range(RESTORING_STEPS):
        if widest_open(problem, frames) < 0 and (loops_only or is_sound(problem, lm)):
            break
        linearize(problem, frames, linear, q)
        lm.bodies.found[ROWS] = 0.0
        if lm.constraints.some and not loops_only:
            linearize_constraints(problem, lm.constraints, lm.bodies, frames, linear)
        mean = constrained_matrix(problem, frames, linear, lm.bodies, step, False)
        amount = damping * mean + 1e-300
        if constrained_step(problem, frames, linear, lm.bodies, step, amount, False) <= 0.0:
            break
        copy(q, lm.trial)
        step_along(problem, frames, linear, q, step.delta, lm.trial)
        weigh(problem, lm, lm.trial)
        after = loop_cost(problem, lm) if loops_only else hard_cost(problem, lm)
        if after < before:
            before = after
            damping = max(0.1 * damping, 1e-9)
            copy(lm.trial, q)
        else:
            damping = max(100.0 * damping, 1e-4)
            weigh(problem, lm, q)
            if damping > 1e4:
                break


@kernel
def hard_cost(problem, lm):
    """The cost of open loops and broken constraints of the last weighed pose."""
    return loop_cost(problem, lm) + lm.bodies.found[COST]


@kernel
def loop_cost(problem, lm):
    """The cost of open loops of the last weighed pose."""
    blocks, residual = problem.blocks, lm.frames.residual
    cost = 0.0
    for g in range(blocks.shape[0]):
        row = blocks[g, layout.B_ROW]
        if blocks[g, layout.B_HARD] == 1 and row >= 0:
            for r in range(row, row + 3):
                cost += 0.5 * residual[r] * residual[r]
    return cost


@kernel
def is_sound(problem, lm):
    """True if the last weighed pose has its loops closed and breaks no constraint."""
    return widest_open(problem, lm.frames) < 0 and (not lm.constraints.some or unbroken(lm.bodies))
