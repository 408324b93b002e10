"""From an error to a step: pseudo-inverse, transpose, damped and selectively damped least squares.

`columns`, shape (D, R), is the Jacobian J with a row for each freedom; the error e, shape (R,), is
what the effectors should move by. A step has one entry for each freedom. The freedom's `gain` multiplies both its
column and its entry: 0 if it may not move, less than 1 if it is stiff.

Problems with many goals and freedoms are solved on the tree (`tree_factor`) in linear time. There the
pseudo-inverse is the limit of damped steps, each for the error that the others have left (iterated Tikhonov
regularization), and singular values fade out below about 3e-5 of the largest. Selective damping needs the
singular vectors, and stays dense.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels.decorators import cold, kernel
from supple.kernels.joint import slides
from supple.kernels.linear_algebra import decompose, singular
from supple.kernels.tree_factor import (
    PULL,
    SPARE,
    changed_rows,
    column_squares,
    factor_tree,
    pulled,
    solve_tree,
    tree_of,
    uses_tree,
)
from supple.kernels.workspace import matrix, row_at, vector

PINV, TRANSPOSE, DLS, SDLS = range(4)
# Singular values below this fraction of the largest count as zero; not tuned.
LEAST_SINGULAR_RATIO = 1e-6
# On a tree: the damping of the steps that add up to the pseudo-inverse, as a part of the largest squared column,
# and how many they are. A smaller damping leaves noise of 1e-16 / FADING_DAMPING in singular directions; with four
# steps a singular value of 1e-3 of the largest is met to 1e-12.
FADING_DAMPING = 1e-9
FADING_STEPS = 4
# The largest rotation in a selectively damped step [rad]: gamma_max of Buss and Kim 2005.
GAMMA_MAX = 0.25 * math.pi
AT_BOUND = 1e-12  # a freedom with no more room than this stands at its bound [rad, characteristic lengths]; rounding
# How often a step is found again without the freedoms at their limits, at most; not tuned.
MOST_PASSES = 8


class Direction(NamedTuple):
    """A step and the buffers to find it."""

    delta: Any  # (D,) the step
    error: Any  # (R,) what the effectors should move by
    gain: Any  # (D,)
    turns: Any  # (D,) 1 for a freedom that turns, 0 for one that slides or stretches
    square: Any  # (S, S), S the smaller side of the Jacobian
    basis: Any  # (S, S)
    u: Any  # (R,) a left singular vector
    v: Any  # (D,) a right singular vector


@kernel
def take_direction(problem, work, dense):
    """Take the buffers of a step; `dense` if the Jacobian is, although the problem asks for a tree."""
    nd, nr = problem.freedoms, problem.rows
    side = 0 if problem.is_tree and not dense else min(nd, nr)
    return Direction(
        vector(work, nd),
        vector(work, nr),
        vector(work, nd),
        vector(work, nd),
        matrix(work, side, side),
        matrix(work, side, side),
        vector(work, nr),
        vector(work, nd),
    )


@kernel
def mark_turns(problem, turns):
    """Fill turns, shape (D,): 1 for a freedom that turns, 0 for one that slides or stretches."""
    moving = problem.moving
    for d in range(turns.shape[0]):
        turns[d] = 0.0
    for k in range(moving.shape[0]):
        if moving[k, layout.M_MIMIC] < 0:
            for i in range(moving[k, layout.M_NDOF]):
                slid = slides(moving[k, layout.M_KIND], i)
                turns[moving[k, layout.M_DOF] + i] = 0.0 if slid else 1.0


@kernel
def shorten(delta, turns, cap):
    """Scale a step so that no rotation in it is larger than the cap [rad]."""
    largest = 0.0
    for d in range(delta.shape[0]):
        largest = max(largest, turns[d] * abs(delta[d]))
    if largest > cap:
        for d in range(delta.shape[0]):
            delta[d] *= cap / largest


@kernel
def transposed(columns, step):
    """The step alpha J^T e with the best alpha, <e, J J^T e> / |J J^T e|^2."""
    count, size = columns.shape
    gain, error, u, delta = step.gain, step.error, step.u, step.delta
    for r in range(size):
        u[r] = 0.0
    for d in range(count):
        s = 0.0
        for r in range(size):
            s += columns[d, r] * error[r]
        delta[d] = gain[d] * s
        for r in range(size):
            u[r] += gain[d] * delta[d] * columns[d, r]
    top, bottom = 0.0, 0.0
    for r in range(size):
        top += error[r] * u[r]
        bottom += u[r] * u[r]
    alpha = top / bottom if bottom > 0.0 else 0.0
    for d in range(count):
        delta[d] *= alpha


@kernel
def selective_share(columns, step, sigma, amount):
    """The share of the step amount * v that is taken.

    Buss and Kim 2005: N is how far the effectors should go along u, M how far the changes in v move
    them if no two cancel; the step may turn a joint by gamma_max min(1, N / M) at most.
    """
    count, size = columns.shape
    u, v = step.u, step.v
    wanted, moved, largest = 0.0, 0.0, 0.0
    for r in range(0, size, 3):
        wanted += math.sqrt(u[r] * u[r] + u[r + 1] * u[r + 1] + u[r + 2] * u[r + 2])
    for d in range(count):
        reach = 0.0
        for r in range(0, size, 3):
            x, y, z = columns[d, r], columns[d, r + 1], columns[d, r + 2]
            reach += math.sqrt(x * x + y * y + z * z)
        moved += abs(step.gain[d] * v[d]) * reach / sigma
        largest = max(largest, step.turns[d] * abs(amount * v[d]))
    limit = GAMMA_MAX if moved <= wanted else GAMMA_MAX * wanted / moved
    return limit / largest if largest > limit else 1.0


@kernel
def direction(method, columns, step, regularization):
    """Fill delta with the method's step for the error."""
    count, size = columns.shape
    u, v, delta = step.u, step.v, step.delta
    if method == TRANSPOSE:
        transposed(columns, step)
    else:
        for d in range(count):
            delta[d] = 0.0
        least = LEAST_SINGULAR_RATIO * decompose(columns, step.gain, step.square, step.basis)
        for i in range(step.square.shape[0]):
            sigma = singular(columns, step.gain, step.basis, i, u, v)
            if not sigma > least:
                continue
            amount = 0.0
            for r in range(size):
                amount += u[r] * step.error[r]
            if method == DLS:
                amount *= sigma / (sigma * sigma + regularization * regularization)
            else:
                amount /= sigma
            if method == SDLS:
                amount *= selective_share(columns, step, sigma, amount)
            for d in range(count):
                delta[d] += amount * v[d]
        if method == SDLS:
            shorten(delta, step.turns, GAMMA_MAX)
    for d in range(count):
        delta[d] *= step.gain[d]


@kernel
def bounded_direction(problem, linear, step, method, regularization):
    """The method's step without the freedoms that stand at a limit and would be pushed outward.

    They are left out and the step is found again, so that the other freedoms take over.
    """
    gain, delta, bounds = step.gain, step.delta, linear.bounds
    for d in range(gain.shape[0]):
        gain[d] = math.sqrt(problem.weight[d])
    for _ in range(MOST_PASSES):
        if uses_tree(linear):
            _direction_on_tree(problem, linear, step, method, regularization)
        else:
            direction(method, linear.columns, step, regularization)
        pushed = False
        for d in range(delta.shape[0]):
            if (delta[d] > 0.0 and bounds[d, 1] <= AT_BOUND) or (
                delta[d] < 0.0 and bounds[d, 0] >= -AT_BOUND
            ):
                gain[d] = 0.0
                delta[d] = 0.0
                pushed = True
        if not pushed:
            return


@cold
def _direction_on_tree(problem, linear, step, method, regularization):
    """Fill delta with the step for the error of any method but the selectively damped one."""
    tree, delta, error, free, u = tree_of(problem, linear), step.delta, step.error, step.v, step.u
    pull, more = row_at(tree.by_freedom, PULL), row_at(tree.by_freedom, SPARE)
    damping, steps = regularization * regularization, 1
    for d in range(delta.shape[0]):
        free[d] = step.gain[d] * step.gain[d]
        delta[d] = 0.0
    if method == PINV:
        largest = 0.0
        column_squares(tree, more)
        for d in range(delta.shape[0]):
            largest = max(largest, free[d] * more[d])
        damping, steps = FADING_DAMPING * largest + 1e-300, FADING_STEPS
    if method != TRANSPOSE and not factor_tree(tree, free, damping):
        return  # no step: the caller tries the transpose
    top, bottom = 0.0, 0.0
    for _ in range(steps):
        # For the error that the steps before have left.
        changed_rows(tree, delta, u)
        for r in range(error.shape[0]):
            u[r] = error[r] - u[r]
        pulled(tree, u, pull)
        if method == TRANSPOSE:
            break
        solve_tree(tree, free, pull, more)
        for d in range(delta.shape[0]):
            delta[d] += more[d]
    if method == TRANSPOSE:
        for d in range(delta.shape[0]):
            delta[d] = free[d] * pull[d]
        changed_rows(tree, delta, u)
        for r in range(error.shape[0]):
            top += error[r] * u[r]
            bottom += u[r] * u[r]
        for d in range(delta.shape[0]):
            delta[d] *= top / bottom if bottom > 0.0 else 0.0


@kernel
def strays(problem, linear, change, rows, new_rows, tracking, u):
    """True if a step's tracking error is over its bound.

    That error is the distance of the effectors from their positions in the linear model,
    |f(theta + delta) - f(theta) - J delta|, and its bound the fraction `tracking` of |J delta|.
    """
    columns = linear.columns
    if uses_tree(linear):
        changed_rows(tree_of(problem, linear), change, u)
    else:
        for r in range(u.shape[0]):
            u[r] = 0.0
        for d in range(change.shape[0]):
            for r in range(u.shape[0]):
                u[r] += columns[d, r] * change[d]
    missed, predicted = 0.0, 0.0
    for r in range(u.shape[0]):
        off = rows[r] - new_rows[r] - u[r]
        missed += off * off
        predicted += u[r] * u[r]
    return missed > tracking * tracking * predicted
