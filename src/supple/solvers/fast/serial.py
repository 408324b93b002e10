"""The fast paths of LM: chains of balls, chains of hinges, and `LookAt` goals with one joint each."""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import leaf
from supple.kernels.reach import gap, span
from supple.kernels.workspace import vector
from supple.solvers.fast import balls, hinges, looks

GENERAL, BALLS, HINGES, LOOKS = range(4)  # kinds of problems


class Begun(NamedTuple):
    """How a solve has begun."""

    same: bool  # whether it starts at the pose of the solve before
    used: int  # iterations so far


class Chain(NamedTuple):
    """The workspace of a fast path."""

    kind: int
    steps: bool  # whether a descent of LM comes before the fast path
    balls: Any
    hinges: Any
    looks: Any  # (Q,) the pose to go back to
    span: Any  # (5,) least and greatest distance of the effector from the base, and the base


@leaf
def take_chain(problem, hard, work):
    """Choose the fast path of a problem, none with loops or constraints, and take its workspace."""
    kind = GENERAL
    if hard:
        kind = GENERAL
    elif balls.fits(problem):
        kind = BALLS
    elif hinges.fits(problem):
        kind = HINGES
    elif looks.fits(problem):
        kind = LOOKS
    return Chain(
        kind,
        kind == LOOKS and looks.has_axes(problem),
        balls.take_links(problem, work, kind == BALLS),
        hinges.take_arm(problem, work, kind == HINGES),
        vector(work, problem.coordinates if kind == LOOKS else 0),
        vector(work, 5),
    )


@leaf
def set_up(problem, frames, chain):
    """Compute what depends on the folded chain alone."""
    blocks = problem.blocks
    chain.span[0], chain.span[1] = 0.0, math.inf
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION and chain.kind != GENERAL:
            chain.span[0], chain.span[1], base = span(problem, frames, g)
            quat.put3(chain.span, 2, base)
    if chain.kind == HINGES:
        hinges.set_up(problem, frames, chain.hinges)


@leaf
def beyond(problem, frames, chain):
    """True if the position asked for is surely out of the chain's reach."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            away = gap(frames, g, quat.take3(chain.span, 2))
            miss = max(away - chain.span[1], chain.span[0] - away)
            return miss > problem.blocks_f[g, layout.B_TOLERANCE]
    return False


@leaf
def solve(problem, options, frames, chain, trace, start, q, begun):
    """Solve from q, inside its limits; returns how that ended, and the cost.

    If the goals are not reached, q ends where the general search should begin. For looks that is their answer.
    """
    if chain.kind == BALLS:
        if not begun.same:
            balls.set_start(problem, frames, q, chain.balls)
        return balls.solve(problem, options, frames, chain.balls, trace, q)
    if chain.kind == LOOKS:
        return looks.solve(problem, options, frames, chain.looks, trace, q, begun.used)
    return hinges.solve(problem, options, frames, chain.hinges, trace, start, q)
